package crm

import (
	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

var Notification = &record.Kind{Since: 39, Resource: schema.Resource{
	Name: "notification", Plural: "notifications", Label: "Notification",
	Access:  schema.Access{Personal: true},
	Summary: schema.Summary{NamedBy: []string{"about_id"}, Telling: []string{"kind", "text", "at"}},
	Example: `{"about_id":"deal_01kh4xv1qcf0mvq8gk8d8mvxd9","text":"Ask for the drawings","snoozed_until":"2030-06-03T09:00:00Z"}`,
	Fields: []schema.Field{
		{
			Name: "kind", Kind: schema.Choice, Options: account.ToldKinds, Label: "Kind", Required: true, ReadOnly: true,
			Default: account.ToldReminder, Find: schema.Find{Indexed: true},
		},
		{
			Name: "about_id", Kind: schema.Text, Format: schema.RecordID, Ref: schema.Ref{With: true}, Label: "Record",
			Writing: schema.Writing{Immutable: true}, Find: schema.Find{Indexed: true},
			About: "What it is about; absent where that is no record.",
		},
		{
			Name: "job_id", Kind: schema.Text, Label: "Job", ReadOnly: true,
			About: "The [job](#jobs) that it is about.",
		},
		{
			Name: "event", Kind: schema.Text, Label: "Event", ReadOnly: true,
			About: "What happened, as webhooks call it: `deal.won`. Of a job `job.` with how it ended: `job.failed`.",
		},
		{
			Name: "actor_id", Kind: schema.ID, Ref: schema.Ref{To: "user"}, Label: "By", ReadOnly: true, About: "Who did it.",
		},
		{Name: "text", Kind: schema.Text, Label: "Text", About: "What a reminder says, or what the record does not tell."},
		{
			Name: "at", Kind: schema.Time, Label: "At", Required: true, ReadOnly: true, Find: schema.Find{Sorted: true},
			About: "When it is to be seen: when it happened, or until when it is snoozed.",
		},
		{Name: "read_at", Kind: schema.Time, Label: "Read", Find: schema.Find{Indexed: true}},
		{
			Name: "snoozed_until", Kind: schema.Time, Label: "Snoozed until",
			About: "When it is to be seen again. It is unread from then on.",
		},
	},
}}

// Notifications are the fields of notifications that code names.
var Notifications struct {
	schema.Common
	Kind, AboutID, JobID, Event, ActorID, Text, At, ReadAt, SnoozedUntil *schema.Leaf
}

func declareNotifications() {
	schema.Bind(&Notification.Shape, &Notifications)
	Notification.GoesWithUser = Notification.Common.OwnerID
	Notification.ShownWith = Notifications.AboutID
	Notification.Prepare = func(w *record.Mutation) error {
		if w.Changed(Notifications.SnoozedUntil) && w.Rec.Get(Notifications.SnoozedUntil).Set && !w.Gave(Notifications.ReadAt) {
			w.Rec.Put(Notifications.ReadAt, schema.Absent(schema.Time))
		}
		at := w.Rec.Get(Notifications.SnoozedUntil)
		if !at.Set {
			at = w.Rec.Get(Notifications.CreatedAt)
		}
		w.Rec.Put(Notifications.At, at)
		return nil
	}
	Notification.Validate = validateNotification
	Notification.Accompanying = func(rec *schema.Record) bool { return rec.Text(Notifications.Kind) != account.ToldReminder }
}

// validateNotification lets people remind themselves, and nobody others.
func validateNotification(p record.Proposed) error {
	if p.Who().Connection == (schema.UUID{}) { // kith itself tells
		return nil
	}
	refuseOthers(p, p.Get(Notifications.OwnerID), "people remind themselves alone")
	if !p.New() || p.Refused() != nil || !p.Get(Notifications.AboutID).Set {
		return nil
	}
	return checkAbout(p, Notifications.AboutID)
}
