package storetest

import (
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
)

// testFactors holds second factors to their business and user: what is used is kept, what is dropped is gone, and nobody else's is touched.
func testFactors(t *testing.T, s *store.Store) {
	b, other := Business(t, s), Business(t, s)
	now := time.Now()
	user, neighbour := schema.NewID(now), schema.NewID(now)
	app := keep.Factor{ID: schema.NewID(now), User: user, Kind: "authenticator", Data: `{"step":0}`}
	code := keep.Factor{ID: schema.NewID(now), User: user, Kind: "code", Name: "first", Data: `{}`}
	write(t, b, func(tx *store.Tx) error {
		for _, f := range []keep.Factor{app, code, {ID: schema.NewID(now), User: neighbour, Kind: "code", Data: `{}`}} {
			if err := keep.PutFactor(tx, f); err != nil {
				return err
			}
		}
		return nil
	})
	has := func(what string, tenant store.Tenant, whose schema.UUID, want ...string) []keep.Factor {
		t.Helper()
		all, err := keep.Factors(ctx, tenant, whose)
		if err != nil || len(all) != len(want) {
			t.Fatalf("%s: %+v, %v; want %v", what, all, err, want)
		}
		for i, f := range all {
			if f.Kind != want[i] || f.User != whose || f.CreatedAt.IsZero() {
				t.Errorf("%s: %+v, want %s", what, f, want[i])
			}
		}
		return all
	}
	has("new", b, user, "authenticator", "code")
	has("in another business", other, user)

	app.Data = `{"step":7}`
	for _, tenant := range []store.Tenant{other, b} {
		write(t, tenant, func(tx *store.Tx) error {
			if err := keep.UseFactor(tx, app); err != nil {
				return err
			}
			held, err := keep.HeldFactors(tx, user)
			if tenant == b && (len(held) != 2 || held[0].Data != app.Data || held[0].UsedAt.IsZero() || !held[1].UsedAt.IsZero()) {
				t.Errorf("used: %+v", held)
			}
			return err
		})
	}
	for _, tenant := range []store.Tenant{other, b} {
		write(t, tenant, func(tx *store.Tx) error {
			if dropped, err := keep.DropFactor(tx, user, app.ID); err != nil || dropped != (tenant == b) {
				t.Errorf("dropped: %v, %v", dropped, err)
			}
			return nil
		})
	}
	has("after one was dropped", b, user, "code")
	write(t, other, func(tx *store.Tx) error { return keep.DropFactorsOf(tx, user, code.Kind) })
	has("dropped by another business", b, user, "code")
	write(t, b, func(tx *store.Tx) error { return keep.DropFactorsOf(tx, user, code.Kind) })
	has("after a kind was dropped", b, user)
	write(t, other, func(tx *store.Tx) error { return keep.DropFactors(tx, neighbour) })
	has("the neighbour's", b, neighbour, "code")
	write(t, b, func(tx *store.Tx) error { return keep.DropFactors(tx, neighbour) })
	has("after all were dropped", b, neighbour)
}
