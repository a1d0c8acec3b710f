package sqlite

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/store/engine"
)

// spin keeps the thread's processor busy for a while.
func spin(d time.Duration) {
	begin, _ := threadTime()
	for now := begin; now-begin < d; now, _ = threadTime() {
	}
}

// A request is stopped when it has kept a processor busy for a quarter of its time, be it in many steps or in a few long ones. What it
// spent waiting for one is not work, but ends with the whole of the time.
func TestGuardCountsWork(t *testing.T) {
	if _, known := threadTime(); !known {
		t.Skip("the system does not tell what a thread has worked")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const limit = time.Minute
	for name, step := range map[string]time.Duration{"cheap rows": time.Millisecond / 4, "dear rows": 10 * longestStep} {
		g := &guard{}
		g.start(context.Background(), limit)
		g.work = limit/engine.WorkShare - 6*10*longestStep // most of it is done
		before, _ := threadTime()
		for !g.over() {
			spin(step)
			g.asked = g.asked.Add(-time.Second) // beside what it waited
		}
		after, _ := threadTime()
		g.end()
		worked := after - before
		if p := problem.As(g.why); p == nil || p.Code != problem.Timeout || !strings.Contains(p.Detail, "processor") {
			t.Errorf("%s: stopped by %v", name, g.why)
		}
		if least, most := 5*10*longestStep, 8*10*longestStep; worked < least || worked > most {
			t.Errorf("%s: stopped after %v of work, want about %v", name, worked, 6*10*longestStep)
		}
	}
	g := &guard{}
	g.start(context.Background(), limit)
	for range 1000 {
		if g.asked = g.asked.Add(-time.Minute); g.over() {
			t.Fatalf("what only waits is stopped: %v", g.why)
		}
	}
	g.until = time.Now().Add(-time.Second)
	if !g.over() {
		t.Error("what has no time left goes on")
	}
	g.end()
}
