package apitest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// Dump gives all rows of the database, or of some tables, as text: what a write that is only rehearsed must leave as it is.
func (w *World) Dump(t *testing.T, tables ...string) string {
	t.Helper()
	read := w.PostgresRows
	names := "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename !~ '_p[0-9]+$'"
	if path, ok := strings.CutPrefix(w.Database, "sqlite:"); ok {
		names = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'" +
			" AND name NOT LIKE '%_fts_data' AND name NOT LIKE '%_fts_idx'" // which are merged when nobody writes
		read = func(t *testing.T, sql string) [][]any { return SqliteRows(t, path, sql) }
	}
	if tables == nil {
		for _, row := range read(t, names) {
			tables = append(tables, fmt.Sprint(row[0]))
		}
	}
	var lines []string
	for _, table := range tables {
		for _, row := range read(t, "SELECT * FROM "+table) {
			lines = append(lines, fmt.Sprintf("%s %q", table, row))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// silent tells of columns that change by themselves, when a token is used for example.
func silent(column string) bool {
	return slices.ContainsFunc(record.Registry.Resources, func(res *schema.Resource) bool {
		return slices.ContainsFunc(res.Leaves, func(l *schema.Leaf) bool { return l.Writing.Silent && l.Column.Name == column })
	})
}

func SqliteRows(t *testing.T, path, sql string) (rows [][]any) {
	t.Helper()
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	err = sqlitex.Execute(conn, sql, &sqlitex.ExecOptions{ResultFunc: func(stmt *sqlite.Stmt) error {
		row := make([]any, stmt.ColumnCount())
		for i := range row {
			if !silent(stmt.ColumnName(i)) {
				row[i] = stmt.ColumnText(i)
			}
		}
		rows = append(rows, row)
		return nil
	}})
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return rows
}

func (w *World) PostgresRows(t *testing.T, sql string) (rows [][]any) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), w.Database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	found, err := conn.Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	rows, err = pgx.CollectRows(found, func(row pgx.CollectableRow) ([]any, error) {
		values, err := row.Values()
		for i, v := range values {
			if silent(row.FieldDescriptions()[i].Name) {
				values[i] = nil
			}
			if text, ok := v.([]byte); ok {
				values[i] = string(text)
			}
		}
		return values, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func FirstDifference(before, after string) string {
	left, right := strings.Split(before, "\n"), strings.Split(after, "\n")
	for _, line := range right {
		if !slices.Contains(left, line) {
			return "new: " + line
		}
	}
	for _, line := range left {
		if !slices.Contains(right, line) {
			return "gone: " + line
		}
	}
	return ""
}
