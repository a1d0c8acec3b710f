package storetest

import (
	"testing"

	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/merged"
)

// testNotTwins remembers of two records that they are not the same: for their business and their resource alone, and said twice it
// is still so.
func testNotTwins(t *testing.T, s *store.Store) {
	b, other, res := Business(t, s), Business(t, s), contacts(s)
	first, second, third := NewRecord(res), NewRecord(res), NewRecord(res)
	insert(t, b, res, first, second, third)
	said, unsaid := store.PairOf(second.ID(), first.ID()), store.PairOf(first.ID(), third.ID())
	for range 2 {
		if err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error { return merged.SetNotTwins(tx, res, said) }); err != nil {
			t.Fatal(err)
		}
	}
	for who, tt := range map[string]struct {
		tenant store.Tenant
		want   int
	}{"its business": {b, 1}, "another business": {other, 0}} {
		not, err := merged.NotTwins(ctx, tt.tenant, res, []store.Pair{said, unsaid})
		if err != nil || len(not) != tt.want || not[said] != (tt.want == 1) {
			t.Errorf("%s is told %v, %v", who, not, err)
		}
	}
}
