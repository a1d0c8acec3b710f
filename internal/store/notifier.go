package store

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// Whoever wants to know of changes as they are made does not ask for them again and again, but waits for the notifier of the business.
// It is rung by every transaction of this process that wrote to the change log, once that is on disk. Where several servers have
// one database they tell each other (engine.notifier). And because a server can die between the two, and programs beside the server
// write, too, the newest numbers of all businesses that somebody watches are looked at every few seconds, in one statement. So a
// notifier may wake somebody in vain, and is never silent for long: who hears it reads the log, which alone says what happened.

// lookAlone is how long it is from one look at the newest numbers to the next where servers cannot tell each other.
const lookAlone = time.Second

// mostLooked is how many businesses one statement looks at.
const mostLooked = 1000

// notifier has those who wait for changes, by business.
type notifier struct {
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
	notifier *notifier
	business schema.UUID
}

// Watch begins to wait for changes. What is written from now on notifies; what was written before is for the caller to read. End
// must follow.
func (t Tenant) Watch() *Watch {
	w := &Watch{c: make(chan struct{}, 1), notifier: &t.s.notifier, business: t.id}
	w.C = w.c
	b := w.notifier
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.watched == nil {
		b.watched = map[schema.UUID]*subscription{}
	}
	at := b.watched[t.id]
	if at == nil {
		at = &subscription{}
		b.watched[t.id] = at
	}
	at.watches = append(at.watches, w)
	return w
}

// End waits no longer.
func (w *Watch) End() {
	b := w.notifier
	b.mu.Lock()
	defer b.mu.Unlock()
	at := b.watched[w.business]
	if at.watches = slices.DeleteFunc(at.watches, func(other *Watch) bool { return other == w }); len(at.watches) == 0 {
		delete(b.watched, w.business)
	}
}

// Poke notifies this one alone.
func (w *Watch) Poke() {
	select {
	case w.c <- struct{}{}:
	default:
	}
}

// notify tells of a change that this process made.
func (b *notifier) notify(business schema.UUID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.poke(business)
	if b.telling {
		b.untold[business] = struct{}{}
		select {
		case b.tell <- struct{}{}:
		default:
		}
	}
}

func (b *notifier) Heard(business schema.UUID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.poke(business)
}

func (b *notifier) Everybody() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for business := range b.watched {
		b.poke(business)
	}
}

func (b *notifier) Hearing(yes bool) { b.hears.Store(yes) }

func (b *notifier) poke(business schema.UUID) {
	if at := b.watched[business]; at != nil {
		for _, w := range at.watches {
			w.Poke()
		}
	}
}

func (b *notifier) BeginTelling() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.untold, b.telling, b.tell = map[schema.UUID]struct{}{}, true, make(chan struct{}, 1)
	return b.tell
}

func (b *notifier) EndTelling() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.untold, b.telling = nil, false
	b.hears.Store(false)
}

func (b *notifier) Take() []schema.UUID {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := make([]schema.UUID, 0, len(b.untold))
	for business := range b.untold {
		all = append(all, business)
	}
	clear(b.untold)
	return all
}

// Heed hears what other servers and programs do to the database, and tells other servers what this one does, until ctx ends. A
// server calls it once.
func (s *Store) Heed(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.engine.NotifyOthers(ctx, &s.notifier)
	}()
	for {
		pause := lookAlone
		if s.notifier.hears.Load() {
			pause = engine.LookBeside
		}
		select {
		case <-ctx.Done():
			<-done
			return
		case <-time.After(pause):
		}
		s.look(ctx)
	}
}

// Hears tells that this server hears what others on the database tell.
func (s *Store) Hears() bool { return s.notifier.hears.Load() }

// look notifies those of the businesses that have changed since it looked last. Where the database does not answer, the next look
// finds them.
func (s *Store) look(ctx context.Context) {
	s.notifier.mu.Lock()
	ids := make([]schema.Value, 0, len(s.notifier.watched))
	for business := range s.notifier.watched {
		ids = append(ids, schema.IDValue(business))
	}
	s.notifier.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, engine.LookBeside)
	defer cancel()
	for some := range slices.Chunk(ids, mostLooked) {
		newest := map[schema.UUID]int64{}
		a := &engine.Arguments{Dialect: s.engine}
		where := s.engine.Among(a, "t."+s.engine.BusinessBy(), some)
		// What cannot be asked now the next look finds.
		_ = s.across(ctx, engine.Lookup{
			SQL:  "SELECT t.id, t.change_seq FROM {business} t WHERE " + where,
			Args: a.Values, Kinds: []schema.Kind{schema.ID, schema.Integer},
		}, func(r engine.Row) error {
			newest[r.Value(0, schema.ID).UUID()] = r.Value(1, schema.Integer).N
			return nil
		})
		s.notifier.mu.Lock()
		for business, seq := range newest {
			if at := s.notifier.watched[business]; at != nil && seq > at.seq {
				at.seq = seq
				s.notifier.poke(business)
			}
		}
		s.notifier.mu.Unlock()
	}
}
