package sqlite

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// SQLite's unordered range, and a first row range that is in no order, are moved into a free row range, oldest first, in small steps
// between writes. Small row ranges are moved into it, too, so that there stay few. At every moment all rows are where a search looks
// for them.
const (
	// fullUnordered is how many rows an unordered range may have; a search sorts those that match.
	fullUnordered = 256
	// compactStep is how many rows are moved in one step, and fetchRows how many of an ordered row range are read at a time.
	compactStep = 50
	fetchRows   = 200
	// compactMost is how many unordered rows are moved at a time: their order is found in memory.
	compactMost = 100_000
)

// heap is a business's rows of one table.
type heap struct {
	table    string
	business schema.Value
}

// layer lays rows of a heap into a row range.
type compaction struct {
	heap
	rowRange int
	// next is the row number of the next row.
	next    int64
	sources []*source
}

// source is a row range from which rows are taken.
type source struct {
	rowRange int
	ordered  bool
	// rows are the next ones, in the order of creation, and high is the highest of an ordered row range that was read.
	rows []laid
	high int64
	// whole tells that rows were all that an unordered row range had, and done that an ordered one has no more.
	whole, done bool
}

type laid struct {
	engine.Creation
	rid int64
}

// heapOf tells which business's row it is, and whether it lies on the unordered range.
func heapOf(table string, rid int64) (heap, bool) {
	return heap{table, schema.IntValue(engine.KindTenant, rid>>RowBits)}, rid>>RowRangeBits&Unordered == Unordered
}

// heapsAtStart finds what was left to be laid.
func (c *Conn) heapsAtStart() {
	const suffix = ".lanes"
	sql := fmt.Sprintf("SELECT business_id, name FROM tally WHERE name LIKE '%%%s' AND n & %d <> 0", suffix, UnorderedFirst|1<<Unordered)
	_ = c.Query(context.Background(), sql, nil, func(r engine.Row) error {
		table, _ := strings.CutSuffix(r.Value(1, schema.Text).S, suffix)
		c.heaps[heap{table, r.Value(0, engine.KindTenant)}] = true
		return nil
	})
}

// lay does one step of a compaction. Where it fails all is as it was, and it begins anew with the next row on an unordered range.
func (c *Conn) lay() error {
	alone := c.c.AutocommitEnabled()
	if alone {
		if err := c.do("BEGIN IMMEDIATE"); err != nil {
			return err
		}
	}
	err := c.compactRows()
	if err == nil {
		err = c.WriteTexts()
	}
	if alone && err == nil {
		err = c.do("COMMIT")
	}
	if err != nil {
		c.compaction = nil
		clear(c.heaps)
		c.texts = c.texts[:0]
		if alone && !c.c.AutocommitEnabled() {
			_ = c.do("ROLLBACK")
		}
	}
	return err
}

func (c *Conn) compactRows() (err error) {
	if c.compaction != nil && !c.upToDate(c.compaction) {
		c.compaction = nil
	}
	inOrder := func(a, b heap) int {
		return cmp.Or(cmp.Compare(a.table, b.table), cmp.Compare(a.business.N, b.business.N))
	}
	for _, h := range slices.SortedFunc(maps.Keys(c.heaps), inOrder) {
		if c.compaction != nil {
			break
		}
		if c.compaction, err = c.beginCompaction(h); err != nil {
			return err
		}
		if c.compaction == nil {
			delete(c.heaps, h)
		}
	}
	l := c.compaction
	if l == nil {
		return nil
	}
	for range compactStep {
		var next *source
		for _, s := range l.sources {
			if err := c.fetch(l, s); err != nil {
				return err
			}
			if len(s.rows) > 0 && (next == nil || s.rows[0].Compare(next.rows[0].Creation) < 0) {
				next = s
			}
		}
		if next == nil {
			c.compaction = nil
			return c.endCompaction(l)
		}
		if err := c.moveRow(l, next.rows[0].rid); err != nil {
			return err
		}
		next.rows = next.rows[1:]
	}
	return nil
}

