// Package sqlite is everything that knows SQLite: its connections and the one that writes, its functions, files and layout.
package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
	"github.com/kith-crm/kith/internal/store/internal/sqlitemem"
)

// Engine owns its connections: one that writes, in a goroutine of its own, and as many that read as there are cores.
type Engine struct {
	Dialect
	path string
	self engine.ServerID
	// Turns are who may read, each with one of the readers.
	Turns   *engine.Turns
	readers chan *Conn
	// keeper is the reader of credentials, and health probe that of who asks whether the database answers.
	keeper, healthProbe chan *Conn
	jobs                *writes
	counts              engine.GroupCounts
	stopped             chan struct{}
	closing             sync.Once
	// Untidy leaves the text indexes to another process, see Store.LeaveUntidy.
	untidy atomic.Bool
}

// sqliteJob is a write that waits for its turn.
type job struct {
	engine.Share
	ctx  context.Context
	fn   func(engine.Conn) error
	done chan error
	// since is when it came.
	since time.Time
	// rehearsal is undone alone, whatever becomes of the others.
	rehearsal bool
}

// groupShare is after how long no business gets another write into a group: those of the others are done, and wait for the end.
const groupShare = 5 * time.Millisecond

// writerCache is how many KiB of pages the connection that writes keeps in memory. What a transaction has changed must fit in
// there: pages that do not are written to the log before it ends, read back, and written once more. A few batches in a group change
// two thousand. Batches of a hundred are 1.1 to 1.2 times as fast with it as with 2 MB.
const writerCache = 16 << 10

func Open(path string) (_ *Engine, err error) {
	if err := makeFolder(path); err != nil {
		return nil, err
	}
	if err := makeFile(path); err != nil {
		return nil, err
	}
	var opened []*Conn
	defer func() {
		if err != nil { // else the log would outlive whoever opens the file next
			for _, c := range opened {
				c.Close()
			}
		}
	}()
	open := func() (*Conn, error) {
		c, err := openConn(path)
		if err == nil {
			opened = append(opened, c)
		}
		return c, err
	}
	writer, err := open()
	if err != nil {
		return nil, err
	}
	for _, pragma := range []string{fmt.Sprintf("cache_size=-%d", writerCache), wipesWithin} {
		if err := writer.do("PRAGMA " + pragma); err != nil {
			return nil, err
		}
	}
	// As many searches run as there are cores; one more where a business has none that runs.
	readers := max(2, runtime.GOMAXPROCS(0)) + 1
	e := &Engine{
		path: path, self: engine.NewServerID(), Turns: engine.NewTurns(readers, 1), jobs: newWrites(), stopped: make(chan struct{}),
		readers: make(chan *Conn, readers), keeper: make(chan *Conn, 1), healthProbe: make(chan *Conn, 1),
	}
	for _, conns := range []chan *Conn{e.readers, e.keeper, e.healthProbe} {
		for range cap(conns) {
			c, err := open()
			if err != nil {
				return nil, err
			}
			conns <- c
		}
	}
	go e.writeLoop(writer)
	return e, nil
}

// busyTimeout is how long a connection waits for another process that has locked the file.
const busyTimeout = 10 * time.Second

// MemoryVariable is the variable of the environment that says whose memory SQLite uses, see package sqlitemem. It is no option: it
// is for the day on which something is wrong with ours.
const MemoryVariable = "KITH_SQLITE_MEMORY"

func (e *Engine) Remarks() []string {
	if remark, _ := sqlitemem.Give(os.Getenv(MemoryVariable)); remark != "" {
		return []string{remark}
	}
	return nil
}

// sqlitePragmas are the settings of every connection. It maps as much of the file as it can, 2 GB: pages are then read in place, and the
// system keeps in memory those that are used, which makes searches for two words 1.2 times as fast. A checkpoint every 4,000 pages
// instead of 1,000 makes creates 1.1 to 1.2 times as fast.
var pragmas = []string{
	"synchronous=FULL", fmt.Sprintf("busy_timeout=%d", busyTimeout.Milliseconds()), "temp_store=memory", "wal_autocheckpoint=4000",
	"mmap_size=2147418112", "cache_size=-2048", "foreign_keys=off",
}

