package crm

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/kith-crm/kith/internal/schema"
)

// exact computes a line in fractions, in the words of the contract, to compare with.
func exact(quantity, price, discount, rate int64, places int) (gross, total, tax *big.Int) {
	unit := big.NewRat(1, 1)
	for range schema.DecimalPlaces - places {
		unit.Mul(unit, big.NewRat(10, 1))
	}
	round := func(r *big.Rat) *big.Int {
		r = new(big.Rat).Quo(r, unit)
		twice := new(big.Int).Mul(new(big.Int).Abs(r.Num()), big.NewInt(2))
		twice.Add(twice, r.Denom())
		q := twice.Quo(twice, new(big.Int).Mul(r.Denom(), big.NewInt(2)))
		if r.Sign() < 0 {
			q.Neg(q)
		}
		return q.Mul(q, unit.Num())
	}
	product := new(big.Rat).SetFrac(new(big.Int).Mul(big.NewInt(quantity), big.NewInt(price)), big.NewInt(schema.DecimalOne))
	less := new(big.Rat).Mul(product, big.NewRat(hundred-discount, hundred))
	gross, total = round(product), round(less)
	return gross, total, round(new(big.Rat).Mul(new(big.Rat).SetInt(total), big.NewRat(rate, hundred)))
}

func TestLinesArePricedExactly(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	sized := func(bits int) int64 { return random.Int64N(1<<bits) >> random.IntN(bits) }
	shape := Quote.Inner["line_items"]
	for range 20_000 {
		quantity, price, discount, rate := sized(40), sized(50), random.Int64N(hundred+1), random.Int64N(hundred+1)
		if random.IntN(4) == 0 {
			price = -price
		}
		if random.IntN(2) == 0 {
			discount, rate = discount/10_000*10_000, rate/5_000*5_000
		}
		currency := []string{"EUR", "JPY", "KWD", "CLF"}[random.IntN(4)]
		places, _ := schema.MinorUnits(currency)
		item := schema.NewRecord(shape)
		item.Put(item.Must("quantity"), schema.IntValue(schema.Quantity, quantity))
		item.Put(item.Must("unit_price"), schema.IntValue(schema.Money, price))
		item.Put(item.Must("discount_percent"), schema.IntValue(schema.Percent, discount))
		item.Put(item.Must("tax_rate"), schema.IntValue(schema.Percent, rate))
		wantGross, wantTotal, wantTax := exact(quantity, price, discount, rate, places)
		gross, total, tax, ok := Quotes.document.priceLine(item, currency)
		largest := big.NewInt(schema.DecimalMax)
		fits := new(big.Int).Abs(wantGross).Cmp(largest) <= 0 && new(big.Int).Abs(wantTotal).Cmp(largest) <= 0 &&
			new(big.Int).Abs(wantTax).Cmp(largest) <= 0
		if ok != fits {
			t.Fatalf("%d × %d %s: fits is %v, want %v", quantity, price, currency, ok, fits)
		}
		if ok && (gross != wantGross.Int64() || total != wantTotal.Int64() || tax != wantTax.Int64()) {
			t.Fatalf("%d × %d less %d and taxed %d in %s is %d, %d, %d; want %s, %s, %s", quantity, price, discount, rate, currency,
				gross, total, tax, wantGross, wantTotal, wantTax)
		}
	}
}
