package main

import (
	"context"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
	"github.com/kith-crm/kith/internal/testworld"
)

// A server goes on at once with the jobs that another one had which is gone, although these were to stay with it for an hour.
func TestAServerGoesOnWhereAnotherIsGone(t *testing.T) {
	for name, database := range map[string]func(*testing.T) string{"sqlite": missingSQLite, "postgres": migratedPostgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := database(t)
			business, _ := newBusiness(t, db)
			id, err := schema.ParseID("business", business)
			if err != nil {
				t.Fatal(err)
			}
			gone := testworld.Open(t, db)
			ctx, die := context.WithCancel(context.Background())
			dead := make(chan struct{})
			go func() {
				gone.Heed(ctx)
				close(dead)
			}()
			for deadline := time.Now().Add(long); name == "postgres" && !gone.Hears(); time.Sleep(5 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatal("the first server does not hear itself")
				}
			}
			tenant, err := gone.Tenant(ctx, id)
			if err != nil {
				t.Fatal(err)
			}
			now := time.Now()
			params := `{"request_id":"` + schema.FormatID("req", schema.NewID(now)) + `"}`
			job := &queue.Job{ID: schema.NewID(now), Kind: "undo", Params: params, Private: `[1,0]`}
			if err := tenant.Write(ctx, store.Actor{}, func(tx *store.Tx) error { return queue.AddJob(tx, job) }); err != nil {
				t.Fatal(err)
			}
			if taken, err := queue.LeaseJob(ctx, tenant, job.ID, gone.NewLease(), now, now.Add(time.Hour)); err != nil || !taken {
				t.Fatalf("taken %v, %v", taken, err)
			}
			die()
			<-dead
			r := start(t, "--db", db)
			for deadline := time.Now().Add(long); ; time.Sleep(20 * time.Millisecond) {
				found, err := queue.FindJob(t.Context(), tenant, job.ID)
				if err != nil {
					t.Fatal(err)
				}
				if !found.Open() {
					break
				}
				if time.Now().After(deadline) {
					t.Fatalf("nobody went on: %+v\n%s", found, r.log)
				}
			}
		})
	}
}
