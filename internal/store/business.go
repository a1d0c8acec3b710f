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
	own := room.SQL("SELECT " + businessColumns + " FROM business WHERE business_id = {business}")
	err = t.queryOn(ctx, c, own, room.Into(&b, scanBusiness))
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
