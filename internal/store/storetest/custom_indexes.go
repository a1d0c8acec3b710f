package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
)

// colours are contacts with a text, in one of the states of its index: none, being made, made.
func colours(t testing.TB, s *store.Store, indexed, filing bool) (*schema.Resource, *schema.Leaf) {
	t.Helper()
	res := contacts(s)
	extended, err := res.Extend(res.Common.CustomFields, nil,
		schema.Addition{Member: "f7", Filing: filing, Field: schema.Field{
			Name: "colour", Kind: schema.Text, Find: schema.Find{Indexed: indexed},
		}})
	if err != nil {
		t.Fatal(err)
	}
	_, added := extended.Document()
	return extended, added[0]
}

// testCustomEntries makes the index of a field that has values already, in steps between which records change, and holds every order by it
// to that without.
func testCustomEntries(t *testing.T, s *store.Store) {
	b := Business(t, s)
	plain, unfiled := colours(t, s, false, false)
	made, filed := colours(t, s, true, false)
	making, filling := colours(t, s, true, true)
	put := func(l *schema.Leaf, n int) func(*schema.Record) {
		return func(rec *schema.Record) { rec.Put(l, schema.TextValue(schema.Text, fmt.Sprintf("c%d", n%7))) }
	}
	var records []*schema.Record
	for n := range 450 {
		rec := NewRecord(plain)
		if n%5 > 0 {
			put(unfiled, n)(rec)
		}
		records = append(records, rec)
	}
	write(t, b, func(tx *store.Tx) error { return tx.InsertMany(plain, records, "create") })
	remove(t, b, plain, records[3].ID())
	remove(t, b, plain, records[444].ID())

	step := func() (done, ready bool) {
		write(t, b, func(tx *store.Tx) (err error) {
			done, ready, err = queue.TendIndex(tx, making, filling.Member, filling)
			return err
		})
		return done, ready
	}
	steps := func() (n int, ready bool) {
		for done := false; !done; n++ {
			done, ready = step()
		}
		return n, ready
	}
	plan := func(filing bool) {
		write(t, b, func(tx *store.Tx) error { return queue.PlanIndex(tx, plain.Name, unfiled.Member, filing) })
	}
	inOrder := func(res *schema.Resource, l *schema.Leaf, desc bool) (found []schema.UUID) {
		q := &query.Query{Resource: res, Order: own(l), Desc: desc, Limit: 100, Leaves: []*schema.Leaf{res.Common.ID}}
		pages(t, b, q, func(values []schema.Value) { found = append(found, values[0].UUID()) })
		return found
	}
	check := func(when string) {
		t.Helper()
		for _, desc := range []bool{false, true} {
			if got, want := inOrder(made, filed, desc), inOrder(plain, unfiled, desc); !slices.Equal(got, want) {
				t.Errorf("%s: descending %v, %d records come by the index, and %d without", when, desc, len(got), len(want))
			}
		}
		write(t, b, func(tx *store.Tx) error {
			pairs, err := store.Shared(tx, filed, 3)
			if err == nil && len(pairs) != 3 {
				t.Errorf("%s: %d values are found that are shared", when, len(pairs))
			}
			return err
		})
	}

	plan(true)
	step() // the first records
	works, err := queue.IndexWorks(ctx, s, time.Time{})
	if err != nil || !slices.ContainsFunc(works, func(w queue.IndexWork) bool {
		return w.ID() == b.ID() && w.Member == "f7" && w.Resource == "contact"
	}) {
		t.Errorf("the work that is left is %v, %v", works, err)
	}
	for _, n := range []int{1, 2, 440, 441} { // some are filed, and others not yet
		update(t, b, making, records[n].ID(), "update", put(filling, n+1))
	}
	remove(t, b, making, records[6].ID())
	remove(t, b, making, records[439].ID())
	restore(t, b, making, records[3].ID())
	restore(t, b, making, records[444].ID())
	fresh := NewRecord(making)
	put(filling, 3)(fresh)
	insert(t, b, making, fresh)
	if n, ready := steps(); n != 2 || !ready {
		t.Errorf("after %d further steps the index is ready: %v", n, ready)
	}
	check("while records changed")
	if done, ready := step(); !done || ready {
		t.Error("there is something left to do")
	}

	// Where it is switched off and on again, what is left of the old one is of no use, and in nobody's way.
	plan(false)
	if works, err := queue.IndexWorks(ctx, s, time.Now().Add(-time.Hour)); err != nil ||
		slices.ContainsFunc(works, func(w queue.IndexWork) bool { return w.ID() == b.ID() }) {
		t.Errorf("slips are removed at once: %v, %v", works, err)
	}
	update(t, b, plain, records[11].ID(), "update", put(unfiled, 2))
	update(t, b, plain, records[12].ID(), "update", put(unfiled, 2))
	plan(true)
	update(t, b, making, records[11].ID(), "update", put(filling, 11))
	remove(t, b, making, records[12].ID())
	restore(t, b, making, records[12].ID())
	if _, ready := steps(); !ready {
		t.Error("the index is not ready")
	}
	check("after it was switched off and on")

	plan(false)
	if _, ready := steps(); ready {
		t.Error("an index that is to be removed is ready")
	}
	write(t, b, func(tx *store.Tx) error {
		if pairs, err := store.Shared(tx, filed, 3); err != nil || len(pairs) > 0 {
			t.Errorf("of an index that was removed %d values are left, %v", len(pairs), err)
		}
		few, err := queue.FileNow(tx, making, filling, 10)
		all, more := queue.FileNow(tx, making, filling, 1000)
		if few || !all {
			t.Errorf("at once it is made for few records: %v, and for more: %v", few, all)
		}
		return errors.Join(err, more)
	})
	check("when it is made at once")
	write(t, b, func(tx *store.Tx) error {
		holder, taken, err := tx.Taken(made, filed, schema.TextValue(schema.Text, "C1"), schema.UUID{})
		if err != nil || !taken || get(t, b, made, holder).Text(filed) != "c1" {
			t.Errorf("a value is held by %v, %v, %v", holder, taken, err)
		}
		_, taken, err = tx.Taken(made, filed, schema.TextValue(schema.Text, "none"), schema.UUID{})
		if taken {
			t.Error("a value that nobody has is held")
		}
		return err
	})
}
