package record

import (
	"runtime"
	"sync"
	"time"
)

// What is done for those who listen, by streams and webhooks, gives way to those who ask and write: while others use the database,
// it takes about a tenth of the processors, half of that for each, and what is left to tell stays in the log. See ADR 0069.

const (
	// busyInterval is how often it is looked whether others are there.
	busyInterval = 10 * time.Millisecond
	// listeningPart is the part of the processors that streams have while others are there, and webhooks as well: one of so many.
	listeningPart = 20
	// handCost is what it takes to hand something to a listener of a stream, and handRate how many bytes of it are handed on in a second.
	HandCost = 25 * time.Microsecond
	HandRate = 250 << 20
)

// busy knows whether others use the database.
type busy struct {
	mu     sync.Mutex
	looked time.Time
	uses   int64
	is     bool
}

// Busy tells that others than those who listen, and jobs, use the database at the moment.
func (e *Engine) Busy() bool {
	c := &e.busy
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if since := now.Sub(c.looked); since >= busyInterval {
		uses := e.store.Uses() - e.jobUses.Load()
		// where nobody has looked for long, one use in all that time does not count
		c.is = uses > c.uses && time.Duration(uses-c.uses)*2*busyInterval >= since
		c.uses, c.looked = uses, now
	}
	return c.is
}

// Resting is how long those who listen have to rest after something that cost processor time, so that it is their part of all processors.
func Resting(cost time.Duration) time.Duration {
	return cost * listeningPart / time.Duration(runtime.GOMAXPROCS(0))
}
