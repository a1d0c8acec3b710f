package search

import (
	"context"
	"slices"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/layout"
)

// kept tells whether the figures that are asked for are among those that are kept: of fields that these are kept by, and of sums alone.
func (g *Aggregation) kept(ctx context.Context, c engine.Conn) (hold bool, err error) {
	res := g.q.Resource
	keyed := func(p query.Path) bool { return p.Ref < 0 && slices.Contains(res.Figures.Keys, p.Leaf) }
	switch {
	case !layout.KeepsFigures(res) || g.q.Bin || len(g.q.Words) > 0,
		g.q.Own != nil && slices.ContainsFunc(res.Owners, func(l *schema.Leaf) bool { return !slices.Contains(res.Figures.Keys, l) }),
		// texts are compared by their keys
		slices.ContainsFunc(g.q.Filters, func(f query.Condition) bool { return !keyed(f.Path) || f.Leaf.Key != "" }),
		slices.ContainsFunc(g.a.Groups, func(by query.Group) bool { return !keyed(by.Path) || by.Keyed() }),
		slices.ContainsFunc(g.fields, func(f measured) bool {
			return f.Ref >= 0 || f.bounded ||
				!slices.Contains(res.Figures.Sums, f.Leaf)
		}):
		return false, nil
	}
	b := g.t.Builder()
	sql := "SELECT 1 FROM business t WHERE t.business_id = " + b.TenantMark() + " AND " + g.t.figured
	err = c.Query(ctx, sql, b.Values, func(engine.Row) error {
		hold = true
		return nil
	})
	return hold, err
}

// fromFigures reads the kept figures as if they were records: there are only those of live ones.
func (g *Aggregation) fromFigures() gathering {
	from := "(SELECT f.*, NULL AS deleted_at FROM " + layout.FigureTable(g.q.Resource) + " f) t"
	return gathering{kept: true, from: func(*Builder) (string, []string) { return from, nil }}
}
