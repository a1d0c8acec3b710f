package notify

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
	"github.com/kith-crm/kith/internal/work"
)

const (
	// morning is the hour of the daily mail, where its reader is.
	morning = 8
	// leased is for how long what is to be mailed is one server's, and putOff how long it waits where the mail server does not take it.
	leased = 10 * time.Minute
	putOff = 10 * time.Minute
	// mostInTurn is how many people of a business are written to before others have their turn.
	mostInTurn = 20
	// mostTries is how often something is sent at most: once more where a server dies before it has noted that it was.
	mostTries = 2
	// tried is for how long something is tried.
	tried = 48 * time.Hour
	// mostTold is how many notifications a mail tells; the others are in the inbox.
	mostTold = 50
	// mostShown is how many letters it shows of a name.
	mostShown = 120
)

// planMail has a notification mailed when it comes to be seen, or the morning after, as its owner wants it; and not any more once it was
// read.
func planMail(w *record.Mutation) error {
	n, accounts := &crm.Notifications, w.Engine.Accounts
	if accounts == nil || !accounts.Mails() ||
		w.Old != nil && w.Old.Live() == w.Rec.Live() && !w.Changed(n.At) && !w.Changed(n.ReadAt) {
		return nil
	}
	if w.Rec.Live() && !w.Rec.Get(n.ReadAt).Set {
		user, err := w.Lookup(account.User, w.Rec.Get(n.OwnerID).UUID())
		if err != nil {
			return err
		}
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
			return queue.PlanMail(w.Tx, w.Rec.ID(), user.ID(), at)
		}
	}
	if w.Old == nil {
		return nil
	}
	return queue.ForgetMail(w.Tx, w.Rec.ID())
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
	businesses, err := queue.MailDue(ctx, m.Engine.Store(), now)
	for _, t := range businesses {
		sent, failed := m.mail(ctx, t, now)
		more, err = more || sent, errors.Join(err, failed)
	}
	return more, err
}

// mail has the turn of a business, and tells whether there was something to do.
func (m *Mailer) mail(ctx context.Context, t store.Tenant, now time.Time) (some bool, err error) {
	var taken []queue.Mailing
	err = t.Keep(ctx, store.Actor{}, func(tx *store.Tx) (err error) {
		taken, err = queue.TakeMail(tx, now, now.Add(leased), mostInTurn)
		return err
	})
	if err != nil || len(taken) == 0 {
		return false, err
	}
	begin, byUser := time.Now(), map[schema.UUID][]schema.UUID{}
	var done []schema.UUID
	for _, one := range taken {
		if one.Tries > mostTries || now.Sub(one.DueAt) > tried {
			done = append(done, one.Notification)
		} else {
			byUser[one.User] = append(byUser[one.User], one.Notification)
		}
	}
	for user, all := range byUser {
		if time.Since(begin) > leased/2 || ctx.Err() != nil { // so that nobody else has it while it is sent
			err = errors.Join(err, m.note(ctx, t, func(tx *store.Tx) error { return queue.PutOffMail(tx, now, all...) }))
			continue
		}
		letter, failed := m.write(ctx, t, user, all)
		if failed == nil && letter != nil {
			failed = m.Send(*letter)
		}
		if failed != nil {
			m.Log.Error("mail of notifications", "business", schema.FormatID("business", t.ID()), "error", failed)
			err = errors.Join(err, m.note(ctx, t, func(tx *store.Tx) error { return queue.PutOffMail(tx, now.Add(putOff), all...) }))
			continue
		}
		// Each is forgotten at once: whoever dies leaves as few as can be that are sent again.
		err = errors.Join(err, m.note(ctx, t, func(tx *store.Tx) error { return queue.ForgetMail(tx, all...) }))
	}
	if len(done) == 0 {
		return true, err
	}
	return true, errors.Join(err, m.note(ctx, t, func(tx *store.Tx) error { return queue.ForgetMail(tx, done...) }))
}

// note notes what became of mail, also while the server stops.
func (m *Mailer) note(ctx context.Context, t store.Tenant, what func(*store.Tx) error) error {
	return t.Keep(context.WithoutCancel(ctx), store.Actor{}, what)
}

// write makes the mail that tells somebody of notifications: those that they may see and have not read. It is nil where there are none.
func (m *Mailer) write(ctx context.Context, t store.Tenant, user schema.UUID, all []schema.UUID) (*Letter, error) {
	u, err := t.Get(ctx, &account.User.Resource, user, false)
	if errors.Is(err, store.ErrNotFound) || err == nil && u.Text(account.Users.Status) != "active" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	role, err := t.Get(ctx, &account.Role.Resource, u.Get(account.Users.RoleID).UUID(), false)
	if err != nil {
		return nil, err
	}
	who := &record.Principal{Tenant: t, User: user, Scopes: record.Scopes(), Role: account.ReadRole(role)}
	business, err := t.Business(ctx)
	if err != nil {
		return nil, err
	}
	own, err := (record.Call{Principal: who}).Business(ctx)
	if err != nil {
		return nil, err
	}
	r := reader{Call: record.Call{Principal: who}, words: wordsOf(cmp.Or(u.Text(account.Users.Locale),
		own.Text(record.OwnBusiness.Locale))), origin: m.Origin}
	lines := []line{}
	for _, id := range all {
		one, err := r.line(ctx, id)
		if err != nil {
			return nil, err
		}
		if one != nil {
			lines = append(lines, *one)
		}
	}
	if len(lines) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(lines, func(a, b line) int { return a.at.Compare(b.at) })
	return letter(u.Text(account.Users.Email), business.Name, m.Origin, r.words, lines)
}

