package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"kith/internal/query"
	"kith/internal/schema"
)

// Page is what a search found besides the records themselves.
type Page struct {
	// More is true when another page exists; it begins behind Last.
	More bool
	Last query.Position
	// Total is the number of matches, or -1 where it was not counted.
	Total int64
}

// defaultWindow is how many records a text search walks in the asked order before it turns to the text index. Where matches are spread
// it fills a page far sooner; where they are bunched at the far end a longer walk would cost more than the index.
const defaultWindow = 3000

// Search runs a checked query and hands the values of q.Leaves for each record of the page to emit. They are valid until emit returns.
func (t Tenant) Search(ctx context.Context, q *query.Query, emit func([]schema.Value) error) (Page, error) {
	s := searcher{t: t, q: q, emit: emit, page: Page{Total: -1}, values: make([]schema.Value, len(q.Leaves))}
	err := t.s.engine.read(ctx, func(c conn) error { return s.run(ctx, c) })
	return s.page, err
}

type searcher struct {
	t       Tenant
	q       *query.Query
	emit    func([]schema.Value) error
	values  []schema.Value
	page    Page
	sent    int
	needles []string
}

// phase is one of the two walks that absent values need: first the records that have the sort value, then those that don't. One
// statement for both would have to leave the index.
type phase struct {
	absent, present bool
	after           *query.Position
}

func (s *searcher) phases() []phase {
	q := s.q
	if q.Order.Ref < 0 && (q.Order.Leaf.Required || q.Bin && q.Order.Leaf.BinOnly) {
		return []phase{{after: q.After}}
	}
	switch {
	case q.After == nil:
		return []phase{{present: true}, {absent: true}}
	case q.After.Value.Set:
		return []phase{{present: true, after: q.After}, {absent: true}}
	default:
		return []phase{{absent: true, after: q.After}}
	}
}

func (s *searcher) run(ctx context.Context, c conn) error {
	count, err := s.t.tally(ctx, c, tallyName(s.q.Resource, s.q.Bin))
	if err != nil {
		return err
	}
	if !s.q.Bin && count > int64(s.t.s.window) {
		s.needles = needles(s.q)
	}
	for _, p := range s.phases() {
		if s.page.More {
			break
		}
		if err := s.walk(ctx, c, p); err != nil {
			return err
		}
	}
	return s.total(ctx, c, count)
}

// walk runs one phase, by the way that its text conditions ask for.
func (s *searcher) walk(ctx context.Context, c conn, p phase) error {
	if len(s.needles) == 0 {
		_, err := s.fill(ctx, c, p, plainWalk)
		return err
	}
	if s.q.Order.Ref < 0 && (s.q.Order.Leaf.Sorted) {
		// The window is tried only as a whole page: what it finds short of one, the index finds again.
		sent, more, last := s.sent, s.page.More, s.page.Last
		var kept [][]schema.Value
		emit := s.emit
		s.emit = func(values []schema.Value) error {
			kept = append(kept, cloneValues(values))
			return nil
		}
		full, err := s.fill(ctx, c, p, windowWalk)
		s.emit = emit
		if err != nil {
			return err
		}
		if full {
			for _, values := range kept {
				if err := emit(values); err != nil {
					return err
				}
			}
			return nil
		}
		s.sent, s.page.More, s.page.Last = sent, more, last
	}
	_, err := s.fill(ctx, c, p, indexWalk)
	return err
}

func cloneValues(values []schema.Value) []schema.Value {
	out := make([]schema.Value, len(values))
	for i, v := range values {
		v.S = strings.Clone(v.S)
		out[i] = v
	}
	return out
}

type walkKind int

const (
	plainWalk walkKind = iota
	windowWalk
	indexWalk
)

// fill runs the statement of one walk for what is left of the page, and reports whether the page is full.
func (s *searcher) fill(ctx context.Context, c conn, p phase, kind walkKind) (full bool, err error) {
	sql, args := s.statement(p, kind)
	q := s.q
	err = c.query(ctx, sql, args, func(r row) error {
		if s.sent == q.Limit {
			s.page.More, full = true, true
			return nil
		}
		for i, l := range q.Leaves {
			s.values[i] = r.value(i, l.Kind)
		}
		s.sent++
		if s.sent == q.Limit {
			s.page.Last.Value = orderValue(r.value(len(q.Leaves), q.Order.Leaf.Kind), q.Order.Leaf)
			s.page.Last.ID = r.value(len(q.Leaves)+1, schema.ID).UUID()
		}
		return s.emit(s.values)
	})
	return full, err
}

func orderValue(v schema.Value, l *schema.Leaf) schema.Value {
	v.Kind = l.Kind
	v.S = strings.Clone(v.S)
	return v
}

