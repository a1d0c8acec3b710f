package store_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/storetest"
)

// older makes contacts that were created at given moments.
func older(times []time.Time, name func(i int) string) []*schema.Record {
	res := record.Registry.Resource("contact")
	all := make([]*schema.Record, len(times))
	for i, at := range times {
		rec := storetest.NewRecord(res)
		rec.Put(rec.Common.ID, schema.IDValue(schema.NewID(at)))
		rec.Put(rec.Common.CreatedAt, schema.TimeValue(at))
		rec.PutText(rec.Must("name"), name(i))
		all[i] = rec
	}
	return all
}

func insert(t *testing.T, b store.Tenant, recs ...*schema.Record) {
	t.Helper()
	err := b.Write(context.Background(), store.Actor{},
		func(tx *store.Tx) error { return tx.InsertMany(record.Registry.Resource("contact"), recs, "create") })
	if err != nil {
		t.Fatal(err)
	}
}

// insertSingly adds records one by one, as requests do, though in one transaction.
func insertSingly(t *testing.T, b store.Tenant, recs []*schema.Record) {
	t.Helper()
	err := b.Write(context.Background(), store.Actor{}, func(tx *store.Tx) error {
		for _, rec := range recs {
			if err := tx.Insert(record.Registry.Resource("contact"), rec, "create"); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Records come in every order, alone and many at once, are changed, deleted and brought back, while rows are laid and transactions
// are undone. Whatever happens, a text search finds what it should, in order, page by page.
func TestRecordsInAnyOrder(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			s := open(t, newSQLite(t))
			s.SetWindow(10)
			s.HoldTidying()
			res := record.Registry.Resource("contact")
			b, other := storetest.Business(t, s), storetest.Business(t, s)
			if seed == 2 {
				// Before there were row ranges, all rows lay in one, in any order.
				s.UnorderFirstRowRange(t, b, "contacts")
			}
			start := time.Now().Add(-1000 * time.Hour).Truncate(time.Millisecond)
			now := start.Add(500 * time.Hour)
			var all []*schema.Record
			moment := func() time.Time { return start.Add(time.Duration(random.IntN(500)) * time.Hour) }
			name := func(int) string {
				return fmt.Sprintf("Person %s %d", []string{"heritage", "herita ritage", "late"}[random.IntN(3)], random.IntN(1000))
			}
			want := func(desc bool) (names []string) {
				live := slices.DeleteFunc(slices.Clone(all), func(r *schema.Record) bool { return !r.Live() })
				slices.SortFunc(live, func(a, b *schema.Record) int {
					x, y := a.ID(), b.ID()
					return cmp.Or(cmp.Compare(a.Get(a.Common.CreatedAt).N, b.Get(b.Common.CreatedAt).N), bytes.Compare(x[:], y[:]))
				})
				if desc {
					slices.Reverse(live)
				}
				for _, r := range live {
					if n := r.Get(r.Must("name")).S; bytes.Contains([]byte(n), []byte("heritage")) {
						names = append(names, n)
					}
				}
				return names
			}
			update := func(change func(rec *schema.Record)) {
				if len(all) == 0 {
					return
				}
				at := random.IntN(len(all))
				rec := *all[at]
				rec.Values = slices.Clone(rec.Values)
				change(&rec)
				err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error { return tx.Update(res, all[at], &rec, "update") })
				if err != nil {
					t.Fatal(err)
				}
				all[at] = &rec
			}
			for step := range 100 {
				switch random.IntN(9) {
				case 0, 1:
					now = now.Add(time.Second)
					recs := older([]time.Time{now, now}, name)
					insert(t, b, recs...)
					all = append(all, recs...)
				case 2, 3:
					times := make([]time.Time, random.IntN(80))
					for i := range times {
						times[i] = moment()
					}
					recs := older(times, name)
					insertSingly(t, b, recs)
					insertSingly(t, other, older(times, name))
					all = append(all, recs...)
				case 4:
					times := make([]time.Time, 64+random.IntN(100))
					for i := range times {
						times[i] = moment()
					}
					recs := older(times, name)
					insert(t, b, recs...)
					all = append(all, recs...)
				case 5:
					update(func(rec *schema.Record) { rec.PutText(rec.Must("name"), name(0)) })
				case 6:
					update(func(rec *schema.Record) {
						if rec.Live() {
							rec.Put(rec.Common.DeletedAt, schema.TimeValue(now))
						} else {
							rec.Put(rec.Common.DeletedAt, schema.Absent(schema.Time))
						}
					})
				case 7:
					s.TidySteps(t, random.IntN(10), random.IntN(3) == 0)
				case 8:
					if random.IntN(10) == 0 {
						if err := s.Tidy(ctx); err != nil {
							t.Fatal(err)
						}
					}
				}
				if step%10 == 9 {
					s.CheckRowRanges(t, "contacts")
					for _, desc := range []bool{true, false} {
						if got := pagesOf(t, b, res, []string{"heritage"}, desc, 1+random.IntN(60)); !slices.Equal(got, want(desc)) {
							t.Fatalf("step %d, descending %v: found %d records\n%v\nwant %d\n%v", step, desc, len(got), got,
								len(want(desc)), want(desc))
						}
					}
				}
			}
			if err := s.Tidy(ctx); err != nil {
				t.Fatal(err)
			}
			s.CheckRowRanges(t, "contacts")
			if n := s.OnPile(t, b, "contacts"); n > 256 {
				t.Errorf("after tidying, %d rows are still on the pile", n)
			}
		})
	}
}

