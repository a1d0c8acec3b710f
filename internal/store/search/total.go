package search

import (
	"context"
	"strconv"
	"strings"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
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
	return "SELECT " + tally(TallyName(s.q.Resource, s.q.Bin)) + ", " + tally(s.t.Planner.placedTally(s.q.Resource.Plural))
}

func readState(r engine.Row) state {
	return state{count: r.Value(0, schema.Integer).N, placed: r.Value(1, schema.Integer).N}
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
		s.page.Total = int64(s.sent)
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

// Count counts rows up to most.
func Count(ctx context.Context, run engine.Question, a *engine.Arguments, from string, where []string, most int) (n int64, err error) {
	sql := "SELECT count(*) FROM (SELECT 1 FROM " + from +
		" WHERE " + strings.Join(where, " AND ") +
		" LIMIT " + strconv.Itoa(most) + ") matches"
	err = run(ctx, sql, a.Values, func(r engine.Row) error {
		n = r.Value(0, schema.Integer).N
		return nil
	})
	return n, err
}

// TallyName is the name of a maintained count.
func TallyName(res *schema.Resource, bin bool) string {
	if bin {
		return res.Name + ".bin"
	}
	return res.Name
}

// Tally reads a count that is maintained. A first page with its total is eight times as fast for it.
func (t Business) Tally(ctx context.Context, c engine.Conn, name string) (n int64, err error) {
	b := t.Builder()
	sql := "SELECT n FROM tally WHERE business_id = " + b.TenantMark() + " AND name = " + b.Arg(schema.TextValue(schema.Text, name))
	err = c.Query(ctx, sql, b.Values, func(r engine.Row) error {
		n = r.Value(0, schema.Integer).N
		return nil
	})
	return n, err
}

// Add adds to a tally.
func (w *Writing) Add(name string, delta int64) error {
	sql, args := w.Addition(name, delta)
	return w.c.Change(w.ctx, sql, args)
}

// Addition is the statement that adds to a tally.
func (t Business) Addition(name string, delta int64) (string, []schema.Value) {
	b := t.Builder()
	tally, by := b.Arg(schema.TextValue(schema.Text, name)), b.Arg(schema.IntValue(schema.Integer, delta))
	return "INSERT INTO tally (business_id, name, n) VALUES (" + b.TenantMark() + ", " + tally + ", " + by + ") ON CONFLICT " +
		"(business_id, name) DO UPDATE SET n = tally.n + excluded.n", b.Values
}

// Count adds to a count at the end of the transaction. Where records were placed, it notes where the next ones go.
func (w *Writing) Count(name string, delta int64) error {
	switch made := w.placed[name]; {
	case len(made) > 0:
		return w.shelve(name, delta, made)
	case delta != 0:
		return w.Add(name, delta)
	}
	return nil
}
