package store_test

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
	"github.com/kith-crm/kith/internal/store/storetest"
)

// server is one server's way to change records: its own store, with a clock of its own.
type server struct {
	e   *record.Engine
	who *record.Principal
}

func (w server) create(name string) (*schema.Record, error) {
	n, err := body.Parse(fmt.Appendf(nil, `{"name":%q}`, name))
	if err != nil {
		return nil, err
	}
	return w.e.Do(context.Background(), record.Call{Principal: w.who},
		record.Operation{Kind: record.KindOf("contact"), Name: record.Create, Body: n})
}

func (w server) rename(id schema.UUID, name string) (*schema.Record, error) {
	n, err := body.Parse(fmt.Appendf(nil, `{"name":%q}`, name))
	if err != nil {
		return nil, err
	}
	return w.e.Do(context.Background(), record.Call{Principal: w.who},
		record.Operation{Kind: record.KindOf("contact"), Name: record.Update, ID: schema.FormatID("contact", id), Body: n})
}

// on gives a server in the same business on a further server.
func (w server) on(tb testing.TB, s *store.Store) server {
	tb.Helper()
	t, err := s.Tenant(context.Background(), w.who.Tenant.ID())
	if err != nil {
		tb.Fatal(err)
	}
	who := *w.who
	who.Tenant = t
	return server{newEngine(tb, s), &who}
}

// poller reads what has changed as an integrator does: everything from the last time that it saw.
type poller struct {
	t    store.Tenant
	last schema.Value
	seen map[schema.UUID]int64
}

func (p *poller) poll(tb testing.TB) {
	tb.Helper()
	fields := &crm.Contacts
	for more := true; more; {
		q := &query.Query{
			Resource: &record.KindOf("contact").Resource, Limit: 100, Leaves: []*schema.Leaf{fields.ID, fields.Version, fields.UpdatedAt},
			Order: query.Path{Ref: -1, Leaf: fields.UpdatedAt},
		}
		if p.last.Set {
			q.Filters = []query.Condition{{Path: q.Order, Operator: query.Gte, Values: []schema.Value{p.last}}}
		}
		page, err := p.t.Search(context.Background(), q, func(values []schema.Value) error {
			p.seen[values[0].UUID()] = values[1].N
			p.last = values[2]
			return nil
		})
		if err != nil {
			tb.Fatal(err)
		}
		more = page.More
	}
}

// Times rise in the order of commits, so that who asks for everything from the last time that they saw misses nothing: with many writers at
// once, and with two servers whose clocks differ by a minute.
func TestAPollerMissesNothing(t *testing.T) {
	ahead := func() time.Time { return time.Now().Add(time.Minute) }
	for name, fresh := range engines {
		for machines, clock := range map[string]func() time.Time{
			"one server": nil, "two servers": time.Now,
			"two servers, one a minute ahead": ahead,
		} {
			if name == "sqlite" && clock != nil {
				continue // a file has one server
			}
			t.Run(name+", "+machines, func(t *testing.T) {
				url := fresh(t)
				s := open(t, url)
				first := server{e: newEngine(t, s)}
				first.who = newBusiness(t, first.e)
				writers := []server{first}
				if clock != nil {
					other := open(t, url)
					other.SetClock(clock)
					writers = append(writers, first.on(t, other))
				}
				checkPolling(t, first.who.Tenant, writers)
			})
		}
	}
}

