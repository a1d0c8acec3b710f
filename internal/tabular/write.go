package tabular

import (
	"bytes"
	"strings"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
)

// Writer writes the rows of an export. What it has written so far lies in a buffer, which whoever asks for the rows empties as they go.
type Writer interface {
	// Row adds a row, whose values are as the query says.
	Row(values []schema.Value) error
	// Close ends the file.
	Close() error
}

// NewWriter begins a file.
func NewWriter(x *query.Export, out *bytes.Buffer) (Writer, error) {
	switch x.Format {
	case query.JSONL:
		return &lines{x, out}, nil
	case query.XLSX:
		return newWorkbook(x, out)
	default:
		c := &commas{columns: x.Columns, out: out}
		for i, column := range x.Columns {
			c.mark(i)
			c.quoted(column.Name, true)
		}
		out.WriteString("\r\n")
		return c, nil
	}
}

// lines writes each record as a line of JSON, as searches answer it.
type lines struct {
	x   *query.Export
	out *bytes.Buffer
}

func (l *lines) Row(values []schema.Value) error {
	l.out.Write(append(l.x.AppendRecord(l.out.AvailableBuffer(), values), '\n'))
	return nil
}

func (l *lines) Close() error { return nil }

// commas writes CSV (RFC 4180) in UTF-8.
type commas struct {
	columns []query.Column
	out     *bytes.Buffer
	text    []byte
}

func (c *commas) Row(values []schema.Value) error {
	before := c.out.Len()
	for i, column := range c.columns {
		c.mark(i)
		if column.At < 0 || !values[column.At].Set {
			continue
		}
		switch v := values[column.At]; {
		case column.Leaf.Kind == schema.Text, column.Leaf.Kind == schema.LongText, column.Leaf.Kind == schema.Choice:
			c.quoted(v.S, true)
		case column.Leaf.Kind == schema.ID, column.Leaf.Kind == schema.Time, column.Leaf.Kind == schema.Date,
			column.Leaf.Kind == schema.Number, column.Leaf.Kind == schema.Integer, column.Leaf.Kind == schema.Bool:
			c.out.Write(appendText(c.out.AvailableBuffer(), column.Leaf, v)) // they have nothing that would need quotes
		default:
			c.text = appendText(c.text[:0], column.Leaf, v)
			c.quoted(string(c.text), !plain(column.Leaf.Kind))
		}
	}
	if len(c.columns) == 1 && c.out.Len() == before {
		c.out.WriteString(`""`) // an empty line is no row
	}
	c.out.WriteString("\r\n")
	return nil
}

func (c *commas) Close() error { return nil }

// mark writes what stands before a cell.
func (c *commas) mark(i int) {
	if i > 0 {
		c.out.WriteByte(',')
	}
}

// separates are the characters that a cell can only have in quotes, also for those who read the file with other separators.
var separates = [256]bool{'"': true, ',': true, ';': true, '\r': true, '\n': true, '\t': true}

// quoted writes the text of a cell, in quotes where it needs them.
func (c *commas) quoted(text string, defuse bool) {
	defuse = defuse && explosive(text)
	quotes := defuse
	for i := 0; i < len(text) && !quotes; i++ {
		quotes = separates[text[i]]
	}
	if !quotes && (text == "" || text[0] > ' ' && text[len(text)-1] > ' ') {
		c.out.WriteString(text)
		return
	}
	c.out.WriteByte('"')
	if defuse {
		c.out.WriteByte('\'')
	}
	for i := strings.IndexByte(text, '"'); i >= 0; i = strings.IndexByte(text, '"') {
		c.out.WriteString(text[:i+1])
		c.out.WriteByte('"')
		text = text[i+1:]
	}
	c.out.WriteString(text)
	c.out.WriteByte('"')
}
