// Package faultfs is a file system for SQLite that fails and loses what disks may fail at and lose: it records what is done to the
// files of a folder, makes of any prefix of that record what a disk could hold after a crash, and lets the n-th call fail. It is for
// tests only.
package faultfs

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/kith-crm/kith/internal/store/internal/sqlitemem"
)

// The functions below take the place of those of SQLite's own file system, which do the work. A file keeps its structure; only the
// table of its methods is another one.

var (
	install = sync.OnceValue(register)

	mu sync.Mutex
	// folders are those that are watched, and files the open files in them, by the address of SQLite's structure.
	folders = map[string]*FS{}
	files   = map[uintptr]*file{}
	// own is the file system that does the work, and methods are its tables of methods with ours in place, each by the address of its own.
	own     sqlite3.Tsqlite3_vfs
	methods = map[uintptr]*table{}
)

type table struct {
	own     sqlite3.Tsqlite3_io_methods
	address uintptr
}

// file is an open file of a folder that is watched.
type file struct {
	fs   *FS
	name string
	// syncsFolder tells that its first sync is one of its folder, too, as with logs and journals that SQLite makes.
	syncsFolder bool
}

// Install makes this the file system of all databases that this process opens from now on. Where no folder is watched, files are what
// they always are, except that nothing waits for the disk. It must come before the first of them.
func Install() error { return install() }

func register() error {
	if _, err := sqlitemem.Give(""); err != nil { // which must come before SQLite is used
		return err
	}
	tls := libc.NewTLS()
	defer tls.Close()
	first := sqlite3.Xsqlite3_vfs_find(tls, 0)
	if first == 0 {
		return errors.New("SQLite has no file system")
	}
	own = *sqlitemem.At[sqlite3.Tsqlite3_vfs](first)
	// It stays for as long as the process does, where the garbage collector does not move it.
	ours := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(own)))
	name, err := libc.CString("faultfs")
	if ours == 0 || err != nil {
		return errors.New("no memory for a file system")
	}
	v := sqlitemem.At[sqlite3.Tsqlite3_vfs](ours)
	*v = own
	v.FpNext, v.FzName, v.FxOpen, v.FxDelete = 0, name, sqlitemem.Function(open), sqlitemem.Function(remove)
	if code := sqlite3.Xsqlite3_vfs_register(tls, ours, 1); code != sqlite3.SQLITE_OK {
		return errors.New("SQLite does not take the file system")
	}
	return nil
}

// call is a function of SQLite by its address.
func call[F any](address uintptr) F { return *(*F)(unsafe.Pointer(&address)) }

func open(tls *libc.TLS, vfs, name, id uintptr, flags int32, outFlags uintptr) int32 {
	fs, base := watched(name)
	if fs != nil {
		if code := fs.fails(Open); code != 0 {
			sqlitemem.At[sqlite3.Tsqlite3_file](id).FpMethods = 0
			return sqlite3.SQLITE_CANTOPEN
		}
	}
	there := true
	if fs != nil {
		_, err := os.Stat(filepath.Join(fs.folder, base))
		there = err == nil
	}
	code := call[func(*libc.TLS, uintptr, uintptr, uintptr, int32, uintptr) int32](own.FxOpen)(tls, vfs, name, id, flags, outFlags)
	f := sqlitemem.At[sqlite3.Tsqlite3_file](id)
	if code != sqlite3.SQLITE_OK || f.FpMethods == 0 {
		return code
	}
	mu.Lock()
	defer mu.Unlock()
	t := methods[f.FpMethods]
	if t == nil {
		t = newTable(tls, f.FpMethods)
		methods[f.FpMethods] = t
	}
	f.FpMethods = t.address
	if fs != nil {
		logs := int32(sqlite3.SQLITE_OPEN_WAL | sqlite3.SQLITE_OPEN_MAIN_JOURNAL | sqlite3.SQLITE_OPEN_SUPER_JOURNAL)
		files[id] = &file{fs: fs, name: base, syncsFolder: flags&logs != 0 && flags&sqlite3.SQLITE_OPEN_CREATE != 0}
		fs.log(Op{Kind: Open, File: base, Made: !there})
	}
	return code
}

// newTable is a table of methods with ours in it.
func newTable(tls *libc.TLS, address uintptr) *table {
	t := &table{own: *sqlitemem.At[sqlite3.Tsqlite3_io_methods](address)}
	t.address = libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(t.own)))
	m := t.own
	m.FxClose, m.FxRead, m.FxWrite = sqlitemem.Function(closeFile), sqlitemem.Function(read), sqlitemem.Function(write)
	m.FxTruncate, m.FxSync = sqlitemem.Function(truncate), sqlitemem.Function(syncFile)
	m.FxShmMap, m.FxShmLock = sqlitemem.Function(shmMap), sqlitemem.Function(shmLock)
	m.FxFetch = sqlitemem.Function(fetch)
	*sqlitemem.At[sqlite3.Tsqlite3_io_methods](t.address) = m
	return t
}

