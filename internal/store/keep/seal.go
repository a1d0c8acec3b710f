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
	type sealing struct {
		use, data string
		write     func(data string) room.Statement
	}
	var all []sealing
	list := room.SQL("SELECT id, user_id, data FROM factor WHERE business_id = {business} ORDER BY id {lock}")
	err := tx.Query(list, func(r room.Row) error {
		id, user := r.Value(0, schema.ID).UUID(), r.Value(1, schema.ID).UUID()
		all = append(all, sealing{AuthenticatorUse(user), room.TextAt(r, 2), func(data string) room.Statement {
			return room.SQL(`
				UPDATE factor SET data = ?
				WHERE business_id = {business} AND user_id = ? AND id = ?`, document(data),
				schema.IDValue(user), schema.IDValue(id))
		}})
		return nil
	})
	if err != nil {
		return err
	}
	err = tx.Query(room.SQL("SELECT data FROM login_secret WHERE business_id = {business}"), func(r room.Row) error {
		all = append(all, sealing{loginUse, room.TextAt(r, 0), func(data string) room.Statement {
			return room.SQL("UPDATE login_secret SET data = ? WHERE business_id = {business}", document(data))
		}})
		return nil
	})
	if err == nil {
		err = tx.Query(room.SQL(`
			SELECT webhook_id, data
			FROM webhook_state
			WHERE business_id = {business}
			ORDER BY webhook_id {lock}`),
			func(r room.Row) error {
				id := r.Value(0, schema.ID).UUID()
				all = append(all, sealing{WebhookUse(id), room.TextAt(r, 1), func(data string) room.Statement {
					return room.SQL(`
						UPDATE webhook_state SET data = ?
						WHERE business_id = {business} AND webhook_id = ?`, document(data),
						schema.IDValue(id))
				}})
				return nil
			})
	}
	if err == nil {
		err = tx.Query(room.SQL(`
			SELECT webhook_id, old_data
			FROM webhook_state
			WHERE business_id = {business} AND old_data IS NOT NULL
			ORDER BY webhook_id {lock}`), func(r room.Row) error {
			id := r.Value(0, schema.ID).UUID()
			all = append(all, sealing{WebhookUse(id), room.TextAt(r, 1), func(data string) room.Statement {
				return room.SQL(`
					UPDATE webhook_state SET old_data = ?
					WHERE business_id = {business} AND webhook_id = ?`, document(data),
					schema.IDValue(id))
			}})
			return nil
		})
	}
	for _, one := range all {
		if err != nil {
			return err
		}
		data, changed, failed := resealed(tx, one.use, one.data)
		if failed != nil {
			return failed
		}
		if changed {
			_, err = tx.Exec(one.write(data))
		}
	}
	return err
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
