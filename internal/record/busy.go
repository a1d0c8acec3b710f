package record

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kith-crm/kith/internal/store"
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

// Background knows what is done in the background, and so whether others use the store, to whom it has to give way.
type Background struct {
	store *store.Store
	// own counts how often jobs, and what keeps their pace, used the store.
	own atomic.Int64

	mu     sync.Mutex
	looked time.Time
	uses   int64
	busy   bool
}

// Note says that a job, or what keeps the pace of one, uses the store: it is not somebody else for whom they would have to rest.
func (b *Background) Note() { b.own.Add(1) }

func (b *Background) others() int64 { return b.store.Uses() - b.own.Load() }

// Busy tells that others than those who listen, and jobs, use the database at the moment.
func (b *Background) Busy() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if since := now.Sub(b.looked); since >= busyInterval {
		uses := b.others()
		// where nobody has looked for long, one use in all that time does not count
		b.busy = uses > b.uses && time.Duration(uses-b.uses)*2*busyInterval >= since
		b.uses, b.looked = uses, now
	}
	return b.busy
}

// Bystanders counts what others than jobs ask of the store in this process, from a moment on.
type Bystanders struct {
	of    *Background
	since int64
}

// Look begins to count.
func (b *Background) Look() Bystanders { return Bystanders{b, b.others()} }

// Others tells how often they did.
func (b Bystanders) Others() int64 { return b.of.others() - b.since }

// Resting is how long those who listen have to rest after something that cost processor time, so that it is their part of all processors.
func Resting(cost time.Duration) time.Duration {
	return cost * listeningPart / time.Duration(runtime.GOMAXPROCS(0))
}

// Pause waits, but not for longer than the context lasts.
func Pause(ctx context.Context, long time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(long):
	}
}
