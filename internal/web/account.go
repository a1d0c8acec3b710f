package web

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"kith/internal/crm"
	"kith/internal/oauth"
	"kith/internal/schema"
	"kith/internal/store/keep"
)

// notices are what a page says after a redirect, by the word in its address.
var notices = map[string]string{
	"logout":       "You are logged out.",
	"password":     "Your password is set, and all other log-ins have ended.",
	"email":        "Your new e-mail address is confirmed. Log in with it from now on.",
	"session":      "The log-in has ended.",
	"revoked":      "The token is revoked and does not work any more.",
	"disconnected": "The app is disconnected. Its tokens do not work any more.",
	"deleted":      "The app is deleted. Its tokens do not work any more.",
	"suspended":    "The user is suspended. Their log-ins and tokens have ended.",
	"activated":    "The user is active again.",
	"removed":      "The user is deleted. Their log-ins and tokens have ended.",
	"restored":     "The user is back. What they had access to by tokens or apps has to be given anew.",
	"saved":        "Saved.",
	"unfactored":   "It is removed. You log in without it from now on.",
	"taken":        "Their second factor is taken away, and their log-ins have ended. They log in with the password alone until they set up another one.",
}

// done is the notice of a page that follows an action.
func (v *visit) done(h handover) string {
	if v.r.Method == http.MethodPost {
		return ""
	}
	if h.Done != "" {
		return h.Done
	}
	return notices[v.r.URL.Query().Get("done")]
}

type sessionRow struct {
	ID, Browser, Agent, Address string
	CreatedAt, SeenAt           time.Time
	This                        bool
}

type accountPage struct {
	// Form is to change the password, and Profile what is known about oneself.
	Form    *form
	Profile *form
	Me      userRow
	// Roles tells whether one may look up what roles allow.
	Roles    bool
	Done     string
	Sessions []sessionRow
}

func (v *visit) account() error {
	return v.showAccount(http.StatusOK, newForm(url.Values{}), nil, v.received())
}

// me is the user who is logged in, whatever their role lets them see of users.
func (v *visit) me() (row userRow, err error) {
	rec, err := v.who.Tenant.Get(v.r.Context(), &crm.KindOf("user").Resource, v.who.User, false)
	if err != nil {
		return row, err
	}
	return row, json.Unmarshal(crm.Render(nil, rec), &row)
}

// showAccount shows the account with what was filled in: to change the password, or about oneself.
func (v *visit) showAccount(status int, password, profile *form, h handover) error {
	me, err := v.me()
	if err != nil {
		return err
	}
	if profile == nil {
		profile = newForm(url.Values{"name": {me.Name}, "email": {me.Email}, "timezone": {me.Timezone}, "locale": {me.Locale}})
	}
	sessions, err := keep.Sessions(v.r.Context(), v.who.Tenant, v.who.User)
	if err != nil {
		return err
	}
	_, unread := v.who.Allow(&crm.KindOf("role").Resource, crm.Read)
	p := accountPage{Form: password, Profile: profile, Me: me, Roles: unread == nil, Done: v.done(h)}
	for _, s := range sessions {
		row := sessionRow{ID: schema.FormatID("session", s.ID), Browser: browser(s.Agent), Agent: s.Agent, Address: s.Address, CreatedAt: s.CreatedAt, SeenAt: s.SeenAt, This: s.ID == v.session}
		if row.This {
			p.Sessions = slices.Insert(p.Sessions, 0, row)
		} else {
			p.Sessions = append(p.Sessions, row)
		}
	}
	v.show(status, "account", p)
	return nil
}

// changeProfile changes what everybody may change about themselves. A new address asks for the password: it is where a new one would be sent.
func (v *visit) changeProfile() error {
	me, err := v.me()
	if err != nil {
		return err
	}
	f := v.filled()
	fields := differing(me.fields(), map[string]string{"name": f.Get("name"), "email": f.Get("email"), "timezone": f.Get("timezone"), "locale": f.Get("locale")})
	readdressed := fields["email"] != nil
	if readdressed {
		if ok, err := v.confirmed(false); !ok || err != nil {
			return err
		}
	}
	n, err := node(fields)
	if err != nil {
		return err
	}
	rec, err := v.engine.ChangeOwn(v.r.Context(), v.call(), n)
	if err = f.blame(err, nil); err != nil {
		return err
	}
	if !f.ok() {
		return v.showAccount(http.StatusUnprocessableEntity, newForm(url.Values{}), f, handover{})
	}
	if !readdressed {
		return v.redirect("/account?done=saved")
	}
	how := "A link is on its way there."
	if !v.people.Mails() {
		how = "This server sends no mail, so whoever runs it finds the link in its log."
	}
	return v.goOn("/account", handover{Done: "Saved. Confirm " + rec.Text(crm.Users.PendingEmail) + " before you can log in with it. " + how})
}

func (v *visit) changePassword() error {
	f := v.filled()
	err := v.people.ChangePassword(v.r.Context(), v.who, v.session, v.r.PostForm.Get("old_password"), v.r.PostForm.Get("password"))
	if errors.Is(err, oauth.ErrTooManyTries) {
		return v.showAccount(v.tooMany(f), f, nil, handover{})
	}
	if err = f.blame(err, nil); err != nil {
		return err
	}
	if f.Errors["old_password"] != "" {
		f.Errors["old_password"] = "is not right"
	}
	if !f.ok() {
		return v.showAccount(http.StatusUnprocessableEntity, f, nil, handover{})
	}
	return v.redirect("/account?done=password")
}

func (v *visit) endSession() error {
	id, err := schema.ParseID("session", v.filled().Get("id"))
	if err != nil {
		return errNoPage
	}
	if id == v.session {
		return v.logout()
	}
	if err := v.people.EndSession(v.r.Context(), v.who, id); err != nil {
		return err
	}
	return v.redirect("/account?done=session")
}
