package record

import (
	"context"
	"fmt"
	"slices"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/schema"
)

// Me answers who acts, where, and what they may do and why: for each resource and verb how far scope and role together reach.
func (e *Engine) Me(ctx context.Context, c Call, dst []byte) ([]byte, error) {
	business, err := c.Business(ctx)
	if err != nil {
		return dst, err
	}
	u, err := c.Tenant.Get(ctx, &User.Resource, c.User, false)
	if err != nil {
		return dst, err
	}
	dst = append(dst, `{"business":`...)
	dst = Render(dst, business)
	dst = append(dst, `,"user":`...)
	dst = Render(dst, u)
	dst = append(dst, `,"role":`...)
	dst = schema.AppendString(dst, c.Role.Name)
	dst = append(dst, `,"features":`...)
	dst = AppendStrings(dst, c.features())
	dst = append(dst, `,"scopes":`...)
	dst = AppendStrings(dst, c.Scopes)
	dst = append(dst, `,"permissions":{`...)
	for i, res := range Registry.Resources {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = fmt.Appendf(dst, "%q:{", res.Name)
		for j, verb := range Verbs {
			if j > 0 {
				dst = append(dst, ',')
			}
			reach, why := c.explain(res, verb)
			dst = fmt.Appendf(dst, `%q:{"effective":%q,"scope":%t,"role":%q,"why":`, verb, reach,
				Covers(c.Scopes, res.Name+"."+string(verb)), c.Role.Reach(res, verb))
			dst = schema.AppendString(dst, why)
			dst = append(dst, '}')
		}
		dst = append(dst, '}')
	}
	return fmt.Appendf(dst, `},"sends_mail":%t}`, e.Accounts != nil && e.Accounts.Mails()), nil
}

// explain says in one sentence what decides about a verb on a resource.
func (p *Principal) explain(res *schema.Resource, verb Verb) (Reach, string) {
	reach, err := p.Allow(res, verb)
	if err != nil {
		return None, problem.As(err).Detail
	}
	switch {
	case reach == Own && p.Role.Reach(res, verb) == All:
		return reach, fmt.Sprintf("Without the feature permission %s the role %s reaches only one's own.", res.Access.Feature, p.Role.Name)
	case reach == Own:
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
