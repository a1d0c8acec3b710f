package webhook

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/notifier"
	"github.com/kith-crm/kith/internal/store/queue"
	"github.com/kith-crm/kith/internal/stream"
)

// Every server delivers to webhooks: for each business that has any, it waits for the business's bell, takes the business by a
// lease, and has a tenant deliverer (tenant_deliverer.go) deliver for as long as there is something to do. See ADR 0066.

// Message is what is sent to the receiver of a webhook. Its id stays the same however often it is sent; each of the secrets signs it.
type Message struct {
	URL, ID string
	At      time.Time
	Body    []byte
	Secrets []string
}

// Receipt is what came of it: the status and beginning of an answer, or why there is none. RetryAfter is how long the receiver asks
// to be left alone.
type Receipt struct {
	Status     int
	Answer     string
	Error      string
	RetryAfter time.Duration
}

func (r Receipt) delivered() bool { return r.Status >= 200 && r.Status < 300 }

const (
	// hookLease is how long a business stays with a server from which nothing is heard, and hookPoll how often somebody looks for
	// what another one left behind, and for what is due.
	hookLease = 8 * time.Second
	hookPoll  = 2 * time.Second
	// mostTenantDeliverers is for how many businesses a server delivers at once, mostFlying how many requests are under way to
	// receivers that answer soon, and mostSuspect how many to others: those that failed last, or took longer than slowly. Of each
	// there are at most so many for one business, so that no business keeps others from theirs.
	mostTenantDeliverers = 256
	mostFlying           = 1024
	mostSuspect          = 256
	ownFlying            = 64
	ownSuspect           = 16
	slowly               = 2 * time.Second
	// hookFlying is how many are under way to one receiver that answers.
	hookFlying = 16
	// finishing is how long requests that are under way have when a server stops.
	finishing = time.Second
	// mostFailures is how many failures in a row stop a webhook, and probeEvery how often it is then tried with a new event.
	mostFailures = 5
	probeEvery   = 15 * time.Minute
	// mostWaiting is how many events of a webhook wait for their next attempt; others stay in the log.
	mostWaiting = 200
	// longestFailing is after how long without a success a webhook is disabled.
	longestFailing = 72 * time.Hour
	// longestAway is the longest that a receiver may ask to be left alone.
	longestAway = 24 * time.Hour
)

// attempts are the pauses behind each attempt that failed: ten attempts in about three days.
var attempts = []time.Duration{
	5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 20 * time.Hour, 34 * time.Hour,
}

// Clock is the time by which webhooks are delivered: tests go through days in a moment.
type Clock struct {
	Now func() time.Time
	// After has a channel told when a pause is over, unless it is stopped before.
	After func(pause time.Duration) (over <-chan time.Time, stop func())
}

var wallClock = Clock{
	Now: time.Now,
	After: func(pause time.Duration) (<-chan time.Time, func()) {
		timer := time.NewTimer(pause)
		return timer.C, func() { timer.Stop() }
	},
}

// nextAttempt is when an event is tried again that failed so often, or zero where its attempts are over.
func nextAttempt(now time.Time, failed int64, away time.Duration) time.Time {
	if failed > int64(len(attempts)) {
		return time.Time{}
	}
	return now.Add(max(jittered(attempts[failed-1]), min(away, longestAway)))
}

// messageID is the id of an event for a receiver, which tells by it what it has already: that of the entry of the log, or of the
// delivery where there is none.
func messageID(hook schema.UUID, seq int64, delivery schema.UUID) string {
	if seq == 0 {
		return "msg_" + hex.EncodeToString(delivery[:])
	}
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(hook[:], uint64(seq)))
	return "msg_" + hex.EncodeToString(sum[:16])
}

// Counts are what the operator sees of webhooks.
type Counts struct {
	Delivered, Failed, GivenUp, Disabled int64
	Flying, TenantDeliverers             int
	// Lag is how long ago the oldest change was made that is known here and was not yet sent to a receiver that is not failing.
	Lag time.Duration
}

// Deliverer delivers to webhooks.
type Deliverer struct {
	// Clock is the time that they go by.
	Clock
	e      *record.Engine
	send   func(context.Context, Message) Receipt
	failed func(error)
	// busy tells that others use the database at the moment.
	busy func() bool
	// tenantDeliverers, sound and suspect have an item for each tenant deliverer, and for each request to a receiver that works and
	// to one that failed last.
	tenantDeliverers, sound, suspect chan struct{}

	delivered, failures, givenUp, disabled atomic.Int64

	mu sync.Mutex
	// behind is when the oldest change was made that a tenant deliverer has still to tell of, for each that has any.
	behind map[*tenantDeliverer]time.Time
}

