package main

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/kith-crm/kith/internal/pgtest"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// unpacked is the text of a file that is compressed.
func unpacked(t *testing.T, name string) []byte {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	in, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// script runs statements in a database, as another program would.
func script(t *testing.T, db, statements string) {
	t.Helper()
	if path, isSQLite := strings.CutPrefix(db, "sqlite:"); isSQLite {
		conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenWAL)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conn.SetBlockOnBusy()
		if err := sqlitex.ExecScript(conn, statements); err != nil {
			t.Fatal(err)
		}
		return
	}
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, db)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statements, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
}

// asOf restores a database as an older kith left it.
func asOf(t *testing.T, number, engine string) (db string) {
	t.Helper()
	text := unpacked(t, filepath.Join("testdata", "upgrade", number+"."+engine+".gz"))
	if engine == "sqlite" {
		path := filepath.Join(t.TempDir(), "kith.db")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return "sqlite:" + path
	}
	db = pgtest.NewEmpty(t)
	script(t, db, string(text))
	return db
}

// A database of every schema that there was opens with this program, and nothing is lost: what the older kith told of its records
// is told by this one, word for word, beside what is new. scripts/upgrade-fixture makes these databases.
func TestDatabasesOfOlderReleasesAreUpgraded(t *testing.T) {
	all, err := filepath.Glob("testdata/upgrade/*.sqlite.gz")
	if err != nil || len(all) < 5 {
		t.Fatalf("there are %d databases of older releases, %v", len(all), err)
	}
	for _, file := range all {
		number, _, _ := strings.Cut(filepath.Base(file), ".")
		for _, engine := range []string{"sqlite", "postgres"} {
			t.Run(number+" "+engine, func(t *testing.T) {
				t.Parallel()
				db := asOf(t, number, engine)
				var before map[string]json.RawMessage
				if err := json.Unmarshal(unpacked(t, filepath.Join("testdata", "upgrade", number+"."+engine+".json.gz")),
					&before); err != nil {
					t.Fatal(err)
				}
				var token string
				if err := json.Unmarshal(before["token"], &token); err != nil {
					t.Fatal(err)
				}
				delete(before, "token")
				r := start(t, "--db", db)
				records := 0
				for kind, then := range before {
					status, now := r.post(t, token, "/"+kind+"/search", `{"limit":100}`)
					if status != http.StatusOK {
						t.Errorf("%s: %d %s", kind, status, now)
						continue
					}
					records += compareKinds(t, kind, then, []byte(now))
				}
				// They are found by their words, can be changed, and so can what is in the bin.
				if status, answer := r.post(t, token, "/contacts/search", `{"search_text":"angstrom"}`); status != http.StatusOK ||
					!strings.Contains(answer, `"total":6`) {
					t.Errorf("the text index finds %d %s", status, answer)
				}
				if status, answer := r.post(t, token, "/contacts/deleted/search", `{}`); status != http.StatusOK ||
					!strings.Contains(answer, `"total":1`) {
					t.Errorf("in the bin are %d %s", status, answer)
				}
				if status, answer := r.post(t, token, "/contacts",
					`{"name":"New Person","external_id":"p-1"}`); status != http.StatusConflict {
					t.Errorf("a value that is taken: %d %s", status, answer)
				}
				if status, answer := r.post(t, token, "/contacts", `{"name":"New Person"}`); status != http.StatusCreated {
					t.Errorf("a new record: %d %s", status, answer)
				}
				// The oldest is from a day on which step 0004 made no stages yet, before there were releases.
				if number > "0005" {
					if code, faults := checked(t, db); code != 0 {
						t.Errorf("a check finds %v", faults)
					}
				}
				t.Logf("%d records are as they were", records)
			})
		}
	}
}

// A backup that an older kith made is restored by this one, on every engine, whole or one business of it, and brought up as a database
// of that day would be. What the older kith told of its records is told by this one. The files are NUMBER.of-FIXTURE.backup: made by
// the kith of that migration, of a database of the tests above.
func TestBackupsOfOlderReleasesAreRestored(t *testing.T) {
	all, err := filepath.Glob("testdata/upgrade/*.backup")
	if err != nil || len(all) < 2 {
		t.Fatalf("there are %d backups of older releases, %v", len(all), err)
	}
	for _, file := range all {
		number, fixture, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".backup"), ".of-")
		for _, engine := range []string{"sqlite", "postgres"} {
			t.Run(number+" "+engine, func(t *testing.T) {
				t.Parallel()
				var before map[string]json.RawMessage
				kept := unpacked(t, filepath.Join("testdata", "upgrade", fixture+".sqlite.json.gz"))
				if err := json.Unmarshal(kept, &before); err != nil {
					t.Fatal(err)
				}
				var token string
				if err := json.Unmarshal(before["token"], &token); err != nil {
					t.Fatal(err)
				}
				delete(before, "token")
				asBefore := func(db string) {
					r := start(t, "--db", db)
					for kind, then := range before {
						status, now := r.post(t, token, "/"+kind+"/search", `{"limit":100}`)
						if status != http.StatusOK {
							t.Errorf("%s: %d %s", kind, status, now)
							continue
						}
						compareKinds(t, kind, then, []byte(now))
					}
					status, answer := r.post(t, token, "/contacts/search", `{"search_text":"angstrom"}`)
					if status != http.StatusOK || !strings.Contains(answer, `"total":6`) {
						t.Errorf("the text index finds %d %s", status, answer)
					}
					r.stop()
					r.ended(t)
					if code, faults := checked(t, db); code != 0 {
						t.Errorf("a check finds %v", faults)
					}
				}
				whole, other := emptied(t, engine), emptied(t, engine)
				must(t, "restore", file, "--db", whole)
				asBefore(whole)
				business := list(t, "business", "list", "--db", whole)[0]["business_id"].(string)
				newBusiness(t, other) // a database that has others
				must(t, "restore", file, "--db", other, "--business", business)
				asBefore(other)
				code, _, errs := kith(t, "restore", file, "--db", other, "--business", business)
				if code != 1 || !strings.Contains(errs, "is there already") {
					t.Errorf("a business that is there: %d %s", code, errs)
				}
			})
		}
	}
}

