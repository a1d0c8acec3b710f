package layout

import (
	"strings"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// KeyOf is the value of a leaf's key column, or of the leaf itself.
func KeyOf(l *schema.Leaf, v schema.Value) schema.Value {
	if l.Key == "" || !v.Set {
		return v
	}
	if l.Kind == schema.Tags {
		var s strings.Builder
		s.WriteString(engine.Separator)
		for _, tag := range body.Strings(v) {
			s.WriteString(query.Fold(tag) + engine.Separator)
		}
		return schema.Value{Kind: schema.Text, Set: true, S: s.String()}
	}
	return schema.Value{Kind: schema.Text, Set: true, S: query.Key(l, v.S)}
}

// SearchDocument is all searchable text of a record: folded, its words separated by one space with one in front, phone numbers also
// as bare digits.
func SearchDocument(rec *schema.Record) string {
	var s strings.Builder
	add := func(text string) {
		for _, w := range query.Words(text) {
			s.WriteByte(' ')
			s.WriteString(w)
		}
	}
	for i, l := range rec.Leaves {
		v := rec.Values[i]
		if !l.Find.Searchable || !v.Set {
			continue
		}
		if l.Kind == schema.Tags {
			add(strings.ReplaceAll(KeyOf(l, v).S, engine.Separator, " "))
			continue
		}
		add(query.Fold(v.S))
		if l.Format == schema.Phone {
			add(query.Digits(v.S))
		}
	}
	return s.String()
}

// RecordColumns are the columns that a record fills: its values, their folded keys, and the search document.
func RecordColumns(res *schema.Resource) []string {
	var columns []string
	for _, l := range OwnLeaves(&res.Shape) {
		columns = append(columns, l.Column.Name)
		if l.Key != "" {
			columns = append(columns, l.Key)
		}
	}
	return append(columns, "search_doc")
}
