// Package testworld is what tests of all packages begin with: a database of either engine, the engine of the domain on it,
// businesses and people in it, requests that are answered, and a log that can be read. It is for tests only.
package testworld

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kith-crm/kith/internal/pgtest"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/wiring"
)

// Engines are the names of the databases that kith runs on.
var Engines = []string{"sqlite", "postgres"}

// Database makes a fresh, migrated database of an engine, and gives its URL.
func Database(tb testing.TB, engine string) string {
	tb.Helper()
	if engine == "postgres" {
		return pgtest.NewDatabase(tb, MigrateSmall)
	}
	file, err := migratedFile()
	if err != nil {
		tb.Fatal(err)
	}
	path := filepath.Join(tb.TempDir(), "kith.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		tb.Fatal(err)
	}
	return "sqlite:" + path
}

// migratedFile is what SQLite's file has in it after the migrations. It is made once, because that takes longer than most tests.
var migratedFile = sync.OnceValues(func() (file []byte, err error) {
	dir, err := os.MkdirTemp("", "kith")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "kith.db")
	if err := Migrate("sqlite:" + path); err != nil {
		return nil, err
	}
	if _, err := os.Stat(path + "-wal"); err == nil {
		return nil, errors.New("a part of the migrated database is not in its file")
	}
	return os.ReadFile(path)
})

// Migrate makes the tables of a database.
func Migrate(url string) error {
	s, err := store.Open(context.Background(), url, record.Registry)
	if err != nil {
		return err
	}
	_, err = s.Migrate(context.Background())
	return errors.Join(err, s.Close())
}

// MigrateSmall makes the tables of a database, in PostgreSQL with two partitions of each partitioned table instead of sixteen: each
// has all the indexes, and a database is copied for every test, which takes five times as long with all of them. The conformance
// suite of the store and the tests of migrations have them all.
func MigrateSmall(url string) error {
	if err := Migrate(url); err != nil || !strings.HasPrefix(url, "postgres") {
		return err
	}
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, `DO $$
		DECLARE
			part record;
			spread record;
		BEGIN
			FOR spread IN SELECT oid, relname FROM pg_class WHERE relkind = 'p' LOOP
				FOR part IN SELECT inhrelid::regclass AS name FROM pg_inherits WHERE inhparent = spread.oid LOOP
					EXECUTE format('DROP TABLE %s', part.name);
				END LOOP;
				FOR n IN 0..1 LOOP
					EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS 2, REMAINDER %s)',
						spread.relname || '_p' || n, spread.relname, n);
				END LOOP;
			END LOOP;
		END $$`)
	return errors.Join(err, conn.Close(ctx))
}

// OnBoth runs a test on a fresh database of each engine.
func OnBoth(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	for _, engine := range Engines {
		t.Run(engine, func(t *testing.T) { test(t, Database(t, engine)) })
	}
}

// Open connects to a database until the test ends.
func Open(tb testing.TB, url string) *store.Store {
	tb.Helper()
	s, err := store.Open(context.Background(), url, record.Registry)
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

// Engine makes the domain's engine on a store.
func Engine(tb testing.TB, s *store.Store) *record.Engine {
	tb.Helper()
	e, err := wiring.NewEngine(context.Background(), s)
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// Log keeps what is logged for tests that read it.
type Log struct {
	mu    sync.Mutex
	text  bytes.Buffer
	fresh chan struct{}
}

// NewLog makes an empty log.
func NewLog() *Log { return &Log{fresh: make(chan struct{}, 1)} }

func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case l.fresh <- struct{}{}:
	default:
	}
	return l.text.Write(p)
}

func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Fresh has something when more was written since it was last asked.
func (l *Log) Fresh() <-chan struct{} { return l.fresh }
