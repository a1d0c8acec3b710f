package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/storetest"
)

func TestSQLite(t *testing.T)           { conformance(t, newSQLite(t)) }
func TestConcurrentSQLite(t *testing.T) { storetest.RunConcurrent(t, opener(newSQLite(t))) }

// conformance runs the suite twice on one database: as usual, and so that every business counts as large. What it made the store run is
// then held to the rule that no statement leaves its business.
func conformance(t *testing.T, url string) {
	tracer := newTracer()
	for name, window := range map[string]int{"usual": 3000, "large": 1} {
		t.Run(name, func(t *testing.T) {
			storetest.Run(t, func(tb testing.TB) *store.Store {
				s := open(tb, url)
				s.SetWindow(window)
				s.Trace(tracer.see)
				return s
			})
		})
	}
	t.Run("every statement stays in its business", tracer.check)
}

func opener(url string) storetest.Open {
	return func(tb testing.TB) *store.Store { return open(tb, url) }
}

// A disk that is full fails the writes that it has no room for, and neither loses nor invents others. SQLite undoes the whole
// transaction then, and with it the writes that share it.
func TestConcurrentFullDisk(t *testing.T) {
	ctx := context.Background()
	s := open(t, newSQLite(t))
	b, res := storetest.Business(t, s), record.Registry.Resource("note")
	if err := s.Limit(ctx, 60); err != nil {
		t.Fatal(err)
	}
	var acknowledged, refused sync.Map
	write := func(n int) error {
		rec := storetest.NewRecord(res)
		rec.PutText(rec.Must("title"), fmt.Sprintf("note %d", n))
		rec.PutText(rec.Must("body"), strings.Repeat("text ", n%2000))
		err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error { return tx.Insert(res, rec, "create") })
		if err == nil {
			acknowledged.Store(rec.ID(), true)
		} else {
			refused.Store(rec.ID(), true)
		}
		return err
	}
	var failures atomic.Int64
	var writers sync.WaitGroup
	for w := range 8 {
		writers.Go(func() {
			for i := range 30 {
				if write(w*30+i) != nil {
					failures.Add(1)
				}
			}
		})
	}
	writers.Wait()
	if failures.Load() == 0 {
		t.Fatal("the disk was never full")
	}
	if err := s.Limit(ctx, -1); err != nil {
		t.Fatalf("with room again: %v", err)
	}
	if err := write(1); err != nil {
		t.Fatalf("with room again: %v", err)
	}

	last := int64(0)
	err := b.Changes(ctx, 0, func(c store.Change) error {
		if last++; c.Seq != last {
			t.Errorf("the log has %d in place %d", c.Seq, last)
		}
		if _, no := refused.Load(c.RecordID); no {
			t.Errorf("%v was refused and is in the log", c.RecordID)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	count := int64(0)
	acknowledged.Range(func(id, _ any) bool {
		count++
		if _, err := b.Get(ctx, res, id.(schema.UUID), false); err != nil {
			t.Errorf("%v was acknowledged: %v", id, err)
		}
		return true
	})
	refused.Range(func(id, _ any) bool {
		if _, err := b.Get(ctx, res, id.(schema.UUID), false); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%v was refused and is there: %v", id, err)
		}
		return true
	})
	if n, err := b.Count(ctx, res); n != count || last != count || err != nil {
		t.Errorf("%d writes were acknowledged; the count is %d, %v, and the log has %d entries", count, n, err, last)
	}
}

// Writes that run in one group with others that fail in the middle are all there, the failed ones are not, and the text index says
// the same.
func TestFailedWritesInAGroup(t *testing.T) {
	ctx := context.Background()
	s := open(t, newSQLite(t))
	s.SetWindow(4)
	b := storetest.Business(t, s)
	res := record.Registry.Resource("contact")
	undo := errors.New("undo")
	var wait sync.WaitGroup
	for round := range 10 {
		for i := range 40 {
			wait.Go(func() {
				fails := (i+round)%4 == 0
				rec := storetest.NewRecord(res)
				rec.PutText(rec.Must("name"), fmt.Sprintf("Person %d", i))
				err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
					if err := tx.Insert(res, rec, "create"); err != nil {
						return err
					}
					if fails {
						return undo
					}
					return nil
				})
				if fails != errors.Is(err, undo) || !fails && err != nil {
					t.Errorf("a write that fails (%v) gives %v", fails, err)
				}
			})
		}
		wait.Wait()
	}
	if found := pages(t, b, res, []string{"person"}, true); len(found) != 300 {
		t.Errorf("%d records are found by text, want 300", len(found))
	}
	docs, err := s.Rows(ctx, "SELECT count(*) FROM contacts_fts_docsize", 1)
	if err != nil || docs[0] != "300" {
		t.Errorf("the text index has %v documents (%v), want 300", docs, err)
	}
}
