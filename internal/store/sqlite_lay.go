package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/schema"
)

// SQLite's pile, and a first lane that is in no order, are laid into a free lane, oldest first, in small steps between writes. Small lanes
// are laid into it, too, so that there stay few. At every moment all rows are where a search looks for them.
const (
	// fullPile is how many rows a pile may have; a search sorts those that match.
	fullPile = 256
	// layStep is how many rows are laid in one step, and fetchRows how many of an ordered lane are read at a time.
	layStep   = 50
	fetchRows = 200
	// layMost is how many unordered rows are laid at a time: their order is found in memory.
	layMost = 100_000
)

// heap is a business's rows of one table.
type heap struct {
	table    string
	business schema.Value
}

// layer lays rows of a heap into a lane.
type layer struct {
	heap
	lane int
	// next is the row number of the next row.
	next    int64
	sources []*source
}

// source is a lane from which rows are taken.
type source struct {
	lane    int
	ordered bool
	// rows are the next ones, in the order of creation, and high is the highest of an ordered lane that was read.
	rows []laid
	high int64
	// whole tells that rows were all that an unordered lane had, and done that an ordered one has no more.
	whole, done bool
}

type laid struct {
	creation
	rid int64
}

// heapOf tells which business's row it is, and whether it lies on the pile.
func heapOf(table string, rid int64) (heap, bool) {
	return heap{table, schema.IntValue(kindTenant, rid>>rowBits)}, rid>>laneBits&pile == pile
}

// heapsAtStart finds what was left to be laid.
func (c *sqliteConn) heapsAtStart() {
	const suffix = ".lanes"
	sql := fmt.Sprintf("SELECT business_id, name FROM tally WHERE name LIKE '%%%s' AND n & %d <> 0", suffix, unorderedFirst|1<<pile)
	_ = c.query(context.Background(), sql, nil, func(r row) error {
		table, _ := strings.CutSuffix(r.Value(1, schema.Text).S, suffix)
		c.heaps[heap{table, r.Value(0, kindTenant)}] = true
		return nil
	})
}

// lay does one step of laying. Where it fails all is as it was, and it begins anew with the next row on a pile.
func (c *sqliteConn) lay() error {
	alone := c.c.AutocommitEnabled()
	if alone {
		if err := c.do("BEGIN IMMEDIATE"); err != nil {
			return err
		}
	}
	err := c.layRows()
	if err == nil {
		err = c.writeTexts()
	}
	if alone && err == nil {
		err = c.do("COMMIT")
	}
	if err != nil {
		c.layer = nil
		clear(c.heaps)
		c.texts = c.texts[:0]
		if alone && !c.c.AutocommitEnabled() {
			_ = c.do("ROLLBACK")
		}
	}
	return err
}

func (c *sqliteConn) layRows() (err error) {
	if c.layer != nil && !c.upToDate(c.layer) {
		c.layer = nil
	}
	for h := range c.heaps {
		if c.layer != nil {
			break
		}
		if c.layer, err = c.beginLayer(h); err != nil {
			return err
		}
		if c.layer == nil {
			delete(c.heaps, h)
		}
	}
	l := c.layer
	if l == nil {
		return nil
	}
	for range layStep {
		var next *source
		for _, s := range l.sources {
			if err := c.fetch(l, s); err != nil {
				return err
			}
			if len(s.rows) > 0 && (next == nil || s.rows[0].compare(next.rows[0].creation) < 0) {
				next = s
			}
		}
		if next == nil {
			c.layer = nil
			return c.endLayer(l)
		}
		if err := c.moveRow(l, next.rows[0].rid); err != nil {
			return err
		}
		next.rows = next.rows[1:]
	}
	return nil
}

// upToDate tells whether the database is as the layer has left it. It is not when a transaction was undone.
func (c *sqliteConn) upToDate(l *layer) bool {
	_, last := c.laneEnds(l.heap, l.lane)
	return last == l.next-1 && c.laneSet(l.heap)&(laidInto<<l.lane) != 0
}

