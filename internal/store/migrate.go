package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
	"github.com/kith-crm/kith/internal/store/layout"
	"github.com/kith-crm/kith/internal/store/migrations"
)

// afterwards is what SQL alone cannot do, by the number of the step that it belongs to. It runs in the transaction of the migration, after
// the scripts of all steps: so the tables are those of the declarations, and it may be written in terms of these. It reads and writes in
// batches, because a database may be large.
var afterwards = map[int64]func(*Store, context.Context, engine.Conn) error{
	4: func(s *Store, ctx context.Context, c engine.Conn) error {
		if err := s.rekey(ctx, c); err != nil {
			return err
		}
		return s.fillListItems(ctx, c)
	},
	13: func(s *Store, ctx context.Context, c engine.Conn) error {
		return s.inEveryBusiness(ctx, c, (*Tx).refigure)
	},
	17: (*Store).fillMatches,
}

// inBusinesses is what only the domain can do, by the number of the step that it belongs to.
var inBusinesses = map[int64]func(*Tx) error{}

// InEveryBusiness has something done in every business that is there when a step is taken, after what the store itself does then.
// What it changes is in the change log, as by nobody. It is for the start of the program.
func InEveryBusiness(step int64, do func(*Tx) error) { inBusinesses[step] = do }

// inEveryBusiness runs a function in all businesses, one after the other.
func (s *Store) inEveryBusiness(ctx context.Context, c engine.Conn, do func(*Tx) error) error {
	all, err := s.businesses(ctx, c, "")
	for i := 0; i < len(all) && err == nil; i++ {
		err = all[i].transact(ctx, c, Actor{}, func(tx *Tx) error { return tx.locked(do) })
	}
	return err
}

// Migrations lists all steps that this program knows, and which of them the database has.
func (s *Store) Migrations(ctx context.Context) ([]migrations.Step, error) {
	all, err := migrations.Of(s.engine.Name())
	if err != nil {
		return nil, err
	}
	err = s.engine.Read(ctx, engine.Share{}, func(c engine.Conn) error {
		found := false
		if err := c.Query(ctx, s.engine.Migrated(), nil, room.Found(&found)); err != nil || !found {
			return err
		}
		return migrations.MarkApplied(ctx, c, all)
	})
	return all, err
}

// Migrate applies the steps that the database lacks, all or none, and returns them. A database of a newer program is refused, and
// so is one that is being filled.
func (s *Store) Migrate(ctx context.Context) ([]migrations.Step, error) {
	done, err := s.migrate(ctx, newest)
	if err == nil {
		err = s.engine.Read(ctx, engine.Share{}, func(c engine.Conn) error { return s.refuseUnfinished(ctx, c) })
	}
	return done, err
}

// newest stands for the last step that there is.
const newest = math.MaxInt64

