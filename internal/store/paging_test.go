package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/storetest"
)

// While one pages through a search, others insert, change and delete records. Those that nobody touches must be seen exactly once and in
// order. It is small, because it also runs under the race detector.
func TestConcurrentPaging(t *testing.T) {
	var searches []string
	texts := []string{``, `,"search_text":"person"`, `,"filters":[{"field":"do_not_contact","operator":"eq","value":false}]`}
	for i, order := range []string{
		"created_at", "updated_at", "name", "lead_score", "last_contacted_at", "company_id", "job_title",
		"owner.email", "version", "id",
	} {
		for j, direction := range []string{"asc", "desc"} {
			searches = append(searches, fmt.Sprintf(`"order_by":%q,"sort_direction":%q,"fields":["id","first_name"]%s`, order, direction,
				texts[(i+j)%len(texts)]))
		}
	}
	onBoth(t, func(t *testing.T, s *store.Store) {
		s.SetWindow(10) // so that text searches go both ways
		e := newEngine(t, s)
		who := newBusiness(t, e)
		base := time.Now()
		still := populate(t, who, 24, "still", base)
		moving := populate(t, who, 24, "moving", base)
		// What the searches give while nobody writes.
		want := map[string][]string{}
		for _, search := range searches {
			all, err := pageThrough(e, who, search, 100, func() error { return nil })
			if err != nil || len(all) != len(still)+len(moving) {
				t.Fatalf("%s: %d records, %v", search, len(all), err)
			}
			want[search] = onlyStill(all)
		}

		writes := make(chan error)
		stop := make(chan struct{})
		var writers sync.WaitGroup
		for n := range 2 {
			w := &writer{who: who, mine: moving[n*12 : n*12+12], base: base}
			writers.Go(func() {
				for {
					select {
					case writes <- w.churn():
					case <-stop:
						return
					}
				}
			})
		}
		for _, search := range searches {
			// The writers are at it all the time, and at least once between any two pages.
			all, err := pageThrough(e, who, search, 5, func() error { return <-writes })
			if err != nil {
				t.Fatal(err)
			}
			if got := onlyStill(all); !slices.Equal(got, want[search]) {
				t.Errorf("%s: %d of %d unchanged records were seen:\n%v\nwant\n%v", search, len(got), len(still), got, want[search])
			}
		}
		close(stop)
		writers.Wait()
	})
}

// populate inserts contacts that tie in most fields, some of them absent. Their first name tells which of them stay as they are.
func populate(t *testing.T, who *record.Principal, n int, kind string, now time.Time) []*schema.Record {
	t.Helper()
	res := record.Registry.Resource("contact")
	var people []*schema.Record
	for i := range n {
		rec := storetest.NewRecord(res)
		rec.PutText(rec.Must("first_name"), kind)
		rec.Put(rec.Must("do_not_contact"), schema.BoolValue(false))
		shuffle(rec, i, now)
		people = append(people, rec)
	}
	err := who.Tenant.Write(context.Background(), store.Actor{}, func(tx *store.Tx) error {
		for _, rec := range people {
			if err := tx.Insert(res, rec, "create"); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return people
}

// shuffle gives a contact the i-th of a few sets of values.
func shuffle(rec *schema.Record, i int, now time.Time) {
	rec.PutText(rec.Must("name"), fmt.Sprintf("Person %d", i%7))
	rec.Put(rec.Common.CreatedAt, schema.TimeValue(now.Add(time.Duration(i%5)*time.Second)))
	rec.Put(rec.Common.UpdatedAt, schema.TimeValue(now.Add(time.Duration(i%3)*time.Second)))
	for field, v := range map[string]schema.Value{
		"lead_score": schema.FloatValue(float64(i % 4)), "last_contacted_at": schema.TimeValue(now.Add(time.Duration(i%6) * time.Minute)),
		"company_id": schema.IDValue(schema.UUID{byte(i%3 + 1)}), "job_title": schema.TextValue(schema.Text, fmt.Sprintf("Title %d", i%2)),
	} {
		if (i+len(field))%4 == 0 {
			v = schema.Absent(v.Kind)
		}
		rec.Put(rec.Must(field), v)
	}
}

// writer has contacts of its own that it changes.
type writer struct {
	who   *record.Principal
	mine  []*schema.Record
	added *schema.Record
	base  time.Time
}

// churn moves one of the writer's contacts to another place, or deletes or restores it; then it adds one, which the next call deletes.
func (w *writer) churn() error {
	res := record.Registry.Resource("contact")
	at := rand.IntN(len(w.mine))
	var fresh *schema.Record
	err := w.who.Tenant.Write(context.Background(), store.Actor{}, func(tx *store.Tx) error {
		old, err := tx.Get(res, w.mine[at].ID(), false)
		if errors.Is(err, store.ErrNotFound) {
			old, err = tx.Get(res, w.mine[at].ID(), true)
		}
		if err != nil {
			return err
		}
		rec := old.Clone()
		switch {
		case !old.Live():
			rec.Put(rec.Common.DeletedAt, schema.Absent(schema.Time))
		case rand.IntN(3) == 0:
			rec.Put(rec.Common.DeletedAt, schema.TimeValue(tx.Now))
		default:
			shuffle(rec, rand.IntN(100), w.base)
			rec.Put(rec.Common.CreatedAt, old.Get(old.Common.CreatedAt)) // which never changes
			rec.Put(rec.Common.Version, schema.IntValue(schema.Integer, old.Version()+1))
		}
		if err := tx.Update(res, old, rec, "update"); err != nil {
			return err
		}
		if w.added != nil {
			gone := w.added.Clone()
			gone.Put(gone.Common.DeletedAt, schema.TimeValue(tx.Now))
			if err := tx.Update(res, w.added, gone, "delete"); err != nil {
				return err
			}
		}
		fresh = storetest.NewRecord(res)
		shuffle(fresh, rand.IntN(100), w.base)
		fresh.PutText(fresh.Must("first_name"), "moving")
		return tx.Insert(res, fresh, "create")
	})
	w.added = fresh
	return err
}

type seen struct{ ID, Kind string }

// pageThrough runs a search page by page and calls between before each further page.
func pageThrough(e *record.Engine, who *record.Principal, search string, limit int, between func() error) ([]seen, error) {
	var all []seen
	cursor := ""
	for {
		n, err := body.Parse(fmt.Appendf(nil, `{"limit":%d,%s%s}`, limit, search, cursor))
		if err != nil {
			return nil, err
		}
		answer, err := httpapi.AppendList(context.Background(), e, record.Call{Principal: who}, record.KindOf("contact"), false, n, nil)
		if err != nil {
			return nil, err
		}
		var page struct {
			Data []struct {
				ID        string
				FirstName string `json:"first_name"`
			}
			Meta struct{ Cursor struct{ Next string } }
		}
		if err := json.Unmarshal(answer, &page); err != nil {
			return nil, err
		}
		for _, rec := range page.Data {
			all = append(all, seen{rec.ID, rec.FirstName})
		}
		if page.Meta.Cursor.Next == "" {
			return all, nil
		}
		if len(all) > 1000 {
			return nil, fmt.Errorf("%s: the pages do not end", search)
		}
		if err := between(); err != nil {
			return nil, err
		}
		cursor = fmt.Sprintf(`,"cursor":%q`, page.Meta.Cursor.Next)
	}
}

func onlyStill(all []seen) []string {
	var ids []string
	for _, s := range all {
		if s.Kind == "still" {
			ids = append(ids, s.ID)
		}
	}
	return ids
}
