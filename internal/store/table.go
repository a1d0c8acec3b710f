package store

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kith/internal/schema"
)

// table is what both engines' tables are rendered from.
type table struct {
	name    string
	columns []column
	primary []string
	indexes []index
	// spread tables hold the bulk of the data: PostgreSQL partitions them by business, so that the text index of a small business is not that of a large one.
	spread bool
	// searched tables have a search document with a trigram index.
	searched bool
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
}

// partitions is how many parts a spread table has.
const partitions = 16

const live = "deleted_at IS NULL"

// tables lists everything that the store keeps: the system's own tables and one for each resource.
func tables(reg *schema.Registry) []table {
	all := []table{
		{
			name:    "setting",
			columns: []column{{"name", schema.Text, true}, {"value", kindBytes, true}},
			primary: []string{"name"},
		},
		{
			name: "business",
			columns: []column{
				{"business_id", kindTenant, true},
				{"id", schema.ID, true},
				{"name", schema.Text, true},
				{"currency", schema.Text, true},
				{"change_seq", schema.Integer, true},
				{"created_at", schema.Time, true},
				{"timezone", schema.Text, false},
				{"locale", schema.Text, false},
				{"updated_at", schema.Time, false},
				{"version", schema.Integer, false},
				{"clock", schema.Time, false},
			},
			primary: []string{"business_id"},
			indexes: []index{{name: "business_by_id", columns: []string{"id"}}},
		},
		{
			// tally holds the maintained counts of live and deleted records, and the counters of numbered ones. The others are PostgreSQL's: how many
			// records were ever made, the latest created_at among them, and the shelf for the next, see shelf.go.
			name: "tally",
			columns: []column{
				{"business_id", kindTenant, true},
				{"name", schema.Text, true},
				{"n", schema.Integer, true},
				{"made", schema.Integer, false},
				{"latest", schema.Integer, false},
				{"shelf", schema.Integer, false},
			},
			primary: []string{"business_id", "name"},
		},
		{
			// shelf lists the shelves on which PostgreSQL's records stand, but for the first, see shelf.go.
			name:    "shelf",
			columns: []column{{"business_id", kindTenant, true}, {"resource", schema.Text, true}, {"start", schema.Integer, true}},
			primary: []string{"business_id", "resource", "start"},
		},
		{
			name: "change",
			columns: []column{
				{"business_id", kindTenant, true},
				{"seq", schema.Integer, true},
				{"resource", schema.Text, true},
				{"record_id", schema.ID, true},
				{"version", schema.Integer, true},
				{"action", schema.Text, true},
				{"at", schema.Time, true},
				{"user_id", schema.ID, false},
				{"token_id", schema.ID, false},
				{"app_id", schema.ID, false},
				{"client_id", schema.Text, false},
				{"request_id", schema.Text, false},
				{"changes", schema.Document, true},
			},
			primary: []string{"business_id", "seq"},
			indexes: []index{{name: "change_record", columns: []string{"business_id", "resource", "record_id", "seq"}}},
			spread:  true,
		},
		{
			name:    "password",
			columns: []column{{"business_id", kindTenant, true}, {"user_id", schema.ID, true}, {"hash", schema.Text, true}, {"set_at", schema.Time, true}},
			primary: []string{"business_id", "user_id"},
		},
		{
			// identity finds the businesses in which an e-mail address can log in. Like credential and client it is not reached through a business,
			// because it is what tells the business.
			name:    "identity",
			columns: []column{{"email_key", schema.Text, true}, {"business_id", kindTenant, true}, {"user_id", schema.ID, true}},
			primary: []string{"email_key", "business_id"},
		},
		{
			// credential holds the hash of everything secret that someone can present: tokens, codes, session cookies, links.
			name: "credential",
			columns: []column{
				{"hash", kindBytes, true},
				{"kind", schema.Text, true},
				{"business_id", kindTenant, true},
				{"user_id", schema.ID, true},
				{"parent_id", schema.ID, true},
				{"scopes", schema.Text, false},
				{"created_at", schema.Time, true},
				{"expires_at", schema.Time, false},
				{"used_at", schema.Time, false},
				{"data", schema.Document, false},
			},
			primary: []string{"hash"},
			indexes: []index{
				{name: "credential_parent", columns: []string{"business_id", "parent_id"}},
				{name: "credential_user", columns: []string{"business_id", "user_id"}},
				{name: "credential_expiry", columns: []string{"expires_at"}, where: "expires_at IS NOT NULL"},
			},
		},
		{
			name: "session",
			columns: []column{
				{"business_id", kindTenant, true},
				{"id", schema.ID, true},
				{"user_id", schema.ID, true},
				{"created_at", schema.Time, true},
				{"seen_at", schema.Time, true},
				{"confirmed_at", schema.Time, false},
				{"agent", schema.Text, false},
				{"address", schema.Text, false},
			},
			primary: []string{"business_id", "id"},
			indexes: []index{{name: "session_of_user", columns: []string{"business_id", "user_id"}}},
		},
		{
			// access_grant is what a user allowed an app: it owns the app's code and tokens.
			name: "access_grant",
			columns: []column{
				{"business_id", kindTenant, true},
				{"id", schema.ID, true},
				{"user_id", schema.ID, true},
				{"client_id", schema.Text, true},
				{"client_name", schema.Text, true},
				{"scopes", schema.Text, true},
				{"created_at", schema.Time, true},
				{"used_at", schema.Time, false},
			},
			primary: []string{"business_id", "id"},
			indexes: []index{{name: "access_grant_user", columns: []string{"business_id", "user_id"}}},
		},
		{
			// client lists every OAuth client: those that registered themselves, with their metadata, and the apps of businesses, which point to their record.
			name: "client",
			columns: []column{
				{"client_id", schema.Text, true},
				{"business_id", kindTenant, false},
				{"app_id", schema.ID, false},
				{"secret_hash", kindBytes, false},
				{"registration_hash", kindBytes, false},
				{"metadata", schema.Document, true},
				{"created_at", schema.Time, true},
				{"used_at", schema.Time, false},
			},
			primary: []string{"client_id"},
			indexes: []index{{name: "client_created", columns: []string{"created_at"}}},
		},
	}
	for _, res := range reg.Resources {
		all = append(all, recordTable(res))
	}
	for _, p := range reg.Parts {
		all = append(all, partTable(p))
	}
	return all
}

