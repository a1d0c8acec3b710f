package store

import (
	"context"

	"github.com/kith-crm/kith/internal/schema"
)

// markRowRange notes something about the row ranges of a resource, where it is not noted yet.
func (tx *Tx) markRowRange(res *schema.Resource, mark rowRangeSet) error {
	n, err := tx.tally(tx.ctx, tx.c, rowRangesName(res.Plural))
	if err != nil || rowRangeSet(n)&mark != 0 {
		return err
	}
	return tx.add(rowRangesName(res.Plural), int64(mark))
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
