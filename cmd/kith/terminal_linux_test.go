package main

import (
	"context"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// openTerminal makes a terminal, and gives its two sides: what a program writes to, and what a person sees.
func openTerminal(t *testing.T) (*os.File, *logged) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { person.Close() })
	var unlock, number int32
	for request, value := range map[uintptr]*int32{syscall.TIOCSPTLCK: &unlock, syscall.TIOCGPTN: &number} {
		if _, _, failed := syscall.Syscall(syscall.SYS_IOCTL, person.Fd(), request, uintptr(unsafe.Pointer(value))); failed != 0 {
			t.Fatal(failed)
		}
	}
	program, err := os.OpenFile("/dev/pts/"+strconv.Itoa(int(number)), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Close() })
	seen := newLogged()
	go func() { _, _ = io.Copy(seen, person) }()
	return program, seen
}

// Whoever starts the server by hand is told in words where it is and what to do next; the log stays as it is.
func TestServeSpeaksToPeopleOnATerminal(t *testing.T) {
	db := missingSQLite(t)
	see := func() string {
		t.Helper()
		terminal, seen := openTerminal(t)
		ctx, stop := context.WithCancel(context.Background())
		code := make(chan int, 1)
		go func() { code <- run(ctx, []string{"serve", "--db", db, "--addr", "127.0.0.1:0"}, io.Discard, terminal) }()
		text := seen.until(t, "Ctrl-C stops it.")
		stop()
		if got := <-code; got != 0 {
			t.Errorf("the server ends with %d: %s", got, seen)
		}
		return text
	}
	if text := see(); !strings.Contains(text, " serves http://127.0.0.1:") || !strings.Contains(text, db) ||
		!strings.Contains(text, "/setup") || strings.Contains(text, `"msg"`) {
		t.Errorf("an empty server says on a terminal: %s", text)
	}
	newBusiness(t, db)
	if text := see(); !strings.Contains(text, "pages     http://127.0.0.1:") || strings.Contains(text, "/setup") {
		t.Errorf("a server that is set up says on a terminal: %s", text)
	}
}
