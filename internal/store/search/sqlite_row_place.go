package search

import (
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/sqlite"
)

// markRowRange notes something about the row ranges of a resource, where it is not noted yet.
func (w *Writing) markRowRange(res *schema.Resource, mark sqlite.RowRangeSet) error {
	n, err := w.Tally(w.ctx, w.c, sqlite.RowRangesName(res.Plural))
	if err != nil || sqlite.RowRangeSet(n)&mark != 0 {
		return err
	}
	return w.Add(sqlite.RowRangesName(res.Plural), int64(mark))
}

// nextRows is the first of the row numbers for records that are in the order of their creation.
func (w *Writing) nextRows(res *schema.Resource, recs []*schema.Record) (int64, error) {
	first := engine.CreationOf(recs[0])
	low, high := sqlite.RowRangeBounds(w.key, 0)
	last, made, err := w.lastRow(w.ctx, w.c, res.Plural, low+1, high)
	if err != nil || last == low || made.Compare(first) <= 0 {
		return last + 1, err
	}
	n, err := w.Tally(w.ctx, w.c, sqlite.RowRangesName(res.Plural))
	if err != nil {
		return 0, err
	}
	set, rowRange := sqlite.RowRangeSet(n), sqlite.Unordered
	if len(recs) >= sqlite.EnoughForARowRange {
		if rowRange, err = w.rowRangeFor(res, set, first); err != nil {
			return 0, err
		}
	}
	if !set.Has(rowRange) {
		if err := w.Add(sqlite.RowRangesName(res.Plural), 1<<rowRange); err != nil {
			return 0, err
		}
	}
	low, high = sqlite.RowRangeBounds(w.key, rowRange)
	last, _, err = w.lastRow(w.ctx, w.c, res.Plural, low+1, high)
	return last + 1, err
}

// rowRangeFor finds a row range whose rows are all older: the one that ends nearest to the new ones, or else a free one. One stays
// free to lay the unordered range into.
func (w *Writing) rowRangeFor(res *schema.Resource, set sqlite.RowRangeSet, first engine.Creation) (int, error) {
	best, nearest := sqlite.Unordered, engine.Creation{}
	for _, rowRange := range set.Used() {
		if !set.Ordered(rowRange) || set&((sqlite.LaidInto|sqlite.LaidFrom)<<rowRange) != 0 {
			continue
		}
		low, high := sqlite.RowRangeBounds(w.key, rowRange)
		last, made, err := w.lastRow(w.ctx, w.c, res.Plural, low+1, high)
		if err != nil {
			return 0, err
		}
		if last > low && made.Compare(first) <= 0 && (best == sqlite.Unordered || made.Compare(nearest) > 0) {
			best, nearest = rowRange, made
		}
	}
	if free := set.Free(); best == sqlite.Unordered && len(free) > 1 {
		best = free[0]
	}
	return best, nil
}
