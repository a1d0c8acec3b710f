package web

import (
	"slices"
	"testing"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/record"
)

// Every scope that there is can be seen on the consent page and ticked there.
func TestEveryScopeIsShown(t *testing.T) {
	who := &record.Principal{Scopes: record.Scopes(), Role: account.StartingRoles()[0]}
	var shown []string
	for _, group := range describe(who, record.Scopes()) {
		for _, p := range group.Permissions {
			shown = append(shown, p.Scope)
			if p.Words == "" || p.Useless {
				t.Errorf("%s is %+v", p.Scope, p)
			}
		}
	}
	if want := record.Scopes(); !slices.Equal(shown, want) {
		t.Errorf("the consent page shows %v, want %v", shown, want)
	}
}
