package search

import (
	"context"
	"strconv"
	"strings"

	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// Count counts rows up to most.
func Count(ctx context.Context, run engine.Question, a *engine.Arguments, from string, where []string, most int) (n int64, err error) {
	sql := "SELECT count(*) FROM (SELECT 1 FROM " + from +
		" WHERE " + strings.Join(where, " AND ") +
		" LIMIT " + strconv.Itoa(most) + ") matches"
	err = run(ctx, sql, a.Values, room.Into(&n, room.FirstInt))
	return n, err
}
