package store

import (
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/search"
)

// builder writes one statement of a business.
type builder struct{ search.Builder }

func newBuilder(d engine.Dialect, tenant schema.Value) *builder {
	return &builder{search.MakeBuilder(d, tenant)}
}

func text(s string) schema.Value { return schema.Value{Kind: schema.Text, Set: true, S: s} }
