package query

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/schema"
)

// Row is one group of an aggregate: the values that its records have in common, and its figures.
type Row struct {
	Cells   []Cell
	Figures []Figure
}

// Cell is the value of one group.
type Cell struct {
	// Key is what tells groups apart and puts them in order: of texts their key, of periods their place.
	Key schema.Value
	// Shown is what is answered, where that is another: of texts the most frequent spelling.
	Shown schema.Value
	// Spellings tells that the records of the group write it in several ways.
	Spellings bool
	// Periods are what the place is one of, or nil.
	Periods *Periods
}

// Figure is what a metric comes to.
type Figure struct {
	// Value is a count, or the least or most value.
	Value schema.Value
	// Exact is a sum of whole numbers, or any other sum or average of exact numbers in ten-thousandths.
	Exact *big.Int
	// Float is a sum of numbers.
	Float *big.Float
}

// Set tells whether there is a figure.
func (f Figure) Set() bool { return f.Value.Set || f.Exact != nil || f.Float != nil }

// Average divides a sum by how many values it has, and rounds half away from zero to whole units.
func Average(sum *big.Rat, n int64) *big.Int {
	sum = new(big.Rat).Quo(sum, new(big.Rat).SetInt64(n))
	half := big.NewRat(1, 2)
	if sum.Sign() < 0 {
		half.Neg(half)
	}
	sum.Add(sum, half)
	return new(big.Int).Quo(sum.Num(), sum.Denom())
}

// Compare tells which of two rows comes first: as it was asked for, absent values last, and equal ones by their groups.
func (a *Aggregate) Compare(x, y *Row) int {
	order := 0
	if at := a.By - len(a.Groups); at >= 0 {
		fx, fy := x.Figures[at], y.Figures[at]
		switch order = absentLast(fx.Set(), fy.Set()); {
		case order != 0:
			return order
		case fx.Set():
			order = fx.compare(fy)
		}
	} else {
		if order = absentLast(x.Cells[a.By].Key.Set, y.Cells[a.By].Key.Set); order != 0 {
			return order
		}
		order = a.Groups[a.By].compare(x.Cells[a.By], y.Cells[a.By])
	}
	if a.Desc {
		order = -order
	}
	for i, g := range a.Groups {
		if order == 0 {
			order = cmp.Or(absentLast(x.Cells[i].Key.Set, y.Cells[i].Key.Set), g.compare(x.Cells[i], y.Cells[i]))
		}
	}
	return order
}

func absentLast(x, y bool) int {
	switch {
	case x && !y:
		return -1
	case y && !x:
		return 1
	}
	return 0
}

func (f Figure) compare(other Figure) int {
	switch {
	case f.Exact != nil:
		return f.Exact.Cmp(other.Exact)
	case f.Float != nil:
		return f.Float.Cmp(other.Float)
	}
	return compareKeys(f.Value, other.Value)
}

func (g Group) compare(x, y Cell) int {
	if g.Leaf.Kind == schema.Choice && x.Key.Set && y.Key.Set {
		place := func(v schema.Value) int {
			if at := slices.Index(g.Leaf.Options, v.S); at >= 0 {
				return at
			}
			return len(g.Leaf.Options)
		}
		return cmp.Or(cmp.Compare(place(x.Key), place(y.Key)), strings.Compare(x.Key.S, y.Key.S))
	}
	return compareKeys(x.Key, y.Key)
}

// compareKeys compares two values of one kind, both present or both absent.
func compareKeys(x, y schema.Value) int {
	if x.Kind == schema.Number {
		return cmp.Compare(x.Float(), y.Float())
	}
	return cmp.Or(cmp.Compare(x.N, y.N), strings.Compare(x.S, y.S))
}

// AppendRow renders a row: its groups as they were asked for, the bounds of its periods, and its metrics.
func (a *Aggregate) AppendRow(dst []byte, r *Row) []byte {
	dst = append(dst, '{')
	name := func(text string) {
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(schema.AppendString(dst, text), ':')
	}
	bounds := 0
	for i, g := range a.Groups {
		cell := r.Cells[i]
		name(g.Name)
		if g.Unit == "" {
			dst = schema.AppendValue(dst, g.Leaf, cell.Shown)
			continue
		}
		from, to, label := schema.Absent(g.Leaf.Kind), schema.Absent(g.Leaf.Kind), schema.Absent(schema.Text)
		if cell.Key.Set {
			label = schema.TextValue(schema.Text, cell.Periods.Label(int(cell.Key.N)))
			from, to = cell.Periods.Bounds(int(cell.Key.N))
		}
		dst = schema.AppendValue(dst, &schema.Leaf{Field: &schema.Field{Kind: schema.Text}}, label)
		prefix := ""
		if bounds++; bounds > 1 {
			prefix = g.Name + ":"
		}
		name(prefix + "from")
		dst = schema.AppendValue(dst, g.Leaf, from)
		name(prefix + "to")
		dst = schema.AppendValue(dst, g.Leaf, to)
	}
	for i, m := range a.Metrics {
		name(m.Name)
		dst = m.appendFigure(dst, r.Figures[i])
	}
	return append(dst, '}')
}

func (m Metric) appendFigure(dst []byte, f Figure) []byte {
	switch {
	case !f.Set():
		return append(dst, "null"...)
	case m.Measure == Count:
		return schema.AppendValue(dst, &schema.Leaf{Field: &schema.Field{Kind: schema.Integer}}, f.Value)
	case m.Measure == Min || m.Measure == Max:
		return schema.AppendValue(dst, m.Leaf, f.Value)
	case f.Float != nil:
		if near, _ := f.Float.Float64(); !math.IsInf(near, 0) {
			return schema.AppendValue(dst, m.Leaf, schema.FloatValue(near))
		}
		return f.Float.Append(dst, 'e', 16) // beyond what a number of 64 bits can be
	case m.Measure == Sum && m.Leaf.Kind == schema.Integer:
		return f.Exact.Append(dst, 10)
	}
	quoted, least := m.Leaf.Kind == schema.Money || m.Leaf.Kind == schema.Quantity, 0
	if quoted {
		dst = append(dst, '"')
		least = 2
	}
	if m.Measure == Avg {
		least = schema.DecimalPlaces
	}
	dst = schema.AppendLargeDecimal(dst, f.Exact, least)
	if quoted {
		dst = append(dst, '"')
	}
	return dst
}
