package storetest

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// working fails unless the store still writes and reads, and the business has exactly the given contacts besides.
func working(t testing.TB, s *store.Store, b store.Tenant, want ...*schema.Record) {
	t.Helper()
	res := contacts(s)
	last := person(s, "Still working")
	last.Put(last.Common.CreatedAt, schema.TimeValue(time.Now().Add(time.Hour)))
	insert(t, b, res, last)
	want = append(want, last)
	found, total := all(t, b, res, nil)
	if !slices.Equal(found, ids(want...)) || total != int64(len(want)) {
		t.Errorf("there are %d contacts and a count of %d, want %d", len(found), total, len(want))
	}
	if n := len(log(t, b)); n != len(want) {
		t.Errorf("the log has %d entries, want %d", n, len(want))
	}
}

func testFailedWrite(t *testing.T, s *store.Store) {
	b, res := Business(t, s), contacts(s)
	first := person(s, "First")
	insert(t, b, res, first)
	err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
		if err := tx.Insert(res, person(s, "Undone"), "create"); err != nil {
			t.Error(err)
		}
		changed := first.Clone()
		changed.PutText(changed.Must("name"), "Undone")
		if err := tx.Update(res, first, changed, "update"); err != nil {
			t.Error(err)
		}
		if _, err := store.Next(tx, "number"); err != nil {
			t.Error(err)
		}
		return errUndo
	})
	if !errors.Is(err, errUndo) {
		t.Errorf("the error is %v, want the one that was returned", err)
	}
	same(t, get(t, b, res, first.ID()), first)
	if got := named(t, s, b, false, "undone"); got != "" {
		t.Errorf("the text index has %s", got)
	}
	working(t, s, b, first)
}

// testFailedSavepoints lets operations fail before and after others that succeed: before they ask anything, before they write, and after.
func testFailedSavepoints(t *testing.T, s *store.Store) {
	b, res := Business(t, s), contacts(s)
	var made []*schema.Record
	fine := func(tx *store.Tx) error {
		rec := person(s, "Fine")
		made = append(made, rec)
		return tx.Insert(res, rec, "create")
	}
	failing := map[string]func(*store.Tx) error{
		"at once":       func(*store.Tx) error { return errUndo },
		"after reading": func(tx *store.Tx) error { _, err := tx.Find(res, 1); return errors.Join(err, errUndo) },
		"after writing": func(tx *store.Tx) error { return errors.Join(tx.Insert(res, person(s, "Undone"), "create"), errUndo) },
	}
	var kept []*schema.Record
	for first := range failing {
		for second := range failing {
			for third := range failing {
				err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
					made = nil // it may run twice
					for _, operation := range []func(*store.Tx) error{failing[first], fine, failing[second], fine, fine, failing[third]} {
						if err := tx.Savepoint(func() error { return operation(tx) }); err != nil && !errors.Is(err, errUndo) {
							return err
						}
					}
					return nil
				})
				if err != nil {
					t.Fatalf("operations that fail %s, %s and %s: %v", first, second, third, err)
				}
				for _, rec := range made {
					same(t, get(t, b, res, rec.ID()), rec)
				}
				kept = append(kept, made...)
			}
		}
	}
	working(t, s, b, kept...)
}

// testPanic panics more often than any pool has connections.
func testPanic(t *testing.T, s *store.Store) {
	b, res := Business(t, s), contacts(s)
	for range 40 {
		func() {
			defer func() { _ = recover() }() // an engine may hand the panic on to the caller
			err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
				if err := tx.Insert(res, person(s, "Undone"), "create"); err != nil {
					t.Error(err)
				}
				panic("on purpose")
			})
			if err == nil {
				t.Error("the write succeeded")
			}
		}()
	}
	working(t, s, b)
}

func testStoppedSearch(t *testing.T, s *store.Store) {
	b, res := Business(t, s), contacts(s)
	people := []*schema.Record{person(s, "One"), person(s, "Two"), person(s, "Three")}
	insert(t, b, res, people...)
	q := &query.Query{Resource: res, Order: own(res.Must("created_at")), Limit: 100, Leaves: res.Leaves}
	for range 40 {
		if _, err := b.Search(ctx, q, func([]schema.Value) error { return errUndo }); !errors.Is(err, errUndo) {
			t.Fatalf("the error is %v, want the one that was returned", err)
		}
		func() {
			defer func() { _ = recover() }()
			_, err := b.Search(ctx, q, func([]schema.Value) error { panic("on purpose") })
			t.Errorf("the panic became %v", err)
		}()
	}
	working(t, s, b, people...)
}

func testCancelledWrite(t *testing.T, s *store.Store) {
	b, res := Business(t, s), contacts(s)
	gone, cancel := context.WithCancel(ctx)
	cancel()
	err := b.Write(gone, store.Actor{}, func(tx *store.Tx) error { return tx.Insert(res, person(s, "Undone"), "create") })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v, want context.Canceled", err)
	}
	if _, err := b.Get(gone, res, schema.NewID(time.Now()), false); err == nil {
		t.Error("a read that nobody waits for succeeded")
	}
	working(t, s, b)
}

func testSecrets(t *testing.T, one, other *store.Store) {
	secret := func(s *store.Store, name string) []byte {
		t.Helper()
		key, err := s.Secret(ctx, name)
		if err != nil || len(key) != 32 {
			t.Fatalf("the secret %s is %x, %v", name, key, err)
		}
		return key
	}
	first := secret(one, "first")
	if !bytes.Equal(first, secret(one, "first")) || !bytes.Equal(first, secret(other, "first")) {
		t.Error("the secret differs when it is read again")
	}
	if bytes.Equal(first, secret(other, "second")) {
		t.Error("two secrets are the same")
	}
}

func testClosed(t *testing.T, open Open) {
	s := open(t)
	b, res := Business(t, s), contacts(s)
	rec := person(s, "Before")
	insert(t, b, res, rec)
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Write(ctx, store.Actor{}, func(*store.Tx) error { return nil }); err == nil {
		t.Error("a closed store writes")
	}
	if _, err := b.Get(ctx, res, rec.ID(), false); err == nil {
		t.Error("a closed store reads")
	}
	s = open(t)
	working(t, s, tenant(t, s, b.ID()), rec)
}
