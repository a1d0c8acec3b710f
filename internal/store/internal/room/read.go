package room

import (
	"time"

	"github.com/kith-crm/kith/internal/schema"
)

// Reader reads with a statement, and hands its rows on: in a transaction, or outside of one.
type Reader func(st Statement, each func(Row) error) error

// All is what every row of a query says.
func All[T any](query Reader, st Statement, scan func(Row) T) (all []T, err error) {
	err = query(st, func(r Row) error {
		all = append(all, scan(r))
		return nil
	})
	return all, err
}

// Find is what the one row of a query says, or nil.
func Find[T any](query Reader, st Statement, scan func(Row) T) (found *T, err error) {
	err = query(st, func(r Row) error {
		found = new(scan(r))
		return nil
	})
	return found, err
}

// One is what the one row of a query says, or the zero value.
func One[T any](query Reader, st Statement, scan func(Row) T) (one T, err error) {
	found, err := Find(query, st, scan)
	if found != nil {
		one = *found
	}
	return one, err
}

// Columns are the readers of a row's texts, ids, whole numbers and times, each by the place of its column.
func Columns(r Row) (text func(int) string, id func(int) schema.UUID, number func(int) int64, at func(int) time.Time) {
	return func(i int) string { return TextAt(r, i) }, func(i int) schema.UUID { return IDAt(r, i) },
		func(i int) int64 { return IntAt(r, i) }, func(i int) time.Time { return TimeAt(r, i) }
}

// FirstID and FirstInt read the first column.
func FirstID(r Row) schema.UUID { return IDAt(r, 0) }
func FirstInt(r Row) int64      { return IntAt(r, 0) }
