// Package sqlitemem gives SQLite its memory. The C library that SQLite was translated with has one allocator behind one lock: two
// readers in the middle of text searches, which allocate thousands of times, wait for each other again and again, and each wait may
// cost the goroutine its core. Here every connection has a pool, and its lock is nearly always free. It is there for the little
// that SQLite keeps for all connections.
//
// A block has a header that names its pool and class. Freed blocks wait in their pool for the next of their class: what a connection once
// needed, it keeps.
//
// The driver keeps C functions and C memory as the Go package of bindings above it expects (zombiezen.com/go/sqlite), and so do we. That
// it still calls ours as they are declared is held by TestTheDriverCallsThemSo, and they are tried when they are given.
package sqlitemem

import (
	"errors"
	"fmt"
	"math/bits"
	"sync"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// What Give takes: memory of its own or, where something is wrong with that, the driver's.
const (
	Own    = "own"
	Driver = "driver"
)

// Give decides whose memory SQLite uses, and must come before the first connection is opened. remark tells where that is not what
// is usual.
func Give(whose string) (remark string, err error) {
	given.Do(func() {
		switch whose {
		case Driver:
			givenRemark = "SQLite uses the driver's memory, as it was told to: searches wait for each other more often"
		case Own, "":
			givenErr = give()
		default:
			givenErr = fmt.Errorf("must be %s or %s, not %q", Own, Driver, whose)
		}
	})
	return givenRemark, givenErr
}

var (
	given       sync.Once
	givenRemark string
	givenErr    error
)

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

func give() error {
	tls := libc.NewTLS()
	defer tls.Close()
	// SQLite reads the methods by their address, so they must lie where the garbage collector does not move them.
	methods := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(sqlite3.Tsqlite3_mem_methods{})))
	defer libc.Xfree(tls, methods)
	*At[sqlite3.Tsqlite3_mem_methods](methods) = sqlite3.Tsqlite3_mem_methods{
		FxMalloc:   Function(malloc),
		FxFree:     Function(free),
		FxRealloc:  Function(realloc),
		FxSize:     Function(sizeOf),
		FxRoundup:  Function(roundUp),
		FxInit:     Function(start),
		FxShutdown: Function(stop),
	}
	args := libc.NewVaList(methods)
	defer libc.Xfree(tls, args)
	if code := sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_MALLOC, args); code != sqlite3.SQLITE_OK {
		return fmt.Errorf("SQLite was used before its memory was set up: error %d", code)
	}
	return try(tls)
}

// try has SQLite take, grow and give back a block, and looks whether it was one of ours all the time.
func try(tls *libc.TLS) error {
	const size = 1000
	block := sqlite3.Xsqlite3_malloc(tls, size)
	if block == 0 || *headerOf(block) != headerFor(tls, size) {
		return errors.New("SQLite does not take its memory from where it was told to")
	}
	*At[byte](block + size - 1) = 1
	block = sqlite3.Xsqlite3_realloc(tls, block, 2*size)
	if block == 0 || *headerOf(block) != headerFor(tls, 2*size) || *At[byte](block + size - 1) != 1 {
		return errors.New("SQLite does not let its memory grow where it was told to")
	}
	header, whole := *headerOf(block), block-uintptr(headerSize)
	sqlite3.Xsqlite3_free(tls, block)
	if memoryPools[header.pool].free[header.class] != whole {
		return errors.New("SQLite does not give its memory back to where it has it from")
	}
	return nil
}

// Function is a function as the translated library calls it: the address of the word that holds its code's address.
func Function[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

// At is the memory at an address that the garbage collector knows nothing of.
func At[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

func headerOf(block uintptr) *blockHeader { return At[blockHeader](block - uintptr(headerSize)) }

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

// headerFor is the header of a block that a connection is given for size bytes.
func headerFor(tls *libc.TLS, size int32) blockHeader {
	class, holds := memoryClass(size)
	return blockHeader{size: holds, class: class, pool: int16(uint32(tls.ID) % uint32(len(memoryPools)))}
}

func malloc(tls *libc.TLS, size int32) uintptr {
	if size <= 0 || size > 1<<31-1-64 {
		return 0
	}
	header := headerFor(tls, size)
	var whole uintptr
	if header.class == noClass {
		whole = libc.Xmalloc(tls, libc.Tsize_t(header.size+headerSize))
	} else {
		whole = memoryPools[header.pool].take(tls, header.class, uintptr(header.size+headerSize))
	}
	if whole == 0 {
		return 0
	}
	*At[blockHeader](whole) = header
	return whole + uintptr(headerSize)
}

func (p *memoryPool) take(tls *libc.TLS, class int16, whole uintptr) uintptr {
	p.Lock()
	defer p.Unlock()
	if block := p.free[class]; block != 0 {
		p.free[class] = *At[uintptr](block)
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

func free(tls *libc.TLS, block uintptr) {
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
	*At[uintptr](whole) = p.free[class]
	p.free[class] = whole
	p.Unlock()
}

func realloc(tls *libc.TLS, block uintptr, size int32) uintptr {
	old := headerOf(block).size
	if size <= old && size > old/2 {
		return block
	}
	larger := malloc(tls, size)
	if larger == 0 {
		return 0
	}
	n := min(old, size)
	copy(unsafe.Slice(At[byte](larger), n), unsafe.Slice(At[byte](block), n))
	free(tls, block)
	return larger
}

func sizeOf(_ *libc.TLS, block uintptr) int32 {
	if block == 0 {
		return 0
	}
	return headerOf(block).size
}

func roundUp(_ *libc.TLS, size int32) int32 {
	_, holds := memoryClass(max(1, size))
	return holds
}

func start(*libc.TLS, uintptr) int32 { return sqlite3.SQLITE_OK }

func stop(*libc.TLS, uintptr) {}
