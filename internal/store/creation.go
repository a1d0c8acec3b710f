package store

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/kith-crm/kith/internal/schema"
)

// creation is the place of a record in the order of creation.
type creation struct {
	at int64
	id schema.UUID
}

func (a creation) compare(b creation) int {
	return cmp.Or(cmp.Compare(a.at, b.at), bytes.Compare(a.id[:], b.id[:]))
}

func creationOf(rec *schema.Record) creation {
	return creation{rec.Get(rec.Common.CreatedAt).N, rec.ID()}
}

// byCreation gives records in the order of their creation. Most come so.
func byCreation(recs []*schema.Record) []*schema.Record {
	earlier := func(a, b *schema.Record) int { return creationOf(a).compare(creationOf(b)) }
	if slices.IsSortedFunc(recs, earlier) {
		return recs
	}
	recs = slices.Clone(recs)
	slices.SortStableFunc(recs, earlier)
	return recs
}
