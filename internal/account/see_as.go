package account

import (
	"context"
	"errors"
	"slices"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// SeeAsHeader names a role in a request: who may change roles sees the business as somebody with that role does.
const SeeAsHeader = "See-As"

// SeeAs gives a principal with the role of an id in place of their own, as far as theirs goes: nobody gains by looking as another.
// They stay who they are, so what is their own is what they see as one's own.
func SeeAs(ctx context.Context, p *record.Principal, id string) (*record.Principal, error) {
	for _, verb := range []record.Verb{record.Read, record.Write} {
		switch reach, err := p.Allow(&Role.Resource, verb); {
		case err != nil:
			return nil, err
		case reach != record.All:
			return nil, problem.New(problem.ForbiddenByRole, "The role %s allows %s only on one's own roles, and the header %s needs all.",
				p.Role.Name, verb, SeeAsHeader)
		}
	}
	roleID, err := schema.ParseID(Role.Name, id)
	if err != nil {
		return nil, problem.Wrong(SeeAsHeader, "invalid_format", "must be the id of a role, given once")
	}
	rec, err := p.Tenant.Get(ctx, &Role.Resource, roleID, false)
	if errors.Is(err, store.ErrNotFound) {
		return nil, problem.Wrong(SeeAsHeader, "not_found", "there is no such role")
	}
	if err != nil {
		return nil, err
	}
	seen := *p
	seen.Role = both(ReadRole(rec), p.Role)
	return &seen, nil
}

// both is what two roles allow, under the name of the first.
func both(r, other record.Role) record.Role {
	shared := record.Role{Name: r.Name, Permissions: permissions{}, SecondFactor: r.SecondFactor || other.SecondFactor}
	for _, res := range record.Registry.Resources {
		shared.Permissions[res.Name] = map[record.Verb]record.Reach{}
		for _, verb := range record.Verbs {
			reach := r.Reach(res, verb)
			if least := other.Reach(res, verb); ranks[least] < ranks[reach] {
				reach = least
			}
			shared.Permissions[res.Name][verb] = reach
		}
	}
	for _, f := range r.Features {
		if slices.Contains(other.Features, f) {
			shared.Features = append(shared.Features, f)
		}
	}
	return shared
}
