package oauth

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/problem"
)

// Hashes have half of the processors, and whoever would wait for too long is told to come again, at once and with when.
func TestHashesAreComputedByHalfOfTheProcessors(t *testing.T) {
	if places, processors := cap(hashing.places), runtime.GOMAXPROCS(0); places > max(1, processors/2) {
		t.Errorf("%d hashes are computed at once on %d processors", places, processors)
	}
	const places, patient = 2, 6 // which each may have three before them, at a second for a hash
	h := newHashers(places)
	h.took = time.Second
	var all sync.WaitGroup
	var now, most, done atomic.Int32
	var let sync.WaitGroup
	let.Add(1)
	for range places + patient {
		all.Go(func() {
			err := h.run(t.Context(), func() {
				most.Store(max(most.Load(), now.Add(1)))
				let.Wait()
				now.Add(-1)
				done.Add(1)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	for end := time.Now().Add(time.Minute); ; runtime.Gosched() {
		h.mu.Lock()
		waiting := h.waiting
		h.mu.Unlock()
		if waiting == places+patient && now.Load() == places {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%d wait, %d are computed", waiting, now.Load())
		}
	}
	for _, err := range []error{h.full(), h.run(t.Context(), func() { t.Error("it is computed all the same") })} {
		if p := problem.As(err); p == nil || p.Code != problem.ServiceUnavailable || p.RetryAfter < time.Second {
			t.Errorf("one too many is told %v", err)
		}
	}
	let.Done()
	all.Wait()
	if most.Load() > places || done.Load() != places+patient || h.waiting != 0 {
		t.Errorf("%d at once, %d done, %d left", most.Load(), done.Load(), h.waiting)
	}
	if err := h.full(); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	h.places <- struct{}{}
	h.places <- struct{}{}
	if err := h.run(gone, func() { t.Error("nobody waits for it") }); err == nil || h.waiting != 0 {
		t.Errorf("who is gone is told %v, %d wait", err, h.waiting)
	}
}
