package crm

import (
	"strings"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// address is the same group of fields wherever a record has one.
var address = schema.Field{Name: "address", Kind: schema.Group, Label: "Address", Fields: []schema.Field{
	{
		Name: "street", Kind: schema.Text, Label: "Street", Joined: true,
		Also: []string{
			"street_address", "address", "address_line", "street_and_number", "strasse", "strasse_und_hausnummer",
			"strasse_hausnummer", "adresse", "anschrift",
		},
	},
	{
		Name: "city", Kind: schema.Text, Label: "City", Searchable: true,
		Also: []string{
			"town", "locality", "city_town_village_locality", "city_town_village_locality_of_address", "ort", "stadt",
			"wohnort",
		},
	},
	{
		Name: "region", Kind: schema.Text, Label: "Region",
		Also: []string{
			"state", "province", "county", "state_region", "state_province", "state_county", "state_county_of_address",
			"region_of_address", "bundesland", "kanton",
		},
	},
	{
		Name: "postal_code", Kind: schema.Text, Label: "Postal code",
		Also: []string{"zip", "zip_code", "postcode", "zip_postal_code", "zip_postal_code_of_address", "plz", "postleitzahl"},
	},
	{Name: "country", Kind: schema.Text, Label: "Country", Also: []string{"country_region", "country_of_address", "land", "land_region"}},
}}

// What other programs call fields that several resources have.
var (
	emailAlso         = []string{"email", "mail", "email_address", "e_mail_address", "e_mail_adresse", "email_adresse", "mailadresse"}
	phoneAlso         = []string{"tel", "telephone", "phone_number", "telephone_number", "telefon", "telefonnummer", "festnetz"}
	linkedInAlso      = []string{"linkedin", "linkedin_profile", "linkedin_page", "linkedin_company_page", "linkedin_profile_url"}
	lastContactedAlso = []string{"last_contacted", "last_contact", "last_activity", "last_activity_date", "letzter_kontakt"}
)

// AddressFields are the fields of an address that code names.
type AddressFields struct{ Street, City, Region, PostalCode, Country *schema.Leaf }

var Contact = &record.Kind{Resource: schema.Resource{
	Name: "contact", Plural: "contacts", Label: "Contact", Importable: true, Erasable: true,
	Also: []string{"person", "lead", "customer", "kontakt"},
	Example: `{"first_name":"Anna","last_name":"Lind","email":"anna.lind@harbour.example","phone":"+46 70 123 45 67","job_title":"Head ` +
		`of purchasing","company_id":"company_01kh4xv1qcf0mvq8gk8d8mvxd9","address":{"city":"Gothenburg","country":"Sweden"},` +
		`"tags":["fair"],"lead_score":42}`,
	Telling: []string{"email", "phone", "company.name"},
	Merges:  true, Actions: record.MergeActions("contact"),
	Duplicates: &schema.Duplicates{
		Same: []string{"email"}, Phones: []string{"phone", "mobile_phone"}, Name: "name", Within: "company_id",
		Email: "email",
	},
	Fields: []schema.Field{
		{Name: "first_name", Kind: schema.Text, Label: "First name", Also: []string{"firstname", "given_name", "forename", "vorname"}},
		{
			Name: "last_name", Kind: schema.Text, Label: "Last name",
			Also: []string{"lastname", "family_name", "surname", "nachname", "familienname"},
		},
		{
			Name: "name", Kind: schema.Text, Label: "Name", Also: []string{"full_name", "fullname", "display_name"}, Required: true,
			Derived: true, Searchable: true, Sorted: true,
			About: "First and last name, or else the e-mail address or phone number, when not given.",
		},
		{
			Name: "email", Kind: schema.Text, Format: schema.Email, Label: "E-mail", Also: emailAlso, Searchable: true, Indexed: true,
			Matched: true,
		},
		{Name: "phone", Kind: schema.Text, Format: schema.Phone, Label: "Phone", Searchable: true, Also: phoneAlso},
		{
			Name: "mobile_phone", Kind: schema.Text, Format: schema.Phone, Label: "Mobile phone", Searchable: true,
			Also: []string{
				"mobile", "mobile_number", "mobile_phone_number", "phone_mobile", "cell", "cell_phone", "cellphone", "mobil",
				"mobiltelefon", "telefon_mobil", "handy", "handynummer",
			},
		},
		{
			Name: "job_title", Kind: schema.Text, Label: "Job title", Searchable: true,
			Also: []string{"jobtitle", "title", "position", "role", "organization_title", "funktion", "berufsbezeichnung"},
		},
		{Name: "company_id", Kind: schema.ID, Ref: "company", Label: "Company", Indexed: true},
		{Name: "lead_score", Kind: schema.Number, Label: "Lead score", Sorted: true},
		{
			Name: "lifecycle_stage_id", Kind: schema.ID, Ref: "lifecycle_stage", Label: "Lifecycle stage", Indexed: true, Named: true,
			Restrict: true, About: "The default stage when not given.",
		},
		{Name: "lead_source", Kind: schema.Text, Label: "Lead source", Also: []string{"source", "original_source", "quelle", "herkunft"}},
		address,
		{Name: "linkedin_url", Kind: schema.Text, Format: schema.URL, Label: "LinkedIn", Also: linkedInAlso, Max: schema.Bound(2048)},
		{Name: "timezone", Kind: schema.Text, Format: schema.Timezone, Label: "Time zone", Also: []string{"time_zone", "zeitzone"}},
		{
			Name: "do_not_contact", Kind: schema.Bool, Label: "Do not contact",
			Also: []string{"do_not_call", "unsubscribed", "opted_out", "email_opt_out"}, Required: true, Derived: true, Default: "false",
		},
		{
			Name: "last_contacted_at", Kind: schema.Time, Label: "Last contacted", Also: lastContactedAlso, Sorted: true,
			About: "Moved forward by logged activities.",
		},
	},
}}

// Contacts are the fields of contacts that code names.
var Contacts = fieldsOf[struct {
	schema.Common
	FirstName, LastName, Name, Email, Phone, MobilePhone, JobTitle *schema.Leaf
	CompanyID, LeadScore, LifecycleStageID, LeadSource             *schema.Leaf
	Address                                                        AddressFields
	Timezone, DoNotContact, LastContactedAt                        *schema.Leaf
}](Contact)

func init() {
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

// defaultLifecycleStage puts a new record on the business's default stage.
func defaultLifecycleStage(w *record.Mutation, field *schema.Leaf) error {
	if w.Old != nil || w.Gave(field) {
		return nil
	}
	stage, err := defaultOf(w, LifecycleStage)
	if stage != nil {
		w.Rec.Put(field, stage.Get(LifecycleStages.ID))
	}
	return err
}
