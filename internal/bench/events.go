package bench

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// What happens around a busy contact. Of its changes, and of all events together, there are more than a page behind the places
// where the questions begin.
const (
	contactsPerBusy = 20
	mostBusy        = 500
	changesOfBusy   = 44
)

// happenings are the records about each busy contact, by their kinds.
var happenings = []struct {
	kind string
	many int
	// contact is the leaf that names the contact.
	contact **schema.Leaf
	write   func(rec *schema.Record, at time.Time, random *rand.Rand)
}{
	{"activity", 20, &activityFields.ContactID, func(rec *schema.Record, at time.Time, random *rand.Rand) {
		rec.PutText(activityFields.ActivityType, pick(random, []string{"call", "email", "meeting"}))
		rec.PutText(activityFields.Subject, "About "+pick(random, products))
		rec.Put(crm.Activities.OccurredAt, schema.TimeValue(at))
	}},
	{"note", 10, &noteFields.ContactID, func(rec *schema.Record, _ time.Time, random *rand.Rand) {
		rec.PutText(crm.Notes.Title, "What was said")
		rec.PutText(crm.Notes.Body, "Wants to hear more of "+pick(random, products)+
			" before the end of the quarter, and to see it at work.")
		rec.Put(crm.Notes.Pinned, schema.BoolValue(false))
	}},
	{"task", 5, &taskFields.ContactID, func(rec *schema.Record, _ time.Time, random *rand.Rand) {
		rec.PutText(taskFields.Title, "Send prices of "+pick(random, products))
		rec.PutText(taskFields.Priority, "normal")
		rec.PutText(crm.Tasks.Status, "open")
	}},
}

// The fields of what happens that only the benchmark names.
var (
	activityFields = schema.FieldsOf[struct{ ActivityType, Subject, ContactID *schema.Leaf }](&crm.Activity.Shape)
	noteFields     = schema.FieldsOf[struct{ ContactID *schema.Leaf }](&crm.Note.Shape)
	taskFields     = schema.FieldsOf[struct{ Title, Priority, ContactID *schema.Leaf }](&crm.Task.Shape)
)

// chooseBusy notes which contacts are busy: one in twenty, at even distances, or fewer where that is many.
func (s *Set) chooseBusy() {
	s.busy = nil
	distance := max(contactsPerBusy, s.Size/mostBusy)
	for i := 0; i < s.Size && len(s.busy) < mostBusy; i += distance {
		s.busy = append(s.busy, i)
	}
}

// events lets much happen around some contacts.
func (f *filler) events() error {
	f.set.chooseBusy()
	for stream, a := range happenings {
		var all []*schema.Record
		for i, place := range f.set.busy {
			met := f.creation(place, f.set.Size, f.random(ofContact, place))
			for n := range a.many {
				random := f.random(ofHappening+uint64(stream), i*a.many+n)
				at := f.since(met, random)
				rec := f.made(a.kind, at, random)
				rec.Put(*a.contact, schema.IDValue(f.set.contacts[place].id))
				a.write(rec, at, random)
				all = append(all, rec)
			}
		}
		slices.SortStableFunc(all, func(a, b *schema.Record) int {
			return cmp.Compare(a.Get(a.Common.CreatedAt).N, b.Get(b.Common.CreatedAt).N)
		})
		if err := f.insert(a.kind, upTo(len(all)), func(i int) *schema.Record { return all[i] }); err != nil {
			return err
		}
	}
	const together = 20
	for some := range slices.Chunk(f.set.busy, together) {
		err := f.who.Tenant.Write(f.ctx, store.Actor{User: f.who.User}, func(tx *store.Tx) error {
			for _, place := range some {
				if err := f.changed(tx, place); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		f.set.changes += len(some) * changesOfBusy
	}
	return nil
}

// changed changes a contact again and again, in fields that no question asks for.
func (f *filler) changed(tx *store.Tx, place int) error {
	res, fields := &record.KindOf("contact").Resource, &crm.Contacts
	rec, err := tx.Get(res, f.set.contacts[place].id, false)
	if err != nil {
		return err
	}
	times := make([]time.Time, changesOfBusy)
	for i := range times {
		times[i] = f.since(rec.Get(fields.UpdatedAt).Time(), f.random(ofChange, place*changesOfBusy+i))
	}
	slices.SortFunc(times, time.Time.Compare)
	for i, at := range times {
		old := rec
		rec = rec.Clone()
		rec.PutText(fields.LeadSource, fmt.Sprintf("Fair %d", i))
		rec.PutText(fields.Address.Street, fmt.Sprintf("Long street %d", place+i))
		rec.Put(fields.UpdatedAt, schema.TimeValue(at))
		rec.Put(fields.Version, schema.IntValue(schema.Integer, rec.Version()+1))
		if err := tx.Update(res, old, rec, "update"); err != nil {
			return err
		}
	}
	return nil
}

// since is a moment between a time and the one at which the business was as it is.
func (f *filler) since(from time.Time, random *rand.Rand) time.Time {
	return from.Add(time.Duration(random.Int64N(max(1, int64(f.set.loaded.Sub(from)))))).Truncate(time.Millisecond)
}
