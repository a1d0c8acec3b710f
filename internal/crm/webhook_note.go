package crm

import (
	"context"
	"slices"
	"strings"
	"time"

	"kith/internal/schema"
	"kith/internal/store"
)

// settle takes note of what came of a request.
func (p *post) settle(o outcome) {
	h, now := o.hook, time.Now()
	p.freeSlot(o.suspect)
	h.inFlight--
	if h.slow = o.took > slowly; !o.receipt.delivered() && !slices.Contains(p.hooks, h) {
		return // it was disabled or deleted meanwhile, and goes on from what was noted, if ever
	}
	d := o.row
	if o.parcel != nil {
		delete(h.flying, o.parcel.record)
		if o.stopped {
			return // it is sent again by whoever comes next
		}
		d = o.parcel.delivery(h, o.began)
		o.parcel.row, o.parcel.done = d, true
		p.fresh = append(p.fresh, d)
	} else {
		delete(h.flying, aloft(d))
		if o.stopped {
			d.NextAt = now.Add(afterFailure)
			return
		}
		p.changed = append(p.changed, d)
	}
	h.dirty = true
	d.Attempts++
	d.Answered, d.Answer, d.Error, d.Took, d.NextAt = int64(o.receipt.Status), o.receipt.Answer, o.receipt.Error, o.took, time.Time{}
	switch {
	case o.gone:
		d.Attempts--
		d.Error = "What it told of was erased."
		p.finish(h, d, store.DeliveryFailed, now)
	case o.receipt.delivered():
		p.delivered.Add(1)
		h.width = min(2*h.width, hookFlying)
		if h.Failures > 0 {
			h.Failures, h.FailingSince, h.ProbeAt = 0, time.Time{}, time.Time{}
			p.hurry(h, now)
		}
		p.finish(h, d, store.DeliveryDone, now)
	default:
		p.failures.Add(1)
		p.fail(h, d, o, now)
	}
}

// fail notes that an event was not delivered.
func (p *post) fail(h *hook, d *store.Delivery, o outcome, now time.Time) {
	h.width = 1
	if h.Failures++; h.FailingSince.IsZero() {
		h.FailingSince = now
	}
	if h.Failures == mostFailures {
		h.ProbeAt = now.Add(jittered(probeEvery))
	}
	const gone = 410
	switch {
	case o.receipt.Status == gone:
		h.gone = "The receiver answered 410: it wants no more."
	case now.Sub(h.FailingSince) >= longestFailing:
		h.gone = "Nothing was delivered for three days."
	}
	if d.NextAt = nextAttempt(now, d.Attempts, o.receipt.RetryAfter); d.NextAt.IsZero() {
		p.givenUp.Add(1)
		p.finish(h, d, store.DeliveryFailed, now)
		return
	}
	d.Status = store.DeliveryWaiting
	if o.parcel != nil {
		h.wait(d)
	}
}

// finish ends a delivery, and lets the next one of its record go.
func (p *post) finish(h *hook, d *store.Delivery, status string, now time.Time) {
	d.Status, d.FinishedAt = status, now
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
func (p *post) let(d *store.Delivery, at time.Time) {
	d.NextAt = at
	if !slices.Contains(p.fresh, d) && !slices.Contains(p.changed, d) {
		p.changed = append(p.changed, d)
	}
}

// hurry has everything that waits tried at once, because the receiver answers again.
func (p *post) hurry(h *hook, now time.Time) {
	for _, d := range h.waiting {
		if d.NextAt.After(now) {
			p.let(d, now)
		}
	}
}

// advance forgets the parcels at the beginning of a lane that are to be noted, and gives up to where the log is done with, and the last event by then.
func (l *lane) advance() (seq, last int64) {
	done := 0
	for done < l.next && l.parcels[done].done {
		done++
	}
	l.parcels, l.next = slices.Delete(l.parcels, 0, done), l.next-done
	if len(l.parcels) > 0 {
		return l.parcels[0].seq - 1, l.parcels[0].prev
	}
	return l.at, l.last
}

// note writes down what was delivered and what waits, and how far each webhook has come, in a transaction with something else, which checks the lease. A webhook that was told of nothing
// is noted once it is so many entries of the log further.
func (p *post) note(ctx context.Context, ahead int64, along func(*store.Tx) error) error {
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
		if len(p.fresh) > 0 {
			if err := forgetGone(tx, p.fresh); err != nil {
				return err
			}
			if err := tx.AddDeliveries(p.fresh); err != nil {
				return err
			}
		}
		for _, d := range p.changed {
			if err := tx.PutDelivery(d); err != nil {
				return err
			}
		}
		for _, h := range moved {
			if err := tx.PutHook(&h.Hook); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, d := range p.fresh {
		d.Request = "" // it is read again where it is sent again, unless it was erased by then
	}
	p.fresh, p.changed, p.noted = p.fresh[:0], p.changed[:0], time.Now()
	for _, h := range moved {
		h.dirty, h.saved = false, h.Seq
		if h.again.to > 0 && h.Replay >= h.again.to {
			h.again, h.ReplayTo = lane{}, 0
		}
	}
	return nil
}

// forgetGone takes out of deliveries what they tell of records that were removed for good since they were read.
func forgetGone(tx *store.Tx, all []*store.Delivery) error {
	ids := map[string][]schema.UUID{}
	told := func(d *store.Delivery) (resource string, of bool) {
		resource, _, _ = strings.Cut(d.Event, ".")
		return resource, d.Record != schema.UUID{} && KindOf(resource) != nil && !slices.Contains(farewells(resource), d.Event)
	}
	for _, d := range all {
		if resource, of := told(d); of && !slices.Contains(ids[resource], d.Record) {
			ids[resource] = append(ids[resource], d.Record)
		}
	}
	for resource, some := range ids {
		kept, err := tx.Kept(Registry.Resource(resource), some)
		if err != nil {
			return err
		}
		for _, d := range all {
			if of, is := told(d); is && of == resource && !kept[d.Record] {
				d.Request, d.Answer = "", ""
			}
		}
	}
	return nil
}