// migrate goes up to a step. Where others are behind it, the database is an empty one for a backup of that layout, and what is done to
// records is left for those steps.
func (s *Store) migrate(ctx context.Context, upTo int64) ([]migrations.Step, error) {
	all, err := s.Migrations(ctx)
	if err != nil {
		return nil, err
	}
	partly := upTo < all[len(all)-1].Number
	all = slices.DeleteFunc(all, func(m migrations.Step) bool { return m.Number > upTo })
	if slices.ContainsFunc(all, func(m migrations.Step) bool { return m.Applied }) {
		if err := s.engine.Read(ctx, engine.Share{}, func(c engine.Conn) error { return migrations.RefuseNewer(ctx, c, all) }); err != nil {
			return nil, err
		}
	}
	if !slices.ContainsFunc(all, func(m migrations.Step) bool { return !m.Applied }) {
		var unplaced []engine.Table
		err := s.engine.Read(ctx, engine.Share{}, func(c engine.Conn) (err error) {
			unplaced, err = s.engine.Unplaced(ctx, c, layout.Tables(s.reg))
			return err
		})
		if err != nil || len(unplaced) == 0 {
			return nil, err
		}
	}
	var done []migrations.Step
	err = s.engine.Migrate(ctx, func(c engine.Conn, run func(string) error) error {
		done = nil
		if err := migrations.MarkApplied(ctx, c, all); err != nil {
			return err
		}
		for _, m := range all {
			if m.Applied {
				continue
			}
			if err := run(m.Script); err != nil {
				return fmt.Errorf("migration %04d %s: %w", m.Number, m.Name, err)
			}
			if _, err := c.Exec(ctx, s.render("INSERT INTO migration (number, name, applied_at) VALUES (?, ?, ?)"),
				[]schema.Value{room.Integer(m.Number), text(m.Name), schema.TimeValue(time.Now())}); err != nil {
				return err
			}
			done = append(done, m)
		}
		if partly {
			return nil
		}
		if err := s.engine.Place(ctx, c, layout.Tables(s.reg)); err != nil {
			return err
		}
		if err := s.stampAll(ctx, c, all, done); err != nil {
			return err
		}
		for _, m := range done {
			step, domain := afterwards[m.Number], inBusinesses[m.Number]
			var err error
			if step != nil {
				err = step(s, ctx, c)
			}
			if domain != nil && err == nil {
				err = s.inEveryBusiness(ctx, c, domain)
			}
			if err != nil {
				return fmt.Errorf("migration %04d %s: %w", m.Number, m.Name, err)
			}
		}
		return nil
	})
	return done, err
}

// Distribute makes a cluster of a database of one machine that has all steps, all of it or none. No server may use it meanwhile.
func (s *Store) Distribute(ctx context.Context) error {
	return s.engine.Migrate(ctx, func(c engine.Conn, _ func(string) error) error {
		return s.engine.Distribute(ctx, c, layout.Tables(s.reg))
	})
}

// Layout describes the tables that are really there: columns and indexes by table. Partitions of tables are left out.
func (s *Store) Layout(ctx context.Context) (columns, indexes map[string][]string, err error) {
	columns, indexes = map[string][]string{}, map[string][]string{}
	columnsSQL, indexesSQL := s.engine.LayoutNow()
	collect := func(c engine.Conn, sql string, into map[string][]string) error {
		return c.Query(ctx, sql, nil, func(r engine.Row) error {
			table := room.FirstText(r)
			into[table] = append(into[table], r.Value(1, schema.Text).S)
			return nil
		})
	}
	err = s.engine.Read(ctx, engine.Share{}, func(c engine.Conn) error {
		if err := collect(c, columnsSQL, columns); err != nil {
			return err
		}
		return collect(c, indexesSQL, indexes)
	})
	return columns, indexes, err
}

// ErrUnfinished tells that a database is being filled from elsewhere, or was left in the midst of it.
var ErrUnfinished = errors.New("the database is an unfinished copy or restore, and has not all of its rows: " +
	"run the same kith copy again, or remove it and begin anew")

// refuseUnfinished refuses a database that is being filled.
func (s *Store) refuseUnfinished(ctx context.Context, c engine.Conn) error {
	unfinished := false
	err := c.Query(ctx, "SELECT 1 FROM setting WHERE name = "+s.engine.Mark(1), []schema.Value{text(room.Incoming)},
		room.Found(&unfinished))
	if err == nil && unfinished {
		err = ErrUnfinished
	}
	return err
}

// UpToDate refuses a database that lacks steps which this program knows, or has others.
func (s *Store) UpToDate(ctx context.Context) error {
	all, err := s.Migrations(ctx)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(all, func(m migrations.Step) bool { return !m.Applied }) {
		last := all[len(all)-1]
		return fmt.Errorf("it has not the layout of this version of kith, %04d %s; run kith migrate on it first", last.Number, last.Name)
	}
	return s.engine.Read(ctx, engine.Share{}, func(c engine.Conn) error {
		if err := migrations.RefuseNewer(ctx, c, all); err != nil {
			return err
		}
		return s.refuseUnfinished(ctx, c)
	})
}
