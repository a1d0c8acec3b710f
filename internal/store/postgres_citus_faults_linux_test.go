package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"kith/internal/crm"
	"kith/internal/pgtest"
	"kith/internal/problem"
	"kith/internal/schema"
	"kith/internal/store"
	"kith/internal/store/keep"
	"kith/internal/store/storetest"
	"kith/internal/testworld"
)

// faultsVariable says that the cluster is this test's own, to be broken. `make citus` sets it.
const faultsVariable = "KITH_TEST_CITUS_FAULTS"

// machine is a PostgreSQL server of the cluster, on this computer.
type machine struct {
	url, folder, program string
	pid                  int
	owner                syscall.Credential
}

func newMachine(t *testing.T, url string) *machine {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(ctx)
	m := &machine{url: url}
	if err := c.QueryRow(ctx, "SHOW data_directory").Scan(&m.folder); err != nil {
		t.Fatal(err)
	}
	m.read(t)
	if m.program, err = os.Readlink(fmt.Sprintf("/proc/%d/exe", m.pid)); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(m.folder)
	if err != nil {
		t.Fatal(err)
	}
	stat := info.Sys().(*syscall.Stat_t)
	m.owner = syscall.Credential{Uid: stat.Uid, Gid: stat.Gid}
	return m
}

func (m *machine) read(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(m.folder + "/postmaster.pid")
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	if m.pid, err = strconv.Atoi(first); err != nil {
		t.Fatal(err)
	}
}

// kill ends the server at once, as a loss of power does.
func (m *machine) kill(t *testing.T) {
	t.Helper()
	children := m.children()
	for _, pid := range append([]int{m.pid}, children...) {
		_ = syscall.Kill(pid, syscall.SIGKILL) // a child may have ended by itself
	}
	await(t, "the end of the server", func() bool {
		for _, pid := range append([]int{m.pid}, children...) {
			if syscall.Kill(pid, 0) == nil && !zombie(pid) {
				return false
			}
		}
		return true
	})
}

// zombie tells that a process has ended, and nobody has asked how.
func zombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(stat), ") Z ")
}

// children are the processes of the server.
func (m *machine) children() (all []int) {
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if err != nil {
			continue
		}
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(fields) > 1 && fields[1] == strconv.Itoa(m.pid) {
			all = append(all, pid)
		}
	}
	return all
}

// start brings a server back that was killed.
func (m *machine) start(t *testing.T) {
	t.Helper()
	log, err := os.CreateTemp(t.TempDir(), "server")
	if err != nil {
		t.Fatal(err)
	}
	// It would take what is left of its first process, which nobody may have asked for, for another server.
	config, err := pgx.ParseConfig(m.url)
	if err != nil {
		t.Fatal(err)
	}
	for _, left := range []string{m.folder + "/postmaster.pid", fmt.Sprintf("%s/.s.PGSQL.%d.lock", filepath.Dir(m.folder), config.Port)} {
		if err := os.Remove(left); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	c := exec.Command(m.program, "-D", m.folder)
	c.Stdout, c.Stderr, c.Dir = log, log, "/"
	if os.Getuid() == 0 {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &m.owner, Setpgid: true}
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = c.Wait() }()
	t.Cleanup(func() {
		if text, err := os.ReadFile(log.Name()); t.Failed() && err == nil {
			t.Logf("the server said:\n%s", text)
		}
	})
	await(t, "the server to be back", func() bool {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		conn, err := pgx.Connect(ctx, m.url)
		if err != nil {
			return false
		}
		return conn.Close(ctx) == nil
	})
	m.read(t)
}

