package store

import (
	"context"
	"errors"

	"github.com/kith-crm/kith/internal/schema"
)

// snapshot begins to read on its connections while it holds the lock of those who write, of other processes, too: so all see the same
// state.
func (e *sqliteEngine) snapshot(ctx context.Context, most int, fn func([]conn) error) error {
	var readers []conn
	end := func() (err error) {
		for _, c := range readers {
			if reader := c.(*sqliteConn); !reader.c.AutocommitEnabled() {
				err = errors.Join(err, reader.do("ROLLBACK"))
			}
		}
		return err
	}
	begin := func() error {
		// A write runs again where another one failed that shared its transaction.
		if err := end(); err != nil {
			return err
		}
		for _, c := range readers {
			if err := c.(*sqliteConn).do("BEGIN"); err != nil {
				return err
			}
			if err := c.query(ctx, "SELECT count(*) FROM sqlite_schema", nil, func(row) error { return nil }); err != nil {
				return err
			}
		}
		return nil
	}
	run := func() (err error) {
		defer func() {
			if ended := end(); err == nil {
				err = ended
			}
		}()
		if len(readers) == 1 {
			err = begin()
		} else {
			err = e.write(ctx, share{}, func(conn) error { return begin() })
		}
		if err != nil {
			return err
		}
		return fn(readers)
	}
	var take func() error
	take = func() error {
		if len(readers) == min(max(1, most), cap(e.readers)-1) { // the last one is for others
			return run()
		}
		return e.read(ctx, share{}, func(c conn) error {
			readers = append(readers, c)
			return take()
		})
	}
	return take()
}

// inspect has SQLite look through its file: whether pages and indexes are whole, and the text indexes in themselves.
func (e *sqliteEngine) inspect(ctx context.Context, c conn, found func(what string)) error {
	return c.query(ctx, "PRAGMA integrity_check(100)", nil, func(r row) error {
		if says := r.Value(0, schema.Text).S; says != "ok" {
			found(says)
		}
		return nil
	})
}