// upToDate tells whether the database is as the layer has left it. It is not when a transaction was undone.
func (c *Conn) upToDate(l *compaction) bool {
	_, last := c.rowRangeEnds(l.heap, l.rowRange)
	return last == l.next-1 && c.rowRangeSet(l.heap)&(LaidInto<<l.rowRange) != 0
}

// rowRangeEnds are the first and the last row number of a row range. An empty one has the last before the first.
func (c *Conn) rowRangeEnds(h heap, rowRange int) (first, last int64) {
	low, high := RowRangeBounds(h.business, rowRange)
	end := func(which string) string { // one at a time, SQLite need not read the rows between
		return "(SELECT " + which + "(rid) FROM " + h.table + " WHERE rid > ?1 AND rid <= ?2)"
	}
	sql := "SELECT coalesce(" + end("min") + ", ?1 + 1), coalesce(" + end("max") + ", ?1)"
	_ = c.Query(context.Background(), sql, []schema.Value{room.Integer(low), room.Integer(high)}, func(r engine.Row) error {
		first, last = room.IntAt(r, 0), room.IntAt(r, 1)
		return nil
	})
	return first, last
}

// beginCompaction chooses what to lay where, or gives nil where the heap is well as it is. What was begun and not ended goes on.
func (c *Conn) beginCompaction(h heap) (*compaction, error) {
	set := c.rowRangeSet(h)
	l := &compaction{heap: h}
	size := map[int]int64{}
	for _, rowRange := range set.Used() {
		first, last := c.rowRangeEnds(h, rowRange)
		size[rowRange] = last - first + 1
		set &^= LaidFrom << rowRange
		switch {
		case set&(LaidInto<<rowRange) != 0:
			l.rowRange, l.next = rowRange, last+1
		case rowRange > 0 && size[rowRange] == 0:
			set &^= 1 << rowRange
		}
	}
	free := set.Free()
	if l.rowRange == 0 {
		if set&UnorderedFirst == 0 && size[Unordered] <= fullUnordered || len(free) == 0 {
			return nil, c.setRowRanges(h, set)
		}
		low, _ := RowRangeBounds(h.business, free[0])
		l.rowRange, l.next, free = free[0], low+1, free[1:]
		set |= 1<<l.rowRange | LaidInto<<l.rowRange
	}
	all := int64(0)
	for _, rowRange := range []int{0, Unordered} {
		if set.Has(rowRange) && !set.Ordered(rowRange) {
			l.sources = append(l.sources, &source{rowRange: rowRange})
			all += size[rowRange]
		}
	}
	// A row range is laid along when it is not much larger than what is laid anyway, so each row is laid only a few times in its life;
	// or when no row range would be free in the end.
	rest := slices.DeleteFunc(set.Used(), func(at int) bool { return at == 0 || at == Unordered || at == l.rowRange })
	slices.SortFunc(rest, func(a, b int) int { return cmp.Compare(size[a], size[b]) })
	for _, rowRange := range rest {
		if size[rowRange] > 2*all && len(free) > 0 {
			break
		}
		l.sources = append(l.sources, &source{rowRange: rowRange, ordered: true})
		all += size[rowRange]
		free = append(free, rowRange)
	}
	for _, s := range l.sources {
		s.high, _ = RowRangeBounds(h.business, s.rowRange)
		if err := c.readFirst(l, s); err != nil {
			return nil, err
		}
		if s.ordered {
			set |= LaidFrom << s.rowRange
		}
	}
	return l, c.setRowRanges(h, set)
}

