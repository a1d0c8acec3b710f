package store

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"kith/internal/query"
	"kith/internal/schema"
)

// walkText runs one phase of a text search in an order that has an index of its own. Few candidates of the text index are fetched and sorted;
// of many the next ones in the asked order may be found sooner by walking along it.
func (s *searcher) walkText(ctx context.Context, c conn, p phase) error {
	kind, window := indexWalk, s.blindWindow()
	if s.t.s.engine.streams() {
		var err error
		if kind, window, err = s.weighText(ctx, c); err != nil {
			return err
		}
	}
	if window > 0 {
		if full, err := s.tryWindow(ctx, c, p, window); err != nil || full {
			return err
		}
	}
	if kind == splitWalk {
		if done, err := s.walkSplit(ctx, c, p); err != nil || done {
			return err
		}
	}
	_, err := s.fill(ctx, c, p, indexWalk)
	return err
}

// blindWindow is how many records PostgreSQL walks, which has no sample to tell how many candidates there are: as many as it would fetch where
// the walk is just too short to fill a page. In the order of a text in which words are looked for, matches are often together, and a walk
// from elsewhere is in vain: there it only glances.
func (s *searcher) blindWindow() int {
	if len(s.q.Words) > 0 && s.q.Order.Leaf.Searchable {
		return s.t.s.glance
	}
	even := int(math.Sqrt(2 * float64(s.q.Limit+1) * float64(s.state.count)))
	return min(s.t.s.window, max(s.t.s.glance, even))
}

// weighText chooses how SQLite gets the candidates of the text index, and how many records it walks before.
func (s *searcher) weighText(ctx context.Context, c conn) (kind walkKind, window int, err error) {
	few := s.t.s.few
	candidates := s.expected
	if candidates == 0 {
		n, err := s.countCandidates(ctx, c, few+1)
		if err != nil {
			return 0, 0, err
		}
		candidates = float64(n)
	}
	if candidates <= float64(few) {
		return indexWalk, 0, nil
	}
	if few == 0 || s.expected == 0 {
		window = s.t.s.window
	} else if walked := float64(s.q.Limit+1) * float64(s.state.count) / candidates; scattered*walked < candidates {
		window = min(s.t.s.window, int(4*walked), int(candidates)+1)
	}
	word, ok := s.splits()
	if !ok {
		return indexWalk, window, nil
	}
	known, err := s.census(ctx, c)
	switch {
	case err != nil:
		return 0, 0, err
	case known == nil && few > 0:
		return indexWalk, window, nil
	case known == nil:
		return splitWalk, window, nil
	}
	begin := query.Condition{Path: s.q.Order, Operator: query.StartsWith, Values: []schema.Value{schema.TextValue(schema.Text, word)}}
	if n := known.share(known.condition(begin)) * float64(s.state.count); n > candidates/2 && n < 2*candidates {
		return splitWalk, 0, nil // most candidates are together in the order, so a walk from elsewhere is in vain
	}
	return indexWalk, window, nil
}

// countCandidates counts the records that the text index finds, up to most. Their row numbers tell whose they are.
func (s *searcher) countCandidates(ctx context.Context, c conn, most int) (int64, error) {
	b := newBuilder(s.t.s.engine, s.t.key)
	_, where := b.d.textIndex(b, s.q.Resource, s.needles)
	return s.t.count(ctx, c.query, b, s.q.Resource.Plural+"_fts", where, most)
}

// splits gives the word by which the candidates can be told apart that need not be fetched to be sorted: where the asked order is that of a
// text in which words are looked for, many of those that have the word begin with it. These are a part of the order's index.
func (s *searcher) splits() (word string, ok bool) {
	l := s.q.Order.Leaf
	if !l.Searchable || !l.Sorted || l.Key == "" || l.Format.Comparison() == schema.ByCase {
		return "", false
	}
	for _, w := range s.q.Words {
		if utf8.RuneCountInString(w) >= 3 {
			return w, true
		}
	}
	return "", false
}

// walkSplit walks through the part of the order's index that begins with the word, beside the candidates outside of that part, which alone are
// fetched and sorted. Whatever the part has, the two together are all candidates, and none is in both. It is not done where too many are outside.
func (s *searcher) walkSplit(ctx context.Context, c conn, p phase) (done bool, err error) {
	err = atOneMoment(ctx, c, func() error {
		var begin []int64
		b := newBuilder(s.t.s.engine, s.t.key)
		table, key := s.q.Resource.Plural, sortColumn(s.q.Order.Leaf)
		word, _ := s.splits()
		sql := "SELECT t.rid FROM " + table + " t INDEXED BY " + orderIndex(s.q) + " WHERE t.business_id = " + b.tenantMark() + " AND t." + live + " AND " + b.startsWith("t."+key, word)
		err := c.query(ctx, sql, b.args, func(r row) error {
			begin = append(begin, r.value(0, schema.Integer).N)
			return nil
		})
		if err != nil {
			return err
		}
		slices.Sort(begin)
		b = newBuilder(s.t.s.engine, s.t.key)
		_, where := b.d.textIndex(b, s.q.Resource, s.needles)
		s.outside = s.outside[:0]
		sql = "SELECT " + table + "_fts.rowid FROM " + table + "_fts WHERE " + strings.Join(where, " AND ") + " ORDER BY " + table + "_fts.rowid"
		err = c.query(ctx, sql, b.args, func(r row) error {
			rid := r.value(0, schema.Integer).N
			for len(begin) > 0 && begin[0] < rid { // both ascend
				begin = begin[1:]
			}
			if len(begin) == 0 || begin[0] != rid {
				s.outside = append(s.outside, rid)
			}
			if len(s.outside) > s.t.s.window {
				return errFull
			}
			return nil
		})
		switch {
		case errors.Is(err, errFull):
			return nil
		case err != nil:
			return err
		}
		done = true
		_, err = s.fill(ctx, c, p, splitWalk)
		return err
	})
	return done, err
}

// sqliteSplit renders the statement of walkSplit.
func (s *searcher) sqliteSplit(b *builder, columns string, position []string, orderBy, limit string) string {
	q := s.q
	b.pinned = true
	word, _ := s.splits()
	table, key := q.Resource.Plural, sortColumn(q.Order.Leaf)
	place := "SELECT t.rid AS rid, t." + key + " AS place, t.id AS id FROM "
	rest := b.joins(q, true) + " WHERE " + strings.Join(slices.Concat(b.conditions(q), position), " AND ")
	begins := place + table + " t INDEXED BY " + orderIndex(q) + rest + " AND " + b.startsWith("t."+key, word) + orderBy + limit

	rids := []byte{'['}
	for i, rid := range s.outside {
		if i > 0 {
			rids = append(rids, ',')
		}
		rids = strconv.AppendInt(rids, rid, 10)
	}
	listed := b.arg(schema.Value{Kind: schema.Text, Set: true, S: string(append(rids, ']'))})
	others := place + "json_each(" + listed + ") j CROSS JOIN " + table + " t ON t.rid = j.value" + rest + orderBy + limit

	direction, _ := s.direction()
	both := "SELECT * FROM (" + begins + ") UNION ALL SELECT * FROM (" + others + ") ORDER BY place " + direction + ", id " + direction + limit
	return "SELECT " + columns + " FROM (" + both + ") k CROSS JOIN " + table + " t ON t.rid = k.rid" + b.joins(q, false) +
		" WHERE t.business_id = " + b.tenantMark()
}

// orderIndex names the index of the asked order.
func orderIndex(q *query.Query) string { return q.Resource.Name + "_" + q.Order.Leaf.Column + "_order" }
