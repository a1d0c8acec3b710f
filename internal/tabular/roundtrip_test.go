package tabular

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
)

// nasty are parts of texts that some format or program has a meaning for.
var nasty = []string{
	"a", "é", "😀", " ", "\t", "\r", "\n", "\r\n", ",", ";", "|", "\"", "\"\"", "'", "''", "=", "+", "-", "@", "'=x", "[", "]", "{}",
	"\\", "\\;", "* ", " ::: ", ":::", "_x000D_", "_x005F_", "<b>", "&amp;", "\u00a0", "\u2028", "\u0085", "\ufeff", "\ufffd", "\ufffe",
	"\x01", "\x7f", "sep=;", "null", "true", "1,5", "03/04/2026", "#REF!", "…", "* group",
	strings.Repeat("a|", 50), strings.Repeat("a;", 50), strings.Repeat("a\t", 50),
}

// texts are any that the API takes, in one line or in several.
func texts(lines bool) *rapid.Generator[string] {
	some := rapid.OneOf(rapid.String(), rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(nasty), 0, 6).Draw(t, "parts"), "")
	}))
	return rapid.Custom(func(t *rapid.T) string {
		text := strings.ReplaceAll(some.Draw(t, "text"), "\x00", "")
		if lines {
			return text
		}
		return strings.TrimSpace(strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return -1
			}
			return r
		}, text))
	})
}

// What an export wrote is read as it was, whatever is in the texts, in every format.
func TestTextsComeBackFromEveryFormat(t *testing.T) {
	shape := schema.CompileBody("a row",
		schema.Field{Name: "key", Kind: schema.Text},
		schema.Field{Name: "name", Kind: schema.Text},
		schema.Field{Name: "street", Kind: schema.Text, File: schema.File{Joined: true}},
		schema.Field{Name: "note", Kind: schema.LongText},
		schema.Field{Name: "tags", Kind: schema.Tags},
		schema.Field{Name: "level", Kind: schema.Choice, Options: []string{"Gold", "gold", "in_progress", "'=x", "-"}},
		schema.Field{Name: "more", Kind: schema.Document})
	res := &schema.Resource{Plural: "things", Shape: *shape}
	for _, format := range []query.Format{query.CSV, query.XLSX, query.JSONL} {
		t.Run(string(format), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				columns := slices.Clone(shape.Leaves)
				if rapid.Bool().Draw(t, "some columns") {
					columns = slices.DeleteFunc(columns, func(l *schema.Leaf) bool { return !rapid.Bool().Draw(t, l.Path) })
				}
				if len(columns) == 0 {
					columns = shape.Leaves[:1]
				}
				x := &query.Export{Query: &query.Query{Resource: res}, Format: format}
				for i, l := range columns {
					x.Columns = append(x.Columns, query.Column{Name: l.Path, Leaf: l, At: i})
					x.Leaves = append(x.Leaves, l)
				}
				var rows [][]schema.Value
				for n := range rapid.IntRange(1, 4).Draw(t, "rows") {
					var row []schema.Value
					for _, l := range columns {
						row = append(row, drawn(t, l, n))
					}
					rows = append(rows, row)
				}
				comesBack(t, x, rows)
			})
		})
	}
}

// drawn is a value as the API keeps it.
func drawn(t *rapid.T, l *schema.Leaf, n int) schema.Value {
	given := body.Node{Kind: body.String}
	switch {
	case l.Name == "key":
		given.Text = fmt.Sprintf("key %d", n) // a row of nothing but white space is none
	case l.Kind == schema.Tags:
		given = body.Node{Kind: body.Array}
		for _, tag := range rapid.SliceOfN(texts(false), 0, 3).Draw(t, l.Path) {
			if tag != "" && !slices.ContainsFunc(given.Items, func(n body.Node) bool { return n.Text == tag }) {
				given.Items = append(given.Items, body.Node{Kind: body.String, Text: tag})
			}
		}
	case l.Kind == schema.Choice:
		given.Text = rapid.SampledFrom(l.Options).Draw(t, l.Path)
	case l.Kind == schema.Document:
		member := body.Node{Kind: body.String, Text: texts(true).Draw(t, l.Path)}
		given = body.Node{Kind: body.Object, Members: []body.Member{{Name: "a", Value: member}}}
	default:
		given.Text = texts(l.Kind == schema.LongText).Draw(t, l.Path)
	}
	return kept(t, given, l)
}

func kept(t *rapid.T, n body.Node, l *schema.Leaf) schema.Value {
	if n.Kind == body.Null {
		return schema.Absent(l.Kind)
	}
	v, wrong := body.Value(n, l)
	if wrong != nil {
		t.Skip(wrong.Message) // too long, which the API does not take
	}
	return v
}

// comesBack writes rows and holds what is read of the file to them.
func comesBack(t *rapid.T, x *query.Export, rows [][]schema.Value) {
	var out bytes.Buffer
	w, err := NewWriter(x, &out)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if err := w.Row(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := Open(bytes.NewReader(out.Bytes()), Dialect{})
	if err != nil {
		t.Fatalf("%q: %v", out.String(), err)
	}
	defer r.Close()
	style := (&Survey{}).Style(r.Dialect)
	for _, want := range rows {
		blank := !slices.ContainsFunc(want, func(v schema.Value) bool {
			return strings.TrimSpace(v.S) != "" || x.Format == query.CSV && explosive(v.S)
		})
		if blank && x.Format != query.JSONL {
			continue
		}
		row, err := r.Next()
		if err != nil || row.Fault != nil {
			t.Fatalf("%q: %v %v", out.String(), err, row.Fault)
		}
		for i, c := range x.Columns {
			n := body.Node{Kind: body.Null}
			if row.Object != nil {
				n, _ = row.Object.Get(c.Name)
			} else if i < len(row.Cells) {
				if r.Head[i] != c.Name {
					t.Fatalf("%q has the columns %q", out.String(), r.Head)
				}
				if n, err = style.Read(c.Leaf, row.Cells[i], true); err != nil {
					t.Fatalf("%q of %s: %v", row.Cells[i], c.Name, err)
				}
			}
			if got := kept(t, n, c.Leaf); got != want[i] {
				t.Fatalf("%s was %q, and is read as %q from %q", c.Name, want[i].S, got.S, out.String())
			}
		}
	}
	if row, err := r.Next(); err == nil {
		t.Fatalf("%q has a row more: %q", out.String(), row.Cells)
	}
}

// A text that a workbook has cut is not taken for the whole.
func TestCutTextsAreRefused(t *testing.T) {
	note := schema.CompileBody("a row", schema.Field{Name: "note", Kind: schema.LongText}).Leaves[0]
	for _, c := range []struct {
		text, format string
		refused      bool
	}{
		{cutText(strings.Repeat("x", MaxCellText+1)), Workbook, true},
		{cutText(strings.Repeat("😀", MaxCellText)), Workbook, true},
		{cutText("x" + strings.Repeat("😀", MaxCellText)), Workbook, true},
		{cutText(strings.Repeat("x", MaxCellText+1)), "csv", false},
		{strings.Repeat("x", MaxCellText), Workbook, false},
		{"short…", Workbook, false},
	} {
		if _, err := (Style{Format: c.format}).Read(note, c.text, true); (err != nil) != c.refused {
			t.Errorf("%.5s of %d bytes in %s: %v", c.text, len(c.text), c.format, err)
		}
	}
}
