package pgtest_test

import (
	"context"
	"os"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kith-crm/kith/internal/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

var migrations atomic.Int32

func migrate(url string) error {
	migrations.Add(1)
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, "CREATE TABLE thing (id int PRIMARY KEY)")
	return err
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

// Databases made at the same time must not see each other's rows, and all come
// from one migration.
func TestNewDatabaseIsFresh(t *testing.T) {
	t.Run("group", func(t *testing.T) {
		for range 8 {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				conn := connect(t, pgtest.NewDatabase(t, migrate))
				var rows int
				if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM thing").Scan(&rows); err != nil {
					t.Fatal(err)
				}
				if rows != 0 {
					t.Fatalf("a fresh database has %d rows", rows)
				}
				if _, err := conn.Exec(t.Context(), "INSERT INTO thing VALUES (1)"); err != nil {
					t.Fatal(err)
				}
			})
		}
	})
	if n := migrations.Load(); n != 1 {
		t.Errorf("migrate ran %d times, want once", n)
	}
}

// A test that forgot to close a connection must not leave its database behind.
func TestNewDatabaseIsDropped(t *testing.T) {
	admin := connect(t, pgtest.URL(t))
	var name string
	t.Run("user", func(t *testing.T) {
		url := pgtest.NewDatabase(t, migrate)
		forgotten, err := pgx.Connect(context.Background(), url)
		if err != nil {
			t.Fatal(err)
		}
		name = forgotten.Config().Database
	})
	var found bool
	err := admin.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).Scan(&found)
	if err != nil {
		t.Fatal(err)
	}
	if name == "" || found {
		t.Errorf("database %q is still there after its test", name)
	}
}
