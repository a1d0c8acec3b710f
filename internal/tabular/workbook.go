package tabular

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
)

// A workbook (XLSX, ISO/IEC 29500) is a zip of XML. It is written row after row, without knowing how many there will be, and
// nothing of it is kept: texts stand in their cells rather than in a table of all texts, and the list of sheets comes last.

// MaxRows is how many rows a sheet has, with its head; a further sheet has the rest. MaxCellText is how many UTF-16 units a cell holds.
const (
	MaxRows     = 1 << 20
	MaxCellText = 32767
)

type workbook struct {
	x       *query.Export
	zip     *zip.Writer
	sheet   io.Writer
	names   []string
	rows    int
	letters []string
	line    []byte
	text    []byte
	// most is how many rows a sheet has.
	most int
	// currency is the place of the value that says of which currency the amounts of a row are; -1 where no column does.
	currency int
}

func newWorkbook(x *query.Export, out *bytes.Buffer) (*workbook, error) {
	w := &workbook{x: x, zip: zip.NewWriter(out), most: MaxRows, currency: -1}
	w.zip.RegisterCompressor(zip.Deflate, func(to io.Writer) (io.WriteCloser, error) { return flate.NewWriter(to, flate.BestSpeed) })
	for i, column := range x.Columns {
		w.letters = append(w.letters, columnLetters(i))
		if column.Name == "currency" {
			w.currency = column.At
		}
	}
	return w, w.begin()
}

// columnLetters is how spreadsheets call a column: A to Z, then AA.
func columnLetters(i int) string {
	text := ""
	for i++; i > 0; i = (i - 1) / 26 {
		text = string(rune('A'+(i-1)%26)) + text
	}
	return text
}

const (
	xmlHead  = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	mainSpec = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
	relSpec  = `http://schemas.openxmlformats.org/officeDocument/2006/relationships`
	// asDay is the style of a cell that holds a day.
	asDay = ` s="1"`
	// Styles 2 to 6 are of amounts, with up to four places; 3 and 4 are formats that every program knows.
	styles = xmlHead + `<styleSheet ` + mainSpec + `><numFmts count="4"><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd"/>` +
		`<numFmt numFmtId="165" formatCode="#,##0.0"/><numFmt numFmtId="166" formatCode="#,##0.000"/>` +
		`<numFmt numFmtId="167" formatCode="#,##0.0000"/></numFmts>` +
		`<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill ` +
		`patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
		`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" ` +
		`fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
		`<cellXfs count="7"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>` + formatted + `164"/>` +
		formatted + `3"/>` + formatted + `165"/>` + formatted + `4"/>` + formatted + `166"/>` + formatted + `167"/></cellXfs></styleSheet>`
	formatted = `<xf fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" numFmtId="`
)

// asAmount is the style of a cell that holds an amount of a currency: it is shown in the digits of that, and kept exactly.
func asAmount(currency string) string {
	places, known := schema.MinorUnits(currency)
	if !known {
		places = 2
	}
	return ` s="` + strconv.Itoa(places+2) + `"`
}

// part begins a file of the zip. Its time is always the same, so that the same records make the same file.
func (w *workbook) part(name string) (io.Writer, error) {
	return w.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
}

// begin begins a sheet with its head.
func (w *workbook) begin() (err error) {
	name := w.x.Resource.Plural
	if n := len(w.names) + 1; n > 1 {
		name += " " + strconv.Itoa(n)
	}
	w.names = append(w.names, name)
	if w.sheet, err = w.part(fmt.Sprintf("xl/worksheets/sheet%d.xml", len(w.names))); err != nil {
		return err
	}
	w.rows = 1
	w.line = append(w.line[:0], xmlHead+`<worksheet `+mainSpec+`><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" `+
		`topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData><row r="1">`...)
	for i, column := range w.x.Columns {
		w.textCell(i, column.Name)
	}
	w.line = append(w.line, "</row>"...)
	_, err = w.sheet.Write(w.line)
	return err
}

// end ends a sheet.
func (w *workbook) end() error {
	_, err := io.WriteString(w.sheet, "</sheetData></worksheet>")
	return err
}

func (w *workbook) Row(values []schema.Value) error {
	if w.rows == w.most {
		if err := w.end(); err != nil {
			return err
		}
		if err := w.begin(); err != nil {
			return err
		}
	}
	w.rows++
	w.line = append(strconv.AppendInt(append(w.line[:0], `<row r="`...), int64(w.rows), 10), `">`...)
	amount := asAmount("")
	if w.currency >= 0 {
		amount = asAmount(values[w.currency].S)
	}
	for i, column := range w.x.Columns {
		if column.At < 0 || !values[column.At].Set {
			continue
		}
		w.cell(i, column.Leaf, values[column.At], amount)
	}
	w.line = append(w.line, "</row>"...)
	_, err := w.sheet.Write(w.line)
	return err
}

// dayZero is the day 0 of spreadsheets, in days since 1970, and firstDay the first that all count alike: there was no 29 February 1900.
const (
	dayZero  = -25569
	firstDay = dayZero + 61
)

// exactDigits is up to how many digits a spreadsheet keeps of a number.
const exactDigits = 15

