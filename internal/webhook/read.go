package webhook

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
)

const (
	// logPageSize is how many entries of the log are read at once, and mostPages how many such pages are remembered.
	logPageSize = 200
	mostPages   = 4
	// enoughPendingEvents is how many events a webhook has ready at most before more are read for it.
	enoughPendingEvents = 100
	// askedAtOnce is how many records are asked for at once.
	askedAtOnce = 50
)

// logPage is a page of the log: the entries behind a number up to another. It does not change.
type logPage struct {
	after, end int64
	// wanted are those of its events that some patterns ask for, by the name of the patterns.
	wanted map[string][]*event
}

type event struct {
	seq      int64
	name     string
	resource string
	record   schema.UUID
	// version is what the record had after it, and by who did it.
	version int64
	by      schema.UUID
	at      time.Time
	// change is the entry as JSON, and head the whole event but for what differs between webhooks, once somebody wants it.
	change, head []byte
}

func newEvent(c store.Change) *event {
	e := &event{seq: c.Seq, name: crm.EventOf(c), record: c.RecordID, version: c.Version, by: c.Actor.User, at: c.At}
	e.resource, _, _ = strings.Cut(e.name, ".")
	return e
}

// read reads the log for those webhooks that have room. Each gets on by a page at a time, wherever it is, so that one that is far
// behind holds up no other; those that are at the same place share what is read.
func (p *tenantDeliverer) read(ctx context.Context) error {
	type reading struct {
		*hook
		*logRange
		served bool
	}
	p.unread = false
	for range mostPages {
		now := p.Now()
		var all []*reading
		for _, h := range p.hooks {
			for _, l := range []*logRange{&h.live, &h.again} {
				if h.open(now) && len(l.pendingEvents)-l.next < enoughPendingEvents && (p.end < 0 || l.at < p.end) &&
					(l == &h.live || l.at < l.to) {
					all = append(all, &reading{hook: h, logRange: l})
				}
			}
		}
		if len(all) == 0 {
			return nil
		}
		for i, r := range all {
			if r.served {
				continue
			}
			page, err := p.page(ctx, r.at)
			if err != nil {
				return err
			}
			if page == nil {
				continue
			}
			for _, other := range all[i:] {
				if other.served || other.at < page.after || other.at >= page.end {
					continue
				}
				other.served = true
				if err := p.fill(ctx, other.hook, other.logRange, page); err != nil {
					return err
				}
			}
		}
	}
	p.unread = true
	return nil
}

// page gives the page of the log that has the entry behind a number, or nil where there is none yet.
func (p *tenantDeliverer) page(ctx context.Context, at int64) (*logPage, error) {
	for _, s := range p.pages {
		if s.after <= at && at < s.end {
			return s, nil
		}
	}
	s := &logPage{after: at, end: at, wanted: map[string][]*event{}}
	asked := map[string][]string{}
	for _, h := range p.hooks {
		asked[h.asks] = h.patterns
	}
	more, err := p.tenant.Log(ctx, at, logPageSize, func(c store.Change) {
		e := newEvent(c)
		if res := record.Registry.Resource(e.resource); res != nil &&
			(res.Access.Rights || res == &crm.Webhook.Resource || res == &record.Field.Resource) {
			p.reload = p.reload || c.Seq > p.known
		}
		for asks, patterns := range asked {
			if wants(patterns, e.name) {
				s.wanted[asks] = append(s.wanted[asks], e)
				if e.change == nil {
					e.change = record.AppendChange(nil, c, true)
				}
			}
		}
		s.end = c.Seq
	})
	if err != nil {
		return nil, err
	}
	if !more {
		p.end = s.end
	}
	if s.end == at {
		return nil, nil
	}
	if p.pages = append(p.pages, s); len(p.pages) > mostPages {
		p.pages = slices.Delete(p.pages, 0, 1)
	}
	return s, nil
}

