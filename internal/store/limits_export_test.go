package store

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/postgres"
	"github.com/kith-crm/kith/internal/store/sqlite"
)

// toil is a statement that takes a minute or so unless it is stopped.
func toil(ctx context.Context, e engine.Engine, c engine.Conn) error {
	sql := "SELECT pg_sleep(60)"
	if e.Name() == "sqlite" {
		sql = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000000) SELECT count(*) FROM n"
	}
	return c.Query(ctx, sql, nil, func(engine.Row) error { return nil })
}

// Toil reads for a minute or so; begun is called when it has got its turn.
func (t Tenant) Toil(ctx context.Context, begun func()) error {
	return t.read(ctx, func(c engine.Conn) error {
		begun()
		return toil(ctx, t.s.engine, c)
	})
}

// labour keeps a process of PostgreSQL busy.
const labour = "SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 10000) b WHERE a % 7 = b % 5"

// Labour reads for a minute or so, and keeps a processor busy all the while, also on PostgreSQL, where Toil only waits.
func (t Tenant) Labour(ctx context.Context) error {
	return t.read(ctx, func(c engine.Conn) error {
		if t.s.engine.Name() == "sqlite" {
			return toil(ctx, t.s.engine, c)
		}
		return c.Query(ctx, labour, nil, func(engine.Row) error { return nil })
	})
}

// Laboured does as Labour, and tells how long it had a processor, as the scheduler counts it.
func (t Tenant) Laboured(ctx context.Context) (used time.Duration, err error) {
	err = t.read(ctx, func(c engine.Conn) error {
		pg, ok := c.(*postgres.Conn)
		if !ok {
			err := toil(ctx, t.s.engine, c)
			used = c.(*sqlite.Conn).Worked()
			return err
		}
		scheduled := func() (ns int64) {
			text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pg.PID()))
			_, _ = fmt.Sscan(string(text), &ns)
			return ns
		}
		before := scheduled()
		err := c.Query(ctx, labour, nil, func(engine.Row) error { return nil })
		used = time.Duration(scheduled() - before)
		return err
	})
	return used, err
}

// Toil takes a minute or so of a transaction.
func (tx *Tx) Toil() error { return toil(tx.ctx, tx.s.engine, tx.c) }

// Toiling counts the statements of Toil that PostgreSQL is still busy with; SQLite's end with their caller.
func (s *Store) Toiling(ctx context.Context) (int64, error) {
	if s.engine.Name() == "sqlite" {
		return 0, nil
	}
	return s.busy(ctx, "state = 'active' AND query LIKE 'SELECT pg_sleep%'")
}

// Blocked counts the statements that wait in PostgreSQL for another transaction to end.
func (s *Store) Blocked(ctx context.Context) (int64, error) {
	return s.busy(ctx, "wait_event_type = 'Lock'")
}

func (s *Store) busy(ctx context.Context, where string) (n int64, err error) {
	activity := "pg_stat_activity"
	if s.engine.Scattered() {
		activity = "citus_stat_activity" // that of all machines
	}
	err = s.engine.Read(ctx, engine.Share{}, func(c engine.Conn) error {
		return c.Query(ctx, "SELECT count(*) FROM "+activity+" WHERE datname = current_database() AND "+where, nil,
			func(r engine.Row) error {
				n = r.Value(0, schema.Integer).N
				return nil
			})
	})
	return n, err
}

// Readers is how many reads of one business can run at once, and of all.
func (s *Store) Readers() (one, all int) {
	var t *engine.Turns
	switch e := s.engine.(classed).Engine.(type) {
	case *sqlite.Engine:
		t = e.Turns
	case *postgres.Engine:
		t = e.Turns
	}
	one, onMachine, all := t.Places()
	if s.engine.Scattered() {
		one = min(one, onMachine)
	}
	return one, all
}

// Bounds of what a connection of PostgreSQL keeps.
const (
	MaxPostgresStatements = postgres.MaxStatements
	LongPostgresStatement = postgres.LongStatement
)

// Kept are the statements that one connection of PostgreSQL keeps prepared, and what all of them take of the server's memory.
type Kept struct{ Number, Longest, Text, Memory int64 }

// KeptStatements asks the server for them. It is told of one connection, so the store must have only one.
func (s *Store) KeptStatements(ctx context.Context) (kept Kept, err error) {
	const sql = `SELECT count(*), coalesce(max(length(statement)), 0)::bigint, coalesce(sum(length(statement)), 0)::bigint,
	(SELECT sum(total_bytes)::bigint FROM pg_backend_memory_contexts WHERE name LIKE 'CachedPlan%')
FROM pg_prepared_statements`
	err = s.engine.Read(ctx, engine.Share{}, func(c engine.Conn) error {
		return c.Query(ctx, sql, nil, func(r engine.Row) error {
			number := func(column int) int64 { return r.Value(column, schema.Integer).N }
			kept = Kept{number(0), number(1), number(2), number(3)}
			return nil
		})
	})
	return kept, err
}

// Answers counts the answers that are kept.
func (s *Store) Answers(ctx context.Context) (n int64, err error) {
	err = s.engine.Read(ctx, engine.Share{}, func(c engine.Conn) error {
		return c.Query(ctx, "SELECT count(*) FROM answer", nil, func(r engine.Row) error {
			n = r.Value(0, schema.Integer).N
			return nil
		})
	})
	return n, err
}
