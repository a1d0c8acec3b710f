package store

import (
	"context"
	"strconv"
	"sync"

	"github.com/kith-crm/kith/internal/schema"
)

// parts knows in which part of the spread tables a business lies.
//
// A statement on a spread table has a plan for each part. Before it can run, the server locks all of them, and a new connection has
// to learn all of their indexes, which for the tables of a timeline takes a tenth of a second and more. On the part itself the same
// statement takes half the time. But each part has statements of its own, and of these a connection keeps only so many prepared. So
// only the parts that are asked for first are named: where there are few businesses, these are all.
type parts struct {
	mu    sync.Mutex
	of    map[schema.UUID]int64
	named map[int64]bool
}

// mostNamed is how many parts are named. The statements of the timelines and histories of so many fit into those that a connection keeps.
const mostNamed = 4

func (e *postgresEngine) part(ctx context.Context, c conn, business schema.UUID) (string, error) {
	if e.cluster.Load() {
		return "", nil
	}
	e.parts.mu.Lock()
	number, known := e.parts.of[business]
	e.parts.mu.Unlock()
	if !known {
		var err error
		if number, err = askPart(ctx, c, business); err != nil || number < 0 {
			return "", err
		}
	}
	e.parts.mu.Lock()
	defer e.parts.mu.Unlock()
	if e.parts.of == nil {
		e.parts.of, e.parts.named = map[schema.UUID]int64{}, map[int64]bool{}
	}
	e.parts.of[business] = number
	if !e.parts.named[number] {
		if len(e.parts.named) == mostNamed {
			return "", nil
		}
		e.parts.named[number] = true
	}
	return "_p" + strconv.FormatInt(number, 10), nil
}

// askPart asks the server in which part a business lies; less than 0 is in none. How many parts there are is asked, too: what made
// the tables decided it.
func askPart(ctx context.Context, c conn, business schema.UUID) (number int64, err error) {
	number = -1
	const sql = `SELECT n::bigint
		FROM (SELECT count(*)::int AS parts FROM pg_inherits WHERE inhparent = 'change'::regclass) p, generate_series(0, p.parts - 1) n
		WHERE satisfies_hash_partition('change'::regclass, p.parts, n, $1::uuid)`
	err = c.query(ctx, sql, []schema.Value{schema.IDValue(business)}, func(r row) error {
		number = r.Value(0, schema.Integer).N
		return nil
	})
	return number, err
}
