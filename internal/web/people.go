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
}

func (v *visit) users() error {
	return v.showUsers(http.StatusOK, newForm(url.Values{}), v.received())
}

func (v *visit) showUsers(status int, f *form, h handover) error {
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
	v.show(status, "people", usersPage{f, v.done(h), v.reveal(h), list, roles})
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
		return v.showUsers(http.StatusUnprocessableEntity, f, handover{})
	}
	return v.handOn(rec, *links, "It works once, within seven days.")
}

// handOn shows a link that nobody mailed, or says that it was mailed.
func (v *visit) handOn(user *schema.Record, links []string, limits string) error {
	if len(links) == 0 {
		return v.goOn("/account/people", handover{Done: "A link is on its way to " + user.Text(crm.Users.Email) + ". " + limits})
	}
	return v.goOn("/account/people", handover{Secret: &secretNotice{
		"Hand this link to " + user.Text(crm.Users.Email), "This server sends no mail, so the link is for you to pass on. " + limits + " Whoever opens it can choose the password.",
		[]labelled{{"Link", v.auth.Origin(v.r) + links[len(links)-1]}},
	}})
}

// newLink gives a user a new way in.
func (v *visit) newLink() error {
	user, err := v.engine.Entrust(v.r.Context(), v.call(), v.filled().Get("id"))
	if err != nil {
		return err
	}
	if user.Text(crm.Users.Status) == "suspended" {
		return &pageError{http.StatusConflict, "That is not possible", "The user is suspended. Activate them first."}
	}
	ctx, links := oauth.ShowLinks(v.r.Context())
	if err := v.people.NewLink(ctx, v.who.Tenant, user, v.origin); err != nil {
		v.log.Error("link", "request_id", v.id, "error", err)
		f := newForm(url.Values{})
		f.Problem = "The link could not be sent. The mail server may be out of reach; try again later."
		return v.showUsers(http.StatusBadGateway, f, handover{})
	}
	limits := "It works once, within an hour."
	if user.Text(crm.Users.Status) == "invited" {
		limits = "It works once, within seven days."
	}
	return v.handOn(user, *links, limits)
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