// A write on one server waits until the one of the same business on another has ended: what it reads before it decides is what it
// builds on.
func TestServersTakeTurns(t *testing.T) {
	url := newPostgres(t)
	s := open(t, url)
	first := server{e: newEngine(t, s)}
	first.who = newBusiness(t, first.e)
	second := first.on(t, open(t, url))
	var ended atomic.Bool
	begun := make(chan bool, 1)
	outcome := make(chan error, 1)
	err := first.who.Tenant.Write(t.Context(), store.Actor{}, func(*store.Tx) error {
		go func() {
			outcome <- second.who.Tenant.Write(t.Context(), store.Actor{}, func(*store.Tx) error {
				begun <- ended.Load()
				return nil
			})
		}()
		for waits := int64(0); waits == 0 && len(begun) == 0; {
			var err error
			if waits, err = s.Blocked(t.Context()); err != nil {
				return err
			}
		}
		ended.Store(len(begun) == 0)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !<-begun {
		t.Error("a write ran beside another one of its business")
	}
	if err := <-outcome; err != nil {
		t.Error(err)
	}
}

func checkPolling(t *testing.T, business store.Tenant, writers []server) {
	t.Helper()
	const hands, rounds = 8, 40
	var mutex sync.Mutex
	written := map[schema.UUID]int64{}
	note := func(rec *schema.Record, err error) *schema.Record {
		if err != nil {
			t.Error(err)
			return nil
		}
		mutex.Lock()
		defer mutex.Unlock()
		written[rec.ID()] = rec.Version()
		return rec
	}
	done := make(chan struct{})
	var working sync.WaitGroup
	for hand := range hands {
		working.Go(func() {
			w := writers[hand%len(writers)]
			for i := range rounds {
				rec := note(w.create(fmt.Sprintf("Anna %d-%d", hand, i)))
				if rec != nil && i%3 == 0 {
					note(w.rename(rec.ID(), fmt.Sprintf("Berta %d-%d", hand, i)))
				}
			}
		})
	}
	go func() {
		working.Wait()
		close(done)
	}()
	p := &poller{t: business, seen: map[schema.UUID]int64{}}
	for polling := true; polling; {
		select {
		case <-done:
			polling = false
		default:
		}
		p.poll(t)
	}
	missed := 0
	for id, version := range written {
		if p.seen[id] != version {
			missed++
		}
	}
	if missed > 0 || len(written) != hands*rounds {
		t.Errorf("of %d records the poller missed %d", len(written), missed)
	}
	checkOrder(t, business)
}

// checkOrder holds the whole change log of a business to the rule: later entries have later times, and later records later ids.
func checkOrder(t *testing.T, business store.Tenant) {
	t.Helper()
	var last store.Change
	lastID := map[string]schema.UUID{}
	err := business.Changes(context.Background(), 0, func(c store.Change) error {
		if last.Seq > 0 && c.At.Before(last.At) {
			t.Errorf("entry %d is of %v, and the one before of %v", c.Seq, c.At, last.At)
		}
		if c.Action == "create" {
			if before := lastID[c.Resource]; bytes.Compare(c.RecordID[:], before[:]) <= 0 {
				t.Errorf("entry %d made the %s %x, after %x", c.Seq, c.Resource, c.RecordID, before)
			}
			lastID[c.Resource] = c.RecordID
		}
		last = c
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A clock that was put back while the server was down does not put the records back.
func TestTimesRiseOverARestart(t *testing.T) {
	for name, fresh := range engines {
		t.Run(name, func(t *testing.T) {
			url := fresh(t)
			w := server{e: newEngine(t, open(t, url))}
			w.who = newBusiness(t, w.e)
			first, err := w.create("Anna")
			if err != nil {
				t.Fatal(err)
			}
			again := open(t, url)
			again.SetClock(func() time.Time { return time.Now().Add(-time.Hour) })
			w = w.on(t, again)
			last := first
			for i := range 20 {
				rec, err := w.create(fmt.Sprintf("Berta %d", i))
				if err != nil {
					t.Fatal(err)
				}
				fields := &crm.Contacts
				if rec.Get(fields.CreatedAt).N <= last.Get(fields.CreatedAt).N || rec.Get(fields.ID).S <= last.Get(fields.ID).S {
					t.Fatalf("the record %v comes after %v", rec.Values, last.Values)
				}
				last = rec
			}
			renamed, err := w.rename(first.ID(), "Anna again")
			if err != nil {
				t.Fatal(err)
			}
			if at := crm.Contacts.UpdatedAt; renamed.Get(at).N <= last.Get(at).N {
				t.Errorf("the last change is of %v, the one before of %v", renamed.Get(at).Time(), last.Get(at).Time())
			}
			checkOrder(t, w.who.Tenant)
		})
	}
}

// A transaction that makes many records at one time leaves room for their ids: those of the next turn come after them.
func TestIDsOfManyRecordsComeBeforeTheNext(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		still := time.Now()
		s.SetClock(func() time.Time { return still })
		who := newBusiness(t, newEngine(t, s))
		var last schema.UUID
		for range 3 {
			err := who.Tenant.Write(context.Background(), store.Actor{}, func(tx *store.Tx) error {
				for range 5000 {
					id := tx.NewID()
					if bytes.Compare(id[:], last[:]) <= 0 {
						return fmt.Errorf("%x comes after %x", id, last)
					}
					last = id
				}
				rec := storetest.NewRecord(&record.KindOf("contact").Resource)
				rec.Put(crm.Contacts.ID, schema.IDValue(tx.NewID()))
				last = rec.ID()
				return tx.Insert(&record.KindOf("contact").Resource, rec, "create")
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// What keeps secrets does not wait until it is its turn to change records, and so it may not change any.
func TestKeepingSecretsWaitsForNoTurn(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s := open(t, newPostgres(t)) // SQLite has one server for everything
	who := newBusiness(t, newEngine(t, s))
	err := who.Tenant.Write(ctx, store.Actor{}, func(*store.Tx) error {
		return who.Tenant.Keep(ctx, store.Actor{}, func(tx *store.Tx) error {
			return keep.PutCredential(tx, keep.Hash{1}, keep.Credential{Kind: "pat", User: who.User, Parent: who.User})
		})
	})
	if err != nil {
		t.Error(err)
	}
	if _, err := keep.FindCredential(ctx, s, keep.Presented{Hash: keep.Hash{1}, Business: who.Tenant.ID()}); err != nil {
		t.Error(err)
	}
}

func TestOnlyATurnChangesRecords(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		who := newBusiness(t, newEngine(t, s))
		res := &record.KindOf("contact").Resource
		rec := storetest.NewRecord(res)
		err := who.Tenant.Keep(context.Background(), store.Actor{}, func(tx *store.Tx) error { return tx.Insert(res, rec, "create") })
		if err == nil {
			t.Error("a record is made out of turn")
		}
		if _, err := who.Tenant.Get(context.Background(), res, rec.ID(), false); err == nil {
			t.Error("the record is there")
		}
	})
}

// However many writers of one business wait, another business is not kept waiting with them.
func TestWaitingWritersLeaveConnectionsToOthers(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s := open(t, newPostgres(t))
	e := newEngine(t, s)
	busy, other := newBusiness(t, e), server{e: e}
	var err error
	if other.who, err = account.CreateBusiness(ctx, e, "Other", "EUR", account.Person{Email: "other@example.com", Name: "Other"},
		nil); err != nil {
		t.Fatal(err)
	}
	var working sync.WaitGroup
	holds, release := make(chan struct{}, 200), make(chan struct{})
	for range 200 {
		working.Go(func() {
			err := busy.Tenant.Write(ctx, store.Actor{}, func(*store.Tx) error {
				holds <- struct{}{}
				<-release
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	<-holds
	if _, err := other.create("Anna"); err != nil {
		t.Error(err)
	}
	close(release)
	working.Wait()
}
