package search

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
	"github.com/kith-crm/kith/internal/store/layout"
	"github.com/kith-crm/kith/internal/store/sqlite"
)

// A filter can be answered in two ways: fetch all that an index of it has, and sort that; or walk along the asked order and leave out what
// does not match. The first is good where few match, the second where many do, and each is very bad where the other is good. SQLite
// cannot tell which it is, since its statistics are fixed. So it is not left to choose: a look into the index, which ends soon, tells. By
// the name of a company contacts are found 130 times as fast for it.

// SQLite chooses ways for SQLite, which has no statistics of a business: it weighs by what the store knows.
type SQLite struct{ sqlite.Dialect }

// placedTally has the row ranges in which a business has rows.
func (SQLite) placedTally(table string) string { return sqlite.RowRangesName(table) }

// choosesByState is always so: SQLite's statistics are fixed, so every way is chosen here.
func (SQLite) choosesByState() bool { return true }

// learnState runs what follows while the state is being read, so that all of a search is read in one transaction, as it was at one
// moment: rows may be laid elsewhere meanwhile.
func (SQLite) learnState(ctx context.Context, c engine.Conn, s *Search, then func() error) error {
	b := s.t.Builder()
	return c.Query(ctx, s.asksState(b), b.Values, func(r engine.Row) error {
		s.state = readState(r)
		return then()
	})
}

// Together runs what follows while the row is being read. To begin and end a transaction for each statement takes up to a tenth
// of a timeline's time, and what is read would not be of one moment.
func (SQLite) Together(ctx context.Context, c engine.Conn, sql string, args []schema.Value, first func(engine.Row) error,
	then func() error,
) error {
	return c.Query(ctx, sql, args, func(r engine.Row) error {
		if err := first(r); err != nil {
			return err
		}
		return then()
	})
}

// FirstRecords is the whole page: rows are computed one by one as they are read, and no further.
func (SQLite) FirstRecords() int { return 0 }

