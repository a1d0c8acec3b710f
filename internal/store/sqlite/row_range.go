package sqlite

import (
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
	// RowRangeBits is how many bits of a row number count the rows of one row range.
	RowRangeBits = 37
	RowRanges    = 1 << (RowBits - RowRangeBits)
	Unordered    = RowRanges - 1
	// EnoughForARowRange is how many older records must come at once to begin a row range. Each row range is one more place to look.
	EnoughForARowRange = 64
)

// RowBits is how many bits of a row number count the rows of one business.
const RowBits = 40

// RowRange is the range of row numbers of a business.
func RowRange(business schema.Value) (low, high int64) {
	return business.N << RowBits, business.N<<RowBits | (1<<RowBits - 1)
}

// RowRangeSet says what the row ranges of a business are used for. It is kept as a tally, one for each table.
type RowRangeSet int64

const (
	// UnorderedFirst tells that the rows of the first row range are in no order, as they were before there were others.
	UnorderedFirst RowRangeSet = 1
	// LaidInto marks, shifted by a row range, that rows are being moved into it, and laidFrom that they are taken from it: see
	// sqlite_compact.go. Nothing else is added to either.
	LaidInto RowRangeSet = 1 << RowRanges
	LaidFrom RowRangeSet = 1 << (2 * RowRanges)
)

func (s RowRangeSet) Has(rowRange int) bool { return rowRange == 0 || s&(1<<rowRange) != 0 }

// Ordered tells whether the rows of a row range lie in the order of their creation.
func (s RowRangeSet) Ordered(rowRange int) bool {
	return rowRange != Unordered && (rowRange != 0 || s&UnorderedFirst == 0)
}

// Used lists the row ranges that may have rows.
func (s RowRangeSet) Used() []int {
	var all []int
	for rowRange := range RowRanges {
		if s.Has(rowRange) {
			all = append(all, rowRange)
		}
	}
	return all
}

// Free lists the row ranges that have none, and take records in order.
func (s RowRangeSet) Free() []int {
	var all []int
	for rowRange := range Unordered {
		if !s.Has(rowRange) {
			all = append(all, rowRange)
		}
	}
	return all
}

func RowRangesName(table string) string { return table + ".lanes" }

// RowRangeBounds is the range of row numbers of one row range of a business. The lowest is never given.
func RowRangeBounds(business schema.Value, rowRange int) (low, high int64) {
	low = business.N<<RowBits | int64(rowRange)<<RowRangeBits
	return low, low | (1<<RowRangeBits - 1)
}
