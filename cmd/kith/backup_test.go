package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// another gives an empty database of the engine that a database is not of.
func another(t *testing.T, db string) string {
	t.Helper()
	if strings.HasPrefix(db, "sqlite:") {
		return migratedPostgres(t)
	}
	return missingSQLite(t)
}

// serves holds a database to being healthy, to letting the token in and finding what is there, and to telling so often in the audit
// log that it was restored.
func serves(t *testing.T, db, token string, restored int) {
	t.Helper()
	if code, faults := checked(t, db); code != 0 {
		t.Errorf("a check finds %v", faults)
	}
	r := start(t, "--db", db)
	if status, answer := r.post(t, token, "/contacts/search",
		`{"search_text":"angstrom",`+
			`"filters":[{"field":"custom_fields.badge","operator":"eq","value":"B-1"}]}`); status != http.StatusOK ||
		!strings.Contains(answer, `"total":1`) {
		t.Errorf("a search is answered %d %s", status, answer)
	}
	if status, answer := r.post(t, token, "/audit/search",
		`{"filters":[{"field":"action","operator":"eq","value":"backup.restored"},{"field":"actor","operator":"eq",`+
			`"value":"operator"}]}`); status != http.StatusOK || !strings.Contains(answer, fmt.Sprintf(`"total":%d`, restored)) {
		t.Errorf("%d restores are told as %d %s", restored, status, answer)
	}
	if status, answer := r.post(t, token, "/contacts",
		`{"name":"After the move","custom_fields":{"badge":"B-99"}}`); status != http.StatusCreated {
		t.Errorf("a new record is answered %d %s", status, answer)
	}
	r.stop()
	r.ended(t)
	if code, faults := checked(t, db); code != 0 {
		t.Errorf("after a write a check finds %v", faults)
	}
}

// A database goes to the other engine by one command, and everything works there.
func TestADatabaseIsCopiedToTheOtherEngine(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db string) {
		_, token := filled(t, db)
		to := another(t, db)
		if out := must(t, "copy", "--from", db, "--to", to); !strings.Contains(out, "both databases have the same") {
			t.Errorf("a copy says %s", out)
		}
		serves(t, to, token, 0)
		if code, _, errs := kith(t, "copy", "--from", db, "--to", to); code != 1 || !strings.Contains(errs, "has data already") {
			t.Errorf("a copy into a database that is used: %d %s", code, errs)
		}
	})
	for _, args := range [][]string{{"--from", "sqlite:a.db", "--to", "sqlite:a.db"}, {"--from", "sqlite:a.db"}} {
		if code, _, _ := kith(t, append([]string{"copy"}, args...)...); code != 2 {
			t.Errorf("kith copy %v ends with %d", args, code)
		}
	}
}

// A backup that is made while others write is one state of the database, and is restored into either engine.
func TestABackupIsWholeWhileOthersWrite(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db string) {
		_, token := filled(t, db)
		r := start(t, "--db", db)
		var stop atomic.Bool
		var written atomic.Int64
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				for n := 0; !stop.Load(); n++ {
					if status, answer := r.post(t, token, "/deals", fmt.Sprintf(`{"name":"Deal %d","amount":"10"}`, n)); status >= 300 {
						t.Errorf("%d %s", status, answer)
						return
					}
					written.Add(1)
				}
			})
		}
		eventuallyTrue(t, "something is written", func() bool { return written.Load() > 10 || t.Failed() })
		file := filepath.Join(t.TempDir(), "a.backup")
		must(t, "backup", file, "--db", db)
		stop.Store(true)
		all.Wait()
		if status, answer := r.post(t, token, "/audit/search",
			`{"filters":[{"field":"action","operator":"eq","value":"backup.created"},{"field":"actor","operator":"eq",`+
				`"value":"operator"}]}`); status != http.StatusOK || !strings.Contains(answer, `"total":1`) {
			t.Errorf("the backup of everything is told as %d %s", status, answer)
		}
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the backup is %v, %v", info, err)
		}
		if code, _, errs := kith(t, "backup", file, "--db", db); code != 1 || !strings.Contains(errs, "is there already") {
			t.Errorf("a second backup into the same file: %d %s", code, errs)
		}
		to := another(t, db)
		must(t, "restore", file, "--db", to)
		serves(t, to, token, 1)
		if code, _, errs := kith(t, "restore", file, "--db", to); code != 1 || !strings.Contains(errs, "has data already") {
			t.Errorf("a restore into a database that is used: %d %s", code, errs)
		}
	})
}

