package webhook

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/changelog"
	"github.com/kith-crm/kith/internal/store/notifier"
	"github.com/kith-crm/kith/internal/store/queue"
)

// tenantDeliverer delivers to the webhooks of one business. One goroutine has all of it; beside it run only the requests to
// receivers, which tell what came of them by results.
type tenantDeliverer struct {
	*Deliverer
	tenant  store.Tenant
	own     schema.UUID
	watch   *notifier.Watch
	hooks   []*hook
	results chan outcome
	flying  int
	// pages are those of the log that were read last, and end the number of the newest entry, or -1 where it is not known.
	pages []*logPage
	end   int64
	// unread tells that there is more to read for those that have room.
	unread bool
	// reload tells that the webhooks or somebody's rights have changed since they were read, loaded when they were, and known and
	// epoch up to which change they are known by that.
	reload       bool
	loaded       time.Time
	known, epoch int64
	// heard is when the bell was last listened to.
	heard time.Time
	// fresh and changed are what is still to be noted: deliveries that are there, and those that were there.
	fresh, changed []*queue.Delivery
	noted          time.Time
	// starved tells that a request had to wait for others, and suspects how many are under way to receivers that failed last or are slow.
	starved  bool
	suspects int
	// credit is how many events may be sent at once while others use the database, as of a time.
	credit   float64
	creditAt time.Time
}

// hook is a webhook while it is delivered to.
type hook struct {
	queue.Hook
	url      string
	patterns []string
	// asks names the patterns, so that those who ask for the same have the same name.
	asks    string
	filters map[string]body.Node
	secrets []string
	who     *record.Principal
	// may is what they may read; plain are the resources of which that is everything, and asked those of which the record decides.
	may          []changelog.Readable
	plain, asked map[string]bool
	// live are new events, and again those that are sent once more.
	live, again logRange
	// waiting are those that failed, and those behind them, in order; blocked counts them by record.
	waiting []*queue.Delivery
	blocked map[schema.UUID]int
	// flying are the records of which an event is on its way, and inFlight how many are; at most width are.
	flying   map[schema.UUID]bool
	inFlight int
	width    int
	// calmUntil is until when nothing is tried before its time, because the database failed.
	calmUntil time.Time
	// slow tells that the receiver took long for its last answer, and gone why nothing more is sent.
	slow bool
	gone string
	// dirty tells that something happened that is to be noted, and saved up to where the log was done with when it last was.
	dirty bool
	saved int64
}

// logRange is a range of the log that is sent: at is up to where it was read, last the last event by then, and to the end, or 0 where
// there is none.
type logRange struct {
	at, last, to int64
	// pendingEvents are what was read and is not noted; those from next on were not sent.
	pendingEvents []*pendingEvent
	next          int
}

type pendingEvent struct {
	*event
	prev int64
	// row is the delivery, once there is one, and done tells that it is to be noted, or waits.
	row      *queue.Delivery
	replayed bool
	done     bool
}

// outcome is what came of a request: of a pending event, or of one that waited.
type outcome struct {
	hook         *hook
	pendingEvent *pendingEvent
	row          *queue.Delivery
	began        time.Time
	took         time.Duration
	receipt      Receipt
	// early tells that it was before its time, and sent what was sent of one that waited.
	early bool
	sent  string
	// stopped tells that it was broken off because the server stops, and withdrawn why it is not sent any more.
	stopped   bool
	withdrawn string
	suspect   bool
}

const (
	// notedAtOnce is how many deliveries are noted at once, and noteEvery how often they are, and noteSeldom while others use the database.
	notedAtOnce = 200
	noteEvery   = 200 * time.Millisecond
	noteSeldom  = time.Second
	// eventCost is what it takes to send an event to the receiver of a webhook and to note it, with what the database does for it.
	eventCost = 500 * time.Microsecond
	// lingering is how long a tenant deliverer stays that has nothing to do.
	lingering = time.Second
	// rightsFresh is how long it is relied upon what somebody may read.
	rightsFresh = 5 * time.Second
	// listenEvery is how often the bell is listened to at most, and listenSeldom while others use the database: who writes much
	// rings it all the time.
	listenEvery  = 20 * time.Millisecond
	listenSeldom = 250 * time.Millisecond
	// lazily is how many entries of the log a webhook that none of them is for may be ahead of what is noted.
	lazily = 10_000
	// mostCredit is how many events may be sent at once while others use the database.
	mostCredit = 16
)

