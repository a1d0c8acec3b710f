package exchange

import (
	"cmp"
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/tabular"
)

// What is wrong in rows, as it is kept and told, and the values that were corrected.

// wrongCell is what is wrong of a row: a cell, or where Column is empty a field that no column is, or something else.
type wrongCell struct {
	Column  string `json:"c,omitempty"`
	Field   string `json:"f,omitempty"`
	Value   string `json:"v,omitempty"`
	Code    string `json:"k"`
	Message string `json:"m"`
}

// What is kept of a refused row: so many cells, of values that are not longer.
const (
	mostWrongCells = 20
	longestWrong   = 255
)

// wrongCells are what a row was refused for, as it is kept with the refusal.
func wrongCells(columns []string, row tabular.Row, err error) string {
	p := problem.As(err)
	if p == nil {
		return ""
	}
	var all []wrongCell
	for _, f := range p.Fields {
		cell := wrongCell{Code: f.Code, Message: f.Message}
		at := slices.Index(columns, f.Field)
		if at < 0 {
			cell.Field = f.Field
		} else if cell.Column = f.Field; at < len(row.Cells) && len(row.Cells[at]) <= longestWrong {
			cell.Value = strings.TrimSpace(row.Cells[at])
		}
		if all = append(all, cell); len(all) == mostWrongCells {
			break
		}
	}
	if len(all) == 0 {
		all = append(all, wrongCell{Code: string(p.Code), Message: p.Detail})
	}
	text, err := json.Marshal(all)
	if err != nil {
		return ""
	}
	return string(text)
}

// replacement is a value of a column that is another in all rows.
type replacement struct {
	Column string `json:"column"`
	From   string `json:"from"`
	To     string `json:"to"`
}

type replacements []replacement

// What is kept of such values beside the file.
const (
	mostReplacements     = 1000
	mostReplacementBytes = 64 << 10
)

// add has a value of a column be another. What was to be that value before is the other, too; where that is none, it is only when rows are
// read, because what was emptied can still become something else.
func (all *replacements) add(r replacement) error {
	for i, had := range *all {
		if had.Column == r.Column && had.To == r.From && r.To != "" {
			(*all)[i].To = r.To
		}
	}
	*all = slices.DeleteFunc(*all, func(had replacement) bool {
		return had.Column == r.Column && had.From == r.From || had.From == had.To
	})
	if r.From != r.To {
		*all = append(*all, r)
	}
	bytes := 0
	for _, had := range *all {
		bytes += len(had.Column) + len(had.From) + len(had.To)
	}
	if len(*all) > mostReplacements || bytes > mostReplacementBytes {
		return problem.New(problem.PayloadTooLarge, "An import can correct up to %d values with %d bytes together. Correct them in the "+
			"file, and send that again.", mostReplacements, mostReplacementBytes)
	}
	return nil
}

// corrected gives rows with the values that were corrected.
func (all replacements) corrected(head []string, rows []tabular.Row) []tabular.Row {
	if len(all) == 0 {
		return rows
	}
	by := map[int]map[string]string{}
	for _, r := range all {
		at := slices.Index(head, r.Column)
		if by[at] == nil {
			by[at] = map[string]string{}
		}
		by[at][r.From] = r.To
	}
	rows = slices.Clone(rows)
	for i, row := range rows {
		for at, values := range by {
			if at < 0 || at >= len(row.Cells) {
				continue
			}
			if to, ok := values[strings.TrimSpace(row.Cells[at])]; ok {
				if then, ok := values[to]; ok && then == "" {
					to = then
				}
				rows[i].Cells = slices.Clone(rows[i].Cells)
				rows[i].Cells[at] = to
			}
		}
	}
	return rows
}

// leftReason is why so many changes were not taken back.
type leftReason struct {
	Why   string `json:"why"`
	Count int64  `json:"count"`
}

// mostReasons is how many reasons are told.
const mostReasons = 10

// reasonsOf counts why changes are left.
func reasonsOf(all iter.Seq[*problem.Problem]) []leftReason {
	reasons := []leftReason{}
	for p := range all {
		why := Reason(p)
		at := slices.IndexFunc(reasons, func(r leftReason) bool { return r.Why == why })
		if at < 0 {
			if at = len(reasons); at == 10*mostReasons {
				continue
			}
			reasons = append(reasons, leftReason{Why: why})
		}
		reasons[at].Count++
	}
	slices.SortStableFunc(reasons, func(a, b leftReason) int { return cmp.Compare(b.Count, a.Count) })
	return reasons[:min(len(reasons), mostReasons)]
}

// Reason tells somebody why a row was refused.
func Reason(err error) string {
	p := problem.As(err)
	if p == nil {
		return err.Error()
	}
	if len(p.Fields) == 0 {
		return p.Detail
	}
	var all []string
	for _, f := range p.Fields {
		all = append(all, strings.TrimPrefix(f.Field, "data.")+" "+f.Message)
	}
	return strings.Join(all, "; ")
}
