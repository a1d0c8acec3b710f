package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// faultsVariable says that the cluster is the tests' own, to be broken. `make citus` sets it.
const faultsVariable = "KITH_TEST_CITUS_FAULTS"

// Machine is a PostgreSQL server of the cluster, on this computer.
type Machine struct {
	// Port is what it listens on.
	Port                 int
	tb                   testing.TB
	url, folder, program string
	pid                  int
	owner                syscall.Credential
}

// Breakable gives the machines of the cluster to a test that kills and stops them, the coordinator first. Where the cluster is not there
// to be broken, the test is left out.
func Breakable(tb testing.TB) []*Machine {
	tb.Helper()
	if os.Getenv(faultsVariable) == "" {
		tb.Skip("this breaks the cluster that it runs on: `make citus` gives it one of its own")
	}
	var all []*Machine
	for _, url := range Machines(tb) {
		all = append(all, newMachine(tb, url))
	}
	if len(all) < 2 {
		tb.Skip("this needs a Citus cluster: run it with scripts/with-citus")
	}
	return all
}

func newMachine(tb testing.TB, url string) *Machine {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		tb.Fatal(err)
	}
	defer c.Close(ctx)
	m := &Machine{tb: tb, url: url, Port: int(c.Config().Port)}
	if err := c.QueryRow(ctx, "SHOW data_directory").Scan(&m.folder); err != nil {
		tb.Fatal(err)
	}
	m.read()
	if m.program, err = os.Readlink(fmt.Sprintf("/proc/%d/exe", m.pid)); err != nil {
		tb.Fatal(err)
	}
	info, err := os.Stat(m.folder)
	if err != nil {
		tb.Fatal(err)
	}
	stat := info.Sys().(*syscall.Stat_t)
	m.owner = syscall.Credential{Uid: stat.Uid, Gid: stat.Gid}
	return m
}

func (m *Machine) read() {
	m.tb.Helper()
	text, err := os.ReadFile(m.folder + "/postmaster.pid")
	if err != nil {
		m.tb.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	if m.pid, err = strconv.Atoi(first); err != nil {
		m.tb.Fatal(err)
	}
}

// Kill ends the server at once, as a loss of power does.
func (m *Machine) Kill() {
	m.tb.Helper()
	all := processes(m.pid)
	signal(all, syscall.SIGKILL)
	m.await("the end of the server", func() bool { return !slices.ContainsFunc(all, runs) })
}

// Start brings a server back that was killed.
func (m *Machine) Start() {
	m.tb.Helper()
	log, err := os.CreateTemp(m.tb.TempDir(), "server")
	if err != nil {
		m.tb.Fatal(err)
	}
	// It would take what is left of its first process, which nobody may have asked for, for another server.
	config, err := pgx.ParseConfig(m.url)
	if err != nil {
		m.tb.Fatal(err)
	}
	for _, left := range []string{m.folder + "/postmaster.pid", fmt.Sprintf("%s/.s.PGSQL.%d.lock", filepath.Dir(m.folder), config.Port)} {
		if err := os.Remove(left); err != nil && !errors.Is(err, os.ErrNotExist) {
			m.tb.Fatal(err)
		}
	}
	c := exec.Command(m.program, "-D", m.folder)
	c.Stdout, c.Stderr, c.Dir = log, log, "/"
	if os.Getuid() == 0 {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &m.owner, Setpgid: true}
	}
	if err := c.Start(); err != nil {
		m.tb.Fatal(err)
	}
	go func() { _ = c.Wait() }()
	m.tb.Cleanup(func() {
		if text, err := os.ReadFile(log.Name()); m.tb.Failed() && err == nil {
			m.tb.Logf("the server said:\n%s", text)
		}
	})
	m.await("the server to be back", func() bool {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		conn, err := pgx.Connect(ctx, m.url)
		return err == nil && conn.Close(ctx) == nil
	})
	m.read()
}

// Signal sends a signal to the server and all its processes. Stopped (SIGSTOP), it says nothing until it is told to continue.
func (m *Machine) Signal(what syscall.Signal) { signal(processes(m.pid), what) }

func (m *Machine) await(what string, so func() bool) {
	m.tb.Helper()
	for end := time.Now().Add(stepTimeout); !so(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			m.tb.Fatalf("waited in vain for %s", what)
		}
	}
}
