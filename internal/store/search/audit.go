package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// RunAudit searches the audit log, on one connection.
func (s *Search) RunAudit(ctx context.Context, c engine.Conn) error {
	q := s.q
	if _, err := s.fill(ctx, c.Query, phase{after: q.After}, auditWalk); err != nil {
		return err
	}
	s.page.Last.Total = -1
	switch {
	case q.After != nil && q.After.Total >= 0:
		s.page.Total = q.After.Total
	case q.After == nil && !s.page.More:
		s.page.Total = int64(s.sent)
	case q.Total:
		if err := s.countAudit(ctx, c); err != nil {
			return err
		}
	}
	s.page.Last.Total = s.page.Total
	return nil
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

// countAudit counts the lines that match, up to as many as are told.
func (s *Search) countAudit(ctx context.Context, c engine.Conn) error {
	b := s.t.Builder()
	sql := fmt.Sprintf("SELECT count(*) FROM (SELECT t.seq FROM %s t WHERE %s LIMIT %d) x", s.q.Resource.Plural,
		strings.Join(b.auditLines(s.q), " AND "), query.TotalCap+1)
	return c.Query(ctx, sql, b.Values, func(r engine.Row) error {
		if n := r.Value(0, schema.Integer).N; n <= query.TotalCap {
			s.page.Total = n
		}
		return nil
	})
}
