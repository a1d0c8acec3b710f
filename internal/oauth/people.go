package oauth

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
	"github.com/kith-crm/kith/internal/store/queue"
)

// How long people's secrets live.
const (
	SessionLife = 30 * 24 * time.Hour
	inviteLife  = 7 * 24 * time.Hour
	resetLife   = time.Hour
	confirmLife = 7 * 24 * time.Hour
	ticketLife  = 10 * time.Minute
)

// People logs users in and out, and lets them set their passwords.
type People struct {
	engine *record.Engine
	store  *store.Store
	log    *slog.Logger
	mail   *Mail
	// origin is where links lead.
	origin string
	// Attempts to log in are throttled by account and by address; both refill, so nobody is locked out for good.
	byAccount, byAddress, links *shared
	// What a business lets be mailed is throttled by the address that it goes to, and altogether.
	toOne, byBusiness *shared
	decoy             recipe
	failures          *failures
	// providers asks identity providers, for which so many wait.
	providers *http.Client
	waiting   waiting
	// hashes counts the hashes that were computed to check passwords.
	hashes atomic.Int64
	// seal is that of what browsers keep for us.
	seal *Seal
	// now is the clock by which codes of authenticator apps are checked.
	now func() time.Time
}

// PeopleOptions are what People needs beside the engine.
type PeopleOptions struct {
	// Mail sends links; without it they are logged.
	Mail *Mail
	Log  *slog.Logger
	// Origin begins the links: scheme and host of the server. It never comes from a request, whose Host header a stranger can choose.
	Origin string
	// OwnNetwork lets the identity providers of businesses be in the server's own network, and on the own machine without https.
	OwnNetwork bool
}

// NewPeople makes it.
func NewPeople(ctx context.Context, engine *record.Engine, o PeopleOptions) (*People, error) {
	seal, err := SharedSeal(ctx, engine.Store(), "asked")
	if err != nil {
		return nil, err
	}
	throttled := func(name string, most int, period time.Duration) *shared {
		return newShared(name, most, period, engine.Store(), o.Log)
	}
	return &People{
		providers: askProviders(o.OwnNetwork), waiting: waiting{by: map[schema.UUID]int{}},
		engine: engine, store: engine.Store(), log: o.Log, mail: o.Mail, origin: strings.TrimSuffix(o.Origin, "/"), decoy: newRecipe(),
		seal: seal, now: time.Now, failures: newFailures(o.Log),
		byAccount: throttled("account", 10, 10*time.Minute), byAddress: throttled("address", 100, 10*time.Minute),
		links: throttled("link", 5, time.Hour),
		toOne: throttled("mail to one", 10, time.Hour), byBusiness: throttled("mail of a business", 500, 24*time.Hour),
	}, nil
}

// Why a log-in fails. Unknown account and wrong password are one and the same.
var (
	ErrWrongLogin   = errors.New("the e-mail address or the password is wrong")
	ErrTooManyTries = errors.New("too many attempts; try again in a few minutes")
	ErrLink         = errors.New("the link has expired or was used already")
)

