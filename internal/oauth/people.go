package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"kith/internal/crm"
	"kith/internal/problem"
	"kith/internal/query"
	"kith/internal/schema"
	"kith/internal/store"
)

// How long people's secrets live.
const (
	SessionLife = 30 * 24 * time.Hour
	inviteLife  = 7 * 24 * time.Hour
	resetLife   = time.Hour
	ticketLife  = 10 * time.Minute
)

// People logs users in and out, and lets them set their passwords.
type People struct {
	engine *crm.Engine
	store  *store.Store
	log    *slog.Logger
	mail   *Mail
	// Attempts to log in are throttled by account and by address; both refill, so nobody is locked out for good.
	byAccount, byAddress, links *Throttle
	decoy                       string
}

// NewPeople makes it. Without mail, links are logged.
func NewPeople(_ context.Context, engine *crm.Engine, mail *Mail, log *slog.Logger) (*People, error) {
	decoy, err := HashPassword("a password that nobody has")
	if err != nil {
		return nil, err
	}
	return &People{
		engine: engine, store: engine.Store(), log: log, mail: mail, decoy: decoy,
		byAccount: NewThrottle(10, 10*time.Minute), byAddress: NewThrottle(100, 10*time.Minute), links: NewThrottle(5, time.Hour),
	}, nil
}

// Why a log-in fails. Unknown account and wrong password are one and the same.
var (
	ErrWrongLogin  = errors.New("the e-mail address or the password is wrong")
	ErrTooManyTrys = errors.New("too many attempts; try again in a few minutes")
	ErrLink        = errors.New("the link has expired or was used already")
)

// LogIn checks an e-mail address and password, and gives the businesses that they open.
func (p *People) LogIn(ctx context.Context, email, password, address string) ([]store.Identity, error) {
	account := query.Fold(strings.TrimSpace(email))
	if !p.byAddress.Take(network(address)) || !p.byAccount.Take(account) {
		return nil, ErrTooManyTrys
	}
	all, err := p.store.Identities(ctx, account)
	if err != nil {
		return nil, err
	}
	var open []store.Identity
	compared := false
	for _, id := range all {
		if id.PasswordHash == "" {
			continue
		}
		compared = true
		if !CheckPassword(id.PasswordHash, password) {
			continue
		}
		u, err := id.Tenant.Get(ctx, p.store.Registry().Resource("user"), id.User, false)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		if err == nil && u.Text("status") == "active" {
			open = append(open, id)
		}
	}
	if !compared {
		CheckPassword(p.decoy, password) // so that an unknown account takes as long as a wrong password
	}
	if len(open) == 0 {
		return nil, ErrWrongLogin
	}
	p.byAccount.Forgive(account)
	return open, nil
}

// ticket is what a proof of a log-in opens: users by their businesses.
type ticket struct {
	Email string            `json:"email"`
	Users map[string]string `json:"users"`
}

// Ticket gives a proof of a log-in, to choose one of its businesses with. Like every secret it is stored as a hash: a key in the database that
// signs such proofs would let whoever reads a backup log in as anyone.
func (p *People) Ticket(email string, open []store.Identity) (string, error) {
	secret, hash := crm.NewSecret(crm.LoginTicket)
	t := ticket{Email: email, Users: map[string]string{}}
	for _, id := range open {
		t.Users[schema.FormatID("business", id.Tenant.ID())] = schema.FormatID("user", id.User)
	}
	data, err := json.Marshal(t)
	if err != nil {
		return "", err
	}
	first := open[0]
	err = first.Tenant.Write(context.Background(), store.Actor{User: first.User}, func(tx *store.Tx) error {
		return tx.PutCredential(hash, store.Credential{Kind: crm.LoginTicket, User: first.User, Parent: first.User, ExpiresAt: tx.Now.Add(ticketLife), Data: string(data)})
	})
	return secret, err
}

// Redeem gives the business that the holder of a ticket chose. A ticket is good for one choice.
func (p *People) Redeem(ctx context.Context, proof, business string) (*store.Identity, error) {
	if !crm.WellFormed(crm.LoginTicket, proof) {
		return nil, ErrWrongLogin
	}
	cred, err := p.store.Credential(ctx, crm.HashSecret(proof))
	if errors.Is(err, store.ErrNotFound) || err == nil && (cred.Kind != crm.LoginTicket || !time.Now().Before(cred.ExpiresAt)) {
		return nil, ErrWrongLogin
	}
	if err != nil {
		return nil, err
	}
	var t ticket
	if err := json.Unmarshal([]byte(cred.Data), &t); err != nil {
		return nil, fmt.Errorf("read a ticket: %w", err)
	}
	all, err := p.store.Identities(ctx, t.Email)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(all, func(id store.Identity) bool {
		return schema.FormatID("business", id.Tenant.ID()) == business && t.Users[business] == schema.FormatID("user", id.User)
	})
	if at < 0 {
		return nil, ErrWrongLogin
	}
	used := false
	err = cred.Tenant.Write(ctx, store.Actor{User: cred.User}, func(tx *store.Tx) (err error) {
		used, err = tx.UseCredential(crm.HashSecret(proof))
		return err
	})
	if err != nil {
		return nil, err
	}
	if !used {
		return nil, ErrWrongLogin
	}
	return &all[at], nil
}

