package store

import (
	"context"
	"strconv"
	"strings"
	"time"

	"kith/internal/query"
	"kith/internal/schema"
)

// Hash is the SHA-256 of a secret; secrets themselves are never stored.
type Hash [32]byte

func (h Hash) value() schema.Value { return schema.Value{Kind: kindBytes, Set: true, S: string(h[:])} }

// Credential is what is known of a secret that someone can present.
type Credential struct {
	Kind   string
	Tenant Tenant
	User   schema.UUID
	// Parent is what the secret belongs to: a personal access token, a session, a grant, an app or, for links, the user.
	Parent    schema.UUID
	Scopes    []string
	CreatedAt time.Time
	ExpiresAt time.Time // zero where it does not expire
	UsedAt    time.Time // zero where it was not used
	// Data is a JSON object with what only this kind needs.
	Data string
}

func instantValue(t time.Time) schema.Value {
	if t.IsZero() {
		return schema.Absent(schema.Time)
	}
	return schema.TimeValue(t)
}

func instantOf(v schema.Value) time.Time {
	if !v.Set {
		return time.Time{}
	}
	return v.Time()
}

func text(s string) schema.Value { return schema.Value{Kind: schema.Text, Set: true, S: s} }

const credentialColumns = "c.kind, c.business_id, b.id, c.user_id, c.parent_id, c.scopes, c.created_at, c.expires_at, c.used_at, c.data"

// Credential finds a secret by its hash, or ErrNotFound. Whether it expired or was used is for the caller to judge.
func (s *Store) Credential(ctx context.Context, hash Hash) (*Credential, error) {
	var found *Credential
	err := s.readCredentials(ctx, func(c conn) (err error) {
		found, err = s.credential(ctx, c, hash)
		return err
	})
	return found, err
}

func (s *Store) credential(ctx context.Context, c conn, hash Hash) (*Credential, error) {
	var found *Credential
	sql := "SELECT " + credentialColumns + " FROM credential c JOIN business b ON b.business_id = c.business_id WHERE c.hash = " + s.engine.mark(1)
	err := c.query(ctx, sql, []schema.Value{hash.value()}, func(r row) error {
		id := r.value(2, schema.ID).UUID()
		found = &Credential{
			Kind: strings.Clone(r.value(0, schema.Text).S), Tenant: Tenant{s: s, id: id, key: s.engine.tenantKey(id, r.value(1, kindTenant).N)},
			User: r.value(3, schema.ID).UUID(), Parent: r.value(4, schema.ID).UUID(), Scopes: strings.Fields(strings.Clone(r.value(5, schema.Text).S)),
			CreatedAt: instantOf(r.value(6, schema.Time)), ExpiresAt: instantOf(r.value(7, schema.Time)), UsedAt: instantOf(r.value(8, schema.Time)),
			Data: strings.Clone(r.value(9, schema.Document).S),
		}
		return nil
	})
	if err == nil && found == nil {
		err = ErrNotFound
	}
	return found, err
}

// Holder finds a secret, its user and the user's role, or ErrNotFound.
func (s *Store) Holder(ctx context.Context, hash Hash) (cred *Credential, user, role *schema.Record, err error) {
	err = s.readCredentials(ctx, func(c conn) error {
		if cred, err = s.credential(ctx, c, hash); err != nil {
			return err
		}
		if user, err = cred.Tenant.get(ctx, c, s.reg.Resource("user"), cred.User, false, ""); err != nil {
			return err
		}
		role, err = cred.Tenant.get(ctx, c, s.role.Target, user.Get(s.role).UUID(), false, "")
		return err
	})
	return cred, user, role, err
}

// PutCredential keeps the hash of a secret.
func (tx *Tx) PutCredential(hash Hash, c Credential) error {
	data := schema.Absent(schema.Document)
	if c.Data != "" {
		data = schema.Value{Kind: schema.Document, Set: true, S: c.Data}
	}
	return tx.insert("credential", []string{"hash", "kind", "user_id", "parent_id", "scopes", "created_at", "expires_at", "used_at", "data"}, hash.value(), text(c.Kind), schema.IDValue(c.User),
		schema.IDValue(c.Parent), text(strings.Join(c.Scopes, " ")), schema.TimeValue(tx.Now), instantValue(c.ExpiresAt), instantValue(c.UsedAt), data)
}

