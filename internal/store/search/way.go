package search

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
	"github.com/kith-crm/kith/internal/store/layout"
)

// driver is an index that finds the candidates of a search by one of its conditions. The others are tested on what it finds.
type driver struct {
	index string
	// where is the condition that the index serves; added tells that it comes beside those of the search and is not one of them.
	where func(b *Builder) string
	added bool
	// index entries are what finds the candidates where it is not an index of the records themselves, or nil.
	customEntries *customEntryRange
	// rank says how narrow such a condition usually is, narrow ones first.
	rank int
	// ordered tells that the index gives its candidates in the asked order.
	ordered bool
	// many tells that it is known to have many, or that asking would cost too much.
	many bool
	// fits gives the records of statistics that fulfil the condition, or nil where it cannot tell.
	fits func(k *fieldStatistics) *recordSet
	// rows is how many candidates it has, about, by statistics.
	rows float64
}

// The ranks of drivers.
const (
	oneRecord = iota
	oneText
	oneReference
	onePart
	oneOfFew
	oneChoice
	someRange
)

// way is how a search without needles goes to its records.
type way struct {
	// nothing tells that no record can match.
	nothing bool
	// window is how many records are first walked along the asked order, or 0.
	window int
	// driver is what finds the candidates; nil leaves it to the planner.
	driver *driver
	// along is the condition by whose index PostgreSQL walks the window, where that has the asked order; nil walks by the order alone.
	along *driver
	// from is the lowest row number that a match can have, or 0, see lowestRow.
	from int64
}

// mostProbes is how many indexes a search looks into before it takes the conditions for wide.
const mostProbes = 3

// isFew is up to how many candidates are fetched and sorted at once. Where the matches of an index are spread evenly, as many
// records as these would have to be walked to fill a page: below it fetching is cheaper, above it walking.
func (s *Search) isFew() int {
	few := s.t.Few
	if few == 0 {
		return 0
	}
	return max(few, int(math.Sqrt(float64(s.q.Limit+1)*float64(s.state.count))))
}

// walkFilters runs one phase of a search without needles.
func (s *Search) walkFilters(ctx context.Context, c engine.Conn, p phase) (err error) {
	if err := s.choose(ctx, c); err != nil {
		return err
	}
	w := s.way
	if w.nothing {
		return nil
	}
	if none, err := s.allFiled(ctx, c, p); err != nil || none {
		return err
	}
	if along := s.alongCustomEntries(p); along != nil {
		if done, err := s.walkCustomEntries(ctx, c, p, along); err != nil || done {
			return err
		}
	} else if w.window > 0 && (s.q.Order.Leaf.Find.Sorted || !p.absent) {
		if full, err := s.tryWindow(ctx, c, p, w.window); err != nil || full {
			return err
		}
	}
	run := c.Query
	if s.q.Filtered() {
		run = c.Weigh // which index is the best depends on how many records have the values
	}
	_, err = s.fill(ctx, run, p, plainWalk)
	return err
}

// choose chooses the way of a search without needles, once.
func (s *Search) choose(ctx context.Context, c engine.Conn) (err error) {
	if !s.chosen && !s.q.Bin && s.q.Filtered() {
		s.way, err = s.t.Planner.chooseWay(ctx, c, s)
	}
	s.chosen = err == nil
	return err
}

// ownDrivers are the drivers of the filters on the searched records themselves.
func ownDrivers(q *query.Query) (all []driver) {
	if q.Own != nil && !q.Shared && len(q.Resource.Owners) == 1 {
		owner := q.Resource.Owners[0]
		if owner.Find.Indexed {
			d := newDriver(q, owner, true, func(b *Builder) string { return b.Own("t", q.Resource, *q.Own) })
			d.fits = func(k *fieldStatistics) *recordSet { return k.reading(owner, ownedBy(*q.Own)) }
			all = append(all, d)
		}
	}
	for _, f := range q.Filters {
		if f.Ref >= 0 || !served(f) {
			continue
		}
		one := f.Operator == query.Eq || f.Operator == query.IsNotSet || f.Operator == query.In && len(f.Values) == 1
		d := newDriver(q, f.Leaf, one, func(b *Builder) string { return b.condition(f) })
		d.fits = func(k *fieldStatistics) *recordSet { return k.condition(f) }
		switch {
		case f.Operator == query.IsNotSet:
			d.rank = oneChoice
		case !one && f.Operator != query.In:
			d.rank = someRange
		}
		all = append(all, d)
	}
	return all
}

