package search

import (
	"context"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// TextIndex is an engine's index of search documents. It finds candidates: all live records whose document has the needles, and
// maybe some others, which the conditions of the search sort out.
type TextIndex interface {
	// Place says where in their table new records go, which are in the order of their creation.
	Place(w *Writing, res *schema.Resource, recs []*schema.Record) (Places, error)
	// Add tells the index of a new record that has been put in its place.
	Add(w *Writing, res *schema.Resource, place int64, doc string) error
	// Change tells it that a record was live or is now, or that it is and its document is another.
	Change(w *Writing, res *schema.Resource, id schema.UUID, was, is bool, doc string) error
	// Scour has it drop in time what it still holds of records that were removed for good, where it holds such things.
	Scour(w *Writing, res *schema.Resource) error
	// needles are what the index is asked for, or none where looking through the records is as good.
	needles(ctx context.Context, c engine.Conn, s *Search) ([]string, error)
	// candidates gives what to read candidates from, with the record as t, and the conditions.
	candidates(b *Builder, res *schema.Resource, needles []string) (from string, where []string)
	// walkCreation runs one phase of a search for text in the order of creation, and walkOrder one in another order that has an
	// index of its own.
	walkCreation(ctx context.Context, c engine.Conn, s *Search, p phase) error
	walkOrder(ctx context.Context, c engine.Conn, s *Search, p phase) error
	// PlacedBy is the column that says where a record is placed.
	PlacedBy() string
	// Words appends the words by which the index finds a text, separated by spaces; a word may come twice. Indexed reads all that it
	// has of a business, in the order of its words, each with the place of a record. Where the index keeps itself, both are nothing.
	Words(dst []byte, t Business, doc string) []byte
	Indexed(ctx context.Context, c engine.Conn, t Business, res *schema.Resource, each func(place int64, word string)) error
	// Mend has it know the record at a place as it is.
	Mend(w *Writing, res *schema.Resource, place int64) error
	// Shelver places records that come from another database, in any order and of any business.
	Shelver(d *Database) Shelver
	// Misplaced finds the records that are not in their place, tells what is wrong, and how it is mended if it can be.
	Misplaced(ctx context.Context, c engine.Conn, t Business, res *schema.Resource,
		found func(id schema.UUID, what string, mend func(*Writing) error)) error
}

// Shelver places records that come from another database.
type Shelver interface {
	// Place says where a record goes that was created then, and Add tells the index of it once it is there.
	Place(ctx context.Context, c engine.Conn, t Business, res *schema.Resource, made engine.Creation) (int64, error)
	Add(ctx context.Context, c engine.Conn, t Business, res *schema.Resource, place int64, doc string) error
	// Finish writes down what is not yet, before the transaction ends, and after every so many records.
	Finish(ctx context.Context, c engine.Conn) error
	// Forget takes all records of a business out of the index, before they go.
	Forget(ctx context.Context, c engine.Conn, t Business, res *schema.Resource) error
}

// Planner is how an engine finds the records of a search.
type Planner interface {
	// Text is the index of search documents.
	Text() TextIndex

	// placedTally is the tally in which the engine keeps how the records of a table lie; there is none where it is empty.
	placedTally(table string) string
	// choosesByState tells that the engine chooses every way by what is known of the business, see state.
	choosesByState() bool
	// learnState reads the state of a search, and then runs what follows, which may depend on it.
	learnState(ctx context.Context, c engine.Conn, s *Search, then func() error) error
	// Together reads the one row of a statement, and then runs what reads with several others, all in one transaction where each of
	// them would begin its own. Without the row what follows may run or not.
	Together(ctx context.Context, c engine.Conn, sql string, args []schema.Value, first func(engine.Row) error, then func() error) error
	// FirstRecords is how many records of a page are asked for at first, before it is known how large they are; 0 is all of them.
	FirstRecords() int
	// chooseWay chooses the way of a search with filters and without text.
	chooseWay(ctx context.Context, c engine.Conn, s *Search) (way, error)
	// chooseGathering chooses how the records of an aggregate are read.
	chooseGathering(ctx context.Context, c engine.Conn, g *Aggregation) (gathering, error)
	// window renders a walk that looks for matches among the first s.window records of the asked order.
	window(s *Search, b *Builder, a asked) string
	// sorted renders a walk whose matches the engine may have to sort.
	sorted(s *Search, b *Builder, a asked, from string, where []string) string
	// alongCustomEntries renders a walk along index entries, see custom_index_walk.go. customEntryWindow is how many of them a walk looks
	// through whose records may not match, before these are found otherwise; 0 is all of them.
	alongCustomEntries(s *Search, b *Builder, a asked, w customEntryWalk) string
	customEntryWindow(s *Search) int
	// fromCustomEntries renders where the records of index entries are read from, and what connects the two.
	fromCustomEntries(b *Builder, res *schema.Resource, r customEntryRange) (from string, where []string)
}
