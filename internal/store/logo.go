package store

import (
	"context"

	"github.com/kith-crm/kith/internal/store/internal/room"
)

// The logo of a business is apart from its row, which is read with every request that needs a currency or a time zone.

// SetLogo keeps the picture of the business; none is forgotten.
func (tx *Tx) SetLogo(picture []byte) error {
	b := newBuilder(tx.s.engine, tx.key)
	if _, err := tx.c.exec(tx.ctx, "DELETE FROM business_logo WHERE business_id = "+b.tenantMark(), b.args); err != nil ||
		len(picture) == 0 {
		return err
	}
	b = newBuilder(tx.s.engine, tx.key)
	return tx.c.change(tx.ctx, "INSERT INTO business_logo (business_id, picture) VALUES ("+b.tenantMark()+", "+b.arg(room.Blob(picture))+
		")", b.args)
}

// Logo reads the picture of the business, or nothing.
func (t Tenant) Logo(ctx context.Context) (picture []byte, err error) {
	b := newBuilder(t.s.engine, t.key)
	err = t.read(ctx, func(c conn) error {
		return c.query(ctx, "SELECT picture FROM business_logo WHERE business_id = "+b.tenantMark(), b.args, func(r row) error {
			picture = []byte(r.Value(0, kindBytes).S)
			return nil
		})
	})
	return picture, err
}
