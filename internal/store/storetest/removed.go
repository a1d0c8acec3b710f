package storetest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
)

// testRemove removes records of every resource for good, a live one and a deleted one: they are neither found nor counted, and
// nothing happens to the third.
func testRemove(t *testing.T, s *store.Store) {
	for _, res := range s.Registry().Resources {
		b := Business(t, s)
		var records []*schema.Record
		for i := range 4 {
			rec := NewRecord(res)
			for _, l := range res.Leaves {
				if l.Identity.Unique && l.Kind == schema.Text {
					rec.PutText(l, fmt.Sprintf("one%d@removed.example", i))
				}
			}
			records = append(records, rec)
		}
		insert(t, b, res, records[:3]...)
		remove(t, b, res, records[1].ID())
		for _, rec := range records[:2] {
			write(t, b, func(tx *store.Tx) error {
				whole, err := store.GetAny(tx, res, rec.ID())
				if err != nil {
					return err
				}
				return errors.Join(tx.Remove(res, whole, "erase", `{"reason":{"from":null,"to":"asked"}}`), tx.Scour(res))
			})
			if err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
				_, err := store.GetAny(tx, res, rec.ID())
				return err
			}); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("%s: a record that was removed is still there: %v", res.Name, err)
			}
		}
		same(t, get(t, b, res, records[2].ID()), records[2])
		if n, err := b.Count(ctx, res); err != nil || n != 1 {
			t.Errorf("%d %s are counted, %v", n, res.Plural, err)
		}
		insert(t, b, res, records[3]) // also where the removed one was the last
		if found, total := all(t, b, res, nil); len(found) != 2 || total != 2 {
			t.Errorf("%d of %d %s are found", len(found), total, res.Plural)
		}
		if told := actions(log(t, b)); told != "create create create delete erase erase create" {
			t.Errorf("%s: the log tells %s", res.Name, told)
		}
	}
}

// testEmptyLog empties the log of a record, some entries at a time, and that of no other record and no other business.
func testEmptyLog(t *testing.T, s *store.Store) {
	b, other, res := Business(t, s), Business(t, s), contacts(s)
	anna, ben := person(s, "Anna"), person(s, "Ben")
	insert(t, b, res, anna, ben)
	insert(t, other, res, anna)
	for i := range 6 {
		update(t, b, res, anna.ID(), "update", func(r *schema.Record) { r.PutText(res.Must("job_title"), fmt.Sprint("Title ", i)) })
	}
	steps := 0
	for place := "0"; place != ""; steps++ {
		write(t, b, func(tx *store.Tx) (err error) {
			place, err = queue.EmptyLog(tx, res.Name, anna.ID(), "create", place, 3)
			return err
		})
	}
	if steps != 3 {
		t.Errorf("it took %d steps", steps)
	}
	for _, c := range log(t, b) {
		if empty := c.Changes == "{}"; empty != (c.RecordID == anna.ID() && c.Action == "update") {
			t.Errorf("an entry tells %s %s", c.Action, c.Changes)
		}
	}
	for _, c := range log(t, other) {
		if c.Changes == "{}" {
			t.Error("the entry of another business is empty")
		}
	}
}

// testErasures notes what is to be worked off, for its business alone, and forgets it in the end.
func testErasures(t *testing.T, s *store.Store) {
	b, other, res := Business(t, s), Business(t, s), contacts(s)
	actor := store.Actor{User: schema.UUID{1}, Client: "client", RequestID: "req_1"}
	root := person(s, "Anna").ID()
	err := b.Write(ctx, actor, func(tx *store.Tx) error {
		err := queue.AddErasure(tx, queue.Erasure{Resource: res.Name, ID: root, Of: root})
		for range 5 {
			err = errors.Join(err, queue.AddErasure(tx, queue.Erasure{Resource: "note", ID: tx.NewID(), Of: root, Step: "log"}))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for who, tt := range map[string]struct {
		tenant store.Tenant
		want   int
	}{"its business": {b, 1}, "another business": {other, 0}} {
		write(t, tt.tenant, func(tx *store.Tx) error {
			due, err := queue.Erasures(tx, nil, "", 10)
			gone, wrong := queue.Erased(tx, []schema.UUID{root, {7}})
			if len(due) != tt.want || len(gone) != tt.want || len(due) > 0 && (due[0].ID != root || due[0].Actor != actor) {
				t.Errorf("%s has %v and %v", who, due, gone)
			}
			return errors.Join(err, wrong)
		})
	}
	write(t, b, func(tx *store.Tx) error {
		due, err := queue.Erasures(tx, &root, "log", 10)
		if len(due) != 5 || err != nil {
			t.Fatalf("%v went along, %v", due, err)
		}
		due[0].Step, due[0].Place = "done", "here"
		if err := queue.PutErasure(tx, due[0]); err != nil {
			return err
		}
		if due, err = queue.Erasures(tx, &root, "log", 10); len(due) != 4 {
			t.Errorf("%d are left to do", len(due))
		}
		return err
	})
	for step, want := range []bool{false, true} {
		write(t, b, func(tx *store.Tx) error {
			done, err := queue.EndErasure(tx, root, 4)
			if done != want {
				t.Errorf("after step %d it is done: %v", step, done)
			}
			return err
		})
	}
	write(t, b, func(tx *store.Tx) error {
		due, err := queue.Erasures(tx, nil, "", 10)
		if len(due) > 0 {
			t.Errorf("%v is left", due)
		}
		return err
	})
}