// A business is not slower for good because some of its records were brought in with older times, be it a few or all, one by one or many at
// once: a search by created_at still stops when its page is full.
func TestDisorderCostsLittle(t *testing.T) {
	const records = 8_000
	ctx := context.Background()
	res := record.Registry.Resource("contact")
	onBoth(t, func(t *testing.T, s *store.Store) {
		s.SetTextRange(500)
		// Many match, so reading them all takes long, though not so many that the newest records have enough.
		name := func(i int) string { return fmt.Sprintf("Person %s %d", []string{"heritage", "other"}[min(i%20, 1)], i) }
		start := time.Now().Add(-records * time.Minute)
		fill := func(share float64, singly bool) store.Tenant {
			random := rand.New(rand.NewPCG(7, 7))
			b := storetest.Business(t, s)
			var inOrder, late []time.Time
			for i := range records {
				if at := start.Add(time.Duration(i) * time.Minute); random.Float64() < share {
					late = append(late, at)
				} else {
					inOrder = append(inOrder, at)
				}
			}
			inOrder = append(inOrder, time.Now())
			insert(t, b, older(inOrder, name)...)
			if singly {
				random.Shuffle(len(late), func(i, j int) { late[i], late[j] = late[j], late[i] })
				insertSingly(t, b, older(late, name))
				return b
			}
			for times := range slices.Chunk(late, 500) {
				insert(t, b, older(times, name)...)
			}
			return b
		}
		cases := map[string]store.Tenant{
			"in order": fill(0, false), "1 % at once": fill(0.01, false), "1 % singly": fill(0.01, true),
			"30 % at once": fill(0.3, false), "30 % singly": fill(0.3, true),
			"100 % at once": fill(1, false), "100 % singly": fill(1, true),
		}
		if err := s.Tidy(ctx); err != nil {
			t.Fatal(err)
		}
		if s.Engine() == "postgres" {
			full, err := s.Rows(ctx, "SELECT shelf::text, count(*)::text FROM contacts GROUP BY business_id, shelf HAVING count(*) > 2 * "+
				"500 + 32", 2)
			if err != nil || len(full) > 0 {
				t.Errorf("these shelves have too many records: %v, %v", full, err)
			}
		}
		took := map[string]time.Duration{}
		for range 15 {
			for name, b := range cases {
				began := time.Now()
				newest(t, b, res, "heritage")
				if d := time.Since(began); took[name] == 0 || d < took[name] {
					took[name] = d
				}
			}
		}
		t.Log(took)
		for name, d := range took {
			if d > 6*took["in order"] {
				t.Errorf("%s: a page takes %v; in order it takes %v", name, d, took["in order"])
			}
		}
	})
}
