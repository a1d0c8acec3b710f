package storetest

import (
	"testing"

	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
)

// testLogins holds what a business says of its identity provider to the business: one domain can be of several, and nobody touches
// another's.
func testLogins(t *testing.T, s *store.Store) {
	b, other := Business(t, s), Business(t, s)
	set := func(tenant store.Tenant, secret string, domains ...string) {
		t.Helper()
		write(t, tenant, func(tx *store.Tx) error {
			if err := keep.SetLoginDomains(tx, domains); err != nil {
				return err
			}
			return keep.SetLoginSecret(tx, secret)
		})
	}
	has := func(what, domain string, want ...store.Tenant) {
		t.Helper()
		found, err := keep.WithLoginDomain(ctx, s, domain)
		if err != nil || len(found) != len(want) {
			t.Fatalf("%s: %d businesses, %v; want %d", what, len(found), err, len(want))
		}
		for _, w := range want {
			if found[0].ID() != w.ID() && found[len(found)-1].ID() != w.ID() {
				t.Errorf("%s: a business is missing", what)
			}
		}
	}
	keeps := func(what string, tenant store.Tenant, want string) {
		t.Helper()
		if got, err := keep.LoginSecret(ctx, tenant); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", what, got, err, want)
		}
	}
	set(b, "one", "logins.example", "logins.test")
	set(other, "two", "logins.example")
	has("shared", "logins.example", b, other)
	has("of one", "logins.test", b)
	keeps("of one", b, "one")
	keeps("of the other", other, "two")
	set(b, "three", "logins.test")
	has("after a change", "logins.example", other)
	keeps("after a change", b, "three")
	set(other, "")
	has("removed", "logins.example")
	has("of who kept it", "logins.test", b)
	keeps("removed", other, "")
	keeps("of who kept it", b, "three")
	set(b, "") // the suite runs more than once on a database
}
