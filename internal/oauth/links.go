package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
)

// What a link is for.
const purposeInvite, purposeReset, purposeEmail = "invite", "reset", "email"

// linkData says what a single-use link is for, and which address it was sent to. It is good only as long as that is the user's.
type linkData struct {
	Purpose string `json:"purpose"`
	Email   string `json:"email"`
}

// letter is a link as it is sent.
type letter struct {
	kind, purpose string
	life          time.Duration
	// replaces tells whether earlier links for the same are void. They are where someone in charge sends a new one; a stranger who
	// asks for one must not take from its owner the one that they have.
	replaces bool
}

var (
	invitation    = letter{record.SingleUseLink, purposeInvite, inviteLife, true}
	newInvitation = letter{record.SingleUseLink, purposeInvite, inviteLife, false}
	reset         = letter{record.SingleUseLink, purposeReset, resetLife, true}
	askedReset    = letter{record.SingleUseLink, purposeReset, resetLife, false}
	confirmation  = letter{record.EmailLink, purposeEmail, confirmLife, true}
)

// Invited sends the link of Invite, and logs where it cannot.
func (p *People) Invited(ctx context.Context, t store.Tenant, user schema.UUID) {
	if err := p.Invite(ctx, t, user); err != nil {
		p.log.Error("invitation", "error", err)
	}
}

// Readdressed sends the link of AskToConfirm, and logs where it cannot.
func (p *People) Readdressed(ctx context.Context, t store.Tenant, user schema.UUID) {
	if err := p.AskToConfirm(ctx, t, user); err != nil {
		p.log.Error("confirmation of an address", "error", err)
	}
}

// Invite sends a user the link with which they set their first password.
func (p *People) Invite(ctx context.Context, t store.Tenant, user schema.UUID) error {
	return p.send(ctx, t, user, invitation, store.Actor{})
}

// send sends a link on behalf of a business, unless it has sent too many: to one address, or altogether. Whoever has a business chooses the
// addresses and its name, so without a bound the server would send strangers' advertisements. An earlier link stays good then.
func (p *People) send(ctx context.Context, t store.Tenant, user schema.UUID, l letter, by store.Actor) error {
	u, err := t.Get(ctx, p.store.Registry().Resource("user"), user, false)
	if err != nil {
		return ignoreAbsent(err)
	}
	business, to := schema.FormatID("business", t.ID()), goesTo(u, l.purpose)
	if !p.toOne.Take(ctx, business+" "+query.FoldCase(to)) || !p.byBusiness.Take(ctx, business) {
		p.failed(ctx, "link to "+l.purpose, "too many were sent", "", to, keep.Identity{User: user})
		return ErrTooManyTries
	}
	return p.sendLink(ctx, t, user, l, by)
}

// Forgot sends links to an address, if it can log in anywhere: for a new password, or the first. The caller cannot tell whether it can.
func (p *People) Forgot(ctx context.Context, email, address string) error {
	email = strings.TrimSpace(email)
	account := query.FoldCase(email)
	if !p.byAddress.Take(ctx, network(address)) || !p.links.Take(ctx, account) {
		p.failed(ctx, "link", "too many requests", address, email)
		return ErrTooManyTries
	}
	// What follows takes longer where there is an account, so the caller does not wait for it.
	ctx = context.WithoutCancel(ctx)
	go func() {
		all, err := keep.Identities(ctx, p.store, account)
		for _, id := range all {
			err = errors.Join(err, p.forgot(ctx, id))
		}
		if err != nil {
			p.log.Error("reset links", "error", err)
		}
	}()
	return nil
}

func (p *People) forgot(ctx context.Context, id keep.Identity) error {
	u, err := id.Tenant.Get(ctx, p.store.Registry().Resource("user"), id.User, false)
	if err != nil {
		return ignoreAbsent(err)
	}
	l := askedReset
	if u.Text(account.Users.Status) == "invited" {
		l = newInvitation
	}
	return p.sendLink(ctx, id.Tenant, id.User, l, store.Actor{})
}

// NewLink sends a user a link that sets their password on somebody's behalf: the first, where they were invited, or a new one.
func (p *People) NewLink(ctx context.Context, t store.Tenant, user *schema.Record, by store.Actor) error {
	if user.Text(account.Users.Status) == "invited" {
		return p.send(ctx, t, user.ID(), invitation, by)
	}
	return p.send(ctx, t, user.ID(), reset, by)
}

