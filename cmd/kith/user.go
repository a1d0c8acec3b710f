package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/operator"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

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
	engine, t, err := c.tenant(ctx, *business)
	if err != nil {
		return err
	}
	defer engine.Store().Close()
	hash := ""
	if *password != "" {
		if hash, err = oauth.HashPasswordFor(ctx, engine.Store(), *email, *password); err != nil {
			return err
		}
	}
	id, err := account.CreateUser(ctx, engine, t, account.Person{Email: *email, Name: *name, PasswordHash: hash}, *roleName)
	if err != nil {
		return err
	}
	user := schema.FormatID("user", id)
	return c.print(struct {
		UserID string `json:"user_id"`
	}{user}, user)
}

func userList(ctx context.Context, c *invocation) error {
	roles := map[schema.UUID]string{}
	return c.list(ctx, "user", func(tx *store.Tx) error {
		all, err := tx.Find(&record.KindOf("role").Resource, most)
		for _, role := range all {
			roles[role.ID()] = role.Text(account.Roles.Name)
		}
		return err
	}, func(u *schema.Record) string {
		return fmt.Sprintf("%s  %-9s %-10s %s  %s", schema.FormatID("user", u.ID()), u.Text(account.Users.Status),
			roles[u.Get(account.Users.RoleID).UUID()], u.Text(account.Users.Email), u.Text(account.Users.Name))
	})
}

func userSuspend(ctx context.Context, c *invocation) error  { return c.setStatus(ctx, "suspended") }
func userActivate(ctx context.Context, c *invocation) error { return c.setStatus(ctx, "active") }

// setStatus suspends or activates the user that --user names, by the rules that hold for administrators too.
func (c *invocation) setStatus(ctx context.Context, status string) error {
	business, who := c.userFlags()
	if err := c.parse("business", "user"); err != nil {
		return err
	}
	engine, user, err := c.user(ctx, *business, *who)
	if err != nil {
		return err
	}
	defer engine.Store().Close()
	if err := operator.SetUserStatus(ctx, engine, user.tenant, user.rec.ID(), status); err != nil {
		return err
	}
	id := schema.FormatID("user", user.rec.ID())
	return c.print(struct {
		ID     string `json:"user_id"`
		Status string `json:"status"`
	}{id, status}, user.rec.Text(account.Users.Email)+" is "+status)
}

func userResetLink(ctx context.Context, c *invocation) error {
	business, who := c.userFlags()
	origin := c.text("origin", "http://127.0.0.1:8080", "the address that people reach the server as, which the link begins with", isOrigin)
	if err := c.parse("business", "user"); err != nil {
		return err
	}
	engine, user, err := c.user(ctx, *business, *who)
	if err != nil {
		return err
	}
	defer engine.Store().Close()
	email := user.rec.Text(account.Users.Email)
	if user.rec.Text(account.Users.Status) == "suspended" {
		return fmt.Errorf("%s is suspended; activate them first: kith user activate", email)
	}
	people, err := oauth.NewPeople(ctx, engine, oauth.PeopleOptions{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	ctx, links := oauth.ShowLinks(ctx)
	if err := people.NewLink(ctx, user.tenant, user.rec, store.Actor{}); err != nil {
		return err
	}
	if len(*links) != 1 {
		return fmt.Errorf("no link could be made for %s", email)
	}
	link, life := *origin+(*links)[0], "an hour"
	if user.rec.Text(account.Users.Status) == "invited" {
		life = "seven days"
	}
	return c.print(struct {
		ID    string `json:"user_id"`
		Email string `json:"email"`
		Link  string `json:"link"`
	}{schema.FormatID("user", user.rec.ID()), email, link},
		"With this link "+email+" chooses a password. It works once, within "+life+"; earlier links are void.", link)
}

// userResetFactor lets a user in with the password alone who has lost their second factor.
func userResetFactor(ctx context.Context, c *invocation) error {
	business, who := c.userFlags()
	if err := c.parse("business", "user"); err != nil {
		return err
	}
	engine, user, err := c.user(ctx, *business, *who)
	if err != nil {
		return err
	}
	defer engine.Store().Close()
	people, err := oauth.NewPeople(ctx, engine, oauth.PeopleOptions{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	had, err := people.TakeAwayFactors(ctx, store.Actor{}, user.tenant, user.rec.ID())
	if err != nil {
		return err
	}
	email := user.rec.Text(account.Users.Email)
	told := email + " had no second factor."
	if had {
		told = email + " logs in with the password alone until they set up another second factor. All their log-ins have ended."
	}
	return c.print(struct {
		ID    string `json:"user_id"`
		Email string `json:"email"`
		Had   bool   `json:"had_second_factor"`
	}{schema.FormatID("user", user.rec.ID()), email, had}, told)
}

func (c *invocation) userFlags() (business, who *string) {
	business = c.flags.String("business", "", "the business, business_…")
	who = c.flags.String("user", "", "the user: their e-mail address or id, user_…")
	c.jsonFlag()
	return business, who
}

// member is a user of a business.
type member struct {
	tenant store.Tenant
	rec    *schema.Record
}

// user opens the database and finds a user of a business.
func (c *invocation) user(ctx context.Context, business, who string) (*record.Engine, member, error) {
	engine, t, err := c.tenant(ctx, business)
	if err != nil {
		return nil, member{}, err
	}
	m := member{tenant: t}
	err = t.Write(ctx, store.Actor{}, func(tx *store.Tx) (err error) {
		m.rec, err = findUser(tx, who)
		return err
	})
	if err != nil {
		return nil, m, errors.Join(err, engine.Store().Close())
	}
	return engine, m, nil
}

// forUser makes something that acts as a user of a business.
func (c *invocation) forUser(ctx context.Context, business, who string,
	make func(*record.Engine, *store.Tx, schema.UUID) (*schema.Record, error),
) (rec *schema.Record, err error) {
	engine, t, err := c.tenant(ctx, business)
	if err != nil {
		return nil, err
	}
	defer engine.Store().Close()
	err = t.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
		user, err := findUser(tx, who)
		if err != nil {
			return err
		}
		rec, err = make(engine, tx, user.ID())
		return err
	})
	return rec, err
}

// findUser finds a user of the business by their id or their e-mail address.
func findUser(tx *store.Tx, who string) (*schema.Record, error) {
	users := record.KindOf("user")
	match := store.Equal(account.Users.Email, schema.TextValue(schema.Text, who))
	if id, err := schema.ParseID("user", who); err == nil {
		match = store.Equal(account.Users.ID, schema.IDValue(id))
	}
	found, err := tx.Find(&users.Resource, 1, match)
	if err == nil && len(found) == 0 {
		err = problem.New(problem.NotFound, "the business has no user %s", who)
	}
	if err != nil {
		return nil, err
	}
	return found[0], nil
}