// opened finds an open file, nil where its folder is not watched, and the methods that do the work.
func opened(id uintptr) (*file, *sqlite3.Tsqlite3_io_methods) {
	mu.Lock()
	defer mu.Unlock()
	address := sqlitemem.At[sqlite3.Tsqlite3_file](id).FpMethods
	for _, t := range methods {
		if t.address == address {
			return files[id], &t.own
		}
	}
	panic("a file that was not opened here")
}

func watched(name uintptr) (fs *FS, base string) {
	if name == 0 {
		return nil, ""
	}
	path := libc.GoString(name)
	mu.Lock()
	defer mu.Unlock()
	return folders[filepath.Dir(path)], filepath.Base(path)
}

func remove(tls *libc.TLS, vfs, name uintptr, syncFolder int32) int32 {
	fs, base := watched(name)
	if fs != nil && fs.fails(Delete) != 0 {
		return sqlite3.SQLITE_IOERR_DELETE
	}
	code := call[func(*libc.TLS, uintptr, uintptr, int32) int32](own.FxDelete)(tls, vfs, name, 0)
	if fs != nil && code == sqlite3.SQLITE_OK {
		fs.log(Op{Kind: Delete, File: base})
		if syncFolder != 0 {
			fs.log(Op{Kind: SyncFolder})
		}
	}
	return code
}

func closeFile(tls *libc.TLS, id uintptr) int32 {
	_, m := opened(id)
	mu.Lock()
	delete(files, id)
	mu.Unlock()
	return call[func(*libc.TLS, uintptr) int32](m.FxClose)(tls, id)
}

func read(tls *libc.TLS, id, buffer uintptr, size int32, at int64) int32 {
	f, m := opened(id)
	if f != nil && f.fs.fails(Read) != 0 {
		return sqlite3.SQLITE_IOERR_READ
	}
	return call[func(*libc.TLS, uintptr, uintptr, int32, int64) int32](m.FxRead)(tls, id, buffer, size, at)
}

// write of which the call fails has written a part.
func write(tls *libc.TLS, id, buffer uintptr, size int32, at int64) int32 {
	f, m := opened(id)
	do := call[func(*libc.TLS, uintptr, uintptr, int32, int64) int32](m.FxWrite)
	if f == nil {
		return do(tls, id, buffer, size, at)
	}
	failed := f.fs.fails(Write)
	if failed != 0 {
		size /= 2
	}
	data := slices.Clone(unsafe.Slice(sqlitemem.At[byte](buffer), size))
	code := do(tls, id, buffer, size, at)
	if code == sqlite3.SQLITE_OK {
		f.fs.log(Op{Kind: Write, File: f.name, At: at, Data: data})
		code = failed
	}
	return code
}

func truncate(tls *libc.TLS, id uintptr, size int64) int32 {
	f, m := opened(id)
	if f != nil && f.fs.fails(Truncate) != 0 {
		return sqlite3.SQLITE_IOERR_TRUNCATE
	}
	code := call[func(*libc.TLS, uintptr, int64) int32](m.FxTruncate)(tls, id, size)
	if f != nil && code == sqlite3.SQLITE_OK {
		f.fs.log(Op{Kind: Truncate, File: f.name, At: size})
	}
	return code
}

// syncFile does nothing but note it: what a crash leaves is made of the record. One that fails leaves what was written since the one
// before to chance for good, whatever comes after: so do systems that take pages for clean then.
func syncFile(_ *libc.TLS, id uintptr, _ int32) int32 {
	f, _ := opened(id)
	if f == nil {
		return sqlite3.SQLITE_OK
	}
	if f.fs.fails(Sync) != 0 {
		f.fs.log(Op{Kind: FailedSync, File: f.name})
		return sqlite3.SQLITE_IOERR_FSYNC
	}
	f.fs.log(Op{Kind: Sync, File: f.name})
	if f.syncsFolder {
		f.syncsFolder = false
		f.fs.log(Op{Kind: SyncFolder})
	}
	return sqlite3.SQLITE_OK
}

func shmMap(tls *libc.TLS, id uintptr, region, size, extend int32, pp uintptr) int32 {
	f, m := opened(id)
	if f != nil && f.fs.fails(ShmMap) != 0 {
		*sqlitemem.At[uintptr](pp) = 0
		return sqlite3.SQLITE_IOERR_SHMMAP
	}
	return call[func(*libc.TLS, uintptr, int32, int32, int32, uintptr) int32](m.FxShmMap)(tls, id, region, size, extend, pp)
}

// shmLock that gives a lock back never fails, as with SQLite's own.
func shmLock(tls *libc.TLS, id uintptr, at, n, flags int32) int32 {
	f, m := opened(id)
	if f != nil && flags&sqlite3.SQLITE_SHM_LOCK != 0 && f.fs.fails(ShmLock) != 0 {
		return sqlite3.SQLITE_IOERR_SHMLOCK
	}
	return call[func(*libc.TLS, uintptr, int32, int32, int32) int32](m.FxShmLock)(tls, id, at, n, flags)
}

// fetch maps nothing, so that whatever is read is read by a call that can fail.
func fetch(_ *libc.TLS, _ uintptr, _ int64, _ int32, pp uintptr) int32 {
	*sqlitemem.At[uintptr](pp) = 0
	return sqlite3.SQLITE_OK
}
