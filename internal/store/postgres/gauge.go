package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

func (e *Engine) Gauges() []engine.Gauge {
	in := e.lines.Load()
	all := append(e.Turns.Gauges(int(in.pool.Config().MaxConns)), e.counts.Gauges()...)
	e.groups.mu.Lock()
	waiting := engine.Waits(e.groups.waiting)
	e.groups.mu.Unlock()
	if e.cluster.Load() {
		all = append(all, engine.NewGauge("kith_postgres_workers_silent", "Machines of the cluster that do not answer.",
			float64(e.workers.silent.Load())))
	}
	all = append(all, engine.NewGauge(engine.QueueName, engine.QueueHelp, float64(waiting)))
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
			engine.NewGauge(name+"_connections", "Connections to the server for "+p.of+".", total),
			engine.NewGauge(name+"_connections_most", "How many there may be.", most),
			engine.NewGauge(name+"_connections_used", "Those in use.", used),
			engine.NewTotal(name+"_connects_total", "Connections that were made.", made),
			engine.NewTotal(name+"_wait_seconds_total", "How long it took to get one, for all together.", waited),
		)
	}
	return all
}

// Writable asks the server whether it is a standby, or was told to take no writes.
func (e *Engine) Writable(ctx context.Context, c engine.Conn) error {
	const asks = "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean"
	return c.Query(ctx, asks, nil, func(r engine.Row) error {
		if r.Value(0, schema.Bool).N != 0 {
			return errors.New("the server takes no writes: it is a standby, or was set to read only")
		}
		return nil
	})
}
