package store

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// A write can wait for what its own time does not count: for the turn of its business, and for the end of its transaction, which
// waits for a disk or a standby. Whoever asked for it waits for neither longer than this says, and is told what is known.

// commitTime is how long the end of a transaction may take until nobody waits for it any more.
const commitTime = 5 * time.Second

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

func newJob(ctx context.Context, whose share, fn func(conn) error) job {
	return job{share: whose, ctx: ctx, fn: fn, done: make(chan error, 1), since: time.Now(), progress: &progress{}}
}

// step goes from one to another, unless whoever waited has left.
func (j job) step(from, to int32) bool {
	j.progress.since.Store(time.Now().UnixNano())
	return j.progress.at.CompareAndSwap(from, to)
}

func (j job) at() int32 { return j.progress.at.Load() }

// attend waits for a write, for as long as it makes sense. What the operator does is waited for in any case.
func (e *postgresEngine) attend(j job) error {
	if j.limit == 0 {
		return <-j.done
	}
	look := time.NewTicker(time.Second)
	defer look.Stop()
	for {
		select {
		case err := <-j.done:
			return err
		case <-look.C:
			if err := e.overdue(j); err != nil {
				return err
			}
		}
	}
}

// overdue leaves a write that makes no progress, and tells why.
func (e *postgresEngine) overdue(j job) error {
	switch j.at() {
	case jobWaits:
		stuck := e.stuck.Load()
		why := error(errWaited)
		switch waited := time.Since(j.since); {
		case stuck > 0 && waited > commitTime:
			why = fmt.Errorf("%w: %d transactions before this one do not come to their end", errDown, stuck)
		case waited <= longestWait:
			return nil
		}
		if j.step(jobWaits, jobLeft) {
			e.groups.leave(j)
			return why
		}
	case jobEnds:
		if time.Since(time.Unix(0, j.progress.since.Load())) > commitTime && j.step(jobEnds, jobLeft) {
			return fmt.Errorf("%w: no answer within %v; does a synchronous standby answer?", errUnsettled, commitTime)
		}
	}
	return nil
}
