package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"kith/internal/body"
	"kith/internal/crm"
	"kith/internal/oauth"
	"kith/internal/problem"
	"kith/internal/schema"
	"kith/internal/store"
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
	hash, err := oauth.HashPassword(*password)
	if err != nil {
		return err
	}
	engine, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer engine.Store().Close()
	var token string
	who, err := engine.CreateBusiness(ctx, *name, *currency, crm.Person{Email: *email, Name: *person, PasswordHash: hash}, func(tx *store.Tx, who *crm.Principal) (err error) {
		rec, err := engine.MintToken(tx, who.User, "first token", crm.Scopes(), time.Time{})
		if err == nil {
			token = rec.Once[1]
		}
		return err
	})
	if err != nil {
		return err
	}
	business, user := schema.FormatID("business", who.Tenant.ID()), schema.FormatID("user", who.User)
	return c.print(struct {
		BusinessID string `json:"business_id"`
		UserID     string `json:"user_id"`
		Token      string `json:"token"`
	}{business, user, token}, "business "+business, "user     "+user, "token    "+token+"  (shown only now)")
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
	defer engine.Store().Close()
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

// tenant opens the database and the business that --business names.
func (c *invocation) tenant(ctx context.Context, id string) (*crm.Engine, store.Tenant, error) {
	uuid, err := schema.ParseID("business", id)
	if err != nil {
		return nil, store.Tenant{}, c.misused("--business must be an id that starts with business_, not %q", id)
	}
	engine, err := c.open(ctx)
	if err != nil {
		return nil, store.Tenant{}, err
	}
	t, err := engine.Store().Tenant(ctx, uuid)
	if errors.Is(err, store.ErrNotFound) {
		err = fmt.Errorf("there is no business %s", id)
	}
	if err != nil {
		return nil, t, errors.Join(err, engine.Store().Close())
	}
	return engine, t, nil
}

func userCreate(ctx context.Context, c *invocation) error {
	business := c.flags.String("business", "", "the business, business_…")
	email := c.flags.String("email", "", "the user's e-mail address")
	name := c.flags.String("name", "", "the user's name; the e-mail address when not given")
	roleName := c.flags.String("role", "member", "the name of the user's role: admin, manager, member, viewer or one of your own")
	password := c.flags.String("password", "", "the user's password; without one the user is invited")
	c.jsonFlag()
	if err := c.parse("business", "email"); err != nil {
		return err
	}
	hash := ""
	if *password != "" {
		var err error
		if hash, err = oauth.HashPassword(*password); err != nil {
			return err
		}
	}
	engine, t, err := c.tenant(ctx, *business)
	if err != nil {
		return err
	}
	defer engine.Store().Close()
	id, err := engine.CreateUser(ctx, t, crm.Person{Email: *email, Name: *name, PasswordHash: hash}, *roleName)
	if err != nil {
		return err
	}
	user := schema.FormatID("user", id)
	return c.print(struct {
		UserID string `json:"user_id"`
	}{user}, user)
}

func tokenCreate(ctx context.Context, c *invocation) error {
	business := c.flags.String("business", "", "the business, business_…")
	email := c.flags.String("user", "", "the e-mail address of the user that the token acts as")
	scopes := c.flags.String("scopes", "", "the scopes, separated by commas, such as contact.read,deal.all; * is all of them")
	name := c.flags.String("name", "", "what the token is for")
	days := c.flags.Int("expires-days", 0, "days until the token expires; 0 is never")
	c.jsonFlag()
	if err := c.parse("business", "user", "scopes"); err != nil {
		return err
	}
	expires := time.Time{}
	if *days > 0 {
		expires = time.Now().AddDate(0, 0, *days)
	}
	rec, err := c.forUser(ctx, *business, *email, func(e *crm.Engine, tx *store.Tx, user schema.UUID) (*schema.Record, error) {
		return e.MintToken(tx, user, *name, splitScopes(*scopes), expires)
	})
	if err != nil {
		return err
	}
	id, secret := schema.FormatID("token", rec.ID()), rec.Once[1]
	return c.print(struct {
		ID    string `json:"id"`
		Token string `json:"token"`
	}{id, secret}, "id    "+id, "token "+secret+"  (shown only now)")
}

