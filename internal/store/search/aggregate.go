package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
	"github.com/kith-crm/kith/internal/store/layout"
)

// An aggregate is answered by one statement over the records that match, found as a search finds them. Two more may be needed: one
// before, that tells between which times the records lie, since the periods are made here, so that both engines have the same; and
// one after it, that tells how a text is mostly written.

// errManyGroups tells that there are more groups than are put together here, and ErrMoved that a record came between two statements
// whose time is in no period that is known.
var (
	errManyGroups = errors.New("there are too many groups to hold them all")
	ErrMoved      = errors.New("the records changed meanwhile")
)

// Aggregation puts the figures of an aggregate together.
type Aggregation struct {
	Search
	a *query.Aggregate
	// periods are those of each group that has a unit.
	periods []*query.Periods
	fields  []measured
	first   *firstRows
	plan    gathering
	// groups are those that are put together, by their keys; nil where rows come in the order of their groups. last is that of the
	// row before.
	groups map[string]*group
	last   *group
	key    []byte
	cells  []query.Cell
}

// gathering is how an engine reads what is put together.
type gathering struct {
	// loose tells that values are read record by record and put together here, because the database would have to sort the records
	// to do so.
	loose bool
	// plain tells that the database adds up whole numbers as they are, and fails where a sum passes 64 bits.
	plain bool
	// kept tells that kept figures are added up, not values of records.
	kept bool
	// from is what is read, where no text is looked for.
	from func(b *Builder) (from string, where []string)
}

// Aggregate begins to answer a checked question for figures.
func (t Business) Aggregate(a *query.Aggregate) *Aggregation {
	q := *a.Query
	g := &Aggregation{Search: Search{t: t, q: &q}, a: a, periods: make([]*query.Periods, len(a.Groups)), first: &firstRows{a: a}}
	for _, m := range a.Metrics {
		if m.Leaf == nil {
			continue
		}
		at := slices.IndexFunc(g.fields, func(f measured) bool { return f.Path == m.Path })
		if at < 0 {
			at = len(g.fields)
			g.fields = append(g.fields, measured{Path: m.Path})
		}
		f := &g.fields[at]
		f.added = f.added || m.Measure == query.Sum || m.Measure == query.Avg
		f.counted = f.counted || m.Measure == query.Avg
		f.bounded = f.bounded || m.Measure == query.Min || m.Measure == query.Max
	}
	return g
}

// Run reads the figures, on one connection. It fails with ErrMoved where it is to be tried again.
func (g *Aggregation) Run(ctx context.Context, c engine.Conn) error {
	return g.t.Planner.learnState(ctx, c, &g.Search, func() error {
		g.q.Limit = int(g.state.count) // all of them, which is how the way is chosen
		return g.gather(ctx, c)
	})
}

// Answer gives the first rows in the asked order, and whether there are more.
func (g *Aggregation) Answer() (rows []query.Row, more bool) { return g.first.rows, g.first.more }

func (g *Aggregation) gather(ctx context.Context, c engine.Conn) (err error) {
	if g.needles, err = g.t.Planner.Text().needles(ctx, c, &g.Search); err != nil {
		return err
	}
	kept, err := g.kept(ctx, c)
	if kept {
		g.plan = g.fromFigures()
	} else if err == nil {
		g.plan, err = g.t.Planner.chooseGathering(ctx, c, g)
	}
	if err != nil {
		return err
	}
	for i, group := range g.a.Groups {
		if group.Unit != "" {
			if g.periods[i], err = g.findPeriods(ctx, c, i); err != nil {
				return err
			}
		}
	}
	err = g.read(ctx, c)
	if errors.Is(err, errManyGroups) {
		g.plan.loose = false
		err = g.read(ctx, c)
	}
	if err != nil && g.plan.plain && g.t.dialect.Overflowed(err) {
		g.plan.plain = false
		err = g.read(ctx, c)
	}
	if err != nil {
		return err
	}
	if g.a.Asked == 0 && len(g.first.rows) == 0 {
		g.first.add((&group{cells: make([]query.Cell, len(g.a.Groups)), fields: make([]sums, len(g.fields))}).row(g.a, g.fields))
	}
	g.first.cut()
	return g.spell(ctx, c)
}

// source is what an aggregate's statements read from.
func (g *Aggregation) source(b *Builder) (from string, where []string) {
	if len(g.needles) > 0 {
		from, where = g.t.Planner.Text().candidates(b, g.q.Resource, g.needles)
	} else {
		from, where = g.plan.from(b)
	}
	return from + b.joins(g.q, false), append(where, b.Conditions(g.q)...)
}

