package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// Conn is a connection while somebody has it. Statements end with its context, which has the time limit, and not with the one that
// is handed in beside them.
//
// Each trip to the server costs more than most statements do there. So what need not be answered at once waits, and goes along with
// the next statement that must be: the server runs them in their order, and a failure of one keeps the rest from running. Creates are 1.3
// to 1.5 times as fast for it.
type Conn struct {
	ctx context.Context
	c   *pgx.Conn
	// waiting are the statements that go along with the next.
	waiting []postponed
	// held is how many bytes of texts these have among their arguments.
	held int
	// wrote tells that a statement was run, or waits, that may change something.
	wrote bool
}

func newPostgresConn(ctx context.Context, pooled *pgx.Conn) *Conn {
	c := &Conn{c: pooled}
	c.runUnder(ctx)
	return c
}

// runUnder lets a context end the statements that follow, and be told who runs them.
func (c *Conn) runUnder(ctx context.Context) {
	c.ctx = ctx
	if l, ok := ctx.(*limited); ok {
		l.conn.Store(c.c.PgConn())
	}
}

// postponed is a statement that has not been sent yet, and what becomes of its answer.
type postponed struct {
	sql    string
	args   []any
	answer func(pgx.Rows) error
}

// Wipe changes nothing: what is deleted stays in its place until the server vacuums, and is out of reach.
func (c *Conn) Wipe(context.Context) error { return nil }

func (c *Conn) Query(_ context.Context, sql string, args []schema.Value, each func(engine.Row) error) error {
	return c.run(anyArguments, sql, args, eachRow(each))
}

func (c *Conn) Weigh(_ context.Context, sql string, args []schema.Value, each func(engine.Row) error) error {
	return c.run(theseArguments, sql, args, eachRow(each))
}

func (c *Conn) Exec(_ context.Context, sql string, args []schema.Value) (affected int64, err error) {
	err = c.run(anyArguments, sql, args, func(rows pgx.Rows) error {
		affected, err = outcome(rows)
		return err
	})
	return affected, err
}

func (c *Conn) Ask(_ context.Context, sql string, args []schema.Value, each func(engine.Row) error) error {
	return c.goAlong(sql, args, eachRow(each))
}

func (c *Conn) Change(_ context.Context, sql string, args []schema.Value) error {
	return c.goAlong(sql, args, changedOne(sql))
}

// changedOne holds a statement to having changed one row.
func changedOne(sql string) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		n, err := outcome(rows)
		if err == nil && n != 1 {
			err = fmt.Errorf("run %q: it changed %d rows and not one", sql, n)
		}
		return err
	}
}

// goAlong lets a statement wait for the next. What is sent together is kept prepared, so long ones do not wait.
func (c *Conn) goAlong(sql string, args []schema.Value, answer func(pgx.Rows) error) error {
	if len(sql) > LongStatement {
		return c.run(anyArguments, sql, args, answer)
	}
	c.wrote = c.wrote || !strings.HasPrefix(sql, "SELECT ")
	c.plan(anyArguments)
	c.postpone(sql, postgresArgs(args), answer)
	return c.hold(args)
}

// hold counts what waits, and sends it where it is too much.
func (c *Conn) hold(args []schema.Value) error {
	for _, v := range args {
		c.held += len(v.S)
	}
	if c.held > mostHeld {
		return c.send()
	}
	return nil
}

// mostHeld is how many bytes wait at most: a transaction that writes many large records would take too much memory.
const mostHeld = 1 << 20

func (c *Conn) postpone(sql string, args []any, answer func(pgx.Rows) error) {
	c.waiting = append(c.waiting, postponed{sql, args, answer})
}

// eachRow hands the rows of an answer on.
func eachRow(each func(engine.Row) error) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		r := row{Texts: &room.Texts{}}
		for rows.Next() {
			r.Raw = rows.RawValues()
			if err := each(&r); err != nil {
				return err
			}
		}
		return rows.Err()
	}
}

// outcome is how many rows a statement has changed.
func outcome(rows pgx.Rows) (int64, error) {
	rows.Close()
	return rows.CommandTag().RowsAffected(), rows.Err()
}

// run runs a statement and, before it, those that wait. Long ones are not kept prepared, and go alone.
func (c *Conn) run(p planning, sql string, args []schema.Value, answer func(pgx.Rows) error) error {
	c.wrote = c.wrote || !strings.HasPrefix(sql, "SELECT ")
	c.plan(p)
	long := len(sql) > LongStatement
	if !long && len(c.waiting) > 0 {
		c.postpone(sql, postgresArgs(args), answer)
		return c.send()
	}
	if err := c.send(); err != nil {
		return err
	}
	values := postgresArgs(args)
	if long {
		values = append([]any{pgx.QueryExecModeDescribeExec}, values...)
	}
	rows, err := c.c.Query(c.ctx, sql, values...)
	if err == nil {
		err = answered(rows, answer)
	}
	return c.failed(sql, err)
}

