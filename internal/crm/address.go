package crm

import "github.com/kith-crm/kith/internal/schema"

// address is the same group of fields wherever a record has one.
var address = schema.Field{Name: "address", Kind: schema.Group, Label: "Address", Fields: []schema.Field{
	{Name: "street", Kind: schema.Text, Label: "Street", File: schema.File{Joined: true}},
	{Name: "city", Kind: schema.Text, Label: "City", Find: schema.Find{Searchable: true}},
	{Name: "region", Kind: schema.Text, Label: "Region"},
	{Name: "postal_code", Kind: schema.Text, Label: "Postal code"},
	{Name: "country", Kind: schema.Text, Label: "Country"},
}}

// AddressFields are the fields of an address that code names.
type AddressFields struct{ Street, City, Region, PostalCode, Country *schema.Leaf }
