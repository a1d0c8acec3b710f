package store

import (
	"context"

	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// The logo of a business is apart from its row, which is read with every request that needs a currency or a time zone.

// SetLogo keeps the picture of the business; none is forgotten.
func (tx *Tx) SetLogo(picture []byte) error {
	b := newBuilder(tx.s.engine, tx.key)
	if _, err := tx.c.Exec(tx.ctx, "DELETE FROM business_logo WHERE business_id = "+b.TenantMark(), b.Values); err != nil ||
		len(picture) == 0 {
		return err
	}
	b = newBuilder(tx.s.engine, tx.key)
	return tx.c.Change(tx.ctx, "INSERT INTO business_logo (business_id, picture) VALUES ("+b.TenantMark()+", "+b.Arg(room.Blob(picture))+
		")", b.Values)
}

// Logo reads the picture of the business, or nothing.
func (t Tenant) Logo(ctx context.Context) (picture []byte, err error) {
	b := newBuilder(t.s.engine, t.key)
	err = t.read(ctx, func(c engine.Conn) error {
		return c.Query(ctx, "SELECT picture FROM business_logo WHERE business_id = "+b.TenantMark(), b.Values, func(r engine.Row) error {
			picture = []byte(r.Value(0, engine.KindBytes).S)
			return nil
		})
	})
	return picture, err
}
