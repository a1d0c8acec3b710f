package webhook

import (
	"context"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// While others use the database a tenant deliverer sends as many events as the part of the processors allows that webhooks have, and shares
// that with other tenant deliverers that have something to tell.
func TestPaceOfWebhooks(t *testing.T) {
	h := NewDeliverer(&record.Engine{}, nil, nil)
	now := time.Now()
	p := &tenantDeliverer{Deliverer: h, creditAt: now}
	sent := func(after time.Duration, busy bool) (n int) {
		now = now.Add(after)
		for n < 1000 && p.mayGo(now, busy) {
			n++
		}
		return n
	}
	each := record.Resting(eventCost)
	for _, c := range []struct {
		after            time.Duration
		busy             bool
		tenantDeliverers int
		want             int
	}{
		{0, false, 0, 1000},
		{0, true, 0, mostCredit},
		{0, true, 0, 0},
		{5 * each, true, 1, 5},
		{each / 2, true, 1, 0},
		{each / 2, true, 1, 1}, // what is left is not lost
		{8 * each, true, 4, 2},
		{time.Hour, true, 4, mostCredit},
		{0, false, 4, 1000},
	} {
		clear(h.behind)
		for range c.tenantDeliverers {
			h.behind[&tenantDeliverer{}] = now
		}
		if got := sent(c.after, c.busy); got != c.want {
			t.Errorf("%+v: %d events are sent", c, got)
		}
	}
}

// Where not everything may be sent, each webhook has its turn.
func TestTurnsOfWebhooks(t *testing.T) {
	h := NewDeliverer(&record.Engine{}, func(context.Context, Message) Receipt { return Receipt{Status: 200} }, nil)
	h.busy = func() bool { return true }
	const hooks, pendingEvents = 5, 100
	p := &tenantDeliverer{Deliverer: h, results: make(chan outcome, hooks*pendingEvents), creditAt: time.Now()}
	for range hooks {
		one := &hook{flying: map[schema.UUID]bool{}, blocked: map[schema.UUID]int{}, width: hookFlying}
		for n := range pendingEvents {
			one.live.pendingEvents = append(one.live.pendingEvents,
				&pendingEvent{event: &event{seq: int64(n), record: schema.NewID(time.Now())}})
		}
		p.hooks = append(p.hooks, one)
	}
	all := map[*hook]bool{}
	for range hooks {
		p.credit = mostCredit
		p.dispatchAll(t.Context())
		for p.flying > 0 {
			o := <-p.results
			all[o.hook] = true
			p.freeSlot(o.suspect)
			o.hook.inFlight--
			delete(o.hook.flying, o.pendingEvent.record)
		}
	}
	if len(all) != hooks {
		t.Errorf("%d of %d webhooks had a turn", len(all), hooks)
	}
}
