package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/portable"
	"github.com/kith-crm/kith/internal/store/sqlite"
)

// copyDatabase copies a whole database into another one, of the same engine or another.
func copyDatabase(ctx context.Context, c *invocation) error {
	c.needsNoDatabase = true
	from := c.flags.String("from", "", "the database to copy: sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME")
	to := c.flags.String("to", "", "the database to fill, which is made where it is a file; it must be empty, or have been left in the "+
		"midst of this copy")
	c.jsonFlag()
	if err := c.parse("from", "to"); err != nil {
		return err
	}
	if *from == *to {
		return c.misused("--from and --to are the same database")
	}
	if path, missing := sqlite.NoFile(*from); missing {
		return fmt.Errorf("there is no database at %s", path)
	}
	source, err := store.Open(ctx, *from, record.Registry)
	if err != nil {
		return err
	}
	defer source.Close()
	source.LeaveUntidy()
	if err := source.UpToDate(ctx); err != nil { // before a target is made for nothing
		return fmt.Errorf("the source: %w", err)
	}
	target, err := store.Open(ctx, *to, record.Registry)
	if err != nil {
		return err
	}
	begun := time.Now()
	bar := newProgress(c.errs)
	done, err := portable.Copy(ctx, source, target, bar.table)
	bar.clear()
	if err = errors.Join(err, target.Close()); err != nil {
		return err
	}
	copied := fmt.Sprintf("%d rows of %d tables were copied, and both databases have the same, in %v.", done.Rows, done.Tables,
		time.Since(begun).Round(time.Millisecond))
	return c.print(done, append([]string{copied}, aboutKey(ctx, source)...)...)
}
