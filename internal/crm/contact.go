package crm

import (
	"strings"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

var Contact = &record.Kind{Resource: schema.Resource{
	Name: "contact", Plural: "contacts", Label: "Contact",
	Summary: schema.Summary{Telling: []string{"email", "phone", "company.name"}},
	Layout: schema.Layout{
		Head: []string{"job_title", "company_id"},
		About: []string{
			"email", "phone", "mobile_phone", "owner_id", "company_id", "job_title", "lifecycle_stage_id", "lead_score", "lead_source",
			"timezone", "last_contacted_at", "tags", "linkedin_url", "do_not_contact", "first_name", "last_name", "name",
		},
		Card: []string{"company_id", "email", "phone"},
		Form: []string{"first_name", "last_name", "email", "phone", "company_id", "job_title", "lifecycle_stage_id", "owner_id"},
	},
	Life: schema.Life{
		Importable: true, Merges: true, Erasable: true,
		Duplicates: &schema.Duplicates{
			Same: []string{"email"}, Phones: []string{"phone", "mobile_phone"}, Name: "name", Within: "company_id", Email: "email",
		},
	},
	Example: `{"first_name":"Anna","last_name":"Lind","email":"anna.lind@harbour.example","phone":"+46 70 123 45 67","job_title":"Head ` +
		`of purchasing","company_id":"company_01kh4xv1qcf0mvq8gk8d8mvxd9","address":{"city":"Gothenburg","country":"Sweden"},` +
		`"tags":["fair"],"lead_score":42}`,
	Fields: []schema.Field{
		{Name: "first_name", Kind: schema.Text, Label: "First name"},
		{Name: "last_name", Kind: schema.Text, Label: "Last name"},
		{
			Name: "name", Kind: schema.Text, Label: "Name", Required: true, Derived: true,
			Find:  schema.Find{Searchable: true, Sorted: true},
			About: "First and last name, or else the e-mail address or phone number, when not given.",
		},
		emailField,
		{Name: "phone", Kind: schema.Text, Format: schema.Phone, Label: "Phone", Find: schema.Find{Searchable: true}},
		{Name: "mobile_phone", Kind: schema.Text, Format: schema.Phone, Label: "Mobile phone", Find: schema.Find{Searchable: true}},
		{Name: "job_title", Kind: schema.Text, Label: "Job title", Find: schema.Find{Searchable: true}},
		{Name: "company_id", Kind: schema.ID, Ref: schema.Ref{To: "company"}, Label: "Company", Find: schema.Find{Indexed: true}},
		{Name: "lead_score", Kind: schema.Number, Label: "Lead score", Find: schema.Find{Sorted: true}},
		{
			Name: "lifecycle_stage_id", Kind: schema.ID, Ref: schema.Ref{To: "lifecycle_stage", Restrict: true}, Label: "Lifecycle stage",
			Find: schema.Find{Indexed: true, Named: true}, About: "The default stage when not given.",
		},
		{Name: "lead_source", Kind: schema.Text, Label: "Lead source"},
		address,
		{Name: "linkedin_url", Kind: schema.Text, Format: schema.URL, Label: "LinkedIn", Max: schema.Bound(2048)},
		{Name: "timezone", Kind: schema.Text, Format: schema.Timezone, Label: "Time zone"},
		{Name: "do_not_contact", Kind: schema.Bool, Label: "Do not contact", Required: true, Derived: true, Default: "false"},
		lastContacted,
	},
	Actions: record.MergeActions("contact"),
}}

// Contacts are the fields of contacts that code names.
var Contacts struct {
	schema.Common
	FirstName, LastName, Name, Email, Phone, MobilePhone, JobTitle *schema.Leaf
	CompanyID, LeadScore, LifecycleStageID, LeadSource             *schema.Leaf
	Address                                                        AddressFields
	Timezone, DoNotContact, LastContactedAt                        *schema.Leaf
}

func declareContacts() {
	schema.Bind(&Contact.Shape, &Contacts)
	Contact.Computed = map[*schema.Leaf]func(*schema.Record) schema.Value{
		Contacts.Name: func(rec *schema.Record) schema.Value { return schema.TextValue(schema.Text, derivedName(rec)) },
	}
	Contact.Prepare = func(w *record.Mutation) error {
		nameContact(w)
		return defaultLifecycleStage(w, Contacts.LifecycleStageID)
	}
	Contact.Validate = func(p record.Proposed) error {
		if p.Text(Contacts.Name) == "" {
			p.Refuse(Contacts.Name.Path, "required", "give at least one of name, first_name, last_name, email, phone and mobile_phone")
		}
		return nil
	}
	Contact.Combined = map[*schema.Leaf]func(mine, theirs schema.Value) schema.Value{
		// Who once asked to be left alone is, whichever of both records says so.
		Contacts.DoNotContact: func(mine, theirs schema.Value) schema.Value {
			return schema.BoolValue(mine.True() || theirs.True())
		},
		Contacts.LastContactedAt: later,
	}
}

// later is the later of two times, either of which may be absent.
func later(mine, theirs schema.Value) schema.Value {
	if theirs.Set && (!mine.Set || theirs.N > mine.N) {
		return theirs
	}
	return mine
}

// derivedName is the name of a contact to which nobody gave one.
func derivedName(r *schema.Record) string {
	parts := strings.TrimSpace(r.Text(Contacts.FirstName) + " " + r.Text(Contacts.LastName))
	for _, name := range []string{parts, r.Text(Contacts.Email), r.Text(Contacts.Phone), r.Text(Contacts.MobilePhone)} {
		if name != "" {
			if runes := []rune(name); len(runes) > 255 {
				name = string(runes[:255])
			}
			return name
		}
	}
	return ""
}

// nameContact derives the name where it was not given, and follows the parts of a name that was derived before.
func nameContact(w *record.Mutation) {
	wasDerived := w.Old != nil && !w.Gave(Contacts.Name) && w.Old.Text(Contacts.Name) == derivedName(w.Old)
	if w.Rec.Text(Contacts.Name) == "" || wasDerived {
		w.Rec.PutText(Contacts.Name, derivedName(w.Rec))
	}
}
