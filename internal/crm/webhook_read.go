package crm

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"kith/internal/body"
	"kith/internal/problem"
	"kith/internal/query"
	"kith/internal/schema"
	"kith/internal/store"
)

const (
	// logSheetSize is how many entries of the log are read at once, and mostSheets how many such pages are remembered.
	logSheetSize = 200
	mostSheets   = 4
	// enoughParcels is how many events a webhook has ready at most before more are read for it.
	enoughParcels = 100
	// askedAtOnce is how many records are asked for at once.
	askedAtOnce = 50
)

// logSheet is a page of the log: the entries behind a number up to another. It does not change.
type logSheet struct {
	after, end int64
	// wanted are those of its events that some patterns ask for, by the name of the patterns.
	wanted map[string][]*event
}

// event is an entry of the log as it is told to webhooks.
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

// read reads the log for those webhooks that have room. Each gets on by a page at a time, wherever it is, so that one that is far behind holds up no other; those that are at the same place share
// what is read.
func (p *post) read(ctx context.Context) error {
	type reading struct {
		*hook
		*lane
		served bool
	}
	p.unread = false
	for range mostSheets {
		now := time.Now()
		var all []*reading
		for _, h := range p.hooks {
			for _, l := range []*lane{&h.live, &h.again} {
				if h.open(now) && len(l.parcels)-l.next < enoughParcels && (p.end < 0 || l.at < p.end) && (l == &h.live || l.at < l.to) {
					all = append(all, &reading{hook: h, lane: l})
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
			sheet, err := p.sheet(ctx, r.at)
			if err != nil {
				return err
			}
			if sheet == nil {
				continue
			}
			for _, other := range all[i:] {
				if other.served || other.at < sheet.after || other.at >= sheet.end {
					continue
				}
				other.served = true
				if err := p.fill(ctx, other.hook, other.lane, sheet); err != nil {
					return err
				}
			}
		}
	}
	p.unread = true
	return nil
}

// sheet gives the page of the log that has the entry behind a number, or nil where there is none yet.
func (p *post) sheet(ctx context.Context, at int64) (*logSheet, error) {
	for _, s := range p.pages {
		if s.after <= at && at < s.end {
			return s, nil
		}
	}
	s := &logSheet{after: at, end: at, wanted: map[string][]*event{}}
	asked := map[string][]string{}
	for _, h := range p.hooks {
		asked[h.asks] = h.patterns
	}
	more, err := p.tenant.Log(ctx, at, logSheetSize, func(c store.Change) {
		e := &event{seq: c.Seq, name: strings.Clone(eventOf(c)), record: c.RecordID, version: c.Version, by: c.Actor.User, at: c.At}
		e.resource, _, _ = strings.Cut(e.name, ".")
		if res := Registry.Resource(e.resource); res != nil && (res.Rights || res == &webhook.Resource || res == &field.Resource) {
			p.reload = p.reload || c.Seq > p.known
		}
		for asks, patterns := range asked {
			if wants(patterns, e.name) {
				s.wanted[asks] = append(s.wanted[asks], e)
				if e.change == nil {
					e.change = AppendChange(nil, c, true)
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
	if p.pages = append(p.pages, s); len(p.pages) > mostSheets {
		p.pages = slices.Delete(p.pages, 0, 1)
	}
	return s, nil
}

// fill adds to a lane what of a page the webhook is told of.
func (p *post) fill(ctx context.Context, h *hook, l *lane, s *logSheet) error {
	var wanted []*event
	asks := false
	for _, e := range s.wanted[h.asks] {
		if e.seq <= l.at || l.to > 0 && e.seq > l.to || !h.plain[e.resource] && !h.asked[e.resource] {
			continue
		}
		if slices.ContainsFunc(h.waiting, func(d *store.Delivery) bool { return d.Seq == e.seq && l == &h.live }) {
			l.last = e.seq // it was noted before the place was
			continue
		}
		wanted = append(wanted, e)
		asks = asks || h.asked[e.resource]
	}
	if asks {
		seen := map[int64]bool{}
		for at := l.at; at < s.end; {
			_, next, err := p.tenant.Feed(ctx, at, logSheetSize, h.may, h.who.User, func(c store.Change) { seen[c.Seq] = true })
			if err != nil {
				return err
			}
			if next <= at {
				break
			}
			at = next
		}
		wanted = slices.DeleteFunc(wanted, func(e *event) bool { return !seen[e.seq] })
	}
	wanted, err := p.sift(ctx, h, wanted)
	if err != nil {
		return err
	}
	if err := p.render(ctx, h, wanted); err != nil {
		return err
	}
	for _, e := range wanted {
		l.parcels = append(l.parcels, &parcel{event: e, prev: l.last, replayed: l == &h.again})
		l.last = e.seq
	}
	l.at = s.end
	if l.to > 0 {
		l.at = min(l.at, l.to)
	}
	return nil
}

// render gives events what is sent of them, with their records as these are now.
func (p *post) render(ctx context.Context, h *hook, events []*event) error {
	records := map[schema.UUID][]byte{}
	ids := map[string][]schema.UUID{}
	for _, e := range events {
		if e.head == nil && e.resource != Business.Name && !slices.Contains(ids[e.resource], e.record) {
			ids[e.resource] = append(ids[e.resource], e.record)
		}
	}
	for resource, all := range ids {
		if err := p.find(ctx, h, h.who.Shaped(Registry.Resource(resource)), nil, all, nil, func(id schema.UUID, _ int64, record []byte) { records[id] = record }); err != nil {
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

// find hands those of some records to each that filters find, live or deleted, as JSON with some fields, or all where these are nil. Those that are not found are looked for once more among
// the live ones: they may have been restored just when they were looked for.
func (p *post) find(ctx context.Context, h *hook, res *schema.Resource, filters []body.Node, ids []schema.UUID, fields []string, each func(schema.UUID, int64, []byte)) error {
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
	q, err := query.Check(search, res, bin, h.who.reader(ctx), nil, query.Asker{})
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

// findIn finds among live or among deleted records.
func (p *post) findIn(ctx context.Context, h *hook, res *schema.Resource, bin bool, filters []body.Node, ids []schema.UUID, fields []string, each func(schema.UUID, int64, []byte)) error {
	for some := range slices.Chunk(ids, askedAtOnce) {
		values := body.Node{Kind: body.Array}
		for _, id := range some {
			values.Items = append(values.Items, body.Node{Kind: body.String, Text: schema.FormatID(res.Name, id)})
		}
		among := body.Node{Kind: body.Object, Members: []body.Member{
			{Name: "field", Value: body.Node{Kind: body.String, Text: res.Common.ID.Path}}, {Name: "operator", Value: body.Node{Kind: body.String, Text: string(query.In)}}, {Name: "values", Value: values},
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
