package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/pgtest"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
	"github.com/kith-crm/kith/internal/store/queue"
	"github.com/kith-crm/kith/internal/store/storetest"
	"github.com/kith-crm/kith/internal/testworld"
	"github.com/kith-crm/kith/internal/wiring"
	"github.com/kith-crm/kith/internal/work"
)

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
	who      *record.Principal
	email    string
	secret   keep.Presented
	contacts *schema.Resource
	mu       sync.Mutex
	written  []schema.UUID // acknowledged
	job      schema.UUID   // see leaveWork
}

func newHome(t *testing.T, s *store.Store, e *record.Engine, name string) *home {
	t.Helper()
	h := &home{t: t, s: s, email: name + "@example.com", contacts: record.Registry.Resource("contact")}
	h.who = testworld.Business(t, e, name, account.Person{Email: h.email, Name: name})
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
	sql := `SELECT n.nodeport FROM pg_dist_placement p JOIN pg_dist_node n USING (groupid) WHERE p.shardid = ` +
		`get_shard_id_for_distribution_column('business', $1::uuid)`
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

// neighbours are businesses on two workers of a cluster that is to be broken: one here, and some that lie together elsewhere, on
// the victim.
type neighbours struct {
	url                 string
	s                   *store.Store
	here                *home
	there               []*home
	victim, coordinator *pgtest.Machine
}

func newNeighbours(t *testing.T, many int) neighbours {
	t.Helper()
	machines := pgtest.Breakable(t)
	ctx := context.Background()
	url := newPostgres(t)
	n := neighbours{url: url, s: open(t, url)}
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
	n.coordinator = machines[0]
	n.victim = machines[slices.IndexFunc(machines, func(m *pgtest.Machine) bool { return m.Port == n.there[0].port(c) })]
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

// A worker that hangs says nothing, and many wait for it. Nobody else does: what belongs to another worker goes on, and when it
// answers again so does everything.
func TestAHungMachineOfAClusterKeepsOnlyItsOwnWaiting(t *testing.T) {
	n := newNeighbours(t, 4)
	t.Cleanup(func() { n.victim.Signal(syscall.SIGCONT) })
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
		n.victim.Signal(syscall.SIGSTOP)
		for visit := 0; visit < 20 || gauge(n.s, "kith_postgres_workers_silent") != 1; visit++ { // also before it is noticed
			if err := n.here.use(context.Background()); err != nil {
				t.Errorf("another worker's business: %v", err)
			}
			if unready, cause := n.s.Ready(context.Background()); unready != nil {
				t.Errorf("the server is not ready: %v, %v", unready, cause)
			}
		}
		if err := n.there[0].use(context.Background()); err == nil {
			t.Error("a business answers whose worker hangs")
		} else if told := problem.As(err); told == nil || told.Code != problem.DatabaseUnavailable {
			t.Errorf("a business whose worker hangs is told %v", err)
		}
		n.victim.Signal(syscall.SIGCONT)
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

// A worker that is killed takes its own businesses along, and no others; with the coordinator everybody waits. All of it comes back
// without a restart, with everything that was acknowledged.
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
					// Whatever a machine's end does to a request, it is told that the database was not there.
					err := h.use(ctx)
					if told := problem.As(err); err != nil && (told == nil || told.Code != problem.DatabaseUnavailable) {
						t.Errorf("while machines end a request is told %v", err)
					}
				}
			}
		})
	}
	for range 3 {
		victim.Kill()
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
		victim.Start()
		await(t, "the worker's business", there.works)
	}
	coordinator.Kill()
	if err := here.use(ctx); err == nil {
		t.Error("a business answers without the coordinator")
	}
	coordinator.Start()
	await(t, "the one business", here.works)
	await(t, "the other", there.works)
	close(stop)
	writers.Wait()
	here.kept()
	there.kept()
	t.Logf("%d and %d acknowledged records are there after four kills", len(here.written), len(there.written))
}

