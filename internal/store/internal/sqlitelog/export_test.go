package sqlitelog

import (
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/kith-crm/kith/internal/store/internal/sqlitemem"
)

// Functions are those that the driver calls, by where it has them.
var Functions = map[string]any{
	"Tsqlite3_vfs.FxOpen":         open,
	"Tsqlite3_io_methods.FxClose": closeLog, "Tsqlite3_io_methods.FxRead": read, "Tsqlite3_io_methods.FxWrite": write,
	"Tsqlite3_io_methods.FxSync": makeDurable, "Tsqlite3_io_methods.FxTruncate": truncate, "Tsqlite3_io_methods.FxFileSize": fileSize,
	"Tsqlite3_io_methods.FxShmLock": lock,
}

var (
	written int
	wrote   moving
)

// CountWrites lets every log that is open count how often it is written to, and gives the count.
func CountWrites() *int {
	tls := libc.NewTLS()
	defer tls.Close()
	for made, address := range tables {
		if !made.log {
			continue
		}
		ours := sqlitemem.At[methods](address)
		counting := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(sqlite3.Tsqlite3_io_methods{})))
		has := sqlitemem.At[sqlite3.Tsqlite3_io_methods](counting)
		*has = *sqlitemem.At[sqlite3.Tsqlite3_io_methods](ours.below)
		wrote = called[moving](has.FxWrite)
		has.FxWrite = sqlitemem.Function(countWrite)
		ours.below = counting
	}
	return &written
}

func countWrite(tls *libc.TLS, file, data uintptr, size int32, at int64) int32 {
	written++
	return wrote(tls, file, data, size, at)
}
