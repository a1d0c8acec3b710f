package crm

import (
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

var Company = &record.Kind{MadeByName: true, Resource: schema.Resource{
	Name: "company", Plural: "companies", Label: "Company",
	Summary: schema.Summary{Telling: []string{"domain", "phone", "industry"}},
	Layout: schema.Layout{
		Head: []string{"industry", "address.city", "domain"},
		About: []string{
			"website", "domain", "email", "phone", "owner_id", "lifecycle_stage_id", "industry", "company_type", "employee_count",
			"annual_revenue", "parent_company_id", "last_contacted_at", "tags", "description",
		},
		Card: []string{"domain", "phone", "owner_id"},
		Form: []string{"name", "domain", "email", "phone", "industry", "lifecycle_stage_id", "owner_id"},
	},
	Life: schema.Life{
		Importable: true, Merges: true, Erasable: true,
		Duplicates: &schema.Duplicates{Same: []string{"domain", "email", "name"}, Phones: []string{"phone"}},
	},
	Example: `{"name":"Harbour AB","domain":"harbour.example","industry":"Shipping","employee_count":120,"annual_revenue":"1250000.00",` +
		`"currency":"SEK"}`,
	Fields: []schema.Field{
		{Name: "name", Kind: schema.Text, Label: "Name", Required: true, Find: schema.Find{Searchable: true, Sorted: true}},
		{Name: "legal_name", Kind: schema.Text, Label: "Legal name", Find: schema.Find{Searchable: true}},
		{
			Name: "domain", Kind: schema.Text, Format: schema.Domain, Label: "Domain", Identity: schema.Identity{Matched: true},
			Find: schema.Find{Searchable: true, Indexed: true},
		},
		{Name: "website", Kind: schema.Text, Format: schema.URL, Label: "Website", Max: schema.Bound(2048)},
		emailField,
		{Name: "phone", Kind: schema.Text, Format: schema.Phone, Label: "Phone", Find: schema.Find{Searchable: true}},
		{Name: "industry", Kind: schema.Text, Label: "Industry", Find: schema.Find{Searchable: true}},
		{Name: "company_type", Kind: schema.Text, Label: "Type", About: "Free text, such as customer, partner or supplier."},
		{Name: "employee_count", Kind: schema.Integer, Label: "Employees", Min: schema.Bound(0)},
		{Name: "annual_revenue", Kind: schema.Money, Label: "Annual revenue"},
		{Name: "currency", Kind: schema.Text, Format: schema.Currency, Label: "Currency", About: "The business's currency when not given."},
		address,
		{
			Name: "parent_company_id", Kind: schema.ID, Ref: schema.Ref{To: "company"}, Label: "Parent company",
			Find: schema.Find{Indexed: true},
		},
		{
			Name: "lifecycle_stage_id", Kind: schema.ID, Ref: schema.Ref{To: "lifecycle_stage", Restrict: true}, Label: "Lifecycle stage",
			Find: schema.Find{Indexed: true}, About: "The default stage when not given.",
		},
		{Name: "description", Kind: schema.LongText, Label: "Description"},
		{Name: "linkedin_url", Kind: schema.Text, Format: schema.URL, Label: "LinkedIn", Max: schema.Bound(2048)},
		lastContacted,
	},
	Actions: record.MergeActions("company"),
}}

// Companies are the fields of companies that code names.
var Companies struct {
	schema.Common
	Name, LegalName, Domain, Website, Phone, Industry, EmployeeCount, Currency *schema.Leaf
	Address                                                                    AddressFields
	ParentCompanyID, LifecycleStageID, LastContactedAt                         *schema.Leaf
}

func declareCompanies() {
	schema.Bind(&Company.Shape, &Companies)
	Company.Prepare = func(w *record.Mutation) error {
		if err := defaultCurrency(w, Companies.Currency); err != nil {
			return err
		}
		return defaultLifecycleStage(w, Companies.LifecycleStageID)
	}
	Company.Validate = checkParents
	Company.Restoring = keepParents
	Company.Parent = Companies.ParentCompanyID
	Company.Combined = map[*schema.Leaf]func(mine, theirs schema.Value) schema.Value{Companies.LastContactedAt: later}
}

func defaultCurrency(w *record.Mutation, currency *schema.Leaf) error {
	if w.Rec.Get(currency).Set {
		return nil
	}
	code, err := w.Currency()
	w.Rec.PutText(currency, code)
	return err
}

func checkParents(p record.Proposed) error {
	if !p.Changed(Companies.ParentCompanyID) {
		return nil
	}
	circle, below, err := p.Ancestry()
	switch {
	case err != nil:
		return err
	case circle:
		p.Refuse(Companies.ParentCompanyID.Path, "not_allowed", "a company cannot be its own parent, directly or through others")
	case below != nil:
		p.Refuse(Companies.ParentCompanyID.Path, "not_allowed", "companies cannot be nested deeper than 50 levels")
	}
	return nil
}

// keepParents refuses to restore a company that would be its own ancestor. While it was in the bin, those above it could be put below.
func keepParents(w *record.Mutation) error {
	circle, below, err := w.Ancestry()
	if err != nil || below == nil {
		return err
	}
	detail := "With this company others would be nested deeper than 50 levels; change its ancestors first."
	if circle {
		detail = "The company would be its own parent, through one that is below it by now; change that one's parent first."
	}
	return &problem.Problem{Code: problem.Conflict, Detail: detail, ExistingID: w.Who.Existing(&Company.Resource, below)}
}
