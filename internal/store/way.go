package store

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"kith/internal/query"
	"kith/internal/schema"
)

// A filter can be answered in two ways: fetch all that an index of it has, and sort that; or walk along the asked order and leave out what
// does not match. The first is good where few match, the second where many do, and each is very bad where the other is good. SQLite
// cannot tell which it is, since its statistics are fixed. So it is not left to choose: a look into the index, which ends soon, tells.

// driver is an index that finds the candidates of a search by one of its conditions. The others are tested on what it finds.
type driver struct {
	index string
	// where is the condition that the index serves; added tells that it comes beside those of the search and is not one of them.
	where func(b *builder) string
	added bool
	// rank says how narrow such a condition usually is, narrow ones first.
	rank int
	// ordered tells that the index gives its candidates in the asked order.
	ordered bool
	// many tells that it is known to have many, or that asking would cost too much.
	many bool
	// fits gives the test of the condition by a census.
	fits func(k *census) test
	// rows is how many candidates it has, about, by a census.
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

// isFew is up to how many candidates are fetched and sorted at once. Where the matches of an index are spread evenly, as many records as these
// would have to be walked to fill a page: below it fetching is cheaper, above it walking.
func (s *searcher) isFew() int {
	few := s.t.s.few
	if few == 0 {
		return 0
	}
	return max(few, int(math.Sqrt(float64(s.q.Limit+1)*float64(s.state.count))))
}

// walkFilters runs one phase of a search without needles.
func (s *searcher) walkFilters(ctx context.Context, c conn, p phase) (err error) {
	if !s.chosen {
		if s.way, err = s.chooseWay(ctx, c); err != nil {
			return err
		}
		s.chosen = true
	}
	w := s.way
	if w.nothing {
		return nil
	}
	if w.window > 0 {
		if full, err := s.tryWindow(ctx, c, p, w.window); err != nil || full {
			return err
		}
	}
	_, err = s.fill(ctx, c, p, plainWalk)
	return err
}

// chooseWay looks for the way by a census of the business, or where it is too small for one, into the indexes of the filters.
func (s *searcher) chooseWay(ctx context.Context, c conn) (w way, err error) {
	q := s.q
	switch {
	case q.Bin || !q.Filtered():
		return way{}, nil
	case !s.t.s.engine.streams():
		return s.keptWay(), nil
	case s.state.count <= int64(s.t.s.small):
		return way{}, nil
	}
	drivers := ownDrivers(q)
	for i := range q.Refs {
		d, none, err := s.refDriver(ctx, c, i)
		if err != nil || none {
			return way{nothing: none}, err
		}
		if d != nil {
			drivers = append(drivers, *d)
		}
	}
	if len(drivers) == 0 {
		return way{}, nil
	}
	slices.SortStableFunc(drivers, func(a, b driver) int { return cmp.Compare(a.rank, b.rank) })
	if drivers[0].rank == oneRecord {
		return way{driver: &drivers[0]}, nil
	}
	known, err := s.census(ctx, c)
	switch {
	case err != nil:
		return way{}, err
	case known != nil:
		w = s.weigh(known, drivers)
	default:
		if w, err = s.probeAll(ctx, c, drivers); err != nil {
			return way{}, err
		}
	}
	if f, ok := s.sinceCreation(); ok && w.window > 0 {
		w.from, err = s.lowestRow(ctx, c, f)
	}
	return w, err
}

// sinceCreation is the filter that asks for records created since some time, where the row numbers of SQLite tell which can be.
func (s *searcher) sinceCreation() (query.Condition, bool) {
	if s.state.lanes.ordered(0) {
		for _, f := range s.q.Filters {
			if f.Ref < 0 && f.Leaf == s.q.Resource.Common.CreatedAt && (f.Operator == query.Gt || f.Operator == query.Gte || f.Operator == query.Between) {
				return f, true
			}
		}
	}
	return query.Condition{}, false
}

// lowestRow is the lowest row number of the records that a filter of sinceCreation lets through: the first in the first lane, whose row
// numbers rise with the time of creation. Those of the other lanes are all higher, so that they pass, too. A walk along another order knows
// the row numbers from the order's index, and need not fetch the records of lower ones.
func (s *searcher) lowestRow(ctx context.Context, c conn, f query.Condition) (int64, error) {
	b := newBuilder(s.t.s.engine, s.t.key)
	_, high := laneRange(s.t.key, 0)
	sql := "SELECT t.rid FROM " + s.q.Resource.Plural + " t INDEXED BY " + s.q.Resource.Name + "_created_at_order" +
		" WHERE t.business_id = " + b.tenantMark() + " AND t." + live + " AND " + b.condition(f) + " AND t.rid <= " + b.arg(schema.IntValue(schema.Integer, high)) +
		" ORDER BY t.created_at, t.id LIMIT 1"
	lowest := high + 1
	err := c.query(ctx, sql, b.args, func(r row) error {
		lowest = r.value(0, schema.Integer).N
		return nil
	})
	return lowest, err
}

// keptWay is that of PostgreSQL, which has statistics of what is in its tables and chooses well by itself. But it takes longer to plan for the values of
// a filter than to read a page. So where a short walk is likely to fill the page, it is tried first: its plan is the same for all values, and kept.
// That is so along an index that has one value of a filter in the asked order, and for a choice, of which there are few.
func (s *searcher) keptWay() way {
	if s.state.count <= int64(s.t.s.window) || s.q.Order.Ref >= 0 || !s.q.Order.Leaf.Sorted {
		return way{}
	}
	drivers := ownDrivers(s.q)
	slices.SortStableFunc(drivers, func(a, b driver) int { return cmp.Compare(a.rank, b.rank) })
	for i := range drivers {
		switch d := &drivers[i]; {
		case d.ordered && d.rank < someRange:
			// A longer walk the planner would rather sort.
			return way{window: min(s.t.s.glance, 6*(s.q.Limit+1)), along: d}
		case d.rank <= onePart: // it has few records, which the planner finds
			return way{}
		case d.rank == oneChoice:
			return way{window: s.t.s.glance}
		}
	}
	return way{}
}

// scattered is how much more it costs to fetch a record in the asked order than in that of an index of candidates, most of which lie in the
// order of their creation as the records do.
const scattered = 2

// passed is what it costs, of a record that is fetched, to pass over one by its row number.
const passed = 0.25

// weigh chooses by a census.
func (s *searcher) weigh(known *census, drivers []driver) (w way) {
	q := s.q
	var tests []test
	unknown := len(q.Words) > 0 || q.Own != nil && len(q.Resource.Owners) != 1
	for _, f := range q.Filters {
		if t := known.condition(f); t != nil {
			tests = append(tests, t)
		} else if f.Ref < 0 || !demanding(f.Operator) {
			unknown = true
		}
	}
	best, ordered := 0, -1
	for i := range drivers {
		d := &drivers[i]
		t := d.fits(known)
		d.rows = known.share(t) * float64(s.state.count)
		if d.added {
			tests = append(tests, t)
			unknown = unknown || t == nil
		}
		if d.rows < drivers[best].rows {
			best = i
		}
		if d.ordered && (ordered < 0 || d.rows < drivers[ordered].rows) {
			ordered = i
		}
	}
	if q.Own != nil && len(q.Resource.Owners) == 1 {
		tests = append(tests, known.reading(q.Resource.Owners[0], ownedBy(*q.Own)))
	}
	w.driver = &drivers[best]
	// walked is how many records go by until the page is full, if the matches are spread evenly.
	walked := float64(q.Limit+1) / known.share(tests...)
	switch {
	case ordered >= 0:
		if along := walked * drivers[ordered].rows / float64(s.state.count); along < scattered*w.driver.rows {
			w.driver = &drivers[ordered]
		}
	case q.Order.Ref < 0 && q.Order.Leaf.Sorted:
		each := float64(scattered)
		if f, ok := s.sinceCreation(); ok {
			each = passed + scattered*known.share(known.condition(f))
		}
		if each*walked > w.driver.rows {
			break
		}
		w.window = s.t.s.window
		if !unknown {
			w.window = min(w.window, int(4*walked))
		}
		w.window = min(w.window, int(scattered*w.driver.rows/each)+1)
	}
	return w
}

// probeAll chooses by looking into the indexes, those first that are usually narrow.
func (s *searcher) probeAll(ctx context.Context, c conn, drivers []driver) (w way, err error) {
	q := s.q
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
	case q.Order.Ref < 0 && q.Order.Leaf.Sorted:
		w.window = s.t.s.window
		if !drivers[0].many {
			// The candidates are more than few; what a walk spends in vain is to be no more than about what fetching them costs.
			w.window = min(w.window, max(2*few, 1))
		}
	}
	w.driver = &drivers[0]
	return w, nil
}

