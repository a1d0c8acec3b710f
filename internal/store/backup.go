package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"kith/internal/schema"
)

// Backed is what a backup or a restore tells.
type Backed struct {
	BackupHead
	Tables int   `json:"tables"`
	Rows   int64 `json:"rows"`
}

// Backup writes everything, or one business, as it is in one moment, into a file that any engine can be restored from.
func (s *Store) Backup(ctx context.Context, to io.Writer, version string, only *schema.UUID, tell Telling) (done Backed, err error) {
	layout, err := s.layoutNumber()
	if err != nil {
		return done, err
	}
	done.BackupHead = BackupHead{Format: backupFormat, Kith: version, Layout: layout, MadeAt: s.now().UTC().Truncate(time.Second)}
	if only != nil {
		done.Business = schema.FormatID("business", *only)
	}
	err = s.depart(ctx, only, func(d *departure) error {
		of := int64(0)
		if only == nil {
			if of, err = d.count(); err != nil {
				return err
			}
		}
		w, err := newBackupWriter(to, done.BackupHead)
		if err != nil {
			return err
		}
		for _, t := range portable(s.reg) {
			if len(d.readings(t)) == 0 && only != nil {
				continue
			}
			if err := d.backUp(w, t, func() {
				if tell != nil {
					tell("backed up", t.name, w.rows, of)
				}
			}); err != nil {
				return err
			}
			done.Tables++
		}
		done.Rows = w.rows
		return w.end()
	})
	return done, err
}

// layoutNumber is that of the last migration which this program knows.
func (s *Store) layoutNumber() (int64, error) {
	all, err := migrationsOf(s.engine.name())
	if err != nil {
		return 0, err
	}
	return all[len(all)-1].Number, nil
}

// backUp writes a table.
func (d *departure) backUp(w *backupWriter, t table, written func()) error {
	said := backupTable{Name: t.name}
	for _, c := range t.columns {
		said.Columns = append(said.Columns, c.name)
	}
	if err := w.json(pieceTable, said); err != nil {
		return err
	}
	var sum tableSum
	err := d.all(t, func(rows [][]schema.Value) error {
		defer written()
		return w.table(rows, &sum)
	})
	if err == nil && t.name == "client" && d.only != nil {
		var rows [][]schema.Value
		if rows, err = d.strangers(t); err == nil {
			err = w.table(rows, &sum)
		}
	}
	if err != nil {
		return err
	}
	return w.json(pieceDone, backupSum{sum.Rows, sum.String()})
}

// VerifyBackup reads a backup to its end, and tells what it is, or what is wrong with it.
func (s *Store) VerifyBackup(from io.Reader, tell Telling) (done Backed, err error) {
	r, err := s.openBackup(from)
	if err != nil {
		return done, err
	}
	done.BackupHead = r.head
	err = r.tables(portable(s.reg), func(t table, rows [][]schema.Value) error {
		if done.Rows += int64(len(rows)); tell != nil {
			tell("read", t.name, done.Rows, 0)
		}
		return nil
	}, func(table, tableSum) error {
		done.Tables++
		return nil
	})
	return done, err
}

// openBackup begins to read a backup of the layout that this program knows.
func (s *Store) openBackup(from io.Reader) (*backupReader, error) {
	r, err := openBackup(from)
	if err != nil {
		return nil, err
	}
	layout, err := s.layoutNumber()
	if err == nil && r.head.Layout != layout {
		err = fmt.Errorf("the backup has the layout %04d of kith %s, and this program has %04d; restore it with that version, and upgrade then", r.head.Layout, r.head.Kith, layout)
	}
	return r, err
}

// Restore fills an empty database from a backup of a whole one. Where it fails, what is there so far cannot be used.
func (s *Store) Restore(ctx context.Context, from io.Reader, tell Telling) (done Backed, err error) {
	r, err := s.openBackup(from)
	if err != nil {
		return done, err
	}
	if done.BackupHead = r.head; r.head.Business != "" {
		return done, fmt.Errorf("the backup has one business alone; restore it with --business %s", r.head.Business)
	}
	s.LeaveUntidy()
	state, err := s.beginFilling(ctx, "")
	if err == nil && state != nil {
		err = errors.New("the database is an unfinished copy or restore; remove it and begin anew")
	}
	if err != nil {
		return done, err
	}
	a := s.arrive()
	want := map[string]tableSum{}
	err = r.tables(portable(s.reg), func(t table, rows [][]schema.Value) error {
		err := s.engine.write(ctx, share{}, func(c conn) error { return settledError(a.write(ctx, c, t, rows)) })
		if done.Rows += int64(len(rows)); tell != nil {
			tell("restored", t.name, done.Rows, 0)
		}
		return err
	}, func(t table, sum tableSum) error {
		want[t.name] = sum
		return nil
	})
	if err != nil {
		return done, err
	}
	if done.Tables = len(want); done.Tables != len(portable(s.reg)) {
		return done, damaged("it has %d of %d tables", done.Tables, len(portable(s.reg)))
	}
	err = s.depart(ctx, nil, func(d *departure) error {
		got, err := d.sums(nil)
		if wrong := disagree(s.reg, want, got); err == nil && len(wrong) > 0 {
			err = fmt.Errorf("the database does not have what the backup has: %s", strings.Join(wrong, "; "))
		}
		return err
	})
	if err != nil {
		return done, err
	}
	if err := s.Tidy(ctx); err != nil {
		return done, err
	}
	return done, s.endFilling(ctx)
}

