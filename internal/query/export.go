package query

import (
	"slices"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/schema"
)

// Format is what a file of records is written in.
type Format string

// The formats.
const (
	CSV   Format = "csv"
	JSONL Format = "jsonl"
	XLSX  Format = "xlsx"
)

// Formats lists them by name.
var Formats = []string{string(CSV), string(JSONL), string(XLSX)}

// MaxExported is how many records a limit of an export may name. Without one there is none.
const MaxExported = 1_000_000_000

// Export is a checked search whose records, all of them, are written to a file.
type Export struct {
	*Query
	Format Format
	// Most is how many records are written at most, or 0 for all.
	Most int
	// Columns are those of a table; nil where records are written as they are answered.
	Columns []Column
}

// Column is a column of a table of records.
type Column struct {
	// Name is the path of its field, as filters name it.
	Name string
	Leaf *schema.Leaf
	// At is the place of its value among those of a row, see Query.Kinds; -1 where it is not to be read.
	At int
}

var exportKeys = []string{"format", "limit", "order_by", "sort_direction", "search_text", "filters", "fields"}

// CheckExport reads a search body that asks for a file. A table has a column for each field, also for those that the business
// added, and beside a reference the name of what it leads to.
func CheckExport(n body.Node, res *schema.Resource, who Reader) (*Export, error) {
	c := &checker{
		q: &Query{Resource: res, Desc: true, Order: Path{Ref: -1, Leaf: res.Common.CreatedAt}, Uncounted: true}, who: who,
		most: MaxExported,
	}
	x := &Export{Query: c.q, Format: CSV}
	c.members(n, "an export", exportKeys, map[string]func(body.Node){"format": func(n body.Node) {
		if n.Kind != body.String || !slices.Contains(Formats, n.Text) {
			c.wrong.Add("format", "not_allowed", "must be csv, jsonl or xlsx", Formats...)
		}
		x.Format = Format(n.Text)
	}})
	if c.forbidden != nil && len(c.wrong) == 0 {
		return nil, c.forbidden
	}
	if err := c.wrong.Err(); err != nil {
		return nil, err
	}
	x.Most = c.q.Limit
	everything := c.q.Leaves == nil && c.q.Through == nil
	switch {
	case x.Format == JSONL && everything:
		c.q.Leaves = res.Visible(false)
	case x.Format != JSONL:
		if everything {
			c.everything()
		}
		c.q.expand()
		x.Columns = c.q.columns()
	}
	return x, nil
}

// everything chooses all fields, and of what references lead to the name, as far as they can be followed.
func (c *checker) everything() {
	c.q.Leaves = slices.Clone(c.q.Resource.Visible(false))
	for at, l := range c.q.Leaves {
		vias := l.Reads
		if vias == nil {
			vias = []*schema.Leaf{l}
		}
		for _, via := range vias {
			name := nameBehind(via)
			if name == nil || len(c.q.Refs) == MaxFollowed {
				continue
			}
			t := Through{Via: via, Before: at + 1, Leaves: []*schema.Leaf{name}}
			t.Ref, _ = c.follow("fields", via) // what may not be read is absent
			c.q.Through = append(c.q.Through, t)
		}
	}
}

// nameBehind is what people know the record by that a reference leads to; nil where it leads to none.
func nameBehind(via *schema.Leaf) *schema.Leaf {
	switch _, shape, res := via.Referred(); {
	case shape == nil:
		return nil
	case via.ListItem != nil:
		return shape.Leaf(schema.NameField)
	case len(res.Names) > 0:
		return res.Names[0]
	}
	return nil
}

// expand puts in the place of the leaf that stands for all added fields these themselves.
func (q *Query) expand() {
	at := slices.IndexFunc(q.Leaves, func(l *schema.Leaf) bool { return l.Reads != nil })
	if at < 0 {
		return
	}
	added := q.Leaves[at].Reads
	q.Leaves = slices.Replace(slices.Clone(q.Leaves), at, at+1, added...)
	for i := range q.Through {
		t := &q.Through[i]
		if place := slices.Index(added, t.Via); place >= 0 {
			t.Before = at + place + 1
		} else if t.Before > at {
			t.Before += len(added) - 1
		}
	}
}

// columns lists the values of a row in the order in which records are answered.
func (q *Query) columns() (list []Column) {
	done := 0
	own := func(end int) {
		for ; done < end; done++ {
			list = append(list, Column{Name: q.Leaves[done].Path, Leaf: q.Leaves[done], At: done})
		}
	}
	far := len(q.Leaves)
	for _, t := range q.Through {
		own(t.Before)
		if t.Ref >= 0 {
			far++ // the id of the record
		}
		for _, l := range t.Leaves {
			column := Column{Name: t.Via.RefersAs() + "." + l.Path, Leaf: l, At: -1}
			if t.Ref >= 0 {
				column.At = far
				far++
			}
			list = append(list, column)
		}
	}
	own(len(q.Leaves))
	return list
}
