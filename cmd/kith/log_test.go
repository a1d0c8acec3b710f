package main

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Lines of requests wait for company, but not for long; what goes through promptly takes along what waits, in order.
func TestLogIsGathered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		g := newGathered(&out)
		fmt.Fprintln(g, "one")
		fmt.Fprintln(g, "two")
		if out.Len() > 0 {
			t.Errorf("written out at once: %q", out.String())
		}
		time.Sleep(gatherFor)
		synctest.Wait()
		if out.String() != "one\ntwo\n" {
			t.Errorf("after %v: %q", gatherFor, out.String())
		}
		fmt.Fprintln(g, "three")
		fmt.Fprintln(promptly{g}, "four")
		if out.String() != "one\ntwo\nthree\nfour\n" {
			t.Errorf("after a prompt line: %q", out.String())
		}
		long := strings.Repeat("x", gatherMost)
		fmt.Fprintln(g, long)
		if !strings.HasSuffix(out.String(), long+"\n") {
			t.Error("a full piece waits")
		}
	})
}

func TestLinesStayWhole(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	g := newGathered(&out)
	var wait sync.WaitGroup
	for n := range 8 {
		wait.Go(func() {
			for range 2000 {
				if n == 0 {
					fmt.Fprintln(promptly{g}, "prompt line")
				} else {
					fmt.Fprintln(g, "gathered line")
				}
			}
		})
	}
	wait.Wait()
	g.flush()
	g.soon.Stop()
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	for _, line := range lines {
		if line != "prompt line" && line != "gathered line" {
			t.Fatalf("a broken line: %q", line)
		}
	}
	if len(lines) != 8*2000 {
		t.Errorf("%d lines", len(lines))
	}
}
