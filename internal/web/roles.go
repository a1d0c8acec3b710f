package web

import (
	"slices"

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
