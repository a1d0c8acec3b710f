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
// So the row numbers of a business are divided into row ranges. In each row range they rise with created_at and id, and a search
// merges the row ranges that have rows. New records go into the first row range. Many at once that are older go into another.
// Single ones go onto the unordered range, the last row range, which is in no order; when it has grown, it is moved into a row
// range of its own, see sqlite_compact.go.
const (
	// rowRangeBits is how many bits of a row number count the rows of one row range.
	rowRangeBits = 37
	rowRanges    = 1 << (rowBits - rowRangeBits)
	unordered    = rowRanges - 1
	// enoughForARowRange is how many older records must come at once to begin a row range. Each row range is one more place to look.
	enoughForARowRange = 64
)

// rowBits is how many bits of a row number count the rows of one business.
const rowBits = 40

// rowRange is the range of row numbers of a business.
func rowRange(business schema.Value) (low, high int64) {
	return business.N << rowBits, business.N<<rowBits | (1<<rowBits - 1)
}

// rowRangeSet says what the row ranges of a business are used for. It is kept as a tally, one for each table.
type rowRangeSet int64

const (
	// unorderedFirst tells that the rows of the first row range are in no order, as they were before there were others.
	unorderedFirst rowRangeSet = 1
	// laidInto marks, shifted by a row range, that rows are being moved into it, and laidFrom that they are taken from it: see
	// sqlite_compact.go. Nothing else is added to either.
	laidInto rowRangeSet = 1 << rowRanges
	laidFrom rowRangeSet = 1 << (2 * rowRanges)
)

func (s rowRangeSet) has(rowRange int) bool { return rowRange == 0 || s&(1<<rowRange) != 0 }

// ordered tells whether the rows of a row range lie in the order of their creation.
func (s rowRangeSet) ordered(rowRange int) bool {
	return rowRange != unordered && (rowRange != 0 || s&unorderedFirst == 0)
}

// used lists the row ranges that may have rows.
func (s rowRangeSet) used() []int {
	var all []int
	for rowRange := range rowRanges {
		if s.has(rowRange) {
			all = append(all, rowRange)
		}
	}
	return all
}

// free lists the row ranges that have none, and take records in order.
func (s rowRangeSet) free() []int {
	var all []int
	for rowRange := range unordered {
		if !s.has(rowRange) {
			all = append(all, rowRange)
		}
	}
	return all
}

func rowRangesName(table string) string { return table + ".lanes" }

// rowRangeBounds is the range of row numbers of one row range of a business. The lowest is never given.
func rowRangeBounds(business schema.Value, rowRange int) (low, high int64) {
	low = business.N<<rowBits | int64(rowRange)<<rowRangeBits
	return low, low | (1<<rowRangeBits - 1)
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
		" AND t.rid BETWEEN " + b.arg(schema.IntValue(schema.Integer, low)) + " AND " + b.arg(schema.IntValue(schema.Integer,
		high)) + " ORDER BY t.rid DESC LIMIT 1"
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
	low, high := rowRangeBounds(tx.key, 0)
	last, made, err := tx.lastRow(tx.ctx, tx.c, res.Plural, low+1, high)
	if err != nil || last == low || made.compare(first) <= 0 {
		return last + 1, err
	}
	n, err := tx.tally(tx.ctx, tx.c, rowRangesName(res.Plural))
	if err != nil {
		return 0, err
	}
	set, rowRange := rowRangeSet(n), unordered
	if len(recs) >= enoughForARowRange {
		if rowRange, err = tx.rowRangeFor(res, set, first); err != nil {
			return 0, err
		}
	}
	if !set.has(rowRange) {
		if err := tx.add(rowRangesName(res.Plural), 1<<rowRange); err != nil {
			return 0, err
		}
	}
	low, high = rowRangeBounds(tx.key, rowRange)
	last, _, err = tx.lastRow(tx.ctx, tx.c, res.Plural, low+1, high)
	return last + 1, err
}

// rowRangeFor finds a row range whose rows are all older: the one that ends nearest to the new ones, or else a free one. One stays
// free to lay the unordered range into.
func (tx *Tx) rowRangeFor(res *schema.Resource, set rowRangeSet, first creation) (int, error) {
	best, nearest := unordered, creation{}
	for _, rowRange := range set.used() {
		if !set.ordered(rowRange) || set&((laidInto|laidFrom)<<rowRange) != 0 {
			continue
		}
		low, high := rowRangeBounds(tx.key, rowRange)
		last, made, err := tx.lastRow(tx.ctx, tx.c, res.Plural, low+1, high)
		if err != nil {
			return 0, err
		}
		if last > low && made.compare(first) <= 0 && (best == unordered || made.compare(nearest) > 0) {
			best, nearest = rowRange, made
		}
	}
	if free := set.free(); best == unordered && len(free) > 1 {
		best = free[0]
	}
	return best, nil
}
