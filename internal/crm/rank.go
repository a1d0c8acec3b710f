package crm

import (
	"slices"

	"kith/internal/problem"
	"kith/internal/schema"
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
			opened := verb == Write && res.Feature != "" && slices.Contains(r.Features, res.Feature)
			if opened || r.Reach(res, verb) != None {
				needed = append(needed, res.Name+"."+string(verb))
			}
		}
	}
	if slices.Contains(r.Features, AuditFeature) {
		needed = append(needed, AuditScope)
	}
	if slices.Contains(r.Features, Business.Feature) {
		needed = append(needed, BusinessScope)
	}
	return needed
}

// mayHandOut keeps a token from giving somebody a role, or from getting hold of somebody who has one, with which more can be done than with
// the token itself. People in the browser have every scope, so that only their own role counts.
func (p *Principal) mayHandOut(r Role) error {
	for _, scope := range r.scopes() {
		if !Covers(p.Scopes, scope) {
			return &problem.Problem{
				Code: problem.InsufficientScope, Scope: scope,
				Detail: "The token lacks the scope " + scope + ". The role " + r.Name + " allows that, and nobody hands out more than the token itself may do.",
			}
		}
	}
	return nil
}

// MayGive tells whether who acts may give somebody a role, and change those who have it: the same that decides when they do, asked beforehand.
func (p *Principal) MayGive(r Role) error {
	if err := p.mayHandOut(r); err != nil {
		return err
	}
	return p.outranks(r, "give or take the role "+r.Name)
}

// outranks keeps anyone from touching a role that allows more than theirs; cannot says what they were about to do.
func (p *Principal) outranks(r Role, cannot string) error {
	if beyond := p.Role.lacks(r); beyond != "" {
		return problem.New(problem.ForbiddenByRole, "The role %s cannot %s, which also allows %s.", p.Role.Name, cannot, beyond)
	}
	return nil
}

// checkRank holds a user's role, which the record names, to that of who acts; where it is handed out, also to the scopes of their token.
func (w *write) checkRank(roleID schema.Value, handedOut bool) error {
	rec, err := w.find(role, roleID.UUID())
	if err != nil || rec == nil {
		return err
	}
	r := ReadRole(rec)
	if handedOut {
		if err := w.who.mayHandOut(r); err != nil {
			return err
		}
	}
	return w.who.outranks(r, "give or take the role "+r.Name)
}

// checkRole holds a role that is made, changed or brought back to what who acts has: others may hold it.
func (w *write) checkRole(rec *schema.Record, cannot string) error {
	r := ReadRole(rec)
	if err := w.who.mayHandOut(r); err != nil {
		return err
	}
	return w.who.outranks(r, cannot)
}