// run delivers until nothing is left to do, and gives the business back.
func (p *tenantDeliverer) run(ctx context.Context) (err error) {
	sending, breakOff := context.WithCancel(context.WithoutCancel(ctx))
	defer breakOff()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(finishing, breakOff) })()
	p.reload, p.noted = true, p.Now()
	var idle time.Time
	for ctx.Err() == nil && err == nil {
		if err = p.step(ctx, sending); err != nil {
			break
		}
		p.lags(p, p.behindSince())
		now := p.Now()
		pause := min(hookLease/4, time.Minute)
		switch {
		case p.starved:
			pause = 20 * time.Millisecond
		case len(p.fresh)+len(p.changed) > 0:
			pause = noteEvery
		}
		if p.flying == 0 && len(p.fresh)+len(p.changed) == 0 && !p.starved && !p.unread && !p.reload {
			if idle.IsZero() {
				idle = now
			}
			if now.Sub(idle) >= lingering {
				break
			}
			pause = min(pause, lingering-now.Sub(idle))
		} else {
			idle = time.Time{}
		}
		due := p.nextDue(false)
		switch {
		case p.unread, p.reload:
			pause = 0
		case !due.IsZero() && !p.starved:
			pause = max(0, min(pause, due.Sub(now)))
		}
		bell := p.watch.C
		every := listenEvery
		if p.busy() {
			every = listenSeldom
		}
		if early := every - now.Sub(p.heard); early > 0 {
			bell, pause = nil, min(pause, early)
		}
		over, stop := p.After(pause)
		select {
		case <-ctx.Done():
		case <-bell:
			p.end, p.heard, idle = -1, p.Now(), time.Time{}
		case o := <-p.results:
			idle = time.Time{}
			p.settle(o)
			for more := true; more; {
				select {
				case o := <-p.results:
					p.settle(o)
				default:
					more = false
				}
			}
		case <-over:
		}
		stop()
	}
	for p.flying > 0 { // requests end soon after the context, or in their own time
		p.settle(<-p.results)
	}
	if errors.Is(err, queue.ErrFeedLost) {
		return nil // whoever has it goes on where this one noted last
	}
	leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	due := p.nextDue(true)
	left := p.note(leaving, logPageSize, func(tx *store.Tx) error { return queue.LeaveFeed(tx, p.own, due) })
	if errors.Is(left, queue.ErrFeedLost) {
		left = nil
	}
	return errors.Join(err, left)
}

// step does what can be done now, without waiting. Requests to receivers end with a context of their own.
func (p *tenantDeliverer) step(ctx, sending context.Context) error {
	if p.reload || p.Now().Sub(p.loaded) > rightsFresh || p.e.Store().Epoch(p.tenant.ID()) != p.epoch {
		if err := p.load(ctx); err != nil {
			return err
		}
	}
	if err := p.read(ctx); err != nil {
		return err
	}
	if p.reload {
		return nil // what was read is not for everybody any more who was to be told of it
	}
	p.dispatchAll(sending)
	unnoted := len(p.fresh) + len(p.changed)
	every := noteEvery
	if p.starved && p.busy() {
		every = noteSeldom
	}
	unheld := p.Now().Sub(p.noted)
	late := unheld >= every
	if unnoted >= notedAtOnce || unnoted > 0 && (late || p.flying == 0 && !p.starved) || unheld > hookLease/4 {
		if err := p.hold(ctx); err != nil {
			return err
		}
	}
	return p.dismiss(ctx)
}

// hold notes what is to be noted, and keeps the business.
func (p *tenantDeliverer) hold(ctx context.Context) error {
	return p.note(ctx, lazily, func(tx *store.Tx) error { return queue.HoldFeed(tx, p.own, p.Now().Add(hookLease)) })
}

// dismiss disables the webhooks to which nothing more is to be sent.
func (p *tenantDeliverer) dismiss(ctx context.Context) error {
	for _, h := range p.hooks {
		if h.gone == "" || h.inFlight > 0 {
			continue
		}
		if err := p.hold(ctx); err != nil {
			return err
		}
		if err := crm.DisableWebhook(ctx, p.e, p.tenant, h.ID, h.gone); err != nil {
			return err
		}
		p.disabled.Add(1)
		p.hooks = slices.DeleteFunc(slices.Clone(p.hooks), func(other *hook) bool { return other == h })
	}
	return nil
}

// failing tells that so much failed that new events stay in the log, and open that one may be tried nevertheless.
func (h *hook) failing() bool { return h.Failures >= mostFailures }

func (h *hook) open(now time.Time) bool {
	return h.gone == "" && len(h.waiting) < mostWaiting && (!h.failing() || h.inFlight == 0 && !now.Before(h.ProbeAt))
}

