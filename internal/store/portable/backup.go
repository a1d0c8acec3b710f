package portable

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// Backed is what a backup or a restore tells.
type Backed struct {
	BackupHead
	Tables int   `json:"tables"`
	Rows   int64 `json:"rows"`
}

// Backup writes everything, or one business, as it is in one moment, into a file that any engine can be restored from.
func Backup(ctx context.Context, s *store.Store, to io.Writer, version string, only *schema.UUID, tell Telling) (done Backed, err error) {
	done.BackupHead = BackupHead{Format: backupFormat, Kith: version, Layout: s.LayoutNumber()}
	if only != nil {
		done.Business = schema.FormatID("business", *only)
	}
	err = depart(ctx, s, only, func(d *departure) error {
		done.MadeAt = d.o.Now().UTC().Truncate(time.Second)
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
		for _, t := range s.PortableTables() {
			if len(d.readings(t)) == 0 && only != nil {
				continue
			}
			if err := d.backUp(w, t, func() {
				if tell != nil {
					tell("backed up", t.Name, w.rows, of)
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

// backUp writes a table.
func (d *departure) backUp(w *backupWriter, t room.Table, written func()) error {
	said := backupTable{Name: t.Name}
	for _, c := range t.Columns {
		said.Columns = append(said.Columns, c.Name)
	}
	if err := w.json(pieceTable, said); err != nil {
		return err
	}
	var sum tableSum
	err := d.all(t, func(rows [][]schema.Value) error {
		defer written()
		return w.table(rows, &sum)
	})
	if err == nil && t.Name == "client" && d.only != nil {
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
func VerifyBackup(s *store.Store, from io.Reader, tell Telling) (done Backed, err error) {
	r, err := openKnown(s, from)
	if err != nil {
		return done, err
	}
	done.BackupHead = r.head
	err = r.tables(s.PortableTables(), func(t room.Table, rows [][]schema.Value) error {
		if done.Rows += int64(len(rows)); tell != nil {
			tell("read", t.Name, done.Rows, 0)
		}
		return nil
	}, func(room.Table, tableSum) error {
		done.Tables++
		return nil
	})
	return done, err
}

// openKnown begins to read a backup of a layout that this program knows.
func openKnown(s *store.Store, from io.Reader) (*backupReader, error) {
	r, err := openBackup(from)
	if err != nil {
		return nil, err
	}
	layout := s.LayoutNumber()
	if r.whole = r.head.Layout == layout; r.head.Layout > layout {
		err = fmt.Errorf("the backup has the layout %04d of kith %s, and this program knows layouts up to %04d; restore it with that "+
			"version",
			r.head.Layout, r.head.Kith, layout)
	}
	return r, err
}

// openUpgraded begins to read a backup, and brings one of an earlier layout up to that of this program first: it is restored into a
// database of its own, which is upgraded as any other would be, and backed up again. What is given back with it removes that.
func openUpgraded(ctx context.Context, s *store.Store, from io.Reader, tell Telling) (r *backupReader, head BackupHead, end func(),
	err error,
) {
	end = func() {}
	if r, err = openKnown(s, from); err != nil {
		return nil, head, end, err
	}
	head = r.head
	if r.whole {
		return r, head, end, nil
	}
	dir, err := os.MkdirTemp("", "kith-restore")
	if err != nil {
		return nil, head, end, err
	}
	file, err := upgradeBackup(ctx, s, r, dir, tell)
	end = func() {
		if file != nil {
			file.Close()
		}
		os.RemoveAll(dir)
	}
	if err != nil {
		return nil, head, end, err
	}
	r, err = openKnown(s, file)
	return r, head, end, err
}

func upgradeBackup(ctx context.Context, s *store.Store, r *backupReader, dir string, tell Telling) (file *os.File, err error) {
	between, err := s.OpenTemporary(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, between.Close()) }()
	between.LeaveUntidy()
	if err := between.MigrateTo(ctx, r.head.Layout); err != nil {
		return nil, err
	}
	if _, err := fillFrom(ctx, between, r, func(_, table string, rows, of int64) {
		if tell != nil {
			tell("brought to the layout of this version", table, rows, of)
		}
	}); err != nil {
		return nil, err
	}
	if err := between.MigrateTo(ctx, between.LayoutNumber()); err != nil {
		return nil, err
	}
	if file, err = os.OpenFile(filepath.Join(dir, "backup"), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		return nil, err
	}
	var only *schema.UUID
	if r.head.Business != "" {
		id, err := schema.ParseID("business", r.head.Business)
		if err != nil {
			return file, damaged("its business is %q", r.head.Business)
		}
		only = &id
	}
	if _, err := Backup(ctx, between, file, r.head.Kith, only, tell); err != nil {
		return file, err
	}
	_, err = file.Seek(0, io.SeekStart)
	return file, err
}

// Restore fills an empty database from a backup of a whole one. Where it fails, what is there so far cannot be used.
func Restore(ctx context.Context, s *store.Store, from io.Reader, tell Telling) (done Backed, err error) {
	r, head, end, err := openUpgraded(ctx, s, from, tell)
	defer end()
	if err != nil {
		return done, err
	}
	if head.Business != "" {
		return done, fmt.Errorf("the backup has one business alone; restore it with --business %s", head.Business)
	}
	s.LeaveUntidy()
	begun, err := beginFilling(ctx, s, "")
	if err == nil && begun != nil {
		err = errors.New("the database is an unfinished copy or restore; remove it and begin anew")
	}
	if err != nil {
		return done, err
	}
	if done, err = fillFrom(ctx, s, r, tell); err != nil {
		return done, err
	}
	done.BackupHead = head
	if done.Tables != len(s.PortableTables()) {
		return done, damaged("it has %d of %d tables", done.Tables, len(s.PortableTables()))
	}
	if err := s.Tidy(ctx); err != nil {
		return done, err
	}
	return done, endFilling(ctx, s)
}

// fillFrom writes what a backup has into an empty database of the same layout, and compares both then.
func fillFrom(ctx context.Context, s *store.Store, r *backupReader, tell Telling) (done Backed, err error) {
	a := s.Arrive()
	want := map[string]tableSum{}
	var all []room.Table
	err = r.tables(s.PortableTables(), func(t room.Table, rows [][]schema.Value) error {
		err := s.Fill(ctx, func(o store.Outside) error { return a.Write(o, t, rows) })
		if done.Rows += int64(len(rows)); tell != nil {
			tell("restored", t.Name, done.Rows, 0)
		}
		return err
	}, func(t room.Table, sum tableSum) error {
		want[t.Name], all = sum, append(all, t)
		return nil
	})
	if err != nil {
		return done, err
	}
	done.Tables = len(all)
	err = depart(ctx, s, nil, func(d *departure) error {
		got, err := d.sums(all, nil)
		if wrong := disagree(all, want, got); err == nil && len(wrong) > 0 {
			err = fmt.Errorf("the database does not have what the backup has: %s", strings.Join(wrong, "; "))
		}
		return err
	})
	return done, err
}

// RestoreBusiness brings one business out of a backup into a database that has others, all of it or nothing, and with replace in the
// place of the one that is there. Others can write meanwhile where the engine lets several.
func RestoreBusiness(
	ctx context.Context, s *store.Store, from io.Reader, id schema.UUID, replace bool, tell Telling,
) (done Backed, err error) {
	r, head, end, err := openUpgraded(ctx, s, from, tell)
	defer end()
	if err != nil {
		return done, err
	}
	name := schema.FormatID("business", id)
	if done.BackupHead = head; r.head.Business != "" && r.head.Business != name {
		return done, fmt.Errorf("the backup has the business %s alone", r.head.Business)
	}
	done.Business = name
	err = s.Fill(ctx, func(o store.Outside) error {
		one := &restoring{s: s, arrival: s.Arrive(), o: o, id: id, sums: map[string]tableSum{}, grants: map[string]bool{}}
		return one.run(r, replace, func(table string, rows int) {
			if done.Rows += int64(rows); tell != nil {
				tell("restored", table, done.Rows, 0)
			}
		})
	})
	s.ForgetTenant(id)
	done.Tables = len(s.PortableTables())
	return done, err
}

// restoring brings one business back, in a transaction.
type restoring struct {
	s       *store.Store
	arrival *store.Arrival
	o       store.Outside
	id      schema.UUID
	// sums are those of the rows that were written, and grants the clients that users allowed something.
	sums   map[string]tableSum
	grants map[string]bool
}

func (b *restoring) run(r *backupReader, replace bool, told func(table string, rows int)) error {
	all, err := b.o.Businesses()
	if err != nil {
		return err
	}
	if at := slices.IndexFunc(all, func(t store.Tenant) bool { return t.ID() == b.id }); at >= 0 {
		if !replace {
			return fmt.Errorf("the business %s is there already; --replace puts the one of the backup in its place",
				schema.FormatID("business", b.id))
		}
		if err := b.arrival.Remove(b.o, all[at]); err != nil {
			return err
		}
		b.arrival.Expect(all[at]) // servers that run know it by its key
	}
	err = r.tables(b.s.PortableTables(), func(t room.Table, rows [][]schema.Value) error {
		rows, err := b.choose(t, rows)
		if err != nil {
			return err
		}
		told(t.Name, len(rows))
		return b.arrival.Write(b.o, t, rows)
	}, func(room.Table, tableSum) error { return nil })
	if err != nil {
		return err
	}
	t, found := b.arrival.Business(b.id)
	if !found || b.sums["business"].Rows == 0 {
		return fmt.Errorf("the backup has no business %s", schema.FormatID("business", b.id))
	}
	return b.verify(t)
}

// choose gives the rows that are the business's own, and the clients of nobody that it needs and that are not here.
func (b *restoring) choose(t room.Table, rows [][]schema.Value) (own [][]schema.Value, err error) {
	at := t.BusinessColumn()
	if at < 0 {
		return nil, nil
	}
	client := t.Column("client_id")
	sum := b.sums[t.Name]
	for _, values := range rows {
		switch {
		case values[at].Set && values[at].UUID() == b.id:
			sum.add(room.AppendRow(nil, values))
			if t.Name == "access_grant" {
				b.grants[values[client].S] = true
			}
		case !values[at].Set && b.grants[values[client].S]:
			known := false
			same := room.SQL("SELECT 1 FROM "+t.Name+" WHERE client_id = ?", values[client])
			if err := b.o.Query(same, func(room.Row) error { known = true; return nil }); err != nil {
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
	b.sums[t.Name] = sum
	return own, nil
}

// verify adds up what the database has of the business now, and lets servers that run know that it is not what they remember.
func (b *restoring) verify(t store.Tenant) error {
	d := newDeparture(b.s, b.o, []store.Tenant{t})
	d.only = &t
	got, err := d.sums(b.s.PortableTables(), nil)
	if err != nil {
		return err
	}
	if wrong := disagree(b.s.PortableTables(), b.sums, got); len(wrong) > 0 {
		return fmt.Errorf("the database does not have what the backup has: %s", strings.Join(wrong, "; "))
	}
	now := schema.TimeValue(b.o.Now())
	_, err = b.o.ExecWithin(t, room.SQL(`
		UPDATE business SET clock = ? WHERE business_id = {business} AND (clock IS NULL OR clock < ?)`, now, now))
	return err
}
