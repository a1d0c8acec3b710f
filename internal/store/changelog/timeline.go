package changelog

import (
	"bytes"
	"cmp"
	"context"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/layout"
	"github.com/kith-crm/kith/internal/store/search"
)

// Source is a kind of records that stand in a timeline: those that lead to its record by a reference.
type Source struct {
	Resource *schema.Resource
	Via      *schema.Leaf
	// Rank orders what happened at the same time by its kind. Changes of the record itself rank above all sources.
	Rank int
	// Own limits them to the acting user's own.
	Own bool
}

// Timeline asks for a page of what happened around a record.
type Timeline struct {
	Resource *schema.Resource
	ID       schema.UUID
	// Sources are what the acting user may read of it.
	Sources []Source
	// Links are by what else records of the sources' resources stand in it: those that are linked with its record.
	Links *Links
	User  schema.UUID
	// Desc begins with the newest.
	Desc  bool
	Limit int
	// After is where the page begins, or nil.
	After *Moment
	// May decides whether the timeline may be read, by the record as it is now, be it live or deleted.
	May func(*schema.Record) error
}

// Links are those that somebody may read.
type Links struct {
	Via *schema.Resource
	// Own limits them to the acting user's own.
	Own bool
}

// Moment is a place in a timeline: behind everything that comes up to its time, rank and id, and behind the entry of the record's
// log numbered Seq; 0 is none.
//
// The log is followed by its own numbers and not by its times, because those of a record that was brought in with a past need not rise.
type Moment struct {
	At   time.Time
	Rank int
	ID   schema.UUID
	Seq  int64
}

// Event is one thing that happened: a record of a source, or a change of the timeline's own record.
type Event struct {
	At time.Time
	// Resource is that of the record, whose visible leaves have the Values; nil is a change.
	Resource *schema.Resource
	Values   []schema.Value
	Change   Change
}

// changeRank is the rank of changes.
const changeRank = 1 << 10

// firstOfLog is how many entries of the log are read before it is known how large they are.
const firstOfLog = 26

// firstOfSource is how many records of each source are read at first. Few pages consist of one kind alone, so mostly these are
// enough, and all are known after one trip.
func (r *timeliner) firstOfSource() int { return min(r.Limit/3+1, firstOfLog) }

// strand is one of the lists that a timeline is merged of: the records of a source, or the log. It is read as far as the page needs it.
type strand struct {
	// source is nil for the log.
	source *Source
	// among are the records that are linked with the timeline's, for the list of these; nil is the list of those that refer to it.
	among []schema.Value
	// after is where reading goes on; nil is at the beginning.
	after *Moment
	// read are the events that are read and not yet passed, and ended tells that there are no others behind them.
	read  []event
	ended bool
}

// event is one with its place.
type event struct {
	Event
	place Moment
}

// timeliner reads one page of a timeline.
type timeliner struct {
	Log
	Timeline
	each    func(Event)
	strands []*strand
	// next is where the next page begins, once anything is passed, and more tells that there is one.
	next   Moment
	passed bool
	more   bool
	// sent is how many events the page has, and weight is what they take as JSON.
	sent   int
	weight int
}

// Timeline hands the events of a page to each, and tells where the next one begins, or nil where there is none. The values of a
// record are valid until each returns.
func (l Log) Timeline(ctx context.Context, q Timeline, each func(Event)) (next *Moment, err error) {
	r := &timeliner{Log: l, Timeline: q, each: each}
	there := false
	sql, args, scan := l.readable(q.Resource, q.ID)
	err = l.of.Planner.Together(ctx, l.c, sql, args, func(row engine.Row) error {
		there = true
		return q.May(scan(row))
	}, func() error {
		linked, err := r.begin(ctx)
		if err != nil || !there {
			return err
		}
		if err := r.beginLinked(ctx, linked); err != nil {
			return err
		}
		return r.merge(ctx)
	})
	if err == nil && !there {
		err = engine.ErrNotFound
	}
	if err != nil || !r.more {
		return nil, err
	}
	return &r.next, nil
}