// nextDue is when there is something to do although nothing is written, or zero: for this tenant deliverer, or for the next where
// this one leaves.
func (p *tenantDeliverer) nextDue(leaving bool) (due time.Time) {
	now := p.Now()
	sooner := func(at time.Time) {
		if !at.IsZero() && (due.IsZero() || at.Before(due)) {
			due = at
		}
	}
	for _, h := range p.hooks {
		if !leaving && (h.gone != "" || h.inFlight >= h.most()) {
			continue // which the end of a request changes
		}
		for _, d := range h.waiting {
			if !h.flies(d.Record) {
				sooner(h.dueAt(d))
			}
		}
		if h.failing() && h.ProbeAt.After(now) {
			sooner(h.ProbeAt)
		}
		if leaving && (h.again.to > h.again.at || len(h.again.pendingEvents) > 0 || len(h.live.pendingEvents) > 0) && !h.failing() {
			sooner(now)
		}
	}
	return due
}

// dueAt is when a delivery that waits is tried next; zero where it waits for another one. While the receiver takes what it is sent, a
// delivery is tried before its time: once between two attempts of its schedule, which that does not shorten, and no sooner than the
// receiver asked for.
func (h *hook) dueAt(d *queue.Delivery) time.Time {
	if h.Failures > 0 || d.NextAt.IsZero() || len(d.Tried) == 0 {
		return d.NextAt
	}
	last := d.Tried[len(d.Tried)-1]
	early := last.At.Add(last.Took + max(attempts[0], min(last.Away, longestAway)))
	if early.Before(h.calmUntil) {
		early = h.calmUntil
	}
	if last.Early || d.NextAt.Before(early) {
		return d.NextAt
	}
	return early
}

// firstTried is when the first attempt of a delivery's schedule was made: of those since its webhook was enabled.
func firstTried(d *queue.Delivery) time.Time {
	left := d.Attempts
	for _, one := range slices.Backward(d.Tried) {
		if one.Early {
			continue
		}
		if left--; left == 0 {
			return one.At
		}
	}
	return d.CreatedAt // not all of them were kept
}

func (h *hook) most() int {
	if h.failing() {
		return 1
	}
	return h.width
}

// dispatchAll sends what may be sent now. Where not everything may, it goes on next time where it ends now.
func (p *tenantDeliverer) dispatchAll(ctx context.Context) {
	p.starved = false
	first := 0
	for i, h := range p.hooks {
		before := p.starved
		if p.dispatch(ctx, h); p.starved && !before {
			first = i
		}
	}
	p.hooks = slices.Concat(p.hooks[first:], p.hooks[:first])
}

// dispatch sends what may be sent to a webhook now: first what waited, then new events, then those that are sent again. The events
// of a record go one after the other.
func (p *tenantDeliverer) dispatch(ctx context.Context, h *hook) {
	now := p.Now()
	if h.gone != "" {
		return
	}
	for _, d := range h.waiting {
		if h.inFlight >= h.most() {
			return
		}
		if due := h.dueAt(d); due.IsZero() || now.Before(due) || h.flying[aloft(d)] {
			continue
		}
		if !p.launch(ctx, h, nil, d) {
			return
		}
	}
	for _, l := range []*logRange{&h.live, &h.again} {
		for l.next < len(l.pendingEvents) && h.inFlight < h.most() && h.open(now) {
			pendingEvent := l.pendingEvents[l.next]
			if h.flies(pendingEvent.record) {
				break
			}
			if h.blocked[pendingEvent.record] > 0 && pendingEvent.record != (schema.UUID{}) {
				l.next++
				p.keepBehind(h, pendingEvent, now)
				continue
			}
			probe := h.failing()
			if !p.launch(ctx, h, pendingEvent, nil) {
				return
			}
			if l.next++; probe {
				h.ProbeAt, h.dirty = now.Add(jittered(probeEvery)), true
			}
		}
	}
}

// behindSince is when the oldest change was made that a receiver which is not failing was not told of, or zero.
func (p *tenantDeliverer) behindSince() (since time.Time) {
	for _, h := range p.hooks {
		if h.Failures > 0 {
			continue
		}
		for _, c := range h.live.pendingEvents {
			if !c.done {
				if since.IsZero() || c.at.Before(since) {
					since = c.at
				}
				break
			}
		}
	}
	return since
}

// jittered is a pause that is a tenth longer or shorter, so that those that failed together do not come back together.
func jittered(d time.Duration) time.Duration { return d - d/10 + rand.N(d/5) }