func (w *workbook) cell(i int, l *schema.Leaf, v schema.Value, amount string) {
	w.text = appendText(w.text[:0], l, v)
	switch {
	case l.Kind == schema.Bool:
		w.open(i, ` t="b"`)
		w.line = append(strconv.AppendInt(append(w.line, "<v>"...), v.N, 10), "</v></c>"...)
	case l.Kind == schema.Date && v.N >= firstDay:
		w.open(i, asDay)
		w.line = append(strconv.AppendInt(append(w.line, "<v>"...), v.N-dayZero, 10), "</v></c>"...)
	case l.Kind == schema.Money && len(w.text) <= exactDigits:
		w.open(i, amount)
		w.line = append(append(append(w.line, "<v>"...), w.text...), "</v></c>"...)
	case l.Kind == schema.Number, (l.Kind == schema.Integer || l.Kind.Decimal()) && len(w.text) <= exactDigits:
		w.open(i, "")
		w.line = append(append(append(w.line, "<v>"...), w.text...), "</v></c>"...)
	default:
		w.textCell(i, string(w.text))
	}
}

// open begins a cell.
func (w *workbook) open(i int, attributes string) {
	w.line = append(append(w.line, `<c r="`...), w.letters[i]...)
	w.line = append(append(append(strconv.AppendInt(w.line, int64(w.rows), 10), '"'), attributes...), '>')
}

func (w *workbook) textCell(i int, text string) {
	w.open(i, ` t="inlineStr"`)
	w.line = append(appendXML(append(w.line, `<is><t xml:space="preserve">`...), cutText(text)), "</t></is></c>"...)
}

// cutText cuts what a cell does not hold, and says so.
func cutText(text string) string {
	if len(text) <= MaxCellText {
		return text
	}
	units, end := 0, 0 // end is where a text of one unit less than a cell holds ends
	for at, r := range text {
		if units < MaxCellText {
			end = at
		}
		if units++; r > 0xffff {
			units++
		}
		if units > MaxCellText {
			return text[:end] + cutMark
		}
	}
	return text
}

// cutMark is what a text ends in that was cut.
const cutMark = "…"

// wasCut tells of the text of a cell that cutText did that to it, or may have: it has as much as a cell holds.
func wasCut(text string) bool {
	if len(text) < MaxCellText || !strings.HasSuffix(text, cutMark) {
		return false
	}
	units := 0
	for _, r := range text {
		if units++; r > 0xffff {
			units++
		}
	}
	return units == MaxCellText || units == MaxCellText-1 // where a character of two did not fit
}

// appendXML writes a text as the content of an element. What XML cannot say is written as spreadsheets do (ST_Xstring): _x0001_.
func appendXML(dst []byte, text string) []byte {
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case b == '&':
			dst = append(dst, "&amp;"...)
		case b == '<':
			dst = append(dst, "&lt;"...)
		case b == '>':
			dst = append(dst, "&gt;"...)
		case b == '_' && isEscape(text[i:]):
			dst = append(dst, "_x005F_"...)
		case b < ' ' && b != '\t' && b != '\n':
			dst = fmt.Appendf(dst, "_x%04X_", b)
		case b == 0xef && i+2 < len(text) && text[i+1] == 0xbf && text[i+2] >= 0xbe: // U+FFFE and U+FFFF
			dst = fmt.Appendf(dst, "_xFFF%X_", 0xE+text[i+2]-0xbe)
			i += 2
		default:
			dst = append(dst, b)
		}
	}
	return dst
}

// isEscape tells whether a text begins as a character that is written by its number does: _x0001_.
func isEscape(text string) bool {
	return len(text) >= 7 && text[1] == 'x' && text[6] == '_' && strings.Trim(text[2:6], "0123456789abcdefABCDEF") == ""
}

func (w *workbook) Close() error {
	if err := w.end(); err != nil {
		return err
	}
	var types, sheets, relations strings.Builder
	for i, name := range w.names {
		n := i + 1
		fmt.Fprintf(&types, `<Override PartName="/xl/worksheets/sheet%d.xml" `+
			`ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>`, n)
		fmt.Fprintf(&sheets, `<sheet name="%s" sheetId="%d" r:id="rId%d"/>`, name, n, n)
		fmt.Fprintf(&relations, `<Relationship Id="rId%d" Type="`+relSpec+`/worksheet" Target="worksheets/sheet%d.xml"/>`, n, n)
	}
	const packageSpec = `xmlns="http://schemas.openxmlformats.org/package/2006/relationships"`
	for _, part := range []struct{ name, text string }{
		{"xl/styles.xml", styles},
		{"xl/workbook.xml", xmlHead + `<workbook ` + mainSpec + ` xmlns:r="` + relSpec + `"><sheets>` + sheets.String() +
			`</sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", xmlHead + `<Relationships ` + packageSpec + `>` + relations.String() +
			fmt.Sprintf(`<Relationship Id="rId%d" Type="`+relSpec+`/styles" Target="styles.xml"/></Relationships>`, len(w.names)+1)},
		{"_rels/.rels", xmlHead + `<Relationships ` + packageSpec + `><Relationship Id="rId1" Type="` + relSpec + `/officeDocument" ` +
			`Target="xl/workbook.xml"/></Relationships>`},
		{"[Content_Types].xml", xmlHead + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default ` +
			`Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ` +
			`ContentType="application/xml"/>` +
			`<Override PartName="/xl/workbook.xml" ` +
			`ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override ` +
			`PartName="/xl/styles.xml" ` +
			`ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/>` + types.String() + `</Types>`},
	} {
		to, err := w.part(part.name)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(to, part.text); err != nil {
			return err
		}
	}
	return w.zip.Close()
}
