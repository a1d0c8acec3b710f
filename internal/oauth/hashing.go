package oauth

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/kith-crm/kith/internal/problem"
)

// A hash of a password keeps a processor busy for some hundredths of a second, whoever asks for it. So hashes have at most half of the
// processors, and nobody waits for theirs for longer than a person would: whoever would is told when to come again. See ADR 0073.

// longestHashWait is for how long a hash may have to wait for its turn.
const longestHashWait = 3 * time.Second

// hashing are all hashes of this process.
var hashing = newHashers(max(1, runtime.GOMAXPROCS(0)/2))

// hashers bounds how many hashes are computed at once, and how many wait.
type hashers struct {
	places chan struct{}
	mu     sync.Mutex
	// waiting is how many are computed or wait, and took how long one takes, about.
	waiting int
	took    time.Duration
}

func newHashers(places int) *hashers {
	return &hashers{places: make(chan struct{}, places), took: 50 * time.Millisecond}
}

// errHashing tells somebody to come again after a while.
func errHashing(after time.Duration) error {
	p := problem.New(problem.ServiceUnavailable, "Too many people give their password at the moment. Try again in a few seconds.")
	p.RetryAfter = after.Truncate(time.Second) + time.Second
	return p
}

// full gives the reason why somebody would have to wait for too long, or nil. Asked before an attempt is counted, it costs nobody one.
func (h *hashers) full() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.tooLong()
}

func (h *hashers) tooLong() error {
	behind := h.waiting + 1 - cap(h.places)
	if wait := time.Duration(behind) * h.took / time.Duration(cap(h.places)); wait > longestHashWait {
		return errHashing(wait - longestHashWait)
	}
	return nil
}

// run computes a hash when it is its turn.
func (h *hashers) run(ctx context.Context, compute func()) error {
	h.mu.Lock()
	if err := h.tooLong(); err != nil {
		h.mu.Unlock()
		return err
	}
	h.waiting++
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		h.waiting--
		h.mu.Unlock()
	}()
	late := time.NewTimer(2 * longestHashWait) // the estimate may have been wrong
	defer late.Stop()
	select {
	case h.places <- struct{}{}:
	case <-late.C:
		return errHashing(longestHashWait)
	case <-ctx.Done():
		return fmt.Errorf("wait to hash a password: %w", ctx.Err())
	}
	defer func() { <-h.places }()
	begin := time.Now()
	compute()
	took := time.Since(begin)
	h.mu.Lock()
	h.took += (took - h.took) / 8
	h.mu.Unlock()
	return nil
}
