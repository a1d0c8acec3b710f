package tabular

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path"
	"strconv"
	"strings"
	"time"
)

// A workbook is read by ourselves, row after row: a library that opens one unpacks parts of it into memory as whoever made it
// likes. Nothing of it is in memory but a row, the places of its texts, and which formats are dates; the file itself and its texts
// lie in temporary files, which are gone once they are opened.

// Bounds of a workbook.
const (
	// MaxWorkbook is how many bytes it has at most, and MaxUnpacked how many all that is read of it, unpacked.
	MaxWorkbook = 100 << 20
	MaxUnpacked = 1 << 30
	// MaxSpared is how many of these bytes a workbook may have beside its values, which earn more: each text or cell with a value as
	// many as earns, and two for each of its own. So a workbook of which much is read and nothing comes takes a few seconds.
	MaxSpared = 32 << 20
	earns     = 64
	// MaxCells is how many cells with a value it may have, and MaxTextBytes how many bytes the texts that cells share.
	MaxCells     = 16 << 20
	MaxTextBytes = 256 << 20
	// MaxValues is how many bytes its cells may have together, with the texts that they share as often as cells refer to them, and a
	// byte for each: as many as in a table of text. repeats is how many of these each unpacked byte stands for at most, beside those
	// that are spared.
	MaxValues = 256 << 20
	repeats   = 4
	// MaxTexts is how many texts its cells may share, and maxToken how long anything in it may be that cannot be cut.
	MaxTexts = 2 << 20
	maxToken = 1 << 20
	// maxStyles is how many formats of cells are known.
	maxStyles = 64 << 10
	// maxDirectory is how many bytes are read to find out which parts a workbook has.
	maxDirectory = 1 << 20
)

// bounded gives no more than so many bytes before somebody says that what was read is done with.
type bounded struct {
	from io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errLong
	}
	n, err := b.from.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

var errDamaged = refused("the workbook is damaged.")

// sheet reads the first sheet of a workbook.
type sheet struct {
	file, texts *os.File
	// unpacked is how many bytes were read, earned what the values are worth, valued how many cells have one, put how many bytes all have.
	unpacked, earned, valued, put int64
	// at are where the texts lie that cells share.
	at []int64
	// formats tells of each format of cells what it shows numbers as, and since1904 from when days count.
	formats   []byte
	since1904 bool
	rows      *xmlPart
	// value is that of the cell that is being read.
	value []byte
	// pause is called now and then while something is unpacked, where somebody wants that.
	pause func() error
}

// xmlPart reads a part of a workbook, token by token.
type xmlPart struct {
	*xml.Decoder
	bound *bounded
	from  io.Closer
}

// next gives the next token, of a bounded length. RawToken keeps no account of what is open, which could be deep.
func (p *xmlPart) next() (xml.Token, error) {
	p.bound.left = maxToken
	t, err := p.RawToken()
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errDamaged
	}
	return t, err
}

// Temporary makes a file that is gone when it is closed by Discard.
func Temporary() (*os.File, error) {
	f, err := os.CreateTemp("", "kith-import-*")
	if err == nil {
		_ = os.Remove(f.Name()) // where that cannot be done while it is open, Discard does
	}
	return f, err
}

// Discard closes a temporary file.
func Discard(f *os.File) {
	f.Close()
	_ = os.Remove(f.Name())
}

func (s *sheet) close() {
	if s.rows != nil {
		s.rows.from.Close()
	}
	for _, f := range []*os.File{s.file, s.texts} {
		if f != nil {
			Discard(f)
		}
	}
}

// openSheet takes a workbook in, and finds its first sheet.
func openSheet(from io.Reader, pause func() error) (*sheet, error) {
	s := &sheet{pause: pause}
	if err := s.open(from); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *sheet) open(from io.Reader) (err error) {
	if s.file, err = Temporary(); err != nil {
		return err
	}
	size, err := io.Copy(s.file, io.LimitReader(from, MaxWorkbook+1))
	if err != nil {
		return err
	}
	if size > MaxWorkbook {
		return refused("the workbook has more than %d bytes.", MaxWorkbook)
	}
	z, err := Zip(s.file, size)
	if err != nil {
		return errDamaged
	}
	first, err := s.first(z)
	if err != nil {
		return err
	}
	if err := s.readStyles(z); err != nil {
		return err
	}
	if err := s.readTexts(z); err != nil {
		return err
	}
	if s.rows, err = s.part(z, first); err == nil && s.rows == nil {
		err = refused("the workbook has no sheet.")
	}
	return err
}

