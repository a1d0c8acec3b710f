package search

import (
	"math/big"
	"math/bits"
	"slices"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/layout"
)

// measured is a field of which something is measured.
type measured struct {
	query.Path
	// added tells that its values are added up, counted that it must be known how many there are, and bounded that the least and
	// the most are wanted.
	added, counted, bounded bool
}

// inexact tells that the field's values must be added up one by one, so that their sum does not depend on the order in which a
// database adds them.
func (m measured) inexact() bool { return m.added && m.Leaf.Kind == schema.Number }

// group is what is known of the records that have the same values.
type group struct {
	cells  []query.Cell
	n      int64
	fields []sums
}

// is tells whether a row with these cells belongs to the group.
func (g *group) is(cells []query.Cell) bool {
	for i := range cells {
		if g.cells[i].Key != cells[i].Key {
			return false
		}
	}
	return true
}

// meet notes how another part of the group is written.
func (g *group) meet(cells []query.Cell) {
	for i := range cells {
		if cells[i].Spellings || cells[i].Shown.S != g.cells[i].Shown.S {
			g.cells[i].Spellings = true
		}
	}
}

// row gives the figures of a group that is whole.
func (g *group) row(a *query.Aggregate, fields []measured) query.Row {
	r := query.Row{Cells: g.cells, Figures: make([]query.Figure, len(a.Metrics))}
	for i, m := range a.Metrics {
		if m.Measure == query.Count {
			r.Figures[i].Value = schema.IntValue(schema.Integer, g.n)
			continue
		}
		at := slices.IndexFunc(fields, func(f measured) bool { return f.Path == m.Path })
		r.Figures[i] = g.fields[at].figure(m)
	}
	return r
}

// sums are what is known of the values of one field.
type sums struct {
	// n is how many there are, where that is counted, and any whether there are some.
	n           int64
	any         bool
	sum         wide
	float       *big.Float
	least, most schema.Value
}

// floatBits is how many bits the sum of any numbers of 64 bits has at most.
const floatBits = 2200

// addValue adds a value that n records have.
func (s *sums) addValue(v schema.Value, n int64, f measured) {
	if !v.Set {
		return
	}
	s.n += n
	s.any = true
	switch {
	case f.inexact():
		if s.float == nil {
			s.float = new(big.Float).SetPrec(floatBits)
		}
		s.float.Add(s.float, new(big.Float).SetPrec(floatBits).Mul(big.NewFloat(v.Float()), new(big.Float).SetInt64(n)))
	case f.added:
		s.sum.add(v.N)
	}
	if f.bounded {
		s.bound(v, v)
	}
}

// bound widens the bounds to two values.
func (s *sums) bound(least, most schema.Value) {
	if !least.Set {
		return
	}
	if !s.least.Set || query.Less(least, s.least) {
		s.least = least
	}
	if !s.most.Set || query.Less(s.most, most) {
		s.most = most
	}
}

func (s *sums) figure(m query.Metric) (f query.Figure) {
	switch {
	case m.Measure == query.Min:
		f.Value = s.least
	case m.Measure == query.Max:
		f.Value = s.most
	case !s.any:
	case m.Measure == query.Sum && s.float != nil:
		f.Float = s.float
	case m.Measure == query.Sum:
		f.Exact = s.sum.big()
	default:
		sum := new(big.Rat)
		if s.float != nil {
			s.float.Rat(sum)
		} else {
			sum.SetInt(s.sum.big())
		}
		if !m.Leaf.Kind.Decimal() { // whole ones; decimals are in ten-thousandths already
			sum.Mul(sum, new(big.Rat).SetInt64(schema.DecimalOne))
		}
		f.Exact = query.Average(sum, s.n)
	}
	return f
}

// wide is a whole number of 128 bits, which no sum of numbers of 64 bits passes.
type wide struct {
	high int64
	low  uint64
}

func (w *wide) add(n int64) {
	var carry uint64
	w.low, carry = bits.Add64(w.low, uint64(n), 0)
	w.high += n>>63 + int64(carry)
}

// addParts adds a sum of high parts and one of low parts.
func (w *wide) addParts(high, low int64) {
	var carry uint64
	w.low, carry = bits.Add64(w.low, uint64(high)<<layout.LowBits, 0)
	w.high += high>>(64-layout.LowBits) + int64(carry)
	w.add(low)
}

func (w *wide) big() *big.Int {
	n := new(big.Int).Lsh(big.NewInt(w.high), 64)
	return n.Add(n, new(big.Int).SetUint64(w.low))
}

// firstRows keeps the first rows in the asked order, however many come.
type firstRows struct {
	a    *query.Aggregate
	rows []query.Row
	more bool
}

func (f *firstRows) add(r query.Row) {
	f.rows = append(f.rows, r)
	if len(f.rows) >= 2*(f.a.Limit+1) {
		f.cut()
	}
}

func (f *firstRows) cut() {
	slices.SortFunc(f.rows, func(x, y query.Row) int { return f.a.Compare(&x, &y) })
	if len(f.rows) > f.a.Limit {
		clear(f.rows[f.a.Limit:])
		f.rows, f.more = f.rows[:f.a.Limit], true
	}
}
