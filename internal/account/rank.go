package account

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

var ranks = map[record.Reach]int{record.None: 0, record.Own: 1, record.All: 2}

// lacks names one thing that another role allows and this one does not, or nothing.
func lacks(r, other record.Role) string {
	for _, res := range record.Registry.Resources {
		for _, verb := range record.Verbs {
			if ranks[other.Reach(res, verb)] > ranks[r.Reach(res, verb)] {
				return string(verb) + " on " + res.Plural
			}
		}
	}
	for _, f := range other.Features {
		if !slices.Contains(r.Features, f) {
			return f
		}
	}
	return ""
}

// scopesOf lists what a token must have so that whoever holds the role can do no more than the token: the scope of every verb that the role
// reaches at all, and for a feature permission those of writing what it opens.
func scopesOf(r record.Role) []string {
	var needed []string
	for _, res := range record.Registry.Resources {
		for _, verb := range record.Verbs {
			opened := verb == record.Write && res.Access.Feature != "" && slices.Contains(r.Features, res.Access.Feature)
			if opened || r.Reach(res, verb) != record.None {
				needed = append(needed, res.Name+"."+string(verb))
			}
		}
	}
	if slices.Contains(r.Features, record.AuditFeature) {
		needed = append(needed, record.AuditScope)
	}
	if slices.Contains(r.Features, record.Business.Access.Feature) {
		needed = append(needed, record.BusinessScope)
	}
	return needed
}

// covers holds a role to the scopes of a token. People in the browser have every scope, so that only their own role counts.
func covers(p *record.Principal, r record.Role) error {
	for _, scope := range scopesOf(r) {
		if !record.Covers(p.Scopes, scope) {
			return &problem.Problem{
				Code: problem.InsufficientScope, Scope: scope,
				Detail: "The token lacks the scope " + scope + ". " + called(p, r) +
					" allows that, and nobody hands out more than the token itself may do.",
			}
		}
	}
	return nil
}

// keepsFactor keeps a token from getting around the second factor that the role of its user requires, by a role that can hand out access
// without it: such a role counts as above theirs, although it may allow the same. A person in the browser has shown the factor, and may do
// without it for others, or end the requirement.
func keepsFactor(p *record.Principal, r record.Role) error {
	if !p.Role.SecondFactor || r.SecondFactor || !handsOutAccess(r) || p.InBrowser() {
		return nil
	}
	return problem.New(problem.ForbiddenByRole, "%s can hand out access without a second factor, which the role %s requires. "+
		"No token hands it out or makes it so; a person can, in the app.", called(p, r), p.Role.Name)
}

// handsOutAccess tells whether a role has a feature permission by which somebody gets to decide what others may do, or how they come in.
func handsOutAccess(r record.Role) bool {
	return slices.Contains(r.Features, record.Business.Access.Feature) || slices.ContainsFunc(record.Kinds(), func(k *record.Kind) bool {
		return k.Access.Power != "" && k.Access.Feature != "" && slices.Contains(r.Features, k.Access.Feature)
	})
}

// called is a role as a sentence begins with it: by its name to those who may read roles.
func called(p *record.Principal, r record.Role) string {
	if _, err := p.Allow(&Role.Resource, record.Read); err != nil {
		return "That role"
	}
	return "The role " + r.Name
}

// outranks keeps anyone from touching a role that allows more than theirs; cannot says what they were about to do, with %s for the role.
func outranks(p *record.Principal, r record.Role, cannot string) error {
	if beyond := lacks(p.Role, r); beyond != "" {
		called := strings.Replace(called(p, r), "T", "t", 1)
		return problem.New(problem.ForbiddenByRole, "The role %s cannot %s, which also allows %s.",
			p.Role.Name, fmt.Sprintf(cannot, called), beyond)
	}
	return nil
}

// checkRank holds a user's role, which the record names, to that of who acts; where it is handed out, also to the scopes of their token.
func checkRank(p record.Proposed, roleID schema.Value, handedOut bool) error {
	rec, err := p.Lookup(Role, roleID.UUID())
	if err != nil || rec == nil {
		return err
	}
	if handedOut {
		return checkRole(p.Who(), ReadRole(rec), "give or take %s")
	}
	return outranks(p.Who(), ReadRole(rec), "give or take %s")
}

// checkRole keeps anyone from handing out a role that allows more than theirs. A token cannot give somebody a role either, or get hold of
// somebody who has one, with which more can be done than with the token itself, or the same without the second factor that is required of
// its user.
func checkRole(p *record.Principal, r record.Role, cannot string) error {
	if err := covers(p, r); err != nil {
		return err
	}
	if err := keepsFactor(p, r); err != nil {
		return err
	}
	return outranks(p, r, cannot)
}
