package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/layout"
	"github.com/kith-crm/kith/internal/store/postgres"
	"github.com/kith-crm/kith/internal/store/sqlite"
)

// SetWindow makes a business count as large from so many records on, and any match as many, so that a test need not fill in thousands.
func (s *Store) SetWindow(n int) {
	s.search.Window, s.search.Small, s.search.Few, s.search.Glance = n, n/2, 0, n/2
}

// SetStatistics makes a business large enough for statistics from so many records on, and up to so many matches few.
func (s *Store) SetStatistics(from, few int) {
	s.search.Window, s.search.Small, s.search.Few, s.search.Glance = from, 0, few, from
}

// SetMostGroups lets so many groups of an aggregate be put together in memory.
func (s *Store) SetMostGroups(n int) { s.search.MostGroups = n }

// SetClock gives the store a clock of its own, as a machine has.
func (s *Store) SetClock(now func() time.Time) { s.now = now }

// SetTextRange makes text ranges smaller than usual.
func (s *Store) SetTextRange(n int64) { s.search.TextRange = n }

// SetLeaving lets so many rows leave at once.
func (s *Store) SetLeaving(n int) { s.leaving = n }

// Statement is one statement that the store ran.
type Statement struct {
	SQL  string
	Args []schema.Value
	// Business is the tenant argument of the last statement before, in the same transaction, that had one.
	Business schema.Value
}

// Bound tells whether the first argument of the statement is a business.
func (s Statement) Bound() bool { return len(s.Args) > 0 && isTenant(s.Args[0]) }

func isTenant(v schema.Value) bool { return v.Kind == engine.KindTenant && v.Set }

// RowRange is the range of row numbers that SQLite keeps for a business.
func RowRange(business schema.Value) (low, high int64) {
	return sqlite.RowRange(business)
}

// Trace shows every statement that the store runs from now on. It is to be called before the store is used.
func (s *Store) Trace(see func(Statement)) {
	s.engine = tracedEngine{s.engine, see}
}

type tracedEngine struct {
	engine.Engine
	see func(Statement)
}

func (e tracedEngine) Read(ctx context.Context, whose engine.Share, fn func(engine.Conn) error) error {
	return e.Engine.Read(ctx, whose, func(c engine.Conn) error { return fn(&tracedConn{Conn: c, show: e.see}) })
}

func (e tracedEngine) Write(ctx context.Context, whose engine.Share, fn func(engine.Conn) error) error {
	return e.Engine.Write(ctx, whose, func(c engine.Conn) error { return fn(&tracedConn{Conn: c, show: e.see}) })
}

func (e tracedEngine) WriteLocked(ctx context.Context, whose engine.Share, fn func(engine.Conn) error) error {
	return e.Engine.WriteLocked(ctx, whose, func(c engine.Conn) error { return fn(&tracedConn{Conn: c, show: e.see}) })
}

func (e tracedEngine) Migrate(ctx context.Context, fn func(c engine.Conn, run func(script string) error) error) error {
	return e.Engine.Migrate(ctx, func(c engine.Conn, run func(script string) error) error {
		return fn(&tracedConn{Conn: c, show: e.see}, run)
	})
}

// tracedConn lives as long as one transaction. Rows that are inserted are shown one by one, however they go.
type tracedConn struct {
	engine.Conn
	show     func(Statement)
	business schema.Value
}

func (c *tracedConn) see(sql string, args []schema.Value) {
	c.show(Statement{SQL: sql, Args: slices.Clone(args), Business: c.business})
	if len(args) > 0 && isTenant(args[0]) {
		c.business = args[0]
	}
}

func (c *tracedConn) Query(ctx context.Context, sql string, args []schema.Value, each func(engine.Row) error) error {
	c.see(sql, args)
	return c.Conn.Query(ctx, sql, args, each)
}

func (c *tracedConn) Weigh(ctx context.Context, sql string, args []schema.Value, each func(engine.Row) error) error {
	c.see(sql, args)
	return c.Conn.Weigh(ctx, sql, args, each)
}

func (c *tracedConn) Ask(ctx context.Context, sql string, args []schema.Value, each func(engine.Row) error) error {
	c.see(sql, args)
	return c.Conn.Ask(ctx, sql, args, each)
}

func (c *tracedConn) Change(ctx context.Context, sql string, args []schema.Value) error {
	c.see(sql, args)
	return c.Conn.Change(ctx, sql, args)
}

func (c *tracedConn) Exec(ctx context.Context, sql string, args []schema.Value) (int64, error) {
	c.see(sql, args)
	return c.Conn.Exec(ctx, sql, args)
}

func (c *tracedConn) Insert(ctx context.Context, rows engine.Rows) error {
	at := rows.At
	rows.At = func(i int) []schema.Value {
		values := at(i)
		c.see(rows.SQL, values)
		return values
	}
	return c.Conn.Insert(ctx, rows)
}

