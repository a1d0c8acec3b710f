package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// RunConcurrent holds a store to what it promises when many write at once. It is small, because it also runs under the race detector.
func RunConcurrent(t *testing.T, open Open) {
	s := open(t)
	for name, test := range map[string]func(t *testing.T, s *store.Store){
		"of many writes only those that fail are undone":            testGroups,
		"counters give each number once":                            testConcurrentCounters,
		"a unique value goes to one of many":                        testConcurrentUnique,
		"changes of one record come one after the other":            testConcurrentUpdates,
		"a business's log has no gaps while others write elsewhere": testConcurrentBusinesses,
	} {
		t.Run(name, func(t *testing.T) { test(t, s) })
	}
	t.Run("servers that start together agree on a secret", func(t *testing.T) { testConcurrentSecrets(t, s, open(t)) })
	t.Run("closing waits for the writes under way", func(t *testing.T) { testCloseWhileWriting(t, open) })
}

// together runs fn for each number below n at the same time.
func together(n int, fn func(i int)) {
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() { fn(i) })
	}
	wait.Wait()
}

func testGroups(t *testing.T, s *store.Store) {
	b, res := Business(t, s), contacts(s)
	const writes = 60
	var kept sync.Map
	together(writes, func(i int) {
		rec := person(s, fmt.Sprintf("Person %d", i))
		defer func() {
			if p := recover(); p != nil && i%5 != 2 {
				t.Errorf("write %d panicked: %v", i, p)
			}
		}()
		err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
			if err := tx.Insert(res, rec, "create"); err != nil {
				return err
			}
			switch i % 5 {
			case 1:
				return errUndo
			case 2:
				panic("on purpose")
			}
			return nil
		})
		switch {
		case err == nil && (i%5 == 1 || i%5 == 2):
			t.Errorf("write %d succeeded", i)
		case err == nil:
			kept.Store(rec.ID(), true)
		case i%5 == 1 && !errors.Is(err, errUndo) || i%5 != 1 && i%5 != 2:
			t.Errorf("write %d: %v", i, err)
		}
	})
	found, total := all(t, b, res, nil)
	if len(found) != writes*3/5 || total != int64(len(found)) {
		t.Errorf("%d records and a count of %d, want %d", len(found), total, writes*3/5)
	}
	for _, id := range found {
		if _, ok := kept.Load(id); !ok {
			t.Errorf("%v was not acknowledged but is there", id)
		}
	}
	if n := len(log(t, b)); n != len(found) {
		t.Errorf("the log has %d entries for %d records", n, len(found))
	}
}

func testConcurrentCounters(t *testing.T, s *store.Store) {
	b := Business(t, s)
	const writes = 40
	var given sync.Map
	together(writes, func(i int) {
		var n int64
		err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) (err error) {
			if n, err = store.Next(tx, "number"); err == nil && i%4 == 0 {
				err = errUndo
			}
			return err
		})
		if (err != nil) != (i%4 == 0) {
			t.Errorf("write %d: %v", i, err)
		}
		if err == nil {
			if _, twice := given.LoadOrStore(n, true); twice {
				t.Errorf("%d was given twice", n)
			}
		}
	})
	for n := int64(1); n <= writes*3/4; n++ {
		if _, ok := given.Load(n); !ok {
			t.Errorf("%d was left out", n)
		}
	}
}

var errTaken = errors.New("taken")

// testConcurrentUnique has all writers ask first, as the domain does: those who lose must learn who has the value.
func testConcurrentUnique(t *testing.T, s *store.Store) {
	b, res := Business(t, s), s.Registry().Resource("product")
	sku := res.Must("sku")
	var winners atomic.Int64
	together(20, func(i int) {
		rec := NewRecord(res)
		rec.PutText(rec.Must("sku"), []string{"Same", "SAME"}[i%2])
		err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
			_, taken, err := tx.Taken(res, sku, rec.Get(rec.Must("sku")), rec.ID())
			if taken {
				return errTaken
			}
			return errors.Join(err, tx.Insert(res, rec, "create"))
		})
		switch {
		case err == nil:
			winners.Add(1)
		case !errors.Is(err, errTaken):
			t.Errorf("writer %d: %v", i, err)
		}
	})
	if n := winners.Load(); n != 1 {
		t.Errorf("%d writers got the value", n)
	}
	if n := len(log(t, b)); n != 1 {
		t.Errorf("the log has %d entries", n)
	}
}

