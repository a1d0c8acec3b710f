// Package postgres is everything that knows PostgreSQL, and Citus: connections, hosts and machines, their health, its layout.
package postgres

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// Engine is PostgreSQL through pgx's own pool and its prepared statements.
type Engine struct {
	Dialect
	// self is who this process is, and locked tells that it holds its lock.
	self   engine.ServerID
	locked atomic.Bool
	// config is how connections are made, and hosts the same for each host of the address by itself.
	config *pgxpool.Config
	hosts  []*pgx.ConnConfig
	// lines are the connections that are in use, and health probe tells whether somebody answers there.
	lines       atomic.Pointer[lines]
	healthProbe *healthProbe
	// Turns are who may have a connection of the pool, and writers who may have one to write.
	Turns, writers *engine.Turns
	// places is how many connections there are for all.
	places int
	// stuck counts the transactions whose end takes too long.
	stuck atomic.Int32
	// Workers tells which machines of a cluster do not answer.
	workers *workers
	// Groups are the writes that wait for the turn of their business.
	groups groups
	counts engine.GroupCounts
	// measuredAt is after how many groups the tables were looked at last, see measure.
	measuredAt atomic.Int64
	// partitions are where the businesses lie.
	partitions namedPartitions
	// cluster tells that the database is one of several machines, see postgres_citus.go.
	cluster atomic.Bool
}

// Bounds of the prepared statements that a connection keeps. What they take of the server's memory goes with their length, some
// seventy times of it, so long ones are not kept: together these are no longer than those of SQLite may be. What is asked every day
// is shorter. A plan for any arguments of a search among contacts takes half a megabyte more, because it has one for each partition of
// the table.
const (
	MaxStatements = 128
	LongStatement = (512 << 10) / MaxStatements
)

// keepers is how many connections are for credentials alone, for each machine of a cluster.
const keepers = 2

// afterCancel is how long a server has to answer that it stopped a statement, before the connection is given up.
const afterCancel = time.Second

