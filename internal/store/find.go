package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
	"github.com/kith-crm/kith/internal/store/layout"
	"github.com/kith-crm/kith/internal/store/search"
)

// What a transaction, or a reader, looks up by itself: single records, and those that match conditions. What callers search for is
// in ask.go.

// Get reads one record for reading, or ErrNotFound. Deleted records are found only with bin.
func (t Tenant) Get(ctx context.Context, res *schema.Resource, id schema.UUID, bin bool) (*schema.Record, error) {
	var rec *schema.Record
	err := t.read(ctx, func(c engine.Conn) (err error) {
		rec, err = t.get(ctx, c, res, id, bin, "")
		return err
	})
	return rec, err
}

// Get reads one record and keeps others from changing it until the transaction ends.
func (tx *Tx) Get(res *schema.Resource, id schema.UUID, bin bool) (*schema.Record, error) {
	return tx.has(tx.get(tx.ctx, tx.c, res, id, bin, tx.s.engine.Lock()))
}

// GetAny reads one record, be it live or deleted, or ErrNotFound.
func GetAny(tx *Tx, res *schema.Resource, id schema.UUID) (*schema.Record, error) {
	rec, err := tx.Get(res, id, false)
	if errors.Is(err, ErrNotFound) {
		rec, err = tx.Get(res, id, true)
	}
	return rec, err
}

// Peek reads one record without locking it.
func (tx *Tx) Peek(res *schema.Resource, id schema.UUID) (*schema.Record, error) {
	if known, ok := tx.memory.records[id]; ok && known.shape == &res.Shape {
		if known.rec == nil {
			return nil, ErrNotFound
		}
		return known.rec, nil
	}
	rec, err := tx.has(tx.get(tx.ctx, tx.c, res, id, false, ""))
	if err == nil && tx.alone() {
		tx.memory.begin()
		tx.rememberRecord(res, rec)
	}
	return rec, err
}

func (t Tenant) get(ctx context.Context, c engine.Conn, res *schema.Resource, id schema.UUID, bin bool, lock string) (*schema.Record,
	error,
) {
	b := t.builder()
	state := b.Dialect.LiveByID("t")
	if bin {
		state = "t.deleted_at IS NOT NULL"
	}
	sql := "SELECT " + b.wholeRecord(res) + " FROM " + res.Plural + " t" +
		" WHERE t.business_id = " + b.TenantMark() + " AND t.id = " + b.Arg(schema.IDValue(id)) + " AND " + state + lock
	var rec *schema.Record
	err := c.Query(ctx, sql, b.Values, func(r engine.Row) (err error) {
		rec, err = scanRecord(r, res)
		return err
	})
	if err == nil && rec == nil {
		err = ErrNotFound
	}
	return rec, err
}

// All reads the live records of a small resource, oldest first.
func (t Tenant) All(ctx context.Context, res *schema.Resource, limit int) (all []*schema.Record, err error) {
	err = t.read(ctx, func(c engine.Conn) (err error) {
		all, err = t.all(ctx, c, res, limit)
		return err
	})
	return all, err
}

func (t Tenant) all(ctx context.Context, c engine.Conn, res *schema.Resource, limit int) (all []*schema.Record, err error) {
	sql, args := t.finding(res, limit, nil)
	err = c.Query(ctx, sql, args, func(r engine.Row) error {
		rec, err := scanRecord(r, res)
		all = append(all, rec)
		return err
	})
	return all, err
}

// records reads whole records.
func (tx *Tx) records(res *schema.Resource, sql string, args []schema.Value) (found []*schema.Record, err error) {
	err = tx.c.Query(tx.ctx, sql, args, func(r engine.Row) error {
		rec, err := tx.has(scanRecord(r, res))
		found = append(found, rec)
		return err
	})
	return found, err
}

// finding is the statement that reads the live records which match all conditions on fields of the resource itself, oldest first,
// at most limit.
func (t Tenant) finding(res *schema.Resource, limit int, conditions []query.Condition) (sql string, args []schema.Value) {
	b := t.builder()
	q := &query.Query{Resource: res, Filters: conditions}
	sql = "SELECT " + b.wholeRecord(res) + " FROM " + res.Plural + " t" +
		" WHERE " + strings.Join(b.Conditions(q), " AND ") +
		fmt.Sprintf(" ORDER BY t.created_at, t.id LIMIT %d", limit)
	return sql, b.Values
}

// Find reads the live records that match all conditions on fields of the resource itself, oldest first, at most limit.
func (tx *Tx) Find(res *schema.Resource, limit int, conditions ...query.Condition) ([]*schema.Record, error) {
	sql, args := tx.finding(res, limit, conditions)
	if limit != 1 {
		return tx.records(res, sql, args)
	}
	rec, err := tx.first(res, sql, args, func() (*schema.Record, error) {
		found, err := tx.records(res, sql, args)
		if err != nil || len(found) == 0 {
			return nil, err
		}
		return found[0], nil
	})
	if err != nil || rec == nil {
		return nil, err
	}
	return []*schema.Record{rec}, nil
}

