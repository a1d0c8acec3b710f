package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
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
	// started is the time from the start to the first answer.
	started time.Duration
}

func freeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// start runs a program with --addr and --debug-addr on free ports and waits until it answers at path.
func start(ctx context.Context, path, program string, args ...string) (*process, error) {
	p := &process{}
	var err error
	if p.addr, err = freeAddr(); err != nil {
		return nil, err
	}
	if p.debug, err = freeAddr(); err != nil {
		return nil, err
	}
	log, err := os.CreateTemp("", "kith-bench-*.log")
	if err != nil {
		return nil, err
	}
	if os.Getenv("KITH_BENCH_KEEP_LOGS") == "" {
		defer os.Remove(log.Name())
	}
	p.cmd = exec.CommandContext(ctx, program, append(args, "--addr", p.addr, "--debug-addr", p.debug)...)
	p.cmd.Stderr, p.cmd.Stdout = log, log
	begin := time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	client := &http.Client{Timeout: time.Second}
	for time.Since(begin) < time.Minute {
		answer, err := client.Get("http://" + p.addr + path)
		if err == nil {
			answer.Body.Close()
			p.started = time.Since(begin)
			return p, nil
		}
		time.Sleep(2 * time.Millisecond)
	}
	p.stop()
	text, _ := os.ReadFile(log.Name())
	return nil, fmt.Errorf("%s %s did not answer: %s", program, strings.Join(args, " "), text)
}

func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	_ = p.cmd.Wait()
}

// cpu is the processor time that the process has used.
func (p *process) cpu() time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond // the kernel counts in hundredths of a second
}

// memory is the resident memory in MB that is the process's own: without the pages of the database file that it maps.
func (p *process) memory() float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			kb, _ := strconv.ParseFloat(strings.Fields(value)[0], 64)
			return kb / 1024
		}
	}
	return 0
}

// allocations counts what the process has allocated since its start.
func (p *process) allocations() uint64 {
	answer, err := http.Get("http://" + p.debug + "/debug/vars")
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	var vars struct {
		Memstats struct{ Mallocs uint64 } `json:"memstats"`
	}
	if json.NewDecoder(answer.Body).Decode(&vars) != nil {
		return 0
	}
	return vars.Memstats.Mallocs
}
