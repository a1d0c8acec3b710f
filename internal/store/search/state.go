package search

import (
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

// mostStates is how many the last searches found are known, some 10 MB.
const mostStates = 1 << 16
