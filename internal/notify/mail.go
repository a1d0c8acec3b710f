package notify

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
)

const (
	// morning is the hour of the daily mail, where its reader is.
	morning = 8
	// mostTold is how many notifications a mail tells; the others are in the inbox.
	mostTold = 50
)

// plan has a notification sent when it comes to be seen, as its owner wants it; and not any more once it was read.
func plan(w *record.Mutation) error {
	n := &crm.Notifications
	if w.Old != nil && w.Old.Live() == w.Rec.Live() && !w.Changed(n.At) && !w.Changed(n.ReadAt) {
		return nil
	}
	var user *schema.Record
	if w.Rec.Live() && !w.Rec.Get(n.ReadAt).Set {
		var err error
		if user, err = w.Lookup(account.User, w.Rec.Get(n.OwnerID).UUID()); err != nil {
			return err
		}
	}
	if err := planPush(w, user); err != nil {
		return err
	}
	if w.Engine.Accounts == nil || !w.Engine.Accounts.Mails() {
		return nil
	}
	return planMail(w, user)
}

// planMail has a notification mailed at once, or the morning after; or not, where there is nobody to be told.
func planMail(w *record.Mutation, user *schema.Record) error {
	n := &crm.Notifications
	chosen := func(l *schema.Leaf) bool { return slices.Contains(body.Strings(user.Get(l)), w.Rec.Text(n.Kind)) }
	if user != nil && !chosen(account.Users.NotificationsNotMailed) {
		at := w.Rec.Get(n.At).Time()
		if !chosen(account.Users.NotificationsMailedAtOnce) {
			own, err := w.Own(record.Business)
			if err != nil {
				return err
			}
			at = nextMorning(at, cmp.Or(user.Text(account.Users.Timezone), own.Text(record.OwnBusiness.Timezone)))
		}
		return queue.ByMail.Plan(w.Tx, w.Rec.ID(), user.ID(), at)
	}
	if w.Old == nil {
		return nil
	}
	return queue.ByMail.Forget(w.Tx, w.Rec.ID())
}

// nextMorning is the first morning in a time zone that is not before a time.
func nextMorning(at time.Time, zone string) time.Time {
	where, err := time.LoadLocation(zone)
	if err != nil {
		where = time.UTC
	}
	there := at.In(where)
	for day := there.Day(); ; day++ {
		if m := time.Date(there.Year(), there.Month(), day, morning, 0, 0, 0, where); !m.Before(at) {
			return m
		}
	}
}

// Letter is a mail: its text, and the same as HTML.
type Letter struct{ To, Subject, Text, HTML string }

// Mailer mails notifications.
type Mailer struct {
	Engine *record.Engine
	Send   func(Letter) error
	// Origin is where links lead.
	Origin string
	Log    *slog.Logger
}

// Mail gives each business that has something due as of now one turn, and tells whether there may be more to send. Several servers may do
// so at once: what one has taken no other one sends.
func (m *Mailer) Mail(ctx context.Context, now time.Time) (more bool, err error) {
	return courier{queue.ByMail, m.Engine, m.Log, m.mail}.round(ctx, now)
}

// mail tells somebody of notifications by one mail, if there is something to tell.
func (m *Mailer) mail(ctx context.Context, t store.Tenant, user schema.UUID, all []schema.UUID) error {
	r, err := newReader(ctx, t, user, m.Origin)
	if r == nil || err != nil {
		return err
	}
	lines, err := r.lines(ctx, all)
	if err != nil || len(lines) == 0 {
		return err
	}
	written, err := letter(r.user.Text(account.Users.Email), r.business, m.Origin, r.words, lines)
	if err != nil {
		return err
	}
	return m.Send(*written)
}
