package testworld

import (
	"context"
	"log/slog"
	"sync"
	"testing"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// Password is everyone's who has PasswordHash.
const Password = "quiet lake under snow"

// PasswordHash is made once, because hashing is slow on purpose.
var PasswordHash = sync.OnceValue(func() string {
	hash, err := oauth.HashPassword(Password)
	if err != nil {
		panic(err)
	}
	return hash
})

// Business makes a business, and gives its administrator.
func Business(tb testing.TB, e *record.Engine, name string, admin account.Person) *record.Principal {
	tb.Helper()
	who, err := account.CreateBusiness(context.Background(), e, name, "EUR", admin, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return who
}

// User adds a user to a business.
func User(tb testing.TB, e *record.Engine, business store.Tenant, person account.Person, role string) schema.UUID {
	tb.Helper()
	id, err := account.CreateUser(context.Background(), e, business, person, role)
	if err != nil {
		tb.Fatal(err)
	}
	return id
}

// People are those who log in, where links are logged; the engine tells them whom to send one.
func People(tb testing.TB, e *record.Engine, log *slog.Logger, origin string) *oauth.People {
	tb.Helper()
	// The providers of tests are in the own network.
	people, err := oauth.NewPeople(context.Background(), e, oauth.PeopleOptions{Log: log, Origin: origin, OwnNetwork: true})
	if err != nil {
		tb.Fatal(err)
	}
	e.Accounts = people
	return people
}
