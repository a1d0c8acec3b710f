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

func testChangeLog(t *testing.T, s *store.Store) {
	b, res := Business(t, s), contacts(s)
	actor := store.Actor{
		User: schema.NewID(time.Now()), Token: schema.NewID(time.Now()), App: schema.NewID(time.Now()),
		Client: "kith_client_1", RequestID: "request-1",
	}
	first, second := person(s, `Anna "A" Å`), person(s, "Bert")
	first.Put(first.Must("lead_score"), schema.FloatValue(0.1))
	err := b.Write(ctx, actor, func(tx *store.Tx) error {
		return errors.Join(tx.Insert(res, first, "create"), tx.Insert(res, second, "import"))
	})
	if err != nil {
		t.Fatal(err)
	}
	remove(t, b, res, first.ID())

	changes := log(t, b)
	if got := actions(changes); got != "create import delete" {
		t.Fatalf("the actions are %s", got)
	}
	want := store.Change{
		Seq: 1, Resource: "contact", RecordID: first.ID(), Version: 1, Action: "create", At: first.Get(first.Common.UpdatedAt).Time(),
		Actor:   actor,
		Changes: `{"name":{"from":null,"to":"Anna \"A\" Å"},"lead_score":{"from":null,"to":0.1},"do_not_contact":{"from":null,"to":true}}`,
	}
	if changes[0] != want {
		t.Errorf("the first entry is\n%+v, want\n%+v", changes[0], want)
	}
	if changes[1].RecordID != second.ID() || changes[1].Actor != actor {
		t.Errorf("the second entry is %+v", changes[1])
	}
	if last := changes[2]; last.Version != 2 || last.RecordID != first.ID() || last.Actor != (store.Actor{}) || last.Changes != "{}" {
		t.Errorf("the last entry is %+v", last)
	}

	var behind []int64
	err = b.Changes(ctx, 1, func(c store.Change) error {
		behind = append(behind, c.Seq)
		return nil
	})
	if err != nil || !slices.Equal(behind, []int64{2, 3}) {
		t.Errorf("behind 1 are %v, %v", behind, err)
	}
	stop := errors.New("enough")
	if err := b.Changes(ctx, 0, func(store.Change) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the error is %v, want the one that was returned", err)
	}
}

func testChangeLogWithoutGaps(t *testing.T, s *store.Store) {
	b, res := Business(t, s), contacts(s)
	for i := range 12 {
		err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
			err := errors.Join(tx.Insert(res, person(s, "One"), "create"), tx.Insert(res, person(s, "Two"), "create"))
			if err == nil && i%3 == 0 {
				err = errUndo
			}
			return err
		})
		if (err != nil) != (i%3 == 0) {
			t.Fatalf("write %d: %v", i, err)
		}
	}
	if n := len(log(t, b)); n != 16 {
		t.Errorf("the log has %d entries, want 16", n)
	}
}

func testHistory(t *testing.T, s *store.Store) {
	b, res := Business(t, s), contacts(s)
	rec, other := person(s, "Anna"), person(s, "Bert")
	insert(t, b, res, rec, other)
	made := rec.Get(rec.Common.UpdatedAt).Time()
	for i, name := range []string{"Anne", "Annie"} {
		update(t, b, res, rec.ID(), "rename", func(r *schema.Record) {
			r.PutText(r.Must("name"), name)
			r.Put(r.Common.UpdatedAt, schema.TimeValue(made.Add(time.Duration(i+1)*time.Microsecond)))
		})
	}
	remove(t, b, res, other.ID())
	history := func(until func(tx *store.Tx) time.Time) (seen []store.Change) {
		write(t, b, func(tx *store.Tx) error {
			seen = nil
			return tx.History(res, rec.ID(), until(tx), func(c store.Change) bool {
				seen = append(seen, c)
				return true
			})
		})
		return seen
	}
	seen := history(func(tx *store.Tx) time.Time { return tx.Now })
	if actions(seen) != "rename rename create" || seen[0].Changes != `{"name":{"from":"Anne","to":"Annie"}}` {
		t.Errorf("the history is %+v", seen)
	}
	if before := history(func(*store.Tx) time.Time { return seen[1].At }); actions(before) != "rename create" {
		t.Errorf("at the time of the first renaming the history is %+v", before)
	}
	count := 0
	write(t, b, func(tx *store.Tx) error {
		count = 0
		return tx.History(res, rec.ID(), tx.Now, func(store.Change) bool { count++; return false })
	})
	if count != 1 {
		t.Errorf("reading went on for %d entries after it was told to stop", count)
	}
}

