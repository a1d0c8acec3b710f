// Package search turns questions into statements: it finds records and adds up figures, and keeps the text index and the counts by
// which it does so.
package search

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/layout"
)

// Page is what a search found besides the records themselves.
type Page struct {
	// More is true when another page exists; it begins behind Last.
	More bool
	Last query.Position
	// Total is the number of matches, or -1 where it was not counted.
	Total int64
}

// MaxPage is how many bytes of JSON the records of a page have at most, about: with the record that reaches it the page ends.
const MaxPage = 8 << 20

// Weight is how many bytes values take as JSON, about. Only long texts are looked into for characters that take more than one.
func Weight(values []schema.Value) int {
	all := 32 * len(values)
	for _, v := range values {
		all += len(v.S)
		if len(v.S) < 1024 {
			continue
		}
		for i := range len(v.S) {
			switch c := v.S[i]; {
			case c < ' ':
				all += 5 // \u001f
			case (c == '"' || c == '\\') && v.Kind == schema.LongText:
				all++
			}
		}
	}
	return all
}

// Search begins a search for what a checked query asks. It hands the values that q.Kinds lists for each record of the page to emit. The
// slice is used again when emit returns; the texts are not.
func (t Business) Search(q *query.Query, emit func([]schema.Value) error) *Search {
	kinds := q.Kinds()
	return &Search{t: t, q: q, emit: emit, limit: q.Limit, page: Page{Total: -1}, kinds: kinds, values: make([]schema.Value, len(kinds))}
}

// Search is one search.
type Search struct {
	t    Business
	q    *query.Query
	emit func([]schema.Value) error
	// kinds are those of the values that each record is answered with.
	kinds  []schema.Kind
	values []schema.Value
	page   Page
	// passed is how many matches come before the page, where it leaves some out.
	passed int64
	// sent is how many records the page has, of at most limit, and weight what they take as JSON.
	sent, limit, weight int
	state               state
	// counting tells that the page is whole and only its total is still to come.
	counting bool
	// window is how many records a windowWalk looks at.
	window int
	// needles are the texts that the text index can look for; empty where the business is too small to need it.
	needles []string
	// expected is how many candidates the text index has, about, where a sample told; 0 where there is none.
	expected float64
	// outside are the rows of the candidates that a splitWalk fetches.
	outside []int64
	// way is how a search without needles goes, once it is chosen.
	way    way
	chosen bool
}

// phase is one of the two walks that absent values need: first the records that have the sort value, then those that don't. One
// statement for both would have to leave the index.
type phase struct {
	absent, present bool
	after           *query.Position
}

func (s *Search) phases() []phase {
	q := s.q
	// An added field may be required of new records alone.
	if q.Order.Ref < 0 && (q.Order.Leaf.Required && q.Order.Leaf.Member == "" || q.Bin && q.Order.Leaf == q.Resource.Common.DeletedAt) {
		return []phase{{after: q.After}}
	}
	// A condition on an added field that wants a value leaves no record without one. Of declared ones the index tells that at once.
	demanded := q.Order.Leaf.Member != "" && slices.ContainsFunc(q.Filters, func(f query.Condition) bool {
		return f.Path == q.Order && demanding(f.Operator)
	})
	switch {
	case demanded:
		return []phase{{present: true, after: q.After}}
	case q.After == nil:
		return []phase{{present: true}, {absent: true}}
	case q.After.Value.Set:
		return []phase{{present: true, after: q.After}, {absent: true}}
	default:
		return []phase{{absent: true, after: q.After}}
	}
}

// Run searches, on one connection.
func (s *Search) Run(ctx context.Context, c engine.Conn) error {
	if s.wantsState() {
		return s.t.Planner.learnState(ctx, c, s, func() error { return s.find(ctx, c) })
	}
	return s.find(ctx, c)
}

// find reads the page and its total.
func (s *Search) find(ctx context.Context, c engine.Conn) (err error) {
	if !s.q.Bin {
		if s.needles, err = s.t.Planner.Text().needles(ctx, c, s); err != nil {
			return err
		}
	}
	if err := s.after(ctx, c, (*Search).passingWalks, s.fillPage); err != nil {
		return err
	}
	return s.total(ctx, c)
}

