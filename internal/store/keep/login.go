package keep

import (
	"context"
	"encoding/json"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// SetLoginDomains keeps the domains whose addresses log in to the business by its identity provider, in place of those from before.
func SetLoginDomains(tx *store.Tx, domains []string) error {
	if err := store.Run(tx, "DELETE FROM login_domain WHERE business_id = {business}"); err != nil {
		return err
	}
	for _, d := range domains {
		if err := store.Run(tx, "INSERT INTO login_domain (business_id, domain) VALUES ({business}, ?)", room.Text(d)); err != nil {
			return err
		}
	}
	return nil
}

// WithLoginDomain finds the businesses whose identity provider knows the addresses of a domain, at most twenty.
func WithLoginDomain(ctx context.Context, s *store.Store, domain string) (all []store.Tenant, err error) {
	var keys []schema.Value
	err = s.InDirectory(ctx, schema.UUID{}, func(d store.Directory) (err error) {
		find := room.SQL("SELECT l.business_id FROM login_domain l WHERE l.domain = ? ORDER BY l.business_id LIMIT 20", room.Text(domain))
		keys, err = room.All(d.Query, find, firstKey)
		return err
	})
	for _, key := range keys {
		if err != nil {
			return nil, err
		}
		err = s.InDirectory(ctx, s.BusinessOf(key), func(d store.Directory) error {
			t, err := d.Tenant(key)
			all = append(all, t)
			return err
		})
	}
	return all, err
}

// loginSecret is what is kept of it, sealed where there is a key.
type loginSecret struct {
	Secret string `json:"secret"`
}

// SetLoginSecret keeps what the business shows to its identity provider; an empty secret is forgotten.
func SetLoginSecret(tx *store.Tx, secret string) error {
	if err := store.Run(tx, "DELETE FROM login_secret WHERE business_id = {business}"); err != nil || secret == "" {
		return err
	}
	data, err := json.Marshal(loginSecret{tx.Seal(loginUse, secret)})
	if err != nil {
		return err
	}
	return store.Run(tx, "INSERT INTO login_secret (business_id, data) VALUES ({business}, ?)", document(string(data)))
}

// LoginSecret reads what the business shows to its identity provider.
func LoginSecret(ctx context.Context, t store.Tenant) (string, error) {
	var found loginSecret
	err := t.Query(ctx, room.SQL("SELECT data FROM login_secret WHERE business_id = {business}"), func(r room.Row) error {
		return json.Unmarshal([]byte(room.TextAt(r, 0)), &found)
	})
	if err != nil {
		return "", err
	}
	return t.Unseal(loginUse, found.Secret)
}