// Records reads the records of a resource that the rest of a statement chooses, behind SELECT … FROM, where they are t.
func (tx *Tx) Records(res *schema.Resource, rest room.Statement) ([]*schema.Record, error) {
	rest.Text = "t " + rest.Text
	sql, args, err := tx.held(rest)
	if err != nil {
		return nil, err
	}
	return tx.records(res, "SELECT "+tx.builder().wholeRecord(res)+" FROM "+res.Plural+" "+sql, args)
}

// FindIDs finds the live records that match all conditions on fields of the resource itself, oldest first, at most limit, and reads
// nothing but their ids: so it can be told of many, whatever is in them.
func (tx *Tx) FindIDs(res *schema.Resource, limit int, conditions ...query.Condition) (ids []schema.UUID, err error) {
	b := tx.builder()
	sql := "SELECT t.id FROM " + res.Plural + " t" +
		" WHERE " + strings.Join(b.Conditions(&query.Query{Resource: res, Filters: conditions}), " AND ") +
		fmt.Sprintf(" ORDER BY t.created_at, t.id LIMIT %d", limit)
	err = tx.c.Query(tx.ctx, sql, b.Values, room.Collect(&ids, room.FirstID))
	return ids, err
}

// Mentioning finds the live records which have a text in one of some fields, as these are kept, oldest first, at most limit.
func Mentioning(tx *Tx, res *schema.Resource, limit int, text string, fields ...*schema.Leaf) (ids []schema.UUID, err error) {
	var somewhere []string
	for _, l := range fields {
		somewhere = append(somewhere, "{contains CAST(t."+l.Column.Name+" AS text)}")
	}
	st := room.SQL(`
		SELECT t.id FROM ` + res.Plural + ` t
		WHERE t.business_id = {business} AND t.deleted_at IS NULL AND (` + strings.Join(somewhere, " OR ") + `)
		ORDER BY t.created_at, t.id LIMIT ` + strconv.Itoa(limit))
	st.Needle = text
	err = tx.Query(st, room.Collect(&ids, room.FirstID))
	return ids, err
}

// Count counts the live records that match all conditions on fields of the resource itself, up to most.
func (tx *Tx) Count(res *schema.Resource, most int, conditions ...query.Condition) (int, error) {
	b := tx.builder()
	n, err := search.Count(tx.ctx, tx.c.Query, &b.Arguments, res.Plural+" t",
		b.Conditions(&query.Query{Resource: res, Filters: conditions}), most)
	return int(n), err
}

// Highest is the highest value of a whole number among the live records, absent where none has one.
func (tx *Tx) Highest(res *schema.Resource, l *schema.Leaf) (highest schema.Value, err error) {
	b := tx.builder()
	sql := "SELECT max(t." + l.Column.Name + ") FROM " + res.Plural + " t" +
		" WHERE " + strings.Join(b.Conditions(&query.Query{Resource: res}), " AND ")
	err = tx.c.Query(tx.ctx, sql, b.Values, room.Into(&highest, room.First(l.Kind)))
	return highest, err
}

// Equal is the condition that a field of the searched resource has a value.
func Equal(l *schema.Leaf, v schema.Value) query.Condition {
	if l.Key != "" {
		v.S = query.Key(l, v.S)
	}
	return query.Condition{Path: query.Path{Ref: -1, Leaf: l}, Operator: query.Eq, Values: []schema.Value{v}}
}

// Currency is the business's own currency.
func (tx *Tx) Currency() (string, error) {
	if tx.memory.currency != "" {
		return tx.memory.currency, nil
	}
	b, err := tx.business(tx.ctx, tx.c)
	if tx.alone() {
		tx.memory.currency = b.Currency
	}
	return b.Currency, err
}

// Taken finds the live record, other than the given one, that holds a unique value.
func (tx *Tx) Taken(res *schema.Resource, l *schema.Leaf, v schema.Value, except schema.UUID) (schema.UUID, bool, error) {
	if len(tx.memory.holders) > 0 {
		if holder, known := tx.memory.holders[holding(res, l, v)]; known {
			return holder, holder != (schema.UUID{}) && holder != except, nil
		}
	}
	if l.Member != "" {
		return tx.holder(l, v, except)
	}
	b := tx.builder()
	where := "t." + layout.SortColumn(l) + " = " + b.Arg(layout.KeyOf(l, v))
	if l.Identity.Exact {
		where += " AND t." + l.Column.Name + " = " + b.Arg(v)
	}
	var id schema.UUID
	sql := "SELECT t.id FROM " + res.Plural + " t WHERE t.business_id = " + b.TenantMark() + " AND t." + engine.Live + " AND " + where +
		" AND t.id <> " + b.Arg(schema.Value{Kind: schema.ID, Set: true, S: string(except[:])}) + " LIMIT 1"
	err := tx.c.Query(tx.ctx, sql, b.Values, room.Into(&id, room.FirstID))
	return id, id != schema.UUID{}, err
}
