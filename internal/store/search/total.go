package search

import (
	"cmp"
	"context"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/layout"
)

// wantsState tells whether the state matters: for the total, for the way to look for text, or because the engine always chooses by it.
func (s *Search) wantsState() bool {
	return s.t.Planner.choosesByState() || !s.q.Filtered() || s.q.After == nil && !s.q.Total || len(needles(s.q)) > 0
}

// asksState is the statement that reads the state.
func (s *Search) asksState(b *Builder) string {
	tally := func(name string) string {
		return "(SELECT y.n FROM tally y WHERE y.business_id = " + b.TenantMark() + " AND y.name = '" + name + "')"
	}
	return "SELECT " + tally(layout.TallyName(s.q.Resource, s.q.Bin)) + ", " + tally(s.t.Planner.placedTally(s.q.Resource.Plural))
}

// total gives the number of matches where it is free: it is maintained, the first page holds them all, or an earlier page has it; where
// the business is so small that counting hardly costs; and where it was asked for.
func (s *Search) total(ctx context.Context, c engine.Conn) (err error) {
	q := s.q
	s.page.Last.Total = -1
	switch {
	case q.Uncounted:
	case !q.Filtered():
		s.page.Total = s.state.count
		return nil // every page can have it anew
	case q.After != nil && (q.After.Total >= 0 || !q.Total):
		s.page.Total = q.After.Total
	case q.After == nil && !s.page.More:
		s.page.Total = s.passed + int64(s.sent)
	case q.Total || s.state.count <= query.CountedAnyway:
		s.counting = true
		if s.page.Total, err = s.counted(ctx, c); err != nil {
			return err
		}
	}
	s.page.Last.Total = s.page.Total
	return nil
}

// Found is the page, as far as it was read.
func (s *Search) Found() Page { return s.page }

// Outcome is what became of a search. A page whose total took too long is given without it.
func (s *Search) Outcome(err error) (Page, error) {
	if p := problem.As(err); s.counting && p != nil && p.Code == problem.Timeout {
		s.page.Total, s.page.Last.Total = -1, -1
		err = nil
	}
	return s.page, err
}

// counted is the number of matches up to the cap, or -1 beyond.
func (s *Search) counted(ctx context.Context, c engine.Conn) (int64, error) {
	most := cmp.Or(s.q.CountTo, query.TotalCap)
	b := s.t.Builder()
	from, where := s.driven(b)
	if len(s.needles) > 0 {
		from, where = s.t.Planner.Text().candidates(b, s.q.Resource, s.needles)
	}
	total, err := Count(ctx, c.Weigh, &b.Arguments, from+b.joins(s.q, true), append(where, b.Conditions(s.q)...), most+1)
	if total > int64(most) {
		total = -1
	}
	return total, err
}