// laneEnds are the first and the last row number of a lane. An empty one has the last before the first.
func (c *sqliteConn) laneEnds(h heap, lane int) (first, last int64) {
	low, high := laneRange(h.business, lane)
	end := func(which string) string { // one at a time, SQLite need not read the rows between
		return "(SELECT " + which + "(rid) FROM " + h.table + " WHERE rid > ?1 AND rid <= ?2)"
	}
	sql := "SELECT coalesce(" + end("min") + ", ?1 + 1), coalesce(" + end("max") + ", ?1)"
	_ = c.query(context.Background(), sql, []schema.Value{schema.IntValue(schema.Integer, low), schema.IntValue(schema.Integer, high)}, func(r row) error {
		first, last = r.Value(0, schema.Integer).N, r.Value(1, schema.Integer).N
		return nil
	})
	return first, last
}

// beginLayer chooses what to lay where, or gives nil where the heap is well as it is. What was begun and not ended goes on.
func (c *sqliteConn) beginLayer(h heap) (*layer, error) {
	set := c.laneSet(h)
	l := &layer{heap: h}
	size := map[int]int64{}
	for _, lane := range set.used() {
		first, last := c.laneEnds(h, lane)
		size[lane] = last - first + 1
		set &^= laidFrom << lane
		switch {
		case set&(laidInto<<lane) != 0:
			l.lane, l.next = lane, last+1
		case lane > 0 && size[lane] == 0:
			set &^= 1 << lane
		}
	}
	free := set.free()
	if l.lane == 0 {
		if set&unorderedFirst == 0 && size[pile] <= fullPile || len(free) == 0 {
			return nil, c.setLanes(h, set)
		}
		low, _ := laneRange(h.business, free[0])
		l.lane, l.next, free = free[0], low+1, free[1:]
		set |= 1<<l.lane | laidInto<<l.lane
	}
	all := int64(0)
	for _, lane := range []int{0, pile} {
		if set.has(lane) && !set.ordered(lane) {
			l.sources = append(l.sources, &source{lane: lane})
			all += size[lane]
		}
	}
	// A lane is laid along when it is not much larger than what is laid anyway, so each row is laid only a few times in its life;
	// or when no lane would be free in the end.
	rest := slices.DeleteFunc(set.used(), func(lane int) bool { return lane == 0 || lane == pile || lane == l.lane })
	slices.SortFunc(rest, func(a, b int) int { return cmp.Compare(size[a], size[b]) })
	for _, lane := range rest {
		if size[lane] > 2*all && len(free) > 0 {
			break
		}
		l.sources = append(l.sources, &source{lane: lane, ordered: true})
		all += size[lane]
		free = append(free, lane)
	}
	for _, s := range l.sources {
		s.high, _ = laneRange(h.business, s.lane)
		if err := c.readFirst(l, s); err != nil {
			return nil, err
		}
		if s.ordered {
			set |= laidFrom << s.lane
		}
	}
	return l, c.setLanes(h, set)
}

// readFirst reads the first rows of a source. Those that come too late, because later ones have been laid already, stay where they are.
func (c *sqliteConn) readFirst(l *layer, s *source) error {
	most := layMost
	if s.ordered {
		most = fetchRows
	}
	if err := c.readRows(l, s, most); err != nil {
		return err
	}
	read := len(s.rows)
	if !s.ordered {
		slices.SortFunc(s.rows, func(a, b laid) int { return a.compare(b.creation) })
	}
	last, ok := c.madeAt(l.table, l.next-1)
	if tooLate := slices.IndexFunc(s.rows, func(r laid) bool { return !ok || r.compare(last) >= 0 }); s.ordered && tooLate != 0 {
		s.rows, s.done = nil, true
	} else if !s.ordered {
		if tooLate < 0 {
			tooLate = len(s.rows)
		}
		s.rows = s.rows[tooLate:]
	}
	s.whole = len(s.rows) == read && read < most
	return nil
}