// What waits to be done for businesses of other workers is found and done while a worker is gone or hangs, and a server that starts
// meanwhile has them, too.
func TestWorkGoesOnWithoutAMachineOfACluster(t *testing.T) {
	for _, fault := range []struct {
		name        string
		begin, over func(*pgtest.Machine)
	}{
		{"killed", (*pgtest.Machine).Kill, (*pgtest.Machine).Start},
		{"hung", func(m *pgtest.Machine) { m.Signal(syscall.SIGSTOP) }, func(m *pgtest.Machine) { m.Signal(syscall.SIGCONT) }},
	} {
		t.Run(fault.name, func(t *testing.T) {
			n := newNeighbours(t, 1)
			over := sync.OnceFunc(func() { fault.over(n.victim) })
			t.Cleanup(over)
			ctx, stop := context.WithCancel(context.Background())
			defer stop()
			for _, h := range []*home{n.here, n.there[0]} {
				h.leaveWork()
			}
			fault.begin(n.victim)
			s, err := store.Open(ctx, n.url, record.Registry) // as a server does that starts now
			if err != nil {
				t.Fatal(err)
			}
			s.LimitTime(5 * time.Second)
			defer s.Close()
			e := newEngine(t, s)
			if any, err := s.AnyBusiness(ctx); err != nil || !any {
				t.Errorf("is there a business: %v, %v", any, err)
			}
			if unready, cause := s.Ready(ctx); unready != nil {
				t.Errorf("the server is not ready: %v, %v", unready, cause)
			}
			if _, err := s.Complete(ctx, record.CheckRules(), func(store.Fault) {}); err == nil {
				t.Error("what is on the machine that is gone is said to be whole")
			}
			found := func(all []store.Tenant, err error) {
				t.Helper()
				if err == nil {
					t.Error("it is not told that not all could be asked")
				}
				if !slices.ContainsFunc(all, func(one store.Tenant) bool { return one.ID() == n.here.who.Tenant.ID() }) {
					t.Errorf("the business of the other machine is not among %d", len(all))
				}
			}
			hooked, due, err := queue.DueFeeds(ctx, s, time.Now())
			found(hooked, err)
			found(due, err)
			found(queue.FeedBusinesses(ctx, s))
			if ended, err := s.EndLeasesNow(ctx); ended != 1 || err == nil {
				t.Errorf("%d leases of a server that is gone were ended, and %v", ended, err)
			}
			jobs, err := queue.DueJobs(ctx, s, time.Now())
			var of []store.Tenant
			for _, job := range jobs {
				of = append(of, job.Tenant)
			}
			found(of, err)
			go work.NewWorker(e, wiring.JobKinds()).Work(ctx, func(error) {})
			await(t, "the other worker's job", n.here.worked)
			over()
			await(t, "the other leases", func() bool {
				_, err := s.EndLeasesNow(ctx)
				return err == nil
			})
			await(t, "the worker's job", n.there[0].worked)
			stop()
		})
	}
}

// leaveWork leaves a job and a webhook for whoever looks. The job is held by a server that is gone.
func (h *home) leaveWork() {
	h.t.Helper()
	ctx := context.Background()
	h.job = schema.NewID(time.Now())
	err := h.who.Tenant.Write(ctx, store.Actor{User: h.who.User}, func(tx *store.Tx) error {
		hook := &queue.Hook{ID: schema.NewID(time.Now()), Active: true, Actor: store.Actor{User: h.who.User}, Secret: "{}"}
		if err := errors.Join(queue.AddHook(tx, hook), queue.FeedDue(tx, time.Now().Add(-time.Minute))); err != nil {
			return err
		}
		return queue.AddJob(tx, &queue.Job{ID: h.job, Kind: "unknown", Actor: store.Actor{User: h.who.User}, Params: "{}"})
	})
	if err != nil {
		h.t.Fatal(err)
	}
	now := time.Now()
	gone := schema.NewID(now)
	gone[6] = 8<<4 | gone[6]&0x0f // it names its server, which nobody is
	if taken, err := queue.LeaseJob(ctx, h.who.Tenant, h.job, gone, now, now.Add(time.Hour)); err != nil || !taken {
		h.t.Fatalf("taken %v, %v", taken, err)
	}
}

// worked tells that somebody has turned to the job.
func (h *home) worked() bool {
	j, err := queue.FindJob(context.Background(), h.who.Tenant, h.job)
	return err == nil && !j.StartedAt.IsZero()
}
