package search

import (
	"context"
	"slices"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/layout"
	"github.com/kith-crm/kith/internal/store/sqlite"
)

// SQLite groups by sorting, unless an index has the order. Sorting takes longer than to hand every record over and to put the
// groups together here, so that is done where there are not too many.

// worthAnIndex is up to which part of the records it is better to fetch those that an index finds than to read them all as they lie.
const worthAnIndex = 4

// chooseGathering reads the index of sums where it has all that is asked for, the index of a narrow filter where there is one, and
// else the rows as they lie.
func (d SQLite) chooseGathering(ctx context.Context, c engine.Conn, g *Aggregation) (gathering, error) {
	plan := gathering{plain: true, loose: len(g.a.Groups) > 0 && g.t.MostGroups > 0}
	if len(g.needles) > 0 {
		return plan, nil
	}
	resource := g.q.Resource
	var err error
	if g.q.Filtered() {
		if g.way, err = d.chooseWay(ctx, c, &g.Search); err != nil {
			return plan, err
		}
	}
	driver := g.way.driver
	switch {
	case g.way.nothing:
		plan.from = func(*Builder) (string, []string) { return resource.Plural + " t", []string{emptySet(query.In)} }
	case driver != nil && driver.rows*worthAnIndex < float64(g.state.count):
		plan.from = g.driven
	case g.inSums():
		g.way.driver = nil
		plan.from = func(b *Builder) (string, []string) {
			return resource.Plural + " t" + b.Dialect.IndexedBy(resource.Name+"_"+layout.SummedIndex), nil
		}
	default:
		g.way.driver = nil
		plan.from = func(b *Builder) (string, []string) {
			low, high := sqlite.RowRange(b.Tenant)
			where := "t.rid BETWEEN " + b.Arg(schema.IntValue(schema.Integer, low)) + " AND " + b.Arg(schema.IntValue(schema.Integer, high))
			return resource.Plural + " t NOT INDEXED", []string{where}
		}
	}
	return plan, nil
}

// inSums tells whether the index of sums has all that is asked for.
func (g *Aggregation) inSums() bool {
	has := func(p query.Path) bool {
		return p.Ref < 0 && (p.Leaf == nil || slices.Contains(g.q.Resource.Storage.Summed, p.Leaf.Path))
	}
	if len(g.q.Resource.Storage.Summed) == 0 || len(g.q.Words) > 0 {
		return false
	}
	if g.q.Own != nil && slices.ContainsFunc(g.q.Resource.Owners, func(l *schema.Leaf) bool { return !has(query.Path{Ref: -1, Leaf: l}) }) {
		return false
	}
	return !slices.ContainsFunc(g.q.Filters, func(f query.Condition) bool { return !has(f.Path) || f.Leaf.Key != "" }) && // by its key
		!slices.ContainsFunc(g.a.Groups, func(by query.Group) bool { return !has(by.Path) || by.Keyed() }) &&
		!slices.ContainsFunc(g.fields, func(f measured) bool { return !has(f.Path) })
}
