package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// Writes of a business take turns, so each would wait for the disk alone while the others wait for it. Instead those that have come in the
// meantime share a transaction, as all writes do in SQLite: they run one after the other, each sees what those before it did, and none is
// answered before the commit of all is on disk.

// groups are the writes that wait for the turn of their business. A business has an entry while somebody runs its writes.
type groups struct {
	mu      sync.Mutex
	waiting map[schema.UUID][]job
}

// put adds a write, and tells whether somebody is to run the writes of its business.
func (g *groups) put(j job) (lead bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.waiting == nil {
		g.waiting = map[schema.UUID][]job{}
	}
	queue, led := g.waiting[j.Business]
	g.waiting[j.Business] = append(queue, j)
	return !led
}

// next takes the write that has waited the longest. Where there is none and last is set, nobody runs the writes of the business any more.
func (g *groups) next(business schema.UUID, last bool) (j job, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	queue := g.waiting[business]
	switch {
	case len(queue) > 0:
		j, ok = queue[0], true
		g.waiting[business] = queue[1:]
	case last:
		delete(g.waiting, business)
	}
	return j, ok
}

// leave takes a write out that nobody waits for any more.
func (g *groups) leave(j job) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if queue, led := g.waiting[j.Business]; led {
		g.waiting[j.Business] = slices.DeleteFunc(queue, func(other job) bool { return other.done == j.done })
	}
}

// waitingNow takes all writes of a business that wait.
func (g *groups) waitingNow(business schema.UUID) []job {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := g.waiting[business]
	if all != nil {
		g.waiting[business] = []job{}
	}
	return all
}

func (e *Engine) WriteLocked(ctx context.Context, whose engine.Share, fn func(engine.Conn) error) error {
	j := newJob(ctx, whose, fn)
	if e.groups.put(j) {
		go e.lead(whose.Business)
	}
	return e.attend(j)
}

// lead runs the writes of a business, group by group, until none waits.
func (e *Engine) lead(business schema.UUID) {
	for {
		first, ok := e.groups.next(business, true)
		if !ok {
			return
		}
		give, err := e.takePlaces(first.ctx, business)
		if err != nil {
			first.done <- err
			continue
		}
		e.writeGroup(first)
		give()
	}
}

// writeGroup runs one transaction. When a write has failed in the middle, or the database did not take them all, each runs once
// more, alone: the others are not to blame. Nearly all writes that fail do so before they have changed anything.
func (e *Engine) writeGroup(first job) {
	var group []job
	var results []error
	undone, had := false, false
	err := e.on(first.ctx, requestConns, func(pooled *pgx.Conn) (err error) {
		had = true
		c := newPostgresConn(first.ctx, pooled)
		defer c.rollback()
		c.begin()
		begin := time.Now()
		for j, ok := first, true; ok; j, ok = e.groups.next(first.Business, false) {
			if !j.step(jobWaits, jobRuns) {
				continue
			}
			c.wrote = false
			failed := j.protected(c)
			group, results = append(group, j), append(results, failed)
			if failed != nil && pooled.IsClosed() {
				// those before it were not committed, and to try them one by one would take as long for each
				return fmt.Errorf("%w: %w", ErrLost, failed)
			}
			if failed != nil && (c.wrote || c.broken()) {
				undone = true
				return nil
			}
			if len(group) == engine.GroupSize || time.Since(begin) > engine.GroupTime {
				break
			}
		}
		return e.commit(c, group...)
	})
	if !had { // there was no connection to be had, and there is none for the others who wait for their turn
		first.done <- err
		if first.ctx.Err() == nil {
			for _, j := range e.groups.waitingNow(first.Business) {
				j.done <- err
			}
		}
		return
	}
	e.counts.Wrote(len(group))
	for i, j := range group {
		failed := results[i]
		switch {
		case undone && len(group) == 1 && !worthAnotherTry(failed):
		case undone && failed == nil, undone && !tooLate(j, failed), Refused(err):
			if j.at() == jobEnds && !j.step(jobEnds, jobRuns) {
				break // nobody waits for it any more
			}
			failed = j.alone(e)
		case failed == nil:
			failed = err
		}
		j.done <- failed
	}
}

// Refused tells that the database has undone a transaction because of one of its statements. After other failures, such as a lost
// connection, nobody knows what became of it; nor where a coordinator has lost the machine that was to commit.
func Refused(err error) bool {
	var reported *pgconn.PgError
	return errors.As(err, &reported) && reported.SeverityUnlocalized == "ERROR" &&
		!lostWithin(reported) && !strings.HasPrefix(reported.Code, "08")
}

// tooLate tells that a write failed because its time was over, or nobody waits for it any more.
func tooLate(j job, failed error) bool {
	p := problem.As(failed)
	return j.ctx.Err() != nil || p != nil && p.Code == problem.Timeout
}
