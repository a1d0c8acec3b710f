// Package sqlitelog lets SQLite write its log in a few large pieces. By itself it makes two calls of the system for every page, one
// for what it says of the page and one for the page; a commit of some records has hundreds of pages, and these calls are a seventh
// of its time.
//
// What is written to the log waits here until it is read, made durable, or asked for in another way. Nobody else sees a difference:
// SQLite makes its log durable before it tells other connections of a commit, and what a crash takes from here has not been
// committed.
//
// Like package sqlitemem it reaches into how the driver calls C functions.
package sqlitelog

import (
	"fmt"
	"sync"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/kith-crm/kith/internal/store/internal/sqlitemem"
)

// piece is how many bytes are written at once. SQLite takes the lower 17 bits of the number for it.
const piece = 1<<17 - 1

// The signatures of the methods that are called here.
type (
	opening  = func(tls *libc.TLS, vfs, name, file uintptr, flags int32, given uintptr) int32
	moving   = func(tls *libc.TLS, file, data uintptr, size int32, at int64) int32
	setting  = func(tls *libc.TLS, file uintptr, n int32) int32
	resizing = func(tls *libc.TLS, file uintptr, size int64) int32
	asking   = func(tls *libc.TLS, file, answer uintptr) int32
	closing  = func(tls *libc.TLS, file uintptr) int32
)

// called is the Go function behind an address as the translated library keeps it.
func called[F any](address uintptr) F { return *(*F)(unsafe.Pointer(&address)) }

// log is an open log file.
type log struct {
	below *sqlite3.Tsqlite3_io_methods
	// waiting is what has not been written yet, to be written at a place in the file.
	waiting []byte
	at      int64
}

var (
	mu   sync.RWMutex
	logs = map[uintptr]*log{}
	// methods are ours, by the address of those below.
	methods = map[uintptr]uintptr{}
	below   *sqlite3.Tsqlite3_vfs
)

func logOf(file uintptr) *log {
	mu.RLock()
	defer mu.RUnlock()
	return logs[file]
}

// Register has every log that is opened from now on written in large pieces. It comes once, before the first connection.
func Register() error {
	tls := libc.NewTLS()
	defer tls.Close()
	standard := sqlite3.Xsqlite3_vfs_find(tls, 0)
	if standard == 0 {
		return fmt.Errorf("SQLite has no way to files")
	}
	below = sqlitemem.At[sqlite3.Tsqlite3_vfs](standard)
	ours := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(*below)))
	name, err := libc.CString("kith")
	if err != nil || ours == 0 {
		return fmt.Errorf("there is no memory")
	}
	vfs := sqlitemem.At[sqlite3.Tsqlite3_vfs](ours)
	*vfs = *below
	vfs.FpNext, vfs.FzName, vfs.FxOpen = 0, name, sqlitemem.Function(open)
	if code := sqlite3.Xsqlite3_vfs_register(tls, ours, 1); code != sqlite3.SQLITE_OK {
		return fmt.Errorf("SQLite does not take a way to files: error %d", code)
	}
	return nil
}

func open(tls *libc.TLS, vfs, name, file uintptr, flags int32, given uintptr) int32 {
	code := called[opening](below.FxOpen)(tls, vfs, name, file, flags, given)
	if code != sqlite3.SQLITE_OK || flags&sqlite3.SQLITE_OPEN_WAL == 0 {
		return code
	}
	has := sqlitemem.At[uintptr](file)
	mu.Lock()
	defer mu.Unlock()
	ours := methods[*has]
	if ours == 0 {
		// SQLite reads them by their address, so they must lie where the garbage collector does not move them.
		if ours = libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(sqlite3.Tsqlite3_io_methods{}))); ours == 0 {
			return code // it is written as it would be by itself
		}
		m := sqlitemem.At[sqlite3.Tsqlite3_io_methods](ours)
		*m = *sqlitemem.At[sqlite3.Tsqlite3_io_methods](*has)
		m.FxClose, m.FxRead, m.FxWrite, m.FxSync = sqlitemem.Function(closeLog), sqlitemem.Function(read), sqlitemem.Function(write), sqlitemem.Function(makeDurable)
		m.FxTruncate, m.FxFileSize = sqlitemem.Function(truncate), sqlitemem.Function(fileSize)
		methods[*has] = ours
	}
	logs[file] = &log{below: sqlitemem.At[sqlite3.Tsqlite3_io_methods](*has)}
	*has = ours
	return code
}

// flush writes what waits. What cannot be written is given up: whoever is told of it undoes the transaction.
func (l *log) flush(tls *libc.TLS, file uintptr) int32 {
	if len(l.waiting) == 0 {
		return sqlite3.SQLITE_OK
	}
	data := uintptr(unsafe.Pointer(unsafe.SliceData(l.waiting)))
	code := called[moving](l.below.FxWrite)(tls, file, data, int32(len(l.waiting)), l.at)
	l.waiting = l.waiting[:0]
	return code
}

func write(tls *libc.TLS, file, data uintptr, size int32, at int64) int32 {
	l := logOf(file)
	if len(l.waiting) > 0 && (at != l.at+int64(len(l.waiting)) || len(l.waiting)+int(size) > piece) {
		if code := l.flush(tls, file); code != sqlite3.SQLITE_OK {
			return code
		}
	}
	if len(l.waiting) == 0 {
		if l.waiting == nil {
			l.waiting = make([]byte, 0, piece)
		}
		l.at = at
	}
	l.waiting = append(l.waiting, unsafe.Slice(sqlitemem.At[byte](data), size)...)
	return sqlite3.SQLITE_OK
}

func read(tls *libc.TLS, file, data uintptr, size int32, at int64) int32 {
	l := logOf(file)
	if at < l.at+int64(len(l.waiting)) && at+int64(size) > l.at {
		if code := l.flush(tls, file); code != sqlite3.SQLITE_OK {
			return code
		}
	}
	return called[moving](l.below.FxRead)(tls, file, data, size, at)
}

func makeDurable(tls *libc.TLS, file uintptr, flags int32) int32 {
	l := logOf(file)
	if code := l.flush(tls, file); code != sqlite3.SQLITE_OK {
		return code
	}
	return called[setting](l.below.FxSync)(tls, file, flags)
}

func truncate(tls *libc.TLS, file uintptr, size int64) int32 {
	l := logOf(file)
	if code := l.flush(tls, file); code != sqlite3.SQLITE_OK {
		return code
	}
	return called[resizing](l.below.FxTruncate)(tls, file, size)
}

func fileSize(tls *libc.TLS, file, answer uintptr) int32 {
	l := logOf(file)
	if code := l.flush(tls, file); code != sqlite3.SQLITE_OK {
		return code
	}
	return called[asking](l.below.FxFileSize)(tls, file, answer)
}

func closeLog(tls *libc.TLS, file uintptr) int32 {
	l := logOf(file)
	code := l.flush(tls, file)
	mu.Lock()
	delete(logs, file)
	mu.Unlock()
	if closed := called[closing](l.below.FxClose)(tls, file); code == sqlite3.SQLITE_OK {
		code = closed
	}
	return code
}
