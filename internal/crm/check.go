package crm

import (
	"fmt"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// CheckRules are what the domain knows about records that a check of the database needs.
func CheckRules() store.Rules {
	return store.Rules{Fields: &Field.Resource, Shaped: shapedAll, Removed: []string{Erase, Purge}, Wrong: wrongSums}
}

// shapedAll gives all resources as a business has them.
func shapedAll(changes int64, fields []*schema.Record) ([]*schema.Resource, error) {
	var shapes *Shapes
	if changes > 0 {
		var err error
		if shapes, err = newShapes(changes, fields); err != nil {
			return nil, err
		}
	}
	all := make([]*schema.Resource, len(kinds))
	for i, k := range kinds {
		all[i] = shapes.shaped(&k.Resource)
	}
	return all, nil
}

// wrongSums tells which sums of a record are not those of its lines.
func wrongSums(rec *schema.Record) (wrong []string) {
	differs := func(l *schema.Leaf, want schema.Value) {
		if got := rec.Get(l); got != want {
			wrong = append(wrong, fmt.Sprintf("%s is %s, expected %s", l.Path, schema.AppendValue(nil, l, got), schema.AppendValue(nil, l, want)))
		}
	}
	switch rec.Whose {
	case Deal.Name:
		differs(Deals.WeightedAmount, Weighted(rec.Get(Deals.Amount), rec.Get(Deals.Probability)))
	case Quote.Name:
		items, err := body.Items(rec.Get(Quotes.LineItems), Quote.Inner[Quotes.LineItems.Name])
		if err != nil {
			return []string{fmt.Sprintf("%s cannot be read: %v", Quotes.LineItems.Path, err)}
		}
		var sum totals
		for i, item := range items {
			gross, total, tax, ok := Quotes.priceLine(item, rec.Text(Quotes.Currency))
			if kept := item.Get(Quotes.Line.Total); !ok || kept.N != total {
				wrong = append(wrong, fmt.Sprintf("the total of line %d of %s is %s, expected %s", i+1, Quotes.LineItems.Path,
					schema.AppendValue(nil, Quotes.Line.Total, kept), schema.AppendValue(nil, Quotes.Line.Total, schema.IntValue(schema.Money, total))))
			}
			sum.subtotal, sum.discount, sum.tax, sum.net = sum.subtotal+gross, sum.discount+gross-total, sum.tax+tax, sum.net+total
		}
		for _, kept := range []struct {
			leaf *schema.Leaf
			sum  int64
		}{{Quotes.Subtotal, sum.subtotal}, {Quotes.DiscountTotal, sum.discount}, {Quotes.TaxTotal, sum.tax}, {Quotes.Total, sum.net + sum.tax}} {
			differs(kept.leaf, schema.IntValue(schema.Money, kept.sum))
		}
	}
	return wrong
}
