package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/store/sqlite"
)

func TestOneServerHasAnSQLiteFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "kith.db")
	first, err := sqlite.Serve("sqlite:" + path)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.At("http://127.0.0.1:8080"); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Serve("sqlite://" + path); err == nil || !strings.Contains(err.Error(), "at http://127.0.0.1:8080)") {
		t.Errorf("the second server gets %v", err)
	}
	if err := first.End(); err != nil {
		t.Fatal(err)
	}
	second, err := sqlite.Serve("sqlite:" + path)
	if err != nil {
		t.Fatalf("after the first has ended the second gets %v", err)
	}
	if err := second.End(); err != nil {
		t.Error(err)
	}
	if _, missing := sqlite.NoFile("sqlite:" + path); !missing {
		t.Error("the lock made the database")
	}
	for range 2 {
		if _, err := sqlite.Serve("postgres://127.0.0.1/kith"); err != nil {
			t.Errorf("PostgreSQL: %v", err)
		}
	}
}

func TestTightenTakesRightsFromOthersOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kith.db")
	if got, err := sqlite.Tighten("sqlite:" + path); len(got) > 0 || err != nil {
		t.Errorf("a missing file: %v, %v", got, err)
	}
	for file, mode := range map[string]os.FileMode{path: 0o640, path + "-wal": 0o600} {
		if err := os.WriteFile(file, []byte("x"), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, mode); err != nil { // whatever the umask
			t.Fatal(err)
		}
	}
	if got, err := sqlite.Tighten("sqlite:" + path); len(got) != 1 || got[0] != path || err != nil {
		t.Errorf("tightened are %v, %v", got, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
}
