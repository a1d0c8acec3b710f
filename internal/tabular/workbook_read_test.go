package tabular

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// workbookOf packs parts as a workbook.
func workbookOf(t testing.TB, parts map[string]string) string {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, text := range parts {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

const (
	bookPart = `<workbook xmlns:r="x"><workbookPr/><sheets><sheet name="hidden" state="veryHidden" r:id="rId1"/><sheet name="People" ` +
		`sheetId="2" r:id="rId2"/></sheets></workbook>`
	relsPart = `<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" ` +
		`Target="/xl/worksheets/people.xml"/></Relationships>`
	stylePart = `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="&quot;day&quot; dd/mm/yyyy"/><numFmt numFmtId="165" ` +
		`formatCode="&quot;d&quot; 0.00 [Red]"/><numFmt numFmtId="166" formatCode="0.0\ %"/></numFmts><cellStyleXfs><xf ` +
		`numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf ` +
		`numFmtId="9"/><xf numFmtId="166"/></cellXfs></styleSheet>`
	textsPart = `<sst><si><t>name</t></si><si><r><t>An</t></r><r><t xml:space="preserve">na ` +
		`</t></r><rPh><t>spoken</t></rPh></si><si><t>a_x000D_b_x005F_x0041_</t></si></sst>`
)

func peopleSheet(rows string) map[string]string {
	return map[string]string{
		"xl/workbook.xml": bookPart, "xl/_rels/workbook.xml.rels": relsPart, "xl/styles.xml": stylePart, "xl/sharedStrings.xml": textsPart,
		"xl/worksheets/sheet1.xml": "<worksheet/>",
		"xl/worksheets/people.xml": "<worksheet><sheetData>" + rows + "</sheetData></worksheet>",
	}
}

// Workbooks as spreadsheets write them.
func TestWorkbooksAreRead(t *testing.T) {
	const head = `<row r="1"/><row r="2"><c r="A2" t="s"><v>0</v></c><c t="inlineStr"><is><t>more</t></is></c></row>`
	for what, c := range map[string][2]string{
		"texts":                {`<row><c t="s"><v>1</v></c><c t="s"><v>2</v></c></row>`, `["Anna " "a\rb_x0041_"]`},
		"cells that are apart": {`<row r="9"><c r="B9" t="str"><f>A1&amp;"x"</f><v>x</v></c></row>`, `["" "x"]`},
		"numbers":              {`<row><c><v>0.30000000000000004</v></c><c t="n"><v>1.5E3</v></c></row>`, `["0.3" "1500"]`},
		"days": {
			`<row><c s="1"><v>46342</v></c><c s="2"><v>46342.5</v></c></row>`,
			`["2026-11-16" "2026-11-16 12:00:00"]`,
		},
		"no days":               {`<row><c s="3"><v>46342</v></c><c s="99"><v>1</v></c></row>`, `["46342" "1"]`},
		"percent":               {`<row><c s="4"><v>0.28999999999999998</v></c><c s="5"><v>1.075</v></c></row>`, `["29%" "107.5%"]`},
		"yes, and what failed":  {`<row><c t="b"><v>1</v></c><c t="e"><v>#REF!</v></c></row>`, `["true" ""]`},
		"a row that is empty":   {`<row/><row><c t="inlineStr"><is><t>x</t></is></c></row>`, `["x"]`},
		"a text that is not in": {`<row><c t="s"><v>77</v></c></row>`, "the workbook is damaged"},
		"what is no XML":        {`<row><c t="s"><v>1</c`, "the workbook is damaged"},
		"columns far out":       {`<row><c r="ZZZ1"><v>1</v></c></row>`, "more than 500 columns"},
		"a cell too long":       {`<row><c t="str"><v>` + strings.Repeat("x", 2<<20) + `</v></c></row>`, "a row has more than"},
		"a cell in many pieces": {`<row><c t="str"><v>` + strings.Repeat("x<!---->", 2<<20) + `</v></c></row>`, "a row has more than"},
		"a row of large texts": {
			`<row>` + strings.Repeat(`<c t="str"><v>`+strings.Repeat("x", 60<<10)+`</v></c>`, 20) + `</row>`,
			"a row has more than",
		},
	} {
		got := rowsOf(t, workbookOf(t, peopleSheet(head+c[0])), Dialect{})
		if want := `["name" "more"] ` + c[1]; got != want && !(c[1][0] != '[' && strings.Contains(got, c[1])) {
			t.Errorf("%s: %.300s, want %s", what, got, want)
		}
	}
}

// A title above the head of a sheet, which often lies over several cells, is none of its columns.
func TestSheetsWithTitles(t *testing.T) {
	rows := `<row r="1"><c r="A1" t="inlineStr"><is><t>Customers</t></is></c><c r="B1"/><c r="C1"/></row><row r="2"/><row r="4"><c ` +
		`t="inlineStr"><is><t>name</t></is></c><c t="inlineStr"><is><t>city</t></is></c></row><row><c ` +
		`t="inlineStr"><is><t>Anna</t></is></c></row>`
	if got, want := rowsOf(t, workbookOf(t, peopleSheet(rows)), Dialect{}), `["name" "city"] ["Anna"]`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Workbooks that are made to do harm are refused within bounds.
func TestHostileWorkbooks(t *testing.T) {
	many := peopleSheet("")
	for i := range 3000 {
		many[fmt.Sprintf("xl/media/%0400d.png", i)] = ""
	}
	texts := peopleSheet("")
	texts["xl/sharedStrings.xml"] = "<sst>" + strings.Repeat("<si/>", MaxTexts+1) + "</sst>"
	deep := peopleSheet("")
	deep["xl/workbook.xml"] = strings.Repeat("<a>", 1<<20)
	entities := peopleSheet("")
	entities["xl/workbook.xml"] = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><workbook>&b;</workbook>`
	for what, c := range map[string]struct {
		parts map[string]string
		want  string
	}{
		"many parts":         {many, "damaged"},
		"many texts":         {texts, "different texts"},
		"no end of elements": {deep, "no head"},
		"entities":           {entities, "damaged"},
		"no sheet":           {map[string]string{"a.txt": "x"}, "no sheet"},
	} {
		if got := rowsOf(t, workbookOf(t, c.parts), Dialect{}); !strings.Contains(got, c.want) {
			t.Errorf("%s: %.300s, want %s", what, got, c.want)
		}
	}
	// A bomb: little that unpacks to more than is read.
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	w, err := z.Create("xl/worksheets/sheet1.xml")
	if err != nil {
		t.Fatal(err)
	}
	for range 64 {
		if _, err := w.Write(bytes.Repeat([]byte("<a></a>"), 1<<14)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := openSheet(&out, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	s.unpacked, s.earned = MaxUnpacked-1<<20, MaxUnpacked
	if _, err := s.cells(); err == nil || !strings.Contains(err.Error(), "when it is unpacked") {
		t.Errorf("a bomb is read: %v", err)
	}
}

// Whatever is in the parts of a workbook, it is read in bounds, or refused.
func FuzzWorkbook(f *testing.F) {
	f.Add([]byte(textsPart), []byte(stylePart), []byte(`<worksheet><sheetData><row><c t="s"><v>1</v></c><c r="B1" `+
		`s="1"><v>46342.5</v></c></row></sheetData></worksheet>`))
	f.Add([]byte("<sst><si><t>_x0041_</t></si>"), []byte("<cellXfs><xf/>"), []byte(`<row><c r="é1" t="b"/></row><row></c></row>`))
	f.Fuzz(func(t *testing.T, texts, styles, rows []byte) {
		book := workbookOf(t, map[string]string{
			"xl/sharedStrings.xml": string(texts), "xl/styles.xml": string(styles),
			"xl/worksheets/sheet1.xml": string(rows),
		})
		r, err := Open(strings.NewReader(book), Dialect{})
		if err != nil {
			return
		}
		defer r.Close()
		for range 100 {
			if _, err := r.Next(); err != nil {
				return
			}
		}
	})
}

// Of a workbook that unpacks to much and has nothing to say, no more is read than takes a few seconds. What has values is read on.
func TestAWorkbookOfNothingIsGivenUp(t *testing.T) {
	t.Parallel()
	for name, given := range map[string]struct {
		rows  string
		fails bool
	}{
		"empty rows":  {strings.Repeat(`<row r="1"/>`, 1<<18), true},
		"empty cells": {strings.Repeat(`<row><c r="A1"/><c r="B1"/></row>`, 1<<16), true},
		"comments":    {strings.Repeat("<!-- nothing to see here -->", 1<<16), true},
		"values": {strings.Repeat(`<row r="1" spans="1:2"><c r="A1" t="inlineStr"><is><t xml:space="preserve">x</t></is></c><c `+
			`r="B1" s="1"><v>46342.5</v></c></row>`, 1<<14), false},
	} {
		s, err := openSheet(strings.NewReader(workbookOf(t,
			map[string]string{"xl/worksheets/sheet1.xml": `<worksheet><sheetData>` + given.rows + `</sheetData></worksheet>`})), nil)
		if err != nil {
			t.Fatal(err)
		}
		s.unpacked = MaxSpared - 1<<19
		for err == nil {
			_, err = s.cells()
		}
		if s.close(); strings.Contains(err.Error(), "more in it than values") != given.fails {
			t.Errorf("%s: %v", name, err)
		}
	}
}