// read runs the statement, and puts its rows together.
func (g *Aggregation) read(ctx context.Context, c engine.Conn) error {
	b := g.t.Builder()
	from, where := g.source(b)
	columns, keys := g.columns(b)
	sql := "SELECT " + strings.Join(columns, ", ") + " FROM " + from + " WHERE " + strings.Join(where, " AND ")
	parts := slices.ContainsFunc(g.fields, measured.inexact)
	ordered := !g.plan.loose && parts
	if !g.plan.loose && len(keys) > 0 {
		sql += " GROUP BY " + strings.Join(keys, ", ")
	}
	if ordered {
		sql += " ORDER BY " + strings.Join(keys, ", ")
	}
	g.groups, g.last, g.first = nil, nil, &firstRows{a: g.a}
	if g.plan.loose {
		g.groups = map[string]*group{}
	}
	g.cells = make([]query.Cell, len(g.a.Groups))
	if err := c.Weigh(ctx, sql, b.Values, g.take); err != nil {
		return err
	}
	for _, group := range g.groups {
		g.first.add(group.row(g.a, g.fields))
	}
	if g.groups == nil && g.last != nil {
		g.first.add(g.last.row(g.a, g.fields))
	}
	return nil
}

// columns are what the statement selects, and the places of those by which it groups.
func (g *Aggregation) columns(b *Builder) (columns, keys []string) {
	add := func(key bool, column string) {
		columns = append(columns, column)
		if key {
			keys = append(keys, strconv.Itoa(len(columns)))
		}
	}
	for i, group := range g.a.Groups {
		value := b.stored(alias(group.Path), group.Leaf)
		switch {
		case group.Unit != "" && g.plan.loose:
			add(true, value)
		case group.Unit != "":
			add(true, b.Dialect.StartsUpTo(&b.Arguments, value, g.periods[i]))
		case group.Keyed():
			add(true, b.compared(alias(group.Path), group.Leaf))
			if g.plan.loose {
				add(false, value)
			} else {
				add(false, "min("+value+")")
				add(false, "max("+value+")")
			}
		default:
			add(true, value)
		}
	}
	total := func(column string) string { return "CAST(sum(" + column + ") AS bigint)" }
	switch {
	case g.plan.kept:
		add(false, total("t.n"))
	case !g.plan.loose:
		add(false, "count(*)")
	}
	for _, f := range g.fields {
		x := b.Column(alias(f.Path), f.Leaf)
		if g.plan.kept {
			if f.counted {
				add(false, total(x+"_n"))
			}
			add(false, "CASE WHEN sum("+x+"_n) > 0 THEN "+total(x+"_high")+" END")
			add(false, total(x+"_low"))
			continue
		}
		if g.plan.loose || f.inexact() {
			add(f.inexact(), x)
			continue
		}
		if f.counted {
			add(false, "count("+x+")")
		}
		switch {
		case f.added && g.plan.plain:
			add(false, total(x))
		case f.added: // neither part can pass 64 bits, however many records there are
			add(false, total(fmt.Sprintf("%s >> %d", x, layout.LowBits)))
			add(false, total(fmt.Sprintf("%s & %d", x, 1<<layout.LowBits-1)))
		}
		if f.bounded {
			add(false, "min("+x+")")
			add(false, "max("+x+")")
		}
	}
	return columns, keys
}

// take adds one row of the statement to its group.
func (g *Aggregation) take(r engine.Row) error {
	at := 0
	next := func(k schema.Kind) schema.Value {
		at++
		return r.Value(at-1, k)
	}
	for i, group := range g.a.Groups {
		cell := query.Cell{Periods: g.periods[i]}
		switch {
		case group.Unit != "":
			var err error
			if cell.Key, err = g.place(i, next); err != nil {
				return err
			}
		case group.Keyed():
			cell.Key, cell.Shown = next(schema.Text), next(group.Leaf.Kind)
			cell.Spellings = !g.plan.loose && next(group.Leaf.Kind) != cell.Shown
		default:
			cell.Key = next(group.Leaf.Kind)
			cell.Shown = cell.Key
		}
		g.cells[i] = cell
	}
	into, err := g.group()
	if err != nil {
		return err
	}
	n := int64(1)
	if !g.plan.loose {
		n = next(schema.Integer).N
	}
	into.n += n
	for i, f := range g.fields {
		s := &into.fields[i]
		if g.plan.loose || f.inexact() {
			s.addValue(next(f.Leaf.Kind), n, f)
			continue
		}
		if f.counted {
			s.n += next(schema.Integer).N
		}
		if f.added {
			high := next(schema.Integer)
			s.any = s.any || high.Set
			if g.plan.plain {
				s.sum.add(high.N)
			} else {
				s.sum.addParts(high.N, next(schema.Integer).N)
			}
		}
		if f.bounded {
			s.bound(next(f.Leaf.Kind), next(f.Leaf.Kind))
		}
	}
	return nil
}

