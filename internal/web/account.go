package web

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"kith/internal/body"
	"kith/internal/crm"
	"kith/internal/oauth"
	"kith/internal/schema"
)

// notices are what a page says after a redirect, by the word in its address.
var notices = map[string]string{
	"setup":        "Welcome to kith. Your business is ready.",
	"logout":       "You are logged out.",
	"password":     "Your password is set, and all other log-ins have ended.",
	"session":      "The log-in has ended.",
	"revoked":      "The token is revoked and does not work any more.",
	"disconnected": "The app is disconnected. Its tokens do not work any more.",
	"deleted":      "The app is deleted. Its tokens do not work any more.",
	"suspended":    "The user is suspended. Their log-ins and tokens have ended.",
	"activated":    "The user is active again.",
}

// done is the notice of a page that follows an action.
func (v *visit) done() string {
	if v.r.Method == http.MethodPost {
		return ""
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
	p := accountPage{Form: f, Done: v.done()}
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

// listPage is one page of a list of records.
type listPage[T any] struct {
	Rows []T
	// More is the address of the next page, or nothing.
	More string
}

// search lists records as the person who is logged in may see them, through the same door as the API.
func search[T any](v *visit, kind *crm.Kind, ask map[string]any) (listPage[T], error) {
	var page listPage[T]
	n, err := node(ask)
	if err != nil {
		return page, err
	}
	text, err := v.engine.Search(v.r.Context(), v.call(), kind, false, n, nil)
	if err != nil {
		return page, err
	}
	var answer struct {
		Data []T
		Meta struct{ Cursor struct{ Next string } }
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return page, err
	}
	page.Rows = answer.Data
	if next := answer.Meta.Cursor.Next; next != "" {
		page.More = v.page.path + "?" + url.Values{"cursor": {next}}.Encode()
	}
	return page, nil
}

// paged asks for the page of a list that the address names, in portions that a person can look over.
func (v *visit) paged(ask map[string]any) map[string]any {
	ask["limit"] = 50
	if cursor := v.r.URL.Query().Get("cursor"); cursor != "" && v.r.Method != http.MethodPost {
		ask["cursor"] = cursor
	}
	return ask
}

// node gives fields the form in which the engine takes them.
func node(fields map[string]any) (*body.Node, error) {
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	return body.Parse(text)
}

func (v *visit) create(kind *crm.Kind, fields map[string]any) (*schema.Record, error) {
	n, err := node(fields)
	if err != nil {
		return nil, err
	}
	return v.engine.Create(v.r.Context(), v.call(), kind, n)
}

type tokenRow struct {
	ID, Name, Hint string
	Scopes         []string
	CreatedAt      time.Time  `json:"created_at"`
	ExpiresAt      *time.Time `json:"expires_at"`
	LastUsedAt     *time.Time `json:"last_used_at"`
}

// secretNotice shows a secret the only time it can be shown.
type secretNotice struct {
	Title, About string
	Secrets      []labelled
}

type labelled struct{ Label, Value string }

// accessChoice is the part of a form that chooses scopes.
type accessChoice struct {
	Form   *form
	Groups []permissionGroup
	// Limited tells whether the role does not allow some of them.
	Limited bool
}

func (v *visit) accessChoice(f *form) accessChoice {
	all := slices.DeleteFunc(crm.Scopes(), func(s string) bool { return scopeAction(s) == "all" })
	c := accessChoice{Form: f, Groups: describe(v.who, all)}
	for i := range c.Groups {
		for j := range c.Groups[i].Permissions {
			q := &c.Groups[i].Permissions[j]
			q.Ticked = f.Has("scope", q.Scope)
			c.Limited = c.Limited || q.Useless
		}
	}
	return c
}

// chosenScopes reads what accessChoice offers.
func chosenScopes(f *form) []string {
	var scopes []string
	switch f.Get("access") {
	case "all", "read":
		for _, s := range crm.Scopes() {
			if scopeAction(s) == f.Get("access") {
				scopes = append(scopes, s)
			}
		}
	case "some":
		scopes = f.values["scope"]
	}
	switch {
	case len(scopes) == 0:
		f.wrong("scopes", "must name at least one thing; tick what is allowed")
	case crm.CheckScopes(scopes) != nil:
		f.wrong("scopes", "has something ticked that does not exist")
	}
	return scopes
}

func scopeAction(scope string) string {
	for i := range scope {
		if scope[i] == '.' {
			return scope[i+1:]
		}
	}
	return ""
}

type tokensPage struct {
	Form   *form
	Done   string
	Secret *secretNotice
	Access accessChoice
	Tokens listPage[tokenRow]
}

func (v *visit) tokens() error {
	return v.showTokens(http.StatusOK, newForm(url.Values{"access": {"read"}, "expires": {"90"}}), nil)
}

func (v *visit) showTokens(status int, f *form, secret *secretNotice) error {
	mine := map[string]any{"field": "user_id", "operator": "eq", "value": schema.FormatID("user", v.who.User)}
	list, err := search[tokenRow](v, crm.KindOf("token"), v.paged(map[string]any{"filters": []any{mine}}))
	if err != nil {
		return err
	}
	v.show(status, "tokens", tokensPage{f, v.done(), secret, v.accessChoice(f), list})
	return nil
}

func (v *visit) createToken() error {
	f := v.filled()
	fields := map[string]any{"name": f.Get("name"), "scopes": chosenScopes(f)}
	if f.Get("name") == "" {
		f.wrong("name", "must be given")
	}
	if f.Get("expires") != "" {
		days, err := strconv.Atoi(f.Get("expires"))
		if err != nil || days < 1 || days > 3650 {
			f.wrong("expires", "must be from 1 to 3650 days")
		}
		fields["expires_at"] = time.Now().UTC().AddDate(0, 0, days).Format(time.RFC3339)
	}
	if !f.ok() {
		return v.showTokens(http.StatusUnprocessableEntity, f, nil)
	}
	rec, err := v.create(crm.KindOf("token"), fields)
	if err = f.blame(err, nil); err != nil {
		return err
	}
	if !f.ok() {
		return v.showTokens(http.StatusUnprocessableEntity, f, nil)
	}
	notice := &secretNotice{"Your new token “" + rec.Text("name") + "”", "Copy it now: it is shown only this once. Whoever has it can act as you.", []labelled{{"Token", rec.Once[1]}}}
	return v.showTokens(http.StatusCreated, newForm(url.Values{"access": {"read"}, "expires": {"90"}}), notice)
}

func (v *visit) revokeToken() error {
	if err := v.engine.Delete(v.r.Context(), v.call(), crm.KindOf("token"), v.filled().Get("id"), nil); err != nil {
		return err
	}
	return v.redirect("/account/tokens?done=revoked")
}
