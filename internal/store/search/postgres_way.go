package search

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/layout"
	"github.com/kith-crm/kith/internal/store/postgres"
)

// Postgres leaves most to PostgreSQL, which has statistics.
type Postgres struct{ postgres.Dialect }

// placedTally is none: text ranges are in a table of their own.
func (Postgres) placedTally(string) string { return "" }

// choosesByState is never so: PostgreSQL has statistics of its own.
func (Postgres) choosesByState() bool { return false }

// learnState lets the state come along with the first statement of the search, where that does not depend on it: by which way to
// look for text is decided by what the last search found. That spares a trip, and makes a first page 1.3 times as fast.
func (Postgres) learnState(ctx context.Context, c engine.Conn, s *Search, then func() error) error {
	key := stateKey{s.t.id, layout.TallyName(s.q.Resource, s.q.Bin)}
	run := c.Ask
	if known, ok := s.t.states.Load(key); ok {
		s.state = known
	} else if len(needles(s.q)) > 0 {
		run = c.Query
	}
	b := s.t.Builder()
	err := run(ctx, s.asksState(b), b.Values, func(r engine.Row) error {
		before := s.state
		if s.state = readState(r); s.state != before {
			s.t.states.Store(key, s.state)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return then()
}

// Together is how they are sent anyway: those of one trip are one transaction. What follows is asked for before it is known whether
// there is a row.
func (Postgres) Together(ctx context.Context, c engine.Conn, sql string, args []schema.Value, first func(engine.Row) error,
	then func() error,
) error {
	if err := c.Ask(ctx, sql, args, first); err != nil {
		return err
	}
	return then()
}

// FirstRecords is a usual page. PostgreSQL sends all that it is asked for, whether it is read or not, and records may be large. So
// of a longer page the rest is asked for when it is known how large they are.
func (Postgres) FirstRecords() int { return 25 }

// chooseWay mostly leaves it to PostgreSQL, which has statistics of what is in its tables and chooses well by itself. But it takes
// longer to plan for the values of a filter than to read a page. So where a short walk is likely to fill the page, it is tried
// first: its plan is the same for all values, and kept. That is so along an index that has one value of a filter in the asked
// order, and for a choice, of which there are few. Deals of a stage are found 1.2 times as fast for it.
func (Postgres) chooseWay(ctx context.Context, c engine.Conn, s *Search) (way, error) {
	// Of a later page the state is not known.
	if customEntries := customEntryDrivers(s.q); len(customEntries) > 0 && (s.state.count == 0 || s.state.count > int64(s.t.Window)) {
		byRank(customEntries)
		if customEntries[0].rank == oneRecord {
			return way{driver: &customEntries[0]}, nil
		}
		return s.probeAll(ctx, c, customEntries)
	}
	if s.state.count <= int64(s.t.Window) || s.q.Order.Ref >= 0 || !s.q.Order.Leaf.Find.Sorted {
		return way{}, nil
	}
	drivers := ownDrivers(s.q)
	byRank(drivers)
	for i := range drivers {
		switch d := &drivers[i]; {
		case d.ordered && d.rank < someRange:
			// A longer walk the planner would rather sort.
			return way{window: min(s.t.Glance, 6*(s.q.Limit+1)), along: d}, nil
		case d.rank <= onePart: // it has few records, which the planner finds
			return way{}, nil
		case d.rank == oneChoice:
			return way{window: s.t.Glance}, nil
		}
	}
	return way{}, nil
}

// window renders the first records of the asked order, which are then tested.
func (Postgres) window(s *Search, b *Builder, a asked) string {
	q := s.q
	first := slices.Concat([]string{"t.business_id = " + b.TenantMark(), "t." + engine.Live}, a.position)
	if q.Own != nil {
		first = append(first, b.reached(q))
	}
	if s.way.along != nil {
		first = append(first, s.way.along.where(b))
	}
	window := "SELECT * FROM " + q.Resource.Plural + " t" +
		" WHERE " + strings.Join(first, " AND ") + a.orderBy +
		" LIMIT " + strconv.Itoa(s.window)
	held := ""
	if conditions := b.predicates(q); len(conditions) > 0 {
		held = " WHERE " + strings.Join(conditions, " AND ")
	}
	return "SELECT " + a.columns + " FROM (" + window + ") t" + b.joins(q, false) + held + a.orderBy + a.limit
}

// alongCustomEntries takes so many index entries as are needed, or may be looked through, before it reads a record: left to itself
// PostgreSQL might read all and sort them.
func (Postgres) alongCustomEntries(s *Search, b *Builder, a asked, w customEntryWalk) string {
	held, orderBy := w.held(b, a)
	limit := a.limit
	if w.window > 0 {
		limit = " LIMIT " + strconv.Itoa(w.window)
	}
	window := "SELECT x.key, x.created_at, x.record_id FROM " + layout.CustomTable(w.leaf) + " x" +
		" WHERE " + strings.Join(held, " AND ") + orderBy + limit
	return "SELECT " + a.columns + " FROM (" + window + ") x CROSS JOIN " + s.q.Resource.Plural + " t" + b.joins(s.q, false) +
		" WHERE " + w.matches(s, b) + orderBy + a.limit
}

// customEntryWindow is short where the planner finds the few records that match by another index.
func (Postgres) customEntryWindow(s *Search) int {
	if slices.ContainsFunc(ownDrivers(s.q), func(d driver) bool { return d.rank <= onePart }) {
		return s.t.Glance
	}
	return s.t.Window
}

func (Postgres) fromCustomEntries(b *Builder, res *schema.Resource, r customEntryRange) (from string, where []string) {
	kind := "SELECT "
	if r.repeats {
		kind = "SELECT DISTINCT "
	}
	// OFFSET 0 keeps it from turning into something that begins with the records.
	customEntries := "(" + kind + "x.record_id FROM " + layout.CustomTable(r.leaf) + " x WHERE " + strings.Join(r.where(b),
		" AND ") + " OFFSET 0)"
	return customEntries + " x CROSS JOIN " + res.Plural + " t", []string{"t.id = x.record_id"}
}

func (Postgres) sorted(s *Search, b *Builder, a asked, from string, where []string) string {
	return "SELECT " + a.columns + " FROM " + from + b.joins(s.q, false) + " WHERE " + strings.Join(where, " AND ") + a.orderBy + a.limit
}

// chooseGathering leaves it to PostgreSQL, which has statistics, and groups without sorting.
func (Postgres) chooseGathering(_ context.Context, _ engine.Conn, g *Aggregation) (gathering, error) {
	return gathering{plain: true, from: g.driven}, nil
}
