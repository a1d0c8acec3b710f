package web

import (
	"encoding/base64"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"time"

	"rsc.io/qr"

	"kith/internal/oauth"
	"kith/internal/schema"
)

type factorPage struct {
	Form *form
	// Authenticator tells whether there is an authenticator app whose code can be given.
	Authenticator bool
	// Passkey is the form to give a passkey, or nil where there is none.
	Passkey *passkeyForm
}

// halfway finds the log-in that waits for its second factor. Its proof is sealed into the browser's own cookie, so it is of no use anywhere else. It gives nil where
// there is none, and has answered then.
func (v *visit) halfway() (*oauth.HalfLogin, handover, error) {
	h := v.kept()
	half, err := v.people.Half(v.r.Context(), h.Proof)
	if errors.Is(err, oauth.ErrWrongLogin) {
		return nil, h, v.redirect("/login")
	}
	return half, h, err
}

// factor asks for the second factor.
func (v *visit) factor() error {
	half, _, err := v.halfway()
	if half == nil || err != nil {
		return err
	}
	return v.showFactor(http.StatusOK, half, newForm(url.Values{}))
}

func (v *visit) showFactor(status int, half *oauth.HalfLogin, f *form) error {
	p := factorPage{Form: f, Authenticator: half.Authenticator != nil}
	challenge, err := half.AskPasskey(v.r.Context(), v.people, v.auth.Origin(v.r))
	if p.Passkey, err = v.offer(toFinish, challenge, err); err != nil {
		return err
	}
	v.show(status, "factor", p)
	return nil
}

// giveFactor takes it, and begins the session.
func (v *visit) giveFactor() error {
	half, h, err := v.halfway()
	if half == nil || err != nil {
		return err
	}
	f := v.filled()
	id, err := v.people.FinishLogin(v.r.Context(), h.Proof, oauth.Answer{Code: f.Get("code"), Passkey: v.signed(toFinish)}, v.server.Address(v.r))
	switch {
	case errors.Is(err, oauth.ErrTooManyTries):
		return v.showFactor(v.tooMany(f), half, f)
	case errors.Is(err, oauth.ErrWrongFactor) && v.signed(toFinish) != nil:
		return v.showFactor(http.StatusUnauthorized, half, f.because("This passkey is not one of yours, or it took too long. Try again, or give a code."))
	case errors.Is(err, oauth.ErrWrongFactor):
		f.wrong("code", "is not right, or was used already")
		return v.showFactor(http.StatusUnauthorized, half, f)
	case errors.Is(err, oauth.ErrWrongLogin):
		return v.redirect("/login")
	case err != nil:
		return err
	}
	v.setHandover(v.r.URL.Path, "", -1)
	if err := v.begin(*id); err != nil {
		return err
	}
	return v.redirect(h.Next)
}

// securityFor is where somebody is sent who has to set up a second factor before they can go on.
func securityFor(r *http.Request) string {
	if r.Method == http.MethodPost {
		return "/account/security"
	}
	return "/account/security?" + url.Values{"next": {r.URL.RequestURI()}}.Encode()
}

type securityPage struct {
	Done string
	// Codes are recovery codes, shown the only time.
	Codes []string
	// Next is where to go on to once there is a second factor, or nothing.
	Next string
	// Lacks tells that the role requires what is not there yet.
	Lacks bool
	oauth.Factors
	AuthenticatorID    string
	AuthenticatorSince time.Time
	Keys               []passkeyRow
	// NewKey is the form to set up a passkey, or nil where that does not work.
	NewKey *passkeyForm
}

type passkeyRow struct {
	ID, Name          string
	CreatedAt, UsedAt time.Time
}