// StartSession logs a user in and gives the cookie. It is always a new one, so that a cookie planted before means nothing.
func (p *People) StartSession(ctx context.Context, t store.Tenant, user schema.UUID, agent, address string) (string, error) {
	cookie, hash := crm.NewSecret(crm.SessionCookie)
	agent, address = brief(agent), brief(address)
	err := t.Write(ctx, store.Actor{User: user}, func(tx *store.Tx) error {
		if err := holdActive(tx, user); err != nil {
			return err
		}
		s := store.Session{ID: schema.NewID(tx.Now), User: user, Agent: agent, Address: address}
		if err := tx.PutSession(s); err != nil {
			return err
		}
		return tx.PutCredential(hash, store.Credential{Kind: crm.SessionCookie, User: user, Parent: s.ID, ExpiresAt: tx.Now.Add(SessionLife)})
	})
	return cookie, err
}

// brief is what is kept of a text that a browser sent: what every database takes, and not much of it.
func brief(text string) string {
	runes := []rune(strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), ""))
	return string(runes[:min(len(runes), 200)])
}

// holdActive keeps a user from being suspended until the transaction is over, so that what it gives them cannot outlive that. A user who is not
// active is refused.
func holdActive(tx *store.Tx, user schema.UUID) error {
	u, err := tx.Get(&crm.KindOf("user").Resource, user, false)
	if errors.Is(err, store.ErrNotFound) || err == nil && u.Text("status") != "active" {
		return ErrWrongLogin
	}
	return err
}

// EndSession ends one of the principal's log-ins.
func (p *People) EndSession(ctx context.Context, who *crm.Principal, id schema.UUID) error {
	return who.Tenant.Write(ctx, who.Actor(""), func(tx *store.Tx) error { return tx.EndSession(who.User, id) })
}

// EndGrant takes back what the principal allowed an app.
func (p *People) EndGrant(ctx context.Context, who *crm.Principal, id schema.UUID) error {
	return who.Tenant.Write(ctx, who.Actor(""), func(tx *store.Tx) error { return tx.EndGrant(who.User, id) })
}

// ChangePassword sets a new password for someone who knows the old one, and ends their other log-ins.
func (p *People) ChangePassword(ctx context.Context, who *crm.Principal, session schema.UUID, old, fresh string) error {
	if !p.byAccount.Take(schema.FormatID("user", who.User)) {
		return ErrTooManyTrys
	}
	hash, err := who.Tenant.Password(ctx, who.User)
	if err != nil {
		return err
	}
	if !CheckPassword(hash, old) {
		var wrong problem.Fields
		wrong.Add("old_password", "not_allowed", "is not your password")
		return wrong.Err()
	}
	p.byAccount.Forgive(schema.FormatID("user", who.User))
	if hash, err = HashPassword(fresh); err != nil {
		return err
	}
	others, err := who.Tenant.Sessions(ctx, who.User)
	if err != nil {
		return err
	}
	return who.Tenant.Write(ctx, who.Actor(""), func(tx *store.Tx) error {
		for _, s := range others {
			if s.ID == session {
				continue
			}
			if err := tx.EndSession(who.User, s.ID); err != nil {
				return err
			}
		}
		if err := tx.DropCredentials(who.User); err != nil { // a link that was sent before is void
			return err
		}
		return tx.SetPassword(who.User, hash)
	})
}

// linkData says what a single-use link is for.
type linkData struct {
	Purpose string `json:"purpose"`
}

// Invite sends a user the link with which they set their first password.
func (p *People) Invite(ctx context.Context, t store.Tenant, user schema.UUID, origin string) error {
	return p.sendLink(ctx, t, user, "invite", inviteLife, origin)
}

// Forgot sends reset links to an e-mail address, if it can log in anywhere. The caller cannot tell whether it can.
func (p *People) Forgot(ctx context.Context, email, address, origin string) error {
	account := query.Fold(strings.TrimSpace(email))
	if !p.byAddress.Take(network(address)) || !p.links.Take(account) {
		return ErrTooManyTrys
	}
	// What follows takes longer where there is an account, so the caller does not wait for it.
	ctx = context.WithoutCancel(ctx)
	go func() {
		all, err := p.store.Identities(ctx, account)
		for _, id := range all {
			err = errors.Join(err, p.sendLink(ctx, id.Tenant, id.User, "reset", resetLife, origin))
		}
		if err != nil {
			p.log.Error("reset links", "error", err)
		}
	}()
	return nil
}

// NewLink sends a user a link that sets their password: the first, where they were invited, or a new one.
func (p *People) NewLink(ctx context.Context, t store.Tenant, user *schema.Record, origin string) error {
	if user.Text("status") == "invited" {
		return p.Invite(ctx, t, user.ID(), origin)
	}
	return p.sendLink(ctx, t, user.ID(), "reset", resetLife, origin)
}

