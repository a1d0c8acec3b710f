// Package sqlitelog lets SQLite write its log in a few large pieces. By itself it makes two calls of the system for every page, one
// for what it says of the page and one for the page; a commit of some records has hundreds of pages, and these calls are a seventh
// of its time.
//
// What is written to the log waits here until it is read, made durable, or asked for in another way, and at the latest until SQLite lets
// go of its lock for writing: what a transaction that was undone has left here must not come into the log when somebody else's is there.
// Nobody sees a difference: with synchronous=FULL, see Synced, SQLite makes its log durable before it tells other connections of a
// commit, and what a crash takes from here has not been committed.
//
// Like package sqlitemem it has the driver call functions of ours.
package sqlitelog

import (
	"fmt"
	"sync"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/kith-crm/kith/internal/store/internal/sqlitemem"
)

const (
	// piece is how many bytes are written at once. SQLite takes the lower 17 bits of the number for it.
	piece = 1<<17 - 1
	// known is up to which version we know the methods of files. SQLite is offered none of a later one.
	known = 3
	// writeLock is the place of the lock for writing among those of the log, which is part of the format of the file beside it.
	writeLock = 0
)

// The signatures of the methods that are called here.
type (
	opening  = func(tls *libc.TLS, vfs, name, file uintptr, flags int32, given uintptr) int32
	moving   = func(tls *libc.TLS, file, data uintptr, size int32, at int64) int32
	setting  = func(tls *libc.TLS, file uintptr, n int32) int32
	resizing = func(tls *libc.TLS, file uintptr, size int64) int32
	asking   = func(tls *libc.TLS, file, answer uintptr) int32
	closing  = func(tls *libc.TLS, file uintptr) int32
	locking  = func(tls *libc.TLS, file uintptr, place, n, flags int32) int32
)

// called is the Go function behind an address as the translated library keeps it.
func called[F any](address uintptr) F { return *(*F)(unsafe.Pointer(&address)) }

// log is an open log file.
type log struct {
	// file is its own, and database the one that it is the log of.
	file, database uintptr
	// waiting is what has not been written yet, to be written at a place in the file.
	waiting []byte
	at      int64
}

// methods are those of a file of ours. SQLite reads them by their address, so they lie where the garbage collector does not move them.
type methods struct {
	sqlite3.Tsqlite3_io_methods
	// below is the address of those that the file had.
	below uintptr
}

// table says which methods were made: after those at an address, for logs or for databases.
type table struct {
	below uintptr
	log   bool
}

var (
	mu sync.RWMutex
	// logs are the open ones, by their files and by those of their databases.
	logs   = map[uintptr]*log{}
	tables = map[table]uintptr{}
	below  *sqlite3.Tsqlite3_vfs
)

func logOf(file uintptr) *log {
	mu.RLock()
	defer mu.RUnlock()
	return logs[file]
}

