package account

import (
	"errors"
	"slices"
	"time"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
)

// Resume gives who began a job, with what they may do by now: whoever may not act any more, or not by the connection and with the scopes
// that they had, does not go on by a job either.
func Resume(e *record.Engine, tx *store.Tx, a store.Actor, connection schema.UUID, scopes []string) (*record.Principal, error) {
	gone := func(what string) error {
		return problem.New(problem.ForbiddenByRole, "The job was stopped, because %s may not act any more.", what)
	}
	u, err := Acting(tx.Get(&User.Resource, a.User, false))
	if err != nil {
		return nil, err
	}
	if u == nil {
		return nil, gone("the user who began it")
	}
	r, err := tx.Get(&Role.Resource, u.Get(Users.RoleID).UUID(), false)
	if err != nil {
		return nil, err
	}
	who := &record.Principal{
		Tenant: tx.Tenant, User: a.User, Token: a.Token, App: a.App, Client: a.Client, Connection: connection, Scopes: scopes,
		Role: ReadRole(r), Timezone: u.Text(Users.Timezone),
	}
	// A person in the browser had shown one when the job began, to kith or to the identity provider of the business.
	who.LacksFactor = who.Role.SecondFactor && !u.Get(Users.SecondFactorAt).Set && !who.InBrowser()
	switch {
	case a.Token != schema.UUID{}:
		rec, err := tx.Get(&Token.Resource, a.Token, false)
		if errors.Is(err, store.ErrNotFound) || err == nil && expired(rec, tx.Now) {
			return nil, gone("the token by which it was begun")
		}
		if err != nil {
			return nil, err
		}
		who.Scopes = record.Within(who.Scopes, body.Strings(rec.Get(Tokens.Scopes)))
	case a.AppID() != "":
		if a.App != (schema.UUID{}) {
			rec, err := tx.Get(&App.Resource, a.App, false)
			if errors.Is(err, store.ErrNotFound) {
				return nil, gone("the app by which it was begun")
			}
			if err != nil {
				return nil, err
			}
			grants, way := body.Strings(rec.Get(Apps.GrantTypes)), "authorization_code"
			if connection == a.App {
				way = "client_credentials"
			}
			foreign := connection == a.App && rec.Get(Apps.UserID).UUID() != a.User
			if !slices.Contains(grants, way) || foreign { // as with its access tokens
				return nil, gone("the app by which it was begun")
			}
			who.Scopes = record.Within(who.Scopes, body.Strings(rec.Get(Apps.Scopes)))
		}
		if connection != a.App { // which acts on its own otherwise
			held, err := keep.HoldGrant(tx, connection)
			if err != nil {
				return nil, err
			}
			if !held {
				return nil, gone("the app by which it was begun")
			}
		}
	}
	who, _, err = e.Inform(tx, who)
	return who, err
}

func expired(token *schema.Record, now time.Time) bool {
	at := token.Get(Tokens.ExpiresAt)
	return at.Set && !now.Before(at.Time())
}
