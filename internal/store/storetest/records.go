package storetest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

func testRoundTrip(t *testing.T, s *store.Store) {
	b := Business(t, s)
	for _, res := range s.Registry().Resources {
		rec := NewRecord(res)
		for i, l := range res.Leaves {
			if !rec.Values[i].Set && !l.Writing.BinOnly {
				rec.Values[i] = Sample(l, 7)
			}
		}
		if res.Name == "quote" {
			rec.PutText(rec.Must("status"), "draft") // a sent one would expire
		}
		insert(t, b, res, rec)
		same(t, get(t, b, res, rec.ID()), rec)
		write(t, b, func(tx *store.Tx) error {
			for _, read := range []func() (*schema.Record, error){
				func() (*schema.Record, error) { return tx.Get(res, rec.ID(), false) },
				func() (*schema.Record, error) { return tx.Peek(res, rec.ID()) },
			} {
				got, err := read()
				if err != nil {
					return err
				}
				same(t, got, rec)
			}
			return nil
		})
	}
}

func testBareRoundTrip(t *testing.T, s *store.Store) {
	b := Business(t, s)
	for _, res := range s.Registry().Resources {
		rec := NewRecord(res)
		insert(t, b, res, rec)
		same(t, get(t, b, res, rec.ID()), rec)
	}
	if _, err := b.Get(ctx, contacts(s), schema.NewID(time.Now()), false); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an unknown record: %v, want ErrNotFound", err)
	}
}

func testUpdate(t *testing.T, s *store.Store) {
	b, res := Business(t, s), contacts(s)
	rec := person(s, "Before")
	rec.PutText(rec.Must("email"), "before@example.com")
	rec.Put(rec.Must("lead_score"), schema.FloatValue(1.25))
	bystander := person(s, "Bystander")
	insert(t, b, res, rec, bystander)

	after := update(t, b, res, rec.ID(), "update", func(r *schema.Record) {
		r.PutText(r.Must("name"), "After")
		r.PutText(r.Must("job_title"), "Boss")
		r.Put(r.Must("lead_score"), schema.Absent(schema.Number))
	})
	same(t, get(t, b, res, rec.ID()), after)
	same(t, get(t, b, res, bystander.ID()), bystander)
	if got := log(t, b)[2].Changes; got != `{"name":{"from":"Before","to":"After"},"job_title":{"from":null,"to":"Boss"},`+
		`"lead_score":{"from":1.25,"to":null}}` {
		t.Errorf("the log says %s", got)
	}

	write(t, b, func(tx *store.Tx) error {
		now, err := tx.Get(res, rec.ID(), false)
		if err != nil {
			return err
		}
		return tx.Update(res, now, now.Clone(), "update")
	})
	if n := len(log(t, b)); n != 3 {
		t.Errorf("an update without a difference was logged: %d entries", n)
	}
}

func testUpdateOfNothing(t *testing.T, s *store.Store) {
	b, res := Business(t, s), contacts(s)
	rec := person(s, "Never inserted")
	err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
		after := rec.Clone()
		after.PutText(after.Must("name"), "Changed")
		return tx.Update(res, rec, after, "update")
	})
	if err == nil {
		t.Error("it succeeded")
	}
	if n := len(log(t, b)); n != 0 {
		t.Errorf("the log has %d entries", n)
	}
}

func testBin(t *testing.T, s *store.Store) {
	b, res := Business(t, s), contacts(s)
	kept, gone := person(s, "Kept"), person(s, "Gone")
	insert(t, b, res, kept, gone)
	remove(t, b, res, gone.ID())

	if _, err := b.Get(ctx, res, gone.ID(), false); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a deleted record among the live ones: %v, want ErrNotFound", err)
	}
	if _, err := b.Get(ctx, res, kept.ID(), true); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a live record in the bin: %v, want ErrNotFound", err)
	}
	if rec, err := b.Get(ctx, res, gone.ID(), true); err != nil || rec.Text(rec.Must("name")) != "Gone" || rec.Live() {
		t.Errorf("the deleted record in the bin: %v, %v", rec, err)
	}
	live, _ := all(t, b, res, nil)
	bin, _ := all(t, b, res, func(q *query.Query) { q.Bin = true })
	if !slices.Equal(live, ids(kept)) || !slices.Equal(bin, ids(gone)) {
		t.Errorf("live are %v, in the bin are %v", live, bin)
	}

	restore(t, b, res, gone.ID())
	if rec := get(t, b, res, gone.ID()); !rec.Live() || rec.Text(rec.Must("name")) != "Gone" {
		t.Errorf("the restored record is %v", rec)
	}
	live, _ = all(t, b, res, nil)
	bin, _ = all(t, b, res, func(q *query.Query) { q.Bin = true })
	if !slices.Equal(live, ids(kept, gone)) || len(bin) > 0 {
		t.Errorf("live are %v, in the bin are %v", live, bin)
	}
}

