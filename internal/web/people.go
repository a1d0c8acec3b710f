package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"kith/internal/crm"
	"kith/internal/oauth"
	"kith/internal/problem"
	"kith/internal/schema"
)

type userRow struct {
	ID, Name, Email, Status string
	Timezone, Locale        string
	PendingEmail            string `json:"pending_email"`
	RoleID                  string `json:"role_id"`
	Version                 int64
	LastActiveAt            *time.Time `json:"last_active_at"`
	SecondFactorAt          *time.Time `json:"second_factor_at"`
	// Role is the role's name, and Me marks who is looking.
	Role string
	Me   bool
}

// about completes a row by what the business's roles and who is looking add to it.
func (v *visit) about(u *userRow, roles []roleRow) {
	u.Me = u.ID == schema.FormatID("user", v.who.User)
	if at := slices.IndexFunc(roles, func(r roleRow) bool { return r.ID == u.RoleID }); at >= 0 {
		u.Role = roles[at].Name
	}
}

type usersPage struct {
	Form   *form
	Done   string
	Secret *secretNotice
	Users  listPage[userRow]
	Roles  []roleRow
	// Gone are the users in the bin.
	Gone []userRow
}

func (v *visit) users() error {
	return v.showUsers(http.StatusOK, newForm(url.Values{}), v.received())
}

func (v *visit) showUsers(status int, f *form, h handover) error {
	list, err := search[userRow](v, crm.KindOf("user"), v.paged(map[string]any{"order_by": "name", "sort_direction": "asc"}))
	if err != nil {
		return err
	}
	gone, err := searchIn[userRow](v, crm.KindOf("user"), true, map[string]any{"limit": 50, "order_by": "deleted_at", "sort_direction": "desc"})
	if err != nil {
		return err
	}
	var held []string
	for _, u := range list.Rows {
		held = append(held, u.RoleID)
	}
	roles, err := v.roles(held...)
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
		v.about(&list.Rows[i], roles)
	}
	v.show(status, "people", usersPage{f, v.done(h), v.reveal(h), list, v.mayGive(roles), gone.Rows})
	return nil
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
	return v.handOn("/account/people", rec.Text(crm.Users.Email), *links, invitationLimits)
}

const (
	invitationLimits = "It works once, within seven days."
	resetLimits      = "It works once, within an hour."
)

// handOn goes on to a page that shows a link which nobody mailed, or says that it was mailed.
func (v *visit) handOn(to, email string, links []string, limits string) error {
	if len(links) == 0 {
		return v.goOn(to, handover{Done: "A link is on its way to " + email + ". " + limits})
	}
	return v.goOn(to, handover{Secret: &secretNotice{
		"Hand this link to " + email, "This server sends no mail, so the link is for you to pass on. " + limits + " Whoever opens it can choose the password.",
		[]labelled{{"Link", v.auth.Origin(v.r) + links[len(links)-1]}},
	}})
}

type personPage struct {
	Form   *form
	Done   string
	Secret *secretNotice
	User   userRow
	Roles  []roleRow
	// Above says why the person cannot be changed by who is looking, or nothing.
	Above string
}

// person shows one user, with what who is looking may change about them.
func (v *visit) person() error {
	u, err := fetch[userRow](v, crm.KindOf("user"), v.r.PathValue("id"))
	if err != nil {
		return err
	}
	return v.showPerson(http.StatusOK, u, nil, v.received())
}

func (v *visit) showPerson(status int, u userRow, f *form, h handover) error {
	roles, err := v.roles(u.RoleID)
	if err != nil {
		return err
	}
	v.about(&u, roles)
	if f == nil {
		f = newForm(url.Values{"name": {u.Name}, "email": {u.Email}, "role": {u.RoleID}, "timezone": {u.Timezone}, "locale": {u.Locale}})
	}
	f.values.Set("version", strconv.FormatInt(u.Version, 10))
	p := personPage{Form: f, Done: v.done(h), Secret: v.reveal(h), User: u, Roles: v.mayGive(roles)}
	if p.Above, err = v.above(u, roles); err != nil {
		return err
	}
	v.show(status, "person", p)
	return nil
}

// above says why who is looking cannot change a user, or nothing.
func (v *visit) above(u userRow, roles []roleRow) (string, error) {
	if _, err := v.who.Allow(&crm.KindOf("user").Resource, crm.Write); err != nil {
		return plainly(problem.As(err).Detail), nil
	}
	at := slices.IndexFunc(roles, func(r roleRow) bool { return r.ID == u.RoleID })
	if at < 0 {
		return "", nil
	}
	if err := v.who.MayGive(roles[at].Role); err != nil {
		return plainly(problem.As(err).Detail), nil
	}
	return "", nil
}

