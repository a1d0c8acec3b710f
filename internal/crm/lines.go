package crm

import (
	"fmt"
	"math/big"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// lineItems are snapshots of products: what a product was when it was added. Nothing that happens to the product later changes them.
var lineItems = schema.Field{Name: "line_items", Kind: schema.List, Label: "Line items", Fields: []schema.Field{
	{Name: "product_id", Kind: schema.ID, Ref: schema.Ref{To: "product"}, Label: "Product"},
	{Name: "name", Kind: schema.Text, Label: "Name"},
	{Name: "sku", Kind: schema.Text, Format: schema.Code, Label: "SKU"},
	{Name: "description", Kind: schema.LongText, Label: "Description"},
	{Name: "unit_price", Kind: schema.Money, Label: "Unit price"},
	{Name: "currency", Kind: schema.Text, Format: schema.Currency, Label: "Currency"},
	{Name: "quantity", Kind: schema.Quantity, Label: "Quantity", Min: schema.Bound(0), About: "1 when not given."},
	{
		Name: "discount_percent", Kind: schema.Percent, Label: "Discount", Min: schema.Bound(0), Max: schema.Bound(100),
		About: "0 when not given.",
	},
	{
		Name: "tax_rate", Kind: schema.Percent, Label: "Tax rate", Min: schema.Bound(0), Max: schema.Bound(100),
		About: "The product's, or 0, when not given.",
	},
	{Name: "total", Kind: schema.Money, Label: "Total", About: "Computed; what is sent is not used."},
}}

// document are the fields that code names of what is priced by lines: deals and quotes.
type document struct {
	ContactID, CompanyID, Currency, LineItems *schema.Leaf
	Line                                      struct {
		ProductID, Name, SKU, Description, UnitPrice, Currency, Quantity, DiscountPercent, TaxRate, Total *schema.Leaf
	} `field:"line_items"`
}

type totals struct{ subtotal, discount, tax, net int64 }

// maxLines is how many bytes the texts of a document's lines may have together: no more than a body can hold. A line takes the
// description of its product over, so that many lines of few bytes each could make a record of many megabytes.
const maxLines = 1 << 20

// priceLines completes the line items of w.Rec: snapshots of newly added products, defaults and totals. The document's currency, where it
// has none yet, is that of its first line, or else the business's.
func priceLines(w *record.Mutation, d document) (totals, error) {
	shape := w.Kind.Inner[d.LineItems.Name]
	items, err := body.Items(w.Rec.Get(d.LineItems), shape)
	if err != nil {
		return totals{}, fmt.Errorf("read line items: %w", err)
	}
	if w.Old == nil || w.Changed(d.LineItems) {
		if fits, err := snapshot(w, d, items); err != nil || !fits {
			return totals{}, err
		}
	}
	for _, item := range items {
		if !w.Rec.Get(d.Currency).Set {
			w.Rec.PutText(d.Currency, item.Text(d.Line.Currency))
		}
	}
	if err := defaultCurrency(w, d.Currency); err != nil {
		return totals{}, err
	}
	currency := w.Rec.Text(d.Currency)
	var sum totals
	for i, item := range items {
		at := fmt.Sprintf("%s[%d]", d.LineItems.Path, i)
		if !item.Get(d.Line.Currency).Set {
			item.PutText(d.Line.Currency, currency)
		}
		if c := item.Text(d.Line.Currency); c != currency {
			w.Wrong.Add(at+"."+d.Line.Currency.Path, "not_allowed", "is "+c+", but the "+w.Kind.Name+" is in "+currency, currency)
			continue
		}
		if w.Wrong.Has(at) {
			continue
		}
		gross, total, tax, ok := d.priceLine(item, currency)
		sum.subtotal, sum.discount, sum.tax, sum.net = sum.subtotal+gross, sum.discount+gross-total, sum.tax+tax, sum.net+total
		if !ok || tooLarge(sum.subtotal) || tooLarge(sum.net+sum.tax) {
			w.Wrong.Add(at, "out_of_range", "the total has more than 14 digits before the decimal point")
			return totals{}, nil
		}
		item.Put(d.Line.Total, schema.IntValue(schema.Money, total))
	}
	if len(items) > 0 {
		w.Rec.Put(d.LineItems, schema.TextValue(schema.List, string(schema.AppendList(nil, items))))
	}
	return sum, nil
}

func tooLarge(n int64) bool { return n > schema.DecimalMax || n < -schema.DecimalMax }

// snapshot copies from the products what the lines do not say themselves. A line whose product was there before keeps its old snapshot,
// even if the product is archived or deleted by now. It gives up, and reports false, as soon as the lines are too large.
func snapshot(w *record.Mutation, d document, items []*schema.Record) (fits bool, err error) {
	var before []*schema.Record
	if w.Old != nil {
		if before, err = body.Items(w.Old.Get(d.LineItems), w.Kind.Inner[d.LineItems.Name]); err != nil {
			return false, fmt.Errorf("read line items: %w", err)
		}
	}
	size := 0
	for i, item := range items {
		at := fmt.Sprintf("%s[%d]", d.LineItems.Path, i)
		if !item.Get(d.Line.ProductID).Set {
			for _, l := range []*schema.Leaf{d.Line.Name, d.Line.UnitPrice} {
				if !item.Get(l).Set {
					w.Wrong.Add(at+"."+l.Path, "required", "must be given where there is no product_id")
				}
			}
		} else if old := d.takeLine(&before, item.Get(d.Line.ProductID)); old != nil {
			for i, v := range old.Values {
				if !item.Values[i].Set {
					item.Values[i] = v
				}
			}
		} else if w.Carried == nil { // what an archive brings is what it was when the line was added
			if err := addProduct(w, d, at, item); err != nil {
				return false, err
			}
		}
		for l, fallback := range map[*schema.Leaf]int64{d.Line.Quantity: schema.DecimalOne, d.Line.DiscountPercent: 0, d.Line.TaxRate: 0} {
			if !item.Get(l).Set {
				item.Put(l, schema.IntValue(l.Kind, fallback))
			}
		}
		for _, v := range item.Values {
			size += len(v.S)
		}
		if size > maxLines {
			w.Wrong.Add(d.LineItems.Path, "too_long",
				fmt.Sprintf("must have at most %d bytes of text in all lines together, what they take over from products included",
					maxLines))
			return false, nil
		}
	}
	return true, nil
}

func (d document) takeLine(lines *[]*schema.Record, productID schema.Value) *schema.Record {
	for i, line := range *lines {
		if line.Get(d.Line.ProductID) == productID {
			*lines = append((*lines)[:i:i], (*lines)[i+1:]...)
			return line
		}
	}
	return nil
}

func addProduct(w *record.Mutation, d document, at string, item *schema.Record) error {
	p, err := source(w, Product, item.Get(d.Line.ProductID).UUID())
	if err != nil {
		return err
	}
	switch {
	case p == nil:
		w.Wrong.Add(at+"."+d.Line.ProductID.Path, "not_found", "there is no such product")
		return nil
	case p.Text(Products.Status) == "archived":
		w.Wrong.Add(at+"."+d.Line.ProductID.Path, "not_allowed", "the product is archived")
		return nil
	}
	for _, copied := range []struct{ to, from *schema.Leaf }{
		{d.Line.Name, Products.Name},
		{d.Line.SKU, Products.SKU},
		{d.Line.Description, Products.Description},
		{d.Line.UnitPrice, Products.Price},
		{d.Line.Currency, Products.Currency},
		{d.Line.TaxRate, Products.TaxRate},
	} {
		if !item.Get(copied.to).Set {
			item.Put(copied.to, p.Get(copied.from))
		}
	}
	if !item.Get(d.Line.UnitPrice).Set {
		w.Wrong.Add(at+"."+d.Line.UnitPrice.Path, "required", "must be given, because the product has no price")
	}
	return nil
}

// source reads a record that values are taken over from, or nil. Whoever may not read it must not come to know them this way.
func source(w *record.Mutation, k *record.Kind, id schema.UUID) (*schema.Record, error) {
	reach, err := w.Who.Allow(&k.Resource, record.Read)
	if err != nil {
		return nil, err
	}
	rec, err := w.Lookup(k, id)
	if err != nil || rec == nil || w.Who.Reaches(&k.Resource, rec, record.Read, reach) != nil {
		return nil, err
	}
	return rec, nil
}

const hundred = 100 * schema.DecimalOne

// priceLine computes a line: before discount, after it, and its tax, each rounded half away from zero to the currency's smallest unit.
func (d document) priceLine(item *schema.Record, currency string) (gross, total, tax int64, ok bool) {
	places, known := schema.MinorUnits(currency)
	if !known {
		places = 2
	}
	unit := int64(1)
	for range schema.DecimalPlaces - places {
		unit *= 10
	}
	quantity, price := item.Get(d.Line.Quantity).N, item.Get(d.Line.UnitPrice).N
	gross, ok1 := roundTo(unit, schema.DecimalOne, quantity, price)
	total, ok2 := roundTo(unit, schema.DecimalOne*hundred, quantity, price, hundred-item.Get(d.Line.DiscountPercent).N)
	tax, ok3 := roundTo(unit, hundred, total, item.Get(d.Line.TaxRate).N)
	return gross, total, tax, ok1 && ok2 && ok3
}

// roundTo multiplies exactly, divides, and rounds half away from zero to a multiple of unit.
func roundTo(unit, divisor int64, factors ...int64) (int64, bool) {
	product := big.NewInt(1)
	for _, f := range factors {
		product.Mul(product, big.NewInt(f))
	}
	step := new(big.Int).Mul(big.NewInt(divisor), big.NewInt(unit))
	half := new(big.Int).Rsh(step, 1)
	if product.Sign() < 0 {
		half.Neg(half)
	}
	n := product.Add(product, half).Quo(product, step)
	n.Mul(n, big.NewInt(unit))
	if !n.IsInt64() || tooLarge(n.Int64()) {
		return 0, false
	}
	return n.Int64(), true
}
