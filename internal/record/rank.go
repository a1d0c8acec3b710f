package record

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/schema"
)

// lacks names one thing that another role allows and this one does not, or nothing.
func (r Role) lacks(other Role) string {
	rank := map[Reach]int{None: 0, Own: 1, All: 2}
	for _, res := range Registry.Resources {
		for _, verb := range Verbs {
			if rank[other.Reach(res, verb)] > rank[r.Reach(res, verb)] {
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

// scopes lists what a token must have so that whoever holds the role can do no more than the token: the scope of every verb that the role
// reaches at all, and for a feature permission those of writing what it opens.
func (r Role) scopes() []string {
	var needed []string
	for _, res := range Registry.Resources {
		for _, verb := range Verbs {
			opened := verb == Write && res.Access.Feature != "" && slices.Contains(r.Features, res.Access.Feature)
			if opened || r.Reach(res, verb) != None {
				needed = append(needed, res.Name+"."+string(verb))
			}
		}
	}
	if slices.Contains(r.Features, AuditFeature) {
		needed = append(needed, AuditScope)
	}
	if slices.Contains(r.Features, Business.Access.Feature) {
		needed = append(needed, BusinessScope)
	}
	return needed
}

// mayHandOut keeps a token from giving somebody a role, or from getting hold of somebody who has one, with which more can be done than with
// the token itself, or the same without the second factor that is required of its user.
func (p *Principal) mayHandOut(r Role) error {
	if err := p.covers(r); err != nil {
		return err
	}
	return p.keepsFactor(r)
}

// covers holds a role to the scopes of a token. People in the browser have every scope, so that only their own role counts.
func (p *Principal) covers(r Role) error {
	for _, scope := range r.scopes() {
		if !Covers(p.Scopes, scope) {
			return &problem.Problem{
				Code: problem.InsufficientScope, Scope: scope,
				Detail: "The token lacks the scope " + scope + ". " + p.called(r) +
					" allows that, and nobody hands out more than the token itself may do.",
			}
		}
	}
	return nil
}

// keepsFactor keeps a token from getting around the second factor that the role of its user requires, by a role that can hand out access
// without it: such a role counts as above theirs, although it may allow the same. A person in the browser has shown the factor, and may do
// without it for others, or end the requirement.
func (p *Principal) keepsFactor(r Role) error {
	if !p.Role.SecondFactor || r.SecondFactor || !r.handsOutAccess() || p.InBrowser() {
		return nil
	}
	return problem.New(problem.ForbiddenByRole, "%s can hand out access without a second factor, which the role %s requires. "+
		"No token hands it out or makes it so; a person can, in the app.", p.called(r), p.Role.Name)
}

// handsOutAccess tells whether a role has a feature permission by which somebody gets to decide what others may do, or how they come in.
func (r Role) handsOutAccess() bool {
	return slices.Contains(r.Features, Business.Access.Feature) || slices.ContainsFunc(kinds, func(k *Kind) bool {
		return k.Access.Power != "" && k.Access.Feature != "" && slices.Contains(r.Features, k.Access.Feature)
	})
}

// MayGive tells whether who acts may give somebody a role, and change those who have it: the same that decides when they do, asked
// beforehand.
func (p *Principal) MayGive(r Role) error {
	if err := p.mayHandOut(r); err != nil {
		return err
	}
	return p.outranks(r, "give or take %s")
}

// called is a role as a sentence begins with it: by its name to those who may read roles.
func (p *Principal) called(r Role) string {
	if _, err := p.Allow(&RoleKind.Resource, Read); err != nil {
		return "That role"
	}
	return "The role " + r.Name
}

// outranks keeps anyone from touching a role that allows more than theirs; cannot says what they were about to do, with %s for the role.
func (p *Principal) outranks(r Role, cannot string) error {
	if beyond := p.Role.lacks(r); beyond != "" {
		called := strings.Replace(p.called(r), "T", "t", 1)
		return problem.New(problem.ForbiddenByRole, "The role %s cannot %s, which also allows %s.",
			p.Role.Name, fmt.Sprintf(cannot, called), beyond)
	}
	return nil
}

// checkRank holds a user's role, which the record names, to that of who acts; where it is handed out, also to the scopes of their token.
func (w *Mutation) checkRank(roleID schema.Value, handedOut bool) error {
	rec, err := w.Lookup(RoleKind, roleID.UUID())
	if err != nil || rec == nil {
		return err
	}
	r := ReadRole(rec)
	if handedOut {
		if err := w.Who.mayHandOut(r); err != nil {
			return err
		}
	}
	return w.Who.outranks(r, "give or take %s")
}

// checkRole holds a role that is made, changed or brought back to what who acts has: others may hold it.
func (w *Mutation) checkRole(rec *schema.Record, cannot string) error {
	r := ReadRole(rec)
	if err := w.Who.mayHandOut(r); err != nil {
		return err
	}
	return w.Who.outranks(r, cannot)
}