// fillPage reads the records of the page, in parts where the engine has to be asked for no more than will be read.
func (s *Search) fillPage(ctx context.Context, c engine.Conn) error {
	whole, first := s.q, s.t.Planner.FirstRecords()
	if first == 0 || whole.Limit <= first {
		return s.walkPhases(ctx, c)
	}
	part := *whole
	part.Limit = first
	s.q = &part
	defer func() { s.q = whole }()
	for all := 0; ; {
		s.sent, s.limit, s.page.More = 0, part.Limit, false
		if err := s.walkPhases(ctx, c); err != nil {
			return err
		}
		all += s.sent
		if !s.page.More || s.weight >= MaxPage || all == whole.Limit {
			s.sent = all
			return nil
		}
		last := s.page.Last
		part.After = &last
		part.Limit = min(whole.Limit-all, max(1, (MaxPage-s.weight)*all/s.weight))
	}
}

// walkPhases walks the records that have the sort value, then those that do not, which come last in both directions: one statement for
// both would have to leave the index. Each statement asks for one record more than the page holds; where it comes there is another page.
func (s *Search) walkPhases(ctx context.Context, c engine.Conn) error {
	for _, p := range s.phases() {
		if s.page.More {
			break
		}
		if err := s.walk(ctx, c, p); err != nil {
			return err
		}
	}
	return nil
}

// walk runs one phase, by the way that its text conditions ask for.
func (s *Search) walk(ctx context.Context, c engine.Conn, p phase) error {
	q := s.q
	switch {
	case len(s.needles) == 0:
		return s.walkFilters(ctx, c, p)
	case q.Order.Ref < 0 && q.Order.Leaf.Path == "created_at":
		return s.t.Planner.Text().walkCreation(ctx, c, s, p)
	case q.Order.Ref < 0 && q.Order.Leaf.Find.Sorted:
		return s.t.Planner.Text().walkOrder(ctx, c, s, p)
	}
	_, err := s.fill(ctx, c.Query, p, indexWalk)
	return err
}

// tryWindow walks a window in the asked order and looks for the text on the way. It is tried only as a whole page: what it finds short of
// one, the index finds again.
func (s *Search) tryWindow(ctx context.Context, c engine.Conn, p phase, size int) (full bool, err error) {
	s.window = size
	return s.tryWalk(ctx, c, p, s.t.Planner.window)
}

// tryWalk takes what a walk finds only as a whole page.
func (s *Search) tryWalk(ctx context.Context, c engine.Conn, p phase, way walk) (full bool, err error) {
	sent, limit, weight, page, emit := s.sent, s.limit, s.weight, s.page, s.emit
	var kept []schema.Value // of all records, one after the other
	s.emit = func(values []schema.Value) error {
		if kept == nil {
			kept = make([]schema.Value, 0, (limit-sent)*len(s.kinds))
		}
		kept = append(kept, values...)
		return nil
	}
	full, err = s.fill(ctx, c.Query, p, way)
	s.emit = emit
	if err != nil || !full {
		s.sent, s.limit, s.weight, s.page = sent, limit, weight, page
		return false, err
	}
	for i := range s.sent - sent {
		if err := emit(kept[i*len(s.kinds) : (i+1)*len(s.kinds)]); err != nil {
			return true, err
		}
	}
	return true, nil
}

// walk is a way to the next matches in the asked order. It renders the statement.
type walk func(s *Search, b *Builder, a asked) string

// asked is what the statements of a search are made of, whichever way they go.
type asked struct {
	// order is the expression by which records are sorted, direction the word for which way, and sign stands between a record and
	// the one before it.
	order, direction, sign string
	// columns are all that is selected, and far those expressions among them that are read of referenced records.
	columns string
	far     []string
	// position are the conditions of the phase and the page, and after is behind what the page begins.
	position []string
	after    *query.Position
	// orderBy and limit end the statement.
	orderBy, limit string
}

