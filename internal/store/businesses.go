package store

import (
	"context"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// Businesses lists all businesses in the order of their creation.
func (s *Store) Businesses(ctx context.Context) ([]Business, error) {
	var all []Business
	err := s.engine.Read(ctx, engine.Share{}, func(c engine.Conn) error {
		return c.Query(ctx, "SELECT "+businessColumns+" FROM business ORDER BY id", nil, room.Collect(&all, scanBusiness))
	})
	return all, err
}

// businesses lists those that a condition chooses.
func (s *Store) businesses(ctx context.Context, c engine.Conn, where string) (all []Tenant, err error) {
	err = c.Query(ctx, "SELECT id, business_id FROM business "+where+" ORDER BY id", nil, func(r engine.Row) error {
		id := room.FirstID(r)
		all = append(all, Tenant{s: s, id: id, key: s.engine.TenantKey(id, r.Value(1, engine.KindTenant).N)})
		return nil
	})
	return all, err
}

// AnyBusiness tells whether there is a business. One that is found is enough, whatever machine of a cluster could not be asked.
func (s *Store) AnyBusiness(ctx context.Context) (bool, error) {
	some, err := s.tenantsAcross(ctx, engine.Lookup{SQL: "SELECT t.id, t.business_id FROM {business} t", Order: " ORDER BY 1 LIMIT 1"}, nil)
	if len(some) > 0 {
		return true, nil
	}
	return false, err
}

// CreateBusiness makes a business and fills it, in one transaction.
func (s *Store) CreateBusiness(ctx context.Context, b Business, actor Actor, fill func(*Tx) error) error {
	return s.engine.Write(ctx, engine.Share{}, func(c engine.Conn) error {
		key, err := s.engine.NewTenantKey(ctx, c, b.ID)
		if err != nil {
			return err
		}
		t := Tenant{s: s, id: b.ID, key: key}
		created := schema.TimeValue(b.CreatedAt)
		if _, err := t.execOn(ctx, c, room.SQL(`
			INSERT INTO business (business_id, id, name, currency, change_seq, figured_seq, created_at, updated_at, version)
			VALUES ({business}, ?, ?, ?, 0, 0, ?, ?, 1)`, schema.IDValue(b.ID), schema.TextValue(schema.Text, b.Name),
			schema.TextValue(schema.Text, b.Currency), created, created)); err != nil {
			return err
		}
		return t.transact(ctx, c, actor, func(tx *Tx) error { return tx.locked(fill) })
	})
}

// OnlyBusiness tells whether there is one business and no other. Transactions that ask wait for each other, so of many that make the first
// business at once one finds itself alone.
func (o Outside) OnlyBusiness() (bool, error) {
	_, err := o.Exec(room.SQL(`
		INSERT INTO setting (name, value)
		VALUES (?, ?)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
		room.Text("setup"), room.Blob([]byte("done"))))
	if err != nil {
		return false, err
	}
	all := int64(0)
	err = o.Query(room.SQL("SELECT count(*) FROM business"), room.Into(&all, room.FirstInt))
	return all == 1, err
}

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
