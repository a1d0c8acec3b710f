// Package operator is what whoever runs the server does to its businesses, by the command line or at set-up: it makes tokens and apps and
// ends them, and suspends people, by the rules that hold for everybody.
package operator

import (
	"context"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// SetUp makes the first business. Where one is there already, or another set-up is quicker, it is refused.
func SetUp(ctx context.Context, e *record.Engine, name, currency string, admin account.Person) (*record.Principal, error) {
	return account.CreateBusiness(ctx, e, name, currency, admin, func(tx *store.Tx, _ *record.Principal) error {
		alone, err := tx.Outside().OnlyBusiness()
		if err == nil && !alone {
			err = problem.New(problem.Conflict, "This server is set up already.")
		}
		return err
	})
}

// MintToken makes a personal access token for a user in the operator's name. Its secret is in Once.
func MintToken(e *record.Engine, tx *store.Tx, as schema.UUID, name string, scopes []string, expires time.Time) (*schema.Record, error) {
	if err := record.CheckScopes(scopes); err != nil {
		return nil, err
	}
	if name == "" {
		name = "token"
	}
	text := schema.AppendString([]byte(`{"name":`), name)
	text = account.AppendStrings(append(text, `,"scopes":`...), scopes)
	if !expires.IsZero() {
		text = append(schema.AppendTime(append(text, `,"expires_at":"`...), expires.UTC()), '"')
	}
	return e.Add(tx, account.SystemPrincipal(tx.Tenant, as), account.Token, string(append(text, '}')))
}

// MakeApp makes an app of the business that acts as a user, in the operator's name. Its secret is in Once.
func MakeApp(e *record.Engine, tx *store.Tx, as schema.UUID, name string, scopes, redirects []string) (*schema.Record, error) {
	if err := record.CheckScopes(scopes); err != nil {
		return nil, err
	}
	text := schema.AppendString([]byte(`{"name":`), name)
	text = account.AppendStrings(append(text, `,"scopes":`...), scopes)
	text = account.AppendStrings(append(text, `,"redirect_uris":`...), redirects)
	text = append(text, `,"user_id":"`+schema.FormatID("user", as)+`"}`...)
	return e.Add(tx, account.SystemPrincipal(tx.Tenant, as), account.App, string(text))
}

// RevokeToken ends a personal access token in the operator's name, and reports whether there was one.
func RevokeToken(ctx context.Context, e *record.Engine, t store.Tenant, id schema.UUID) (bool, error) {
	err := do(ctx, e, t, nil, account.Token, record.Remove, id, nil)
	if p := problem.As(err); p != nil && p.Code == problem.NotFound {
		return false, nil
	}
	return err == nil, err
}

// EndToken ends a personal access token inside a transaction of the operator's.
func EndToken(ctx context.Context, e *record.Engine, tx *store.Tx, id schema.UUID) error {
	return do(ctx, e, tx.Tenant, tx, account.Token, record.Remove, id, nil)
}

// SetUserStatus suspends or activates a user in the operator's name, by the rules that hold for everybody.
func SetUserStatus(ctx context.Context, e *record.Engine, t store.Tenant, id schema.UUID, status string) error {
	n, err := body.Parse(append(schema.AppendString([]byte(`{"status":`), status), '}'))
	if err != nil {
		return err
	}
	return do(ctx, e, t, nil, account.User, record.Update, id, n)
}

// DeleteApp deletes an app of the business in the operator's name, with all that was given to it.
func DeleteApp(ctx context.Context, e *record.Engine, t store.Tenant, id schema.UUID) error {
	return do(ctx, e, t, nil, account.App, record.Remove, id, nil)
}

// do does an operation on one record in the operator's name, in a transaction or in one of its own.
func do(
	ctx context.Context, e *record.Engine, t store.Tenant, tx *store.Tx, k *record.Kind, name string, id schema.UUID, n *body.Node,
) error {
	_, err := e.Do(ctx, record.Call{Principal: account.SystemPrincipal(t, schema.UUID{}), Tx: tx},
		record.Operation{Kind: k, Name: name, ID: schema.FormatID(k.Name, id), Body: n})
	return err
}

// Acting gives who acts in a business for its operator, in the name of a user or of nobody, with the resources as the business has them.
func Acting(ctx context.Context, e *record.Engine, t store.Tenant, as schema.UUID) (who *record.Principal, err error) {
	err = t.Rehearse(ctx, store.Actor{}, func(tx *store.Tx) error {
		who, _, err = e.Inform(tx, account.SystemPrincipal(t, as))
		return err
	})
	return who, err
}
