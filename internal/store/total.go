package store

import (
	"context"
	"strconv"
	"strings"
	"sync"

	"kith/internal/query"
	"kith/internal/schema"
)

// state is what a search wants to know of the business before it chooses its way.
type state struct {
	// count is the maintained number of records.
	count int64
	// seq is the number of the last change.
	seq int64
	// ordered tells that the records of SQLite's table lie in the order of their creation; PostgreSQL's stand on shelves, see shelf.go.
	ordered bool
}

func (t Tenant) state(ctx context.Context, c conn, res *schema.Resource, bin bool) (st state, err error) {
	b := newBuilder(t.s.engine, t.key)
	tally := func(name string) string {
		return "(SELECT y.n FROM tally y WHERE y.business_id = " + b.tenantMark() + " AND y.name = '" + name + "')"
	}
	sql := "SELECT t.change_seq, " + tally(tallyName(res, bin)) + ", " + tally(disorderName(res)) + " FROM business t WHERE t.business_id = " + b.tenantMark()
	err = c.query(ctx, sql, b.args, func(r row) error {
		st.seq, st.count = r.value(0, schema.Integer).N, r.value(1, schema.Integer).N
		st.ordered = r.value(2, schema.Integer).N == 0
		return nil
	})
	return st, err
}

// disorderName is the name of the tally of records that were created after one with a later time or id.
func disorderName(res *schema.Resource) string { return res.Name + ".disorder" }

// totals remembers counts. A count holds as long as the business's last change is the one it was taken after; where it is also known which
// records were counted, the change log tells what to correct.
type totals struct {
	mu    sync.Mutex
	known map[totalKey]knownTotal
	// sets is how many of the known totals have their records.
	sets int
}

type totalKey struct {
	business, user schema.UUID
	digest         [32]byte
}

// knownTotal is a count after the change seq: the number of matches up to the cap, or -1 beyond.
type knownTotal struct {
	seq, total int64
	// matches are the records that were counted, or nil. They are never changed, only replaced.
	matches []schema.UUID
	// cut tells that there may be more matches than these.
	cut bool
}

// Bounds of the memory, some megabytes in all; past them all is forgotten.
const (
	mostTotals = 10_000
	mostSets   = 256
)

const (
	// spareMatches is how many matches beyond the cap are remembered, so that a few may be lost before all has to be counted again.
	spareMatches = 250
	// mostChanges is up to how many changes a count is corrected rather than taken again.
	mostChanges = 500
)

func (k *totals) get(key totalKey) (knownTotal, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	known, ok := k.known[key]
	return known, ok
}

func (k *totals) put(key totalKey, known knownTotal) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil || len(k.known) >= mostTotals || k.sets >= mostSets {
		k.known, k.sets = map[totalKey]knownTotal{}, 0
	}
	if k.known[key].matches != nil {
		k.sets--
	}
	if known.matches != nil {
		k.sets++
	}
	k.known[key] = known
}

// total counts the matches where that is cheap: exactly, or not at all.
func (s *searcher) total(ctx context.Context, c conn) (err error) {
	q := s.q
	s.page.Last.Total = -1
	switch {
	case !q.Filtered():
		s.page.Total = s.state.count
		return nil // every page can have it anew
	case q.After != nil:
		s.page.Total = q.After.Total
	case !s.page.More:
		s.page.Total = int64(s.sent)
	default:
		if s.page.Total, err = s.counted(ctx, c); err != nil {
			return err
		}
	}
	s.page.Last.Total = s.page.Total
	return nil
}

// counted gives the number of matches up to the cap, or -1 beyond, from memory as far as it holds.
func (s *searcher) counted(ctx context.Context, c conn) (int64, error) {
	q := s.q
	key := totalKey{business: s.t.id, digest: q.Digest()}
	if q.Own != nil {
		key.user = *q.Own
	}
	lasting := q.Digest() != [32]byte{} // false where the day, who asks or mere use decides what matches, or nothing tells the query apart
	for _, f := range q.Filters {
		lasting = lasting && f.Leaf.Lapse == nil && !f.Leaf.Silent
	}
	follows := false
	for i, r := range q.Refs {
		if q.FiltersBy(i) {
			follows, lasting = true, lasting && !r.Own
		}
	}
	if !lasting {
		return s.countAll(ctx, c)
	}
	known, again := s.t.s.totals.get(key)
	if again && known.seq == s.state.seq {
		return known.total, nil
	}
	var err error
	corrected := false
	if known.matches != nil && s.state.seq-known.seq <= mostChanges {
		if known, corrected, err = s.correct(ctx, c, known); err != nil {
			return 0, err
		}
	}
	switch {
	case corrected:
	case again && !follows: // asked more than once: it pays to know which records
		known, err = s.gather(ctx, c)
	default:
		known = knownTotal{seq: s.state.seq}
		known.total, err = s.countAll(ctx, c)
	}
	if err != nil {
		return 0, err
	}
	s.t.s.totals.put(key, known)
	return known.total, nil
}

