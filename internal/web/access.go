package web

import (
	"slices"

	"kith/internal/crm"
)

// accessChoice is the part of a form that chooses scopes.
type accessChoice struct {
	Form   *form
	Groups []permissionGroup
	// Limited tells whether the role does not allow some of them.
	Limited bool
}

func (v *visit) accessChoice(f *form) accessChoice {
	all := slices.DeleteFunc(crm.Scopes(), func(s string) bool { return scopeAction(s) == "all" })
	c := accessChoice{Form: f, Groups: describe(v.who, all)}
	for i := range c.Groups {
		for j := range c.Groups[i].Permissions {
			q := &c.Groups[i].Permissions[j]
			q.Ticked = f.Has("scope", q.Scope)
			c.Limited = c.Limited || q.Useless
		}
	}
	return c
}

// chosenScopes reads what accessChoice offers.
func chosenScopes(f *form) []string {
	var scopes []string
	switch f.Get("access") {
	case "all", "read":
		for _, s := range crm.Scopes() {
			if scopeAction(s) == f.Get("access") {
				scopes = append(scopes, s)
			}
		}
	case "some":
		scopes = f.values["scope"]
	}
	switch {
	case len(scopes) == 0:
		f.wrong("scopes", "must name at least one thing; tick what is allowed")
	case crm.CheckScopes(scopes) != nil:
		f.wrong("scopes", "has something ticked that does not exist")
	}
	return scopes
}

func scopeAction(scope string) string {
	for i := range scope {
		if scope[i] == '.' {
			return scope[i+1:]
		}
	}
	return ""
}
