package sqlite

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

func (Dialect) ColumnType(k schema.Kind) string {
	switch {
	case k == schema.Number:
		return "REAL"
	case k == schema.ID || k == engine.KindBytes:
		return "BLOB"
	case engine.CountsInN(k):
		return "INTEGER"
	default:
		return "TEXT"
	}
}

// Create keeps records by row number, which holds the business in its upper bits: so a business's rows lie together and its part of
// the text index is a range. Long rows are kept by number, too: kept by a key of several columns, a row of more than a quarter of a
// page would have a page to itself.
func (d Dialect) Create(t engine.Table) []string {
	lines, indexes, tail := t.ColumnLines(d), t.Indexes, ""
	switch {
	case t.Searched || t.Long:
		lines = slices.Insert(lines, 0, "rid INTEGER PRIMARY KEY")
		indexes = slices.Insert(slices.Clone(indexes), 0, idIndex(t))
	case t.Name == "business": // whose key is a row number
		lines = append(lines, t.PrimaryLine())
	default:
		lines = append(lines, t.PrimaryLine())
		tail = " WITHOUT ROWID"
	}
	out := []string{t.Statement(lines, tail)}
	for _, i := range indexes {
		out = append(out, d.CreateIndex(t, i)...)
	}
	if t.Searched {
		out = append(out, createTextIndex(t))
	}
	return out
}

// idIndex is the primary key of a table whose rows are kept by row number.
func idIndex(t engine.Table) engine.Index {
	return engine.Index{Name: IDIndexName(t.Name), Columns: t.Primary, Unique: true, Matches: 1}
}

func IDIndexName(table string) string { return table + "_id" }

func (Dialect) CreateIndex(t engine.Table, i engine.Index) []string {
	columns := i.Columns
	if i.Where == engine.Live && !i.Unique {
		// SQLite looks at deleted_at although the index has only live records; so it finds it in the index and need not fetch the
		// row to count it.
		at := len(columns)
		if i.Scanned {
			at = 1 // beside the business it is looked for once, and not in each record
		}
		columns = slices.Insert(slices.Clone(columns), at, "deleted_at")
	}
	out := []string{i.Statement(t, columns)}
	if t.Searched {
		out = append(out, statistics(t, i))
	}
	return out
}

// statistics tells SQLite what to expect of an index of records. Left alone it would take a range of one column for narrower than one
// value of another, and would rather walk through all records of a business in order than sort the few that match. Fixed numbers serve
// better than measured ones here: plans are the same everywhere and do not change overnight.
func statistics(t engine.Table, i engine.Index) string {
	numbers := []string{strconv.Itoa(100 * engine.BusinessRows), strconv.Itoa(engine.BusinessRows), strconv.Itoa(i.Matches)}
	rest := 1
	if i.Matches == engine.BusinessRows { // it is read for what is in it, and nothing is to be looked for there unasked
		rest = engine.BusinessRows
	}
	for len(numbers) <= len(i.Columns) {
		numbers = append(numbers, strconv.Itoa(rest))
	}
	return fmt.Sprintf("INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('%s', '%s', '%s')", t.Name, i.Name, strings.Join(numbers, " "))
}

// loadStatistics makes SQLite read its statistics again. Where there are none yet it makes their table.
const loadStatistics = "ANALYZE sqlite_schema"

func (Dialect) Before() []string { return []string{loadStatistics} }
func (Dialect) After() []string  { return []string{loadStatistics} }

func (Dialect) Migrated() string {
	return "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migration'"
}

func (Dialect) LayoutNow() (columns, indexes string) {
	columns = `
		SELECT m.name, c.name || ' ' || c.type || CASE WHEN c."notnull" THEN ' NOT NULL' ELSE '' END
		FROM sqlite_master m JOIN pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE '%\_fts%' ESCAPE '\' AND m.name NOT IN ('migration', 'sqlite_stat1', 'sqlite_stat4')
		ORDER BY m.name, c.name`
	indexes = `
		SELECT tbl_name,
			name || CASE WHEN sql LIKE 'CREATE UNIQUE %' THEN ' UNIQUE' ELSE '' END || coalesce(substr(sql, instr(sql, ' ON ')), '')
		FROM sqlite_master
		WHERE type = 'index' AND name NOT LIKE 'sqlite_autoindex%'
		ORDER BY name`
	return columns, indexes
}

// createTextIndex leaves out positions: nobody looks for phrases, and it is a third of the size.
func createTextIndex(t engine.Table) string {
	return fmt.Sprintf("CREATE VIRTUAL TABLE %s_fts USING fts5(doc, content='', contentless_delete=1, detail=none, tokenize='ascii')",
		t.Name)
}
