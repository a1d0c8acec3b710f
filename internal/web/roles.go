package web

import (
	"net/http"
	"slices"
	"strings"

	"kith/internal/crm"
)

type roleRow struct {
	ID string
	crm.Role
}

// roles lists the roles of the business. There are few; of those beyond a hundred, which can be given through the API, it has the ones that
// are asked for, because a choice without the role that someone has would give them another.
func (v *visit) roles(held ...string) ([]roleRow, error) {
	list, err := search[roleRow](v, crm.KindOf("role"), map[string]any{"limit": 100, "order_by": "name", "sort_direction": "asc"})
	if err != nil || list.More == "" {
		return list.Rows, err
	}
	missing := slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(held))), func(id string) bool {
		return slices.ContainsFunc(list.Rows, func(r roleRow) bool { return r.ID == id })
	})
	if len(missing) == 0 {
		return list.Rows, nil
	}
	found, err := search[roleRow](v, crm.KindOf("role"), map[string]any{"limit": 100, "filters": []any{map[string]any{"field": "id", "operator": "in", "values": missing}}})
	return append(list.Rows, found.Rows...), err
}

// mayGive keeps of the roles those that who is looking may give.
func (v *visit) mayGive(roles []roleRow) []roleRow {
	return slices.DeleteFunc(slices.Clone(roles), func(r roleRow) bool { return v.who.MayGive(r.Role) != nil })
}

// allowance is what a role allows with several resources alike.
type allowance struct {
	Words  string
	Things []string
}

type roleShown struct {
	Name     string
	Mine     bool
	Allows   []allowance
	Features []string
	// Refused are the resources that the role does not allow at all.
	Refused []string
	// Factor tells that who has it needs a second factor.
	Factor bool
}

type rolesPage struct {
	Roles []roleShown
	More  string
}

// rolesOverview says what each role allows.
func (v *visit) rolesOverview() error {
	list, err := search[roleRow](v, crm.KindOf("role"), v.paged(map[string]any{"order_by": "name", "sort_direction": "asc"}))
	if err != nil {
		return err
	}
	p := rolesPage{More: list.More}
	for _, r := range list.Rows {
		p.Roles = append(p.Roles, showRole(r.Role, r.Name == v.who.Role.Name))
	}
	v.show(http.StatusOK, "roles", p)
	return nil
}

// showRole puts a role into plain words, and resources that it treats alike together.
func showRole(r crm.Role, mine bool) roleShown {
	shown := roleShown{Name: r.Name, Mine: mine, Factor: r.SecondFactor}
	for _, f := range r.Features {
		shown.Features = append(shown.Features, featureWords[f])
	}
	for _, res := range crm.Registry.Resources {
		words := reachWords(func(verb crm.Verb) crm.Reach { return r.Reach(res, verb) })
		if words == "" {
			shown.Refused = append(shown.Refused, plural(res))
			continue
		}
		at := slices.IndexFunc(shown.Allows, func(a allowance) bool { return a.Words == words })
		if at < 0 {
			at = len(shown.Allows)
			shown.Allows = append(shown.Allows, allowance{Words: words})
		}
		shown.Allows[at].Things = append(shown.Allows[at].Things, plural(res))
	}
	return shown
}

// reachWords says how far the verbs reach: "Read all, write and delete one's own".
func reachWords(reach func(crm.Verb) crm.Reach) string {
	var parts []string
	for _, r := range []struct {
		reach crm.Reach
		words string
	}{{crm.All, "all"}, {crm.Own, "one’s own"}} {
		var verbs []string
		for _, verb := range crm.Verbs {
			if reach(verb) == r.reach {
				verbs = append(verbs, string(verb))
			}
		}
		if len(verbs) > 0 {
			parts = append(parts, enumerate(verbs)+" "+r.words)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return capitalize(strings.Join(parts, ", "))
}

// enumerate joins words as a sentence does.
func enumerate(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
