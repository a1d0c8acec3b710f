package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kith/internal/store"
)

// The key is made beside a database that is a file, and only once: where it is missing later, the server does not begin with another.
func TestTheSecretKeyIsMadeOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kith.db")
	db, file := "sqlite:"+path, path+".key"
	serveOnce := func(args ...string) *running {
		r := start(t, append([]string{"--db", db}, args...)...)
		r.stop()
		if code := r.ended(t); code != 0 {
			t.Fatal(r.log)
		}
		return r
	}
	if r := serveOnce(); !strings.Contains(r.log.String(), "keep a copy of it elsewhere") {
		t.Errorf("nothing is said of the key: %s", r.log)
	}
	made, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 || !strings.Contains(string(made), "without this key") {
		t.Errorf("%v %v %s", info.Mode(), err, made)
	}
	if r := serveOnce(); strings.Contains(r.log.String(), "secret key") {
		t.Errorf("the key is told of twice: %s", r.log)
	}
	if out := must(t, "backup", path+".backup", "--db", db); !strings.Contains(out, "sealed under the key") {
		t.Errorf("a backup says nothing of the key: %s", out)
	}
	if err := os.Rename(file, file+".kept"); err != nil {
		t.Fatal(err)
	}
	refused := func(what string, args ...string) {
		t.Helper()
		code, _, said := kith(t, append([]string{"serve", "--addr", "127.0.0.1:0", "--db", db}, args...)...)
		if code != 1 || !strings.Contains(said, "kith key forget") {
			t.Errorf("%s: %d %s", what, code, said)
		}
	}
	refused("without the key")
	refused("with another key", "--secret-key", store.NewKey())
	if _, err := os.Stat(file); err == nil {
		t.Error("another key was made")
	}
	serveOnce("--secret-key", file+".kept")
	if code, _, said := kith(t, "serve", "--db", db, "--secret-key", store.KeyPrefix+"short"); code != 2 || strings.Contains(said, "short") {
		t.Errorf("%d %s", code, said)
	}
	if out := must(t, "config", "--db", db, "--secret-key", store.NewKey()); !strings.Contains(out, store.KeyPrefix+"xxxxx") {
		t.Errorf("the key is shown: %s", out)
	}
	must(t, "key", "forget", "--db", db)
	serveOnce()
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}
