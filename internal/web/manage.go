package web

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"kith/internal/crm"
	"kith/internal/oauth"
	"kith/internal/schema"
)

type appRow struct {
	ID, Name     string
	ClientID     string   `json:"client_id"`
	RedirectURIs []string `json:"redirect_uris"`
	GrantTypes   []string `json:"grant_types"`
	Scopes       []string
	CreatedAt    time.Time `json:"created_at"`
}

// Background tells whether the app works without people.
func (a appRow) Background() bool { return slices.Contains(a.GrantTypes, "client_credentials") }

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
	return newForm(url.Values{"access": {"read"}, "user": {me.Text("email")}}), nil
}

// apps lists the business's own apps.
func (v *visit) apps() error {
	f, err := v.emptyAppForm()
	if err != nil {
		return err
	}
	return v.showApps(http.StatusOK, f, nil)
}

func (v *visit) showApps(status int, f *form, secret *secretNotice) error {
	list, err := search[appRow](v, crm.KindOf("app"), v.paged(map[string]any{}))
	if err != nil {
		return err
	}
	v.show(status, "apps", appsPage{f, v.done(), secret, v.accessChoice(f), list})
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
		return v.showApps(http.StatusUnprocessableEntity, f, nil)
	}
	rec, err := v.create(crm.KindOf("app"), fields)
	if err = f.blame(err, map[string]string{"user_id": "user"}); err != nil {
		return err
	}
	if !f.ok() {
		return v.showApps(http.StatusUnprocessableEntity, f, nil)
	}
	notice := &secretNotice{"The app “" + rec.Text("name") + "” is ready", "Copy the secret now: it is shown only this once.", []labelled{{"Client ID", rec.Text("client_id")}, {"Client secret", rec.Once[1]}}}
	if f, err = v.emptyAppForm(); err != nil {
		return err
	}
	return v.showApps(http.StatusCreated, f, notice)
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

func (v *visit) rotateSecret() error {
	n, err := node(map[string]any{})
	if err != nil {
		return err
	}
	rec, err := v.engine.Act(v.r.Context(), v.call(), crm.KindOf("app"), v.filled().Get("id"), "rotate_secret", nil, n)
	if err != nil {
		return err
	}
	f, err := v.emptyAppForm()
	if err != nil {
		return err
	}
	return v.showApps(http.StatusOK, f, &secretNotice{
		"The app “" + rec.Text("name") + "” has a new secret", "Copy it now: it is shown only this once. The old secret does not work any more.",
		[]labelled{{"Client ID", rec.Text("client_id")}, {"Client secret", rec.Once[1]}},
	})
}

func (v *visit) deleteApp() error {
	if err := v.engine.Delete(v.r.Context(), v.call(), crm.KindOf("app"), v.filled().Get("id"), nil); err != nil {
		return err
	}
	return v.redirect("/account/apps?done=deleted")
}

type userRow struct {
	ID, Name, Email, Status string
	RoleID                  string     `json:"role_id"`
	LastActiveAt            *time.Time `json:"last_active_at"`
	// Role is the role's name, and Me marks who is looking.
	Role string
	Me   bool
}

type roleRow struct{ ID, Name string }

type usersPage struct {
	Form   *form
	Done   string
	Secret *secretNotice
	Users  listPage[userRow]
	Roles  []roleRow
	Mails  bool
}

func (v *visit) users() error {
	return v.showUsers(http.StatusOK, newForm(url.Values{}), nil, v.done())
}

func (v *visit) showUsers(status int, f *form, secret *secretNotice, done string) error {
	list, err := search[userRow](v, crm.KindOf("user"), v.paged(map[string]any{"order_by": "name", "sort_direction": "asc"}))
	if err != nil {
		return err
	}
	roles, err := v.roles()
	if err != nil {
		return err
	}
	if f.Get("role") == "" {
		for _, r := range roles {
			if r.Name == "member" {
				f.values.Set("role", r.ID)
			}
		}
	}
	for i := range list.Rows {
		u := &list.Rows[i]
		u.Me = u.ID == schema.FormatID("user", v.who.User)
		if at := slices.IndexFunc(roles, func(r roleRow) bool { return r.ID == u.RoleID }); at >= 0 {
			u.Role = roles[at].Name
		}
	}
	v.show(status, "people", usersPage{f, done, secret, list, roles, v.people.Mails()})
	return nil
}

// roles lists the roles of the business. There are few; those beyond a hundred can be given through the API.
func (v *visit) roles() ([]roleRow, error) {
	list, err := search[roleRow](v, crm.KindOf("role"), map[string]any{"limit": 100, "order_by": "name", "sort_direction": "asc"})
	return list.Rows, err
}

// invite creates an invited user. The engine tells the mailer; where there is none, the link is shown to be handed on.
func (v *visit) invite() error {
	f := v.filled()
	fields := map[string]any{"email": f.Get("email"), "status": "invited"}
	if f.Get("name") != "" {
		fields["name"] = f.Get("name")
	}
	if f.Get("role") != "" {
		fields["role_id"] = f.Get("role")
	}
	ctx, links := oauth.ShowLinks(v.r.Context())
	v.r = v.r.WithContext(ctx)
	rec, err := v.create(crm.KindOf("user"), fields)
	if err = f.blame(err, map[string]string{"role_id": "role"}); err != nil {
		return err
	}
	if !f.ok() {
		return v.showUsers(http.StatusUnprocessableEntity, f, nil, "")
	}
	return v.handOn(http.StatusCreated, rec, *links, "It works once, within seven days.")
}

// handOn shows a link that nobody mailed, or says that it was mailed.
func (v *visit) handOn(status int, user *schema.Record, links []string, limits string) error {
	if len(links) == 0 {
		return v.showUsers(status, newForm(url.Values{}), nil, "A link is on its way to "+user.Text("email")+". "+limits)
	}
	return v.showUsers(status, newForm(url.Values{}), &secretNotice{
		"Hand this link to " + user.Text("email"), "This server sends no mail, so the link is for you to pass on. " + limits + " Whoever opens it can choose the password.",
		[]labelled{{"Link", v.auth.Origin(v.r) + links[len(links)-1]}},
	}, "")
}

// newLink gives a user a new way in.
func (v *visit) newLink() error {
	user, err := v.engine.Entrust(v.r.Context(), v.call(), v.filled().Get("id"))
	if err != nil {
		return err
	}
	if user.Text("status") == "suspended" {
		return &pageError{http.StatusConflict, "That is not possible", "The user is suspended. Activate them first."}
	}
	ctx, links := oauth.ShowLinks(v.r.Context())
	if err := v.people.NewLink(ctx, v.who.Tenant, user, v.origin); err != nil {
		v.log.Error("link", "request_id", v.id, "error", err)
		f := newForm(url.Values{})
		f.Problem = "The link could not be sent. The mail server may be out of reach; try again later."
		return v.showUsers(http.StatusBadGateway, f, nil, "")
	}
	limits := "It works once, within an hour."
	if user.Text("status") == "invited" {
		limits = "It works once, within seven days."
	}
	return v.handOn(http.StatusOK, user, *links, limits)
}

func (v *visit) suspend() error  { return v.setStatus("suspended", "suspended") }
func (v *visit) activate() error { return v.setStatus("active", "activated") }

func (v *visit) setStatus(status, done string) error {
	n, err := node(map[string]any{"status": status})
	if err != nil {
		return err
	}
	if _, err := v.engine.Patch(v.r.Context(), v.call(), crm.KindOf("user"), v.filled().Get("id"), nil, n); err != nil {
		return err
	}
	return v.redirect("/account/people?done=" + done)
}
