package search

import (
	"context"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// Tally reads a count that is maintained. A first page with its total is eight times as fast for it.
func (t Business) Tally(ctx context.Context, c engine.Conn, name string) (n int64, err error) {
	b := t.Builder()
	sql := "SELECT n FROM tally WHERE business_id = " + b.TenantMark() + " AND name = " + b.Arg(schema.TextValue(schema.Text, name))
	err = c.Query(ctx, sql, b.Values, room.Into(&n, room.FirstInt))
	return n, err
}

// Add adds to a tally.
func (w *Writing) Add(name string, delta int64) error {
	sql, args := w.Addition(name, delta)
	return w.c.Change(w.ctx, sql, args)
}

// Addition is the statement that adds to a tally.
func (t Business) Addition(name string, delta int64) (string, []schema.Value) {
	b := t.Builder()
	tally, by := b.Arg(schema.TextValue(schema.Text, name)), b.Arg(room.Integer(delta))
	return "INSERT INTO tally (business_id, name, n)" +
		" VALUES (" + b.TenantMark() + ", " + tally + ", " + by + ")" +
		" ON CONFLICT (business_id, name) DO UPDATE SET n = tally.n + excluded.n", b.Values
}

// Count adds to a count at the end of the transaction. Where records were placed, it notes where the next ones go.
func (w *Writing) Count(name string, delta int64) error {
	switch made := w.placed[name]; {
	case len(made) > 0:
		return w.shelve(name, delta, made)
	case delta != 0:
		return w.Add(name, delta)
	}
	return nil
}
