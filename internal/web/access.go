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
			if q.Power != "" {
				c.Groups[i].Power = q.Power
			}
		}
	}
	slices.SortStableFunc(c.Groups, func(a, b permissionGroup) int { return min(len(a.Power), 1) - min(len(b.Power), 1) })
	if at := slices.IndexFunc(c.Groups, func(g permissionGroup) bool { return g.Power != "" }); at >= 0 {
		c.Groups[at].FirstPower = true
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
	scopes := bundles()[f.Get("access")]
	if f.Get("access") == "some" {
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

// bundles are the scopes that can be chosen all at once, by the name of the choice.
func bundles() map[string][]string {
	var work []string
	for _, s := range everyScope() {
		if _, powerful := crm.Powerful(s); powerful {
			s = crm.Parts(s)[0] // what is powerful can still be read
		}
		work = append(work, s)
	}
	return map[string][]string{
		"all":  everyScope(),
		"work": work,
		"read": slices.DeleteFunc(crm.Scopes(), func(s string) bool { return scopeAction(s) != "read" }),
	}
}

// choose fills a form with the choice that scopes are.
func (f *form) choose(scopes []string) {
	f.values["scope"] = parts(scopes)
	f.values.Set("access", "some")
	for name, bundle := range bundles() {
		if sameScopes(scopes, bundle) {
			f.values.Set("access", name)
		}
	}
}

// sameScopes tells whether two lists of scopes allow the same, be it as an "all" or in its parts.
func sameScopes(a, b []string) bool {
	a, b = parts(a), parts(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(slices.Compact(a), slices.Compact(b))
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
