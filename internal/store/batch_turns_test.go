package store

import (
	"runtime"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/schema"
)

// A business has no more places than each may have, while another gets its own at once.
func TestEachBusinessHasItsPlaces(t *testing.T) {
	one, other := schema.UUID{1}, schema.UUID{2}
	turns := NewTurns(1)
	give, err := turns.Take(t.Context(), one)
	if err != nil {
		t.Fatal(err)
	}
	second := make(chan func(), 1)
	go func() {
		give, err := turns.Take(t.Context(), one)
		if err != nil {
			t.Error(err)
		}
		second <- give
	}()
	for end := time.Now().Add(time.Minute); ; runtime.Gosched() {
		if waiting := turns.turns.Gauges(1)[2]; waiting.Value == 1 {
			break
		}
		if len(second) > 0 || time.Now().After(end) {
			t.Fatal("the second does not wait")
		}
	}
	besides, err := turns.Take(t.Context(), other)
	if err != nil {
		t.Fatal(err)
	}
	besides()
	if len(second) > 0 {
		t.Error("the place of another business is given to the second")
	}
	give()
	(<-second)()
}
