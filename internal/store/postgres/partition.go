package postgres

import (
	"context"
	"strconv"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// mostNamed is how many partitions are named. The statements of the timelines and histories of so many fit into those that a
// connection keeps.
const mostNamed = 4

func (e *Engine) Partition(ctx context.Context, c engine.Conn, business schema.UUID) (string, error) {
	if e.cluster.Load() {
		return "", nil
	}
	e.partitions.mu.Lock()
	number, known := e.partitions.of[business]
	e.partitions.mu.Unlock()
	if !known {
		var err error
		if number, err = askPartition(ctx, c, business); err != nil || number < 0 {
			return "", err
		}
	}
	e.partitions.mu.Lock()
	defer e.partitions.mu.Unlock()
	if e.partitions.of == nil {
		e.partitions.of, e.partitions.named = map[schema.UUID]int64{}, map[int64]bool{}
	}
	e.partitions.of[business] = number
	if !e.partitions.named[number] {
		if len(e.partitions.named) == mostNamed {
			return "", nil
		}
		e.partitions.named[number] = true
	}
	return "_p" + strconv.FormatInt(number, 10), nil
}

// askPartition asks the server in which partition a business lies; less than 0 is in none. How many partitions there are is asked,
// too: what made the tables decided it.
func askPartition(ctx context.Context, c engine.Conn, business schema.UUID) (number int64, err error) {
	number = -1
	const sql = `SELECT n::bigint
		FROM (SELECT count(*)::int AS partitions FROM pg_inherits WHERE inhparent = 'change'::regclass) p,
			generate_series(0, p.partitions - 1) n
		WHERE satisfies_hash_partition('change'::regclass, p.partitions, n, $1::uuid)`
	err = c.Query(ctx, sql, []schema.Value{schema.IDValue(business)}, func(r engine.Row) error {
		number = r.Value(0, schema.Integer).N
		return nil
	})
	return number, err
}
