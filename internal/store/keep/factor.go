package keep

import (
	"context"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// Factor is what a user proves themselves with beside the password: an authenticator app, a passkey, or one of the codes for the
// day on which they have neither at hand.
type Factor struct {
	ID, User schema.UUID
	Kind     string
	// Name is what the user calls it.
	Name string
	// Data is a JSON object with what its kind is checked by.
	Data              string
	CreatedAt, UsedAt time.Time // UsedAt is zero where it was not used
}

// PutFactor keeps a factor.
func PutFactor(tx *store.Tx, f Factor) error {
	return store.Run(tx, `
		INSERT INTO factor (business_id, user_id, id, kind, name, data, created_at)
		VALUES ({business}, ?, ?, ?, ?, ?, ?)`,
		schema.IDValue(f.User), schema.IDValue(f.ID), room.Text(f.Kind), room.TextOrNone(f.Name), document(f.Data),
		schema.TimeValue(tx.Now))
}

// UseFactor notes that a factor was used, and what it is checked by from now on.
func UseFactor(tx *store.Tx, f Factor) error {
	return store.Run(tx, "UPDATE factor SET data = ?, used_at = ? WHERE business_id = {business} AND user_id = ? AND id = ?",
		document(f.Data), schema.TimeValue(tx.Now), schema.IDValue(f.User), schema.IDValue(f.ID))
}

// DropFactor forgets one factor of a user, and reports false where there was none.
func DropFactor(tx *store.Tx, user, id schema.UUID) (bool, error) {
	return store.RunOnce(tx, "DELETE FROM factor WHERE business_id = {business} AND user_id = ? AND id = ?", schema.IDValue(user),
		schema.IDValue(id))
}

// DropFactorsOf forgets the factors of one kind of a user.
func DropFactorsOf(tx *store.Tx, user schema.UUID, kind string) error {
	return store.Run(tx, "DELETE FROM factor WHERE business_id = {business} AND user_id = ? AND kind = ?",
		schema.IDValue(user), room.Text(kind))
}

// DropFactors forgets all factors of a user.
func DropFactors(tx *store.Tx, user schema.UUID) error {
	return store.Run(tx, "DELETE FROM factor WHERE business_id = {business} AND user_id = ?", schema.IDValue(user))
}

// Factors lists the factors of a user, oldest first.
func Factors(ctx context.Context, t store.Tenant, user schema.UUID) ([]Factor, error) {
	return factors(t.Reader(ctx), user)
}

// HeldFactors lists them in a transaction. Whoever must rely on them until the transaction ends holds the user.
func HeldFactors(tx *store.Tx, user schema.UUID) ([]Factor, error) { return factors(tx.Query, user) }

func factors(query room.Reader, user schema.UUID) ([]Factor, error) {
	return room.All(query, room.SQL(`
		SELECT id, user_id, kind, name, data, created_at, used_at
		FROM factor
		WHERE business_id = {business} AND user_id = ?
		ORDER BY id`, schema.IDValue(user)), func(r room.Row) Factor {
		text, id, _, at := room.Columns(r)
		return Factor{ID: id(0), User: id(1), Kind: text(2), Name: text(3), Data: text(4), CreatedAt: at(5), UsedAt: at(6)}
	})
}
