package store

import (
	"context"
	"strings"
	"time"

	"kith/internal/schema"
)

// Token is a personal access token as it is kept: without its secret, of which only the hash is stored.
type Token struct {
	ID, UserID           schema.UUID
	Name, Hint           string
	Scopes               []string
	CreatedAt            time.Time
	ExpiresAt, RevokedAt time.Time // zero where absent
}

const tokenColumns = "id, user_id, name, scopes, hint, created_at, expires_at, revoked_at"

func scanToken(r row) Token {
	instant := func(column int) time.Time {
		if v := r.value(column, schema.Time); v.Set {
			return v.Time()
		}
		return time.Time{}
	}
	return Token{
		ID: r.value(0, schema.ID).UUID(), UserID: r.value(1, schema.ID).UUID(), Name: strings.Clone(r.value(2, schema.Text).S),
		Scopes: strings.Fields(strings.Clone(r.value(3, schema.Text).S)), Hint: strings.Clone(r.value(4, schema.Text).S),
		CreatedAt: instant(5), ExpiresAt: instant(6), RevokedAt: instant(7),
	}
}

// InsertToken keeps a token and the hash of its secret.
func (tx *Tx) InsertToken(t Token, hash [32]byte) error {
	optional := func(t time.Time) schema.Value {
		if t.IsZero() {
			return schema.Absent(schema.Time)
		}
		return schema.TimeValue(t)
	}
	b := newBuilder(tx.s.engine, tx.key)
	marks := []string{b.tenantMark()}
	for _, v := range []schema.Value{
		schema.IDValue(t.ID), schema.IDValue(t.UserID), {Kind: schema.Text, Set: true, S: t.Name}, {Kind: schema.Text, Set: true, S: strings.Join(t.Scopes, " ")},
		{Kind: schema.Text, Set: true, S: t.Hint}, schema.TimeValue(t.CreatedAt), optional(t.ExpiresAt), optional(t.RevokedAt),
	} {
		marks = append(marks, b.arg(v))
	}
	if _, err := tx.c.exec(tx.ctx, "INSERT INTO token (business_id, "+tokenColumns+") VALUES ("+strings.Join(marks, ", ")+")", b.args); err != nil {
		return err
	}
	b = newBuilder(tx.s.engine, tx.key)
	sql := "INSERT INTO credential (business_id, token_id, hash) VALUES (" + b.tenantMark() + ", " + b.arg(schema.IDValue(t.ID)) + ", " + b.arg(schema.Value{Kind: kindBytes, Set: true, S: string(hash[:])}) + ")"
	_, err := tx.c.exec(tx.ctx, sql, b.args)
	return err
}

// RevokeToken ends a token at once and forgets its hash. It reports whether there was such a token.
func (tx *Tx) RevokeToken(id schema.UUID) (bool, error) {
	b := newBuilder(tx.s.engine, tx.key)
	mark, now := b.arg(schema.IDValue(id)), b.arg(schema.TimeValue(tx.Now))
	n, err := tx.c.exec(tx.ctx, "UPDATE token SET revoked_at = coalesce(revoked_at, "+now+") WHERE business_id = "+b.tenantMark()+" AND id = "+mark, b.args)
	if err != nil || n == 0 {
		return false, err
	}
	b = newBuilder(tx.s.engine, tx.key)
	_, err = tx.c.exec(tx.ctx, "DELETE FROM credential WHERE business_id = "+b.tenantMark()+" AND token_id = "+b.arg(schema.IDValue(id)), b.args)
	return true, err
}

// Tokens lists the tokens of a business, oldest first.
func (t Tenant) Tokens(ctx context.Context) ([]Token, error) {
	var all []Token
	err := t.s.engine.read(ctx, func(c conn) error {
		b := newBuilder(t.s.engine, t.key)
		return c.query(ctx, "SELECT "+tokenColumns+" FROM token WHERE business_id = "+b.tenantMark()+" ORDER BY id", b.args, func(r row) error {
			all = append(all, scanToken(r))
			return nil
		})
	})
	return all, err
}

// Holder is all that a request needs to know of who makes it.
type Holder struct {
	Tenant Tenant
	Token  Token
	User   *schema.Record
	Role   *schema.Record
}

// Holder finds the token with a hash, its user and the user's role, or ErrNotFound.
func (s *Store) Holder(ctx context.Context, hash [32]byte) (*Holder, error) {
	h := &Holder{Tenant: Tenant{s: s}}
	err := s.engine.read(ctx, func(c conn) error {
		sql := "SELECT b.id, c.business_id, c.token_id FROM credential c JOIN business b ON b.business_id = c.business_id WHERE c.hash = " + s.engine.mark(1)
		err := c.query(ctx, sql, []schema.Value{{Kind: kindBytes, Set: true, S: string(hash[:])}}, func(r row) error {
			h.Tenant.id = r.value(0, schema.ID).UUID()
			h.Tenant.key = s.engine.tenantKey(h.Tenant.id, r.value(1, kindTenant).N)
			h.Token.ID = r.value(2, schema.ID).UUID()
			return nil
		})
		if err != nil {
			return err
		}
		if !h.Tenant.key.Set {
			return ErrNotFound
		}
		b := newBuilder(s.engine, h.Tenant.key)
		err = c.query(ctx, "SELECT "+tokenColumns+" FROM token WHERE business_id = "+b.tenantMark()+" AND id = "+b.arg(schema.IDValue(h.Token.ID)), b.args, func(r row) error {
			h.Token = scanToken(r)
			return nil
		})
		if err != nil {
			return err
		}
		if h.User, err = h.Tenant.get(ctx, c, s.reg.Resource("user"), h.Token.UserID, false, ""); err != nil {
			return err
		}
		h.Role, err = h.Tenant.get(ctx, c, s.reg.Resource("role"), h.User.Get("role_id").UUID(), false, "")
		return err
	})
	return h, err
}

// SetPassword keeps the hash of a user's password.
func (tx *Tx) SetPassword(user schema.UUID, hash string) error {
	b := newBuilder(tx.s.engine, tx.key)
	sql := "INSERT INTO password (business_id, user_id, hash, set_at) VALUES (" + b.tenantMark() + ", " + b.arg(schema.IDValue(user)) + ", " + b.arg(schema.TextValue(schema.Text, hash)) + ", " + b.arg(schema.TimeValue(tx.Now)) +
		") ON CONFLICT (business_id, user_id) DO UPDATE SET hash = excluded.hash, set_at = excluded.set_at"
	_, err := tx.c.exec(tx.ctx, sql, b.args)
	return err
}
