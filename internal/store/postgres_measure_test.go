package store_test

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/storetest"
)

// A page of records with what they refer to is read along its order also right after a business was filled, before the database has
// looked at its tables by itself.
func TestTablesThatWereFilledAreMeasured(t *testing.T) {
	oneMachine(t, "postgres")
	ctx, contact := t.Context(), record.Registry.Resource("contact")
	url := newPostgres(t)
	s, traced := open(t, url), open(t, url)
	var mu sync.Mutex
	var asked store.Statement
	traced.Trace(func(st store.Statement) {
		mu.Lock()
		defer mu.Unlock()
		if strings.Contains(st.SQL, "FROM contacts t LEFT JOIN") {
			asked = st
		}
	})
	// It looks once a minute, and could do so in the middle of this.
	err := s.Script(ctx, []string{`
		DO $x$ DECLARE t regclass; BEGIN FOR t IN
			SELECT relid FROM pg_stat_user_tables WHERE relname LIKE 'contacts\_p%'
		LOOP EXECUTE 'ALTER TABLE ' || t || ' SET (autovacuum_enabled = false)'; END LOOP; END $x$`})
	if err != nil {
		t.Fatal(err)
	}
	b := storetest.Business(t, traced)
	fill := func(n int) {
		t.Helper()
		all := make([]*schema.Record, n)
		for i := range all {
			all[i] = storetest.NewRecord(contact)
			all[i].PutText(crm.Contacts.Name, fmt.Sprintf("Person %d", i))
		}
		if err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error { return tx.InsertMany(contact, all, "create") }); err != nil {
			t.Fatal(err)
		}
	}
	known := func() (rows int64) {
		t.Helper()
		rows, err := s.KnownRows(ctx, "contacts")
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	// The server's own counters of what was written come within ten seconds.
	measured := func(least int64) {
		t.Helper()
		for end := time.Now().Add(time.Minute); known() < least; time.Sleep(100 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%d rows are known of at least %d", known(), least)
			}
			fill(1) // without a write nothing is looked at
			if err := traced.Measure(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	fill(3000)
	q := &query.Query{
		Resource: contact, Order: query.Path{Ref: -1, Leaf: crm.Contacts.CreatedAt}, Desc: true, Limit: 20, Leaves: contact.Visible(false),
		Refs: []query.Ref{{Via: crm.Contacts.CompanyID}}, Through: []query.Through{{Ref: 0, Leaves: []*schema.Leaf{crm.Companies.Name}}},
	}
	page := func() string {
		t.Helper()
		if _, err := b.Search(ctx, q, func([]schema.Value) error { return nil }); err != nil {
			t.Fatal(err)
		}
		lines, err := s.ExplainPlan(ctx, asked.SQL, asked.Args, true)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(lines, "\n")
	}
	sorts := regexp.MustCompile(`->  Sort\b`)
	measured(3000)
	if plan := page(); sorts.MatchString(plan) {
		t.Errorf("the page is sorted:\n%s", plan)
	}
	before := known()
	fill(1000)
	if err := traced.Measure(ctx); err != nil {
		t.Fatal(err)
	}
	if now := known(); now != before {
		t.Errorf("a table that grew by a third is looked at again: %d, %d", before, now)
	}
	fill(3000)
	measured(7000)
}

// In a cluster each machine measures its own shards.
func TestShardsThatWereFilledAreMeasured(t *testing.T) {
	onCluster(t)
	ctx, contact := t.Context(), record.Registry.Resource("contact")
	s := open(t, newPostgres(t))
	b := storetest.Business(t, s)
	all := make([]*schema.Record, 1500)
	for i := range all {
		all[i] = storetest.NewRecord(contact)
		all[i].PutText(crm.Contacts.Name, fmt.Sprintf("Person %d", i))
	}
	if err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error { return tx.InsertMany(contact, all, "create") }); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		if err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
			return tx.Insert(contact, storetest.NewRecord(contact),
				"create")
		}); err != nil {
			t.Fatal(err)
		}
		if err := s.Measure(ctx); err != nil {
			t.Fatal(err)
		}
		n, err := s.MeasuredShards(ctx, "contacts")
		if err != nil || time.Now().After(end) {
			t.Fatalf("no shard was measured: %v", err)
		}
		if n > 0 {
			return
		}
	}
}