// place reads the place of a period.
func (g *Aggregation) place(i int, next func(schema.Kind) schema.Value) (schema.Value, error) {
	kind := schema.Integer
	if g.plan.loose {
		kind = g.a.Groups[i].Leaf.Kind
	}
	v := next(kind)
	if !v.Set {
		return schema.Absent(schema.Integer), nil
	}
	place := -1
	if g.plan.loose {
		place = g.periods[i].At(v.N)
	} else {
		place = g.periods[i].Place(v.N)
	}
	if place < 0 {
		return v, ErrMoved
	}
	return room.Integer(int64(place)), nil
}

// group finds the group that g.cells name. Neighbours mostly belong to the same.
func (g *Aggregation) group() (*group, error) {
	if g.last != nil && g.last.is(g.cells) {
		g.last.meet(g.cells)
		return g.last, nil
	}
	if g.groups == nil {
		if g.last != nil {
			g.first.add(g.last.row(g.a, g.fields))
		}
		g.last = g.newGroup()
		return g.last, nil
	}
	g.key = g.key[:0]
	for _, cell := range g.cells {
		g.key = room.AppendValue(g.key, cell.Key)
	}
	found := g.groups[string(g.key)]
	switch {
	case found != nil:
		found.meet(g.cells)
	case len(g.groups) >= g.t.MostGroups:
		return nil, errManyGroups
	default:
		found = g.newGroup()
		g.groups[string(g.key)] = found
	}
	g.last = found
	return found, nil
}

func (g *Aggregation) newGroup() *group {
	return &group{cells: slices.Clone(g.cells), fields: make([]sums, len(g.fields))}
}

// findPeriods makes the periods of a group: those between the first and the last of its times. Where one of them lies so far off
// that there would be too many, the database is asked in which years there are any.
func (g *Aggregation) findPeriods(ctx context.Context, c engine.Conn, i int) (*query.Periods, error) {
	by := g.a.Groups[i]
	kind := by.Leaf.Kind
	periods := query.NewPeriods(by.Unit, kind, g.a.Zone)
	low, high, err := g.extent(ctx, c, by.Path)
	if err != nil || !low.Set {
		return periods, err
	}
	if !periods.Many(low.N, high.N) {
		periods.Cover(low.N, high.N)
		return periods, nil
	}
	years := query.NewPeriods(query.Year, kind, time.UTC)
	years.Cover(low.N, high.N)
	b := g.t.Builder()
	from, where := g.source(b)
	x := b.stored(alias(by.Path), by.Leaf)
	where = append(where, x+" IS NOT NULL")
	sql := "SELECT " + b.Dialect.StartsUpTo(&b.Arguments, x, years) + ", min(" + x + "), max(" + x + ") FROM " + from +
		" WHERE " + strings.Join(where, " AND ") +
		" GROUP BY 1 ORDER BY 1"
	fits := true
	err = c.Weigh(ctx, sql, b.Values, func(r engine.Row) error {
		fits = fits && periods.Cover(r.Value(1, kind).N, r.Value(2, kind).N)
		return nil
	})
	if err == nil && !fits {
		var wrong problem.Fields
		wrong.Add(fmt.Sprintf("group_by[%d]", i), "too_many",
			fmt.Sprintf("has records in more than %d periods; take a longer unit, or filter by time", query.MaxPeriods))
		err = wrong.Err()
	}
	return periods, err
}

// extent is between which values those of a field lie that are measured. Where an index has them in order, its ends are taken: a
// few more periods than needed do no harm.
func (g *Aggregation) extent(ctx context.Context, c engine.Conn, p query.Path) (low, high schema.Value, err error) {
	b := g.t.Builder()
	x := b.stored(alias(p), p.Leaf)
	var sql string
	if p.Ref < 0 && p.Leaf.Find.Sorted {
		end := func(direction string) string {
			return "(SELECT " + x + " FROM " + g.q.Resource.Plural + " t" +
				" WHERE t.business_id = " + b.TenantMark() + " AND t." + engine.Live + " AND " + x + " IS NOT NULL" +
				" ORDER BY " + x + " " + direction + ", t.id " + direction + " LIMIT 1)"
		}
		sql = "SELECT " + end("ASC") + ", " + end("DESC")
	} else {
		from, where := g.source(b)
		sql = "SELECT min(" + x + "), max(" + x + ") FROM " + from + " WHERE " + strings.Join(where, " AND ")
	}
	err = c.Weigh(ctx, sql, b.Values, func(r engine.Row) error {
		low, high = r.Value(0, p.Leaf.Kind), r.Value(1, p.Leaf.Kind)
		return nil
	})
	return low, high, err
}

