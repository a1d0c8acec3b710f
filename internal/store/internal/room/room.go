// Package room is what the rooms of the store write SQL with: the packages below it that keep what is no record, or look at how it works.
// It is internal to the store, so nobody else can run a statement.
package room

import "github.com/kith-crm/kith/internal/schema"

// Statement is SQL for either engine, with its arguments. In its text ? stands for the next argument, {business} for the business that the
// statement is held to, {among x} for the condition that x is one of the values of Among, {contains x} that the text x has
// Needle in it, {indexed x} behind a table for the index by which it is to be read, {weight x} for how many bytes a column has, and {lock}
// behind a SELECT whose rows the transaction is going to change. It may have several lines.
type Statement struct {
	Text string
	Args []schema.Value
	// Among are values of one kind, at least one where the text asks for them.
	Among []schema.Value
	// Needle is not empty where the text asks for it.
	Needle string
	// Way is by which way a query is run.
	Way Way
}

// SQL is a statement.
func SQL(text string, args ...schema.Value) Statement { return Statement{Text: text, Args: args} }

// Rows are what is added to a table of a business. They always have the same columns, business_id before these.
type Rows struct {
	Table   string
	Columns []string
	N       int
	// Fill appends the values of the i-th row to row, in the order of the columns.
	Fill func(i int, row []schema.Value) []schema.Value
}

// Lookup is a SELECT over all businesses, which in a cluster is asked of each machine by itself. In its text ? stands for the next
// argument, and tables stand in braces, so that they can be those of a machine. Its first columns are the id and the key of a business,
// t.id and t.business_id, and the others have these kinds. Order, which may have a limit, names columns by their numbers.
type Lookup struct {
	Text, Order string
	Args        []schema.Value
	Kinds       []schema.Kind
}

// Row reads the columns of a result. What it gives can be kept.
type Row interface {
	Value(column int, k schema.Kind) schema.Value
}

// Kinds of columns that no record field has.
const (
	// Bytes are kept in S.
	Bytes schema.Kind = 200 + iota
	// Business is the value of business_id.
	Business
)

// Way is by which of its ways a connection runs a query.
type Way int

// The ways: as it is, planned for its arguments, or along with the next.
const (
	Query Way = iota
	Weigh
	Ask
)

// Ran is a statement in an engine's own words, as the store ran it.
type Ran struct {
	SQL  string
	Args []schema.Value
	Way  Way
}

// Watcher sees every statement that a store reads with, under the context that it was asked with. It may put a function of its own
// between the rows and who wants them.
type Watcher func(r Ran, each func(Row) error) func(Row) error
