package store

import (
	"context"
	"errors"

	"kith/internal/schema"
)

// Ran is one statement with its arguments, as the store ran it.
type Ran struct {
	SQL  string
	Args []schema.Value
}

// Watch shows every statement that the store runs from now on to see. It is to be called before the store is in use.
func (s *Store) Watch(see func(Ran)) { s.engine = watched{s.engine, see} }

// LeaveUntidy leaves the tidying of SQLite's text indexes to the other process that writes to the file: two that do it get in each other's way.
func (s *Store) LeaveUntidy() {
	if e, ok := s.engine.(*sqliteEngine); ok {
		e.untidy.Store(true)
	}
}

// Read runs statements that were seen before on one reading connection, and hands each row's values to each, until it wants no more; kinds tells how to
// read the columns of each statement. It is the floor that benchmarks compare with: the driver, and nothing of ours.
func (s *Store) Read(ctx context.Context, statements []Ran, kinds [][]schema.Kind, each func(statement int, values []schema.Value) (more bool)) error {
	return s.engine.read(ctx, share{}, func(c conn) error {
		for i, st := range statements {
			values := make([]schema.Value, len(kinds[i]))
			err := c.query(ctx, st.SQL, st.Args, func(r row) error {
				for column, kind := range kinds[i] {
					values[column] = r.value(column, kind)
				}
				if !each(i, values) {
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

type watched struct {
	engine
	see func(Ran)
}

func (w watched) read(ctx context.Context, whose share, fn func(conn) error) error {
	return w.engine.read(ctx, whose, func(c conn) error { return fn(watchedConn{c, w.see}) })
}

func (w watched) write(ctx context.Context, whose share, fn func(conn) error) error {
	return w.engine.write(ctx, whose, func(c conn) error { return fn(watchedConn{c, w.see}) })
}

type watchedConn struct {
	conn
	see func(Ran)
}

func (w watchedConn) query(ctx context.Context, sql string, args []schema.Value, each func(row) error) error {
	w.see(Ran{sql, args})
	return w.conn.query(ctx, sql, args, each)
}

func (w watchedConn) exec(ctx context.Context, sql string, args []schema.Value) (int64, error) {
	w.see(Ran{sql, args})
	return w.conn.exec(ctx, sql, args)
}