// chooseWay looks for the way by statistics of the business, or where it is too small for one, into the indexes of the filters.
func (SQLite) chooseWay(ctx context.Context, c engine.Conn, s *Search) (w way, err error) {
	q := s.q
	if s.state.count <= int64(s.t.Small) {
		return way{}, nil
	}
	drivers := append(ownDrivers(q), customEntryDrivers(q)...)
	var elsewhere []func() (d *driver, none bool, err error)
	for i := range q.Refs {
		elsewhere = append(elsewhere, func() (*driver, bool, error) { return s.refDriver(ctx, c, i) })
	}
	for _, f := range q.Filters {
		if f.Leaf.Kind == schema.Links {
			elsewhere = append(elsewhere, func() (*driver, bool, error) { return s.linkDriver(ctx, c, f) })
		}
	}
	for _, look := range elsewhere {
		d, none, err := look()
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
	byRank(drivers)
	if drivers[0].rank == oneRecord {
		return way{driver: &drivers[0]}, nil
	}
	known, err := s.fieldStatistics(ctx, c)
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
func (s *Search) sinceCreation() (query.Condition, bool) {
	if sqlite.RowRangeSet(s.state.placed).Ordered(0) {
		for _, f := range s.q.Filters {
			if f.Ref < 0 && f.Leaf == s.q.Resource.Common.CreatedAt &&
				(f.Operator == query.Gt || f.Operator == query.Gte || f.Operator == query.Between) {
				return f, true
			}
		}
	}
	return query.Condition{}, false
}

// lowestRow is the lowest row number of the records that a filter of sinceCreation lets through: the first in the first row range,
// whose row numbers rise with the time of creation. Those of the other row ranges are all higher, so that they pass, too. A walk
// along another order knows the row numbers from the order's index, and need not fetch the records of lower ones, which makes it 2.8
// times as fast where a twenty-fifth are that young.
func (s *Search) lowestRow(ctx context.Context, c engine.Conn, f query.Condition) (int64, error) {
	b := s.t.Builder()
	_, high := sqlite.RowRangeBounds(s.t.key, 0)
	sql := "SELECT t.rid FROM " + s.q.Resource.Plural + " t INDEXED BY " + s.q.Resource.Name + "_created_at_order" +
		" WHERE t.business_id = " + b.TenantMark() + " AND t." + engine.Live + " AND " + b.condition(f) +
		" AND t.rid <= " + b.Arg(room.Integer(high)) +
		" ORDER BY t.created_at, t.id LIMIT 1"
	lowest := high + 1
	err := c.Query(ctx, sql, b.Values, room.Into(&lowest, room.FirstInt))
	return lowest, err
}

// scattered is how much more it costs to fetch a record in the asked order than in that of an index of candidates, most of which lie in the
// order of their creation as the records do.
const scattered = 2

// passed is what it costs, of a record that is fetched, to pass over one by its row number.
const passed = 0.25

// weigh chooses by statistics.
func (s *Search) weigh(known *fieldStatistics, drivers []driver) (w way) {
	q := s.q
	var tests []*recordSet
	unknown := len(q.Words) > 0 || q.Own != nil && (q.Shared || len(q.Resource.Owners) != 1)
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
	if q.Own != nil && !q.Shared && len(q.Resource.Owners) == 1 {
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
	case s.walksOrder():
		each := float64(scattered)
		if f, ok := s.sinceCreation(); ok {
			each = passed + scattered*known.share(known.condition(f))
		}
		if each*walked > w.driver.rows {
			break
		}
		w.window = s.t.Window
		if !unknown {
			w.window = min(w.window, int(4*walked))
		}
		w.window = min(w.window, int(scattered*w.driver.rows/each)+1)
	}
	return w
}

// refDriver is the driver of the filters on what a reference leads to: the records that it may lead to are looked up, and the searched ones
// are found by the index of the reference. Where there are too many to name, or looking them up would take as long as the search, the
// index is asked for all of them, but only after a walk along the order. none tells that there are none, and so no match either.
func (s *Search) refDriver(ctx context.Context, c engine.Conn, ref int) (d *driver, none bool, err error) {
	q := s.q
	via := q.Refs[ref].Via
	var filters []query.Condition
	demanded, quick := false, via.ListItem != nil || via.Target != nil && via.Target.Storage.Small
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
	if !demanded || !via.Find.Indexed || via.Member != "" {
		return nil, false, nil
	}
	referred := func(b *Builder) string {
		a := alias(query.Path{Ref: ref})
		table, where := b.referred(q, ref)
		for _, f := range filters {
			where = append(where, b.condition(f))
		}
		return "SELECT " + a + ".id FROM " + table + " " + a + " WHERE " + strings.Join(where, " AND ")
	}
	column := "t." + via.Column.Name
	made := newDriver(q, via, false, func(b *Builder) string { return column + " IN (" + referred(b) + ")" })
	made.added, made.many = true, true
	made.fits = func(*fieldStatistics) *recordSet { return nil }
	if !quick {
		return &made, false, nil
	}
	few := s.isFew()
	ids, err := s.lookUp(ctx, c, few+1, referred)
	switch {
	case err != nil || len(ids) == 0:
		return nil, err == nil, err
	case len(ids) <= few:
		made = newDriver(q, via, len(ids) == 1, func(b *Builder) string { return b.Dialect.Among(&b.Arguments, column, ids) })
		made.added = true
		made.fits = func(k *fieldStatistics) *recordSet { return k.reading(via, oneOf(ids)) }
	}
	return &made, false, nil
}

// window renders a window of the order's index, whose rows are fetched and tested one by one as the page asks for them.
func (d SQLite) window(s *Search, b *Builder, a asked) string {
	q := s.q
	b.pinned = true
	inOrder := slices.Concat([]string{"t.business_id = " + b.TenantMark(), "t." + engine.Live}, a.position)
	where := b.predicates(q)
	if q.Own != nil {
		where = append(where, b.reached(q))
	}
	if s.way.from > 0 {
		where = append(where, "k.rid >= "+b.Arg(room.Integer(s.way.from)))
	}
	table := q.Resource.Plural
	window := "SELECT t.rid FROM " + table + " t" + d.IndexedBy(orderIndex(q)) +
		" WHERE " + strings.Join(inOrder, " AND ") + a.orderBy +
		" LIMIT " + strconv.Itoa(s.window)
	return "SELECT " + a.columns +
		" FROM (" + window + ") k CROSS JOIN " + table + " t ON t.rid = k.rid" + b.joins(q, false) +
		" WHERE " + strings.Join(where, " AND ") + a.limit
}

// orderIndex names the index of the asked order.
func orderIndex(q *query.Query) string {
	return q.Resource.Name + "_" + q.Order.Leaf.Column.Name + "_order"
}

// alongCustomEntries has index entries in front. Rows are computed as they are read, so it need not be said how many are looked through.
func (d SQLite) alongCustomEntries(s *Search, b *Builder, a asked, w customEntryWalk) string {
	b.pinned = true
	res, table := s.q.Resource, layout.CustomTable(w.leaf)
	if w.by == "created_at" {
		table += " x" + d.IndexedBy(table+"_filter")
	} else {
		table += " x"
	}
	held, orderBy := w.held(b, a)
	records := " CROSS JOIN " + res.Plural + " t" + d.IndexedBy(sqlite.IDIndexName(res.Plural)) + b.joins(s.q, false)
	if w.window == 0 {
		return "SELECT " + a.columns + " FROM " + table + records +
			" WHERE " + strings.Join(held, " AND ") + " AND " + w.matches(s, b) + orderBy + a.limit
	}
	window := "SELECT x.record_id FROM " + table + " WHERE " + strings.Join(held, " AND ") + orderBy + " LIMIT " + strconv.Itoa(w.window)
	return "SELECT " + a.columns + " FROM (" + window + ") x" + records + " WHERE " + w.matches(s, b) + a.limit
}

// customEntryWindow is none: a walk that reads on costs no more than fetching all.
func (SQLite) customEntryWindow(*Search) int { return 0 }

func (d SQLite) fromCustomEntries(b *Builder, res *schema.Resource, r customEntryRange) (from string, where []string) {
	b.pinned = true
	source, where := layout.CustomTable(r.leaf), r.where(b)
	if r.repeats {
		source, where = "(SELECT DISTINCT x.record_id FROM "+source+" x WHERE "+strings.Join(where, " AND ")+")", nil
	}
	return source + " x CROSS JOIN " + res.Plural + " t" + d.IndexedBy(sqlite.IDIndexName(res.Plural)), append(where, "t.id = x.record_id")
}

// sorted takes care of memory. SQLite sorts rows with all that is selected of them, in memory that it then keeps: a page of large
// records took a hundred megabytes. So where records may be large only their places are sorted, and they are read afterwards, one
// by one. A subquery with a limit keeps its order, and a cross join comes after it.
func (SQLite) sorted(s *Search, b *Builder, a asked, from string, where []string) string {
	q := s.q
	matches := from + b.joins(q, false) + " WHERE " + strings.Join(where, " AND ") + a.orderBy + a.limit
	inOrder := q.Order.Ref < 0 && q.Order.Leaf.Find.Sorted && !q.Filtered() || s.way.driver != nil && s.way.driver.ordered
	if inOrder || !large(q) {
		return "SELECT " + a.columns + " FROM " + matches
	}
	return "SELECT " + a.columns +
		" FROM (SELECT t.rid FROM " + matches + ") k CROSS JOIN " + q.Resource.Plural + " t ON t.rid = k.rid" + b.joins(q, false)
}

// large tells whether a record may be answered with more than a few kilobytes.
func large(q *query.Query) bool {
	texts := func(l *schema.Leaf) bool { return l.Kind == schema.LongText || l.Kind == schema.List || l.Reads != nil }
	return slices.ContainsFunc(q.Leaves, texts) ||
		slices.ContainsFunc(q.Through, func(t query.Through) bool { return slices.ContainsFunc(t.Leaves, texts) })
}