func testTallies(t *testing.T, s *store.Store) {
	b, res := Business(t, s), contacts(s)
	want := func(live, bin int64) {
		t.Helper()
		_, gotLive := all(t, b, res, nil)
		_, gotBin := all(t, b, res, func(q *query.Query) { q.Bin = true })
		if gotLive != live || gotBin != bin {
			t.Errorf("%d live and %d in the bin, want %d and %d", gotLive, gotBin, live, bin)
		}
	}
	want(0, 0)
	first, second := person(s, "First"), person(s, "Second")
	insert(t, b, res, first, second)
	want(2, 0)
	update(t, b, res, first.ID(), "update", func(r *schema.Record) { r.PutText(r.Must("name"), "Changed") })
	want(2, 0)
	remove(t, b, res, first.ID())
	want(1, 1)
	remove(t, b, res, second.ID())
	want(0, 2)
	restore(t, b, res, first.ID())
	want(1, 1)
	err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
		return errors.Join(tx.Insert(res, person(s, "Undone"), "create"), errUndo)
	})
	if !errors.Is(err, errUndo) {
		t.Fatal(err)
	}
	want(1, 1)
	// A record that is made and deleted in one transaction counts once, in the bin.
	write(t, b, func(tx *store.Tx) error {
		rec := person(s, "Short-lived")
		if err := tx.Insert(res, rec, "create"); err != nil {
			return err
		}
		after := rec.Clone()
		after.Put(after.Common.DeletedAt, schema.TimeValue(tx.Now))
		return tx.Update(res, rec, after, "delete")
	})
	want(1, 2)
}

func testTextFollows(t *testing.T, s *store.Store) {
	b, res := Business(t, s), contacts(s)
	want := func(bin bool, names string, words ...string) {
		t.Helper()
		if got := named(t, s, b, bin, words...); got != names {
			t.Errorf("%q (bin: %v) finds %q, want %q", words, bin, got, names)
		}
	}
	anna, bert := person(s, "Anna Lindström"), person(s, "Bert")
	anna.PutText(anna.Must("phone"), "+46 (8) 12-34 56")
	bert.PutText(bert.Must("job_title"), "Lindy hopper")
	insert(t, b, res, anna, bert)
	want(false, "Anna Lindström, Bert", "lind")
	want(false, "Anna Lindström", "strom")
	want(false, "Anna Lindström", "lind", "812345")
	want(false, "Anna Lindström", "an")
	want(false, "", "nn")
	want(false, "", "lind", "nobody")

	update(t, b, res, anna.ID(), "update", func(r *schema.Record) { r.PutText(r.Must("name"), "Anna Berg") })
	want(false, "Bert", "lind")
	want(false, "Anna Berg, Bert", "ber")

	remove(t, b, res, anna.ID())
	want(false, "Bert", "ber")
	want(true, "Anna Berg", "ber")
	// Records in the bin change too, when they are merged for instance, and must be found anew when restored.
	write(t, b, func(tx *store.Tx) error {
		before, err := tx.Get(res, anna.ID(), true)
		if err != nil {
			return err
		}
		after := before.Clone()
		after.PutText(after.Must("name"), "Anna Sund")
		return tx.Update(res, before, after, "update")
	})
	want(true, "Anna Sund", "sund")
	want(false, "", "sund")
	restore(t, b, res, anna.ID())
	want(false, "Anna Sund", "sund")
	want(false, "Bert", "ber")
}

func testFind(t *testing.T, s *store.Store) {
	b, res := Business(t, s), contacts(s)
	var mine []*schema.Record
	for i := range 5 {
		rec := person(s, "José")
		rec.Put(rec.Common.CreatedAt, schema.IntValue(schema.Time, int64(100-i)))
		mine = append([]*schema.Record{rec}, mine...)
		insert(t, b, res, rec)
	}
	gone := person(s, "jose")
	insert(t, b, res, gone, person(s, "Josefine"))
	remove(t, b, res, gone.ID())
	write(t, b, func(tx *store.Tx) error {
		for limit, want := range map[int][]*schema.Record{3: mine[:3], 100: mine} {
			found, err := tx.Find(res, limit, store.Equal(res.Must("name"), schema.TextValue(schema.Text, "JOSE")))
			if err != nil {
				return err
			}
			if !slices.Equal(ids(found...), ids(want...)) {
				t.Errorf("with limit %d it finds %v, want %v", limit, ids(found...), ids(want...))
			}
			same(t, found[0], want[0])
		}
		return nil
	})
}

