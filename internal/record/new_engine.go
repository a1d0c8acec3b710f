package record

import (
	"context"
	"time"

	"github.com/kith-crm/kith/internal/paper"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/store"
)

func newSignal() Signal { return make(Signal, 1) }

// NewEngine makes the engine of an open, migrated store. What package wiring adds to it belongs to it, too.
func NewEngine(ctx context.Context, s *store.Store) (*Engine, error) {
	if Registry == nil {
		panic("record: no kinds are declared")
	}
	key, err := s.Secret(ctx, "cursor")
	if err != nil {
		return nil, err
	}
	return &Engine{
		store: s, cursors: query.NewCursors(key), Background: &Background{store: s},
		RemovalsDue: newSignal(), JobsDue: newSignal(), IndexesDue: newSignal(), DeliveriesDue: newSignal(),
		PushesDue: newSignal(), IndexRest: 30 * time.Second,
		press: paper.NewPress(),
		operations: map[string]func(Plan) (Step, error){
			Create: Plan.create, Update: Plan.update, Upsert: Plan.upsert, Remove: Plan.remove, Restore: Plan.restore, Tag: Plan.tag,
		},
	}, nil
}