func (u userRow) fields() map[string]string {
	return map[string]string{"name": u.Name, "email": u.Email, "role_id": u.RoleID, "timezone": u.Timezone, "locale": u.Locale}
}

func (v *visit) changePerson() error {
	kind := crm.KindOf("user")
	u, err := fetch[userRow](v, kind, v.r.PathValue("id"))
	if err != nil {
		return err
	}
	f := v.filled()
	// A present address that is given again would take back a change that waits to be confirmed, so only what differs is sent.
	fields := differing(u.fields(), map[string]string{"name": f.Get("name"), "email": f.Get("email"), "role_id": f.Get("role"), "timezone": f.Get("timezone"), "locale": f.Get("locale")})
	ctx, links := oauth.ShowLinks(v.r.Context())
	v.r = v.r.WithContext(ctx)
	rec, err := v.patch(f, kind, u.ID, fields)
	if err = f.blame(err, map[string]string{"role_id": "role"}); err != nil {
		return err
	}
	if !f.ok() {
		return v.showPerson(http.StatusUnprocessableEntity, u, f, handover{})
	}
	to := personPath(rec)
	switch {
	case len(*links) > 0 && rec.Text(crm.Users.Status) == "invited":
		return v.handOn(to, rec.Text(crm.Users.Email), *links, invitationLimits)
	case len(*links) > 0:
		return v.goOn(to, handover{Secret: &secretNotice{
			"Hand this link to " + rec.Text(crm.Users.PendingEmail), "Saved. This server sends no mail, so the link is for you to pass on. With it and their password the new address is confirmed, within seven days; until then " + rec.Text(crm.Users.Email) + " stays the one to log in with.",
			[]labelled{{"Link", v.auth.Origin(v.r) + (*links)[len(*links)-1]}},
		}})
	case rec.Get(crm.Users.PendingEmail).Set && fields["email"] != nil:
		return v.goOn(to, handover{Done: "Saved. " + rec.Text(crm.Users.PendingEmail) + " is asked to confirm; until then " + rec.Text(crm.Users.Email) + " stays the address to log in with."})
	}
	return v.redirect(to + "?done=saved")
}

func personPath(user *schema.Record) string {
	return "/account/people/" + schema.FormatID("user", user.ID())
}

// newLink gives a user a new way in.
func (v *visit) newLink() error {
	user, err := v.engine.Entrust(v.r.Context(), v.call(), v.filled().Get("id"))
	if err != nil {
		return err
	}
	if crm.Suspended(user) {
		return &pageError{http.StatusConflict, "That is not possible", "The user is suspended. Activate them first."}
	}
	ctx, links := oauth.ShowLinks(v.r.Context())
	err = v.people.NewLink(ctx, v.who.Tenant, user, v.origin, v.who.Actor(""))
	if errors.Is(err, oauth.ErrTooManyTries) {
		return &pageError{http.StatusTooManyRequests, "Too many links were sent", "Those that were sent before are still good. Please wait an hour and try again."}
	}
	if err != nil {
		v.log.Error("link", "request_id", v.id, "error", err)
		return &pageError{http.StatusBadGateway, "The link could not be sent", "The mail server may be out of reach; try again later."}
	}
	limits := resetLimits
	if user.Text(crm.Users.Status) == "invited" {
		limits = invitationLimits
	}
	return v.handOn(personPath(user), user.Text(crm.Users.Email), *links, limits)
}

func (v *visit) suspend() error  { return v.setStatus("suspended", "suspended") }
func (v *visit) activate() error { return v.setStatus("active", "activated") }

func (v *visit) setStatus(status, done string) error {
	n, err := node(map[string]any{"status": status})
	if err != nil {
		return err
	}
	rec, err := v.engine.Do(v.r.Context(), v.call(), crm.Operation{Kind: crm.KindOf("user"), Name: crm.Update, ID: v.filled().Get("id"), Body: n})
	if err != nil {
		return err
	}
	return v.redirect(personPath(rec) + "?done=" + done)
}

func (v *visit) deletePerson() error {
	if _, err := v.engine.Do(v.r.Context(), v.call(), crm.Operation{Kind: crm.KindOf("user"), Name: crm.Remove, ID: v.filled().Get("id")}); err != nil {
		return err
	}
	return v.redirect("/account/people?done=removed")
}

func (v *visit) restorePerson() error {
	rec, err := v.engine.Do(v.r.Context(), v.call(), crm.Operation{Kind: crm.KindOf("user"), Name: crm.Restore, ID: v.filled().Get("id")})
	if err != nil {
		return err
	}
	return v.redirect(personPath(rec) + "?done=restored")
}