// plainWalk has no text to look for, or little to look through. It goes by the index that was chosen, or leaves that to the planner.
func plainWalk(s *Search, b *Builder, a asked) string {
	from, where := s.driven(b)
	return s.t.Planner.sorted(s, b, a, from, slices.Concat(where, b.Conditions(s.q), a.position))
}

// indexWalk fetches all that the text index finds, and sorts it.
func indexWalk(s *Search, b *Builder, a asked) string {
	from, found := s.t.Planner.Text().candidates(b, s.q.Resource, s.needles)
	return s.t.Planner.sorted(s, b, a, from, slices.Concat(found, b.Conditions(s.q), a.position))
}

// fill runs the statement of one walk for what is left of the page, and reports whether the page is full.
func (s *Search) fill(ctx context.Context, run engine.Question, p phase, way walk) (full bool, err error) {
	b := s.t.Builder()
	sql := way(s, b, s.asked(b, p))
	err = run(ctx, sql, b.Values, s.take)
	if errors.Is(err, engine.ErrFull) {
		return true, nil
	}
	return false, err
}

// take adds a record to the page, or gives engine.ErrFull where the page has enough and there is more.
func (s *Search) take(r engine.Row) error {
	if s.sent == s.limit {
		s.page.More = true
		return engine.ErrFull
	}
	for i, k := range s.kinds {
		s.values[i] = r.Value(i, k)
	}
	s.sent++
	if s.weight += Weight(s.values); s.weight >= MaxPage {
		s.limit = s.sent
	}
	if s.sent == s.limit {
		s.page.Last.Value = r.Value(len(s.kinds), s.q.Order.Leaf.SortKind())
		s.page.Last.ID = r.Value(len(s.kinds)+1, schema.ID).UUID()
	}
	return s.emit(s.values)
}

// Direction is the word for an order, and the sign between a record and the one before it.
func Direction(desc bool) (word, sign string) {
	if desc {
		return "DESC", "<"
	}
	return "ASC", ">"
}

// asked renders what all statements of a phase have in common.
func (s *Search) asked(b *Builder, p phase) (a asked) {
	q := s.q
	a.after = p.after
	a.order = b.ordered(alias(q.Order), q.Order.Leaf)
	a.direction, a.sign = Direction(q.Desc)
	a.far = b.through(q)
	a.columns = b.columns(q, a.far, a.order)

	byID := q.Order.Ref < 0 && q.Order.Leaf.Path == "id"
	if p.present {
		a.position = append(a.position, a.order+" IS NOT NULL")
	}
	if p.absent {
		a.position = append(a.position, a.order+" IS NULL")
	}
	if p.after != nil {
		id := b.Arg(schema.IDValue(p.after.ID))
		if p.absent || byID {
			a.position = append(a.position, "t.id "+a.sign+" "+id)
		} else {
			a.position = append(a.position, fmt.Sprintf("(%s, t.id) %s (%s, %s)", a.order, a.sign, b.Arg(p.after.Value), id))
		}
	}
	a.orderBy = " ORDER BY " + a.order + " " + a.direction + ", t.id " + a.direction
	// Absent values are all alike, but PostgreSQL recognizes the order of an index only by its columns.
	indexed := q.Order.Ref < 0 && q.Order.Leaf.Find.Sorted
	if p.absent && !indexed || byID {
		a.orderBy = " ORDER BY t.id " + a.direction
	}
	a.limit = fmt.Sprintf(" LIMIT %d", q.Limit-s.sent+1)
	return a
}

// allFiled tells whether every live record has a value of an added field by which the search is sorted, so that there is no second
// phase. Where most have one, to look for the others would take reading all.
func (s *Search) allFiled(ctx context.Context, c engine.Conn, p phase) (bool, error) {
	l := s.q.Order.Leaf
	if s.q.Bin || s.q.Order.Ref >= 0 || !p.absent || p.after != nil || l.Member == "" || !l.Find.Indexed || s.state.count == 0 {
		return false, nil
	}
	b := s.t.Builder()
	n, err := Count(ctx, c.Query, &b.Arguments, layout.CustomTable(l)+" x", customEntryRange{leaf: l}.where(b), int(s.state.count))
	return n >= s.state.count, err
}
