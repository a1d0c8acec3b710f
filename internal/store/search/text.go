package search

import "github.com/kith-crm/kith/internal/schema"

// Places are where new records go: the column that says so, its value for the first of them, and by how much it rises with each.
type Places struct {
	Column      string
	first, step int64
}

// At is where the i-th of them goes.
func (p Places) At(i int) int64 { return p.first + int64(i)*p.step }

// placed is a record that the transaction has put on a text range.
type placed struct {
	id      schema.UUID
	created int64
}

// lastTextRange is the text range for new records of a resource: its start, how many records were ever made, and the latest
// created_at among them.
type lastTextRange struct{ start, made, latest int64 }

// TextRangeEnds are the last text ranges of resources, by their names.
type TextRangeEnds map[string]lastTextRange
