package sqlite

import (
	"context"
	"errors"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// Snapshot begins to read on its connections while it holds the lock of those who write, of other processes, too: so all see the same
// state.
func (e *Engine) Snapshot(ctx context.Context, most int, fn func([]engine.Conn) error) error {
	var readers []engine.Conn
	end := func() (err error) {
		for _, c := range readers {
			if reader := c.(*Conn); !reader.c.AutocommitEnabled() {
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
			if err := c.(*Conn).do("BEGIN"); err != nil {
				return err
			}
			if err := c.Query(ctx, "SELECT count(*) FROM sqlite_schema", nil, func(engine.Row) error { return nil }); err != nil {
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
			err = e.Write(ctx, engine.Share{}, func(engine.Conn) error { return begin() })
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
		return e.Read(ctx, engine.Share{}, func(c engine.Conn) error {
			readers = append(readers, c)
			return take()
		})
	}
	return take()
}

// Inspect has SQLite look through its file: whether pages and indexes are whole, and the text indexes in themselves.
func (e *Engine) Inspect(ctx context.Context, c engine.Conn, found func(what string)) error {
	return c.Query(ctx, "PRAGMA integrity_check(100)", nil, func(r engine.Row) error {
		if says := r.Value(0, schema.Text).S; says != "ok" {
			found(says)
		}
		return nil
	})
}
