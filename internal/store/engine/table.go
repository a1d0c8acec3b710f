package engine

import (
	"fmt"
	"strings"

	"github.com/kith-crm/kith/internal/schema"
)

// BusinessRows is how many records of a resource a business is taken to have where SQLite weighs indexes against each other.
const BusinessRows = 10_000

// Table is what both engines' tables are rendered from.
type Table struct {
	Name    string
	Columns []Column
	Primary []string
	Indexes []Index
	// Spread tables hold the bulk of the data: PostgreSQL partitions them by business, so that the text index of a small business
	// is not that of a large one.
	Spread bool
	// InDirectory tables are asked before it is known of which business somebody is. Where businesses lie on several machines, they lie
	// on none of these, but where everybody asks first; all others lie with their business, which their business_id tells.
	InDirectory bool
	// Searched tables have a search document with a trigram index.
	Searched bool
	// Own tables are an engine's own, and so are ownColumns: what is in them is made anew by whoever brings rows from one database
	// to another.
	Own        bool
	OwnColumns []string
	// Long tables have rows of a thousand bytes and more, with texts or documents in them.
	Long bool
}

type Column struct {
	Name    string
	Kind    schema.Kind
	NotNull bool
}

type Index struct {
	Name    string
	Columns []string
	Unique  bool
	Where   string
	// Matches is how many records of a business have one value of the column behind business_id, see statistics.
	Matches int
	// Scanned indexes are read for all records of a business at once.
	Scanned bool
}

const Live = "deleted_at IS NULL"

// Layout is how an engine lays out tables.
type Layout interface {
	// ColumnType is the declaration of a column.
	ColumnType(k schema.Kind) string
	// Create gives the statements that make a table with its indexes, and createIndex those that make one index of it.
	Create(t Table) []string
	CreateIndex(t Table, i Index) []string
	// Before and after are what comes before the statements that make tables, and behind those that make or change them.
	Before() []string
	After() []string
	// Migrated asks whether there is a table of migrations.
	Migrated() string
	// LayoutNow asks for the columns and indexes that are really there, each with its table.
	LayoutNow() (columns, indexes string)
}

// Statement makes the table out of its lines; tail is what the engine says of it.
func (t Table) Statement(lines []string, tail string) string {
	return "CREATE TABLE " + t.Name + " (\n\t" + strings.Join(lines, ",\n\t") + "\n)" + tail
}

// ColumnLines declare the columns.
func (t Table) ColumnLines(d Dialect) []string {
	lines := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		lines[i] = t.Column(d, c)
	}
	return lines
}

// PrimaryLine declares the primary key.
func (t Table) PrimaryLine() string { return "PRIMARY KEY (" + strings.Join(t.Primary, ", ") + ")" }

func (t Table) Column(d Dialect, c Column) string {
	line := c.Name + " " + d.ColumnType(c.Kind)
	if c.NotNull {
		line += " NOT NULL"
	}
	return line
}

// Statement makes an index of the given columns, which the engine may have added to.
func (i Index) Statement(t Table, columns []string) string {
	unique := ""
	if i.Unique {
		unique = "UNIQUE "
	}
	line := fmt.Sprintf("CREATE %sINDEX %s ON %s (%s)", unique, i.Name, t.Name, strings.Join(columns, ", "))
	if i.Where != "" {
		line += " WHERE " + i.Where
	}
	return line
}
