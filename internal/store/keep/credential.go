// Package keep has what lets somebody in: the credentials of all secrets, the addresses and passwords by which people log in, their
// sessions, what they granted to apps, and OAuth clients. These are no records: nobody searches them, and they are not in the
// change log.
//
// It works on a store through its transactions (store.Tx) and, where it has yet to be found out who somebody is, through its
// directory (store.Directory).
package keep

import (
	"context"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// Hash is the SHA-256 of a secret; secrets themselves are never stored.
type Hash [32]byte

func (h Hash) value() schema.Value { return schema.Value{Kind: room.Bytes, Set: true, S: string(h[:])} }

// Presented is what a secret is looked up by: its hash and the business that it names, beside which the hash is kept. Secrets that
// were made before they named their business have the zero id.
type Presented struct {
	Hash
	Business schema.UUID
}

// Credential is what is known of a secret that someone can present.
type Credential struct {
	Kind   string
	Tenant store.Tenant
	User   schema.UUID
	// Parent is what the secret belongs to: a personal access token, a session, a grant, an app or, for links, the user.
	Parent    schema.UUID
	Scopes    []string
	CreatedAt time.Time
	ExpiresAt time.Time // zero where it does not expire
	UsedAt    time.Time // zero where it was not used
	// Data is a JSON object with what only this kind needs.
	Data string
	// Shape counts the changes of what the records of the business are, see store.Tx.Shape.
	Shape int64
}

// FindCredential finds a secret, or store.ErrNotFound. Whether it expired or was used is for the caller to judge.
func FindCredential(ctx context.Context, s *store.Store, secret Presented) (found *Credential, err error) {
	err = inDirectory(ctx, s, secret, func(d store.Directory, t store.Tenant) error {
		found, err = credential(d, t, secret)
		return err
	})
	return found, err
}

func credential(d store.Directory, t store.Tenant, secret Presented) (*Credential, error) {
	find := room.SQL(`
		SELECT c.kind, c.user_id, c.parent_id, c.scopes, c.created_at, c.expires_at, c.used_at, c.data, b.shape_seq
		FROM credential c
		JOIN business b ON b.business_id = {business}
		WHERE c.business_id = {business} AND c.hash = ?`, secret.value())
	within := func(st room.Statement, each func(room.Row) error) error { return d.Within(t, st, each) }
	return store.Found(room.Find(within, find, func(r room.Row) Credential {
		text, id, number, at := room.Columns(r)
		return Credential{
			Kind: text(0), Tenant: t, User: id(1), Parent: id(2), Scopes: strings.Fields(text(3)),
			CreatedAt: at(4), ExpiresAt: at(5), UsedAt: at(6), Data: text(7), Shape: number(8),
		}
	}))
}

// inDirectory looks for a secret in its business: the one that it names, or, where it names none, the one that its hash is known to be of.
func inDirectory(ctx context.Context, s *store.Store, secret Presented, fn func(store.Directory, store.Tenant) error) error {
	if secret.Business != (schema.UUID{}) {
		return s.InDirectory(ctx, secret.Business, func(d store.Directory) error {
			t, err := d.Business(secret.Business)
			if err != nil {
				return err
			}
			return fn(d, t)
		})
	}
	var key *schema.Value
	err := s.InDirectory(ctx, schema.UUID{}, func(d store.Directory) (err error) {
		find := room.SQL("SELECT business_id FROM "+d.OldSecrets()+" WHERE hash = ?", secret.value())
		key, err = store.Found(room.Find(d.Query, find, firstKey))
		return err
	})
	if err != nil {
		return err
	}
	return s.InDirectory(ctx, s.BusinessOf(*key), func(d store.Directory) error {
		t, err := d.Tenant(*key)
		if err != nil {
			return err
		}
		return fn(d, t)
	})
}

// Holder finds a secret, its user and the user's role, or store.ErrNotFound.
func Holder(ctx context.Context, s *store.Store, secret Presented) (cred *Credential, user, role *schema.Record, err error) {
	err = inDirectory(ctx, s, secret, func(d store.Directory, t store.Tenant) error {
		if cred, err = credential(d, t, secret); err != nil {
			return err
		}
		user, role, err = d.User(cred.Tenant, cred.User)
		return err
	})
	return cred, user, role, err
}

// PutCredential keeps the hash of a secret.
func PutCredential(tx *store.Tx, hash Hash, c Credential) error {
	return store.Run(tx, `
		INSERT INTO credential (business_id, hash, kind, user_id, parent_id, scopes, created_at, expires_at, used_at, data)
		VALUES ({business}, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		hash.value(), room.Text(c.Kind), schema.IDValue(c.User), schema.IDValue(c.Parent), room.Text(strings.Join(c.Scopes, " ")),
		schema.TimeValue(tx.Now), room.TimeOrNone(c.ExpiresAt), room.TimeOrNone(c.UsedAt), room.DocumentOrNone(c.Data))
}

// UseCredential marks a secret as used. It reports false where it was used before, or is gone: of many who try, one succeeds.
func UseCredential(tx *store.Tx, hash Hash) (bool, error) {
	return store.RunOnce(tx, "UPDATE credential SET used_at = ? WHERE business_id = {business} AND hash = ? AND used_at IS NULL",
		schema.TimeValue(tx.Now), hash.value())
}

// SpendOnce keeps something that must not come again, and reports false where it came before.
func SpendOnce(tx *store.Tx, hash Hash, c Credential) (bool, error) {
	return store.RunOnce(tx, `
		INSERT INTO credential (business_id, hash, kind, user_id, parent_id, created_at, expires_at)
		VALUES ({business}, ?, ?, ?, ?, ?, ?)
		ON CONFLICT DO NOTHING`,
		hash.value(), room.Text(c.Kind), schema.IDValue(c.User), schema.IDValue(c.Parent), schema.TimeValue(tx.Now),
		room.TimeOrNone(c.ExpiresAt))
}

// DropCredential forgets one secret.
func DropCredential(tx *store.Tx, hash Hash) error {
	return drop(tx, "DELETE FROM credential WHERE business_id = {business} AND hash = ?", hash.value())
}

// DropCredentials forgets every secret of a parent.
func DropCredentials(tx *store.Tx, parent schema.UUID) error {
	return drop(tx, "DELETE FROM credential WHERE business_id = {business} AND parent_id = ?", schema.IDValue(parent))
}

// DropSecrets forgets every secret of one kind of a parent.
func DropSecrets(tx *store.Tx, kind string, parent schema.UUID) error {
	return drop(tx, "DELETE FROM credential WHERE business_id = {business} AND parent_id = ? AND kind = ?", schema.IDValue(parent),
		room.Text(kind))
}

// DropUser forgets every secret, session and grant of a user.
func DropUser(tx *store.Tx, user schema.UUID) error {
	// The secrets come last: who issues one holds its grant, so that none can come after.
	for _, table := range []string{"session", "access_grant", "credential"} {
		if err := drop(tx, "DELETE FROM "+table+" WHERE business_id = {business} AND user_id = ?", schema.IDValue(user)); err != nil {
			return err
		}
	}
	return nil
}

// Seen notes that a token, session, grant or user was in use. It is bookkeeping: no version is raised and nothing is logged.
func Seen(ctx context.Context, t store.Tenant, what string, id schema.UUID, at time.Time) error {
	columns := map[string]string{"tokens": "last_used_at", "users": "last_active_at", "session": "seen_at", "access_grant": "used_at"}
	return t.Keep(ctx, store.Actor{}, func(tx *store.Tx) error {
		return store.Run(tx, "UPDATE "+what+" SET "+columns[what]+" = ? WHERE business_id = {business} AND id = ?", schema.TimeValue(at),
			schema.IDValue(id))
	})
}

// Purge removes secrets that expired a while ago, sessions and grants that have none left, and registered clients that nobody used.
func Purge(ctx context.Context, s *store.Store, expiredBefore, unusedBefore time.Time) error {
	return s.Outside(ctx, func(o store.Outside) error {
		for _, step := range []struct {
			sql    string
			before time.Time
		}{
			{"DELETE FROM credential WHERE expires_at IS NOT NULL AND expires_at < ?", expiredBefore},
			{"DELETE FROM old_secret WHERE expires_at IS NOT NULL AND expires_at < ?", expiredBefore},
			{`DELETE FROM session WHERE created_at < ? AND NOT EXISTS (SELECT 1 FROM credential c
				WHERE c.business_id = session.business_id AND c.parent_id = session.id)`, expiredBefore},
			{`DELETE FROM access_grant WHERE created_at < ? AND NOT EXISTS (SELECT 1 FROM credential c
				WHERE c.business_id = access_grant.business_id AND c.parent_id = access_grant.id)`, expiredBefore},
			{"DELETE FROM client WHERE app_id IS NULL AND used_at IS NULL AND created_at < ?", unusedBefore},
			{"DELETE FROM attempt WHERE full_at < ?", time.Now()}, // who has everything back is like one who never came
		} {
			if _, err := o.Exec(room.SQL(step.sql, schema.TimeValue(step.before))); err != nil {
				return err
			}
		}
		return nil
	})
}

// outside runs a statement that is held to no business, in a transaction of its own.
func outside(ctx context.Context, s *store.Store, sql string, args ...schema.Value) error {
	return s.Outside(ctx, func(o store.Outside) error {
		_, err := o.Exec(room.SQL(sql, args...))
		return err
	})
}

// drop runs a statement by which someone may lose what they may do.
func drop(tx *store.Tx, sql string, args ...schema.Value) error {
	tx.ChangeRights()
	return store.Run(tx, sql, args...)
}

func document(json string) schema.Value {
	return schema.Value{Kind: schema.Document, Set: true, S: json}
}

// keyOf reads the key of a business.
func keyOf(r room.Row, column int) schema.Value { return r.Value(column, room.Business) }

// firstKey and firstTime read the first column.
func firstKey(r room.Row) schema.Value { return keyOf(r, 0) }
func firstTime(r room.Row) time.Time   { return room.TimeAt(r, 0) }
