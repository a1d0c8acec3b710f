package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"kith/internal/body"
	"kith/internal/crm"
	"kith/internal/query"
	"kith/internal/schema"
	"kith/internal/store"
)

// A total that is remembered and corrected by the change log is the one that counting gives: whatever was created, changed, deleted and
// restored in between, and while the matches rise above what is counted and fall below it again.
func TestTotalsFollowChanges(t *testing.T) {
	for name, fresh := range engines {
		t.Run(name, func(t *testing.T) { totalsFollowChanges(t, fresh(t)) })
	}
}

func totalsFollowChanges(t *testing.T, url string) {
	ctx := context.Background()
	warm, cold := open(t, url), open(t, url)
	warm.SetWindow(10)
	remembering, counting := newEngine(t, warm), newEngine(t, cold)
	who := newBusiness(t, remembering)
	other := *who
	var err error
	if other.Tenant, err = cold.Tenant(ctx, who.Tenant.ID()); err != nil {
		t.Fatal(err)
	}
	res := &crm.KindOf("contact").Resource
	random := rand.New(rand.NewPCG(1, 2))
	shuffle := func(rec *schema.Record) {
		rec.PutText(rec.Must("name"), []string{"Anna Weber", "Ben Weber", "Clara Costa"}[random.IntN(3)])
		rec.Put(rec.Must("lead_score"), schema.FloatValue(float64(random.IntN(4))))
		rec.Put(rec.Common.OwnerID, schema.IDValue(who.User))
		if random.IntN(3) == 0 {
			rec.Put(rec.Common.OwnerID, schema.Absent(schema.ID))
		}
	}
	var all []*schema.Record
	add := func(n int) {
		t.Helper()
		made := make([]*schema.Record, n)
		for i := range made {
			rec := schema.NewRecord(&crm.KindOf("contact").Shape)
			rec.Put(rec.Common.ID, schema.IDValue(schema.NewID(time.Now())))
			rec.Put(rec.Common.CreatedAt, schema.TimeValue(time.Now()))
			rec.Put(rec.Common.UpdatedAt, schema.TimeValue(time.Now()))
			rec.Put(rec.Common.Version, schema.IntValue(schema.Integer, 1))
			rec.Put(rec.Must("do_not_contact"), schema.BoolValue(false))
			shuffle(rec)
			made[i] = rec
		}
		if err := who.Tenant.Write(ctx, store.Actor{}, func(tx *store.Tx) error { return tx.InsertMany(res, made, "create") }); err != nil {
			t.Fatal(err)
		}
		all = append(all, made...)
	}
	// change updates n records; about half of those that are deleted come back.
	change := func(n int, deleted float64) {
		t.Helper()
		err := who.Tenant.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
			for range n {
				i := random.IntN(len(all))
				after := all[i].Clone()
				after.Put(after.Common.Version, schema.IntValue(schema.Integer, after.Version()+1))
				after.Put(after.Common.DeletedAt, schema.Absent(schema.Time))
				if shuffle(after); random.Float64() < deleted {
					after.Put(after.Common.DeletedAt, schema.TimeValue(tx.Now))
				}
				if err := tx.Update(res, all[i], after, "update"); err != nil {
					return err
				}
				all[i] = after
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	searches := []string{
		`{"search_text":"weber"`,
		`{"search_text":"an we"`,
		`{"filters":[{"field":"lead_score","operator":"gte","value":1}]`,
		`{"filters":[{"field":"owner_id","operator":"is_set"},{"field":"lead_score","operator":"eq","value":2}]`,
		`{"filters":[{"field":"name","operator":"contains","value":"costa"}]`,
		`{"filters":[{"field":"owner.name","operator":"is_set"}]`,
	}
	beyond := 0
	compare := func(when string) {
		t.Helper()
		cold.ForgetTotals()
		for _, bin := range []bool{false, true} {
			for _, search := range searches {
				remembered, counted := total(t, remembering, who, search, bin), total(t, counting, &other, search, bin)
				if remembered != counted {
					t.Fatalf("%s, %s (bin %v): the remembered total is %d, counting gives %d", when, search, bin, remembered, counted)
				}
				if counted < 0 {
					beyond++
				}
			}
		}
	}
	add(300)
	compare("at first")
	for i := range 30 {
		change(1+random.IntN(5), 0.3)
		compare(fmt.Sprintf("change %d", i))
	}
	if warm.CorrectedTotals() == 0 {
		t.Error("no total was corrected, so nothing was proven")
	}
	for i := range 12 {
		add(150)
		compare(fmt.Sprintf("growth %d", i))
	}
	if beyond == 0 {
		t.Errorf("no search had more than %d matches", query.TotalCap)
	}
	for i := 0; total(t, counting, &other, searches[0], false) < 0; i++ {
		change(150, 0.9)
		compare(fmt.Sprintf("decline %d", i))
	}
}

func total(t *testing.T, e *crm.Engine, who *crm.Principal, search string, bin bool) int64 {
	t.Helper()
	n, err := body.Parse([]byte(search + `,"limit":1,"fields":["id"]}`))
	if err != nil {
		t.Fatal(err)
	}
	found, err := e.Search(context.Background(), crm.Call{Principal: who}, crm.KindOf("contact"), bin, n, nil)
	if err != nil {
		t.Fatal(err)
	}
	var page envelope
	if err := json.Unmarshal(found, &page); err != nil {
		t.Fatal(err)
	}
	if page.Meta.Total == nil {
		return -1
	}
	return *page.Meta.Total
}
