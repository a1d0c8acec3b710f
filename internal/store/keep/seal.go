package keep

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/internal/room"
	"github.com/kith-crm/kith/internal/store/seal"
)

// What secrets are sealed for. One that is taken to another user or use does not open there.
const loginUse = "identity provider"

// AuthenticatorUse is what the secret of an authenticator app is sealed for.
func AuthenticatorUse(user schema.UUID) string {
	return "authenticator app of " + schema.FormatID("user", user)
}

// WebhookUse is what the secret of a webhook is sealed for.
func WebhookUse(webhook schema.UUID) string {
	return "webhook " + schema.FormatID("webhook", webhook)
}

// AnySealed tells whether any secret in the database is sealed.
func AnySealed(ctx context.Context, s *store.Store) (found bool, err error) {
	all, err := s.Businesses(ctx)
	for _, b := range all {
		if err != nil || found {
			break
		}
		var t store.Tenant
		if t, err = s.Tenant(ctx, b.ID); err != nil {
			break
		}
		for _, sql := range []string{
			"SELECT data FROM factor WHERE business_id = {business}",
			"SELECT data FROM login_secret WHERE business_id = {business}",
			"SELECT data FROM webhook_state WHERE business_id = {business}",
			"SELECT old_data FROM webhook_state WHERE business_id = {business} AND old_data IS NOT NULL",
		} {
			err = errors.Join(err, t.Query(ctx, room.SQL(sql), func(r room.Row) error {
				var data loginSecret
				err := json.Unmarshal([]byte(room.TextAt(r, 0)), &data)
				found = found || seal.IsSealed(data.Secret)
				return err
			}))
		}
	}
	return found, err
}

// Reseal seals every secret that is not yet sealed under the first key of the store, business by business. Servers beside may do the same.
func Reseal(ctx context.Context, s *store.Store) error {
	all, err := s.Businesses(ctx)
	if err != nil {
		return err
	}
	for _, b := range all {
		t, err := s.Tenant(ctx, b.ID)
		if err != nil {
			return err
		}
		if err := t.Keep(ctx, store.Actor{}, reseal); err != nil {
			return err
		}
	}
	return s.Resealed(ctx)
}

// reseal seals the secrets of one business.
func reseal(tx *store.Tx) error {
	for _, kept := range []struct {
		list, change string
		// keys is how many ids tell a row, of which use takes the first.
		keys int
		use  func(id schema.UUID) string
	}{
		{
			"SELECT data, user_id, id FROM factor WHERE business_id = {business} ORDER BY id {lock}",
			"UPDATE factor SET data = ? WHERE business_id = {business} AND user_id = ? AND id = ?", 2, AuthenticatorUse,
		},
		{
			"SELECT data FROM login_secret WHERE business_id = {business}",
			"UPDATE login_secret SET data = ? WHERE business_id = {business}", 0, func(schema.UUID) string { return loginUse },
		},
		{
			"SELECT data, webhook_id FROM webhook_state WHERE business_id = {business} ORDER BY webhook_id {lock}",
			"UPDATE webhook_state SET data = ? WHERE business_id = {business} AND webhook_id = ?", 1, WebhookUse,
		},
		{
			`SELECT old_data, webhook_id FROM webhook_state WHERE business_id = {business} AND old_data IS NOT NULL
				ORDER BY webhook_id {lock}`,
			"UPDATE webhook_state SET old_data = ? WHERE business_id = {business} AND webhook_id = ?", 1, WebhookUse,
		},
	} {
		rows, err := room.All(tx.Query, room.SQL(kept.list), func(r room.Row) []schema.Value {
			row := []schema.Value{document(room.TextAt(r, 0))}
			for i := range kept.keys {
				row = append(row, r.Value(1+i, schema.ID))
			}
			return row
		})
		if err != nil {
			return err
		}
		for _, row := range rows {
			var id schema.UUID
			if kept.keys > 0 {
				id = row[1].UUID()
			}
			data, changed, err := resealed(tx, kept.use(id), row[0].S)
			if err == nil && changed {
				row[0] = document(data)
				err = store.Run(tx, kept.change, row...)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// resealed seals the secret in a document, where it has one that is not.
func resealed(tx *store.Tx, use, data string) (string, bool, error) {
	const member = "secret"
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(data), &all); err != nil || all[member] == nil {
		return data, false, err
	}
	var kept string
	if err := json.Unmarshal(all[member], &kept); err != nil || kept == "" || tx.Sealed(kept) {
		return data, false, err
	}
	secret, err := tx.Unseal(use, kept)
	if err != nil {
		if errors.Is(err, seal.ErrOtherKey) {
			return data, false, nil // it was lost with its key
		}
		return data, false, err
	}
	if all[member], err = json.Marshal(tx.Seal(use, secret)); err != nil {
		return data, false, err
	}
	text, err := json.Marshal(all)
	return string(text), true, err
}
