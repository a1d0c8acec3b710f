package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// progress tells how far something long has come: on a terminal in one line that changes, elsewhere in a line every ten seconds.
type progress struct {
	mu       sync.Mutex
	to       io.Writer
	terminal bool
	told     time.Time
	// phase is what is being done, since begun, when first things were done already.
	phase string
	begun time.Time
	first int64
	shown int
}

func newProgress(to io.Writer) *progress {
	now := time.Now()
	return &progress{to: to, terminal: onTerminal(to), begun: now, told: now}
}

// at tells that so many of a number of things are done; of 0 is an unknown number.
func (p *progress) at(what string, done, of int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	pause := 10 * time.Second
	if p.terminal {
		pause = 100 * time.Millisecond
	}
	if time.Since(p.told) < pause {
		return
	}
	p.told = time.Now()
	line := fmt.Sprintf("%s: %d", what, done)
	if of > 0 {
		const width = 30
		full := int(min(done, of) * width / of)
		line = fmt.Sprintf("%s: %d of %d", what, done, of)
		if p.terminal {
			line = "[" + strings.Repeat("#", full) + strings.Repeat(".", width-full) + "] " + line
		}
	}
	line += fmt.Sprintf(", %.0f/s", float64(done-p.first)/time.Since(p.begun).Seconds())
	if !p.terminal {
		fmt.Fprintln(p.to, line)
		return
	}
	fmt.Fprint(p.to, "\r"+line+strings.Repeat(" ", max(0, p.shown-len(line))))
	p.shown = len(line)
}

// clear leaves nothing behind on a terminal, so that something else can be told.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown > 0 {
		fmt.Fprint(p.to, "\r"+strings.Repeat(" ", p.shown)+"\r")
		p.shown = 0
	}
}

// table tells how many rows of all tables are done, see portable.Telling.
func (p *progress) table(what, table string, rows, of int64) {
	p.mu.Lock()
	if p.phase != what {
		p.phase, p.begun, p.first = what, time.Now(), rows
	}
	p.mu.Unlock()
	p.at("rows "+what+", "+table, rows, of)
}
