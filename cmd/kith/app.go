package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/operator"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

func appCreate(ctx context.Context, c *invocation) error {
	who := c.flags.String("user", "", "the user that the app acts as: their e-mail address or id")
	scopes := c.flags.String("scopes", "", "the most that the app can get, separated by commas; * is all scopes")
	name := c.flags.String("name", "app", "the app's name")
	redirects := c.flags.String("redirect-uris", "",
		"redirect addresses, separated by commas, for an app that people log in to; without them it uses client_credentials")
	rec, err := c.forUser(ctx, who, func(tx *store.Tx, user schema.UUID) (*schema.Record, error) {
		return operator.MakeApp(c.engine, tx, user, *name, splitScopes(*scopes), splitList(*redirects))
	})
	if err != nil {
		return err
	}
	id, secret := rec.Text(account.Apps.ClientID), rec.Once.Value
	return c.print(map[string]string{"client_id": id, "client_secret": secret}, "client_id     "+id,
		"client_secret "+secret+"  (shown only now)")
}

func appList(ctx context.Context, c *invocation) error {
	return c.list(ctx, "app", nil, func(app *schema.Record) string {
		return fmt.Sprintf("%s  %s  %s  %s", schema.FormatID("app", app.ID()), app.Text(account.Apps.ClientID), app.Text(account.Apps.Name),
			strings.Join(body.Strings(app.Get(account.Apps.Scopes)), ","))
	})
}

func appDelete(ctx context.Context, c *invocation) error {
	id := c.flags.String("id", "", "the app: its id, app_…, or its client id, kith_app_…")
	t, err := c.inBusiness(ctx, "id")
	if err != nil {
		return err
	}
	kind := record.KindOf("app")
	match := store.Equal(account.Apps.ClientID, schema.TextValue(schema.Text, *id))
	if uuid, err := schema.ParseID("app", *id); err == nil {
		match = store.Equal(account.Apps.ID, schema.IDValue(uuid))
	}
	var found []*schema.Record
	err = t.Write(ctx, store.Actor{}, func(tx *store.Tx) (err error) {
		found, err = tx.Find(&kind.Resource, 1, match)
		return err
	})
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("the business has no app %s", *id)
	}
	if err != nil {
		return err
	}
	app := schema.FormatID("app", found[0].ID())
	if err := operator.DeleteApp(ctx, c.engine, t, found[0].ID()); err != nil {
		return err
	}
	return c.print(map[string]any{"id": app, "deleted": true}, "deleted "+app+" "+found[0].Text(account.Apps.Name))
}
