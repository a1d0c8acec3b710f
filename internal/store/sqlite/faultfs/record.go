package faultfs

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	sqlite3 "modernc.org/sqlite/lib"
)

// Kind is what is done to a file.
type Kind int

// The kinds of calls. Those up to ShmLock can be made to fail.
const (
	Open Kind = iota
	Read
	Write
	Truncate
	Sync
	Delete
	ShmMap
	ShmLock
	// SyncFolder makes durable which files there are, FailedSync is a sync that was answered with an error, and Nothing what a disk said
	// it would do and has not done.
	SyncFolder
	FailedSync
	Nothing
)

func (k Kind) String() string {
	return [...]string{"open", "read", "write", "truncate", "sync", "delete", "map", "lock", "sync folder", "failed sync", "nothing"}[k]
}

// Op is one call that changes what a disk holds, or what of that is durable.
type Op struct {
	Kind Kind
	File string
	// At is where a write begins, or the size to which a file is cut.
	At   int64
	Data []byte
	// Made tells that the file was not there before it was opened.
	Made bool
}

func (o Op) String() string { return fmt.Sprintf("%v %s %d+%d", o.Kind, o.File, o.At, len(o.Data)) }

// Fault is which call fails.
type Fault struct {
	Kind Kind
	// N is how many calls of the kind there are until then, itself among them, and For how many fail from it on.
	N, For int
	// Full tells that writes fail because the disk is full, and not by an error of the disk.
	Full bool
}

// FS is a folder that is watched.
type FS struct {
	folder string

	mu     sync.Mutex
	record Record
	fault  Fault
	calls  map[Kind]int
	failed int
}

// Watch records what SQLite does to the files of a folder from now on, until the test ends. What is there by now is durable.
func Watch(tb testing.TB, folder string) *FS {
	tb.Helper()
	if err := Install(); err != nil {
		tb.Fatal(err)
	}
	folder, err := filepath.EvalSymlinks(folder)
	if err != nil {
		tb.Fatal(err)
	}
	fs := &FS{folder: folder, record: Record{Base: map[string][]byte{}}, calls: map[Kind]int{}}
	entries, err := os.ReadDir(folder)
	if err != nil {
		tb.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), "-shm") { // which is made anew
			continue
		}
		if fs.record.Base[e.Name()], err = os.ReadFile(filepath.Join(folder, e.Name())); err != nil {
			tb.Fatal(err)
		}
	}
	mu.Lock()
	folders[folder] = fs
	mu.Unlock()
	tb.Cleanup(func() {
		mu.Lock()
		delete(folders, folder)
		mu.Unlock()
	})
	return fs
}

// Ops is how many there were by now.
func (fs *FS) Ops() int {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return len(fs.record.Ops)
}

// Record gives what was done by now.
func (fs *FS) Record() *Record {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return &Record{Base: fs.record.Base, Ops: fs.record.Ops[:len(fs.record.Ops):len(fs.record.Ops)]}
}

// Fail has calls fail from now on, in place of those that were to fail before; the zero fault has none.
func (fs *FS) Fail(fault Fault) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.fault, fs.calls, fs.failed = fault, map[Kind]int{}, 0
}

// Calls is how many calls of each kind there were since they were told to fail, and how many of them have failed.
func (fs *FS) Calls() (calls map[Kind]int, failed int) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return maps.Clone(fs.calls), fs.failed
}

// fails gives the code with which a call fails, or 0.
func (fs *FS) fails(kind Kind) int32 {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.calls[kind]++
	if n := fs.calls[kind]; kind != fs.fault.Kind || n < fs.fault.N || n >= fs.fault.N+fs.fault.For {
		return 0
	}
	fs.failed++
	if fs.fault.Full {
		return sqlite3.SQLITE_FULL
	}
	return sqlite3.SQLITE_IOERR_WRITE
}

func (fs *FS) log(op Op) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.record.Ops = append(fs.record.Ops, op)
}