func testUnique(t *testing.T, s *store.Store) {
	b, other := Business(t, s), Business(t, s)
	products := s.Registry().Resource("product")
	item := func(sku, external string) *schema.Record {
		rec := NewRecord(products)
		rec.PutText(rec.Must("sku"), sku)
		rec.PutText(rec.Common.ExternalID, external)
		return rec
	}
	first := item("Ä-1", "Id")
	insert(t, b, products, first)
	insert(t, other, products, item("Ä-1", "Id"))
	insert(t, b, products, item("", ""), item("", "")) // absent values are never taken

	taken := func(field, text string, except schema.UUID) bool {
		t.Helper()
		var found bool
		write(t, b, func(tx *store.Tx) error {
			l := products.Must(field)
			id, ok, err := tx.Taken(products, l, schema.TextValue(l.Kind, text), except)
			if ok && id != first.ID() {
				t.Errorf("%s %s is held by %v", field, text, id)
			}
			found = ok
			return err
		})
		return found
	}
	for _, tt := range []struct {
		field, text string
		except      schema.UUID
		want        bool
	}{
		{"sku", "Ä-1", schema.UUID{}, true},
		{"sku", "ä-1", schema.UUID{}, true},  // compared without regard to case
		{"sku", "a-1", schema.UUID{}, false}, // but with accents
		{"sku", "ä-1", first.ID(), false},    // by oneself
		{"sku", "a-2", schema.UUID{}, false},
		{"external_id", "Id", schema.UUID{}, true},
		{"external_id", "ID", schema.UUID{}, false}, // compared byte by byte
	} {
		if got := taken(tt.field, tt.text, tt.except); got != tt.want {
			t.Errorf("%s %s except %v is taken: %v, want %v", tt.field, tt.text, tt.except, got, tt.want)
		}
	}

	// The database itself refuses what nobody asked about before.
	for _, twin := range []*schema.Record{item("ä-1", ""), item("", "Id")} {
		err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error { return tx.Insert(products, twin, "create") })
		if err == nil {
			t.Errorf("a second %s %s was taken", twin.Text(twin.Must("sku")), twin.Text(twin.Common.ExternalID))
		}
	}
	insert(t, b, products, item("", "ID"))
	before := len(log(t, b))
	remove(t, b, products, first.ID())
	if taken("sku", "Ä-1", schema.UUID{}) {
		t.Error("a deleted record still holds its value")
	}
	insert(t, b, products, item("ä-1", "Id"))
	err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
		deleted, err := tx.Get(products, first.ID(), true)
		if err != nil {
			return err
		}
		after := deleted.Clone()
		after.Put(after.Common.DeletedAt, schema.Absent(schema.Time))
		return tx.Update(products, deleted, after, "restore")
	})
	if err == nil {
		t.Error("a record was restored whose value is taken by now")
	}
	if n := len(log(t, b)); n != before+2 {
		t.Errorf("the log grew by %d entries, want 2", n-before)
	}
}

func testCounters(t *testing.T, s *store.Store) {
	b, other := Business(t, s), Business(t, s)
	next := func(b store.Tenant, name string, result error) (n int64) {
		t.Helper()
		err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) (err error) {
			if n, err = store.Next(tx, name); err != nil {
				t.Fatal(err)
			}
			return result
		})
		if !errors.Is(err, result) {
			t.Fatal(err)
		}
		return n
	}
	for i, tt := range []struct {
		in     store.Tenant
		name   string
		result error
		want   int64
	}{
		{b, "quote.number", nil, 1},
		{b, "quote.number", nil, 2},
		{b, "quote.number", errUndo, 3},
		{b, "quote.number", nil, 3},
		{b, "other.number", nil, 1},
		{other, "quote.number", nil, 1},
		{b, "quote.number", nil, 4},
	} {
		if got := next(tt.in, tt.name, tt.result); got != tt.want {
			t.Errorf("step %d: %s is %d, want %d", i, tt.name, got, tt.want)
		}
	}
}
