package paper

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/schema"
)

// Press bounds how many PDFs and pictures are drawn at once: each takes a processor for a moment.
type Press struct {
	mu sync.Mutex
	// by has for each business that waits its turn, and how many wait.
	by    map[schema.UUID]*turnstile
	slots chan struct{}
}

type turnstile struct {
	free    chan struct{}
	waiting int
}

// pressWait is how long somebody waits for a PDF to be begun, and retryAfter when who waited for so long may ask again.
const pressWait, retryAfter = 10 * time.Second, 5 * time.Second

// NewPress makes a press, which has at most half of the processors.
func NewPress() *Press {
	return &Press{by: map[schema.UUID]*turnstile{}, slots: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))}
}

// Begin waits for the business's turn and then for a slot. The caller ends both with done.
func (p *Press) Begin(ctx context.Context, business schema.UUID) (done func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, pressWait)
	defer cancel()
	p.mu.Lock()
	turn := p.by[business]
	if turn == nil {
		turn = &turnstile{free: make(chan struct{}, 1)}
		p.by[business] = turn
	}
	turn.waiting++
	p.mu.Unlock()
	leave := func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if turn.waiting--; turn.waiting == 0 {
			delete(p.by, business)
		}
	}
	tooLong := problem.New(problem.Timeout, "Other PDFs are being made. Ask again in a moment.")
	tooLong.RetryAfter = retryAfter
	select {
	case turn.free <- struct{}{}:
	case <-ctx.Done():
		leave()
		return nil, tooLong
	}
	select {
	case p.slots <- struct{}{}:
		return func() { <-p.slots; <-turn.free; leave() }, nil
	case <-ctx.Done():
		<-turn.free
		leave()
		return nil, tooLong
	}
}
