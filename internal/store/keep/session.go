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
	return store.Run(tx, `
		INSERT INTO session (business_id, id, user_id, created_at, seen_at, confirmed_at, agent, address)
		VALUES ({business}, ?, ?, ?, ?, ?, ?, ?)`,
		schema.IDValue(s.ID), schema.IDValue(s.User), now, now, now, room.TextOrNone(s.Agent), room.TextOrNone(s.Address))
}

// ConfirmSession notes that the user of a log-in gave their password again.
func ConfirmSession(tx *store.Tx, user, id schema.UUID) error {
	return store.Run(tx, "UPDATE session SET confirmed_at = ? WHERE business_id = {business} AND user_id = ? AND id = ?",
		schema.TimeValue(tx.Now), schema.IDValue(user), schema.IDValue(id))
}

// ConfirmedAt tells when the user of a log-in last gave their password; zero where there is no such log-in.
func ConfirmedAt(ctx context.Context, t store.Tenant, user, id schema.UUID) (time.Time, error) {
	find := room.SQL(`
		SELECT coalesce(confirmed_at, created_at)
		FROM session
		WHERE business_id = {business} AND user_id = ? AND id = ?`, schema.IDValue(user), schema.IDValue(id))
	return room.One(t.Reader(ctx), find, firstTime)
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
	ended, err := store.RunOnce(tx, "DELETE FROM "+table+" WHERE business_id = {business} AND user_id = ? AND id = ?", schema.IDValue(user),
		schema.IDValue(id))
	if err != nil || !ended {
		return false, err
	}
	return true, DropCredentials(tx, id)
}

// mostListed is how many log-ins or grants of a user are listed: more is on no page that anybody could read.
const mostListed = 500

// Sessions lists the log-ins of a user, newest first, at most mostListed.
func Sessions(ctx context.Context, t store.Tenant, user schema.UUID) ([]Session, error) {
	list := room.SQL(`
		SELECT id, user_id, created_at, seen_at, coalesce(confirmed_at, created_at), agent, address
		FROM session
		WHERE business_id = {business} AND user_id = ?
		ORDER BY id DESC
		LIMIT `+strconv.Itoa(mostListed), schema.IDValue(user))
	return room.All(t.Reader(ctx), list, func(r room.Row) Session {
		text, id, _, at := room.Columns(r)
		return Session{ID: id(0), User: id(1), CreatedAt: at(2), SeenAt: at(3), ConfirmedAt: at(4), Agent: text(5), Address: text(6)}
	})
}

// Pushed is a log-in in a browser that notifications are pushed to; Push is where and how, in the words of whoever pushes.
type Pushed struct {
	Session schema.UUID
	Push    string
}

// SetPush has notifications pushed to the browser of a log-in, or not any more where push is empty. What had the same address is another
// log-in in that browser, which is not pushed to any more.
func SetPush(tx *store.Tx, user, id schema.UUID, push string) error {
	if push != "" {
		if err := store.Run(tx, "UPDATE session SET push = NULL WHERE business_id = {business} AND push = ?", room.Text(push)); err != nil {
			return err
		}
	}
	return store.Run(tx, "UPDATE session SET push = ? WHERE business_id = {business} AND user_id = ? AND id = ?", room.TextOrNone(push),
		schema.IDValue(user), schema.IDValue(id))
}

// DropPush forgets what a log-in was pushed to by, unless it has changed by now.
func DropPush(tx *store.Tx, user, id schema.UUID, push string) error {
	return store.Run(tx, "UPDATE session SET push = NULL WHERE business_id = {business} AND user_id = ? AND id = ? AND push = ?",
		schema.IDValue(user), schema.IDValue(id), room.Text(push))
}

// HasPush tells whether any log-in of a user may be pushed to.
func HasPush(tx *store.Tx, user schema.UUID) (bool, error) {
	find := room.SQL("SELECT s.id FROM session s WHERE s.business_id = {business} AND s.user_id = ? AND s.push IS NOT NULL LIMIT 1",
		schema.IDValue(user))
	found, err := room.Find(tx.Query, find, room.FirstID)
	return found != nil, err
}

// Pushes lists the log-ins of a user that are pushed to, and have not expired by a time.
func Pushes(tx *store.Tx, user schema.UUID, now time.Time) ([]Pushed, error) {
	return pushes(tx.Query, user, now)
}

// FindPushes lists them outside a transaction.
func FindPushes(ctx context.Context, t store.Tenant, user schema.UUID, now time.Time) ([]Pushed, error) {
	return pushes(t.Reader(ctx), user, now)
}

func pushes(query room.Reader, user schema.UUID, now time.Time) ([]Pushed, error) {
	return room.All(query, room.SQL(`
		SELECT s.id, s.push FROM session s WHERE s.business_id = {business} AND s.user_id = ? AND s.push IS NOT NULL AND EXISTS (
			SELECT 1 FROM credential c WHERE c.business_id = {business} AND c.parent_id = s.id AND c.expires_at > ?)
		ORDER BY s.id`, schema.IDValue(user), schema.TimeValue(now)),
		func(r room.Row) Pushed { return Pushed{room.FirstID(r), room.TextAt(r, 1)} })
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
	return store.Run(tx, `
		INSERT INTO access_grant (business_id, id, user_id, client_id, client_name, scopes, created_at, used_at)
		VALUES ({business}, ?, ?, ?, ?, ?, ?, ?)`,
		schema.IDValue(g.ID), schema.IDValue(g.User), room.Text(g.ClientID), room.Text(g.ClientName),
		room.Text(strings.Join(g.Scopes, " ")), schema.TimeValue(tx.Now), schema.Absent(schema.Time))
}

// EndGrant takes back what a user allowed an app, with all its tokens, and gives the client id of the app; empty where they had
// allowed nothing.
func EndGrant(tx *store.Tx, user, id schema.UUID) (client string, err error) {
	find := room.SQL("SELECT g.client_id FROM access_grant g WHERE g.business_id = {business} AND g.user_id = ? AND g.id = ? {lock}",
		schema.IDValue(user), schema.IDValue(id))
	if client, err = room.One(tx.Query, find, func(r room.Row) string { return room.TextAt(r, 0) }); err == nil {
		_, err = end(tx, "access_grant", user, id)
	}
	return client, err
}

// HoldGrant keeps a grant from being ended until the transaction is over, and reports false where it has ended already: so nothing that is
// issued under a grant outlives it.
func HoldGrant(tx *store.Tx, id schema.UUID) (bool, error) {
	hold := room.SQL("SELECT g.id FROM access_grant g WHERE g.business_id = {business} AND g.id = ? {lock}", schema.IDValue(id))
	held, err := room.Find(tx.Query, hold, room.FirstID)
	return held != nil, err
}

// Grants lists what a user allowed, newest first, at most mostListed.
func Grants(ctx context.Context, t store.Tenant, user schema.UUID) ([]Grant, error) {
	list := room.SQL(`
		SELECT id, user_id, client_id, client_name, scopes, created_at, used_at
		FROM access_grant
		WHERE business_id = {business} AND user_id = ?
		ORDER BY id DESC
		LIMIT `+strconv.Itoa(mostListed), schema.IDValue(user))
	return room.All(t.Reader(ctx), list, func(r room.Row) Grant {
		text, id, _, at := room.Columns(r)
		return Grant{
			ID: id(0), User: id(1), ClientID: text(2), ClientName: text(3), Scopes: strings.Fields(text(4)),
			CreatedAt: at(5), UsedAt: at(6),
		}
	})
}
