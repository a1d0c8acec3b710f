package store

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/kith-crm/kith/internal/schema"
)

// SQLite's text index gives records in the order of their row numbers. Where that is the order of creation, a search by created_at stops as
// soon as its page is full. Nearly all records come in that order; those that had a life before they came here may come in any.
//
// So the row numbers of a business are divided into lanes. In each lane they rise with created_at and id, and a search merges the
// lanes that have rows. New records go into the first lane. Many at once that are older go into another. Single ones go onto the
// pile, the last lane, which is in no order; when it has grown, it is laid into a lane of its own, see lay.go.
const (
	// laneBits is how many bits of a row number count the rows of one lane.
	laneBits = 37
	lanes    = 1 << (rowBits - laneBits)
	pile     = lanes - 1
	// enoughForALane is how many older records must come at once to begin a lane. Each lane is one more place to look.
	enoughForALane = 64
)

// rowBits is how many bits of a row number count the rows of one business.
const rowBits = 40

// rowRange is the range of row numbers of a business.
func rowRange(business schema.Value) (low, high int64) {
	return business.N << rowBits, business.N<<rowBits | (1<<rowBits - 1)
}

// laneSet says what the lanes of a business are used for. It is kept as a tally, one for each table.
type laneSet int64

const (
	// unorderedFirst tells that the rows of the first lane are in no order, as they were before there were others.
	unorderedFirst laneSet = 1
	// laidInto marks, shifted by a lane, that rows are being laid into it, and laidFrom that they are taken from it: see lay.go.
	// Nothing else is added to either.
	laidInto laneSet = 1 << lanes
	laidFrom laneSet = 1 << (2 * lanes)
)

func (s laneSet) has(lane int) bool { return lane == 0 || s&(1<<lane) != 0 }

// ordered tells whether the rows of a lane lie in the order of their creation.
func (s laneSet) ordered(lane int) bool {
	return lane != pile && (lane != 0 || s&unorderedFirst == 0)
}

// used lists the lanes that may have rows.
func (s laneSet) used() []int {
	var all []int
	for lane := range lanes {
		if s.has(lane) {
			all = append(all, lane)
		}
	}
	return all
}

// free lists the lanes that have none, and take records in order.
func (s laneSet) free() []int {
	var all []int
	for lane := range pile {
		if !s.has(lane) {
			all = append(all, lane)
		}
	}
	return all
}

func lanesName(table string) string { return table + ".lanes" }

// laneRange is the range of row numbers of one lane of a business. The lowest is never given.
func laneRange(business schema.Value, lane int) (low, high int64) {
	low = business.N<<rowBits | int64(lane)<<laneBits
	return low, low | (1<<laneBits - 1)
}

// creation is the place of a record in the order of creation.
type creation struct {
	at int64
	id schema.UUID
}

func (a creation) compare(b creation) int {
	return cmp.Or(cmp.Compare(a.at, b.at), bytes.Compare(a.id[:], b.id[:]))
}

func creationOf(rec *schema.Record) creation {
	return creation{rec.Get(rec.Common.CreatedAt).N, rec.ID()}
}

// byCreation gives records in the order of their creation. Most come so.
func byCreation(recs []*schema.Record) []*schema.Record {
	earlier := func(a, b *schema.Record) int { return creationOf(a).compare(creationOf(b)) }
	if slices.IsSortedFunc(recs, earlier) {
		return recs
	}
	recs = slices.Clone(recs)
	slices.SortStableFunc(recs, earlier)
	return recs
}

// lastRow finds the highest row number of a range and what stands there. Where there is none, it is the number before the range.
func (t Tenant) lastRow(ctx context.Context, c conn, table string, low, high int64) (rid int64, made creation, err error) {
	b := newBuilder(t.s.engine, t.key)
	// The plus keeps SQLite from looking for the business in an index: its rows are a range of row numbers.
	sql := "SELECT t.rid, t.created_at, t.id FROM " + table + " t WHERE +t.business_id = " + b.tenantMark() +
		" AND t.rid BETWEEN " + b.arg(schema.IntValue(schema.Integer, low)) + " AND " + b.arg(schema.IntValue(schema.Integer, high)) + " ORDER BY t.rid DESC LIMIT 1"
	rid = low - 1
	err = c.query(ctx, sql, b.args, func(r row) error {
		rid, made = r.Value(0, schema.Integer).N, creation{r.Value(1, schema.Time).N, r.Value(2, schema.ID).UUID()}
		return nil
	})
	return rid, made, err
}

// nextRows is the first of the row numbers for records that are in the order of their creation.
func (tx *Tx) nextRows(res *schema.Resource, recs []*schema.Record) (int64, error) {
	first := creationOf(recs[0])
	low, high := laneRange(tx.key, 0)
	last, made, err := tx.lastRow(tx.ctx, tx.c, res.Plural, low+1, high)
	if err != nil || last == low || made.compare(first) <= 0 {
		return last + 1, err
	}
	n, err := tx.tally(tx.ctx, tx.c, lanesName(res.Plural))
	if err != nil {
		return 0, err
	}
	set, lane := laneSet(n), pile
	if len(recs) >= enoughForALane {
		if lane, err = tx.laneFor(res, set, first); err != nil {
			return 0, err
		}
	}
	if !set.has(lane) {
		if err := tx.add(lanesName(res.Plural), 1<<lane); err != nil {
			return 0, err
		}
	}
	low, high = laneRange(tx.key, lane)
	last, _, err = tx.lastRow(tx.ctx, tx.c, res.Plural, low+1, high)
	return last + 1, err
}

// laneFor finds a lane whose rows are all older: the one that ends nearest to the new ones, or else a free one. One stays free to lay the
// pile into.
func (tx *Tx) laneFor(res *schema.Resource, set laneSet, first creation) (int, error) {
	best, nearest := pile, creation{}
	for _, lane := range set.used() {
		if !set.ordered(lane) || set&((laidInto|laidFrom)<<lane) != 0 {
			continue
		}
		low, high := laneRange(tx.key, lane)
		last, made, err := tx.lastRow(tx.ctx, tx.c, res.Plural, low+1, high)
		if err != nil {
			return 0, err
		}
		if last > low && made.compare(first) <= 0 && (best == pile || made.compare(nearest) > 0) {
			best, nearest = lane, made
		}
	}
	if free := set.free(); best == pile && len(free) > 1 {
		best = free[0]
	}
	return best, nil
}
