package store_test

import (
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
	"github.com/kith-crm/kith/internal/store/storetest"
)

// generous is how long something may take that should take a fraction of a second; Toil takes a minute.
const generous = 40 * time.Second

func isTimeout(err error) bool {
	p := problem.As(err)
	return p != nil && p.Code == problem.Timeout
}

// within fails where something takes as long as if nobody had stopped it.
func within(t *testing.T, what string, fn func()) {
	t.Helper()
	begin := time.Now()
	fn()
	if took := time.Since(begin); took > generous {
		t.Errorf("%s took %v", what, took)
	}
}

func TestReadsEndWhenTheirTimeIsOver(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		b := storetest.Business(t, s)
		s.LimitTime(200 * time.Millisecond)
		for range 4 { // each connection works afterwards
			within(t, "a read", func() {
				if err := b.Toil(t.Context(), func() {}); !isTimeout(err) {
					t.Fatalf("a read that takes too long: %v", err)
				}
			})
		}
		s.LimitTime(0) // whether it works is the question, not how fast
		if _, err := b.Business(t.Context()); err != nil {
			t.Errorf("a read after one that was stopped: %v", err)
		}
		if n, err := s.Toiling(t.Context()); n != 0 || err != nil {
			t.Errorf("%d statements go on, %v", n, err)
		}
	})
}

// A request may keep a processor busy for a quarter of its time. On PostgreSQL that is another process's work, and what only waits
// there has all of its time.
func TestReadsEndWhenTheirWorkIsDone(t *testing.T) {
	const ofProcessorTime, limit = "of processor time", 4 * time.Second
	// What is done before the first look, after a hundredth of the time, is not counted, nor are parts of a hundredth of a second
	// at both ends.
	const uncounted = limit/100 + 20*time.Millisecond
	onBoth(t, func(t *testing.T, s *store.Store) {
		mayWork := limit/4 + uncounted
		if s.Engine() == "postgres" {
			mayWork += limit / 4 // by which a new process of the server learns of its tables
		}
		b := storetest.Business(t, s)
		s.LimitTime(limit)
		for range 2 { // the second is looked at anew
			used, err := b.Laboured(t.Context())
			// On a crowded machine its time may be over first.
			if !isTimeout(err) || !strings.Contains(err.Error(), ofProcessorTime) && used > mayWork {
				t.Errorf("what kept a processor busy for %v ends with %v", used, err)
			}
		}
		if s.Engine() == "sqlite" {
			return
		}
		if err := b.Toil(t.Context(), func() {}); !isTimeout(err) || strings.Contains(err.Error(), ofProcessorTime) {
			t.Errorf("what waits ends with %v", err)
		}
	})
}

// A process of PostgreSQL that waits for a processor does not work: whoever is stopped for the work has done it, however busy the
// machine is. Where nobody can tell, as behind a proxy, the time alone ends it.
func TestWaitingForAProcessorIsNoWork(t *testing.T) {
	oneMachine(t, "postgres")
	const limit = 4 * time.Second
	db := newPostgres(t)
	near, far := open(t, db), open(t, throughProxy(t, db))
	b := storetest.Business(t, near)
	other, err := far.Tenant(t.Context(), b.ID())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*store.Store{near, far} {
		s.LimitTime(limit)
	}
	busy, rest := context.WithCancel(t.Context())
	var spinning sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		spinning.Go(func() {
			for busy.Err() == nil {
			}
		})
	}
	defer spinning.Wait()
	defer rest()
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			used, err := b.Laboured(t.Context())
			if !isTimeout(err) {
				t.Errorf("what keeps a processor busy ends with %v", err)
			}
			// The system counts in hundredths of a second.
			if strings.Contains(err.Error(), "of processor time") && used < limit/4-20*time.Millisecond {
				t.Errorf("it was stopped for its work after %v of it", used)
			}
			t.Logf("stopped after %v of processor time: %v", used, err)
		})
	}
	all.Go(func() {
		if err := other.Labour(t.Context()); !isTimeout(err) || strings.Contains(err.Error(), "of processor time") {
			t.Errorf("behind a proxy it ends with %v", err)
		}
	})
	all.Wait()
}

// throughProxy gives the address of a database behind another port.
func throughProxy(t *testing.T, db string) string {
	t.Helper()
	config, err := pgx.ParseConfig(db)
	if err != nil {
		t.Fatal(err)
	}
	to := net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port)))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", to)
			if err != nil {
				in.Close()
				return
			}
			for _, ends := range [][2]net.Conn{{in, out}, {out, in}} {
				go func() {
					_, _ = io.Copy(ends[0], ends[1])
					in.Close()
					out.Close()
				}()
			}
		}
	}()
	return strings.Replace(db, to, listener.Addr().String(), 1)
}

func TestReadsEndWhenTheClientGoesAway(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		b := storetest.Business(t, s)
		within(t, "a read that nobody waits for", func() {
			ctx, leave := context.WithCancel(t.Context())
			if err := b.Toil(ctx, leave); !errors.Is(err, context.Canceled) {
				t.Errorf("a read that nobody waits for: %v", err)
			}
		})
		within(t, "what follows", func() {
			for range 100 { // the server hears of it a moment later
				if n, err := s.Toiling(t.Context()); err != nil {
					t.Fatal(err)
				} else if n == 0 {
					break
				}
			}
			if _, err := b.Business(t.Context()); err != nil {
				t.Error(err)
			}
		})
		if n, _ := s.Toiling(t.Context()); n != 0 {
			t.Errorf("%d statements go on", n)
		}
	})
}

