package store_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"kith/internal/crm"
	"kith/internal/problem"
	"kith/internal/schema"
	"kith/internal/store"
	"kith/internal/store/storetest"
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
		s.LimitTime(200 * time.Millisecond)
		b := storetest.Business(t, s)
		for range 4 { // each connection works afterwards
			within(t, "a read", func() {
				if err := b.Toil(t.Context(), func() {}); !isTimeout(err) {
					t.Fatalf("a read that takes too long: %v", err)
				}
			})
		}
		if _, err := b.Business(t.Context()); err != nil {
			t.Errorf("a read after one that was stopped: %v", err)
		}
		if n, err := s.Toiling(t.Context()); n != 0 || err != nil {
			t.Errorf("%d statements go on, %v", n, err)
		}
	})
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
		s.LimitTime(3 * time.Second)
		res := crm.Registry.Resource("note")
		slow, other := storetest.Business(t, s), storetest.Business(t, s)
		var together sync.WaitGroup
		within(t, "the writes", func() {
			for i := range 20 {
				together.Go(func() {
					b, toils := other, i == 0
					if toils {
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
		if n, err := slow.Count(t.Context(), res); n != 0 || err != nil {
			t.Errorf("%d records were counted, %v", n, err)
		}
	})
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
		begun := make(chan bool, all)
		var reads sync.WaitGroup
		for range 3 * all {
			reads.Go(func() {
				if err := greedy.Toil(ctx, func() { begun <- true }); !errors.Is(err, context.Canceled) {
					t.Errorf("a long read: %v", err)
				}
			})
		}
		for range one {
			<-begun
		}
		within(t, "reading beside the long ones", func() {
			for range 3 {
				if _, err := other.Business(t.Context()); err != nil {
					t.Errorf("another business cannot read: %v", err)
				}
				if _, err := s.Credential(t.Context(), store.Hash{}); !errors.Is(err, store.ErrNotFound) {
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
				}
			})
		}
		for range all {
			<-begun
		}
		within(t, "reading credentials beside the long reads", func() {
			if _, err := s.Credential(t.Context(), store.Hash{}); !errors.Is(err, store.ErrNotFound) {
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
	res := crm.Registry.Resource("note")
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
	for s.Waiting() < many {
		runtime.Gosched()
	}
	all.Go(func() { insert(other, func() {}) })
	for s.Waiting() < many+1 {
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
