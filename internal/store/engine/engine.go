// Package engine is what the store asks of a database, and what both of those that answer need: turns between businesses, the arguments
// of a statement, descriptions of tables, figures of how it runs.
package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// Engine is a database behind the store: SQLite or PostgreSQL. All SQL is written once, in package store;
// an engine runs it and gives the few words in which its dialect differs.
type Engine interface {
	// Read runs fn on a connection that only reads, when it is the turn of whose share it is. It ends when ctx does, or the share's
	// limit is over.
	Read(ctx context.Context, whose Share, fn func(Conn) error) error
	// Write runs fn in a transaction that is on disk when write returns nil, and undone when it returns an error. It may run fn
	// again after a conflict with another writer, so fn must not change anything but the database.
	Write(ctx context.Context, whose Share, fn func(Conn) error) error
	// WriteLocked is a write that changes records of the share's business. Such writes run one after the other, and may share a
	// transaction.
	WriteLocked(ctx context.Context, whose Share, fn func(Conn) error) error
	// Rehearse is a write that changes records of the share's business and always returns an error, so that it is undone. Others do
	// not suffer from it.
	Rehearse(ctx context.Context, whose Share, fn func(Conn) error) error
	// PerMachine gives a lookup as it is asked of each machine of a cluster; elsewhere there are none.
	PerMachine(l Lookup) []MachineLookup
	// Snapshot runs fn on connections that all see one state of the database, whatever is written meanwhile: on most of them, or
	// fewer, and at least one. In a cluster that holds for each machine by itself, and so for what belongs to one business.
	Snapshot(ctx context.Context, most int, fn func([]Conn) error) error
	// Inspect holds the database to its own rules, and tells what is wrong with it.
	Inspect(ctx context.Context, c Conn, found func(what string)) error
	// Ping tells whether the database answers. It waits for nobody: there is a connection for it alone.
	Ping(ctx context.Context) error
	// Ill tells that an error is the database's own: it cannot be reached, or cannot work. See classed.
	Ill(err error) bool
	// Corrupt tells whether an error says that the database is damaged: no other try helps.
	Corrupt(err error) bool
	// Migrate runs fn in a transaction that no other migration runs beside; run executes a script of several statements in it.
	Migrate(ctx context.Context, fn func(c Conn, run func(script string) error) error) error
	// Tidy does at once what the database would do by itself in the time after a large load.
	Tidy(ctx context.Context) error
	// Measure has it learn how full its tables are, where it plans by that and they have outgrown what it knows.
	Measure(ctx context.Context) error
	// Scrub writes the database anew, so that its files have nothing of what is no longer in it.
	Scrub(ctx context.Context) error
	// Writable tells why nothing could be written, or nothing; it waits for no turn.
	Writable(ctx context.Context, c Conn) error
	// Gauges are figures of how it runs.
	Gauges() []Gauge
	// Remarks are what the operator should know of how it runs.
	Remarks() []string
	// LeaveUntidy leaves to another process what this one would tidy by itself.
	LeaveUntidy()
	// Partition follows the name of a spread table in statements about a business that are better put to the partition of it in which the
	// business lies; it is empty where they are not. A connection asks for it before anything else.
	Partition(ctx context.Context, c Conn, business schema.UUID) (string, error)
	// Unplaced gives the tables that should lie on several machines and do not yet; place puts them there, and distribute does so
	// where the database was that of one machine until now.
	Unplaced(ctx context.Context, c Conn, all []Table) ([]Table, error)
	Place(ctx context.Context, c Conn, all []Table) error
	Distribute(ctx context.Context, c Conn, all []Table) error
	// Scattered tells that businesses lie on several machines. Then only a statement that is held to a business goes to one of them.
	Scattered() bool
	// NotifyOthers tells other servers on the database whose business this one changed, and hears it of them, until ctx ends; it ends at
	// once where there can be no others.
	NotifyOthers(ctx context.Context, n Notices)
	// Server is who this process is among the servers on the database, and tells whether others can know that it is there; servers are
	// those that are.
	Server() (ServerID, bool)
	Servers(ctx context.Context) (Servers, error)
	Close() error
	Dialect
}

// Dialect is where the engines' SQL differs, and what they do differently because of it. Nobody outside of an engine's own files
// asks which engine it is: where the engines differ, there is a method here that says in what.
type Dialect interface {
	// Name is that of the engine, for people, and of the folder with its migrations.
	Name() string
	// Mark is the placeholder of the n-th argument, counted from 1.
	Mark(n int) string
	// TenantMark is the placeholder of the tenant argument.
	TenantMark(n int) string
	// Contains is a condition that a text column has a needle in it.
	Contains(a *Arguments, column, needle string) string
	// Member is the value of a member of a document column, absent where it has none. See layout/document.go for how it is kept.
	Member(document, name string, k schema.Kind) string
	// Among is a condition that x is one of the values, of which there is at least one and which are all of one kind.
	Among(a *Arguments, x string, values []schema.Value) string
	// HasItem is a condition that the key of a list of texts has one of the items in it.
	HasItem(a *Arguments, key string, items []string) string
	// StartsUpTo counts the starts of periods up to a time or date, which is absent where that is.
	StartsUpTo(a *Arguments, x string, periods *query.Periods) string
	// LiveByID is the condition that a record which is found by its id is live, so put that no index of the live ones is taken for
	// it. A planner without statistics believes that few records are live, and would rather read all of a business's in such an
	// index than go by the id.
	LiveByID(alias string) string
	// Weight is how many bytes of text the value of a column has.
	Weight(column string) string
	// Lock follows a SELECT whose rows the transaction is going to change.
	Lock() string
	// IndexedBy follows a table that is to be read by an index, where the engine does not choose better by itself.
	IndexedBy(index string) string
	// RowNumber is the number by which a row of a table lies, as it follows from the marks of its first values, or nothing where
	// the engine gives it one.
	RowNumber(table string, marks []string) string
	// TenantKey is the value of business_id columns for a business.
	TenantKey(id schema.UUID, number int64) schema.Value
	// NewTenantKey is the same for a business that is being made.
	NewTenantKey(ctx context.Context, c Conn, id schema.UUID) (schema.Value, error)
	// BusinessOf is the business of a tenant key, where that tells it.
	BusinessOf(key schema.Value) (id schema.UUID, told bool)
	// BusinessBy is the column of business by which its id is looked up.
	BusinessBy() string
	// Private tells that a row of a table is the engine's own, see table.own.
	Private(table string, values []schema.Value) bool
	// Overflowed tells that a statement failed because a sum passed 64 bits.
	Overflowed(err error) bool
	Layout
}

