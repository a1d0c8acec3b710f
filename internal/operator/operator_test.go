package operator_test

import (
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/operator"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/testworld"
)

// What the operator does is held to the rules that hold for everybody, and done once.
func TestOperator(t *testing.T) {
	e := testworld.Engine(t, testworld.Open(t, testworld.Database(t, "sqlite")))
	ada := account.Person{Email: "ada@harbour.example", Name: "Ada", PasswordHash: testworld.PasswordHash()}
	who, err := operator.SetUp(t.Context(), e, "Harbour", "EUR", ada)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string, code problem.Code, err error) {
		t.Helper()
		if p := problem.As(err); p == nil || p.Code != code {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err = operator.SetUp(t.Context(), e, "Elsewhere", "EUR", ada)
	refused("a second set-up", problem.Conflict, err)

	var token *schema.Record
	mint := func(scopes ...string) error {
		return who.Tenant.Write(t.Context(), store.Actor{}, func(tx *store.Tx) (err error) {
			token, err = operator.MintToken(e, tx, who.User, "", scopes, time.Time{})
			return err
		})
	}
	refused("a token with a scope that there is not", problem.ValidationFailed, mint("contact.fly"))
	if err := mint("contact.read"); err != nil || token.Once == nil {
		t.Fatalf("%v, %v", token, err)
	}
	for _, there := range []bool{true, false} {
		if found, err := operator.RevokeToken(t.Context(), e, who.Tenant, token.ID()); found != there || err != nil {
			t.Errorf("revoked %v, want %v: %v", found, there, err)
		}
	}

	ben := testworld.User(t, e, who.Tenant, account.Person{Email: "ben@harbour.example", Name: "Ben"}, "member")
	if err := operator.SetUserStatus(t.Context(), e, who.Tenant, ben, "suspended"); err != nil {
		t.Error(err)
	}
	rec, err := who.Tenant.Get(t.Context(), &account.User.Resource, ben, false)
	if err != nil || !account.Suspended(rec) {
		t.Errorf("%v, %v", rec, err)
	}
	if err := operator.SetUserStatus(t.Context(), e, who.Tenant, who.User, "suspended"); problem.As(err) == nil {
		t.Errorf("the last administrator is suspended: %v", err)
	}
}
