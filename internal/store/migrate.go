package store

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"kith/internal/schema"
)

//go:embed migrations
var migrationFiles embed.FS

// Migration is one numbered step of the database's layout. Steps only go forward.
type Migration struct {
	Number  int64
	Name    string
	Applied bool
	script  string
}

// afterwards is what SQL alone cannot do, by the number of the step that it belongs to. It runs in the transaction of the migration, after
// the scripts of all steps: so the tables are those of the declarations, and it may be written in terms of these. It reads and writes in
// batches, because a database may be large.
var afterwards = map[int64]func(*Store, context.Context, conn) error{
	4: func(s *Store, ctx context.Context, c conn) error {
		if err := s.rekey(ctx, c); err != nil {
			return err
		}
		return s.fillParts(ctx, c)
	},
}

// Migrations lists all steps that this program knows, and which of them the database has.
func (s *Store) Migrations(ctx context.Context) ([]Migration, error) {
	all, err := migrationsOf(s.engine.name())
	if err != nil {
		return nil, err
	}
	exists := "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migration'"
	if s.engine.name() == "postgres" {
		exists = "SELECT 1 WHERE to_regclass('migration') IS NOT NULL"
	}
	err = s.engine.read(ctx, share{}, func(c conn) error {
		found := false
		if err := c.query(ctx, exists, nil, func(row) error { found = true; return nil }); err != nil || !found {
			return err
		}
		return markApplied(ctx, c, all)
	})
	return all, err
}

// Steps lists what a new SQLite database needs.
func Steps() ([]Migration, error) { return migrationsOf("sqlite") }

func migrationsOf(engine string) ([]Migration, error) {
	dir := path.Join("migrations", engine)
	entries, err := fs.ReadDir(migrationFiles, dir)
	if err != nil {
		return nil, err
	}
	var all []Migration
	for _, entry := range entries {
		name, ok := strings.CutSuffix(entry.Name(), ".sql")
		number, title, cut := strings.Cut(name, "_")
		n, err := strconv.ParseInt(number, 10, 64)
		if !ok || !cut || err != nil {
			return nil, fmt.Errorf("migration %s is not named NUMBER_NAME.sql", entry.Name())
		}
		script, err := fs.ReadFile(migrationFiles, path.Join(dir, entry.Name()))
		if err != nil {
			return nil, err
		}
		all = append(all, Migration{Number: n, Name: title, script: string(script)})
	}
	slices.SortFunc(all, func(a, b Migration) int { return int(a.Number - b.Number) })
	return all, nil
}

func markApplied(ctx context.Context, c conn, all []Migration) error {
	return c.query(ctx, "SELECT number FROM migration", nil, func(r row) error {
		number := r.value(0, schema.Integer).N
		for i := range all {
			if all[i].Number == number {
				all[i].Applied = true
			}
		}
		return nil
	})
}

// Migrate applies the steps that the database lacks, all or none, and returns them.
func (s *Store) Migrate(ctx context.Context) ([]Migration, error) {
	all, err := s.Migrations(ctx)
	if err != nil || !slices.ContainsFunc(all, func(m Migration) bool { return !m.Applied }) {
		return nil, err
	}
	var done []Migration
	err = s.engine.migrate(ctx, func(c conn, run func(string) error) error {
		done = nil
		if s.engine.name() == "sqlite" {
			if err := run("CREATE TABLE IF NOT EXISTS migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL);"); err != nil {
				return err
			}
		}
		if err := markApplied(ctx, c, all); err != nil {
			return err
		}
		for _, m := range all {
			if m.Applied {
				continue
			}
			if err := run(m.script); err != nil {
				return fmt.Errorf("migration %04d %s: %w", m.Number, m.Name, err)
			}
			args := []schema.Value{schema.IntValue(schema.Integer, m.Number), schema.TextValue(schema.Text, m.Name), schema.TimeValue(time.Now())}
			sql := fmt.Sprintf("INSERT INTO migration (number, name, applied_at) VALUES (%s, %s, %s)", s.engine.mark(1), s.engine.mark(2), s.engine.mark(3))
			if _, err := c.exec(ctx, sql, args); err != nil {
				return err
			}
			done = append(done, m)
		}
		for _, m := range done {
			if step := afterwards[m.Number]; step != nil {
				if err := step(s, ctx, c); err != nil {
					return fmt.Errorf("migration %04d %s: %w", m.Number, m.Name, err)
				}
			}
		}
		return nil
	})
	return done, err
}

// Layout describes the tables that are really there: columns and indexes by table. Parts of partitioned tables are left out.
func (s *Store) Layout(ctx context.Context) (columns, indexes map[string][]string, err error) {
	columns, indexes = map[string][]string{}, map[string][]string{}
	columnsSQL := `SELECT m.name, c.name || ' ' || c.type || CASE WHEN c."notnull" THEN ' NOT NULL' ELSE '' END FROM sqlite_master m JOIN pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE '%\_fts%' ESCAPE '\' AND m.name NOT IN ('migration', 'sqlite_stat1', 'sqlite_stat4') ORDER BY m.name, c.name`
	indexesSQL := `SELECT tbl_name, name || CASE WHEN sql LIKE 'CREATE UNIQUE %' THEN ' UNIQUE' ELSE '' END || coalesce(substr(sql, instr(sql, ' ON ')), '') FROM sqlite_master WHERE type = 'index' AND name NOT LIKE 'sqlite_autoindex%' ORDER BY name`
	if s.engine.name() == "postgres" {
		columnsSQL = `SELECT c.relname::text, a.attname::text || ' ' || format_type(a.atttypid, a.atttypmod) || coalesce(' COLLATE ' || (SELECT collname FROM pg_collation WHERE oid = a.attcollation), '') || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
			FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_namespace n ON n.oid = c.relnamespace
			WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> 'migration' AND a.attnum > 0 AND NOT a.attisdropped ORDER BY 1, 2`
		indexesSQL = `SELECT t.relname::text, i.relname::text || CASE WHEN x.indisunique THEN ' UNIQUE' ELSE '' END || substr(pg_get_indexdef(i.oid), strpos(pg_get_indexdef(i.oid), ' USING '))
			FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid JOIN pg_namespace n ON n.oid = t.relnamespace
			WHERE n.nspname = current_schema() AND NOT t.relispartition AND t.relname <> 'migration' ORDER BY 2`
	}
	collect := func(c conn, sql string, into map[string][]string) error {
		return c.query(ctx, sql, nil, func(r row) error {
			table := strings.Clone(r.value(0, schema.Text).S)
			into[table] = append(into[table], strings.Clone(r.value(1, schema.Text).S))
			return nil
		})
	}
	err = s.engine.read(ctx, share{}, func(c conn) error {
		if err := collect(c, columnsSQL, columns); err != nil {
			return err
		}
		return collect(c, indexesSQL, indexes)
	})
	return columns, indexes, err
}
