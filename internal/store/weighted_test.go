package store_test

import (
	"context"
	"fmt"
	"math/big"
	"testing"

	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/storetest"
)

// Deals from before there was a weighted amount have it after the migration: exact beyond 64 bits, rounded half away from zero, and
// none where the amount or the probability is absent.
func TestMigrationWeighsDeals(t *testing.T) {
	const most = 999_999_999_999_999_999 // ten-thousandths
	amounts := []int64{0, 1, 49, 50, 99, 499_999, 500_000, 500_001, 1_000_000, 123_456_789_012_345, most - 1, most}
	probabilities := []int64{0, 1, 5_000, 333_333, 499_999, 500_000, 500_001, 999_999, 1_000_000}
	deal, d := record.Registry.Resource("deal"), crm.Deals
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		b := storetest.Business(t, s)
		wanted := map[string]string{} // by name
		add := func(tx *store.Tx, amount, probability schema.Value, want string) error {
			rec := storetest.NewRecord(deal)
			name := fmt.Sprint("deal ", len(wanted))
			rec.PutText(rec.Must("name"), name)
			rec.Put(d.Amount, amount)
			rec.Put(d.Probability, probability)
			wanted[name] = want
			if err := tx.Insert(deal, rec, "create"); err != nil || len(wanted)%5 > 0 {
				return err
			}
			deleted := rec.Clone()
			deleted.Put(deal.Common.DeletedAt, schema.TimeValue(tx.Now))
			return tx.Update(deal, rec, deleted, "delete")
		}
		err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
			for _, amount := range amounts {
				for _, amount := range []int64{amount, -amount} {
					for _, probability := range probabilities {
						if err := add(tx, schema.IntValue(schema.Money, amount), schema.IntValue(schema.Percent, probability),
							weighted(amount, probability)); err != nil {
							return err
						}
					}
					if err := add(tx, schema.IntValue(schema.Money, amount), schema.Absent(schema.Percent), ""); err != nil {
						return err
					}
				}
			}
			if err := add(tx, schema.Absent(schema.Money), schema.IntValue(schema.Percent, 500_000), ""); err != nil {
				return err
			}
			return add(tx, schema.Absent(schema.Money), schema.Absent(schema.Percent), "")
		})
		if err != nil {
			t.Fatal(err)
		}
		undo := []string{
			"DROP INDEX deal_summed", "ALTER TABLE deals DROP COLUMN weighted_amount",
			"DELETE FROM migration WHERE number = 12",
		}
		if s.Engine() == "sqlite" {
			undo = append(undo, "DELETE FROM sqlite_stat1 WHERE idx = 'deal_summed'")
		}
		if err := s.Script(ctx, undo); err != nil {
			t.Fatal(err)
		}
		if done, err := s.Migrate(ctx); err != nil || len(done) != 1 {
			t.Fatalf("%d steps were done, %v", len(done), err)
		}
		// Read as text, so that no reader of ours makes anything of it.
		rows, err := s.Rows(ctx, "SELECT t.name || ': ' || coalesce(CAST(t.weighted_amount AS text), '') FROM deals t", 1)
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		for _, row := range rows {
			found[row] = true
		}
		for name, want := range wanted {
			if !found[name+": "+want] {
				t.Errorf("no deal has %q", name+": "+want)
			}
		}
		if len(rows) != len(wanted) {
			t.Errorf("%d deals, want %d", len(rows), len(wanted))
		}
	})
}

// weighted is an amount by a probability in millionths, rounded half away from zero.
func weighted(amount, probability int64) string {
	product := new(big.Int).Mul(big.NewInt(amount), big.NewInt(probability))
	half := big.NewInt(500_000)
	if product.Sign() < 0 {
		half.Neg(half)
	}
	return product.Quo(product.Add(product, half), big.NewInt(1_000_000)).String()
}
