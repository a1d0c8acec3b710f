package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/storetest"
)

// What a transaction has prefetched is what it would be told otherwise, before and after it writes, and after a part of it was undone.
func TestWhatIsPrefetchedIsSo(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		b := storetest.Business(t, s)
		contacts, companies := s.Registry().Resource("contact"), s.Registry().Resource("company")
		external, common := contacts.Must("external_id"), &companies.Common
		named := func(value string) *schema.Record {
			rec := storetest.NewRecord(contacts)
			rec.PutText(external, value)
			return rec
		}
		value := func(text string) schema.Value { return schema.TextValue(external.Kind, text) }
		first, company := named("first"), storetest.NewRecord(companies)
		err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
			return errors.Join(tx.Insert(contacts, first, "create"), tx.Insert(companies, company, "create"))
		})
		if err != nil {
			t.Fatal(err)
		}
		nobody, unknown := schema.UUID{}, storetest.NewRecord(companies).ID()
		undone := errors.New("to be undone")
		err = b.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
			var asked []store.Prefetched
			for _, text := range []string{"first", "second", "third"} {
				asked = append(asked, store.Prefetched{Resource: contacts, Leaf: external, Value: value(text)})
			}
			for _, id := range []schema.UUID{company.ID(), unknown} {
				asked = append(asked, store.Prefetched{Resource: companies, Leaf: common.ID, Value: schema.IDValue(id)})
			}
			if err := tx.Prefetch(asked); err != nil {
				return err
			}
			holds := func(when, text string, want schema.UUID) {
				t.Helper()
				if id, taken, err := tx.Taken(contacts, external, value(text), nobody); id != want || taken != (want != nobody) ||
					err != nil {
					t.Errorf("%s %q is held by %v, %v, %v; want %v", when, text, id, taken, err, want)
				}
			}
			holds("at first", "first", first.ID())
			holds("at first", "FIRST", nobody)
			holds("at first", "second", nobody)
			if _, taken, err := tx.Taken(contacts, external, value("first"), first.ID()); taken || err != nil {
				t.Errorf("a record is in its own way, %v", err)
			}
			second := named("second")
			if err := tx.Insert(contacts, second, "create"); err != nil {
				return err
			}
			holds("when it was inserted", "second", second.ID())
			old, err := tx.Get(contacts, first.ID(), false)
			if err != nil {
				return err
			}
			changed := old.Clone()
			changed.PutText(external, "third")
			if err := tx.Update(contacts, old, changed, "update"); err != nil {
				return err
			}
			holds("when it was changed", "first", nobody)
			holds("when it was changed", "third", first.ID())
			if err := tx.Savepoint(func() error {
				fourth := named("fourth")
				err := errors.Join(tx.Insert(contacts, fourth, "create"),
					tx.Prefetch([]store.Prefetched{{Resource: contacts, Leaf: external, Value: value("fourth")}}))
				holds("in a part", "fourth", fourth.ID())
				return errors.Join(err, undone)
			}); !errors.Is(err, undone) {
				return err
			}
			holds("after the part was undone", "fourth", nobody)
			if _, err := tx.Peek(companies, unknown); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("a company that is not there: %v", err)
			}
			was, err := tx.Peek(companies, company.ID())
			if err != nil {
				return err
			}
			gone := was.Clone()
			gone.Put(common.DeletedAt, schema.TimeValue(tx.Now))
			if err := tx.Update(companies, was, gone, "delete"); err != nil {
				return err
			}
			if _, err := tx.Peek(companies, company.ID()); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("a company that was deleted: %v", err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// Records that are added one by one may go to the database together. Whoever looks finds them, and a part that fails takes its own away.
func TestRecordsThatComeOneByOneAreThere(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		b := storetest.Business(t, s)
		contacts := s.Registry().Resource("contact")
		const parts, failing = 90, 57
		undone := errors.New("to be undone")
		err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
			n := 0
			for i := range parts {
				err := tx.Savepoint(func() error {
					rec := storetest.NewRecord(contacts)
					rec.PutText(contacts.Must("external_id"), fmt.Sprint("x", i))
					if err := tx.Insert(contacts, rec, "create"); err != nil {
						return err
					}
					if i%40 == 39 {
						if all, err := tx.Count(contacts, parts); all != n+1 || err != nil {
							t.Errorf("%d are counted after %d, %v", all, n+1, err)
						}
						if _, err := tx.Get(contacts, rec.ID(), false); err != nil {
							t.Errorf("the last one: %v", err)
						}
					}
					if i == failing {
						return undone
					}
					n++
					return nil
				})
				if err != nil && (i != failing || !errors.Is(err, undone)) {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if n, err := b.Count(ctx, contacts); n != parts-1 || err != nil {
			t.Errorf("%d records are counted, want %d, %v", n, parts-1, err)
		}
		last := int64(0)
		if err := b.Changes(ctx, 0, func(c store.Change) error { last = c.Seq; return nil }); last != parts-1 || err != nil {
			t.Errorf("the log ends at %d, %v", last, err)
		}
		// A value that is there twice is found out with the others at the latest at the end.
		err = b.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
			for i := range parts {
				rec := storetest.NewRecord(contacts)
				rec.PutText(contacts.Must("external_id"), fmt.Sprint("y", min(i, parts-2)))
				if err := tx.Insert(contacts, rec, "create"); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil {
			t.Error("two records have the same external id")
		}
		if n, err := b.Count(ctx, contacts); n != parts-1 || err != nil {
			t.Errorf("afterwards %d records are counted, %v", n, err)
		}
	})
}

// Records that come together, fewer than are copied and with more text than waits: they go in several pieces, and all are there.
func TestFewLargeRecordsAreThere(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		b := storetest.Business(t, s)
		notes := s.Registry().Resource("note")
		var records []*schema.Record
		for range 25 {
			rec := storetest.NewRecord(notes)
			rec.PutText(notes.Must("body"), strings.Repeat("a", 60_000))
			records = append(records, rec)
		}
		err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error { return tx.InsertMany(notes, records, "create") })
		if err != nil {
			t.Fatal(err)
		}
		if n, err := b.Count(ctx, notes); n != int64(len(records)) || err != nil {
			t.Errorf("%d records are counted, want %d, %v", n, len(records), err)
		}
	})
}
