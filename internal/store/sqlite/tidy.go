package sqlite

import (
	"context"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// Every transaction adds a part to SQLite's text index, and a search reads all parts: with many, it takes several times as long.
// SQLite merges some of them as it writes; the rest is done here, in small steps between writes. After 2,000 creates
// a search for two words is 1.6 to 1.9 times as fast for it.
const (
	// mergedAtOnce is how many parts of about one size SQLite lets come together before it merges them as it writes. By itself it
	// would take four, and write every document twice as often: a tenth to a sixth of the cost of a record.
	mergedAtOnce = 16
	// tidyAfter is how long after a write merging begins, and tidyRest how many times as long as a step took it rests, so that writers lose
	// little to it.
	tidyAfter = time.Second
	tidyRest  = 10
	// tidyPages is how much a step writes.
	tidyPages = 64
	// tidyWhole is after how many new documents at least all parts are merged into one. It takes also an eighth of the index, so that
	// writing it anew stays in proportion.
	tidyWhole = 5_000
	// tidyShare is how many hundredths of an index its largest part must have for the index to be left as it is at the start.
	tidyShare = 80
)

// untidiness is what a text index has gone through since it was merged into one part.
type untidiness struct {
	// written counts its new documents.
	written int64
	// pending tells that there may be something to merge, and whole that all parts are being merged.
	pending, whole bool
	// scour tells that something was removed for good since the last time that all parts began to be merged: they are merged again.
	scour bool
}

// Scouring begins the names of the settings that say that a text index is to be merged for the sake of what was removed for good.
const Scouring = "scour:"

// WriteTexts tells the text indexes what the writes of the transaction did, all at its end: SQLite makes a part of an index of what it has
// been told whenever a savepoint begins or ends, and every write has one. Creates are 1.2 times as fast for it.
func (c *Conn) WriteTexts() error {
	for _, t := range c.texts {
		if err := c.do(t.SQL, t.Args...); err != nil {
			return err
		}
		u := c.untidinessOf(t.FTS)
		u.pending = true
		if t.Args[0].Kind == schema.Text { // see scour
			u.scour = true
			continue
		}
		u.written++
		if h, onPile := heapOf(strings.TrimSuffix(t.FTS, "_fts"), t.Args[0].N); onPile {
			c.heaps[h] = true
		}
	}
	clear(c.texts) // they hold documents
	c.texts = c.texts[:0]
	return nil
}

func (c *Conn) untidinessOf(fts string) *untidiness {
	if c.untidy[fts] == nil {
		c.untidy[fts] = &untidiness{}
	}
	return c.untidy[fts]
}

// untidyAtStart finds text indexes that were left in many parts, as a bulk load leaves them.
func (c *Conn) untidyAtStart() {
	var all []string
	_ = c.Query(context.Background(), "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%fts5%'", nil,
		func(r engine.Row) error {
			all = append(all, r.Value(0, schema.Text).S)
			return nil
		})
	c.heapsAtStart()
	if c.number("SELECT count(*) FROM setting WHERE name >= '"+filling+"' AND name < '"+filling+"~'") > 0 {
		c.wipeFree()
	}
	for _, fts := range all {
		if c.number("SELECT coalesce(max(v), 0) FROM "+fts+"_config WHERE k = 'automerge'") != mergedAtOnce {
			// else it merges as it would by itself
			_ = c.do("INSERT INTO "+fts+" ("+fts+", rank) VALUES ('automerge', ?1)", room.Integer(mergedAtOnce))
		}
		parts := "SELECT count(*) AS n FROM " + fts + "_idx GROUP BY segid"
		if c.number("SELECT coalesce(max(n) * 100 / sum(n), 100) FROM ("+parts+")") < tidyShare {
			c.untidy[fts] = &untidiness{written: c.number("SELECT count(*) FROM " + fts + "_docsize"), pending: true}
		}
		if c.number("SELECT count(*) FROM setting WHERE name = '"+Scouring+fts+"'") > 0 {
			u := c.untidinessOf(fts)
			u.scour, u.pending = true, true
		}
	}
}

// pending tells whether there is something to tidy.
func (c *Conn) pending() bool { return len(c.heaps) > 0 || c.wiping || c.pendingIndex() != "" }

// pendingIndex is the first text index that has something to merge, or empty.
func (c *Conn) pendingIndex() (first string) {
	for fts, u := range c.untidy {
		if u.pending && (first == "" || fts < first) {
			first = fts
		}
	}
	return first
}

// TidyStep does one step: it lays rows, or else merges one text index, or else overwrites free pages.
func (c *Conn) TidyStep() error {
	c.wrote = true
	if len(c.heaps) > 0 {
		return c.lay()
	}
	fts := c.pendingIndex()
	if fts == "" && c.wiping {
		return c.wipeStep()
	}
	if fts == "" {
		return nil
	}
	u := c.untidy[fts]
	pages := int64(tidyPages)
	if !u.whole && (u.scour || u.written >= tidyWhole && u.written >= c.number("SELECT count(*) FROM "+fts+"_docsize")/8) {
		// A negative number declares all parts fit to be merged with each other.
		u.whole, u.scour, u.written, pages = true, false, 0, -tidyPages
	}
	before := c.changes()
	err := c.do("INSERT INTO "+fts+" ("+fts+", rank) VALUES ('merge', ?1)", room.Integer(pages))
	if err != nil || c.changes()-before < 2 { // the statement itself counts as one change
		whole := u.whole
		u.whole, u.pending = false, u.scour
		if err == nil && whole && !u.scour {
			err = c.scoured(fts)
		}
	}
	return err
}

// scoured notes that a text index has nothing any more of what was removed for good.
func (c *Conn) scoured(fts string) error {
	n, err := c.Exec(context.Background(), "DELETE FROM setting WHERE name = ?1", []schema.Value{room.Text(Scouring + fts)})
	if err == nil && n > 0 {
		c.wipeFree()
	}
	return err
}

func (e *Engine) LeaveUntidy() { e.untidy.Store(true) }

// Measure changes nothing: its plans follow from statistics that do not change.
func (e *Engine) Measure(context.Context) error { return nil }

// Tidy does all the steps there are, several in a transaction, since it keeps nobody waiting.
func (e *Engine) Tidy(ctx context.Context) error {
	for first, pending := true, true; pending; first = false {
		err := e.Write(ctx, engine.Share{}, func(c engine.Conn) error {
			writer := c.(*Conn)
			if first {
				writer.untidyAtStart()
			}
			for range engine.GroupSize {
				alone := len(writer.heaps) == 0 && writer.pendingIndex() == "" // see wipeStep
				if err := writer.TidyStep(); err != nil || alone {
					pending = writer.pending()
					return err
				}
			}
			pending = writer.pending()
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *Conn) number(sql string, args ...schema.Value) (n int64) {
	_ = c.Query(context.Background(), sql, args, func(r engine.Row) error {
		n = room.IntAt(r, 0)
		return nil
	})
	return n
}