func splitList(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

func splitScopes(list string) []string {
	if list == "*" {
		return crm.Scopes()
	}
	return splitList(list)
}

// forUser makes something that acts as a user of a business, whom their e-mail address names.
func (c *invocation) forUser(ctx context.Context, business, email string, make func(*crm.Engine, *store.Tx, schema.UUID) (*schema.Record, error)) (rec *schema.Record, err error) {
	engine, t, err := c.tenant(ctx, business)
	if err != nil {
		return nil, err
	}
	defer engine.Store().Close()
	err = t.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
		users := crm.KindOf("user")
		found, err := tx.Find(&users.Resource, 1, store.Equal(users.Must("email"), schema.TextValue(schema.Text, email)))
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return problem.New(problem.NotFound, "the business has no user %s", email)
		}
		rec, err = make(engine, tx, found[0].ID())
		return err
	})
	return rec, err
}

func appCreate(ctx context.Context, c *invocation) error {
	business := c.flags.String("business", "", "the business, business_…")
	email := c.flags.String("user", "", "the e-mail address of the user that the app acts as")
	scopes := c.flags.String("scopes", "", "the most that the app can get, separated by commas; * is all scopes")
	name := c.flags.String("name", "app", "the app's name")
	redirects := c.flags.String("redirect-uris", "", "redirect addresses, separated by commas, for an app that people log in to; without them it uses client_credentials")
	c.jsonFlag()
	if err := c.parse("business", "user", "scopes"); err != nil {
		return err
	}
	rec, err := c.forUser(ctx, *business, *email, func(e *crm.Engine, tx *store.Tx, user schema.UUID) (*schema.Record, error) {
		return e.MakeApp(tx, user, *name, splitScopes(*scopes), splitList(*redirects))
	})
	if err != nil {
		return err
	}
	return c.print(struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}{rec.Text("client_id"), rec.Once[1]}, "client_id     "+rec.Text("client_id"), "client_secret "+rec.Once[1]+"  (shown only now)")
}

func tokenList(ctx context.Context, c *invocation) error {
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
	kind := crm.KindOf("token")
	var tokens []*schema.Record
	err = t.Write(ctx, store.Actor{}, func(tx *store.Tx) (err error) {
		tokens, err = tx.Find(&kind.Resource, 100_000)
		return err
	})
	if err != nil {
		return err
	}
	rows, lines := []json.RawMessage{}, []string{}
	for _, tok := range tokens {
		rows = append(rows, crm.Render(nil, tok))
		state := "valid"
		if at := tok.Get("expires_at"); at.Set && time.Now().After(at.Time()) {
			state = "expired"
		}
		lines = append(lines, fmt.Sprintf("%s  %-8s %s…  %s  %s", schema.FormatID("token", tok.ID()), state, tok.Text("hint"), tok.Text("name"), strings.Join(body.Strings(tok.Get("scopes")), ",")))
	}
	return c.print(rows, lines...)
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
	found, err := engine.RevokeToken(ctx, t, uuid)
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

func migrate(ctx context.Context, c *invocation) error {
	status := c.flags.Bool("status", false, "only tell which steps the database has")
	c.jsonFlag()
	if err := c.parse(); err != nil {
		return err
	}
	all, err := c.migrations(ctx, *status)
	if err != nil {
		return err
	}
	type row struct {
		Number  int64  `json:"number"`
		Name    string `json:"name"`
		Applied bool   `json:"applied"`
	}
	rows, lines := []row{}, []string{}
	for _, m := range all {
		state := "pending"
		if m.Applied {
			state = "applied"
		}
		rows = append(rows, row{m.Number, m.Name, m.Applied})
		lines = append(lines, fmt.Sprintf("%04d %-8s %s", m.Number, state, m.Name))
	}
	return c.print(rows, lines...)
}

// migrations gives all steps and which of them the database has, after applying those that it lacks unless only asked.
func (c *invocation) migrations(ctx context.Context, onlyAsk bool) ([]store.Migration, error) {
	if onlyAsk {
		if all, unmade, err := store.Unmade(c.db); unmade {
			return all, err
		}
	}
	s, err := store.Open(ctx, c.db, crm.Registry)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if !onlyAsk {
		if _, err := s.Migrate(ctx); err != nil {
			return nil, err
		}
	}
	return s.Migrations(ctx)
}