// fill adds to a log range what of a page the webhook is told of.
func (p *tenantDeliverer) fill(ctx context.Context, h *hook, l *logRange, s *logPage) error {
	var wanted []*event
	for _, e := range s.wanted[h.asks] {
		if e.seq <= l.at || l.to > 0 && e.seq > l.to || !h.plain[e.resource] && !h.asked[e.resource] {
			continue
		}
		if slices.ContainsFunc(h.waiting, func(d *queue.Delivery) bool { return d.Seq == e.seq && l == &h.live }) {
			l.last = e.seq // it was noted before the place was
			continue
		}
		wanted = append(wanted, e)
	}
	wanted, err := p.meant(ctx, h, wanted, l.at, s.end)
	if err != nil {
		return err
	}
	if err := p.render(ctx, h, wanted); err != nil {
		return err
	}
	for _, e := range wanted {
		l.pendingEvents = append(l.pendingEvents, &pendingEvent{event: e, prev: l.last, replayed: l == &h.again})
		l.last = e.seq
	}
	l.at = s.end
	if l.to > 0 {
		l.at = min(l.at, l.to)
	}
	return nil
}

// meant leaves of some events from behind a number of the log up to another those that the webhook is told of: of what its maker may
// read, and what its filters find.
func (p *tenantDeliverer) meant(ctx context.Context, h *hook, events []*event, after, end int64) ([]*event, error) {
	events = slices.DeleteFunc(events, func(e *event) bool { return !h.plain[e.resource] && !h.asked[e.resource] })
	if slices.ContainsFunc(events, func(e *event) bool { return h.asked[e.resource] }) {
		seen := map[int64]bool{}
		for after < end {
			most := int(min(logPageSize, end-after))
			_, next, err := p.tenant.Feed(ctx, after, most, h.may, h.who.User, func(c store.Change) { seen[c.Seq] = true })
			if err != nil {
				return nil, err
			}
			if next <= after {
				break
			}
			after = next
		}
		events = slices.DeleteFunc(events, func(e *event) bool { return !seen[e.seq] })
	}
	return p.sift(ctx, h, events)
}

// anew gives what is sent of a delivery that waits, as it is by now, or why it is not sent any more.
func (p *tenantDeliverer) anew(ctx context.Context, h *hook, d *queue.Delivery) (text, withdrawn string, err error) {
	const (
		erased  = "What it told of was erased."
		changed = "What the webhook is told of, or what may be read by who decided that, has changed since, " +
			"and this is not among it any more."
	)
	if d.Seq == 0 {
		return crm.TestEventBody(d), "", nil
	}
	var events []*event
	_, err = p.tenant.Log(ctx, d.Seq-1, 1, func(c store.Change) {
		e := newEvent(c)
		if e.change = record.AppendChange(nil, c, true); e.seq == d.Seq && wants(h.patterns, e.name) {
			events = append(events, e)
		}
	})
	if err != nil {
		return "", "", err
	}
	if kept, err := p.isKept(ctx, d); err != nil || !kept {
		return "", erased, err
	}
	if events, err = p.meant(ctx, h, events, d.Seq-1, d.Seq); err != nil || len(events) == 0 {
		return "", changed, err
	}
	err = p.render(ctx, h, events)
	return string((&pendingEvent{event: events[0], prev: d.Prev}).text()), "", err
}

func (p *tenantDeliverer) isKept(ctx context.Context, d *queue.Delivery) (bool, error) {
	res := tellsOf(d)
	if res == nil {
		return true, nil
	}
	for _, bin := range []bool{false, true, false} { // as find does
		if _, err := p.tenant.Get(ctx, res, d.Record, bin); !errors.Is(err, store.ErrNotFound) {
			return err == nil, err
		}
	}
	return false, nil
}

// render gives events what is sent of them, with their records as these are now.
func (p *tenantDeliverer) render(ctx context.Context, h *hook, events []*event) error {
	records := map[schema.UUID][]byte{}
	ids := map[string][]schema.UUID{}
	for _, e := range events {
		if e.head == nil && e.resource != record.Business.Name && !slices.Contains(ids[e.resource], e.record) {
			ids[e.resource] = append(ids[e.resource], e.record)
		}
	}
	for resource, all := range ids {
		if err := p.find(ctx, h, h.who.Shaped(record.Registry.Resource(resource)), nil, all, nil,
			func(id schema.UUID, _ int64, record []byte) { records[id] = record }); err != nil {
			return err
		}
	}
	for _, e := range events {
		if e.head != nil {
			continue
		}
		head := append(schema.AppendTime(append(schema.AppendString([]byte(`{"type":`), e.name), `,"timestamp":"`...), e.at), '"')
		head = append(append(head, `,"data":`...), e.change[:len(e.change)-1]...)
		head = append(head, `,"record":`...)
		if record := records[e.record]; record != nil {
			head = append(head, record...)
		} else {
			head = append(head, "null"...)
		}
		head = append(head, `},"seq":`...)
		e.head = strconv.AppendInt(head, e.seq, 10)
	}
	return nil
}

