package engine

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/schema"
)

// Share says on whose account something runs, and for how long it may. It keeps one business from using up what all have in common:
// connections are handed out in turns between businesses, and nobody keeps one for long.
type Share struct {
	// Business is who waits for it; zero is the operator, who has turns like a business.
	Business schema.UUID
	// Credentials marks the short reads that tell who somebody is. They have a connection of their own, so that no search keeps
	// anybody out.
	Credentials bool
	// Limit is how long it may run; 0 is as long as it takes.
	Limit time.Duration
}

// LongestWait is after how long a turn comes too late.
const LongestWait = 10 * time.Second

// ErrWaited is what is told to who waited too long.
var ErrWaited = &problem.Problem{
	Code:   problem.Timeout,
	Detail: "Too much else was under way for the request to get its turn. Try again in a moment, with fewer requests at once.",
}

// ErrTook is what is told to whose search or write took too long.
func ErrTook(limit string) error {
	return problem.New(problem.Timeout, "It took longer than %s and was stopped. For a search: narrow it by a filter on an indexed "+
		"field, look for longer words, or order by created_at.", limit)
}

// WorkShare is what part of its time a request may keep a processor busy. The rest is for waiting while others are.
const WorkShare = 4

// ErrWorked is what is told to whose request kept a processor busy for too long.
func ErrWorked(limit time.Duration) error {
	return ErrTook(fmt.Sprint(limit/WorkShare, " of processor time"))
}

// Turns hands out a number of places, such as connections. While others wait, no business gets a second place before each of them has one.
// The last places are only for businesses that have none: so one business alone has most of them, and never all. Nor do the
// businesses on one machine of a cluster have all of them together: where it hangs, the others go on. The last of a machine's places are
// again only for its businesses that have none.
type Turns struct {
	mu sync.Mutex
	// free is how many places nobody has, and spare how many of them are for businesses that have none. each, unless it is 0, is how
	// many a business has at most.
	free, spare, each int
	// machineMost is how many places the businesses of one machine have at most, machineSpare how many of those are for businesses that
	// have none, and machines how many they have.
	machineMost, machineSpare int
	machines                  map[int64]int
	parties                   map[schema.UUID]*party
	// waiting has the parties for which somebody waits, in the order of their turns.
	waiting []*party
}

// party is a business that has places or waits for some.
type party struct {
	held int
	// machine is where the business lies.
	machine int64
	// queue has who waits, those who came first in front.
	queue []*waiter
}

// mostParties is how many businesses are remembered that neither have a place nor wait.
const mostParties = 1000

// waiter is somebody who waits.
type waiter struct {
	since time.Time
	// ready gets nil when a place is there, or why there will be none.
	ready chan error
}

func NewTurns(places, spare int) *Turns {
	return &Turns{
		free: places, spare: spare, machineMost: max(1, places-spare), machineSpare: (spare + 1) / 2,
		machines: map[int64]int{}, parties: map[schema.UUID]*party{},
	}
}

// NewLimit makes turns in which each business has so many places, and all have as many as they are.
func NewLimit(each int) *Turns {
	t := NewTurns(math.MaxInt, 0)
	t.each = each
	return t
}

// Places is how many places one business can have, of all and of those of one machine, and how many are free.
func (t *Turns) Places() (one, onMachine, free int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.free - t.spare, t.machineMost - t.machineSpare, t.free
}

// may tells whether a party can have a place now.
func (t *Turns) may(p *party) bool {
	left := func(places, spare int) bool { return places > spare || places > 0 && p.held == 0 }
	return left(t.free, t.spare) && (t.each == 0 || p.held < t.each) &&
		(p.machine == Coordinator || left(t.machineMost-t.machines[p.machine], t.machineSpare))
}

// hold gives a party a place, or takes one back where n is -1.
func (t *Turns) hold(p *party, n int) {
	t.free -= n
	p.held += n
	if p.machine != Coordinator {
		t.machines[p.machine] += n
	}
}

// Take waits for a place for a business, which lies on a machine. Whoever got one gives it back.
func (t *Turns) Take(ctx context.Context, business schema.UUID, machine int64) (*party, error) {
	t.mu.Lock()
	p := t.party(business)
	if p.held == 0 {
		p.machine = machine // it may have been moved
	}
	// Whoever waits could not be given the places that are free, so they are for others.
	if t.may(p) && len(p.queue) == 0 {
		t.hold(p, 1)
		t.mu.Unlock()
		return p, nil
	}
	w := &waiter{since: time.Now(), ready: make(chan error, 1)}
	if len(p.queue) == 0 {
		t.waiting = append(t.waiting, p)
	}
	p.queue = append(p.queue, w)
	t.mu.Unlock()

	var why error
	select {
	case why = <-w.ready:
	case <-ctx.Done():
		why = t.leave(p, w, ctx.Err())
	}
	return p, why
}

// party finds a business, or begins to know it.
func (t *Turns) party(business schema.UUID) *party {
	p := t.parties[business]
	if p == nil {
		if len(t.parties) >= mostParties {
			maps.DeleteFunc(t.parties, func(_ schema.UUID, p *party) bool { return p.held == 0 && len(p.queue) == 0 })
		}
		p = &party{}
		t.parties[business] = p
	}
	return p
}

// leave ends the wait of somebody who may have got a place in the same moment.
func (t *Turns) leave(p *party, w *waiter, why error) error {
	t.mu.Lock()
	if i := slices.Index(p.queue, w); i >= 0 {
		p.queue = slices.Delete(p.queue, i, i+1)
		if len(p.queue) == 0 {
			t.waiting = slices.DeleteFunc(t.waiting, func(other *party) bool { return other == p })
		}
		t.mu.Unlock()
		return why
	}
	t.mu.Unlock()
	if <-w.ready == nil {
		t.Give(p)
	}
	return why
}

// Give gives a place back, to the next whose turn it is.
func (t *Turns) Give(p *party) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hold(p, -1)
	for t.free > 0 && len(t.waiting) > 0 {
		// The one with the fewest places is next; among those with equally many, the one that has waited the longest for its turn.
		next := -1
		for i, other := range t.waiting {
			if t.may(other) && (next < 0 || other.held < t.waiting[next].held) {
				next = i
			}
		}
		if next < 0 {
			return
		}
		chosen := t.waiting[next]
		w := chosen.queue[0]
		chosen.queue = slices.Delete(chosen.queue, 0, 1)
		if len(t.waiting) > 1 || len(chosen.queue) == 0 { // its next turn, if it has one, comes after those of the others
			t.waiting = slices.Delete(t.waiting, next, next+1)
			if len(chosen.queue) > 0 {
				t.waiting = append(t.waiting, chosen)
			}
		}
		// Who has waited for too long is told so when its turn comes: a timer for each would cost more than the turns do.
		if time.Since(w.since) > LongestWait {
			w.ready <- ErrWaited
			continue
		}
		t.hold(chosen, 1)
		w.ready <- nil
	}
}

// Coordinator is the number of the machine that servers connect to.
const Coordinator = 0