// Mails tells whether links are sent by mail; where they are not, someone has to hand them on.
func (p *People) Mails() bool { return p.mail != nil }

type shownLinks struct{}

// ShowLinks gives a context in which the paths of links that no mail server could take are also kept for the caller to show. It is for those
// who may hand them on.
func ShowLinks(ctx context.Context) (context.Context, *[]string) {
	links := &[]string{}
	return context.WithValue(ctx, shownLinks{}, links), links
}

func (p *People) sendLink(ctx context.Context, t store.Tenant, user schema.UUID, purpose string, life time.Duration, origin string) error {
	secret, hash := crm.NewSecret(crm.SingleUseLink)
	data, err := json.Marshal(linkData{Purpose: purpose})
	if err != nil {
		return err
	}
	var email string
	err = t.Write(ctx, store.Actor{User: user}, func(tx *store.Tx) error {
		email = ""
		u, err := tx.Peek(p.store.Registry().Resource("user"), user)
		if err != nil {
			return err
		}
		if u.Text("status") == "suspended" {
			return nil
		}
		email = u.Text("email")
		if err := tx.DropCredentials(user); err != nil { // an earlier link is void
			return err
		}
		return tx.PutCredential(hash, store.Credential{Kind: crm.SingleUseLink, User: user, Parent: user, ExpiresAt: tx.Now.Add(life), Data: string(data)})
	})
	if err != nil || email == "" {
		return err
	}
	business, err := t.Business(ctx)
	if err != nil {
		return err
	}
	link := origin + "/link/" + secret
	subject, text := "Choose a new password for kith", "Someone, hopefully you, asked for a new password for "+business.Name+" on kith.\n\nThis link works once, within an hour:\n"+link+"\n\nIf it was not you, there is nothing to do.\n"
	if purpose == "invite" {
		subject, text = "You are invited to "+business.Name+" on kith", "You are invited to "+business.Name+" on kith.\n\nThis link works once, within seven days, and lets you choose a password:\n"+link+"\n"
	}
	if p.mail == nil {
		if shown, ok := ctx.Value(shownLinks{}).(*[]string); ok {
			*shown = append(*shown, "/link/"+secret)
		}
		p.log.Warn("no mail server is configured; hand this link on", "purpose", purpose, "email", email, "link", link)
		return nil
	}
	return p.mail.Send(email, subject, text)
}

// Link is a single-use link that was opened and not used yet.
type Link struct {
	Tenant   store.Tenant
	User     schema.UUID
	Purpose  string
	Email    string
	Business string
}

// OpenLink finds what a link is for, without using it: mail programs open links on their own.
func (p *People) OpenLink(ctx context.Context, secret string) (*Link, error) {
	if !crm.WellFormed(crm.SingleUseLink, secret) {
		return nil, ErrLink
	}
	cred, err := p.store.Credential(ctx, crm.HashSecret(secret))
	if errors.Is(err, store.ErrNotFound) {
		return nil, ErrLink
	}
	if err != nil {
		return nil, err
	}
	if cred.Kind != crm.SingleUseLink || !cred.UsedAt.IsZero() || !time.Now().Before(cred.ExpiresAt) {
		return nil, ErrLink
	}
	var data linkData
	if err := json.Unmarshal([]byte(cred.Data), &data); err != nil {
		return nil, fmt.Errorf("read a link: %w", err)
	}
	u, err := cred.Tenant.Get(ctx, p.store.Registry().Resource("user"), cred.User, false)
	if errors.Is(err, store.ErrNotFound) || err == nil && u.Text("status") == "suspended" {
		return nil, ErrLink
	}
	if err != nil {
		return nil, err
	}
	business, err := cred.Tenant.Business(ctx)
	if err != nil {
		return nil, err
	}
	return &Link{Tenant: cred.Tenant, User: cred.User, Purpose: data.Purpose, Email: u.Text("email"), Business: business.Name}, nil
}

// UseLink sets a password by a link, activates an invited user, and ends all log-ins from before.
func (p *People) UseLink(ctx context.Context, secret, password string) (*Link, error) {
	link, err := p.OpenLink(ctx, secret)
	if err != nil {
		return nil, err
	}
	hash, err := HashPassword(password)
	if err != nil {
		return nil, err
	}
	sessions, err := link.Tenant.Sessions(ctx, link.User)
	if err != nil {
		return nil, err
	}
	used := false
	err = link.Tenant.Write(ctx, store.Actor{User: link.User}, func(tx *store.Tx) error {
		if used, err = tx.UseCredential(crm.HashSecret(secret)); err != nil || !used {
			return err
		}
		for _, s := range sessions {
			if err := tx.EndSession(link.User, s.ID); err != nil {
				return err
			}
		}
		if err := tx.DropCredentials(link.User); err != nil { // as is whatever the old password was good for
			return err
		}
		if err := tx.SetPassword(link.User, hash); err != nil {
			return err
		}
		return p.engine.Activate(tx, link.User)
	})
	if err == nil && !used {
		err = ErrLink
	}
	return link, err
}