// flies tells that an event of a record is on its way. What is about no record has no order.
func (h *hook) flies(record schema.UUID) bool { return record != (schema.UUID{}) && h.flying[record] }

// aloft is what is noted of a delivery while it is on its way: its record, of which nothing else goes meanwhile, or itself where it
// is about none, as a test is.
func aloft(d *queue.Delivery) schema.UUID {
	if d.Record == (schema.UUID{}) {
		return d.ID
	}
	return d.Record
}

// keepBehind has an event wait behind another of its record.
func (p *tenantDeliverer) keepBehind(h *hook, pendingEvent *pendingEvent, now time.Time) {
	pendingEvent.row = pendingEvent.delivery(h, now)
	pendingEvent.row.Status, pendingEvent.done, h.dirty = queue.DeliveryWaiting, true, true
	p.fresh = append(p.fresh, pendingEvent.row)
	h.wait(pendingEvent.row)
}

func (c *pendingEvent) delivery(h *hook, now time.Time) *queue.Delivery {
	return &queue.Delivery{
		ID:   schema.NewID(time.Now()), // ids of a process never go back, so they are of no simulated time
		Hook: h.ID, Seq: c.seq, Prev: c.prev, Event: c.name, Record: c.record, Replayed: c.replayed, CreatedAt: now,
		Request: string(c.text()),
	}
}

func (c *pendingEvent) text() []byte {
	text := append(slices.Clip(c.head), `,"prev_seq":`...)
	if c.prev == 0 {
		return append(text, "null}"...)
	}
	return append(strconv.AppendInt(text, c.prev, 10), '}')
}

// mayGo tells whether an event may be sent without keeping others waiting: always where nobody else is there, and else as many as
// the part of the processors allows that webhooks have, which those share that have something to tell.
func (p *tenantDeliverer) mayGo(now time.Time, busy bool) bool {
	since := now.Sub(p.creditAt)
	p.creditAt = now
	if !busy {
		p.credit = mostCredit
		return true
	}
	each := record.Resting(eventCost) * time.Duration(max(1, p.delivering()))
	if p.credit = min(mostCredit, p.credit+float64(since)/float64(each)); p.credit < 1 {
		return false
	}
	p.credit--
	return true
}

// takeSlot makes room for a request, and tells whether there is any; freeSlot gives it back.
func (p *tenantDeliverer) takeSlot(suspect bool) bool {
	slots, own, most := p.sound, p.flying-p.suspects, ownFlying
	if suspect {
		slots, own, most = p.suspect, p.suspects, ownSuspect
	}
	if own >= most {
		return false
	}
	select {
	case slots <- struct{}{}:
	default:
		return false
	}
	if !p.mayGo(p.Now(), p.busy()) {
		<-slots
		return false
	}
	if p.flying++; suspect {
		p.suspects++
	}
	return true
}

func (p *tenantDeliverer) freeSlot(suspect bool) {
	if p.flying--; suspect {
		p.suspects--
		<-p.suspect
		return
	}
	<-p.sound
}

// launch sends an event, and tells whether there was room for it. One that waited is read anew from the log, so that its receiver gets no
// more than they may by now who say where it is sent.
func (p *tenantDeliverer) launch(ctx context.Context, h *hook, c *pendingEvent, d *queue.Delivery) bool {
	o := outcome{hook: h, pendingEvent: c, row: d, began: p.Now(), suspect: h.Failures > 0 || h.slow}
	if !p.takeSlot(o.suspect) {
		p.starved = true
		return false
	}
	h.inFlight++
	m := Message{URL: h.url, At: o.began, Secrets: h.secrets}
	var record schema.UUID
	if c != nil {
		m.ID, m.Body, record = messageID(h.ID, c.seq, schema.UUID{}), c.text(), c.record
	} else {
		m.ID, record = messageID(h.ID, d.Seq, d.ID), aloft(d)
		o.early = o.began.Before(d.NextAt)
	}
	h.flying[record] = true
	asOf := *h // what changes of it meanwhile is for the next attempt
	go func() {
		if d != nil {
			var err error
			if o.sent, o.withdrawn, err = p.anew(ctx, &asOf, d); err != nil {
				o.stopped = true // it is the database's fault, and not the receiver's
			}
			m.Body = []byte(o.sent)
		}
		if !o.stopped && o.withdrawn == "" {
			o.receipt = p.send(ctx, m)
			o.took = p.Now().Sub(o.began)
			o.stopped = ctx.Err() != nil && !o.receipt.delivered()
		}
		p.results <- o
	}()
	return true
}
