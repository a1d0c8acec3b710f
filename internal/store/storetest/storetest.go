// Package storetest holds one conformance suite that every engine of the store must pass. It is for tests only.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// Open connects to the database under test. All connections that one suite opens lead to the same migrated database.
type Open func(tb testing.TB) *store.Store

var ctx = context.Background()

// errUndo is what a test's own transaction fails with.
var errUndo = errors.New("undo this")

// Business makes an empty business and gives the handle to it.
func Business(tb testing.TB, s *store.Store) store.Tenant {
	tb.Helper()
	id := schema.NewID(time.Now())
	if err := create(s, id, func(*store.Tx) error { return nil }); err != nil {
		tb.Fatal(err)
	}
	return tenant(tb, s, id)
}

func create(s *store.Store, id schema.UUID, fill func(*store.Tx) error) error {
	return s.CreateBusiness(ctx, store.Business{ID: id, Name: "Test", Currency: "EUR", CreatedAt: time.Now()}, store.Actor{}, fill)
}

func tenant(tb testing.TB, s *store.Store, id schema.UUID) store.Tenant {
	tb.Helper()
	t, err := s.Tenant(ctx, id)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// NewRecord makes a record that has what its declaration requires and nothing else.
func NewRecord(res *schema.Resource) *schema.Record {
	now := time.Now()
	rec := schema.NewRecord(&res.Shape)
	for i, l := range res.Leaves {
		if l.Required {
			rec.Values[i] = Sample(l, 1)
		}
	}
	rec.Put(rec.Common.ID, schema.IDValue(schema.NewID(now)))
	rec.Put(rec.Common.CreatedAt, schema.TimeValue(now))
	rec.Put(rec.Common.UpdatedAt, schema.TimeValue(now))
	rec.Put(rec.Common.Version, schema.IntValue(schema.Integer, 1))
	return rec
}

// Sample makes the n-th of many different values that a leaf can have. Of choices and booleans there are only a few.
func Sample(l *schema.Leaf, n int) schema.Value {
	switch l.Kind {
	case schema.Text, schema.LongText:
		if l.Format == schema.RecordID { // the two ends of a link are never the same
			var id schema.UUID
			copy(id[:], fmt.Sprintf("%014d%02d", max(n, 0), l.Index))
			return schema.TextValue(l.Kind, schema.FormatID(l.Ref.Among[0], id))
		}
		return schema.TextValue(l.Kind, fmt.Sprintf("%s %d", l.Label, n))
	case schema.Choice:
		return schema.TextValue(l.Kind, l.Options[n%len(l.Options)])
	case schema.Bool:
		return schema.BoolValue(n%2 == 1)
	case schema.Number:
		return schema.FloatValue(float64(n) + 0.5)
	case schema.ID:
		var id schema.UUID
		copy(id[:], fmt.Sprintf("%016d", n))
		return schema.IDValue(id)
	case schema.Tags:
		return schema.TextValue(l.Kind, fmt.Sprintf(`["tag %d","other"]`, n))
	case schema.Choices:
		return schema.TextValue(l.Kind, `["`+l.Options[n%len(l.Options)]+`"]`)
	case schema.List:
		return schema.TextValue(l.Kind, fmt.Sprintf(`[{"name":"item %d"}]`, n))
	case schema.Document:
		return schema.TextValue(l.Kind, fmt.Sprintf(`{"key":"%d"}`, n))
	default:
		return schema.IntValue(l.Kind, int64(n))
	}
}

// person makes a contact with a name.
func person(s *store.Store, name string) *schema.Record {
	rec := NewRecord(contacts(s))
	rec.PutText(rec.Must("name"), name)
	return rec
}

func contacts(s *store.Store) *schema.Resource { return s.Registry().Resource("contact") }

func write(t testing.TB, b store.Tenant, fn func(tx *store.Tx) error) {
	t.Helper()
	if err := b.Write(ctx, store.Actor{}, fn); err != nil {
		t.Fatal(err)
	}
}

func insert(t testing.TB, b store.Tenant, res *schema.Resource, records ...*schema.Record) {
	t.Helper()
	write(t, b, func(tx *store.Tx) error {
		for _, rec := range records {
			if err := tx.Insert(res, rec, "create"); err != nil {
				return err
			}
		}
		return nil
	})
}

// update changes a live record as the domain does.
func update(t testing.TB, b store.Tenant, res *schema.Resource, id schema.UUID, action string, edit func(*schema.Record)) *schema.Record {
	t.Helper()
	var after *schema.Record
	write(t, b, func(tx *store.Tx) error {
		before, err := tx.Get(res, id, action == "restore")
		if err != nil {
			return err
		}
		after = before.Clone()
		after.Put(after.Common.Version, schema.IntValue(schema.Integer, before.Version()+1))
		edit(after)
		return tx.Update(res, before, after, action)
	})
	return after
}

func remove(t testing.TB, b store.Tenant, res *schema.Resource, id schema.UUID) {
	t.Helper()
	update(t, b, res, id, "delete", func(r *schema.Record) { r.Put(r.Common.DeletedAt, schema.TimeValue(time.Now())) })
}

func restore(t testing.TB, b store.Tenant, res *schema.Resource, id schema.UUID) {
	t.Helper()
	update(t, b, res, id, "restore", func(r *schema.Record) { r.Put(r.Common.DeletedAt, schema.Absent(schema.Time)) })
}

func get(t testing.TB, b store.Tenant, res *schema.Resource, id schema.UUID) *schema.Record {
	t.Helper()
	rec, err := b.Get(ctx, res, id, false)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// same fails unless two records have the same values.
func same(t testing.TB, got, want *schema.Record) {
	t.Helper()
	for i, l := range want.Leaves {
		if got.Values[i] != want.Values[i] {
			t.Errorf("%s is %+q, want %+q", l.Path, fmt.Sprint(got.Values[i]), fmt.Sprint(want.Values[i]))
		}
	}
}

// own is the path to a field of the resource that is searched.
func own(l *schema.Leaf) query.Path { return query.Path{Ref: -1, Leaf: l} }

// on is a condition on such a field.
func on(l *schema.Leaf, operator query.Operator, values ...schema.Value) query.Condition {
	return query.Condition{Path: own(l), Operator: operator, Values: values}
}

// pages searches to the end, page by page, and hands over the values of each record.
func pages(t testing.TB, b store.Tenant, q *query.Query, each func(values []schema.Value)) {
	t.Helper()
	for {
		page, err := b.Search(ctx, q, func(values []schema.Value) error {
			each(values)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if !page.More {
			return
		}
		q.After = &page.Last
	}
}

// matching gives the ids of the records that meet all conditions, oldest first.
func matching(t testing.TB, b store.Tenant, res *schema.Resource, conditions ...query.Condition) []schema.UUID {
	t.Helper()
	found, _ := all(t, b, res, func(q *query.Query) { q.Filters = conditions })
	return found
}

// all searches a resource from oldest to newest and gives the ids and the total.
func all(t testing.TB, b store.Tenant, res *schema.Resource, edit func(*query.Query)) ([]schema.UUID, int64) {
	t.Helper()
	q := &query.Query{Resource: res, Order: own(res.Must("created_at")), Limit: 100, Leaves: []*schema.Leaf{res.Must("id")}}
	if edit != nil {
		edit(q)
	}
	var ids []schema.UUID
	page, err := b.Search(ctx, q, func(values []schema.Value) error {
		ids = append(ids, values[0].UUID())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids, page.Total
}

// named gives the names of the contacts whose search document has all words.
func named(t testing.TB, s *store.Store, b store.Tenant, bin bool, words ...string) string {
	t.Helper()
	res := contacts(s)
	var names []string
	name := res.Must("name")
	q := &query.Query{Resource: res, Bin: bin, Words: words, Order: own(name), Limit: 100, Leaves: []*schema.Leaf{name}}
	pages(t, b, q, func(values []schema.Value) { names = append(names, values[0].S) })
	return strings.Join(names, ", ")
}

// log reads the whole change log and fails where its numbers have a gap.
func log(t testing.TB, b store.Tenant) []store.Change {
	t.Helper()
	var changes []store.Change
	err := b.Changes(ctx, 0, func(c store.Change) error {
		changes = append(changes, c)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range changes {
		if c.Seq != int64(i+1) {
			t.Fatalf("the change log has number %d in place %d", c.Seq, i+1)
		}
	}
	return changes
}

func actions(changes []store.Change) string {
	var names []string
	for _, c := range changes {
		names = append(names, c.Action)
	}
	return strings.Join(names, " ")
}

func ids(records ...*schema.Record) []schema.UUID {
	var out []schema.UUID
	for _, r := range records {
		out = append(out, r.ID())
	}
	return out
}

func testBusinesses(t *testing.T, s *store.Store) {
	if err := s.Ping(ctx); err != nil {
		t.Fatal(err)
	}
	want := store.Business{
		ID: schema.NewID(time.Now()), Name: "Ærø & Søn", Currency: "DKK",
		CreatedAt: time.Date(2024, 2, 29, 23, 59, 59, 999_999_000, time.UTC),
	}
	if err := s.CreateBusiness(ctx, want, store.Actor{}, func(*store.Tx) error { return nil }); err != nil {
		t.Fatal(err)
	}
	b := tenant(t, s, want.ID)
	got, err := b.Business(ctx)
	if err != nil || got != want || b.ID() != want.ID {
		t.Errorf("the business is %+v, %v, want %+v", got, err, want)
	}
	listed, err := s.Businesses(ctx)
	if err != nil || !slices.Contains(listed, want) {
		t.Errorf("%v, %v does not list the business", listed, err)
	}
	if !slices.IsSortedFunc(listed, func(a, b store.Business) int { return strings.Compare(string(a.ID[:]), string(b.ID[:])) }) {
		t.Error("the businesses are not in the order of their ids")
	}
	if _, err := s.Tenant(ctx, schema.NewID(time.Now())); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an unknown business: %v, want ErrNotFound", err)
	}
	write(t, b, func(tx *store.Tx) error {
		if code, err := tx.Currency(); code != "DKK" || err != nil {
			t.Errorf("the currency is %q, %v", code, err)
		}
		return nil
	})
}

func testBusinessUndone(t *testing.T, s *store.Store) {
	id := schema.NewID(time.Now())
	err := create(s, id, func(tx *store.Tx) error {
		if err := tx.Insert(contacts(s), person(s, "Nobody"), "create"); err != nil {
			t.Error(err)
		}
		return errUndo
	})
	if !errors.Is(err, errUndo) {
		t.Errorf("the error is %v, want the one that was returned", err)
	}
	if _, err := s.Tenant(ctx, id); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the business is there: %v", err)
	}
}

func testLogo(t *testing.T, s *store.Store) {
	b, other := Business(t, s), Business(t, s)
	for _, want := range []string{"", "a picture", "another", ""} {
		write(t, b, func(tx *store.Tx) error { return store.SetLogo(tx, []byte(want)) })
		if got, err := b.Logo(ctx); err != nil || string(got) != want {
			t.Errorf("the logo is %q, want %q; %v", got, want, err)
		}
		if got, err := other.Logo(ctx); err != nil || len(got) > 0 {
			t.Errorf("another business has %q, %v", got, err)
		}
	}
}

func testMigrateAgain(t *testing.T, s *store.Store) {
	done, err := s.Migrate(ctx)
	if err != nil || len(done) > 0 {
		t.Errorf("a second run applied %v, %v", done, err)
	}
	known, err := s.Migrations(ctx)
	if err != nil || len(known) == 0 {
		t.Fatalf("the migrations are %v, %v", known, err)
	}
	for _, m := range known {
		if !m.Applied {
			t.Errorf("migration %d %s is not marked as applied", m.Number, m.Name)
		}
	}
}
