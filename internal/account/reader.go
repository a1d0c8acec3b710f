package account

import (
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// Reader is another user as who may read what, by their role alone, with their name; nil where there is none who may act.
func Reader(p record.Proposed, id schema.UUID) (who *record.Principal, name string, err error) {
	u, err := p.Lookup(User, id)
	if u == nil || err != nil || Suspended(u) {
		return nil, "", err
	}
	role, err := p.Lookup(Role, u.Get(Users.RoleID).UUID())
	if role == nil || err != nil {
		return nil, "", err
	}
	return &record.Principal{Tenant: p.Who().Tenant, User: id, Scopes: record.Scopes(), Role: ReadRole(role)}, u.Text(Users.Name), nil
}