// send runs the statements that wait, in one trip.
func (c *Conn) send() error {
	if len(c.waiting) == 0 {
		return nil
	}
	batch := &pgx.Batch{}
	waiting := c.waiting
	c.waiting, c.held = nil, 0
	for _, w := range waiting {
		batch.Queue(w.sql, w.args...)
	}
	results := c.c.SendBatch(c.ctx, batch)
	var err error
	for i := 0; err == nil && i < len(waiting); i++ {
		var rows pgx.Rows
		if rows, err = results.Query(); err == nil {
			err = answered(rows, waiting[i].answer)
		}
		err = c.failed(waiting[i].sql, err)
	}
	if closed := results.Close(); closed != nil {
		c.forgetPlanning() // the server has undone it
		if err == nil {
			err = closed
		}
	}
	return err
}

// answered hands an answer on, and reads it to its end. What the server reports comes before what the reader thinks.
func answered(rows pgx.Rows, answer func(pgx.Rows) error) error {
	err := answer(rows)
	rows.Close()
	if reported := rows.Err(); reported != nil {
		return reported
	}
	return err
}

// failed tells which statement the server did not run, and that the connection is no more where that is so. Errors of who reads the
// answer are their own.
func (c *Conn) failed(sql string, err error) error {
	var reported *pgconn.PgError
	if errors.As(err, &reported) {
		return fmt.Errorf("run %q: %w", sql, err)
	}
	if err != nil && c.c.IsClosed() {
		return fmt.Errorf("%w: %w", ErrLost, err)
	}
	return err
}

// begin lets what follows be one transaction. It goes along with the first statement.
func (c *Conn) begin() {
	c.postpone("BEGIN", nil, func(rows pgx.Rows) error { _, err := outcome(rows); return err })
}

// commit ends a transaction, in one trip with what still waits. When it returns nil everything is on disk. It is not broken off
// when the time of the request is over.
func (c *Conn) commit() error {
	c.ctx = context.WithoutCancel(c.ctx)
	if c.c.PgConn().TxStatus() == idle && len(c.waiting) == 1 {
		c.waiting = nil // nothing but the beginning of a transaction that had nothing to do
		return nil
	}
	c.postpone("COMMIT", nil, func(rows pgx.Rows) error {
		_, err := outcome(rows)
		if err == nil && rows.CommandTag().String() != "COMMIT" {
			err = errors.New("the transaction was undone")
		}
		return err
	})
	if err := c.send(); err != nil {
		return err
	}
	known := c.c.PgConn().CustomData()
	if known[unreplicated] != nil {
		delete(known, unreplicated)
		return errors.New("the server gave up waiting for its standby")
	}
	return nil
}

// unreplicated is the name under which a connection notes that the server gave up waiting for its synchronous standby. What it then
// calls committed is lost with it.
const unreplicated = "kith unreplicated"

func noteUnreplicated(c *pgconn.PgConn, n *pgconn.Notice) {
	if n.File == "syncrep.c" {
		c.CustomData()[unreplicated] = true
	}
}

// patiently lets fn wait for locks as long as it takes: it is the operator's.
func (c *Conn) patiently(fn func() error) error {
	if _, err := c.c.Exec(c.ctx, "SET lock_timeout = 0"); err != nil {
		return err
	}
	err := fn()
	_, reset := c.c.Exec(c.ctx, "RESET lock_timeout")
	return errors.Join(err, reset)
}

// Savepoint has what fails with a later statement fail before that where it is to be undone alone.
func (c *Conn) Savepoint(_ context.Context, undo bool, fn func() error) (wrote bool, err error) {
	before := c.wrote
	c.wrote = false
	defer func() { wrote, c.wrote = c.wrote || c.broken(), c.wrote || before }()
	if !undo {
		return false, fn()
	}
	ignore := func(rows pgx.Rows) error { _, err := outcome(rows); return err }
	waiting, held, sent := len(c.waiting), c.held, false
	c.postpone("SAVEPOINT operation", nil, func(rows pgx.Rows) error {
		sent = true
		return ignore(rows)
	})
	if err = fn(); err == nil {
		err = c.send()
	}
	if err == nil {
		c.postpone("RELEASE operation", nil, ignore)
		return false, nil
	}
	c.forgetPlanning()
	if !sent && !c.broken() { // the server knows nothing of this savepoint, and what waited before it still does
		c.waiting, c.held = c.waiting[:waiting], held
		return false, err
	}
	c.waiting, c.held = nil, 0
	if _, undo := c.c.Exec(c.ctx, "ROLLBACK TO operation; RELEASE operation"); undo != nil {
		err = errors.Join(err, undo)
	}
	return false, err
}

