package postgres

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/kith-crm/kith/internal/store/engine"
)

// How far a write has got. While it runs nobody leaves it, because it uses what is the caller's; that has a limit of its own.
const (
	jobWaits int32 = iota
	jobRuns
	jobEnds
	jobLeft
)

// progress is how far a write has got, and since when.
type progress struct {
	at    atomic.Int32
	since atomic.Int64
}

func newJob(ctx context.Context, whose engine.Share, fn func(engine.Conn) error) job {
	return job{Share: whose, ctx: ctx, fn: fn, done: make(chan error, 1), since: time.Now(), progress: &progress{}}
}

// step goes from one to another, unless whoever waited has left.
func (j job) step(from, to int32) bool {
	j.progress.since.Store(time.Now().UnixNano())
	return j.progress.at.CompareAndSwap(from, to)
}

func (j job) at() int32 { return j.progress.at.Load() }

// protected runs a write in a transaction that it shares, and takes a panic for an error.
func (j job) protected(c *Conn) error {
	if j.Limit > 0 && time.Since(j.since) > engine.LongestWait {
		return engine.ErrWaited
	}
	return j.caught(func(ctx context.Context) error {
		c.runUnder(ctx)
		return j.fn(c)
	})
}

// alone runs a write in a transaction of its own.
func (j job) alone(e *Engine) error {
	return j.caught(func(ctx context.Context) error { return e.try(ctx, j) })
}

func (j job) caught(fn func(context.Context) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a write: %v\n%s", p, debug.Stack())
		}
	}()
	if err := j.ctx.Err(); err != nil {
		return err
	}
	return within(j.ctx, j.Share, fn)
}

// job is a write that waits, runs, or ends.
type job struct {
	engine.Share
	ctx  context.Context
	fn   func(engine.Conn) error
	done chan error
	// since is when it came.
	since time.Time
	// progress is how far it has got.
	progress *progress
}
