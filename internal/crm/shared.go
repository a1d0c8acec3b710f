package crm

import "github.com/kith-crm/kith/internal/schema"

// Fields that several kinds have alike.
var (
	address = schema.Field{Name: "address", Kind: schema.Group, Label: "Address", Fields: []schema.Field{
		{Name: "street", Kind: schema.Text, Label: "Street", File: schema.File{Joined: true}},
		{Name: "city", Kind: schema.Text, Label: "City", Find: schema.Find{Searchable: true}},
		{Name: "region", Kind: schema.Text, Label: "Region"},
		{Name: "postal_code", Kind: schema.Text, Label: "Postal code"},
		{Name: "country", Kind: schema.Text, Label: "Country"},
	}}
	emailField = schema.Field{
		Name: "email", Kind: schema.Text, Format: schema.Email, Label: "E-mail", Identity: schema.Identity{Matched: true},
		Find: schema.Find{Searchable: true, Indexed: true},
	}
	lastContacted = schema.Field{
		Name: "last_contacted_at", Kind: schema.Time, Label: "Last contacted", Find: schema.Find{Sorted: true},
		About: "Moved forward by logged activities.",
	}
	currencyField = schema.Field{
		Name: "currency", Kind: schema.Text, Format: schema.Currency, Label: "Currency", Required: true, Derived: true,
		About: "The business's currency when not given.",
	}
	positionField = schema.Field{
		Name: "position", Kind: schema.Integer, Label: "Position", Min: schema.Bound(0), Required: true, Derived: true,
		Find: schema.Find{Sorted: true}, About: "At the end when not given.",
	}
)

// AddressFields are the fields of an address that code names.
type AddressFields struct{ Street, City, Region, PostalCode, Country *schema.Leaf }

// about is a field by which a record is about another one, in whose timeline it stands.
func about(resource, label string) schema.Field {
	return schema.Field{
		Name: resource + "_id", Kind: schema.ID, Ref: schema.Ref{To: resource, Timeline: true}, Label: label,
		Find: schema.Find{Indexed: true},
	}
}
