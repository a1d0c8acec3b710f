package store

import (
	"context"
	"slices"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/notifier"
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

// Watch begins to wait for changes. What is written from now on notifies; what was written before is for the caller to read. End
// must follow.
func (t Tenant) Watch() *notifier.Watch { return t.s.notifier.Watch(t.id) }

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
		if s.notifier.Hears() {
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
func (s *Store) Hears() bool { return s.notifier.Hears() }

// look notifies those of the businesses that have changed since it looked last. Where the database does not answer, the next look
// finds them.
func (s *Store) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, engine.LookBeside)
	defer cancel()
	for some := range slices.Chunk(s.notifier.Watched(), mostLooked) {
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
		s.notifier.Looked(newest)
	}
}
