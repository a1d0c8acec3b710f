package queue

import (
	"context"
	"strconv"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// What is to be sent of notifications is a row for each, written with the notification. A server that sends takes the rows that are due
// for a while, and counts how often they were taken: so one that dies between sending and forgetting them has them sent once more, and
// not for ever. See package notify.

// Way is how notifications are sent, which is also the table of those that are to be.
type Way string

// The ways.
const (
	ByMail Way = "notification_mail"
	ByPush Way = "notification_push"
)

// Mailing is a notification that is to be sent to a user.
type Mailing struct {
	Notification, User schema.UUID
	DueAt              time.Time
	// Tries is how often it was taken, this time included.
	Tries int64
}

// Plan has a notification sent at a time, instead of when it was to be sent before.
func (w Way) Plan(tx *store.Tx, notification, user schema.UUID, due time.Time) error {
	return store.Run(tx, `
		INSERT INTO `+string(w)+` (business_id, notification_id, user_id, due_at, tries) VALUES ({business}, ?, ?, ?, 0)
		ON CONFLICT (business_id, notification_id) DO UPDATE SET due_at = excluded.due_at, tries = 0, leased_until = NULL`,
		schema.IDValue(notification), schema.IDValue(user), schema.TimeValue(due))
}

// Forget has notifications not sent, or not any more.
func (w Way) Forget(tx *store.Tx, notifications ...schema.UUID) error {
	st := room.SQL("DELETE FROM " + string(w) + " WHERE business_id = {business} AND {among notification_id}")
	st.Among = ids(notifications)
	_, err := tx.Exec(st)
	return err
}

// Take takes what is due and nobody has, until a time: of so many users at most, all of what waits longest for each.
func (w Way) Take(tx *store.Tx, now, until time.Time, users int) ([]Mailing, error) {
	at := schema.TimeValue(now)
	return room.All(tx.Query, room.SQL(`
		UPDATE `+string(w)+` SET tries = tries + 1, leased_until = ?
		WHERE business_id = {business} AND due_at <= ? AND (leased_until IS NULL OR leased_until < ?) AND user_id IN (
			SELECT m.user_id FROM `+string(w)+` m
			WHERE m.business_id = {business} AND m.due_at <= ? AND (m.leased_until IS NULL OR m.leased_until < ?)
			GROUP BY m.user_id ORDER BY min(m.due_at), m.user_id LIMIT `+strconv.Itoa(users)+`)
		RETURNING notification_id, user_id, due_at, tries`, schema.TimeValue(until), at, at, at, at),
		func(r room.Row) Mailing {
			return Mailing{room.FirstID(r), room.IDAt(r, 1), room.TimeAt(r, 2), room.IntAt(r, 3)}
		})
}

// PutOff gives back what could not be sent, to be taken again after a time; it was not sent, so that does not count.
func (w Way) PutOff(tx *store.Tx, until time.Time, notifications ...schema.UUID) error {
	st := room.SQL(`
		UPDATE `+string(w)+` SET tries = tries - 1, leased_until = ?
		WHERE business_id = {business} AND {among notification_id}`, schema.TimeValue(until))
	st.Among = ids(notifications)
	_, err := tx.Exec(st)
	return err
}

func ids(all []schema.UUID) (values []schema.Value) {
	for _, id := range all {
		values = append(values, schema.IDValue(id))
	}
	return values
}

// Due lists the businesses in which something is to be sent by now that nobody has.
func (w Way) Due(ctx context.Context, s *store.Store, now time.Time) ([]store.Tenant, error) {
	at := schema.TimeValue(now)
	return s.LookUp(ctx, room.Lookup{
		Text: `SELECT t.id, t.business_id FROM {business} t WHERE t.business_id IN (SELECT m.business_id FROM {` + string(w) + `} m
			WHERE m.due_at <= ? AND (m.leased_until IS NULL OR m.leased_until < ?))`,
		Order: " ORDER BY 1", Args: []schema.Value{at, at},
	}, nil)
}
