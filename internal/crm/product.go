package crm

import (
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

var Product = &record.Kind{MembersRead: true, Resource: schema.Resource{
	Name: "product", Plural: "products", Label: "Product",
	Summary: schema.Summary{Telling: []string{"sku", "price", "currency"}},
	Layout: schema.Layout{
		Head: []string{"sku", "price", "unit", "category"},
		Form: []string{"name", "sku", "price", "currency", "tax_rate", "unit", "category", "status"},
	},
	Life:    schema.Life{Importable: true},
	Example: `{"name":"Crane, 12 t","sku":"CRANE-12","price":"24000.00","currency":"EUR","tax_rate":25,"unit":"piece"}`,
	Fields: []schema.Field{
		{Name: "name", Kind: schema.Text, Label: "Name", Required: true, Find: schema.Find{Searchable: true, Sorted: true}},
		{
			Name: "sku", Kind: schema.Text, Format: schema.Code, Label: "SKU", Identity: schema.Identity{Unique: true},
			Find: schema.Find{Searchable: true},
		},
		{Name: "description", Kind: schema.LongText, Label: "Description", Find: schema.Find{Searchable: true}},
		{
			Name: "status", Kind: schema.Choice, Options: []string{"draft", "active", "archived"}, Label: "Status", Required: true,
			OptionColours: []string{"blue", "green", "gray"},
			Default:       "active", Find: schema.Find{Indexed: true},
		},
		{Name: "price", Kind: schema.Money, Label: "Price", Min: schema.Bound(0), Find: schema.Find{Sorted: true}},
		{Name: "cost", Kind: schema.Money, Label: "Cost", Min: schema.Bound(0)},
		currencyField,
		{Name: "tax_rate", Kind: schema.Percent, Label: "Tax rate", Min: schema.Bound(0), Max: schema.Bound(100)},
		{Name: "unit", Kind: schema.Text, Label: "Unit"},
		{Name: "category", Kind: schema.Text, Label: "Category", Find: schema.Find{Searchable: true}},
		{
			Name: "billing_frequency", Kind: schema.Choice, Options: []string{"one_time", "monthly", "yearly"}, Label: "Billing",
			OptionColours: []string{"gray", "blue", "purple"},
			Default:       "one_time",
		},
		{Name: "image_url", Kind: schema.Text, Format: schema.URL, Label: "Image", Max: schema.Bound(2048)},
	},
	States: &schema.States{Field: "status", Initial: "active", Moves: []schema.Move{
		{Name: "activate", From: []string{"draft", "archived"}, To: "active", ByPatch: true},
		{Name: "archive", From: []string{"draft", "active"}, To: "archived", ByPatch: true},
		{Name: "redraft", From: []string{"active", "archived"}, To: "draft", ByPatch: true},
	}},
}}

// Products are the fields of products that code names.
var Products struct {
	schema.Common
	Name, SKU, Description, Status, Price, Currency, TaxRate *schema.Leaf
}

func declareProducts() {
	schema.Bind(&Product.Shape, &Products)
	Product.Prepare = func(w *record.Mutation) error { return defaultCurrency(w, Products.Currency) }
}