// A write that takes too long is undone alone; those that share its transaction are not to blame.
func TestWritesEndWhenTheirTimeIsOver(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		res := record.Registry.Resource("note")
		slow, other := storetest.Business(t, s), storetest.Business(t, s)
		s.LimitTime(3 * time.Second)
		var together sync.WaitGroup
		within(t, "the writes", func() {
			for i := range 20 {
				together.Go(func() {
					b, toils := other, i == 0
					if i%2 == 0 {
						b = slow
					}
					rec := storetest.NewRecord(res)
					err := b.Write(t.Context(), store.Actor{}, func(tx *store.Tx) error {
						if err := tx.Insert(res, rec, "create"); err != nil || !toils {
							return err
						}
						return tx.Toil()
					})
					switch {
					case toils && !isTimeout(err):
						t.Errorf("a write that takes too long: %v", err)
					case !toils && err != nil:
						t.Errorf("a write beside it: %v", err)
					}
					if _, err := b.Get(t.Context(), res, rec.ID(), false); toils != errors.Is(err, store.ErrNotFound) {
						t.Errorf("the record: %v", err)
					}
				})
			}
			together.Wait()
		})
		if n, err := slow.Count(t.Context(), res); n != 9 || err != nil {
			t.Errorf("%d records were counted, %v", n, err)
		}
	})
}

// allBegun waits until so many reads run. It ends the test where one cannot, because the database has no connection left for instance.
func allBegun(t *testing.T, ctx context.Context, begun <-chan bool, n int) {
	t.Helper()
	for i := range n {
		select {
		case <-begun:
		case <-ctx.Done():
			t.Fatalf("%d of %d reads run", i, n)
		}
	}
}

// However many long reads one business has, another one reads, and everybody can show who they are.
func TestNoBusinessHoldsAllReaders(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		greedy, other := storetest.Business(t, s), storetest.Business(t, s)
		one, all := s.Readers()
		if one < 2 || one >= all {
			t.Fatalf("one business has %d of %d readers", one, all)
		}
		ctx, leave := context.WithCancel(t.Context())
		begun := make(chan bool, 3*all) // room for all: those that get their turn while everybody leaves begin, too
		var reads sync.WaitGroup
		for range 3 * all {
			reads.Go(func() {
				if err := greedy.Toil(ctx, func() { begun <- true }); !errors.Is(err, context.Canceled) {
					t.Errorf("a long read: %v", err)
					leave() // nobody is to wait for it
				}
			})
		}
		allBegun(t, ctx, begun, one)
		within(t, "reading beside the long ones", func() {
			for range 3 {
				if _, err := other.Business(t.Context()); err != nil {
					t.Errorf("another business cannot read: %v", err)
				}
				if _, err := keep.FindCredential(t.Context(), s, keep.Presented{}); !errors.Is(err, store.ErrNotFound) {
					t.Errorf("a credential: %v", err)
				}
				if err := s.Ping(t.Context()); err != nil {
					t.Errorf("health: %v", err)
				}
			}
		})
		if len(begun) > 0 {
			t.Errorf("the business got %d readers more", len(begun))
		}
		leave()
		within(t, "leaving", reads.Wait)
	})
}

// However many businesses read at once, everybody can show who they are, and the operator sees that the server lives.
func TestCredentialsHaveConnectionsOfTheirOwn(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		_, all := s.Readers()
		ctx, leave := context.WithCancel(t.Context())
		begun := make(chan bool, all)
		var reads sync.WaitGroup
		for range all {
			b := storetest.Business(t, s)
			reads.Go(func() {
				if err := b.Toil(ctx, func() { begun <- true }); !errors.Is(err, context.Canceled) {
					t.Errorf("a long read: %v", err)
					leave() // nobody is to wait for it
				}
			})
		}
		allBegun(t, ctx, begun, all)
		within(t, "reading credentials beside the long reads", func() {
			if _, err := keep.FindCredential(t.Context(), s, keep.Presented{}); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("a credential: %v", err)
			}
			if err := s.Ping(t.Context()); err != nil {
				t.Errorf("health: %v", err)
			}
		})
		leave()
		within(t, "leaving", reads.Wait)
	})
}

// A business with many waiting writes does not keep another one waiting until all are done.
func TestWritersTakeTurns(t *testing.T) {
	s := open(t, newSQLite(t))
	res := record.Registry.Resource("note")
	greedy, other := storetest.Business(t, s), storetest.Business(t, s)
	var mu sync.Mutex
	var order []schema.UUID
	insert := func(b store.Tenant, during func()) {
		err := b.Write(t.Context(), store.Actor{}, func(tx *store.Tx) error {
			during()
			mu.Lock()
			order = append(order, b.ID())
			mu.Unlock()
			return tx.Insert(res, storetest.NewRecord(res), "create")
		})
		if err != nil {
			t.Error(err)
		}
	}
	// While the first write runs, the others come.
	var all sync.WaitGroup
	running, start := make(chan bool), make(chan bool)
	all.Go(func() { insert(greedy, func() { close(running); <-start }) })
	<-running
	const many = 200
	for range many {
		all.Go(func() { insert(greedy, func() {}) })
	}
	for s.WaitingWrites() < many {
		runtime.Gosched()
	}
	all.Go(func() { insert(other, func() {}) })
	for s.WaitingWrites() < many+1 {
		runtime.Gosched()
	}
	close(start)
	all.Wait()
	for i, b := range order {
		if b == other.ID() && i > 3 {
			t.Errorf("the other business wrote after %d writes of the first", i)
		}
	}
}
