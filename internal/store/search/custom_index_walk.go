package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
	"github.com/kith-crm/kith/internal/store/layout"
)

// Searches find records by the index entries of added fields in two ways. Index entries are candidates, as an index of a declared
// field has them: these are fetched, tested and sorted. Or they stand in the asked order: by the value, or those with one value by
// the creation of their records; then they are walked until the page is full. One value of sixty is found 9.4 times as fast as in the
// documents on SQLite, 3.9 times on PostgreSQL.

// customEntryRange is a part of the index entries of a leaf.
type customEntryRange struct {
	leaf *schema.Leaf
	// filters are the conditions on the leaf that index entries can tell.
	filters []query.Condition
	// repeats tells that a record may have several of these index entries.
	repeats bool
}

// inCustomEntries tells whether the index entries of the condition's field find what it asks for.
func inCustomEntries(f query.Condition) bool {
	if f.Ref >= 0 || f.Leaf.Member == "" || !f.Leaf.Find.Indexed {
		return false
	}
	switch f.Operator {
	case query.Eq, query.In, query.Gt, query.Gte, query.Lt, query.Lte, query.Between, query.StartsWith:
		return len(f.Values) > 0
	case query.Contains:
		return f.Leaf.Kind == schema.Choices
	case query.IsSet:
		return true
	}
	return false
}

// isOne tells whether a condition asks for one value.
func isOne(f query.Condition) bool {
	return f.Operator == query.Eq || f.Operator == query.Contains || f.Operator == query.In && len(f.Values) == 1
}

// where are the conditions on the index entries, as x.
func (r customEntryRange) where(b *Builder) []string {
	out := []string{"x.business_id = " + b.TenantMark(), "x.field = " + b.Arg(layout.FieldNumber(r.leaf))}
	for _, f := range r.filters {
		if f.Operator == query.IsSet {
			continue
		}
		values := make([]schema.Value, len(f.Values))
		for i, v := range f.Values {
			values[i] = layout.OnCustomEntry(r.leaf, v)
		}
		operator := f.Operator
		if operator == query.Contains { // a list has an entry for each of its items
			operator = query.Eq
		}
		out = append(out, b.compare("x.key", operator, values))
	}
	return out
}

// inOrder tells whether the index entries of a leaf stand in its order: those of choices do only option by option, and lists have none.
func inOrder(l *schema.Leaf) bool {
	return l.Member != "" && l.Find.Indexed && l.Kind != schema.Choices && l.Kind != schema.Choice
}

// walksOrder tells whether a window of the asked order can be walked.
func (s *Search) walksOrder() bool {
	return s.q.Order.Ref < 0 && (s.q.Order.Leaf.Find.Sorted || inOrder(s.q.Order.Leaf))
}

// customEntryWalk is a walk along index entries in the asked order.
type customEntryWalk struct {
	customEntryRange
	// by is the column of index entries that has the order.
	by string
	// run is what holds of the index entries of one part of the walk, or nil, and after is behind what it begins.
	run   func(b *Builder) string
	after *query.Position
	// window is how many index entries are looked through, or 0 for as many as it takes.
	window int
	// exact tells that every index entry is a match.
	exact bool
}

// alongCustomEntries gives the walk of a phase along index entries, or nil where these do not stand in the asked order.
func (s *Search) alongCustomEntries(p phase) *customEntryWalk {
	q := s.q
	w := &customEntryWalk{after: p.after}
	switch d := s.way.driver; {
	case q.Bin || q.Order.Ref >= 0:
		return nil
	case d != nil && d.customEntries != nil && d.ordered:
		w.customEntryRange, w.by = *d.customEntries, "key"
		if q.Order.Leaf != d.customEntries.leaf {
			w.by = "created_at"
			w.exact = len(q.Filters) == 1
			break
		}
		fallthrough
	case p.present && q.Order.Leaf.Member != "" && q.Order.Leaf.Find.Indexed && q.Order.Leaf.Kind != schema.Choices:
		w.customEntryRange, w.by = customEntryRange{leaf: q.Order.Leaf}, "key"
		for _, f := range q.Filters {
			if f.Leaf == w.leaf && inCustomEntries(f) {
				w.filters = append(w.filters, f)
			}
		}
		w.exact = len(w.filters) == len(q.Filters)
	default:
		return nil
	}
	w.exact = w.exact && q.Own == nil && len(q.Words) == 0 && q.Ends == nil
	return w
}

