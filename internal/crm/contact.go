package crm

import (
	"strings"

	"kith/internal/schema"
)

// address is the same group of fields wherever a record has one.
var address = schema.Field{Name: "address", Kind: schema.Group, Label: "Address", Fields: []schema.Field{
	{Name: "street", Kind: schema.Text, Label: "Street"},
	{Name: "city", Kind: schema.Text, Label: "City", Searchable: true},
	{Name: "region", Kind: schema.Text, Label: "Region"},
	{Name: "postal_code", Kind: schema.Text, Label: "Postal code"},
	{Name: "country", Kind: schema.Text, Label: "Country"},
}}

// AddressFields are the fields of an address that code names.
type AddressFields struct{ Street, City, Region, PostalCode, Country *schema.Leaf }

var contact = &Kind{Resource: schema.Resource{
	Name: "contact", Plural: "contacts", Label: "Contact", Erasable: true,
	Example: `{"first_name":"Anna","last_name":"Lind","email":"anna.lind@harbour.example","phone":"+46 70 123 45 67","job_title":"Head of purchasing","company_id":"company_01kh4xv1qcf0mvq8gk8d8mvxd9","address":{"city":"Gothenburg","country":"Sweden"},"tags":["fair"],"lead_score":42}`,
	Telling: []string{"email", "phone", "company.name"},
	Merges:  true, Actions: mergeActions("contact"),
	Duplicates: &schema.Duplicates{Same: []string{"email"}, Phones: []string{"phone", "mobile_phone"}, Name: "name", Within: "company_id", Email: "email"},
	Fields: []schema.Field{
		{Name: "first_name", Kind: schema.Text, Label: "First name"},
		{Name: "last_name", Kind: schema.Text, Label: "Last name"},
		{Name: "name", Kind: schema.Text, Label: "Name", Required: true, Derived: true, Searchable: true, Sorted: true, About: "First and last name, or else the e-mail address or phone number, when not given."},
		{Name: "email", Kind: schema.Text, Format: schema.Email, Label: "E-mail", Searchable: true, Indexed: true, Matched: true},
		{Name: "phone", Kind: schema.Text, Format: schema.Phone, Label: "Phone", Searchable: true},
		{Name: "mobile_phone", Kind: schema.Text, Format: schema.Phone, Label: "Mobile phone", Searchable: true},
		{Name: "job_title", Kind: schema.Text, Label: "Job title", Searchable: true},
		{Name: "company_id", Kind: schema.ID, Ref: "company", Label: "Company", Indexed: true},
		{Name: "lead_score", Kind: schema.Number, Label: "Lead score", Sorted: true},
		{Name: "lifecycle_stage_id", Kind: schema.ID, Ref: "lifecycle_stage", Label: "Lifecycle stage", Indexed: true, Named: true, Restrict: true, About: "The default stage when not given."},
		{Name: "lead_source", Kind: schema.Text, Label: "Lead source"},
		address,
		{Name: "linkedin_url", Kind: schema.Text, Format: schema.URL, Label: "LinkedIn", Max: schema.Bound(2048)},
		{Name: "timezone", Kind: schema.Text, Format: schema.Timezone, Label: "Time zone"},
		{Name: "do_not_contact", Kind: schema.Bool, Label: "Do not contact", Required: true, Derived: true, Default: "false"},
		{Name: "last_contacted_at", Kind: schema.Time, Label: "Last contacted", Sorted: true, About: "Moved forward by logged activities."},
	},
}}

// Contacts are the fields of contacts that code names.
var Contacts = fieldsOf[struct {
	schema.Common
	FirstName, LastName, Name, Email, Phone, MobilePhone, JobTitle *schema.Leaf
	CompanyID, LeadScore, LifecycleStageID, LeadSource             *schema.Leaf
	Address                                                        AddressFields
	Timezone, DoNotContact, LastContactedAt                        *schema.Leaf
}](contact)

func init() {
	contact.prepare = func(w *write) error {
		nameContact(w)
		return w.defaultLifecycleStage(Contacts.LifecycleStageID)
	}
}

// nameContact derives the name where it was not given, and follows the parts of a name that was derived before.
func nameContact(w *write) {
	derive := func(r *schema.Record) string {
		for _, name := range []string{strings.TrimSpace(r.Text(Contacts.FirstName) + " " + r.Text(Contacts.LastName)), r.Text(Contacts.Email), r.Text(Contacts.Phone), r.Text(Contacts.MobilePhone)} {
			if name != "" {
				if runes := []rune(name); len(runes) > 255 {
					name = string(runes[:255])
				}
				return name
			}
		}
		return ""
	}
	wasDerived := w.old != nil && !w.gave(Contacts.Name) && w.old.Text(Contacts.Name) == derive(w.old)
	if w.rec.Text(Contacts.Name) == "" || wasDerived {
		w.rec.PutText(Contacts.Name, derive(w.rec))
	}
	if w.rec.Text(Contacts.Name) == "" {
		w.wrong.Add(Contacts.Name.Path, "required", "give at least one of name, first_name, last_name, email, phone and mobile_phone")
	}
}

// defaultLifecycleStage puts a new record on the business's default stage.
func (w *write) defaultLifecycleStage(field *schema.Leaf) error {
	if w.old != nil || w.gave(field) {
		return nil
	}
	stage, err := w.defaultOf(lifecycleStage, LifecycleStages.IsDefault)
	if stage != nil {
		w.rec.Put(field, stage.Get(LifecycleStages.ID))
	}
	return err
}
