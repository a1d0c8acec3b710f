package storetest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
)

// testJobs holds jobs to their business and to who has the lease: of two who take one, one has it; who lost it moves nothing on;
// and what ended stays ended.
func testJobs(t *testing.T, s *store.Store) {
	b, other := Business(t, s), Business(t, s)
	now := time.Now()
	ids := make([]schema.UUID, 250)
	for i := range ids {
		ids[i] = schema.NewID(now)
	}
	job := &queue.Job{
		ID: schema.NewID(now), Kind: "test", Params: `{"a":1}`, Private: `{"b":2}`,
		Actor: store.Actor{User: ids[0], Token: ids[1]}, Connection: ids[1], Scopes: []string{"contact.read", "deal.all"}, Total: 250,
	}
	write(t, b, func(tx *store.Tx) error {
		if err := queue.AddJob(tx, job); err != nil {
			return err
		}
		if err := queue.PutJobSet(tx, job.ID, 0, ids[:200]); err != nil {
			return err
		}
		if err := queue.PutJobSet(tx, job.ID, 201, ids[200:]); err == nil {
			t.Error("the records of a job go on in the middle of a row")
		}
		return queue.PutJobSet(tx, job.ID, 200, ids[200:])
	})
	first, second := schema.NewID(now), schema.NewID(now)
	lease := func(what string, tenant store.Tenant, by schema.UUID, at time.Time, want bool) {
		t.Helper()
		if taken, err := queue.LeaseJob(ctx, tenant, job.ID, by, at, at.Add(time.Minute)); err != nil || taken != want {
			t.Fatalf("%s: taken %v, %v", what, taken, err)
		}
	}
	due := func(what string, at time.Time, want bool) {
		t.Helper()
		jobs, err := queue.DueJobs(ctx, s, at)
		found := slices.ContainsFunc(jobs, func(d queue.DueJob) bool { return d.Job == job.ID && d.ID() == b.ID() })
		if err != nil || found != want {
			t.Errorf("%s: due %v, %v", what, found, err)
		}
	}
	due("new", now, true)
	lease("in another business", other, first, now, false)
	lease("the first who comes", b, first, now, true)
	lease("the second", b, second, now, false)
	due("taken", now, false)
	due("taken long ago", now.Add(2*time.Minute), true)
	lease("the second, when nothing was heard of the first", b, second, now.Add(2*time.Minute), true)
	move := func(by schema.UUID) error {
		return b.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
			j, err := queue.JobIn(tx, job.ID)
			if err != nil {
				return err
			}
			j.Place, j.Done = "there", j.Done+1
			return queue.PutJob(tx, j, by, now.Add(time.Hour))
		})
	}
	if err := move(first); !errors.Is(err, queue.ErrJobLost) {
		t.Errorf("who lost the lease moves the job on: %v", err)
	}
	if err := move(second); err != nil {
		t.Error(err)
	}
	write(t, b, func(tx *store.Tx) error {
		for _, from := range []int64{0, 100, 249, 250} {
			got, err := queue.JobSet(tx, job.ID, from)
			if err != nil || len(got) != map[int64]int{0: 100, 100: 100, 249: 1, 250: 0}[from] || len(got) > 0 && got[0] != ids[from] {
				t.Errorf("from %d: %d records, %v", from, len(got), err)
			}
		}
		for n := range int64(3) {
			if err := queue.Refuse(tx, job.ID, queue.Refusal{
				N: n + 1, Resource: "contact", Record: ids[n], Input: `{"row":1}`,
				Problem: `{"Code":"conflict"}`,
			}); err != nil {
				return err
			}
		}
		return queue.ForgetRefusals(tx, ids[1])
	})
	refused, err := queue.Refusals(ctx, b, job.ID, 1, 10)
	if err != nil || len(refused) != 1 || refused[0].N != 3 || refused[0].Record != ids[2] || refused[0].Input == "" {
		t.Errorf("refused: %+v, %v", refused, err)
	}
	if refused, err := queue.Refusals(ctx, other, job.ID, 0, 10); err != nil || len(refused) != 0 {
		t.Errorf("refused in another business: %+v, %v", refused, err)
	}
	if err := queue.ReleaseJob(ctx, b, job.ID, second, now, time.Time{}, 2); err != nil {
		t.Error(err)
	}
	due("given back", now, true)
	write(t, b, func(tx *store.Tx) error {
		j, err := queue.JobIn(tx, job.ID)
		if err != nil {
			return err
		}
		if j.Place != "there" || j.Done != 1 || j.Tries != 2 || j.Status != queue.JobRunning || j.Private == "" || len(j.Scopes) != 2 ||
			j.Actor.Token != ids[1] {
			t.Errorf("%+v", j)
		}
		if n, err := queue.OpenJobs(tx); err != nil || n != 1 {
			t.Errorf("open: %d, %v", n, err)
		}
		j.Status, j.FinishedAt, j.Private = queue.JobSucceeded, tx.Now, ""
		return queue.PutJob(tx, j, schema.UUID{}, time.Time{})
	})
	due("ended", now.Add(time.Hour), false)
	if err := move(second); !errors.Is(err, queue.ErrJobLost) {
		t.Errorf("what ended moves on: %v", err)
	}
	for of, want := range map[schema.UUID]int{{}: 1, ids[0]: 1, ids[5]: 0} {
		if jobs, err := queue.Jobs(ctx, b, of, schema.UUID{}, false, 10); err != nil || len(jobs) != want {
			t.Errorf("jobs of %v: %d, %v", of, len(jobs), err)
		}
	}
	if jobs, err := queue.Jobs(ctx, b, schema.UUID{}, job.ID, true, 10); err != nil || len(jobs) != 0 {
		t.Errorf("behind the last: %d, %v", len(jobs), err)
	}
	if _, err := queue.FindJob(ctx, other, job.ID); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("in another business: %v", err)
	}
	ended, err := queue.EndedJobs(ctx, s, now.Add(time.Hour))
	if err != nil || len(ended) == 0 {
		t.Errorf("ended: %v, %v", ended, err)
	}
	done := false
	for range 3 { // two refusals, one at a time
		write(t, b, func(tx *store.Tx) (err error) {
			done, err = queue.ForgetJob(tx, job.ID, 1)
			return err
		})
	}
	if _, err := queue.FindJob(ctx, b, job.ID); !done || !errors.Is(err, store.ErrNotFound) {
		t.Errorf("forgotten: %v, %v", done, err)
	}
}
