package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
	"github.com/kith-crm/kith/internal/store/storetest"
)

// heeds lets a store hear of others, and be known to them, until the function that it gives is called.
func heeds(t *testing.T, s *store.Store) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		s.Heed(ctx)
		close(done)
	}()
	stop = func() {
		cancel()
		<-done
	}
	t.Cleanup(stop)
	until(t, "the server is known to others", s.Known)
	return stop
}

// until waits for a condition.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within a minute", what)
		}
	}
}

// The leases of a server that is gone are over at once, however long they were to last, and those of one that is there are not. A
// server that was thought to be gone and is not moves nothing on once another one has taken over.
func TestLeasesEndWithTheirServer(t *testing.T) {
	for name, fresh := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, url, hour := t.Context(), fresh(t), time.Hour
			first := open(t, url)
			stop := heeds(t, first)
			b := storetest.Business(t, first)
			var jobs []*queue.Job
			lease := func(by schema.UUID) {
				t.Helper()
				now := time.Now()
				job := &queue.Job{ID: schema.NewID(now), Kind: "test", Params: `{}`}
				if err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error { return queue.AddJob(tx, job) }); err != nil {
					t.Fatal(err)
				}
				if taken, err := queue.LeaseJob(ctx, b, job.ID, by, now, now.Add(hour)); err != nil || !taken {
					t.Fatalf("taken %v, %v", taken, err)
				}
				jobs = append(jobs, job)
			}
			own := first.NewLease()
			lease(own)
			lease(first.NewLease())
			lease(schema.NewID(time.Now())) // as an earlier version does
			err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
				file := &queue.Import{ID: schema.NewID(time.Now()), Resource: "contact", Options: `{}`}
				err := errors.Join(queue.AddImport(tx, file), queue.BeginFile(tx, file.ID, first.NewLease()), queue.FeedDue(tx, time.Now()))
				if err != nil {
					return err
				}
				taken, err := queue.LeaseFeed(tx, first.NewLease(), time.Now(), time.Now().Add(hour))
				if err == nil && !taken {
					t.Error("the feed is somebody else's")
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			due := func(s *store.Store) (n int) {
				t.Helper()
				found, err := queue.DueJobs(ctx, s, time.Now())
				if err != nil {
					t.Fatal(err)
				}
				_, feeds, err := queue.DueFeeds(ctx, s, time.Now())
				if err != nil {
					t.Fatal(err)
				}
				waited, err := queue.AbandonedFiles(ctx, s, time.Now().Add(hour))
				if err != nil {
					t.Fatal(err)
				}
				return len(found) + len(feeds) + 1 - len(waited)
			}
			var second *store.Store
			want := 4 // two jobs, the feed, and the file that was being read
			if name == "postgres" {
				second = open(t, url)
				heeds(t, second)
				if sees, err := second.Sees(ctx, first); err != nil || !sees {
					t.Errorf("the other server is seen %v, %v", sees, err)
				}
				if n, err := second.EndLeasesNow(ctx); n != 0 || err != nil || due(second) != 0 {
					t.Errorf("%d leases of a server are ended that is there, %v, and %d are due", n, err, due(second))
				}
				stop()
				until(t, "the first is gone", func() bool {
					sees, err := second.Sees(ctx, first)
					return err == nil && !sees
				})
			} else { // a file has one server, so all that was before is over
				stop()
				if err := first.Close(); err != nil {
					t.Fatal(err)
				}
				second = open(t, url)
				want = 5
			}
			n, err := second.EndLeasesNow(ctx)
			if n != want || err != nil || due(second) != want {
				t.Errorf("%d leases are ended, %v, and %d are due", n, err, due(second))
			}
			there, err := second.Tenant(ctx, b.ID())
			if err != nil {
				t.Fatal(err)
			}
			now := time.Now()
			if taken, err := queue.LeaseJob(ctx, there, jobs[0].ID, second.NewLease(), now, now.Add(hour)); err != nil || !taken {
				t.Fatalf("taken %v, %v", taken, err)
			}
			err = there.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
				j, err := queue.JobIn(tx, jobs[0].ID)
				if err != nil {
					return err
				}
				return queue.PutJob(tx, j, own, now.Add(hour))
			})
			if !errors.Is(err, queue.ErrJobLost) {
				t.Errorf("who lost the lease moves the job on: %v", err)
			}
			if n, err := second.EndLeasesNow(ctx); n != 0 || err != nil {
				t.Errorf("%d leases are ended again, %v", n, err)
			}
		})
	}
}