func (s *searcher) statement(p phase, kind walkKind) (string, []schema.Value) {
	q := s.q
	b := newBuilder(s.t.s.engine, s.t.key)
	order := b.compared(alias(q.Order), q.Order.Leaf)
	direction, sign := "ASC", ">"
	if q.Desc {
		direction, sign = "DESC", "<"
	}

	columns := make([]string, 0, len(q.Leaves)+2)
	for _, l := range q.Leaves {
		columns = append(columns, b.stored("t", l))
	}
	columns = append(columns, order, "t.id")

	var position []string
	if p.present {
		position = append(position, order+" IS NOT NULL")
	}
	if p.absent {
		position = append(position, order+" IS NULL")
	}
	if p.after != nil {
		id := b.arg(schema.IDValue(p.after.ID))
		if p.absent || q.Order.Ref < 0 && q.Order.Leaf.Path == "id" {
			position = append(position, "t.id "+sign+" "+id)
		} else {
			position = append(position, fmt.Sprintf("(%s, t.id) %s (%s, %s)", order, sign, b.arg(p.after.Value), id))
		}
	}
	orderBy := " ORDER BY " + order + " " + direction + ", t.id " + direction
	// Absent values are all alike, but PostgreSQL recognizes the order of an index only by its columns.
	indexed := q.Order.Ref < 0 && q.Order.Leaf.Sorted
	if p.absent && !indexed || q.Order.Ref < 0 && q.Order.Leaf.Path == "id" {
		orderBy = " ORDER BY t.id " + direction
	}
	limit := fmt.Sprintf(" LIMIT %d", q.Limit-s.sent+1)
	selected := "SELECT " + strings.Join(columns, ", ") + " FROM "
	table := q.Resource.Plural

	switch kind {
	case windowWalk:
		inner := append([]string{"t.business_id = " + b.tenantMark(), "t." + live}, position...)
		if q.Own != nil {
			inner = append(inner, b.own("t", q.Resource, *q.Own))
		}
		from := b.d.window(table, strings.Join(inner, " AND "), orderBy, s.t.s.window)
		return selected + from + b.joins(q) + " WHERE " + strings.Join(b.predicates(q), " AND ") + orderBy + limit, b.args
	case indexWalk:
		with, from := b.d.candidates(b, table, s.needles)
		where := append(b.conditions(q), position...)
		return "WITH " + with + " " + selected + from + b.joins(q) + " WHERE " + strings.Join(where, " AND ") + orderBy + limit, b.args
	default:
		where := append(b.conditions(q), position...)
		return selected + table + " t" + b.joins(q) + " WHERE " + strings.Join(where, " AND ") + orderBy + limit, b.args
	}
}

// Limits of what the text index is asked for. A few long needles narrow as well as many do, and every further one costs; the
// conditions themselves still hold in full.
const (
	maxNeedles = 8
	maxNeedle  = 64
)

// needles gives texts of three or more characters that the search document of every match must contain, the longest first.
func needles(q *query.Query) []string {
	var out []string
	add := func(text string) {
		if runes := []rune(text); len(runes) > maxNeedle {
			text = string(runes[:maxNeedle])
		}
		if utf8.RuneCountInString(text) >= 3 && !slices.Contains(out, text) {
			out = append(out, text)
			slices.SortStableFunc(out, func(a, b string) int { return len(b) - len(a) })
			out = out[:min(len(out), maxNeedles)]
		}
	}
	for _, w := range q.Words {
		add(inDocument(w))
	}
	for _, f := range q.Filters {
		if f.Ref < 0 && f.Leaf.Searchable && f.Operator == query.Contains {
			for _, w := range query.Words(f.Values[0].S) {
				add(w)
			}
		}
	}
	return out
}

// total counts the matches where that is cheap: exactly, or not at all.
func (s *searcher) total(ctx context.Context, c conn, count int64) error {
	q := s.q
	switch {
	case !q.Filtered():
		s.page.Total = count
	case q.After != nil:
		s.page.Total = q.After.Total
	case !s.page.More:
		s.page.Total = int64(s.sent)
	default:
		b := newBuilder(s.t.s.engine, s.t.key)
		with, from := "", q.Resource.Plural+" t"
		if len(s.needles) > 0 {
			with, from = b.d.candidates(b, q.Resource.Plural, s.needles)
			with = "WITH " + with + " "
		}
		sql := fmt.Sprintf("%sSELECT count(*) FROM (SELECT 1 FROM %s%s WHERE %s LIMIT %d) matches", with, from, b.joins(q), strings.Join(b.conditions(q), " AND "), query.TotalCap+1)
		err := c.query(ctx, sql, b.args, func(r row) error {
			if n := r.value(0, schema.Integer).N; n <= query.TotalCap {
				s.page.Total = n
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if q.Filtered() {
		s.page.Last.Total = s.page.Total
	} else {
		s.page.Last.Total = -1
	}
	return nil
}
