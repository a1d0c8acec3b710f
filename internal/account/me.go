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
	dst = record.Render(append(dst, `{"business":`...), business)
	dst = record.Render(append(dst, `,"user":`...), u)
	dst = schema.AppendString(append(dst, `,"role":`...), c.Role.Name)
	dst = AppendStrings(append(dst, `,"features":`...), c.Features())
	dst = AppendStrings(append(dst, `,"scopes":`...), c.Scopes)
	dst = append(dst, `,"permissions":{`...)
	for i, res := range record.Registry.Resources {
		dst = schema.AppendComma(dst, i)
		dst = fmt.Appendf(dst, "%q:{", res.Name)
		for j, verb := range record.Verbs {
			dst = schema.AppendComma(dst, j)
			reach, why := explain(c.Principal, res, verb)
			dst = fmt.Appendf(dst, `%q:{"effective":%q,"scope":%t,"role":%q,"why":`, verb, reach,
				record.Covers(c.Scopes, res.Name+"."+string(verb)), c.Role.Reach(res, verb))
			dst = append(schema.AppendString(dst, why), '}')
		}
		dst = append(dst, '}')
	}
	return fmt.Appendf(dst, `},"sends_mail":%t}`, e.Accounts != nil && e.Accounts.Mails()), nil
}

// explain says in one sentence what decides about a verb on a resource.
func explain(p *record.Principal, res *schema.Resource, verb record.Verb) (record.Reach, string) {
	reach, err := p.Allow(res, verb)
	switch {
	case err != nil:
		return record.None, problem.As(err).Detail
	case reach == record.Own && p.Role.Reach(res, verb) == record.All:
		return reach, fmt.Sprintf("Without the feature permission %s the role %s reaches only one's own.", res.Access.Feature, p.Role.Name)
	case reach == record.Own:
		return reach, fmt.Sprintf("The role %s allows it on one's own.", p.Role.Name)
	}
	return reach, fmt.Sprintf("The scope and the role %s allow it.", p.Role.Name)
}

// AppendStrings renders texts as a list, in order.
func AppendStrings(dst []byte, texts []string) []byte {
	return append(dst, record.KeptList(slices.Sorted(slices.Values(texts)))...)
}