// Conn runs statements. A row is valid until the next one is read; its values can be kept.
type Conn interface {
	Query(ctx context.Context, sql string, args []schema.Value, each func(Row) error) error
	// Weigh is a query whose best way depends on the values that it is asked with, so that planning it each time is worth its while.
	Weigh(ctx context.Context, sql string, args []schema.Value, each func(Row) error) error
	// Ask is a query that need not be answered before the next statement is known. It may go to the server together with that one, and is
	// answered before it.
	Ask(ctx context.Context, sql string, args []schema.Value, each func(Row) error) error
	// Change changes one row, no more and no fewer. Like an ask it may be sent, and fail, with the next statement or the end of the
	// transaction.
	Change(ctx context.Context, sql string, args []schema.Value) error
	Exec(ctx context.Context, sql string, args []schema.Value) (affected int64, err error)
	// Savepoint runs fn, and tells whether it may have changed something. With undo, what fn did is undone alone where it fails.
	Savepoint(ctx context.Context, undo bool, fn func() error) (wrote bool, err error)
	// Insert adds rows to a table, by the best way for so many.
	Insert(ctx context.Context, rows Rows) error
	// Wipe has what the rest of the transaction deletes overwritten, where the database does not make room for others of it by itself.
	Wipe(ctx context.Context) error
	// Index tells a text index of a document, at the end of the transaction. It is for indexes that the database does not keep by itself.
	Index(ctx context.Context, w TextWrite) error
}

// Question is a method of a connection by which it is asked.
type Question func(ctx context.Context, sql string, args []schema.Value, each func(Row) error) error

// Rows are what is added to a table.
type Rows struct {
	Table   string
	Columns []string
	// SQL adds one row.
	SQL string
	N   int
	// At gives the values of the i-th row, which are valid until it is asked for the next.
	At func(i int) []schema.Value
}

// Each adds the rows one by one.
func (r Rows) Each(ctx context.Context, c Conn) error {
	for i := range r.N {
		if err := c.Change(ctx, r.SQL, r.At(i)); err != nil {
			return err
		}
	}
	return nil
}

// Row reads the columns of a result.
type Row = room.Row

// Kinds of columns that no record field has.
const (
	KindBytes  = room.Bytes
	KindTenant = room.Business
)

// CountsInN tells whether a kind keeps its value in N.
func CountsInN(k schema.Kind) bool {
	return k >= schema.Bool && k <= schema.Time || k == KindTenant
}

// Attempts is how often a write is tried that lost against another one.
const Attempts = 8

// TextWrite is a statement that adds a document to a text index or removes one.
type TextWrite struct {
	FTS, SQL string
	Args     []schema.Value
}

// groupSize is how many waiting writes share one transaction, and so one wait for the disk, and groupTime how long they may take until
// no more are let in. That makes creates 2.8 times as fast on SQLite and 2.3 times on PostgreSQL.
const (
	GroupSize = 64
	GroupTime = 50 * time.Millisecond
)

// Notices are what an engine tells other servers of, and whom it tells what they say.
type Notices interface {
	// BeginTelling has what changes noted for other servers: the channel gets an item while there is something to tell. endTelling
	// ends it.
	BeginTelling() <-chan struct{}
	EndTelling()
	// Take gives the businesses that others are to be told of.
	Take() []schema.UUID
	// Heard notifies of a change that another server made, and everybody notifies all.
	Heard(business schema.UUID)
	Everybody()
	// Hearing tells whether what other servers tell is heard.
	Hearing(yes bool)
}

// LookBeside is how often the newest numbers are looked at where servers tell each other.
const LookBeside = 5 * time.Second

// ErrUnsettled is joined to what failed after the end of a transaction was sent: nobody knows what became of it.
var ErrUnsettled = errors.New("it is not known whether the transaction was committed")

// ErrClosed is for who comes after the end.
var ErrClosed = errors.New("the store is closed")

// ErrFull ends a statement whose further rows are not needed.
var ErrFull = errors.New("the page is full")

// ErrNotFound is returned where a business or a record is not there.
var ErrNotFound = errors.New("not found")

// ServerID tells servers on one database from each other.
type ServerID [6]byte

func NewServerID() (id ServerID) {
	rand.Read(id[:])
	return id
}

// Servers are those that are known to be there.
type Servers struct {
	Live map[ServerID]bool
	// Alone tells that there is no other, whatever its version.
	Alone bool
}
