// Package watch is the benchmark's look at the store: it notes what the store reads with, and runs it again without the store.
package watch

import (
	"context"
	"slices"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// Ran is one statement with its arguments, as the store ran it.
type Ran struct {
	SQL  string
	Args []schema.Value
	// Rows are the rows that were looked at, each with the columns that were read of it, up to the last of them.
	Rows [][]schema.Value
	// Stopped tells that the rows behind these were not wanted.
	Stopped bool
	way     room.Way
}

// Begin lets a store note what it reads under the contexts that Noting gives. It is to be called before the store is in use.
func Begin(s *store.Store) {
	s.Watch(func(ctx context.Context) room.Watcher {
		seen, ok := ctx.Value(noting{}).(*[]Ran)
		if !ok {
			return nil
		}
		return func(r room.Ran, each func(room.Row) error) func(room.Row) error { return note(seen, r, each) }
	})
}

type noting struct{}

// Noting gives a context under which a watched store adds every statement that it reads with to seen. It is for one goroutine.
func Noting(ctx context.Context, seen *[]Ran) context.Context {
	return context.WithValue(ctx, noting{}, seen)
}

// Row is a row of a statement that is run again.
type Row = room.Row

// Read runs statements on one reading connection, and hands each row to each until it wants no more of the statement. It is the floor that
// benchmarks compare with: the driver, and nothing of ours.
func Read(ctx context.Context, s *store.Store, statements []Ran, each func(statement int, r Row) (more bool)) error {
	again := make([]room.Ran, len(statements))
	for i, ran := range statements {
		again[i] = room.Ran{SQL: ran.SQL, Args: ran.Args, Way: ran.way}
	}
	return s.Read(ctx, again, each)
}

// note notes a statement, and its rows as they are read. Those of one that goes along with the next may come when that is noted already.
func note(seen *[]Ran, r room.Ran, each func(room.Row) error) func(room.Row) error {
	at := len(*seen)
	*seen = append(*seen, Ran{SQL: r.SQL, Args: slices.Clone(r.Args), way: r.Way})
	return func(r room.Row) error {
		noted := &notedRow{Row: r}
		err := each(noted)
		ran := &(*seen)[at]
		ran.Rows, ran.Stopped = append(ran.Rows, noted.values), err != nil
		return err
	}
}

// notedRow remembers what is read of a row.
type notedRow struct {
	room.Row
	values []schema.Value
}

func (n *notedRow) Value(column int, k schema.Kind) schema.Value {
	v := n.Row.Value(column, k)
	if missing := column + 1 - len(n.values); missing > 0 {
		n.values = append(n.values, make([]schema.Value, missing)...)
	}
	n.values[column] = v
	return v
}
