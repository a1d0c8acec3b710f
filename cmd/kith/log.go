package main

import (
	"io"
	"log/slog"
	"sync"
	"time"
)

// gathered is a log that is written out in pieces: a call to the system for each request would cost a tenth of what a small one
// takes. What is worth knowing at once goes through promptly.
type gathered struct {
	out io.Writer
	// soon wakes flush for lines that nothing else pushes out.
	soon *time.Timer

	mu    sync.Mutex
	lines []byte
}

const (
	// gatherFor is how long a line may wait, and gatherMost how many bytes may.
	gatherFor  = 100 * time.Millisecond
	gatherMost = 32 << 10
)

func newGathered(out io.Writer) *gathered {
	g := &gathered{out: out}
	g.soon = time.AfterFunc(gatherFor, g.flush)
	return g
}

// Write takes a line in. Where the log is slow to be written, it waits as well: no line is dropped.
func (g *gathered) Write(line []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.lines) == 0 {
		g.soon.Reset(gatherFor)
	}
	g.lines = append(g.lines, line...)
	if len(g.lines) >= gatherMost {
		g.writeOut()
	}
	return len(line), nil
}

func (g *gathered) flush() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.writeOut()
}

func (g *gathered) writeOut() {
	if len(g.lines) > 0 {
		_, _ = g.out.Write(g.lines) // there is no other place to complain to
		g.lines = g.lines[:0]
	}
}

// promptly writes lines out at once, behind those that wait.
type promptly struct{ *gathered }

func (p promptly) Write(line []byte) (int, error) {
	n, err := p.gathered.Write(line)
	p.flush()
	return n, err
}

// sameEvery is how often an error that stays the same is told.
const sameEvery = time.Minute

// steadily tells of the errors of what is tried again and again in the background. One that stays the same, because a machine is gone for
// instance, is told once a minute.
func steadily(log *slog.Logger, what string) func(error) {
	var mu sync.Mutex
	var last string
	var at time.Time
	return func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if err.Error() == last && time.Since(at) < sameEvery {
			return
		}
		last, at = err.Error(), time.Now()
		log.Error(what, "error", err)
	}
}
