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
	// ordered tells that the records of SQLite's table lie in the order of their creation.
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
		st.ordered = t.s.engine.streams() && r.value(2, schema.Integer).N == 0
		return nil
	})
	return st, err
}

// disorderName is the name of the tally of records that were created after one with a later time or id.
func disorderName(res *schema.Resource) string { return res.Name + ".disorder" }

// totals remembers counts. A count holds as long as the business's last change is the one it was taken after.
type totals struct {
	mu    sync.Mutex
	known map[totalKey]knownTotal
}

type totalKey struct {
	business, user schema.UUID
	digest         [32]byte
}

type knownTotal struct{ seq, total int64 }

// mostTotals bounds the memory; past it all are forgotten.
const mostTotals = 10_000

func (k *totals) get(key totalKey, seq int64) (int64, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	known, ok := k.known[key]
	return known.total, ok && known.seq == seq
}

func (k *totals) put(key totalKey, seq, total int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil || len(k.known) >= mostTotals {
		k.known = map[totalKey]knownTotal{}
	}
	k.known[key] = knownTotal{seq, total}
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

// counted gives the number of matches up to the cap, or -1 beyond, from memory where nothing has changed since.
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
	for _, r := range q.Refs {
		lasting = lasting && !r.Own
	}
	if lasting {
		if total, ok := s.t.s.totals.get(key, s.state.seq); ok {
			return total, nil
		}
	}
	b := newBuilder(s.t.s.engine, s.t.key)
	with, from, where := "", q.Resource.Plural+" t", []string(nil)
	if len(s.needles) > 0 {
		with, from, where = b.d.textIndex(b, q.Resource.Plural, s.needles)
	}
	from, where = from+b.joins(q), append(where, b.conditions(q)...)
	total, err := s.t.count(ctx, c, b, with, from, where, query.TotalCap+1)
	if err != nil {
		return 0, err
	}
	if total > query.TotalCap {
		total = -1
	}
	if lasting {
		s.t.s.totals.put(key, s.state.seq, total)
	}
	return total, nil
}

// count counts rows up to most.
func (t Tenant) count(ctx context.Context, c conn, b *builder, with, from string, where []string, most int) (n int64, err error) {
	sql := with + "SELECT count(*) FROM (SELECT 1 FROM " + from + " WHERE " + strings.Join(where, " AND ") + " LIMIT " + strconv.Itoa(most) + ") matches"
	err = c.query(ctx, sql, b.args, func(r row) error {
		n = r.value(0, schema.Integer).N
		return nil
	})
	return n, err
}
