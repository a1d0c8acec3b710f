package search

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/sqlite"
)

// walkRowRanges fills a page by created_at from all row ranges of the business, each read only as far as it is needed.
func (s *Search) walkRowRanges(ctx context.Context, c engine.Conn, p phase) error {
	var open []*stream
	defer func() {
		for _, each := range open {
			each.stop()
		}
	}()
	for _, rowRange := range sqlite.RowRangeSet(s.state.placed).Used() {
		sql, args, err := s.rowRangeStatement(ctx, c, p, rowRange)
		if err != nil {
			return err
		}
		each := s.stream(ctx, c, sql, args)
		open = append(open, each)
		if err := s.advance(each); err != nil {
			return err
		}
	}
	return s.merge(open)
}

// merge takes the records of all streams in the asked order, until the page is full.
func (s *Search) merge(open []*stream) error {
	for {
		var next *stream
		for _, each := range open {
			if each.row != nil && (next == nil || (each.made.Compare(next.made) > 0) == s.q.Desc) {
				next = each
			}
		}
		if next == nil {
			return nil
		}
		switch err := s.take(next.row); {
		case errors.Is(err, engine.ErrFull):
			return nil
		case err != nil:
			return err
		}
		if err := s.advance(next); err != nil {
			return err
		}
	}
}

// stream is a statement whose rows are read when they are asked for.
type stream struct {
	next func() (engine.Row, bool)
	stop func()
	// row is the one to come, or nil when there is none, and made its place in the order of creation.
	row  engine.Row
	made engine.Creation
	err  error
}

func (s *Search) stream(ctx context.Context, c engine.Conn, sql string, args []schema.Value) *stream {
	each := &stream{}
	each.next, each.stop = iter.Pull(func(yield func(engine.Row) bool) {
		each.err = c.Query(ctx, sql, args, func(r engine.Row) error {
			if !yield(r) {
				return engine.ErrFull
			}
			return nil
		})
	})
	return each
}

func (s *Search) advance(each *stream) error {
	r, ok := each.next()
	if !ok {
		each.row = nil
		return each.err
	}
	each.row, each.made = r, engine.Creation{At: r.Value(len(s.kinds), schema.Time).N, ID: r.Value(len(s.kinds)+1, schema.ID).UUID()}
	return nil
}

// rowRangeStatement reads the matches of one row range in the asked order.
func (s *Search) rowRangeStatement(ctx context.Context, c engine.Conn, p phase, rowRange int) (string, []schema.Value, error) {
	q := s.q
	b := s.t.Builder()
	order := b.ordered(alias(q.Order), q.Order.Leaf)
	direction, sign := Direction(q.Desc)
	columns := b.columns(q, b.through(q), order)
	low, high := sqlite.RowRangeBounds(s.t.key, rowRange)
	ordered := sqlite.RowRangeSet(s.state.placed).Ordered(rowRange)
	if p.after != nil && ordered {
		at, err := s.before(ctx, c, engine.Creation{At: p.after.Value.N, ID: p.after.ID}, low, high)
		if err != nil {
			return "", nil, err
		}
		if q.Desc {
			high = at
		} else {
			low = at
		}
	}
	from, where := sqliteText{}.between(b, q.Resource, s.needles, low+1, high)
	where = append(where, b.Conditions(q)...)
	if p.after != nil {
		where = append(where, fmt.Sprintf("(%s, t.id) %s (%s, %s)", order, sign, b.Arg(p.after.Value), b.Arg(schema.IDValue(p.after.ID))))
	}
	by := q.Resource.Plural + "_fts.rowid " + direction
	if !ordered {
		by = order + " " + direction + ", t.id " + direction
	}
	// The name of the row range makes a statement of its own, because several run at once.
	return fmt.Sprintf("SELECT %s FROM %s%s WHERE %s ORDER BY %s LIMIT %d /* row range %d */", columns, from, b.joins(q, false),
		strings.Join(where, " AND "), by, s.limit-s.sent+1, rowRange), b.Values, nil
}

// before finds the last row of an ordered row range that stands before a place in the order of creation, or at it, by halving the
// range. Where there is none, it gives low.
func (s *Search) before(ctx context.Context, c engine.Conn, place engine.Creation, low, high int64) (int64, error) {
	table := s.q.Resource.Plural
	found := low
	last, _, err := s.t.lastRow(ctx, c, table, low+1, high)
	for err == nil && low < last {
		var rid int64
		var made engine.Creation
		middle := low + (last-low+1)/2
		rid, made, err = s.t.lastRow(ctx, c, table, low+1, middle)
		switch {
		case rid == low: // there are only gaps
			low = middle
		case made.Compare(place) <= 0:
			found, low = rid, middle
		default:
			last = rid - 1
		}
	}
	return found, err
}