func testConcurrentUpdates(t *testing.T, s *store.Store) {
	b, res := Business(t, s), contacts(s)
	rec := person(s, "Shared")
	rec.Put(rec.Must("lead_score"), schema.FloatValue(0))
	insert(t, b, res, rec)
	const writes = 30
	together(writes, func(int) {
		err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
			before, err := tx.Get(res, rec.ID(), false)
			if err != nil {
				return err
			}
			after := before.Clone()
			after.Put(after.Must("lead_score"), schema.FloatValue(before.Get(before.Must("lead_score")).Float()+1))
			after.Put(after.Common.Version, schema.IntValue(schema.Integer, before.Version()+1))
			return tx.Update(res, before, after, "update")
		})
		if err != nil {
			t.Error(err)
		}
	})
	after := get(t, b, res, rec.ID())
	if after.Get(after.Must("lead_score")).Float() != writes || after.Version() != writes+1 {
		t.Errorf("after %d changes the score is %v at version %d", writes, after.Get(after.Must("lead_score")).Float(), after.Version())
	}
	for i, c := range log(t, b) {
		if c.Version != int64(i+1) {
			t.Errorf("entry %d of the log has version %d", i+1, c.Version)
		}
	}
}

func testConcurrentBusinesses(t *testing.T, s *store.Store) {
	res := contacts(s)
	businesses := []store.Tenant{Business(t, s), Business(t, s), Business(t, s)}
	together(60, func(i int) {
		b := businesses[i%3]
		records := make([]*schema.Record, 1+i%4)
		for j := range records {
			records[j] = person(s, "Someone")
		}
		err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
			for _, rec := range records {
				if err := tx.Insert(res, rec, "create"); err != nil {
					return err
				}
			}
			if i%7 == 0 {
				return errUndo
			}
			return nil
		})
		if err != nil && !errors.Is(err, errUndo) {
			t.Error(err)
		}
	})
	for _, b := range businesses {
		if _, total := all(t, b, res, nil); total != int64(len(log(t, b))) || total == 0 {
			t.Errorf("%d records and %d entries in the log", total, len(log(t, b)))
		}
	}
}

func testConcurrentSecrets(t *testing.T, one, other *store.Store) {
	const readers = 16
	keys := make([][]byte, readers)
	together(readers, func(i int) {
		s := one
		if i%2 == 1 {
			s = other
		}
		var err error
		if keys[i], err = s.Secret(ctx, "fresh"); err != nil {
			t.Error(err)
		}
	})
	for _, key := range keys {
		if len(key) != 32 || !bytes.Equal(key, keys[0]) {
			t.Fatalf("the secrets are %x", keys)
		}
	}
}

// testCloseWhileWriting closes the store in the midst of many writes: each is either acknowledged and there, or refused and not there.
func testCloseWhileWriting(t *testing.T, open Open) {
	s := open(t)
	b, res := Business(t, s), contacts(s)
	var acknowledged sync.Map
	var written atomic.Int64
	half := make(chan struct{})
	var closed sync.WaitGroup
	closed.Go(func() {
		<-half
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	together(8, func(int) {
		for range 200 {
			rec := person(s, "Someone")
			err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error { return tx.Insert(res, rec, "create") })
			if err != nil {
				return
			}
			acknowledged.Store(rec.ID(), true)
			if written.Add(1) == 40 {
				close(half)
			}
		}
	})
	closed.Wait()

	s = open(t)
	b = tenant(t, s, b.ID())
	there := map[schema.UUID]bool{}
	id := res.Must("id")
	pages(t, b, &query.Query{Resource: res, Order: own(id), Limit: 100, Leaves: []*schema.Leaf{id}},
		func(values []schema.Value) { there[values[0].UUID()] = true })
	acknowledged.Range(func(id, _ any) bool {
		if !there[id.(schema.UUID)] {
			t.Errorf("%v was acknowledged and is lost", id)
		}
		return true
	})
	logged := map[schema.UUID]bool{}
	for _, c := range log(t, b) {
		logged[c.RecordID] = true
	}
	if len(logged) != len(there) {
		t.Errorf("%d records, %d of them in the log", len(there), len(logged))
	}
	if n := written.Load(); n == 1600 || len(there) < int(n) {
		t.Errorf("%d writes were acknowledged, %d records are there: closing came too late or lost some", n, len(there))
	}
}
