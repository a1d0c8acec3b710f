package search

import (
	"context"
	"maps"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// Database is what all searches of a database go by.
type Database struct {
	limits
	dialect engine.Dialect
	Planner Planner
	reg     *schema.Registry
	// figured is the condition that the kept figures of the business t hold.
	figured string

	samples    memory[*sample]
	statistics memory[*fieldStatistics]
	states     room.Memory[stateKey, state] // what the last searches found, see learnState
}

// limits are up to where one way is taken and from where on another.
type limits struct {
	Window int // see defaultWindow
	Small  int // see defaultSmall
	Few    int // see defaultFew
	Glance int // see defaultGlance
	// MostGroups is how many groups of an aggregate are put together in memory.
	MostGroups int
	TextRange  int64 // see defaultTextRange
}

// defaultWindow is how many records a text search walks in the asked order before it turns to the text index. Where matches are spread
// it fills a page far sooner; where they are bunched at the far end a longer walk would cost more than the index.
const defaultWindow = 3000

// defaultGlance is how many records PostgreSQL walks before it turns to the text ranges: enough to fill a page with a word that one
// in ten has. Rarer ones have so few matches on a text range that fetching and sorting them all costs no more.
const defaultGlance = 300

// defaultSmall is up to how many records SQLite looks through all rather than into the text index. PostgreSQL does so up to the window: it
// chooses well by itself there.
const defaultSmall = 200

// defaultFew is up to how many candidates of the text index are fetched and sorted without trying a walk in order first.
const defaultFew = 500

// defaultMostGroups is how many groups are put together here at most. Where there are more, the database sorts the records by their groups.
const defaultMostGroups = 20_000

// defaultTextRange is how many records a text range takes. One without a match costs a search a tenth of a millisecond, one full of
// matches five.
const defaultTextRange = 4000

// New begins to search a database. figured is the condition that the kept figures of the business t hold.
func New(d engine.Dialect, p Planner, reg *schema.Registry, figured string) *Database {
	return &Database{
		dialect: d, Planner: p, reg: reg, figured: figured, limits: limits{
			Window: defaultWindow, Small: defaultSmall, Few: defaultFew, Glance: defaultGlance, MostGroups: defaultMostGroups,
			TextRange: defaultTextRange,
		}, samples: newMemory[*sample](mostSamples), statistics: newMemory[*fieldStatistics](mostStatistics),
		states: room.Memory[stateKey, state]{Most: mostStates},
	}
}

// Business gives the part of the database that is a business's, whose key is the value of business_id columns.
func (d *Database) Business(id schema.UUID, key schema.Value) Business { return Business{d, id, key} }

// Business is the part of a database that is a business's.
type Business struct {
	*Database
	id  schema.UUID
	key schema.Value
}

// Builder begins a statement.
func (t Business) Builder() *Builder {
	b := MakeBuilder(t.dialect, t.key)
	return &b
}

// Writing is a transaction in a business, as far as the counts and the text index take part in it.
type Writing struct {
	Business
	ctx context.Context
	c   engine.Conn
	// placed are the records, by resource, that were put on PostgreSQL's text ranges.
	placed map[string][]placed
	// TextRanges are the last text ranges of resources, as far as they are known.
	TextRanges TextRangeEnds
}

// Writing lets the counts and the text index take part in a transaction.
func (t Business) Writing(ctx context.Context, c engine.Conn) Writing {
	return Writing{Business: t, ctx: ctx, c: c, placed: map[string][]placed{}}
}

// Clone is the same, and stays as it is when the other one goes on.
func (w Writing) Clone() Writing {
	w.placed, w.TextRanges = maps.Clone(w.placed), maps.Clone(w.TextRanges)
	return w
}

// Know tells what the turn before ended with, where that is known.
func (w *Writing) Know(ends TextRangeEnds) {
	if w.TextRanges == nil {
		w.TextRanges = maps.Clone(ends)
	}
}

// lastRow finds the highest row number of a range and what stands there. Where there is none, it is the number before the range.
func (t Business) lastRow(ctx context.Context, c engine.Conn, table string, low, high int64) (rid int64, made engine.Creation, err error) {
	b := t.Builder()
	// The plus keeps SQLite from looking for the business in an index: its rows are a range of row numbers.
	sql := "SELECT t.rid, t.created_at, t.id FROM " + table + " t" +
		" WHERE +t.business_id = " + b.TenantMark() + " AND t.rid BETWEEN " + b.Arg(schema.IntValue(schema.Integer, low)) +
		" AND " + b.Arg(schema.IntValue(schema.Integer, high)) +
		" ORDER BY t.rid DESC LIMIT 1"
	rid = low - 1
	err = c.Query(ctx, sql, b.Values, func(r engine.Row) error {
		rid, made = r.Value(0, schema.Integer).N, engine.Creation{At: r.Value(1, schema.Time).N, ID: r.Value(2, schema.ID).UUID()}
		return nil
	})
	return rid, made, err
}
