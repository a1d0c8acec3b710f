package store_test

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/pgtest"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store"
)

// wholly are the engines with databases as they are in earnest, with all partitions.
var wholly = map[string]func(tb testing.TB) string{"sqlite": newSQLite, "postgres": newWholePostgres}

// bare gives a database without any of our tables, beside one that was migrated.
func bare(t *testing.T, engine, migrated string) *store.Store {
	t.Helper()
	if engine == "sqlite" {
		return open(t, "sqlite:"+filepath.Join(t.TempDir(), "bare.db"))
	}
	// A schema of its own is as good as a database of its own.
	if err := open(t, migrated).Script(context.Background(), []string{"CREATE SCHEMA bare"}); err != nil {
		t.Fatal(err)
	}
	separator := "?"
	if strings.Contains(migrated, "?") {
		separator = "&"
	}
	return open(t, migrated+separator+"search_path=bare,public")
}

// layout describes a database line by line, in an order that does not depend on how it came about.
func layout(t *testing.T, s *store.Store) []string {
	t.Helper()
	columns, indexes, err := s.Layout(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for part, tables := range map[string]map[string][]string{"column": columns, "index": indexes} {
		for table, items := range tables {
			for _, item := range items {
				lines = append(lines, table+": "+part+" "+item)
			}
		}
	}
	// What Layout leaves out because a new migration need not know it.
	further := "SELECT sql FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%' UNION ALL SELECT tbl || ' ' || idx || ' ' || stat " +
		"FROM sqlite_stat1"
	if s.Engine() == "postgres" {
		further = `
			SELECT c.relname::text ||
				coalesce(' of ' || (SELECT p.relname::text || ' ' || pg_get_expr(c.relpartbound, c.oid)
					FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhparent WHERE i.inhrelid = c.oid), '') ||
				coalesce(' ' || pg_get_partkeydef(c.oid), '')
			FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
			WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND c.relname <> 'migration'`
	}
	rows, err := s.Rows(context.Background(), further, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) < len(record.Registry.Resources)-1 {
		t.Fatalf("only %d further lines", len(rows))
	}
	lines = append(lines, rows...)
	slices.Sort(lines)
	return lines
}

// differ names the lines that only one of two layouts has.
func differ(t *testing.T, got, want []string) {
	t.Helper()
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("too much: %s", line)
		}
	}
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("missing: %s", line)
		}
	}
}

// names gives the layout as Evolve wants it: the names of columns and indexes by table.
func names(t *testing.T, s *store.Store) (columns, indexes map[string][]string) {
	t.Helper()
	columns, indexes, err := s.Layout(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []map[string][]string{columns, indexes} {
		for table, lines := range part {
			for i, line := range lines {
				part[table][i], _, _ = strings.Cut(line, " ")
			}
		}
	}
	return columns, indexes
}

func TestMigrationsMakeWhatIsDeclared(t *testing.T) {
	for name, fresh := range wholly {
		t.Run(name, func(t *testing.T) {
			url := fresh(t)
			rendered := bare(t, name, url)
			if err := rendered.Script(context.Background(), store.Render(record.Registry, name)); err != nil {
				t.Fatal(err)
			}
			got := layout(t, open(t, url))
			want := layout(t, rendered)
			if name == "postgres" && pgtest.Cluster(t) { // where a credential lies beside its business
				want[slices.Index(want, "credential: index "+
					"credential_pkey UNIQUE USING btree (hash)")] = "credential: index credential_pkey UNIQUE USING btree (business_id, " +
					"hash)"
			}
			differ(t, got, want)
			if len(got) < 500 {
				t.Errorf("only %d lines were compared", len(got))
			}
		})
	}
	columns, indexes := names(t, open(t, newSQLite(t)))
	for name := range engines {
		if statements := store.Evolve(record.Registry, name, columns, indexes); len(statements) > 0 {
			t.Errorf("a new migration for %s is needed: run go run ./cmd/newmigration NAME, and read and commit what it writes. It would "+
				"be:\n%s", name, strings.Join(statements, ";\n"))
		}
	}
}

// A database that lacks a table, columns and indexes, and has an index too many, becomes what is declared; its columns may come in
// another order.
func TestEvolveCompletesAnOlderDatabase(t *testing.T) {
	ctx := context.Background()
	older := open(t, newSQLite(t))
	drop := []string{
		"DROP INDEX contact_email_filter", "DROP INDEX contact_lead_score_order",
		"ALTER TABLE contacts DROP COLUMN lead_score", "ALTER TABLE contacts DROP COLUMN job_title",
		"ALTER TABLE contacts DROP COLUMN job_title_key",
	}
	superfluous := "CREATE INDEX contact_phone_filter ON contacts (business_id, phone_key)"
	if err := older.Script(ctx, slices.Concat(drop, []string{"DROP TABLE quotes", "DROP TABLE quotes_fts", superfluous})); err != nil {
		t.Fatal(err)
	}
	columns, indexes := names(t, older)
	for name, fresh := range wholly {
		t.Run(name, func(t *testing.T) {
			s := older
			if name == "postgres" {
				s = open(t, fresh(t))
				if err := s.Script(ctx, slices.Concat(drop, []string{"DROP TABLE quotes", superfluous})); err != nil {
					t.Fatal(err)
				}
			}
			want := layout(t, open(t, fresh(t)))
			if slices.Equal(layout(t, s), want) {
				t.Fatal("nothing was dropped")
			}
			if err := s.Script(ctx, store.Evolve(record.Registry, name, maps.Clone(columns), maps.Clone(indexes))); err != nil {
				t.Fatal(err)
			}
			differ(t, layout(t, s), want)
		})
	}
}
