package web

import (
	"errors"
	"net/http"
	"net/url"

	"kith/internal/oauth"
	"kith/internal/store"
)

type switchPage struct{ Form *form }

// switchBusiness asks for the password that opens another business. Each business has a user and a password of its own under one e-mail
// address, and whoever administers one can make a user with any address: so the log-in here proves nothing there, and which businesses an
// address belongs to is not told before a password has opened them.
func (v *visit) switchBusiness() error {
	v.show(http.StatusOK, "switch", switchPage{newForm(url.Values{})})
	return nil
}

func (v *visit) doSwitch() error {
	f := v.filled()
	me, err := v.me()
	if err != nil {
		return err
	}
	open, err := v.people.LogIn(v.r.Context(), me.Email, v.r.PostForm.Get("password"), v.server.Address(v.r))
	status := http.StatusUnprocessableEntity
	switch {
	case errors.Is(err, oauth.ErrTooManyTrys):
		status, f.Problem = http.StatusTooManyRequests, "There were too many attempts. Please wait a few minutes and try again."
		v.w.Header().Set("Retry-After", "60")
	case errors.Is(err, oauth.ErrWrongLogin):
		f.wrong("password", "is not right")
	case err != nil:
		return err
	default:
		if elsewhere := v.elsewhere(open); len(elsewhere) == 0 {
			f.Problem = "This password opens no other business. If yours is another there, give that one."
		} else if len(open) > 1 {
			return v.offerBusinesses(me.Email, "/account", open)
		} else if err := v.begin(open[0]); err != nil {
			return err
		} else {
			return v.redirect("/account")
		}
	}
	v.show(status, "switch", switchPage{f})
	return nil
}

// elsewhere keeps of the businesses that a password opens those where the visitor is not now.
func (v *visit) elsewhere(open []store.Identity) (others []store.Identity) {
	for _, id := range open {
		if id.Tenant.ID() != v.who.Tenant.ID() {
			others = append(others, id)
		}
	}
	return others
}
