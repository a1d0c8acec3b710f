package changelog

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
	"github.com/kith-crm/kith/internal/store/search"
)

// Span is which entries of a log are asked for: at most Limit of them behind the one numbered After, which is 0 for a first page;
// from the newest to the oldest with Desc.
type Span struct {
	After int64
	Desc  bool
	Limit int
}

// Log is the change log of a business, on one connection.
type Log struct {
	of        search.Business
	c         engine.Conn
	partition string
}

// On reads the log of a business on a connection. partition is the one of the spread tables in which the business lies, or nothing
// where that does not matter.
func On(of search.Business, c engine.Conn, partition string) Log { return Log{of, c, partition} }

// within begins a statement on the partition.
func (l Log) within() *search.Builder {
	b := l.of.Builder()
	b.Partition = l.partition
	return b
}

// logPage is a page of the change log while it is read.
type logPage struct {
	each func(Change)
	// sent is how many entries the page has, of at most whole, and at present of at most limit; weight is what they take as JSON,
	// and last the number of the last one.
	sent, whole, limit, weight int
	last                       int64
	// more tells that there is another entry behind the last.
	more bool
}

// entryWeight is how many bytes an entry has as JSON besides its changes, about.
const entryWeight = 320

// take adds an entry to the page, or gives engine.ErrFull where the page has enough and there is more.
func (p *logPage) take(c Change) error {
	if p.sent == p.limit {
		p.more = true
		return engine.ErrFull
	}
	p.sent++
	p.last = c.Seq
	if p.weight += len(c.Changes) + entryWeight; p.weight >= search.MaxPage {
		p.limit = p.sent
	}
	p.each(c)
	return nil
}

// fill reads the page, in parts where the engine has to be asked for no more than will be read. ask runs the statement for the next
// entries: those behind the last of the page, so many at most.
func (p *logPage) fill(planner search.Planner, ask func(most int) error) error {
	whole, part := p.whole, planner.FirstRecords()
	if part == 0 || part > whole-p.sent {
		part = whole - p.sent
	}
	for {
		p.limit, p.more = p.sent+part, false
		if err := ask(part + 1); err != nil && !errors.Is(err, engine.ErrFull) {
			return err
		}
		if !p.more || p.weight >= search.MaxPage || p.sent == whole {
			return nil
		}
		part = min(whole-p.sent, max(1, (search.MaxPage-p.weight)*p.sent/p.weight))
	}
}

// History hands the entries of one record's log to each. may decides whether they are read,
// by the record as it is now, be it live or deleted. It tells the number of the last entry, and whether there are more behind it.
func (l Log) History(ctx context.Context, res *schema.Resource, id schema.UUID, s Span, may func(*schema.Record) error,
	each func(Change),
) (last int64, more bool, err error) {
	p := logPage{each: each, whole: s.Limit, last: s.After}
	there := false
	sql, args, scan := l.readable(res, id)
	if err := l.c.Ask(ctx, sql, args, func(r engine.Row) error {
		there = true
		return may(scan(r))
	}); err != nil {
		return p.last, p.more, err
	}
	err = p.fill(l.of.Planner, func(most int) error {
		b := l.within()
		from, where := Of(b, res, id)
		return l.c.Query(ctx, Entries(b, from, where, p.last, s.Desc, most), b.Values, func(r engine.Row) error {
			if !there {
				return engine.ErrNotFound
			}
			return p.take(read(r))
		})
	})
	if err == nil && !there {
		err = engine.ErrNotFound
	}
	return p.last, p.more, err
}

// readable selects that of a record which decides who may read it, be it live or deleted.
func (l Log) readable(res *schema.Resource, id schema.UUID) (sql string, args []schema.Value,
	scan func(engine.Row) *schema.Record,
) {
	b := l.within()
	leaves := readableBy(res)
	columns := "t." + leaves[0].Column.Name
	for _, l := range leaves[1:] {
		columns += ", t." + l.Column.Name
	}
	sql = "SELECT " + columns +
		" FROM " + b.Table(res) + " t" +
		" WHERE t.business_id = " + b.TenantMark() + " AND t.id = " + b.Arg(schema.IDValue(id))
	return sql, b.Values, func(r engine.Row) *schema.Record {
		rec := &schema.Record{Shape: &res.Shape, Values: make([]schema.Value, len(res.Leaves))}
		for i, l := range leaves {
			rec.Values[l.Index] = r.Value(i, l.Kind)
		}
		return rec
	}
}

// readableBy are the leaves that decide who may read a record: whose it is, whether it is shared, and what it became.
func readableBy(res *schema.Resource) []*schema.Leaf {
	leaves := append([]*schema.Leaf{res.Common.ID}, res.Owners...)
	for _, l := range []*schema.Leaf{res.SharedLeaf, res.MergedInto} {
		if l != nil {
			leaves = append(leaves, l)
		}
	}
	return leaves
}

// Of is the log of one record, by the index that has it in order, and the conditions that an entry is of it.
func Of(b *search.Builder, res *schema.Resource, id schema.UUID) (from string, where []string) {
	return "change" + b.Partition + " t" + b.Dialect.IndexedBy("change_record"),
		[]string{"t.resource = " + b.Arg(schema.TextValue(schema.Text, res.Name)), "t.record_id = " + b.Arg(schema.IDValue(id))}
}

