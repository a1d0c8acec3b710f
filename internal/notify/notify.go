// Package notify tells people what concerns them: that they were mentioned, that something was given to them, what becomes of what
// they follow, that a task of theirs is due, that a webhook of theirs was stopped, and that a job of theirs has ended. It looks at each
// change as it is written, in the same transaction, and tells nobody of what they may not read at that moment, nor of what they did
// themselves.
package notify

import (
	"slices"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
)

const (
	// mostAtOnce is how much somebody is told of a kind within a minute: who is given a thousand deals is told of the first ones.
	mostAtOnce = 50
	// kept is how long notifications are kept, and swept how many older ones go whenever a new one comes.
	kept  = 90 * 24 * time.Hour
	swept = 5
	// watched is for how long whoever began a job waits for it, and need not be told.
	watched = 10 * time.Second
)

// Register has the engine hand over what is written, and jobs that have ended.
func Register(e *record.Engine) { e.Noticed, e.JobEnded = written, ended }

// told is what somebody is told of a change.
type told struct {
	user  schema.UUID
	kind  string
	event string
	text  string
	// about is the record and job the job that it is about, by their ids, and by is who did it.
	about, job string
	by         schema.Value
	// at is when they are told, if not at once.
	at schema.Value
}

// written tells of a record that was written just now.
func written(w *record.Mutation) error {
	if w.Kind == crm.Notification {
		return plan(w)
	}
	if w.Carried != nil || w.Kind.Access.Personal {
		return nil
	}
	if w.Kind == crm.Webhook {
		return stopped(w)
	}
	// Settings are nobody's; and what the operator does is nobody's act, but customers act without a log-in, too.
	if !w.Kind.Extensible() || w.Who.Connection == (schema.UUID{}) && !byCustomer(w) {
		return nil
	}
	if err := remind(w); err != nil {
		return err
	}
	var all []told
	for _, find := range []func(*record.Mutation) ([]told, error){mentioned, assigned, answered, owned, followed} {
		some, err := find(w)
		if err != nil {
			return err
		}
		for _, t := range some {
			if t.user != w.Who.User && !slices.ContainsFunc(all, func(o told) bool { return o.user == t.user }) {
				all = append(all, t)
			}
		}
	}
	for _, t := range all {
		who, _, err := account.Reader(w.Proposed(), t.user)
		if err != nil {
			return err
		}
		if who == nil || !who.MayRead(&w.Kind.Resource, w.Rec) {
			continue
		}
		t.about = schema.FormatID(w.Kind.Name, w.Rec.ID())
		if !byCustomer(w) {
			t.by = schema.IDValue(w.Who.User)
		}
		if err := tell(w.Engine, w.Tx, w.Who, t); err != nil {
			return err
		}
	}
	return nil
}

// mentioned are those whom the text of a note mentions now, and did not before.
func mentioned(w *record.Mutation) (all []told, err error) {
	if w.Kind != crm.Note || !w.Rec.Live() || !w.Changed(crm.Notes.Body) {
		return nil, nil
	}
	event := crm.EventOf(store.Change{Resource: w.Kind.Name, Action: w.Action})
	before, _ := crm.Mentioned(w.Proposed().TextBefore(crm.Notes.Body))
	now, _ := crm.Mentioned(w.Rec.Text(crm.Notes.Body))
	for _, user := range now {
		if !slices.Contains(before, user) {
			all = append(all, told{user: user, kind: account.ToldMention, event: event})
		}
	}
	return all, nil
}

// assigned are those whose own the record has become.
func assigned(w *record.Mutation) (all []told, err error) {
	if !w.Rec.Live() {
		return nil, nil
	}
	for _, l := range w.Kind.Owners {
		if owner := w.Rec.Get(l); l.Target != nil && l.Target.Name == record.UserName && owner.Set && w.Changed(l) {
			all = append(all, told{user: owner.UUID(), kind: account.ToldAssigned})
		}
	}
	return all, nil
}

// answered is who wrote the note that there is a comment on now.
func answered(w *record.Mutation) (all []told, err error) {
	if w.Kind != crm.Note || w.Old != nil || !w.Rec.Get(crm.Notes.InReplyToID).Set {
		return nil, nil
	}
	note, err := w.Lookup(crm.Note, w.Rec.Get(crm.Notes.InReplyToID).UUID())
	if note == nil || err != nil {
		return nil, err
	}
	return []told{{user: note.Get(crm.Notes.CreatedBy).UUID(), kind: account.ToldFollowed, event: "note.created"}}, nil
}