func (c *tracedConn) Index(ctx context.Context, w engine.TextWrite) error {
	c.see(w.SQL, w.Args)
	return c.Conn.Index(ctx, w)
}

// TenantTables lists the tables whose rows belong to a business.
func TenantTables(reg *schema.Registry) []string {
	var names []string
	for _, t := range layout.Tables(reg) {
		for _, c := range t.Columns {
			if c.Name == "business_id" {
				names = append(names, t.Name)
			}
		}
	}
	return names
}

// KnownRows is how many rows PostgreSQL knows of in the parts of a table.
func (s *Store) KnownRows(ctx context.Context, table string) (n int64, err error) {
	err = s.engine.Read(ctx, engine.Share{}, func(c engine.Conn) error {
		sql := "SELECT CAST(sum(greatest(c.reltuples, 0)) AS bigint) FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE " +
			"i.inhparent = '" + table + "'::regclass"
		return c.Query(ctx, sql, nil, func(r engine.Row) error {
			n = r.Value(0, schema.Integer).N
			return nil
		})
	})
	return n, err
}

// MeasuredShards is of how many shards of a table a cluster knows that they have a thousand rows or more.
func (s *Store) MeasuredShards(ctx context.Context, table string) (n int64, err error) {
	err = s.engine.Read(ctx, engine.Share{}, func(c engine.Conn) error {
		sql := "SELECT count(*) FROM run_command_on_shards('" + table + "', $$SELECT reltuples FROM pg_class WHERE oid = " +
			"'%s'::regclass$$) WHERE success AND CAST(result AS float8) >= 1000"
		return c.Query(ctx, sql, nil, func(r engine.Row) error {
			n = r.Value(0, schema.Integer).N
			return nil
		})
	})
	return n, err
}

// Script runs statements as a migration would.
func (s *Store) Script(ctx context.Context, statements []string) error {
	return s.engine.Migrate(ctx, func(_ engine.Conn, run func(string) error) error {
		return run(strings.Join(statements, ";\n") + ";")
	})
}

// ForgetFigures has a business's figures count as never made.
func (t Tenant) ForgetFigures(ctx context.Context) error {
	return t.s.engine.Write(ctx, engine.Share{}, func(c engine.Conn) error {
		b := t.builder()
		_, err := c.Exec(ctx, "UPDATE business SET figured_seq = NULL WHERE business_id = "+b.TenantMark(), b.Values)
		return err
	})
}

// Limit keeps an SQLite file from growing by more than so many pages, as a full disk does. A negative number takes the limit away.
func (s *Store) Limit(ctx context.Context, pages int) error {
	return s.engine.Write(ctx, engine.Share{}, func(c engine.Conn) error {
		most := int64(1 << 30)
		ignore := func(engine.Row) error { return nil }
		if pages >= 0 {
			if err := c.Query(ctx, "PRAGMA page_count", nil, func(r engine.Row) error {
				most = r.Value(0, schema.Integer).N + int64(pages)
				return nil
			}); err != nil {
				return err
			}
		}
		return c.Query(ctx, "PRAGMA max_page_count = "+strconv.FormatInt(most, 10), nil, ignore)
	})
}

// ExplainPlan gives the engine's plan of a statement, one step a line. For PostgreSQL, generic asks for the plan that serves any arguments.
func (s *Store) ExplainPlan(ctx context.Context, sql string, args []schema.Value, generic bool) (plan []string, err error) {
	collect := func(column int) func(engine.Row) error {
		return func(r engine.Row) error {
			plan = append(plan, strings.Clone(r.Value(column, schema.Text).S))
			return nil
		}
	}
	if s.engine.Name() == "sqlite" {
		err = s.engine.Read(ctx, engine.Share{}, func(c engine.Conn) error {
			return c.Query(ctx, "EXPLAIN QUERY PLAN "+sql, args,
				collect(3))
		})
		return plan, err
	}
	err = s.engine.Read(ctx, engine.Share{}, func(c engine.Conn) error {
		if !generic {
			return c.Weigh(ctx, "EXPLAIN (COSTS OFF) "+sql, args, collect(0))
		}
		literals := make([]string, len(args))
		for i, v := range args {
			literals[i] = literal(v)
		}
		if _, err := c.Exec(ctx, "PREPARE planned AS "+sql, nil); err != nil {
			return err
		}
		err := c.Query(ctx, "EXPLAIN (COSTS OFF) EXECUTE planned("+strings.Join(literals, ", ")+")", nil, collect(0))
		if _, undo := c.Exec(ctx, "DEALLOCATE planned", nil); err == nil {
			err = undo
		}
		return err
	})
	return plan, err
}

