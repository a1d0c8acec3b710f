package store_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

var dealResource = &record.KindOf("deal").Resource

// keptFigures are the rows of figures, all of them.
func keptFigures(t interface{ Fatal(...any) }, s *store.Store) []string {
	const columns = "pipeline_id, status, stage_id, currency, owner_id, n, amount_n, amount_high, amount_low, weighted_amount_n, " +
		"weighted_amount_high, weighted_amount_low"
	lines, err := s.Rows(context.Background(), "SELECT business_id, "+columns+" FROM deal_figure ORDER BY business_id, place", 13)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func script(t interface{ Fatal(...any) }, s *store.Store, statements ...string) {
	if err := s.Script(context.Background(), statements); err != nil {
		t.Fatal(err)
	}
}

// Whatever happens to deals, in transactions and parts of transactions that succeed or fail, the figures are those that are counted anew.
func TestFiguresFollowTheirRecords(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		undone := errors.New("undone")
		rapid.Check(t, func(t *rapid.T) {
			w := randomWorld(t, dealResource)
			business := schema.NewID(time.Now())
			if err := fill(s, business, w); err != nil {
				t.Fatal(err)
			}
			tenant, err := s.Tenant(context.Background(), business)
			if err != nil {
				t.Fatal(err)
			}
			deals := slices.Clone(w.records["deal"])
			change := func(tx *store.Tx, deals []*schema.Record) ([]*schema.Record, error) {
				if len(deals) == 0 {
					return deals, nil
				}
				at := rapid.IntRange(0, len(deals)-1).Draw(t, "deal")
				old, other := deals[at], pick(t, "other", deals)
				rec := old.Clone()
				rec.Put(rec.Common.Version, schema.IntValue(schema.Integer, old.Version()+1))
				switch rapid.IntRange(0, 4).Draw(t, "what") {
				case 0:
					rec.Put(rec.Common.DeletedAt, schema.TimeValue(tx.Now))
				case 1:
					rec.Put(rec.Common.DeletedAt, schema.Absent(schema.Time))
				case 2:
					rec.Put(rec.Common.ID, schema.IDValue(tx.NewID()))
					rec.Put(rec.Common.DeletedAt, schema.Absent(schema.Time))
					rec.Put(rec.Must("external_id"), schema.Absent(schema.Text))
					return append(slices.Clone(deals), rec), tx.Insert(dealResource, rec, "create")
				default:
					for _, l := range slices.Concat(dealResource.Storage.Figures.Keys, dealResource.Storage.Figures.Sums) {
						if rapid.Bool().Draw(t, l.Path) {
							rec.Put(l, other.Get(l))
						}
					}
				}
				deals = slices.Clone(deals)
				deals[at] = rec
				return deals, tx.Update(dealResource, old, rec, "update")
			}
			for range rapid.IntRange(1, 4).Draw(t, "transactions") {
				parts := rapid.SliceOfN(rapid.Bool(), 1, 4).Draw(t, "parts that succeed")
				whole := rapid.IntRange(0, 5).Draw(t, "fails") > 0
				after := deals
				err := tenant.Write(context.Background(), store.Actor{}, func(tx *store.Tx) error {
					after = deals
					for _, succeeds := range parts {
						err := tx.Savepoint(func() error {
							changed, err := change(tx, after)
							if err == nil && !succeeds {
								err = undone
							}
							if err == nil {
								after = changed
							}
							return err
						})
						if err != nil && !errors.Is(err, undone) {
							return err
						}
					}
					if !whole {
						return undone
					}
					return nil
				})
				switch {
				case err == nil:
					deals = after
				case !errors.Is(err, undone):
					t.Fatal(err)
				}
			}
			kept := keptFigures(t, s)
			// Only this one: with all that came before, the test would take as long as its examples squared.
			if err := tenant.ForgetFigures(context.Background()); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Complete(context.Background(), record.CheckRules(), func(store.Fault) {}); err != nil {
				t.Fatal(err)
			}
			if anew := keptFigures(t, s); !slices.Equal(kept, anew) {
				t.Fatalf("%s keeps\n%q\ncounted anew these are\n%q", s.Engine(), kept, anew)
			}
		})
	})
}

// An older server changes records and not their figures. Records are read then, and what newer servers write does not hide it,
// until the figures are made anew.
func TestFiguresThatDoNotHoldAreNotRead(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		e := newEngine(t, s)
		who := newBusiness(t, e)
		call := record.Call{Principal: who}
		node := func(text string) *body.Node {
			n, err := body.Parse([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		make := func() {
			t.Helper()
			if _, err := e.Do(context.Background(), call,
				record.Operation{
					Kind: record.KindOf("deal"), Name: record.Create,
					Body: node(`{"name":"One","amount":"12.50"}`),
				}); err != nil {
				t.Fatal(err)
			}
		}
		figures := func(what string, want int64) {
			t.Helper()
			_, rows, _, err := call.Aggregate(context.Background(), record.KindOf("deal"),
				node(`{"group_by":["status"],"metrics":["count"]}`))
			if err != nil || len(rows) != 1 {
				t.Fatal(rows, err)
			}
			if got := rows[0].Figures[0].Value.N; got != want {
				t.Errorf("%s: there are %d deals, want %d", what, got, want)
			}
		}
		make()
		make()
		figures("two deals", 2)
		script(t, s, "UPDATE deal_figure SET n = n + 100") // what no server does, to see where figures come from
		figures("kept figures are read", 102)
		script(t, s, "UPDATE business SET change_seq = change_seq + 1")
		figures("an older server wrote", 2)
		make()
		figures("a newer server wrote after it", 3)
		if _, err := s.Complete(context.Background(), record.CheckRules(), func(store.Fault) {}); err != nil {
			t.Fatal(err)
		}
		figures("made anew", 3)
		script(t, s, "UPDATE deal_figure SET n = n + 100")
		figures("they are read again", 103)
	})
}
