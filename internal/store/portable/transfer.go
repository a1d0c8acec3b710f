// Package portable brings databases elsewhere: it copies them, backs them up and restores them, from any engine to any other.
//
// Rows leave a database, and come into one, in a form that is the same on every engine: the values of the declared columns, with a
// business by its id. What an engine keeps for itself, such as where rows lie and its text index, stays behind and is made anew.
package portable

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// departure reads rows of a database in one state of it, in the form in which they leave.
type departure struct {
	s *store.Store
	o store.Outside
	// tenants are the businesses, in the order of their ids, and ids these by the keys that rows have.
	tenants []store.Tenant
	ids     map[schema.Value]schema.UUID
	// only is the business whose rows alone are read, or nil.
	only *store.Tenant
}

// depart reads a database, all of it or one business.
func depart(ctx context.Context, s *store.Store, only *schema.UUID, fn func(*departure) error) error {
	return s.Snapshot(ctx, func(o store.Outside) error {
		tenants, err := o.Businesses()
		if err != nil {
			return err
		}
		d := newDeparture(s, o, tenants)
		if only != nil {
			at := slices.IndexFunc(tenants, func(t store.Tenant) bool { return t.ID() == *only })
			if at < 0 {
				return fmt.Errorf("there is no business %s: %w", schema.FormatID("business", *only), store.ErrNotFound)
			}
			d.only = &tenants[at]
		}
		return fn(d)
	})
}

func newDeparture(s *store.Store, o store.Outside, tenants []store.Tenant) *departure {
	d := &departure{s: s, o: o, tenants: tenants, ids: map[schema.Value]schema.UUID{}}
	for _, t := range tenants {
		d.ids[o.Key(t)] = t.ID()
	}
	return d
}

// reading is how far the rows of a table have been read, all or those of one business.
type reading struct {
	room.Reading
	of *store.Tenant
}

// readings are the ways through a table. Where businesses lie on several machines each is read by itself, on its own.
func (d *departure) readings(t room.Table) (all []*reading) {
	column := t.BusinessColumn()
	switch {
	case d.only != nil && column < 0: // what belongs to nobody stays
	case d.only != nil:
		all = append(all, &reading{room.Reading{Table: t}, d.only})
	case column >= 0 && !t.InDirectory && d.s.Scattered():
		for i := range d.tenants {
			all = append(all, &reading{room.Reading{Table: t}, &d.tenants[i]})
		}
	default:
		all = append(all, &reading{room.Reading{Table: t}, nil})
	}
	return all
}

// page reads the next rows of a reading; none is the end.
func (d *departure) page(r *reading) (rows [][]schema.Value, more bool, err error) {
	page, err := d.o.Page(&r.Reading, r.of)
	if err != nil {
		return nil, false, err
	}
	column := r.BusinessColumn()
	for _, values := range page {
		if r.Name == "setting" && values[0].S == room.Incoming || d.o.Private(r.Name, values) {
			continue
		}
		if column >= 0 && values[column].Set {
			id, known := d.ids[values[column]]
			if !known {
				continue // of a business that is no more, or not yet
			}
			values[column] = schema.Value{Kind: room.Business, Set: true, S: string(id[:])}
		}
		rows = append(rows, values)
	}
	return rows, len(page) > 0, nil
}

// all reads a table.
func (d *departure) all(t room.Table, each func(rows [][]schema.Value) error) error {
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
func (d *departure) strangers(t room.Table) (rows [][]schema.Value, err error) {
	var ids []schema.Value
	allowed := room.SQL("SELECT DISTINCT t.client_id FROM access_grant t WHERE t.business_id = {business}")
	err = d.o.QueryWithin(*d.only, allowed, func(r room.Row) error {
		ids = append(ids, room.Text(room.TextAt(r, 0)))
		return nil
	})
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	r := &reading{Reading: room.Reading{Table: t, Where: room.Statement{Text: "t.business_id IS NULL AND {among t.client_id}", Among: ids}}}
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

// sums adds up tables.
func (d *departure) sums(all []room.Table, told func(table string, rows int)) (map[string]tableSum, error) {
	sums := map[string]tableSum{}
	var row []byte
	for _, t := range all {
		var sum tableSum
		err := d.all(t, func(rows [][]schema.Value) error {
			for _, values := range rows {
				row = room.AppendRow(row[:0], values)
				sum.add(row)
			}
			if told != nil {
				told(t.Name, len(rows))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		sums[t.Name] = sum
	}
	return sums, nil
}

// disagree tells which tables are not the same, in words.
func disagree(all []room.Table, want, got map[string]tableSum) (wrong []string) {
	for _, t := range all {
		switch a, b := want[t.Name], got[t.Name]; {
		case a.Rows != b.Rows:
			wrong = append(wrong, fmt.Sprintf("%s has %d rows, expected %d", t.Name, b.Rows, a.Rows))
		case a != b:
			wrong = append(wrong, fmt.Sprintf("%s has other values", t.Name))
		}
	}
	return wrong
}
