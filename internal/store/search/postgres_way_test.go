package search

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
