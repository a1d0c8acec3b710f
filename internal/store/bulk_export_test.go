package store

import (
	"context"
	"strings"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/layout"
)

// Dump gives the given records of a business as they are kept, each as one text of all its columns, apart from those that say whose and
// where it is.
func (s *Store) Dump(ctx context.Context, t Tenant, res *schema.Resource, ids []schema.UUID) ([]string, error) {
	wanted := map[schema.UUID]bool{}
	for _, id := range ids {
		wanted[id] = true
	}
	columns := layout.RecordColumns(res)
	parts := make([]string, len(columns))
	for i, c := range columns {
		parts[i] = "quote(" + c + ")"
		if s.Engine() == "postgres" {
			parts[i] = "quote_nullable(" + c + "::text)"
		}
	}
	var rows []string
	err := s.engine.Read(ctx, engine.Share{}, func(c engine.Conn) error {
		b := t.builder()
		sql := "SELECT id, " + strings.Join(parts,
			" || '|' || ") + " FROM " + res.Plural + " WHERE business_id = " + b.TenantMark() + " ORDER BY id"
		return c.Query(ctx, sql, b.Values, func(r engine.Row) error {
			if wanted[r.Value(0, schema.ID).UUID()] {
				rows = append(rows, strings.Clone(r.Value(1, schema.Text).S))
			}
			return nil
		})
	})
	return rows, err
}