func openConn(path string) (*Conn, error) {
	if _, err := sqlitemem.Give(os.Getenv(MemoryVariable)); err != nil {
		return nil, fmt.Errorf("%s %w", MemoryVariable, err)
	}
	if err := addFunctions(); err != nil {
		return nil, err
	}
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate|sqlite.OpenWAL)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	c.SetBlockOnBusy()
	for _, pragma := range pragmas {
		if err := sqlitex.ExecuteTransient(c, "PRAGMA "+pragma, nil); err != nil {
			return nil, errors.Join(fmt.Errorf("pragma %s: %w", pragma, err), c.Close())
		}
	}
	conn := &Conn{
		c: c, guard: newGuard(), statements: statements{known: map[string]*statement{}},
		untidy: map[string]*untidiness{}, heaps: map[heap]bool{},
	}
	handle := schema.IntValue(schema.Integer, conn.guard.handle)
	if err := conn.do("SELECT guard(?1)", handle); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

func (e *Engine) Read(ctx context.Context, whose engine.Share, fn func(engine.Conn) error) error {
	readers := e.readers
	if whose.Credentials {
		readers = e.keeper
	} else {
		place, err := e.Turns.Take(ctx, whose.Business, engine.Coordinator)
		if err != nil {
			return err
		}
		defer e.Turns.Give(place)
	}
	return readOn(ctx, readers, whose.Limit, fn)
}

// readOn runs fn on one of some connections.
func readOn(ctx context.Context, readers chan *Conn, limit time.Duration, fn func(engine.Conn) error) error {
	var c *Conn
	open := false
	select {
	case c, open = <-readers: // whoever has a place has a reader, so that nearly nobody waits here
	default:
		select {
		case c, open = <-readers:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if !open {
		return engine.ErrClosed
	}
	defer func() { readers <- c }()
	c.guard.start(ctx, limit)
	defer c.guard.end()
	return c.guard.stopped(fn(c))
}

func (e *Engine) Write(ctx context.Context, whose engine.Share, fn func(engine.Conn) error) error {
	return e.run(job{Share: whose, ctx: ctx, fn: fn})
}

func (e *Engine) Rehearse(ctx context.Context, whose engine.Share, fn func(engine.Conn) error) error {
	return e.run(job{Share: whose, ctx: ctx, fn: fn, rehearsal: true})
}

func (e *Engine) run(j job) error {
	j.done, j.since = make(chan error, 1), time.Now()
	if !e.jobs.put(j) {
		return engine.ErrClosed
	}
	return <-j.done // from here on the write happens, whether the caller waits or not
}

// writeLoop runs waiting writes in groups, all in one transaction. In between it tidies the text indexes.
func (e *Engine) writeLoop(c *Conn) {
	defer close(e.stopped)
	defer c.Close()
	c.untidyAtStart()
	var tidy <-chan time.Time
	for {
		if tidy == nil && !e.untidy.Load() && (c.pending() || c.flush) {
			tidy = time.After(tidyAfter)
		}
		first, ok, over := e.jobs.next(nil)
		if over {
			return
		}
		if ok {
			for group, again := []job{first}, false; len(group) > 0; again = true {
				group = e.writeGroup(c, group, again)
			}
			continue
		}
		select {
		case <-e.jobs.come:
		case <-tidy:
			begin := time.Now()
			// An error is not one of any write; the next step tries again.
			if c.pending() {
				_ = c.TidyStep()
			} else {
				_ = c.emptyLog()
			}
			if tidy = nil; c.pending() {
				tidy = time.After(tidyRest * time.Since(begin))
			}
		}
	}
}

// writeGroup runs one transaction and gives the writes that have to run once more, because a write has failed in the middle, or so
// badly, on a full disk for instance, that SQLite undid the whole transaction: the others are not to blame. Nearly all writes that
// fail do so before they have changed anything. So savepoints, which are a tenth to a sixth of the cost of a write, are for groups
// that run again.
func (e *Engine) writeGroup(c *Conn, group []job, again bool) (rest []job) {
	results := make([]error, 0, engine.GroupSize)
	begin := time.Now()
	c.texts = c.texts[:0]
	err := c.do("BEGIN IMMEDIATE")
	if err != nil {
		// It can have taken long, as it does where another process has locked the file, and would take as long for each of those that wait.
		for j, ok, _ := e.jobs.next(nil); ok; j, ok, _ = e.jobs.next(nil) {
			group = append(group, j)
		}
	}
	for i := 0; err == nil && i < len(group); i++ {
		run := c.bare
		if again || group[i].rehearsal {
			run = c.jobInSavepoint
		}
		undone, failed := run(group[i])
		switch {
		case undone && !again && len(group) > 1:
			return group
		case undone:
			group[i].done <- failed
			return append(group[:i:i], group[i+1:]...)
		}
		results = append(results, failed)
		if took := time.Since(begin); i+1 == len(group) && len(group) < engine.GroupSize && took < engine.GroupTime {
			if next, ok, _ := e.jobs.next(hadShare(group, took)); ok {
				group = append(group, next)
			}
		}
	}
	if err == nil {
		if err = c.WriteTexts(); err == nil {
			err = c.do("COMMIT")
		}
		if err != nil {
			_ = c.do("ROLLBACK")
		}
	}
	if c.wipes {
		c.wipes = false
		_ = c.do("PRAGMA " + wipesWithin) // what is left on costs time and nothing else
	}
	e.counts.Wrote(len(group))
	for i, j := range group {
		if err != nil {
			j.done <- fmt.Errorf("commit: %w", err)
		} else {
			j.done <- results[i]
		}
	}
	return nil
}

// hadShare are the businesses that get no further write into a group, after what it took.
func hadShare(group []job, took time.Duration) map[schema.UUID]bool {
	if took < groupShare {
		return nil
	}
	all := map[schema.UUID]bool{}
	for _, j := range group {
		all[j.Business] = true
	}
	return all
}

// bare runs a write. One that fails in the middle is undone with the whole transaction.
func (c *Conn) bare(j job) (undone bool, err error) {
	c.wrote = false
	if err = c.protected(j); err == nil {
		return false, nil
	}
	if !c.c.AutocommitEnabled() && !c.wrote {
		return false, err
	}
	if !c.c.AutocommitEnabled() {
		if undo := c.do("ROLLBACK"); undo != nil {
			err = errors.Join(err, undo)
		}
	}
	return true, err
}

// changes counts the rows that the connection has ever changed.
func (c *Conn) changes() int64 { return c.number("SELECT total_changes()") }

// jobInSavepoint runs a write so that it can be undone alone. Even so SQLite may have undone everything.
func (c *Conn) jobInSavepoint(j job) (undone bool, err error) {
	err = c.inSavepoint("job", func() error { return c.protected(j) })
	return c.c.AutocommitEnabled(), err
}

func (c *Conn) Savepoint(_ context.Context, undo bool, fn func() error) (wrote bool, err error) {
	before := c.wrote
	c.wrote = false
	defer func() { wrote, c.wrote = c.wrote, c.wrote || before }()
	if !undo {
		return false, fn()
	}
	return false, c.inSavepoint("operation", fn)
}

// inSavepoint runs fn, and undoes what it did where it fails, unless SQLite has undone the transaction by then.
func (c *Conn) inSavepoint(name string, fn func() error) error {
	texts := len(c.texts)
	if err := c.do("SAVEPOINT " + name); err != nil {
		return err
	}
	err := fn()
	if err != nil {
		c.texts = c.texts[:texts]
		if c.c.AutocommitEnabled() {
			return err
		}
		if undo := c.do("ROLLBACK TO " + name); undo != nil {
			err = errors.Join(err, undo)
		}
	}
	if release := c.do("RELEASE " + name); err == nil {
		err = release
	}
	return err
}

// protected runs a write and takes a panic for an error.
func (c *Conn) protected(j job) (err error) {
	if err := j.ctx.Err(); err != nil {
		return err
	}
	if j.Limit > 0 && time.Since(j.since) > engine.LongestWait {
		return engine.ErrWaited
	}
	c.guard.start(j.ctx, j.Limit)
	defer func() {
		err = c.guard.stopped(err)
		c.guard.end()
	}()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a write: %v\n%s", p, debug.Stack())
		}
	}()
	return j.fn(c)
}

