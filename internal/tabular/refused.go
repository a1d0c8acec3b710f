package tabular

import (
	"bytes"
	"encoding/csv"
	"regexp"
	"slices"

	"github.com/kith-crm/kith/internal/body"
)

// Refused writes refused rows as they came, each with why, to be corrected and sent again: as a table, or else lines of JSON.
type Refused struct {
	out   bytes.Buffer
	table *csv.Writer
	// column is what tells why, and columns how many there are before it, of which those in old told it before.
	column  string
	columns int
	old     map[int]bool
	// defuse says that its cells came out of a file in which texts are not defused.
	defuse bool
}

// numeric is a cell with a number, which may begin as formulas do.
var numeric = regexp.MustCompile(`^[+-]?[0-9 .,'%]+$`)

// NewRefused begins with the head of a table, which is nil for lines of JSON. why is the name of the column that tells why. The
// table is written as whoever sent it writes theirs: with the same mark between its cells, and with one at its beginning that has
// spreadsheets take it for UTF-8 where theirs was not.
func NewRefused(head []string, why string, as Dialect) *Refused {
	r := &Refused{column: why, columns: len(head), old: map[int]bool{}, defuse: as.Format == Workbook || as.Format == Cards}
	if head == nil {
		return r
	}
	if as.Encoding != "" && as.Encoding != "utf-8" {
		r.out.WriteString("\ufeff")
	}
	r.table = csv.NewWriter(&r.out)
	if as.Delimiter != 0 {
		r.table.Comma = as.Delimiter
	}
	for i, name := range head {
		r.old[i] = name == why
	}
	// What is wrong with a buffer is told by Take.
	_ = r.table.Write(append(r.kept(head), why))
	return r
}

// kept are the cells of a row without those that told before why it was refused. A row that has too many keeps them.
func (r *Refused) kept(cells []string) (kept []string) {
	for i := range max(r.columns, len(cells)) {
		if r.old[i] {
			continue
		}
		cell := ""
		if i < len(cells) {
			cell = cells[i]
		}
		if r.defuse && !numeric.MatchString(cell) {
			cell = Defuse(cell)
		}
		kept = append(kept, cell)
	}
	return kept
}

// Add writes a row.
func (r *Refused) Add(row Row, why string) error {
	why = Defuse(why)
	if r.table != nil {
		return r.table.Write(append(r.kept(row.Cells), why))
	}
	n := body.Node{Kind: body.Object}
	if row.Object != nil {
		n.Members = slices.DeleteFunc(slices.Clone(row.Object.Members), func(m body.Member) bool { return m.Name == r.column })
	}
	n.Members = append(n.Members, body.Member{Name: r.column, Value: body.Node{Kind: body.String, Text: why}})
	_, err := r.out.Write(append(body.Append(nil, n), '\n'))
	return err
}

// Take gives what was written since it was last asked; it is valid until the next row.
func (r *Refused) Take() ([]byte, error) {
	if r.table != nil {
		r.table.Flush()
		if err := r.table.Error(); err != nil {
			return nil, err
		}
	}
	text := bytes.Clone(r.out.Bytes())
	r.out.Reset()
	return text, nil
}
