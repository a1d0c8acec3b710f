package store

import (
	"context"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// Turns lets each business do so many things of a kind at once, for what does not use the database alone.
type Turns struct{ turns *engine.Turns }

// NewTurns makes turns in which each business has so many places.
func NewTurns(each int) *Turns { return &Turns{engine.NewLimit(each)} }

// Take waits for a place of a business, which is given back by give. Who waits for too long is told so.
func (t *Turns) Take(ctx context.Context, business schema.UUID) (give func(), err error) {
	p, err := t.turns.Take(ctx, business, engine.Coordinator)
	if err != nil {
		return nil, err
	}
	return func() { t.turns.Give(p) }, nil
}
