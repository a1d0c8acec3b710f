package httpapi

import (
	"testing"

	"github.com/kith-crm/kith/internal/schema"
)

func TestAnswersThatNobodyReadsAreBounded(t *testing.T) {
	h := quota{most: MaxHeld, mostByOne: MaxHeldByOne}
	page, greedy, other := 8<<20, schema.UUID{1}, schema.UUID{2}
	taken := 0
	for h.take(greedy, page) {
		taken++
	}
	if taken*page > MaxHeldByOne || taken < 2 {
		t.Errorf("one business holds %d pages", taken)
	}
	if !h.take(other, page) {
		t.Error("another business is refused")
	}
	h.give(other, page)
	for range taken {
		h.give(greedy, page)
	}
	if h.all != 0 || len(h.by) != 0 {
		t.Errorf("after all was read, %d bytes are held, by %d", h.all, len(h.by))
	}
	for n := byte(0); ; n++ {
		if !h.take(schema.UUID{n}, MaxHeldByOne) {
			break
		}
	}
	if h.all > MaxHeld {
		t.Errorf("%d bytes are held", h.all)
	}
}
