package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
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

// defaultGlance is how many records PostgreSQL walks before it turns to the shelves: enough to fill a page with a word that one in ten has.
// Rarer ones have so few matches on a shelf that fetching and sorting them all costs no more.
const defaultGlance = 300

// defaultSmall is up to how many records SQLite looks through all rather than into the text index. PostgreSQL does so up to the window: it
// chooses well by itself there.
const defaultSmall = 200

// defaultFew is up to how many candidates of the text index are fetched and sorted without trying a walk in order first.
const defaultFew = 500

// MaxPage is how many bytes of JSON the records of a page have at most, about: with the record that reaches it the page ends.
const MaxPage = 8 << 20

// weight is how many bytes values take as JSON, about. Only long texts are looked into for characters that take more than one.
func weight(values []schema.Value) int {
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

// Search runs a checked query and hands the values that q.Kinds lists for each record of the page to emit. They are valid until emit returns.
func (t Tenant) Search(ctx context.Context, q *query.Query, emit func([]schema.Value) error) (Page, error) {
	s := searcher{t: t, q: q, emit: emit, limit: q.Limit, page: Page{Total: -1}, kinds: q.Kinds()}
	s.values = make([]schema.Value, len(s.kinds))
	err := t.read(ctx, func(c conn) error { return s.run(ctx, c) })
	return s.page, s.outcome(err)
}

type searcher struct {
	t    Tenant
	q    *query.Query
	emit func([]schema.Value) error
	// kinds are those of the values that each record is answered with.
	kinds  []schema.Kind
	values []schema.Value
	page   Page
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

func (s *searcher) run(ctx context.Context, c conn) (err error) {
	if s.wantsState() {
		if err := s.learnState(ctx, c); err != nil {
			return err
		}
	}
	if err := s.chooseNeedles(ctx, c); err != nil {
		return err
	}
	if err := s.fillPage(ctx, c); err != nil {
		return err
	}
	return s.total(ctx, c)
}

// firstRecords is how many records PostgreSQL is first asked for. It sends all that it is asked for, whether they are read or not, and records may be
// large. So of a longer page the rest is asked for when it is known how large they are.
const firstRecords = 25

// fillPage reads the records of the page, in PostgreSQL in parts where it is long.
func (s *searcher) fillPage(ctx context.Context, c conn) error {
	whole := s.q
	if s.t.s.engine.streams() || whole.Limit <= firstRecords {
		return s.walkPhases(ctx, c)
	}
	part := *whole
	part.Limit = firstRecords
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

func (s *searcher) walkPhases(ctx context.Context, c conn) error {
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

// chooseNeedles decides whether the text index helps, and what to ask it for.
func (s *searcher) chooseNeedles(ctx context.Context, c conn) (err error) {
	large := s.state.count > int64(s.t.s.window)
	trigrams := s.t.s.engine.streams() // SQLite's index knows nothing else
	switch {
	case s.q.Bin || !large && !trigrams || s.state.count <= int64(s.t.s.small):
		return nil
	case !trigrams:
		s.needles = needles(s.q)
	case !large:
		s.needles = pieces(needles(s.q))
	default:
		if all := needles(s.q); len(all) > 0 {
			s.needles, err = s.rarest(ctx, c, all)
		}
	}
	return err
}

// walk runs one phase, by the way that its text conditions ask for.
func (s *searcher) walk(ctx context.Context, c conn, p phase) error {
	q := s.q
	switch {
	case len(s.needles) == 0:
		return s.walkFilters(ctx, c, p)
	case q.Order.Ref < 0 && q.Order.Leaf.Path == "created_at":
		if s.state.lanes != 0 {
			return s.walkLanes(ctx, c, p)
		}
		if !s.t.s.engine.streams() {
			if full, err := s.tryWindow(ctx, c, p, s.t.s.glance); err != nil || full {
				return err
			}
		}
		_, err := s.fill(ctx, c, p, orderedWalk)
		return err
	case q.Order.Ref < 0 && q.Order.Leaf.Sorted:
		return s.walkText(ctx, c, p)
	}
	_, err := s.fill(ctx, c, p, indexWalk)
	return err
}

// tryWindow walks a window in the asked order and looks for the text on the way. It is tried only as a whole page: what it finds short of
// one, the index finds again.
func (s *searcher) tryWindow(ctx context.Context, c conn, p phase, size int) (full bool, err error) {
	s.window = size
	sent, limit, weight, page, emit := s.sent, s.limit, s.weight, s.page, s.emit
	var kept [][]schema.Value
	s.emit = func(values []schema.Value) error {
		kept = append(kept, cloneValues(values))
		return nil
	}
	full, err = s.fill(ctx, c, p, windowWalk)
	s.emit = emit
	if err != nil || !full {
		s.sent, s.limit, s.weight, s.page = sent, limit, weight, page
		return false, err
	}
	for _, values := range kept {
		if err := emit(values); err != nil {
			return true, err
		}
	}
	return true, nil
}

// cloneValues copies values with their texts.
func cloneValues(values []schema.Value) []schema.Value {
	out := slices.Clone(values)
	keepTexts(out)
	return out
}

// keepTexts lets values have texts of their own, all in one piece.
func keepTexts(values []schema.Value) {
	var texts strings.Builder
	size := 0
	for i := range values {
		size += len(values[i].S)
	}
	texts.Grow(size)
	for i := range values {
		texts.WriteString(values[i].S)
	}
	rest := texts.String()
	for i := range values {
		n := len(values[i].S)
		values[i].S, rest = rest[:n], rest[n:]
	}
}

type walkKind int

const (
	// plainWalk has no text to look for, or little to look through. It goes by the index that was chosen, or leaves that to the planner.
	plainWalk walkKind = iota
	// windowWalk looks for matches among the first records of the asked order.
	windowWalk
	// indexWalk fetches all that the text index finds, and sorts it.
	indexWalk
	// splitWalk does the same, but the candidates that begin with the word in the asked order are taken from the order's index, see walkSplit.
	splitWalk
	// orderedWalk takes what the text index finds in the index's own order, which is the asked one, or shelf by shelf in PostgreSQL, and stops
	// when the page is full.
	orderedWalk
)

// errFull ends a statement whose further rows are not needed.
var errFull = errors.New("the page is full")

// fill runs the statement of one walk for what is left of the page, and reports whether the page is full.
func (s *searcher) fill(ctx context.Context, c conn, p phase, kind walkKind) (full bool, err error) {
	sql, args := s.statement(p, kind)
	run := c.query
	if kind == plainWalk && s.q.Filtered() {
		run = c.weigh // which index is the best depends on how many records have the values
	}
	err = run(ctx, sql, args, s.take)
	if errors.Is(err, errFull) {
		return true, nil
	}
	return false, err
}

// take adds a record to the page, or gives errFull where the page has enough and there is more.
func (s *searcher) take(r row) error {
	if s.sent == s.limit {
		s.page.More = true
		return errFull
	}
	for i, k := range s.kinds {
		s.values[i] = r.value(i, k)
	}
	s.sent++
	if s.weight += weight(s.values); s.weight >= MaxPage {
		s.limit = s.sent
	}
	if s.sent == s.limit {
		s.page.Last.Value = orderValue(r.value(len(s.kinds), s.q.Order.Leaf.SortKind()))
		s.page.Last.ID = r.value(len(s.kinds)+1, schema.ID).UUID()
	}
	return s.emit(s.values)
}

func orderValue(v schema.Value) schema.Value {
	v.S = strings.Clone(v.S)
	return v
}

// direction is the word for the asked order, and the sign between a record and the one before it.
func (s *searcher) direction() (word, sign string) {
	if s.q.Desc {
		return "DESC", "<"
	}
	return "ASC", ">"
}

func (s *searcher) statement(p phase, kind walkKind) (string, []schema.Value) {
	q := s.q
	b := newBuilder(s.t.s.engine, s.t.key)
	order := b.ordered(alias(q.Order), q.Order.Leaf)
	direction, sign := s.direction()

	far := b.through(q)
	columns := b.columns(q, far, order)

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
	selected := "SELECT " + columns + " FROM "
	table := q.Resource.Plural

	switch kind {
	case windowWalk:
		base := append([]string{"t.business_id = " + b.tenantMark(), "t." + live}, position...)
		if b.d.streams() {
			return s.sqliteWindow(b, columns, strings.Join(base, " AND ")+orderBy, limit), b.args
		}
		if q.Own != nil {
			base = append(base, b.own("t", q.Resource, *q.Own))
		}
		if s.way.along != nil {
			base = append(base, s.way.along.where(b))
		}
		from := "(SELECT * FROM " + table + " t WHERE " + strings.Join(base, " AND ") + orderBy + " LIMIT " + strconv.Itoa(s.window) + ") t"
		held := ""
		if conditions := b.predicates(q); len(conditions) > 0 {
			held = " WHERE " + strings.Join(conditions, " AND ")
		}
		return selected + from + b.joins(q, false) + held + orderBy + limit, b.args
	case indexWalk:
		from, found := b.d.textIndex(b, q.Resource, s.needles)
		where := append(append(found, b.conditions(q)...), position...)
		return s.sorted(b, columns, from, strings.Join(where, " AND ")+orderBy+limit), b.args
	case splitWalk:
		return s.sqliteSplit(b, columns, position, orderBy, limit), b.args
	case orderedWalk:
		if !b.d.streams() {
			return s.shelfWalk(b, far, order, position, orderBy, direction, limit, p.after), b.args
		}
		from, found := b.d.textIndex(b, q.Resource, s.needles)
		where := append(found, b.conditions(q)...)
		if p.after != nil {
			where = append(where, table+"_fts.rowid "+sign+" (SELECT k.rid FROM "+table+" k WHERE k.business_id = "+b.tenantMark()+" AND k.id = "+b.arg(schema.IDValue(p.after.ID))+")")
		}
		return selected + from + b.joins(q, false) + " WHERE " + strings.Join(where, " AND ") + " ORDER BY " + table + "_fts.rowid " + direction + limit, b.args
	default:
		from, where := s.driven(b)
		where = slices.Concat(where, b.conditions(q), position)
		return s.sorted(b, columns, from, strings.Join(where, " AND ")+orderBy+limit), b.args
	}
}

// sorted renders a walk whose matches the engine may have to sort. SQLite sorts rows with all that is selected of them, in memory that it then
// keeps: a page of large records took a hundred megabytes. So where records may be large only their places are sorted, and they are read
// afterwards, one by one. A subquery with a limit keeps its order, and a cross join comes after it.
func (s *searcher) sorted(b *builder, columns, from, matches string) string {
	q := s.q
	inOrder := q.Order.Ref < 0 && q.Order.Leaf.Sorted && !q.Filtered() || s.way.driver != nil && s.way.driver.ordered
	if inOrder || !b.d.streams() || !large(q) {
		return "SELECT " + columns + " FROM " + from + b.joins(q, false) + " WHERE " + matches
	}
	places := "SELECT t.rid FROM " + from + b.joins(q, false) + " WHERE " + matches
	return "SELECT " + columns + " FROM (" + places + ") k CROSS JOIN " + q.Resource.Plural + " t ON t.rid = k.rid" + b.joins(q, false)
}

// large tells whether a record may be answered with more than a few kilobytes.
func large(q *query.Query) bool {
	texts := func(l *schema.Leaf) bool { return l.Kind == schema.LongText || l.Kind == schema.List }
	return slices.ContainsFunc(q.Leaves, texts) || slices.ContainsFunc(q.Through, func(t query.Through) bool { return slices.ContainsFunc(t.Leaves, texts) })
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
			for _, w := range indexed(f.Leaf, f.Values[0].S) {
				add(w)
			}
		}
	}
	return out
}

// indexed gives the parts of a key that stand in the search document as they are. The document has words in their folded form, in which the
// letters and digits of ASCII are themselves; phone numbers stand in it as bare digits, too.
func indexed(l *schema.Leaf, key string) []string {
	if l.Format.Comparison() == schema.ByCase {
		return strings.FieldsFunc(key, func(r rune) bool { return r >= utf8.RuneSelf || unicode.IsSpace(r) })
	}
	return query.Words(key)
}
