package webhook

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
	"github.com/kith-crm/kith/internal/stream"
)

// mostTried is how many attempts are kept of a delivery: more than it has unless its webhook is enabled again and again.
const mostTried = 50

func (p *tenantDeliverer) settle(o outcome) {
	h, now := o.hook, p.Now()
	p.freeSlot(o.suspect)
	h.inFlight--
	if h.slow = o.took > slowly; !o.receipt.delivered() && !slices.Contains(p.hooks, h) {
		return // it was disabled or deleted meanwhile, and goes on from what was noted, if ever
	}
	d := o.row
	if o.pendingEvent != nil {
		delete(h.flying, o.pendingEvent.record)
		if o.stopped {
			return // it is sent again by whoever comes next
		}
		d = o.pendingEvent.delivery(h, o.began)
		o.pendingEvent.row, o.pendingEvent.done = d, true
		p.fresh = append(p.fresh, d)
	} else {
		delete(h.flying, aloft(d))
		if o.stopped {
			if h.calmUntil = now.Add(stream.AfterFailure); d.NextAt.Before(h.calmUntil) {
				d.NextAt = h.calmUntil
			}
			return
		}
		d.Request = o.sent
		p.changed = append(p.changed, d)
	}
	h.dirty = true
	if o.withdrawn != "" {
		d.Error = o.withdrawn
		p.finish(h, d, queue.DeliveryFailed, now)
		return
	}
	r := o.receipt
	d.Answered, d.Answer, d.Error, d.Took = int64(r.Status), r.Answer, r.Error, o.took
	d.Tried = append(d.Tried, queue.Attempt{
		At: o.began, Status: d.Answered, Error: r.Error, Took: o.took, Away: r.RetryAfter, Early: o.early,
	})
	d.Tried = d.Tried[max(0, len(d.Tried)-mostTried):]
	if !o.early {
		d.Attempts++
	}
	if r.delivered() {
		p.delivered.Add(1)
		h.width = min(2*h.width, hookFlying)
		h.Failures, h.FailingSince, h.ProbeAt = 0, time.Time{}, time.Time{}
		p.finish(h, d, queue.DeliveryDone, now)
		return
	}
	p.failures.Add(1)
	p.fail(h, d, o, now)
}

func (p *tenantDeliverer) fail(h *hook, d *queue.Delivery, o outcome, now time.Time) {
	h.width = 1
	if h.Failures++; h.FailingSince.IsZero() || o.began.Before(h.FailingSince) {
		h.FailingSince = o.began
	}
	if h.Failures == mostFailures {
		h.ProbeAt = now.Add(jittered(probeEvery))
	}
	const gone, dead = 410, "Nothing was delivered for three days."
	switch {
	case o.receipt.Status == gone:
		h.gone = "The receiver answered 410: it wants no more."
	case now.Sub(h.FailingSince) >= longestFailing:
		h.gone = dead
	}
	next := nextAttempt(now, d.Attempts, o.receipt.RetryAfter)
	if o.early { // which its schedule does not know of
		next = now.Add(max(attempts[0], min(o.receipt.RetryAfter, longestAway)))
		if next.Before(d.NextAt) {
			next = d.NextAt
		}
	}
	if next.IsZero() {
		if h.FailingSince.After(firstTried(d)) { // others were delivered meanwhile, so it is this one that the receiver does not take
			p.givenUp.Add(1)
			p.finish(h, d, queue.DeliveryFailed, now)
			return
		}
		if next = now; h.gone == "" {
			h.gone = dead
		}
	}
	d.Status, d.NextAt = queue.DeliveryWaiting, next
	if o.pendingEvent != nil {
		h.wait(d)
	}
}

