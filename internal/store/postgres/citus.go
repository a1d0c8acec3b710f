package postgres

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// A cluster is PostgreSQL with the extension Citus: a coordinator, to which servers connect, and workers, on which the rows lie.
// What belongs to a business is distributed by it, so that all of it lies on one worker, and a statement that is held to the
// business goes to that one alone. The few tables that are asked before the business is known lie on the coordinator, without which
// nothing works anyway: so a worker that is gone takes its own businesses along and no others. A transaction that writes both, such
// as the one that makes a user, is committed in two phases by Citus.
//
// The tables of a cluster are plain ones. It is told by that from a database of one server, which has its large tables in partitions,
// even where Citus is installed there.

// lies looks how the database lies: whether there is Citus, and whether its tables are those of a cluster, as they will be where
// there are none yet.
func lies(ctx context.Context, c engine.Conn) (citus, cluster bool, err error) {
	const sql = `SELECT
		EXISTS (SELECT FROM pg_extension WHERE extname = 'citus'),
		EXISTS (SELECT FROM pg_class WHERE oid = to_regclass('change') AND relkind = 'p')`
	err = c.Query(ctx, sql, nil, func(r engine.Row) error {
		citus = r.Value(0, schema.Bool).N != 0
		cluster = citus && r.Value(1, schema.Bool).N == 0
		return nil
	})
	return citus, cluster, err
}

// engineOf is the name under which a connection knows whose it is.
const engineOf = "kith engine"

func (e *Engine) Scattered() bool { return e.cluster.Load() }

// inStatements runs a script one statement after the other, as Citus wants it. In a cluster no table has partitions.
func inStatements(script string, cluster bool, run func(statement string) error) error {
	for _, statement := range strings.Split(script, ";\n") {
		if cluster {
			if partOf.MatchString(statement) {
				continue
			}
			statement = strings.TrimSuffix(strings.TrimRight(statement, ";\n "), " PARTITION BY HASH (business_id)")
		}
		if strings.TrimSpace(statement) == "" {
			continue
		}
		if err := run(statement); err != nil {
			return err
		}
	}
	return nil
}

var partOf = regexp.MustCompile(`^\s*CREATE TABLE \w+ PARTITION OF `)

// Unplaced gives the tables that are on no machine of a cluster yet, in their order. Elsewhere there are none.
func (e *Engine) Unplaced(ctx context.Context, c engine.Conn, all []engine.Table) (missing []engine.Table, err error) {
	citus, cluster, err := lies(ctx, c)
	if err != nil || !citus || !cluster {
		return nil, err
	}
	names := make([]string, len(all))
	for i, t := range all {
		names[i] = t.Name
	}
	sql := "SELECT name FROM unnest($1::text[]) AS name WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = " +
		"to_regclass(name))"
	err = c.Query(ctx, sql, []schema.Value{postgresArray(names)}, func(r engine.Row) error {
		name := r.Value(0, schema.Text).S
		missing = append(missing, all[slices.IndexFunc(all, func(t engine.Table) bool { return t.Name == name })])
		return nil
	})
	slices.SortStableFunc(missing, func(a, b engine.Table) int { return slices.Index(names, a.Name) - slices.Index(names, b.Name) })
	return missing, err
}

// Place puts the tables of a cluster where they belong that are not there yet, with what is in them.
func (e *Engine) Place(ctx context.Context, c engine.Conn, all []engine.Table) error {
	missing, err := e.Unplaced(ctx, c, all)
	if err != nil || len(missing) == 0 {
		return err
	}
	run := func(sql string, args ...schema.Value) error {
		return c.Query(ctx, sql, args, func(engine.Row) error { return nil })
	}
	known := false
	err = c.Query(ctx, "SELECT 1::bigint FROM pg_dist_node WHERE groupid = 0", nil, func(engine.Row) error { known = true; return nil })
	if err == nil && !known {
		err = errors.New("the coordinator of the cluster does not know its own address; run SELECT citus_set_coordinator_host('HOST', " +
			"PORT) in the database first")
	}
	if err != nil {
		return err
	}
	for _, t := range missing {
		if err := placeTable(ctx, c, t, run); err != nil {
			return fmt.Errorf("place the table %s in the cluster: %w", t.Name, err)
		}
	}
	return e.quietWorkers(ctx, c)
}

