// Package reconcile holds two sets of rows against each other that are too large for memory.
package reconcile

import (
	"bytes"
	"hash/maphash"
	"maps"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// Reconciler holds two sets of rows against each other: those that there should be, and those that there are. At first it only adds
// up what it sees, in many sums: where a row is in one set alone, its sum is not zero in the end. Then both sets are gone through
// once more, and of the rows that belong to such sums the reconciler finds out which they are.
type Reconciler struct {
	sums []uint64
	seen int
	// wrong are the sums that are not zero, and left the rows of these that are in one set alone: more often in the first, or less.
	// Both are nil until Settle.
	wrong map[uint64]bool
	left  map[string]int
	// More tells that there are wrong sums which are left for another time.
	More bool

	row []byte
	// words are the hashes of the words of a text, and word the last one that was asked for, which mostly is the next one, too.
	words []uint64
	word  string
	hash  uint64
}

const (
	reconcilerSums = 1 << 14
	// mostLeft is about how many rows are looked at one by one.
	mostLeft = 20_000
)

var reconcilerSeed = maphash.MakeSeed()

func New() *Reconciler { return &Reconciler{sums: make([]uint64, reconcilerSums)} }

// Add notes a row of the first set, or with a sign of -1 of the second.
func (l *Reconciler) Add(values []schema.Value, sign int) {
	l.row = room.AppendRow(l.row[:0], values)
	if sum := maphash.Bytes(reconcilerSeed, l.row); l.note(sum, sign) {
		l.count(l.row, sign)
	}
}

// note adds up what is known of a row by its hash, and in the second look tells whether it has to be counted.
func (l *Reconciler) note(sum uint64, sign int) bool {
	at := sum % reconcilerSums
	if l.wrong == nil {
		l.sums[at] += uint64(int64(sign)) * (sum | 1)
		l.seen++
		return false
	}
	return l.wrong[at]
}

func (l *Reconciler) count(row []byte, sign int) {
	if l.left[string(row)] += sign; l.left[string(row)] == 0 {
		delete(l.left, string(row))
	}
}

// WordKinds are the kinds of the values of an entry of a text index: the place of a record, and a word that it has.
var WordKinds = []schema.Kind{schema.Integer, schema.Text}

// mixed is the hash of an entry.
func mixed(place int64, word uint64) uint64 {
	sum := (word ^ uint64(place)*0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
	return sum ^ sum>>32
}

// AddWord notes an entry of a text index.
func (l *Reconciler) AddWord(place int64, word string, sign int) {
	if word != l.word {
		l.word = word
		l.hash = maphash.String(reconcilerSeed, word)
	}
	if l.note(mixed(place, l.hash), sign) {
		l.count(room.AppendRow(nil, []schema.Value{schema.IntValue(schema.Integer, place), room.Text(word)}), sign)
	}
}

// AddWords notes the words of a text, separated by spaces, each of them once.
func (l *Reconciler) AddWords(place int64, words []byte, sign int) {
	if l.wrong != nil {
		all := strings.Fields(string(words))
		slices.Sort(all)
		for _, word := range slices.Compact(all) {
			l.AddWord(place, word, sign)
		}
		return
	}
	l.words = l.words[:0]
	for len(words) > 0 {
		end := bytes.IndexByte(words, ' ')
		if end < 0 {
			end = len(words)
		}
		l.words = append(l.words, maphash.Bytes(reconcilerSeed, words[:end]))
		words = words[min(end+1, len(words)):]
	}
	slices.Sort(l.words)
	for _, hash := range slices.Compact(l.words) {
		l.note(mixed(place, hash), sign)
	}
}

// Part is a reconciler for one of several that look at once, and join adds what it saw.
func (l *Reconciler) Part() *Reconciler {
	if l.wrong == nil {
		return New()
	}
	return &Reconciler{wrong: l.wrong, left: map[string]int{}}
}

func (l *Reconciler) Join(part *Reconciler) {
	if l.wrong == nil {
		for at, sum := range part.sums {
			l.sums[at] += sum
		}
		l.seen += part.seen
		return
	}
	for row, n := range part.left {
		l.count([]byte(row), n)
	}
}

// Settle ends the first look, and tells whether a second one is needed.
func (l *Reconciler) Settle() bool {
	l.wrong, l.left = map[uint64]bool{}, map[string]int{}
	most := max(1, mostLeft*reconcilerSums/(l.seen+1))
	for at, sum := range l.sums {
		if sum == 0 {
			continue
		}
		if len(l.wrong) == most {
			l.More = true
			break
		}
		l.wrong[uint64(at)] = true
	}
	return len(l.wrong) > 0
}

// Differences gives the rows that are in one set alone: those that are missing in the second, and those that only that has.
func (l *Reconciler) Differences(kinds []schema.Kind) (missing, extra [][]schema.Value, err error) {
	for _, row := range slices.Sorted(maps.Keys(l.left)) {
		values, err := room.DecodeRow(row, kinds)
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
