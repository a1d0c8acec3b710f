package store

import (
	"context"
	"errors"
	"slices"
	"strings"

	"kith/internal/schema"
)

// Ran is one statement with its arguments, as the store ran it.
type Ran struct {
	SQL  string
	Args []schema.Value
	// Rows are the rows that were looked at, each with the columns that were read of it, up to the last of them.
	Rows [][]schema.Value
	// Stopped tells that the rows behind these were not wanted.
	Stopped bool
	// how is nil for a statement that was not noted.
	how how
}

// how is by which method of a connection a statement was run.
type how func(c conn, ctx context.Context, sql string, args []schema.Value, each func(row) error) error

// Watch lets the store note what it reads under the contexts that Noting gives. It is to be called before the store is in use.
func (s *Store) Watch() { s.engine = watched{s.engine} }

type noting struct{}

// Noting gives a context under which a watched store adds every statement that it reads with to seen. It is for one goroutine.
func Noting(ctx context.Context, seen *[]Ran) context.Context {
	return context.WithValue(ctx, noting{}, seen)
}

// LeaveUntidy leaves the tidying of SQLite's text indexes to the other process that writes to the file: two that do it get in each other's way.
func (s *Store) LeaveUntidy() {
	if e, ok := s.engine.(*sqliteEngine); ok {
		e.untidy.Store(true)
	}
}

// Row is a row of a statement that is run again. Its values are valid until the next one is read.
type Row struct{ r row }

// Value reads a column.
func (r Row) Value(column int, k schema.Kind) schema.Value { return r.r.value(column, k) }

// Read runs statements on one reading connection, and hands each row to each until it wants no more of the statement. It is the floor that
// benchmarks compare with: the driver, and nothing of ours.
func (s *Store) Read(ctx context.Context, statements []Ran, each func(statement int, r Row) (more bool)) error {
	return s.engine.read(ctx, share{}, func(c conn) error {
		for i, st := range statements {
			run := st.how
			if run == nil {
				run = conn.query
			}
			err := run(c, ctx, st.SQL, st.Args, func(r row) error {
				if !each(i, Row{r}) {
					return errFull
				}
				return nil
			})
			if err != nil && !errors.Is(err, errFull) {
				return err
			}
		}
		return nil
	})
}

type watched struct{ engine }

func (w watched) read(ctx context.Context, whose share, fn func(conn) error) error {
	seen, ok := ctx.Value(noting{}).(*[]Ran)
	if !ok {
		return w.engine.read(ctx, whose, fn)
	}
	return w.engine.read(ctx, whose, func(c conn) error { return fn(watchedConn{c, seen}) })
}

type watchedConn struct {
	conn
	seen *[]Ran
}

func (w watchedConn) query(ctx context.Context, sql string, args []schema.Value, each func(row) error) error {
	return w.note(conn.query, ctx, sql, args, each)
}

func (w watchedConn) weigh(ctx context.Context, sql string, args []schema.Value, each func(row) error) error {
	return w.note(conn.weigh, ctx, sql, args, each)
}

func (w watchedConn) ask(ctx context.Context, sql string, args []schema.Value, each func(row) error) error {
	return w.note(conn.ask, ctx, sql, args, each)
}

// note runs a statement and notes it. The rows of an ask may come when the next statement is noted already.
func (w watchedConn) note(run how, ctx context.Context, sql string, args []schema.Value, each func(row) error) error {
	at := len(*w.seen)
	*w.seen = append(*w.seen, Ran{SQL: sql, Args: slices.Clone(args), how: run})
	return run(w.conn, ctx, sql, args, func(r row) error {
		noted := &notedRow{row: r}
		err := each(noted)
		ran := &(*w.seen)[at]
		ran.Rows, ran.Stopped = append(ran.Rows, noted.values), err != nil
		return err
	})
}

// notedRow remembers what is read of a row.
type notedRow struct {
	row
	values []schema.Value
}

func (n *notedRow) value(column int, k schema.Kind) schema.Value {
	v := n.row.value(column, k)
	if missing := column + 1 - len(n.values); missing > 0 {
		n.values = append(n.values, make([]schema.Value, missing)...)
	}
	n.values[column] = v
	n.values[column].S = strings.Clone(v.S)
	return v
}