// emptied is a database in which nothing is.
func emptied(t *testing.T, engine string) string {
	t.Helper()
	if engine == "sqlite" {
		return missingSQLite(t)
	}
	return pgtest.NewEmpty(t)
}

// compareKinds tells what differs between two answers to a search, and how many records the first has.
func compareKinds(t *testing.T, kind string, then, now []byte) int {
	t.Helper()
	type page struct {
		Data []map[string]any `json:"data"`
	}
	var old, fresh page
	for text, into := range map[*page][]byte{&old: then, &fresh: now} {
		if err := json.Unmarshal(into, text); err != nil {
			t.Fatal(err)
		}
	}
	if len(old.Data) == 0 || len(old.Data) != len(fresh.Data) {
		t.Errorf("%s: there were %d, and are %d", kind, len(old.Data), len(fresh.Data))
	}
	for _, was := range old.Data {
		at := slices.IndexFunc(fresh.Data, func(is map[string]any) bool { return is["id"] == was["id"] })
		if at < 0 {
			t.Errorf("%s: %v is lost", kind, was["id"])
			continue
		}
		for field, value := range was {
			if kind+"."+field == "pipelines.stages" { // they get colours, and stay as they are otherwise
				for _, stage := range fresh.Data[at][field].([]any) {
					delete(stage.(map[string]any), "colour")
				}
			}
			if is := fresh.Data[at][field]; !reflect.DeepEqual(is, value) && !grown(kind, field) {
				t.Errorf("%s: %s of %v was %v, and is %v", kind, field, was["id"], value, is)
			}
		}
	}
	return len(old.Data)
}

// grown are the fields that an upgrade or its first request may change.
func grown(kind, field string) bool {
	switch kind + "." + field {
	case "users.last_active_at": // by the request that asks
		return true
	// the roles that a business starts with get permissions for what is new
	case "roles.permissions", "roles.features", "roles.version", "roles.updated_at":
		return true
	// stages get colours
	case "pipelines.version", "pipelines.updated_at", "lifecycle_stages.version", "lifecycle_stages.updated_at":
		return true
	}
	return false
}

// next is what the migrations of a next release may do: they only add.
const next = `
	ALTER TABLE contacts ADD COLUMN next_release_note TEXT;
	CREATE TABLE next_release (business_id %s NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (business_id, n));
	CREATE INDEX contact_next_release ON contacts (business_id, next_release_note);
	INSERT INTO migration (number, name, applied_at) VALUES (9000, 'of_the_next_release', %s);`

// A server goes on beside a newer one that has migrated the database, and is refused when it starts on it.
func TestServersOfNeighbouringReleases(t *testing.T) {
	onBoth(t, func(t *testing.T, db string) {
		_, token := newBusiness(t, db)
		r := start(t, "--db", db)
		write := func(name string) {
			t.Helper()
			status, answer := r.post(t, token, "/contacts", `{"name":"`+name+`"}`)
			var made struct{ ID string }
			if err := json.Unmarshal([]byte(answer), &made); err != nil || status != http.StatusCreated {
				t.Fatalf("%d %s", status, answer)
			}
			if status, answer := r.post(t, token, "/contacts/search", `{"search_text":"`+name+`"}`); status != http.StatusOK ||
				!strings.Contains(answer, made.ID) {
				t.Errorf("%s is not found: %d %s", name, status, answer)
			}
			if status, answer := r.post(t, token, "/contacts/"+made.ID+"/history/search", `{}`); status != http.StatusOK ||
				!strings.Contains(answer, `"create"`) {
				t.Errorf("%s has no history: %d %s", name, status, answer)
			}
		}
		write("Before")
		kind, now := "uuid", "now()"
		if strings.HasPrefix(db, "sqlite:") {
			kind, now = "INTEGER", "0"
		}
		script(t, db, strings.Replace(strings.Replace(next, "%s", kind, 1), "%s", now, 1))
		write("Beside")
		if status, text := get(t, r.url+"/readyz"); status != http.StatusOK {
			t.Errorf("the older server is not ready any more: %d %s", status, text)
		}
		if status := r.search(t, token); status != http.StatusOK {
			t.Errorf("a search is answered %d", status)
		}
		r.stop()
		r.ended(t)
		for _, args := range [][]string{{"serve", "--addr", "127.0.0.1:0"}, {"migrate"}, {"business", "list"}} {
			code, out, errs := kith(t, append(args, "--db", db)...)
			if code != 1 || out != "" || !strings.Contains(errs, "belongs to a newer kith: it has 9000 of_the_next_release") {
				t.Errorf("kith %s ends with %d: %s%s", strings.Join(args, " "), code, out, errs)
			}
		}
	})
}