// RestoreBusiness brings one business out of a backup into a database that has others, all of it or nothing, and with replace in the place of the one that is there. Others can
// write meanwhile where the engine lets several.
func (s *Store) RestoreBusiness(ctx context.Context, from io.Reader, id schema.UUID, replace bool, tell Telling) (done Backed, err error) {
	r, err := s.openBackup(from)
	if err != nil {
		return done, err
	}
	name := schema.FormatID("business", id)
	if done.BackupHead = r.head; r.head.Business != "" && r.head.Business != name {
		return done, fmt.Errorf("the backup has the business %s alone", r.head.Business)
	}
	done.Business = name
	err = s.engine.write(ctx, share{}, func(c conn) error {
		one := &restoring{s: s, arrival: s.arrive(), ctx: ctx, c: c, id: id, sums: map[string]tableSum{}, grants: map[string]bool{}}
		return settledError(one.run(r, replace, func(table string, rows int) {
			if done.Rows += int64(rows); tell != nil {
				tell("restored", table, done.Rows, 0)
			}
		}))
	})
	s.tenants.Delete(id)
	done.Tables = len(portable(s.reg))
	return done, err
}

// restoring brings one business back, in a transaction.
type restoring struct {
	*arrival
	s   *Store
	ctx context.Context
	c   conn
	id  schema.UUID
	// sums are those of the rows that were written, and grants the clients that users allowed something.
	sums   map[string]tableSum
	grants map[string]bool
}

func (o *restoring) run(r *backupReader, replace bool, told func(table string, rows int)) error {
	var there *Tenant
	all, err := o.s.businesses(o.ctx, o.c, "")
	if err != nil {
		return err
	}
	for _, t := range all {
		if t.id == o.id {
			there = &t
		}
	}
	if there != nil {
		if !replace {
			return fmt.Errorf("the business %s is there already; --replace puts the one of the backup in its place", schema.FormatID("business", o.id))
		}
		if err := o.remove(o.ctx, o.c, *there); err != nil {
			return err
		}
		o.keys[o.id] = there.key // servers that run know it by that
	}
	err = r.tables(portable(o.s.reg), func(t table, rows [][]schema.Value) error {
		rows, err := o.choose(t, rows)
		if err != nil {
			return err
		}
		told(t.name, len(rows))
		return o.write(o.ctx, o.c, t, rows)
	}, func(table, tableSum) error { return nil })
	if err != nil {
		return err
	}
	key, found := o.keys[o.id]
	if !found || o.sums["business"].Rows == 0 {
		return fmt.Errorf("the backup has no business %s", schema.FormatID("business", o.id))
	}
	return o.verify(Tenant{s: o.s, id: o.id, key: key})
}

// choose gives the rows that are the business's own, and the clients of nobody that it needs and that are not here.
func (o *restoring) choose(t table, rows [][]schema.Value) (own [][]schema.Value, err error) {
	at := t.businessColumn()
	if at < 0 {
		return nil, nil
	}
	client := slices.IndexFunc(t.columns, func(c column) bool { return c.name == "client_id" })
	sum := o.sums[t.name]
	for _, values := range rows {
		switch {
		case values[at].Set && values[at].UUID() == o.id:
			sum.add(appendRow(nil, values))
			if t.name == "access_grant" {
				o.grants[values[client].S] = true
			}
		case !values[at].Set && o.grants[values[client].S]:
			known := false
			sql := "SELECT 1 FROM " + t.name + " WHERE client_id = " + o.s.engine.mark(1)
			if err := o.c.query(o.ctx, sql, []schema.Value{values[client]}, func(row) error { known = true; return nil }); err != nil {
				return nil, err
			}
			if known {
				continue
			}
		default:
			continue
		}
		own = append(own, values)
	}
	o.sums[t.name] = sum
	return own, nil
}

// verify adds up what the database has of the business now, and lets servers that run know that it is not what they remember.
func (o *restoring) verify(t Tenant) error {
	d := &departure{s: o.s, ctx: o.ctx, c: o.c, ids: map[schema.Value]schema.UUID{plainKey(t.key): t.id}, only: &t}
	got, err := d.sums(nil)
	if err != nil {
		return err
	}
	if wrong := disagree(o.s.reg, o.sums, got); len(wrong) > 0 {
		return fmt.Errorf("the database does not have what the backup has: %s", strings.Join(wrong, "; "))
	}
	b := newBuilder(o.s.engine, t.key)
	now := b.arg(schema.TimeValue(o.s.now()))
	_, err = o.c.exec(o.ctx, "UPDATE business SET clock = "+now+" WHERE business_id = "+b.tenantMark()+" AND (clock IS NULL OR clock < "+now+")", b.args)
	return err
}