// AskToConfirm sends the link that confirms a user's new e-mail address to that address, and tells the old one.
func (p *People) AskToConfirm(ctx context.Context, t store.Tenant, user schema.UUID) error {
	if !p.links.Take(ctx, accountOf(t, user)) {
		p.failed(ctx, "confirmation of an address", "too many requests", "", "", keep.Identity{User: user})
		return ErrTooManyTries
	}
	u, err := t.Get(ctx, p.store.Registry().Resource("user"), user, false)
	if err != nil {
		return ignoreAbsent(err)
	}
	if err := p.send(ctx, t, user, confirmation, store.Actor{}); err != nil {
		return err
	}
	return p.inform(u.Text(account.Users.Email), "Your e-mail address on kith is to change",
		"Someone, hopefully you or an administrator, asked that you log in to kith as "+u.Text(account.Users.PendingEmail)+
			" instead of "+u.Text(account.Users.Email)+".\n\nIt counts once it is confirmed with a link sent there and your password. "+
			"If it was not you, choose a new password and tell your administrator.\n")
}

// inform sends a message that asks for nothing. Where there is no mail server there is nobody who could be informed.
func (p *People) inform(to, subject, text string) error {
	if p.mail == nil {
		return nil
	}
	return p.mail.Send(to, subject, text)
}

// Mails tells whether links are sent by mail; where they are not, someone has to hand them on.
func (p *People) Mails() bool { return p.mail != nil }

type shownLinks struct{}

// ShowLinks gives a context in which the paths of links that no mail server takes are also kept, for those who may hand them on.
func ShowLinks(ctx context.Context) (context.Context, *[]string) {
	links := &[]string{}
	return context.WithValue(ctx, shownLinks{}, links), links
}

func (p *People) sendLink(ctx context.Context, t store.Tenant, user schema.UUID, l letter, by store.Actor) error {
	secret, hash := record.NewSecret(l.kind, t.ID())
	var email string
	err := t.Keep(ctx, from(ctx, by), func(tx *store.Tx) error {
		email = ""
		// The user is held, so that the link cannot come beside a change of their address and outlive it.
		u, err := tx.Get(p.store.Registry().Resource("user"), user, false)
		if err != nil {
			return err
		}
		if account.Suspended(u) {
			return nil
		}
		if email = goesTo(u, l.purpose); email == "" {
			return nil
		}
		if l.replaces {
			if err := keep.DropSecrets(tx, l.kind, user); err != nil {
				return err
			}
		}
		made := record.AuditOf(record.LinkMade, user, l.purpose)
		made.Stranger = !l.replaces
		tx.Audit(made)
		return keep.PutCredential(tx, hash, keep.Credential{
			Kind: l.kind, User: user, Parent: user, ExpiresAt: tx.Now.Add(l.life), Data: written(linkData{l.purpose, email}),
		})
	})
	if err != nil || email == "" {
		return err
	}
	business, err := t.Business(ctx)
	if err != nil {
		return err
	}
	link := p.origin + "/link/" + secret
	if p.mail == nil {
		if shown, ok := ctx.Value(shownLinks{}).(*[]string); ok {
			*shown = append(*shown, "/link/"+secret)
		}
		p.log.Warn("no mail server is configured; hand this link on", "purpose", l.purpose, "email", email, "link", link)
		return nil
	}
	subject, text := l.words(business.Name, link)
	return p.mail.Send(email, subject, text)
}

// goesTo is the address that a link is sent to.
func goesTo(u *schema.Record, purpose string) string {
	if purpose == purposeEmail {
		return u.Text(account.Users.PendingEmail)
	}
	return u.Text(account.Users.Email)
}

func (l letter) words(business, link string) (subject, text string) {
	switch l.purpose {
	case purposeInvite:
		return "You are invited to " + business + " on kith", "You are invited to " + business +
			" on kith.\n\nThis link works once, within seven days, and lets you choose a password:\n" + link + "\n"
	case purposeEmail:
		return "Confirm your e-mail address for kith",
			"This address was given for someone who works with " + business + " on kith.\n\nIf it is you, confirm it with this link, " +
				"within seven days, and your password:\n" + link + "\n\nIf it is not, there is nothing to do.\n"
	default:
		return "Choose a new password for kith",
			"Someone, hopefully you, asked for a new password for " + business + " on kith.\n\nThis link works " +
				"once, within an hour:\n" + link + "\n\nIf it was not you, there is nothing to do.\n"
	}
}

// Link is a single-use link that was opened and not used yet.
type Link struct {
	Tenant  store.Tenant
	User    schema.UUID
	Purpose string
	// Email is the address that the link was sent to.
	Email    string
	Business string
}

