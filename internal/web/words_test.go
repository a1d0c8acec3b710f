package web

import (
	"slices"
	"testing"

	"kith/internal/crm"
)

// Every scope that there is can be seen on the consent page and ticked on the token page, each in a column of its own.
func TestEveryScopeIsShown(t *testing.T) {
	who := &crm.Principal{Scopes: crm.Scopes(), Role: crm.StartingRoles()[0]}
	var shown []string
	for _, group := range describe(who, crm.Scopes()) {
		for _, p := range group.Permissions {
			shown = append(shown, p.Scope)
			if p.Words == "" || p.Useless {
				t.Errorf("%s is %+v", p.Scope, p)
			}
		}
	}
	if want := crm.Scopes(); !slices.Equal(shown, want) {
		t.Errorf("the consent page shows %v, want %v", shown, want)
	}
	v := &visit{who: who}
	var ticked []string
	for _, group := range v.accessChoice(newForm(nil)).Groups {
		if len(group.Permissions) != len(crm.Verbs) {
			t.Errorf("%s has %d cells for %d columns", group.Title, len(group.Permissions), len(crm.Verbs))
		}
		for i, p := range group.Permissions {
			if p.Scope != "" {
				ticked = append(ticked, p.Scope)
				if crm.Verb(scopeAction(p.Scope)) != crm.Verbs[i] {
					t.Errorf("%s stands under %s", p.Scope, crm.Verbs[i])
				}
			}
		}
	}
	for _, scope := range crm.Scopes() {
		if scopeAction(scope) != "all" && !slices.Contains(ticked, scope) {
			t.Errorf("%s cannot be ticked", scope)
		}
		if !crm.Covers(everyScope(), scope) {
			t.Errorf("everything does not cover %s", scope)
		}
	}
}

func TestSummary(t *testing.T) {
	var reading, withoutBusiness []string
	for _, s := range crm.Scopes() {
		if scopeAction(s) == "read" {
			reading = append(reading, s)
		}
		if scopeAction(s) == "all" {
			withoutBusiness = append(withoutBusiness, s)
		}
	}
	for _, c := range []struct {
		scopes []string
		want   string
	}{
		{everyScope(), "Everything"},
		{crm.Scopes(), "Everything"},
		{reading, "Read everything"},
		{[]string{"business.write"}, "The business (write)"},
		{[]string{"token.all", "contact.read", "business.write"}, "Contacts (read), access tokens (read, write, delete), the business (write)"},
	} {
		if got := summary(c.scopes); got != c.want {
			t.Errorf("%v is %q, want %q", c.scopes, got, c.want)
		}
	}
	if summary(withoutBusiness) == "Everything" {
		t.Error("everything is said without the business")
	}
}
