package web

import (
	"errors"
	"html/template"
	"net/http"
	"net/url"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/oauth"
)

type consentPage struct {
	Form *form
	App  string
	// Unverified apps registered themselves; nobody vouches for them.
	Unverified bool
	// Publisher is the host whose document says what the app is, where there is one.
	Publisher string
	// Host is where the answer goes, and Place says what that is.
	Host, Place string
	// Action is the address of this page with all that the app asked.
	Action string
	Groups []permissionGroup
	// Powerful are the permissions with which an app could get or give more than they say.
	Powerful []permission
}

// unansweredPage tells a user that an app asked wrongly, and lets them take that back to it. The address is one that the client
// registered, so it is none that a page could not safely lead to.
type unansweredPage struct {
	App, Reason string
	Back        template.URL
	Host        string
}

// host is the part of an app's address that tells where it leads.
func host(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return ""
	case u.Host == "":
		return u.Scheme
	}
	return u.Host
}

// asked checks what an app asks for, and deals with every answer that needs no consent. It gives nil where it has answered.
func (v *visit) asked() (*oauth.Authorization, error) {
	if v.who == nil && oauth.IsDocument(v.r.URL.Query().Get("client_id")) {
		// Nobody who is not known has this server fetch a document.
		return nil, v.redirect(loginFor("/oauth/authorize?" + v.r.URL.RawQuery))
	}
	a, err := v.server.CheckAuthorization(v.r)
	var onPage oauth.ErrOnPage
	var elsewhere oauth.ErrRedirect
	switch {
	case errors.As(err, &onPage):
		return nil, &pageError{http.StatusBadRequest, "This app cannot be connected", onPage.Reason}
	case errors.As(err, &elsewhere) && elsewhere.ByItself():
		return nil, v.redirect(elsewhere.To)
	case errors.As(err, &elsewhere) && v.who != nil:
		return nil, v.show(http.StatusBadRequest, "unanswered",
			unansweredPage{elsewhere.Client.Name, elsewhere.Reason, template.URL(elsewhere.To), host(elsewhere.To)})
	case err != nil && !errors.As(err, &elsewhere):
		return nil, err
	case v.who == nil:
		return nil, v.redirect(loginFor("/oauth/authorize?" + v.r.URL.RawQuery))
	case a.Client.Tenant != nil && a.Client.Tenant.ID() != v.who.Tenant.ID():
		return nil, &pageError{
			http.StatusForbidden, "This app belongs to another business",
			"Only people of the business that made it can connect it. Log out and log in there to go on.",
		}
	}
	return a, nil
}

func (v *visit) authorize() error {
	a, err := v.asked()
	if err != nil || a == nil {
		return err
	}
	return v.askConsent(http.StatusOK, a, newForm(url.Values{"scope": parts(a.Scopes)}))
}

func (v *visit) askConsent(status int, a *oauth.Authorization, f *form) error {
	_, host := a.RedirectOrigin()
	p := consentPage{
		Form: f, App: a.Client.Name, Unverified: a.Client.Tenant == nil, Publisher: a.Client.Publisher, Host: host,
		Place: place(a.Redirect), Action: "/oauth/authorize?" + v.r.URL.RawQuery,
	}
	for _, group := range describe(v.who, parts(a.Scopes)) {
		for i := range group.Permissions {
			group.Permissions[i].Ticked = f.Has("scope", group.Permissions[i].Scope)
		}
		harmless, powerful := group.apart()
		if len(harmless.Permissions) > 0 {
			p.Groups = append(p.Groups, harmless)
		}
		p.Powerful = append(p.Powerful, powerful...)
	}
	v.answersTo = formTarget(a.Redirect)
	return v.show(status, "consent", p)
}

// place says what kind of place an app is answered at.
func place(redirect string) string {
	u, err := url.Parse(redirect)
	switch {
	case err != nil || u.Scheme == "https":
		return ""
	case u.Scheme == "http" && account.Loopback(u.Hostname()):
		return "a program on this computer"
	}
	return "an app on this device"
}

// answerApp takes the answer of the user to the app.
func (v *visit) answerApp() error {
	a, err := v.asked()
	if err != nil || a == nil {
		return err
	}
	f := v.filled()
	if f.Get("answer") != "allow" {
		return v.redirect(a.Deny())
	}
	granted := f.values["scope"]
	if len(granted) == 0 {
		f.Problem = "Nothing is ticked. Tick what the app may do, or refuse."
		return v.askConsent(http.StatusUnprocessableEntity, a, f)
	}
	v.answersTo = formTarget(a.Redirect)
	if ok, err := v.confirmed(); !ok || err != nil {
		return err
	}
	to, err := v.server.Approve(v.r.Context(), v.who, a, granted)
	if err != nil {
		return err
	}
	return v.redirect(to)
}
