package httpapi

import (
	"sync"

	"kith/internal/problem"
	"kith/internal/schema"
)

// held counts the bytes of large answers that are on their way. A client that asks and does not read makes the server keep its answer; many
// such clients would use up the memory.
type held struct {
	mu    sync.Mutex
	bytes int
	by    map[schema.UUID]int
}

// Bounds of what is held, in all and for one business.
const (
	mostHeld      = 256 << 20
	mostHeldByOne = 64 << 20
)

// take notes an answer that is going to be written; give must follow. An answer that is refused was not read fast enough before.
func (h *held) take(business schema.UUID, bytes int) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.bytes+bytes > mostHeld || h.by[business]+bytes > mostHeldByOne {
		return problem.New(problem.ServiceUnavailable, "Too many large answers are still being read. Read those first, or ask for smaller pages.")
	}
	if h.by == nil {
		h.by = map[schema.UUID]int{}
	}
	h.bytes += bytes
	h.by[business] += bytes
	return nil
}

func (h *held) give(business schema.UUID, bytes int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.bytes -= bytes
	if h.by[business] -= bytes; h.by[business] == 0 {
		delete(h.by, business)
	}
}
