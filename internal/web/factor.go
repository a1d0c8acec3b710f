package web

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/kith-crm/kith/internal/oauth"
)

type factorPage struct {
	Form *form
	// Authenticator tells whether there is an authenticator app whose code can be given.
	Authenticator bool
	// Passkey is the form to give a passkey, or nil where there is none.
	Passkey *passkeyForm
}

// halfway finds the log-in that waits for its second factor. Its proof is sealed into the browser's own cookie, so it is of no use
// anywhere else. It gives nil where there is none, and has answered then.
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
	return v.show(status, "factor", p)
}

// giveFactor takes it, and begins the session.
func (v *visit) giveFactor() error {
	half, h, err := v.halfway()
	if half == nil || err != nil {
		return err
	}
	f := v.filled()
	id, err := v.people.FinishLogin(v.r.Context(), h.Proof, oauth.Answer{Code: f.Get("code"), Passkey: v.signed(toFinish)},
		v.server.Address(v.r))
	switch {
	case errors.Is(err, oauth.ErrTooManyTries):
		return v.showFactor(v.tooMany(f), half, f)
	case errors.Is(err, oauth.ErrWrongFactor) && v.signed(toFinish) != nil:
		return v.showFactor(http.StatusUnauthorized, half,
			f.because("This passkey is not one of yours, or it took too long. Try again, or give a code."))
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