// One business comes out of a backup, of itself or of everything, into a database that has others.
func TestABusinessIsRestoredBesideOthers(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db string) {
		business, token := filled(t, db)
		folder := t.TempDir()
		alone, whole := filepath.Join(folder, "alone"), filepath.Join(folder, "whole")
		head := must(t, "audit", "head", "--business", business, "--db", db)
		must(t, "backup", "--business", business, "--db", db, alone)
		if must(t, "audit", "head", "--business", business, "--db", db) == head {
			t.Error("a backup of one business is not in its audit log")
		}
		must(t, "backup", whole, "--db", db)
		to := another(t, db)
		made := object(t, "business_id user_id token", "business", "create", "--db", to, "--name", "There before", "--admin-email",
			"anna@acme.example", "--admin-password", "correct horse")
		must(t, "restore", alone, "--db", to, "--business", business)
		serves(t, to, token, 1)
		if code, _, errs := kith(t, "restore", alone, "--db", to, "--business", business); code != 1 ||
			!strings.Contains(errs, "--replace") {
			t.Errorf("a business that is there: %d %s", code, errs)
		}
		// What was written since is gone, and what is found is what the backup has.
		must(t, "restore", whole, "--db", to, "--business", business, "--replace")
		serves(t, to, token, 1)
		if all := list(t, "business", "list", "--db", to); len(all) != 2 {
			t.Errorf("there are the businesses %v", all)
		}
		for _, wrong := range [][]string{
			{"restore", alone, "--db", another(t, to)},
			{"restore", whole, "--db", to, "--business", made["business_id"], "--replace"},
			{"restore", alone, "--db", to, "--business", made["business_id"], "--replace"},
		} {
			if code, _, errs := kith(t, wrong...); code != 1 {
				t.Errorf("kith %v ends with %d %s", wrong, code, errs)
			}
		}
		if all := list(t, "user", "list", "--db", to, "--business", made["business_id"]); len(all) != 1 {
			t.Errorf("what was to be replaced by nothing has %v", all)
		}
		if code, faults := checked(t, to); code != 0 {
			t.Errorf("in the end a check finds %v", faults)
		}
	})
}

// A file that was cut off or changed is refused before anything is written; where it only comes once, nothing can be done with what
// was written.
func TestADamagedBackupIsRefused(t *testing.T) {
	db := missingSQLite(t)
	filled(t, db)
	folder := t.TempDir()
	file := filepath.Join(folder, "good")
	must(t, "backup", file, "--db", db)
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var bad [][]byte
	for _, size := range []int{0, 1, 20, len(good) / 2, len(good) - 9, len(good) - 1} {
		bad = append(bad, good[:size])
	}
	for _, at := range []int{0, 12, 40, len(good) / 3, len(good) / 2, len(good) - 5} {
		changed := bytes.Clone(good)
		changed[at] ^= 0x10
		bad = append(bad, changed)
	}
	bad = append(bad, append(bytes.Clone(good), good...), []byte("something else entirely"))
	to := missingSQLite(t)
	for i, text := range bad {
		damaged := filepath.Join(folder, fmt.Sprint(i))
		if err := os.WriteFile(damaged, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if code, _, errs := kith(t, "restore", damaged, "--db", to); code != 1 || !strings.Contains(errs, "is not a whole backup of kith") {
			t.Errorf("damage %d: %d %s", i, code, errs)
		}
	}
	must(t, "restore", file, "--db", to) // which is as empty as before

	damaged, err := os.Open(filepath.Join(folder, "3"))
	if err != nil {
		t.Fatal(err)
	}
	defer damaged.Close()
	defer func(before *os.File) { os.Stdin = before }(os.Stdin)
	os.Stdin = damaged
	half := missingSQLite(t)
	if code, _, errs := kith(t, "restore", "-", "--db", half); code != 1 || !strings.Contains(errs, "is not a whole backup of kith") {
		t.Errorf("half a backup from standard input: %d %s", code, errs)
	}
	for _, args := range [][]string{
		{"business", "list"},
		{"serve", "--addr", "127.0.0.1:0"},
		{"restore", file},
		{"backup", filepath.Join(folder, "of half")},
	} {
		if code, _, errs := kith(t, append(args, "--db", half)...); code != 1 || !strings.Contains(errs, "unfinished") {
			t.Errorf("kith %v on half a restore ends with %d: %s", args, code, errs)
		}
	}
}

// A backup goes through a pipe as well.
func TestABackupGoesThroughAPipe(t *testing.T) {
	db := missingSQLite(t)
	_, token := filled(t, db)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func(before *os.File) { os.Stdin = before }(os.Stdin)
	os.Stdin = read
	sent := make(chan string, 1)
	go func() {
		var errs bytes.Buffer
		run(t.Context(), []string{"backup", "-", "--db", db}, write, &errs)
		write.Close()
		sent <- errs.String()
	}()
	to := missingSQLite(t)
	must(t, "restore", "-", "--db", to)
	if errs := <-sent; errs != "" {
		t.Error(errs)
	}
	serves(t, to, token, 1)
}
