package room

import (
	"slices"

	"github.com/kith-crm/kith/internal/schema"
)

// Table is a table whose rows go from one database to another, with the columns that go along.
type Table struct {
	Name    string
	Columns []Column
	Primary []string
	// InDirectory tells that it does not lie with its business where there are several machines, and Searched that its rows are records.
	InDirectory, Searched bool
}

// Column is a column of a table.
type Column struct {
	Name    string
	Kind    schema.Kind
	NotNull bool
}

// Column is the place of a column among those of the table, or -1.
func (t Table) Column(name string) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
}

// BusinessColumn is the place of the business among the table's columns, or -1.
func (t Table) BusinessColumn() int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return c.Kind == Business })
}

// Kinds are those of the table's columns.
func (t Table) Kinds() (kinds []schema.Kind) {
	for _, c := range t.Columns {
		kinds = append(kinds, c.Kind)
	}
	return kinds
}

// Reading is how far a table has been read.
type Reading struct {
	Table
	// Where is what else holds of the rows, which are t, or nothing.
	Where Statement
	// After is the key of the last row that was read; nil at the beginning.
	After []schema.Value
}

// Incoming is the name of the setting that says that a database is being filled from elsewhere, and how far that is. No server works on
// such a one.
const Incoming = "incoming"
