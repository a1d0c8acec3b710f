package store

import (
	"context"
	"sync"
	"time"

	"kith/internal/problem"
	"kith/internal/schema"
)

// share says on whose account something runs, and for how long it may. It keeps one business from using up what all have in common:
// connections are handed out in turns between businesses, and nobody keeps one for long.
type share struct {
	// business is who waits for it; zero is the operator, who has turns like a business.
	business schema.UUID
	// credentials marks the short reads that tell who somebody is. They have a connection of their own, so that no search keeps anybody out.
	credentials bool
	// limit is how long it may run; 0 is as long as it takes.
	limit time.Duration
}

// longestWait is for how long anything waits for its turn.
const longestWait = 10 * time.Second

// errWaited is what is told to who waited too long.
var errWaited = &problem.Problem{Code: problem.Timeout, Detail: "Too much else was under way for the request to get its turn. Try again in a moment, with fewer requests at once."}

// errTook is what is told to whose search or write took too long.
func errTook(limit time.Duration) error {
	return problem.New(problem.Timeout, "It took longer than %v and was stopped. For a search: narrow it by a filter on an indexed field, look for longer words, or order by created_at.", limit)
}

// turns hands out a number of places, such as connections. While others wait, no business gets a second place before each of them has one.
// The last places are only for businesses that have none: so one business alone has most of them, and never all.
type turns struct {
	mu sync.Mutex
	// free is how many places nobody has, and spare how many of them are for businesses that have none.
	free, spare int
	held        map[schema.UUID]int
	// waiting has the businesses that wait, in the order of their turns, and queues who waits for each.
	waiting []schema.UUID
	queues  map[schema.UUID][]chan struct{}
}

func newTurns(places, spare int) *turns {
	return &turns{free: places, spare: spare, held: map[schema.UUID]int{}, queues: map[schema.UUID][]chan struct{}{}}
}

// may tells whether a business can have a place now.
func (t *turns) may(business schema.UUID) bool {
	return t.free > t.spare || t.free > 0 && t.held[business] == 0
}

// take waits for a place. Whoever got one gives it back.
func (t *turns) take(ctx context.Context, business schema.UUID) error {
	t.mu.Lock()
	// Whoever waits could not be given the places that are free, so they are for others.
	if t.may(business) && len(t.queues[business]) == 0 {
		t.free--
		t.held[business]++
		t.mu.Unlock()
		return nil
	}
	ready := make(chan struct{}, 1)
	if len(t.queues[business]) == 0 {
		t.waiting = append(t.waiting, business)
	}
	t.queues[business] = append(t.queues[business], ready)
	t.mu.Unlock()

	patience := time.NewTimer(longestWait)
	defer patience.Stop()
	select {
	case <-ready:
		return nil
	case <-ctx.Done():
		return t.leave(business, ready, ctx.Err())
	case <-patience.C:
		return t.leave(business, ready, errWaited)
	}
}

// leave ends the wait of somebody who may have got a place in the same moment.
func (t *turns) leave(business schema.UUID, ready chan struct{}, why error) error {
	t.mu.Lock()
	queue := t.queues[business]
	for i, other := range queue {
		if other == ready {
			t.setQueue(business, append(queue[:i:i], queue[i+1:]...))
			t.mu.Unlock()
			return why
		}
	}
	t.mu.Unlock()
	t.give(business)
	return why
}

func (t *turns) setQueue(business schema.UUID, queue []chan struct{}) {
	if len(queue) > 0 {
		t.queues[business] = queue
		return
	}
	delete(t.queues, business)
	for i, other := range t.waiting {
		if other == business {
			t.waiting = append(t.waiting[:i:i], t.waiting[i+1:]...)
		}
	}
}

// give gives a place back, to the next whose turn it is.
func (t *turns) give(business schema.UUID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free++
	if t.held[business]--; t.held[business] == 0 {
		delete(t.held, business)
	}
	for t.free > 0 && len(t.waiting) > 0 {
		// The one with the fewest places is next; among those with equally many, the one that has waited the longest for its turn.
		next := 0
		for i, other := range t.waiting {
			if t.held[other] < t.held[t.waiting[next]] {
				next = i
			}
		}
		chosen := t.waiting[next]
		if !t.may(chosen) {
			return
		}
		queue := t.queues[chosen]
		ready := queue[0]
		t.setQueue(chosen, queue[1:])
		if len(queue) > 1 { // its next turn comes after those of the others
			t.waiting = append(append(t.waiting[:next:next], t.waiting[next+1:]...), chosen)
		}
		t.free--
		t.held[chosen]++
		ready <- struct{}{}
	}
}

// writes are the jobs that wait for SQLite's one writer. Each business has a queue, and they take turns.
type writes struct {
	mu      sync.Mutex
	waiting []schema.UUID
	queues  map[schema.UUID][]job
	// come is signalled when there is something to do.
	come   chan struct{}
	closed bool
}

func newWrites() *writes {
	return &writes{queues: map[schema.UUID][]job{}, come: make(chan struct{}, 1)}
}

// put adds a job, and reports false after close.
func (w *writes) put(j job) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return false
	}
	queue := w.queues[j.business]
	if len(queue) == 0 {
		w.waiting = append(w.waiting, j.business)
	}
	w.queues[j.business] = append(queue, j)
	w.signal()
	return true
}

func (w *writes) signal() {
	select {
	case w.come <- struct{}{}:
	default:
	}
}

// next takes the job whose turn it is. over tells that no more will come.
func (w *writes) next() (j job, ok, over bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.waiting) == 0 {
		return job{}, false, w.closed
	}
	business := w.waiting[0]
	w.waiting = w.waiting[1:]
	queue := w.queues[business]
	if len(queue) > 1 {
		w.queues[business] = queue[1:]
		w.waiting = append(w.waiting, business)
	} else {
		delete(w.queues, business)
	}
	return queue[0], true, false
}

func (w *writes) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.signal()
}
