package tabular

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"kith/internal/body"
	"kith/internal/problem"
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
	// Pause is called now and then while a workbook is unpacked, which takes long without anything being asked of the reader below; nil does nothing.
	Pause func() `json:"-"`
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
	table *csv.Reader
	lines *bufio.Reader
	bound *bounded
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
	if r.Format == Cards {
		r.cards, r.Head = &cards{from: plain}, cardHead
		return r, nil
	}
	if r.Format == "jsonl" {
		r.lines = plain
		return r, nil
	}
	if line, rest, found := bytes.Cut(sample, []byte("\n")); found && bytes.HasPrefix(line, []byte("sep=")) && len(bytes.TrimSpace(line)) == 5 { // which spreadsheets write
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
	r.bound = &bounded{from: plain}
	r.table = csv.NewReader(r.bound)
	r.table.Comma, r.table.LazyQuotes, r.table.FieldsPerRecord, r.table.ReuseRecord = r.Delimiter, true, -1, true
	return r, r.readHead()
}

// openWorkbook begins to read a workbook.
func openWorkbook(in io.Reader, pause func()) (*Reader, error) {
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

// readHead reads the names of the columns: the first row that has any.
func (r *Reader) readHead() error {
	for {
		head, err := r.cells()
		if errors.Is(err, io.EOF) {
			return refused("it has no head with the names of columns.")
		}
		if err != nil {
			return err
		}
		if r.sheet != nil && blank(head) {
			continue
		}
		for _, name := range head {
			r.Head = append(r.Head, strings.TrimSpace(strings.ToValidUTF8(strings.Clone(name), "")))
		}
		return nil
	}
}

// Close lets go of what a reader has open.
func (r *Reader) Close() {
	if r.sheet != nil {
		r.sheet.close()
	}
}

// bounded gives no more than so many bytes before somebody says that what was read is done with.
type bounded struct {
	from io.Reader
	left int
}

var errLong = refused("a row has more than %d bytes. A quote that is not closed can be the reason.", MaxRowBytes)

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errLong
	}
	n, err := b.from.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// cells reads the next row of a table.
func (r *Reader) cells() ([]string, error) {
	if r.sheet != nil {
		return r.sheet.cells()
	}
	r.bound.left = MaxRowBytes
	cells, err := r.table.Read()
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
	for {
		row.Cells, err = r.cells()
		var syntax *csv.ParseError
		switch {
		case errors.As(err, &syntax):
			row.Cells, row.Fault = nil, fmt.Errorf("line %d: %w", syntax.Line, syntax.Err)
			return row, nil
		case err != nil:
			return row, err
		}
		if blank(row.Cells) {
			continue
		}
		break
	}
	for _, cell := range row.Cells {
		if !utf8.ValidString(cell) {
			row.Fault = errors.New("it has bytes that are no UTF-8; say which encoding the file has")
		}
	}
	if len(row.Cells) > len(r.Head) && !blank(row.Cells[len(r.Head):]) {
		row.Fault = fmt.Errorf("it has %d cells, and there are %d columns", len(row.Cells), len(r.Head))
	}
	return row, nil
}

func blank(cells []string) bool {
	for _, c := range cells {
		if strings.TrimSpace(c) != "" {
			return false
		}
	}
	return true
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
			text = append(text, part...)
			if !more {
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

// delimiterOf tells what stands between the cells of a table: what cuts most of its first lines into the same number of cells, more than one.
func delimiterOf(sample []byte) rune {
	best, most := ',', 0
	for _, d := range []rune{',', ';', '\t', '|'} {
		table := csv.NewReader(bytes.NewReader(sample))
		table.Comma, table.LazyQuotes, table.FieldsPerRecord = d, true, -1
		columns, same := 0, 0
		for line := 0; line < 50; line++ {
			cells, err := table.Read()
			if err != nil {
				break
			}
			if line == 0 {
				columns = len(cells)
			}
			if len(cells) == columns {
				same++
			}
		}
		if columns > 1 && columns*same > most {
			best, most = d, columns*same
		}
	}
	return best
}
