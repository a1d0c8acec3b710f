package testworld

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/notifier"
	"github.com/kith-crm/kith/internal/webhook"
)

// Delivering delivers to the webhooks of a business by a clock of its own, which goes on whenever there is nothing to wait for but time.
type Delivering struct {
	hooks  *webhook.Deliverer
	tenant store.Tenant
	watch  *notifier.Watch

	mu         sync.Mutex
	begin, now time.Time
}

// Deliver begins to deliver by a function that stands for all receivers. It is told how long after the beginning a message comes, and is
// asked for one at a time.
func Deliver(tb testing.TB, e *record.Engine, tenant store.Tenant,
	receive func(after time.Duration, m webhook.Message) webhook.Receipt,
) *Delivering {
	tb.Helper()
	now := time.Now().Truncate(time.Microsecond) // as databases keep it
	d := &Delivering{tenant: tenant, watch: tenant.Watch(), begin: now, now: now}
	tb.Cleanup(d.watch.End)
	var one sync.Mutex
	d.hooks = webhook.NewDeliverer(e, func(_ context.Context, m webhook.Message) webhook.Receipt {
		one.Lock()
		defer one.Unlock()
		return receive(d.time().Sub(d.begin), m)
	}, func(err error) { tb.Errorf("webhooks: %v", err) })
	d.hooks.Clock = webhook.Clock{Now: d.time, After: d.after}
	return d
}

func (d *Delivering) time() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now
}

func (d *Delivering) after(pause time.Duration) (<-chan time.Time, func()) {
	over := make(chan time.Time, 1)
	if d.hooks.Counts().Flying == 0 { // otherwise an answer comes first
		d.mu.Lock()
		d.now = d.now.Add(pause)
		over <- d.now
		d.mu.Unlock()
	}
	return over, func() {}
}

// Until delivers everything that is due until so long after the beginning.
func (d *Delivering) Until(tb testing.TB, after time.Duration) {
	tb.Helper()
	for {
		taken, due, err := d.hooks.Deliver(tb.Context(), d.tenant, d.watch)
		if err != nil || !taken {
			tb.Fatalf("delivering: taken %v, %v", taken, err)
		}
		end := d.begin.Add(after)
		last := due.IsZero() || due.After(end)
		if !last {
			end = due
		}
		d.mu.Lock()
		if d.now.Before(end) {
			d.now = end
		}
		d.mu.Unlock()
		if last {
			return
		}
	}
}

// Now delivers what is due by now.
func (d *Delivering) Now(tb testing.TB) {
	tb.Helper()
	d.Until(tb, d.time().Sub(d.begin))
}