// byCustomer tells whether somebody acts who is no user: a customer, by the link that they were given.
func byCustomer(w *record.Mutation) bool { return w.Tx.Actor.Client == crm.ByLink }

// owned are those whose own the record is, where a customer moved it on: nobody else would tell them.
func owned(w *record.Mutation) (all []told, err error) {
	event := happened(w)
	if event == "" || !byCustomer(w) {
		return nil, nil
	}
	for _, l := range w.Kind.Owners {
		if owner := w.Rec.Get(l); l.Target != nil && l.Target.Name == record.UserName && owner.Set {
			all = append(all, told{user: owner.UUID(), kind: account.ToldFollowed, event: event})
		}
	}
	return all, nil
}

// followed are those who follow the record, where more happened to it than that a field changed; or, of something new, what it is about.
func followed(w *record.Mutation) (all []told, err error) {
	event := happened(w)
	if event == "" {
		return nil, nil
	}
	about := []string{schema.FormatID(w.Kind.Name, w.Rec.ID())}
	if w.Old == nil {
		about = nil
		for i, l := range w.Rec.Leaves {
			if v := w.Rec.Values[i]; l.Ref.Timeline && v.Set {
				about = append(about, schema.FormatID(l.Target.Name, v.UUID()))
			}
		}
	}
	for _, id := range about {
		follows, err := w.Find(&crm.Follow.Resource, crm.MaxFollowers,
			store.Equal(crm.Follows.AboutID, schema.TextValue(schema.Text, id)))
		if err != nil {
			return nil, err
		}
		for _, f := range follows {
			all = append(all, told{user: f.Get(crm.Follows.OwnerID).UUID(), kind: account.ToldFollowed, event: event})
		}
	}
	return all, nil
}

// happened is what followers are told of: that something about it is new, and what moves a record on; not every change of a field.
func happened(w *record.Mutation) string {
	if w.Old == nil && !w.Kind.AboutOthers || w.Action == record.Restore {
		return ""
	}
	entry := store.Change{Resource: w.Kind.Name, Action: w.Action}
	if s := w.Kind.States; s != nil && w.Old != nil && w.Changed(s.Leaf) {
		entry.Changes = `{"` + s.Leaf.Path + `":{"to":"` + w.Rec.Text(s.Leaf) + `"}}`
	}
	if event := crm.EventOf(entry); event != w.Kind.Name+".updated" {
		return event
	}
	return ""
}

// remind keeps ready what tells the assignee of a task that it is due: it comes to be seen when its time comes, and goes with the
// task's being done, given to somebody else, put off or deleted.
func remind(w *record.Mutation) error {
	t := &crm.Tasks
	if w.Kind != crm.Task || w.Old != nil && w.Old.Live() == w.Rec.Live() && !w.Changed(t.DueAt) && !w.Changed(t.AssigneeID) &&
		!w.Changed(t.Status) {
		return nil
	}
	n := &crm.Notifications
	if w.Old != nil {
		had, err := w.Find(&crm.Notification.Resource, swept, store.Equal(n.Kind, schema.TextValue(schema.Choice, account.ToldDue)),
			store.Equal(n.AboutID, schema.TextValue(schema.Text, schema.FormatID(w.Kind.Name, w.Rec.ID()))))
		for _, rec := range had {
			if err == nil {
				err = w.Remove(&crm.Notification.Resource, rec, record.Purge, "{}")
			}
		}
		if err != nil {
			return err
		}
	}
	due, assignee := w.Rec.Get(t.DueAt), w.Rec.Get(t.AssigneeID)
	if !w.Rec.Live() || !assignee.Set || !due.Set || !due.Time().After(w.Now) || !crm.ToBeDone(w.Rec) {
		return nil
	}
	who, _, err := account.Reader(w.Proposed(), assignee.UUID())
	if err != nil || who == nil || !who.MayRead(&w.Kind.Resource, w.Rec) {
		return err
	}
	about := schema.FormatID(w.Kind.Name, w.Rec.ID())
	return tell(w.Engine, w.Tx, w.Who, told{user: assignee.UUID(), kind: account.ToldDue, about: about, at: due})
}

