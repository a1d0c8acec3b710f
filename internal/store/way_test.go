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

// A filter in another order than its index has is walked along the order where many match and fetched where few do, by statistics in
// a large business and by looking into the index in a small one. Where the many are at the far end, the walk is given up, and the
// answer is the same.
func TestFiltersGoTheirWay(t *testing.T) {
	ctx := context.Background()
	const records = 600
	url := newSQLite(t)
	s := open(t, url)
	b := storetest.Business(t, s)
	res := record.Registry.Resource("contact")
	stage, name, company := res.Must("owner_id"), res.Must("name"), res.Must("company_id")
	id := func(n int) schema.Value { return schema.IDValue(schema.UUID{0: 1, 15: byte(n)}) }
	start := time.Now().Add(-time.Hour)
	var all []*schema.Record
	for i := range records {
		rec := storetest.NewRecord(res)
		at := start.Add(time.Duration(i) * time.Second)
		rec.Put(rec.Common.ID, schema.IDValue(schema.NewID(at)))
		rec.Put(rec.Common.CreatedAt, schema.TimeValue(at))
		rec.PutText(name, fmt.Sprintf("Person %04d", i*7%records))
		switch {
		case i*7%records >= records*3/4: // the last quarter of the names
			rec.Put(stage, id(3))
		case i%100 == 7:
			rec.Put(stage, id(2))
		default:
			rec.Put(stage, id(1))
		}
		rec.Put(company, id(10+i%40))
		all = append(all, rec)
	}
	write := func(what string, fn func(tx *store.Tx) error) {
		t.Helper()
		if err := b.Write(ctx, store.Actor{}, fn); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	write("contacts", func(tx *store.Tx) error { return tx.InsertMany(res, all, "create") })
	firms := record.Registry.Resource("company")
	write("companies", func(tx *store.Tx) error {
		for n := range 40 {
			rec := storetest.NewRecord(firms)
			rec.Put(rec.Common.ID, id(10+n))
			rec.PutText(rec.Must("name"), fmt.Sprintf("Firm %c%c", 'a'+n/20, 'a'+n%20))
			if err := tx.Insert(firms, rec, "create"); err != nil {
				return err
			}
		}
		return nil
	})

	isStage := func(n int) query.Condition { return store.Equal(stage, id(n)) }
	firm := func(prefix string) query.Condition {
		return query.Condition{
			Path: query.Path{Ref: 0, Leaf: firms.Must("name")}, Operator: query.StartsWith,
			Values: []schema.Value{schema.TextValue(schema.Text, prefix)},
		}
	}
	for kind, set := range map[string]func(*store.Store){
		"statistics": func(s *store.Store) { s.SetStatistics(100, 30) },
		"probes":     func(s *store.Store) { s.SetStatistics(records, 30) },
	} {
		for _, tt := range []struct {
			what   string
			filter query.Condition
			ways   string
			want   func(i int) bool
		}{
			{"many", isStage(1), "walk", func(i int) bool { return i*7%records < records*3/4 && i%100 != 7 }},
			{"few", isStage(2), "fetch", func(i int) bool { return i*7%records < records*3/4 && i%100 == 7 }},
			{"many at the far end", isStage(3), "walk fetch", func(i int) bool { return i*7%records >= records*3/4 }},
			{"many of a reference", firm("firm a"), "look up walk", func(i int) bool { return i%40 < 20 }},
			{"few of a reference", firm("firm bc"), "look up fetch", func(i int) bool { return i%40 == 22 }},
			{"none of a reference", firm("firm c"), "look up", func(int) bool { return false }},
		} {
			var want []string
			for i := range records {
				if tt.want(i) {
					want = append(want, fmt.Sprintf("Person %04d", i*7%records))
				}
			}
			slices.Sort(want)
			traced := open(t, url)
			set(traced)
			var ways []string
			traced.Trace(func(s store.Statement) {
				switch {
				case strings.Contains(s.SQL, ") k CROSS JOIN"):
					ways = append(ways, "walk")
				case lookup.MatchString(s.SQL):
					ways = append(ways, "look up")
				case strings.HasPrefix(s.SQL, "SELECT t.name, "):
					ways = append(ways, "fetch")
				}
			})
			tenant, err := traced.Tenant(ctx, b.ID())
			if err != nil {
				t.Fatal(err)
			}
			q := &query.Query{
				Resource: res, Order: query.Path{Ref: -1, Leaf: name}, Limit: 3, Leaves: []*schema.Leaf{name},
				Filters: []query.Condition{tt.filter},
			}
			if tt.filter.Ref == 0 {
				q.Refs = []query.Ref{{Via: company}}
			}
			var got []string
			for first := true; ; first = false {
				page, err := tenant.Search(ctx, q, func(values []schema.Value) error {
					got = append(got, strings.Clone(values[0].S))
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				if way := strings.Join(ways, " "); first && way != tt.ways {
					t.Errorf("%s, by %s: the way is %s, want %s", tt.what, kind, way, tt.ways)
				}
				if !page.More {
					break
				}
				q.After = &page.Last
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, by %s: %d records, want %d:\n%v\n%v", tt.what, kind, len(got), len(want), got, want)
			}
		}
	}
}

// A word by name: those that begin with it are taken from the order's index, and the others that have it come among them at their places.
func TestWordsInTheirOwnOrder(t *testing.T) {
	ctx := context.Background()
	const records = 600
	url := newSQLite(t)
	s := open(t, url)
	b := storetest.Business(t, s)
	res := record.Registry.Resource("contact")
	name, job := res.Must("name"), res.Must("job_title")
	var all []*schema.Record
	var want []string
	for i := range records {
		rec := storetest.NewRecord(res)
		text, title := fmt.Sprintf("%c person %d", 'a'+i%26, i), "buyer"
		switch {
		case i%8 == 0:
			text = fmt.Sprintf("Mi\u00e1 %03d", i) // found and sorted as mia
		case i%50 == 1:
			text = fmt.Sprintf("%c mia %03d", 'a'+i%26, i)
		case i%50 == 2:
			title = "miami"
		case i%50 == 3:
			text = fmt.Sprintf("mi a %d", i) // not the word
		}
		rec.PutText(name, text)
		rec.PutText(job, title)
		if strings.Contains(query.Fold(text), "mia") || title == "miami" {
			want = append(want, text)
		}
		all = append(all, rec)
	}
	if err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error { return tx.InsertMany(res, all, "create") }); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(want, func(a, b string) int { return strings.Compare(query.Fold(a), query.Fold(b)) })

	planning := s
	for kind, set := range map[string]func(*store.Store){
		"statistics": func(s *store.Store) { s.SetStatistics(100, 30) },
		"forced":     func(s *store.Store) { s.SetWindow(60) },
	} {
		for _, desc := range []bool{false, true} {
			traced := open(t, url)
			set(traced)
			split, windows := 0, 0
			traced.Trace(func(s store.Statement) {
				switch {
				case strings.Contains(s.SQL, " UNION ALL SELECT * FROM (SELECT t.rid"):
					split++
					lines, err := planning.ExplainPlan(ctx, s.SQL, s.Args, false)
					plan := strings.Join(lines, "\n")
					if err != nil || strings.Contains(plan, "SCAN t") ||
						!strings.Contains(plan, "SEARCH t USING INDEX contact_name_order (business_id=? AND ") {
						t.Errorf("the plan is wrong, %v:\n%s\n%s", err, s.SQL, plan)
					}
				case strings.Contains(s.SQL, ") k CROSS JOIN"):
					windows++
				}
			})
			tenant, err := traced.Tenant(ctx, b.ID())
			if err != nil {
				t.Fatal(err)
			}
			q := &query.Query{
				Resource: res, Words: []string{"mia"}, Order: query.Path{Ref: -1, Leaf: name}, Desc: desc, Limit: 7,
				Leaves: []*schema.Leaf{name},
			}
			got := allPages(t, tenant, q)
			if desc {
				slices.Reverse(got)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, descending %v: %d records, want %d:\n%q\n%q", kind, desc, len(got), len(want), got, want)
			}
			if split == 0 || kind == "census" && windows > 0 {
				t.Errorf("%s, descending %v: %d pages were split, after %d windows", kind, desc, split, windows)
			}
		}
	}
}

// Records created since some time, in another order, are told by their row numbers, also where older records came later.
func TestWalksKnowWhatIsOlder(t *testing.T) {
	ctx := context.Background()
	const records = 600
	url := newSQLite(t)
	s := open(t, url)
	b := storetest.Business(t, s)
	res := record.Registry.Resource("contact")
	name := res.Must("name")
	start := time.Now().Add(-24 * time.Hour).Truncate(time.Second)
	made := map[string]int{}
	add := func(minutes ...int) {
		t.Helper()
		var all []*schema.Record
		for _, m := range minutes {
			rec := storetest.NewRecord(res)
			at := start.Add(time.Duration(m) * time.Minute)
			rec.Put(rec.Common.ID, schema.IDValue(schema.NewID(at)))
			rec.Put(rec.Common.CreatedAt, schema.TimeValue(at))
			text := fmt.Sprintf("Person %03d %d", len(made)*7%100, len(made))
			rec.PutText(name, text)
			made[text] = m
			all = append(all, rec)
		}
		if err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error { return tx.InsertMany(res, all, "create") }); err != nil {
			t.Fatal(err)
		}
	}
	minutes := func(from, to, step int) (all []int) {
		for m := from; m < to; m += step {
			all = append(all, m)
		}
		return all
	}
	add(minutes(0, records, 1)...)
	compare := func(when string) {
		t.Helper()
		for _, since := range []int{records - 100, records - 10, records + 50, 0} {
			var want []string
			for text, m := range made {
				if m >= since {
					want = append(want, text)
				}
			}
			slices.SortFunc(want, func(a, b string) int { return strings.Compare(query.Fold(a), query.Fold(b)) })
			traced := open(t, url)
			traced.SetStatistics(100, 30)
			narrowed := false
			traced.Trace(func(s store.Statement) { narrowed = narrowed || strings.Contains(s.SQL, "k.rid >=") })
			tenant, err := traced.Tenant(ctx, b.ID())
			if err != nil {
				t.Fatal(err)
			}
			at := schema.TimeValue(start.Add(time.Duration(since) * time.Minute))
			q := &query.Query{
				Resource: res, Order: query.Path{Ref: -1, Leaf: name}, Limit: 5, Leaves: []*schema.Leaf{name},
				Filters: []query.Condition{{
					Path: query.Path{Ref: -1, Leaf: res.Common.CreatedAt}, Operator: query.Gte,
					Values: []schema.Value{at},
				}},
			}
			got := allPages(t, tenant, q)
			if !slices.Equal(got, want) {
				t.Errorf("%s, since %d: %d records, want %d:\n%q\n%q", when, since, len(got), len(want), got, want)
			}
			if since == records-100 && !narrowed {
				t.Errorf("%s, since %d: the row numbers did not help", when, since)
			}
		}
	}
	compare("in order")
	for _, m := range []int{17, records - 50, records - 5} {
		add(m)
	}
	compare("with single older ones")
	add(minutes(records-90, records-20, 1)...)
	compare("with many older ones")
}
