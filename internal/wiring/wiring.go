// Package wiring puts the engine together with all that works on it. It is the one place that knows of all of them.
package wiring

import (
	"context"
	"maps"

	_ "github.com/kith-crm/kith/internal/crm" // which declares what there are records of
	"github.com/kith-crm/kith/internal/exchange"
	"github.com/kith-crm/kith/internal/merge"
	"github.com/kith-crm/kith/internal/notify"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/work"
)

// NewEngine makes the engine of an open, migrated store, which knows every operation.
func NewEngine(ctx context.Context, s *store.Store) (*record.Engine, error) {
	e, err := record.NewEngine(ctx, s)
	if err != nil {
		return nil, err
	}
	merge.Register(e)
	work.Register(e)
	exchange.Register(e)
	notify.Register(e)
	return e, nil
}

// JobKinds are all kinds of jobs, by their names.
func JobKinds() map[string]*work.JobKind {
	kinds := work.JobKinds()
	maps.Copy(kinds, exchange.JobKinds())
	return kinds
}
