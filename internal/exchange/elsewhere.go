package exchange

import (
	"strings"

	"github.com/kith-crm/kith/internal/schema"
)

// What other programs call records and their fields, in English and German, as plain names: small letters, with _ between words.

// kindsElsewhere are what they call the records of a kind.
var kindsElsewhere = map[string]string{
	"contact":  "person lead customer kontakt",
	"company":  "organization organisation account firma unternehmen",
	"deal":     "opportunity verkaufschance",
	"task":     "to_do todo aufgabe",
	"note":     "notiz",
	"activity": "event aktivitat",
	"product":  "item produkt artikel",
}

// every stands for all kinds.
const every = ""

// fieldsElsewhere are what they call a field of some kinds, by its path.
var fieldsElsewhere = []struct{ kinds, field, names string }{
	{every, "owner_id", "responsible sales_rep besitzer zustandig verantwortlich"},
	{every, "external_id", "record_id uid reference_number customer_number kundennummer"},
	{every, "tags", "tag labels label categories groups group_membership kategorien schlagworte"},
	{every, "created_at", "create_date created_date created_on date_created creation_date add_time erstellt erstellt_am"},
	{every, "updated_at", "last_modified_date last_modified modified modified_on update_time updated_on geandert geandert_am"},

	{"contact company", "email", "email mail email_address e_mail_address e_mail_adresse email_adresse mailadresse"},
	{"contact company", "phone", "tel telephone phone_number telephone_number telefon telefonnummer festnetz"},
	{
		"contact company", "address.street", "street_address address address_line street_and_number strasse strasse_und_hausnummer " +
			"strasse_hausnummer adresse anschrift",
	},
	{
		"contact company", "address.city",
		"town locality city_town_village_locality city_town_village_locality_of_address ort stadt wohnort",
	},
	{
		"contact company", "address.region", "state province county state_region state_province state_county state_county_of_address " +
			"region_of_address bundesland kanton",
	},
	{"contact company", "address.postal_code", "zip zip_code postcode zip_postal_code zip_postal_code_of_address plz postleitzahl"},
	{"contact company", "address.country", "country_region country_of_address land land_region"},
	{"contact company", "linkedin_url", "linkedin linkedin_profile linkedin_page linkedin_company_page linkedin_profile_url"},
	{"contact company", "last_contacted_at", "last_contacted last_contact last_activity last_activity_date letzter_kontakt"},

	{"contact", "first_name", "firstname given_name forename vorname"},
	{"contact", "last_name", "lastname family_name surname nachname familienname"},
	{"contact", "name", "full_name fullname display_name"},
	{
		"contact", "mobile_phone", "mobile mobile_number mobile_phone_number phone_mobile cell cell_phone cellphone mobil mobiltelefon " +
			"telefon_mobil handy handynummer",
	},
	{"contact", "job_title", "jobtitle title position role organization_title funktion berufsbezeichnung"},
	{"contact", "lead_source", "source original_source quelle herkunft"},
	{"contact", "timezone", "time_zone zeitzone"},
	{"contact", "do_not_contact", "do_not_call unsubscribed opted_out email_opt_out"},

	{"company", "name", "company firmenname"},
	{"company", "domain", "domain_name"},
	{"company", "website", "website_url web_site web_page webpage url homepage home_page webseite internet"},
	{"company", "industry", "sector branche"},
	{"company", "company_type", "type_of_company"},
	{"company", "employee_count", "number_of_employees no_of_employees headcount mitarbeiter mitarbeiterzahl"},
	{"company", "annual_revenue", "revenue turnover umsatz jahresumsatz"},
	{"company", "description", "about_us beschreibung"},
	{"company product", "currency", "currency_code wahrung"},

	{"deal", "name", "title titel bezeichnung"},
	{"deal", "stage_id", "sales_stage phase"},
	{"deal", "amount", "value amount_in_company_currency betrag summe volumen wert"},
	{"deal", "currency", "amount_currency currency_of_value currency_of_amount currency_code wahrung"},
	{"deal", "probability", "forecast_probability wahrscheinlichkeit"},
	{"deal", "expected_close_date", "close_date closing_date expected_closing_date abschluss abschlussdatum"},
	{"deal", "closed_at", "closed_on won_time lost_time deal_closed_on"},
	{"deal", "lost_reason", "closed_lost_reason verlustgrund"},
	{"deal", "next_step", "next_action nachster_schritt"},
	{"deal product", "description", "beschreibung"},
	{"deal task note activity", "contact_id", "contact_person ansprechpartner"},

	{"task", "title", "name subject task titel betreff"},
	{"task", "description", "notes body beschreibung"},
	{"task", "due_at", "due_date deadline fallig fallig_am faelligkeitsdatum"},
	{"task", "assignee_id", "assigned_to assigned"},

	{"note", "title", "subject titel betreff"},
	{"note", "body", "note content notiz inhalt"},

	{"activity", "subject", "title name betreff titel"},
	{"activity", "body", "notes note description beschreibung inhalt"},
	{"activity", "occurred_at", "date due_date start start_date activity_date datum"},

	{"product", "name", "product title bezeichnung"},
	{"product", "sku", "code number no artikelnummer produktnummer"},
	{"product", "price", "unit_price list_price sales_price preis einzelpreis verkaufspreis"},
	{"product", "cost", "unit_cost cost_of_goods_sold kosten einkaufspreis"},
	{"product", "tax_rate", "tax vat vat_rate mwst steuersatz"},
	{"product", "unit", "quantity_unit einheit"},
	{"product", "category", "product_family family type kategorie"},
}

// elsewhere has the lists of both, by the name of a kind, or that and the path of a field; without a kind it is that field of every one.
var elsewhere = func() map[string][]string {
	lists := map[string][]string{}
	for kind, names := range kindsElsewhere {
		lists[kind] = strings.Fields(names)
	}
	for _, of := range fieldsElsewhere {
		for kind := range strings.SplitSeq(of.kinds, " ") {
			lists[kind+"."+of.field] = strings.Fields(of.names)
		}
	}
	return lists
}()

// kindElsewhere lists what other programs call the records of a resource.
func kindElsewhere(res *schema.Resource) []string { return elsewhere[res.Name] }

// fieldElsewhere lists what other programs call a field of a resource.
func fieldElsewhere(l *schema.Leaf) []string {
	if names := elsewhere[l.Whose+"."+l.Path]; names != nil {
		return names
	}
	return elsewhere["."+l.Path]
}