// LogIn checks an e-mail address and password, and gives the businesses that they open.
func (p *People) LogIn(ctx context.Context, email, password, address string) ([]keep.Identity, error) {
	if err := hashing.full(); err != nil {
		return nil, err
	}
	email = strings.TrimSpace(email)
	folded := query.FoldCase(email)
	if !p.byAddress.Take(ctx, network(address)) {
		p.failed(ctx, toLogIn, "too many attempts", address, email)
		return nil, ErrTooManyTries
	}
	all, err := keep.Identities(ctx, p.store, folded)
	if err != nil {
		return nil, err
	}
	if _, wrong := schema.Email.Normalize(email); wrong != "" || !PlainText(email) {
		all = nil // what is compared leaves out what nobody can see
	}
	all, left := p.withAttemptsLeft(ctx, folded, all)
	if !left {
		p.failed(ctx, toLogIn, "too many attempts", address, email)
		return nil, ErrTooManyTries
	}
	right, err := p.withPassword(ctx, all, password)
	if err != nil {
		return nil, err
	}
	reason := "wrong password"
	if len(all) == 0 {
		reason = "unknown address"
	}
	var open []keep.Identity
	for _, id := range right {
		u, err := id.Tenant.Get(ctx, p.store.Registry().Resource("user"), id.User, false)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		if err != nil || u.Text(account.Users.Status) != "active" {
			reason = "not active"
			continue
		}
		open = append(open, id)
	}
	if len(open) == 0 {
		p.failed(ctx, toLogIn, reason, address, email, all...)
		return nil, ErrWrongLogin
	}
	for _, id := range open {
		p.byAccount.Forgive(ctx, toLogInTo(id))
	}
	p.shareRecipe(ctx, open)
	return open, nil
}

// accountOf is what the attempts at the password of a user are counted by. The user alone would not do: whoever brings a user of the same
// id into a business of their own would have those at another's forgiven.
func accountOf(t store.Tenant, user schema.UUID) string {
	return schema.FormatID("business", t.ID()) + " " + schema.FormatID("user", user)
}

// toLogInTo is what attempts to log in to an account are counted by: no stranger is to hinder who is logged in there.
func toLogInTo(id keep.Identity) string { return toLogIn + " " + accountOf(id.Tenant, id.User) }

// withAttemptsLeft counts an attempt at each of an address's identities, and gives those that had one left; false where none had. Each has
// a count of its own, because whoever knows the password of an address in one business must not have the attempts at that of another
// forgiven. An address that nobody has is counted, too.
func (p *People) withAttemptsLeft(ctx context.Context, address string, all []keep.Identity) ([]keep.Identity, bool) {
	if len(all) == 0 {
		return nil, p.byAccount.Take(ctx, address)
	}
	keys := make([]string, len(all))
	for i, id := range all {
		keys[i] = toLogInTo(id)
	}
	var left []keep.Identity
	for i, had := range p.byAccount.TakeEach(ctx, keys...) {
		if had {
			left = append(left, all[i])
		}
	}
	return left, len(left) > 0
}

// withPassword gives those of an address's identities that a password is right for. It computes one hash for each recipe among
// them, which is one for all, and one where there is nothing to compare: how long it takes tells nothing.
func (p *People) withPassword(ctx context.Context, all []keep.Identity, password string) (right []keep.Identity, err error) {
	keys := map[recipe][]byte{}
	for _, id := range all {
		r, key := split(id.Hash)
		if key == nil {
			continue
		}
		if keys[r] == nil {
			if keys[r], err = p.derive(ctx, r, password); err != nil {
				return nil, err
			}
		}
		if subtle.ConstantTimeCompare(key, keys[r]) == 1 {
			right = append(right, id)
		}
	}
	if len(keys) == 0 {
		_, err = p.derive(ctx, p.decoy, password)
	}
	return right, err
}

func (p *People) derive(ctx context.Context, r recipe, password string) ([]byte, error) {
	p.hashes.Add(1)
	return r.derive(ctx, password)
}

// shareRecipe lets the passwords that one log-in opened have one recipe from now on. They can differ where the passwords were set
// before they belonged to one address. Where it fails, the next log-in tries again.
func (p *People) shareRecipe(ctx context.Context, open []keep.Identity) {
	shared, _ := split(open[0].Hash)
	for _, id := range open[1:] {
		if r, _ := split(id.Hash); r == shared {
			continue
		}
		err := id.Tenant.Keep(ctx, store.Actor{User: id.User},
			func(tx *store.Tx) error { return keep.ResaltPassword(tx, id.User, id.Password, open[0].Hash) })
		if err != nil {
			p.log.Error("share a recipe", "error", err)
		}
	}
}

