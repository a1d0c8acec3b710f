package store_test

import (
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// A room's statement is written once, for both engines. In a business it cannot be run unless it is held to it.
func TestStatementsOfRooms(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		who := newBusiness(t, newEngine(t, s))
		newBusiness(t, newEngine(t, s)) // which has a tally, too
		name := schema.TextValue(schema.Text, "user")
		count := room.SQL(`
			SELECT y.n
			FROM tally y
			WHERE y.n >= ? AND y.business_id = {business} AND y.name = ?`, schema.IntValue(schema.Integer, 1), name)
		var users []int64
		err := who.Tenant.Query(t.Context(), count, func(r room.Row) error {
			users = append(users, r.Value(0, schema.Integer).N)
			return nil
		})
		if err != nil || len(users) != 1 || users[0] != 1 {
			t.Errorf("the tally of users is %d, %v", users, err)
		}
		everywhere := room.SQL("SELECT n FROM tally WHERE name = ?", name)
		for what, err := range map[string]error{
			"a read": who.Tenant.Query(t.Context(), everywhere, func(room.Row) error { return nil }),
			"a read in a transaction": who.Tenant.Keep(t.Context(), store.Actor{}, func(tx *store.Tx) error {
				return tx.Query(everywhere, func(room.Row) error { return nil })
			}),
			"a write": who.Tenant.Keep(t.Context(), store.Actor{}, func(tx *store.Tx) error {
				_, err := tx.Exec(room.SQL("DELETE FROM tally"))
				return err
			}),
		} {
			if err == nil || !strings.Contains(err.Error(), "not held to a business") {
				t.Errorf("%s of all businesses: %v", what, err)
			}
		}
	})
}
