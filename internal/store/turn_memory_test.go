package store_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// What a turn knew of the default stage serves the next one, and never one that came after a change of it: on the same server, on
// another, or in a turn that was undone.
func TestATurnKnowsTheDefaultStageAsItIs(t *testing.T) {
	do := func(w server, kind, text string, rehearse bool) (*schema.Record, error) {
		n, err := body.Parse([]byte(text))
		if err != nil {
			return nil, err
		}
		op := record.Operation{Kind: record.KindOf(kind), Name: record.Create, Body: n}
		if !rehearse {
			return w.e.Do(context.Background(), record.Call{Principal: w.who}, op)
		}
		var rec *schema.Record
		err = w.who.Tenant.Rehearse(context.Background(), store.Actor{}, func(tx *store.Tx) (err error) {
			rec, err = w.e.Do(context.Background(), record.Call{Principal: w.who, Tx: tx}, op)
			return err
		})
		return rec, err
	}
	for name, fresh := range engines {
		t.Run(name, func(t *testing.T) {
			url := fresh(t)
			first := server{e: newEngine(t, open(t, url))}
			first.who = newBusiness(t, first.e)
			servers := []server{first}
			if name == "postgres" { // a file has one server
				servers = append(servers, first.on(t, open(t, url)))
			}
			now := schema.Value{}
			check := func(when string) {
				t.Helper()
				for at, w := range servers {
					rec, err := do(w, "contact", `{"name":"Anna"}`, false)
					if err != nil {
						t.Fatal(err)
					}
					if stage := rec.Get(crm.Contacts.LifecycleStageID); now.Set && stage != now {
						t.Errorf("%s, server %d gives a contact a stage that is not the default", when, at)
					} else {
						now = stage
					}
				}
			}
			check("at first")
			check("asked again")
			for round := range 4 {
				w := servers[round%len(servers)]
				stage := fmt.Sprintf(`{"name":"Stage %d","is_default":true}`, round)
				if _, err := do(w, "lifecycle_stage", stage, true); err != nil {
					t.Fatal(err)
				}
				check("after a rehearsal")
				if _, err := do(w, "lifecycle_stage", `{"name":"","is_default":true}`, false); err == nil {
					t.Fatal("a stage without a name was taken")
				}
				check("after a refused change")
				rec, err := do(w, "lifecycle_stage", stage, false)
				if err != nil {
					t.Fatal(err)
				}
				now = schema.IDValue(rec.ID())
				check("after a change")
				check("and later")
			}
		})
	}
}