// broken tells that the transaction can only be undone.
func (c *Conn) broken() bool { return c.c.IsClosed() || c.c.PgConn().TxStatus() == 'E' }

// idle is the state of a connection that has no transaction.
const idle = 'I'

// rollback undoes a transaction that was not committed, also when nobody waits any more. After a commit it does nothing.
func (c *Conn) rollback() {
	c.waiting = nil
	if c.c.IsClosed() || c.c.PgConn().TxStatus() == idle {
		return
	}
	c.forgetPlanning()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), connectTime)
	defer cancel()
	// Where it fails, the pool finds the connection in a transaction, and closes it.
	_, _ = c.c.Exec(ctx, "ROLLBACK")
}

// planning is how PostgreSQL plans a prepared statement. Left alone it compares what it expects of both ways, and nearly always plans anew,
// because of a partitioned table it takes the plan for any arguments to read all of them. Against that, filters are 1.3 to 1.4 times
// as fast.
type planning string

const (
	// anyArguments plans a statement once, for whatever it is asked with. Planning takes many times as long as reading a record or
	// a page. Such a plan is used for long, so it must not be made for a table that is small at the moment: reading all of it is
	// out of the question, see scans.
	anyArguments planning = "force_generic_plan"
	// theseArguments plans a statement each time, by what is known of the values that it is asked with.
	theseArguments planning = "force_custom_plan"
	// asItMay leaves it to the server. It is for a cluster, whose coordinator has to see the business to know where a statement
	// goes, and only chooses that.
	asItMay planning = "auto"
)

// scans tells PostgreSQL whether reading a whole table may be a plan.
func (p planning) scans() string {
	if p == anyArguments {
		return "off"
	}
	return "on"
}

// planningOf is the name under which a connection remembers how it plans at present.
const planningOf = "kith planning"

// plan lets the statements that follow be planned in a way.
func (c *Conn) plan(p planning) {
	known := c.c.PgConn().CustomData()
	if e, ok := known[engineOf].(*Engine); ok && e.cluster.Load() {
		p = asItMay
		if e.workers.leaks.Load() {
			p = theseArguments
		}
	}
	if known[planningOf] == p {
		return
	}
	known[planningOf] = p
	sql := "SELECT set_config('plan_cache_mode', '" + string(p) + "', false), set_config('enable_seqscan', '" + p.scans() + "', false)"
	c.postpone(sql, nil, func(rows pgx.Rows) error { _, err := outcome(rows); return err })
}

// forgetPlanning is for when a failure has undone what was set.
func (c *Conn) forgetPlanning() { delete(c.c.PgConn().CustomData(), planningOf) }

// enoughToCopy is from how many rows on COPY is worth its preparation.
const enoughToCopy = 32

// Insert lets few rows wait for the next statement, and copies many.
func (c *Conn) Insert(_ context.Context, rows engine.Rows) error {
	c.wrote = true
	if rows.N >= enoughToCopy {
		args := make([]any, len(rows.Columns))
		return c.copy(rows.Table, rows.Columns, pgx.CopyFromSlice(rows.N, func(i int) ([]any, error) {
			for a, v := range rows.At(i) {
				args[a] = postgresArg(v)
			}
			return args, nil
		}))
	}
	for i := range rows.N {
		args := rows.At(i)
		c.plan(anyArguments)
		c.postpone(rows.SQL, postgresArgs(args), changedOne(rows.SQL))
		if err := c.hold(args); err != nil {
			return err
		}
	}
	return nil
}

// copy streams rows into a table. They are part of the transaction like any others.
func (c *Conn) copy(table string, columns []string, rows pgx.CopyFromSource) error {
	c.wrote = true
	if err := c.send(); err != nil {
		return err
	}
	if _, err := c.c.CopyFrom(c.ctx, pgx.Identifier{table}, columns, rows); err != nil {
		return fmt.Errorf("copy into %s: %w", table, err)
	}
	return nil
}

// Index has nothing to do: the server keeps its indexes by itself.
func (c *Conn) Index(context.Context, engine.TextWrite) error { return nil }

// PID is the process of the server that serves the connection.
func (c *Conn) PID() uint32 { return c.c.PgConn().PID() }
