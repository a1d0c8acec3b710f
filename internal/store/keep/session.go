package keep

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// Session is a log-in of a user in a browser.
type Session struct {
	ID, User  schema.UUID
	CreatedAt time.Time
	SeenAt    time.Time
	// ConfirmedAt is when the user last gave their password in this session: at log-in, or later.
	ConfirmedAt    time.Time
	Agent, Address string
}

// PutSession keeps a log-in.
func PutSession(tx *store.Tx, s Session) error {
	now := schema.TimeValue(tx.Now)
	return exec(tx, `
		INSERT INTO session (business_id, id, user_id, created_at, seen_at, confirmed_at, agent, address)
		VALUES ({business}, ?, ?, ?, ?, ?, ?, ?)`,
		schema.IDValue(s.ID), schema.IDValue(s.User), now, now, now, schema.TextValue(schema.Text, s.Agent),
		schema.TextValue(schema.Text, s.Address))
}

// ConfirmSession notes that the user of a log-in gave their password again.
func ConfirmSession(tx *store.Tx, user, id schema.UUID) error {
	return exec(tx, "UPDATE session SET confirmed_at = ? WHERE business_id = {business} AND user_id = ? AND id = ?",
		schema.TimeValue(tx.Now), schema.IDValue(user), schema.IDValue(id))
}

// ConfirmedAt tells when the user of a log-in last gave their password; zero where there is no such log-in.
func ConfirmedAt(ctx context.Context, t store.Tenant, user, id schema.UUID) (at time.Time, err error) {
	find := room.SQL(`
		SELECT coalesce(confirmed_at, created_at)
		FROM session
		WHERE business_id = {business} AND user_id = ? AND id = ?`,
		schema.IDValue(user), schema.IDValue(id))
	err = t.Query(ctx, find, func(r room.Row) error {
		at = room.TimeAt(r, 0)
		return nil
	})
	return at, err
}

// EndSessions ends all log-ins of a user but one; none is the zero id.
func EndSessions(tx *store.Tx, kind string, user, but schema.UUID) error {
	except := schema.Value{Kind: schema.ID, Set: true, S: string(but[:])}
	if err := drop(tx, "DELETE FROM session WHERE business_id = {business} AND user_id = ? AND id <> ?", schema.IDValue(user),
		except); err != nil {
		return err
	}
	return drop(tx, "DELETE FROM credential WHERE business_id = {business} AND user_id = ? AND parent_id <> ? AND kind = ?",
		schema.IDValue(user), except, room.Text(kind))
}

// EndSession ends one log-in of a user, and tells whether there was one.
func EndSession(tx *store.Tx, user, id schema.UUID) (bool, error) {
	return end(tx, "session", user, id)
}

// end forgets a log-in or a grant, and with it its secrets.
func end(tx *store.Tx, table string, user, id schema.UUID) (bool, error) {
	tx.ChangeRights()
	ended := room.SQL("DELETE FROM "+table+" WHERE business_id = {business} AND user_id = ? AND id = ?", schema.IDValue(user),
		schema.IDValue(id))
	n, err := tx.Exec(ended)
	if err != nil || n == 0 {
		return false, err
	}
	return true, DropCredentials(tx, id)
}

// mostListed is how many log-ins or grants of a user are listed: more is on no page that anybody could read.
const mostListed = 500

// Sessions lists the log-ins of a user, newest first, at most mostListed.
func Sessions(ctx context.Context, t store.Tenant, user schema.UUID) (all []Session, err error) {
	list := room.SQL(`
		SELECT id, user_id, created_at, seen_at, coalesce(confirmed_at, created_at), agent, address
		FROM session
		WHERE business_id = {business} AND user_id = ?
		ORDER BY id DESC
		LIMIT `+strconv.Itoa(mostListed), schema.IDValue(user))
	err = t.Query(ctx, list, func(r room.Row) error {
		all = append(all, Session{
			ID: r.Value(0, schema.ID).UUID(), User: r.Value(1, schema.ID).UUID(),
			CreatedAt: room.TimeAt(r, 2), SeenAt: room.TimeAt(r, 3), ConfirmedAt: room.TimeAt(r, 4),
			Agent: room.TextAt(r, 5), Address: room.TextAt(r, 6),
		})
		return nil
	})
	return all, err
}

// Grant is what a user allowed an app.
type Grant struct {
	ID, User             schema.UUID
	ClientID, ClientName string
	Scopes               []string
	CreatedAt, UsedAt    time.Time
}

// PutGrant keeps what a user allowed.
func PutGrant(tx *store.Tx, g Grant) error {
	return exec(tx, `
		INSERT INTO access_grant (business_id, id, user_id, client_id, client_name, scopes, created_at, used_at)
		VALUES ({business}, ?, ?, ?, ?, ?, ?, ?)`,
		schema.IDValue(g.ID), schema.IDValue(g.User), room.Text(g.ClientID), room.Text(g.ClientName),
		room.Text(strings.Join(g.Scopes, " ")),
		schema.TimeValue(tx.Now), schema.Absent(schema.Time))
}

// EndGrant takes back what a user allowed an app, with all its tokens, and gives the client id of the app; empty where they had
// allowed nothing.
func EndGrant(tx *store.Tx, user, id schema.UUID) (client string, err error) {
	find := room.SQL(`
		SELECT g.client_id
		FROM access_grant g
		WHERE g.business_id = {business} AND g.user_id = ? AND g.id = ? {lock}`,
		schema.IDValue(user), schema.IDValue(id))
	err = tx.Query(find, func(r room.Row) error {
		client = room.TextAt(r, 0)
		return nil
	})
	if err == nil {
		_, err = end(tx, "access_grant", user, id)
	}
	return client, err
}

// HoldGrant keeps a grant from being ended until the transaction is over, and reports false where it has ended already: so nothing that is
// issued under a grant outlives it.
func HoldGrant(tx *store.Tx, id schema.UUID) (held bool, err error) {
	hold := room.SQL(`
		SELECT g.id
		FROM access_grant g
		WHERE g.business_id = {business} AND g.id = ? {lock}`, schema.IDValue(id))
	err = tx.Query(hold, func(room.Row) error {
		held = true
		return nil
	})
	return held, err
}

// Grants lists what a user allowed, newest first, at most mostListed.
func Grants(ctx context.Context, t store.Tenant, user schema.UUID) (all []Grant, err error) {
	list := room.SQL(`
		SELECT id, user_id, client_id, client_name, scopes, created_at, used_at
		FROM access_grant
		WHERE business_id = {business} AND user_id = ?
		ORDER BY id DESC
		LIMIT `+strconv.Itoa(mostListed), schema.IDValue(user))
	err = t.Query(ctx, list, func(r room.Row) error {
		all = append(all, Grant{
			ID: r.Value(0, schema.ID).UUID(), User: r.Value(1, schema.ID).UUID(),
			ClientID: room.TextAt(r, 2), ClientName: room.TextAt(r, 3), Scopes: strings.Fields(room.TextAt(r, 4)),
			CreatedAt: room.TimeAt(r, 5), UsedAt: room.TimeAt(r, 6),
		})
		return nil
	})
	return all, err
}