// insert adds a row to one of the system's own tables of a business.
func (tx *Tx) insert(table string, columns []string, values ...schema.Value) error {
	b := newBuilder(tx.s.engine, tx.key)
	marks := []string{b.tenantMark()}
	for _, v := range values {
		marks = append(marks, b.arg(v))
	}
	_, err := tx.c.exec(tx.ctx, "INSERT INTO "+table+" (business_id, "+strings.Join(columns, ", ")+") VALUES ("+strings.Join(marks, ", ")+")", b.args)
	return err
}

// UseCredential marks a secret as used. It reports false where it was used before, or is gone: of many who try, one succeeds.
func (tx *Tx) UseCredential(hash Hash) (bool, error) {
	b := newBuilder(tx.s.engine, tx.key)
	n, err := tx.c.exec(tx.ctx, "UPDATE credential SET used_at = "+b.arg(schema.TimeValue(tx.Now))+" WHERE business_id = "+b.tenantMark()+" AND hash = "+b.arg(hash.value())+" AND used_at IS NULL", b.args)
	return n == 1, err
}

// DropCredential forgets one secret.
func (tx *Tx) DropCredential(hash Hash) error {
	return tx.drop("credential", "hash", hash.value())
}

// DropCredentials forgets every secret of a parent.
func (tx *Tx) DropCredentials(parent schema.UUID) error {
	return tx.drop("credential", "parent_id", schema.IDValue(parent))
}

// DropSecrets forgets every secret of one kind of a parent.
func (tx *Tx) DropSecrets(kind string, parent schema.UUID) error {
	tx.rights = true
	b := newBuilder(tx.s.engine, tx.key)
	sql := "DELETE FROM credential WHERE business_id = " + b.tenantMark() + " AND parent_id = " + b.arg(schema.IDValue(parent)) + " AND kind = " + b.arg(text(kind))
	_, err := tx.c.exec(tx.ctx, sql, b.args)
	return err
}

// DropUser forgets every secret, session and grant of a user.
func (tx *Tx) DropUser(user schema.UUID) error {
	// The secrets come last: who issues one holds its grant, so that none can come after.
	for _, table := range []string{"session", "access_grant", "credential"} {
		if err := tx.drop(table, "user_id", schema.IDValue(user)); err != nil {
			return err
		}
	}
	return nil
}

func (tx *Tx) drop(table, column string, v schema.Value) error {
	tx.rights = true
	b := newBuilder(tx.s.engine, tx.key)
	_, err := tx.c.exec(tx.ctx, "DELETE FROM "+table+" WHERE business_id = "+b.tenantMark()+" AND "+column+" = "+b.arg(v), b.args)
	return err
}

// Purge removes secrets that expired a while ago, sessions and grants that have none left, and registered clients that nobody used.
func (s *Store) Purge(ctx context.Context, expiredBefore, unusedBefore time.Time) error {
	return s.engine.write(ctx, share{limit: s.limit}, func(c conn) error {
		mark := s.engine.mark(1)
		for _, step := range []struct {
			sql  string
			time time.Time
		}{
			{"DELETE FROM credential WHERE expires_at IS NOT NULL AND expires_at < " + mark, expiredBefore},
			{"DELETE FROM session WHERE created_at < " + mark + " AND NOT EXISTS (SELECT 1 FROM credential c WHERE c.business_id = session.business_id AND c.parent_id = session.id)", expiredBefore},
			{"DELETE FROM access_grant WHERE created_at < " + mark + " AND NOT EXISTS (SELECT 1 FROM credential c WHERE c.business_id = access_grant.business_id AND c.parent_id = access_grant.id)", expiredBefore},
			{"DELETE FROM client WHERE app_id IS NULL AND used_at IS NULL AND created_at < " + mark, unusedBefore},
		} {
			if _, err := c.exec(ctx, step.sql, []schema.Value{schema.TimeValue(step.time)}); err != nil {
				return err
			}
		}
		return nil
	})
}

// SetIdentity lets an e-mail address log in as a user, instead of an earlier address. Empty addresses are none.
func (tx *Tx) SetIdentity(user schema.UUID, old, email string) error {
	if old != "" {
		if err := tx.drop("identity", "email_key", text(query.FoldCase(old))); err != nil {
			return err
		}
	}
	if email == "" {
		return nil
	}
	return tx.insert("identity", []string{"email_key", "user_id"}, text(query.FoldCase(email)), schema.IDValue(user))
}

// Identity is one business in which an e-mail address can log in.
type Identity struct {
	Tenant       Tenant
	BusinessName string
	User         schema.UUID
	Password
}

