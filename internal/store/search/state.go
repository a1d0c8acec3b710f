package search

import (
	"sync"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// state is what a search wants to know of the business before it chooses its way.
type state struct {
	// count is the maintained number of records.
	count int64
	// placed is what the engine keeps of how the records lie, see Planner.placedTally.
	placed int64
}

func readState(r engine.Row) state {
	return state{count: r.Value(0, schema.Integer).N, placed: r.Value(1, schema.Integer).N}
}

// stateKey is what the state of a business's records is remembered by.
type stateKey struct {
	business schema.UUID
	tally    string
}

// lastStates are what the last searches found, see learnState. It begins anew when it has so many that they would fill the memory.
type lastStates struct {
	sync.RWMutex
	known map[stateKey]state
}

// mostStates is how many are known, some 10 MB.
const mostStates = 1 << 16

func (l *lastStates) load(key stateKey) (known state, ok bool) {
	l.RLock()
	defer l.RUnlock()
	known, ok = l.known[key]
	return known, ok
}

func (l *lastStates) store(key stateKey, now state) {
	l.Lock()
	defer l.Unlock()
	if _, again := l.known[key]; l.known == nil || !again && len(l.known) >= mostStates {
		l.known = map[stateKey]state{}
	}
	l.known[key] = now
}