// await waits for something to become true.
func await(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !so(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// home is a business and what can be asked of it.
type home struct {
	t        *testing.T
	s        *store.Store
	who      *crm.Principal
	email    string
	secret   keep.Presented
	contacts *schema.Resource
	mu       sync.Mutex
	written  []schema.UUID // acknowledged
}

func newHome(t *testing.T, s *store.Store, e *crm.Engine, name string) *home {
	t.Helper()
	h := &home{t: t, s: s, email: name + "@example.com", contacts: crm.Registry.Resource("contact")}
	h.who = testworld.Business(t, e, name, crm.Person{Email: h.email, Name: name})
	h.secret = keep.Presented{Hash: keep.Hash{byte(len(name)), name[0], name[len(name)-1]}, Business: h.who.Tenant.ID()}
	err := h.who.Tenant.Keep(context.Background(), store.Actor{}, func(tx *store.Tx) error {
		return keep.PutCredential(tx, h.secret.Hash, keep.Credential{Kind: "pat", User: h.who.User, Parent: h.who.User})
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// use does what a visit does: the token is looked up, the address logs in, a record is written and read.
func (h *home) use(ctx context.Context) error {
	if _, _, _, err := keep.Holder(ctx, h.s, h.secret); err != nil {
		return fmt.Errorf("the token: %w", err)
	}
	if all, err := keep.Identities(ctx, h.s, h.email); err != nil || len(all) != 1 {
		return fmt.Errorf("the address: %d businesses, %w", len(all), err)
	}
	rec := storetest.NewRecord(h.contacts)
	err := h.who.Tenant.Write(ctx, store.Actor{}, func(tx *store.Tx) error { return tx.Insert(h.contacts, rec, "create") })
	if err != nil {
		return fmt.Errorf("a write: %w", err)
	}
	h.mu.Lock()
	h.written = append(h.written, rec.ID())
	h.mu.Unlock()
	if _, err := h.who.Tenant.Get(ctx, h.contacts, rec.ID(), false); err != nil {
		return fmt.Errorf("a read: %w", err)
	}
	return nil
}

// port is that of the worker on which the business lies.
func (h *home) port(c *pgx.Conn) (port int) {
	h.t.Helper()
	id := h.who.Tenant.ID()
	sql := `SELECT n.nodeport FROM pg_dist_placement p JOIN pg_dist_node n USING (groupid) WHERE p.shardid = get_shard_id_for_distribution_column('business', $1::uuid)`
	if err := c.QueryRow(context.Background(), sql, [16]byte(id)).Scan(&port); err != nil {
		h.t.Fatal(err)
	}
	return port
}

// kept checks that everything acknowledged is there.
func (h *home) kept() {
	h.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range h.written {
		if _, err := h.who.Tenant.Get(context.Background(), h.contacts, id, false); err != nil {
			h.t.Errorf("an acknowledged record of %s: %v", h.email, err)
		}
	}
}

// neighbours are businesses on two workers of a cluster that is to be broken: one here, and some that lie together elsewhere, on the victim.
type neighbours struct {
	s                   *store.Store
	here                *home
	there               []*home
	victim, coordinator *machine
}

func newNeighbours(t *testing.T, many int) neighbours {
	t.Helper()
	if os.Getenv(faultsVariable) == "" {
		t.Skip("this breaks the cluster that it runs on: `make citus` gives it one of its own")
	}
	onCluster(t)
	ctx := context.Background()
	url := newPostgres(t)
	n := neighbours{s: open(t, url)}
	n.s.LimitTime(5 * time.Second)
	e := newEngine(t, n.s)
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	n.here = newHome(t, n.s, e, "here")
	for i := 0; len(n.there) < many; i++ {
		h := newHome(t, n.s, e, "there"+strconv.Itoa(i))
		if port := h.port(c); port != n.here.port(c) && (len(n.there) == 0 || port == n.there[0].port(c)) {
			n.there = append(n.there, h)
		}
	}
	workers := map[int]*machine{}
	for i, address := range pgtest.Machines(t) {
		config, err := pgx.ParseConfig(address)
		if err != nil {
			t.Fatal(err)
		}
		workers[int(config.Port)] = newMachine(t, address)
		if i == 0 {
			workers[0] = workers[int(config.Port)]
		}
	}
	n.victim, n.coordinator = workers[n.there[0].port(c)], workers[0]
	if err := c.Close(ctx); err != nil {
		t.Fatal(err)
	}
	for _, h := range append(n.there, n.here) {
		if err := h.use(ctx); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// works tells whether a visit succeeds.
func (h *home) works() bool { return h.use(context.Background()) == nil }

// A worker that hangs says nothing, and many wait for it. Nobody else does: what belongs to another worker goes on, and when it answers again so does everything.
func TestAHungMachineOfAClusterKeepsOnlyItsOwnWaiting(t *testing.T) {
	n := newNeighbours(t, 4)
	signal := func(what syscall.Signal) {
		for _, pid := range append([]int{n.victim.pid}, n.victim.children()...) {
			_ = syscall.Kill(pid, what) // a child may have ended by itself
		}
	}
	t.Cleanup(func() { signal(syscall.SIGCONT) })
	stop := make(chan struct{})
	var visitors sync.WaitGroup
	for i := range 60 { // more than there are connections
		h := n.there[i%len(n.there)]
		visitors.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(time.Millisecond):
					_ = h.use(context.Background())
				}
			}
		})
	}
	for range 2 {
		signal(syscall.SIGSTOP)
		await(t, "what hangs to be noticed", func() bool { return gauge(n.s, "kith_postgres_workers_silent") == 1 })
		await(t, "the other worker's business", n.here.works)
		for range 20 {
			if err := n.here.use(context.Background()); err != nil {
				t.Errorf("another worker's business: %v", err)
			}
		}
		if err := n.there[0].use(context.Background()); err == nil {
			t.Error("a business answers whose worker hangs")
		} else if told := problem.As(err); told == nil || told.Code != problem.DatabaseUnavailable {
			t.Errorf("a business whose worker hangs is told %v", err)
		}
		signal(syscall.SIGCONT)
		for _, h := range n.there {
			await(t, "the worker's business", h.works)
		}
	}
	close(stop)
	visitors.Wait()
	for _, h := range append(n.there, n.here) {
		h.kept()
	}
}

// gauge is one of the store's figures.
func gauge(s *store.Store, name string) float64 {
	for _, g := range s.Gauges() {
		if g.Name == name {
			return g.Value
		}
	}
	return -1
}

// A worker that is killed takes its own businesses along, and no others; with the coordinator everybody waits. All of it comes back without a restart, with everything
// that was acknowledged.
func TestAKilledMachineOfAClusterTakesOnlyItsOwnAlong(t *testing.T) {
	n := newNeighbours(t, 1)
	ctx, here, there, victim, coordinator := context.Background(), n.here, n.there[0], n.victim, n.coordinator

	// Writers go on through all of it, so that some are in the middle when a machine ends.
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for _, h := range []*home{here, there, here, there} {
		writers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					_ = h.use(ctx)
				}
			}
		})
	}
	for range 3 {
		victim.kill(t)
		if err := there.use(ctx); err == nil {
			t.Error("a business answers whose worker is gone")
		} else if errors.Is(err, store.ErrNotFound) {
			t.Errorf("a worker that is gone is told from one that has nothing: %v", err)
		}
		for range 5 {
			if err := here.use(ctx); err != nil {
				t.Errorf("another worker's business: %v", err)
			}
		}
		victim.start(t)
		await(t, "the worker's business", there.works)
	}
	coordinator.kill(t)
	if err := here.use(ctx); err == nil {
		t.Error("a business answers without the coordinator")
	}
	coordinator.start(t)
	await(t, "the one business", here.works)
	await(t, "the other", there.works)
	close(stop)
	writers.Wait()
	here.kept()
	there.kept()
	t.Logf("%d and %d acknowledged records are there after four kills", len(here.written), len(there.written))
}