// literal writes a value as PostgreSQL reads it.
func literal(v schema.Value) string {
	if !v.Set {
		return "NULL"
	}
	text := v.S
	switch {
	case v.Kind == schema.Bool:
		text = strconv.FormatBool(v.N != 0)
	case v.Kind == schema.Number:
		text = strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case v.Kind == schema.Date || v.Kind == schema.Time:
		leaf := &schema.Leaf{Field: &schema.Field{Kind: v.Kind}}
		text = strings.Trim(string(schema.AppendValue(nil, leaf, v)), `"`)
	case v.Kind == schema.ID || v.Kind == engine.KindTenant:
		text = fmt.Sprintf("%x", v.S)
	case v.Kind == engine.KindBytes:
		text = fmt.Sprintf(`\x%x`, v.S)
	case engine.CountsInN(v.Kind):
		text = strconv.FormatInt(v.N, 10)
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// Rows reads all rows of a statement, the columns of each as one line.
func (s *Store) Rows(ctx context.Context, sql string, columns int) (lines []string, err error) {
	err = s.engine.Read(ctx, engine.Share{}, func(c engine.Conn) error {
		return c.Query(ctx, sql, nil, func(r engine.Row) error {
			var line []string
			for i := range columns {
				line = append(line, strings.Clone(r.Value(i, schema.Text).S))
			}
			lines = append(lines, strings.Join(line, " "))
			return nil
		})
	})
	return lines, err
}

// TextParts counts the parts of a table's text index in SQLite.
func (s *Store) TextParts(tb interface{ Fatal(args ...any) }, table string) (n int64) {
	ctx := context.Background()
	err := s.engine.Read(ctx, engine.Share{}, func(c engine.Conn) error {
		return c.Query(ctx, "SELECT count(DISTINCT segid) FROM "+table+"_fts_idx", nil, func(r engine.Row) error {
			n = r.Value(0, schema.Integer).N
			return nil
		})
	})
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

// SetRekeyBatch makes the migration of keys go in smaller steps than usual.
func (s *Store) SetRekeyBatch(n int) { s.rekeyBatch = n }

// UndoKeys takes the migration of keys and stages back: all texts have the given key again, and there are no rows of stages.
func (s *Store) UndoKeys(ctx context.Context, old func(string) string) error {
	return s.engine.Migrate(ctx, func(c engine.Conn, run func(string) error) error {
		for _, res := range s.reg.Resources {
			if err := s.rekeyRecords(ctx, c, res, func(_ *schema.Leaf, text string) string { return old(text) }); err != nil {
				return err
			}
		}
		if err := s.rekeyIdentities(ctx, c, query.FoldCase, old); err != nil {
			return err
		}
		// What came to the table afterwards goes with it.
		for _, statement := range []string{ // a cluster takes one at a time
			"DROP TABLE stages", "ALTER TABLE lifecycle_stages DROP COLUMN colour",
			"DELETE FROM migration WHERE number = 4 OR name = 'coloured_stages'",
		} {
			if err := run(statement); err != nil {
				return err
			}
		}
		return nil
	})
}

// HoldTidying leaves it to a test when SQLite tidies.
func (s *Store) HoldTidying() { s.engine.LeaveUntidy() }

// TidySteps lets SQLite tidy a few steps, in a transaction that may be undone.
func (s *Store) TidySteps(tb testing.TB, n int, undo bool) {
	undone := errors.New("undone")
	err := s.engine.Write(context.Background(), engine.Share{}, func(c engine.Conn) error {
		writer := c.(*sqlite.Conn)
		for range n {
			if err := writer.TidyStep(); err != nil {
				return err
			}
		}
		if undo {
			return undone
		}
		return nil
	})
	if err != nil && !errors.Is(err, undone) {
		tb.Fatal(err)
	}
}

// UnorderFirstRowRange lets a business's rows count as if they lay in no order.
func (s *Store) UnorderFirstRowRange(tb testing.TB, t Tenant, table string) {
	err := t.Write(context.Background(), Actor{}, func(tx *Tx) error {
		return tx.texts.Add(sqlite.RowRangesName(table), int64(sqlite.UnorderedFirst))
	})
	if err != nil {
		tb.Fatal(err)
	}
}

// OnPile counts the rows that lie on a business's unordered range.
func (s *Store) OnPile(tb testing.TB, t Tenant, table string) int {
	low, high := sqlite.RowRangeBounds(t.key, sqlite.Unordered)
	rows, err := s.Rows(context.Background(), fmt.Sprintf("SELECT 1 FROM %s WHERE rid BETWEEN %d AND %d", table, low, high), 1)
	if err != nil {
		tb.Fatal(err)
	}
	return len(rows)
}

// CheckRowRanges looks whether all rows of a table lie in order in row ranges that are known to be used, and whether the text index has
// those that are live.
func (s *Store) CheckRowRanges(tb testing.TB, table string) {
	sets := map[int64]sqlite.RowRangeSet{}
	before := map[int64]engine.Creation{}
	err := s.engine.Read(context.Background(), engine.Share{}, func(c engine.Conn) error {
		err := c.Query(context.Background(), "SELECT business_id, n FROM tally WHERE name = '"+sqlite.RowRangesName(table)+"'", nil,
			func(r engine.Row) error {
				sets[r.Value(0, schema.Integer).N] = sqlite.RowRangeSet(r.Value(1, schema.Integer).N)
				return nil
			})
		if err != nil {
			return err
		}
		err = c.Query(context.Background(), "SELECT rid, created_at, id FROM "+table+" ORDER BY rid", nil, func(r engine.Row) error {
			rid := r.Value(0, schema.Integer).N
			set, rowRange := sets[rid>>sqlite.RowBits], int(rid>>sqlite.RowRangeBits&sqlite.Unordered)
			made := engine.Creation{At: r.Value(1, schema.Time).N, ID: r.Value(2, schema.ID).UUID()}
			if !set.Has(rowRange) {
				tb.Errorf("row %d lies in row range %d, but the row ranges in use are %v", rid, rowRange, set.Used())
			}
			if last, ok := before[rid>>sqlite.RowRangeBits]; ok && set.Ordered(rowRange) && last.Compare(made) > 0 {
				tb.Errorf("row %d of row range %d is older than the one before", rid, rowRange)
			}
			before[rid>>sqlite.RowRangeBits] = made
			return nil
		})
		if err != nil {
			return err
		}
		for _, sql := range []string{
			"SELECT rowid FROM %[1]s_fts EXCEPT SELECT rid FROM %[1]s WHERE deleted_at IS NULL",
			"SELECT rid FROM %[1]s WHERE deleted_at IS NULL EXCEPT SELECT rowid FROM %[1]s_fts",
		} {
			err := c.Query(context.Background(), fmt.Sprintf(sql, table), nil, func(r engine.Row) error {
				tb.Errorf("row %d: %s", r.Value(0, schema.Integer).N, sql)
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
}

// WaitingWrites is how many writes wait for one that runs.
func (s *Store) WaitingWrites() int {
	for _, g := range s.Gauges() {
		if g.Name == engine.QueueName {
			return int(g.Value)
		}
	}
	return 0
}

// Misplaced lists what keeps tables from having a place in a cluster.
func Misplaced(reg *schema.Registry) (wrong []string) {
	for _, t := range layout.Tables(reg) {
		if t.InDirectory {
			continue
		}
		if !slices.ContainsFunc(t.Columns, func(c engine.Column) bool {
			return c.Name == "business_id" && c.Kind == engine.KindTenant &&
				c.NotNull
		}) {
			wrong = append(wrong, t.Name+" has no business_id that is always set, and is not marked as one that is asked before the "+
				"business is known")
		}
		for _, i := range t.Indexes {
			if i.Unique && !slices.Contains(i.Columns, "business_id") {
				wrong = append(wrong, i.Name+" is unique beyond a business")
			}
		}
	}
	return wrong
}

// Misplaced asks the database itself: which of its tables are not where they belong in a cluster.
func (s *Store) Misplaced(ctx context.Context) (wrong []string, err error) {
	err = s.engine.Read(ctx, engine.Share{}, func(c engine.Conn) error {
		missing, err := s.engine.Unplaced(ctx, c, layout.Tables(s.reg))
		for _, t := range missing {
			wrong = append(wrong, t.Name)
		}
		return err
	})
	return wrong, err
}

// On is the same business as another store of the database sees it.
func (t Tenant) On(s *Store) Tenant { return Tenant{s: s, id: t.id, key: t.key} }

// Known tells whether other servers can know that this one is there.
func (s *Store) Known() bool {
	_, known := s.engine.Server()
	return known
}

// Sees tells whether this server knows that another one is there.
func (s *Store) Sees(ctx context.Context, other *Store) (bool, error) {
	there, err := s.engine.Servers(ctx)
	self, _ := other.engine.Server()
	return there.Live[self], err
}

// EndLeasesNow ends the leases of servers that are gone, and counts them.
func (s *Store) EndLeasesNow(ctx context.Context) (int, error) {
	there, err := s.engine.Servers(ctx)
	if err != nil {
		return 0, err
	}
	return s.endLeases(ctx, there)
}

// ShardIDs gives, for each shard of a cluster, an id that would lie in it and the machine that has it, as they are counted here.
func (s *Store) ShardIDs() map[schema.UUID]int64 {
	return s.engine.(classed).Engine.(*postgres.Engine).Shards()
}

// MachineOf gives the machine of a cluster on which a business would lie.
func (s *Store) MachineOf(business schema.UUID) int64 {
	return s.engine.(classed).Engine.(*postgres.Engine).MachineOf(business)
}