// probe tells whether a driver has more than few candidates.
func (s *searcher) probe(ctx context.Context, c conn, d *driver, few int) (many bool, err error) {
	b := newBuilder(s.t.s.engine, s.t.key)
	sql := "SELECT 1 FROM " + s.q.Resource.Plural + " t INDEXED BY " + d.index +
		" WHERE t.business_id = " + b.tenantMark() + " AND t." + live + " AND " + d.where(b) +
		" LIMIT 1 OFFSET " + strconv.Itoa(few)
	err = c.query(ctx, sql, b.args, func(row) error {
		many = true
		return nil
	})
	return many, err
}

// ownDrivers are the drivers of the filters on the searched records themselves.
func ownDrivers(q *query.Query) (all []driver) {
	if q.Own != nil && len(q.Resource.Owners) == 1 {
		owner := q.Resource.Owners[0]
		if owner.Indexed {
			d := newDriver(q, owner, true, func(b *builder) string { return b.own("t", q.Resource, *q.Own) })
			d.fits = func(k *census) test { return k.reading(owner, ownedBy(*q.Own)) }
			all = append(all, d)
		}
	}
	for _, f := range q.Filters {
		if f.Ref >= 0 || !served(f) {
			continue
		}
		one := f.Operator == query.Eq || f.Operator == query.IsNotSet || f.Operator == query.In && len(f.Values) == 1
		d := newDriver(q, f.Leaf, one, func(b *builder) string { return b.condition(f) })
		d.fits = func(k *census) test { return k.condition(f) }
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
	if !l.Sorted && !l.Indexed && !l.Unique && l.Path != "id" {
		return false
	}
	switch f.Operator {
	case query.Eq:
		return true
	case query.In:
		return l.Kind != schema.Tags && l.Kind != schema.Choices && len(f.Values) > 0
	case query.Gt, query.Gte, query.Lt, query.Lte, query.Between, query.StartsWith:
		return l.Sorted || l.Indexed
	case query.IsNotSet:
		return l.Key == "" && l.Lapse == nil && (l.Sorted || l.Indexed)
	}
	return false
}

// demanding tells whether an operator wants a value: others hold also where a reference leads nowhere.
func demanding(o query.Operator) bool {
	return o != query.Neq && o != query.Nin && o != query.IsNotSet
}

// newDriver is the driver of a condition on a leaf; one tells that it asks for one value.
func newDriver(q *query.Query, l *schema.Leaf, one bool, where func(b *builder) string) driver {
	name := q.Resource.Name + "_" + l.Column
	d := driver{where: where, rank: oneText}
	asked := ""
	if q.Order.Ref < 0 {
		asked = q.Order.Leaf.Path
	}
	switch {
	case l.Path == "id":
		d.index = q.Resource.Plural + "_id"
	case l.Unique && one:
		d.index = name
	case l.Sorted && asked == l.Path:
		d.index, d.ordered = name+"_order", true
	case l.Indexed && l.Recent && one && asked == "updated_at":
		d.index, d.ordered = name+"_recent", true
	case l.Indexed && l.Named && one && asked == schema.NameField:
		d.index, d.ordered = name+"_named", true
	case l.Indexed:
		d.index, d.ordered = name+"_filter", one && asked == "created_at"
	case l.Sorted:
		d.index = name + "_order"
	default:
		d.index = name
	}
	switch {
	case l.Path == "id" || l.Unique:
		d.rank = oneRecord
	case l.Kind == schema.Choice || l.Kind == schema.Bool:
		d.rank = oneChoice
	case l.Target != nil && l.Target.Few:
		d.rank = oneOfFew
	case l.Part != nil:
		d.rank = onePart
	case l.Target != nil:
		d.rank = oneReference
	}
	return d
}

// refDriver is the driver of the filters on what a reference leads to: the records that it may lead to are looked up, and the searched ones
// are found by the index of the reference. Where there are too many to name, or looking them up would take as long as the search, the
// index is asked for all of them, but only after a walk along the order. none tells that there are none, and so no match either.
func (s *searcher) refDriver(ctx context.Context, c conn, ref int) (d *driver, none bool, err error) {
	q := s.q
	via := q.Refs[ref].Via
	var filters []query.Condition
	demanded, quick := false, via.Part != nil || via.Target != nil && via.Target.Few
	for _, f := range q.Filters {
		if f.Ref != ref {
			continue
		}
		filters = append(filters, f)
		if demanding(f.Operator) {
			demanded = true
			quick = quick || served(f)
		}
	}
	if !demanded || !via.Indexed {
		return nil, false, nil
	}
	referred := func(b *builder) string {
		a := alias(query.Path{Ref: ref})
		table, where := b.referred(q, ref)
		for _, f := range filters {
			where = append(where, b.condition(f))
		}
		return "SELECT " + a + ".id FROM " + table + " " + a + " WHERE " + strings.Join(where, " AND ")
	}
	column := "t." + via.Column
	made := newDriver(q, via, false, func(b *builder) string { return column + " IN (" + referred(b) + ")" })
	made.added, made.many = true, true
	made.fits = func(*census) test { return nil }
	if !quick {
		return &made, false, nil
	}
	b := newBuilder(s.t.s.engine, s.t.key)
	few := s.isFew()
	var ids []schema.Value
	sql := referred(b) + " LIMIT " + strconv.Itoa(few+1)
	err = c.query(ctx, sql, b.args, func(r row) error {
		ids = append(ids, schema.IDValue(r.value(0, schema.ID).UUID()))
		return nil
	})
	switch {
	case err != nil || len(ids) == 0:
		return nil, err == nil, err
	case len(ids) <= few:
		made = newDriver(q, via, len(ids) == 1, func(b *builder) string { return b.d.among(b, column, ids) })
		made.added = true
		made.fits = func(k *census) test {
			return k.reading(via, func(v schema.Value) bool { return v.Set && slices.Contains(ids, v) })
		}
	}
	return &made, false, nil
}

// driven is what a plain walk reads from, and the condition that the chosen driver adds.
func (s *searcher) driven(b *builder) (from string, where []string) {
	from = s.q.Resource.Plural + " t"
	if d := s.way.driver; d != nil {
		b.pinned = true
		from += " INDEXED BY " + d.index
		if d.added {
			where = append(where, d.where(b))
		}
	}
	return from, where
}

// sqliteWindow renders a window of the order's index, whose rows are fetched and tested one by one as the page asks for them.
func (s *searcher) sqliteWindow(b *builder, columns, inOrder, limit string) string {
	q := s.q
	b.pinned = true
	where := b.predicates(q)
	if q.Own != nil {
		where = append(where, b.own("t", q.Resource, *q.Own))
	}
	if s.way.from > 0 {
		where = append(where, "k.rid >= "+b.arg(schema.IntValue(schema.Integer, s.way.from)))
	}
	table := q.Resource.Plural
	window := "SELECT t.rid FROM " + table + " t INDEXED BY " + orderIndex(q) + " WHERE " + inOrder + " LIMIT " + strconv.Itoa(s.window)
	return "SELECT " + columns + " FROM (" + window + ") k CROSS JOIN " + table + " t ON t.rid = k.rid" + b.joins(q, false) + " WHERE " + strings.Join(where, " AND ") + limit
}
