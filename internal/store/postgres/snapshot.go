package postgres

import (
	"context"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// mostSnapshots is how many connections read one state of the database at once.
const mostSnapshots = 8

// Snapshot has the first connection tell the others which state it sees. On a cluster it is alone: only of one machine states can be told.
func (e *Engine) Snapshot(ctx context.Context, most int, fn func([]engine.Conn) error) error {
	if most = min(max(1, most), mostSnapshots, max(1, e.places/2)); e.cluster.Load() {
		most = 1
	}
	var readers []engine.Conn
	state := ""
	begin := func(c engine.Conn) error {
		all := []string{"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"}
		if state != "" {
			all = append(all, "SET TRANSACTION SNAPSHOT '"+state+"'")
		}
		if e.cluster.Load() {
			// One connection to each machine, which has one snapshot there.
			all = append(all, "SET LOCAL citus.max_adaptive_executor_pool_size = 1")
		}
		for _, sql := range all {
			if _, err := c.Exec(ctx, sql, nil); err != nil {
				return err
			}
		}
		if most == 1 || state != "" {
			return nil
		}
		return c.Query(ctx, "SELECT pg_export_snapshot()", nil, func(r engine.Row) error {
			state = r.Value(0, schema.Text).S
			return nil
		})
	}
	var take func() error
	take = func() error {
		if len(readers) == most {
			return fn(readers)
		}
		return e.Read(ctx, engine.Share{}, func(c engine.Conn) error {
			pc := c.(*Conn)
			defer pc.rollback()
			if err := begin(c); err != nil {
				return err
			}
			readers = append(readers, c)
			if err := take(); err != nil {
				return err
			}
			return pc.commit()
		})
	}
	return take()
}

// Inspect looks for indexes that the server itself says are not whole. What is in its files it keeps watch over by itself, with
// checksums where the operator wants them.
func (e *Engine) Inspect(ctx context.Context, c engine.Conn, found func(what string)) error {
	sql := `SELECT i.relname::text FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_namespace n ON n.oid = i.relnamespace
		WHERE n.nspname = current_schema() AND NOT (x.indisvalid AND x.indisready) ORDER BY 1`
	return c.Query(ctx, sql, nil, func(r engine.Row) error {
		found("the index " + r.Value(0, schema.Text).S + " is not valid; REINDEX makes it anew")
		return nil
	})
}
