package store

import (
	"context"
	"time"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// engine is a database behind the store: SQLite or PostgreSQL. All SQL is written once, in the other files of this package;
// an engine runs it and gives the few words in which its dialect differs.
type engine interface {
	// read runs fn on a connection that only reads, when it is the turn of whose share it is. It ends when ctx does, or the share's
	// limit is over.
	read(ctx context.Context, whose share, fn func(conn) error) error
	// write runs fn in a transaction that is on disk when write returns nil, and undone when it returns an error. It may run fn
	// again after a conflict with another writer, so fn must not change anything but the database.
	write(ctx context.Context, whose share, fn func(conn) error) error
	// writeLocked is a write that changes records of the share's business. Such writes run one after the other, and may share a
	// transaction.
	writeLocked(ctx context.Context, whose share, fn func(conn) error) error
	// rehearse is a write that changes records of the share's business and always returns an error, so that it is undone. Others do
	// not suffer from it.
	rehearse(ctx context.Context, whose share, fn func(conn) error) error
	// perMachine gives a lookup as it is asked of each machine of a cluster; elsewhere there are none.
	perMachine(l lookup) []machineLookup
	// snapshot runs fn on connections that all see one state of the database, whatever is written meanwhile: on most of them, or
	// fewer, and at least one. In a cluster that holds for each machine by itself, and so for what belongs to one business.
	snapshot(ctx context.Context, most int, fn func([]conn) error) error
	// inspect holds the database to its own rules, and tells what is wrong with it.
	inspect(ctx context.Context, c conn, found func(what string)) error
	// ping tells whether the database answers. It waits for nobody: there is a connection for it alone.
	ping(ctx context.Context) error
	// ill tells that an error is the database's own: it cannot be reached, or cannot work. See classed.
	ill(err error) bool
	// corrupt tells whether an error says that the database is damaged: no other try helps.
	corrupt(err error) bool
	// migrate runs fn in a transaction that no other migration runs beside; run executes a script of several statements in it.
	migrate(ctx context.Context, fn func(c conn, run func(script string) error) error) error
	// tidy does at once what the database would do by itself in the time after a large load.
	tidy(ctx context.Context) error
	// measure has it learn how full its tables are, where it plans by that and they have outgrown what it knows.
	measure(ctx context.Context) error
	// scrub writes the database anew, so that its files have nothing of what is no longer in it.
	scrub(ctx context.Context) error
	// writable tells why nothing could be written, or nothing; it waits for no turn.
	writable(ctx context.Context, c conn) error
	// gauges are figures of how it runs.
	gauges() []Gauge
	// remarks are what the operator should know of how it runs.
	remarks() []string
	// leaveUntidy leaves to another process what this one would tidy by itself.
	leaveUntidy()
	// partition follows the name of a spread table in statements about a business that are better put to the partition of it in which the
	// business lies; it is empty where they are not. A connection asks for it before anything else.
	partition(ctx context.Context, c conn, business schema.UUID) (string, error)
	// unplaced gives the tables that should lie on several machines and do not yet; place puts them there, and distribute does so
	// where the database was that of one machine until now.
	unplaced(ctx context.Context, c conn, all []table) ([]table, error)
	place(ctx context.Context, c conn, all []table) error
	distribute(ctx context.Context, c conn, all []table) error
	// scattered tells that businesses lie on several machines. Then only a statement that is held to a business goes to one of them.
	scattered() bool
	// notifyOthers tells other servers on the database whose business this one changed, and hears it of them, until ctx ends; it ends at
	// once where there can be no others.
	notifyOthers(ctx context.Context, n notices)
	// server is who this process is among the servers on the database, and tells whether others can know that it is there; servers are
	// those that are.
	server() (serverID, bool)
	servers(ctx context.Context) (servers, error)
	close() error
	dialect
}

// dialect is where the engines' SQL differs, and what they do differently because of it. Nobody outside of an engine's own files
// asks which engine it is: where the engines differ, there is a method here that says in what.
type dialect interface {
	// name is that of the engine, for people, and of the folder with its migrations.
	name() string
	// mark is the placeholder of the n-th argument, counted from 1.
	mark(n int) string
	// tenantMark is the placeholder of the tenant argument.
	tenantMark(n int) string
	// contains is a condition that a text column has a needle in it.
	contains(a *arguments, column, needle string) string
	// member is the value of a member of a document column, absent where it has none. See document.go for how it is kept.
	member(document, name string, k schema.Kind) string
	// among is a condition that x is one of the values, of which there is at least one and which are all of one kind.
	among(a *arguments, x string, values []schema.Value) string
	// hasItem is a condition that the key of a list of texts has one of the items in it.
	hasItem(a *arguments, key string, items []string) string
	// startsUpTo counts the starts of periods up to a time or date, which is absent where that is.
	startsUpTo(a *arguments, x string, periods *query.Periods) string
	// liveByID is the condition that a record which is found by its id is live, so put that no index of the live ones is taken for
	// it. A planner without statistics believes that few records are live, and would rather read all of a business's in such an
	// index than go by the id.
	liveByID(alias string) string
	// weight is how many bytes of text the value of a column has.
	weight(column string) string
	// lock follows a SELECT whose rows the transaction is going to change.
	lock() string
	// indexedBy follows a table that is to be read by an index, where the engine does not choose better by itself.
	indexedBy(index string) string
	// rowNumber is the number by which a row of a table lies, as it follows from the marks of its first values, or nothing where
	// the engine gives it one.
	rowNumber(table string, marks []string) string
	// tenantKey is the value of business_id columns for a business.
	tenantKey(id schema.UUID, number int64) schema.Value
	// newTenantKey is the same for a business that is being made.
	newTenantKey(ctx context.Context, c conn, id schema.UUID) (schema.Value, error)
	// businessOf is the business of a tenant key, where that tells it.
	businessOf(key schema.Value) (id schema.UUID, told bool)
	// businessBy is the column of business by which its id is looked up.
	businessBy() string
	// private tells that a row of a table is the engine's own, see table.own.
	private(table string, values []schema.Value) bool
	layout
}

// conn runs statements. A row is valid until the next one is read; its values can be kept.
type conn interface {
	query(ctx context.Context, sql string, args []schema.Value, each func(row) error) error
	// weigh is a query whose best way depends on the values that it is asked with, so that planning it each time is worth its while.
	weigh(ctx context.Context, sql string, args []schema.Value, each func(row) error) error
	// ask is a query that need not be answered before the next statement is known. It may go to the server together with that one, and is
	// answered before it.
	ask(ctx context.Context, sql string, args []schema.Value, each func(row) error) error
	// change changes one row, no more and no fewer. Like an ask it may be sent, and fail, with the next statement or the end of the
	// transaction.
	change(ctx context.Context, sql string, args []schema.Value) error
	exec(ctx context.Context, sql string, args []schema.Value) (affected int64, err error)
	// savepoint runs fn, and tells whether it may have changed something. With undo, what fn did is undone alone where it fails.
	savepoint(ctx context.Context, undo bool, fn func() error) (wrote bool, err error)
	// insert adds rows to a table, by the best way for so many.
	insert(ctx context.Context, rows rows) error
	// wipe has what the rest of the transaction deletes overwritten, where the database does not make room for others of it by itself.
	wipe(ctx context.Context) error
	// index tells a text index of a document, at the end of the transaction. It is for indexes that the database does not keep by itself.
	index(ctx context.Context, w textWrite) error
}

// rows are what is added to a table.
type rows struct {
	table   string
	columns []string
	// sql adds one row.
	sql string
	n   int
	// at gives the values of the i-th row, which are valid until it is asked for the next.
	at func(i int) []schema.Value
}

// each adds the rows one by one.
func (r rows) each(ctx context.Context, c conn) error {
	for i := range r.n {
		if err := c.change(ctx, r.sql, r.at(i)); err != nil {
			return err
		}
	}
	return nil
}

// row reads the columns of a result.
type row = room.Row

// Kinds of columns that no record field has.
const (
	kindBytes  = room.Bytes
	kindTenant = room.Business
)

// countsInN tells whether a kind keeps its value in N.
func countsInN(k schema.Kind) bool {
	return k >= schema.Bool && k <= schema.Time || k == kindTenant
}

// attempts is how often a write is tried that lost against another one.
const attempts = 8

// textWrite is a statement that adds a document to a text index or removes one.
type textWrite struct {
	fts, sql string
	args     []schema.Value
}

// groupSize is how many waiting writes share one transaction, and so one wait for the disk, and groupTime how long they may take until
// no more are let in.
const (
	groupSize = 64
	groupTime = 50 * time.Millisecond
)

// notices are what an engine tells other servers of, and whom it tells what they say.
type notices interface {
	// beginTelling has what changes noted for other servers: the channel gets an item while there is something to tell. endTelling
	// ends it.
	beginTelling() <-chan struct{}
	endTelling()
	// take gives the businesses that others are to be told of.
	take() []schema.UUID
	// heard notifies of a change that another server made, and everybody notifies all.
	heard(business schema.UUID)
	everybody()
	// hearing tells whether what other servers tell is heard.
	hearing(yes bool)
}

// lookBeside is how often the newest numbers are looked at where servers tell each other.
const lookBeside = 5 * time.Second
