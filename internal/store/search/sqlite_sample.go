package search

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/sqlite"
)

// SQLite's text index intersects lists of the records that have a trigram, and a list takes time in proportion to its length. Of the
// trigrams of a search a few rare ones narrow as well as all; which are rare in a business, a sample of its records tells. A poor sample
// costs time and nothing else, because every candidate is tested against the whole condition. Looking for a part of an address is 2.4
// times as fast for it, for two words 1.2 times.
const (
	sampleSize = 256
	// sampleBuckets is how many trigrams are told apart; those that share a bucket count as more frequent than they are.
	sampleBuckets = 8192
	// sampleText is how much of a long document is looked at.
	sampleText = 2048
	// sampleAge is how long a sample serves.
	sampleAge = time.Hour
	// mostSamples bounds the memory, a quarter of a megabyte each; past it all are forgotten.
	mostSamples = 32
	// commonTrigram is how many records of a sample may have a trigram that is looked for without need.
	commonTrigram = sampleSize / 32
)

// recordSet marks records of a sample.
type recordSet [sampleSize / 64]uint64

// everyRecord has them all.
var everyRecord = func() (all recordSet) {
	for i := range all {
		all[i] = ^uint64(0)
	}
	return all
}()

func (s recordSet) and(o recordSet) recordSet {
	for i := range s {
		s[i] &= o[i]
	}
	return s
}

func (s recordSet) size() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// sample says which of some records have which trigrams.
type sample struct {
	have [sampleBuckets]recordSet
}

func trigramBucket(a, b, c rune) int {
	h := (uint32(a)*0x9e3779b1+uint32(b))*0x85ebca77 + uint32(c)
	return int((h ^ h>>15) * 0x9e3779b1 >> 19)
}

func (s *sample) add(record int, doc string) {
	var a, b rune
	seen := 0
	for at, c := range doc {
		if at > sampleText {
			return
		}
		if seen >= 2 {
			s.have[trigramBucket(a, b, c)][record/64] |= 1 << (record % 64)
		}
		a, b, seen = b, c, seen+1
	}
}

// narrow chooses the trigrams of needles to look for, the rarest first.
func (s *sample) narrow(needles []string) []string {
	type candidate struct {
		text string
		in   recordSet
		size int
	}
	var all []candidate
	for _, needle := range needles {
		runes := []rune(needle)
		for i := 0; i+3 <= len(runes); i++ {
			text := string(runes[i : i+3])
			if slices.ContainsFunc(all, func(c candidate) bool { return c.text == text }) {
				continue
			}
			in := s.have[trigramBucket(runes[i], runes[i+1], runes[i+2])]
			all = append(all, candidate{text, in, in.size()})
		}
	}
	left := everyRecord
	var chosen []string
	for len(all) > 0 && len(chosen) < maxNeedles {
		best := 0
		for i, c := range all {
			if cmp.Or(cmp.Compare(left.and(c.in).size(), left.and(all[best].in).size()), cmp.Compare(c.size, all[best].size)) < 0 {
				best = i
			}
		}
		narrowed := left.and(all[best].in)
		if len(chosen) > 0 && narrowed == left && (len(chosen) > 1 || all[best].size > commonTrigram) {
			break
		}
		left = narrowed
		chosen = append(chosen, all[best].text)
		all = slices.Delete(all, best, best+1)
	}
	return chosen
}

// share is the part of all records that have the trigrams, about: at least half of one of the sample, because what it does not have is rare
// and not impossible.
func (s *sample) share(trigrams []string) float64 {
	left := everyRecord
	for _, t := range trigrams {
		runes := []rune(t)
		left = left.and(s.have[trigramBucket(runes[0], runes[1], runes[2])])
	}
	return max(float64(left.size()), 0.5) / sampleSize
}

// found is what was found out by looking at some records of a business, and when and of how many.
type found[T any] struct {
	taken time.Time
	count int64
	what  T
}

// memory remembers what was found out of large businesses, up to a number of them.
type memory[T any] struct {
	mu    sync.Mutex
	known map[sampleKey]found[T]
}

type sampleKey struct {
	business schema.UUID
	table    string
}