// under are the methods that a file had.
func under(file uintptr) *sqlite3.Tsqlite3_io_methods {
	ours := sqlitemem.At[methods](*sqlitemem.At[uintptr](file))
	return sqlitemem.At[sqlite3.Tsqlite3_io_methods](ours.below)
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

// Synced gives an error where a connection may tell others of a commit before its log is durable: they would look for it in the log while
// it is still here.
func Synced(c *sqlite.Conn) error {
	const full = 2
	has, err := sqlitex.ResultInt(c.Prep("PRAGMA synchronous"))
	if err == nil && has < full {
		err = fmt.Errorf("synchronous is %d, and not FULL", has)
	}
	return err
}

func open(tls *libc.TLS, vfs, name, file uintptr, flags int32, given uintptr) int32 {
	code := called[opening](below.FxOpen)(tls, vfs, name, file, flags, given)
	if code != sqlite3.SQLITE_OK || flags&sqlite3.SQLITE_OPEN_WAL == 0 {
		return code
	}
	l := &log{file: file, database: sqlite3.Xsqlite3_database_file_object(tls, name)}
	mu.Lock()
	defer mu.Unlock()
	// Where there is no memory, the log is written as it would be by itself.
	if take(tls, l.database, false) && take(tls, file, true) {
		logs[file], logs[l.database] = l, l
	}
	return code
}

// take gives a file methods of ours.
func take(tls *libc.TLS, file uintptr, isLog bool) bool {
	has := sqlitemem.At[uintptr](file)
	ours := tables[table{*has, isLog}]
	if ours == 0 {
		for _, address := range tables {
			if address == *has { // a database whose log was opened before
				return true
			}
		}
		if ours = libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(methods{}))); ours == 0 {
			return false
		}
		m := sqlitemem.At[methods](ours)
		*m = methods{*sqlitemem.At[sqlite3.Tsqlite3_io_methods](*has), *has}
		m.FiVersion = min(m.FiVersion, known)
		if isLog {
			m.FxClose, m.FxRead, m.FxWrite = sqlitemem.Function(closeLog), sqlitemem.Function(read), sqlitemem.Function(write)
			m.FxSync, m.FxTruncate = sqlitemem.Function(makeDurable), sqlitemem.Function(truncate)
			m.FxFileSize = sqlitemem.Function(fileSize)
		} else {
			m.FxShmLock = sqlitemem.Function(lock)
		}
		tables[table{*has, isLog}] = ours
	}
	*has = ours
	return true
}

// flush writes what waits. What cannot be written is given up: whoever is told of it undoes the transaction.
func (l *log) flush(tls *libc.TLS) int32 {
	if len(l.waiting) == 0 {
		return sqlite3.SQLITE_OK
	}
	data := uintptr(unsafe.Pointer(unsafe.SliceData(l.waiting)))
	code := called[moving](under(l.file).FxWrite)(tls, l.file, data, int32(len(l.waiting)), l.at)
	l.waiting = l.waiting[:0]
	return code
}

func write(tls *libc.TLS, file, data uintptr, size int32, at int64) int32 {
	l := logOf(file)
	if len(l.waiting) > 0 && (at != l.at+int64(len(l.waiting)) || len(l.waiting)+int(size) > piece) {
		if code := l.flush(tls); code != sqlite3.SQLITE_OK {
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
		if code := l.flush(tls); code != sqlite3.SQLITE_OK {
			return code
		}
	}
	return called[moving](under(file).FxRead)(tls, file, data, size, at)
}

func makeDurable(tls *libc.TLS, file uintptr, flags int32) int32 {
	l := logOf(file)
	if code := l.flush(tls); code != sqlite3.SQLITE_OK {
		return code
	}
	return called[setting](under(file).FxSync)(tls, file, flags)
}

func truncate(tls *libc.TLS, file uintptr, size int64) int32 {
	l := logOf(file)
	if code := l.flush(tls); code != sqlite3.SQLITE_OK {
		return code
	}
	return called[resizing](under(file).FxTruncate)(tls, file, size)
}

func fileSize(tls *libc.TLS, file, answer uintptr) int32 {
	l := logOf(file)
	if code := l.flush(tls); code != sqlite3.SQLITE_OK {
		return code
	}
	return called[asking](under(file).FxFileSize)(tls, file, answer)
}

func closeLog(tls *libc.TLS, file uintptr) int32 {
	l := logOf(file)
	code := l.flush(tls)
	mu.Lock()
	delete(logs, file)
	delete(logs, l.database)
	mu.Unlock()
	if closed := called[closing](under(file).FxClose)(tls, file); code == sqlite3.SQLITE_OK {
		code = closed
	}
	return code
}

// lock is asked for the locks of the log, with the file of the database.
func lock(tls *libc.TLS, database uintptr, place, n, flags int32) int32 {
	if flags&sqlite3.SQLITE_SHM_UNLOCK != 0 && flags&sqlite3.SQLITE_SHM_EXCLUSIVE != 0 && place == writeLock {
		if l := logOf(database); l != nil {
			// With synchronous=FULL nothing waits here but what was undone, which nobody misses if it cannot be written.
			_ = l.flush(tls)
		}
	}
	return called[locking](under(database).FxShmLock)(tls, database, place, n, flags)
}