func recordTable(res *schema.Resource) table {
	t := table{name: res.Plural, primary: []string{"business_id", "id"}, spread: !res.Few, searched: true}
	t.columns = append(t.columns, column{"business_id", kindTenant, true})
	add := func(suffix, where string, unique bool, matches int, columns ...string) {
		t.indexes = append(t.indexes, index{name: res.Name + "_" + suffix, columns: append([]string{"business_id"}, columns...), unique: unique, where: where, matches: matches})
	}
	for _, l := range res.Leaves {
		t.columns = append(t.columns, column{l.Column, l.Kind, l.Required && l.ReadOnly})
		if l.Key != "" {
			t.columns = append(t.columns, column{l.Key, schema.Text, false})
		}
		at := sortColumn(l)
		switch {
		case l.Unique && l.Exact:
			add(l.Column, live, true, 1, l.Key, l.Column)
		case l.Unique:
			add(l.Column, live, true, 1, at)
		}
		if l.Sorted {
			add(l.Column+"_order", live, false, 10, at, "id")
		}
		if l.Indexed {
			matches := 100
			if l.Kind == schema.Choice || l.Kind == schema.Bool {
				matches = 2000
			}
			add(l.Column+"_filter", live, false, matches, at, "created_at", "id")
		}
		if l.Recent {
			add(l.Column+"_recent", live, false, 100, at, "updated_at", "id")
		}
		if l.Named {
			add(l.Column+"_named", live, false, 100, at, sortColumn(res.Must(schema.NameField)), "id")
		}
	}
	add("bin", "deleted_at IS NOT NULL", false, 1, "deleted_at", "id")
	t.columns = append(t.columns, column{"search_doc", schema.Text, true})
	return t
}

// sortColumn is the column by which a leaf is compared and sorted.
func sortColumn(l *schema.Leaf) string {
	if l.Key != "" {
		return l.Key
	}
	return l.Column
}

// create renders the statements that make a table in an engine's dialect.
func (t table) create(d dialect) []string {
	var lines []string
	sqlite := d.name() == "sqlite"
	primary := t.primary
	if sqlite && t.searched {
		// The row number holds the business in its upper bits, so that a business's rows lie together and its part of the text index is a range.
		lines = append(lines, "rid INTEGER PRIMARY KEY")
	}
	for _, c := range t.columns {
		lines = append(lines, t.column(d, c))
	}
	if !sqlite && t.searched {
		lines = append(lines, "shelf bigint NOT NULL")
	}
	out := []string{}
	tail := ""
	switch {
	case sqlite && t.searched:
		out = append(out, t.createIndex(d, t.idIndex()))
	case sqlite && t.name == "business":
		lines = append(lines, "PRIMARY KEY (business_id)")
	default:
		lines = append(lines, "PRIMARY KEY ("+strings.Join(primary, ", ")+")")
		if sqlite {
			tail = " WITHOUT ROWID"
		}
	}
	if !sqlite && t.spread {
		tail = " PARTITION BY HASH (business_id)"
	}
	statement := "CREATE TABLE " + t.name + " (\n\t" + strings.Join(lines, ",\n\t") + "\n)" + tail
	out = slices.Insert(out, 0, statement)
	if !sqlite && t.spread {
		for i := range partitions {
			out = append(out, fmt.Sprintf("CREATE TABLE %s_p%d PARTITION OF %s FOR VALUES WITH (MODULUS %d, REMAINDER %d)", t.name, i, t.name, partitions, i))
		}
	}
	for _, i := range t.indexes {
		out = append(out, t.createIndex(d, i))
	}
	if t.searched {
		if sqlite {
			for _, i := range append(t.indexes, t.idIndex()) {
				out = append(out, t.statistics(i))
			}
			// Its words are trigrams with the business before them, see appendToken. Without positions it is a third of the size; nobody looks for phrases.
			out = append(out, fmt.Sprintf("CREATE VIRTUAL TABLE %s_fts USING fts5(doc, content='', contentless_delete=1, detail=none, tokenize='ascii')", t.name))
		} else {
			// Every look into the index goes through the list of what is not sorted in yet, which may have 4 MB unless told otherwise.
			out = append(out, fmt.Sprintf("CREATE INDEX %s_search ON %s USING gin (shelf, search_doc gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE %s", t.name, t.name, live))
		}
	}
	return out
}