// security shows what one logs in with beside the password.
func (v *visit) security() error {
	factors, err := v.people.Factors(v.r.Context(), v.who.Tenant, v.who.User)
	if err != nil {
		return err
	}
	h := v.received()
	p := securityPage{Done: v.done(h), Codes: h.Codes, Lacks: v.who.LacksFactor, Factors: factors}
	if next := v.r.URL.Query().Get("next"); next != "" {
		p.Next = safeNext(next)
	}
	if h.Next != "" {
		p.Next = h.Next
	}
	if factors.Authenticator != nil {
		p.AuthenticatorID, p.AuthenticatorSince = schema.FormatID("factor", factors.Authenticator.ID), factors.Authenticator.CreatedAt
	}
	for _, k := range factors.Passkeys {
		p.Keys = append(p.Keys, passkeyRow{schema.FormatID("factor", k.ID), k.Name, k.CreatedAt, k.UsedAt})
	}
	challenge, err := v.people.NewPasskey(v.r.Context(), v.who, v.auth.Origin(v.r))
	if p.NewKey, err = v.offer(toRegister, challenge, err); err != nil {
		return err
	}
	v.show(http.StatusOK, "security", p)
	return nil
}

// startAuthenticator makes the key of a new authenticator app. It is kept nowhere but in the browser until a code shows that the app has it.
func (v *visit) startAuthenticator() error {
	h := handover{Key: oauth.NewAuthenticatorSecret()}
	if next := v.filled().Get("next"); next != "" {
		h.Next = safeNext(next)
	}
	return v.goOn("/account/security/authenticator", h)
}

type authenticatorPage struct {
	Form *form
	// Picture is what the app scans, and Key the same to be typed.
	Picture template.URL
	Key     string
}

func (v *visit) newAuthenticator() error {
	h := v.kept()
	if h.Key == "" {
		return v.redirect("/account/security")
	}
	return v.showAuthenticator(http.StatusOK, h, newForm(url.Values{}))
}

func (v *visit) showAuthenticator(status int, h handover, f *form) error {
	business, err := v.who.Tenant.Business(v.r.Context())
	if err != nil {
		return err
	}
	me, err := v.me()
	if err != nil {
		return err
	}
	code, err := qr.Encode(oauth.AuthenticatorAddress(h.Key, business.Name, me.Email), qr.M)
	if err != nil {
		return err
	}
	key := ""
	for i := 0; i < len(h.Key); i += 4 {
		key += h.Key[i:min(i+4, len(h.Key))] + " "
	}
	v.show(status, "authenticator", authenticatorPage{f, template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(code.PNG())), key[:len(key)-1]})
	return nil
}

// addAuthenticator takes a code of the new app, and with it the app.
func (v *visit) addAuthenticator() error {
	h, f := v.kept(), v.filled()
	if h.Key == "" {
		return v.redirect("/account/security")
	}
	codes, err := v.people.AddAuthenticator(v.r.Context(), v.who, v.session, h.Key, f.Get("code"), v.server.Address(v.r))
	switch {
	case errors.Is(err, oauth.ErrTooManyTries):
		return v.showAuthenticator(v.tooMany(f), h, f)
	case errors.Is(err, oauth.ErrWrongFactor):
		f.wrong("code", "is not right. See that the clock of your telephone is, and give the code that the app shows now")
		return v.showAuthenticator(http.StatusUnprocessableEntity, h, f)
	case err != nil:
		return err
	}
	v.setHandover(v.r.URL.Path, "", -1)
	return v.goOn("/account/security", handover{Done: "Your authenticator app is set up. You are asked for a code of it from now on.", Codes: codes, Next: h.Next})
}

func (v *visit) newCodes() error {
	codes, err := v.people.NewCodes(v.r.Context(), v.who)
	if err != nil {
		return err
	}
	return v.goOn("/account/security", handover{Codes: codes})
}

func (v *visit) removeFactor() error {
	id, err := schema.ParseID("factor", v.filled().Get("id"))
	if err != nil {
		return errNoPage
	}
	if err := v.people.RemoveFactor(v.r.Context(), v.who, id); err != nil {
		return err
	}
	return v.redirect("/account/security?done=unfactored")
}
