package sqlite

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// The connections of a snapshot begin to read within a write. Where another write fails that shares the transaction, all of it runs
// again, and the snapshot does not suffer.
func TestSQLiteSnapshotBesideAWriteThatFails(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	e, err := Open(filepath.Join(t.TempDir(), "kith.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
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
		first <- e.Write(ctx, engine.Share{Business: schema.UUID{1}}, func(c engine.Conn) error {
			close(begun)
			<-release
			_, err := c.Exec(ctx, "CREATE TABLE thing (n INTEGER)", nil)
			return err
		})
	}()
	<-begun
	read := 0
	go func() {
		snapshot <- e.Snapshot(ctx, 2, func(all []engine.Conn) error {
			for _, c := range all {
				read++
				if err := c.Query(ctx, "SELECT n FROM thing", nil,
					func(engine.Row) error { return errors.New("there is a row") }); err != nil {
					return err
				}
			}
			return nil
		})
	}()
	queued(1)
	go func() {
		broken <- e.Write(ctx, engine.Share{Business: schema.UUID{2}}, func(c engine.Conn) error {
			if _, err := c.Exec(ctx, "INSERT INTO thing (n) VALUES (1)", nil); err != nil {
				return err
			}
			return errBroken
		})
	}()
	queued(2)
	time.Sleep(2 * engine.GroupTime) // so that those who wait get a transaction of their own
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