// NewDeliverer makes what delivers by a function that sends; failed is told of what goes wrong here.
func NewDeliverer(e *record.Engine, send func(context.Context, Message) Receipt, failed func(error)) *Deliverer {
	return &Deliverer{
		Clock: wallClock, e: e, send: send, failed: failed, busy: e.Background.Busy, behind: map[*tenantDeliverer]time.Time{},
		tenantDeliverers: make(chan struct{}, mostTenantDeliverers), sound: make(chan struct{}, mostFlying),
		suspect: make(chan struct{}, mostSuspect),
	}
}

// Counts tells what was delivered.
func (h *Deliverer) Counts() Counts {
	c := Counts{
		Delivered: h.delivered.Load(), Failed: h.failures.Load(), GivenUp: h.givenUp.Load(), Disabled: h.disabled.Load(),
		Flying: len(h.sound) + len(h.suspect), TenantDeliverers: len(h.tenantDeliverers),
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, at := range h.behind {
		c.Lag = max(c.Lag, h.Now().Sub(at))
	}
	return c
}

// lags notes when the oldest change was made that a tenant deliverer has still to tell of; zero is none.
func (h *Deliverer) lags(p *tenantDeliverer, at time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if at.IsZero() {
		delete(h.behind, p)
	} else {
		h.behind[p] = at
	}
}

func (h *Deliverer) delivering() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.behind)
}

type watched struct {
	watch *notifier.Watch
	stop  context.CancelFunc
}

// Work delivers until the context ends, and then gives back what it has.
func (h *Deliverer) Work(ctx context.Context) {
	var working sync.WaitGroup
	all := map[schema.UUID]watched{}
	for ctx.Err() == nil {
		if err := h.look(ctx, all, &working); err != nil && ctx.Err() == nil {
			h.failed(err)
		}
		select {
		case <-ctx.Done():
		case <-h.e.DeliveriesDue:
		case <-time.After(hookPoll):
		}
	}
	working.Wait()
}

// look finds the businesses that have webhooks, and wakes those for which something is due.
func (h *Deliverer) look(ctx context.Context, all map[schema.UUID]watched, working *sync.WaitGroup) error {
	businesses, due, err := queue.DueFeeds(ctx, h.e.Store(), h.Now())
	have := map[schema.UUID]bool{}
	for _, t := range businesses {
		have[t.ID()] = true
		if _, known := all[t.ID()]; known {
			continue
		}
		attending, stop := context.WithCancel(ctx)
		w := watched{t.Watch(), stop}
		all[t.ID()] = w
		w.watch.Poke() // something may have been written before
		working.Go(func() { h.attend(attending, t, w.watch) })
	}
	for id, w := range all {
		if !have[id] && err == nil { // what could not be asked for may be there still
			w.stop()
			delete(all, id)
		}
	}
	for _, t := range due {
		if w, known := all[t.ID()]; known {
			w.watch.Poke()
		}
	}
	return err
}

// attend waits for the bell of a business, and delivers when it rings.
func (h *Deliverer) attend(ctx context.Context, t store.Tenant, watch *notifier.Watch) {
	defer watch.End()
	for {
		select {
		case <-ctx.Done():
			return
		case <-watch.C:
		}
		select {
		case <-ctx.Done():
			return
		case h.tenantDeliverers <- struct{}{}:
		}
		taken, _, err := h.Deliver(ctx, t, watch)
		<-h.tenantDeliverers
		if err != nil && ctx.Err() == nil {
			h.failed(err)
		}
		if err != nil || !taken { // whoever has it may die before it knows what the bell rang for
			watch.Poke()
			record.Pause(ctx, stream.AfterFailure)
		}
	}
}

// Deliver takes the business, where nobody else has it, and delivers until nothing is left to do. It tells whether it has, and when there
// is something to do again although nothing is written: zero where there is not.
func (h *Deliverer) Deliver(ctx context.Context, t store.Tenant, watch *notifier.Watch) (taken bool, due time.Time, err error) {
	t = t.Quietly()
	p := &tenantDeliverer{Deliverer: h, tenant: t, own: h.e.Store().NewLease(), watch: watch, results: make(chan outcome), end: -1}
	err = t.Keep(ctx, store.Actor{}, func(tx *store.Tx) (err error) {
		now := h.Now()
		taken, err = queue.LeaseFeed(tx, p.own, now, now.Add(hookLease))
		return err
	})
	if err != nil || !taken {
		return false, due, err
	}
	defer h.lags(p, time.Time{})
	err = p.run(ctx)
	return true, p.nextDue(true), err
}
