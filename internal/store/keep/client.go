package keep

import (
	"context"
	"errors"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// Client is an OAuth client. An app of a business has Tenant and App set, and its settings in its record; the others have them in Metadata.
type Client struct {
	ID               string
	Tenant           *store.Tenant
	App              schema.UUID
	SecretHash       *Hash
	RegistrationHash *Hash
	Metadata         string
	CreatedAt        time.Time
	UsedAt           time.Time
}

func optionalHash(h *Hash) schema.Value {
	if h == nil {
		return schema.Absent(room.Bytes)
	}
	return h.value()
}

func hashOf(r room.Row, column int) *Hash {
	v := r.Value(column, room.Bytes)
	if !v.Set || len(v.S) != len(Hash{}) {
		return nil
	}
	h := Hash([]byte(v.S))
	return &h
}

// PutApp keeps the client of a business's app.
func PutApp(tx *store.Tx, c Client) error {
	return store.Run(tx, `
		INSERT INTO client (business_id, client_id, app_id, secret_hash, metadata, created_at)
		VALUES ({business}, ?, ?, ?, ?, ?)`,
		room.Text(c.ID), schema.IDValue(c.App), optionalHash(c.SecretHash), document("{}"), schema.TimeValue(tx.Now))
}

// SetAppSecret replaces the secret of a business's app.
func SetAppSecret(tx *store.Tx, app schema.UUID, hash Hash) error {
	return store.Run(tx, "UPDATE client SET secret_hash = ? WHERE business_id = {business} AND app_id = ?",
		hash.value(), schema.IDValue(app))
}

// DropApp forgets the client of a business's app, what users allowed it, and all its tokens.
func DropApp(tx *store.Tx, app schema.UUID, clientID string) error {
	if err := drop(tx, "DELETE FROM client WHERE business_id = {business} AND app_id = ?", schema.IDValue(app)); err != nil {
		return err
	}
	if err := DropCredentials(tx, app); err != nil {
		return err
	}
	grants := "SELECT g.id FROM access_grant g WHERE g.business_id = {business} AND g.client_id = ?"
	if err := tx.Query(room.SQL(grants+" {lock}", room.Text(clientID)), func(room.Row) error { return nil }); err != nil {
		return err
	}
	secrets := "DELETE FROM credential WHERE business_id = {business} AND parent_id IN (" + grants + ")"
	if err := drop(tx, secrets, room.Text(clientID)); err != nil {
		return err
	}
	return drop(tx, "DELETE FROM access_grant WHERE business_id = {business} AND client_id = ?", room.Text(clientID))
}

// RegisterClient keeps a client that registered itself, unless there are too many that nobody used yet.
func RegisterClient(ctx context.Context, s *store.Store, c Client, mostUnused int64) (kept bool, err error) {
	err = s.Outside(ctx, func(o store.Outside) error {
		kept = false
		count := room.SQL("SELECT count(*) FROM client WHERE app_id IS NULL AND used_at IS NULL")
		unused, err := room.One(o.Query, count, room.FirstInt)
		if err != nil || unused >= mostUnused {
			return err
		}
		_, err = o.Exec(room.SQL(`
			INSERT INTO client (client_id, secret_hash, registration_hash, metadata, created_at)
			VALUES (?, ?, ?, ?, ?)`,
			room.Text(c.ID), optionalHash(c.SecretHash), optionalHash(c.RegistrationHash), document(c.Metadata),
			schema.TimeValue(time.Now())))
		kept = err == nil
		return err
	})
	return kept, err
}

// UpdateClient replaces the metadata of a client that registered itself.
func UpdateClient(ctx context.Context, s *store.Store, id, metadata string) error {
	defer s.ChangeAllRights() // it may have less from now on, wherever it was allowed something
	return outside(ctx, s, "UPDATE client SET metadata = ? WHERE client_id = ? AND app_id IS NULL", document(metadata), room.Text(id))
}

// PublishClient keeps what a client says of itself in its document, as it was when somebody consented to it.
func PublishClient(ctx context.Context, s *store.Store, id, metadata string) error {
	known, err := FindClient(ctx, s, id)
	if err == nil && known.Metadata == metadata {
		return nil
	}
	if err == nil {
		return UpdateClient(ctx, s, id, metadata)
	}
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	// Another server may have been faster.
	return outside(ctx, s, "INSERT INTO client (client_id, metadata, created_at) VALUES (?, ?, ?) ON CONFLICT (client_id) DO NOTHING",
		room.Text(id), document(metadata), schema.TimeValue(time.Now()))
}

// ClientUsed notes that a client was in use.
func ClientUsed(ctx context.Context, s *store.Store, id string, at time.Time) error {
	return outside(ctx, s, "UPDATE client SET used_at = ? WHERE client_id = ?", schema.TimeValue(at), room.Text(id))
}

// DropClient forgets a client that registered itself, with everything that users of any business allowed it.
func DropClient(ctx context.Context, s *store.Store, id string) error {
	defer s.ChangeAllRights()
	return s.Outside(ctx, func(o store.Outside) error {
		list := room.SQL("SELECT DISTINCT g.business_id FROM access_grant g WHERE g.client_id = ?", room.Text(id))
		businesses, err := room.All(o.Query, list, firstKey)
		if err != nil {
			return err
		}
		grants := "SELECT g.id FROM access_grant g WHERE g.business_id = {business} AND g.client_id = ?"
		// one after the other: businesses may lie on several machines, where none locks the rows of all
		for _, business := range businesses {
			for _, st := range []room.Statement{
				room.SQL(grants+" {lock}", business, room.Text(id)),
				room.SQL("DELETE FROM credential WHERE business_id = {business} AND parent_id IN ("+grants+")", business, room.Text(id)),
				room.SQL("DELETE FROM access_grant WHERE business_id = {business} AND client_id = ?", business, room.Text(id)),
			} {
				if _, err := o.Exec(st); err != nil {
					return err
				}
			}
		}
		_, err = o.Exec(room.SQL("DELETE FROM client WHERE app_id IS NULL AND client_id = ?", room.Text(id)))
		return err
	})
}

// FindClient finds an OAuth client, or store.ErrNotFound.
func FindClient(ctx context.Context, s *store.Store, id string) (found *Client, err error) {
	find := room.SQL(`
		SELECT c.client_id, c.business_id, c.app_id, c.secret_hash, c.registration_hash, c.metadata, c.created_at, c.used_at
		FROM client c
		WHERE c.client_id = ?`, room.Text(id))
	err = s.InDirectory(ctx, schema.UUID{}, func(d store.Directory) (err error) {
		var business schema.Value
		found, err = room.Find(d.Query, find, func(r room.Row) Client {
			business = keyOf(r, 1)
			return Client{
				ID: room.TextAt(r, 0), App: room.IDAt(r, 2), SecretHash: hashOf(r, 3), RegistrationHash: hashOf(r, 4),
				Metadata: room.TextAt(r, 5), CreatedAt: room.TimeAt(r, 6), UsedAt: room.TimeAt(r, 7),
			}
		})
		if err != nil || !business.Set {
			return err
		}
		tenant, err := d.Tenant(business)
		found.Tenant = &tenant
		return err
	})
	return store.Found(found, err)
}