// walkCustomEntries walks along index entries, and reports whether that was all that is to be done for the phase.
func (s *Search) walkCustomEntries(ctx context.Context, c engine.Conn, p phase, w *customEntryWalk) (done bool, err error) {
	runs, err := s.customEntryRuns(ctx, c, w)
	if err != nil {
		return false, err
	}
	p.after = nil // the walk itself begins there
	along := s.way.driver == nil || s.way.driver.customEntries != nil && s.way.driver.ordered
	if window := s.t.Planner.customEntryWindow(s); !w.exact && (!along || window > 0) {
		// It is better to fetch candidates than to look through all index entries, but for where a few of these fill the page.
		if !along {
			window = s.way.window
		}
		if window == 0 || len(runs) != 1 || runs[0].run != nil {
			return false, nil
		}
		runs[0].window = window
		return s.tryWalk(ctx, c, p, runs[0].render)
	}
	for _, run := range runs {
		if full, err := s.fill(ctx, c.Query, p, run.render); err != nil || full {
			return true, err
		}
	}
	return true, nil
}

// customEntryRuns are the parts of a walk, one after the other.
func (s *Search) customEntryRuns(ctx context.Context, c engine.Conn, w *customEntryWalk) ([]customEntryWalk, error) {
	if w.by != "key" || w.leaf.Kind != schema.Choice {
		return []customEntryWalk{*w}, nil
	}
	values, err := s.present(ctx, c, w.leaf)
	return w.options(values, s.q.Desc), err
}

func (w customEntryWalk) render(s *Search, b *Builder, a asked) string {
	return s.t.Planner.alongCustomEntries(s, b, a, w)
}

// held are the conditions on the index entries of a walk, and orderBy is its order.
func (w customEntryWalk) held(b *Builder, a asked) (where []string, orderBy string) {
	where = w.where(b)
	if w.run != nil {
		where = append(where, w.run(b))
	}
	if w.after != nil {
		id := b.Arg(schema.IDValue(w.after.ID))
		switch {
		case w.run != nil: // the value is that of the run
			where = append(where, "x.record_id "+a.sign+" "+id)
		case w.by == "created_at":
			where = append(where, fmt.Sprintf("(x.created_at, x.record_id) %s (%s, %s)", a.sign, b.Arg(w.after.Value), id))
		default:
			where = append(where, fmt.Sprintf("(x.key, x.record_id) %s (%s, %s)", a.sign,
				b.Arg(layout.OnCustomEntry(w.leaf, w.after.Value)), id))
		}
	}
	if w.run != nil {
		return where, " ORDER BY x.record_id " + a.direction
	}
	return where, " ORDER BY x." + w.by + " " + a.direction + ", x.record_id " + a.direction
}

// options are the parts of a walk in the order of a choice: one for each option that records have, and one for values that are no
// longer among them. The walk begins with that of the position.
func (w customEntryWalk) options(values []string, desc bool) (runs []customEntryWalk) {
	options := w.leaf.Options
	add := func(place int, held func(b *Builder) string) {
		run := w
		run.run = held
		switch {
		case w.after == nil:
		case w.after.Value.N == int64(place):
		case w.after.Value.N < int64(place) == desc: // it is before the position
			return
		default:
			run.after = nil
		}
		runs = append(runs, run)
	}
	for i, option := range options {
		if slices.Contains(values, option) {
			add(i, func(b *Builder) string { return "x.key = " + b.Arg(room.Text(option)) })
		}
	}
	var strays []schema.Value
	for _, value := range values {
		if !slices.Contains(options, value) {
			strays = append(strays, room.Text(value))
		}
	}
	if len(strays) > 0 {
		add(len(options), func(b *Builder) string { return b.Dialect.Among(&b.Arguments, "x.key", strays) })
	}
	if desc {
		slices.Reverse(runs)
	}
	return runs
}

// present are the values that records have of a choice, of which there are few, found one behind the other.
func (s *Search) present(ctx context.Context, c engine.Conn, l *schema.Leaf) (values []string, err error) {
	b := s.t.Builder()
	of := "SELECT min(x.key) FROM " + layout.CustomTable(l) + " x WHERE " + strings.Join(customEntryRange{leaf: l}.where(b), " AND ")
	sql := "WITH RECURSIVE k (key) AS (" + of + " UNION ALL SELECT (" + of + " AND x.key > k.key) FROM k WHERE k.key IS NOT NULL)" +
		" SELECT k.key FROM k WHERE k.key IS NOT NULL"
	err = c.Query(ctx, sql, b.Values, room.Collect(&values, room.FirstText))
	return values, err
}

// matches are the conditions on the records of a walk. Index entries tell all of them where the walk is exact, but are not trusted.
func (w customEntryWalk) matches(s *Search, b *Builder) string {
	return strings.Join(append(b.Conditions(s.q), "t.id = x.record_id"), " AND ")
}
