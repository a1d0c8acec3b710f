package keep

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// Identity is one business in which an e-mail address can log in.
type Identity struct {
	Tenant       store.Tenant
	BusinessName string
	User         schema.UUID
	Password
}

// Password is what is known of a user's password; its zero is none.
type Password struct {
	Hash string
	// SetAt tells one password of a user from the next.
	SetAt time.Time
}

// SetIdentity lets an e-mail address log in as a user, instead of an earlier address. Empty addresses are none.
func SetIdentity(tx *store.Tx, user schema.UUID, old, email string) error {
	if old != "" {
		key := room.Text(query.FoldCase(old))
		if err := drop(tx, "DELETE FROM identity WHERE business_id = {business} AND email_key = ?", key); err != nil {
			return err
		}
	}
	if email == "" {
		return nil
	}
	return store.Run(tx, "INSERT INTO identity (business_id, email_key, user_id) VALUES ({business}, ?, ?)",
		room.Text(query.FoldCase(email)), schema.IDValue(user))
}

// Identities finds where an e-mail address can log in.
func Identities(ctx context.Context, s *store.Store, email string) (all []Identity, err error) {
	if strings.IndexByte(email, 0) >= 0 {
		return nil, nil // no address has one, and a key would leave it out
	}
	type home struct {
		business schema.Value
		user     schema.UUID
	}
	var homes []home
	err = s.InDirectory(ctx, schema.UUID{}, func(d store.Directory) (err error) {
		find := room.SQL("SELECT i.business_id, i.user_id FROM identity i WHERE i.email_key = ?", room.Text(query.FoldCase(email)))
		homes, err = room.All(d.Query, find, func(r room.Row) home { return home{keyOf(r, 0), room.IDAt(r, 1)} })
		return err
	})
	if err != nil {
		return nil, err
	}
	// Each is asked for by itself: the businesses may lie on several machines, and who cannot reach one can still log in where the
	// others are.
	var failed error
	for _, h := range homes {
		id := Identity{User: h.user}
		err := s.InDirectory(ctx, s.BusinessOf(h.business), func(d store.Directory) (err error) {
			if id.Tenant, err = d.Tenant(h.business); err != nil {
				return err
			}
			find := room.SQL(`
				SELECT b.name, p.hash, p.set_at
				FROM business b
				LEFT JOIN password p ON p.business_id = {business} AND p.user_id = ?
				WHERE b.business_id = {business}`, schema.IDValue(h.user))
			return d.Within(id.Tenant, find, func(r room.Row) error {
				id.BusinessName, id.Password = room.TextAt(r, 0), passwordOf(r, 1)
				return nil
			})
		})
		if err != nil {
			failed = err
			continue
		}
		all = append(all, id)
	}
	slices.SortFunc(all, func(a, b Identity) int {
		x, y := a.Tenant.ID(), b.Tenant.ID()
		return cmp.Or(strings.Compare(a.BusinessName, b.BusinessName), bytes.Compare(x[:], y[:]))
	})
	if len(all) == 0 {
		return nil, failed
	}
	return all, nil
}

// SetPassword keeps the hash of a user's password.
func SetPassword(tx *store.Tx, user schema.UUID, hash string) error {
	return store.Run(tx, `
		INSERT INTO password (business_id, user_id, hash, set_at) VALUES ({business}, ?, ?, ?)
		ON CONFLICT (business_id, user_id) DO UPDATE SET hash = excluded.hash, set_at = excluded.set_at`,
		schema.IDValue(user), room.Text(hash), schema.TimeValue(tx.Now))
}

// ForgetUser forgets what a user can log in with: the address, where it is theirs still, the password, and the other factors.
func ForgetUser(tx *store.Tx, user schema.UUID, email string) error {
	if err := drop(tx, "DELETE FROM identity WHERE business_id = {business} AND email_key = ? AND user_id = ?",
		room.Text(query.FoldCase(email)), schema.IDValue(user)); err != nil {
		return err
	}
	if err := DropFactors(tx, user); err != nil {
		return err
	}
	return drop(tx, "DELETE FROM password WHERE business_id = {business} AND user_id = ?", schema.IDValue(user))
}

// ResaltPassword replaces the hash of a password that stays the same. Where the user has another password by now, it does nothing.
func ResaltPassword(tx *store.Tx, user schema.UUID, old Password, hash string) error {
	return store.Run(tx, "UPDATE password SET hash = ? WHERE business_id = {business} AND user_id = ? AND hash = ?", room.Text(hash),
		schema.IDValue(user), room.Text(old.Hash))
}

// HeldPassword reads a user's password in a transaction. Whoever must rely on it until the transaction ends holds the user.
func HeldPassword(tx *store.Tx, user schema.UUID) (Password, error) { return password(tx.Query, user) }

// FindPassword reads a user's password.
func FindPassword(ctx context.Context, t store.Tenant, user schema.UUID) (Password, error) {
	return password(t.Reader(ctx), user)
}

func password(query room.Reader, user schema.UUID) (Password, error) {
	find := room.SQL("SELECT hash, set_at FROM password WHERE business_id = {business} AND user_id = ?", schema.IDValue(user))
	return room.One(query, find, func(r room.Row) Password { return passwordOf(r, 0) })
}

func passwordOf(r room.Row, at int) Password {
	return Password{Hash: room.TextAt(r, at), SetAt: room.TimeAt(r, at+1)}
}
