package search

import (
	"context"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/store/engine"
)

// RunAudit searches the audit log, on one connection.
func (s *Search) RunAudit(ctx context.Context, c engine.Conn) error {
	q := s.q
	err := s.after(ctx, c, passingAudit, func(ctx context.Context, c engine.Conn) error {
		_, err := s.fill(ctx, c.Query, phase{after: s.q.After}, auditWalk)
		return err
	})
	if err != nil {
		return err
	}
	s.page.Last.Total = -1
	switch {
	case q.After != nil && q.After.Total >= 0:
		s.page.Total = q.After.Total
	case q.After == nil && !s.page.More:
		s.page.Total = s.passed + int64(s.sent)
	case q.Total:
		b := s.t.Builder()
		n, err := Count(ctx, c.Query, &b.Arguments, q.Resource.Plural+" t", b.auditLines(q), query.TotalCap+1)
		if err != nil {
			return err
		}
		if n <= query.TotalCap {
			s.page.Total = n
		}
	}
	s.page.Last.Total = s.page.Total
	return nil
}

func passingAudit(*Search, context.Context, engine.Conn, phase) ([]walk, error) {
	return []walk{auditWalk}, nil
}

// auditWalk goes along the lines in the order of time.
func auditWalk(s *Search, b *Builder, a asked) string {
	return "SELECT " + a.columns + " FROM " + s.q.Resource.Plural + " t" +
		" WHERE " + strings.Join(slices.Concat(b.auditLines(s.q), a.position), " AND ") + a.orderBy + a.limit
}

// auditLines are the conditions of a search on the log.
func (b *Builder) auditLines(q *query.Query) []string {
	return append([]string{"t.business_id = " + b.TenantMark()}, b.predicates(q)...)
}
