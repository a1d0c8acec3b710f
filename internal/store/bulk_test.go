package store_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/storetest"
)

// many is enough records for PostgreSQL to copy instead of inserting.
const many = 36

// sample makes the i-th record of a resource, with a value of its own kind in every field, and every third one that may be absent absent.
func sample(res *schema.Resource, i int, at time.Time) *schema.Record {
	rec := schema.NewRecord(&res.Shape)
	for n, l := range res.Leaves {
		if !l.Required && (n+i)%3 == 0 {
			continue
		}
		rec.Values[n] = sampleValue(l, i, at)
	}
	rec.Put(rec.Common.ID, schema.IDValue(schema.NewID(at)))
	rec.Put(rec.Common.CreatedAt, schema.TimeValue(at))
	rec.Put(rec.Common.UpdatedAt, schema.TimeValue(at))
	rec.Put(rec.Common.Version, schema.IntValue(schema.Integer, 1))
	rec.Put(rec.Common.DeletedAt, schema.Absent(schema.Time))
	return rec
}

func sampleValue(l *schema.Leaf, i int, at time.Time) schema.Value {
	switch {
	case l.Format == schema.Phone:
		return schema.TextValue(l.Kind, fmt.Sprintf("+49 (30) 55-%03d", i))
	case l.Kind == schema.Choice:
		return schema.TextValue(l.Kind, l.Options[i%len(l.Options)])
	case l.Kind == schema.Choices:
		return schema.TextValue(l.Kind, `["`+l.Options[i%len(l.Options)]+`"]`)
	case l.Kind == schema.Bool:
		return schema.BoolValue(i%2 == 0)
	case l.Kind == schema.Number:
		return schema.FloatValue(float64(i) + 0.1)
	case l.Kind == schema.Time:
		return schema.TimeValue(at.Add(time.Duration(i) * time.Hour))
	case l.Kind == schema.Date:
		return schema.DateValue(at.AddDate(0, 0, i))
	case l.Kind == schema.ID:
		return schema.IDValue(schema.NewID(at))
	case l.Kind == schema.Tags:
		return schema.TextValue(l.Kind, fmt.Sprintf(`["Größe %d","vip"]`, i))
	case l.Kind == schema.List:
		return schema.TextValue(l.Kind, `[{"name":"Ä \"quoted\" line"}]`)
	case l.Kind == schema.Document:
		return schema.TextValue(l.Kind, fmt.Sprintf(`{"n":%d}`, i))
	case l.Format == schema.RecordID:
		return storetest.Sample(l, i)
	case l.Kind == schema.Text || l.Kind == schema.LongText:
		return schema.TextValue(l.Kind, fmt.Sprintf("Zoë %s-%d\tØre", l.Path, i))
	default:
		return schema.IntValue(l.Kind, int64(i)*7+1)
	}
}

