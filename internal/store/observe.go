package store

import (
	"context"
	"time"
)

// Observer is told when something begins in the database, and gives a function to be told when it has ended: how long it waited for
// its turn, and with which error.
type Observer func(ctx context.Context, what string) (within context.Context, ended func(waited time.Duration, err error))

// Observe has an observer told of every read and write. It is to be called before the store is in use.
func (s *Store) Observe(o Observer) { s.engine = observed{s.engine, o} }

type observed struct {
	engine
	observer Observer
}

func (o observed) read(ctx context.Context, whose share, fn func(conn) error) error {
	what := "read"
	if whose.credentials {
		what = "read credentials"
	}
	return o.run(ctx, what, fn, func(ctx context.Context, fn func(conn) error) error { return o.engine.read(ctx, whose, fn) })
}

func (o observed) write(ctx context.Context, whose share, fn func(conn) error) error {
	return o.run(ctx, "write", fn, func(ctx context.Context, fn func(conn) error) error { return o.engine.write(ctx, whose, fn) })
}

func (o observed) writeLocked(ctx context.Context, whose share, fn func(conn) error) error {
	return o.run(ctx, "write", fn, func(ctx context.Context, fn func(conn) error) error { return o.engine.writeLocked(ctx, whose, fn) })
}

func (o observed) rehearse(ctx context.Context, whose share, fn func(conn) error) error {
	return o.run(ctx, "rehearse", fn, func(ctx context.Context, fn func(conn) error) error { return o.engine.rehearse(ctx, whose, fn) })
}

func (o observed) run(ctx context.Context, what string, fn func(conn) error, do func(context.Context, func(conn) error) error) error {
	begin, waited := time.Now(), time.Duration(-1)
	ctx, ended := o.observer(ctx, what)
	err := do(ctx, func(c conn) error {
		if waited < 0 { // it may run again
			waited = time.Since(begin)
		}
		return fn(c)
	})
	if waited < 0 {
		waited = time.Since(begin)
	}
	ended(waited, err)
	return err
}

// Uses counts how often anybody has read or written anything of a business here: whoever works in the background tells by it
// whether others are there.
func (s *Store) Uses() int64 { return s.uses.Load() }
