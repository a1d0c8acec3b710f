package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/portable"
)

// backup writes everything, or one business, into a file.
func backup(ctx context.Context, c *invocation) error {
	c.operand = "FILE"
	business := c.flags.String("business", "", "back up this business alone")
	c.jsonFlag()
	if err := c.parse(); err != nil {
		return err
	}
	only, err := c.businessID(*business)
	if err != nil {
		return err
	}
	if c.json && c.given[c.operand] == standard {
		return c.misused("--json and the backup cannot both go to standard output")
	}
	engine, err := c.open(ctx)
	if err != nil {
		return err
	}
	s := engine.Store()
	s.LeaveUntidy()
	bar := newProgress(c.errs)
	var done portable.Backed
	write := func(to io.Writer) (err error) {
		done, err = portable.Backup(ctx, s, to, thisBuild().Version, only, bar.table)
		bar.clear()
		if err != nil {
			return err
		}
		err = tellAll(ctx, s, record.BackupMade, only)
		if err != nil && only == nil { // of a standby, for example: the backup is none the worse for it
			_, err = fmt.Fprintln(c.errs, "kith: the backup is whole, but the audit logs do not tell of it:", err)
		}
		return err
	}
	if c.given[c.operand] == standard {
		return write(c.out)
	}
	if err := writeWhole(c.given[c.operand], write); err != nil {
		return err
	}
	return c.print(done, append([]string{fmt.Sprintf("%d rows of %d tables were backed up.", done.Rows, done.Tables)},
		aboutKey(ctx, s)...)...)
}

// writeWhole makes a file that is there only once it is whole and on disk, for its owner alone: whoever reads a backup reads every
// business in it, and its hashes of secrets.
func writeWhole(path string, write func(io.Writer) error) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s is there already", path)
	}
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".part-*") // which has the mode 0600
	if failed := new(os.PathError); errors.As(err, &failed) {
		return fmt.Errorf("%s cannot be written: %w", path, failed.Err)
	}
	if err != nil {
		return err
	}
	err = write(file)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}

// restore fills an empty database from a backup, or brings one business of it into a database that has others.
func restore(ctx context.Context, c *invocation) error {
	c.operand = "FILE"
	business := c.flags.String("business", "", "restore this business alone, into a database that may have others")
	replace := c.flags.Bool("replace", false, "with --business: remove the business first where it is there, in the same transaction")
	c.jsonFlag()
	if err := c.parse(); err != nil {
		return err
	}
	only, err := c.businessID(*business)
	if err != nil {
		return err
	}
	if *replace && only == nil {
		return c.misused("--replace needs --business; a whole backup is restored into an empty database")
	}
	var from io.Reader = os.Stdin
	var file *os.File
	if path := c.given[c.operand]; path != standard {
		if file, err = os.Open(path); err != nil {
			return err
		}
		defer file.Close()
		from = file
	}
	bar := newProgress(c.errs)
	defer bar.clear()
	s, err := c.openToRestore(ctx, only != nil)
	if err != nil {
		return err
	}
	if file != nil { // all of it is read once before anything is written
		if _, err = portable.VerifyBackup(s, file, bar.table); err == nil {
			_, err = file.Seek(0, io.SeekStart)
		}
	}
	var done portable.Backed
	switch {
	case err != nil:
	case only != nil:
		done, err = portable.RestoreBusiness(ctx, s, from, *only, *replace, bar.table)
	default:
		done, err = portable.Restore(ctx, s, from, bar.table)
	}
	bar.clear()
	if err == nil {
		err = tellAll(ctx, s, record.BackupRestored, only)
	}
	key := aboutKey(ctx, s)
	if err = errors.Join(err, s.Close()); err != nil {
		return err
	}
	restored := fmt.Sprintf("%d rows of %d tables were restored, and are what the backup has. It was made at %s by kith %s.", done.Rows,
		done.Tables, done.MadeAt.Format("2006-01-02 15:04:05Z07:00"), done.Kith)
	return c.print(done, append([]string{restored}, key...)...)
}

// mostToldAtOnce is how many audit logs are written at a time where all are told something: what waits together is committed together.
const mostToldAtOnce = 8

// tellAll tells in the audit log of one business, or of all, that its records went into a backup or came out of one.
func tellAll(ctx context.Context, s *store.Store, action string, only *schema.UUID) error {
	if only != nil {
		return tellAudit(ctx, s, action, *only)
	}
	all, err := s.Businesses(ctx)
	if err != nil {
		return err
	}
	var workers sync.WaitGroup
	failed := make([]error, mostToldAtOnce)
	for w := range failed {
		workers.Go(func() {
			for i := w; i < len(all) && failed[w] == nil; i += mostToldAtOnce {
				failed[w] = tellAudit(ctx, s, action, all[i].ID)
			}
		})
	}
	workers.Wait()
	return errors.Join(failed...)
}

// tellAudit adds a line about a whole business to its audit log.
func tellAudit(ctx context.Context, s *store.Store, action string, business schema.UUID) error {
	t, err := s.Tenant(ctx, business)
	if err != nil {
		return err
	}
	return t.Audit(ctx, store.Actor{}, store.AuditEntry{
		Action: action, Resource: record.Business.Name,
		Record: schema.FormatID(record.Business.Name, business),
	})
}

// openToRestore opens the database: one that may be used already where a business is to come into it, and otherwise an empty one,
// which is left as it is.
func (c *invocation) openToRestore(ctx context.Context, used bool) (*store.Store, error) {
	if !used {
		s, err := store.Open(ctx, c.db, record.Registry)
		if err == nil {
			s.Operate()
		}
		return s, err
	}
	engine, err := c.openWith(ctx, nil)
	if err != nil {
		return nil, err
	}
	engine.Store().LeaveUntidy()
	return engine.Store(), nil
}

// businessID is the id that --business names, or nil where it is left out.
func (c *invocation) businessID(text string) (*schema.UUID, error) {
	if text == "" {
		return nil, nil
	}
	id, err := schema.ParseID("business", text)
	if err != nil {
		return nil, c.misused("--business must be an id that starts with business_, not %q", text)
	}
	return &id, nil
}