// recall gives what is known, or what find finds out. It is found out anew after an hour, and when the business has twice as many records.
func (m *memory[T]) recall(key sampleKey, count int64, most int, find func() (T, error)) (T, error) {
	m.mu.Lock()
	known, ok := m.known[key]
	m.mu.Unlock()
	if ok && time.Since(known.taken) < sampleAge && count < 2*known.count {
		return known.what, nil
	}
	what, err := find()
	if err != nil {
		return what, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil || len(m.known) >= most {
		m.known = map[sampleKey]found[T]{}
	}
	m.known[key] = found[T]{time.Now(), count, what}
	return what, nil
}

// rarest chooses what the text index of SQLite is asked for.
func (s *Search) rarest(ctx context.Context, c engine.Conn, needles []string) ([]string, error) {
	known, err := s.t.samples.recall(sampleKey{s.t.id, s.q.Resource.Plural}, s.state.count, mostSamples, func() (*sample, error) {
		all, record := &sample{}, 0
		err := s.sampled(ctx, c, "t.search_doc", func(r engine.Row) {
			all.add(record, r.Value(0, schema.Text).S)
			record++
		})
		return all, err
	})
	if err != nil {
		return nil, err
	}
	chosen := known.narrow(needles)
	s.expected = known.share(chosen) * float64(s.state.count)
	return chosen, nil
}

// sampled reads columns of records at even distances from the oldest to the newest of the row range that has the most.
func (s *Search) sampled(ctx context.Context, c engine.Conn, columns string, each func(engine.Row)) error {
	table := s.q.Resource.Plural
	var first, last int64
	for _, rowRange := range sqlite.RowRangeSet(s.state.placed).Used() {
		low, high := sqlite.RowRangeBounds(s.t.key, rowRange)
		end, _, err := s.t.lastRow(ctx, c, table, low+1, high)
		if err != nil {
			return err
		}
		if end-low > last-first {
			first, last = low, end
		}
	}
	b := s.t.Builder()
	from, to := b.Arg(schema.IntValue(schema.Integer, first)), b.Arg(schema.IntValue(schema.Integer, last))
	sql := "WITH RECURSIVE place (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM place WHERE n < " + strconv.Itoa(sampleSize-1) + ")" +
		" SELECT " + columns + " FROM place" +
		" CROSS JOIN " + table + " t ON t.rid = " + to + " - (" + to + " - " + from + ") * place.n / " + strconv.Itoa(sampleSize) +
		" WHERE +t.business_id = " + b.TenantMark()
	return c.Query(ctx, sql, b.Values, func(r engine.Row) error {
		each(r)
		return nil
	})
}

const (
	// leastStatistics is how many records statistics needs to be worth anything: deleted ones are left out of it.
	leastStatistics = sampleSize / 4
	// mostStatistics bounds the memory, a few dozen kilobytes each; past it all are forgotten.
	mostStatistics = 64
)

// fieldStatistics gives that of the searched resource, or nil where there is none to be had.
func (s *Search) fieldStatistics(ctx context.Context, c engine.Conn) (*fieldStatistics, error) {
	if s.state.count <= int64(s.t.Window) || s.t.Few == 0 {
		return nil, nil
	}
	known, err := s.t.statistics.recall(sampleKey{s.t.id, s.q.Resource.Plural}, s.state.count, mostStatistics,
		func() (*fieldStatistics, error) {
			return s.takeStatistics(ctx, c)
		})
	if err != nil {
		return nil, err
	}
	if len(known.records) < leastStatistics {
		return nil, nil
	}
	return known, nil
}

func (s *Search) takeStatistics(ctx context.Context, c engine.Conn) (*fieldStatistics, error) {
	all := &fieldStatistics{}
	b := s.t.Builder()
	names := []string{"t.deleted_at"}
	for _, l := range s.q.Resource.Leaves {
		if l.Find.Indexed || l.Find.Sorted {
			all.columns = append(all.columns, l)
			names = append(names, b.key("t", l))
		}
	}
	err := s.sampled(ctx, c, strings.Join(names, ", "), func(r engine.Row) {
		if r.Value(0, schema.Time).Set {
			return
		}
		record := make([]schema.Value, len(all.columns))
		for i, l := range all.columns {
			record[i] = r.Value(i+1, l.Kind)
		}
		all.records = append(all.records, record)
	})
	return all, err
}
