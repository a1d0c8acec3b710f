package storetest

import (
	"slices"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
)

// testMail holds what is to be sent, by mail or by push, to its business and to who has taken it: what one server has no other takes
// until its time is over; what could not be sent does not count as a try; and what is forgotten is taken by nobody. A turn takes all
// that is due of some people, those first that wait longest.
func testMail(t *testing.T, s *store.Store) {
	for _, way := range []queue.Way{queue.ByMail, queue.ByPush} {
		testWay(t, s, way)
	}
}

func testWay(t *testing.T, s *store.Store, way queue.Way) {
	t.Helper()
	b, other := Business(t, s), Business(t, s)
	now := time.Now().UTC().Truncate(time.Microsecond)
	user, one, later := schema.NewID(now), schema.NewID(now), schema.NewID(now)
	write(t, b, func(tx *store.Tx) error {
		if err := way.Plan(tx, one, user, now.Add(time.Hour)); err != nil {
			return err
		}
		if err := way.Plan(tx, one, user, now); err != nil {
			return err
		}
		return way.Plan(tx, later, user, now.Add(time.Hour))
	})
	due := func(at time.Time, want bool) {
		t.Helper()
		list, err := way.Due(ctx, s, at)
		is := func(of store.Tenant) bool {
			return slices.ContainsFunc(list, func(t store.Tenant) bool { return t.ID() == of.ID() })
		}
		if err != nil || is(b) != want || is(other) {
			t.Errorf("due %v, in another business %v, %v", is(b), is(other), err)
		}
	}
	take := func(of store.Tenant, at time.Time, want ...queue.Mailing) {
		t.Helper()
		write(t, of, func(tx *store.Tx) error {
			got, err := way.Take(tx, at, at.Add(time.Minute), 1)
			if !slices.Equal(got, want) {
				t.Errorf("taken %+v, want %+v", got, want)
			}
			return err
		})
	}
	mailing := queue.Mailing{Notification: one, User: user, DueAt: now, Tries: 1}
	due(now.Add(-time.Second), false)
	due(now, true)
	take(other, now)
	take(b, now, mailing)
	due(now.Add(time.Second), false)
	take(b, now.Add(time.Second))
	mailing.Tries = 2
	take(b, now.Add(2*time.Minute), mailing)
	write(t, b, func(tx *store.Tx) error { return way.PutOff(tx, now.Add(5*time.Minute), one) })
	take(b, now.Add(4*time.Minute))
	take(b, now.Add(6*time.Minute), mailing)
	write(t, other, func(tx *store.Tx) error { return way.Forget(tx, one) })
	due(now.Add(20*time.Minute), true)
	write(t, b, func(tx *store.Tx) error { return way.Forget(tx, one) })
	due(now.Add(20*time.Minute), false)

	longest, third := schema.NewID(now), schema.NewID(now)
	write(t, b, func(tx *store.Tx) error {
		if err := way.Plan(tx, third, longest, now.Add(-time.Hour)); err != nil {
			return err
		}
		return way.Plan(tx, one, user, now)
	})
	at := now.Add(2 * time.Hour)
	take(b, at, queue.Mailing{Notification: third, User: longest, DueAt: now.Add(-time.Hour), Tries: 1})
	write(t, b, func(tx *store.Tx) error {
		got, err := way.Take(tx, at, at.Add(time.Minute), 1)
		if len(got) != 2 || got[0].User != user || got[1].User != user {
			t.Errorf("of who is next is taken %+v", got)
		}
		return err
	})
}
