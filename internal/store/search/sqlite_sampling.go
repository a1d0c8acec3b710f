package search

import (
	"context"
	"strconv"
	"strings"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/sqlite"
)

// rarest chooses what the text index of SQLite is asked for.
func (s *Search) rarest(ctx context.Context, c engine.Conn, needles []string) ([]string, error) {
	known, err := s.t.samples.recall(sampleKey{s.t.id, s.q.Resource.Plural}, s.state.count, func() (*sample, error) {
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
	known, err := s.t.statistics.recall(sampleKey{s.t.id, s.q.Resource.Plural}, s.state.count,
		func() (*fieldStatistics, error) { return s.takeStatistics(ctx, c) })
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
