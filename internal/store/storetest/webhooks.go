package storetest

import (
	"errors"
	"testing"
	"time"

	"kith/internal/schema"
	"kith/internal/store"
)

// testWebhooks holds what is kept of webhooks to their business and to who has the lease: of two who take a business, one has it; who lost it notes nothing; and what is swept has ended.
func testWebhooks(t *testing.T, s *store.Store) {
	b, other := Business(t, s), Business(t, s)
	now := time.Now().UTC().Truncate(time.Microsecond)
	hook := &store.Hook{ID: schema.NewID(now), Active: true, Actor: store.Actor{User: schema.NewID(now)}, Scopes: []string{"contact.read"}, Secret: `{"secret":"x"}`, Seq: 7}
	write(t, b, func(tx *store.Tx) error {
		if err := tx.FeedDue(now); err != nil {
			return err
		}
		return tx.AddHook(hook)
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
	list, err := s.HookedBusinesses(ctx)
	has("with webhooks", list, err, true)
	list, err = s.DueFeeds(ctx, now.Add(-time.Minute))
	has("not yet due", list, err, false)
	list, err = s.DueFeeds(ctx, now)
	has("due", list, err, true)

	first, second := schema.NewID(now), schema.NewID(now)
	lease := func(by schema.UUID, at time.Time, want bool) {
		t.Helper()
		write(t, b, func(tx *store.Tx) error {
			taken, err := tx.LeaseFeed(by, at, at.Add(time.Minute))
			if taken != want {
				t.Errorf("taken %v, want %v", taken, want)
			}
			return err
		})
	}
	lease(first, now, true)
	lease(second, now, false)
	list, err = s.DueFeeds(ctx, now)
	has("taken", list, err, false)
	list, err = s.DueFeeds(ctx, now.Add(2*time.Minute))
	has("left behind", list, err, true)
	lease(second, now.Add(2*time.Minute), true)
	if err := b.Keep(ctx, store.Actor{}, func(tx *store.Tx) error { return tx.HoldFeed(first, now) }); !errors.Is(err, store.ErrFeedLost) {
		t.Errorf("who lost it notes: %v", err)
	}

	record := schema.NewID(now)
	done := &store.Delivery{ID: schema.NewIDAfter(schema.UUID{}, now.AddDate(0, 0, -40)), Hook: hook.ID, Seq: 8, Event: "contact.created", Record: record, Status: store.DeliveryDone, Attempts: 1, CreatedAt: now, FinishedAt: now, Answered: 200, Answer: "ok", Took: 5 * time.Millisecond, Request: `{"b": 1, "a": 2}`}
	waits := &store.Delivery{ID: schema.NewIDAfter(done.ID, now.AddDate(0, 0, -40)), Hook: hook.ID, Seq: 9, Prev: 8, Event: "contact.updated", Record: record, Replayed: true, Status: store.DeliveryWaiting, CreatedAt: now, NextAt: now, Request: `{}`}
	hook.Seq, hook.Last, hook.Failures, hook.FailingSince, hook.ProbeAt = 9, 9, 3, now, now.Add(time.Hour)
	write(t, b, func(tx *store.Tx) error {
		if err := tx.AddDeliveries([]*store.Delivery{done, waits}); err != nil {
			return err
		}
		if err := tx.SetHookReplay(hook.ID, 1, 5); err != nil {
			return err
		}
		return tx.PutHook(hook)
	})
	write(t, b, func(tx *store.Tx) error {
		kept, err := tx.Hooks()
		if err != nil || len(kept) != 1 || kept[0].Seq != 9 || kept[0].Last != 9 || kept[0].Failures != 3 || !kept[0].FailingSince.Equal(now) || kept[0].Replay != 1 || kept[0].ReplayTo != 5 || kept[0].Actor.User != hook.Actor.User {
			t.Errorf("kept is %+v, %v", kept, err)
		}
		waiting, err := tx.Waiting(10)
		if err != nil || len(waiting) != 1 || waiting[0].ID != waits.ID || !waiting[0].Replayed || waiting[0].Prev != 8 || !waiting[0].NextAt.Equal(now) {
			t.Errorf("waiting is %+v, %v", waiting, err)
		}
		return err
	})
	all, more, err := b.Deliveries(ctx, hook.ID, schema.UUID{}, false, 1)
	if err != nil || !more || len(all) != 1 || all[0].ID != waits.ID {
		t.Errorf("the newest: %+v, %v, %v", all, more, err)
	}
	all, more, err = b.Deliveries(ctx, hook.ID, waits.ID, false, 1)
	if err != nil || more || len(all) != 1 || all[0].Request != done.Request || all[0].Took != done.Took || all[0].Answer != "ok" {
		t.Errorf("the oldest: %+v, %v, %v", all, more, err)
	}
	if all, _, err := other.Deliveries(ctx, hook.ID, schema.UUID{}, false, 10); err != nil || len(all) != 0 {
		t.Errorf("another business has %+v, %v", all, err)
	}
	write(t, b, func(tx *store.Tx) error {
		steps := 1
		place, err := tx.ForgetDelivered(record, []string{"contact.erased"}, "", 1)
		for ; err == nil && place != ""; steps++ {
			place, err = tx.ForgetDelivered(record, nil, place, 1)
		}
		if steps != 3 {
			t.Errorf("two deliveries were forgotten in %d steps", steps)
		}
		return err
	})
	if request, err := b.DeliveryRequest(ctx, waits.ID); err != nil || request != "" {
		t.Errorf("after an erasure %q is left, %v", request, err)
	}
	write(t, b, func(tx *store.Tx) error {
		n, err := tx.SweepDeliveries(now.AddDate(0, 0, -30), 100)
		if n != 1 {
			t.Errorf("%d were swept", n)
		}
		return err
	})
	write(t, b, func(tx *store.Tx) error { return tx.DropHook(hook.ID) })
	list, err = s.HookedBusinesses(ctx)
	has("without webhooks", list, err, false)
}