// finish ends a delivery, and lets the next one of its record go.
func (p *tenantDeliverer) finish(h *hook, d *queue.Delivery, status string, now time.Time) {
	d.Status, d.FinishedAt, d.NextAt = status, now, time.Time{}
	at := slices.Index(h.waiting, d)
	if at < 0 {
		return
	}
	h.waiting = slices.Delete(h.waiting, at, at+1)
	if h.blocked[d.Record]--; h.blocked[d.Record] == 0 {
		delete(h.blocked, d.Record)
		return
	}
	for _, next := range h.waiting {
		if next.Record == d.Record {
			p.let(next, now)
			return
		}
	}
}

// let has a delivery that waits be tried at a time.
func (p *tenantDeliverer) let(d *queue.Delivery, at time.Time) {
	d.NextAt = at
	if !slices.Contains(p.fresh, d) && !slices.Contains(p.changed, d) {
		p.changed = append(p.changed, d)
	}
}

// advance forgets the pending events at the beginning of a log range that are to be noted, and gives up to where the log is done
// with, and the last event by then.
func (l *logRange) advance() (seq, last int64) {
	done := 0
	for done < l.next && l.pendingEvents[done].done {
		done++
	}
	l.pendingEvents, l.next = slices.Delete(l.pendingEvents, 0, done), l.next-done
	if len(l.pendingEvents) > 0 {
		return l.pendingEvents[0].seq - 1, l.pendingEvents[0].prev
	}
	return l.at, l.last
}

// note writes down what was delivered and what waits, and how far each webhook has come, in a transaction with something else,
// which checks the lease. A webhook that was told of nothing is noted once it is so many entries of the log further.
func (p *tenantDeliverer) note(ctx context.Context, ahead int64, along func(*store.Tx) error) error {
	var moved []*hook
	for _, h := range p.hooks {
		h.Seq, h.Last = h.live.advance()
		if h.again.to > 0 {
			h.Replay, h.ReplayLast = h.again.advance()
		}
		if h.dirty || h.Seq-h.saved >= ahead || h.again.to > 0 {
			moved = append(moved, h)
		}
	}
	err := p.tenant.Keep(ctx, store.Actor{}, func(tx *store.Tx) error {
		if err := along(tx); err != nil {
			return err
		}
		if err := forgetGone(tx, slices.Concat(p.fresh, p.changed)); err != nil {
			return err
		}
		if len(p.fresh) > 0 {
			if err := queue.AddDeliveries(tx, p.fresh); err != nil {
				return err
			}
		}
		for _, d := range p.changed {
			if err := queue.PutDelivery(tx, d); err != nil {
				return err
			}
		}
		for _, h := range moved {
			if err := queue.PutHook(tx, &h.Hook); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, d := range slices.Concat(p.fresh, p.changed) {
		d.Request = "" // what is sent again is read anew
	}
	p.fresh, p.changed, p.noted = p.fresh[:0], p.changed[:0], p.Now()
	for _, h := range moved {
		h.dirty, h.saved = false, h.Seq
		if h.again.to > 0 && h.Replay >= h.again.to {
			h.again, h.ReplayTo = logRange{}, 0
		}
	}
	return nil
}

// tellsOf is the resource of the record that a delivery tells something of, or nil where it is about none, or tells that it is gone.
func tellsOf(d *queue.Delivery) *schema.Resource {
	resource, _, _ := strings.Cut(d.Event, ".")
	if d.Record == (schema.UUID{}) || record.KindOf(resource) == nil || slices.Contains(record.Farewells(resource), d.Event) {
		return nil
	}
	return record.Registry.Resource(resource)
}

// forgetGone takes out of deliveries what they tell of records that were removed for good since they were read.
func forgetGone(tx *store.Tx, all []*queue.Delivery) error {
	ids := map[*schema.Resource][]schema.UUID{}
	for _, d := range all {
		if res := tellsOf(d); res != nil && !slices.Contains(ids[res], d.Record) {
			ids[res] = append(ids[res], d.Record)
		}
	}
	for res, some := range ids {
		kept, err := queue.Kept(tx, res, some)
		if err != nil {
			return err
		}
		for _, d := range all {
			if tellsOf(d) == res && !kept[d.Record] {
				d.Request, d.Answer = "", ""
			}
		}
	}
	return nil
}
