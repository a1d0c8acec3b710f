package store

import (
	"context"
	"math"

	"github.com/kith-crm/kith/internal/schema"
)

// Turns lets each business do so many things of a kind at once, for what does not use the database alone.
type Turns struct{ turns *turns }

// NewTurns makes turns in which each business has so many places.
func NewTurns(each int) *Turns {
	t := newTurns(math.MaxInt, 0)
	t.each = each
	return &Turns{t}
}

// Take waits for a place of a business, which is given back by give. Who waits for too long is told so.
func (t *Turns) Take(ctx context.Context, business schema.UUID) (give func(), err error) {
	p, err := t.turns.take(ctx, business, coordinator)
	if err != nil {
		return nil, err
	}
	return func() { t.turns.give(p) }, nil
}
