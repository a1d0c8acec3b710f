// Package layout says which tables and indexes there are, and how a record lies in them.
package layout

import (
	"strings"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// columnKinds are the kinds of columns as the tables here name them.
var columnKinds = map[string]schema.Kind{
	"text": schema.Text, "integer": schema.Integer, "time": schema.Time, "id": schema.ID, "document": schema.Document,
	"bytes": engine.KindBytes, "business": engine.KindTenant,
}

// columns reads the columns of a table: their names and kinds. A question mark stands behind the kinds of those that may have no value.
func columns(text string) (all []engine.Column) {
	for one := range strings.SplitSeq(text, ",") {
		name, kind, _ := strings.Cut(strings.TrimSpace(one), " ")
		kind, optional := strings.CutSuffix(kind, "?")
		known, ok := columnKinds[kind]
		if !ok {
			panic("store: the column " + name + " has no kind that there is: " + kind)
		}
		all = append(all, engine.Column{Name: name, Kind: known, NotNull: !optional})
	}
	return all
}

// SummedIndex is what the name of the index of Resource.Summed ends with.
const SummedIndex = "summed"

// FilterIndex ends the name of the index that has the records with one value of a leaf in the order of their creation.
func FilterIndex(l *schema.Leaf) string { return l.Column.Name + "_filter" }

// BinIndex ends the name of the index by which deleted records are found that refer to one which is merged
// or goes for good.
func BinIndex(l *schema.Leaf) string { return l.Column.Name + "_bin" }

// TimelineIndex ends the name of the index that has the records with one value of a leaf in the order in which they happened.
func TimelineIndex(l *schema.Leaf) string { return l.Column.Name + "_timeline" }

// EndTable is the table with the ends of links.
func EndTable(via *schema.Resource) string { return via.Name + "_end" }

// KeepsFigures tells whether figures are kept of a resource.
func KeepsFigures(res *schema.Resource) bool { return len(res.Storage.Figures.Keys) > 0 }

// FigureTable is the table with the figures that are kept of a resource.
func FigureTable(res *schema.Resource) string { return res.Name + "_figure" }

// WholeColumn names the record that a list item belongs to.
func WholeColumn(p *schema.ListItem) string { return p.Whole.Name + "_id" }

// SortColumn is the column by which a leaf is compared and sorted.
func SortColumn(l *schema.Leaf) string {
	if l.Key != "" {
		return l.Key
	}
	return l.Column.Name
}

// LowBits is how many bits of a number its low part has, where a database adds up both parts by themselves.
const LowBits = 32

// TallyName is the name of a maintained count.
func TallyName(res *schema.Resource, bin bool) string {
	if bin {
		return res.Name + ".bin"
	}
	return res.Name
}
