package store

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
	"github.com/kith-crm/kith/internal/store/layout"
)

// Package portable copies databases, and backs them up. These are the ways by which it reads all rows of one, and fills another; rows
// come in by an Arrival.

// defaultLeaving is how many rows leave at once.
const defaultLeaving = 4000

// PortableTables gives the tables whose rows go from one database to another, without what is an engine's own. That of businesses is
// first: it tells whose the others are.
func (s *Store) PortableTables() (all []room.Table) {
	for _, t := range layout.Tables(s.reg) {
		if t.Own {
			continue
		}
		told := room.Table{Name: t.Name, Primary: t.Primary, InDirectory: t.InDirectory, Searched: t.Searched}
		for _, c := range t.Columns {
			if !slices.Contains(t.OwnColumns, c.Name) {
				told.Columns = append(told.Columns, room.Column{Name: c.Name, Kind: c.Kind, NotNull: c.NotNull})
			}
		}
		all = append(all, told)
	}
	rank := func(t room.Table) int {
		if t.Name == "business" {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(all, func(a, b room.Table) int { return cmp.Compare(rank(a), rank(b)) })
	return all
}

// Scattered tells that businesses lie on several machines. Then what belongs to one is best read by itself.
func (s *Store) Scattered() bool { return s.engine.Scattered() }

// LayoutNumber is that of the last migration which this program knows.
func (s *Store) LayoutNumber() int64 { return s.layout }

// MigrateTo brings a database up to a layout, and does not ask whether it is being filled from elsewhere.
func (s *Store) MigrateTo(ctx context.Context, layout int64) error {
	_, err := s.migrate(ctx, layout)
	return err
}

// ForgetTenant lets the store read anew what it knows of a business.
func (s *Store) ForgetTenant(id schema.UUID) { s.tenants.Delete(id) }

// Snapshot reads one state of the database, whatever is written meanwhile, for as long as it takes.
func (s *Store) Snapshot(ctx context.Context, fn func(Outside) error) error {
	return s.engine.Snapshot(ctx, 1, func(all []engine.Conn) error { return fn(Outside{s, ctx, all[0]}) })
}

// Fill writes what comes from elsewhere in a transaction, for as long as it takes. fn runs once: what was read to be written has been
// used then.
func (s *Store) Fill(ctx context.Context, fn func(Outside) error) error {
	return s.engine.Write(ctx, engine.Share{}, func(c engine.Conn) error {
		if err := fn(Outside{s, ctx, c}); err != nil {
			return errors.New(err.Error()) // which no engine takes for a reason to try again
		}
		return nil
	})
}

// Now is the time by the store's clock.
func (o Outside) Now() time.Time { return o.s.now() }

// Businesses gives all businesses.
func (o Outside) Businesses() ([]Tenant, error) { return o.s.businesses(o.ctx, o.c, "") }

// Key is the key of a business as a row has it.
func (o Outside) Key(t Tenant) schema.Value { return plainKey(t.key) }

// Private tells that a row of a table is the engine's own.
func (o Outside) Private(table string, values []schema.Value) bool {
	return o.s.engine.Private(table, values)
}

// Page reads the next rows of a table, of one business or of all where that is nil. There are none at the end.
func (o Outside) Page(r *room.Reading, of *Tenant) ([][]schema.Value, error) {
	where, args := o.s.sought(r.Where, o.s.render(r.Where.Text), r.Where.Args)
	t := engine.Table{Name: r.Name, Primary: r.Primary}
	for _, c := range r.Columns {
		t.Columns = append(t.Columns, engine.Column{Name: c.Name, Kind: c.Kind, NotNull: c.NotNull})
	}
	reading := tableReading{Table: t, of: of, where: where, args: args, most: o.s.leaving, after: r.After}
	page, err := reading.page(o.ctx, o.s, o.c)
	r.After = reading.after
	return page, err
}

// Filled names a table in which there is something, or nothing where all are empty.
func (o Outside) Filled() (name string, err error) {
	for _, t := range layout.Tables(o.s.reg) {
		err := o.c.Query(o.ctx, "SELECT 1 FROM "+t.Name+" LIMIT 1", nil, func(engine.Row) error { name = t.Name; return nil })
		if err != nil || name != "" {
			return name, err
		}
	}
	return "", nil
}
