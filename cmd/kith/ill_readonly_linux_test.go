package main

import (
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// immutable makes a file one that nobody can write, not even root and whoever has it open, or lifts that again. Not every file
// system knows it.
func immutable(path string, on bool) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	const readFlags, writeFlags, immutableFlag = 0x80086601, 0x40086602, 0x10 // of linux/fs.h
	var flags int
	if _, _, failed := syscall.Syscall(syscall.SYS_IOCTL, file.Fd(), readFlags, uintptr(unsafe.Pointer(&flags))); failed != 0 {
		return failed
	}
	if flags &^= immutableFlag; on {
		flags |= immutableFlag
	}
	if _, _, failed := syscall.Syscall(syscall.SYS_IOCTL, file.Fd(), writeFlags, uintptr(unsafe.Pointer(&flags))); failed != 0 {
		return failed
	}
	return nil
}

// A file that becomes read-only while the server runs keeps nobody from reading, and writes go on when it can be written again.
func TestAFileThatBecomesReadOnlyLeavesReadersAlone(t *testing.T) {
	t.Parallel()
	path, token := newFile(t, t.TempDir())
	v := newVictim(t, "sqlite:"+path)
	v.works(t, token)
	files := []string{path, path + "-wal"}
	release := func() {
		for _, file := range files {
			_ = immutable(file, false)
		}
	}
	t.Cleanup(release)
	for range 2 {
		for _, file := range files {
			if err := immutable(file, true); err != nil {
				t.Skipf("LEFT OUT: nothing was tried on a read-only file, because %s could not be made one (that needs root, and ext4, "+
					"XFS or the like): %v", file, err)
			}
		}
		a := v.send(token, "POST /v1/contacts", `{"name":"Someone"}`, "")
		if a.status == http.StatusCreated {
			t.Skip("LEFT OUT: nothing was tried on a read-only file, because this file system lets whoever has it open write it")
		}
		if a.status != http.StatusServiceUnavailable || a.code != "database_unavailable" || a.retryAfter == "" {
			t.Errorf("a write of a read-only file is answered %d: %s", a.status, a.text)
		}
		for _, do := range []string{"GET /v1/me", "POST /v1/contacts/search", "GET /healthz"} {
			if a := v.send(token, do, map[bool]string{true: `{}`}[strings.HasSuffix(do, "search")], ""); a.status != http.StatusOK {
				t.Errorf("%s with a read-only file is answered %d: %s", do, a.status, a.text)
			}
		}
		eventually(t, "the server is not ready to write",
			func() bool { return v.send("", "GET /readyz", "", "").status == http.StatusServiceUnavailable })
		if text := v.log.String(); !strings.Contains(text, `"level":"ERROR"`) && !strings.Contains(text, `"level":"WARN"`) {
			t.Error("the log tells nothing of it")
		}
		release()
		v.works(t, token)
	}
}
