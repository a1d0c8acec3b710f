package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// PostgreSQL plans by what it knows of its tables, and looks at them once a minute at best. A table that was filled since then, or
// that it never looked at, it takes for nearly empty: a business that has just brought in 60,000 contacts, of which it expects one,
// would have all of them read and sorted for each page, until the request is stopped. So whoever fills tables has it look. See ADR
// 0071.

// outgrown are the tables with at least a thousand rows that have twice as many as when the database looked at them last. Each has
// its turn a few times in its life.
const outgrown = `SELECT s.relid FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
	WHERE s.schemaname = current_schema() AND s.n_live_tup >= 1000 AND s.n_live_tup >= 2 * c.reltuples AND pg_has_role(c.relowner, 'USAGE')`

// measuring looks at them, unless somebody else does just now.
const measuring = `DO $measure$ DECLARE grown regclass; BEGIN FOR grown IN ` + outgrown + ` LOOP EXECUTE 'ANALYZE (SKIP_LOCKED) ' || ` +
	`grown; END LOOP; END $measure$`

func (e *Engine) Measure(ctx context.Context) error {
	now := e.counts.Groups.Load() + 1 // 0 is before the first look
	if e.measuredAt.Swap(now) == now {
		return nil
	}
	return e.on(ctx, requestConns, func(pooled *pgx.Conn) error {
		if !e.cluster.Load() {
			_, err := pooled.Exec(ctx, measuring)
			return err
		}
		rows, err := pooled.Query(ctx, "SELECT result FROM run_command_on_all_nodes($1) WHERE NOT success", measuring)
		if err != nil {
			return err
		}
		failed, err := pgx.CollectRows(rows, pgx.RowTo[string])
		for _, why := range failed {
			err = errors.Join(err, fmt.Errorf("a machine of the cluster: %s", why))
		}
		return err
	})
}
