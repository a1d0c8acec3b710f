package web

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/operator"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/keep"
)

// mostName bounds the name of a business.
const mostName = 200

type setupPage struct{ Form *form }

// setup is shown as long as there is no business.
func (v *visit) setup() error {
	if v.settled.Load() {
		return v.redirect("/")
	}
	return v.show(http.StatusOK, "setup", setupPage{newForm(url.Values{"currency": {"EUR"}})})
}

func (v *visit) doSetup() error {
	errDone := &pageError{
		http.StatusConflict, "This server is set up already",
		"Someone else was quicker. Log in, or ask them for an invitation.",
	}
	if v.settled.Load() {
		return errDone
	}
	f := v.filled()
	business, currency := f.Get("business"), f.Get("currency")
	admin := account.Person{Name: f.Get("name"), Email: f.Get("email")}
	switch {
	case business == "":
		f.wrong("business", "must be given")
	case utf8.RuneCountInString(business) > mostName:
		f.wrong("business", "is too long")
	case strings.ContainsFunc(business, func(r rune) bool { return r < ' ' || r == 0x7f }):
		f.wrong("business", "must be one line")
	}
	if admin.Name == "" {
		f.wrong("name", "must be given")
	}
	if _, wrong := schema.Email.Normalize(admin.Email); wrong != "" {
		f.wrong("email", wrong)
	}
	if _, wrong := schema.Currency.Normalize(currency); wrong != "" {
		f.wrong("currency", wrong)
	}
	hash, err := oauth.HashPasswordFor(v.r.Context(), v.engine.Store(), admin.Email, v.r.PostForm.Get("password"))
	if err = f.blame(err, nil); err != nil {
		return err
	}
	var who *record.Principal
	if f.ok() {
		admin.PasswordHash = hash
		who, err = operator.SetUp(v.r.Context(), v.engine, business, currency, admin)
		if p := problem.As(err); p != nil && p.Code == problem.Conflict {
			v.settled.Store(true)
			return errDone
		}
		if err = f.blame(err, nil); err != nil {
			return err
		}
	}
	if !f.ok() {
		return v.show(f.status(), "setup", setupPage{f})
	}
	v.settled.Store(true)
	id := keep.Identity{Tenant: who.Tenant, User: who.User}
	if id.Password, err = keep.FindPassword(v.r.Context(), who.Tenant, who.User); err != nil {
		return err
	}
	return v.enter(id, appAt)
}

type loginPage struct {
	Form *form
	Next string
	Done string
	// Passkey is the form to log in with a passkey, or nil where that does not work.
	Passkey *passkeyForm
}

// Company is where to log in by an identity provider.
func (p loginPage) Company() string { return companyFor(p.Next) }

// showLogin shows the log-in, with a passkey where that works.
func (v *visit) showLogin(status int, p loginPage) error {
	challenge, err := v.people.AskAnyPasskey(v.auth.Origin(v.r))
	if p.Passkey, err = v.offer(toLogIn, challenge, err); err != nil {
		return err
	}
	return v.show(status, "login", p)
}

// notices are what a page says after a redirect, by the word in its address.
var notices = map[string]string{
	"logout": "You are logged out.",
	"email":  "Your new e-mail address is confirmed. Log in with it from now on.",
}

func (v *visit) login() error {
	next := safeNext(v.r.URL.Query().Get("next"))
	if v.who != nil {
		return v.redirect(next)
	}
	return v.showLogin(http.StatusOK, loginPage{Form: newForm(url.Values{}), Next: next, Done: notices[v.r.URL.Query().Get("done")]})
}

func (v *visit) doLogin() error {
	f := v.filled()
	next, email := safeNext(f.Get("next")), f.Get("email")
	open, err := v.people.LogIn(v.r.Context(), email, v.r.PostForm.Get("password"), v.server.Address(v.r))
	switch {
	case errors.Is(err, oauth.ErrTooManyTries):
		return v.showLogin(v.tooMany(f), loginPage{Form: f, Next: next})
	case errors.Is(err, oauth.ErrWrongLogin):
		f.Problem = "The e-mail address or the password is wrong."
		return v.showLogin(http.StatusUnauthorized, loginPage{Form: f, Next: next})
	case err != nil:
		return err
	case len(open) > 1:
		return v.offerBusinesses(email, next, open)
	}
	return v.enter(open[0], next)
}

// passkeyLogin lets in who has a passkey, without a password.
func (v *visit) passkeyLogin() error {
	f := v.filled()
	next := safeNext(f.Get("next"))
	signed := v.signed(toLogIn)
	if signed == nil {
		return v.redirect(loginFor(next))
	}
	id, err := v.people.LogInByPasskey(v.r.Context(), *signed, v.server.Address(v.r))
	status := http.StatusUnauthorized
	switch {
	case errors.Is(err, oauth.ErrTooManyTries):
		status = v.tooMany(f)
	case errors.Is(err, oauth.ErrWrongFactor):
		f.Problem = "This passkey opens nothing here, or it took too long. Try again, or log in with your password."
	case err != nil:
		return err
	default:
		if err := v.begin(*id); err != nil {
			return err
		}
		return v.redirect(next)
	}
	return v.showLogin(status, loginPage{Form: newForm(url.Values{}).because(f.Problem), Next: next})
}

