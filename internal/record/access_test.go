package record_test

import (
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/record"
)

func TestWithin(t *testing.T) {
	for _, c := range []struct{ scopes, limit, want string }{
		{"contact.read deal.write", "contact.read deal.all", "contact.read deal.write"},
		{"contact.read deal.write", "contact.write", ""},
		{"contact.all", "contact.all", "contact.all"},
		{"contact.all", "contact.read", "contact.read"},
		{"contact.all", "contact.read contact.write contact.delete", "contact.read contact.write contact.delete"},
		{"contact.all contact.read", "contact.read", "contact.read"},
		{"contact.read", "", ""},
		{"", "contact.all", ""},
		{"contact.all", "contacts.all contact", ""},
	} {
		if got := record.Within(strings.Fields(c.scopes), strings.Fields(c.limit)); strings.Join(got, " ") != c.want {
			t.Errorf("of %q within %q is %q, want %q", c.scopes, c.limit, got, c.want)
		}
	}
}