// Zip opens a packed file of so many bytes, whose directory has no more than a bounded length.
func Zip(from io.ReaderAt, size int64) (*zip.Reader, error) {
	directory := &boundedAt{from, maxDirectory}
	z, err := zip.NewReader(directory, size)
	if err != nil {
		return nil, refused("it is damaged.")
	}
	directory.left = math.MaxInt64
	return z, nil
}

// boundedAt gives no more than so many bytes.
type boundedAt struct {
	from io.ReaderAt
	left int64
}

func (b *boundedAt) ReadAt(p []byte, at int64) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, errLong
	}
	return b.from.ReadAt(p, at)
}

// part opens a part, or gives nil where there is none.
func (s *sheet) part(z *zip.Reader, name string) (*xmlPart, error) {
	for _, f := range z.File {
		if !strings.EqualFold(f.Name, name) {
			continue
		}
		in, err := f.Open()
		if err != nil {
			return nil, errDamaged
		}
		bound := &bounded{from: &unpacking{in, s}}
		return &xmlPart{xml.NewDecoder(bufio.NewReader(bound)), bound, in}, nil
	}
	return nil, nil
}

// unpacking counts what is unpacked of a workbook.
type unpacking struct {
	from io.Reader
	s    *sheet
}

func (u *unpacking) Read(p []byte) (int, error) {
	if u.s.pause != nil {
		if err := u.s.pause(); err != nil {
			return 0, err
		}
	}
	n, err := u.from.Read(p)
	if u.s.unpacked += int64(n); u.s.unpacked > MaxUnpacked {
		return n, refused("the workbook has more than %d bytes when it is unpacked.", MaxUnpacked)
	}
	if u.s.unpacked > MaxSpared+u.s.earned {
		return n, refused("the workbook has far more in it than values. Save the sheet as CSV.")
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = errDamaged
	}
	return n, err
}

func attribute(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// tokens hands the tokens of a part to fn, where there is such a part, and ends with it.
func (s *sheet) tokens(z *zip.Reader, name string, fn func(xml.Token) error) error {
	p, err := s.part(z, name)
	if err != nil || p == nil {
		return err
	}
	defer p.from.Close()
	for {
		t, err := p.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = fn(t)
		}
		if err != nil {
			return err
		}
	}
}

// each hands the elements of a part to fn.
func (s *sheet) each(z *zip.Reader, name string, fn func(xml.StartElement)) error {
	return s.tokens(z, name, func(t xml.Token) error {
		if start, ok := t.(xml.StartElement); ok {
			fn(start)
		}
		return nil
	})
}

// first finds the path of the first sheet.
func (s *sheet) first(z *zip.Reader) (found string, err error) {
	id := ""
	err = s.each(z, "xl/workbook.xml", func(t xml.StartElement) {
		switch t.Name.Local {
		case "workbookPr":
			date1904 := attribute(t, "date1904")
			s.since1904 = date1904 == "1" || date1904 == "true"
		case "sheet":
			if id == "" && !strings.Contains(strings.ToLower(attribute(t, "state")), "hidden") {
				for _, a := range t.Attr {
					if a.Name.Space != "" && a.Name.Local == "id" {
						id = a.Value
					}
				}
			}
		}
	})
	if err != nil {
		return "", err
	}
	err = s.each(z, "xl/_rels/workbook.xml.rels", func(t xml.StartElement) {
		if t.Name.Local == "Relationship" && attribute(t, "Id") == id {
			found = attribute(t, "Target")
		}
	})
	switch {
	case err != nil:
		return "", err
	case found == "":
		return "xl/worksheets/sheet1.xml", nil
	case strings.HasPrefix(found, "/"):
		return strings.TrimPrefix(path.Clean(found), "/"), nil
	}
	return path.Join("xl", found), nil
}

// What a format shows numbers as; 0 is a number.
const (
	asDate    = 'd'
	asPercent = '%'
)

