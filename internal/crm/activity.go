package crm

import (
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

var Activity = &record.Kind{AboutOthers: true, Resource: schema.Resource{
	Name: "activity", Plural: "activities", Label: "Activity",
	Layout: schema.Layout{Head: []string{"activity_type", "occurred_at", "contact_id", "company_id"}},
	Summary: schema.Summary{
		NamedBy: []string{"subject", "body"}, Telling: []string{"activity_type", "occurred_at", "contact.name"}, Happens: "occurred_at",
	},
	Life: schema.Life{Importable: true},
	Example: `{"activity_type":"call","subject":"First call","direction":"outbound","duration_seconds":540,` +
		`"contact_id":"contact_01kh4xv1qcf0mvq8gk8d8mvxd9","outcome":"Interested"}`,
	Fields: []schema.Field{
		{
			Name: "activity_type", Kind: schema.Choice, Options: []string{"call", "email", "meeting", "message", "other"}, Label: "Type",
			OptionColours: []string{"blue", "teal", "purple", "yellow", "gray"},
			Required:      true, Find: schema.Find{Indexed: true},
		},
		{Name: "subject", Kind: schema.Text, Label: "Subject", Find: schema.Find{Searchable: true}},
		{Name: "body", Kind: schema.LongText, Label: "Text", Find: schema.Find{Searchable: true}},
		{
			Name: "direction", Kind: schema.Choice, Options: []string{"inbound", "outbound"}, OptionColours: []string{"teal", "blue"},
			Label: "Direction",
		},
		{Name: "outcome", Kind: schema.Text, Label: "Outcome"},
		{
			Name: "occurred_at", Kind: schema.Time, Label: "Occurred", Required: true, Derived: true, Find: schema.Find{Sorted: true},
			About: "Now when not given.",
		},
		{Name: "duration_seconds", Kind: schema.Integer, Label: "Duration in seconds", Min: schema.Bound(0)},
		{Name: "location", Kind: schema.Text, Label: "Location"},
		about("contact", "Contact"),
		about("company", "Company"),
		about("deal", "Deal"),
	},
}}

// Activities are the fields of activities that code names.
var Activities struct {
	schema.Common
	OccurredAt, ContactID, CompanyID *schema.Leaf
}

func declareActivities() {
	schema.Bind(&Activity.Shape, &Activities)
	Activity.Prepare = func(w *record.Mutation) error {
		if !w.Rec.Get(Activities.OccurredAt).Set {
			w.Rec.Put(Activities.OccurredAt, schema.TimeValue(w.Now))
		}
		return nil
	}
	Activity.Written = contacted
}

// contacted moves last_contacted_at of the contact, the contact's company and the activity's own company forward. An activity that
// is still to come does not count yet.
func contacted(w *record.Mutation) error {
	at := w.Rec.Get(Activities.OccurredAt)
	if w.Action == "delete" || at.N > w.Now.UnixMicro() || w.Carried != nil { // whose contacts know already
		return nil
	}
	companies := []schema.Value{w.Rec.Get(Activities.CompanyID)}
	forward := func(k *record.Kind, contacted *schema.Leaf, id schema.Value) (*schema.Record, error) {
		if !id.Set {
			return nil, nil
		}
		rec, err := w.Lookup(k, id.UUID())
		if rec == nil || err != nil {
			return nil, err
		}
		if last := rec.Get(contacted); last.Set && last.N >= at.N {
			return rec, nil
		}
		if rec, err = w.Get(w.Who.Resource(k), id.UUID(), false); err != nil {
			return nil, err
		}
		if last := rec.Get(contacted); last.Set && last.N >= at.N {
			return rec, nil
		}
		return rec, w.Touch(k, rec, func(r *schema.Record) { r.Put(contacted, at) })
	}
	person, err := forward(Contact, Contacts.LastContactedAt, w.Rec.Get(Activities.ContactID))
	if err != nil {
		return err
	}
	if person != nil && person.Get(Contacts.CompanyID) != companies[0] {
		companies = append(companies, person.Get(Contacts.CompanyID))
	}
	for _, id := range companies {
		if _, err := forward(Company, Companies.LastContactedAt, id); err != nil {
			return err
		}
	}
	return nil
}