// idIndex is the primary key of a table whose rows SQLite keeps by row number.
func (t table) idIndex() index {
	return index{name: t.name + "_id", columns: t.primary, unique: true, matches: 1}
}

// businessRows is how many records of a resource a business is taken to have where SQLite weighs indexes against each other.
const businessRows = 10_000

// statistics tells SQLite what to expect of an index of records. Left alone it would take a range of one column for narrower than one
// value of another, and would rather walk through all records of a business in order than sort the few that match. Fixed numbers serve
// better than measured ones here: plans are the same everywhere and do not change overnight.
func (t table) statistics(i index) string {
	numbers := []string{strconv.Itoa(100 * businessRows), strconv.Itoa(businessRows), strconv.Itoa(i.matches)}
	for len(numbers) <= len(i.columns) {
		numbers = append(numbers, "1")
	}
	return fmt.Sprintf("INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('%s', '%s', '%s')", t.name, i.name, strings.Join(numbers, " "))
}

func (t table) column(d dialect, c column) string {
	line := c.name + " " + d.columnType(c.kind)
	if c.notNull {
		line += " NOT NULL"
	}
	return line
}

func (t table) createIndex(d dialect, i index) string {
	unique := ""
	if i.unique {
		unique = "UNIQUE "
	}
	columns := i.columns
	if d.name() == "sqlite" && i.where == live && !i.unique {
		// SQLite looks at deleted_at although the index has only live records; so it finds it in the index and need not fetch the row to count it.
		columns = slices.Concat(columns, []string{"deleted_at"})
	}
	line := fmt.Sprintf("CREATE %sINDEX %s ON %s (%s)", unique, i.name, t.name, strings.Join(columns, ", "))
	if i.where != "" {
		line += " WHERE " + i.where
	}
	return line
}

// Render gives the statements that make all tables fresh in the dialect of sqlite or postgres.
func Render(reg *schema.Registry, engine string) []string {
	d := dialectOf(engine)
	var out []string
	if engine == "postgres" {
		out = append(out, "CREATE EXTENSION IF NOT EXISTS pg_trgm", "CREATE EXTENSION IF NOT EXISTS btree_gin")
	}
	if engine == "sqlite" {
		out = append(out, loadStatistics) // here it makes the table of statistics
	}
	for _, t := range tables(reg) {
		out = append(out, t.create(d)...)
	}
	if engine == "sqlite" {
		out = append(out, loadStatistics)
	}
	return out
}

// loadStatistics makes SQLite read its statistics again.
const loadStatistics = "ANALYZE sqlite_schema"

func dialectOf(engine string) dialect {
	if engine == "postgres" {
		return postgresDialect{}
	}
	return sqliteDialect{}
}

// Evolve gives the statements that bring a database with the existing columns and indexes (by table) to the declarations.
// Columns that are no longer declared stay, so that a running older server survives.
func Evolve(reg *schema.Registry, engine string, columns, indexes map[string][]string) []string {
	if len(columns) == 0 {
		return Render(reg, engine)
	}
	d := dialectOf(engine)
	var out []string
	for _, t := range tables(reg) {
		have, ok := columns[t.name]
		if !ok {
			out = append(out, t.create(d)...)
			continue
		}
		for _, c := range t.columns {
			if !slices.Contains(have, c.name) {
				c.notNull = false // existing rows have no value for it
				out = append(out, "ALTER TABLE "+t.name+" ADD COLUMN "+t.column(d, c))
			}
		}
		declared := []string{t.name + "_id", t.name + "_search"}
		for _, i := range t.indexes {
			declared = append(declared, i.name)
			if !slices.Contains(indexes[t.name], i.name) {
				out = append(out, t.createIndex(d, i))
				if engine == "sqlite" && t.searched {
					out = append(out, t.statistics(i))
				}
			}
		}
		for _, name := range indexes[t.name] {
			if !slices.Contains(declared, name) {
				out = append(out, "DROP INDEX "+name)
			}
		}
	}
	if engine == "sqlite" && len(out) > 0 {
		out = append(out, loadStatistics)
	}
	return out
}
