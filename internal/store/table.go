package store

import (
	"fmt"
	"strings"

	"github.com/kith-crm/kith/internal/schema"
)

// businessRows is how many records of a resource a business is taken to have where SQLite weighs indexes against each other.
const businessRows = 10_000

// table is what both engines' tables are rendered from.
type table struct {
	name    string
	columns []column
	primary []string
	indexes []index
	// spread tables hold the bulk of the data: PostgreSQL partitions them by business, so that the text index of a small business
	// is not that of a large one.
	spread bool
	// inDirectory tables are asked before it is known of which business somebody is. Where businesses lie on several machines, they lie
	// on none of these, but where everybody asks first; all others lie with their business, which their business_id tells.
	inDirectory bool
	// searched tables have a search document with a trigram index.
	searched bool
	// own tables are an engine's own, and so are ownColumns: what is in them is made anew by whoever brings rows from one database
	// to another.
	own        bool
	ownColumns []string
	// long tables have rows of a thousand bytes and more, with texts or documents in them.
	long bool
}

type column struct {
	name    string
	kind    schema.Kind
	notNull bool
}

type index struct {
	name    string
	columns []string
	unique  bool
	where   string
	// matches is how many records of a business have one value of the column behind business_id, see statistics.
	matches int
	// scanned indexes are read for all records of a business at once.
	scanned bool
}

const live = "deleted_at IS NULL"

// layout is how an engine lays out tables.
type layout interface {
	// columnType is the declaration of a column.
	columnType(k schema.Kind) string
	// create gives the statements that make a table with its indexes, and createIndex those that make one index of it.
	create(t table) []string
	createIndex(t table, i index) []string
	// before and after are what comes before the statements that make tables, and behind those that make or change them.
	before() []string
	after() []string
	// migrated asks whether there is a table of migrations.
	migrated() string
	// layoutNow asks for the columns and indexes that are really there, each with its table.
	layoutNow() (columns, indexes string)
}

// statement makes the table out of its lines; tail is what the engine says of it.
func (t table) statement(lines []string, tail string) string {
	return "CREATE TABLE " + t.name + " (\n\t" + strings.Join(lines, ",\n\t") + "\n)" + tail
}

// columnLines declare the columns.
func (t table) columnLines(d dialect) []string {
	lines := make([]string, len(t.columns))
	for i, c := range t.columns {
		lines[i] = t.column(d, c)
	}
	return lines
}

// primaryLine declares the primary key.
func (t table) primaryLine() string { return "PRIMARY KEY (" + strings.Join(t.primary, ", ") + ")" }

func (t table) column(d dialect, c column) string {
	line := c.name + " " + d.columnType(c.kind)
	if c.notNull {
		line += " NOT NULL"
	}
	return line
}

// statement makes an index of the given columns, which the engine may have added to.
func (i index) statement(t table, columns []string) string {
	unique := ""
	if i.unique {
		unique = "UNIQUE "
	}
	line := fmt.Sprintf("CREATE %sINDEX %s ON %s (%s)", unique, i.name, t.name, strings.Join(columns, ", "))
	if i.where != "" {
		line += " WHERE " + i.where
	}
	return line
}
