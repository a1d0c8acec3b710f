package store

import (
	"context"
	"testing"
	"time"

	"kith/internal/problem"
)

// A request is stopped when it has kept a processor busy for a quarter of its time. What it spent waiting for one is not work, but ends with
// the whole of the time.
func TestGuardCountsWork(t *testing.T) {
	const limit = time.Hour
	for name, tt := range map[string]struct {
		step    time.Duration
		atLeast int
	}{
		"busy":    {step: longestStep / 2, atLeast: int(limit / workShare / (longestStep / 2))},
		"waiting": {step: time.Minute, atLeast: int(limit / workShare / longestStep)},
	} {
		g := &guard{}
		g.start(context.Background(), limit)
		asked := 0
		for !g.over() {
			g.asked = g.asked.Add(-tt.step)
			asked++
			if asked > 2*tt.atLeast {
				break
			}
		}
		if p := problem.As(g.why); p == nil || p.Code != problem.Timeout || asked > tt.atLeast+1 {
			t.Errorf("%s: stopped by %v when asked %d times, want about %d", name, g.why, asked, tt.atLeast)
		}
	}
	g := &guard{}
	g.start(context.Background(), limit)
	if g.over() {
		t.Errorf("what has just begun is stopped: %v", g.why)
	}
	g.until = time.Now().Add(-time.Second)
	if !g.over() {
		t.Error("what has no time left goes on")
	}
}
