package engine

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/kith-crm/kith/internal/schema"
)

// Creation is the place of a record in the order of creation.
type Creation struct {
	At int64
	ID schema.UUID
}

func (a Creation) Compare(b Creation) int {
	return cmp.Or(cmp.Compare(a.At, b.At), bytes.Compare(a.ID[:], b.ID[:]))
}

func CreationOf(rec *schema.Record) Creation {
	return Creation{rec.Get(rec.Common.CreatedAt).N, rec.ID()}
}

// ByCreation gives records in the order of their creation. Most come so.
func ByCreation(recs []*schema.Record) []*schema.Record {
	earlier := func(a, b *schema.Record) int { return CreationOf(a).Compare(CreationOf(b)) }
	if slices.IsSortedFunc(recs, earlier) {
		return recs
	}
	recs = slices.Clone(recs)
	slices.SortStableFunc(recs, earlier)
	return recs
}
