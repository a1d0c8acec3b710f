package store_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"kith/internal/crm"
	"kith/internal/pgtest"
	"kith/internal/schema"
	"kith/internal/store"
	"kith/internal/store/keep"
	"kith/internal/store/storetest"
	"kith/internal/testworld"
)

// Whoever adds a table decides where it lies in a cluster: with its business, or where everybody asks first.
func TestEveryTableHasAPlaceInACluster(t *testing.T) {
	for _, wrong := range store.Misplaced(crm.Registry) {
		t.Error(wrong)
	}
}

// onCluster leaves a test out where the server to test on is none.
func onCluster(t *testing.T) {
	t.Helper()
	if !pgtest.Cluster(t) {
		t.Skip("this needs a Citus cluster: run it with scripts/with-citus")
	}
}

// Whatever is done in a business, the coordinator sends to one shard. Those few statements that belong to no business are not asked here.
func TestEveryStatementOfABusinessGoesToOneShard(t *testing.T) {
	onCluster(t)
	t.Run("postgres", func(t *testing.T) {
		s := open(t, newPostgres(t))
		s.SetWindow(1)
		tracer := newTracer()
		s.Trace(tracer.see)
		e := newEngine(t, s)
		o := &operator{t: t, e: e, call: crm.Call{Principal: newBusiness(t, e), RequestID: "request"}, ids: map[string]string{}}
		o.records()
		o.searches()
		o.jobs()
		o.imports()
		o.webhooks()
		o.erasures()
		asked := 0
		for _, st := range tracer.seen {
			if verb, _, _ := strings.Cut(st.SQL, " "); !st.Bound() || !slices.Contains([]string{"SELECT", "INSERT", "UPDATE", "DELETE", "WITH"}, verb) {
				continue
			}
			plan, err := s.ExplainPlan(context.Background(), st.SQL, st.Args, false)
			if err != nil {
				t.Errorf("%v:\n%s", err, st.SQL)
				continue
			}
			asked++
			whole := strings.Join(plan, "\n")
			onCoordinator := !strings.Contains(whole, "Citus")
			if tasks := strings.Count(whole, "Task Count: "); !onCoordinator && (tasks != 1 || !strings.Contains(whole, "Task Count: 1\n")) {
				t.Errorf("it does not go to one shard:\n%s\n%s", st.SQL, whole)
			}
		}
		if asked < 300 {
			t.Errorf("only %d statements were asked after", asked)
		}
		t.Logf("%d different statements of a business went to one shard each", asked)
	})
}

// A database of one server becomes that of a cluster with all that it has, and the secrets that were there work on.
func TestADatabaseBecomesACluster(t *testing.T) {
	onCluster(t)
	ctx := context.Background()
	url, join := pgtest.NewAlone(t)
	if err := testworld.Migrate(url); err != nil {
		t.Fatal(err)
	}
	before := func() *store.Store {
		s, err := store.Open(ctx, url, crm.Registry)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	alone := before()
	if err := alone.Distribute(ctx); err == nil || !strings.Contains(err.Error(), "extension citus") {
		t.Fatalf("without Citus: %v", err)
	}
	e := newEngine(t, alone)
	who := testworld.Business(t, e, "Test", crm.Person{Email: "admin@example.com", Name: "Admin"})
	contacts := crm.Registry.Resource("contact")
	var made []*schema.Record
	old, named := keep.Hash{1}, keep.Hash{2}
	err := who.Tenant.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
		made = nil
		for range 50 {
			rec := storetest.NewRecord(contacts)
			made = append(made, rec)
			if err := tx.Insert(contacts, rec, "create"); err != nil {
				return err
			}
		}
		for _, hash := range []keep.Hash{old, named} {
			if err := keep.PutCredential(tx, hash, keep.Credential{Kind: "pat", User: who.User, Parent: who.User}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := alone.Close(); err != nil {
		t.Fatal(err)
	}

	if err := join(); err != nil {
		t.Fatal(err)
	}
	s := open(t, url)
	if _, err := s.Migrate(ctx); err != nil { // which changes nothing: it is the database of one server still
		t.Fatal(err)
	}
	if _, err := who.Tenant.On(s).Get(ctx, contacts, made[0].ID(), false); err != nil {
		t.Fatalf("beside an extension that it does not use: %v", err)
	}
	if err := s.Distribute(ctx); err != nil {
		t.Fatal(err)
	}
	if wrong, err := s.Misplaced(ctx); err != nil || len(wrong) > 0 {
		t.Fatalf("not placed: %v %v", wrong, err)
	}
	differ(t, layout(t, s), layout(t, open(t, newPostgres(t))))
	again := open(t, url) // as a server that starts afterwards
	tenant := who.Tenant.On(again)
	for _, rec := range made {
		if found, err := tenant.Get(ctx, contacts, rec.ID(), false); err != nil || !slices.Equal(found.Values, rec.Values) {
			t.Fatalf("%v %v, want %v", err, found, rec)
		}
	}
	for what, secret := range map[string]keep.Presented{"old": {Hash: old}, "new": {Hash: named, Business: tenant.ID()}} {
		if found, _, _, err := keep.Holder(ctx, again, secret); err != nil || found.Tenant.ID() != tenant.ID() || found.User != who.User {
			t.Errorf("%s secret: %+v %v", what, found, err)
		}
	}
	if all, err := keep.Identities(ctx, again, "admin@example.com"); err != nil || len(all) != 1 || all[0].User != who.User {
		t.Errorf("%+v %v", all, err)
	}
	err = tenant.Write(ctx, store.Actor{}, func(tx *store.Tx) error { return tx.Insert(contacts, storetest.NewRecord(contacts), "create") })
	if err != nil {
		t.Error(err)
	}
	if err := s.Distribute(ctx); err != nil {
		t.Errorf("once more: %v", err)
	}
}
