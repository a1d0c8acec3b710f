package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"kith/internal/schema"
)

// arrival writes rows into a database that left another one.
type arrival struct {
	s       *Store
	shelver shelver
	// keys are the businesses' keys here, and highest the highest number among them where they are numbers.
	keys    map[schema.UUID]schema.Value
	highest int64
}

func (s *Store) arrive() *arrival {
	return &arrival{s: s, shelver: s.engine.text().shelver(s), keys: map[schema.UUID]schema.Value{}}
}

// learn reads the businesses that are there.
func (a *arrival) learn(ctx context.Context, c conn) error {
	all, err := a.s.businesses(ctx, c, "")
	for _, t := range all {
		a.keys[t.id] = t.key
		a.highest = max(a.highest, t.key.N)
	}
	return err
}

// write adds rows of a table, in the order of its columns.
func (a *arrival) write(ctx context.Context, c conn, t table, all [][]schema.Value) error {
	if len(all) == 0 {
		return nil
	}
	columns := make([]string, len(t.columns))
	for i, column := range t.columns {
		columns[i] = column.name
	}
	res := a.resourceOf(t)
	if t.searched {
		columns = append(columns, a.s.engine.text().placedBy())
	}
	var id, created, deleted, doc int
	if t.searched {
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
		if !t.searched {
			continue
		}
		if places[i], err = a.shelver.place(ctx, c, whose[i], res, creation{values[created].N, values[id].UUID()}); err != nil {
			return err
		}
	}
	var row []schema.Value
	err := c.insert(ctx, rows{t.name, columns, a.insertion(t, columns), len(all), func(i int) []schema.Value {
		if row = append(row[:0], all[i]...); t.searched {
			row = append(row, schema.IntValue(schema.Integer, places[i]))
		}
		return row
	}})
	if err != nil {
		return fmt.Errorf("write %s: %w", t.name, err)
	}
	if t.searched {
		for i, values := range all {
			if values[deleted].Set {
				continue
			}
			if err := a.shelver.add(ctx, c, whose[i], res, places[i], values[doc].S); err != nil {
				return err
			}
		}
		if err := a.shelver.finish(ctx, c); err != nil {
			return err
		}
	}
	if t.name == "credential" && a.s.engine.scattered() {
		return a.noteOldSecrets(ctx, c, t, all)
	}
	return nil
}

func (a *arrival) resourceOf(t table) *schema.Resource {
	for _, res := range a.s.reg.Resources {
		if res.Plural == t.name {
			return res
		}
	}
	return nil
}

// localise gives the business of a row its key here, and makes one for a row that is a business.
func (a *arrival) localise(ctx context.Context, c conn, t table, values []schema.Value) (Tenant, error) {
	at := t.businessColumn()
	if at < 0 || !values[at].Set && !t.columns[at].notNull {
		return Tenant{}, nil
	}
	id := values[at].UUID()
	key, known := a.keys[id]
	if !known && t.name == "business" {
		var err error
		if key, err = a.s.engine.newTenantKey(ctx, c, id); err != nil {
			return Tenant{}, err
		}
		if key.N > 0 { // those of the same page are not in the table yet
			key.N = max(key.N, a.highest+1)
			a.highest = key.N
		}
		a.keys[id], known = key, true
	}
	if !known {
		return Tenant{}, fmt.Errorf("a row of %s belongs to %s, which is not there", t.name, schema.FormatID("business", id))
	}
	values[at] = plainKey(key)
	return Tenant{s: a.s, id: id, key: key}, nil
}

// insertion is the statement that adds a row.
func (a *arrival) insertion(t table, columns []string) string {
	marks := make([]string, len(columns))
	for i := range columns {
		marks[i] = a.s.engine.mark(i + 1)
	}
	named := columns
	if number := a.s.engine.rowNumber(t.name, marks); number != "" {
		named, marks = append(slices.Clone(named), "rid"), append(slices.Clone(marks), number)
	}
	return "INSERT INTO " + t.name + " (" + strings.Join(named, ", ") + ") VALUES (" + strings.Join(marks, ", ") + ")"
}

// noteOldSecrets notes whose secrets these are, where they are not looked for everywhere.
func (a *arrival) noteOldSecrets(ctx context.Context, c conn, t table, all [][]schema.Value) error {
	at := func(name string) int {
		return slices.IndexFunc(t.columns, func(c column) bool { return c.name == name })
	}
	columns := []string{"hash", "business_id", "expires_at"}
	old := a.s.tableNamed("old_secret")
	return c.insert(ctx, rows{old.name, columns, a.insertion(old, columns), len(all), func(i int) []schema.Value {
		return []schema.Value{all[i][at("hash")], all[i][at("business_id")], all[i][at("expires_at")]}
	}})
}

// remove takes everything that belongs to a business out of the database.
func (a *arrival) remove(ctx context.Context, c conn, t Tenant) error {
	for _, res := range a.s.reg.Resources {
		if err := a.shelver.forget(ctx, c, t, res); err != nil {
			return err
		}
	}
	if err := a.shelver.finish(ctx, c); err != nil {
		return err
	}
	for _, table := range tables(a.s.reg) {
		if table.businessColumn() < 0 {
			continue
		}
		b := newBuilder(a.s.engine, t.key)
		if _, err := c.exec(ctx, "DELETE FROM "+table.name+" WHERE business_id = "+b.tenantMark(), b.args); err != nil {
			return err
		}
	}
	return nil
}
