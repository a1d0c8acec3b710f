package store_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store"
)

// The keys that the migration gives to records that are there are those that are kept as records change.
func TestMigrationFillsMatchKeys(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		engine := newEngine(t, s)
		for _, name := range []string{"One", "Two"} {
			who, err := account.CreateBusiness(ctx, engine, name, "EUR", account.Person{Email: name + "@match.example", Name: name}, nil)
			if err != nil {
				t.Fatal(err)
			}
			err = who.Tenant.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
				for i := range 9 {
					body := fmt.Sprintf(`{"name":"P%d","email":"p%[1]d@d%d.example","phone":"030 %07[1]d","mobile_phone":"0171 %07d"}`, i,
						i%3, i%2)
					rec, err := engine.Add(tx, who, record.KindOf("contact"), body)
					if err != nil {
						return err
					}
					if i%4 == 3 {
						gone := rec.Clone()
						gone.Put(rec.Common.DeletedAt, rec.Get(rec.Common.UpdatedAt))
						if err := tx.Update(&record.KindOf("contact").Resource, rec, gone, "delete"); err != nil {
							return err
						}
					}
				}
				_, err := engine.Add(tx, who, record.KindOf("company"), `{"name":"C","phone":"+49 30 1234567","domain":"c.example"}`)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		keys := func() []string {
			rows, err := s.Rows(ctx, "SELECT resource, key FROM match_key ORDER BY 1, 2", 2)
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(rows)
			return rows
		}
		before := keys()
		if len(before) != 2*(7*3+1) {
			t.Fatalf("there are %d keys: %v", len(before), before)
		}
		if err := s.Script(ctx, []string{
			"DROP TABLE match_key", "DROP TABLE not_twins",
			"DELETE FROM migration WHERE number = 17",
		}); err != nil {
			t.Fatal(err)
		}
		if done, err := s.Migrate(ctx); err != nil || len(done) != 1 {
			t.Fatalf("%d steps were done, %v", len(done), err)
		}
		if after := keys(); !slices.Equal(after, before) {
			t.Errorf("the keys are %v, and were %v", after, before)
		}
	})
}
