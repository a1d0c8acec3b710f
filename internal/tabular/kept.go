package tabular

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/schema"
)

// Rows that wait to be made records are kept in one form, whatever file they came from, many together and compressed: a line for
// each, which is a JSON array of cells, a JSON object, or a JSON string that says why the row cannot be read, with the array of its
// cells behind it where it has some.

// Bounds of what is kept together: it is read together, too.
const (
	packedRows  = 100
	packedBytes = 256 << 10
)

// Packer gathers rows until they are to be kept.
type Packer struct {
	first int64
	rows  int
	text  []byte
	flate *flate.Writer
}

// Add takes a row, and tells whether what was gathered should be kept before there is more.
func (p *Packer) Add(row Row) (full bool) {
	if p.rows == 0 {
		p.first = row.N
	}
	p.rows++
	if row.Fault != nil {
		p.text = schema.AppendString(p.text, row.Fault.Error())
	}
	switch {
	case row.Fault == nil && row.Object != nil:
		p.text = body.Append(p.text, *row.Object)
	case row.Fault == nil || len(row.Cells) > 0:
		p.text = append(p.text, '[')
		for i, cell := range row.Cells {
			if i > 0 {
				p.text = append(p.text, ',')
			}
			p.text = schema.AppendString(p.text, strings.ToValidUTF8(cell, "\ufffd"))
		}
		p.text = append(p.text, ']')
	}
	p.text = append(p.text, '\n')
	return p.rows >= packedRows || len(p.text) >= packedBytes
}

// Pack gives what was gathered, with the number of its first row, and begins anew; nil where there is nothing.
func (p *Packer) Pack() (first int64, data []byte, err error) {
	if p.rows == 0 {
		return 0, nil, nil
	}
	var out bytes.Buffer
	if p.flate == nil {
		if p.flate, err = flate.NewWriter(&out, flate.BestSpeed); err != nil {
			return 0, nil, err
		}
	}
	p.flate.Reset(&out)
	if _, err = p.flate.Write(p.text); err == nil {
		err = p.flate.Close()
	}
	first = p.first
	if p.rows, p.text = 0, p.text[:0]; cap(p.text) > 2*packedBytes {
		p.text = nil
	}
	return first, out.Bytes(), err
}

// Unpack gives rows that were packed, from the first one's number on.
func Unpack(first int64, data []byte) (rows []Row, err error) {
	text, err := io.ReadAll(flate.NewReader(bytes.NewReader(data)))
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(text) {
		row := Row{N: first + int64(len(rows))}
		line = bytes.TrimSuffix(line, []byte("\n"))
		switch {
		case bytes.HasPrefix(line, []byte("[")):
			err = json.Unmarshal(line, &row.Cells)
		case bytes.HasPrefix(line, []byte("{")):
			row.Object, err = body.Parse(line)
		default:
			var why string
			in := json.NewDecoder(bytes.NewReader(line))
			if err = in.Decode(&why); err == nil && in.More() {
				err = in.Decode(&row.Cells)
			}
			row.Fault = errors.New(why)
		}
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}
