package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
	"github.com/kith-crm/kith/internal/store/layout"
	"github.com/kith-crm/kith/internal/store/search"
)

// Arrival writes rows into a database that left another one.
type Arrival struct {
	s       *Store
	shelver search.Shelver
	// keys are the businesses' keys here, and highest the highest number among them where they are numbers.
	keys    map[schema.UUID]schema.Value
	highest int64
}

// Arrive begins to fill the database.
func (s *Store) Arrive() *Arrival {
	return &Arrival{s: s, shelver: s.search.Planner.Text().Shelver(s.search), keys: map[schema.UUID]schema.Value{}}
}

// Learn reads the businesses that are there.
func (a *Arrival) Learn(o Outside) error {
	all, err := o.Businesses()
	for _, t := range all {
		a.keys[t.id] = t.key
		a.highest = max(a.highest, t.key.N)
	}
	return err
}

// Business is a business that has come, where it has.
func (a *Arrival) Business(id schema.UUID) (t Tenant, known bool) {
	key, known := a.keys[id]
	return Tenant{s: a.s, id: id, key: key}, known
}

// Expect lets a business that comes have the key of one that was here.
func (a *Arrival) Expect(t Tenant) { a.keys[t.id] = t.key }

// Write adds rows of a table, in the order of its columns.
func (a *Arrival) Write(o Outside, t room.Table, all [][]schema.Value) error {
	ctx, c := o.ctx, o.c
	if len(all) == 0 {
		return nil
	}
	columns := make([]string, len(t.Columns))
	for i, column := range t.Columns {
		columns[i] = column.Name
	}
	var res *schema.Resource
	var id, created, deleted, doc int
	if t.Searched {
		res = a.s.reg.Resources[slices.IndexFunc(a.s.reg.Resources, func(res *schema.Resource) bool { return res.Plural == t.Name })]
		columns = append(columns, a.s.search.Planner.Text().PlacedBy())
		for at, l := range map[*int]*schema.Leaf{&id: res.Common.ID, &created: res.Common.CreatedAt, &deleted: res.Common.DeletedAt} {
			*at = slices.Index(columns, l.Column.Name)
		}
		doc = slices.Index(columns, "search_doc")
	}
	places, whose := make([]int64, len(all)), make([]Tenant, len(all))
	for i, values := range all {
		var err error
		if whose[i], err = a.localise(ctx, c, t, values); err != nil {
			return err
		}
		if !t.Searched {
			continue
		}
		if places[i], err = a.shelver.Place(ctx, c, whose[i].searched(), res,
			engine.Creation{At: values[created].N, ID: values[id].UUID()}); err != nil {
			return err
		}
	}
	var row []schema.Value
	err := c.Insert(ctx, engine.Rows{
		Table: t.Name, Columns: columns, SQL: a.s.insertSQL(t.Name, columns, a.s.engine.Mark(1)), N: len(all),
		At: func(i int) []schema.Value {
			if row = append(row[:0], all[i]...); t.Searched {
				row = append(row, room.Integer(places[i]))
			}
			return row
		},
	})
	if err != nil {
		return fmt.Errorf("write %s: %w", t.Name, err)
	}
	if t.Searched {
		for i, values := range all {
			if values[deleted].Set {
				continue
			}
			if err := a.shelver.Add(ctx, c, whose[i].searched(), res, places[i], values[doc].S); err != nil {
				return err
			}
		}
		if err := a.shelver.Finish(ctx, c); err != nil {
			return err
		}
	}
	if t.Name == "credential" && a.s.engine.Scattered() {
		return a.noteOldSecrets(ctx, c, t, all)
	}
	return nil
}

// localise gives the business of a row its key here, and makes one for a row that is a business.
func (a *Arrival) localise(ctx context.Context, c engine.Conn, t room.Table, values []schema.Value) (Tenant, error) {
	at := t.BusinessColumn()
	if at < 0 || !values[at].Set && !t.Columns[at].NotNull {
		return Tenant{}, nil
	}
	id := values[at].UUID()
	key, known := a.keys[id]
	if !known && t.Name == "business" {
		var err error
		if key, err = a.s.engine.NewTenantKey(ctx, c, id); err != nil {
			return Tenant{}, err
		}
		if key.N > 0 { // those of the same page are not in the table yet
			key.N = max(key.N, a.highest+1)
			a.highest = key.N
		}
		a.keys[id], known = key, true
	}
	if !known {
		return Tenant{}, fmt.Errorf("a row of %s belongs to %s, which is not there", t.Name, schema.FormatID("business", id))
	}
	values[at] = plainKey(key)
	return Tenant{s: a.s, id: id, key: key}, nil
}

// noteOldSecrets notes whose secrets these are, where they are not looked for everywhere.
func (a *Arrival) noteOldSecrets(ctx context.Context, c engine.Conn, t room.Table, all [][]schema.Value) error {
	columns := []string{"hash", "business_id", "expires_at"}
	const old = "old_secret"
	return c.Insert(ctx, engine.Rows{
		Table: old, Columns: columns, SQL: a.s.insertSQL(old, columns, a.s.engine.Mark(1)), N: len(all),
		At: func(i int) []schema.Value {
			return []schema.Value{all[i][t.Column("hash")], all[i][t.Column("business_id")], all[i][t.Column("expires_at")]}
		},
	})
}

// Remove takes everything that belongs to a business out of the database.
func (a *Arrival) Remove(o Outside, t Tenant) error {
	ctx, c := o.ctx, o.c
	for _, res := range a.s.reg.Resources {
		if err := a.shelver.Forget(ctx, c, t.searched(), res); err != nil {
			return err
		}
	}
	if err := a.shelver.Finish(ctx, c); err != nil {
		return err
	}
	for _, table := range layout.Tables(a.s.reg) {
		if !slices.ContainsFunc(table.Columns, func(c engine.Column) bool { return c.Kind == engine.KindTenant }) {
			continue
		}
		if _, err := t.execOn(ctx, c, room.SQL("DELETE FROM "+table.Name+" WHERE business_id = {business}")); err != nil {
			return err
		}
	}
	return nil
}
