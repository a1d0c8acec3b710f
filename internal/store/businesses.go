package store

import (
	"context"
	"fmt"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// Businesses lists all businesses in the order of their creation.
func (s *Store) Businesses(ctx context.Context) ([]Business, error) {
	var all []Business
	err := s.engine.Read(ctx, engine.Share{}, func(c engine.Conn) error {
		return c.Query(ctx, "SELECT "+businessColumns+" FROM business ORDER BY id", nil, func(r engine.Row) error {
			all = append(all, scanBusiness(r))
			return nil
		})
	})
	return all, err
}

// businesses lists those that a condition chooses.
func (s *Store) businesses(ctx context.Context, c engine.Conn, where string) (all []Tenant, err error) {
	err = c.Query(ctx, "SELECT id, business_id FROM business "+where+" ORDER BY id", nil, func(r engine.Row) error {
		id := r.Value(0, schema.ID).UUID()
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
		q := newBuilder(s.engine, t.key)
		sql := fmt.Sprintf("INSERT INTO business"+
			" (business_id, id, name, currency, change_seq, figured_seq, created_at, updated_at, version)"+
			" VALUES (%s, %s, %s, %s, 0, 0, %[5]s, %[5]s, 1)",
			q.TenantMark(), q.Arg(schema.IDValue(b.ID)), q.Arg(schema.TextValue(schema.Text, b.Name)),
			q.Arg(schema.TextValue(schema.Text, b.Currency)),
			q.Arg(schema.TimeValue(b.CreatedAt)))
		if _, err := c.Exec(ctx, sql, q.Values); err != nil {
			return err
		}
		return t.transact(ctx, c, actor, func(tx *Tx) error {
			if err := tx.lockTenant(); err != nil {
				return err
			}
			return fill(tx)
		})
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
	err = o.Query(room.SQL("SELECT count(*) FROM business"), func(r room.Row) error {
		all = r.Value(0, schema.Integer).N
		return nil
	})
	return all == 1, err
}