// Entries selects entries of the log in the order of their numbers, behind the one numbered after where that is not 0.
func Entries(b *search.Builder, from string, where []string, after int64, desc bool, most int) string {
	direction, sign := search.Direction(desc)
	if after != 0 {
		where = append(where, "t.seq "+sign+" "+b.Arg(room.Integer(after)))
	}
	return "SELECT " + Columns +
		" FROM " + from +
		" WHERE t.business_id = " + b.TenantMark() + " AND " + strings.Join(where, " AND ") +
		" ORDER BY t.seq " + direction + " LIMIT " + strconv.Itoa(most)
}

// Readable are the entries about records of a resource that somebody may read: all of them that are not others' alone, or those
// about records that are their own now.
type Readable struct {
	Resource *schema.Resource
	Own      bool
	// Ends limits entries about links to those whose ends may be read; nil where all may.
	Ends *query.Ends
}

// stretch is how many entries of the log a page looks through at most, whether it shows them or not. Numbers have no gaps, so it is
// a range of them.
const stretch = 5000

// glances is how many times as many numbers as a page has entries are looked through first.
const glances = 4

// Feed hands the entries of the business's log behind a number to each, in the order of commits, as far as user may read them: at
// most limit. It tells the number of the newest entry, and the one to go on behind, which may
// lie behind entries that nobody was shown.
func (l Log) Feed(ctx context.Context, after int64, limit int, may []Readable, user schema.UUID, each func(Change)) (latest,
	next int64, err error,
) {
	p := logPage{each: each, whole: limit, last: after}
	seen, latest, err := l.feed(ctx, &p, may, user)
	if next = p.last; !p.more {
		next = max(after, min(seen, latest))
	}
	return latest, next, err
}

// feed fills a page of what somebody may read, and tells up to where the log was looked through, and where it ends.
func (l Log) feed(ctx context.Context, p *logPage, may []Readable, user schema.UUID) (seen, latest int64, err error) {
	after, limit := p.last, p.whole
	seen = after
	if err := l.askEnd(ctx, l.c.Ask, &latest); err != nil {
		return seen, latest, err
	}
	// Most often a few times as many numbers as the page has entries fill it. An engine that takes the range for a narrow one
	// reads all of it.
	for _, end := range []int64{after + glances*int64(limit), after + stretch} {
		err := p.fill(l.of.Planner, func(most int) error {
			b := l.of.Builder()
			where := append(readable(b, may, user),
				"t.seq > "+b.Arg(room.Integer(max(seen, p.last))),
				"t.seq <= "+b.Arg(room.Integer(end)))
			return l.c.Query(ctx, Entries(b, "change t", where, 0, false, most), b.Values, func(r engine.Row) error {
				entry := read(r)
				if entry.Seq > latest { // it was committed after the newest was asked for
					return engine.ErrFull
				}
				return p.take(entry)
			})
		})
		if err != nil || p.more {
			return seen, latest, err
		}
		if seen = end; p.sent == limit || end >= latest {
			break
		}
	}
	return seen, latest, nil
}

// All hands the entries of the business's log behind a number to each, whoever may read them: at most limit, and no more than a
// page has bytes. It tells whether there are more.
func (l Log) All(ctx context.Context, after int64, limit int, each func(Change)) (more bool, err error) {
	p := logPage{each: each, whole: limit, last: after}
	err = p.fill(l.of.Planner, func(most int) error {
		b := l.of.Builder()
		behind := "t.seq > " + b.Arg(room.Integer(p.last))
		return l.c.Query(ctx, Entries(b, "change t", []string{behind}, 0, false, most), b.Values,
			func(r engine.Row) error { return p.take(read(r)) })
	})
	return p.more, err
}

// End is the number of the newest entry of the business's log.
func (l Log) End(ctx context.Context) (latest int64, err error) {
	err = l.askEnd(ctx, l.c.Query, &latest)
	return latest, err
}

func (l Log) askEnd(ctx context.Context, ask engine.Question, latest *int64) error {
	b := l.of.Builder()
	sql := "SELECT t.change_seq FROM business t WHERE t.business_id = " + b.TenantMark()
	return ask(ctx, sql, b.Values, room.Into(latest, room.FirstInt))
}

// readable is the condition that an entry is about a record that a user may read. What one's own is, the record tells as it is now,
// live or deleted.
func readable(b *search.Builder, may []Readable, user schema.UUID) []string {
	var all, any []string
	for _, m := range may {
		name := "'" + m.Resource.Name + "'"
		reached := b.Own
		if !m.Own && m.Resource.SharedLeaf != nil {
			reached = b.OwnOrShared
		}
		held := "(t.resource = " + name
		if m.Own || m.Resource.SharedLeaf != nil {
			// It is asked of each record by itself: a set of all that are one's own may be large.
			held += " AND (SELECT " + reached("r", m.Resource, user) + " FROM " + m.Resource.Plural + " r" +
				" WHERE r.business_id = " + b.TenantMark() + " AND r.id = t.record_id)"
		} else if m.Ends == nil {
			all = append(all, name)
			continue
		}
		if m.Ends != nil {
			held += " AND " + b.EndsSeen(m.Resource, "t.record_id", m.Ends)
		}
		any = append(any, held+")")
	}
	if len(all) > 0 {
		any = append(any, "t.resource IN ("+strings.Join(all, ", ")+")")
	}
	if len(any) == 0 {
		return []string{"(0 = 1)"}
	}
	// Inside of a CASE no index serves it, so that the numbers alone decide what is read: an index on the resource would lead to
	// all of its entries.
	return []string{"CASE WHEN " + strings.Join(any, " OR ") + " THEN 1 ELSE 0 END = 1"}
}
