package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/operator"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// most is how many records of the few that settings are a command lists.
const most = 100_000

func tokenCreate(ctx context.Context, c *invocation) error {
	business := c.flags.String("business", "", "the business, business_…")
	who := c.flags.String("user", "", "the user that the token acts as: their e-mail address or id")
	scopes := c.flags.String("scopes", "", "the scopes, separated by commas, such as contact.read,deal.all; * is all of them")
	name := c.flags.String("name", "", "what the token is for")
	days := c.number("expires-days", 0, 0, 36_500, "days until the token expires; 0 is never")
	c.jsonFlag()
	if err := c.parse("business", "user", "scopes"); err != nil {
		return err
	}
	expires := time.Time{}
	if *days > 0 {
		expires = time.Now().AddDate(0, 0, *days)
	}
	rec, err := c.forUser(ctx, *business, *who, func(e *record.Engine, tx *store.Tx, user schema.UUID) (*schema.Record, error) {
		return operator.MintToken(e, tx, user, *name, splitScopes(*scopes), expires)
	})
	if err != nil {
		return err
	}
	id, secret := schema.FormatID("token", rec.ID()), rec.Once.Value
	return c.print(struct {
		ID    string `json:"id"`
		Token string `json:"token"`
	}{id, secret}, "id    "+id, "token "+secret+"  (shown only now)")
}

func tokenList(ctx context.Context, c *invocation) error {
	return c.list(ctx, "token", nil, func(tok *schema.Record) string {
		state := "valid"
		if at := tok.Get(account.Tokens.ExpiresAt); at.Set && time.Now().After(at.Time()) {
			state = "expired"
		}
		return fmt.Sprintf("%s  %-8s %s…  %s  %s", schema.FormatID("token", tok.ID()), state, tok.Text(account.Tokens.Hint),
			tok.Text(account.Tokens.Name), strings.Join(body.Strings(tok.Get(account.Tokens.Scopes)), ","))
	})
}

func tokenRevoke(ctx context.Context, c *invocation) error {
	business := c.flags.String("business", "", "the business, business_…")
	id := c.flags.String("id", "", "the token's id, token_…")
	c.jsonFlag()
	if err := c.parse("business", "id"); err != nil {
		return err
	}
	uuid, err := schema.ParseID("token", *id)
	if err != nil {
		return c.misused("--id must be an id that starts with token_, not %q", *id)
	}
	engine, t, err := c.tenant(ctx, *business)
	if err != nil {
		return err
	}
	defer engine.Store().Close()
	found, err := operator.RevokeToken(ctx, engine, t, uuid)
	if err == nil && !found {
		err = fmt.Errorf("the business has no token %s", *id)
	}
	if err != nil {
		return err
	}
	return c.print(struct {
		ID      string `json:"id"`
		Revoked bool   `json:"revoked"`
	}{*id, true}, "revoked "+*id)
}

// list prints the records of a kind that the business of --business has, one in a line. also reads in the same transaction what the
// lines need beside them.
func (c *invocation) list(ctx context.Context, kind string, also func(*store.Tx) error, line func(*schema.Record) string) error {
	business := c.flags.String("business", "", "the business, business_…")
	c.jsonFlag()
	if err := c.parse("business"); err != nil {
		return err
	}
	engine, t, err := c.tenant(ctx, *business)
	if err != nil {
		return err
	}
	defer engine.Store().Close()
	var all []*schema.Record
	err = t.Write(ctx, store.Actor{}, func(tx *store.Tx) (err error) {
		if all, err = tx.Find(&record.KindOf(kind).Resource, most); err != nil || also == nil {
			return err
		}
		return also(tx)
	})
	if err != nil {
		return err
	}
	rows, lines := []json.RawMessage{}, []string{}
	for _, rec := range all {
		rows, lines = append(rows, record.Render(nil, rec)), append(lines, line(rec))
	}
	return c.print(rows, lines...)
}

func splitList(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

func splitScopes(list string) []string {
	if list == "*" {
		return record.Scopes()
	}
	return splitList(list)
}