// testTenants gives two businesses a record with the same id, so that only the business can tell them apart.
func testTenants(t *testing.T, s *store.Store) {
	mine, theirs, res := Business(t, s), Business(t, s), contacts(s)
	shared, alone := person(s, "Mine shared"), person(s, "Mine alone")
	insert(t, mine, res, shared, alone)
	twin := shared.Clone()
	twin.PutText(twin.Must("name"), "Their shared")
	insert(t, theirs, res, twin)

	update(t, theirs, res, twin.ID(), "update", func(r *schema.Record) { r.PutText(r.Must("job_title"), "Their boss") })
	same(t, get(t, mine, res, shared.ID()), shared)
	remove(t, mine, res, shared.ID())
	if got := get(t, theirs, res, twin.ID()).Text(res.Must("name")); got != "Their shared" {
		t.Errorf("the other business's record is now named %q", got)
	}
	if _, err := theirs.Get(ctx, res, alone.ID(), false); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a record of another business: %v, want ErrNotFound", err)
	}
	if _, err := theirs.Get(ctx, res, shared.ID(), true); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a record in another business's bin: %v, want ErrNotFound", err)
	}
	for _, tt := range []struct {
		words []string
		want  string
	}{{nil, "Their shared"}, {[]string{"shared"}, "Their shared"}, {[]string{"mine"}, ""}} {
		if got := named(t, s, theirs, false, tt.words...); got != tt.want {
			t.Errorf("%q finds %q, want %q", tt.words, got, tt.want)
		}
	}
	if found, total := all(t, theirs, res, func(q *query.Query) { q.Bin = true }); len(found) > 0 || total > 0 {
		t.Errorf("the other bin has %d records", total)
	}
	if got := actions(log(t, mine)) + ", " + actions(log(t, theirs)); got != "create create delete, create update" {
		t.Errorf("the logs say %s", got)
	}

	write(t, theirs, func(tx *store.Tx) error {
		stolen := alone.Clone()
		stolen.PutText(stolen.Must("name"), "Stolen")
		if err := tx.Update(res, alone, stolen, "update"); err == nil {
			t.Error("a record of another business was updated")
		}
		if _, taken, err := tx.Taken(res, res.Must("name"), schema.TextValue(schema.Text, "Mine alone"), schema.UUID{}); taken ||
			err != nil {
			t.Errorf("a value that another business holds is taken: %v, %v", taken, err)
		}
		found, err := tx.Find(res, 10)
		if err != nil || !slices.Equal(ids(found...), ids(twin)) {
			t.Errorf("it finds %v, %v", found, err)
		}
		entries := 0
		err = tx.History(res, shared.ID(), tx.Now, func(store.Change) bool { entries++; return true })
		if err != nil || entries != 2 {
			t.Errorf("the history has %d entries, %v, want its own 2", entries, err)
		}
		return nil
	})
	if got := get(t, mine, res, alone.ID()).Text(res.Must("name")); got != "Mine alone" {
		t.Errorf("the record is now named %q", got)
	}

	// A reference leads to the own business's record, even where another one has the same id.
	companies := s.Registry().Resource("company")
	company := NewRecord(companies)
	company.PutText(company.Must("name"), "Their company")
	insert(t, theirs, companies, company)
	update(t, mine, res, alone.ID(), "update", func(r *schema.Record) { r.Put(r.Must("company_id"), company.Get(company.Common.ID)) })
	following := func(q *query.Query) {
		q.Refs = []query.Ref{{Via: res.Must("company_id")}}
		q.Filters = []query.Condition{{Path: query.Path{Ref: 0, Leaf: companies.Must("name")}, Operator: query.IsSet}}
	}
	if found, _ := all(t, mine, res, following); len(found) > 0 {
		t.Error("a reference led into another business")
	}
}