// spell finds out how the texts of the rows are mostly written, where there may be several spellings of one.
func (g *Aggregation) spell(ctx context.Context, c engine.Conn) error {
	for i, by := range g.a.Groups {
		if !by.Keyed() {
			continue
		}
		unsure := map[string]bool{}
		known := map[string]string{}
		for _, r := range g.first.rows {
			cell := r.Cells[i]
			if !cell.Key.Set {
				continue
			}
			spelling, seen := known[cell.Key.S]
			if known[cell.Key.S] = cell.Shown.S; g.first.more || cell.Spellings || seen && spelling != cell.Shown.S {
				unsure[cell.Key.S] = true
			}
		}
		if len(unsure) == 0 {
			continue
		}
		best, err := g.spellings(ctx, c, by, unsure)
		if err != nil {
			return err
		}
		for _, r := range g.first.rows {
			if text, ok := best[r.Cells[i].Key.S]; ok && r.Cells[i].Key.Set {
				r.Cells[i].Shown = schema.Value{Kind: by.Leaf.Kind, Set: true, S: text}
			}
		}
	}
	return nil
}

// spellings gives the most frequent spelling of each key, and of several the smallest.
func (g *Aggregation) spellings(ctx context.Context, c engine.Conn, by query.Group, keys map[string]bool) (map[string]string, error) {
	values := make([]schema.Value, 0, len(keys))
	for key := range keys {
		values = append(values, room.Text(key))
	}
	b := g.t.Builder()
	from, where := g.source(b)
	key, value := b.compared(alias(by.Path), by.Leaf), b.stored(alias(by.Path), by.Leaf)
	where = append(where, b.Dialect.Among(&b.Arguments, key, values))
	sql := "SELECT " + key + ", " + value + ", count(*) FROM " + from + " WHERE " + strings.Join(where, " AND ") + " GROUP BY 1, 2"
	best, most := map[string]string{}, map[string]int64{}
	err := c.Weigh(ctx, sql, b.Values, func(r engine.Row) error {
		key, text, n := room.FirstText(r), r.Value(1, schema.Text).S, r.Value(2, schema.Integer).N
		if n > most[key] || n == most[key] && text < best[key] {
			best[key], most[key] = text, n
		}
		return nil
	})
	return best, err
}

// kept tells whether the figures that are asked for are among those that are kept: of fields that these are kept by, and of sums alone.
func (g *Aggregation) kept(ctx context.Context, c engine.Conn) (hold bool, err error) {
	res := g.q.Resource
	keyed := func(p query.Path) bool { return p.Ref < 0 && slices.Contains(res.Storage.Figures.Keys, p.Leaf) }
	switch {
	case !layout.KeepsFigures(res) || g.q.Bin || len(g.q.Words) > 0,
		g.q.Own != nil && slices.ContainsFunc(res.Owners, func(l *schema.Leaf) bool {
			return !slices.Contains(res.Storage.Figures.Keys, l)
		}),
		// texts are compared by their keys
		slices.ContainsFunc(g.q.Filters, func(f query.Condition) bool { return !keyed(f.Path) || f.Leaf.Key != "" }),
		slices.ContainsFunc(g.a.Groups, func(by query.Group) bool { return !keyed(by.Path) || by.Keyed() }),
		slices.ContainsFunc(g.fields, func(f measured) bool {
			return f.Ref >= 0 || f.bounded ||
				!slices.Contains(res.Storage.Figures.Sums, f.Leaf)
		}):
		return false, nil
	}
	b := g.t.Builder()
	sql := "SELECT 1 FROM business t WHERE t.business_id = " + b.TenantMark() + " AND " + g.t.figured
	err = c.Query(ctx, sql, b.Values, room.Found(&hold))
	return hold, err
}

// fromFigures reads the kept figures as if they were records: there are only those of live ones.
func (g *Aggregation) fromFigures() gathering {
	from := "(SELECT f.*, NULL AS deleted_at FROM " + layout.FigureTable(g.q.Resource) + " f) t"
	return gathering{kept: true, from: func(*Builder) (string, []string) { return from, nil }}
}
