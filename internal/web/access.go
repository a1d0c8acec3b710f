package web

import (
	"slices"
	"strings"

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
		c.Groups[i].inColumns()
		for j := range c.Groups[i].Permissions {
			q := &c.Groups[i].Permissions[j]
			q.Ticked = f.Has("scope", q.Scope)
			c.Limited = c.Limited || q.Useless
		}
	}
	return c
}

// inColumns gives the group a permission for each verb, an empty one where there is none.
func (g *permissionGroup) inColumns() {
	cells := make([]permission, len(crm.Verbs))
	for _, p := range g.Permissions {
		cells[slices.Index(crm.Verbs, crm.Verb(scopeAction(p.Scope)))] = p
	}
	g.Permissions = cells
}

// chosenScopes reads what accessChoice offers.
func chosenScopes(f *form) []string {
	var scopes []string
	switch f.Get("access") {
	case "all":
		scopes = everyScope()
	case "read":
		scopes = slices.DeleteFunc(crm.Scopes(), func(s string) bool { return scopeAction(s) != "read" })
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

// everyScope is all there is in as few scopes as possible: where a resource has one for everything, that one.
func everyScope() []string {
	all := crm.Scopes()
	return slices.DeleteFunc(crm.Scopes(), func(s string) bool {
		whole := strings.TrimSuffix(s, scopeAction(s)) + "all"
		return s != whole && slices.Contains(all, whole)
	})
}

func scopeAction(scope string) string {
	for i := range scope {
		if scope[i] == '.' {
			return scope[i+1:]
		}
	}
	return ""
}
