package store

import (
	"context"
	"time"

	"github.com/kith-crm/kith/internal/store/engine"
)

// Observer is told when something begins in the database, and gives a function to be told when it has ended: how long it waited for
// its turn, and with which error.
type Observer func(ctx context.Context, what string) (within context.Context, ended func(waited time.Duration, err error))

// Observe has an observer told of every read and write. It is to be called before the store is in use.
func (s *Store) Observe(o Observer) { s.engine = observed{s.engine, o} }

type observed struct {
	engine.Engine
	observer Observer
}

func (o observed) Read(ctx context.Context, whose engine.Share, fn func(engine.Conn) error) error {
	what := "read"
	if whose.Credentials {
		what = "read credentials"
	}
	return o.run(ctx, what, o.Engine.Read, whose, fn)
}

func (o observed) Write(ctx context.Context, whose engine.Share, fn func(engine.Conn) error) error {
	return o.run(ctx, "write", o.Engine.Write, whose, fn)
}

func (o observed) WriteLocked(ctx context.Context, whose engine.Share, fn func(engine.Conn) error) error {
	return o.run(ctx, "write", o.Engine.WriteLocked, whose, fn)
}

func (o observed) Rehearse(ctx context.Context, whose engine.Share, fn func(engine.Conn) error) error {
	return o.run(ctx, "rehearse", o.Engine.Rehearse, whose, fn)
}

func (o observed) run(ctx context.Context, what string, do engineMethod, whose engine.Share, fn func(engine.Conn) error) error {
	begin, waited := time.Now(), time.Duration(-1)
	ctx, ended := o.observer(ctx, what)
	err := do(ctx, whose, func(c engine.Conn) error {
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
