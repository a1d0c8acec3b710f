package faultfs_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/apitest"
	"github.com/kith-crm/kith/internal/store/sqlite/faultfs"
)

// always is for how many calls a disk fails that fails until somebody mends it.
const always = 1 << 30

// prepared is a database in which there is something, closed, and the world that knows it.
func prepared(t *testing.T) (file []byte, of world) {
	t.Helper()
	var path string
	recorded(t, 1, func(t *testing.T, w *world) {
		w.begin(t, migratedFile(t))
		w.opened(t)
		w.business(t)
		w.must(t, "POST", "/contacts", `{"name":"Anna §","email":"anna@berg.example"}`)
		w.must(t, "POST", "/contacts", `{"name":"Bo §"}`)
		w.close(t)
		path, of = w.path, *w
	})
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return file, of
}

// failing runs a world in which calls fail, from when the database is opened on until somebody mends the disk. Then it takes writes
// again, without being opened anew unless it could not be opened at all, and is checked. It may be opened anew in the midst of that.
func failing(t *testing.T, file []byte, of world, fault faultfs.Fault, anew bool) (c *campaign, calls map[faultfs.Kind]int) {
	t.Helper()
	c = recorded(t, 1, func(t *testing.T, w *world) {
		w.token, w.asked = of.token, of.asked
		w.begin(t, file)
		w.fs.Fail(fault)
		w.openedIll(t, of)
		w.someWrites(t, 1, fault.For < always)
		if anew {
			_ = w.store.Close()
			w.openedIll(t, of)
		}
		w.someWrites(t, 2, fault.For < always)
		calls, _ = w.fs.Calls()
		w.fs.Fail(faultfs.Fault{})
		w.must(t, "POST", "/contacts", `{"name":"When it is mended §"}`)
		w.jobs(t, func(err error) { t.Error(err) })
		for _, k := range w.refused {
			w.onceInAll(t, k)
		}
		for _, wrong := range w.check(t) {
			t.Error(wrong)
		}
		w.close(t)
		if _, err := os.Stat(w.path + "-wal"); err == nil {
			t.Error("the log outlives the server: a connection is still open")
		}
	})
	c.token = of.token
	return c, calls
}

// onceInAll sends a request again that was refused: whether it was done then or is done now, it is once.
func (w *world) onceInAll(t *testing.T, k ack) {
	t.Helper()
	if a := w.askOnce(k.method, k.target, k.body, k.key); a.status >= 500 {
		t.Errorf("%s, once more: %d %s", k.what, a.status, a.text)
	}
	if k.target != "/contacts" {
		return
	}
	a := w.ask("POST", "/contacts/search", `{"search_text":"`+k.mark+`"}`)
	if found, _ := apitest.At(a.json, "data").([]any); len(found) != 1 {
		t.Errorf("%s of %s was sent twice, and is there %d times: %s", k.what, k.mark, len(found), a.text)
	}
}

// openedIll opens a database whose disk may fail. If it does, it is mended.
func (w *world) openedIll(t *testing.T, of world) {
	t.Helper()
	open := func() (err error) {
		if err = w.open(); err == nil {
			if w.tenant, err = w.store.Tenant(t.Context(), of.tenant.ID()); err != nil {
				err = errors.Join(err, w.store.Close())
			}
		}
		return err
	}
	err := open()
	if err == nil {
		return
	}
	if _, failed := w.fs.Calls(); failed == 0 {
		t.Fatalf("no call has failed: %v", err)
	}
	w.fs.Fail(faultfs.Fault{})
	if err := open(); err != nil {
		t.Fatalf("with a disk that is mended: %v", err)
	}
}

