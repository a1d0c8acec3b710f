package tabular

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
)

// Bounds of what is read: whoever sends a file decides what is in it.
const (
	// MaxFileRows is how many rows a file has at most, MaxRowBytes how many bytes a row, and MaxColumns how many columns.
	MaxFileRows = 1_000_000
	MaxRowBytes = 1 << 20
	MaxColumns  = 500
	// sampled is how much of the beginning tells what sort of file it is.
	sampled = 64 << 10
)

// Dialect is how a file is written.
type Dialect struct {
	// Format is one of Formats.
	Format string
	// Encoding is utf-8, utf-16le, utf-16be or windows-1252.
	Encoding string
	// Delimiter stands between the cells of a table.
	Delimiter rune
	// Pause is called now and then while a workbook is unpacked, which takes long without anything being asked of the reader below,
	// and ends the reading by an error; nil does nothing.
	Pause func() error `json:"-"`
}

// Formats are the names of those that can be read.
var Formats = []string{"csv", "jsonl", Cards, Workbook}

// Cards and Workbook are the names of those formats that are no lines of text.
const (
	Cards    = "vcard"
	Workbook = "xlsx"
)

// Encodings are the names of those that can be read.
var Encodings = []string{"utf-8", "utf-16le", "utf-16be", "windows-1252"}

// Row is one row of a file.
type Row struct {
	// N counts the rows from 1, without the head.
	N int64
	// Cells are those of a table, which are valid until the next row is read, and Object the record of a line of JSON.
	Cells  []string
	Object *body.Node
	// Fault is what is wrong with the row itself, or nil; the rows behind it can be read all the same.
	Fault error
}

// Weight is about how many bytes the row has.
func (r *Row) Weight() (bytes int) {
	for _, cell := range r.Cells {
		bytes += len(cell)
	}
	if r.Object != nil {
		bytes += len(body.Append(nil, *r.Object))
	}
	return bytes
}

// Reader reads the rows of a file.
type Reader struct {
	Dialect
	// Head are the names of the columns of a table.
	Head  []string
	count int64
	// ahead are rows that were read to find the head.
	ahead [][]string
	table *table
	lines *bufio.Reader
	// cards and sheet read other tables than CSV.
	cards *cards
	sheet *sheet
}

func refused(format string, args ...any) error {
	return problem.New(problem.ValidationFailed, "The file cannot be read: "+format, args...)
}

// Open begins to read a file. What the dialect leaves open is found out from its beginning.
func Open(from io.Reader, d Dialect) (*Reader, error) {
	in := bufio.NewReaderSize(from, sampled)
	sample, err := in.Peek(sampled)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case len(sample) == 0:
		return nil, refused("it is empty.")
	case bytes.HasPrefix(sample, []byte("PK\x03\x04")) && (d.Format == "" || d.Format == Workbook):
		return openWorkbook(in, d.Pause)
	case d.Format == Workbook:
		return nil, refused("it is no workbook.")
	}
	if d.Encoding == "" {
		d.Encoding = encodingOf(sample, len(sample) < sampled)
	}
	r := &Reader{Dialect: d}
	text := decoded(in, d.Encoding)
	plain := bufio.NewReaderSize(text, sampled)
	sample, err = plain.Peek(sampled)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if bytes.HasPrefix(sample, []byte("\ufeff")) {
		if _, err := plain.Discard(len("\ufeff")); err != nil {
			return nil, err
		}
		sample = sample[len("\ufeff"):]
	}
	if bytes.IndexByte(sample, 0) >= 0 {
		return nil, refused("it is no text.")
	}
	if r.Format == "" {
		switch start := bytes.TrimLeft(sample, " \t\r\n"); {
		case bytes.HasPrefix(start, []byte("{")):
			r.Format = "jsonl"
		case bytes.HasPrefix(bytes.ToUpper(start[:min(len(start), 11)]), []byte("BEGIN:VCARD")):
			r.Format = Cards
		default:
			r.Format = "csv"
		}
	}
	switch r.Format {
	case Cards:
		r.cards, r.Head = &cards{from: plain}, cardHead
		return r, nil
	case "jsonl":
		r.lines = plain
		return r, nil
	}
	// which spreadsheets write
	if line, rest, found := bytes.Cut(sample, []byte{lineEnd(sample)}); found && bytes.HasPrefix(line, []byte("sep=")) &&
		len(bytes.TrimSpace(line)) == 5 {
		if _, err := plain.Discard(len(line) + 1); err != nil {
			return nil, err
		}
		if r.Delimiter == 0 {
			r.Delimiter = rune(line[4])
		}
		sample = rest
	}
	if r.Delimiter == 0 {
		r.Delimiter = delimiterOf(sample)
	}
	r.table = &table{from: plain, mark: byte(r.Delimiter), end: lineEnd(sample)}
	if err := r.readHead(); err != nil {
		return r, err
	}
	r.table.columns = len(r.Head)
	return r, nil
}

