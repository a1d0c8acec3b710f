// Package demo makes businesses to try kith on: one with believable, linked records of every kind, and any number of others with as many
// contacts as wanted. The data is the same every time; only its dates follow the day.
package demo

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/operator"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
)

// The demo business and the log-in of its administrator. The password is no secret: the business is there to be played with.
const (
	Name     = "Lindqvist Coffee Supply"
	Email    = "demo@kith.example"
	Password = "kith-demo-2026"
)

// Account is what one needs to use the demo business.
type Account struct {
	BusinessID string `json:"business_id"`
	Email      string `json:"email"`
	Password   string `json:"password"`
	Token      string `json:"token"`
}

// errTaken undoes a business that somebody else made in the meantime.
var errTaken = errors.New("the demo business is there already")

// Make makes the demo business where it is not there yet, and in any case a fresh token for its administrator, in place of the one
// before. It tells whether the business is new.
func Make(ctx context.Context, e *record.Engine, now time.Time) (Account, bool, error) {
	hash, err := oauth.HashPassword(Password)
	if err != nil {
		return Account{}, false, err
	}
	tenant, err := find(ctx, e, 1)
	created := false
	if errors.Is(err, store.ErrNotFound) {
		tenant, created, err = create(ctx, e, 1, Name, "EUR", yearsBefore(now, 1),
			account.Person{Email: Email, Name: "Alex Lindqvist", PasswordHash: hash},
			func(tx *store.Tx, who *record.Principal) error { return tell(ctx, e, tx, who, hash, now) })
	}
	if err != nil {
		return Account{}, false, err
	}
	token, err := logIn(ctx, e, tenant, hash)
	return Account{BusinessID: schema.FormatID("business", tenant.ID()), Email: Email, Password: Password, Token: token}, created, err
}

// logIn makes what is printed true: the administrator's password is the documented one, and the token is new.
func logIn(ctx context.Context, e *record.Engine, t store.Tenant, hash string) (token string, err error) {
	users := record.KindOf("user")
	err = t.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
		found, err := tx.Find(&users.Resource, 1, store.Equal(account.Users.Email, schema.TextValue(schema.Text, Email)))
		if err != nil {
			return err
		}
		if len(found) == 0 || account.Suspended(found[0]) {
			return fmt.Errorf("the demo business has no active user %s any more; use another database, or give the user back", Email)
		}
		if err := keep.SetPassword(tx, found[0].ID(), hash); err != nil {
			return err
		}
		if err := endTokens(ctx, e, tx, found[0].ID()); err != nil {
			return err
		}
		rec, err := operator.MintToken(e, tx, found[0].ID(), tokenName, record.Scopes(), time.Time{})
		if err == nil {
			token = rec.Once.Value
		}
		return err
	})
	return token, err
}

// tokenName is what the demo calls the token that it makes.
const tokenName = "kith demo"

// endTokens ends the tokens that were made for the demo before: each may do everything, and nobody remembers where they were pasted.
func endTokens(ctx context.Context, e *record.Engine, tx *store.Tx, user schema.UUID) error {
	tokens := record.KindOf("token")
	before, err := tx.Find(&tokens.Resource, 100_000, store.Equal(account.Tokens.UserID, schema.IDValue(user)))
	if err != nil {
		return err
	}
	for _, t := range before {
		if t.Text(account.Tokens.Name) != tokenName {
			continue
		}
		if err := operator.EndToken(ctx, e, tx, t.ID()); err != nil {
			return err
		}
	}
	return nil
}

// claimName is under which name the database keeps which business is the demo's n-th.
func claimName(n int) string { return "demo." + strconv.Itoa(n) }

// find gives the demo's n-th business, or store.ErrNotFound.
func find(ctx context.Context, e *record.Engine, n int) (store.Tenant, error) {
	id, err := e.Store().Claimed(ctx, claimName(n))
	if err != nil {
		return store.Tenant{}, err
	}
	return e.Store().Tenant(ctx, schema.UUID(id))
}

// create makes the demo's n-th business with what fill adds, all or nothing. When two do that at once, one business is made and
// both get it.
func create(ctx context.Context, e *record.Engine, n int, name, currency string, since time.Time, admin account.Person,
	fill func(*store.Tx, *record.Principal) error,
) (store.Tenant, bool, error) {
	_, err := account.CreateBusinessSince(ctx, e, since, name, currency, admin, func(tx *store.Tx, who *record.Principal) error {
		id := tx.ID()
		free, err := tx.Outside().Claim(claimName(n), id[:])
		if err != nil {
			return err
		}
		if !free {
			return errTaken
		}
		return fill(tx, who)
	})
	if err != nil && !errors.Is(err, errTaken) {
		return store.Tenant{}, false, err
	}
	tenant, found := find(ctx, e, n)
	return tenant, err == nil, found
}

// yearsBefore is the morning of a day some years ago.
func yearsBefore(now time.Time, years int) time.Time {
	return midnight(now).AddDate(-years, 0, 0).Add(8 * time.Hour)
}

func midnight(t time.Time) time.Time {
	return t.UTC().Truncate(24 * time.Hour)
}