// Password is what is known of a user's password; its zero is none.
type Password struct {
	Hash string
	// SetAt tells one password of a user from the next.
	SetAt time.Time
}

// Identities finds where an e-mail address can log in.
func (s *Store) Identities(ctx context.Context, email string) ([]Identity, error) {
	var all []Identity
	if strings.IndexByte(email, 0) >= 0 {
		return nil, nil // no address has one, and a key would leave it out
	}
	err := s.readCredentials(ctx, func(c conn) error {
		sql := "SELECT i.business_id, b.id, b.name, i.user_id, p.hash, p.set_at FROM identity i JOIN business b ON b.business_id = i.business_id" +
			" LEFT JOIN password p ON p.business_id = i.business_id AND p.user_id = i.user_id WHERE i.email_key = " + s.engine.mark(1) + " ORDER BY b.name, b.id"
		return c.query(ctx, sql, []schema.Value{text(query.FoldCase(email))}, func(r row) error {
			id := r.value(1, schema.ID).UUID()
			all = append(all, Identity{
				Tenant:       Tenant{s: s, id: id, key: s.engine.tenantKey(id, r.value(0, kindTenant).N)},
				BusinessName: strings.Clone(r.value(2, schema.Text).S), User: r.value(3, schema.ID).UUID(), Password: passwordOf(r, 4),
			})
			return nil
		})
	})
	return all, err
}

// SetPassword keeps the hash of a user's password.
func (tx *Tx) SetPassword(user schema.UUID, hash string) error {
	b := newBuilder(tx.s.engine, tx.key)
	sql := "INSERT INTO password (business_id, user_id, hash, set_at) VALUES (" + b.tenantMark() + ", " + b.arg(schema.IDValue(user)) + ", " + b.arg(text(hash)) + ", " + b.arg(schema.TimeValue(tx.Now)) +
		") ON CONFLICT (business_id, user_id) DO UPDATE SET hash = excluded.hash, set_at = excluded.set_at"
	_, err := tx.c.exec(tx.ctx, sql, b.args)
	return err
}

func passwordOf(r row, at int) Password {
	return Password{Hash: strings.Clone(r.value(at, schema.Text).S), SetAt: instantOf(r.value(at+1, schema.Time))}
}

// ResaltPassword replaces the hash of a password that stays the same. Where the user has another password by now, it does nothing.
func (tx *Tx) ResaltPassword(user schema.UUID, old Password, hash string) error {
	b := newBuilder(tx.s.engine, tx.key)
	sql := "UPDATE password SET hash = " + b.arg(text(hash)) + " WHERE business_id = " + b.tenantMark() + " AND user_id = " + b.arg(schema.IDValue(user)) + " AND hash = " + b.arg(text(old.Hash))
	_, err := tx.c.exec(tx.ctx, sql, b.args)
	return err
}

// Password reads a user's password. Whoever must rely on it until the transaction ends holds the user.
func (tx *Tx) Password(user schema.UUID) (Password, error) {
	return tx.password(tx.ctx, tx.c, user)
}

// Password reads a user's password.
func (t Tenant) Password(ctx context.Context, user schema.UUID) (found Password, err error) {
	err = t.read(ctx, func(c conn) error {
		found, err = t.password(ctx, c, user)
		return err
	})
	return found, err
}

func (t Tenant) password(ctx context.Context, c conn, user schema.UUID) (found Password, err error) {
	b := newBuilder(t.s.engine, t.key)
	sql := "SELECT hash, set_at FROM password WHERE business_id = " + b.tenantMark() + " AND user_id = " + b.arg(schema.IDValue(user))
	err = c.query(ctx, sql, b.args, func(r row) error {
		found = passwordOf(r, 0)
		return nil
	})
	return found, err
}

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
func (tx *Tx) PutSession(s Session) error {
	return tx.insert("session", []string{"id", "user_id", "created_at", "seen_at", "confirmed_at", "agent", "address"}, schema.IDValue(s.ID), schema.IDValue(s.User),
		schema.TimeValue(tx.Now), schema.TimeValue(tx.Now), schema.TimeValue(tx.Now), schema.TextValue(schema.Text, s.Agent), schema.TextValue(schema.Text, s.Address))
}

