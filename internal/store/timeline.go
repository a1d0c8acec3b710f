package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"kith/internal/schema"
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

// Moment is a place in a timeline: behind everything that comes up to its time, rank and id, and behind the entry of the record's log numbered Seq; 0 is none.
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

// moment is an event that is known by its place alone.
type moment struct {
	Moment
	source *Source // nil is a change
	// change is all of a change that was read together with its place.
	change *Change
}

// timeliner reads one page of a timeline.
type timeliner struct {
	t Tenant
	Timeline
	c    conn
	part string // of the spread tables, in which the business lies
	each func(Event)
	// next is where the next page begins, once anything is passed, and more tells that there is one.
	next   Moment
	passed bool
	more   bool
	// weight is what the events take as JSON.
	weight int
}

// Timeline hands the events of a page to each, and tells where the next one begins, or nil where there is none. The values of a record are valid until each returns.
func (t Tenant) Timeline(ctx context.Context, q Timeline, each func(Event)) (next *Moment, err error) {
	r := &timeliner{t: t, Timeline: q, each: each}
	err = t.read(ctx, func(c conn) error {
		r.c = c
		return t.s.engine.together(ctx, c, t, func() error {
			moments, err := r.moments(ctx)
			if err != nil {
				return err
			}
			return r.events(ctx, moments)
		})
	})
	if err != nil || !r.more {
		return nil, err
	}
	return &r.next, nil
}

// moments finds what the page consists of: the next records of each source, and the next entries of the log, merged.
func (r *timeliner) moments(ctx context.Context) ([]moment, error) {
	there := false
	part, err := r.t.s.engine.part(ctx, r.c, r.t.id)
	if err != nil {
		return nil, err
	}
	r.part = part
	err = r.t.askWhole(ctx, r.c, part, r.Resource, r.ID, func(rec *schema.Record) error {
		there = true
		return r.May(rec)
	})
	lists := make([][]moment, len(r.Sources)+1)
	for i := range r.Sources {
		s, list := &r.Sources[i], &lists[i]
		if err == nil {
			b := r.t.within(r.part)
			err = r.c.ask(ctx, r.recordMoments(b, s), b.args, func(row row) error {
				*list = append(*list, moment{Moment: Moment{At: row.Value(0, schema.Time).Time(), Rank: s.Rank, ID: row.Value(1, schema.ID).UUID()}, source: s})
				return nil
			})
		}
	}
	linked := map[string][]schema.Value{}
	if err == nil && r.Links != nil {
		b := r.t.within(r.part)
		err = r.c.ask(ctx, r.linked(b), b.args, func(row row) error {
			far := strings.Clone(row.Value(0, schema.Text).S)
			linked[far] = append(linked[far], schema.IDValue(row.Value(1, schema.ID).UUID()))
			return nil
		})
	}
	changes := &lists[len(r.Sources)]
	if err == nil {
		b := r.t.within(r.part)
		err = r.c.query(ctx, r.changeMoments(b), b.args, func(row row) error {
			m := moment{Moment: Moment{Rank: changeRank}}
			if r.whole() {
				c := scanChange(row)
				m.Seq, m.At, m.change = c.Seq, c.At, &c
			} else {
				m.Seq, m.At = row.Value(0, schema.Integer).N, row.Value(1, schema.Time).Time()
			}
			*changes = append(*changes, m)
			return nil
		})
	}
	if err == nil && !there {
		err = ErrNotFound
	}
	newest := *changes
	if err == nil && len(linked) > 0 {
		lists, err = r.linkedMoments(ctx, lists, linked)
	}
	return r.merge(lists, newest), err
}

// mostLinked is how many linked records a timeline looks at.
const mostLinked = 10_000

// linked selects what the timeline's record is linked with, of the resources that stand in timelines.
func (r *timeliner) linked(b *builder) string {
	var resources []string
	for _, s := range r.Sources {
		resources = append(resources, s.Resource.Name)
	}
	where := []string{"e.business_id = " + b.tenantMark(), "e.near = '" + r.Resource.Name + "'", "e.far IN ('" + strings.Join(resources, "', '") + "')", "e.live = 1", "e.near_id = " + b.arg(schema.IDValue(r.ID))}
	if r.Links.Own {
		where = append(where, b.someOf("l", r.Links.Via, "e.link_id", r.User))
	}
	return "SELECT e.far, e.far_id FROM " + endTableName(r.Links.Via) + " e WHERE " + strings.Join(where, " AND ") + fmt.Sprintf(" LIMIT %d", mostLinked)
}