// ownedBy tells whether a field names a user.
func ownedBy(user schema.UUID) func(schema.Value) bool {
	return func(v schema.Value) bool { return v.Set && v.UUID() == user }
}

// served tells whether an index of the condition's field finds what the condition asks for.
func served(f query.Condition) bool {
	l := f.Leaf
	if l.Member != "" || !l.Find.Sorted && !l.Find.Indexed && !l.Identity.Unique && l.Path != "id" {
		return false
	}
	switch f.Operator {
	case query.Eq:
		return true
	case query.In:
		return l.Kind != schema.Tags && l.Kind != schema.Choices && len(f.Values) > 0
	case query.Gt, query.Gte, query.Lt, query.Lte, query.Between, query.StartsWith:
		return l.Find.Sorted || l.Find.Indexed
	case query.IsNotSet:
		return l.Key == "" && l.Lapse == nil && (l.Find.Sorted || l.Find.Indexed)
	}
	return false
}

// demanding tells whether an operator wants a value: others hold also where a reference leads nowhere.
func demanding(o query.Operator) bool {
	return o != query.Neq && o != query.Nin && o != query.IsNotSet
}

// newDriver is the driver of a condition on a leaf; one tells that it asks for one value.
func newDriver(q *query.Query, l *schema.Leaf, one bool, where func(b *Builder) string) driver {
	name := q.Resource.Name + "_" + l.Column.Name
	d := driver{where: where, rank: oneText}
	asked := ""
	if q.Order.Ref < 0 {
		asked = q.Order.Leaf.Path
	}
	switch {
	case l.Path == "id":
		d.index = q.Resource.Plural + "_id"
	case l.Identity.Unique && one:
		d.index = name
	case l.Find.Sorted && asked == l.Path:
		d.index, d.ordered = name+"_order", true
	case l.Find.Indexed && l.Find.Recent && one && asked == "updated_at":
		d.index, d.ordered = name+"_recent", true
	case l.Find.Indexed && l.Find.Named && one && asked == schema.NameField:
		d.index, d.ordered = name+"_named", true
	case l.Find.Indexed:
		d.index, d.ordered = name+"_filter", one && asked == "created_at"
	case l.Find.Sorted:
		d.index = name + "_order"
	default:
		d.index = name
	}
	switch {
	case l.Path == "id" || l.Identity.Unique:
		d.rank = oneRecord
	case l.Kind == schema.Choice || l.Kind == schema.Bool:
		d.rank = oneChoice
	case l.Target != nil && l.Target.Storage.Small:
		d.rank = oneOfFew
	case l.ListItem != nil:
		d.rank = onePart
	case l.Target != nil:
		d.rank = oneReference
	}
	return d
}

// driven is what a plain walk reads from, and the condition that the chosen driver adds.
func (s *Search) driven(b *Builder) (from string, where []string) {
	from = s.q.Resource.Plural + " t"
	if d := s.way.driver; d != nil {
		if d.customEntries != nil {
			return s.t.Planner.fromCustomEntries(b, s.q.Resource, *d.customEntries)
		}
		b.pinned = true
		from += b.Dialect.IndexedBy(d.index)
		if d.added {
			where = append(where, d.where(b))
		}
	}
	return from, where
}

// probeAll chooses by looking into the indexes, those first that are usually narrow.
func (s *Search) probeAll(ctx context.Context, c engine.Conn, drivers []driver) (w way, err error) {
	ordered := slices.IndexFunc(drivers, func(d driver) bool { return d.ordered })
	few := s.isFew()
	for i := range drivers {
		d := &drivers[i]
		if i == mostProbes || ordered >= 0 && d.rank >= drivers[ordered].rank {
			break
		}
		if d.many {
			continue
		}
		if many, err := s.probe(ctx, c, d, few); err != nil || !many {
			return way{driver: d}, err
		}
	}
	switch {
	case ordered >= 0:
		return way{driver: &drivers[ordered]}, nil
	case s.walksOrder():
		w.window = s.t.Window
		if !drivers[0].many {
			// The candidates are more than few; what a walk spends in vain is to be no more than about what fetching them costs.
			w.window = min(w.window, max(2*few, 1))
		}
	}
	w.driver = &drivers[0]
	return w, nil
}

