package crm

import (
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

var Product = &record.Kind{MembersRead: true, Resource: schema.Resource{
	Name: "product", Plural: "products", Label: "Product", Importable: true, Also: []string{"item", "produkt", "artikel"},
	Example: `{"name":"Crane, 12 t","sku":"CRANE-12","price":"24000.00","currency":"EUR","tax_rate":25,"unit":"piece"}`,
	Telling: []string{"sku", "price", "currency"},
	Fields: []schema.Field{
		{
			Name: "name", Kind: schema.Text, Label: "Name", Also: []string{"product", "title", "bezeichnung"}, Required: true,
			Searchable: true, Sorted: true,
		},
		{
			Name: "sku", Kind: schema.Text, Format: schema.Code, Label: "SKU",
			Also: []string{"code", "number", "no", "artikelnummer", "produktnummer"}, Unique: true, Searchable: true,
		},
		{Name: "description", Kind: schema.LongText, Label: "Description", Searchable: true, Also: []string{"beschreibung"}},
		{
			Name: "status", Kind: schema.Choice, Options: []string{"draft", "active", "archived"}, Label: "Status", Required: true,
			Default: "active", Indexed: true,
		},
		{
			Name: "price", Kind: schema.Money, Label: "Price",
			Also: []string{"unit_price", "list_price", "sales_price", "preis", "einzelpreis", "verkaufspreis"}, Min: schema.Bound(0),
			Sorted: true,
		},
		{
			Name: "cost", Kind: schema.Money, Label: "Cost", Also: []string{"unit_cost", "cost_of_goods_sold", "kosten", "einkaufspreis"},
			Min: schema.Bound(0),
		},
		{
			Name: "currency", Kind: schema.Text, Format: schema.Currency, Label: "Currency", Also: currencyAlso, Required: true,
			Derived: true, About: "The business's currency when not given.",
		},
		{
			Name: "tax_rate", Kind: schema.Percent, Label: "Tax rate", Also: []string{"tax", "vat", "vat_rate", "mwst", "steuersatz"},
			Min: schema.Bound(0), Max: schema.Bound(100),
		},
		{Name: "unit", Kind: schema.Text, Label: "Unit", Also: []string{"quantity_unit", "einheit"}},
		{
			Name: "category", Kind: schema.Text, Label: "Category", Searchable: true,
			Also: []string{"product_family", "family", "type", "kategorie"},
		},
		{
			Name: "billing_frequency", Kind: schema.Choice, Options: []string{"one_time", "monthly", "yearly"}, Label: "Billing",
			Default: "one_time",
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
var Products = fieldsOf[struct {
	schema.Common
	Name, SKU, Description, Status, Price, Currency, TaxRate *schema.Leaf
}](Product)

func init() {
	Product.Prepare = func(w *record.Mutation) error { return defaultCurrency(w, Products.Currency) }
}