// changesOf gives the log of a business without who wrote it.
func changesOf(t *testing.T, tenant store.Tenant) []store.Change {
	t.Helper()
	var all []store.Change
	err := tenant.Changes(context.Background(), 0, func(c store.Change) error {
		c.Actor = store.Actor{}
		all = append(all, c)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestManyRecordsAtOnceAreLikeOneByOne(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		s.SetWindow(1)
		e := newEngine(t, s)
		single, bulk := newBusiness(t, e), newBusiness(t, e)
		logged := len(changesOf(t, single.Tenant))
		at := time.Now().Add(-time.Hour).UTC().Truncate(time.Microsecond)
		var written []schema.UUID
		for _, res := range record.Registry.Resources {
			recs := make([]*schema.Record, many)
			for i := range recs {
				recs[i] = sample(res, i, at.Add(time.Duration(i)*time.Second))
				written = append(written, recs[i].ID())
			}
			// Few in one transaction, so that nothing of it is copied.
			for few := range slices.Chunk(recs, 12) {
				err := single.Tenant.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
					for _, rec := range few {
						if err := tx.Insert(res, rec, "create"); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					t.Fatalf("%s: %v", res.Name, err)
				}
			}
			if err := bulk.Tenant.Write(ctx, store.Actor{},
				func(tx *store.Tx) error { return tx.InsertMany(res, recs, "create") }); err != nil {
				t.Fatalf("%s: %v", res.Name, err)
			}
			want, err := s.Dump(ctx, single.Tenant, res, written)
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.Dump(ctx, bulk.Tenant, res, written)
			if err != nil {
				t.Fatal(err)
			}
			if len(want) != many || !slices.Equal(got, want) {
				t.Errorf("%s: the rows differ:\n%s\none by one:\n%s", res.Name, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			one, err1 := single.Tenant.Count(ctx, res)
			all, err2 := bulk.Tenant.Count(ctx, res)
			if one != all || err1 != nil || err2 != nil {
				t.Errorf("%s: counts %d and, one by one, %d (%v, %v)", res.Name, all, one, err1, err2)
			}
		}
		want, got := changesOf(t, single.Tenant), changesOf(t, bulk.Tenant)
		if len(want) != logged+len(written) {
			t.Fatalf("%d entries in the log, want %d and %d more", len(want), logged, len(written))
		}
		if !slices.Equal(got[logged:], want[logged:]) {
			t.Error("the logs differ")
		}
		for search, finds := range map[string]bool{
			`{}`: true, `{"search_text":"zoe"}`: true, `{"search_text":"name-17"}`: true, `{"search_text":"493055017"}`: true,
			`{"search_text":"groß vip"}`:                                                   true,
			`{"search_text":"ore","order_by":"lead_score","sort_direction":"asc"}`:         true,
			`{"filters":[{"field":"tags","operator":"contains","value":"GRÖSSE 8"}]}`:      true,
			`{"filters":[{"field":"name","operator":"starts_with","value":"zoë name-1"}]}`: true,
			`{"filters":[{"field":"lead_score","operator":"between","values":[3,5.5]}]}`:   true,
			`{"filters":[{"field":"address.city","operator":"eq","value":"zoe nowhere"}]}`: false,
			`{"search_text":"nobody"}`:                                                     false,
		} {
			a, b := contactIDs(t, e, single, search), contactIDs(t, e, bulk, search)
			if a != b {
				t.Errorf("%s finds %s, one by one %s", search, b, a)
			}
			if found := strings.Contains(b, "contact_"); found != finds {
				t.Errorf("%s finds %s", search, b)
			}
		}
	})
}

// contactIDs runs a search and gives what it found, without cursors: those belong to a business.
func contactIDs(t *testing.T, e *record.Engine, who *record.Principal, search string) string {
	t.Helper()
	search = strings.TrimSuffix(search, "}")
	if search != "{" {
		search += ","
	}
	n, err := body.Parse([]byte(search + `"limit":100,"fields":["id"]}`))
	if err != nil {
		t.Fatal(err)
	}
	found, err := httpapi.AppendList(context.Background(), e, record.Call{Principal: who}, record.KindOf("contact"), false, n, nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(found)
}

// A record that came in bulk must be changed, deleted and found like any other.
func TestRecordsThatCameInBulkLiveOn(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		s.SetWindow(1)
		e := newEngine(t, s)
		who := newBusiness(t, e)
		contacts := record.KindOf("contact")
		recs := make([]*schema.Record, many)
		for i := range recs {
			recs[i] = schema.NewRecord(&contacts.Shape)
			recs[i].Put(recs[i].Must("id"), schema.IDValue(schema.NewID(time.Now())))
			recs[i].Put(recs[i].Must("created_at"), schema.TimeValue(time.Now()))
			recs[i].Put(recs[i].Must("updated_at"), schema.TimeValue(time.Now()))
			recs[i].Put(recs[i].Must("version"), schema.IntValue(schema.Integer, 1))
			recs[i].PutText(recs[i].Must("name"), fmt.Sprintf("Person %c%c", 'A'+i/26, 'A'+i%26))
			recs[i].Put(recs[i].Must("do_not_contact"), schema.BoolValue(false))
		}
		if err := who.Tenant.Write(ctx, store.Actor{},
			func(tx *store.Tx) error { return tx.InsertMany(&contacts.Resource, recs, "create") }); err != nil {
			t.Fatal(err)
		}
		call := record.Call{Principal: who}
		first, second := schema.FormatID("contact", recs[0].ID()), schema.FormatID("contact", recs[1].ID())
		renamed, err := body.Parse([]byte(`{"name":"Somebody Else"}`))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Do(ctx, call, record.Operation{Kind: contacts, Name: record.Update, ID: first, Body: renamed}); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Do(ctx, call, record.Operation{Kind: contacts, Name: record.Remove, ID: second}); err != nil {
			t.Fatal(err)
		}
		for search, total := range map[string]int{`{}`: many - 1, `{"search_text":"person"}`: many - 2, `{"search_text":"somebody"}`: 1} {
			if found := contactIDs(t, e, who, search); strings.Count(found, "contact_") != total ||
				!strings.HasSuffix(found, fmt.Sprintf(`"total":%d}}`, total)) {
				t.Errorf("%s finds %s, want %d", search, found, total)
			}
		}
	})
}

// Of two who claim a name one gets it, whatever becomes of the transaction of the other.
func TestClaim(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		who := newBusiness(t, newEngine(t, s))
		if _, err := s.Claimed(ctx, "thing"); err != store.ErrNotFound {
			t.Fatalf("a name that nobody claimed: %v", err)
		}
		var got []bool
		for _, value := range []string{"first", "second"} {
			err := who.Tenant.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
				ok, err := tx.Outside().Claim("thing", []byte(value))
				got = append(got, ok)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		value, err := s.Claimed(ctx, "thing")
		if err != nil || string(value) != "first" || !slices.Equal(got, []bool{true, false}) {
			t.Errorf("claimed %q (%v), %v", value, got, err)
		}
	})
}
