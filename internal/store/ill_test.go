package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	sqlitedriver "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/kith-crm/kith/internal/pgtest"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/sqlitemem"
	"github.com/kith-crm/kith/internal/store/postgres"
	"github.com/kith-crm/kith/internal/store/sqlite"
)

// What is damaged is told from what is only out of reach: the first does not pass.
func TestDamageIsToldFromAnOutage(t *testing.T) {
	for _, e := range []engine.Engine{sqliteAlone(t), &postgres.Engine{}} {
		for _, c := range []struct {
			err     error
			damaged bool
		}{
			{sqlitedriver.ResultCorrupt.ToError(), e.Name() == "sqlite"},
			{(sqlitedriver.ResultCorrupt | 1<<8).ToError(), e.Name() == "sqlite"},
			{sqlitedriver.ResultNotADB.ToError(), e.Name() == "sqlite"},
			{sqlitedriver.ResultFull.ToError(), false},
			{&pgconn.PgError{Code: "XX001"}, e.Name() == "postgres"},
			{&pgconn.PgError{Code: "XX002"}, e.Name() == "postgres"},
			{&pgconn.PgError{Code: "57P01"}, false},
		} {
			var met atomic.Pointer[damage]
			err := classed{e, &met}.class(fmt.Errorf("run a statement: %w", c.err))
			if told := errors.Is(err, ErrCorrupt); told != c.damaged || (met.Load() != nil) != c.damaged {
				t.Errorf("%s: %v is told as damage: %t, want %t", e.Name(), c.err, told, c.damaged)
			}
			if p := problem.As(err); c.damaged && (p == nil || strings.Contains(p.Detail, "in a moment")) {
				t.Errorf("%s: %v is told as %v", e.Name(), c.err, p)
			}
		}
	}
}

// What a caller is told of an error.
func told(e engine.Engine, err error) string {
	p := problem.As(classed{e, &atomic.Pointer[damage]{}}.class(fmt.Errorf("run a statement: %w", err)))
	if p == nil {
		return "internal"
	}
	return string(p.Code)
}

// sqliteAlone is an engine without a file. SQLite is given its memory, which must come before anything else that is done with it.
func sqliteAlone(t *testing.T) *sqlite.Engine {
	t.Helper()
	if _, err := sqlitemem.Give(os.Getenv(sqlite.MemoryVariable)); err != nil {
		t.Fatal(err)
	}
	return &sqlite.Engine{}
}

// Every code of SQLite, and what is the database's own fault of them.
func TestSQLitesErrorsAreClassed(t *testing.T) {
	e := sqliteAlone(t)
	ill := map[sqlitedriver.ResultCode]bool{
		sqlitedriver.ResultPerm: true, sqlitedriver.ResultBusy: true, sqlitedriver.ResultLocked: true, sqlitedriver.ResultNoMem: true,
		sqlitedriver.ResultReadOnly: true, sqlitedriver.ResultIOErr: true,
		sqlitedriver.ResultCorrupt: true, sqlitedriver.ResultFull: true, sqlitedriver.ResultCantOpen: true,
		sqlitedriver.ResultProtocol: true,
		sqlitedriver.ResultNoLFS:    true, sqlitedriver.ResultNotADB: true,
	}
	for code := sqlitedriver.ResultError; code <= sqlitedriver.ResultNotADB; code++ {
		for _, extended := range []sqlitedriver.ResultCode{code, code | 1<<8, code | 5<<8} {
			want := "internal"
			if ill[code] {
				want = "database_unavailable"
			}
			if got := told(e, extended.ToError()); got != want {
				t.Errorf("%v is told as %s, want %s", extended, got, want)
			}
		}
	}
	if got := told(e, errors.New("something else")); got != "internal" {
		t.Errorf("an error that is not SQLite's is told as %s", got)
	}
	if got := told(e, engine.ErrClosed); got != "database_unavailable" {
		t.Errorf("a closed store is told as %s", got)
	}
}

