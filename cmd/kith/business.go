package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/operator"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

func businessCreate(ctx context.Context, c *invocation) error {
	name := c.flags.String("name", "", "the business's name")
	email := c.flags.String("admin-email", "", "the administrator's e-mail address")
	person := c.flags.String("admin-name", "", "the administrator's name; the e-mail address when not given")
	password := c.flags.String("admin-password", "", "the administrator's password, at least 8 characters")
	currency := c.flags.String("currency", "USD", "the currency of amounts that name none")
	c.jsonFlag()
	if err := c.parse("name", "admin-email", "admin-password"); err != nil {
		return err
	}
	if err := oauth.CheckNewPassword(*password); err != nil { // before a database is made for nothing
		return err
	}
	engine, err := c.openOrMake(ctx)
	if err != nil {
		return err
	}
	hash, err := oauth.HashPasswordFor(ctx, engine.Store(), *email, *password)
	if err != nil {
		return err
	}
	var token string
	who, err := account.CreateBusiness(ctx, engine, *name, *currency, account.Person{Email: *email, Name: *person, PasswordHash: hash},
		func(tx *store.Tx, who *record.Principal) (err error) {
			rec, err := operator.MintToken(engine, tx, who.User, "first token", record.Scopes(), time.Time{})
			if err == nil {
				token = rec.Once.Value
			}
			return err
		})
	if err != nil {
		return err
	}
	business, user := schema.FormatID("business", who.Tenant.ID()), schema.FormatID("user", who.User)
	return c.print(map[string]string{"business_id": business, "user_id": user, "token": token},
		"business "+business, "user     "+user, "token    "+token+"  (shown only now)")
}

func businessList(ctx context.Context, c *invocation) error {
	c.jsonFlag()
	if err := c.parse(); err != nil {
		return err
	}
	engine, err := c.open(ctx)
	if err != nil {
		return err
	}
	all, err := engine.Store().Businesses(ctx)
	if err != nil {
		return err
	}
	type row struct {
		ID        string    `json:"business_id"`
		Name      string    `json:"name"`
		Currency  string    `json:"currency"`
		CreatedAt time.Time `json:"created_at"`
	}
	rows, lines := []row{}, []string{}
	for _, b := range all {
		r := row{schema.FormatID("business", b.ID), b.Name, b.Currency, b.CreatedAt}
		rows, lines = append(rows, r), append(lines, r.ID+"  "+r.Name)
	}
	return c.print(rows, lines...)
}

// inBusiness declares --business and --json, reads the options, and opens the database and the business.
func (c *invocation) inBusiness(ctx context.Context, required ...string) (store.Tenant, error) {
	business := c.flags.String("business", "", "the business, business_…")
	c.jsonFlag()
	if err := c.parse(append([]string{"business"}, required...)...); err != nil {
		return store.Tenant{}, err
	}
	return c.tenant(ctx, *business)
}

// tenant opens the database and the business that --business names.
func (c *invocation) tenant(ctx context.Context, id string) (store.Tenant, error) {
	uuid, err := c.businessID(id)
	if err != nil {
		return store.Tenant{}, err
	}
	engine, err := c.open(ctx)
	if err != nil {
		return store.Tenant{}, err
	}
	t, err := engine.Store().Tenant(ctx, *uuid)
	if errors.Is(err, store.ErrNotFound) {
		err = fmt.Errorf("there is no business %s", id)
	}
	return t, err
}

// tenants opens the database and one business, or all where none is named.
func (c *invocation) tenants(ctx context.Context, id string) (all []store.Tenant, err error) {
	if id != "" {
		t, err := c.tenant(ctx, id)
		return []store.Tenant{t}, err
	}
	engine, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	businesses, err := engine.Store().Businesses(ctx)
	for i := 0; i < len(businesses) && err == nil; i++ {
		var t store.Tenant
		t, err = engine.Store().Tenant(ctx, businesses[i].ID)
		all = append(all, t)
	}
	return all, err
}