// readStyles finds out which formats of cells are those of days and times, or percent.
func (s *sheet) readStyles(z *zip.Reader) error {
	own := map[string]byte{}
	inCells := false
	return s.each(z, "xl/styles.xml", func(t xml.StartElement) {
		switch t.Name.Local {
		case "numFmt":
			if len(own) < maxStyles {
				own[attribute(t, "numFmtId")] = formatOf(attribute(t, "formatCode"))
			}
		case "cellXfs":
			inCells = true
		case "cellStyles", "cellStyleXfs", "dxfs":
			inCells = false
		case "xf":
			if !inCells || len(s.formats) >= maxStyles {
				return
			}
			id := attribute(t, "numFmtId")
			format := own[id]
			switch n, _ := strconv.Atoi(id); { // what is no number is no date
			case n >= 14 && n <= 22 || n >= 27 && n <= 36 || n >= 45 && n <= 47 || n >= 50 && n <= 58:
				format = asDate
			case n == 9 || n == 10:
				format = asPercent
			}
			s.formats = append(s.formats, format)
		}
	})
}

// formatOf tells what a format shows numbers as: by letters of days or times, or the sign of percent, outside of quotes and brackets.
func formatOf(code string) (format byte) {
	var quoted, bracketed bool
	for i := 0; i < len(code); i++ {
		switch c := code[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '\\' || c == '_' || c == '*':
			i++
		case c == '[':
			bracketed = true
		case c == ']':
			bracketed = false
		case !bracketed && strings.IndexByte("dDmMyYhHsS", c) >= 0:
			return asDate
		case !bracketed && c == '%':
			format = asPercent
		}
	}
	return format
}

// readTexts writes the texts that cells share to a file, and notes where each is.
func (s *sheet) readTexts(z *zip.Reader) error {
	p, err := s.part(z, "xl/sharedStrings.xml")
	if err != nil || p == nil {
		return err
	}
	defer p.from.Close()
	if s.texts, err = Temporary(); err != nil {
		return err
	}
	out := bufio.NewWriterSize(s.texts, 64<<10)
	place, text := int64(0), []byte(nil)
	phonetic, inText := false, false
	for {
		t, err := p.next()
		if errors.Is(err, io.EOF) {
			return out.Flush()
		}
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "si":
				text = text[:0]
			case "rPh":
				phonetic = true
			case "t":
				inText = !phonetic
			}
		case xml.CharData:
			if inText && len(text) <= MaxRowBytes {
				text = append(text, t...)
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "rPh":
				phonetic = false
			case "t":
				inText = false
			case "si":
				if len(s.at) >= MaxTexts {
					return refused("the workbook has more than %d different texts. Save the sheet as CSV.", MaxTexts)
				}
				if len(text) > MaxRowBytes {
					return errLong
				}
				s.at = append(s.at, place)
				text = append(text[:0], unescaped(string(text))...)
				head := binary.AppendUvarint(nil, uint64(len(text)))
				if _, err := out.Write(append(head, text...)); err != nil {
					return err
				}
				if place += int64(len(head) + len(text)); place > MaxTextBytes {
					return refused("the workbook has more than %d bytes of different texts. Save the sheet as CSV.", MaxTextBytes)
				}
				s.earned += earns + 2*int64(len(text))
			}
		}
	}
}

// shared reads a text that cells share.
func (s *sheet) shared(index string) (string, error) {
	n, err := strconv.Atoi(strings.TrimSpace(index))
	if err != nil || n < 0 || n >= len(s.at) {
		return "", errDamaged
	}
	var head [binary.MaxVarintLen64 + 256]byte
	got, err := s.texts.ReadAt(head[:], s.at[n])
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	size, used := binary.Uvarint(head[:got])
	if used <= 0 {
		return "", io.ErrUnexpectedEOF
	}
	if used+int(size) <= got {
		return string(head[used : used+int(size)]), nil
	}
	text := make([]byte, size)
	_, err = s.texts.ReadAt(text, s.at[n]+int64(used))
	return string(text), err
}

