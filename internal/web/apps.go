package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"kith/internal/crm"
	"kith/internal/problem"
	"kith/internal/schema"
)

type appRow struct {
	ID, Name     string
	ClientID     string   `json:"client_id"`
	RedirectURIs []string `json:"redirect_uris"`
	GrantTypes   []string `json:"grant_types"`
	Scopes       []string
	UserID       string `json:"user_id"`
	Version      int64
	CreatedAt    time.Time `json:"created_at"`
}

// Background tells whether the app works without people.
func (a appRow) Background() bool { return slices.Contains(a.GrantTypes, "client_credentials") }

// ForPeople tells whether people log in to the app.
func (a appRow) ForPeople() bool { return slices.Contains(a.GrantTypes, "authorization_code") }

type appsPage struct {
	Form   *form
	Done   string
	Secret *secretNotice
	Access accessChoice
	Apps   listPage[appRow]
}

func (v *visit) emptyAppForm() (*form, error) {
	me, err := v.who.Tenant.Get(v.r.Context(), &crm.KindOf("user").Resource, v.who.User, false)
	if err != nil {
		return nil, err
	}
	return newForm(url.Values{"access": {"read"}, "user": {me.Text(crm.Users.Email)}}), nil
}

// apps lists the business's own apps.
func (v *visit) apps() error {
	f, err := v.emptyAppForm()
	if err != nil {
		return err
	}
	return v.showApps(http.StatusOK, f, v.received())
}

func (v *visit) showApps(status int, f *form, h handover) error {
	list, err := search[appRow](v, crm.KindOf("app"), v.paged(map[string]any{}))
	if err != nil {
		return err
	}
	v.show(status, "apps", appsPage{f, v.done(h), v.reveal(h), v.accessChoice(f), list})
	return nil
}

func (v *visit) createApp() error {
	f := v.filled()
	fields := map[string]any{"name": f.Get("name"), "scopes": chosenScopes(f)}
	if f.Get("name") == "" {
		f.wrong("name", "must be given")
	}
	if uris := f.lines("redirect_uris"); len(uris) > 0 {
		fields["redirect_uris"] = uris
	} else if err := v.actsAs(f, fields); err != nil {
		return err
	}
	if !f.ok() {
		return v.showApps(http.StatusUnprocessableEntity, f, handover{})
	}
	rec, err := v.create(crm.KindOf("app"), fields)
	if err = f.blame(err, map[string]string{"user_id": "user"}); err != nil {
		return err
	}
	if !f.ok() {
		return v.showApps(http.StatusUnprocessableEntity, f, handover{})
	}
	notice := &secretNotice{"The app “" + rec.Text(crm.Apps.Name) + "” is ready", "Copy the secret now: it is shown only this once.", []labelled{{"Client ID", rec.Text(crm.Apps.ClientID)}, {"Client secret", rec.Once.Value}}}
	return v.goOn("/account/apps", handover{Secret: notice})
}

// actsAs finds the user whom an app without people acts as.
func (v *visit) actsAs(f *form, fields map[string]any) error {
	email := f.Get("user")
	if email == "" {
		return nil
	}
	found, err := search[userRow](v, crm.KindOf("user"), map[string]any{"limit": 1, "filters": []any{map[string]any{"field": "email", "operator": "eq", "value": email}}})
	if err != nil {
		return err
	}
	if len(found.Rows) == 0 {
		f.wrong("user", "is not the e-mail address of a user")
		return nil
	}
	fields["user_id"] = found.Rows[0].ID
	return nil
}

func appPath(app *schema.Record) string { return "/account/apps/" + schema.FormatID("app", app.ID()) }

type appPage struct {
	Form   *form
	Done   string
	Secret *secretNotice
	Access accessChoice
	App    appRow
}

// app shows one of the business's own apps.
func (v *visit) app() error {
	a, err := fetch[appRow](v, crm.KindOf("app"), v.r.PathValue("id"))
	if err != nil {
		return err
	}
	return v.showApp(http.StatusOK, a, nil, v.received())
}

func (v *visit) showApp(status int, a appRow, f *form, h handover) error {
	if f == nil {
		f = newForm(url.Values{"name": {a.Name}, "redirect_uris": {strings.Join(a.RedirectURIs, "\n")}})
		f.choose(a.Scopes)
		if a.Background() && a.UserID != "" {
			user, err := fetch[userRow](v, crm.KindOf("user"), a.UserID)
			if p := problem.As(err); err != nil && (p == nil || p.Code != problem.NotFound) { // who was deleted has no address to show
				return err
			}
			f.values.Set("user", user.Email)
		}
	}
	f.values.Set("version", strconv.FormatInt(a.Version, 10))
	v.show(status, "app", appPage{f, v.done(h), v.reveal(h), v.accessChoice(f), a})
	return nil
}

func (v *visit) changeApp() error {
	kind := crm.KindOf("app")
	a, err := fetch[appRow](v, kind, v.r.PathValue("id"))
	if err != nil {
		return err
	}
	f := v.filled()
	fields := map[string]any{"name": f.Get("name")}
	// The form has parts where the app may have an "all": to send them would be a change of scopes, which ends the app's tokens.
	if scopes := chosenScopes(f); !sameScopes(scopes, a.Scopes) {
		fields["scopes"] = scopes
	}
	if f.Get("name") == "" {
		f.wrong("name", "must be given")
	}
	if a.ForPeople() {
		fields["redirect_uris"] = f.lines("redirect_uris")
	}
	if a.Background() {
		if f.Get("user") == "" {
			f.wrong("user", "must be given")
		}
		if err := v.actsAs(f, fields); err != nil {
			return err
		}
	}
	if f.ok() {
		_, err = v.patch(f, kind, a.ID, fields)
		if err = f.blame(err, map[string]string{"user_id": "user"}); err != nil {
			return err
		}
	}
	if !f.ok() {
		return v.showApp(http.StatusUnprocessableEntity, a, f, handover{})
	}
	return v.redirect("/account/apps/" + a.ID + "?done=saved")
}

func (v *visit) rotateSecret() error {
	n, err := node(map[string]any{})
	if err != nil {
		return err
	}
	rec, err := v.engine.Do(v.r.Context(), v.call(), crm.Operation{Kind: crm.KindOf("app"), Name: "rotate_secret", ID: v.filled().Get("id"), Body: n})
	if err != nil {
		return err
	}
	return v.goOn(appPath(rec), handover{Secret: &secretNotice{
		"The app “" + rec.Text(crm.Apps.Name) + "” has a new secret", "Copy it now: it is shown only this once. The old secret does not work any more.",
		[]labelled{{"Client ID", rec.Text(crm.Apps.ClientID)}, {"Client secret", rec.Once.Value}},
	}})
}

func (v *visit) deleteApp() error {
	if _, err := v.engine.Do(v.r.Context(), v.call(), crm.Operation{Kind: crm.KindOf("app"), Name: crm.Remove, ID: v.filled().Get("id")}); err != nil {
		return err
	}
	return v.redirect("/account/apps?done=deleted")
}
