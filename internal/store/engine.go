package store

import (
	"context"

	"kith/internal/schema"
)

// engine is a database behind the store: SQLite or PostgreSQL. All SQL is written once, in the other files of this package;
// an engine runs it and gives the few words in which its dialect differs.
type engine interface {
	// read runs fn on a connection that only reads, when it is the turn of whose share it is. It ends when ctx does, or the share's limit is over.
	read(ctx context.Context, whose share, fn func(conn) error) error
	// write runs fn in a transaction that is on disk when write returns nil, and undone when it returns an error. It may run fn
	// again after a conflict with another writer, so fn must not change anything but the database.
	write(ctx context.Context, whose share, fn func(conn) error) error
	// writeInTurn is a write that changes records of the share's business. Such writes run one after the other, and may share a transaction.
	writeInTurn(ctx context.Context, whose share, fn func(conn) error) error
	// migrate runs fn in a transaction that no other migration runs beside; run executes a script of several statements in it.
	migrate(ctx context.Context, fn func(c conn, run func(script string) error) error) error
	// tidy does at once what the database would do by itself in the time after a large load.
	tidy(ctx context.Context) error
	close() error
	dialect
}

// dialect is where the engines' SQL differs.
type dialect interface {
	name() string
	// mark is the placeholder of the n-th argument, counted from 1.
	mark(n int) string
	// tenantMark is the placeholder of the tenant argument.
	tenantMark(n int) string
	// contains is a condition that a text column has a needle in it.
	contains(b *builder, column, needle string) string
	// among is a condition that x is one of the values, of which there is at least one and which are all of one kind.
	among(b *builder, x string, values []schema.Value) string
	// hasItem is a condition that the key of a list of texts has one of the items in it.
	hasItem(b *builder, key string, items []string) string
	// lock follows a SELECT whose rows the transaction is going to change.
	lock() string
	// columnType is the declaration of a column.
	columnType(k schema.Kind) string
	// tenantKey is the value of business_id columns for a business.
	tenantKey(id schema.UUID, number int64) schema.Value
	// streams tells that rows are computed one by one as they are read, so that a walk costs only what is read of it.
	streams() bool
	// textIndex finds the live records of the tenant whose search document has all the needles, which have three or more characters, in SQLite
	// exactly three, see chooseNeedles: it gives what to read from, with the record as t, and the conditions.
	textIndex(b *builder, res *schema.Resource, needles []string) (from string, where []string)
}

// conn runs statements. Values of a row are valid until the next one is read.
type conn interface {
	query(ctx context.Context, sql string, args []schema.Value, each func(row) error) error
	// weigh is a query whose best way depends on the values that it is asked with, so that planning it each time is worth its while.
	weigh(ctx context.Context, sql string, args []schema.Value, each func(row) error) error
	// ask is a query that need not be answered before the next statement is known. It may go to the server together with that one, and is
	// answered before it.
	ask(ctx context.Context, sql string, args []schema.Value, each func(row) error) error
	// change changes one row, no more and no fewer. Like an ask it may be sent, and fail, with the next statement or the end of the transaction.
	change(ctx context.Context, sql string, args []schema.Value) error
	exec(ctx context.Context, sql string, args []schema.Value) (affected int64, err error)
}

// row reads the columns of a result.
type row interface {
	value(column int, k schema.Kind) schema.Value
}

// Kinds of columns that no record field has.
const (
	kindBytes schema.Kind = 200 + iota
	kindTenant
)
