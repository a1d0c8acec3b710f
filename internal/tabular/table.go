package tabular

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
)

// table reads the rows of a text in which a mark stands between cells, as RFC 4180 has it. Quotes gone wrong are taken for what
// whoever wrote them meant: a quote that is not closed before the row is full belongs to its cell, and does not swallow the rows
// behind it.
type table struct {
	from *bufio.Reader
	mark byte
	// end is the byte at the end of lines.
	end byte
	// columns is how many cells a row has, or 0 where that is not known yet.
	columns int
	// given are lines that were read ahead and given back, and spent is how many bytes these had in all.
	given []tableLine
	spent int
	row   []string
}

// tableLine is a line without its end, and that end as it belongs to a cell of several lines.
type tableLine struct {
	text []byte
	end  string
}

// maxGivenBack is how many bytes are read again in a file because of quotes that are not closed.
const maxGivenBack = 64 << 20

var (
	errLong   = refused("a row has more than %d bytes. A quote that is not closed can be the reason.", MaxRowBytes)
	errQuotes = refused("too many of its quotes are not closed.")
)

// lineEnd tells by its beginning what lines of a text end in: a carriage return alone where there is nothing else, as on old Macs.
func lineEnd(sample []byte) byte {
	if bytes.IndexByte(sample, '\n') < 0 && bytes.IndexByte(sample, '\r') >= 0 {
		return '\r'
	}
	return '\n'
}

// line reads the next line. It is valid until the next one is read.
func (t *table) line() (tableLine, error) {
	if len(t.given) > 0 {
		line := t.given[0]
		t.given = t.given[1:]
		return line, nil
	}
	line, err := t.from.ReadSlice(t.end)
	if errors.Is(err, bufio.ErrBufferFull) {
		long := bytes.Clone(line)
		for errors.Is(err, bufio.ErrBufferFull) && len(long) <= MaxRowBytes {
			line, err = t.from.ReadSlice(t.end)
			long = append(long, line...)
		}
		line = long
	}
	switch {
	case len(line) > MaxRowBytes:
		return tableLine{}, errLong
	case err != nil && (!errors.Is(err, io.EOF) || len(line) == 0):
		return tableLine{}, err
	}
	text := bytes.TrimSuffix(line, []byte{t.end})
	if bare := bytes.TrimSuffix(text, []byte{'\r'}); len(bare) < len(text) {
		return tableLine{bare, "\r\n"}, nil
	}
	return tableLine{text, "\n"}, nil
}

// next reads the cells of the next row, which are valid until the one behind it is read.
func (t *table) next() ([]string, error) {
	line, err := t.line()
	if err != nil {
		return nil, err
	}
	if bytes.IndexByte(line.text, '"') < 0 {
		return t.split(string(line.text), false), nil
	}
	var at quoting
	if at.scan(line.text, t.mark); !at.quoted && !at.stray {
		return t.split(string(line.text), false), nil
	}
	text := bytes.Clone(line.text)
	literal := t.columns > 0 && len(t.split(string(text), true)) == t.columns
	if !at.quoted {
		return t.split(string(text), literal && len(t.split(string(text), false)) != t.columns), nil
	}
	first, ahead := len(text), []tableLine(nil)
	for end := line.end; at.quoted && !(literal && at.stray) && len(text) <= MaxRowBytes; {
		line, err := t.line()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		ahead = append(ahead, tableLine{bytes.Clone(line.text), line.end})
		text = append(append(text, end...), line.text...)
		end = line.end
		at.scan(line.text, t.mark)
	}
	if !at.quoted && !(literal && at.stray) {
		return t.split(string(text), false), nil
	}
	if !literal && len(text) > MaxRowBytes {
		return nil, errLong
	}
	t.given = append(ahead, t.given...)
	if t.spent += len(text) - first; t.spent > maxGivenBack {
		return nil, errQuotes
	}
	return t.split(string(text[:first]), true), nil
}

// quoting is how far a row is as to its quotes: whether one is open, and whether one inside neither ended its cell nor was doubled.
type quoting struct{ quoted, stray bool }

// scan looks through a further line of the row.
func (q *quoting) scan(line []byte, mark byte) {
	begins := !q.quoted // a cell
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case !q.quoted && c == mark:
			begins = true
		case !q.quoted && begins && c == '"':
			q.quoted = true
		case !q.quoted:
			begins = begins && c == ' '
		case c != '"':
		case i+1 < len(line) && line[i+1] == '"':
			i++
		case closes(line[i+1:], mark):
			q.quoted, begins = false, false
		default:
			q.stray = true
		}
	}
}

// closes tells whether nothing of the cell stands behind a quote.
func closes[T string | []byte](rest T, mark byte) bool {
	for i := 0; i < len(rest); i++ {
		if rest[i] != ' ' || mark == ' ' {
			return rest[i] == mark
		}
	}
	return true
}

// split cuts the text of a row into cells. A quote within a quoted cell that neither ends it nor is doubled is part of it; with
// literal, such a cell is none that is quoted.
func (t *table) split(text string, literal bool) []string {
	t.row = t.row[:0]
	for {
		start := len(text) - len(strings.TrimLeft(text, " "))
		if start < len(text) && text[start] == '"' {
			if cell, rest, ok := t.quoted(text[start+1:], literal); ok {
				if t.row = append(t.row, cell); rest == "" {
					return t.row
				}
				text = rest[1:]
				continue
			}
		}
		at := strings.IndexByte(text, t.mark)
		if at < 0 {
			t.row = append(t.row, text)
			return t.row
		}
		t.row, text = append(t.row, text[:at]), text[at+1:]
	}
}

// quoted reads a cell behind the quote that opens it, and gives what is behind it: nothing, or what begins with the mark.
func (t *table) quoted(text string, literal bool) (cell, rest string, ok bool) {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] != '"':
		case i+1 < len(text) && text[i+1] == '"':
			i++
		case closes(text[i+1:], t.mark):
			return strings.ReplaceAll(text[:i], `""`, `"`), strings.TrimLeft(text[i+1:], " "), true
		case literal:
			return "", "", false
		}
	}
	return strings.ReplaceAll(text, `""`, `"`), "", !literal
}