// OpenLink finds what a link is for, without using it: mail programs open links on their own.
func (p *People) OpenLink(ctx context.Context, secret string) (*Link, error) {
	cred, err := p.usable(ctx, secret, ErrLink, record.SingleUseLink, record.EmailLink)
	if err != nil {
		return nil, err
	}
	var data linkData
	if err := json.Unmarshal([]byte(cred.Data), &data); err != nil {
		return nil, fmt.Errorf("read a link: %w", err)
	}
	u, err := cred.Tenant.Get(ctx, p.store.Registry().Resource("user"), cred.User, false)
	if errors.Is(err, store.ErrNotFound) || err == nil && !data.goodFor(u) {
		return nil, ErrLink
	}
	if err != nil {
		return nil, err
	}
	business, err := cred.Tenant.Business(ctx)
	if err != nil {
		return nil, err
	}
	return &Link{Tenant: cred.Tenant, User: cred.User, Purpose: data.Purpose, Email: goesTo(u, data.Purpose), Business: business.Name}, nil
}

// goodFor tells whether a user can still use a link. One without an address is from when every change of address ended links.
func (d linkData) goodFor(u *schema.Record) bool {
	return !account.Suspended(u) && (d.Email == "" || d.Email == goesTo(u, d.Purpose))
}

// UseLink sets a password by a link, activates an invited user, and ends earlier log-ins. The user has proved to know the password.
func (p *People) UseLink(ctx context.Context, secret, password string) (*keep.Identity, error) {
	link, err := p.OpenLink(ctx, secret)
	if err == nil && link.Purpose == purposeEmail {
		err = ErrLink
	}
	if err != nil {
		return nil, err
	}
	hash, err := HashPasswordFor(ctx, p.store, link.Email, password)
	if err != nil {
		return nil, err
	}
	id := &keep.Identity{Tenant: link.Tenant, BusinessName: link.Business, User: link.User}
	err = link.Tenant.Write(ctx, from(ctx, store.Actor{User: link.User}), func(tx *store.Tx) error {
		u, err := account.Acting(tx.Get(p.store.Registry().Resource("user"), link.User, false))
		if err != nil {
			return err
		}
		if u == nil || u.Text(account.Users.Email) != link.Email {
			return ErrLink
		}
		if err := useOnce(tx, secret, ErrLink); err != nil {
			return err
		}
		if err := setPassword(tx, link.User, schema.UUID{}, hash); err != nil {
			return err
		}
		if id.Password, err = keep.HeldPassword(tx, link.User); err != nil {
			return err
		}
		return activate(p.engine, tx, link.User)
	})
	return id, err
}

// ConfirmEmail gives a user the address that a link was sent to. The password is asked for, so that whoever gets the link by mistake can do
// nothing with it: ErrWrongLogin where it is wrong. Where another user has the address by now, the problem says so.
func (p *People) ConfirmEmail(ctx context.Context, secret, password, address string) error {
	link, err := p.OpenLink(ctx, secret)
	if err == nil && link.Purpose != purposeEmail {
		err = ErrLink
	}
	if err != nil {
		return err
	}
	proven, err := p.prove(ctx, toConfirmAddress, link.Tenant, link.User, password, address)
	if err != nil {
		return err
	}
	fresh, err := p.resalted(ctx, proven, link.Email, password)
	if err != nil {
		return err
	}
	old := ""
	err = link.Tenant.Write(ctx, from(ctx, store.Actor{User: link.User}), func(tx *store.Tx) error {
		if err := holdPassword(tx, link.User, proven); err != nil {
			return err
		}
		u, err := tx.Peek(p.store.Registry().Resource("user"), link.User)
		if err != nil {
			return err
		}
		old = u.Text(account.Users.Email)
		if err := useOnce(tx, secret, ErrLink); err != nil {
			return err
		}
		if err := keep.ResaltPassword(tx, link.User, proven, fresh); err != nil {
			return err
		}
		changed, err := confirmEmail(p.engine, tx, link.User, link.Email)
		if err == nil && !changed {
			err = ErrLink
		}
		return err
	})
	if err != nil {
		return err
	}
	text := "You log in to " + link.Business + " on kith as " + link.Email + " from now on, and no longer as " + old +
		".\n\nIf it was not you who confirmed that, tell your administrator.\n"
	if err := p.inform(old, "Your e-mail address on kith has changed", text); err != nil {
		p.log.Error("change of address", "error", err) // it has changed all the same
	}
	return nil
}

// resalted gives the hash of a password that was proved right as the passwords of another address have it.
func (p *People) resalted(ctx context.Context, proven keep.Password, email, password string) (string, error) {
	r, err := recipeOf(ctx, p.store, email)
	if err != nil {
		return "", err
	}
	if now, _ := split(proven.Hash); r == "" || now == r {
		return proven.Hash, nil
	}
	key, err := p.derive(ctx, r, password)
	if err != nil {
		return "", err
	}
	return r.with(key), nil
}
