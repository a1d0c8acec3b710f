package store

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// chooseGathering leaves it to PostgreSQL, which has statistics, and groups without sorting.
func (postgresPlanner) chooseGathering(_ context.Context, _ conn, g *gatherer) (gathering, error) {
	return gathering{plain: true, from: g.driven}, nil
}

// overflowed tells that a sum was too large to be handed over in 64 bits.
func (postgresPlanner) overflowed(err error) bool {
	var reported *pgconn.PgError
	return errors.As(err, &reported) && reported.Code == "22003" // numeric_value_out_of_range
}