// ConfirmSession notes that the user of a log-in gave their password again.
func (tx *Tx) ConfirmSession(user, id schema.UUID) error {
	b := newBuilder(tx.s.engine, tx.key)
	sql := "UPDATE session SET confirmed_at = " + b.arg(schema.TimeValue(tx.Now)) + " WHERE business_id = " + b.tenantMark() + " AND user_id = " + b.arg(schema.IDValue(user)) + " AND id = " + b.arg(schema.IDValue(id))
	_, err := tx.c.exec(tx.ctx, sql, b.args)
	return err
}

// EndSessions ends all log-ins of a user but one; none is the zero id.
func (tx *Tx) EndSessions(kind string, user, but schema.UUID) error {
	tx.rights = true
	b := newBuilder(tx.s.engine, tx.key)
	of := " WHERE business_id = " + b.tenantMark() + " AND user_id = " + b.arg(schema.IDValue(user))
	except := b.arg(schema.Value{Kind: schema.ID, Set: true, S: string(but[:])})
	if _, err := tx.c.exec(tx.ctx, "DELETE FROM session"+of+" AND id <> "+except, b.args); err != nil {
		return err
	}
	_, err := tx.c.exec(tx.ctx, "DELETE FROM credential"+of+" AND parent_id <> "+except+" AND kind = "+b.arg(text(kind)), b.args)
	return err
}

// EndSession ends one log-in of a user.
func (tx *Tx) EndSession(user, id schema.UUID) error {
	return tx.end("session", user, id)
}

// EndGrant takes back what a user allowed an app, with all its tokens.
func (tx *Tx) EndGrant(user, id schema.UUID) error {
	return tx.end("access_grant", user, id)
}

// HoldGrant keeps a grant from being ended until the transaction is over, and reports false where it has ended already: so nothing that is
// issued under a grant outlives it.
func (tx *Tx) HoldGrant(id schema.UUID) (held bool, err error) {
	b := newBuilder(tx.s.engine, tx.key)
	sql := "SELECT g.id FROM access_grant g WHERE g.business_id = " + b.tenantMark() + " AND g.id = " + b.arg(schema.IDValue(id)) + tx.s.engine.lock()
	err = tx.c.query(tx.ctx, sql, b.args, func(row) error {
		held = true
		return nil
	})
	return held, err
}

func (tx *Tx) end(table string, user, id schema.UUID) error {
	tx.rights = true
	b := newBuilder(tx.s.engine, tx.key)
	n, err := tx.c.exec(tx.ctx, "DELETE FROM "+table+" WHERE business_id = "+b.tenantMark()+" AND user_id = "+b.arg(schema.IDValue(user))+" AND id = "+b.arg(schema.IDValue(id)), b.args)
	if err != nil || n == 0 {
		return err
	}
	return tx.DropCredentials(id)
}

// Sessions lists the log-ins of a user, newest first, at most mostListed.
func (t Tenant) Sessions(ctx context.Context, user schema.UUID) ([]Session, error) {
	var all []Session
	err := t.ofUser(ctx, "SELECT id, user_id, created_at, seen_at, coalesce(confirmed_at, created_at), agent, address FROM session", user, func(r row) {
		all = append(all, Session{
			ID: r.value(0, schema.ID).UUID(), User: r.value(1, schema.ID).UUID(), CreatedAt: r.value(2, schema.Time).Time(), SeenAt: r.value(3, schema.Time).Time(),
			ConfirmedAt: r.value(4, schema.Time).Time(), Agent: strings.Clone(r.value(5, schema.Text).S), Address: strings.Clone(r.value(6, schema.Text).S),
		})
	})
	return all, err
}

// mostListed is how many log-ins or grants of a user are listed: more is on no page that anybody could read.
const mostListed = 500

func (t Tenant) ofUser(ctx context.Context, selected string, user schema.UUID, each func(row)) error {
	return t.read(ctx, func(c conn) error {
		b := newBuilder(t.s.engine, t.key)
		return c.query(ctx, selected+" WHERE business_id = "+b.tenantMark()+" AND user_id = "+b.arg(schema.IDValue(user))+" ORDER BY id DESC LIMIT "+strconv.Itoa(mostListed), b.args, func(r row) error {
			each(r)
			return nil
		})
	})
}

// Grant is what a user allowed an app.
type Grant struct {
	ID, User             schema.UUID
	ClientID, ClientName string
	Scopes               []string
	CreatedAt, UsedAt    time.Time
}

