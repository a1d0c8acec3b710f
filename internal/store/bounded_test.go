package store

import (
	"encoding/binary"
	"testing"

	"github.com/kith-crm/kith/internal/schema"
)

func numbered(n int) (id schema.UUID) {
	binary.BigEndian.PutUint64(id[8:], uint64(n))
	return id
}

// A business whose rights change has another epoch, ever after; others may share it, and most do not.
func TestEpochsOnlyRise(t *testing.T) {
	s := &Store{}
	const businesses = 1000
	for n := range businesses {
		before := s.Epoch(numbered(n))
		Tenant{s: s, id: numbered(n)}.Doubt()
		if after := s.Epoch(numbered(n)); after <= before {
			t.Fatalf("the epoch was %d and is %d", before, after)
		}
	}
	if s.Epoch(numbered(businesses)) != 0 {
		t.Error("a business in which nothing changed has another epoch")
	}
}
