package store

import (
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/layout"
	"github.com/kith-crm/kith/internal/store/search"
)

// builder writes one statement of a business.
type builder struct{ search.Builder }

func (t Tenant) builder() *builder { return &builder{search.MakeBuilder(t.s.engine, t.key)} }

func text(s string) schema.Value { return schema.Value{Kind: schema.Text, Set: true, S: s} }

// wholeRecord selects what scanRecord reads.
func (b *builder) wholeRecord(res *schema.Resource) string {
	return b.Selected(res, layout.OwnLeaves(&res.Shape))
}

func scanRecord(r engine.Row, res *schema.Resource) (*schema.Record, error) {
	rec := &schema.Record{Shape: &res.Shape, Values: make([]schema.Value, len(res.Leaves))}
	for i, l := range layout.OwnLeaves(&res.Shape) {
		rec.Values[i] = r.Value(i, l.Kind)
	}
	return rec, layout.UnfoldDocument(rec)
}
