package store

import (
	"context"
	"errors"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// Package watch, which is the benchmark's, notes what the store reads with, and has it run again.

// Watch lets watchers see what the store reads, where watcher gives one for the context of the read. It is to be called before the store
// is in use.
func (s *Store) Watch(watcher func(ctx context.Context) room.Watcher) {
	s.engine = watched{s.engine, watcher}
}

// Read runs statements as they were run before, on one connection, and hands the rows of each to what each gives for it.
func (s *Store) Read(ctx context.Context, statements []room.Ran, each func(statement int, r room.Row) (more bool)) error {
	return s.engine.Read(ctx, engine.Share{}, func(c engine.Conn) error {
		for i, ran := range statements {
			err := runWays[ran.Way](c, ctx, ran.SQL, ran.Args, func(r engine.Row) error {
				if !each(i, r) {
					return engine.ErrFull
				}
				return nil
			})
			if err != nil && !errors.Is(err, engine.ErrFull) {
				return err
			}
		}
		return nil
	})
}

type watched struct {
	engine.Engine
	watcher func(ctx context.Context) room.Watcher
}

func (w watched) Read(ctx context.Context, whose engine.Share, fn func(engine.Conn) error) error {
	watch := w.watcher(ctx)
	if watch == nil {
		return w.Engine.Read(ctx, whose, fn)
	}
	return w.Engine.Read(ctx, whose, func(c engine.Conn) error { return fn(watchedConn{c, watch}) })
}

type watchedConn struct {
	engine.Conn
	watch room.Watcher
}

func (w watchedConn) Query(ctx context.Context, sql string, args []schema.Value, each func(engine.Row) error) error {
	return w.Conn.Query(ctx, sql, args, w.watch(room.Ran{SQL: sql, Args: args, Way: room.Query}, each))
}

func (w watchedConn) Weigh(ctx context.Context, sql string, args []schema.Value, each func(engine.Row) error) error {
	return w.Conn.Weigh(ctx, sql, args, w.watch(room.Ran{SQL: sql, Args: args, Way: room.Weigh}, each))
}

func (w watchedConn) Ask(ctx context.Context, sql string, args []schema.Value, each func(engine.Row) error) error {
	return w.Conn.Ask(ctx, sql, args, w.watch(room.Ran{SQL: sql, Args: args, Way: room.Ask}, each))
}