// readFirst reads the first rows of a source. Those that come too late, because later ones have been laid already, stay where they are.
func (c *Conn) readFirst(l *compaction, s *source) error {
	most := compactMost
	if s.ordered {
		most = fetchRows
	}
	if err := c.readRows(l, s, most); err != nil {
		return err
	}
	read := len(s.rows)
	if !s.ordered {
		slices.SortFunc(s.rows, func(a, b laid) int { return a.Compare(b.Creation) })
	}
	last, ok := c.madeAt(l.table, l.next-1)
	if tooLate := slices.IndexFunc(s.rows, func(r laid) bool { return !ok || r.Compare(last) >= 0 }); s.ordered && tooLate != 0 {
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
func (c *Conn) madeAt(table string, rid int64) (made engine.Creation, ok bool) {
	sql := "SELECT created_at, id FROM " + table + " WHERE rid = ?1"
	_ = c.Query(context.Background(), sql, []schema.Value{room.Integer(rid)}, func(r engine.Row) error {
		made, ok = engine.Creation{At: r.Value(0, schema.Time).N, ID: room.IDAt(r, 1)}, true
		return nil
	})
	return made, ok
}

func (c *Conn) rowRangeSet(h heap) RowRangeSet {
	return RowRangeSet(c.number("SELECT n FROM tally WHERE business_id = ?1 AND name = ?2", h.business, room.Text(RowRangesName(h.table))))
}

func (c *Conn) setRowRanges(h heap, set RowRangeSet) error {
	return c.do("UPDATE tally SET n = ?3 WHERE business_id = ?1 AND name = ?2",
		h.business, room.Text(RowRangesName(h.table)), room.Integer(int64(set)))
}

// fetch reads the next rows of an ordered row range when those before are laid.
func (c *Conn) fetch(l *compaction, s *source) error {
	if !s.ordered || s.done || len(s.rows) > 0 {
		return nil
	}
	err := c.readRows(l, s, fetchRows)
	s.done = len(s.rows) == 0
	return err
}

// readRows reads rows of a row range behind the highest that was read.
func (c *Conn) readRows(l *compaction, s *source, most int) error {
	_, high := RowRangeBounds(l.business, s.rowRange)
	sql := "SELECT rid, created_at, id FROM " + l.table + " WHERE rid > ?1 AND rid <= ?2 ORDER BY rid LIMIT ?3"
	args := []schema.Value{room.Integer(s.high), room.Integer(high), room.Integer(int64(most))}
	return c.Query(context.Background(), sql, args, func(r engine.Row) error {
		s.high = room.IntAt(r, 0)
		s.rows = append(s.rows, laid{engine.Creation{At: r.Value(1, schema.Time).N, ID: room.IDAt(r, 2)}, s.high})
		return nil
	})
}

// moveRow gives a row its new number, in the table and, unless it is in the bin, in the text index.
func (c *Conn) moveRow(l *compaction, from int64) error {
	old, number := room.Integer(from), room.Integer(l.next)
	found, doc := false, schema.Value{}
	sql := "SELECT search_doc, deleted_at FROM " + l.table + " WHERE rid = ?1"
	err := c.Query(context.Background(), sql, []schema.Value{old}, func(r engine.Row) error {
		found = true
		if !r.Value(1, schema.Time).Set {
			doc = room.TextOrNone(Tokens(l.business.N, room.TextAt(r, 0)))
		}
		return nil
	})
	if err != nil || !found {
		return err
	}
	if err := c.do("UPDATE "+l.table+" SET rid = ?1 WHERE rid = ?2", number, old); err != nil {
		return err
	}
	if doc.Set {
		fts := l.table + "_fts"
		c.texts = append(c.texts,
			engine.TextWrite{FTS: fts, SQL: "DELETE FROM " + fts + " WHERE rowid = ?1", Args: []schema.Value{old}},
			engine.TextWrite{FTS: fts, SQL: "INSERT INTO " + fts + " (rowid, doc) VALUES (?1, ?2)", Args: []schema.Value{number, doc}})
	}
	l.next++
	return nil
}

// endCompaction frees the row ranges that have become empty.
func (c *Conn) endCompaction(l *compaction) error {
	set := c.rowRangeSet(l.heap) &^ (LaidInto << l.rowRange)
	for _, s := range l.sources {
		set &^= LaidFrom << s.rowRange
		first, last := c.rowRangeEnds(l.heap, s.rowRange)
		switch {
		case s.rowRange == 0 && s.whole: // what came meanwhile came in order
			set &^= UnorderedFirst
		case s.rowRange > 0 && last < first:
			set &^= 1 << s.rowRange
		}
	}
	return c.setRowRanges(l.heap, set)
}
