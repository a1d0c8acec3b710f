package store_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/pgtest"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
	"github.com/kith-crm/kith/internal/store/queue"
	"github.com/kith-crm/kith/internal/store/storetest"
	"github.com/kith-crm/kith/internal/testworld"
)

// Whoever adds a table decides where it lies in a cluster: with its business, or where everybody asks first.
func TestEveryTableHasAPlaceInACluster(t *testing.T) {
	for _, wrong := range store.Misplaced(record.Registry) {
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
		o := newOperator(t, e)
		o.records()
		o.searches()
		o.jobs()
		o.imports()
		o.webhooks()
		o.erasures()
		asked := 0
		for _, st := range tracer.seen {
			if verb, _, _ := strings.Cut(st.SQL, " "); !st.Bound() ||
				!slices.Contains([]string{"SELECT", "INSERT", "UPDATE", "DELETE", "WITH"}, verb) {
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
			if tasks := strings.Count(whole, "Task Count: "); !onCoordinator &&
				(tasks != 1 || !strings.Contains(whole, "Task Count: 1\n")) {
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
		s, err := store.Open(ctx, url, record.Registry)
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
	who := testworld.Business(t, e, "Test", account.Person{Email: "admin@example.com", Name: "Admin"})
	contacts := record.Registry.Resource("contact")
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

// Where a business lies is counted here as the coordinator counts it.
func TestTheMachineOfABusinessIsKnown(t *testing.T) {
	onCluster(t)
	ctx, url := context.Background(), newPostgres(t)
	s := open(t, url)
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(ctx)
	where := func(id schema.UUID) (machine int64) {
		t.Helper()
		const sql = `SELECT p.groupid::bigint FROM pg_dist_placement p
			WHERE p.shardid = get_shard_id_for_distribution_column('business', $1::uuid)`
		if err := c.QueryRow(ctx, sql, [16]byte(id)).Scan(&machine); err != nil {
			t.Fatal(err)
		}
		return machine
	}
	for id, machine := range s.ShardIDs() {
		if is := where(id); is != machine || s.MachineOf(id) != machine {
			t.Errorf("the id for a shard of machine %d lies on %d, and is said to lie on %d", machine, is, s.MachineOf(id))
		}
	}
	for range 200 {
		id := schema.NewID(time.Now())
		if is, said := where(id), s.MachineOf(id); is != said {
			t.Fatalf("a business on machine %d is said to lie on %d", is, said)
		}
	}
}

// Who looks for work asks each machine once, whatever the number of shards.
func TestALookForWorkAsksEachMachineOnce(t *testing.T) {
	onCluster(t)
	ctx, url := context.Background(), newPostgres(t)
	s := open(t, url)
	transactions := func() map[string]int64 {
		all := map[string]int64{}
		for _, machine := range pgtest.Machines(t)[1:] {
			c, err := pgx.Connect(ctx, machine)
			if err != nil {
				t.Fatal(err)
			}
			var n int64
			name := url[strings.LastIndexByte(url, '/')+1:]
			name, _, _ = strings.Cut(name, "?")
			err = c.QueryRow(ctx, "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = $1", name).Scan(&n)
			if all[machine] = n; errors.Join(err, c.Close(ctx)) != nil {
				t.Fatal(err)
			}
		}
		return all
	}
	looks := []func() error{
		func() error { _, err := queue.DueJobs(ctx, s, time.Now()); return err },
		func() error { _, err := queue.EndedJobs(ctx, s, time.Now()); return err },
		func() error { _, err := queue.OldImports(ctx, s, time.Now()); return err },
		func() error { _, _, err := queue.DueFeeds(ctx, s, time.Now()); return err },
		func() error { _, err := queue.FeedBusinesses(ctx, s); return err },
		func() error { _, err := queue.IndexWorks(ctx, s, time.Now()); return err },
		func() error { _, err := queue.Erasing(ctx, s); return err },
		func() error { _, err := s.Retaining(ctx); return err },
	}
	const rounds = 10
	round := func() {
		for _, look := range looks {
			if err := look(); err != nil {
				t.Fatal(err)
			}
		}
	}
	round() // connections are made
	before := transactions()
	for range rounds {
		round()
	}
	// The servers count what their processes tell them now and then.
	asked := int64(rounds * len(looks))
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		least, now := int64(math.MaxInt64), transactions()
		for machine, n := range now {
			least = min(least, n-before[machine])
			if n-before[machine] > asked*3/2 { // those before the first count may come late
				t.Fatalf("%d looks were %d transactions of one machine", asked, n-before[machine])
			}
		}
		if least >= asked {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d looks, but a machine had only %d transactions", asked, least)
		}
	}
}

// On a machine that has shards itself, some versions of Citus keep what they plan for any arguments, and never use it.
func TestReadsDoNotFillTheMemoryOfTheMachineThatIsAsked(t *testing.T) {
	onCluster(t)
	ctx := context.Background()
	url, _ := pgtest.NewAlone(t)
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(ctx)
	var version string
	for _, sql := range []string{
		"CREATE EXTENSION citus", "CREATE EXTENSION pg_trgm", "CREATE EXTENSION btree_gin",
		fmt.Sprintf("SELECT citus_set_coordinator_host('%s', %d)", c.Config().Host, c.Config().Port),
		fmt.Sprintf("SELECT citus_set_node_property('%s', %d, 'shouldhaveshards', true)", c.Config().Host, c.Config().Port),
		"SET citus.shard_count = 2",
	} {
		if _, err := c.Exec(ctx, sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	if err := c.QueryRow(ctx, "SELECT citus_version()").Scan(&version); err != nil {
		t.Fatal(err)
	}
	if err := testworld.Migrate(url); err != nil {
		t.Fatal(err)
	}
	separator := "?"
	if strings.Contains(url, "?") {
		separator = "&"
	}
	s := open(t, url+separator+"pool_max_conns=1")
	who := newBusiness(t, newEngine(t, s))
	contacts, rec := record.Registry.Resource("contact"), storetest.NewRecord(record.Registry.Resource("contact"))
	if err := who.Tenant.Write(ctx, store.Actor{}, func(tx *store.Tx) error { return tx.Insert(contacts, rec, "create") }); err != nil {
		t.Fatal(err)
	}
	read := func(times int) {
		for range times {
			if _, err := who.Tenant.Get(ctx, contacts, rec.ID(), false); err != nil {
				t.Fatal(err)
			}
		}
	}
	used := func() int64 {
		rows, err := s.Rows(ctx, "SELECT sum(used_bytes)::bigint::text FROM pg_backend_memory_contexts", 1)
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.ParseInt(rows[0], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	read(50)
	before := used()
	const times = 500
	read(times)
	each := (used() - before) / times
	t.Logf("%s: the machine keeps %d bytes for each read", version, each)
	if each > 5_000 { // it would be 75,000
		t.Errorf("%s: the machine keeps %d bytes for each read", version, each)
	}
	told := slices.ContainsFunc(s.Remarks(), func(remark string) bool { return strings.Contains(remark, "Citus 13.2.1 to 14.0.1") })
	is := func(versions string) bool { return strings.HasPrefix(version, "Citus "+versions) }
	if affected := is("13.2.") && !is("13.2.0 ") || is("14.0.0 ") || is("14.0.1 "); told != affected {
		t.Errorf("%s: the operator is told of it: %v", version, told)
	}
}
