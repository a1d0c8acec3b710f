package sqlite

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// SQLite forgets where a row was, and leaves its bytes there until something else needs the place. So that nothing is left of what
// was removed for good, rows are overwritten with zeros inside of pages that stay in use, which costs next to nothing. Pages that
// become free are overwritten only by transactions that remove something for good: merging the text indexes frees so many that
// writes would take a fifth longer. What became free before is overwritten afterwards, once the text indexes were merged, too; and
// then the log of writes, which has pages as they were, is brought into the file and cut off.
const (
	wipesWithin = "secure_delete=fast"
	wipesPages  = "secure_delete=on"
)

func (c *Conn) Wipe(context.Context) error {
	c.wipes = true
	return c.do("PRAGMA " + wipesPages)
}

// filling begins the names of the settings that take up free pages with zeros, and wipedPages is how many one of them takes.
const (
	filling    = "zeros:"
	wipedPages = 64
)

// wipeStep lets a row of zeros take up some free pages, as many times as it takes for those that there were at first. Then all
// these rows go, and their zeros stay: not in the same transaction, for what is freed in the one that wrote it is never written.
func (c *Conn) wipeStep() error {
	free := c.number("PRAGMA freelist_count")
	if c.unwiped < 0 {
		c.unwiped = free
	}
	if pages := min(free, c.unwiped, wipedPages); pages > 0 {
		c.unwiped -= pages
		size := pages * (c.number("PRAGMA page_size") - 4) // each begins with the number of the next
		return c.do("INSERT INTO setting (name, value) VALUES (?1, zeroblob(?2))",
			room.Text(filling+strconv.FormatInt(time.Now().UnixNano(), 10)), room.Integer(size))
	}
	err := c.do("DELETE FROM setting WHERE name >= '" + filling + "' AND name < '" + filling + "~'")
	if err == nil {
		c.wiping, c.flush = false, true
	}
	return err
}

// wipeFree begins to overwrite free pages.
func (c *Conn) wipeFree() { c.wiping, c.unwiped = true, -1 }

// emptyLog brings SQLite's log of writes into the file, and cuts it off. Whoever reads from it at the moment is not waited for;
// then it is tried again.
func (c *Conn) emptyLog() error {
	c.c.SetBusyTimeout(0)
	defer c.c.SetBusyTimeout(busyTimeout)
	return c.Query(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)", nil, func(r engine.Row) error {
		c.flush = r.Value(0, schema.Integer).N != 0
		return nil
	})
}

// Scrub writes the file anew, by a connection of its own: the writer is always in a transaction when it is asked for something.
// What it copies to meanwhile is a file, too, because a database need not fit into memory.
func (e *Engine) Scrub(ctx context.Context) error {
	c, err := openConn(e.path)
	if err != nil {
		return err
	}
	defer c.Close()
	for _, sql := range []string{"PRAGMA temp_store=file", "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"} {
		if err := errors.Join(ctx.Err(), c.do(sql)); err != nil {
			return err
		}
	}
	return nil
}
