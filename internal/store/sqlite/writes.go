package sqlite

import (
	"slices"
	"sync"

	"github.com/kith-crm/kith/internal/schema"
)

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
	queue := w.queues[j.Business]
	if len(queue) == 0 {
		w.waiting = append(w.waiting, j.Business)
	}
	w.queues[j.Business] = append(queue, j)
	w.signal()
	return true
}

func (w *writes) signal() {
	select {
	case w.come <- struct{}{}:
	default:
	}
}

// next takes the job whose turn it is, of any business but those in without. over tells that no more will come.
func (w *writes) next(without map[schema.UUID]bool) (j job, ok, over bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	at := slices.IndexFunc(w.waiting, func(business schema.UUID) bool { return !without[business] })
	if at < 0 {
		return job{}, false, w.closed && len(w.waiting) == 0
	}
	business := w.waiting[at]
	w.waiting = slices.Delete(w.waiting, at, at+1)
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