// someWrites are refused where the disk fails. Jobs are worked off only where that ends.
func (w *world) someWrites(t *testing.T, round int, ends bool) {
	t.Helper()
	person := func(n int) string {
		a, _ := w.write("POST", "/contacts", fmt.Sprintf(`{"name":"Person %d §","email":"p%d.%d@berg.example"}`, n, round, n))
		return a.id()
	}
	first, second := person(1), person(2)
	w.write("PATCH", "/contacts/"+first, `{"job_title":"Cook §"}`)
	_ = w.checkpoint("PASSIVE")
	w.write("POST", "/contacts/batch", `{"atomic":true,"operations":[{"op":"create","data":{"name":"Cleo §"}},`+
		`{"op":"create","data":{"name":"Dan §"}}]}`)
	w.together(t, 3)
	w.write("POST", "/notes", `{"body":"A note § `+strings.Repeat("of some length ", 700)+`"}`)
	w.write("POST", "/contacts/"+first+"/merge", `{"other_id":"`+second+`"}`)
	if _, ok := w.write("POST", "/contacts/bulk", `{"filters":[],"op":"tag","data":{"add":["§"]}}`); ok && ends {
		w.jobs(t, func(error) {}) // which are tried again
	}
	_ = w.store.Tidy(t.Context())
	_ = w.checkpoint("TRUNCATE")
	person(3)
}

// kinds are the calls that can fail.
var kinds = []faultfs.Kind{
	faultfs.Open, faultfs.Read, faultfs.Write, faultfs.Truncate, faultfs.Sync, faultfs.Delete, faultfs.ShmMap, faultfs.ShmLock,
}

// Whichever call fails, once or until the disk is mended, with an error or because it is full: what was acknowledged is there, what was
// refused is there as a whole or not at all, the database is whole, and it takes writes again when the disk does. So it is after a crash
// at any time of that.
func TestCallsThatFailLoseNothing(t *testing.T) {
	again, others := replayed(t, "fail", 4)
	if others {
		t.Skip("the seed is another test's")
	}
	file, of := prepared(t)
	one := func(fault faultfs.Fault, variant int) (calls map[faultfs.Kind]int) {
		fault.Full = fault.Kind == faultfs.Write && variant == 1
		// Whoever opens a log takes for durable what can be read of it, also where a sync has failed. So it is opened anew after that only
		// on a system that keeps what a sync has not brought to the disk for the next one. See docs/reliability.md.
		kept := fault.Kind == faultfs.Sync && variant == 1
		seed := fmt.Sprintf("fail/%d/%d/%d/%d", fault.Kind, fault.N, fault.For, variant)
		t.Run(fault.Kind.String(), func(t *testing.T) {
			defer func() {
				if t.Failed() {
					t.Logf("make replay SEED=%s", seed)
				}
			}()
			var c *campaign
			c, calls = failing(t, file, of, fault, kept || fault.Kind != faultfs.Sync)
			if kept {
				c.record = c.record.Without(func(op faultfs.Op) bool { return op.Kind == faultfs.FailedSync })
			}
			for _, wrong := range c.acknowledgedTooSoon() {
				t.Error(wrong)
			}
			for n, p := range append(c.points(fault.N, crashesPerFault), point{len(c.record.Ops), fault.N}) {
				if wrong := c.crash(t, p.calls, p.luck, n == 0); len(wrong) > 0 {
					t.Errorf("crash after %d of %d calls: %s", p.calls, len(c.record.Ops), strings.Join(wrong, "\n"))
				}
			}
		})
		return calls
	}
	if again != nil {
		one(faultfs.Fault{Kind: faultfs.Kind(again[0]), N: again[1], For: again[2]}, again[3])
		return
	}
	most := one(faultfs.Fault{Kind: faultfs.Write, N: always, For: 1}, 0) // which never comes
	for _, kind := range kinds {
		if most[kind] == 0 {
			t.Errorf("there is no call to %v", kind)
		}
		for n, long := range faults(most[kind]) {
			one(faultfs.Fault{Kind: kind, N: n, For: long}, 0)
			if kind == faultfs.Write && long == always || kind == faultfs.Sync {
				one(faultfs.Fault{Kind: kind, N: n, For: long}, 1)
			}
		}
	}
	t.Logf("%v", most)
}
