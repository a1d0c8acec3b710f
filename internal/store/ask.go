package store

import (
	"context"
	"errors"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/search"
)

// Search runs a checked query and hands the values that q.Kinds lists for each record of the page to emit. The
// slice is used again when emit returns; the texts are not.
func (t Tenant) Search(ctx context.Context, q *query.Query, emit func([]schema.Value) error) (search.Page, error) {
	s := t.searched().Search(q, emit)
	err := t.read(ctx, func(c engine.Conn) error { return s.Run(ctx, c) })
	return s.Outcome(err)
}

// Searching runs one search among several.
type Searching func(q *query.Query, emit func([]schema.Value) error) (search.Page, error)

// Searches lets fn run searches one after the other, all in the time that one may take.
func (t Tenant) Searches(ctx context.Context, fn func(Searching) error) error {
	return t.read(ctx, func(c engine.Conn) error {
		return fn(func(q *query.Query, emit func([]schema.Value) error) (search.Page, error) {
			s := t.searched().Search(q, emit)
			err := s.Run(ctx, c)
			return s.Found(), err
		})
	})
}

// SearchAudit runs a checked query on the audit log, as Search does on records.
func (t Tenant) SearchAudit(ctx context.Context, q *query.Query, emit func([]schema.Value) error) (search.Page, error) {
	s := t.searched().Search(q, emit)
	err := t.read(ctx, func(c engine.Conn) error { return s.RunAudit(ctx, c) })
	return s.Outcome(err)
}

// Aggregate answers a checked question for figures: the first rows in the asked order, and whether there are more.
func (t Tenant) Aggregate(ctx context.Context, a *query.Aggregate) (rows []query.Row, more bool, err error) {
	for range engine.Attempts {
		g := t.searched().Aggregate(a)
		err = t.read(ctx, func(c engine.Conn) error { return g.Run(ctx, c) })
		if !errors.Is(err, search.ErrMoved) {
			rows, more = g.Answer()
			return rows, more, err
		}
	}
	return nil, false, problem.New(problem.ServiceUnavailable, "The records change too quickly to be grouped; try again.")
}
