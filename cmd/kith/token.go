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
	who := c.flags.String("user", "", "the user that the token acts as: their e-mail address or id")
	scopes := c.flags.String("scopes", "", "the scopes, separated by commas, such as contact.read,deal.all; * is all of them")
	name := c.flags.String("name", "", "what the token is for")
	days := c.number("expires-days", 0, 0, 36_500, "days until the token expires; 0 is never")
	rec, err := c.forUser(ctx, who, func(tx *store.Tx, user schema.UUID) (*schema.Record, error) {
		expires := time.Time{}
		if *days > 0 {
			expires = time.Now().AddDate(0, 0, *days)
		}
		return operator.MintToken(c.engine, tx, user, *name, splitScopes(*scopes), expires)
	})
	if err != nil {
		return err
	}
	id, secret := schema.FormatID("token", rec.ID()), rec.Once.Value
	return c.print(map[string]string{"id": id, "token": secret}, "id    "+id, "token "+secret+"  (shown only now)")
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
	var uuid schema.UUID
	id := c.text("id", "", "the token's id, token_…", orEmpty(func(text string) (wrong string) {
		var err error
		if uuid, err = schema.ParseID("token", text); err != nil {
			wrong = "must be an id that starts with token_"
		}
		return wrong
	}))
	t, err := c.inBusiness(ctx, "id")
	if err != nil {
		return err
	}
	found, err := operator.RevokeToken(ctx, c.engine, t, uuid)
	if err == nil && !found {
		err = fmt.Errorf("the business has no token %s", *id)
	}
	if err != nil {
		return err
	}
	return c.print(map[string]any{"id": *id, "revoked": true}, "revoked "+*id)
}

// list prints the records of a kind that the business of --business has, one in a line. also reads in the same transaction what the
// lines need beside them.
func (c *invocation) list(ctx context.Context, kind string, also func(*store.Tx) error, line func(*schema.Record) string) error {
	t, err := c.inBusiness(ctx)
	if err != nil {
		return err
	}
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
