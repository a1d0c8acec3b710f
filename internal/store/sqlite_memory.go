package store

import (
	"fmt"
	"math/bits"
	"sync"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// SQLite gets its memory here. The C library that it was translated with has one allocator behind one lock: two readers in the middle of
// text searches, which allocate thousands of times, wait for each other again and again, and each wait may cost the goroutine its core.
// Here every connection has a pool, and its lock is nearly always free. It is there for the little that SQLite keeps for all connections.
//
// A block has a header that names its pool and class. Freed blocks wait in their pool for the next of their class: what a connection once
// needed, it keeps.

// memoryPool holds the free blocks of some connections.
type memoryPool struct {
	sync.Mutex
	free      [memoryClasses]uintptr // the first free block of each class, which holds the address of the next
	from, end uintptr                // what is left of the last chunk
	_         [64]byte               // keeps the locks of two pools out of one cache line
}

// blockHeader stands before each block.
type blockHeader struct {
	size  int32 // what the block holds, without the header
	class int16
	pool  int16
}

const (
	headerSize = int32(unsafe.Sizeof(blockHeader{}))
	// Between a power of two and the next are four classes, the smallest with 40 bytes and the largest with 128 KiB, headers included.
	smallestLog, largestLog = 6, 17
	memoryClasses           = (largestLog - smallestLog + 1) * 4
	// noClass is that of larger blocks, which come from the C library and go back to it.
	noClass     = -1
	memoryChunk = 1 << largestLog
)

var memoryPools [16]memoryPool

// giveSQLiteMemory must come before the first connection is opened.
var giveSQLiteMemory = sync.OnceValue(func() error {
	tls := libc.NewTLS()
	defer tls.Close()
	// SQLite reads the methods by their address, so they must lie where the garbage collector does not move them.
	methods := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(sqlite3.Tsqlite3_mem_methods{})))
	defer libc.Xfree(tls, methods)
	*at[sqlite3.Tsqlite3_mem_methods](methods) = sqlite3.Tsqlite3_mem_methods{
		FxMalloc:   cFunction(sqliteMalloc),
		FxFree:     cFunction(sqliteFree),
		FxRealloc:  cFunction(sqliteRealloc),
		FxSize:     cFunction(sqliteSize),
		FxRoundup:  cFunction(sqliteRoundup),
		FxInit:     cFunction(func(*libc.TLS, uintptr) int32 { return sqlite3.SQLITE_OK }),
		FxShutdown: cFunction(func(*libc.TLS, uintptr) {}),
	}
	args := libc.NewVaList(methods)
	defer libc.Xfree(tls, args)
	if code := sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_MALLOC, args); code != sqlite3.SQLITE_OK {
		return fmt.Errorf("SQLite was used before its memory was set up: error %d", code)
	}
	return nil
})

// cFunction is a function as the translated library calls it: the address of the word that holds its code's address.
func cFunction[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

// at is the memory at an address that the garbage collector knows nothing of.
func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

func headerOf(block uintptr) *blockHeader { return at[blockHeader](block - uintptr(headerSize)) }

// memoryClass is the smallest class whose blocks hold size bytes, and how much they hold.
func memoryClass(size int32) (class int16, holds int32) {
	whole := size + headerSize
	log := max(smallestLog, bits.Len32(uint32(whole-1)))
	if log > largestLog {
		return noClass, (size + 7) &^ 7
	}
	step := log - 3
	quarters := max(5, (whole+1<<step-1)>>step)
	return int16((log-smallestLog)*4 + int(quarters) - 5), quarters<<step - headerSize
}

func sqliteMalloc(tls *libc.TLS, size int32) uintptr {
	if size <= 0 || size > 1<<31-1-64 {
		return 0
	}
	class, holds := memoryClass(size)
	var whole uintptr
	number := int16(uint32(tls.ID) % uint32(len(memoryPools)))
	if class == noClass {
		whole = libc.Xmalloc(tls, libc.Tsize_t(holds+headerSize))
	} else {
		whole = memoryPools[number].take(tls, class, uintptr(holds+headerSize))
	}
	if whole == 0 {
		return 0
	}
	*at[blockHeader](whole) = blockHeader{size: holds, class: class, pool: number}
	return whole + uintptr(headerSize)
}

func (p *memoryPool) take(tls *libc.TLS, class int16, whole uintptr) uintptr {
	p.Lock()
	defer p.Unlock()
	if block := p.free[class]; block != 0 {
		p.free[class] = *at[uintptr](block)
		return block
	}
	if p.end-p.from < whole {
		chunk := libc.Xmalloc(tls, memoryChunk)
		if chunk == 0 {
			return 0
		}
		p.from, p.end = chunk, chunk+memoryChunk
	}
	p.from += whole
	return p.from - whole
}

func sqliteFree(tls *libc.TLS, block uintptr) {
	if block == 0 {
		return
	}
	header := headerOf(block)
	whole := block - uintptr(headerSize)
	if header.class == noClass {
		libc.Xfree(tls, whole)
		return
	}
	p, class := &memoryPools[header.pool], header.class
	p.Lock()
	*at[uintptr](whole) = p.free[class]
	p.free[class] = whole
	p.Unlock()
}

func sqliteRealloc(tls *libc.TLS, block uintptr, size int32) uintptr {
	old := headerOf(block).size
	if size <= old && size > old/2 {
		return block
	}
	larger := sqliteMalloc(tls, size)
	if larger == 0 {
		return 0
	}
	n := min(old, size)
	copy(unsafe.Slice(at[byte](larger), n), unsafe.Slice(at[byte](block), n))
	sqliteFree(tls, block)
	return larger
}

func sqliteSize(_ *libc.TLS, block uintptr) int32 {
	if block == 0 {
		return 0
	}
	return headerOf(block).size
}

func sqliteRoundup(_ *libc.TLS, size int32) int32 {
	_, holds := memoryClass(max(1, size))
	return holds
}