// PutGrant keeps what a user allowed.
func (tx *Tx) PutGrant(g Grant) error {
	return tx.insert("access_grant", []string{"id", "user_id", "client_id", "client_name", "scopes", "created_at", "used_at"}, schema.IDValue(g.ID), schema.IDValue(g.User),
		text(g.ClientID), text(g.ClientName), text(strings.Join(g.Scopes, " ")), schema.TimeValue(tx.Now), schema.Absent(schema.Time))
}

// Grants lists what a user allowed, newest first, at most mostListed.
func (t Tenant) Grants(ctx context.Context, user schema.UUID) ([]Grant, error) {
	var all []Grant
	err := t.ofUser(ctx, "SELECT id, user_id, client_id, client_name, scopes, created_at, used_at FROM access_grant", user, func(r row) {
		all = append(all, Grant{
			ID: r.value(0, schema.ID).UUID(), User: r.value(1, schema.ID).UUID(), ClientID: strings.Clone(r.value(2, schema.Text).S), ClientName: strings.Clone(r.value(3, schema.Text).S),
			Scopes: strings.Fields(strings.Clone(r.value(4, schema.Text).S)), CreatedAt: r.value(5, schema.Time).Time(), UsedAt: instantOf(r.value(6, schema.Time)),
		})
	})
	return all, err
}

// Seen notes that a token, session, grant or user was in use. It is bookkeeping: no version is raised and nothing is logged.
func (t Tenant) Seen(ctx context.Context, what string, id schema.UUID, at time.Time) error {
	columns := map[string]string{"tokens": "last_used_at", "users": "last_active_at", "session": "seen_at", "access_grant": "used_at"}
	return t.write(ctx, func(c conn) error {
		b := newBuilder(t.s.engine, t.key)
		_, err := c.exec(ctx, "UPDATE "+what+" SET "+columns[what]+" = "+b.arg(schema.TimeValue(at))+" WHERE business_id = "+b.tenantMark()+" AND id = "+b.arg(schema.IDValue(id)), b.args)
		return err
	})
}

// Client is an OAuth client. An app of a business has Tenant and App set, and its settings in its record; the others have them in Metadata.
type Client struct {
	ID               string
	Tenant           *Tenant
	App              schema.UUID
	SecretHash       *Hash
	RegistrationHash *Hash
	Metadata         string
	CreatedAt        time.Time
	UsedAt           time.Time
}

func optionalHash(h *Hash) schema.Value {
	if h == nil {
		return schema.Absent(kindBytes)
	}
	return h.value()
}

func hashOf(v schema.Value) *Hash {
	if !v.Set || len(v.S) != len(Hash{}) {
		return nil
	}
	h := Hash([]byte(v.S))
	return &h
}

// PutApp keeps the client of a business's app.
func (tx *Tx) PutApp(c Client) error {
	return tx.insert("client", []string{"client_id", "app_id", "secret_hash", "metadata", "created_at"}, text(c.ID), schema.IDValue(c.App), optionalHash(c.SecretHash),
		schema.Value{Kind: schema.Document, Set: true, S: "{}"}, schema.TimeValue(tx.Now))
}

// SetAppSecret replaces the secret of a business's app.
func (tx *Tx) SetAppSecret(app schema.UUID, hash Hash) error {
	b := newBuilder(tx.s.engine, tx.key)
	_, err := tx.c.exec(tx.ctx, "UPDATE client SET secret_hash = "+b.arg(hash.value())+" WHERE business_id = "+b.tenantMark()+" AND app_id = "+b.arg(schema.IDValue(app)), b.args)
	return err
}

// DropApp forgets the client of a business's app, what users allowed it, and all its tokens.
func (tx *Tx) DropApp(app schema.UUID, clientID string) error {
	if err := tx.drop("client", "app_id", schema.IDValue(app)); err != nil {
		return err
	}
	if err := tx.DropCredentials(app); err != nil {
		return err
	}
	b := newBuilder(tx.s.engine, tx.key)
	grants := "SELECT g.id FROM access_grant g WHERE g.business_id = " + b.tenantMark() + " AND g.client_id = " + b.arg(text(clientID))
	if err := tx.c.query(tx.ctx, grants+tx.s.engine.lock(), b.args, func(row) error { return nil }); err != nil {
		return err
	}
	if _, err := tx.c.exec(tx.ctx, "DELETE FROM credential WHERE business_id = "+b.tenantMark()+" AND parent_id IN ("+grants+")", b.args); err != nil {
		return err
	}
	return tx.drop("access_grant", "client_id", text(clientID))
}

