package sqlite

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/internal/drivercalls"
	"github.com/kith-crm/kith/internal/store/internal/sqlitemem"
)

// A release of the driver that calls functions in another way must not come in unseen.
func TestSQLiteCallsFunctionsSo(t *testing.T) {
	drivercalls.Check(t, map[string]any{
		"xInit": registerSQLiteFunctions, "TFuncDef.FxSFunc": sqliteFunctions[0].run, "Tsqlite3.FxProgress": askGuard,
	})
}

// A file from elsewhere may have views and triggers that call functions of ours, above all guard. They are refused, whatever they say.
func TestSQLiteFilesCannotCallFunctions(t *testing.T) {
	giveMemory(t)
	path := filepath.Join(t.TempDir(), "hostile.db")
	calls := []string{"guard(1)", "guard(824634122240)", "has_text('a', 'a')", "has_item('a', 'b')", "starts_up_to(1, x'00')"}
	hostile, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	for i, call := range calls {
		script := fmt.Sprintf(`CREATE TABLE t%d (a); CREATE TABLE log%[1]d (a); CREATE VIEW v%[1]d AS SELECT %[2]s AS a;
			CREATE TRIGGER r%[1]d AFTER INSERT ON t%[1]d BEGIN INSERT INTO log%[1]d SELECT %[2]s; END;`, i, call)
		if err := sqlitex.ExecScript(hostile, script); err != nil {
			t.Fatal(err)
		}
	}
	if err := hostile.Close(); err != nil {
		t.Fatal(err)
	}
	c, err := openConn(path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for i, call := range calls {
		for _, sql := range []string{"SELECT a FROM v%d", "INSERT INTO t%d VALUES (1)"} {
			if err := c.do(fmt.Sprintf(sql, i)); err == nil || !strings.Contains(err.Error(), "unsafe use of") {
				t.Errorf("%s by %s: %v", call, sql, err)
			}
		}
	}
}

// A kept statement is not planned anew for other arguments, or because they were cleared.
func TestSQLiteHoldsPlans(t *testing.T) {
	giveMemory(t)
	if err := addFunctions(); err != nil {
		t.Fatal(err)
	}
	tls := libc.NewTLS()
	defer tls.Close()
	text := func(s string) uintptr {
		c, err := libc.CString(s)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	place := libc.Xcalloc(tls, 1, 8)
	defer libc.Xfree(tls, place)
	must := func(code int32) {
		t.Helper()
		if code != sqlite3.SQLITE_OK {
			t.Fatalf("error %d", code)
		}
	}
	must(sqlite3.Xsqlite3_open(tls, text(":memory:"), place))
	db := *sqlitemem.At[uintptr](place)
	defer sqlite3.Xsqlite3_close(tls, db)
	const sql = "CREATE TABLE b (x, y); CREATE INDEX b_x ON b (x); CREATE INDEX b_y ON b (y)"
	must(sqlite3.Xsqlite3_exec(tls, db, text(sql), 0, 0, 0))
	must(sqlite3.Xsqlite3_prepare_v2(tls, db, text("SELECT 1 FROM b WHERE x = ? AND y = ? ORDER BY y"), -1, place, 0))
	statement := *sqlitemem.At[uintptr](place)
	defer sqlite3.Xsqlite3_finalize(tls, statement)
	for i := range int64(10) {
		must(sqlite3.Xsqlite3_bind_int64(tls, statement, 1, i%3))
		must(sqlite3.Xsqlite3_bind_int64(tls, statement, 2, i))
		sqlite3.Xsqlite3_step(tls, statement)
		must(sqlite3.Xsqlite3_reset(tls, statement))
		must(sqlite3.Xsqlite3_clear_bindings(tls, statement))
	}
	if n := sqlite3.Xsqlite3_stmt_status(tls, statement, sqlite3.SQLITE_STMTSTATUS_REPREPARE, 0); n != 0 {
		t.Errorf("it was planned anew %d times", n)
	}
}

// A guard is known by its handle; one that is not there is refused, and that of a closed connection is forgotten.
func TestGuardsAreKnownByHandles(t *testing.T) {
	c, err := openConn(filepath.Join(t.TempDir(), "a.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, handle := range []int64{0, -1, c.guard.handle + 1000, 1 << 40} {
		value := []schema.Value{schema.IntValue(schema.Integer, handle)}
		if _, err := c.Exec(context.Background(), "SELECT guard(?1)", value); sqlite.ErrCode(err) != sqlite.ResultMisuse {
			t.Errorf("handle %d: %v", handle, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c.guard.start(ctx, time.Minute)
	const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
	if err := c.do(endless); sqlite.ErrCode(err) != sqlite.ResultInterrupt {
		t.Errorf("the guard did not stop it: %v", err)
	}
	c.guard.end()
	c.Close()
	if guardOf(c.guard.handle) != nil {
		t.Error("the guard of a closed connection is still known")
	}
}

// giveMemory comes before anything else that is done with SQLite.
func giveMemory(t *testing.T) {
	t.Helper()
	if _, err := sqlitemem.Give(os.Getenv(MemoryVariable)); err != nil {
		t.Fatal(err)
	}
}