// Real files that are not as they should be.
func TestSQLiteFilesThatAreIll(t *testing.T) {
	e := sqliteAlone(t)
	run := func(path string, flags sqlitedriver.OpenFlags, scripts ...string) error {
		c, err := sqlitedriver.OpenConn(path, flags)
		if err != nil {
			return err
		}
		defer c.Close()
		for _, script := range append([]string{"PRAGMA busy_timeout=1"}, scripts...) {
			if err := sqlitex.ExecuteTransient(c, script, nil); err != nil {
				return err
			}
		}
		return nil
	}
	fresh := func(name string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := run(path, sqlitedriver.OpenReadWrite|sqlitedriver.OpenCreate, "CREATE TABLE a (b)",
			"INSERT INTO a VALUES (zeroblob(20000))"); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write := sqlitedriver.OpenReadWrite
	locked := fresh("locked")
	other, err := sqlitedriver.OpenConn(locked, write)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := sqlitex.ExecuteTransient(other, "BEGIN IMMEDIATE", nil); err != nil {
		t.Fatal(err)
	}
	torn, noDatabase := fresh("torn"), filepath.Join(t.TempDir(), "text")
	if err := os.Truncate(torn, 5000); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(noDatabase, []byte(strings.Repeat("this is a letter and no database. ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"read-only":     run(fresh("read-only"), sqlitedriver.OpenReadOnly, "INSERT INTO a VALUES (1)"),
		"full":          run(fresh("full"), write, "PRAGMA max_page_count=8", "INSERT INTO a VALUES (zeroblob(90000))"),
		"locked":        run(locked, write, "BEGIN IMMEDIATE"),
		"torn":          run(torn, write, "SELECT length(b), b FROM a ORDER BY b"),
		"no database":   run(noDatabase, write, "SELECT * FROM a"),
		"a folder":      run(t.TempDir(), write, "SELECT 1"),
		"not there":     run(filepath.Join(t.TempDir(), "none"), write, "SELECT 1"),
		"a wrong table": nil,
	} {
		if name == "a wrong table" {
			if got := told(e, run(fresh("wrong"), write, "SELECT * FROM none")); got != "internal" {
				t.Errorf("a table that is not there is told as %s", got)
			}
			continue
		}
		if err == nil {
			t.Errorf("%s: nothing failed", name)
		} else if got := told(e, err); got != "database_unavailable" {
			t.Errorf("%s: %v is told as %s", name, err, got)
		}
	}
}

// Every kind of failure that pgx has, and what the server reports.
func TestPostgresErrorsAreClassed(t *testing.T) {
	e := &postgres.Engine{}
	report := func(severity, code string) error { return &pgconn.PgError{SeverityUnlocalized: severity, Code: code} }
	ill := []error{
		postgres.ErrLost, postgres.ErrDown, postgres.ErrCut, engine.ErrClosed, fmt.Errorf("%w: it broke", engine.ErrUnsettled), io.EOF,
		io.ErrUnexpectedEOF, net.ErrClosed,
		pgconn.ErrConnClosed, context.DeadlineExceeded,
		&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, &net.OpError{Op: "read", Err: syscall.ECONNRESET},
		&net.OpError{Op: "write", Err: syscall.EPIPE}, &net.OpError{Op: "dial", Err: syscall.EHOSTUNREACH},
		&net.DNSError{Err: "no such host"}, os.ErrDeadlineExceeded, report("FATAL", "57014"), report("PANIC", "XX000"),
	}
	for _, code := range []string{
		"08000", "08001", "08003", "08004", "08006", "08P01", "25006", "28000", "28P01", "3D000", "42501", "53000", "53100", "53200",
		"53300", "53400", "57P01", "57P02", "57P03",
		"57P04", "57P05", "58000", "58030", "58P01", "58P02", "F0000", "F0001", "XX001", "XX002",
	} {
		ill = append(ill, report("ERROR", code))
	}
	for _, text := range []string{ // what Citus says of machines that end, without a code of its own
		"postmaster was shut down, exiting",
		"server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally",
		"could not commit transaction for shard 102008 on at least one active node",
		"failure on connection marked as essential: 127.0.0.1:5432",
	} {
		lost := &pgconn.PgError{SeverityUnlocalized: "ERROR", Code: "XX000", Message: text}
		if ill = append(ill, lost); postgres.Refused(lost) {
			t.Errorf("%s: it is taken to be known what became of the transaction", text)
		}
	}
	for _, err := range ill {
		if got := told(e, err); got != "database_unavailable" {
			t.Errorf("%v is told as %s", err, got)
		}
	}
	for _, code := range []string{
		"", "0A000", "22003", "22021", "23502", "23505", "25P02", "40001", "40P01", "42601", "42P01", "54000",
		"57014", "XX000",
	} {
		if got := told(e, report("ERROR", code)); got != "internal" {
			t.Errorf("%s is told as %s", code, got)
		}
	}
	if got := told(e, errors.New("something else")); got != "internal" {
		t.Errorf("an error that nobody knows is told as %s", got)
	}
}

// Real servers that are not there, or not as they should be.
func TestPostgresServersThatAreIll(t *testing.T) {
	e := &postgres.Engine{}
	address := pgtest.URL(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	silent, err := net.Listen("tcp", "127.0.0.1:0") // takes connections, and never says a word
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	nobody := listener.Addr().String()
	listener.Close()
	missing, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	missing.Path = "/there_is_none"
	ctx := context.Background()
	try := func(url string, statements ...string) error {
		c, err := pgx.Connect(ctx, url)
		if err != nil {
			return err
		}
		defer c.Close(ctx)
		for _, sql := range statements {
			if _, err := c.Exec(ctx, sql); err != nil {
				return err
			}
		}
		return nil
	}
	for name, err := range map[string]error{
		"refused":     try("postgres://postgres@" + nobody + "/postgres?sslmode=disable"),
		"silent":      try("postgres://postgres@" + silent.Addr().String() + "/postgres?sslmode=disable&connect_timeout=1"),
		"no database": try(missing.String()),
		"read-only":   try(address, "SET default_transaction_read_only = on", "CREATE TABLE x (y int)"),
		"terminated":  try(address, "SELECT pg_terminate_backend(pg_backend_pid())"),
	} {
		if err == nil {
			t.Errorf("%s: nothing failed", name)
		} else if got := told(e, err); got != "database_unavailable" {
			t.Errorf("%s: %v is told as %s", name, err, got)
		}
	}
	if err := try(address, "SELECT * FROM there_is_none"); told(e, err) != "internal" {
		t.Errorf("%v is told as %s", err, told(e, err))
	}
}
