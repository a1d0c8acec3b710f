package store

import (
	"context"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// Business is a tenant as the operator sees it.
type Business struct {
	ID        schema.UUID
	Name      string
	Currency  string
	CreatedAt time.Time
}

const businessColumns = "id, name, currency, created_at"

func scanBusiness(r engine.Row) Business {
	return Business{
		ID:       room.FirstID(r),
		Name:     r.Value(1, schema.Text).S,
		Currency: r.Value(2, schema.Text).S, CreatedAt: r.Value(3, schema.Time).Time(),
	}
}

// Business reads what the tenant is.
func (t Tenant) Business(ctx context.Context) (Business, error) {
	var b Business
	err := t.read(ctx, func(c engine.Conn) (err error) {
		b, err = t.business(ctx, c)
		return err
	})
	return b, err
}

func (t Tenant) business(ctx context.Context, c engine.Conn) (b Business, err error) {
	err = t.queryOn(ctx, c, room.SQL("SELECT "+businessColumns+" FROM business WHERE business_id = {business}"), room.Into(&b, scanBusiness))
	return b, err
}

// Own reads the business itself as a record: each leaf of res is a column of its row.
func (t Tenant) Own(ctx context.Context, res *schema.Resource) (*schema.Record, error) {
	var rec *schema.Record
	err := t.read(ctx, func(c engine.Conn) (err error) {
		rec, err = t.own(ctx, c, res, "")
		return err
	})
	return rec, err
}

// Own reads the business itself and keeps others from changing it until the transaction ends.
func (tx *Tx) Own(res *schema.Resource) (*schema.Record, error) {
	return tx.own(tx.ctx, tx.c, res, tx.s.engine.Lock())
}

func (t Tenant) own(ctx context.Context, c engine.Conn, res *schema.Resource, lock string) (*schema.Record, error) {
	b := t.builder()
	sql := "SELECT " + b.wholeRecord(res) + " FROM business t WHERE t.business_id = " + b.TenantMark() + lock
	var rec *schema.Record
	err := c.Query(ctx, sql, b.Values, func(r engine.Row) (err error) {
		rec, err = scanRecord(r, res)
		return err
	})
	if err != nil {
		return nil, err
	}
	if rec == nil {
		return nil, ErrNotFound
	}
	// A server that does not know these columns yet may have made the business while the servers were replaced one by one.
	if common := &res.Common; !rec.Get(common.Version).Set {
		rec.Put(common.Version, room.Integer(1))
		rec.Put(common.UpdatedAt, rec.Get(common.CreatedAt))
	}
	return rec, nil
}

// UpdateOwn writes what differs between two states of the business itself, under an action's name for the log.
func (tx *Tx) UpdateOwn(res *schema.Resource, old, rec *schema.Record, action string) error {
	b := tx.builder()
	var sets []string
	for i, l := range rec.Leaves {
		if old.Values[i] != rec.Values[i] {
			sets = append(sets, l.Column.Name+" = "+b.Arg(rec.Values[i]))
		}
	}
	if len(sets) == 0 {
		return nil
	}
	tx.memory.currency = ""
	if _, err := tx.c.Exec(tx.ctx, "UPDATE business SET "+strings.Join(sets, ", ")+" WHERE business_id = "+b.TenantMark(),
		b.Values); err != nil {
		return err
	}
	return tx.log(res, old, rec, action)
}

// Businesses lists all businesses in the order of their creation.
func (s *Store) Businesses(ctx context.Context) ([]Business, error) {
	var all []Business
	err := s.engine.Read(ctx, engine.Share{}, func(c engine.Conn) error {
		return c.Query(ctx, "SELECT "+businessColumns+" FROM business ORDER BY id", nil, room.All(&all, scanBusiness))
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
	err = o.Query(room.SQL("SELECT count(*) FROM business"), room.Into(&all, room.FirstInteger))
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
