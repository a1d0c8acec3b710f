package web

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store/keep"
)

type switchPage struct{ Form *form }

// switchBusiness asks for the password that opens another business. Each business has a user and a password of its own under one e-mail
// address, and whoever administers one can make a user with any address: so the log-in here proves nothing there, and which businesses an
// address belongs to is not told before a password has opened them.
func (v *visit) switchBusiness() error {
	return v.show(http.StatusOK, "switch", switchPage{newForm(url.Values{})})
}

func (v *visit) doSwitch() error {
	f := v.filled()
	// Their own address they may know whatever their role lets them see of users.
	me, err := v.who.Tenant.Get(v.r.Context(), &record.KindOf("user").Resource, v.who.User, false)
	if err != nil {
		return err
	}
	email := me.Text(account.Users.Email)
	open, err := v.people.LogIn(v.r.Context(), email, v.r.PostForm.Get("password"), v.server.Address(v.r))
	status, err := v.refused(f, "password", err)
	if err != nil {
		return err
	}
	here := func(id keep.Identity) bool { return id.Tenant.ID() == v.who.Tenant.ID() }
	if f.ok() && len(slices.DeleteFunc(slices.Clone(open), here)) == 0 {
		f.Problem = "This password opens no other business. If yours is another there, give that one."
	}
	if !f.ok() {
		return v.show(status, "switch", switchPage{f})
	}
	if len(open) > 1 {
		return v.offerBusinesses(email, appAt, open)
	}
	return v.enter(open[0], appAt)
}