// stopped tells whose rights a webhook had that kith disabled it.
func stopped(w *record.Mutation) error {
	user := w.Rec.Get(crm.Webhooks.UserID)
	if !user.Set || !w.Changed(crm.Webhooks.DisabledReason) || !w.Rec.Get(crm.Webhooks.DisabledReason).Set {
		return nil
	}
	who, _, err := account.Reader(w.Proposed(), user.UUID())
	if err != nil || who == nil || !who.MayRead(&crm.Webhook.Resource, w.Rec) {
		return err
	}
	text := w.Rec.Text(crm.Webhooks.Name) + ": " + w.Rec.Text(crm.Webhooks.DisabledReason)
	return tell(w.Engine, w.Tx, w.Who, told{user: user.UUID(), kind: account.ToldWebhook, text: text})
}

// ended tells who began a job that it has ended, if that took longer than they wait for it, and somebody else than they ended it.
func ended(e *record.Engine, tx *store.Tx, job *queue.Job) error {
	t := told{
		user: job.Actor.User, kind: account.ToldJob, job: schema.FormatID("job", job.ID), event: "job." + job.Status,
	}
	if job.Status == queue.JobCancelled {
		t.by = schema.IDValue(tx.Actor.User)
	}
	if job.FinishedAt.Sub(job.CreatedAt) < watched || t.by.Set && t.by.UUID() == t.user {
		return nil
	}
	return tell(e, tx, &record.Principal{Tenant: tx.Tenant, User: t.user}, t)
}

func condition(l *schema.Leaf, op query.Operator, v schema.Value) query.Condition {
	return query.Condition{Path: query.Path{Ref: -1, Leaf: l}, Operator: op, Values: []schema.Value{v}}
}

// tell keeps a notification of what somebody did, unless it is of a kind that the user muted or they may not act, and lets some go that
// are too old.
func tell(e *record.Engine, tx *store.Tx, by *record.Principal, t told) error {
	n := &crm.Notifications
	who := account.SystemPrincipal(tx.Tenant, by.User)
	who.Shapes = by.Shapes
	empty, err := crm.Notification.DecodeText(&crm.Notification.Resource, "{}")
	if err != nil {
		return err
	}
	note := e.NewRecord(tx, who, crm.Notification, empty)
	user, err := note.Lookup(account.User, t.user)
	if user == nil || err != nil || account.Suspended(user) ||
		slices.Contains(body.Strings(user.Get(account.Users.MutedNotifications)), t.kind) {
		return err
	}
	mine := store.Equal(n.OwnerID, schema.IDValue(t.user))
	since := schema.TimeValue(tx.Now.Add(-time.Minute))
	lately, err := tx.Count(&crm.Notification.Resource, mostAtOnce, mine, condition(n.CreatedAt, query.Gte, since),
		store.Equal(n.Kind, schema.TextValue(schema.Choice, t.kind)))
	if err != nil || lately >= mostAtOnce {
		return err
	}
	if err := sweep(tx, mine); err != nil {
		return err
	}
	note.Rec.Put(n.OwnerID, schema.IDValue(t.user))
	note.Rec.PutText(n.Kind, t.kind)
	for l, text := range map[*schema.Leaf]string{n.AboutID: t.about, n.JobID: t.job, n.Event: t.event, n.Text: t.text} {
		if text != "" {
			note.Rec.PutText(l, text)
		}
	}
	for l, v := range map[*schema.Leaf]schema.Value{n.ActorID: t.by, n.SnoozedUntil: t.at} {
		if v.Set {
			note.Rec.Put(l, v)
		}
	}
	_, err = note.Create(record.All)
	return err
}

// sweep removes some notifications of somebody that are too old, so that none has to look for them.
func sweep(tx *store.Tx, mine query.Condition) error {
	old, err := tx.Find(&crm.Notification.Resource, swept, mine,
		condition(crm.Notifications.At, query.Lt, schema.TimeValue(tx.Now.Add(-kept))))
	for _, rec := range old {
		if err == nil {
			err = tx.Remove(&crm.Notification.Resource, rec, record.Purge, "{}")
		}
	}
	return err
}
