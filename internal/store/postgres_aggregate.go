package store

import (
	"context"

	"github.com/kith-crm/kith/internal/store/engine"
)

// chooseGathering leaves it to PostgreSQL, which has statistics, and groups without sorting.
func (postgresPlanner) chooseGathering(_ context.Context, _ engine.Conn, g *gatherer) (gathering, error) {
	return gathering{plain: true, from: g.driven}, nil
}
