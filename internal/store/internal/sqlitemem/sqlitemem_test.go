package sqlitemem

import (
	"bytes"
	"math/rand/v2"
	"sync"
	"testing"
	"unsafe"

	"modernc.org/libc"

	"github.com/kith-crm/kith/internal/store/internal/drivercalls"
)

// Blocks must keep what is written to them, whatever their neighbours and other connections do, and may be freed by any connection.
func TestSQLiteMemoryConcurrently(t *testing.T) {
	type block struct {
		address uintptr
		size    int32
		fill    byte
	}
	bytesOf := func(b block) []byte { return unsafe.Slice(At[byte](b.address), b.size) }
	others := make(chan block, 1000)
	var wait sync.WaitGroup
	for seed := range uint64(8) {
		wait.Go(func() {
			tls := libc.NewTLS()
			defer tls.Close()
			random := rand.New(rand.NewPCG(seed, 1))
			check := func(b block) {
				if want := bytes.Repeat([]byte{b.fill}, int(b.size)); !bytes.Equal(bytesOf(b), want) {
					t.Errorf("a block of %d bytes has lost what was written to it", b.size)
				}
				if holds := sizeOf(tls, b.address); holds < b.size {
					t.Errorf("a block that was asked for %d bytes holds %d", b.size, holds)
				}
			}
			var own []block
			for range 5000 {
				size := 1 + random.Int32N(1<<(1+random.Int32N(19)))
				switch i := random.IntN(4); {
				case i == 0 || len(own) == 0:
					b := block{malloc(tls, size), size, byte(random.Uint32())}
					if b.address == 0 || b.address%8 != 0 {
						t.Errorf("a block at %x", b.address)
						return
					}
					copy(bytesOf(b), bytes.Repeat([]byte{b.fill}, int(size)))
					own = append(own, b)
				case i == 1:
					b := &own[random.IntN(len(own))]
					kept := block{realloc(tls, b.address, size), min(size, b.size), b.fill}
					check(kept)
					b.address, b.size = kept.address, size
					copy(bytesOf(*b), bytes.Repeat([]byte{b.fill}, int(size)))
				case i == 2:
					n := random.IntN(len(own))
					check(own[n])
					free(tls, own[n].address)
					own[n] = own[len(own)-1]
					own = own[:len(own)-1]
				default: // changes the owner
					select {
					case others <- own[len(own)-1]:
						own = own[:len(own)-1]
					case b := <-others:
						own = append(own, b)
					default:
					}
				}
			}
			for _, b := range own {
				check(b)
				free(tls, b.address)
			}
		})
	}
	wait.Wait()
}

func TestMemoryClass(t *testing.T) {
	last := int32(0)
	for size := int32(1); size < 1<<18; size++ {
		class, holds := memoryClass(size)
		if holds < size || holds%8 != 0 {
			t.Fatalf("%d bytes get a block that holds %d", size, holds)
		}
		if waste := holds - size; waste > 40 && waste > (size+headerSize)/4 {
			t.Fatalf("%d bytes get a block that holds %d", size, holds)
		}
		if class != noClass && (class < 0 || class >= memoryClasses) {
			t.Fatalf("%d bytes have class %d", size, class)
		}
		if holds < last {
			t.Fatalf("%d bytes get %d, fewer than a smaller block", size, holds)
		}
		if again, same := memoryClass(holds); again != class || same != holds {
			t.Fatalf("%d bytes round to %d, and that to %d", size, holds, same)
		}
		last = holds
	}
}

// A release of the driver that calls the methods in another way must not come in unseen.
func TestTheDriverCallsThemSo(t *testing.T) {
	drivercalls.Check(t, map[string]any{
		"_sqlite3Config.Fm.FxMalloc": malloc, "_sqlite3Config.Fm.FxFree": free, "_sqlite3Config.Fm.FxRealloc": realloc,
		"_sqlite3Config.Fm.FxSize": sizeOf, "_sqlite3Config.Fm.FxRoundup": roundUp,
		"_sqlite3Config.Fm.FxInit": start, "_sqlite3Config.Fm.FxShutdown": stop,
	})
}

// SQLite has its memory from here, from its first block on.
func TestGive(t *testing.T) {
	if remark, err := Give(""); remark != "" || err != nil {
		t.Fatalf("%q, %v", remark, err)
	}
	tls := libc.NewTLS()
	defer tls.Close()
	if err := try(tls); err != nil {
		t.Error(err)
	}
	if err := give(); err == nil {
		t.Error("it was given memory a second time, while it was in use")
	}
}