// linkedMoments adds the next of the linked records to those that references lead to. Some may be among both.
func (r *timeliner) linkedMoments(ctx context.Context, lists [][]moment, linked map[string][]schema.Value) ([][]moment, error) {
	for i := range r.Sources {
		s := &r.Sources[i]
		ids := linked[s.Resource.Name]
		delete(linked, s.Resource.Name) // which another reference of it need not ask for again
		if len(ids) == 0 {
			continue
		}
		var list []moment
		b := r.t.within(r.part)
		err := r.c.query(ctx, r.momentsWhere(b, s, "", b.d.among(b, "t.id", ids)), b.args, func(row row) error {
			list = append(list, moment{Moment: Moment{At: row.Value(0, schema.Time).Time(), Rank: s.Rank, ID: row.Value(1, schema.ID).UUID()}, source: s})
			return nil
		})
		if err != nil {
			return nil, err
		}
		lists = append(lists, list)
	}
	return lists, nil
}

// recordMoments selects the next records of a source by their places alone, out of the index that has them in order.
func (r *timeliner) recordMoments(b *builder, s *Source) string {
	return r.momentsWhere(b, s, b.d.indexedBy(s.index()), "t."+s.Via.Column.Name+" = "+b.arg(schema.IDValue(r.ID)))
}

// momentsWhere selects the next records of a source of which a condition holds, by their places alone.
func (r *timeliner) momentsWhere(b *builder, s *Source, indexedBy, condition string) string {
	direction, _ := r.direction()
	at := "t." + s.Resource.HappensAt.Column.Name
	where := []string{"t.business_id = " + b.tenantMark(), condition, "t." + live}
	if s.Own {
		where = append(where, b.own("t", s.Resource, r.User))
	}
	if r.After != nil {
		where = append(where, r.behind(b, s, at))
	}
	return "SELECT " + at + ", t.id" +
		" FROM " + b.table(s.Resource) + " t" + indexedBy +
		" WHERE " + strings.Join(where, " AND ") +
		fmt.Sprintf(" ORDER BY %s %[2]s, t.id %[2]s LIMIT %d", at, direction, r.Limit+1)
}

// index is the one that has a source's records in the order of a timeline.
func (s *Source) index() string {
	if s.Resource.HappensAt == s.Resource.Common.CreatedAt {
		return s.Resource.Name + "_" + filterIndex(s.Via)
	}
	return s.Resource.Name + "_" + timelineIndex(s.Via)
}

// behind is the condition that a record of a source comes after the place where the page begins.
func (r *timeliner) behind(b *builder, s *Source, at string) string {
	_, sign := r.direction()
	when := b.arg(schema.TimeValue(r.After.At))
	switch {
	case s.Rank == r.After.Rank:
		return fmt.Sprintf("(%s, t.id) %s (%s, %s)", at, sign, when, b.arg(schema.IDValue(r.After.ID)))
	case s.Rank < r.After.Rank == r.Desc: // it comes after the other kind at the same time
		return at + " " + sign + "= " + when
	default:
		return at + " " + sign + " " + when
	}
}

// whole tells that the next entries of the log are read together with their places: asking again would cost more, and they are no more than a page of the history.
func (r *timeliner) whole() bool { return r.Limit <= partOfTimeline }

// changeMoments selects the next entries of the log, by their places alone unless they are read whole.
func (r *timeliner) changeMoments(b *builder) string {
	after := int64(0)
	if r.After != nil {
		after = r.After.Seq
	}
	from, where := b.logOf(r.Resource, r.ID)
	columns := "t.seq, t.at"
	if r.whole() {
		columns = changeColumns
	}
	return b.log(columns, from, where, after, r.Desc, r.Limit+1)
}

func (r *timeliner) direction() (word, sign string) {
	if r.Desc {
		return "DESC", "<"
	}
	return "ASC", ">"
}

// before tells whether one place comes before another.
func (r *timeliner) before(a, b Moment) bool {
	order := cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Rank, b.Rank), strings.Compare(string(a.ID[:]), string(b.ID[:])))
	if r.Desc {
		return order > 0
	}
	return order < 0
}

