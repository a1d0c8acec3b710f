package store

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kith-crm/kith/internal/schema"
)

func (e *postgresEngine) gauges() []Gauge {
	in := e.lines.Load()
	all := append(e.turns.gauges(int(in.pool.Config().MaxConns)), e.counts.gauges()...)
	e.groups.mu.Lock()
	waiting := waits(e.groups.waiting)
	e.groups.mu.Unlock()
	if e.cluster.Load() {
		all = append(all, Gauge{
			"kith_postgres_workers_silent", "Machines of the cluster that do not answer.", false,
			float64(e.workers.silent.Load()),
		})
	}
	all = append(all, Gauge{queueName, queueHelp, false, float64(waiting)})
	for _, p := range []struct {
		name, of string
		pools    []*pgxpool.Pool
	}{{"pool", "requests", []*pgxpool.Pool{in.pool}}, {"credentials", "credentials and health", in.keepers()}} {
		var total, most, used, made, waited float64
		for _, pool := range p.pools {
			stat := pool.Stat()
			total, most, used = total+float64(stat.TotalConns()), most+float64(stat.MaxConns()), used+float64(stat.AcquiredConns())
			made, waited = made+float64(stat.NewConnsCount()), waited+stat.AcquireDuration().Seconds()
		}
		name := "kith_postgres_" + p.name
		all = append(all,
			Gauge{name + "_connections", "Connections to the server for " + p.of + ".", false, total},
			Gauge{name + "_connections_most", "How many there may be.", false, most},
			Gauge{name + "_connections_used", "Those in use.", false, used},
			Gauge{name + "_connects_total", "Connections that were made.", true, made},
			Gauge{name + "_wait_seconds_total", "How long it took to get one, for all together.", true, waited},
		)
	}
	return all
}

// writable asks the server whether it is a standby, or was told to take no writes.
func (e *postgresEngine) writable(ctx context.Context, c conn) error {
	const asks = "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean"
	return c.query(ctx, asks, nil, func(r row) error {
		if r.Value(0, schema.Bool).N != 0 {
			return errors.New("the server takes no writes: it is a standby, or was set to read only")
		}
		return nil
	})
}
