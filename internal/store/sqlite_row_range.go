package store

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