// find hands those of some records to each that filters find, live or deleted, as JSON with some fields, or all where these are
// nil. Those that are not found are looked for once more among the live ones: they may have been restored just when they were
// looked for.
func (p *tenantDeliverer) find(ctx context.Context, h *hook, res *schema.Resource, filters []body.Node, ids []schema.UUID, fields []string,
	each func(schema.UUID, int64, []byte),
) error {
	found := map[schema.UUID]bool{}
	for _, bin := range []bool{false, true, false} {
		if len(ids) == 0 {
			break
		}
		err := p.findIn(ctx, h, res, bin, filters, ids, fields, func(id schema.UUID, version int64, record []byte) {
			found[id] = true
			each(id, version, record)
		})
		if err != nil {
			return err
		}
		ids = slices.DeleteFunc(slices.Clone(ids), func(id schema.UUID) bool { return found[id] })
	}
	return nil
}

// search is what a webhook's maker would search for, or nil where the filters do not make sense any more, or not to them.
func (h *hook) search(ctx context.Context, res *schema.Resource, bin bool, filters []body.Node, fields []string) (*query.Query, error) {
	search := body.Node{Kind: body.Object, Members: []body.Member{
		{Name: "filters", Value: body.Node{Kind: body.Array, Items: filters}},
		{Name: "limit", Value: body.Node{Kind: body.Number, Text: "100"}},
	}}
	if fields != nil {
		names := body.Node{Kind: body.Array}
		for _, name := range fields {
			names.Items = append(names.Items, body.Node{Kind: body.String, Text: name})
		}
		search.Members = append(search.Members, body.Member{Name: "fields", Value: names})
	}
	q, err := query.Check(search, res, bin, h.who.Reader(ctx), nil, query.Asker{})
	if err != nil {
		if problem.As(err) == nil {
			return nil, err
		}
		return nil, nil
	}
	q.Uncounted, q.User = true, h.who.User
	for i := range q.Filters {
		q.Filters[i].Linked.User = h.who.User
	}
	return q, nil
}

func (p *tenantDeliverer) findIn(ctx context.Context, h *hook, res *schema.Resource, bin bool, filters []body.Node, ids []schema.UUID,
	fields []string, each func(schema.UUID, int64, []byte),
) error {
	for some := range slices.Chunk(ids, askedAtOnce) {
		values := body.Node{Kind: body.Array}
		for _, id := range some {
			values.Items = append(values.Items, body.Node{Kind: body.String, Text: schema.FormatID(res.Name, id)})
		}
		among := body.Node{Kind: body.Object, Members: []body.Member{
			{Name: "field", Value: body.Node{Kind: body.String, Text: res.Common.ID.Path}},
			{Name: "operator", Value: body.Node{Kind: body.String, Text: string(query.In)}},
			{Name: "values", Value: values},
		}}
		q, err := h.search(ctx, res, bin, append(slices.Clip(filters), among), fields)
		if err != nil || q == nil {
			return err
		}
		id, version := slices.Index(q.Leaves, q.Resource.Common.ID), slices.Index(q.Leaves, q.Resource.Common.Version)
		page, err := p.tenant.Search(ctx, q, func(row []schema.Value) error {
			each(row[id].UUID(), row[version].N, q.AppendRecord(nil, row))
			return nil
		})
		if err != nil {
			return err
		}
		if page.More && len(some) > 1 { // they are too large for one page
			for part := range slices.Chunk(some, (len(some)+1)/2) {
				if err := p.findIn(ctx, h, res, bin, filters, part, fields, each); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func wants(patterns []string, event string) bool {
	dot := strings.IndexByte(event, '.') + 1
	return slices.ContainsFunc(patterns, func(p string) bool {
		return p == event || p == "*" || len(p) == dot+1 && p[dot] == '*' && p[:dot] == event[:dot]
	})
}
