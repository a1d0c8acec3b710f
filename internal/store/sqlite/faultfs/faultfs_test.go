package faultfs

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/kith-crm/kith/internal/store/internal/drivercalls"
)

// A release of the driver that calls the methods in another way must not come in unseen.
func TestTheDriverCallsThemSo(t *testing.T) {
	const vfs, methods = "Tsqlite3_vfs.", "Tsqlite3_io_methods."
	drivercalls.Check(t, map[string]any{
		vfs + "FxOpen": open, vfs + "FxDelete": remove, methods + "FxClose": closeFile, methods + "FxRead": read,
		methods + "FxWrite": write, methods + "FxTruncate": truncate, methods + "FxSync": syncFile, methods + "FxShmMap": shmMap,
		methods + "FxShmLock": shmLock, methods + "FxFetch": fetch,
	})
}

// What was synced is there after every crash, what was not is there after some, and after others not.
func TestCrashKeepsWhatWasSynced(t *testing.T) {
	write := func(at int64, text string) Op { return Op{Kind: Write, File: "f", At: at, Data: []byte(text)} }
	of := func(kind Kind) Op { return Op{Kind: kind, File: "f"} }
	base := map[string][]byte{"f": []byte("......")}
	for name, test := range map[string]struct {
		base map[string][]byte
		ops  []Op
		// left are all that can be left, without rubbish; "-" is no file.
		left []string
	}{
		"a write that was synced":        {base, []Op{write(1, "ab"), of(Sync)}, []string{".ab..."}},
		"a write that was not":           {base, []Op{write(1, "ab")}, []string{"......", ".ab..."}},
		"a write to another file's sync": {base, []Op{write(1, "ab"), {Kind: Sync, File: "g"}}, []string{"......", ".ab..."}},
		"one of two":                     {base, []Op{write(0, "a"), of(Sync), write(5, "b")}, []string{"a.....", "a....b"}},
		"two in another order":           {base, []Op{write(0, "ab"), write(0, "c")}, []string{"......", "ab....", "cb....", "c....."}},
		"what a failed sync left": {
			base, []Op{write(0, "a"), of(FailedSync), write(5, "b"), of(Sync)}, []string{".....b", "a....b"},
		},
		"what was written over that":       {base, []Op{write(0, "a"), of(FailedSync), write(0, "b"), of(Sync)}, []string{"b....."}},
		"a file that was cut and not sync": {base, []Op{{Kind: Truncate, File: "f", At: 2}}, []string{"......", ".."}},
		"a file that grew":                 {base, []Op{write(6, "ab")}, []string{"......", "......ab", "......\x00\x00"}},
		"a file whose folder was not synced": {
			nil, []Op{{Kind: Open, File: "f", Made: true}, write(0, "a"), of(Sync)}, []string{"-", "a"},
		},
		"a file whose folder was": {
			nil, []Op{{Kind: Open, File: "f", Made: true}, write(0, "a"), of(Sync), {Kind: SyncFolder}}, []string{"a"},
		},
		"a file that was removed": {base, []Op{of(Delete)}, []string{"-", "......"}},
	} {
		t.Run(name, func(t *testing.T) {
			found := map[string]int{}
			for luck := range uint64(400) {
				r := Record{Base: test.base, Ops: test.ops}
				content, there := r.Crash(len(test.ops), rand.New(rand.NewPCG(luck, 0)))["f"]
				if !there {
					content = []byte("-")
				}
				if !bytes.ContainsFunc(content, func(r rune) bool { return !bytes.ContainsRune([]byte("abc.-\x00"), r) }) {
					found[string(content)]++
				}
			}
			for _, left := range test.left {
				if found[left] == 0 {
					t.Errorf("%q is never left", left)
				}
				delete(found, left)
			}
			for left := range found {
				if found[left] > 3 { // rubbish can look like anything
					t.Errorf("%q is left", left)
				}
			}
		})
	}
}
