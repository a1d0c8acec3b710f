package store_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"kith/internal/crm"
	"kith/internal/pgtest"
	"kith/internal/store"
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

func newSQLite(tb testing.TB) string {
	tb.Helper()
	url := "sqlite:" + filepath.Join(tb.TempDir(), "kith.db")
	if err := migrate(url); err != nil {
		tb.Fatal(err)
	}
	return url
}

func newPostgres(tb testing.TB) string {
	tb.Helper()
	return pgtest.NewDatabase(tb, migrate)
}

func migrate(url string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, url, crm.Registry)
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = s.Migrate(ctx)
	return err
}

// open connects to a database until the test ends.
func open(tb testing.TB, url string) *store.Store {
	tb.Helper()
	s, err := store.Open(context.Background(), url, crm.Registry)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// onBoth runs a test on a fresh database of each engine.
func onBoth(t *testing.T, test func(t *testing.T, s *store.Store)) {
	for name, fresh := range engines {
		t.Run(name, func(t *testing.T) { test(t, open(t, fresh(t))) })
	}
}

// newEngine makes the domain's engine on a store.
func newEngine(tb testing.TB, s *store.Store) *crm.Engine {
	tb.Helper()
	e, err := crm.NewEngine(context.Background(), s)
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// newBusiness makes a business as the product does, and gives its administrator.
func newBusiness(tb testing.TB, e *crm.Engine) *crm.Principal {
	tb.Helper()
	who, err := e.CreateBusiness(context.Background(), "Test", "EUR", crm.Person{Email: "admin@example.com", Name: "Admin"}, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return who
}