// What a password is asked for.
const (
	toLogIn          = "log-in"
	toConfirm        = "confirmation"
	toChangePassword = "change of password"
	toConfirmAddress = "confirmation of an address"
)

// audited are the attempts that the audit log tells of where they fail.
var audited = map[string]string{
	toLogIn: record.LogInFailed, toConfirm: record.ConfirmationFailed, toChangePassword: record.ConfirmationFailed,
	toConfirmAddress: record.ConfirmationFailed,
}

// failed notes down an attempt that was refused, so that an attack can be seen and traced. An address is noted only where it has
// the form of one: people also type their password there.
func (p *People) failed(ctx context.Context, what, reason, address, email string, whose ...keep.Identity) {
	if normal, wrong := schema.Email.Normalize(email); wrong != "" || !PlainText(normal) {
		email = ""
	}
	users := make([]string, len(whose))
	for i, id := range whose {
		users[i] = schema.FormatID("user", id.User)
	}
	if action := audited[what]; action != "" {
		for _, id := range whose {
			if id.Tenant.ID() != (schema.UUID{}) {
				p.failures.note(ctx, action, id)
			}
		}
	}
	p.log.Warn(what+" refused", "reason", reason, "address", brief(address), "email", email, "users", users, "request_id",
		requestNumber(ctx))
}

// ticket is what a proof of a log-in opens: users by their businesses.
type ticket struct {
	Email string                 `json:"email"`
	Users map[string]provenLogin `json:"users"`
}

// provenLogin is a user and which of their passwords was right.
type provenLogin struct {
	User  string    `json:"user"`
	SetAt time.Time `json:"set_at"`
}

// Ticket gives a proof of a log-in, to choose one of its businesses with. Like every secret it is stored as a hash: a key in the
// database that signs such proofs would let whoever reads a backup log in as anyone.
func (p *People) Ticket(email string, open []keep.Identity) (string, error) {
	secret, hash := record.NewSecret(record.LoginTicket, open[0].Tenant.ID())
	t := ticket{Email: email, Users: map[string]provenLogin{}}
	for _, id := range open {
		t.Users[schema.FormatID("business", id.Tenant.ID())] = provenLogin{schema.FormatID("user", id.User), id.SetAt}
	}
	first := open[0]
	err := first.Tenant.Keep(context.Background(), store.Actor{User: first.User}, func(tx *store.Tx) error {
		return keep.PutCredential(tx, hash, keep.Credential{
			Kind: record.LoginTicket, User: first.User, Parent: first.User,
			ExpiresAt: tx.Now.Add(ticketLife), Data: written(t),
		})
	})
	return secret, err
}

// ticketed finds what a ticket and, where there is a choice, a business stand for: ErrWrongLogin where it is over or the password changed.
func (p *People) ticketed(ctx context.Context, proof, business string) (*keep.Credential, *keep.Identity, error) {
	cred, err := p.usable(ctx, proof, ErrWrongLogin, record.LoginTicket)
	if err != nil {
		return nil, nil, err
	}
	var t ticket
	if err := json.Unmarshal([]byte(cred.Data), &t); err != nil {
		return nil, nil, fmt.Errorf("read a ticket: %w", err)
	}
	if business == "" && len(t.Users) == 1 {
		for business = range t.Users {
		}
	}
	all, err := keep.Identities(ctx, p.store, t.Email)
	if err != nil {
		return nil, nil, err
	}
	proven := t.Users[business]
	at := slices.IndexFunc(all, func(id keep.Identity) bool {
		return schema.FormatID("business", id.Tenant.ID()) == business && proven.User == schema.FormatID("user", id.User) &&
			proven.SetAt.Equal(id.SetAt)
	})
	if at < 0 {
		return nil, nil, ErrWrongLogin
	}
	return cred, &all[at], nil
}

