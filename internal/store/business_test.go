package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// A business that was there before it had a version, and one that an older server makes beside a newer one, are at version 1 and were
// changed last when they were made.
func TestABusinessOfAnOlderServer(t *testing.T) {
	ctx := context.Background()
	for name, fresh := range engines {
		t.Run(name, func(t *testing.T) {
			s := open(t, fresh(t))
			made := time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)
			business := store.Business{ID: schema.NewID(made), Name: "Old", Currency: "EUR", CreatedAt: made}
			if err := s.CreateBusiness(ctx, business, store.Actor{}, func(*store.Tx) error { return nil }); err != nil {
				t.Fatal(err)
			}
			back := []string{"DELETE FROM migration WHERE name = 'business'"}
			for _, column := range []string{"timezone", "locale", "updated_at", "version"} {
				back = append(back, "ALTER TABLE business DROP COLUMN "+column)
			}
			if err := s.Script(ctx, back); err != nil {
				t.Fatal(err)
			}
			done, err := s.Migrate(ctx)
			if err != nil || len(done) != 1 {
				t.Fatalf("%d steps were applied, %v", len(done), err)
			}
			check := func() {
				t.Helper()
				b, err := s.Tenant(ctx, business.ID)
				if err != nil {
					t.Fatal(err)
				}
				rec, err := b.Own(ctx, record.Business)
				if err != nil {
					t.Fatal(err)
				}
				if rec.Get(rec.Must("version")).N != 1 || !rec.Get(rec.Must("updated_at")).Time().Equal(made) ||
					rec.Text(rec.Must("name")) != "Old" || rec.Get(rec.Must("timezone")).Set {
					t.Errorf("the business is %s", schema.AppendRecord(nil, rec.Leaves, rec.Values))
				}
			}
			check()
			if err := s.Script(ctx, []string{"UPDATE business SET updated_at = NULL, version = NULL"}); err != nil {
				t.Fatal(err)
			}
			check()
		})
	}
}
