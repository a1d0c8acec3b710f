package storetest

import (
	"slices"
	"testing"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/merged"
)

// testMerges moves references from one record to another and back, and finds survivors: in one business alone.
func testMerges(t *testing.T, s *store.Store) {
	b, elsewhere, res := Business(t, s), Business(t, s), contacts(s)
	tasks := s.Registry().Resource("task")
	ref := merged.Reference{Resource: tasks, Leaf: tasks.Must("contact_id")}
	a, other, last := NewRecord(res), NewRecord(res), NewRecord(res)
	insert(t, b, res, a, other, last)
	var about []*schema.Record
	for range 3 {
		rec := NewRecord(tasks)
		rec.Put(ref.Leaf, other.Get(res.Common.ID))
		about = append(about, rec)
	}
	insert(t, b, tasks, about...)
	remove(t, b, tasks, about[2].ID())
	far := NewRecord(tasks)
	far.Put(ref.Leaf, other.Get(res.Common.ID))
	insert(t, elsewhere, tasks, far)
	leads := func(tenant store.Tenant, id, to schema.UUID) {
		t.Helper()
		rec, err := tenant.Get(ctx, tasks, id, id == about[2].ID())
		if err != nil || rec.Get(ref.Leaf).UUID() != to {
			t.Errorf("the task leads to %v, %v", rec, err)
		}
	}

	write(t, b, func(tx *store.Tx) error {
		n, bytes, err := merged.CountReferences(tx, []merged.Reference{ref}, other.ID(), 10)
		if n != 3 || bytes < 0 || err != nil {
			t.Errorf("%d references of %d bytes, %v", n, bytes, err)
		}
		moved, err := merged.MoveReferences(tx, ref, other.ID(), a.ID(), last.ID())
		if len(moved) != 3 || err != nil {
			t.Errorf("%d are moved, %v", len(moved), err)
		}
		return merged.Add(tx, res, merged.Merge{Other: other.ID(), Survivor: a.ID(), At: 1, ExternalID: "x", Undo: "{}"})
	})
	for _, rec := range about {
		leads(b, rec.ID(), a.ID())
	}
	leads(elsewhere, far.ID(), other.ID())
	write(t, b, func(tx *store.Tx) error {
		return merged.Add(tx, res, merged.Merge{Other: a.ID(), Survivor: last.ID(), At: 2, Undo: "{}"})
	})
	for tenant, want := range map[store.Tenant]schema.UUID{b: last.ID(), elsewhere: {}} {
		if got, err := merged.Survivor(ctx, tenant, res, other.ID()); got != want || err != nil {
			t.Errorf("the survivor is %v, %v", got, err)
		}
		write(t, tenant, func(tx *store.Tx) error {
			if got, err := merged.SurvivorBy(tx, res, "x"); got != want || err != nil {
				t.Errorf("by its external id the survivor is %v, %v", got, err)
			}
			return nil
		})
	}

	update(t, b, tasks, about[0].ID(), "update", func(rec *schema.Record) { rec.Put(ref.Leaf, last.Get(res.Common.ID)) })
	write(t, b, func(tx *store.Tx) error {
		if through, err := merged.Through(tx, res, other.ID(), last.ID()); through != a.ID() || err != nil {
			t.Errorf("it came through %v, %v", through, err)
		}
		left, err := merged.MoveBack(tx, ref, other.ID(), a.ID())
		if len(left) != 1 || left[0].ID != about[0].ID() || err != nil {
			t.Errorf("%v is left, %v", left, err)
		}
		return merged.Forget(tx, res, other.ID())
	})
	leads(b, about[0].ID(), last.ID())
	leads(b, about[1].ID(), other.ID())
	leads(b, about[2].ID(), other.ID())
	if got, err := merged.Survivor(ctx, b, res, other.ID()); got != (schema.UUID{}) || err != nil {
		t.Errorf("its survivor is still %v, %v", got, err)
	}
}

// testAddedReferences finds who refers to a record by an added field, as they change.
func testAddedReferences(t *testing.T, s *store.Store) {
	b, elsewhere, res := Business(t, s), Business(t, s), contacts(s)
	extended, err := res.Extend(res.Common.CustomFields, s.Registry().Resource,
		schema.Addition{Member: "f1", Field: schema.Field{Name: "boss_id", Kind: schema.ID, Ref: schema.Ref{To: res.Name}, Label: "Boss"}})
	if err != nil {
		t.Fatal(err)
	}
	_, added := extended.Document()
	boss, next, one, two := NewRecord(extended), NewRecord(extended), NewRecord(extended), NewRecord(extended)
	one.Put(added[0], boss.Get(res.Common.ID))
	two.Put(added[0], boss.Get(res.Common.ID))
	insert(t, b, extended, boss, next, one, two)
	refer := func(tenant store.Tenant, to *schema.Record, want ...*schema.Record) {
		t.Helper()
		write(t, tenant, func(tx *store.Tx) error {
			found, err := merged.AddedReferences(tx, to.ID(), 10)
			ids := []schema.UUID{}
			for _, f := range found {
				if f.Resource != res.Name || f.Member != "f1" {
					t.Errorf("there is a reference by %s of %s", f.Member, f.Resource)
				}
				ids = append(ids, f.RecordID)
			}
			for _, rec := range want {
				if !slices.Contains(ids, rec.ID()) || len(ids) != len(want) {
					t.Errorf("%d refer to it, not %d", len(ids), len(want))
				}
			}
			return err
		})
	}
	refer(b, boss, one, two)
	refer(elsewhere, boss)
	update(t, b, extended, one.ID(), "update", func(rec *schema.Record) { rec.Put(added[0], next.Get(res.Common.ID)) })
	remove(t, b, extended, two.ID())
	refer(b, boss, two)
	refer(b, next, one)
	update(t, b, extended, one.ID(), "update", func(rec *schema.Record) { rec.Put(added[0], schema.Absent(schema.ID)) })
	refer(b, next)
}