// openWorkbook begins to read a workbook.
func openWorkbook(in io.Reader, pause func() error) (*Reader, error) {
	s, err := openSheet(in, pause)
	if err != nil {
		return nil, err
	}
	r := &Reader{Dialect: Dialect{Format: Workbook}, sheet: s}
	if err := r.readHead(); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// maxColumnName is how many bytes the name of a column has at most.
const maxColumnName = 400

// maxTitles is how many lines with a title a table may have above its head.
const maxTitles = 20

// readHead reads the names of the columns: the first row that has any, unless that is a title above them.
func (r *Reader) readHead() error {
	var rows [][]string
	for len(rows) < maxTitles {
		row, err := r.filled()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		row = slices.Clone(row)
		if n := len(rows); n > 0 && isTitle(rows[n-1], row) {
			rows = nil
		}
		if rows = append(rows, row); filledCells(row) > 1 {
			break
		}
	}
	if len(rows) == 0 {
		return refused("it has no head with the names of columns.")
	}
	r.Head, r.ahead = columnNames(rows[0]), rows[1:]
	return nil
}

// filled reads the next row that has anything in it.
func (r *Reader) filled() ([]string, error) {
	for {
		cells, err := r.cells()
		if err != nil || !blank(cells) {
			return cells, err
		}
	}
}

// isTitle tells whether a row with one text in it is a title above a head, rather than the head itself.
func isTitle(row, next []string) bool {
	n := filledCells(next)
	return n > 2 || n == 2 && len(row) > 1
}

func filledCells(cells []string) (n int) {
	for _, c := range cells {
		if strings.TrimSpace(c) != "" {
			n++
		}
	}
	return n
}

// columnNames gives each column a name of its own, because that is how somebody says what it is: one without a name is called as
// spreadsheets call it, and of two with the same one the second is a number more.
func columnNames(head []string) []string {
	names, taken, last := make([]string, len(head)), map[string]bool{}, map[string]int{}
	for i, name := range head {
		names[i] = strings.Join(strings.Fields(strings.ToValidUTF8(name, "")), " ")
		if len(names[i]) > maxColumnName { // which is no name, but is told and kept with every import
			names[i] = strings.TrimSpace(strings.ToValidUTF8(names[i][:maxColumnName], ""))
		}
		if names[i] == "" {
			names[i] = "Column " + columnLetters(i)
		}
		first := names[i]
		for taken[names[i]] {
			last[first] = max(last[first], 1) + 1
			names[i] = fmt.Sprintf("%s (%d)", first, last[first])
		}
		taken[names[i]] = true
	}
	return names
}

// Close lets go of what a reader has open.
func (r *Reader) Close() {
	if r.sheet != nil {
		r.sheet.close()
	}
}

// cells reads the next row of a table.
func (r *Reader) cells() ([]string, error) {
	if len(r.ahead) > 0 {
		row := r.ahead[0]
		r.ahead = r.ahead[1:]
		return row, nil
	}
	if r.sheet != nil {
		return r.sheet.cells()
	}
	cells, err := r.table.next()
	if len(cells) > MaxColumns {
		return nil, refused("it has more than %d columns.", MaxColumns)
	}
	return cells, err
}

// Next reads the next row, or gives io.EOF.
func (r *Reader) Next() (row Row, err error) {
	r.count++
	row, err = r.next(Row{N: r.count})
	if err == nil && r.count > MaxFileRows {
		err = refused("it has more than %d rows. Import it in parts.", MaxFileRows)
	}
	return row, err
}

func (r *Reader) next(row Row) (_ Row, err error) {
	switch {
	case r.lines != nil:
		return r.line(row)
	case r.cards != nil:
		row.Cells, row.Fault, err = r.cards.next()
		return row, err
	}
	if row.Cells, err = r.filled(); err != nil {
		return row, err
	}
	if slices.ContainsFunc(row.Cells, func(cell string) bool { return !utf8.ValidString(cell) }) {
		row.Fault = errors.New("it has bytes that are no UTF-8; say which encoding the file has")
	}
	if len(row.Cells) > len(r.Head) && !blank(row.Cells[len(r.Head):]) {
		row.Fault = fmt.Errorf("it has %d cells, and there are %d columns", len(row.Cells), len(r.Head))
	}
	return row, nil
}

func blank(cells []string) bool {
	return !slices.ContainsFunc(cells, func(cell string) bool { return strings.TrimSpace(cell) != "" })
}

// line reads the next line of JSON.
func (r *Reader) line(row Row) (Row, error) {
	for {
		var text []byte
		for {
			part, more, err := r.lines.ReadLine()
			if err != nil {
				return row, err
			}
			if len(text)+len(part) > MaxRowBytes {
				return row, errLong
			}
			if text = append(text, part...); !more {
				break
			}
		}
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		if row.Object, row.Fault = body.Parse(text); row.Fault == nil && row.Object.Kind != body.Object {
			row.Object, row.Fault = nil, errors.New("it is no JSON object")
		}
		return row, nil
	}
}

// encodingOf tells the encoding of a text by its beginning; whole tells that there is no more of it.
func encodingOf(sample []byte, whole bool) string {
	switch {
	case bytes.HasPrefix(sample, []byte{0xff, 0xfe}):
		return "utf-16le"
	case bytes.HasPrefix(sample, []byte{0xfe, 0xff}):
		return "utf-16be"
	}
	var zeros [2]int
	for i, b := range sample {
		if b == 0 {
			zeros[i%2]++
		}
	}
	if half := len(sample) / 2; half > 0 { // most texts are largely ASCII, of which every other byte is zero
		if zeros[1] > half/2 && zeros[0] < half/8 {
			return "utf-16le"
		}
		if zeros[0] > half/2 && zeros[1] < half/8 {
			return "utf-16be"
		}
	}
	if !whole { // it may end inside of a character
		for i := 0; i < utf8.UTFMax && len(sample) > 0 && !utf8.Valid(sample); i++ {
			sample = sample[:len(sample)-1]
		}
	}
	if utf8.Valid(sample) {
		return "utf-8"
	}
	return "windows-1252"
}

func decoded(from io.Reader, name string) io.Reader {
	var e encoding.Encoding
	switch name {
	case "utf-16le":
		e = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case "utf-16be":
		e = unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	case "windows-1252":
		e = charmap.Windows1252
	default:
		return from
	}
	return e.NewDecoder().Reader(from)
}

// betweenPaths tells what stands between the paths of fields where a line has nothing else, as the head of an export has it.
func betweenPaths(line []byte) (mark rune, found bool) {
	mark = ','
	for i, b := range line {
		switch {
		case b >= 'a' && b <= 'z', i > 0 && (b >= '0' && b <= '9' || b == '_' || b == '.'):
		case strings.IndexByte(delimiters, b) >= 0 && (!found || rune(b) == mark):
			mark, found = rune(b), true
		default:
			return 0, false
		}
	}
	return mark, len(line) > 0
}

// delimiters are what can stand between the cells of a table.
const delimiters = ",;\t|"

// delimiterOf tells what stands between the cells of a table: what cuts most of its first lines into the same number of cells, more
// than one. Lines above that are not cut, which may be titles, speak against it.
func delimiterOf(sample []byte) rune {
	first, _, _ := bytes.Cut(sample, []byte{lineEnd(sample)})
	if mark, found := betweenPaths(bytes.TrimSpace(first)); found {
		return mark
	}
	best, most := ',', 0
	for _, d := range []byte(delimiters) {
		rows := &table{from: bufio.NewReaderSize(bytes.NewReader(sample), sampled), mark: d, end: lineEnd(sample)}
		columns, same, above := 0, 0, 1
		for range 50 {
			cells, err := rows.next()
			if err != nil {
				break
			}
			switch {
			case blank(cells):
			case columns == 0 && filledCells(cells) < 2:
				above++
			case columns == 0:
				columns, same = len(cells), 1
			case len(cells) == columns:
				same++
			}
		}
		if score := columns * same / above; score > most {
			best, most = rune(d), score
		}
	}
	return best
}
