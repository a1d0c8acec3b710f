package store_test

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/merged"
	"github.com/kith-crm/kith/internal/store/storetest"
)

// What is asked of the tables of links, match keys and dismissed pairs is found by their keys, on both engines, with statistics and
// without.
func TestLinksAndTwinsUseAnIndex(t *testing.T) {
	const people = 400
	contact, association := record.Registry.Resource("contact"), record.Registry.Resource("association")
	for name, fresh := range engines {
		t.Run(name, func(t *testing.T) {
			oneMachine(t, name)
			url, ctx := fresh(t), t.Context()
			s, traced := open(t, url), open(t, url)
			var mu sync.Mutex
			seen := map[string]store.Statement{}
			traced.Trace(func(st store.Statement) {
				mu.Lock()
				defer mu.Unlock()
				if !strings.HasPrefix(st.SQL, "INSERT") &&
					regexp.MustCompile(`\b(association_end|match_key|not_twins)\b`).MatchString(st.SQL) {
					seen[st.SQL] = st
				}
			})
			var first store.Tenant
			var all []*schema.Record
			for range 3 { // others, so that a business is not the whole table
				first = storetest.Business(t, traced)
				all = make([]*schema.Record, people)
				for i := range all {
					all[i] = storetest.NewRecord(contact)
					all[i].PutText(crm.Contacts.Name, fmt.Sprintf("Person %d", i))
					all[i].PutText(crm.Contacts.Email, fmt.Sprintf("p%d@firm%d.example", i, i%20))
					all[i].PutText(crm.Contacts.Phone, fmt.Sprintf("+46 70 %06d", i))
				}
				links := make([]*schema.Record, people)
				for i := range links {
					links[i] = storetest.NewRecord(association)
					links[i].PutText(record.Associations.FromID, schema.FormatID("contact", all[i].ID()))
					links[i].PutText(record.Associations.ToID, schema.FormatID("contact", all[(i+1)%people].ID()))
				}
				err := first.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
					if err := tx.InsertMany(contact, all, "create"); err != nil {
						return err
					}
					return tx.InsertMany(association, links, "create")
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			a, b := all[3].ID(), all[4].ID()
			end := store.End{Resource: "contact", ID: a}
			err := first.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
				if n, err := tx.CountLinks(association, end, 10); err != nil || n != 2 {
					return fmt.Errorf("%d links, %w", n, err)
				}
				if found, err := tx.Links(association, end, &store.End{Resource: "contact", ID: b}, true, 10); err != nil ||
					len(found) != 1 {
					return fmt.Errorf("%d links between two, %w", len(found), err)
				}
				found, err := tx.Links(association, end, nil, true, 10)
				if err != nil || len(found) != 2 {
					return fmt.Errorf("%d links of one, %w", len(found), err)
				}
				gone := found[0].Clone()
				gone.Put(record.Associations.DeletedAt, schema.TimeValue(tx.Now))
				if err := tx.Update(association, found[0], gone, "delete"); err != nil {
					return err
				}
				moved := all[3].Clone()
				moved.PutText(crm.Contacts.Phone, "+46 70 999999")
				if err := tx.Update(contact, all[3], moved, "update"); err != nil {
					return err
				}
				return merged.SetNotTwins(tx, contact, store.PairOf(a, b))
			})
			if err != nil {
				t.Fatal(err)
			}
			linked := contact.Links[0]
			for _, l := range contact.Links {
				if l.Target.Name == "contact" {
					linked = l
				}
			}
			for operator, values := range map[query.Operator][]schema.Value{
				query.Contains: {schema.IDValue(a)}, query.In: {schema.IDValue(a), schema.IDValue(b)}, query.Nin: {schema.IDValue(a)},
				query.IsSet: nil, query.IsNotSet: nil,
			} {
				q := &query.Query{
					Resource: contact, Order: query.Path{Ref: -1, Leaf: crm.Contacts.CreatedAt}, Desc: true, Limit: 3,
					Leaves:  contact.Visible(false),
					Filters: []query.Condition{{Path: query.Path{Ref: -1, Leaf: linked}, Operator: operator, Values: values}},
				}
				if _, err := first.Search(ctx, q, func([]schema.Value) error { return nil }); err != nil {
					t.Fatal(err)
				}
			}
			for _, keys := range []string{store.PhoneKeys, store.DomainKeys} {
				if err := first.AlikeFrom(ctx, contact, store.Alike{Keys: keys}, "4", 10, func(string, schema.UUID) {}); err != nil {
					t.Fatal(err)
				}
				if _, err := first.AlikeTo(ctx, contact, store.Alike{Keys: keys}, "4670000001", 10); err != nil {
					t.Fatal(err)
				}
			}
			if not, err := merged.NotTwins(ctx, first, contact, []store.Pair{store.PairOf(a, b)}); err != nil || len(not) != 1 {
				t.Fatalf("%v, %v", not, err)
			}

			if len(seen) < 12 {
				t.Errorf("only %d statements were seen", len(seen))
			}
			wrong := regexp.MustCompile(`Seq Scan on (association_end|match_key|not_twins)|SCAN ` +
				`(e|t|m|association_end|match_key|not_twins)\b`)
			check := func(when string) {
				t.Helper()
				for _, st := range seen {
					lines, err := s.ExplainPlan(ctx, st.SQL, st.Args, true)
					if err != nil {
						t.Fatal(err)
					}
					if plan := strings.Join(lines, "\n"); wrong.MatchString(plan) {
						t.Errorf("%s the plan is wrong:\n%s\n%s", when, st.SQL, plan)
					}
				}
			}
			if name == "postgres" {
				check("without statistics")
				if err := s.Script(ctx, []string{"ANALYZE"}); err != nil {
					t.Fatal(err)
				}
			}
			check("with statistics")
		})
	}
}
