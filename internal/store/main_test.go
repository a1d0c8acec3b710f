package store_test

import (
	"os"
	"testing"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/pgtest"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/testworld"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(writerVariable); path != "" {
		writeForever(path)
		return
	}
	os.Exit(pgtest.Main(m))
}

// engines are what every test of both engines runs on: each gives the URL of a fresh, migrated database.
var engines = map[string]func(tb testing.TB) string{
	"sqlite":   newSQLite,
	"postgres": newPostgres,
}

func newSQLite(tb testing.TB) string { return testworld.Database(tb, "sqlite") }

// newPostgres makes a database with two partitions of each partitioned table.
func newPostgres(tb testing.TB) string { return pgtest.NewDatabase(tb, testworld.MigrateSmall) }

// newWholePostgres makes a database with all partitions, as in earnest. It takes as long as many tests do.
func newWholePostgres(tb testing.TB) string {
	tb.Helper()
	url := pgtest.NewEmpty(tb)
	if err := testworld.Migrate(url); err != nil {
		tb.Fatal(err)
	}
	return url
}

// open connects to a database until the test ends.
func open(tb testing.TB, url string) *store.Store { return testworld.Open(tb, url) }

// onBoth runs a test on a fresh database of each engine.
func onBoth(t *testing.T, test func(t *testing.T, s *store.Store)) {
	for name, fresh := range engines {
		t.Run(name, func(t *testing.T) { test(t, open(t, fresh(t))) })
	}
}

// newEngine makes the domain's engine on a store.
func newEngine(tb testing.TB, s *store.Store) *record.Engine { return testworld.Engine(tb, s) }

// newBusiness makes a business as the product does, and gives its administrator.
func newBusiness(tb testing.TB, e *record.Engine) *record.Principal {
	tb.Helper()
	return testworld.Business(tb, e, "Test", account.Person{Email: "admin@example.com", Name: "Admin"})
}

// oneMachine leaves out what is about the plans and partitions of one machine, where the tests run on a cluster: its coordinator only
// tells where a statement goes.
func oneMachine(t *testing.T, engine string) {
	t.Helper()
	if engine == "postgres" && pgtest.Cluster(t) {
		t.Skip("this is about the plans or partitions of one machine")
	}
}