// probe tells whether a driver has more than few candidates.
func (s *Search) probe(ctx context.Context, c engine.Conn, d *driver, few int) (many bool, err error) {
	b := s.t.Builder()
	var from string
	var where []string
	if d.customEntries != nil {
		from, where = layout.CustomTable(d.customEntries.leaf)+" x", d.customEntries.where(b)
	} else {
		from, where = s.q.Resource.Plural+" t"+b.Dialect.IndexedBy(d.index),
			[]string{"t.business_id = " + b.TenantMark(), "t." + engine.Live, d.where(b)}
	}
	sql := "SELECT 1 FROM " + from + " WHERE " + strings.Join(where, " AND ") + " LIMIT 1 OFFSET " + strconv.Itoa(few)
	err = c.Query(ctx, sql, b.Values, room.Found(&many))
	return many, err
}

// customEntryDrivers are the drivers of the filters on added fields with an index.
func customEntryDrivers(q *query.Query) (all []driver) {
	for _, f := range q.Filters {
		if !inCustomEntries(f) {
			continue
		}
		l, one := f.Leaf, isOne(f)
		d := driver{rank: oneText, customEntries: &customEntryRange{l, []query.Condition{f}, l.Kind == schema.Choices && !one}}
		switch {
		case l.Identity.Unique && one:
			d.rank = oneRecord
		case !one && f.Operator != query.In:
			d.rank = someRange
		case l.Kind == schema.Choice || l.Kind == schema.Choices || l.Kind == schema.Bool:
			d.rank = oneChoice
		case l.Target != nil:
			d.rank = oneReference
		}
		d.ordered = q.Order.Ref < 0 && (q.Order.Leaf == l && inOrder(l) || one && q.Order.Leaf == q.Resource.Common.CreatedAt)
		d.fits = func(k *fieldStatistics) *recordSet {
			if l.Kind != schema.Choices {
				return k.condition(f)
			}
			return k.reading(l, func(v schema.Value) bool {
				items := body.Strings(v)
				return v.Set && (f.Operator == query.IsSet ||
					slices.ContainsFunc(f.Values, func(item schema.Value) bool { return slices.Contains(items, item.S) }))
			})
		}
		all = append(all, d)
	}
	return all
}

// lookUp reads the ids that a statement selects, at most so many.
func (s *Search) lookUp(ctx context.Context, c engine.Conn, most int, selecting func(b *Builder) string) (ids []schema.Value, err error) {
	b := s.t.Builder()
	err = c.Query(ctx, selecting(b)+" LIMIT "+strconv.Itoa(most), b.Values, room.Collect(&ids, room.First(schema.ID)))
	return ids, err
}

// byRank puts the drivers that are usually narrow first.
func byRank(drivers []driver) {
	slices.SortStableFunc(drivers, func(a, b driver) int { return cmp.Compare(a.rank, b.rank) })
}

// linkDriver is the driver of a filter on linked records: these are looked up, and where they are few they are all that need be
// read. none tells that there are none.
func (s *Search) linkDriver(ctx context.Context, c engine.Conn, f query.Condition) (d *driver, none bool, err error) {
	if !demanding(f.Operator) || f.Operator != query.IsSet && len(f.Values) == 0 {
		return nil, false, nil
	}
	few := s.isFew()
	ids, err := s.lookUp(ctx, c, few+1, func(b *Builder) string { return b.linkCandidates(f) })
	if err != nil || len(ids) == 0 || len(ids) > few {
		return nil, err == nil && len(ids) == 0, err
	}
	made := newDriver(s.q, s.q.Resource.Common.ID, len(ids) == 1,
		func(b *Builder) string { return b.Dialect.Among(&b.Arguments, "t.id", ids) })
	made.added = true
	made.fits = func(*fieldStatistics) *recordSet { return nil }
	return &made, false, nil
}
