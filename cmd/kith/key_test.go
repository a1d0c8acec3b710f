package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
	"github.com/kith-crm/kith/internal/store/seal"
	"github.com/kith-crm/kith/internal/testworld"
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
	sealSecret(t, db, string(made))
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
	refused("with another key", "--secret-key", seal.NewKey())
	if _, err := os.Stat(file); err == nil {
		t.Error("another key was made")
	}
	serveOnce("--secret-key", file+".kept")
	if code, _, said := kith(t, "serve", "--db", db, "--secret-key", seal.KeyPrefix+"short"); code != 2 ||
		strings.Contains(said, "short") {
		t.Errorf("%d %s", code, said)
	}
	if out := must(t, "config", "--db", db, "--secret-key", seal.NewKey()); !strings.Contains(out, seal.KeyPrefix+"xxxxx") {
		t.Errorf("the key is shown: %s", out)
	}
	must(t, "key", "forget", "--db", db)
	serveOnce()
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}

// sealSecret puts a sealed secret into a database.
func sealSecret(t *testing.T, db, keys string) {
	t.Helper()
	newBusiness(t, db)
	s := testworld.Open(t, db)
	known, err := seal.ReadKeys(keys)
	if err == nil {
		_, err = s.UseKeys(t.Context(), known)
	}
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.Businesses(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tenant, err := s.Tenant(t.Context(), all[0].ID)
	if err == nil {
		err = tenant.Keep(t.Context(), store.Actor{}, func(tx *store.Tx) error { return keep.SetLoginSecret(tx, "between us") })
	}
	if err = errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
}

// A database in which nothing is sealed goes anywhere without its key.
func TestAKeyThatSealedNothingIsNotMissed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kith.db")
	for range 2 {
		r := start(t, "--db", "sqlite:"+path)
		r.stop()
		if code := r.ended(t); code != 0 {
			t.Fatal(r.log)
		}
		if err := os.Remove(path + ".key"); err != nil { // it is made anew
			t.Fatal(err)
		}
	}
}
