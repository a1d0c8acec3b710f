package httpapi

import (
	"testing"

	"kith/internal/problem"
	"kith/internal/schema"
)

func TestAnswersThatNobodyReadsAreBounded(t *testing.T) {
	var h held
	page, greedy, other := 8<<20, schema.UUID{1}, schema.UUID{2}
	taken := 0
	for h.take(greedy, page) == nil {
		taken++
	}
	if taken*page > mostHeldByOne || taken < 2 {
		t.Errorf("one business holds %d pages", taken)
	}
	if err := h.take(greedy, page); problem.As(err) == nil || problem.As(err).Code != problem.ServiceUnavailable {
		t.Errorf("one more is %v", err)
	}
	if err := h.take(other, page); err != nil {
		t.Errorf("another business is refused: %v", err)
	}
	h.give(other, page)
	for range taken {
		h.give(greedy, page)
	}
	if h.bytes != 0 || len(h.by) != 0 {
		t.Errorf("after all was read, %d bytes are held, by %d", h.bytes, len(h.by))
	}
	for n := byte(0); ; n++ {
		if h.take(schema.UUID{n}, mostHeldByOne) != nil {
			break
		}
	}
	if h.bytes > mostHeld {
		t.Errorf("%d bytes are held", h.bytes)
	}
}
