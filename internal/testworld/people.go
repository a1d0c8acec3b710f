package testworld

import (
	"context"
	"log/slog"
	"sync"
	"testing"

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
func Business(tb testing.TB, e *record.Engine, name string, admin record.Person) *record.Principal {
	tb.Helper()
	who, err := e.CreateBusiness(context.Background(), name, "EUR", admin, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return who
}

// User adds a user to a business.
func User(tb testing.TB, e *record.Engine, business store.Tenant, person record.Person, role string) schema.UUID {
	tb.Helper()
	id, err := e.CreateUser(context.Background(), business, person, role)
	if err != nil {
		tb.Fatal(err)
	}
	return id
}

// People are those who log in, where links are logged; the engine tells them whom to send one.
func People(tb testing.TB, e *record.Engine, log *slog.Logger, origin string) *oauth.People {
	tb.Helper()
	people, err := oauth.NewPeople(context.Background(), e, nil, log)
	if err != nil {
		tb.Fatal(err)
	}
	tells := func(send func(context.Context, store.Tenant, schema.UUID, string) error) func(context.Context, store.Tenant, schema.UUID) {
		return func(ctx context.Context, business store.Tenant, user schema.UUID) {
			if err := send(ctx, business, user, origin); err != nil {
				log.Error("link", "error", err)
			}
		}
	}
	people.AllowOwnNetwork() // where the providers of tests are
	e.TryProvider = people.TryProvider
	e.Invited, e.Readdressed = tells(people.Invite), tells(people.AskToConfirm)
	return people
}