// reader reads notifications with the rights of whom they tell.
type reader struct {
	record.Call
	words  words
	origin string
}

// line tells of a notification; nil where it is not to be seen, or was read.
func (r reader) line(ctx context.Context, id schema.UUID) (*line, error) {
	n := &crm.Notifications
	rec, err := r.Get(ctx, crm.Notification, schema.FormatID(crm.Notification.Name, id))
	if err != nil || rec.Get(n.ReadAt).Set {
		return nil, unlessHidden(err)
	}
	one := &line{
		at: rec.Get(n.At).Time(), What: r.words.kinds[rec.Text(n.Kind)], About: short(rec.Text(n.Text)), Link: r.origin + "/app/inbox",
	}
	if job := rec.Get(n.JobID); job.Set {
		return one, r.job(ctx, one, job.S, rec.Text(n.Event))
	}
	if by := rec.Get(n.ActorID); by.Set {
		if one.Who, err = r.name(ctx, account.User, by.UUID()); err != nil {
			return nil, err
		}
		one.Who = cmp.Or(one.Who, r.words.somebody)
	}
	if about := rec.Get(n.AboutID); about.Set {
		resource, id, err := schema.RecordOf(about.S)
		if err != nil {
			return nil, err
		}
		name, link, err := r.about(ctx, record.KindOf(resource), id)
		if err != nil {
			return nil, err
		}
		one.Link = r.origin + link
		one.About = cmp.Or(one.About, name)
	}
	return one, nil
}

// job tells how a job ended, and where that is seen. Who reads began it.
func (r reader) job(ctx context.Context, one *line, id, event string) error {
	one.Link = r.origin + "/app/settings/work"
	job, err := work.FindJob(ctx, r.Call, id)
	if job == nil || err != nil {
		one.What += " " + r.words.events[event]
		return unlessHidden(err)
	}
	one.What = cmp.Or(r.words.jobs[job.Kind], one.What) + " " + r.words.events[event]
	one.About = fmt.Sprintf(r.words.done, job.Done-job.Failed, job.Total)
	var of struct {
		Import string `json:"import_id"`
	}
	if err := json.Unmarshal([]byte(job.Params), &of); err != nil {
		return err
	}
	if of.Import != "" {
		one.Link = r.origin + "/app/import/" + of.Import
	}
	return nil
}

// about names a record, and where it is seen: what is written about another one on the page of that.
func (r reader) about(ctx context.Context, k *record.Kind, id schema.UUID) (name, link string, err error) {
	if k == crm.Note || k == crm.Activity {
		rec, err := r.Get(ctx, k, schema.FormatID(k.Name, id))
		if err != nil {
			return "", "/app/inbox", unlessHidden(err)
		}
		for _, l := range slices.Backward(k.Leaves) {
			if to := rec.Get(l); l.Ref.Timeline && to.Set {
				of := record.KindOf(l.Target.Name)
				if name, err := r.name(ctx, of, to.UUID()); name != "" || err != nil {
					return name, page(of, to.UUID()), err
				}
			}
		}
	}
	name, err = r.name(ctx, k, id)
	return name, page(k, id), err
}

func page(k *record.Kind, id schema.UUID) string {
	return "/app/" + k.Plural + "/" + schema.FormatID(k.Name, id)
}

// name is how a record is known; nothing where they may not read it.
func (r reader) name(ctx context.Context, k *record.Kind, id schema.UUID) (string, error) {
	rec, err := r.Get(ctx, k, schema.FormatID(k.Name, id))
	if err != nil {
		return "", unlessHidden(err)
	}
	for _, l := range k.Names {
		if v := rec.Get(l); v.Set {
			return short(v.S), nil
		}
	}
	return "", nil
}

// short is the beginning of a text, as fits on a line.
func short(text string) string {
	text = strings.Join(strings.Fields(crm.WithoutMentions(text)), " ")
	if runes := []rune(text); len(runes) > mostShown {
		return string(runes[:mostShown]) + "…"
	}
	return text
}

// unlessHidden is what went wrong, but that somebody may not see a record, or that it is gone.
func unlessHidden(err error) error {
	if p := problem.As(err); p != nil && !p.Code.WorthRetrying() {
		return nil
	}
	return err
}