// cells reads the next row of the sheet.
func (s *sheet) cells() (row []string, err error) {
	var kind, style string
	column, bytes := -1, 0
	inRow, inValue := false, false
	for {
		t, err := s.rows.next()
		if err != nil {
			return nil, err
		}
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "row":
				inRow, column, row = true, -1, nil
			case "c":
				kind, style, s.value = attribute(t, "t"), attribute(t, "s"), s.value[:0]
				if column++; attribute(t, "r") != "" {
					column = columnNumber(attribute(t, "r"))
				}
				if column < 0 || column >= MaxColumns {
					return nil, refused("it has more than %d columns.", MaxColumns)
				}
			case "v", "t":
				inValue = inRow && column >= 0
			case "rPh": // how a text is spoken
				inRow = false
			}
		case xml.CharData:
			if inValue {
				s.value = append(s.value, t...)
				if bytes += len(t); bytes > MaxRowBytes {
					return nil, errLong
				}
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "v", "t":
				inValue = false
			case "rPh":
				inRow = true
			case "c":
				if column < 0 {
					return nil, errDamaged
				}
				value, err := s.text(kind, style, string(s.value))
				if err != nil {
					return nil, err
				}
				for len(row) <= column {
					row = append(row, "")
					s.put++
				}
				if s.put += int64(len(value)); s.put > min(MaxValues, MaxSpared+repeats*s.unpacked) {
					return nil, refused("the cells of the workbook have more than %d bytes, "+
						"or far more than the workbook itself. Save the sheet as CSV.", MaxValues)
				}
				if value != "" {
					s.earned += earns + 2*int64(len(s.value))
					if s.valued++; s.valued > MaxCells {
						return nil, refused("the workbook has more than %d cells. Save the sheet as CSV.", MaxCells)
					}
				}
				if row[column] = value; kind == "s" {
					if bytes += len(value); bytes > MaxRowBytes {
						return nil, errLong
					}
				}
				s.value = s.value[:0]
			case "row":
				return row, nil
			case "sheetData":
				return nil, io.EOF
			}
		}
	}
}

// unescaped is a text in which characters are written by their numbers, as appendXML does.
func unescaped(text string) string {
	if !strings.Contains(text, "_x") {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '_' && isEscape(text[i:]) {
			n, err := strconv.ParseUint(text[i+2:i+6], 16, 16)
			if err == nil {
				out.WriteRune(rune(n))
				i += 6
				continue
			}
		}
		out.WriteByte(text[i])
	}
	return out.String()
}

// columnNumber reads the letters of the name of a cell: A1 is in column 0. It is less than 0 where there are none.
func columnNumber(name string) int {
	n := 0
	for i := 0; i < len(name) && i < 4; i++ {
		c := name[i] &^ 0x20
		if c < 'A' || c > 'Z' {
			break
		}
		n = n*26 + int(c-'A') + 1
	}
	return n - 1
}

// text is what a cell has, as a text.
func (s *sheet) text(kind, style, value string) (string, error) {
	switch kind {
	case "s":
		return s.shared(value)
	case "b":
		return strconv.FormatBool(value == "1"), nil
	case "e":
		return "", nil // what could not be calculated is nothing
	case "", "n":
	default:
		return unescaped(value), nil
	}
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		return value, nil
	}
	format, percent := byte(0), ""
	if at, err := strconv.Atoi(style); err == nil && at >= 0 && at < len(s.formats) {
		format = s.formats[at]
	}
	switch format {
	case asDate:
		if day, ok := s.day(n); ok {
			return day, nil
		}
	case asPercent: // 0.4 is seen as 40%
		n, percent = n*100, "%"
	}
	// A spreadsheet shows fifteen digits; 0.1+0.2 is 0.3 there.
	if short, err := strconv.ParseFloat(strconv.FormatFloat(n, 'g', 15, 64), 64); err == nil {
		n = short
	}
	if math.Abs(n) >= 1e21 {
		return value, nil
	}
	return strconv.FormatFloat(n, 'f', -1, 64) + percent, nil
}

// day is what a number means in a cell of a day: days since the end of 1899, or the beginning of 1904, and parts of one.
func (s *sheet) day(n float64) (string, bool) {
	if n < 0 || n >= 2958466 {
		return "", false
	}
	begin := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	if s.since1904 {
		begin = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	whole, part := math.Modf(n)
	at := begin.AddDate(0, 0, int(whole)).Add(time.Duration(math.Round(part*86400)) * time.Second)
	switch {
	case part == 0:
		return at.Format(time.DateOnly), true
	case whole == 0:
		return at.Format(time.TimeOnly), true
	}
	return at.Format(time.DateTime), true
}
