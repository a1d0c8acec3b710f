// Package pgtest gives each test a PostgreSQL database of its own. It is for tests only.
//
// A package which uses it needs this once:
//
//	func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }
package pgtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// variable names the server to use. scripts/with-postgres sets it.
const variable = "KITH_TEST_POSTGRES"

// stepTimeout bounds every single statement, so that a server which hangs fails a test instead of the whole run.
const stepTimeout = time.Minute

// errObjectInUse is PostgreSQL's code for "source database is being accessed by other users".
const errObjectInUse = "55006"

// The template is made once per test process: creating a database as a copy of
// it is much faster than migrating an empty one for each test.
var template struct {
	managed bool // set by Main before any test runs
	once    sync.Once
	server  string
	name    string // set as soon as there is something to drop
	err     error
}

// Main runs the tests and then drops what they shared. It returns the code to exit with.
func Main(m *testing.M) int {
	debug.SetGCPercent(300) // a tenth of the processor time went into collecting memory of which there is enough
	template.managed = true
	code := m.Run()
	if template.name != "" {
		if err := drop(template.server, template.name); err != nil {
			fmt.Fprintf(os.Stderr, "pgtest: drop the template database: %v\n", err)
			if code == 0 {
				code = 1
			}
		}
	}
	return code
}

// URL returns the URL of the server to test on. Tests on PostgreSQL are never skipped: without a server they fail.
func URL(tb testing.TB) string {
	tb.Helper()
	server := os.Getenv(variable)
	if server == "" {
		tb.Fatal(variable + " is not set: run the tests with `make test`, or `scripts/with-postgres go test ./...`")
	}
	return server
}

// NewDatabase makes a fresh database and returns its URL. The database is
// dropped when the test ends, even if connections to it are still open.
//
// migrate makes the tables in the database at the given URL. It is called once per test process, so every test of a package must pass
// the same one. It must close all its connections before it returns, since PostgreSQL does not copy a database that is in use.
func NewDatabase(tb testing.TB, migrate func(url string) error) string {
	tb.Helper()
	server := URL(tb)
	if !template.managed {
		tb.Fatal("pgtest.Main was not called, so nobody would drop the template database: " +
			"add `func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }` to the package's tests")
	}
	template.once.Do(func() { makeTemplate(server, migrate) })
	if template.err != nil {
		tb.Fatalf("pgtest: make the template database: %v", template.err)
	}

	return newDatabase(tb, server, newName("kith_test"), template.name)
}

// NewEmpty makes a database in which there is nothing yet, and returns its URL.
func NewEmpty(tb testing.TB) string {
	tb.Helper()
	server, name := URL(tb), newName("kith_empty")
	address := newDatabase(tb, server, name, "template0")
	if err := form(server, name); err != nil {
		tb.Fatalf("pgtest: make a cluster of it: %v", err)
	}
	return address
}

// newDatabase makes a database for a test, which is dropped with its end, and gives its address.
func newDatabase(tb testing.TB, server, name, template string) string {
	tb.Helper()
	if err := create(server, name, template); err != nil {
		tb.Fatalf("pgtest: create a database: %v", err)
	}
	tb.Cleanup(func() {
		if err := drop(server, name); err != nil {
			tb.Errorf("pgtest: drop the database %s: %v", name, err)
		}
	})
	address, err := withDatabase(server, name)
	if err != nil {
		tb.Fatalf("pgtest: %v", err)
	}
	return address
}

// Lock keeps everybody else from tables until the test ends, so that whoever reads them waits for as long as they may.
func Lock(tb testing.TB, url string, tables ...string) {
	tb.Helper()
	conn, err := pgx.Connect(tb.Context(), url)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { conn.Close(context.Background()) })
	if _, err := conn.Exec(tb.Context(), "BEGIN; LOCK TABLE "+strings.Join(tables, ", ")+" IN ACCESS EXCLUSIVE MODE"); err != nil {
		tb.Fatal(err)
	}
}

// makeTemplate notes a failure, because sync.Once runs it for the first test only and the others must fail too.
func makeTemplate(server string, migrate func(url string) error) {
	// If migrate panics, this is what later tests get to see.
	template.err = errors.New("it was not finished")
	name := newName("kith_template")
	address, err := withDatabase(server, name)
	if err != nil {
		template.err = err
		return
	}
	template.server, template.name = server, name
	// template0 is the bare one: whatever somebody added to the server's own template1 stays out of the tests.
	if err := create(server, name, "template0"); err != nil {
		template.err = err
		return
	}
	if err := form(server, name); err != nil {
		template.err = fmt.Errorf("make a cluster of it: %w", err)
		return
	}
	if err := migrate(address); err != nil {
		template.err = fmt.Errorf("migrate: %w", err)
		return
	}
	template.err = seal(server, name)
}

// create makes a database as a copy of another, on every machine of a cluster.
func create(server, name, source string) error {
	return onEach(server, func(machine string) error { return createOn(machine, name, source) })
}

// createOn tries a few times, because a connection that was just closed may live on in the server for a moment and be in the way.
// (The server itself waits five seconds each time.)
func createOn(server, name, source string) error {
	statement := "CREATE DATABASE " + quote(name) + " TEMPLATE " + quote(source)
	for attempt := 1; ; attempt++ {
		err := execute(server, statement)
		var reason *pgconn.PgError
		if attempt == 4 || !errors.As(err, &reason) || reason.Code != errObjectInUse {
			return err
		}
		time.Sleep(time.Duration(attempt) * 100 * time.Millisecond)
	}
}

func drop(server, name string) error {
	// Sealed on all machines first: those of a cluster keep connecting to each
	// other. A database that was never made cannot be sealed, and need not be.
	_ = seal(server, name)
	return onEach(server, func(machine string) error {
		// PostgreSQL waits five seconds for those that it told to leave; a server that tidies up after much data may need more.
		for deadline := time.Now().Add(stepTimeout); ; {
			err := execute(machine, "DROP DATABASE IF EXISTS "+quote(name)+" WITH (FORCE)")
			var refused *pgconn.PgError
			if !errors.As(err, &refused) || refused.Code != errObjectInUse || time.Now().After(deadline) {
				return err
			}
		}
	})
}

// execute uses a connection for one statement only. It does not take the test's
// context, because that one is cancelled already when cleaning up.
func execute(server, statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), stepTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, statement)
	return errors.Join(err, conn.Close(ctx))
}

// newName returns a name no other process uses, since all packages are tested side by side on the same server.
func newName(prefix string) string {
	return prefix + "_" + strings.ToLower(rand.Text())
}

func quote(name string) string {
	return pgx.Identifier{name}.Sanitize()
}

func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// withDatabase returns the server's URL with another database in it.
func withDatabase(server, name string) (string, error) {
	parsed, err := url.Parse(server)
	if err != nil || (parsed.Scheme != "postgres" && parsed.Scheme != "postgresql") {
		// The value may hold a password, so it is not repeated.
		return "", errors.New(variable + " must be a URL such as postgres://user@127.0.0.1:5432/postgres")
	}
	parsed.Path = "/" + name
	return parsed.String(), nil
}
