package store

import (
	"context"

	"github.com/kith-crm/kith/internal/store/internal/room"
)

// The logo of a business is apart from its row, which is read with every request that needs a currency or a time zone.

// SetLogo keeps the picture of the business; none is forgotten.
func SetLogo(tx *Tx, picture []byte) error {
	if _, err := tx.Exec(room.SQL("DELETE FROM business_logo WHERE business_id = {business}")); err != nil || len(picture) == 0 {
		return err
	}
	return tx.Change(room.SQL("INSERT INTO business_logo (business_id, picture) VALUES ({business}, ?)", room.Blob(picture)))
}

// Logo reads the picture of the business, or nothing.
func (t Tenant) Logo(ctx context.Context) (picture []byte, err error) {
	err = t.Query(ctx, room.SQL("SELECT picture FROM business_logo WHERE business_id = {business}"), func(r room.Row) error {
		picture = []byte(r.Value(0, room.Bytes).S)
		return nil
	})
	return picture, err
}