// WriteLocked is like any write: all of them take turns.
func (e *Engine) WriteLocked(ctx context.Context, whose engine.Share, fn func(engine.Conn) error) error {
	return e.Write(ctx, whose, fn)
}

func (e *Engine) Migrate(ctx context.Context, fn func(c engine.Conn, run func(script string) error) error) error {
	return e.Write(ctx, engine.Share{}, func(c engine.Conn) error {
		writer := c.(*Conn)
		run := func(script string) error {
			writer.wrote = true
			return sqlitex.ExecScript(writer.c, script)
		}
		if err := run("CREATE TABLE IF NOT EXISTS migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT " +
			"NULL);"); err != nil {
			return err
		}
		return fn(c, run)
	})
}

// Partition is all of a table, which the row ids keep in order.
func (e *Engine) Partition(context.Context, engine.Conn, schema.UUID) (string, error) { return "", nil }

// One file has everything in one place.
func (e *Engine) Scattered() bool { return false }

// NotifyOthers has nobody to tell: a file has one server.
func (e *Engine) NotifyOthers(context.Context, engine.Notices) {}

// The server of an SQLite file is the only one: it has locked the file.

func (e *Engine) Server() (engine.ServerID, bool) { return e.self, true }

func (e *Engine) Servers(context.Context) (engine.Servers, error) {
	return engine.Servers{Live: map[engine.ServerID]bool{e.self: true}, Alone: true}, nil
}

