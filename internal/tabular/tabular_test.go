package tabular

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
)

// No text that is defused begins as a formula does, and none is lost by it.
func TestDefusingIsTakenBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.StringMatching(`'{0,3}[=+\-@\t\r]?.*`), rapid.String()).Draw(t, "text")
		safe := Defuse(text)
		if safe != "" && strings.IndexByte(dangerous, safe[0]) >= 0 {
			t.Fatalf("%q is %q", text, safe)
		}
		if back := Arm(safe); back != text {
			t.Fatalf("%q came back as %q", text, back)
		}
	})
	for text, want := range map[string]string{"=1": "'=1", "'=1": "''=1", "'tis": "'tis", "": "", "'": "'", "+49": "'+49", "a=1": "a=1"} {
		if got := Defuse(text); got != want {
			t.Errorf("%q is defused as %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{"'tis": "'tis", "'+49": "+49", "=1": "=1"} {
		if got := Arm(text); got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
}

// What XML cannot say comes back from a workbook as it was.
func TestTextsOfAWorkbook(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune("_x0D\x01\r\n\t<&>\ufffe\uffff😀")))).Draw(t, "text")
		if strings.Contains(text, "\x00") {
			return // which no text of ours has
		}
		var read struct {
			Text string `xml:",chardata"`
		}
		if err := xml.Unmarshal(append(appendXML([]byte("<t>"), text), "</t>"...), &read); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if got := unescape(read.Text); got != text {
			t.Fatalf("%q came back as %q", text, got)
		}
	})
	long := strings.Repeat("😀", MaxCellText)
	if got := cutText(long); len(utf16.Encode([]rune(got))) > MaxCellText || !strings.HasSuffix(got, "😀…") {
		t.Errorf("a long text is cut to %d units", len(utf16.Encode([]rune(got))))
	}
	if short := strings.Repeat("x", MaxCellText); cutText(short) != short {
		t.Error("a text that fits is cut")
	}
}

// unescape reads what appendXML wrote for what XML cannot say.
func unescape(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); {
		if text[i] == '_' && isEscape(text[i:]) {
			var r rune
			for _, c := range strings.ToUpper(text[i+2 : i+6]) {
				r = r<<4 | rune(strings.IndexRune("0123456789ABCDEF", c))
			}
			out.WriteRune(r)
			i += 7
			continue
		}
		out.WriteByte(text[i])
		i++
	}
	return out.String()
}

// An amount in a workbook is shown in the digits of its currency, and is kept exactly.
func TestAmountsOfAWorkbook(t *testing.T) {
	shape := schema.CompileBody("a row", schema.Field{Name: "sum", Kind: schema.Money}, schema.Field{Name: "currency", Kind: schema.Text})
	x := &query.Export{Query: &query.Query{Resource: &schema.Resource{Plural: "things"}}, Format: query.XLSX}
	for i, l := range shape.Leaves {
		x.Columns = append(x.Columns, query.Column{Name: l.Path, Leaf: l, At: i})
	}
	for currency, style := range map[string]string{"JPY": "2", "EUR": "4", "KWD": "5", "CLF": "6", "": "4"} {
		var out bytes.Buffer
		w, err := newWorkbook(x, &out)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Row([]schema.Value{schema.IntValue(schema.Money, 12345), schema.TextValue(schema.Text, currency)}); err != nil {
			t.Fatal(err)
		}
		if want := `<c r="A2" s="` + style + `"><v>1.2345</v></c>`; !strings.Contains(string(w.line), want) {
			t.Errorf("%q: the row is %s, want %s", currency, w.line, want)
		}
	}
}

// A sheet that is full is followed by another one with the same head.
func TestSheetsFollowEachOther(t *testing.T) {
	shape := schema.CompileBody("a row", schema.Field{Name: "name", Kind: schema.Text}, schema.Field{Name: "day", Kind: schema.Date},
		schema.Field{Name: "sum", Kind: schema.Money})
	x := &query.Export{Query: &query.Query{Resource: &schema.Resource{Plural: "things"}}, Format: query.XLSX}
	for i, l := range shape.Leaves {
		x.Columns = append(x.Columns, query.Column{Name: l.Path, Leaf: l, At: i})
	}
	var out bytes.Buffer
	w, err := newWorkbook(x, &out)
	if err != nil {
		t.Fatal(err)
	}
	w.most = 3
	for range 5 {
		if err := w.Row([]schema.Value{
			schema.TextValue(schema.Text, "=x"), schema.IntValue(schema.Date, 0),
			schema.IntValue(schema.Money, 12345),
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(f.Name, "xl/worksheets/") {
			rows[f.Name] = strings.Count(string(text), "<row ")
			if !strings.Contains(string(text), `<c r="B2" s="1"><v>25569</v></c><c r="C2" s="4"><v>1.2345</v></c>`) {
				t.Errorf("%s is %s", f.Name, text)
			}
		}
		if err := xml.Unmarshal(text, new(struct{})); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
	if rows["xl/worksheets/sheet1.xml"] != 3 || rows["xl/worksheets/sheet2.xml"] != 3 || rows["xl/worksheets/sheet3.xml"] != 2 {
		t.Errorf("the sheets have %v rows", rows)
	}
	for i, want := range map[int]string{0: "A", 25: "Z", 26: "AA", 701: "ZZ", 702: "AAA"} {
		if got := columnLetters(i); got != want {
			t.Errorf("column %d is %s, want %s", i, got, want)
		}
	}
}
