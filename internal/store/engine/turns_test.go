package engine

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/kith-crm/kith/internal/schema"
)

func waitingFor(t *Turns, business schema.UUID) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.party(business).queue)
}

func TestTurnsGoToWhoHasTheFewest(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	a, b, c := schema.UUID{1}, schema.UUID{2}, schema.UUID{3}
	turns := NewTurns(3, 1)
	var held []*party
	for range 2 {
		p, err := turns.Take(ctx, a, Coordinator)
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
			if _, err := turns.Take(ctx, business, Coordinator); err == nil {
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
	if _, err := turns.Take(ctx, b, Coordinator); err != nil { // but for who has none
		t.Fatal(err)
	}
	wait(a)
	wait(c)
	turns.Give(held[0])
	if first := <-got; first != c {
		t.Errorf("the place went to %v, which waited first but has one", first[0])
	}
	turns.Give(held[1])
	if next := <-got; next != a {
		t.Errorf("the next place went to %v", next[0])
	}
	leave()
	all.Wait()
}

func TestTurnsAreNotLost(t *testing.T) {
	turns := NewTurns(4, 1)
	var running, most atomic.Int64
	var all sync.WaitGroup
	for n := range 16 {
		all.Go(func() {
			for i := range 500 {
				ctx, leave := context.WithCancel(t.Context())
				if i%3 == 0 {
					go leave()
				}
				p, err := turns.Take(ctx, schema.UUID{byte(n % 3)}, Coordinator)
				if err == nil {
					now := running.Add(1)
					for seen := most.Load(); now > seen && !most.CompareAndSwap(seen, now); seen = most.Load() {
					}
					runtime.Gosched()
					running.Add(-1)
					turns.Give(p)
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

// The businesses of one machine never have all places together, however many they are, so that others go on while it hangs.
func TestNoMachineHasAllPlaces(t *testing.T) {
	const places, spare, hung, sound = 8, 2, 7, 8
	ctx, leave := context.WithCancel(t.Context())
	turns := NewTurns(places, spare)
	got := make(chan *party, 100)
	var all sync.WaitGroup
	for n := range 50 {
		all.Go(func() {
			if p, err := turns.Take(ctx, schema.UUID{1, byte(n)}, hung); err == nil {
				got <- p
			}
		})
	}
	for len(got) < places-spare || len(turns.waitingNow()) < 50-(places-spare) {
		runtime.Gosched()
	}
	for n := range spare {
		p, err := turns.Take(ctx, schema.UUID{2, byte(n)}, sound)
		if err != nil {
			t.Fatal(err)
		}
		defer turns.Give(p)
	}
	if n := len(got); n != places-spare {
		t.Errorf("one machine has %d places of %d", n, places)
	}
	// Whoever gives a place back gives it to the next of the same machine, and to no more of them.
	turns.Give(<-got)
	for len(got) < places-spare {
		runtime.Gosched()
	}
	leave()
	all.Wait()
	for len(got) > 0 {
		turns.Give(<-got)
	}
	if turns.machines[hung] != 0 {
		t.Errorf("%d places are counted after all were given back", turns.machines[hung])
	}
}

// Where there is one place alone, businesses of all machines get it.
func TestOnePlaceIsForEveryMachine(t *testing.T) {
	turns := NewTurns(1, 1)
	for machine := range int64(3) {
		p, err := turns.Take(t.Context(), schema.UUID{byte(machine)}, machine)
		if err != nil {
			t.Fatal(err)
		}
		turns.Give(p)
	}
}

// However much one business has under way on its machine, another one on the same machine has places left.
func TestNoBusinessHasAllPlacesOfItsMachine(t *testing.T) {
	const places, spare, machine = 8, 2, 7
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	turns := NewTurns(places, spare)
	greedy := schema.UUID{1}
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if p, err := turns.Take(ctx, greedy, machine); err == nil {
				<-ctx.Done()
				turns.Give(p)
			}
		})
	}
	for waits := 0; waits < 50-(places-spare-1); {
		runtime.Gosched()
		turns.mu.Lock()
		waits = len(turns.party(greedy).queue)
		turns.mu.Unlock()
	}
	got := make(chan error)
	go func() {
		p, err := turns.Take(ctx, schema.UUID{2}, machine)
		if err == nil {
			turns.Give(p)
		}
		got <- err
	}()
	if err := <-got; err != nil {
		t.Error(err)
	}
	leave()
	all.Wait()
	if turns.machines[machine] != 0 || turns.free != places {
		t.Errorf("after all were given back, %d places are counted and %d are free", turns.machines[machine], turns.free)
	}
}

func (t *Turns) waitingNow() []*party {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.waiting)
}