func (e *Engine) Unplaced(context.Context, engine.Conn, []engine.Table) ([]engine.Table, error) {
	return nil, nil
}

func (e *Engine) Place(context.Context, engine.Conn, []engine.Table) error { return nil }

func (e *Engine) Distribute(context.Context, engine.Conn, []engine.Table) error {
	return errors.New("a SQLite file cannot be distributed; only a PostgreSQL database with the extension citus can")
}

func (e *Engine) Close() error {
	e.closing.Do(func() {
		e.jobs.close()
		<-e.stopped
		for _, readers := range []chan *Conn{e.readers, e.keeper, e.healthProbe} {
			for range cap(readers) {
				(<-readers).Close()
			}
			close(readers)
		}
	})
	return nil
}

// Conn is a connection with its prepared statements and a buffer for the row under the cursor.
type Conn struct {
	c *sqlite.Conn
	// Guard stops what takes too long.
	guard      *guard
	statements statements
	// wrote tells that a statement has run that may have changed something.
	wrote bool
	// texts are what the writes of this transaction have to say to the text indexes, see writeTexts.
	texts []engine.TextWrite
	// untidy counts, by text index, the documents that were written since it was last merged.
	untidy map[string]*untidiness
	// heaps are those that may have rows to compact, and compaction what is being moved, see sqlite_compact.go.
	heaps      map[heap]bool
	compaction *compaction
	// wipes tells that the transaction overwrites whole pages that it frees, see wipe.
	wipes bool
	// wiping tells that free pages are to be overwritten, of which there are unwiped ones left, or an unknown number where that is
	// negative; flush that then SQLite's log is to be emptied. See wipeStep.
	wiping, flush bool
	unwiped       int64
}

// Worked is for how long what runs has kept a processor busy.
func (c *Conn) Worked() time.Duration { return c.guard.work }

func (c *Conn) Close() {
	c.statements.close()
	_ = c.c.Close()
	c.guard.drop()
}

func (c *Conn) do(sql string, args ...schema.Value) error {
	_, err := c.Exec(context.Background(), sql, args)
	return err
}

func (c *Conn) Exec(ctx context.Context, sql string, args []schema.Value) (int64, error) {
	err := c.Query(ctx, sql, args, func(engine.Row) error { return nil })
	return int64(c.c.Changes()), err
}

func (c *Conn) Insert(ctx context.Context, rows engine.Rows) error { return rows.Each(ctx, c) }

func (c *Conn) Index(_ context.Context, w engine.TextWrite) error {
	c.wrote = true
	c.texts = append(c.texts, w)
	return nil
}

func bindSQLite(s *sqlite.Stmt, at int, v schema.Value) {
	switch {
	case !v.Set:
		s.BindNull(at)
	case v.Kind == schema.Number:
		s.BindFloat(at, v.Float())
	case v.Kind == schema.ID || v.Kind == engine.KindBytes:
		s.BindBytes(at, []byte(v.S))
	case engine.CountsInN(v.Kind):
		s.BindInt64(at, v.N)
	default:
		s.BindText(at, v.S)
	}
}

// sqliteRow copies texts out of SQLite's memory.
type row struct {
	s     *sqlite.Stmt
	texts room.Texts
}

func (r *row) Value(column int, k schema.Kind) schema.Value {
	if engine.CountsInN(k) && k != schema.Number {
		n := r.s.ColumnInt64(column)
		if n == 0 && r.s.ColumnIsNull(column) {
			return schema.Absent(k)
		}
		return schema.IntValue(k, n)
	}
	if r.s.ColumnIsNull(column) {
		return schema.Absent(k)
	}
	if k == schema.Number {
		return schema.FloatValue(r.s.ColumnFloat(column))
	}
	free := r.texts.Free()
	size := r.s.ColumnBytes(column, free)
	if size == len(free) { // it may not have fitted
		if size = r.s.ColumnLen(column); size > len(free) {
			r.s.ColumnBytes(column, r.texts.Room(size))
		}
	}
	return schema.Value{Kind: k, Set: true, S: r.texts.Took(size)}
}

// PerMachine is for clusters.
func (e *Engine) PerMachine(engine.Lookup) []engine.MachineLookup { return nil }
