// Package notifier wakes those who wait for changes of a business. It may wake somebody in vain: who is woken reads the change log,
// which alone says what happened.
package notifier

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/kith-crm/kith/internal/schema"
)

// Notifier has those who wait for changes, by business.
type Notifier struct {
	mu      sync.Mutex
	watched map[schema.UUID]*subscription
	// untold are the businesses whose changes other servers have not been told of, while there is somebody who tells them; tell has
	// one item while there are any.
	untold  map[schema.UUID]struct{}
	telling bool
	tell    chan struct{}
	// hears tells that what other servers tell is heard.
	hears atomic.Bool
}

// subscription is what is notified of a business that somebody watches.
type subscription struct {
	// seq is the newest number that a look has found.
	seq     int64
	watches []*Watch
}

// Watch waits for changes of a business.
type Watch struct {
	// C gets an item when there may be some that nobody has read since the last one.
	C        <-chan struct{}
	c        chan struct{}
	notifier *Notifier
	business schema.UUID
}

// Watch begins to wait for changes of a business. End must follow.
func (n *Notifier) Watch(business schema.UUID) *Watch {
	w := &Watch{c: make(chan struct{}, 1), notifier: n, business: business}
	w.C = w.c
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.watched == nil {
		n.watched = map[schema.UUID]*subscription{}
	}
	at := n.watched[business]
	if at == nil {
		at = &subscription{}
		n.watched[business] = at
	}
	at.watches = append(at.watches, w)
	return w
}

// End waits no longer.
func (w *Watch) End() {
	n := w.notifier
	n.mu.Lock()
	defer n.mu.Unlock()
	at := n.watched[w.business]
	if at.watches = slices.DeleteFunc(at.watches, func(other *Watch) bool { return other == w }); len(at.watches) == 0 {
		delete(n.watched, w.business)
	}
}

// Poke notifies this one alone.
func (w *Watch) Poke() {
	select {
	case w.c <- struct{}{}:
	default:
	}
}

// Notify tells of a change that this process made.
func (n *Notifier) Notify(business schema.UUID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.poke(business)
	if n.telling {
		n.untold[business] = struct{}{}
		select {
		case n.tell <- struct{}{}:
		default:
		}
	}
}

// Heard tells of a change that another server has told of.
func (n *Notifier) Heard(business schema.UUID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.poke(business)
}

// Everybody wakes all: changes may have been missed.
func (n *Notifier) Everybody() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for business := range n.watched {
		n.poke(business)
	}
}

// Hearing says whether what other servers tell is heard.
func (n *Notifier) Hearing(yes bool) { n.hears.Store(yes) }

// Hears tells that what other servers tell is heard.
func (n *Notifier) Hears() bool { return n.hears.Load() }

func (n *Notifier) poke(business schema.UUID) {
	if at := n.watched[business]; at != nil {
		for _, w := range at.watches {
			w.Poke()
		}
	}
}

// BeginTelling has changes of this process kept until they are taken, and gives where an item comes while there are any.
func (n *Notifier) BeginTelling() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.untold, n.telling, n.tell = map[schema.UUID]struct{}{}, true, make(chan struct{}, 1)
	return n.tell
}

// EndTelling keeps them no longer: there is nobody who tells them, or hears others.
func (n *Notifier) EndTelling() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.untold, n.telling = nil, false
	n.hears.Store(false)
}

// Take gives the businesses whose changes other servers have not been told of.
func (n *Notifier) Take() []schema.UUID {
	n.mu.Lock()
	defer n.mu.Unlock()
	all := make([]schema.UUID, 0, len(n.untold))
	for business := range n.untold {
		all = append(all, business)
	}
	clear(n.untold)
	return all
}

// Watched are the businesses that somebody watches.
func (n *Notifier) Watched() []schema.Value {
	n.mu.Lock()
	defer n.mu.Unlock()
	ids := make([]schema.Value, 0, len(n.watched))
	for business := range n.watched {
		ids = append(ids, schema.IDValue(business))
	}
	return ids
}

// Looked wakes those whose businesses have a newer number than the last look at them found.
func (n *Notifier) Looked(newest map[schema.UUID]int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for business, seq := range newest {
		if at := n.watched[business]; at != nil && seq > at.seq {
			at.seq = seq
			n.poke(business)
		}
	}
}
