package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
)

// Limits of what the text index is asked for. A few long needles narrow as well as many do, and every further one costs; the
// conditions themselves still hold in full.
const (
	maxNeedles = 8
	maxNeedle  = 64
)

// needles gives texts of three or more characters that the search document of every match must contain, the longest first.
func needles(q *query.Query) []string {
	var out []string
	add := func(text string) {
		if runes := []rune(text); len(runes) > maxNeedle {
			text = string(runes[:maxNeedle])
		}
		if utf8.RuneCountInString(text) >= 3 && !slices.Contains(out, text) {
			out = append(out, text)
			slices.SortStableFunc(out, func(a, b string) int { return len(b) - len(a) })
			out = out[:min(len(out), maxNeedles)]
		}
	}
	for _, w := range q.Words {
		add(inDocument(w))
	}
	for _, f := range q.Filters {
		if f.Ref < 0 && f.Leaf.Find.Searchable && f.Operator == query.Contains {
			for _, w := range indexed(f.Leaf, f.Values[0].S) {
				add(w)
			}
		}
	}
	return out
}

// indexed gives the parts of a key that stand in the search document as they are. The document has words in their folded form, in which the
// letters and digits of ASCII are themselves; phone numbers stand in it as bare digits, too.
func indexed(l *schema.Leaf, key string) []string {
	if l.Format.Comparison() == schema.ByCase {
		return strings.FieldsFunc(key, func(r rune) bool { return r >= utf8.RuneSelf || unicode.IsSpace(r) })
	}
	return query.Words(key)
}
