package storetest

import (
	"slices"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
)

// testMail holds what is to be mailed to its business and to who has taken it: what one server has no other takes until its time is
// over; what could not be sent does not count as a try; and what is forgotten is taken by nobody. A turn takes all that is due of some
// people, those first that wait longest.
func testMail(t *testing.T, s *store.Store) {
	b, other := Business(t, s), Business(t, s)
	now := time.Now().UTC().Truncate(time.Microsecond)
	user, one, later := schema.NewID(now), schema.NewID(now), schema.NewID(now)
	write(t, b, func(tx *store.Tx) error {
		if err := queue.PlanMail(tx, one, user, now.Add(time.Hour)); err != nil {
			return err
		}
		if err := queue.PlanMail(tx, one, user, now); err != nil {
			return err
		}
		return queue.PlanMail(tx, later, user, now.Add(time.Hour))
	})
	due := func(at time.Time, want bool) {
		t.Helper()
		list, err := queue.MailDue(ctx, s, at)
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
			got, err := queue.TakeMail(tx, at, at.Add(time.Minute), 1)
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
	write(t, b, func(tx *store.Tx) error { return queue.PutOffMail(tx, now.Add(5*time.Minute), one) })
	take(b, now.Add(4*time.Minute))
	take(b, now.Add(6*time.Minute), mailing)
	write(t, other, func(tx *store.Tx) error { return queue.ForgetMail(tx, one) })
	due(now.Add(20*time.Minute), true)
	write(t, b, func(tx *store.Tx) error { return queue.ForgetMail(tx, one) })
	due(now.Add(20*time.Minute), false)

	longest, third := schema.NewID(now), schema.NewID(now)
	write(t, b, func(tx *store.Tx) error {
		if err := queue.PlanMail(tx, third, longest, now.Add(-time.Hour)); err != nil {
			return err
		}
		return queue.PlanMail(tx, one, user, now)
	})
	at := now.Add(2 * time.Hour)
	take(b, at, queue.Mailing{Notification: third, User: longest, DueAt: now.Add(-time.Hour), Tries: 1})
	write(t, b, func(tx *store.Tx) error {
		got, err := queue.TakeMail(tx, at, at.Add(time.Minute), 1)
		if len(got) != 2 || got[0].User != user || got[1].User != user {
			t.Errorf("of who is next is taken %+v", got)
		}
		return err
	})
}
