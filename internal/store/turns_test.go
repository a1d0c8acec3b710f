package store

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"kith/internal/schema"
)

func waitingFor(t *turns, business schema.UUID) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.party(business).queue)
}

func TestTurnsGoToWhoHasTheFewest(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	a, b, c := schema.UUID{1}, schema.UUID{2}, schema.UUID{3}
	turns := newTurns(3, 1)
	var held []*party
	for range 2 {
		p, err := turns.take(ctx, a)
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, p)
	}
	got := make(chan schema.UUID, 10)
	var all sync.WaitGroup
	wait := func(business schema.UUID) {
		before := waitingFor(turns, business)
		all.Go(func() {
			if _, err := turns.take(ctx, business); err == nil {
				got <- business
			}
		})
		for waitingFor(turns, business) == before && len(got) == 0 {
			runtime.Gosched()
		}
	}
	wait(a) // the last place is not for who has two
	if waitingFor(turns, a) != 1 {
		t.Fatal("one business has all places")
	}
	if _, err := turns.take(ctx, b); err != nil { // but for who has none
		t.Fatal(err)
	}
	wait(a)
	wait(c)
	turns.give(held[0])
	if first := <-got; first != c {
		t.Errorf("the place went to %v, which waited first but has one", first[0])
	}
	turns.give(held[1])
	if next := <-got; next != a {
		t.Errorf("the next place went to %v", next[0])
	}
	leave()
	all.Wait()
}

func TestTurnsAreNotLost(t *testing.T) {
	turns := newTurns(4, 1)
	var running, most atomic.Int64
	var all sync.WaitGroup
	for n := range 16 {
		all.Go(func() {
			for i := range 500 {
				ctx, leave := context.WithCancel(t.Context())
				if i%3 == 0 {
					go leave()
				}
				p, err := turns.take(ctx, schema.UUID{byte(n % 3)})
				if err == nil {
					now := running.Add(1)
					for seen := most.Load(); now > seen && !most.CompareAndSwap(seen, now); seen = most.Load() {
					}
					runtime.Gosched()
					running.Add(-1)
					turns.give(p)
				} else if !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
				leave()
			}
		})
	}
	all.Wait()
	if turns.free != 4 || len(turns.waiting) != 0 || most.Load() > 4 {
		t.Errorf("%d of 4 places are free, %d wait, %d had one at once", turns.free, len(turns.waiting), most.Load())
	}
	for n, p := range turns.parties {
		if p.held != 0 || len(p.queue) != 0 {
			t.Errorf("%v has %d places and %d waiting", n[0], p.held, len(p.queue))
		}
	}
}
