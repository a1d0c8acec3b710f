package search

import (
	"strings"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/layout"
)

// linked selects one column of the ends that a condition on linked records goes by, as the given side sees them.
func (b *Builder) linked(f query.Condition, column, near, far string, held ...string) string {
	where := []string{"e.business_id = " + b.TenantMark(), "e.near = '" + near + "'", "e.far = '" + far + "'", "e.live = 1"}
	where = append(where, held...)
	other := "e.far_id"
	if near == f.Leaf.Target.Name && column == "e.far_id" {
		other = "e.near_id"
	}
	if f.Linked.OwnRecords {
		where = append(where, b.SomeOf("o", f.Leaf.Target, other, f.Linked.User))
	}
	if f.Linked.OwnLinks {
		where = append(where, b.SomeOf("l", f.Leaf.Via, "e.link_id", f.Linked.User))
	}
	return "SELECT " + column + " FROM " + layout.EndTable(f.Leaf.Via) + " e WHERE " + strings.Join(where, " AND ")
}

// SomeOf is the condition that a record is a user's own.
func (b *Builder) SomeOf(alias string, res *schema.Resource, id string, user schema.UUID) string {
	return "EXISTS (SELECT 1 FROM " + res.Plural + " " + alias +
		" WHERE " + alias + ".business_id = " + b.TenantMark() + " AND " + alias + ".id = " + id + " AND " + b.Own(alias, res, user) + ")"
}

// linkCondition renders a filter on linked records. Where these are named, it begins with them, and so does not depend on the
// searched record.
func (b *Builder) linkCondition(f query.Condition) string {
	here, there := f.Leaf.Whose, f.Leaf.Target.Name
	switch f.Operator {
	case query.IsSet:
		return "EXISTS (" + b.linked(f, "1", here, there, "e.near_id = t.id") + ")"
	case query.IsNotSet:
		return "NOT EXISTS (" + b.linked(f, "1", here, there, "e.near_id = t.id") + ")"
	}
	if len(f.Values) == 0 {
		return emptySet(f.Operator)
	}
	within := "t.id IN (" + b.linked(f, "e.far_id", there, here, b.Dialect.Among(&b.Arguments, "e.near_id", f.Values)) + ")"
	if f.Operator == query.Nin {
		return "NOT " + within
	}
	return within
}

// candidates selects the records that a filter on linked records lets through, where it demands any.
func (b *Builder) linkCandidates(f query.Condition) string {
	here, there := f.Leaf.Whose, f.Leaf.Target.Name
	if f.Operator == query.IsSet {
		return strings.Replace(b.linked(f, "e.near_id", here, there), "SELECT ", "SELECT DISTINCT ", 1)
	}
	return b.linked(f, "e.far_id", there, here, b.Dialect.Among(&b.Arguments, "e.near_id", f.Values))
}

// EndsSeen is the condition that somebody may see both ends of a link.
func (b *Builder) EndsSeen(via *schema.Resource, link string, ends *query.Ends) string {
	var hidden []string
	for _, res := range ends.None {
		hidden = append(hidden, "e.far = '"+res.Name+"'")
	}
	for _, res := range ends.Own {
		hidden = append(hidden, "(e.far = '"+res.Name+"' AND NOT "+b.SomeOf("o", res, "e.far_id", ends.User)+")")
	}
	return "NOT EXISTS (SELECT 1 FROM " + layout.EndTable(via) + " e" +
		" WHERE e.business_id = " + b.TenantMark() + " AND e.link_id = " + link + " AND (" + strings.Join(hidden, " OR ") + "))"
}
