package store

import (
	"fmt"

	"github.com/kith-crm/kith/internal/schema"
)

func (postgresDialect) columnType(k schema.Kind) string {
	switch k {
	case schema.Bool:
		return "boolean"
	case schema.Number:
		return "double precision"
	case schema.Date:
		return "date"
	case schema.Time:
		return "timestamptz"
	case schema.ID, kindTenant:
		return "uuid"
	case schema.List, schema.Document:
		return "json"
	case kindBytes:
		return "bytea"
	}
	if countsInN(k) {
		return "bigint"
	}
	return `text COLLATE "C"`
}

// partitions is how many partitions a spread table has.
const partitions = 16

func (d postgresDialect) create(t table) []string {
	lines, tail := t.columnLines(d), ""
	if t.searched {
		lines = append(lines, "shelf bigint NOT NULL")
	}
	lines = append(lines, t.primaryLine())
	if t.spread {
		tail = " PARTITION BY HASH (business_id)"
	}
	out := []string{t.statement(lines, tail)}
	if t.spread {
		for i := range partitions {
			out = append(out, fmt.Sprintf("CREATE TABLE %s_p%d PARTITION OF %s FOR VALUES WITH (MODULUS %d, REMAINDER %d)", t.name, i,
				t.name, partitions, i))
		}
	}
	for _, i := range t.indexes {
		out = append(out, d.createIndex(t, i)...)
	}
	if t.searched {
		out = append(out, createPostgresTextIndex(t))
	}
	return out
}

func (postgresDialect) createIndex(t table, i index) []string {
	return []string{i.statement(t, i.columns)}
}

func (postgresDialect) before() []string {
	return []string{"CREATE EXTENSION IF NOT EXISTS pg_trgm", "CREATE EXTENSION IF NOT EXISTS btree_gin"}
}

func (postgresDialect) after() []string { return nil }

func (postgresDialect) migrated() string {
	return "SELECT 1 WHERE to_regclass('migration') IS NOT NULL"
}

func (postgresDialect) layoutNow() (columns, indexes string) {
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

// createPostgresTextIndex bounds the list of what is not sorted in yet, which may have 4 MB unless told otherwise: every look into the index goes
// through it.
func createPostgresTextIndex(t table) string {
	return fmt.Sprintf("CREATE INDEX %s_search ON %s USING gin (shelf, search_doc gin_trgm_ops) WITH (gin_pending_list_limit = 256) "+
		"WHERE %s", t.name, t.name, live)
}
