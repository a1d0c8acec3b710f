package search

import (
	"context"

	"github.com/kith-crm/kith/internal/store/engine"
)

// chooseGathering leaves it to PostgreSQL, which has statistics, and groups without sorting.
func (Postgres) chooseGathering(_ context.Context, _ engine.Conn, g *Aggregation) (gathering, error) {
	return gathering{plain: true, from: g.driven}, nil
}