// RegisterClient keeps a client that registered itself, unless there are too many that nobody used yet.
func (s *Store) RegisterClient(ctx context.Context, c Client, mostUnused int64) (bool, error) {
	kept := false
	err := s.engine.write(ctx, share{limit: s.limit}, func(db conn) error {
		kept = false
		unused := int64(0)
		err := db.query(ctx, "SELECT count(*) FROM client WHERE app_id IS NULL AND used_at IS NULL", nil, func(r row) error {
			unused = r.value(0, schema.Integer).N
			return nil
		})
		if err != nil || unused >= mostUnused {
			return err
		}
		m := s.engine.mark
		_, err = db.exec(ctx, "INSERT INTO client (client_id, secret_hash, registration_hash, metadata, created_at) VALUES ("+strings.Join([]string{m(1), m(2), m(3), m(4), m(5)}, ", ")+")",
			[]schema.Value{text(c.ID), optionalHash(c.SecretHash), optionalHash(c.RegistrationHash), {Kind: schema.Document, Set: true, S: c.Metadata}, schema.TimeValue(time.Now())})
		kept = err == nil
		return err
	})
	return kept, err
}

// UpdateClient replaces the metadata of a client that registered itself.
func (s *Store) UpdateClient(ctx context.Context, id, metadata string) error {
	defer s.everyone.Add(1) // it may have less from now on, wherever it was allowed something
	return s.engine.write(ctx, share{limit: s.limit}, func(c conn) error {
		_, err := c.exec(ctx, "UPDATE client SET metadata = "+s.engine.mark(2)+" WHERE client_id = "+s.engine.mark(1)+" AND app_id IS NULL", []schema.Value{text(id), {Kind: schema.Document, Set: true, S: metadata}})
		return err
	})
}

// ClientUsed notes that a client was in use.
func (s *Store) ClientUsed(ctx context.Context, id string, at time.Time) error {
	return s.engine.write(ctx, share{limit: s.limit}, func(c conn) error {
		_, err := c.exec(ctx, "UPDATE client SET used_at = "+s.engine.mark(2)+" WHERE client_id = "+s.engine.mark(1), []schema.Value{text(id), schema.TimeValue(at)})
		return err
	})
}

// DropClient forgets a client that registered itself, with everything that users of any business allowed it.
func (s *Store) DropClient(ctx context.Context, id string) error {
	defer s.everyone.Add(1)
	return s.engine.write(ctx, share{limit: s.limit}, func(c conn) error {
		for _, sql := range []string{
			"SELECT g.id FROM access_grant g WHERE g.client_id = " + s.engine.mark(1) + s.engine.lock(),
			"DELETE FROM credential WHERE EXISTS (SELECT 1 FROM access_grant g WHERE g.business_id = credential.business_id AND g.id = credential.parent_id AND g.client_id = " + s.engine.mark(1) + ")",
			"DELETE FROM access_grant WHERE client_id = " + s.engine.mark(1),
			"DELETE FROM client WHERE app_id IS NULL AND client_id = " + s.engine.mark(1),
		} {
			if _, err := c.exec(ctx, sql, []schema.Value{text(id)}); err != nil {
				return err
			}
		}
		return nil
	})
}

// Client finds an OAuth client, or ErrNotFound.
func (s *Store) Client(ctx context.Context, id string) (*Client, error) {
	var found *Client
	err := s.readCredentials(ctx, func(c conn) error {
		sql := "SELECT c.client_id, b.id, c.business_id, c.app_id, c.secret_hash, c.registration_hash, c.metadata, c.created_at, c.used_at FROM client c LEFT JOIN business b ON b.business_id = c.business_id WHERE c.client_id = " + s.engine.mark(1)
		return c.query(ctx, sql, []schema.Value{text(id)}, func(r row) error {
			found = &Client{
				ID: strings.Clone(r.value(0, schema.Text).S), App: r.value(3, schema.ID).UUID(), SecretHash: hashOf(r.value(4, kindBytes)), RegistrationHash: hashOf(r.value(5, kindBytes)),
				Metadata: strings.Clone(r.value(6, schema.Document).S), CreatedAt: r.value(7, schema.Time).Time(), UsedAt: instantOf(r.value(8, schema.Time)),
			}
			if business := r.value(1, schema.ID); business.Set {
				found.Tenant = &Tenant{s: s, id: business.UUID(), key: s.engine.tenantKey(business.UUID(), r.value(2, kindTenant).N)}
			}
			return nil
		})
	})
	if err == nil && found == nil {
		err = ErrNotFound
	}
	return found, err
}
