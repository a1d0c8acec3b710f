package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"kith/internal/oauth"
	"kith/internal/schema"
)

// notices are what a page says after a redirect, by the word in its address.
var notices = map[string]string{
	"setup":        "Welcome to kith. Your business is ready.",
	"logout":       "You are logged out.",
	"welcome":      "Welcome. Your password is set, and you are logged in.",
	"password":     "Your password is set, and all other log-ins have ended.",
	"email":        "Your new e-mail address is confirmed. Log in with it from now on.",
	"session":      "The log-in has ended.",
	"revoked":      "The token is revoked and does not work any more.",
	"disconnected": "The app is disconnected. Its tokens do not work any more.",
	"deleted":      "The app is deleted. Its tokens do not work any more.",
	"suspended":    "The user is suspended. Their log-ins and tokens have ended.",
	"activated":    "The user is active again.",
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
	Form     *form
	Done     string
	Sessions []sessionRow
}

func (v *visit) account() error { return v.showAccount(http.StatusOK, newForm(url.Values{})) }

func (v *visit) showAccount(status int, f *form) error {
	sessions, err := v.who.Tenant.Sessions(v.r.Context(), v.who.User)
	if err != nil {
		return err
	}
	p := accountPage{Form: f, Done: v.done(handover{})}
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

func (v *visit) changePassword() error {
	f := v.filled()
	err := v.people.ChangePassword(v.r.Context(), v.who, v.session, v.r.PostForm.Get("old_password"), v.r.PostForm.Get("password"))
	if errors.Is(err, oauth.ErrTooManyTrys) {
		f.Problem = "There were too many attempts. Please wait a few minutes and try again."
		v.w.Header().Set("Retry-After", "60")
		return v.showAccount(http.StatusTooManyRequests, f)
	}
	if err = f.blame(err, nil); err != nil {
		return err
	}
	if f.Errors["old_password"] != "" {
		f.Errors["old_password"] = "is not right"
	}
	if !f.ok() {
		return v.showAccount(http.StatusUnprocessableEntity, f)
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