// begin reads the first of each strand, and which records are linked with the timeline's, by their resource.
func (r *timeliner) begin(ctx context.Context) (linked map[string][]schema.Value, err error) {
	for i := range r.Sources {
		r.strands = append(r.strands, &strand{source: &r.Sources[i], after: r.After})
	}
	if r.Links != nil {
		b := r.within()
		linked = map[string][]schema.Value{}
		err = r.c.Ask(ctx, r.linked(b), b.Values, func(row engine.Row) error {
			far := row.Value(0, schema.Text).S
			linked[far] = append(linked[far], schema.IDValue(row.Value(1, schema.ID).UUID()))
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	log := &strand{after: r.After}
	r.strands = append(r.strands, log)
	err = r.read(ctx, r.strands, func(s *strand) int {
		if s == log {
			return min(r.Limit+1, firstOfLog)
		}
		return r.firstOfSource()
	})
	if r.After != nil {
		r.next, r.passed = *r.After, true
	}
	if r.Desc && r.next.Seq == 0 { // what comes on top from now on does not belong to the pages behind this one
		r.next.Seq = 1
		if len(log.read) > 0 {
			r.next.Seq = log.read[0].place.Seq + 1
		}
	}
	return linked, err
}

// beginLinked adds the strands of what is linked with the record. Some may be among those that refer to it, too.
func (r *timeliner) beginLinked(ctx context.Context, linked map[string][]schema.Value) error {
	var strands []*strand
	for i := range r.Sources {
		s := &r.Sources[i]
		if ids := linked[s.Resource.Name]; len(ids) > 0 {
			strands = append(strands, &strand{source: s, among: ids, after: r.After})
			delete(linked, s.Resource.Name) // which another reference of it need not ask for again
		}
	}
	r.strands = append(r.strands, strands...)
	return r.read(ctx, strands, func(*strand) int { return r.firstOfSource() })
}

// read reads the next of some strands that have nothing left, of each as many as are wanted, in one trip.
func (r *timeliner) read(ctx context.Context, strands []*strand, wanted func(*strand) int) error {
	for i, s := range strands {
		run := r.c.Ask
		if i == len(strands)-1 {
			run = r.c.Query
		}
		s.read = nil
		b, scan := r.within(), r.scanChange
		sql := ""
		if s.source == nil {
			sql = r.selectChanges(b, s, wanted(s))
		} else {
			sql, scan = r.selectRecords(b, s, wanted(s)), s.source.scan
		}
		if err := run(ctx, sql, b.Values, func(row engine.Row) error {
			s.read = append(s.read, scan(row))
			return nil
		}); err != nil {
			return err
		}
	}
	for _, s := range strands {
		if s.ended = len(s.read) < wanted(s); len(s.read) > 0 {
			after := s.read[len(s.read)-1].place
			s.after = &after
		}
	}
	return nil
}

// merge hands on the events of all strands in their order, until the page has enough.
func (r *timeliner) merge(ctx context.Context) error {
	var last Moment
	for {
		full := r.sent == r.Limit || r.weight >= search.MaxPage
		if err := r.fill(ctx); err != nil {
			return err
		}
		var first *strand
		for _, s := range r.strands {
			if len(s.read) > 0 && (first == nil || r.before(&s.read[0].place, &first.read[0].place)) {
				first = s
			}
		}
		if first == nil {
			return nil
		}
		e := &first.read[0]
		first.read = first.read[1:]
		if r.sent > 0 && e.Resource != nil && e.place == last {
			continue // it is linked with the record, and refers to it as well
		}
		if full {
			r.more = true
			return nil
		}
		last = e.place
		r.sent++
		r.weight += search.Weight(e.Values) + len(e.Change.Changes) + entryWeight
		r.pass(e)
		r.each(e.Event)
	}
}

// fill reads on in the strands of which nothing is left, so that the first of all is known.
func (r *timeliner) fill(ctx context.Context) error {
	var drained []*strand
	for _, s := range r.strands {
		if len(s.read) == 0 && !s.ended {
			drained = append(drained, s)
		}
	}
	if len(drained) == 0 {
		return nil
	}
	wanted := r.Limit + 1 - r.sent
	if r.sent > 0 { // as large as those that are known, the page takes only so many
		wanted = min(wanted, max(1, (search.MaxPage-r.weight)*r.sent/r.weight))
	}
	wanted = 1 << bits.Len(uint(wanted-1)) // so that there are few statements, each of which a connection keeps
	return r.read(ctx, drained, func(*strand) int { return wanted })
}

// mostLinked is how many linked records a timeline looks at.
const mostLinked = 10_000

// linked selects what the timeline's record is linked with, of the resources that stand in timelines.
func (r *timeliner) linked(b *search.Builder) string {
	var resources []string
	for _, s := range r.Sources {
		resources = append(resources, s.Resource.Name)
	}
	where := []string{
		"e.business_id = " + b.TenantMark(), "e.near = '" + r.Resource.Name + "'",
		"e.far IN ('" + strings.Join(resources, "', '") + "')", "e.live = 1", "e.near_id = " + b.Arg(schema.IDValue(r.ID)),
	}
	if r.Links.Own {
		where = append(where, b.SomeOf("l", r.Links.Via, "e.link_id", r.User))
	}
	return "SELECT e.far, e.far_id FROM " + layout.EndTable(r.Links.Via) + " e" +
		" WHERE " + strings.Join(where, " AND ") + " LIMIT " + strconv.Itoa(mostLinked)
}

// selectRecords selects the next records of a source: out of the index that has them in order where they refer to the timeline's record.
func (r *timeliner) selectRecords(b *search.Builder, s *strand, most int) string {
	direction, _ := search.Direction(r.Desc)
	at := "t." + s.source.Resource.HappensAt.Column.Name
	columns := b.Selected(s.source.Resource, s.source.Resource.Visible(false))
	indexedBy, which := "", ""
	if s.among == nil {
		indexedBy, which = b.Dialect.IndexedBy(s.source.index()), "t."+s.source.Via.Column.Name+" = "+b.Arg(schema.IDValue(r.ID))
	} else {
		which = b.Dialect.Among(&b.Arguments, "t.id", s.among)
	}
	where := "t.business_id = " + b.TenantMark() + " AND " + which + " AND t." + engine.Live
	if s.source.Own {
		where += " AND " + b.Own("t", s.source.Resource, r.User)
	}
	if s.after != nil {
		where += " AND " + r.behind(b, s, at)
	}
	return "SELECT " + columns +
		" FROM " + b.Table(s.source.Resource) + " t" + indexedBy +
		" WHERE " + where +
		" ORDER BY " + at + " " + direction + ", t.id " + direction + " LIMIT " + strconv.Itoa(most)
}

// scan reads a record of a source.
func (s *Source) scan(row engine.Row) event {
	leaves := s.Resource.Visible(false)
	values := make([]schema.Value, len(leaves))
	for i, l := range leaves {
		values[i] = row.Value(i, l.Kind)
	}
	at := values[s.Resource.HappensAt.Index].Time()
	return event{
		Event{At: at, Resource: s.Resource, Values: values},
		Moment{At: at, Rank: s.Rank, ID: values[s.Resource.Common.ID.Index].UUID()},
	}
}

// index is the one that has a source's records in the order of a timeline.
func (s *Source) index() string {
	if s.Resource.HappensAt == s.Resource.Common.CreatedAt {
		return s.Resource.Name + "_" + layout.FilterIndex(s.Via)
	}
	return s.Resource.Name + "_" + layout.TimelineIndex(s.Via)
}

// behind is the condition that a record of a source comes after the place where a strand goes on.
func (r *timeliner) behind(b *search.Builder, s *strand, at string) string {
	_, sign := search.Direction(r.Desc)
	when := b.Arg(schema.TimeValue(s.after.At))
	switch {
	case s.source.Rank == s.after.Rank:
		return "(" + at + ", t.id) " + sign + " (" + when + ", " + b.Arg(schema.IDValue(s.after.ID)) + ")"
	case s.source.Rank < s.after.Rank == r.Desc: // it comes after the other kind at the same time
		return at + " " + sign + "= " + when
	default:
		return at + " " + sign + " " + when
	}
}

// selectChanges selects the next entries of the record's log.
func (r *timeliner) selectChanges(b *search.Builder, s *strand, most int) string {
	after := int64(0)
	if s.after != nil {
		after = s.after.Seq
	}
	from, where := Of(b, r.Resource, r.ID)
	return Entries(b, from, where, after, r.Desc, most)
}

// scanChange reads an entry of the log.
func (r *timeliner) scanChange(row engine.Row) event {
	c := Scan(row)
	return event{Event{At: c.At, Change: c}, Moment{At: c.At, Rank: changeRank, Seq: c.Seq}}
}

// before tells whether one place comes before another.
func (r *timeliner) before(a, b *Moment) bool {
	order := cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Rank, b.Rank), bytes.Compare(a.ID[:], b.ID[:]))
	if r.Desc {
		return order > 0
	}
	return order < 0
}

// pass notes that the next page begins behind an event, too. An entry of the log with a time from before the place leaves that as it is.
func (r *timeliner) pass(e *event) {
	seq := r.next.Seq
	if e.Resource == nil {
		seq = e.place.Seq
	}
	if !r.passed || r.before(&r.next, &e.place) {
		r.next, r.passed = e.place, true
	}
	r.next.Seq = seq
}
