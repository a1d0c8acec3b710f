package oauth

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
	"github.com/kith-crm/kith/internal/throttle"
)

// failures tells the audit logs of businesses which attempts to get in were refused. It does so behind the back of whoever tries,
// because how long the answer takes must not tell whether there is an account. A stranger decides how many there are, so that of
// one account from one network there is one line in a minute, which counts them, and of a business so many lines in an hour, beyond
// which one line in a minute counts all.
type failures struct {
	log   *slog.Logger
	lines *throttle.Throttle

	mu      sync.Mutex
	pending map[failure]*refusals
	timer   *time.Timer
	// writing is held by who writes lines.
	writing sync.Mutex
}

// failure is what attempts have in common that are counted together. Without a user it is all others of the business.
type failure struct {
	business, user  schema.UUID
	action, network string
}

// refusals are attempts that were not told of yet.
type refusals struct {
	tenant store.Tenant
	// actor has where the last of them came from, and in which request.
	actor store.Actor
	count int64
	// next is when the next line may be written.
	next time.Time
}

const (
	failureRest  = time.Minute
	mostFailures = 10_000
)

func newFailures(log *slog.Logger) *failures {
	return &failures{log: log, lines: throttle.New(120, time.Hour), pending: map[failure]*refusals{}}
}

// note counts an attempt that was refused.
func (f *failures) note(ctx context.Context, action string, id keep.Identity) {
	actor := from(ctx, store.Actor{})
	if action != record.LogInFailed { // who is asked for their password again has logged in before
		actor.User = id.User
	}
	key := failure{id.Tenant.ID(), id.User, action, network(actor.Address)}
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.of(key, id.Tenant)
	r.count++
	r.actor = actor
	f.wake(time.Until(r.next))
}

// of gives what is counted together with a failure. The caller holds mu.
func (f *failures) of(key failure, t store.Tenant) *refusals {
	if f.pending[key] == nil && len(f.pending) >= mostFailures {
		key = key.others()
	}
	r := f.pending[key]
	if r == nil {
		r = &refusals{tenant: t}
		f.pending[key] = r
	}
	return r
}

func (k failure) others() failure { return failure{business: k.business, action: k.action} }

// wake has lines written after a while. The caller holds mu.
func (f *failures) wake(in time.Duration) {
	if f.timer == nil {
		f.timer = time.AfterFunc(max(in, 0), func() { f.tell(false) })
	}
}

// line is one that is to be written.
type line struct {
	failure
	refusals
}

// tell writes what is due, or all.
func (f *failures) tell(all bool) {
	f.writing.Lock()
	defer f.writing.Unlock()
	for _, l := range f.due(all) {
		entry := store.AuditEntry{Action: l.action, Count: l.count, Stranger: l.action == record.LogInFailed}
		if l.user != (schema.UUID{}) {
			about := record.AuditOf(l.action, l.user)
			entry.Resource, entry.Record = about.Resource, about.Record
		}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		if err := l.tenant.Audit(ctx, l.actor, entry); err != nil {
			f.log.Error("audit", "action", l.action, "count", l.count, "error", err)
		}
		cancel()
	}
}

// due takes what is to be written now, and decides when to look again.
func (f *failures) due(all bool) (lines []line) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	for key, r := range f.pending {
		switch {
		case r.next.After(now) && !all:
		case r.count == 0:
			delete(f.pending, key)
		case key.user != schema.UUID{} && !f.lines.Take(schema.FormatID("business", key.business)):
			delete(f.pending, key)
			f.of(key.others(), r.tenant).count += r.count
		default:
			lines = append(lines, line{key, *r})
			r.count, r.next = 0, now.Add(failureRest)
		}
	}
	f.timer = nil
	next, more := now.Add(failureRest), false
	for _, r := range f.pending {
		if more = true; r.count > 0 && r.next.Before(next) {
			next = r.next
		}
	}
	if more {
		f.wake(next.Sub(now))
	}
	return lines
}

// TellFailures has the audit logs tell at once of all attempts that were refused. It is for when the server stops.
func (p *People) TellFailures() { p.failures.tell(true) }
