package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// process runs kith as a process of its own, for the tests that end it in their own way.
func process(t *testing.T, args ...string) (*exec.Cmd, *logged) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), lifetime)
	t.Cleanup(cancel)
	program := exec.CommandContext(ctx, os.Args[0], args...)
	program.Env = append(os.Environ(), asProgram+"=yes")
	log := newLogged()
	program.Stderr = log
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	return program, log
}

// killOnce kills a program as soon as something is so. It fails where the program has ended before.
func killOnce(t *testing.T, program *exec.Cmd, said *logged, so func() bool) {
	t.Helper()
	ended := make(chan struct{})
	go func() {
		_ = program.Wait()
		close(ended)
	}()
	for over := false; !so(); {
		if over {
			t.Fatalf("the program has ended before: %s", said)
		}
		select {
		case <-ended:
			over = true // and it is looked at once more
		case <-time.After(time.Millisecond):
		}
	}
	_ = program.Process.Kill()
	<-ended
}

func TestDatabaseFilesAreTheirOwnersOnly(t *testing.T) {
	db := missingSQLite(t)
	path := strings.TrimPrefix(db, "sqlite:")
	modes := func() string {
		t.Helper()
		var all []string
		for _, file := range []string{"", "-wal", "-shm", ".lock"} {
			info, err := os.Stat(path + file)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, info.Mode().Perm().String())
		}
		return strings.Join(all, " ")
	}
	const own = "-rw------- -rw------- -rw------- -rw-------"
	r := start(t, "--db", db)
	newBusiness(t, db)
	if got := modes(); got != own {
		t.Errorf("the files of a new database are %s, want %s", got, own)
	}
	if strings.Contains(r.log.String(), "only its owner") {
		t.Errorf("a new database is said to have been open to others: %s", r.log)
	}
	for _, file := range []string{"", "-wal", "-shm"} {
		if err := os.Chmod(path+file, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r.stop()
	r.ended(t)

	r = start(t, "--db", db)
	must(t, "business", "list", "--db", db)
	if got := modes(); got != own {
		t.Errorf("the files of a database that others could read are %s after a start, want %s", got, own)
	}
	if entry := r.log.entry(t, "a file of the database could be read by others; now only its owner can"); entry["file"] != path {
		t.Errorf("the log says %v", entry)
	}
}

// Two servers on one file would answer from what they remember of each other's records. The lock goes with the process, however it
// ends, and nothing else waits for it.
func TestSecondServerOnOneFileIsRefused(t *testing.T) {
	db := missingSQLite(t)
	first, log := process(t, "serve", "--db", db, "--addr", "127.0.0.1:0")
	address := log.entry(t, "serving")["address"].(string)
	business, _ := newBusiness(t, db)
	must(t, "token", "create", "--db", db, "--business", business, "--user", "anna@acme.example", "--scopes", "contact.read")
	must(t, "demo", "--db", db)

	path := strings.TrimPrefix(db, "sqlite:")
	link := filepath.Join(t.TempDir(), "other name.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{db, "sqlite:" + link} {
		code, out, errs := kith(t, "serve", "--demo", "--db", other, "--addr", "127.0.0.1:0")
		if code != 1 || out != "" || !strings.Contains(errs, "another server serves the database "+path+" already") {
			t.Fatalf("the second server ends with %d, %s, %s", code, out, errs)
		}
		if !strings.Contains(errs, "(process ") || !strings.Contains(errs, " at "+address+")") {
			t.Errorf("the complaint does not name the first server %s: %s", address, errs)
		}
	}
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait()
	r := start(t, "--db", db)
	r.stop()
	if code := r.ended(t); code != 0 {
		t.Errorf("the server after the one that was killed ends with %d: %s", code, r.log)
	}
	start(t, "--db", db)
}

// Several servers may share a PostgreSQL database.
func TestServersShareAPostgreSQLDatabase(t *testing.T) {
	db := migratedPostgres(t)
	start(t, "--db", db)
	start(t, "--db", db)
}

// startDemo runs kith serve --demo until it has printed what can be pasted.
func startDemo(t *testing.T, args ...string) (r *running, token, printed string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	out := newLogged()
	r = &running{log: newLogged(), stop: stop, code: make(chan int, 1)}
	go func() { r.code <- run(ctx, append([]string{"serve", "--demo"}, args...), out, r.log) }()
	t.Cleanup(func() {
		stop()
		r.ended(t)
	})
	printed = out.until(t, "TOKEN=")
	for line := range strings.Lines(printed) {
		if url, ok := strings.CutPrefix(line, "URL="); ok {
			r.url = strings.TrimSpace(url)
		}
		if secret, ok := strings.CutPrefix(line, "TOKEN="); ok {
			token = strings.TrimSpace(secret)
		}
	}
	return r, token, printed
}

func TestServeWithDemoPrintsWhatCanBePasted(t *testing.T) {
	onEmpty(t, func(t *testing.T, db string) {
		first, token, printed := startDemo(t, "--db", db, "--addr", "127.0.0.1:0")
		for _, want := range []string{"demo@kith.example", "kith-demo-2026", "Open " + first.url + " in a browser"} {
			if !strings.Contains(printed, want) {
				t.Errorf("it prints %s, without %s", printed, want)
			}
		}
		if status := first.search(t, token); status != http.StatusOK {
			t.Errorf("the printed token gives %d", status)
		}
		first.stop()
		first.ended(t)

		second, again, _ := startDemo(t, "--db", db, "--addr", "127.0.0.1:0")
		if status := second.search(t, again); status != http.StatusOK {
			t.Errorf("the token of the second run gives %d", status)
		}
		if status := second.search(t, token); status != http.StatusUnauthorized {
			t.Errorf("the token of the first run gives %d, though the second run made another", status)
		}
		if status, answer := second.post(t, again, "/tokens/search", `{}`); status != http.StatusOK ||
			!strings.Contains(answer, `"total":1`) {
			t.Errorf("after two runs the tokens are %s", answer)
		}
	})
}

// Without an address the demo takes the next port that is free, and binds it before it says so.
func TestServeWithDemoTakesTheNextFreePort(t *testing.T) {
	first, _, _ := startDemo(t, "--db", missingSQLite(t))
	second, token, _ := startDemo(t, "--db", missingSQLite(t))
	if first.url == second.url {
		t.Fatalf("both servers say that they are at %s", first.url)
	}
	if status := second.search(t, token); status != http.StatusOK {
		t.Errorf("the token that the second server printed gives %d at the address that it printed", status)
	}
}

func TestStartIsLoggedWithVersionAndPlace(t *testing.T) {
	db := missingSQLite(t)
	entry := start(t, "--db", db).log.entry(t, "serving")
	if entry["at"] != db || entry["version"] == "" || entry["go"] == "" || entry["database"] != "sqlite" {
		t.Errorf("the start is logged as %v", entry)
	}
	if got := whole("postgres://kith:secret@db.example/kith"); strings.Contains(got, "secret") {
		t.Errorf("the password of a database is shown: %s", got)
	}
}

// The script of make run needs no more than a shell, and leaves the rest to the program.
func TestMakeRun(t *testing.T) {
	folder := t.TempDir()
	script, err := os.ReadFile("../../scripts/run")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"scripts", "bin"} {
		if err := os.Mkdir(filepath.Join(folder, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(folder, "scripts", "run")
	if err := os.WriteFile(file, script, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(os.Args[0], filepath.Join(folder, "bin", "kith")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), long)
	defer cancel()
	run := func(addr string, out io.Writer) (*exec.Cmd, *bytes.Buffer) {
		program := exec.CommandContext(ctx, "bash", file)
		program.Env = append(os.Environ(), asProgram+"=yes", "KITH_ADDR="+addr)
		errs := &bytes.Buffer{}
		program.Stdout, program.Stderr = out, errs
		return program, errs
	}
	out := newLogged()
	first, errs := run("127.0.0.1:0", out)
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	printed := out.until(t, "TOKEN=")
	_, after, _ := strings.Cut(printed, "\nURL=http://")
	address, _, _ := strings.Cut(after, "\n")
	for addr, says := range map[string]string{
		address:       "another program listens on " + address,
		"127.0.0.1:0": "another server serves the database",
	} {
		var out bytes.Buffer
		second, errs := run(addr, &out)
		if err := second.Run(); err == nil || out.Len() > 0 || !strings.Contains(errs.String(), says) {
			t.Errorf("a second run on %s ends with %v, prints %s and complains: %s", addr, err, &out, errs)
		}
	}
	r := &running{url: "http://" + address}
	_, after, _ = strings.Cut(printed, "\nTOKEN=")
	token, _, _ := strings.Cut(after, "\n")
	if status := r.search(t, token); status != http.StatusOK {
		t.Errorf("after others failed to start, the token gives %d", status)
	}
	if err := first.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := first.Wait(); err != nil {
		t.Errorf("it ends with %v: %s", err, errs)
	}
}
