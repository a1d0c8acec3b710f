package tabular

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/kith-crm/kith/internal/schema"
)

// rowsOf reads all rows of a text as one line.
func rowsOf(t *testing.T, text string, d Dialect) string {
	t.Helper()
	r, err := Open(strings.NewReader(text), d)
	if err != nil {
		return err.Error()
	}
	out := fmt.Sprintf("%q", r.Head)
	for {
		row, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return out
		case err != nil:
			return out + " " + err.Error()
		case row.Fault != nil:
			out += " !" + row.Fault.Error()
		default:
			out += fmt.Sprintf(" %q", row.Cells)
		}
	}
}

// Files as people have them.
func TestFilesAreReadAsTheyAre(t *testing.T) {
	encoded := func(text string, order unicode.Endianness, bom unicode.BOMPolicy) string {
		out, err := unicode.UTF16(order, bom).NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	western, err := charmap.Windows1252.NewEncoder().String("name;city\nJürgen;Köln – Süd\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ what, text, want string }{
		{"plain", "name,city\r\nAnna,\"Hamburg, Nord\"\r\n", `["name" "city"] ["Anna" "Hamburg, Nord"]`},
		{"semicolons", "name;city\nAnna;Hamburg, Nord\n", `["name" "city"] ["Anna" "Hamburg, Nord"]`},
		{"tabs", "name\tcity\nAnna\tHamburg\n", `["name" "city"] ["Anna" "Hamburg"]`},
		{"bars", "name|city\nAnna|Hamburg\n", `["name" "city"] ["Anna" "Hamburg"]`},
		{"a mark of UTF-8", "\ufeffname,city\nJürgen,Köln\n", `["name" "city"] ["Jürgen" "Köln"]`},
		{
			"UTF-16 with a mark", encoded("name,city\nJürgen,Köln\n", unicode.LittleEndian, unicode.UseBOM),
			`["name" "city"] ["Jürgen" "Köln"]`,
		},
		{
			"UTF-16 the other way", encoded("name,city\nJürgen,Köln\n", unicode.BigEndian, unicode.UseBOM),
			`["name" "city"] ["Jürgen" "Köln"]`,
		},
		{
			"UTF-16 without a mark", encoded("name,city\nAnna,Hamburg\n", unicode.LittleEndian, unicode.IgnoreBOM),
			`["name" "city"] ["Anna" "Hamburg"]`,
		},
		{"Windows", western, `["name" "city"] ["Jürgen" "Köln – Süd"]`},
		{"a line for spreadsheets", "sep=;\r\nname;city\r\nAnna;Kiel\r\n", `["name" "city"] ["Anna" "Kiel"]`},
		{
			"quotes inside", "name,city\nAnna \"the best\" Lind,\"Kiel\" Nord\nBen,Bonn\n",
			`["name" "city"] ["Anna \"the best\" Lind" "\"Kiel\" Nord"] ["Ben" "Bonn"]`,
		},
		{"quotes inside of quotes", "name,city\n\"Anna \"the best\" Lind\",Kiel\n", `["name" "city"] ["Anna \"the best\" Lind" "Kiel"]`},
		{"quotes behind spaces", "name, city\nAnna, \"Kiel, Nord\" \n", `["name" "city"] ["Anna" "Kiel, Nord"]`},
		{"a quote that is not closed", "name,city\n\"Anna,Kiel\nBen,\"Bonn\"\n", `["name" "city"] ["\"Anna" "Kiel"] ["Ben" "Bonn"]`},
		{"a last quote that is not closed", "name,city\nAnna,\"Kiel\nBen,Bonn\n", `["name" "city"] ["Anna" "\"Kiel"] ["Ben" "Bonn"]`},
		{"doubled quotes", "name,city\nAnna,\"\"\"Kiel\"\" Nord\"\n", `["name" "city"] ["Anna" "\"Kiel\" Nord"]`},
		{
			"a short row of several lines", "name,note,city\nAnna,\"one\ntwo\"\nBen,x,y\n",
			`["name" "note" "city"] ["Anna" "one\ntwo"] ["Ben" "x" "y"]`,
		},
		{
			"lines that end as on a Mac of old", "name,city\rAnna,\"Kiel\rNord\"\rBen,Bonn",
			`["name" "city"] ["Anna" "Kiel\nNord"] ["Ben" "Bonn"]`,
		},
		{"empty lines above", "\n;;\n\nname;city;\nAnna;Kiel;\n;;\n", `["name" "city" "Column C"] ["Anna" "Kiel" ""]`},
		{"a title above", "Customers of 2026\n\nname;city;phone\nAnna;Kiel, Nord;1\n", `["name" "city" "phone"] ["Anna" "Kiel, Nord" "1"]`},
		{
			"titles above, as a spreadsheet writes them", "Customers,\n2026-11-17,\nname,city\nAnna,Kiel\n",
			`["name" "city"] ["Anna" "Kiel"]`,
		},
		{
			"columns of the same name, and of none", "name,email,email,,Email\nAnna,a,b,c,d\n",
			`["name" "email" "email (2)" "Column D" "Email"] ["Anna" "a" "b" "c" "d"]`,
		},
		{"a head in several lines", "\"First\nname\",city\nAnna,Kiel\n", `["First name" "city"] ["Anna" "Kiel"]`},
		{"lines inside", "name,note\nAnna,\"one\ntwo\"\n", `["name" "note"] ["Anna" "one\ntwo"]`},
		{"empty lines and short rows", "name,city\n\n,\nAnna\n", `["name" "city"] ["Anna"]`},
		{
			"long rows", "name,city\nAnna,Kiel,more\nBen,Bonn,\n",
			`["name" "city"] !it has 3 cells, and there are 2 columns ["Ben" "Bonn" ""]`,
		},
		{"one column", "name\nAnna\n", `["name"] ["Anna"]`},
		{"bytes that are no text", "name,city\nAnna,Kiel\n" + strings.Repeat("Ben,Bonn\n", 10_000) + "J\xfcrgen,Kiel\n", "!it has bytes"},
		{"no rows", "name,city", `["name" "city"]`},
		{"nothing", "", "it is empty"},
		{"no workbook", "PK\x03\x04 and so on", "the workbook is damaged"},
		{"a card without an end", "BEGIN:VCARD\r\nVERSION:3.0\r\n", "!the card does not end"},
		{"no text", "name\x00\x01\x00\x00\x02,x", "it is no text"},
		{"many columns", strings.Repeat("a,", 1_000_000), "more than"},
		{"a quote that is not closed in a long file", "name,city\n\"Anna" + strings.Repeat("x\n", 1<<20), "a row has more than"},
		{"a long line", "name,city\n" + strings.Repeat("x", 2<<20), "a row has more than"},
	} {
		if got := rowsOf(t, c.text, Dialect{}); got != c.want && !strings.Contains(got, c.want) || strings.HasPrefix(c.want, "[") &&
			got != c.want {
			t.Errorf("%s: %.300s, want %s", c.what, got, c.want)
		}
	}
	r, err := Open(strings.NewReader("{\"name\":\"Anna\"}\n\n[1]\n{\"name\":\n"), Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	first, _ := r.Next()
	second, _ := r.Next()
	third, _ := r.Next()
	if _, err := r.Next(); r.Format != "jsonl" || first.Object == nil || second.Fault == nil || third.Fault == nil ||
		!errors.Is(err, io.EOF) {
		t.Errorf("lines are %+v %+v %+v %v", first, second, third, err)
	}
}

// Cells are values in the fashions that people write them.
func TestCellsAreValues(t *testing.T) {
	shape := schema.CompileBody("a row", schema.Field{Name: "money", Kind: schema.Money},
		schema.Field{Name: "number", Kind: schema.Number}, schema.Field{Name: "day", Kind: schema.Date},
		schema.Field{Name: "at", Kind: schema.Time}, schema.Field{Name: "yes", Kind: schema.Bool},
		schema.Field{Name: "level", Kind: schema.Choice, Options: []string{"in_progress", "done"}},
		schema.Field{Name: "tags", Kind: schema.Tags}, schema.Field{Name: "text", Kind: schema.Text},
		schema.Field{Name: "site", Kind: schema.Text, Format: schema.URL})
	comma, dmy, mdy := Style{Comma: true}, Style{Days: "dmy"}, Style{Days: "mdy"}
	for _, c := range []struct {
		style             Style
		field, text, want string
	}{
		{Style{}, "money", "1,234.56", "1234.56"},
		{Style{}, "money", "1.234,56 €", "1234.56"},
		{Style{}, "money", "1,234", "1234"},
		{Style{}, "money", "1.234", "1.234"},
		{comma, "money", "1.234", "1234"},
		{comma, "money", "1.234.567", "1234567"},
		{comma, "money", "12,5", "12.5"},
		{Style{}, "money", "12,5", "12.5"},
		{Style{}, "money", "CHF 5", "5"},
		{comma, "money", "1.234,50 EUR", "1234.50"},
		{Style{}, "money", "CHF 1’234.–", "1234"},
		{Style{}, "money", "EURO 5", "!"},
		{Style{}, "money", "-", "!"},
		{Style{}, "money", "$ -5.00", "-5.00"},
		{Style{}, "money", "(1,000.50)", "-1000.50"},
		{Style{}, "money", "1'234.50", "1234.50"},
		{Style{}, "money", "12,34,56", "!"},
		{Style{}, "number", "007", "7"},
		{Style{}, "number", ".5", "0.5"},
		{Style{}, "number", "twelve", "!"},
		{Style{}, "number", "NaN", "!"},
		{Style{}, "number", "0x10", "!"},
		{Style{}, "day", "2026-11-16", "2026-11-16"},
		{Style{}, "day", "16.11.2026", "2026-11-16"},
		{Style{}, "day", "1.2.26", "2026-02-01"},
		{Style{}, "day", "03/04/2026", "!"},
		{dmy, "day", "03/04/2026", "2026-04-03"},
		{mdy, "day", "03/04/2026", "2026-03-04"},
		{Style{}, "day", "16/11/2026", "2026-11-16"},
		{Style{}, "day", "11/16/2026", "2026-11-16"},
		{Style{}, "day", "5/5/2026", "2026-05-05"},
		{Style{}, "day", "16 Nov 2026", "2026-11-16"},
		{Style{}, "day", "November 16, 2026", "2026-11-16"},
		{Style{}, "day", "20261116", "2026-11-16"},
		{Style{}, "day", "16-Nov-26", "2026-11-16"},
		{Style{}, "day", "Mon, 16 Nov 2026", "2026-11-16"},
		{Style{}, "day", "Monday, November 16th, 2026", "2026-11-16"},
		{Style{}, "day", "16. November 2026", "2026-11-16"},
		{Style{}, "day", "Mo., 1. März 2027", "2027-03-01"},
		{Style{}, "day", "1er décembre 2026", "2026-12-01"},
		{Style{}, "day", "16 de noviembre de 2026", "2026-11-16"},
		{Style{}, "day", "Mar 5, 2026", "2026-03-05"},
		{Style{}, "day", "31 Nov 2026", "!"},
		{Style{}, "day", "16 Brumaire 2026", "!"},
		{Style{}, "day", "Nov 2026", "!"},
		{Style{}, "day", "2026/11/16", "2026-11-16"},
		{Style{}, "day", "31.02.2026", "!"},
		{Style{}, "at", "2026-11-16T10:00:00.123456Z", "2026-11-16T10:00:00.123456Z"},
		{Style{}, "at", "16.11.2026 14:30", "2026-11-16T14:30:00Z"},
		{mdy, "at", "11/16/2026 2:30 pm", "2026-11-16T14:30:00Z"},
		{Style{}, "at", "2026-11-16", "2026-11-16T00:00:00Z"},
		{Style{}, "at", "soon", "!"},
		{Style{}, "at", "16 Nov 2026, 14:30", "2026-11-16T14:30:00Z"},
		{Style{}, "at", "11/16/2026, 2:30 PM", "2026-11-16T14:30:00Z"},
		{Style{}, "at", "2026-11-16T14:30:00.000+0200", "2026-11-16T12:30:00Z"},
		{Style{}, "at", "2026-11-16 14:30:00 UTC", "2026-11-16T14:30:00Z"},
		{Style{}, "at", "16.11.2026 14:30 Uhr", "2026-11-16T14:30:00Z"},
		{Style{}, "yes", "Ja", "true"},
		{Style{}, "yes", "0", "false"},
		{Style{}, "yes", "perhaps", "!"},
		{Style{}, "level", "In progress", "in_progress"},
		{Style{}, "level", "DONE", "done"},
		{Style{}, "tags", "vip; fair,  new", "[vip fair new]"},
		{Style{}, "tags", `["a,b","c"]`, "[a,b c]"},
		{Style{}, "tags", "[broken", "!"},
		{Style{}, "site", "www.bäckerei-huber.example/shop", "https://www.bäckerei-huber.example/shop"},
		{Style{}, "site", "http://huber.example", "http://huber.example"},
		{Style{}, "site", "mailto:a@huber.example", "mailto:a@huber.example"},
		{Style{}, "site", "none", "none"},
		{Style{}, "text", "'=1+1", "=1+1"},
		{Style{}, "text", "'tis", "'tis"},
		{Style{}, "text", "", "null"},
	} {
		n, err := c.style.Read(shape.Leaf(c.field), c.text, false)
		got := n.Text
		switch {
		case err != nil:
			got = "!"
		case n.Kind.Name() == "null":
			got = "null"
		case n.Items != nil:
			var items []string
			for _, item := range n.Items {
				items = append(items, item.Text)
			}
			got = fmt.Sprint(items)
		}
		if got != c.want {
			t.Errorf("%q as a %s is %s (%v), want %s", c.text, c.field, got, err, c.want)
		}
	}
	var s Survey
	for _, text := range []string{"1.234,56", "12,5", "7"} {
		s.Look(schema.Money, text)
	}
	s.Look(schema.Date, "16/11/2026")
	if style := s.Style(Dialect{Delimiter: ','}); !style.Comma || style.Days != "dmy" {
		t.Errorf("the style is %+v", style)
	}
}

// Whatever is written by the rules is read as it was.
func TestTablesByTheRules(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	parts := []string{"a", "b c", ",", ";", "\"", "\"\"", "\n", " ", "\t", "é", "'", "x,\"y\",z"}
	for n := range 500 {
		var out strings.Builder
		w := csv.NewWriter(&out)
		w.Comma = []rune{',', ';', '\t', '|'}[n%4]
		w.UseCRLF = n%3 == 0
		want := [][]string{{"one", "two", "three"}}
		for range random.IntN(20) {
			row := []string{"", "", "-"}
			for i := range row {
				for range random.IntN(5) {
					row[i] += parts[random.IntN(len(parts))]
				}
			}
			want = append(want, row)
		}
		if err := w.WriteAll(want); err != nil {
			t.Fatal(err)
		}
		for _, row := range want {
			for i := range row {
				if w.UseCRLF { // which has this writer end lines so within cells, too
					row[i] = strings.ReplaceAll(row[i], "\n", "\r\n")
				}
			}
		}
		r, err := Open(strings.NewReader(out.String()), Dialect{Delimiter: w.Comma})
		if err != nil {
			t.Fatal(err)
		}
		got := [][]string{r.Head}
		for {
			row, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			got = append(got, slices.Clone(row.Cells))
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%q is read as %q", out.String(), got)
		}
	}
}

// Quotes that are not closed cost no more than what is read once more.
func TestManyQuotesThatAreNotClosed(t *testing.T) {
	begun := time.Now()
	for _, line := range []string{"\"a,b\n", "a,\"b\n", "\"a\" b,c\n", "a\",\"b\"c\n"} {
		got := 0
		r, err := Open(strings.NewReader("one,two\n"+strings.Repeat(line, 300_000)), Dialect{})
		for err == nil {
			if _, err = r.Next(); err == nil {
				got++
			}
		}
		if !errors.Is(err, io.EOF) || got != 300_000 {
			t.Errorf("of %q %d rows are read: %v", line, got, err)
		}
	}
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("it took %s", took)
	}
}

// A file has as many rows as it may, and not one more.
func TestManyRows(t *testing.T) {
	for more, want := range map[string]string{"": "EOF", "x\n": "more than 1000000 rows"} {
		r, err := Open(strings.NewReader("a\n"+strings.Repeat("1\n", MaxFileRows)+more), Dialect{})
		for n := 0; err == nil; n++ {
			_, err = r.Next()
			if (err != nil) != (n == MaxFileRows) {
				t.Fatalf("the row %d: %v", n+1, err)
			}
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the last row is followed by %v, want %s", err, want)
		}
	}
}

// Whatever is in a file, it is read in bounds, or refused.
func FuzzOpen(f *testing.F) {
	for _, text := range []string{
		"name,city\nAnna,Kiel\n", "a;b\n1;2", "\xff\xfea\x00,\x00", "{\"a\":1}\n{", "sep=|\na|b\n", "\"a\nb",
		"J\xfcrgen;x\n1.2.2026;3,5",
	} {
		f.Add([]byte(text))
	}
	shape := schema.CompileBody("a row", schema.Field{Name: "money", Kind: schema.Money}, schema.Field{Name: "day", Kind: schema.Date},
		schema.Field{Name: "at", Kind: schema.Time},
		schema.Field{Name: "tags", Kind: schema.Tags}, schema.Field{Name: "yes", Kind: schema.Bool},
		schema.Field{Name: "more", Kind: schema.List, Fields: []schema.Field{{Name: "x", Kind: schema.Text}}})
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := Open(strings.NewReader(string(text)), Dialect{})
		if err != nil {
			return
		}
		for range 100 {
			row, err := r.Next()
			if err != nil {
				return
			}
			if row.Fault != nil {
				continue
			}
			for _, cell := range row.Cells {
				for _, l := range shape.Leaves {
					_, _ = Style{}.Read(l, cell, false)
				}
			}
		}
	})
}