// usable finds a secret of some kinds that has not been used and is not over; otherwise it gives none.
func (p *People) usable(ctx context.Context, secret string, none error, kinds ...string) (*keep.Credential, error) {
	if !slices.ContainsFunc(kinds, func(kind string) bool { return record.WellFormed(kind, secret) }) {
		return nil, none
	}
	cred, err := keep.FindCredential(ctx, p.store, record.Presented(secret))
	if errors.Is(err, store.ErrNotFound) ||
		err == nil && (!slices.Contains(kinds, cred.Kind) || !cred.UsedAt.IsZero() || !time.Now().Before(cred.ExpiresAt)) {
		return nil, none
	}
	return cred, err
}

// useOnce uses up a secret that works once; where it was used already it gives spent.
func useOnce(tx *store.Tx, secret string, spent error) error {
	used, err := keep.UseCredential(tx, record.HashSecret(secret))
	if err == nil && !used {
		err = spent
	}
	return err
}

// Redeem gives the business that the holder of a ticket chose. It is good for one choice, and only for the password it was given for.
func (p *People) Redeem(ctx context.Context, proof, business string) (*keep.Identity, error) {
	cred, id, err := p.ticketed(ctx, proof, business)
	if err != nil {
		return nil, err
	}
	err = cred.Tenant.Keep(ctx, store.Actor{User: cred.User}, func(tx *store.Tx) error { return useOnce(tx, proof, ErrWrongLogin) })
	if err != nil {
		return nil, err
	}
	return id, nil
}

// sessionData is what is kept with a session.
type sessionData struct {
	// ByProvider tells that the identity provider has seen to the factors.
	ByProvider bool `json:"by_provider,omitempty"`
}

// holdPassword keeps an active user as they are until the transaction is over, and refuses them where a password is not theirs any more.
// Whoever sets a password holds the user first, too.
func holdPassword(tx *store.Tx, user schema.UUID, proven keep.Password) error {
	if err := holdActive(tx, user); err != nil {
		return err
	}
	now, err := keep.HeldPassword(tx, user)
	if err == nil && (now.Hash == "" || !now.SetAt.Equal(proven.SetAt)) {
		err = ErrWrongLogin
	}
	return err
}

// brief is what is kept of a text that a browser sent: what every database takes, and not much of it.
func brief(text string) string {
	runes := []rune(strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), ""))
	return string(runes[:min(len(runes), 200)])
}

// holdActive keeps a user from being suspended until the transaction is over, so that nothing outlives that. Others are refused.
func holdActive(tx *store.Tx, user schema.UUID) error {
	u, err := tx.Get(&record.KindOf("user").Resource, user, false)
	if errors.Is(err, store.ErrNotFound) || err == nil && u.Text(account.Users.Status) != "active" {
		return ErrWrongLogin
	}
	return err
}

// EndSession ends one of the principal's log-ins.
func (p *People) EndSession(ctx context.Context, who *record.Principal, id schema.UUID) error {
	return who.Tenant.Keep(ctx, from(ctx, who.Actor("")), func(tx *store.Tx) error {
		ended, err := keep.EndSession(tx, who.User, id)
		if ended {
			tx.Audit(record.AuditOf(record.SessionEnded, who.User))
		}
		return err
	})
}

// EndOtherSessions ends all of the principal's log-ins but one.
func (p *People) EndOtherSessions(ctx context.Context, who *record.Principal, but schema.UUID) error {
	return who.Tenant.Keep(ctx, from(ctx, who.Actor("")), func(tx *store.Tx) error {
		tx.Audit(record.AuditOf(record.SessionEnded, who.User))
		return keep.EndSessions(tx, record.SessionCookie, who.User, but)
	})
}

// EndGrant takes back what the principal allowed an app.
func (p *People) EndGrant(ctx context.Context, who *record.Principal, id schema.UUID) error {
	return who.Tenant.Keep(ctx, from(ctx, who.Actor("")), func(tx *store.Tx) error { return endGrant(tx, who.User, id) })
}

