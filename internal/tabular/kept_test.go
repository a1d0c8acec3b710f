package tabular_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/tabular"
)

// Rows come out of what is kept as they went in, also those that cannot be read.
func TestPackedRows(t *testing.T) {
	var file strings.Builder
	file.WriteString("name,note\n")
	for i := range 250 {
		fmt.Fprintf(&file, "Person %d,\"line\nbreak, “quotes” \x01\"\n", i)
	}
	file.WriteString("too,many,cells\nbroken \xff,\n")
	for _, text := range []string{file.String(), "{\"name\":\"Anna\",\"tags\":[\"a\",null,1.50]}\nno JSON\n[1]\n"} {
		r, err := tabular.Open(strings.NewReader(text), tabular.Dialect{Encoding: "utf-8"})
		if err != nil {
			t.Fatal(err)
		}
		var came, kept []string
		var p tabular.Packer
		keep := func() {
			t.Helper()
			first, data, err := p.Pack()
			if err != nil {
				t.Fatal(err)
			}
			rows, err := tabular.Unpack(first, data)
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range rows {
				kept = append(kept, told(row))
			}
		}
		for {
			row, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			came = append(came, told(row))
			if p.Add(row) {
				keep()
			}
		}
		keep()
		for i, row := range came {
			if i >= len(kept) || kept[i] != row {
				t.Fatalf("row %d of %d came as %q; kept are %q", i, len(came), row, kept[min(i, len(kept)):])
			}
		}
	}
}

func told(row tabular.Row) string {
	text := strings.ToValidUTF8(fmt.Sprintf("%d %s %v", row.N, strings.Join(row.Cells, "|"), row.Fault), "\ufffd")
	if row.Object != nil {
		text += string(body.Append(nil, *row.Object))
	}
	return text
}

func TestRefusedRows(t *testing.T) {
	table := tabular.NewRefused([]string{"name", "why", "email"}, "why", tabular.Dialect{})
	for _, row := range []tabular.Row{{Cells: []string{"Anna", "before"}}, {Cells: []string{"Ben", "", "b@example.com", "too", "many"}}} {
		if err := table.Add(row, "=because"); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := table.Take(); err != nil || string(text) != "name,email,why\nAnna,,'=because\nBen,b@example.com,too,many,'=because\n" {
		t.Errorf("%q, %v", text, err)
	}
	if text, err := table.Take(); err != nil || len(text) != 0 {
		t.Errorf("once more %q, %v", text, err)
	}
	others := tabular.NewRefused([]string{"name", "city"}, "why", tabular.Dialect{Encoding: "windows-1252", Delimiter: ';'})
	if err := others.Add(tabular.Row{Cells: []string{"Jürgen", "Köln, Süd"}}, "because"); err != nil {
		t.Fatal(err)
	}
	if text, err := others.Take(); err != nil || string(text) != "\ufeffname;city;why\nJürgen;Köln, Süd;because\n" {
		t.Errorf("as it was sent %q, %v", text, err)
	}
	lines := tabular.NewRefused(nil, "why", tabular.Dialect{})
	if err := lines.Add(tabular.Row{}, "no JSON"); err != nil {
		t.Fatal(err)
	}
	if text, err := lines.Take(); err != nil || string(text) != "{\"why\":\"no JSON\"}\n" {
		t.Errorf("%q, %v", text, err)
	}
}
