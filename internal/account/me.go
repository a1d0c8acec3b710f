package account

import (
	"context"
	"fmt"
	"slices"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// Me answers who acts, where, and what they may do and why: for each resource and verb how far scope and role together reach.
func Me(ctx context.Context, e *record.Engine, c record.Call, dst []byte) ([]byte, error) {
	business, err := c.Business(ctx)
	if err != nil {
		return dst, err
	}
	u, err := c.Tenant.Get(ctx, &User.Resource, c.User, false)
	if err != nil {
		return dst, err
	}
	dst = append(dst, `{"business":`...)
	dst = record.Render(dst, business)
	dst = append(dst, `,"user":`...)
	dst = record.Render(dst, u)
	dst = append(dst, `,"role":`...)
	dst = schema.AppendString(dst, c.Role.Name)
	dst = append(dst, `,"features":`...)
	dst = AppendStrings(dst, c.Features())
	dst = append(dst, `,"scopes":`...)
	dst = AppendStrings(dst, c.Scopes)
	dst = append(dst, `,"permissions":{`...)
	for i, res := range record.Registry.Resources {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = fmt.Appendf(dst, "%q:{", res.Name)
		for j, verb := range record.Verbs {
			if j > 0 {
				dst = append(dst, ',')
			}
			reach, why := explain(c.Principal, res, verb)
			dst = fmt.Appendf(dst, `%q:{"effective":%q,"scope":%t,"role":%q,"why":`, verb, reach,
				record.Covers(c.Scopes, res.Name+"."+string(verb)), c.Role.Reach(res, verb))
			dst = schema.AppendString(dst, why)
			dst = append(dst, '}')
		}
		dst = append(dst, '}')
	}
	return fmt.Appendf(dst, `},"sends_mail":%t}`, e.Accounts != nil && e.Accounts.Mails()), nil
}

// explain says in one sentence what decides about a verb on a resource.
func explain(p *record.Principal, res *schema.Resource, verb record.Verb) (record.Reach, string) {
	reach, err := p.Allow(res, verb)
	if err != nil {
		return record.None, problem.As(err).Detail
	}
	switch {
	case reach == record.Own && p.Role.Reach(res, verb) == record.All:
		return reach, fmt.Sprintf("Without the feature permission %s the role %s reaches only one's own.", res.Access.Feature, p.Role.Name)
	case reach == record.Own:
		return reach, fmt.Sprintf("The role %s allows it on one's own.", p.Role.Name)
	}
	return reach, fmt.Sprintf("The scope and the role %s allow it.", p.Role.Name)
}

func AppendStrings(dst []byte, texts []string) []byte {
	dst = append(dst, '[')
	for i, s := range slices.Sorted(slices.Values(texts)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = schema.AppendString(dst, s)
	}
	return append(dst, ']')
}