func placeTable(ctx context.Context, c engine.Conn, t engine.Table, run func(sql string, args ...schema.Value) error) error {
	if t.InDirectory {
		return run("SELECT citus_add_local_table_to_metadata($1)", schema.TextValue(schema.Text, t.Name))
	}
	if !slices.Contains(t.Primary, "business_id") {
		key := strings.Join(append([]string{"business_id"}, t.Primary...), ", ")
		if _, err := c.Exec(ctx, fmt.Sprintf("ALTER TABLE %s DROP CONSTRAINT %[1]s_pkey, ADD PRIMARY KEY (%s)", t.Name, key),
			nil); err != nil {
			return err
		}
	}
	beside := "business"
	if t.Name == beside {
		beside = "none"
	}
	filled := false
	if err := c.Query(ctx, "SELECT 1::bigint FROM "+t.Name+" LIMIT 1", nil,
		func(engine.Row) error { filled = true; return nil }); err != nil {
		return err
	}
	if err := run("SELECT create_distributed_table($1, 'business_id', colocate_with => $2)", schema.TextValue(schema.Text, t.Name),
		schema.TextValue(schema.Text, beside)); err != nil ||
		!filled {
		return err
	}
	// What was in it is on the workers now. Citus would leave it here as well, out of reach and out of date.
	return run("SELECT truncate_local_data_after_distributing_table($1)", schema.TextValue(schema.Text, t.Name))
}

// quietWorkers sets for the database on the workers what this program sets for its own connections: those that the coordinator
// makes to them do not inherit it. Only the owner of the database may do so. Others are left with what the operator has set.
func (e *Engine) quietWorkers(ctx context.Context, c engine.Conn) error {
	for _, setting := range []string{"max_parallel_workers_per_gather = 0", "jit = off"} {
		command := "SELECT success FROM run_command_on_workers(format('ALTER DATABASE %I SET " + setting + "', current_database()))"
		if err := c.Query(ctx, command, nil, func(engine.Row) error { return nil }); err != nil {
			return err
		}
	}
	return nil
}

// Distribute makes a cluster of the database of one server: its large tables have no partitions afterwards, and all are where they belong.
func (e *Engine) Distribute(ctx context.Context, c engine.Conn, all []engine.Table) error {
	citus, cluster, err := lies(ctx, c)
	if err != nil {
		return err
	}
	if !citus {
		return errors.New("the database has no extension citus: install it on every machine, then CREATE EXTENSION citus in this " +
			"database and on the workers, see docs/scaling.md")
	}
	if !cluster {
		if _, err := c.Exec(ctx, "SET LOCAL citus.multi_shard_modify_mode = 'sequential'", nil); err != nil {
			return err
		}
		// From now on a secret is looked up in its business, and old ones do not name it.
		sql := "INSERT INTO old_secret (hash, business_id, expires_at) SELECT hash, business_id, expires_at FROM credential ON CONFLICT " +
			"(hash) DO NOTHING"
		if _, err := c.Exec(ctx, sql, nil); err != nil {
			return err
		}
		for _, t := range all {
			if t.Spread {
				if err := gather(ctx, c, t); err != nil {
					return fmt.Errorf("take the table %s out of its partitions: %w", t.Name, err)
				}
			}
		}
	}
	return e.Place(ctx, c, all)
}

// gather makes a plain table of one in partitions, with the same rows and indexes.
func gather(ctx context.Context, c engine.Conn, t engine.Table) error {
	var indexes []string
	list := `SELECT pg_get_indexdef(x.indexrelid) FROM pg_index x WHERE x.indrelid = to_regclass($1) AND NOT x.indisprimary ORDER BY 1`
	err := c.Query(ctx, list, []schema.Value{schema.TextValue(schema.Text, t.Name)}, func(r engine.Row) error {
		indexes = append(indexes, strings.Replace(r.Value(0, schema.Text).S, " ON ONLY ", " ON ", 1))
		return nil
	})
	if err != nil {
		return err
	}
	statements := append([]string{
		fmt.Sprintf("ALTER TABLE %s RENAME TO %[1]s_in_parts", t.Name),
		fmt.Sprintf("CREATE TABLE %s (LIKE %[1]s_in_parts INCLUDING DEFAULTS)", t.Name),
		fmt.Sprintf("INSERT INTO %s SELECT * FROM %[1]s_in_parts", t.Name),
		fmt.Sprintf("DROP TABLE %s_in_parts", t.Name),
		fmt.Sprintf("ALTER TABLE %s ADD CONSTRAINT %[1]s_pkey %s", t.Name, t.PrimaryLine()),
	}, indexes...)
	for _, sql := range statements {
		if _, err := c.Exec(ctx, sql, nil); err != nil {
			return err
		}
	}
	return nil
}
