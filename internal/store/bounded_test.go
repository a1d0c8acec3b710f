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

// What is remembered of businesses stays within bounds, however many there are, and what came last is known.
func TestLastStatesAreBounded(t *testing.T) {
	var l lastStates
	for n := range 2*mostStates + 10 {
		key := stateKey{numbered(n), "contact"}
		l.store(key, state{count: int64(n)})
		if known, ok := l.load(key); !ok || known.count != int64(n) {
			t.Fatalf("%d is not known", n)
		}
		if len(l.known) > mostStates {
			t.Fatalf("%d are known", len(l.known))
		}
	}
	l.store(stateKey{numbered(2*mostStates + 9), "contact"}, state{count: 1})
	if len(l.known) != 10 {
		t.Errorf("a known one that changed left %d", len(l.known))
	}
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
