package store

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"kith/internal/problem"
)

// A client of PostgreSQL cannot weigh what its statements cost: the work is done by the server's processes. But the server tells which of them
// wait and for what, and those that wait for nothing keep a processor busy. So what takes long is looked at again and again, and the part of the
// looks that found it busy is the part of its time that it worked.

// limited is the context of a request that has a limit of time and one of work. It is handed to the connections as it is.
type limited struct {
	context.Context
	stop  context.CancelCauseFunc
	limit time.Duration
	began time.Time
	// backend is the process of the server that runs its statements; 0 is none yet.
	backend atomic.Uint32
	// long fires when the request has taken long enough to be looked at, and over when its time is; ended tells that it needs neither any more.
	long, over *time.Timer
	ended      bool
	// looks is how often it was looked at, and busy how often it was at work.
	looks, busy float64
}

const (
	// looksBegin is after what part of its time a request is looked at: when it could have done half of the work that it may.
	looksBegin = 2 * workShare
	// looksInAll is how many looks a request gets in all of its time, and enoughLooks how many are needed to judge.
	looksInAll  = 10 * workShare
	enoughLooks = 5
	// supposedProcessors is how many processors a server has at least. Where more processes than that could work at the same time, each is
	// taken to have had its share of so many: on a crowded server the limit of time stops what takes long, and not the one of work.
	supposedProcessors = 2
)

// meter looks at the requests that take long. While there are none it does nothing.
type meter struct {
	// ask runs something on a connection for credentials.
	ask  func(ctx context.Context, keeper bool, fn func(*pgx.Conn) error) error
	mu   sync.Mutex
	long map[*limited]bool
}

// within runs fn with a context that ends when the share's limit of time or of work is reached, and tells whether that was why it failed.
func (m *meter) within(ctx context.Context, whose share, fn func(context.Context) error) error {
	under := ctx
	if whose.limit > 0 {
		l := &limited{limit: whose.limit, began: time.Now()}
		l.Context, l.stop = context.WithCancelCause(ctx)
		l.long = time.AfterFunc(l.limit/looksBegin, func() { m.add(l) })
		defer m.end(l)
		under = l
	}
	err := fn(under)
	switch {
	case err == nil || problem.As(err) != nil:
		return err
	case ctx.Err() != nil && !errors.Is(err, errUnsettled):
		return ctx.Err()
	case errors.Is(err, errUnsettled) || errors.Is(err, errLost): // it is not the time that it took
		return err
	case reports(err, lockTimedOut):
		return errWaited
	case under.Err() != nil:
		return context.Cause(under)
	}
	return err
}

func (m *meter) end(l *limited) {
	if !l.long.Stop() {
		m.mu.Lock()
		l.ended = true
		delete(m.long, l)
		if l.over != nil {
			l.over.Stop()
		}
		m.mu.Unlock()
	}
	l.stop(nil)
}

// add has a request looked at until it ends.
func (m *meter) add(l *limited) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if l.ended {
		return
	}
	l.over = time.AfterFunc(time.Until(l.began.Add(l.limit)), func() { l.stop(errTook(l.limit.String())) })
	if len(m.long) == 0 {
		m.long = map[*limited]bool{}
		go m.run(m.long, l.limit/looksInAll)
	}
	m.long[l] = true
}

// run looks at the requests in long, which others may join, until there are none.
func (m *meter) run(long map[*limited]bool, pause time.Duration) {
	for {
		busy, err := m.busy(pause)
		m.mu.Lock()
		if len(long) == 0 { // whoever comes next starts anew
			m.mu.Unlock()
			return
		}
		for l := range long {
			if err == nil { // otherwise its time ends all the same
				l.look(busy)
			}
		}
		m.mu.Unlock()
		time.Sleep(pause)
	}
}

// look counts what a request does at the moment, and stops it when it has done too much.
func (l *limited) look(busy map[uint32]bool) {
	l.looks++
	if busy[l.backend.Load()] {
		l.busy += min(1, supposedProcessors/float64(len(busy)))
	}
	worked := time.Duration(float64(time.Since(l.began)) * l.busy / l.looks)
	if l.looks >= enoughLooks && worked > l.limit/workShare {
		l.stop(errWorked(l.limit))
	}
}

// busy gives the processes of the server that wait for nothing.
func (m *meter) busy(atMost time.Duration) (map[uint32]bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), max(atMost, time.Second))
	defer cancel()
	const sql = `SELECT pid FROM pg_stat_activity
WHERE state = 'active' AND wait_event IS NULL AND backend_type = 'client backend' AND pid <> pg_backend_pid()`
	busy := map[uint32]bool{}
	err := m.ask(ctx, true, func(c *pgx.Conn) error {
		rows, err := c.Query(ctx, sql)
		if err != nil {
			return err
		}
		pids, err := pgx.CollectRows(rows, pgx.RowTo[int32])
		for _, pid := range pids {
			busy[uint32(pid)] = true
		}
		return err
	})
	return busy, err
}