// merge puts lists into one order, each of which has its own already, and notes whether there are more than the page takes. changes is the one of the log.
func (r *timeliner) merge(lists [][]moment, changes []moment) (page []moment) {
	if r.After != nil {
		r.next, r.passed = *r.After, true
	}
	if r.Desc && r.next.Seq == 0 { // what comes on top from now on does not belong to the pages behind this one
		r.next.Seq = 1
		if len(changes) > 0 {
			r.next.Seq = changes[0].Seq + 1
		}
	}
	for {
		var first *[]moment
		for i := range lists {
			if list := &lists[i]; len(*list) > 0 && (first == nil || r.before((*list)[0].Moment, (*first)[0].Moment)) {
				first = list
			}
		}
		if first != nil && len(page) > 0 && page[len(page)-1].Moment == (*first)[0].Moment && (*first)[0].source != nil {
			*first = (*first)[1:] // it is linked with the record, and refers to it as well
			continue
		}
		if r.more = first != nil; !r.more || len(page) == r.Limit {
			return page
		}
		page = append(page, (*first)[0])
		*first = (*first)[1:]
	}
}

// partOfTimeline is how many events are read before it is known how large they are.
const partOfTimeline = 25

// events reads what the page consists of, and hands it on until the page has enough.
func (r *timeliner) events(ctx context.Context, page []moment) error {
	for done, part := 0, partOfTimeline; done < len(page); {
		next := page[done:min(done+part, len(page))]
		events, err := r.read(ctx, next)
		if err != nil {
			return err
		}
		for i, e := range events {
			r.pass(next[i])
			if e == nil { // it has gone meanwhile
				continue
			}
			if r.weight += weight(e.Values) + len(e.Change.Changes) + entryWeight; r.weight >= MaxPage {
				r.more = r.more || done+i+1 < len(page)
				r.each(*e)
				return nil
			}
			r.each(*e)
		}
		done += len(next)
		part = max(1, (MaxPage-r.weight)*done/max(1, r.weight))
	}
	return nil
}

// pass notes that the next page begins behind an event, too. An entry of the log with a time from before the place leaves that as it is.
func (r *timeliner) pass(m moment) {
	seq := r.next.Seq
	if m.source == nil {
		seq = m.Seq
	}
	if !r.passed || r.before(r.next, m.Moment) {
		r.next, r.passed = m.Moment, true
	}
	r.next.Seq = seq
}

// read reads some events of the page, in its order. Those that have gone meanwhile are nil.
func (r *timeliner) read(ctx context.Context, part []moment) ([]*Event, error) {
	events := make([]*Event, len(part))
	for i, m := range part {
		if m.change != nil {
			events[i] = &Event{At: m.At, Change: *m.change}
		}
	}
	type statement struct {
		sql  string
		args []schema.Value
		each func(row) error
	}
	var statements []statement
	for _, s := range r.Sources {
		var ids []schema.Value
		for _, m := range part {
			if m.source != nil && m.Rank == s.Rank {
				ids = append(ids, schema.IDValue(m.ID))
			}
		}
		if len(ids) == 0 {
			continue
		}
		b := r.t.within(r.part)
		leaves := s.Resource.Visible(false)
		sql := "SELECT " + b.selected(s.Resource, leaves) + " FROM " + b.table(s.Resource) + " t" +
			" WHERE t.business_id = " + b.tenantMark() + " AND " + b.d.among(b, "t.id", ids) + " AND t." + live
		statements = append(statements, statement{sql, b.args, func(row row) error {
			values := make([]schema.Value, len(leaves))
			for i, l := range leaves {
				values[i] = row.Value(i, l.Kind)
			}
			keepTexts(values)
			id := values[s.Resource.Common.ID.Index].UUID()
			at := slices.IndexFunc(part, func(m moment) bool { return m.source != nil && m.Rank == s.Rank && m.ID == id })
			events[at] = &Event{At: part[at].At, Resource: s.Resource, Values: values}
			return nil
		}})
	}
	var seqs []int64
	for _, m := range part {
		if m.source == nil && m.change == nil {
			seqs = append(seqs, m.Seq)
		}
	}
	if len(seqs) > 0 { // which follow one another in the log of the record
		b := r.t.within(r.part)
		from, where := b.logOf(r.Resource, r.ID)
		where = append(where,
			"t.seq >= "+b.arg(schema.IntValue(schema.Integer, slices.Min(seqs))), "t.seq <= "+b.arg(schema.IntValue(schema.Integer, slices.Max(seqs))))
		statements = append(statements, statement{b.log(changeColumns, from, where, 0, r.Desc, len(seqs)), b.args, func(row row) error {
			c := scanChange(row)
			at := slices.IndexFunc(part, func(m moment) bool { return m.source == nil && m.Seq == c.Seq })
			events[at] = &Event{At: c.At, Change: c}
			return nil
		}})
	}
	for i, s := range statements {
		run := r.c.ask
		if i == len(statements)-1 {
			run = r.c.query
		}
		if err := run(ctx, s.sql, s.args, s.each); err != nil {
			return nil, err
		}
	}
	return events, nil
}
