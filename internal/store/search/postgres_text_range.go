package search

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
	"github.com/kith-crm/kith/internal/store/layout"
)

// PostgreSQL's trigram index knows no order: of a frequent word it gives all matches or none. So the records of a business stand on
// text ranges, in the order of their creation: all on one text range were created before all on the next. The trigram index knows
// the text range, too, and a search by created_at asks it for one text range after the other until the page is full: 2.4 times as fast
// as sorting all matches of two words, 2.8 times where only the oldest match.
//
// A text range is known by its start: the earliest created_at that it takes, in microseconds. When as many records were made as a
// text range should have, the next one begins behind the latest of them. The business's tally of a resource keeps which text range
// is the last; as inserts take turns, they agree on that.

// firstTextRange is the start of the text range that a business has from the beginning: before all times, and another one for each
// business, because the index asks for the text range and not for the business. Later ones hardly ever coincide; where two do, the
// business decides.
func firstTextRange(business schema.UUID) int64 {
	return math.MinInt64 + int64(binary.BigEndian.Uint64(business[8:])>>2)
}

// lastRange gives the last text range of a resource. The transaction has the turn of its business, so nobody else can begin another one.
func (w *Writing) lastRange(res *schema.Resource) (lastTextRange, error) {
	if w.TextRanges == nil {
		w.TextRanges = TextRangeEnds{}
	}
	last, ok := w.TextRanges[res.Name]
	if ok {
		return last, nil
	}
	last = lastTextRange{start: firstTextRange(w.id), latest: math.MinInt64}
	b := w.Builder()
	sql := "SELECT shelf, made, latest FROM tally WHERE business_id = " + b.TenantMark() +
		" AND name = " + b.Arg(room.Text(layout.TallyName(res, false))) + " AND shelf IS NOT NULL"
	err := w.c.Query(w.ctx, sql, b.Values, func(r engine.Row) error {
		last = lastTextRange{room.FirstInt(r), r.Value(1, schema.Integer).N, r.Value(2, schema.Integer).N}
		return nil
	})
	w.TextRanges[res.Name] = last
	return last, err
}

// shelve counts the records that the transaction has made, moves those to their text range that are older than the last one, and begins
// a new text range when that is full.
func (w *Writing) shelve(res string, delta int64, all []placed) error {
	last := w.TextRanges[res]
	before, known, latest := last.made, last.latest, last.latest
	last.made += int64(len(all))
	for _, p := range all {
		latest = max(latest, p.created)
	}
	last.latest = latest
	sql, args := w.lastRangeAdded(res, delta, lastTextRange{last.start, int64(len(all)), latest},
		"n = tally.n + excluded.n, made = tally.made + excluded.made, latest = excluded.latest")
	if err := w.c.Change(w.ctx, sql, args); err != nil {
		return err
	}
	for _, p := range all {
		if p.created < last.start {
			if err := w.move(res, p); err != nil {
				return err
			}
		}
	}
	if size := w.TextRange; last.made/size > before/size && latest >= last.start {
		last.start = latest + 1
		if err := w.addTextRange(res, last.start); err != nil {
			return err
		}
		if err := w.setLastTextRange(res, last.start); err != nil {
			return err
		}
	}
	older := all
	if int64(len(all)) <= w.TextRange {
		older = slices.DeleteFunc(slices.Clone(all), func(p placed) bool { return p.created >= known })
	}
	if len(older) > 0 && last.made/lookAfter > before/lookAfter {
		var err error
		if last.start, err = w.divideTextRanges(res, last.start, older); err != nil {
			return err
		}
	}
	w.TextRanges[res] = last
	return nil
}

// lastRangeAdded is the statement that adds to the tally of a resource with its last text range, or changes it by what is set where there
// is one.
func (w *Writing) lastRangeAdded(res string, n int64, last lastTextRange, set string) (sql string, args []schema.Value) {
	b := w.Builder()
	marks := []string{b.TenantMark(), b.Arg(room.Text(res))}
	for _, n := range []int64{n, last.made, last.latest, last.start} {
		marks = append(marks, b.Arg(room.Integer(n)))
	}
	return "INSERT INTO tally (business_id, name, n, made, latest, shelf) VALUES (" + strings.Join(marks, ", ") + ")" +
		" ON CONFLICT (business_id, name) DO UPDATE SET " + set, b.Values
}

// lookAfter is after how many new records the text ranges of older ones are looked after.
const lookAfter = 32