func Open(ctx context.Context, url string) (*Engine, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("read the database URL: %w", err)
	}
	if config.MaxConns < 16 && !strings.Contains(url, "pool_max_conns") {
		config.MaxConns = 16
	}
	// What changes records locks its business's row first, so that read committed is enough to be exact.
	config.ConnConfig.RuntimeParams["default_transaction_isolation"] = "read committed"
	config.ConnConfig.RuntimeParams["timezone"] = "UTC"
	// Workers and compiling help one long statement and cost many short ones; a walk along the text ranges relies on rows coming in
	// their order.
	config.ConnConfig.RuntimeParams["max_parallel_workers_per_gather"] = "0"
	config.ConnConfig.RuntimeParams["jit"] = "off"
	// When nobody waits any more, or the time is over, the server is told to stop: closing the connection alone would let it work on.
	config.ConnConfig.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: c, DeadlineDelay: afterCancel}
	}
	config.ConnConfig.StatementCacheCapacity = MaxStatements
	config.ConnConfig.RuntimeParams["plan_cache_mode"] = string(anyArguments)
	config.ConnConfig.RuntimeParams["enable_seqscan"] = anyArguments.scans()
	e := &Engine{self: engine.NewServerID()}
	config.ConnConfig.AfterConnect = func(_ context.Context, c *pgconn.PgConn) error {
		c.CustomData()[planningOf], c.CustomData()[engineOf] = anyArguments, e
		return nil
	}
	config.ConnConfig.OnNotice = noteUnreplicated
	// Who waits for a lock waits for somebody else's work, which can hang as a server can.
	config.ConnConfig.RuntimeParams["lock_timeout"] = strconv.FormatInt(engine.LongestWait.Milliseconds(), 10)
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTime
	}
	if hosts := hostsOf(config.ConnConfig); len(hosts) > 1 && config.ConnConfig.ValidateConnect == nil {
		config.ConnConfig.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite // of several, one is to be written to
	}
	places := int(config.MaxConns)
	e.config, e.hosts, e.healthProbe = config, hostsOf(config.ConnConfig), newHealthProbe(config.ConnConfig)
	e.places, e.Turns, e.writers = places, engine.NewTurns(places, max(1, places/4)), engine.NewTurns(max(1, places/2), places/8)
	e.workers = &workers{e: e}
	e.healthProbe.found = e.switchTo
	e.healthProbe.lost = func() { e.lines.Load().cut() }
	if err := e.healthProbe.begin(ctx); err != nil {
		return nil, fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	if err := e.look(ctx); err != nil {
		_ = e.Close()
		return nil, fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	return e, nil
}

// look learns whether the database is that of a cluster.
func (e *Engine) look(ctx context.Context) error {
	var cluster bool
	err := e.on(ctx, requestConns, func(pooled *pgx.Conn) (err error) {
		_, cluster, err = lies(ctx, newPostgresConn(ctx, pooled))
		return err
	})
	if err == nil && cluster {
		err = e.workers.readPlaces(ctx)
	}
	if err == nil {
		e.cluster.Store(cluster)
	}
	return err
}

// Ping asks on a connection that is for nothing else.
func (e *Engine) Ping(ctx context.Context) error { return e.healthProbe.ping(ctx) }

func (e *Engine) Tidy(ctx context.Context) error {
	return e.Read(ctx, engine.Share{}, func(c engine.Conn) error { // outside a transaction, where alone it may run
		return c.(*Conn).patiently(func() error {
			_, err := c.Exec(ctx, "VACUUM (ANALYZE)", nil)
			return err
		})
	})
}

// Scrub writes the tables anew, and last what the server knows of their values, which are some of these themselves. That needs the
// server's own administrator; others are told by a warning of the server's that it was left out.
func (e *Engine) Scrub(ctx context.Context) error {
	return e.Read(ctx, engine.Share{}, func(c engine.Conn) error {
		var tables []string
		err := c.Query(ctx, "SELECT quote_ident(relname) FROM pg_class WHERE relkind = 'r' AND relnamespace = "+
			"current_schema()::regnamespace ORDER BY relname", nil, func(r engine.Row) error {
			tables = append(tables, r.Value(0, schema.Text).S)
			return nil
		})
		if err != nil {
			return err
		}
		return c.(*Conn).patiently(func() error {
			for _, table := range append(tables, "pg_statistic") {
				if _, err := c.Exec(ctx, "VACUUM (FULL, ANALYZE) "+table, nil); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func (e *Engine) Remarks() []string {
	if e.workers.leaks.Load() {
		return []string{leakRemark}
	}
	return nil
}

// LeaveUntidy changes nothing: the server tidies by itself, whoever writes.
func (e *Engine) LeaveUntidy() {}

func (e *Engine) Close() error {
	e.healthProbe.end()
	l := e.lines.Load()
	// What hangs is not waited for longer than a request would be.
	defer time.AfterFunc(engine.LongestWait, l.cut).Stop()
	l.retire()
	return nil
}

func (e *Engine) Read(ctx context.Context, whose engine.Share, fn func(engine.Conn) error) error {
	machine, err := e.workers.why(whose.Business)
	if err != nil {
		return err
	}
	over := machine
	if !whose.Credentials {
		place, err := e.Turns.Take(ctx, whose.Business, machine)
		if err != nil {
			return err
		}
		defer e.Turns.Give(place)
		over = requestConns
	}
	defer e.workers.await(machine)()
	err = within(ctx, whose, func(ctx context.Context) error {
		return e.on(ctx, over, func(pooled *pgx.Conn) error {
			c := newPostgresConn(ctx, pooled)
			if err := fn(c); err != nil {
				return err
			}
			return c.send()
		})
	})
	if err != nil && machine != engine.Coordinator && e.Ill(err) {
		e.workers.suspect(machine)
	}
	return err
}

func (e *Engine) Write(ctx context.Context, whose engine.Share, fn func(engine.Conn) error) error {
	j := newJob(ctx, whose, fn)
	go func() {
		give, err := e.takePlaces(ctx, whose.Business)
		if err != nil {
			j.done <- err
			return
		}
		defer give()
		if j.step(jobWaits, jobRuns) {
			j.done <- j.alone(e)
		}
	}()
	return e.attend(j)
}

// takePlaces waits for a place among those who write, and then for a connection. Writers never have all of these: what they wait
// for, another server's disk for instance, is nothing that readers need.
func (e *Engine) takePlaces(ctx context.Context, business schema.UUID) (give func(), err error) {
	machine, err := e.workers.why(business)
	if err != nil {
		return nil, err
	}
	writing, err := e.writers.Take(ctx, business, machine)
	if err != nil {
		return nil, err
	}
	place, err := e.Turns.Take(ctx, business, machine)
	if err != nil {
		e.writers.Give(writing)
		return nil, err
	}
	done := e.workers.await(machine)
	return func() {
		done()
		e.Turns.Give(place)
		e.writers.Give(writing)
	}, nil
}

// Rehearse shares no transaction with others, who would be undone with it.
func (e *Engine) Rehearse(ctx context.Context, whose engine.Share, fn func(engine.Conn) error) error {
	return e.Write(ctx, whose, fn)
}

// try runs a write in a transaction until it did not lose against another one.
func (e *Engine) try(ctx context.Context, j job) error {
	for attempt := 1; ; attempt++ {
		err := e.transaction(ctx, j)
		if err == nil || attempt == engine.Attempts || !worthAnotherTry(err) || j.at() == jobEnds && !j.step(jobEnds, jobRuns) {
			return err
		}
		pause := time.Duration(rand.IntN(10*attempt)+1) * time.Millisecond
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// transaction runs a write in one. It is ended, this way or that, also when nobody waits any more: who is told that a write failed
// can rely on it.
func (e *Engine) transaction(ctx context.Context, j job) error {
	return e.on(ctx, requestConns, func(pooled *pgx.Conn) error {
		c := newPostgresConn(ctx, pooled)
		defer c.rollback() // a panic passes it, too
		c.begin()
		err := j.fn(c)
		if err == nil {
			err = e.commit(c, j)
		}
		return err
	})
}

// commit ends a transaction with the writes that it has. Whoever waits for them waits no longer than attend says; the commit itself
// is never broken off while the server lives: to cancel one that waits for a standby makes it final here, and not there.
func (e *Engine) commit(c *Conn, writes ...job) error {
	for _, j := range writes {
		j.step(jobRuns, jobEnds)
	}
	late := time.AfterFunc(commitTime, func() { e.stuck.Add(1) })
	err := c.commit()
	if !late.Stop() {
		e.stuck.Add(-1)
	}
	if err != nil && !Refused(err) {
		err = fmt.Errorf("%w: %w", engine.ErrUnsettled, err)
	}
	return err
}

// lockTimedOut is the code of a statement that waited too long for a lock.
const lockTimedOut = "55P03"

// reports tells whether the server failed with a code.
func reports(err error, code string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == code
}

// worthAnotherTry tells whether a transaction failed only because of what ran beside it. A unique value that another writer took in
// the meantime counts: the next attempt finds the record that has it and can name it.
func worthAnotherTry(err error) bool {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return false
	}
	switch pg.Code {
	case "40001", "40P01", "23505":
		return true
	}
	return false
}

func (e *Engine) Migrate(ctx context.Context, fn func(c engine.Conn, run func(script string) error) error) error {
	err := pgx.BeginFunc(ctx, e.lines.Load().pool, func(tx pgx.Tx) error {
		run := func(script string) error {
			return inStatements(script, e.cluster.Load(), func(statement string) error {
				_, err := tx.Exec(ctx, statement, pgx.QueryExecModeSimpleProtocol)
				return err
			})
		}
		if err := run("SET LOCAL lock_timeout = 0"); err != nil {
			return err
		}
		// Another server that starts at the same time waits here, and then finds the work done.
		if err := run("CREATE TABLE IF NOT EXISTS migration (number bigint PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT " +
			"NULL);\nLOCK TABLE migration IN ACCESS EXCLUSIVE MODE"); err != nil {
			return err
		}
		if e.cluster.Load() {
			// Otherwise statements on shards would run side by side, in several connections, of which none sees what the others have made.
			if err := run("SET LOCAL citus.multi_shard_modify_mode = 'sequential'"); err != nil {
				return err
			}
		}
		c := newPostgresConn(ctx, tx.Conn())
		if err := fn(c, run); err != nil {
			return err
		}
		return c.send()
	})
	return errors.Join(err, e.look(ctx))
}

func postgresArgs(args []schema.Value) []any {
	out := make([]any, len(args))
	for i, v := range args {
		out[i] = postgresArg(v)
	}
	return out
}

func postgresArg(v schema.Value) any {
	if !v.Set {
		return nil
	}
	switch v.Kind {
	case schema.Bool:
		return v.N != 0
	case schema.Number:
		return v.Float()
	case schema.Date:
		return time.Unix(v.N*86400, 0).UTC()
	case schema.Time:
		return v.Time()
	case schema.ID, engine.KindTenant:
		return [16]byte(v.UUID())
	case engine.KindBytes:
		return []byte(v.S)
	}
	if engine.CountsInN(v.Kind) {
		return v.N
	}
	return v.S
}

// postgresRow reads the binary format that pgx asks for.
type row struct {
	Raw   [][]byte
	Texts *room.Texts
}

// PostgreSQL counts time from the year 2000.
const (
	epochDays   = 10957
	epochMicros = epochDays * 86400 * 1e6
)

func (r *row) Value(column int, k schema.Kind) schema.Value {
	raw := r.Raw[column]
	if raw == nil {
		return schema.Absent(k)
	}
	switch {
	case k == schema.Bool:
		return schema.IntValue(k, int64(raw[0]))
	case k == schema.Number:
		return schema.FloatValue(math.Float64frombits(binary.BigEndian.Uint64(raw)))
	case k == schema.Date:
		return schema.IntValue(k, int64(int32(binary.BigEndian.Uint32(raw)))+epochDays)
	case k == schema.Time:
		return schema.IntValue(k, int64(binary.BigEndian.Uint64(raw))+epochMicros)
	case engine.CountsInN(k) && k != engine.KindTenant:
		return schema.IntValue(k, int64(binary.BigEndian.Uint64(raw)))
	case len(raw) == 0:
		return schema.Value{Kind: k, Set: true}
	}
	return schema.Value{Kind: k, Set: true, S: r.Texts.Copy(raw)}
}

func (Dialect) Name() string            { return "postgres" }
func (Dialect) Mark(n int) string       { return "$" + strconv.Itoa(n) }
func (Dialect) TenantMark(n int) string { return "$" + strconv.Itoa(n) }

var likeEscapes = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

func likeArg(needle string) string { return "%" + likeEscapes.Replace(needle) + "%" }

// longNeedle is from how many bytes on a needle is looked for as a regular expression, a literal one. LIKE compares the needle at
// every place of the text, which takes the product of their lengths where both consist of the same letter; a regular expression
// reads the text once. For short needles LIKE is faster, and only it gets help from the index. From longestNeedle on the expression
// could become too complex for the server; only a word of hundreds of rare characters, each written as several, is folded into so
// many.
const (
	LongNeedle    = 24
	longestNeedle = 4000
)

func (Dialect) Contains(a *engine.Arguments, column, needle string) string {
	if len(needle) > LongNeedle && len(needle) <= longestNeedle {
		return column + " ~ " + a.Arg(schema.Value{Kind: schema.Text, Set: true, S: "***=" + needle})
	}
	return column + " LIKE " + a.Arg(schema.Value{Kind: schema.Text, Set: true, S: likeArg(needle)})
}

func (Dialect) Weight(column string) string {
	return "octet_length(CAST(" + column + " AS text))"
}

func (d Dialect) Member(document, name string, k schema.Kind) string {
	x := "(" + document + " ->> '" + name + "')"
	switch k {
	case schema.Bool:
		return "(" + x + "::bigint <> 0)"
	case schema.Date:
		return "(date '1970-01-01' + " + x + "::integer)"
	case schema.Time:
		// An interval is multiplied as a floating-point number, which has no room for the microseconds of far times. Whole seconds it has.
		return "(timestamptz '1970-01-01 00:00:00Z' + " + x + "::bigint / 1000000 * interval '1 second' + " + x + "::bigint % 1000000 * " +
			"interval '1 microsecond')"
	}
	if engine.CountsInN(k) || k == schema.Number || k == schema.ID {
		return x + "::" + d.ColumnType(k)
	}
	return "(" + x + ` COLLATE "C")`
}

func (Dialect) Lock() string { return " FOR UPDATE" }

func (d Dialect) Among(a *engine.Arguments, x string, values []schema.Value) string {
	return x + " = ANY (" + d.array(a, values) + ")"
}

// array is an argument with values of one kind.
func (d Dialect) array(a *engine.Arguments, values []schema.Value) string {
	kind := values[0].Kind
	items := make([]string, len(values))
	for i, v := range values {
		switch {
		case kind == schema.ID:
			items[i] = hex.EncodeToString([]byte(v.S))
		case kind == schema.Bool:
			items[i] = strconv.FormatBool(v.N != 0)
		case kind == schema.Number:
			items[i] = strconv.FormatFloat(v.Float(), 'g', -1, 64)
		case kind == schema.Date:
			items[i] = postgresDate(postgresArg(v).(time.Time), time.DateOnly)
		case kind == schema.Time:
			items[i] = postgresDate(v.Time(), "2006-01-02 15:04:05.999999Z07:00")
		case engine.CountsInN(kind):
			items[i] = strconv.FormatInt(v.N, 10)
		default:
			items[i] = v.S
		}
	}
	element, _, _ := strings.Cut(d.ColumnType(kind), " COLLATE")
	return a.Arg(postgresArray(items)) + "::" + element + "[]"
}

// postgresDate writes a time as PostgreSQL reads it, which knows no year 0.
func postgresDate(t time.Time, form string) string {
	if year := t.Year(); year <= 0 {
		return t.AddDate(1-2*year, 0, 0).Format(form) + " BC"
	}
	return t.Format(form)
}

// postgresArray writes texts as PostgreSQL writes arrays, so that a set of any size is one argument.
func postgresArray(items []string) schema.Value {
	var s strings.Builder
	for _, item := range items {
		s.WriteString(`,"` + arrayEscapes.Replace(item) + `"`)
	}
	return schema.Value{Kind: schema.Text, Set: true, S: "{" + strings.TrimPrefix(s.String(), ",") + "}"}
}

var arrayEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// HasItem looks for a few items as parts of the key. Each of many would read the whole key, so then the key is taken apart and
// joined with them.
func (Dialect) HasItem(a *engine.Arguments, key string, items []string) string {
	if len(items) > engine.FewValues {
		return "EXISTS (SELECT 1 FROM unnest(string_to_array(" + key + ", chr(31))) AS item JOIN unnest(" + a.Arg(postgresArray(items)) +
			"::text[]) AS wanted ON wanted = item)"
	}
	patterns := make([]string, len(items))
	for i, item := range items {
		patterns[i] = likeArg(engine.Separator + item + engine.Separator)
	}
	return key + " LIKE ANY (" + a.Arg(postgresArray(patterns)) + "::text[])"
}

func (Dialect) LiveByID(alias string) string {
	return "coalesce(" + alias + "." + engine.Live + ", false)"
}

// IndexedBy leaves the choice to the planner, which has statistics.
func (Dialect) IndexedBy(string) string { return "" }

func (Dialect) RowNumber(string, []string) string { return "" }

func (Dialect) TenantKey(id schema.UUID, _ int64) schema.Value {
	v := schema.IDValue(id)
	v.Kind = engine.KindTenant
	return v
}

// BusinessOf is the key itself.
func (Dialect) BusinessOf(key schema.Value) (schema.UUID, bool) { return key.UUID(), true }

func (Dialect) BusinessBy() string { return "business_id" }

func (d Dialect) NewTenantKey(_ context.Context, _ engine.Conn, id schema.UUID) (schema.Value, error) {
	return d.TenantKey(id, 0), nil
}

func (d Dialect) StartsUpTo(a *engine.Arguments, x string, periods *query.Periods) string {
	if len(periods.Starts) == 0 { // there is no time to be counted up to
		return "CAST(NULL AS bigint)"
	}
	starts := make([]schema.Value, len(periods.Starts))
	for i, start := range periods.Starts {
		starts[i] = schema.IntValue(periods.Kind, start)
	}
	return "CAST(width_bucket(" + x + ", " + d.array(a, starts) + ") AS bigint)"
}

func (Dialect) Private(string, []schema.Value) bool { return false }

// Overflowed tells that a sum was too large to be handed over in 64 bits.
func (Dialect) Overflowed(err error) bool {
	var reported *pgconn.PgError
	return errors.As(err, &reported) && reported.Code == "22003" // numeric_value_out_of_range
}

// namedPartitions knows in which partition of the spread tables a business lies.
//
// A statement on a spread table has a plan for each partition. Before it can run, the server locks all of them, and a new connection has
// to learn all of their indexes, which for the tables of a timeline takes a tenth of a second and more. On the partition itself the same
// statement takes half the time. But each partition has statements of its own, and of these a connection keeps only so many prepared. So
// only the partitions that are asked for first are named: where there are few businesses, these are all.
type namedPartitions struct {
	mu    sync.Mutex
	of    map[schema.UUID]int64
	named map[int64]bool
}

// within runs fn with a context that ends when the share's limit of time or of work is reached, and tells whether that was why it failed.
func within(ctx context.Context, whose engine.Share, fn func(context.Context) error) error {
	under := ctx
	if whose.Limit > 0 {
		l := &limited{limit: whose.Limit, began: time.Now()}
		l.Context, l.stop = context.WithCancelCause(ctx)
		l.mu.Lock()
		l.next = time.AfterFunc(l.limit/firstLook, l.look)
		l.mu.Unlock()
		defer l.end()
		under = l
	}
	err := fn(under)
	switch {
	case err == nil || problem.As(err) != nil:
		return err
	case ctx.Err() != nil && !errors.Is(err, engine.ErrUnsettled):
		return ctx.Err()
	case errors.Is(err, engine.ErrUnsettled) || errors.Is(err, ErrLost): // it is not the time that it took
		return err
	case reports(err, lockTimedOut):
		return engine.ErrWaited
	case under.Err() != nil:
		return context.Cause(under)
	}
	return err
}
