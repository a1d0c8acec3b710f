package webhook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
	"github.com/kith-crm/kith/internal/store/seal"
	"github.com/kith-crm/kith/internal/stream"
)

// load reads the webhooks of the business anew, and what may be read by whose they are. How far they have come is known here, and
// what is on its way goes on; what was read for them and not sent is read anew.
func (p *tenantDeliverer) load(ctx context.Context) error {
	if err := p.hold(ctx); err != nil {
		return err
	}
	epoch := p.e.Store().Epoch(p.tenant.ID())
	var (
		known   int64
		hooks   []*hook
		waiting []queue.Delivery
	)
	refused := map[schema.UUID]string{}
	err := p.tenant.Keep(ctx, store.Actor{}, func(tx *store.Tx) (err error) {
		hooks = nil
		clear(refused)
		if known, err = tx.Glance(); err != nil {
			return err
		}
		kept, err := queue.Hooks(tx)
		if err != nil {
			return err
		}
		records, err := tx.Find(&crm.Webhook.Resource, 2*crm.MaxWebhooks)
		if err != nil {
			return err
		}
		if waiting, err = queue.Waiting(tx, 2*crm.MaxWebhooks*mostWaiting); err != nil {
			return err
		}
		opened := map[string]*record.Principal{}
		for _, k := range kept {
			at := slices.IndexFunc(records, func(rec *schema.Record) bool { return rec.ID() == k.ID })
			if at < 0 {
				continue
			}
			if k.Connection == (schema.UUID{}) {
				refused[k.ID] = "Who made it in the app has changed their password since. Enable it to go on."
				continue
			}
			h, err := p.opened(tx, k, records[at], opened)
			if pr := problem.As(err); pr != nil && !pr.Code.WorthRetrying() {
				refused[k.ID] = "Who made it may not act any more, or not by the token or app that they had then, " +
					"or may not write webhooks."
				continue
			}
			if errors.Is(err, seal.ErrOtherKey) {
				refused[k.ID] = "Its secret was sealed under a key that is lost. Give it another one by rotate_secret, and enable it."
				continue
			}
			if err != nil {
				return err
			}
			hooks = append(hooks, h)
		}
		return nil
	})
	if err != nil {
		return err
	}
	now := p.Now()
	for i, h := range hooks {
		if at := slices.IndexFunc(p.hooks, func(old *hook) bool { return old.ID == h.ID }); at >= 0 {
			p.hooks[at].renew(h, now)
			hooks[i] = p.hooks[at]
		}
		hooks[i].meet(waiting, now)
	}
	p.hooks, p.pages, p.reload, p.loaded, p.known, p.epoch = hooks, nil, false, now, known, epoch // pages have only what was wanted of them
	for id, why := range refused {
		if err := crm.DisableWebhook(ctx, p.e, p.tenant, id, why); err != nil {
			return err
		}
		p.disabled.Add(1)
	}
	return nil
}

// opened is a webhook as it is now, with what may be read by who made it. Those whose webhooks were opened before are remembered.
func (p *tenantDeliverer) opened(tx *store.Tx, kept queue.Hook, rec *schema.Record, opened map[string]*record.Principal) (h *hook,
	err error,
) {
	h = &hook{
		Hook: kept, url: rec.Text(crm.Webhooks.URL), patterns: body.Strings(rec.Get(crm.Webhooks.Events)),
		asks: rec.Get(crm.Webhooks.Events).S, filters: map[string]body.Node{},
		live: logRange{at: kept.Seq, last: kept.Last}, again: logRange{at: kept.Replay, last: kept.ReplayLast, to: kept.ReplayTo},
		blocked: map[schema.UUID]int{}, flying: map[schema.UUID]bool{}, width: 1, saved: kept.Seq,
	}
	same := fmt.Sprint(kept.Actor, kept.Connection, kept.Scopes)
	if h.who = opened[same]; h.who == nil {
		if h.who, err = account.Resume(p.e, tx, kept.Actor, kept.Connection, kept.Scopes); err != nil {
			return nil, err
		}
		opened[same] = h.who
	}
	if _, err := h.who.Allow(&crm.Webhook.Resource, record.Write); err != nil {
		return nil, err
	}
	if h.may, err = h.who.Readable(nil); err != nil {
		return nil, err
	}
	_, h.plain, h.asked = stream.Readers(h.who, h.may)
	if filters, err := body.Parse([]byte(rec.Text(crm.Webhooks.Filters))); err == nil && filters != nil {
		for _, m := range filters.Members {
			h.filters[m.Name] = m.Value
		}
	}
	secret, err := crm.OpenWebhookSecret(p.tenant, h.ID, kept.Secret)
	if err != nil {
		return nil, err
	}
	h.secrets = []string{secret}
	if kept.OldSecret != "" && tx.Now.Before(kept.OldUntil) {
		old, err := crm.OpenWebhookSecret(p.tenant, h.ID, kept.OldSecret)
		switch {
		case err == nil:
			h.secrets = append(h.secrets, old)
		case !errors.Is(err, seal.ErrOtherKey): // what was lost with its key signs nothing more
			return nil, err
		}
	}
	return h, nil
}

func (h *hook) renew(now *hook, at time.Time) {
	h.url, h.patterns, h.asks, h.filters, h.secrets, h.who, h.may, h.plain, h.asked = now.url, now.patterns, now.asks, now.filters,
		now.secrets, now.who, now.may, now.plain, now.asked
	if now.Failures == 0 && h.Failures > 0 { // somebody enabled it anew
		h.Failures, h.FailingSince, h.ProbeAt = 0, time.Time{}, time.Time{}
		for _, d := range h.waiting {
			if d.Attempts = 0; !d.NextAt.IsZero() {
				d.NextAt = at
			}
		}
	}
	h.live.rewind()
	h.again.rewind()
	if h.again.to == 0 {
		h.again, h.Replay, h.ReplayTo, h.ReplayLast = now.again, now.Replay, now.ReplayTo, now.ReplayLast
	}
}

func (l *logRange) rewind() {
	if l.next < len(l.pendingEvents) {
		l.at, l.last = l.pendingEvents[l.next].seq-1, l.pendingEvents[l.next].prev
		l.pendingEvents = slices.Delete(l.pendingEvents, l.next, len(l.pendingEvents))
	}
}

// meet has those of some deliveries wait that are the webhook's, and that it does not know.
func (h *hook) meet(waiting []queue.Delivery, now time.Time) {
	for i := range waiting {
		d := &waiting[i]
		if d.Hook != h.ID || slices.ContainsFunc(h.waiting, func(known *queue.Delivery) bool { return known.ID == d.ID }) {
			continue
		}
		if d.NextAt.IsZero() && h.blocked[d.Record] == 0 {
			d.NextAt = now // there is nothing that it would wait for
		}
		h.wait(d)
	}
}

func (h *hook) wait(d *queue.Delivery) {
	h.waiting = append(h.waiting, d)
	h.blocked[d.Record]++
}
