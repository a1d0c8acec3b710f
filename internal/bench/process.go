package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// process is a server under measurement, in a process of its own so that its CPU and memory can be told apart.
type process struct {
	cmd   *exec.Cmd
	addr  string
	debug string
	ended chan struct{}
	// started is the time from the start to the first answer.
	started time.Duration
}

// start runs a program with --addr and --debug-addr on free ports, which it tells by itself, and waits until it answers at path.
func start(ctx context.Context, path, program string, args ...string) (*process, error) {
	log, err := os.CreateTemp("", "kith-bench-*.log")
	if err != nil {
		return nil, err
	}
	defer log.Close()
	if os.Getenv("KITH_BENCH_KEEP_LOGS") == "" {
		defer os.Remove(log.Name())
	}
	p := &process{ended: make(chan struct{})}
	p.cmd = exec.CommandContext(ctx, program, append(args, "--addr", "127.0.0.1:0", "--debug-addr", "127.0.0.1:0")...)
	p.cmd.Stderr, p.cmd.Stdout = log, log
	begin := time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.ended)
	}()
	said := func() []byte {
		text, _ := os.ReadFile(log.Name())
		return text
	}
	client := &http.Client{Timeout: time.Second}
	for time.Since(begin) < time.Minute {
		select {
		case <-p.ended:
			return nil, fmt.Errorf("%s %s ended: %s", program, strings.Join(args, " "), said())
		case <-time.After(2 * time.Millisecond):
		}
		if p.addr, p.debug = announced(said()); p.addr == "" {
			continue
		}
		if answer, err := client.Get("http://" + p.addr + path); err == nil {
			answer.Body.Close()
			p.started = time.Since(begin)
			return p, nil
		}
	}
	p.stop()
	return nil, fmt.Errorf("%s %s did not answer: %s", program, strings.Join(args, " "), said())
}

// Announced is what a server writes to its log when it listens: one line of JSON.
type Announced struct {
	// Message is Serving or Debugging.
	Message string `json:"msg"`
	Address string `json:"address"`
}

// The messages of announcements.
const (
	Serving   = "serving"
	Debugging = "debugging"
)

// announced finds in a log where a server listens, or nothing where it has not told yet.
func announced(log []byte) (addr, debug string) {
	for line := range bytes.Lines(log) {
		var a Announced
		if json.Unmarshal(line, &a) != nil {
			continue
		}
		switch at := strings.TrimPrefix(a.Address, "http://"); a.Message {
		case Serving:
			addr = at
		case Debugging:
			debug = at
		}
	}
	return addr, debug
}

func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	<-p.ended
}

// under runs a load on the process and measures what it uses meanwhile.
func (p *process) under(ctx context.Context, l load) (measured, error) {
	cpu, allocs := p.cpu(), p.allocations()
	m, err := l.run(ctx)
	m.cpu, m.allocs = p.cpu()-cpu, p.allocations()-allocs
	return m, err
}

// behind gives the words behind the first occurrence of a mark in what the kernel tells of the process.
func (p *process) behind(file, mark string) []string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/%s", p.cmd.Process.Pid, file))
	_, rest, _ := strings.Cut(string(text), mark)
	return strings.Fields(rest)
}

// cpu is the processor time that the process has used.
func (p *process) cpu() time.Duration {
	fields := p.behind("stat", ") ")
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond // the kernel counts in hundredths of a second
}

// memory is the resident memory in MB that is the process's own: without the pages of the database file that it maps.
func (p *process) memory() float64 {
	fields := p.behind("status", "RssAnon:")
	if len(fields) == 0 {
		return 0
	}
	kb, _ := strconv.ParseFloat(fields[0], 64)
	return kb / 1024
}

// allocations counts what the process has allocated since its start.
func (p *process) allocations() uint64 {
	answer, err := http.Get("http://" + p.debug + "/debug/vars")
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	var vars struct{ Memstats struct{ Mallocs uint64 } }
	_ = json.NewDecoder(answer.Body).Decode(&vars)
	return vars.Memstats.Mallocs
}
