package store_test

import (
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kith-crm/kith/internal/store"
)

func TestReadyTellsWhatIsWrong(t *testing.T) {
	for name, fresh := range engines {
		t.Run(name, func(t *testing.T) {
			url := fresh(t)
			s := open(t, url)
			ready := func(want, why string) {
				t.Helper()
				unready, cause := s.Ready(t.Context())
				got, said := "", ""
				if unready != nil {
					got = unready.Detail
				}
				if cause != nil {
					said = cause.Error()
				}
				if got != want || !strings.Contains(said, why) {
					t.Errorf("%q (%s), want %q (%s)", got, said, want, why)
				}
			}
			ready("", "")
			if err := s.Script(t.Context(), []string{"UPDATE migration SET number = 1002 WHERE number = 2"}); err != nil {
				t.Fatal(err)
			}
			ready("The database is not migrated.", "lacks migration 0002")
			if err := s.Script(t.Context(), []string{"UPDATE migration SET number = 2 WHERE number = 1002"}); err != nil {
				t.Fatal(err)
			}
			setReadOnly(t, url, true)
			s = open(t, url)
			ready("The database cannot be written.", "")
			setReadOnly(t, url, false)
			s = open(t, url)
			ready("", "")
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			ready("The database does not answer.", "closed")
		})
	}
}

// setReadOnly has a database refuse what is written. Of SQLite it is the file by which the disk is tried.
func setReadOnly(t *testing.T, url string, on bool) {
	t.Helper()
	if path, sqlite := strings.CutPrefix(url, "sqlite:"); sqlite {
		do := os.Remove
		if on {
			do = func(name string) error { return os.Mkdir(name, 0o700) }
		}
		if err := do(path + "-ready"); err != nil {
			t.Fatal(err)
		}
		return
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	name := pgx.Identifier{conn.Config().Database}.Sanitize()
	sql := "ALTER DATABASE " + name + " RESET default_transaction_read_only"
	if on {
		sql = "ALTER DATABASE " + name + " SET default_transaction_read_only = on"
	} else if _, err := conn.Exec(t.Context(), "SET default_transaction_read_only = off"); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

func TestGaugesAreNamedOnceAndTellOfWrites(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		newBusiness(t, newEngine(t, s))
		seen := map[string]bool{}
		for _, g := range s.Gauges() {
			if seen[g.Name] || !strings.HasPrefix(g.Name, "kith_") || g.Total != strings.HasSuffix(g.Name, "_total") ||
				!strings.HasSuffix(g.Help, ".") || g.Value < 0 {
				t.Errorf("%+v", g)
			}
			seen[g.Name] = true
			switch g.Name {
			case "kith_store_places", "kith_sqlite_file_bytes", "kith_postgres_pool_connections":
				if g.Value == 0 {
					t.Errorf("%s is 0", g.Name)
				}
			case "kith_store_write_queue", "kith_store_places_waiting":
				if g.Value != 0 {
					t.Errorf("%s is %v, and nobody waits", g.Name, g.Value)
				}
			}
		}
		for _, name := range []string{
			"kith_store_places", "kith_store_places_taken", "kith_store_places_waiting",
			"kith_store_writes_total", "kith_store_write_groups_total", "kith_store_write_queue",
		} {
			if !seen[name] {
				t.Errorf("%s is missing", name)
			}
		}
	})
}