// madeAt is the place in the order of creation of a row, if it is there.
func (c *sqliteConn) madeAt(table string, rid int64) (made creation, ok bool) {
	_ = c.query(context.Background(), "SELECT created_at, id FROM "+table+" WHERE rid = ?1", []schema.Value{schema.IntValue(schema.Integer, rid)}, func(r row) error {
		made, ok = creation{r.Value(0, schema.Time).N, r.Value(1, schema.ID).UUID()}, true
		return nil
	})
	return made, ok
}

func (c *sqliteConn) laneSet(h heap) (set laneSet) {
	sql := "SELECT n FROM tally WHERE business_id = ?1 AND name = ?2"
	_ = c.query(context.Background(), sql, []schema.Value{h.business, schema.TextValue(schema.Text, lanesName(h.table))}, func(r row) error {
		set = laneSet(r.Value(0, schema.Integer).N)
		return nil
	})
	return set
}

func (c *sqliteConn) setLanes(h heap, set laneSet) error {
	_, err := c.exec(context.Background(), "UPDATE tally SET n = ?3 WHERE business_id = ?1 AND name = ?2",
		[]schema.Value{h.business, schema.TextValue(schema.Text, lanesName(h.table)), schema.IntValue(schema.Integer, int64(set))})
	return err
}

// fetch reads the next rows of an ordered lane when those before are laid.
func (c *sqliteConn) fetch(l *layer, s *source) error {
	if !s.ordered || s.done || len(s.rows) > 0 {
		return nil
	}
	err := c.readRows(l, s, fetchRows)
	s.done = len(s.rows) == 0
	return err
}

// readRows reads rows of a lane behind the highest that was read.
func (c *sqliteConn) readRows(l *layer, s *source, most int) error {
	_, high := laneRange(l.business, s.lane)
	sql := "SELECT rid, created_at, id FROM " + l.table + " WHERE rid > ?1 AND rid <= ?2 ORDER BY rid LIMIT ?3"
	args := []schema.Value{schema.IntValue(schema.Integer, s.high), schema.IntValue(schema.Integer, high), schema.IntValue(schema.Integer, int64(most))}
	return c.query(context.Background(), sql, args, func(r row) error {
		s.high = r.Value(0, schema.Integer).N
		s.rows = append(s.rows, laid{creation{r.Value(1, schema.Time).N, r.Value(2, schema.ID).UUID()}, s.high})
		return nil
	})
}

// moveRow gives a row its new number, in the table and, unless it is in the bin, in the text index.
func (c *sqliteConn) moveRow(l *layer, from int64) error {
	ctx := context.Background()
	number := func(n int64) schema.Value { return schema.IntValue(schema.Integer, n) }
	found, doc := false, schema.Value{}
	err := c.query(ctx, "SELECT search_doc, deleted_at FROM "+l.table+" WHERE rid = ?1", []schema.Value{number(from)}, func(r row) error {
		found = true
		if !r.Value(1, schema.Time).Set {
			doc = schema.TextValue(schema.Text, tokens(l.business.N, r.Value(0, schema.Text).S))
		}
		return nil
	})
	if err != nil || !found {
		return err
	}
	if _, err := c.exec(ctx, "UPDATE "+l.table+" SET rid = ?1 WHERE rid = ?2", []schema.Value{number(l.next), number(from)}); err != nil {
		return err
	}
	if doc.Set {
		fts := l.table + "_fts"
		c.texts = append(c.texts,
			textWrite{fts, "DELETE FROM " + fts + " WHERE rowid = ?1", []schema.Value{number(from)}},
			textWrite{fts, "INSERT INTO " + fts + " (rowid, doc) VALUES (?1, ?2)", []schema.Value{number(l.next), doc}})
	}
	l.next++
	return nil
}

// endLayer frees the lanes that have become empty.
func (c *sqliteConn) endLayer(l *layer) error {
	set := c.laneSet(l.heap) &^ (laidInto << l.lane)
	for _, s := range l.sources {
		set &^= laidFrom << s.lane
		first, last := c.laneEnds(l.heap, s.lane)
		switch {
		case s.lane == 0 && s.whole: // what came meanwhile came in order
			set &^= unorderedFirst
		case s.lane > 0 && last < first:
			set &^= 1 << s.lane
		}
	}
	return c.setLanes(l.heap, set)
}
