package store_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/storetest"
)

// Writes that come while another one runs share a transaction. Of those that fail, in whichever way, nothing is left, and the others are
// not to blame: each has its own outcome, and the log has no gaps.
func TestWritesThatShareATransaction(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		b := storetest.Business(t, s)
		contacts := s.Registry().Resource("contact")
		own := errors.New("a reason of its own")
		const writes = 60
		var recs [writes]*schema.Record
		var outcomes [writes]error
		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		twin := storetest.NewRecord(contacts)
		// The first one waits until the others have come.
		come := make(chan struct{})
		var wait sync.WaitGroup
		for i := range writes {
			recs[i] = storetest.NewRecord(contacts)
			begun := make(chan struct{})
			wait.Go(func() {
				in := ctx
				if i%6 == 5 {
					in = cancelled
				}
				var once sync.Once
				outcomes[i] = b.Write(in, store.Actor{}, func(tx *store.Tx) error {
					once.Do(func() { close(begun) })
					if i == 0 {
						<-come
					}
					if i%6 == 1 {
						return own // before it has changed anything
					}
					err := tx.Insert(contacts, recs[i], "create")
					switch i % 6 {
					case 2:
						return errors.Join(err, own)
					case 3:
						return errors.Join(err, tx.Insert(contacts, twin, "create")) // only one can have it
					case 4:
						if i == 4 {
							panic("in the middle of a write")
						}
					}
					return err
				})
			})
			if i == 0 {
				<-begun
			}
		}
		close(come)
		wait.Wait()

		made, twins := 0, 0
		for i, err := range outcomes {
			_, found := b.Get(ctx, contacts, recs[i].ID(), false)
			if (found == nil) != (err == nil) {
				t.Errorf("write %d: %v, and its record: %v", i, err, found)
			}
			want := ""
			switch {
			case i%6 == 1 || i%6 == 2:
				want = own.Error()
			case i%6 == 5:
				want = context.Canceled.Error()
			}
			switch {
			case i%6 == 3 && err == nil:
				twins++
				made += 2
			case i%6 == 3 || i == 4:
			case want == "" && err == nil:
				made++
			case err == nil || err.Error() != want:
				t.Errorf("write %d: %v, want %q", i, err, want)
			}
		}
		if twins != 1 {
			t.Errorf("%d writes made the same record", twins)
		}
		if outcomes[4] == nil {
			t.Error("the write that panicked counts as done")
		}
		last := int64(0)
		err := b.Changes(ctx, 0, func(c store.Change) error {
			if last++; c.Seq != last {
				return fmt.Errorf("entry %d follows %d", c.Seq, last-1)
			}
			return nil
		})
		if err != nil || last != int64(made) {
			t.Errorf("the log has %d entries for %d records, %v", last, made, err)
		}
		if n, err := b.Count(ctx, contacts); n != int64(made) || err != nil {
			t.Errorf("%d records are counted of %d, %v", n, made, err)
		}
	})
}
