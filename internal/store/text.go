package store

import (
	"context"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// textIndex is an engine's index of search documents. It finds candidates: all live records whose document has the needles, and
// maybe some others, which the conditions of the search sort out.
type textIndex interface {
	// place says where in their table new records go, which are in the order of their creation.
	place(tx *Tx, res *schema.Resource, recs []*schema.Record) (places, error)
	// add tells the index of a new record that has been put in its place.
	add(tx *Tx, res *schema.Resource, place int64, doc string) error
	// change tells it that a record was live or is now, or that it is and its document is another.
	change(tx *Tx, res *schema.Resource, id schema.UUID, was, is bool, doc string) error
	// scour has it drop in time what it still holds of records that were removed for good, where it holds such things.
	scour(tx *Tx, res *schema.Resource) error
	// needles are what the index is asked for, or none where looking through the records is as good.
	needles(ctx context.Context, c engine.Conn, s *searcher) ([]string, error)
	// candidates gives what to read candidates from, with the record as t, and the conditions.
	candidates(b *builder, res *schema.Resource, needles []string) (from string, where []string)
	// walkCreation runs one phase of a search for text in the order of creation, and walkOrder one in another order that has an
	// index of its own.
	walkCreation(ctx context.Context, c engine.Conn, s *searcher, p phase) error
	walkOrder(ctx context.Context, c engine.Conn, s *searcher, p phase) error
	// placedBy is the column that says where a record is placed.
	placedBy() string
	// words appends the words by which the index finds a text, separated by spaces; a word may come twice. indexed reads all that it
	// has of a business, in the order of its words, each with the place of a record. Where the index keeps itself, both are nothing.
	words(dst []byte, t Tenant, doc string) []byte
	indexed(ctx context.Context, c engine.Conn, t Tenant, res *schema.Resource, each func(place int64, word string)) error
	// mend has it know the record at a place as it is.
	mend(tx *Tx, res *schema.Resource, place int64) error
	// shelver places records that come from another database, in any order and of any business.
	shelver(s *Store) shelver
	// misplaced finds the records that are not in their place, tells what is wrong, and how it is mended if it can be.
	misplaced(ctx context.Context, c engine.Conn, t Tenant, res *schema.Resource,
		found func(id schema.UUID, what string, mend func(*Tx) error)) error
}

// places are where new records go: the column that says so, its value for the first of them, and by how much it rises with each.
type places struct {
	column      string
	first, step int64
}

func (p places) at(i int) int64 { return p.first + int64(i)*p.step }

// shelver places records that come from another database.
type shelver interface {
	// place says where a record goes that was created then, and add tells the index of it once it is there.
	place(ctx context.Context, c engine.Conn, t Tenant, res *schema.Resource, made engine.Creation) (int64, error)
	add(ctx context.Context, c engine.Conn, t Tenant, res *schema.Resource, place int64, doc string) error
	// finish writes down what is not yet, before the transaction ends, and after every so many records.
	finish(ctx context.Context, c engine.Conn) error
	// forget takes all records of a business out of the index, before they go.
	forget(ctx context.Context, c engine.Conn, t Tenant, res *schema.Resource) error
}
