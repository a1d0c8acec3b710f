package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// newFile makes a database with a business in a folder.
func newFile(t *testing.T, folder string) (path, token string) {
	t.Helper()
	path = filepath.Join(folder, "kith.db")
	must(t, "migrate", "--db", "sqlite:"+path)
	_, token = newBusiness(t, "sqlite:"+path)
	return path, token
}

// A disk that is full keeps nobody from reading, and writes go on when there is room again.
func TestAFullDiskLeavesReadersAlone(t *testing.T) {
	t.Parallel()
	disk := t.TempDir()
	if err := syscall.Mount("kith", disk, "tmpfs", 0, "size=24m"); err != nil {
		t.Skipf("LEFT OUT: nothing was tried on a full disk, because no small one could be mounted (that needs root): %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
	path, token := newFile(t, disk)
	v := newVictim(t, "sqlite:"+path)
	v.works(t, token)
	for range 2 {
		filler := filepath.Join(disk, "filler")
		file, err := os.Create(filler)
		if err != nil {
			t.Fatal(err)
		}
		for size := 1 << 20; size >= 512; {
			if _, err := file.Write(make([]byte, size)); err != nil {
				size /= 2
			}
		}
		file.Close()
		written := 0
		var a reply
		eventually(t, "a write does not fit any more", func() bool { // the log of SQLite has room of its own, at first
			a = v.send(token, "POST /v1/notes", `{"title":"Here","body":"`+strings.Repeat("long ", 1000)+`"}`, "")
			if a.status != http.StatusCreated {
				return true
			}
			written++
			return false
		})
		if a.status != http.StatusServiceUnavailable || a.code != "database_unavailable" || a.retryAfter == "" {
			t.Errorf("a write on a full disk is answered %d: %s", a.status, a.text)
		}
		for _, do := range []string{"GET /v1/me", "POST /v1/contacts/search", "GET /healthz"} {
			if a := v.send(token, do, map[bool]string{true: `{}`}[strings.HasSuffix(do, "search")], ""); a.status != http.StatusOK {
				t.Errorf("%s on a full disk is answered %d: %s", do, a.status, a.text)
			}
		}
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		v.works(t, token)
		t.Logf("%d writes fitted into the log before the disk was full", written)
	}
}

// Another process holds the file. Those who write are told together, and not one after the other; readers notice nothing.
func TestALockedFileLeavesReadersAlone(t *testing.T) {
	t.Parallel()
	path, token := newFile(t, t.TempDir())
	v := newVictim(t, "sqlite:"+path)
	v.works(t, token)
	other, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := sqlitex.ExecuteTransient(other, "BEGIN IMMEDIATE", nil); err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	answers := make([]reply, 6)
	for i := range answers {
		writers.Go(func() { answers[i] = v.send(token, "POST /v1/contacts", `{"name":"Someone"}`, "") })
	}
	for _, do := range []string{"GET /v1/me", "GET /healthz"} {
		if a := v.send(token, do, "", ""); a.status != http.StatusOK {
			t.Errorf("%s is answered %d: %s", do, a.status, a.text)
		}
	}
	writers.Wait()
	for _, a := range answers {
		if a.status != http.StatusServiceUnavailable || a.took > 2*inTime {
			t.Errorf("a write is answered %d after %v: %s", a.status, a.took, a.text)
		}
	}
	if err := sqlitex.ExecuteTransient(other, "COMMIT", nil); err != nil {
		t.Fatal(err)
	}
	v.works(t, token)
}

// A page of the file is damaged. What does not need it goes on, and so does everything when it is mended.
func TestADamagedPageIsToldAsSuch(t *testing.T) {
	t.Parallel()
	path, token := newFile(t, t.TempDir())
	v := newVictim(t, "sqlite:"+path)
	v.works(t, token)
	v.kill()
	root, size := int64(0), int64(0)
	file, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	if err := sqlitex.ExecuteTransient(file, "PRAGMA wal_checkpoint(TRUNCATE)", nil); err != nil {
		t.Fatal(err)
	}
	for sql, into := range map[string]*int64{
		"SELECT rootpage FROM sqlite_schema WHERE name = 'contacts'": &root,
		"PRAGMA page_size": &size,
	} {
		if err := sqlitex.ExecuteTransient(file, sql,
			&sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error { *into = s.ColumnInt64(0); return nil }}); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	disk, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	good := make([]byte, size)
	if _, err := disk.ReadAt(good, (root-1)*size); err != nil {
		t.Fatal(err)
	}
	if _, err := disk.WriteAt(bytes.Repeat([]byte{0xA5}, int(size)), (root-1)*size); err != nil {
		t.Fatal(err)
	}
	v = newVictim(t, "sqlite:"+path)
	for do, status := range map[string]int{
		"POST /v1/contacts/search": http.StatusServiceUnavailable, "POST /v1/contacts": http.StatusServiceUnavailable,
		"POST /v1/notes/search": http.StatusOK, "GET /v1/me": http.StatusOK, "POST /v1/notes": http.StatusCreated,
	} {
		body := map[string]string{
			"POST /v1/contacts/search": `{}`, "POST /v1/contacts": `{"name":"Someone"}`,
			"POST /v1/notes/search": `{}`, "POST /v1/notes": `{"title":"Here"}`,
		}[do]
		if a := v.send(token, do, body, ""); a.status != status || status == http.StatusServiceUnavailable &&
			a.code != "database_unavailable" {
			t.Errorf("%s is answered %d: %s", do, a.status, a.text)
		}
	}
	if _, err := disk.WriteAt(good, (root-1)*size); err != nil {
		t.Fatal(err)
	}
	v.works(t, token)
}

// A server that may not write its file, or not even read it, ends and says why. It runs as somebody else, because root may do everything.
func TestAServerThatMayNotUseItsFileSaysSo(t *testing.T) {
	t.Parallel()
	folder, err := os.MkdirTemp("/tmp", "kith-rights") // where others can get to
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	path, _ := newFile(t, folder)
	program := filepath.Join(folder, "kith")
	from, err := os.Open(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	to, err := os.OpenFile(program, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	to.Close()
	if err := os.WriteFile(path+".lock", nil, 0o600); err != nil { // so that it is the database itself that is in the way
		t.Fatal(err)
	}
	const nobody = 65534
	for _, c := range []struct {
		name         string
		file, folder os.FileMode
	}{
		{"may only read the file", 0o444, 0o555},
		{"may not read the file", 0o000, 0o755},
	} {
		if os.Getuid() == 0 {
			for _, file := range []string{path, path + ".lock", folder} {
				if err := os.Chown(file, nobody, nobody); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := os.Chmod(path, c.file); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(folder, c.folder); err != nil {
			t.Fatal(err)
		}
		command := exec.Command(program, "serve", "--addr", "127.0.0.1:0", "--db", "sqlite:"+path)
		command.Env, command.Dir = append(os.Environ(), asProgram+"=1"), "/"
		if os.Getuid() == 0 {
			command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		}
		out, err := command.CombinedOutput()
		if code := command.ProcessState.ExitCode(); code != 1 || !strings.Contains(string(out), path) {
			t.Errorf("a server that %s ends with %d, %v: %s", c.name, code, err, out)
		} else {
			t.Log(fmt.Sprint(c.name, ": ", strings.TrimSpace(string(out))))
		}
	}
	if err := os.Chmod(folder, 0o700); err != nil {
		t.Fatal(err)
	}
}