type businessesPage struct {
	Email, Next, Proof string
	Businesses         []businessChoice
}

func (v *visit) offerBusinesses(email, next string, open []keep.Identity) error {
	proof, err := v.people.Ticket(email, open)
	if err != nil {
		return err
	}
	h := handover{Email: email, Next: next, Proof: proof}
	for _, id := range open {
		h.Businesses = append(h.Businesses, businessChoice{schema.FormatID("business", id.Tenant.ID()), id.BusinessName})
	}
	return v.goOn("/login/business", h)
}

// businesses offers the choice for as long as the log-in before it is good for one.
func (v *visit) businesses() error {
	h := v.kept()
	if h.Proof == "" {
		return v.redirect("/login")
	}
	return v.show(http.StatusOK, "businesses", businessesPage{h.Email, h.Next, h.Proof, h.Businesses})
}

func (v *visit) chooseBusiness() error {
	f := v.filled()
	id, err := v.people.Redeem(v.r.Context(), f.Get("proof"), f.Get("business"))
	if errors.Is(err, oauth.ErrWrongLogin) {
		f.Problem = "That took too long. Please log in again."
		return v.showLogin(http.StatusUnauthorized, loginPage{Form: f, Next: safeNext(f.Get("next"))})
	}
	if err != nil {
		return err
	}
	return v.enter(*id, safeNext(f.Get("next")))
}

// askLogout is for whoever types in the address: a page that logs out merely by being opened could be opened by any other site.
func (v *visit) askLogout() error {
	if v.who == nil {
		return v.redirect("/login")
	}
	return v.show(http.StatusOK, "logout", nil)
}

// logout ends the session on the server too, and goes on to log-in.
func (v *visit) logout() error {
	if v.who != nil {
		if err := v.people.EndSession(v.r.Context(), v.who, v.session); err != nil {
			return err
		}
	}
	v.setCookie(sessionCookie, "", -1)
	v.newFormSecret()
	if v.filled().Get("next") != "" {
		return v.redirect(loginFor(v.filled().Get("next")))
	}
	return v.redirect("/login?done=logout")
}

type forgotPage struct {
	Form *form
	// Sent is the address that was asked for; Mails tells whether the server sends mail at all.
	Sent  string
	Mails bool
}

func (v *visit) forgot() error {
	return v.show(http.StatusOK, "forgot", forgotPage{Form: newForm(url.Values{}), Sent: v.received().Email, Mails: v.people.Mails()})
}

// doForgot answers the same whether the address is known or not.
func (v *visit) doForgot() error {
	f := v.filled()
	email := f.Get("email")
	if _, wrong := schema.Email.Normalize(email); wrong != "" {
		f.wrong("email", wrong)
		return v.show(http.StatusUnprocessableEntity, "forgot", forgotPage{Form: f})
	}
	err := v.people.Forgot(v.r.Context(), email, v.server.Address(v.r))
	if errors.Is(err, oauth.ErrTooManyTries) {
		f.Problem = "There were too many requests for this. Please wait an hour and try again."
		v.w.Header().Set("Retry-After", "3600")
		return v.show(http.StatusTooManyRequests, "forgot", forgotPage{Form: f})
	}
	if err != nil {
		return err
	}
	return v.goOn("/forgot", handover{Email: email})
}

type linkPage struct {
	Form *form
	Link *oauth.Link
}

var errDeadLink = &pageError{
	http.StatusNotFound, "This link does not work any more",
	"It was used already, or its time is up. Ask for a new one.",
}

// openLink finds the link of the address.
func (v *visit) openLink() (*oauth.Link, error) {
	link, err := v.people.OpenLink(v.r.Context(), v.r.PathValue("secret"))
	if errors.Is(err, oauth.ErrLink) {
		err = errDeadLink
	}
	return link, err
}

// link only shows the form: mail programs open links on their own, and that must not use them up.
func (v *visit) link() error {
	link, err := v.openLink()
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "link", linkPage{newForm(url.Values{}), link})
}

func (v *visit) useLink() error {
	link, err := v.openLink()
	if err != nil {
		return err
	}
	f := v.filled()
	if link.Purpose == "email" {
		return v.confirmEmail(f, link)
	}
	id, err := v.people.UseLink(v.r.Context(), v.r.PathValue("secret"), v.r.PostForm.Get("password"))
	if errors.Is(err, oauth.ErrLink) {
		return errDeadLink
	}
	if err = f.blame(err, nil); err != nil {
		return err
	}
	if !f.ok() {
		return v.show(f.status(), "link", linkPage{f, link})
	}
	return v.enter(*id, appAt)
}

// confirmEmail takes the password with which someone confirms their new address.
func (v *visit) confirmEmail(f *form, link *oauth.Link) error {
	err := v.people.ConfirmEmail(v.r.Context(), v.r.PathValue("secret"), v.r.PostForm.Get("password"), v.server.Address(v.r))
	if errors.Is(err, oauth.ErrLink) {
		return errDeadLink
	}
	status, err := v.refused(f, "password", err)
	if err != nil {
		return err
	}
	if !f.ok() {
		return v.show(status, "link", linkPage{f, link})
	}
	if v.who == nil {
		return v.redirect("/login?done=email")
	}
	return v.redirect(settingsAt + "/you")
}
