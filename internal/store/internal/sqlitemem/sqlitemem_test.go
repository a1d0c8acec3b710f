package sqlitemem

import (
	"bytes"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
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

// Memory of our own is for the releases that it was written for, and can be switched off. The module has them: whoever takes a
// newer release of the driver looks whether the package still fits it, and says so in writtenFor.
func TestMemoryIsForKnownReleases(t *testing.T) {
	module, err := os.ReadFile("../../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"modernc.org/sqlite", "modernc.org/libc"} {
		if line := path + " " + writtenFor[path] + "\n"; !strings.Contains(string(module), "\t"+line) {
			t.Errorf("go.mod does not have %s", line)
		}
	}
	with := func(sqlite, libc string, replaced *debug.Module) *debug.BuildInfo {
		return &debug.BuildInfo{Deps: []*debug.Module{{Path: "modernc.org/sqlite", Version: sqlite}, {Path: "modernc.org/libc", Version: libc, Replace: replaced}}}
	}
	driver, library, sqlite := writtenFor["modernc.org/sqlite"], writtenFor["modernc.org/libc"], writtenFor["SQLite"]
	for _, tt := range []struct {
		what, whose, sqlite string
		info                *debug.BuildInfo
		remark              string
	}{
		{"the releases that it is for", "", sqlite, with(driver, library, nil), ""},
		{"asked for by name", Own, sqlite, with(driver, library, nil), ""},
		{"this program", "", sqlite3.SQLITE_VERSION, &debug.BuildInfo{}, ""},
		{"switched off", Driver, sqlite, with(driver, library, nil), "as it was told to"},
		{"a newer driver", "", sqlite, with("v1.38.0", library, nil), "modernc.org/sqlite v1.37.1, and this program has v1.38.0"},
		{"a newer library", Own, sqlite, with(driver, "v1.66.0", nil), "v1.66.0"},
		{"a library of somebody's own", "", sqlite, with(driver, library, &debug.Module{Path: "../libc"}), "../libc"},
		{"a newer SQLite", "", "3.50.0", &debug.BuildInfo{}, "3.50.0"},
	} {
		remark, err := decide(tt.whose, tt.sqlite, tt.info)
		if err != nil || (remark == "") != (tt.remark == "") || !strings.Contains(remark, tt.remark) {
			t.Errorf("%s: %q, %v", tt.what, remark, err)
		}
	}
	if _, err := decide("off", sqlite, &debug.BuildInfo{}); err == nil {
		t.Error("a setting that there is not was taken")
	}
}
