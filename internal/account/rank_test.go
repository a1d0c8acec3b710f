package account_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/account"
	_ "github.com/kith-crm/kith/internal/crm" // whose kinds roles speak of
	"github.com/kith-crm/kith/internal/record"
)

// The scopes of a role are those with which one could do, as an administrator, whatever the role allows.
func TestScopesOfARole(t *testing.T) {
	for _, c := range []struct {
		role record.Role
		want string
	}{
		{record.Role{}, ""},
		{record.Role{Permissions: map[string]map[record.Verb]record.Reach{"contact": {
			record.Read: record.All, record.Write: record.Own,
			record.Delete: record.None,
		}}}, "contact.read contact.write"},
		{record.Role{Features: []string{"export"}}, ""},
		{record.Role{Features: []string{"manage_users"}}, "user.write"},
		{
			record.Role{Features: []string{"manage_settings"}},
			"pipeline.write lifecycle_stage.write loss_reason.write view.write report.write field.write business.write",
		},
	} {
		if got := strings.Join(account.ScopesOf(c.role), " "); got != c.want {
			t.Errorf("%+v has the scopes %q, want %q", c.role, got, c.want)
		}
	}
	every := account.StartingRoles()[0]
	for _, feature := range record.Features {
		if !slices.Contains(every.Features, feature) {
			t.Errorf("the administrator lacks %s", feature)
		}
	}
	for _, scope := range record.Scopes() {
		if !strings.HasSuffix(scope, ".all") && !slices.Contains(account.ScopesOf(every), scope) {
			t.Errorf("%s is not among the scopes of the administrator", scope)
		}
	}
}