// endGrant takes back what a user allowed an app.
func endGrant(tx *store.Tx, user, id schema.UUID) error {
	client, err := keep.EndGrant(tx, user, id)
	if err == nil && client != "" {
		tx.Audit(record.AuditOfClient(record.GrantEnded, client))
	}
	return err
}

// ConfirmedAt tells when the person of a session last showed that it is them: at log-in, or in Confirm.
func (p *People) ConfirmedAt(ctx context.Context, who *record.Principal, session schema.UUID) (time.Time, error) {
	return keep.ConfirmedAt(ctx, who.Tenant, who.User, session)
}

// prove checks a user's password, throttled as a log-in is.
func (p *People) prove(ctx context.Context, what string, t store.Tenant, user schema.UUID, password, address string) (keep.Password,
	error,
) {
	id := keep.Identity{Tenant: t, User: user}
	if err := hashing.full(); err != nil {
		return id.Password, err
	}
	theirs := accountOf(t, user)
	if address != "" && !p.byAddress.Take(ctx, network(address)) || !p.byAccount.Take(ctx, theirs) {
		p.failed(ctx, what, "too many attempts", address, "", id)
		return id.Password, ErrTooManyTries
	}
	var err error
	if id.Password, err = keep.FindPassword(ctx, t, user); err != nil {
		return id.Password, err
	}
	right, err := p.withPassword(ctx, []keep.Identity{id}, password)
	if err != nil {
		return id.Password, err
	}
	if len(right) == 0 {
		p.failed(ctx, what, "wrong password", address, "", id)
		return id.Password, ErrWrongLogin
	}
	p.byAccount.Forgive(ctx, theirs)
	return id.Password, nil
}

// ChangePassword sets a new password for someone who knows the old one, and ends their other log-ins.
func (p *People) ChangePassword(ctx context.Context, who *record.Principal, session schema.UUID, old, fresh string) error {
	err := p.changePassword(ctx, who, session, old, fresh)
	if errors.Is(err, ErrWrongLogin) {
		return problem.Wrong("old_password", "not_allowed", "is not your password")
	}
	return err
}

func (p *People) changePassword(ctx context.Context, who *record.Principal, session schema.UUID, old, fresh string) error {
	proven, err := p.prove(ctx, toChangePassword, who.Tenant, who.User, old, "")
	if err != nil {
		return err
	}
	u, err := who.Tenant.Get(ctx, &record.KindOf("user").Resource, who.User, false)
	if err != nil {
		return err
	}
	hash, err := HashPasswordFor(ctx, p.store, u.Text(account.Users.Email), fresh)
	if err != nil {
		return err
	}
	return who.Tenant.Keep(ctx, from(ctx, who.Actor("")), func(tx *store.Tx) error {
		if err := holdPassword(tx, who.User, proven); err != nil {
			return err
		}
		if err := setPassword(tx, who.User, session, hash); err != nil {
			return err
		}
		return keep.ConfirmSession(tx, who.User, session)
	})
}

// setPassword replaces the password of a user whom the transaction holds. It ends their log-ins, but for one that goes on, and the webhooks
// that they made in the app, and makes void whatever the old password was good for and every link to set one. A link that confirms an
// address stays: it asks for the new password.
func setPassword(tx *store.Tx, user, goesOn schema.UUID, hash string) error {
	if err := keep.EndSessions(tx, record.SessionCookie, user, goesOn); err != nil {
		return err
	}
	for _, kind := range []string{record.SingleUseLink, record.LoginTicket} {
		if err := keep.DropSecrets(tx, kind, user); err != nil {
			return err
		}
	}
	if err := queue.EndHooks(tx, user); err != nil {
		return err
	}
	tx.Audit(record.AuditOf(record.PasswordChanged, user))
	return keep.SetPassword(tx, user, hash)
}
