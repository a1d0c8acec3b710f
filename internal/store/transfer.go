package store

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"kith/internal/schema"
)

// Rows leave a database, and come into one, in a form that is the same on every engine: the values of the declared columns, with a business by its id. What an engine
// keeps for itself, such as where rows lie and its text index, stays behind and is made anew. Copies, backups and their checks share this form.

// defaultLeaving is how many rows leave at once.
const defaultLeaving = 4000

// portable gives the tables whose rows go from one database to another, without what is an engine's own. That of businesses is first: it tells whose the others are.
func portable(reg *schema.Registry) []table {
	all := slices.DeleteFunc(tables(reg), func(t table) bool { return t.own })
	for i, t := range all {
		all[i].columns = slices.DeleteFunc(slices.Clone(t.columns), func(c column) bool { return slices.Contains(t.ownColumns, c.name) })
	}
	slices.SortStableFunc(all, func(a, b table) int { return cmp.Compare(rank(a), rank(b)) })
	return all
}

func rank(t table) int {
	if t.name == "business" {
		return 0
	}
	return 1
}

// businessColumn is the place of the business among a table's columns, or -1.
func (t table) businessColumn() int {
	return slices.IndexFunc(t.columns, func(c column) bool { return c.kind == kindTenant })
}

// incoming is the name of the setting that says that a database is being filled from elsewhere, and how far that is. No server works on such a one.
const incoming = "incoming"

// departure reads rows of a database in one state of it, in the form in which they leave.
type departure struct {
	s   *Store
	ctx context.Context
	c   conn
	// ids are the businesses by their keys.
	ids map[schema.Value]schema.UUID
	// only is the business whose rows alone are read, or nil.
	only *Tenant
}

// depart reads a database, all of it or one business.
func (s *Store) depart(ctx context.Context, only *schema.UUID, fn func(*departure) error) error {
	return s.engine.snapshot(ctx, func(c conn) error {
		d := &departure{s: s, ctx: ctx, c: c, ids: map[schema.Value]schema.UUID{}}
		all, err := s.businesses(ctx, c, "")
		if err != nil {
			return err
		}
		for _, t := range all {
			d.ids[plainKey(t.key)] = t.id
			if only != nil && t.id == *only {
				d.only = &t
			}
		}
		if only != nil && d.only == nil {
			return fmt.Errorf("there is no business %s: %w", schema.FormatID("business", *only), ErrNotFound)
		}
		return fn(d)
	})
}

// plainKey is a tenant key as a row has it.
func plainKey(key schema.Value) schema.Value {
	return schema.Value{Kind: kindTenant, Set: true, N: key.N, S: key.S}
}

// readings are the ways through a table. Where businesses lie on several machines each is read by itself, on its own.
func (d *departure) readings(t table) (all []*tableReading) {
	column := t.businessColumn()
	switch {
	case d.only != nil && column < 0: // what belongs to nobody stays
	case d.only != nil:
		all = append(all, &tableReading{table: t, of: d.only})
	case column >= 0 && !t.atDoor && d.s.engine.scattered():
		var tenants []Tenant
		for key, id := range d.ids {
			tenants = append(tenants, Tenant{s: d.s, id: id, key: key})
		}
		slices.SortFunc(tenants, func(a, b Tenant) int { return bytes.Compare(a.id[:], b.id[:]) })
		for _, t2 := range tenants {
			all = append(all, &tableReading{table: t, of: &t2})
		}
	default:
		all = append(all, &tableReading{table: t})
	}
	for _, r := range all {
		r.most = d.s.leaving
	}
	return all
}

// page reads the next rows of a reading; none is the end.
func (d *departure) page(r *tableReading) (rows [][]schema.Value, more bool, err error) {
	page, err := r.page(d.ctx, d.s, d.c)
	if err != nil {
		return nil, false, err
	}
	column := r.businessColumn()
	for _, values := range page {
		if r.name == "setting" && values[0].S == incoming || d.s.engine.private(r.name, values) {
			continue
		}
		if column >= 0 && values[column].Set {
			id, known := d.ids[values[column]]
			if !known {
				continue // of a business that is no more, or not yet
			}
			values[column] = schema.Value{Kind: kindTenant, Set: true, S: string(id[:])}
		}
		rows = append(rows, values)
	}
	return rows, len(page) > 0, nil
}

// all reads a table.
func (d *departure) all(t table, each func(rows [][]schema.Value) error) error {
	for _, r := range d.readings(t) {
		for {
			rows, more, err := d.page(r)
			if err != nil {
				return err
			}
			if !more {
				break
			}
			if err := each(rows); err != nil {
				return err
			}
		}
	}
	return nil
}

// strangers are the clients that registered themselves, of no business, which users of the only business allowed something.
func (d *departure) strangers(t table) (rows [][]schema.Value, err error) {
	var ids []schema.Value
	b := newBuilder(d.s.engine, d.only.key)
	err = d.c.query(d.ctx, "SELECT DISTINCT t.client_id FROM access_grant t WHERE t.business_id = "+b.tenantMark(), b.args, func(r row) error {
		ids = append(ids, text(strings.Clone(r.Value(0, schema.Text).S)))
		return nil
	})
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	b = &builder{d: d.s.engine}
	r := &tableReading{table: t, where: "t.business_id IS NULL AND " + b.d.among(b, "t.client_id", ids), args: b.args}
	for {
		page, more, err := d.page(r)
		if err != nil || !more {
			return rows, err
		}
		rows = append(rows, page...)
	}
}

// tableSum is how many rows a table has, and a sum over all of them that does not depend on their order.
type tableSum struct {
	Rows      int64
	low, high uint64
}

// add adds a row in its portable form.
func (s *tableSum) add(row []byte) {
	hash := sha256.Sum256(row)
	s.Rows++
	s.low += binary.BigEndian.Uint64(hash[:])
	s.high += binary.BigEndian.Uint64(hash[8:])
}

func (s tableSum) String() string {
	return hex.EncodeToString(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, s.high), s.low))
}

// sums adds up all tables.
func (d *departure) sums(told func(table string, rows int)) (map[string]tableSum, error) {
	all := map[string]tableSum{}
	var row []byte
	for _, t := range portable(d.s.reg) {
		var sum tableSum
		err := d.all(t, func(rows [][]schema.Value) error {
			for _, values := range rows {
				row = appendRow(row[:0], values)
				sum.add(row)
			}
			if told != nil {
				told(t.name, len(rows))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		all[t.name] = sum
	}
	return all, nil
}

// disagree tells which tables are not the same, in words.
func disagree(reg *schema.Registry, want, got map[string]tableSum) (wrong []string) {
	for _, t := range portable(reg) {
		switch a, b := want[t.name], got[t.name]; {
		case a.Rows != b.Rows:
			wrong = append(wrong, fmt.Sprintf("%s has %d rows, expected %d", t.name, b.Rows, a.Rows))
		case a != b:
			wrong = append(wrong, fmt.Sprintf("%s has other values", t.name))
		}
	}
	return wrong
}
