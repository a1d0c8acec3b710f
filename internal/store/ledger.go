package store

import (
	"encoding/binary"
	"errors"
	"hash/maphash"
	"maps"
	"slices"

	"kith/internal/schema"
)

// A ledger holds two sets of rows against each other that are too large for memory: those that there should be, and those that there are. At first it only adds up
// what it sees, in many sums: where a row is in one set alone, its sum is not zero in the end. Then both sets are gone through once more, and of the rows that belong
// to such sums the ledger finds out which they are.
type ledger struct {
	sums []uint64
	seen int
	// wrong are the sums that are not zero, and left the rows of these that are in one set alone: more often in the first, or less. Both are nil until settle.
	wrong map[uint64]bool
	left  map[string]int
	// more tells that there are wrong sums which are left for another time.
	more bool
}

const (
	ledgerSums = 1 << 14
	// mostLeft is about how many rows are looked at one by one.
	mostLeft = 20_000
)

var ledgerSeed = maphash.MakeSeed()

func newLedger() *ledger { return &ledger{sums: make([]uint64, ledgerSums)} }

// add notes a row of the first set, or with a sign of -1 of the second.
func (l *ledger) add(values []schema.Value, sign int) {
	row := appendRow(nil, values)
	sum := maphash.Bytes(ledgerSeed, row)
	at := sum % ledgerSums
	if l.wrong == nil {
		l.sums[at] += uint64(int64(sign)) * (sum | 1)
		l.seen++
		return
	}
	if l.wrong[at] {
		if l.left[string(row)] += sign; l.left[string(row)] == 0 {
			delete(l.left, string(row))
		}
	}
}

// settle ends the first look, and tells whether a second one is needed.
func (l *ledger) settle() bool {
	l.wrong, l.left = map[uint64]bool{}, map[string]int{}
	most := max(1, mostLeft*ledgerSums/(l.seen+1))
	for at, sum := range l.sums {
		if sum == 0 {
			continue
		}
		if len(l.wrong) == most {
			l.more = true
			break
		}
		l.wrong[uint64(at)] = true
	}
	return len(l.wrong) > 0
}

// differences gives the rows that are in one set alone: those that are missing in the second, and those that only that has.
func (l *ledger) differences(kinds []schema.Kind) (missing, extra [][]schema.Value, err error) {
	for _, row := range slices.Sorted(maps.Keys(l.left)) {
		values, err := decodeRow(row, kinds)
		if err != nil {
			return nil, nil, err
		}
		if l.left[row] > 0 {
			missing = append(missing, values)
		} else {
			extra = append(extra, values)
		}
	}
	return missing, extra, nil
}

// appendRow writes values down in a form that is the same on every engine.
func appendRow(dst []byte, values []schema.Value) []byte {
	for _, v := range values {
		dst = appendKey(dst, v)
	}
	return dst
}

var errBadRow = errors.New("it is not a row of the table")

// decodeRow reads what appendRow wrote.
func decodeRow[T string | []byte](row T, kinds []schema.Kind) ([]schema.Value, error) {
	rest := []byte(row)
	values := make([]schema.Value, len(kinds))
	for i, k := range kinds {
		values[i] = schema.Absent(k)
		if len(rest) == 0 || rest[0] > 1 {
			return nil, errBadRow
		}
		set := rest[0] == 1
		if rest = rest[1:]; !set {
			continue
		}
		n, used := binary.Varint(rest)
		if used <= 0 {
			return nil, errBadRow
		}
		rest = rest[used:]
		size, used := binary.Uvarint(rest)
		if used <= 0 || size > uint64(len(rest)-used) {
			return nil, errBadRow
		}
		rest = rest[used:]
		values[i] = schema.Value{Kind: k, Set: true, N: n, S: string(rest[:size])}
		rest = rest[size:]
	}
	if len(rest) > 0 {
		return nil, errBadRow
	}
	return values, nil
}
