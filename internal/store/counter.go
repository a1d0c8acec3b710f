package store

import (
	"context"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
	"github.com/kith-crm/kith/internal/store/layout"
)

// Count gives the maintained number of live records of a resource.
func (t Tenant) Count(ctx context.Context, res *schema.Resource) (n int64, err error) {
	err = t.read(ctx, func(c engine.Conn) (err error) {
		n, err = t.searched().Tally(ctx, c, layout.TallyName(res, false))
		return err
	})
	return n, err
}

// Next counts one up and gives the number, without gaps among committed transactions.
func Next(tx *Tx, counter string) (n int64, err error) {
	sql, args := tx.searched().Addition(counter, 1)
	err = tx.c.Query(tx.ctx, sql+" RETURNING n", args, room.Into(&n, room.FirstInt))
	return n, err
}

// Skip lets a counter leave out so many numbers.
func Skip(tx *Tx, counter string, by int64) error { return tx.texts.Add(counter, by) }
