package store

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
)

// chooseGathering leaves it to PostgreSQL, which has statistics, and groups without sorting.
func (postgresDialect) chooseGathering(_ context.Context, _ conn, g *gatherer) (gathering, error) {
	return gathering{plain: true, from: g.driven}, nil
}

// overflowed tells that a sum was too large to be handed over in 64 bits.
func (postgresDialect) overflowed(err error) bool {
	var reported *pgconn.PgError
	return errors.As(err, &reported) && reported.Code == "22003" // numeric_value_out_of_range
}

func (d postgresDialect) startsUpTo(b *builder, x string, periods *query.Periods) string {
	if len(periods.Starts) == 0 { // there is no time to be counted up to
		return "CAST(NULL AS bigint)"
	}
	starts := make([]schema.Value, len(periods.Starts))
	for i, start := range periods.Starts {
		starts[i] = schema.IntValue(periods.Kind, start)
	}
	return "CAST(width_bucket(" + x + ", " + d.array(b, starts) + ") AS bigint)"
}
