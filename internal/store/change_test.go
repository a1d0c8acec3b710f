package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
)

// Entries from when the log named the grant come to name the app, or the client that registered itself; those that cannot be told stay.
func TestEntriesThatNamedAGrant(t *testing.T) {
	ctx := context.Background()
	for name, fresh := range engines {
		t.Run(name, func(t *testing.T) {
			s := open(t, fresh(t))
			now := time.Now()
			business := store.Business{ID: schema.NewID(now), Name: "Old", Currency: "EUR", CreatedAt: now}
			app, appGrant, ownGrant, forgotten := schema.NewID(now), schema.NewID(now), schema.NewID(now), schema.NewID(now)
			err := s.CreateBusiness(ctx, business, store.Actor{}, func(tx *store.Tx) error {
				if err := keep.PutApp(tx, keep.Client{ID: "kith_app_a", App: app}); err != nil {
					return err
				}
				if err := keep.PutGrant(tx, keep.Grant{ID: appGrant, User: app, ClientID: "kith_app_a"}); err != nil {
					return err
				}
				return keep.PutGrant(tx, keep.Grant{ID: ownGrant, User: app, ClientID: "kith_client_c"})
			})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := keep.RegisterClient(ctx, s, keep.Client{ID: "kith_client_c", Metadata: "{}"}, 10); err != nil {
				t.Fatal(err)
			}
			b, err := s.Tenant(ctx, business.ID)
			if err != nil {
				t.Fatal(err)
			}
			// What an older server wrote, and what the app of the business wrote on its own.
			for _, by := range []schema.UUID{appGrant, ownGrant, forgotten, app, {}} {
				err := b.Write(ctx, store.Actor{App: by}, func(tx *store.Tx) error {
					rec := schema.NewRecord(&s.Registry().Resource("note").Shape)
					rec.Put(rec.Must("id"), schema.IDValue(schema.NewID(tx.Now)))
					for _, path := range []string{"created_at", "updated_at"} {
						rec.Put(rec.Must(path), schema.TimeValue(tx.Now))
					}
					rec.Put(rec.Must("version"), schema.IntValue(schema.Integer, 1))
					return tx.Insert(s.Registry().Resource("note"), rec, "create")
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Script(ctx, []string{
				"DELETE FROM migration WHERE name = 'clients_in_the_log'",
				"ALTER TABLE change DROP COLUMN client_id",
			}); err != nil {
				t.Fatal(err)
			}
			if done, err := s.Migrate(ctx); err != nil || len(done) != 1 {
				t.Fatalf("%d steps were applied, %v", len(done), err)
			}
			var named []string
			err = b.Changes(ctx, 0, func(c store.Change) error {
				named = append(named, c.Actor.AppID())
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			want := []string{
				schema.FormatID("app", app), "kith_client_c", schema.FormatID("app", forgotten), schema.FormatID("app", app),
				"",
			}
			if len(named) != len(want) {
				t.Fatalf("the log names %q", named)
			}
			for i := range want {
				if named[i] != want[i] {
					t.Errorf("entry %d names %q, want %q", i+1, named[i], want[i])
				}
			}
		})
	}
}
