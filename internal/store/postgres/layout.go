package postgres

import (
	"fmt"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

func (Dialect) ColumnType(k schema.Kind) string {
	switch k {
	case schema.Bool:
		return "boolean"
	case schema.Number:
		return "double precision"
	case schema.Date:
		return "date"
	case schema.Time:
		return "timestamptz"
	case schema.ID, engine.KindTenant:
		return "uuid"
	case schema.List, schema.Document:
		return "json"
	case engine.KindBytes:
		return "bytea"
	}
	if engine.CountsInN(k) {
		return "bigint"
	}
	return `text COLLATE "C"`
}

// partitions is how many partitions a spread table has.
const partitions = 16

func (d Dialect) Create(t engine.Table) []string {
	lines, tail := t.ColumnLines(d), ""
	if t.Searched {
		lines = append(lines, "shelf bigint NOT NULL")
	}
	lines = append(lines, t.PrimaryLine())
	if t.Spread {
		tail = " PARTITION BY HASH (business_id)"
	}
	out := []string{t.Statement(lines, tail)}
	if t.Spread {
		for i := range partitions {
			out = append(out, fmt.Sprintf("CREATE TABLE %s_p%d PARTITION OF %s FOR VALUES WITH (MODULUS %d, REMAINDER %d)", t.Name, i,
				t.Name, partitions, i))
		}
	}
	for _, i := range t.Indexes {
		out = append(out, d.CreateIndex(t, i)...)
	}
	if t.Searched {
		out = append(out, createTextIndex(t))
	}
	return out
}

func (Dialect) CreateIndex(t engine.Table, i engine.Index) []string {
	return []string{i.Statement(t, i.Columns)}
}

func (Dialect) Before() []string {
	return []string{"CREATE EXTENSION IF NOT EXISTS pg_trgm", "CREATE EXTENSION IF NOT EXISTS btree_gin"}
}

func (Dialect) After() []string { return nil }

func (Dialect) Migrated() string {
	return "SELECT 1 WHERE to_regclass('migration') IS NOT NULL"
}

func (Dialect) LayoutNow() (columns, indexes string) {
	columns = `
		SELECT c.relname::text,
			a.attname::text || ' ' || format_type(a.atttypid, a.atttypmod)
				|| coalesce(' COLLATE ' || (SELECT collname FROM pg_collation WHERE oid = a.attcollation), '')
				|| CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
		FROM pg_class c
		JOIN pg_attribute a ON a.attrelid = c.oid
		JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> 'migration'
			AND a.attnum > 0 AND NOT a.attisdropped
		ORDER BY 1, 2`
	indexes = `
		SELECT t.relname::text,
			i.relname::text || CASE WHEN x.indisunique THEN ' UNIQUE' ELSE '' END
				|| substr(pg_get_indexdef(i.oid), strpos(pg_get_indexdef(i.oid), ' USING '))
		FROM pg_index x
		JOIN pg_class i ON i.oid = x.indexrelid
		JOIN pg_class t ON t.oid = x.indrelid
		JOIN pg_namespace n ON n.oid = t.relnamespace
		WHERE n.nspname = current_schema() AND NOT t.relispartition AND t.relname <> 'migration'
		ORDER BY 2`
	return columns, indexes
}

// createPostgresTextIndex bounds the list of what is not sorted in yet, which may have 4 MB unless told otherwise: every look into
// the index goes through it.
func createTextIndex(t engine.Table) string {
	return fmt.Sprintf("CREATE INDEX %s_search ON %s USING gin (shelf, search_doc gin_trgm_ops) WITH (gin_pending_list_limit = 256) "+
		"WHERE %s", t.Name, t.Name, engine.Live)
}

// Dialect is PostgreSQL's SQL.
type Dialect struct{}