// divideTextRanges looks at the text ranges on which older records were put, or very many at once, and divides those that have more than
// twice as many as they should. It gives the start of what is the last text range then.
func (w *Writing) divideTextRanges(res string, last int64, older []placed) (int64, error) {
	starts, err := w.textRangeStarts(res)
	if err != nil {
		return last, err
	}
	var touched []schema.Value
	for _, p := range older {
		at, found := slices.BinarySearch(starts, p.created)
		if !found {
			at--
		}
		if start := room.Integer(starts[at]); !slices.Contains(touched, start) {
			touched = append(touched, start)
		}
	}
	b := w.Builder()
	sql := "SELECT t.shelf FROM " + w.reg.Resource(res).Plural + " t WHERE t.business_id = " + b.TenantMark() + " AND t." + engine.Live +
		" AND " + b.Dialect.Among(&b.Arguments, "t.shelf", touched) +
		" GROUP BY t.shelf HAVING count(*) > " + b.Arg(room.Integer(2*w.TextRange))
	var full []int64
	err = w.c.Query(w.ctx, sql, b.Values, room.Collect(&full, room.FirstInt))
	for _, start := range full {
		if err != nil {
			break
		}
		var behind int64
		if behind, err = w.divideTextRange(res, start); start == last {
			last = behind
		}
	}
	if err == nil && slices.Contains(full, w.TextRanges[res].start) {
		err = w.setLastTextRange(res, last)
	}
	return last, err
}

// textRangeStarts lists the text ranges of a resource in their order.
func (w *Writing) textRangeStarts(res string) ([]int64, error) {
	b := w.Builder()
	starts := []int64{firstTextRange(w.id)}
	sql := "SELECT s.start FROM shelf s WHERE s.business_id = " + b.TenantMark() + " AND s.resource = " + b.Arg(room.Text(res)) +
		" ORDER BY s.start"
	err := w.c.Query(w.ctx, sql, b.Values, room.Collect(&starts, room.FirstInt))
	return starts, err
}

// divideTextRange makes several text ranges of one, and gives the start of the last of them.
func (w *Writing) divideTextRange(res string, start int64) (last int64, err error) {
	table := w.reg.Resource(res).Plural
	b := w.Builder()
	from := b.Arg(room.Integer(start))
	sql := "SELECT DISTINCT n.start FROM (SELECT " + createdAt + " AS start, row_number() OVER (ORDER BY t.created_at) AS place" +
		" FROM " + table + " t" +
		" WHERE t.business_id = " + b.TenantMark() + " AND t." + engine.Live + " AND t.shelf = " + from + ") n" +
		" WHERE n.place % " + b.Arg(room.Integer(w.TextRange)) + " = 0 AND n.start > " + from +
		" ORDER BY n.start"
	last = start
	var starts []int64
	err = w.c.Query(w.ctx, sql, b.Values, func(r engine.Row) error {
		last = room.FirstInt(r)
		starts = append(starts, last)
		return nil
	})
	if err != nil || len(starts) == 0 {
		return last, err
	}
	for _, at := range starts {
		if err := w.addTextRange(res, at); err != nil {
			return last, err
		}
	}
	// Those in the bin move, too: they may come back.
	for _, state := range []string{engine.Live, "deleted_at IS NOT NULL"} {
		b := w.Builder()
		sql := "UPDATE " + table + " t SET shelf = " + w.textRangeAt(b, res, createdAt) +
			" WHERE t.business_id = " + b.TenantMark() + " AND t." + state +
			" AND t.shelf = " + b.Arg(room.Integer(start))
		if _, err := w.c.Exec(w.ctx, sql, b.Values); err != nil {
			return last, err
		}
	}
	return last, nil
}

// createdAt is when the record t was created, as text ranges have it.
const createdAt = "(extract(epoch FROM t.created_at) * 1000000)::bigint"

// move puts a record on the text range where it belongs.
func (w *Writing) move(res string, p placed) error {
	b := w.Builder()
	sql := "UPDATE " + w.reg.Resource(res).Plural +
		" SET shelf = " + w.textRangeAt(b, res, b.Arg(room.Integer(p.created))) +
		" WHERE business_id = " + b.TenantMark() + " AND id = " + b.Arg(schema.IDValue(p.id))
	return w.c.Change(w.ctx, sql, b.Values)
}

// textRangeAt is the start of the text range for records of a time.
func (t Business) textRangeAt(b *Builder, res, at string) string {
	return "coalesce((SELECT max(s.start) FROM shelf s WHERE s.business_id = " + b.TenantMark() +
		" AND s.resource = " + b.Arg(room.Text(res)) + " AND s.start <= " + at + "), " + b.Arg(room.Integer(firstTextRange(t.id))) + ")"
}

func (w *Writing) addTextRange(res string, start int64) error {
	b := w.Builder()
	sql := "INSERT INTO shelf (business_id, resource, start)" +
		" VALUES (" + b.TenantMark() + ", " + b.Arg(room.Text(res)) + ", " + b.Arg(room.Integer(start)) + ")"
	return w.c.Change(w.ctx, sql, b.Values)
}

func (w *Writing) setLastTextRange(res string, start int64) error {
	b := w.Builder()
	sql := "UPDATE tally SET shelf = " + b.Arg(room.Integer(start)) +
		" WHERE business_id = " + b.TenantMark() + " AND name = " + b.Arg(room.Text(res))
	return w.c.Change(w.ctx, sql, b.Values)
}
