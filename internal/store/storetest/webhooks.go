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

// testWebhooks holds what is kept of webhooks to their business and to who has the lease: of two who take a business, one has it;
// who lost it notes nothing; and what is swept has ended.
func testWebhooks(t *testing.T, s *store.Store) {
	b, other := Business(t, s), Business(t, s)
	now := time.Now().UTC().Truncate(time.Microsecond)
	hook := &queue.Hook{
		ID: schema.NewID(now), Active: true, Actor: store.Actor{User: schema.NewID(now)}, Connection: schema.NewID(now),
		Scopes: []string{"contact.read"}, Secret: `{"secret":"x"}`, Seq: 7,
	}
	write(t, b, func(tx *store.Tx) error {
		if err := queue.FeedDue(tx, now); err != nil {
			return err
		}
		return queue.AddHook(tx, hook)
	})
	has := func(what string, list []store.Tenant, err error, want bool) {
		t.Helper()
		found := false
		for _, one := range list {
			found = found || one.ID() == b.ID()
			if one.ID() == other.ID() {
				t.Errorf("%s: a business without webhooks is listed", what)
			}
		}
		if err != nil || found != want {
			t.Errorf("%s: listed %v, %v", what, found, err)
		}
	}
	hooked, list, err := queue.DueFeeds(ctx, s, now.Add(-time.Minute))
	has("with webhooks", hooked, err, true)
	has("not yet due", list, err, false)
	_, list, err = queue.DueFeeds(ctx, s, now)
	has("due", list, err, true)

	first, second := schema.NewID(now), schema.NewID(now)
	lease := func(by schema.UUID, at time.Time, want bool) {
		t.Helper()
		write(t, b, func(tx *store.Tx) error {
			taken, err := queue.LeaseFeed(tx, by, at, at.Add(time.Minute))
			if taken != want {
				t.Errorf("taken %v, want %v", taken, want)
			}
			return err
		})
	}
	lease(first, now, true)
	lease(second, now, false)
	_, list, err = queue.DueFeeds(ctx, s, now)
	has("taken", list, err, false)
	_, list, err = queue.DueFeeds(ctx, s, now.Add(2*time.Minute))
	has("left behind", list, err, true)
	lease(second, now.Add(2*time.Minute), true)
	if err := b.Keep(ctx, store.Actor{}, func(tx *store.Tx) error { return queue.HoldFeed(tx, first, now) }); !errors.Is(err,
		queue.ErrFeedLost) {
		t.Errorf("who lost it notes: %v", err)
	}

	record := schema.NewID(now)
	done := &queue.Delivery{
		ID: schema.NewIDAfter(schema.UUID{}, now.AddDate(0, 0, -40)), Hook: hook.ID, Seq: 8, Event: "contact.created",
		Record: record, Status: queue.DeliveryDone, Attempts: 1, CreatedAt: now, FinishedAt: now, Answered: 200, Answer: "ok",
		Took: 5 * time.Millisecond, Request: `{"b": 1, "a": 2}`,
	}
	done.Tried = []queue.Attempt{
		{At: now.Add(-time.Hour), Error: "The receiver cannot be reached.", Took: time.Second, Away: time.Minute},
		{At: now, Status: 200, Took: done.Took, Early: true},
	}
	waits := &queue.Delivery{
		ID: schema.NewIDAfter(done.ID, now.AddDate(0, 0, -40)), Hook: hook.ID, Seq: 9, Prev: 8,
		Event: "contact.updated", Record: record, Replayed: true, Status: queue.DeliveryWaiting, CreatedAt: now, NextAt: now, Request: `{}`,
	}
	hook.Seq, hook.Last, hook.Failures, hook.FailingSince, hook.ProbeAt = 9, 9, 3, now, now.Add(time.Hour)
	write(t, b, func(tx *store.Tx) error {
		if err := queue.AddDeliveries(tx, []*queue.Delivery{done, waits}); err != nil {
			return err
		}
		if err := queue.SetHookReplay(tx, hook.ID, 1, 5); err != nil {
			return err
		}
		return queue.PutHook(tx, hook)
	})
	write(t, b, func(tx *store.Tx) error {
		kept, err := queue.Hooks(tx)
		if err != nil || len(kept) != 1 || kept[0].Seq != 9 || kept[0].Last != 9 || kept[0].Failures != 3 ||
			!kept[0].FailingSince.Equal(now) || kept[0].Replay != 1 || kept[0].ReplayTo != 5 || kept[0].Actor.User != hook.Actor.User {
			t.Errorf("kept is %+v, %v", kept, err)
		}
		waiting, err := queue.Waiting(tx, 10)
		if err != nil || len(waiting) != 1 || waiting[0].ID != waits.ID || !waiting[0].Replayed || waiting[0].Prev != 8 ||
			!waiting[0].NextAt.Equal(now) {
			t.Errorf("waiting is %+v, %v", waiting, err)
		}
		return err
	})
	all, more, err := queue.Deliveries(ctx, b, hook.ID, schema.UUID{}, false, 1)
	if err != nil || !more || len(all) != 1 || all[0].ID != waits.ID {
		t.Errorf("the newest: %+v, %v, %v", all, more, err)
	}
	all, more, err = queue.Deliveries(ctx, b, hook.ID, waits.ID, false, 1)
	if err != nil || more || len(all) != 1 || all[0].Request != done.Request || all[0].Took != done.Took || all[0].Answer != "ok" {
		t.Errorf("the oldest: %+v, %v, %v", all, more, err)
	}
	same := func(a, b queue.Attempt) bool {
		at := a.At.Equal(b.At)
		a.At = b.At
		return at && a == b
	}
	if !slices.EqualFunc(all[0].Tried, done.Tried, same) {
		t.Errorf("the attempts: %+v", all[0].Tried)
	}
	if all, _, err := queue.Deliveries(ctx, other, hook.ID, schema.UUID{}, false, 10); err != nil || len(all) != 0 {
		t.Errorf("another business has %+v, %v", all, err)
	}
	// Who enables a webhook has what waits tried anew, and what was last sent stays unless something else is.
	waits.Attempts, waits.NextAt, waits.Request = 9, now.Add(time.Hour), ""
	write(t, b, func(tx *store.Tx) error {
		if err := queue.PutDelivery(tx, waits); err != nil {
			return err
		}
		return queue.SetHookActive(tx, hook.ID, true)
	})
	all, _, err = queue.Deliveries(ctx, b, hook.ID, schema.UUID{}, false, 1)
	if err != nil || all[0].Attempts != 0 || !all[0].NextAt.Before(now.Add(time.Hour)) || all[0].Request != `{}` {
		t.Errorf("enabled anew: %+v, %v", all, err)
	}
	// What somebody made by a connection of their own ends with it, and nobody else's does.
	for _, who := range []schema.UUID{schema.NewID(now), hook.Actor.User} {
		write(t, b, func(tx *store.Tx) error { return queue.EndHooks(tx, who) })
		write(t, b, func(tx *store.Tx) error {
			kept, err := queue.HookIn(tx, hook.ID)
			if err != nil || (kept.Connection == schema.UUID{}) != (who == hook.Actor.User) {
				t.Errorf("after the end of %v: %+v, %v", who, kept, err)
			}
			return err
		})
	}
	write(t, other, func(tx *store.Tx) error { return queue.EndHooks(tx, hook.Actor.User) })
	list, err = queue.FeedBusinesses(ctx, s)
	has("only with webhooks", list, err, true)
	write(t, b, func(tx *store.Tx) error {
		steps := 1
		place, err := queue.ForgetDelivered(tx, record, []string{"contact.erased"}, "", 1)
		for ; err == nil && place != ""; steps++ {
			place, err = queue.ForgetDelivered(tx, record, nil, place, 1)
		}
		if steps != 3 {
			t.Errorf("two deliveries were forgotten in %d steps", steps)
		}
		return err
	})
	all, _, err = queue.Deliveries(ctx, b, hook.ID, schema.UUID{}, false, 10)
	if err != nil || len(all) != 2 || all[0].Request != "" || all[1].Request != "" || all[1].Answer != "" {
		t.Errorf("after an erasure %+v is left, %v", all, err)
	}
	write(t, b, func(tx *store.Tx) error {
		n, err := queue.SweepDeliveries(tx, now.AddDate(0, 0, -30), 100)
		if n != 1 {
			t.Errorf("%d were swept", n)
		}
		return err
	})
	write(t, b, func(tx *store.Tx) error { return queue.DropHook(tx, hook.ID) })
	list, _, err = queue.DueFeeds(ctx, s, now)
	has("without webhooks", list, err, false)
}