// matching renders where the matches are found.
func (s *searcher) matching(b *builder) (from string, where []string) {
	from = s.q.Resource.Plural + " t"
	if len(s.needles) > 0 {
		from, where = b.d.textIndex(b, s.q.Resource, s.needles)
	}
	return from + b.joins(s.q, true), append(where, b.conditions(s.q)...)
}

func (s *searcher) countAll(ctx context.Context, c conn) (int64, error) {
	b := newBuilder(s.t.s.engine, s.t.key)
	from, where := s.matching(b)
	total, err := s.t.count(ctx, c, b, from, where, query.TotalCap+1)
	if total > query.TotalCap {
		total = -1
	}
	return total, err
}

// gather counts and remembers which records there are.
func (s *searcher) gather(ctx context.Context, c conn) (knownTotal, error) {
	b := newBuilder(s.t.s.engine, s.t.key)
	from, where := s.matching(b)
	const most = query.TotalCap + 1 + spareMatches
	matches := make([]schema.UUID, 0, s.t.s.few)
	err := c.query(ctx, "SELECT t.id FROM "+from+" WHERE "+strings.Join(where, " AND ")+" LIMIT "+strconv.Itoa(most), b.args, func(r row) error {
		matches = append(matches, r.value(0, schema.ID).UUID())
		return nil
	})
	return newKnown(s.state.seq, matches, len(matches) == most), err
}

func newKnown(seq int64, matches []schema.UUID, cut bool) knownTotal {
	k := knownTotal{seq: seq, total: int64(len(matches)), matches: matches, cut: cut}
	if k.total > query.TotalCap {
		k.total = -1
	}
	return k
}

// correct brings a remembered count up to date by looking only at the records that the change log names. It reports false where the log or
// what is remembered does not tell enough. One statement reads both, so that no change falls between them; what changes after it is looked
// at again next time, because the count is kept under the number that was read before.
func (s *searcher) correct(ctx context.Context, c conn, known knownTotal) (knownTotal, bool, error) {
	sql, args := s.changed(known.seq)
	changed := map[schema.UUID]bool{} // whether it matches now
	logged := int64(0)
	err := c.query(ctx, sql, args, func(r row) error {
		logged++
		changed[r.value(0, schema.ID).UUID()] = r.value(1, schema.ID).Set
		return nil
	})
	if err != nil || logged < s.state.seq-known.seq {
		return knownTotal{}, false, err
	}
	matches := make([]schema.UUID, 0, len(known.matches)+len(changed))
	for _, id := range known.matches {
		if _, ok := changed[id]; !ok {
			matches = append(matches, id)
		}
	}
	for id, match := range changed {
		if match {
			matches = append(matches, id)
		}
	}
	cut := known.cut
	if most := query.TotalCap + 1 + spareMatches; len(matches) > most {
		matches, cut = matches[:most], true
	}
	if cut && len(matches) <= query.TotalCap {
		return knownTotal{}, false, nil
	}
	return newKnown(s.state.seq, matches, cut), true, nil
}

// changed lists the records that changed after seq, and whether they match now. The limit tells PostgreSQL that they are few.
func (s *searcher) changed(seq int64) (sql string, args []schema.Value) {
	b := newBuilder(s.t.s.engine, s.t.key)
	log := "(SELECT c.record_id, c.resource FROM change c WHERE c.business_id = " + b.tenantMark() + " AND c.seq > " + b.arg(schema.IntValue(schema.Integer, seq)) +
		" ORDER BY c.seq LIMIT " + strconv.Itoa(mostChanges) + ") l"
	same := "t.id = l.record_id AND l.resource = " + b.arg(schema.TextValue(schema.Text, s.q.Resource.Name))
	return "SELECT l.record_id, t.id FROM " + log + " LEFT JOIN " + s.q.Resource.Plural + " t ON " + same + " AND " + strings.Join(b.conditions(s.q), " AND "), b.args
}

// count counts rows up to most.
func (t Tenant) count(ctx context.Context, c conn, b *builder, from string, where []string, most int) (n int64, err error) {
	sql := "SELECT count(*) FROM (SELECT 1 FROM " + from + " WHERE " + strings.Join(where, " AND ") + " LIMIT " + strconv.Itoa(most) + ") matches"
	err = c.query(ctx, sql, b.args, func(r row) error {
		n = r.value(0, schema.Integer).N
		return nil
	})
	return n, err
}
