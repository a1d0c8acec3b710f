package store_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/storetest"
)

// A text search finds the same records in the same order whichever way it takes: through all records, through the text index in the order
// of creation, or, once a record lies out of that order, through the index and a sort.
func TestTextWalksAgree(t *testing.T) {
	ctx := context.Background()
	for name, fresh := range engines {
		t.Run(name, func(t *testing.T) {
			url := fresh(t)
			small, large := open(t, url), open(t, url)
			large.SetWindow(10)
			small.SetTextRange(7)
			res := record.Registry.Resource("contact")
			b := storetest.Business(t, small)
			b2, err := large.Tenant(ctx, b.ID())
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now().Add(-time.Hour)
			add := func(at time.Time, name string) {
				t.Helper()
				rec := storetest.NewRecord(res)
				rec.Put(rec.Common.ID, schema.IDValue(schema.NewID(at)))
				rec.Put(rec.Common.CreatedAt, schema.TimeValue(at))
				rec.PutText(rec.Must("name"), name)
				if err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error { return tx.Insert(res, rec, "create") }); err != nil {
					t.Fatal(err)
				}
			}
			for i := range 60 {
				// Ties in created_at, matches that are spread, bunched and absent, and near misses that have all pieces of a word
				// but not the word.
				add(start.Add(time.Duration(i/3)*time.Second),
					fmt.Sprintf("Person %d %s %s", i, []string{"Annabel", "heritage", "herita ritage"}[i%3],
						[]string{"early", "late"}[i/40]))
			}
			compare := func(when string) {
				t.Helper()
				for _, words := range [][]string{{"annabel"}, {"heritage"}, {"an", "late"}, {"person", "early"}, {"nobody"}, {"p"}} {
					for _, desc := range []bool{true, false} {
						one, two := pages(t, b, res, words, desc), pages(t, b2, res, words, desc)
						if !slices.Equal(one, two) {
							t.Errorf("%s, %v descending %v: %d and %d records:\n%v\n%v", when, words, desc, len(one), len(two), one, two)
						}
						if want := words[0] != "nobody"; (len(one) > 0) != want {
							t.Errorf("%s, %v: %d records were found", when, words, len(one))
						}
					}
				}
			}
			compare("in order")
			add(start.Add(-time.Minute), "Person annabel from before")
			compare("out of order")
		})
	}
}

// pages reads a whole text search in the order of creation, three records at a time.
func pages(t *testing.T, b store.Tenant, res *schema.Resource, words []string, desc bool) (names []string) {
	t.Helper()
	return pagesOf(t, b, res, words, desc, 3)
}

func pagesOf(t *testing.T, b store.Tenant, res *schema.Resource, words []string, desc bool, limit int) (names []string) {
	t.Helper()
	return allPages(t, b, &query.Query{
		Resource: res, Words: words, Order: query.Path{Ref: -1, Leaf: res.Must("created_at")}, Desc: desc,
		Limit: limit, Leaves: []*schema.Leaf{res.Must("name")},
	})
}

// allPages reads the first field of all that a search finds, page by page.
func allPages(t *testing.T, b store.Tenant, q *query.Query) (texts []string) {
	t.Helper()
	for {
		page, err := b.Search(context.Background(), q, func(values []schema.Value) error {
			texts = append(texts, strings.Clone(values[0].S))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if !page.More {
			return texts
		}
		q.After = &page.Last
	}
}

// newest reads the 25 newest records that have a word.
func newest(t *testing.T, b store.Tenant, res *schema.Resource, word string) {
	t.Helper()
	q := &query.Query{
		Resource: res, Words: []string{word}, Order: query.Path{Ref: -1, Leaf: res.Must("created_at")}, Desc: true,
		Limit: 25, Leaves: res.Leaves,
	}
	found := 0
	_, err := b.Search(context.Background(), q, func([]schema.Value) error {
		found++
		return nil
	})
	if err != nil || found != 25 {
		t.Fatalf("%d records, %v", found, err)
	}
}

// Searches go on finding what they should while the parts of SQLite's text index are merged, and in the end there are few.
func TestTextIndexIsTidied(t *testing.T) {
	ctx := context.Background()
	s := open(t, newSQLite(t))
	res := record.Registry.Resource("contact")
	b := storetest.Business(t, s)
	for i := range 200 {
		rec := storetest.NewRecord(res)
		rec.PutText(rec.Must("name"), fmt.Sprintf("Person %d", i))
		if err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error { return tx.Insert(res, rec, "create") }); err != nil {
			t.Fatal(err)
		}
	}
	parts := s.TextParts(t, "contacts")
	for deadline := time.Now().Add(time.Minute); parts > 8 && time.Now().Before(deadline); parts = s.TextParts(t, "contacts") {
		time.Sleep(50 * time.Millisecond)
	}
	if parts > 8 {
		t.Errorf("the text index still has %d parts", parts)
	}
	s.SetWindow(10)
	if found := pages(t, b, res, []string{"person"}, true); len(found) != 200 {
		t.Errorf("after tidying, %d of 200 records are found", len(found))
	}
}

// Tidy leaves nothing of a large load for later.
func TestTidyAfterALoad(t *testing.T) {
	ctx := context.Background()
	res := record.Registry.Resource("contact")
	onBoth(t, func(t *testing.T, s *store.Store) {
		s.LeaveUntidy() // until it is told to tidy
		b := storetest.Business(t, s)
		for from := 0; from < 6000; from += 500 {
			records := make([]*schema.Record, 500)
			for i := range records {
				records[i] = storetest.NewRecord(res)
				records[i].PutText(records[i].Must("name"), fmt.Sprintf("Person %d", from+i))
			}
			if err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error { return tx.InsertMany(res, records, "create") }); err != nil {
				t.Fatal(err)
			}
		}
		if s.Engine() == "sqlite" {
			// Twelve loads would be merged on the way if SQLite went by its own measure, which is four.
			if parts := s.TextParts(t, "contacts"); parts != 12 {
				t.Errorf("the text index has %d parts after 12 loads", parts)
			}
		}
		if err := s.Tidy(ctx); err != nil {
			t.Fatal(err)
		}
		if s.Engine() == "sqlite" {
			if parts := s.TextParts(t, "contacts"); parts != 1 {
				t.Errorf("the text index has %d parts", parts)
			}
		}
	})
}
