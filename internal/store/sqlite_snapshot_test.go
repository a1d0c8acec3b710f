package store

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/schema"
)

// The connections of a snapshot begin to read within a write. Where another write fails that shares the transaction, all of it runs
// again, and the snapshot does not suffer.
func TestSQLiteSnapshotBesideAWriteThatFails(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	e, err := openSQLite(filepath.Join(t.TempDir(), "kith.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer e.close()
	queued := func(n int) {
		t.Helper()
		for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
			e.jobs.mu.Lock()
			waiting := len(e.jobs.waiting)
			e.jobs.mu.Unlock()
			if waiting == n {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("%d writes wait, not %d", waiting, n)
			}
		}
	}
	errBroken := errors.New("it fails in the middle")
	begun, release := make(chan struct{}), make(chan struct{})
	first, snapshot, broken := make(chan error, 1), make(chan error, 1), make(chan error, 1)
	go func() {
		first <- e.write(ctx, share{business: schema.UUID{1}}, func(c conn) error {
			close(begun)
			<-release
			_, err := c.exec(ctx, "CREATE TABLE thing (n INTEGER)", nil)
			return err
		})
	}()
	<-begun
	read := 0
	go func() {
		snapshot <- e.snapshot(ctx, 2, func(all []conn) error {
			for _, c := range all {
				read++
				if err := c.query(ctx, "SELECT n FROM thing", nil, func(row) error { return errors.New("there is a row") }); err != nil {
					return err
				}
			}
			return nil
		})
	}()
	queued(1)
	go func() {
		broken <- e.write(ctx, share{business: schema.UUID{2}}, func(c conn) error {
			if _, err := c.exec(ctx, "INSERT INTO thing (n) VALUES (1)", nil); err != nil {
				return err
			}
			return errBroken
		})
	}()
	queued(2)
	time.Sleep(2 * groupTime) // so that those who wait get a transaction of their own
	close(release)
	if err := <-first; err != nil {
		t.Fatal(err)
	}
	if err := <-snapshot; err != nil || read != 2 {
		t.Errorf("the snapshot was read on %d connections: %v", read, err)
	}
	if err := <-broken; !errors.Is(err, errBroken) {
		t.Errorf("the other write ended with %v", err)
	}
}
