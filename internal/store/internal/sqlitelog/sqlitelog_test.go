package sqlitelog_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/kith-crm/kith/internal/store/internal/drivercalls"
	"github.com/kith-crm/kith/internal/store/internal/sqlitelog"
)

func TestMain(m *testing.M) {
	if err := sqlitelog.Register(); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func open(t *testing.T, path string) *sqlite.Conn {
	t.Helper()
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate|sqlite.OpenWAL)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func run(t *testing.T, c *sqlite.Conn, sql string, args ...any) {
	t.Helper()
	if err := sqlitex.Execute(c, sql, &sqlitex.ExecOptions{Args: args}); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func contents(t *testing.T, c *sqlite.Conn) map[int64]string {
	t.Helper()
	all := map[int64]string{}
	err := sqlitex.Execute(c, "SELECT id, text FROM t", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		all[s.ColumnInt64(0)] = s.ColumnText(1)
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func same(t *testing.T, when string, got, want map[int64]string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s there are %d rows, not %d", when, len(got), len(want))
	}
	for id, text := range want {
		if got[id] != text {
			t.Fatalf("%s row %d has %d bytes, not the %d that were written", when, id, len(got[id]), len(text))
		}
	}
}

// Transactions that do not fit into SQLite's memory write pages to the log before they end, read them back, and write them again.
// All of that, undone transactions, other connections, bringing the log into the file, and copies of the files as a crash would
// leave them must find the same rows as without us.
func TestTheLogHasWhatWasWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	writer, reader := open(t, path), open(t, path)
	defer func() { _ = reader.Close() }()
	run(t, writer, "PRAGMA cache_size = 12")
	run(t, writer, "PRAGMA synchronous = FULL")
	run(t, writer, "PRAGMA wal_autocheckpoint = 60")
	run(t, writer, "CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
	run(t, writer, "CREATE INDEX by_text ON t (text)")
	r := rand.New(rand.NewPCG(1, 2))
	want := map[int64]string{}
	for round := range 120 {
		now := map[int64]string{}
		for id, text := range want {
			now[id] = text
		}
		run(t, writer, "BEGIN IMMEDIATE")
		for range r.IntN(60) {
			id, text := int64(r.IntN(300)), fmt.Sprintf("%d %0*d", r.IntN(1000), r.IntN(3000)+1, round)
			if r.IntN(4) == 0 {
				run(t, writer, "DELETE FROM t WHERE id = ?", id)
				delete(now, id)
			} else {
				run(t, writer, "INSERT INTO t (id, text) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET text = excluded.text", id, text)
				now[id] = text
			}
		}
		same(t, "inside the transaction", contents(t, writer), now)
		same(t, "before the commit, elsewhere,", contents(t, reader), want)
		if r.IntN(5) == 0 {
			run(t, writer, "ROLLBACK")
			same(t, "after it was undone", contents(t, writer), want)
			continue
		}
		run(t, writer, "COMMIT")
		want = now
		same(t, "elsewhere", contents(t, reader), want)
		if round%10 == 0 { // what is in the files at this moment is all that a crash would leave
			crashed := filepath.Join(t.TempDir(), "a.db")
			for _, suffix := range []string{"", "-wal"} {
				bytes, err := os.ReadFile(path + suffix)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(crashed+suffix, bytes, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			c := open(t, crashed)
			same(t, "after a crash", contents(t, c), want)
			_ = c.Close()
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	last := open(t, path)
	defer func() { _ = last.Close() }()
	same(t, "opened again", contents(t, last), want)
	err := sqlitex.Execute(last, "PRAGMA integrity_check", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		if s.ColumnText(0) != "ok" {
			return fmt.Errorf("the file is damaged: %s", s.ColumnText(0))
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
}

// What an undone transaction had already given to the log must not come there later, over what somebody else has committed meanwhile.
func TestUndoneWritesNeverReachTheLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	one, other := open(t, path), open(t, path)
	defer func() { _ = other.Close() }()
	defer func() { _ = one.Close() }()
	run(t, one, "PRAGMA cache_size = 12")
	run(t, one, "CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
	want := map[int64]string{}
	for round := range int64(3) {
		run(t, one, "BEGIN IMMEDIATE")
		for i := range int64(40) { // more than fits into memory, so that pages are written before the end
			run(t, one, "INSERT INTO t (id, text) VALUES (?, ?)", 1_000_000+i, strings.Repeat("undone ", 500))
		}
		run(t, one, "ROLLBACK")
		run(t, other, "BEGIN IMMEDIATE")
		for i := range int64(50) {
			want[round*100+i] = strings.Repeat("kept", 900)
			run(t, other, "INSERT INTO t (id, text) VALUES (?, ?)", round*100+i, want[round*100+i])
		}
		run(t, other, "COMMIT")
		run(t, one, "INSERT INTO t (id, text) VALUES (?, ?)", round*100+99, "last")
		want[round*100+99] = "last"
		run(t, other, "PRAGMA shrink_memory") // so that pages are read from the log
		same(t, "elsewhere", contents(t, other), want)
	}
	last := open(t, path)
	defer func() { _ = last.Close() }()
	same(t, "opened again", contents(t, last), want)
}

// A commit of many pages is a few writes; SQLite by itself makes two for each page. A release of SQLite that opens its log in another way
// would be slower, and nothing else would tell.
func TestACommitIsWrittenInLargePieces(t *testing.T) {
	c := open(t, filepath.Join(t.TempDir(), "a.db"))
	defer func() { _ = c.Close() }()
	run(t, c, "CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
	writes := sqlitelog.CountWrites()
	before := *writes
	const pages = 200
	run(t, c, "BEGIN IMMEDIATE")
	for i := range pages {
		run(t, c, "INSERT INTO t (id, text) VALUES (?, ?)", i, strings.Repeat("a page", 600))
	}
	run(t, c, "COMMIT")
	if made := *writes - before; made == 0 || made > pages/10 {
		t.Errorf("%d pages took %d writes", pages, made)
	}
}

func TestSynced(t *testing.T) {
	c := open(t, filepath.Join(t.TempDir(), "a.db"))
	defer func() { _ = c.Close() }()
	for setting, synced := range map[string]bool{"OFF": false, "NORMAL": false, "FULL": true, "EXTRA": true} {
		run(t, c, "PRAGMA synchronous = "+setting)
		if err := sqlitelog.Synced(c); (err == nil) != synced {
			t.Errorf("%s: %v", setting, err)
		}
	}
}

// A release of the driver that calls the methods in another way must not come in unseen.
func TestTheDriverCallsThemSo(t *testing.T) { drivercalls.Check(t, sqlitelog.Functions) }
