package main

import (
	"context"
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
	email := c.flags.String("email", "", "the user's e-mail address")
	name := c.flags.String("name", "", "the user's name; the e-mail address when not given")
	roleName := c.flags.String("role", "member", "the name of the user's role: admin, manager, member, viewer or one of your own")
	password := c.flags.String("password", "", "the user's password; without one the user is invited")
	t, err := c.inBusiness(ctx, "email")
	if err != nil {
		return err
	}
	hash := ""
	if *password != "" {
		if hash, err = oauth.HashPasswordFor(ctx, c.engine.Store(), *email, *password); err != nil {
			return err
		}
	}
	id, err := account.CreateUser(ctx, c.engine, t, account.Person{Email: *email, Name: *name, PasswordHash: hash}, *roleName)
	if err != nil {
		return err
	}
	user := schema.FormatID("user", id)
	return c.print(map[string]string{"user_id": user}, user)
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
	user, err := c.givenUser(ctx)
	if err != nil {
		return err
	}
	if err := operator.SetUserStatus(ctx, c.engine, user.tenant, user.rec.ID(), status); err != nil {
		return err
	}
	id := schema.FormatID("user", user.rec.ID())
	return c.print(map[string]string{"user_id": id, "status": status}, user.rec.Text(account.Users.Email)+" is "+status)
}

func userResetLink(ctx context.Context, c *invocation) error {
	origin := c.text("origin", "http://127.0.0.1:8080", "the address that people reach the server as, which the link begins with", isOrigin)
	user, err := c.givenUser(ctx)
	if err != nil {
		return err
	}
	email := user.rec.Text(account.Users.Email)
	if user.rec.Text(account.Users.Status) == "suspended" {
		return fmt.Errorf("%s is suspended; activate them first: kith user activate", email)
	}
	people, err := oauth.NewPeople(ctx, c.engine, oauth.PeopleOptions{Log: slog.New(slog.DiscardHandler)})
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
	return c.print(map[string]string{"user_id": schema.FormatID("user", user.rec.ID()), "email": email, "link": link},
		"With this link "+email+" chooses a password. It works once, within "+life+"; earlier links are void.", link)
}

// userResetFactor lets a user in with the password alone who has lost their second factor.
func userResetFactor(ctx context.Context, c *invocation) error {
	user, err := c.givenUser(ctx)
	if err != nil {
		return err
	}
	people, err := oauth.NewPeople(ctx, c.engine, oauth.PeopleOptions{Log: slog.New(slog.DiscardHandler)})
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
	return c.print(map[string]any{"user_id": schema.FormatID("user", user.rec.ID()), "email": email, "had_second_factor": had}, told)
}

func (c *invocation) userFlag() *string {
	return c.flags.String("user", "", "the user: their e-mail address or id, user_…")
}

// givenUser declares --business, --user and --json, reads the options, opens the database and finds the user.
func (c *invocation) givenUser(ctx context.Context) (member, error) {
	who := c.userFlag()
	t, err := c.inBusiness(ctx, "user")
	if err != nil {
		return member{}, err
	}
	return c.user(ctx, t, *who)
}

// member is a user of a business.
type member struct {
	tenant store.Tenant
	rec    *schema.Record
}

// user finds a user of a business.
func (c *invocation) user(ctx context.Context, t store.Tenant, who string) (member, error) {
	m := member{tenant: t}
	err := t.Write(ctx, store.Actor{}, func(tx *store.Tx) (err error) {
		m.rec, err = findUser(tx, who)
		return err
	})
	return m, err
}

// forUser declares --business and --json beside --user and --scopes, reads the options, and makes something that acts as the user.
func (c *invocation) forUser(ctx context.Context, who *string, make func(*store.Tx, schema.UUID) (*schema.Record, error),
) (rec *schema.Record, err error) {
	t, err := c.inBusiness(ctx, "user", "scopes")
	if err != nil {
		return nil, err
	}
	err = t.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
		user, err := findUser(tx, *who)
		if err != nil {
			return err
		}
		rec, err = make(tx, user.ID())
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
