package store

import (
	"context"

	"kith/internal/schema"
)

// textIndex is an engine's index of search documents. It finds candidates: all live records whose document has the needles, and maybe some others,
// which the conditions of the search sort out.
type textIndex interface {
	// create makes the index of a table.
	create(t table) string
	// place says where in their table new records go, which are in the order of their creation.
	place(tx *Tx, res *schema.Resource, recs []*schema.Record) (places, error)
	// add tells the index of a new record that has been put in its place.
	add(tx *Tx, res *schema.Resource, place int64, doc string) error
	// change tells it that a record was live or is now, or that it is and its document is another.
	change(tx *Tx, res *schema.Resource, id schema.UUID, was, is bool, doc string) error
	// scour has it drop in time what it still holds of records that were removed for good, where it holds such things.
	scour(tx *Tx, res *schema.Resource) error
	// needles are what the index is asked for, or none where looking through the records is as good.
	needles(ctx context.Context, c conn, s *searcher) ([]string, error)
	// candidates gives what to read candidates from, with the record as t, and the conditions.
	candidates(b *builder, res *schema.Resource, needles []string) (from string, where []string)
	// walkCreation runs one phase of a search for text in the order of creation, and walkOrder one in another order that has an index of its own.
	walkCreation(ctx context.Context, c conn, s *searcher, p phase) error
	walkOrder(ctx context.Context, c conn, s *searcher, p phase) error
}

// places are where new records go: the column that says so, its value for the first of them, and by how much it rises with each.
type places struct {
	column      string
	first, step int64
}

func (p places) at(i int) int64 { return p.first + int64(i)*p.step }
