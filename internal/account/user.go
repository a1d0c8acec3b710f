// Package account is who acts in a business and what they may do: users, roles, tokens and apps, which are kinds of records, the
// identity provider by which people log in, and the business itself: how it begins, and how its settings change.
package account

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
)

// What people are told of; see package notify.
const (
	ToldMention  = "mention"
	ToldAssigned = "assigned"
	ToldReminder = "reminder"
	ToldFollowed = "followed"
	ToldWebhook  = "webhook"
	ToldDue      = "due"
	ToldJob      = "job"
)

// ToldKinds lists them.
var ToldKinds = []string{ToldMention, ToldAssigned, ToldReminder, ToldFollowed, ToldWebhook, ToldDue, ToldJob}

var User = &record.Kind{IsActor: true, Resource: schema.Resource{
	Name: "user", Plural: "users", Label: "User",
	Access: schema.Access{
		Feature: "manage_users", Own: []string{"id"}, Rights: true, Audited: true,
		Power: "can invite people, change who they log in as, and decide what they may do",
	},
	Summary: schema.Summary{Telling: []string{"email", "status", "role.name"}},
	Life:    schema.Life{Erasable: true},
	Storage: schema.Storage{Small: true},
	Example: `{"email":"ben@harbour.example","name":"Ben","role_id":"role_01kh4xv1qcf0mvq8gk8d8mvxd9"}`,
	Fields: []schema.Field{
		{
			Name: "email", Kind: schema.Text, Format: schema.Email, Label: "E-mail", Required: true,
			Identity: schema.Identity{Unique: true}, Find: schema.Find{Searchable: true, Indexed: true},
		},
		{
			Name: "pending_email", Kind: schema.Text, Format: schema.Email, Label: "New e-mail", ReadOnly: true,
			About: "The address that takes the place of `email` once the user has confirmed it.",
		},
		{
			Name: "name", Kind: schema.Text, Label: "Name", Required: true, Derived: true,
			Find: schema.Find{Searchable: true, Sorted: true}, About: "The e-mail address when not given.",
		},
		{
			Name: "status", Kind: schema.Choice, Options: []string{"invited", "active", "suspended"}, Label: "Status", Required: true,
			OptionColours: []string{"blue", "green", "red"},
			Default:       "invited", Find: schema.Find{Indexed: true},
		},
		{
			Name: "role_id", Kind: schema.ID, Ref: schema.Ref{To: "role", Restrict: true}, Label: "Role", Required: true, Derived: true,
			Find: schema.Find{Indexed: true}, About: "The role member when not given.",
		},
		{Name: "timezone", Kind: schema.Text, Format: schema.Timezone, Label: "Time zone"},
		{
			Name: "locale", Kind: schema.Text, Format: schema.Locale, Label: "Language and region",
			About: "Of the mails to them; that of the business when not given.",
		},
		{Name: "last_active_at", Kind: schema.Time, Label: "Last active", ReadOnly: true, Writing: schema.Writing{Silent: true}},
		{
			Name: "second_factor_at", Kind: schema.Time, Label: "Second factor since", ReadOnly: true,
			About: "Since when the user logs in with an authenticator app or a passkey beside the password. Absent where they do not.",
		},
		{
			Name: "muted_notifications", Kind: schema.Choices, Options: ToldKinds, Label: "Muted notifications",
			About: "What the user is not told of.",
		},
		{
			Name: "notifications_mailed_at_once", Kind: schema.Choices, Options: ToldKinds, Label: "Notifications mailed at once",
			About: "What is mailed as soon as it happens, and not with the mail of the next morning.",
		},
		{
			Name: "notifications_not_mailed", Kind: schema.Choices, Options: ToldKinds, Label: "Notifications not mailed",
			About: "What is not mailed.",
		},
	},
	States: &schema.States{Field: "status", Initial: "invited", Moves: []schema.Move{
		{Name: "activate", From: []string{"invited", "suspended"}, To: "active", ByPatch: true},
		{Name: "suspend", From: []string{"invited", "active"}, To: "suspended", ByPatch: true},
	}},
}}

// Users are the fields of users that code names.
var Users struct {
	schema.Common
	Email, PendingEmail, Name, Status, RoleID, Timezone, Locale, SecondFactorAt *schema.Leaf
	MutedNotifications, NotificationsMailedAtOnce, NotificationsNotMailed       *schema.Leaf
}

var Role = &record.Kind{Resource: schema.Resource{
	Name: "role", Plural: "roles", Label: "Role",
	Access:  schema.Access{Feature: "manage_roles", Rights: true, Audited: true, Power: "can change what everybody with a role may do"},
	Summary: schema.Summary{Telling: []string{"features", "created_at", "updated_at"}},
	Storage: schema.Storage{Small: true},
	Example: `{"name":"Intern","permissions":{"contact":{"read":"all","write":"own"},"company":{"read":"all"}}}`,
	Fields: []schema.Field{
		{
			Name: "name", Kind: schema.Text, Label: "Name", Required: true, Identity: schema.Identity{Unique: true},
			Find: schema.Find{Searchable: true, Sorted: true},
		},
		{
			Name: "permissions", Kind: schema.Document, Label: "Permissions",
			About: "For each resource, how far read, write and delete go: none, own or all. What is not mentioned is none.",
		},
		{Name: "features", Kind: schema.Choices, Options: record.Features, Label: "Feature permissions"},
		{
			Name: "requires_second_factor", Kind: schema.Bool, Label: "Requires a second factor",
			About: "Whether users with this role must log in with an authenticator app or a passkey beside the password. Who has none " +
				"yet has to set one up at the next log-in, before anything else. False when not given.",
		},
	},
}}

// Roles are the fields of roles that code names.
var Roles struct {
	schema.Common
	Name, Permissions, Features, RequiresSecondFactor *schema.Leaf
}

func declareUsers() {
	schema.Bind(&User.Shape, &Users)
	User.Patched = readdress
	User.Announce = tellUser
	User.CannotOwn = func(u *schema.Record) string {
		if Suspended(u) {
			return isSuspended
		}
		return ""
	}
	User.Prepare = prepareUser
	User.Validate = validateUser
	User.Written = userWritten
	User.Removing = func(w *record.Mutation) error {
		p := w.Proposed()
		if err := checkRank(p, p.Get(Users.RoleID), false); err != nil {
			return err
		}
		return keepAdministrator(p, p.Values)
	}
	User.Restoring = func(w *record.Mutation) error { return checkRank(w.Proposed(), w.Rec.Get(Users.RoleID), true) }
	User.Erasing = eraseUser
}

func declareRoles() {
	schema.Bind(&Role.Shape, &Roles)
	grantInEveryBusiness()
	Role.Validate = validateRole
	Role.Removing = func(w *record.Mutation) error {
		if err := keepProviderRole(w); err != nil {
			return err
		}
		return outranks(w.Who, ReadRole(w.Rec), "delete %s")
	}
	Role.Restoring = func(w *record.Mutation) error { return checkRole(w.Who, ReadRole(w.Rec), "restore %s") }
	Role.Documents = map[*schema.Leaf]func(body.Node, *problem.Fields) string{Roles.Permissions: checkPermissions}
}

// readdress keeps a new address of a user who has a password apart from the one that they log in with until they have confirmed it:
// otherwise a mistyped address would hand the account to a stranger. To give the present address takes the change back.
func readdress(w *record.Mutation) error {
	if !w.Gave(Users.Email) || !w.Rec.Get(Users.Email).Set {
		return nil
	}
	old, given := w.Old.Text(Users.Email), w.Rec.Text(Users.Email)
	w.Rec.Put(Users.PendingEmail, schema.Absent(schema.Text))
	if query.FoldCase(old) == query.FoldCase(given) {
		return nil
	}
	password, err := keep.HeldPassword(w.Tx, w.Rec.ID())
	if err != nil || password.Hash == "" {
		return err
	}
	if err := w.CheckUnique(); err != nil { // nobody is asked to confirm what cannot be had
		return err
	}
	w.Rec.PutText(Users.PendingEmail, given)
	w.Rec.PutText(Users.Email, old)
	return nil
}

// tellUser lets a user know what a change asks of them: to accept an invitation, or to confirm an address. One who is given the
// address again that they have not confirmed is asked again.
func tellUser(w *record.Mutation) {
	if w.Old != nil && !w.Changed(Users.Email) && !w.Changed(Users.Status) && !(w.Gave(Users.Email) && w.Rec.Get(Users.PendingEmail).Set) {
		return
	}
	accounts := w.Engine.Accounts
	if accounts == nil {
		return
	}
	w.AfterCommit(func(ctx context.Context) {
		switch status := w.Rec.Text(Users.Status); {
		case status == "invited":
			accounts.Invited(ctx, w.Tenant, w.Rec.ID())
		case status == "active" && w.Rec.Get(Users.PendingEmail).Set:
			accounts.Readdressed(ctx, w.Tenant, w.Rec.ID())
		}
	})
}

// suspended is the status of a user who may not act, and isSuspended how that is said.
const (
	suspended   = "suspended"
	isSuspended = "the user is suspended"
)

// Suspended tells that a user may not act.
func Suspended(u *schema.Record) bool { return u.Text(Users.Status) == suspended }

// Acting passes on a user that was read, unless they may not act: it gives nil for who is gone or suspended. Whoever gives
// something to a user reads them with Tx.Get, which holds them, so that it does not come beside their suspension and outlive it.
func Acting(u *schema.Record, err error) (*schema.Record, error) {
	if errors.Is(err, store.ErrNotFound) || err == nil && Suspended(u) {
		return nil, nil
	}
	return u, err
}

// OwnFields are what everybody may change of themselves.
func OwnFields() []*schema.Leaf {
	return []*schema.Leaf{
		Users.Name, Users.Email, Users.Timezone, Users.Locale, Users.MutedNotifications, Users.NotificationsMailedAtOnce,
		Users.NotificationsNotMailed,
	}
}

// ChangeOwn patches the user who is logged in: their name, e-mail address, time zone and locale, and what they are told of, whatever
// their role. It is for people who have shown themselves to be that user, and not for tokens.
func ChangeOwn(ctx context.Context, e *record.Engine, c record.Call, n *body.Node) (*schema.Record, error) {
	object, err := n.Object()
	if err != nil {
		return nil, err
	}
	var wrong problem.Fields
	var allowed []string
	for _, l := range OwnFields() {
		allowed = append(allowed, l.Path)
	}
	for _, m := range object.Members {
		if !slices.Contains(allowed, m.Name) {
			wrong.Add(m.Name, "not_allowed", "is not for you to change", allowed...)
		}
	}
	if err := wrong.Err(); err != nil {
		return nil, err
	}
	own := c
	own.Principal = SystemPrincipal(c.Tenant, c.User)
	return e.Do(ctx, own, record.Operation{Kind: User, Name: record.Update, ID: schema.FormatID("user", c.User), Body: n})
}

func prepareUser(w *record.Mutation) error {
	if !w.Rec.Get(Users.Name).Set {
		w.Rec.PutText(Users.Name, w.Rec.Text(Users.Email))
	}
	if !w.Rec.Get(Users.RoleID).Set {
		found, err := w.Find(&Role.Resource, 1, store.Equal(Roles.Name, schema.TextValue(schema.Text, "member")))
		if err != nil {
			return err
		}
		if len(found) > 0 {
			w.Rec.Put(Users.RoleID, found[0].Get(Roles.ID))
		}
	}
	return nil
}

// validateUser holds who acts to their own rank, and the business to having an administrator.
func validateUser(p record.Proposed) error {
	if err := checkRanks(p); err != nil {
		return err
	}
	if !p.New() && (p.Changed(Users.RoleID) || suspends(p)) {
		return keepAdministrator(p, p.Before())
	}
	return nil
}

func suspends(p record.Proposed) bool {
	return p.Text(Users.Status) == suspended && p.Changed(Users.Status)
}

// checkRanks keeps anyone from changing a user who has a role above theirs, and from giving such a role; and a token from giving a role, or
// getting hold of the user who has it, that allows more than the token's scopes cover. Whoever has the e-mail address of a user can become
// them; who is activated has their role again.
func checkRanks(p record.Proposed) error {
	given := p.New() || p.Changed(Users.RoleID) || p.Changed(Users.Status) && !suspends(p)
	taken := !p.New() && (p.Changed(Users.RoleID) || p.Changed(Users.Email) || p.Changed(Users.PendingEmail))
	if given {
		if err := checkRank(p, p.Get(Users.RoleID), true); err != nil {
			return err
		}
	}
	if p.New() {
		return nil
	}
	return checkRank(p, p.Before().Get(Users.RoleID), taken)
}

// Entrust finds a user whom the principal may give a new way to log in. Whoever holds such a link can become that user, so the principal
// must manage users and have every right that the user has.
func Entrust(ctx context.Context, c record.Call, id string) (*schema.Record, error) {
	if _, err := c.Allow(&User.Resource, record.Write); err != nil {
		return nil, err
	}
	u, err := c.Get(ctx, User, id)
	if err == nil {
		err = c.AllowOn(&User.Resource, u, record.Write)
	}
	if err != nil {
		return nil, err
	}
	r, err := c.Tenant.Get(ctx, &Role.Resource, u.Get(Users.RoleID).UUID(), false)
	if err != nil {
		return nil, err
	}
	return u, checkRole(c.Principal, ReadRole(r), "let anyone in as a user with %s")
}

// keepAdministrator refuses a change that would leave the business without an active user who can manage users and roles.
func keepAdministrator(p record.Proposed, before record.Values) error {
	isOne := func(u record.Values) (bool, error) {
		if u.Text(Users.Status) != "active" {
			return false, nil
		}
		r, err := p.Lookup(Role, u.Get(Users.RoleID).UUID())
		return r != nil && administers(ReadRole(r)), err
	}
	was, err := isOne(before)
	if err != nil || !was {
		return err
	}
	if p.Action() == record.Update && p.Kind() == User {
		if still, err := isOne(p.Values); err != nil || still {
			return err
		}
	}
	if another, err := anotherAdministers(p, func(u *schema.Record) bool { return u.ID() == before.ID() }); err != nil || another {
		return err
	}
	return problem.New(problem.Conflict, "This is the last active administrator; make another one first.")
}

// anotherAdministers tells whether an active user, apart from some, can put everything else in order again.
func anotherAdministers(p record.Proposed, apart func(u *schema.Record) bool) (bool, error) {
	users, err := p.Find(&User.Resource, 100_000, store.Equal(Users.Status, schema.TextValue(schema.Choice, "active")))
	if err != nil {
		return false, err
	}
	cannot := map[schema.Value]bool{} // the roles that were looked at
	for _, u := range users {
		id := u.Get(Users.RoleID)
		if apart(u) || cannot[id] {
			continue
		}
		r, err := p.Lookup(Role, id.UUID())
		if err != nil {
			return false, err
		}
		if r != nil && administers(ReadRole(r)) {
			return true, nil
		}
		cannot[id] = true
	}
	return false, nil
}

// administers tells whether a role can put everything else in order again.
func administers(r record.Role) bool {
	return slices.Contains(r.Features, "manage_users") && slices.Contains(r.Features, "manage_roles") &&
		r.Reach(&User.Resource, record.Write) == record.All && r.Reach(&Role.Resource, record.Write) == record.All
}

// userWritten keeps the log-in of a user in step with the record, and ends everything of a user who is suspended or deleted.
func userWritten(w *record.Mutation) error {
	gone := !w.Rec.Live()
	wasGone := w.Old != nil && !w.Old.Live()
	old, email := "", w.Rec.Text(Users.Email)
	if w.Old != nil && !wasGone {
		old = w.Old.Text(Users.Email)
	}
	if gone {
		email = ""
	}
	if old != email {
		if err := keep.SetIdentity(w.Tx, w.Rec.ID(), old, email); err != nil {
			return err
		}
	}
	if w.Old != nil && (w.Changed(Users.Email) || w.Changed(Users.PendingEmail)) {
		// What was sent to an address, or asked an address to confirm, is void with it.
		if err := keep.DropCredentials(w.Tx, w.Rec.ID()); err != nil {
			return err
		}
	}
	if !gone && !(Suspended(w.Rec) && w.Changed(Users.Status)) {
		return nil
	}
	tokens, err := w.Find(&Token.Resource, 100_000, store.Equal(Tokens.UserID, w.Rec.Get(Users.ID)))
	if err != nil {
		return err
	}
	for _, t := range tokens {
		if err := w.Touch(Token, t, func(r *schema.Record) { r.Put(Tokens.DeletedAt, schema.TimeValue(w.Now)) }); err != nil {
			return err
		}
	}
	return keep.DropUser(w.Tx, w.Rec.ID())
}

// eraseUser refuses to erase who has not left, and forgets by what the others could log in.
func eraseUser(w *record.Mutation) error {
	if w.Old.Live() && !Suspended(w.Old) {
		return problem.New(problem.Conflict, "Only users who have left can be erased; suspend or delete this one first.")
	}
	if err := checkRank(w.Proposed(), w.Old.Get(Users.RoleID), false); err != nil {
		return err
	}
	if err := keep.DropUser(w.Tx, w.Old.ID()); err != nil {
		return err
	}
	return keep.ForgetUser(w.Tx, w.Old.ID(), w.Old.Text(Users.Email))
}

// validateRole keeps anyone from making a role that allows more than theirs, and the last administrators from losing theirs.
func validateRole(p record.Proposed) error {
	if p.Refused() != nil {
		return nil
	}
	after := ReadRole(p.Clone())
	if err := checkRole(p.Who(), after, "make %s"); err != nil || p.New() {
		return err
	}
	before := ReadRole(p.Before().Clone())
	if err := covers(p.Who(), before); err != nil {
		return err
	}
	if err := outranks(p.Who(), before, "change %s"); err != nil {
		return err
	}
	if !administers(before) || administers(after) {
		return nil
	}
	if another, err := anotherAdministers(p, func(u *schema.Record) bool {
		return u.Get(Users.RoleID) == p.Get(Roles.ID)
	}); err != nil || another {
		return err
	}
	return problem.New(problem.Conflict, "No active user could administer the business any more; make another administrator first.")
}

func checkPermissions(n body.Node, wrong *problem.Fields) string {
	resources := record.Registry.Names()
	for _, m := range n.Members {
		at := "permissions." + m.Name
		switch {
		case !slices.Contains(resources, m.Name):
			wrong.Add(at, "unknown_field", "is not a resource"+problem.DidYouMean(m.Name, resources), resources...)
			continue
		case m.Value.Kind != body.Object:
			wrong.Add(at, "wrong_type", "must be an object with read, write and delete, not "+m.Value.Kind.Name())
			continue
		}
		for _, v := range m.Value.Members {
			if !slices.Contains(record.Verbs, record.Verb(v.Name)) {
				wrong.Add(at+"."+v.Name, "unknown_field", "is not a verb", "read", "write", "delete")
			} else if v.Value.Kind != body.String || !slices.Contains([]string{"none", "own", "all"}, v.Value.Text) {
				wrong.Add(at+"."+v.Name, "not_allowed", "must be none, own or all", "none", "own", "all")
			}
		}
	}
	named := slices.DeleteFunc(slices.Clone(record.Registry.Resources), func(res *schema.Resource) bool {
		_, given := n.Get(res.Name)
		return !given
	})
	if len(named) == 0 {
		return "" // no permissions at all are absent, so that is_set tells
	}
	return string(appendPermissions(nil, named, func(res *schema.Resource, verb record.Verb) string {
		given, _ := n.Get(res.Name)
		reach, _ := given.Get(string(verb))
		return cmp.Or(reach.Text, string(record.None))
	}))
}

// ReadRole reads what a role record allows.
func ReadRole(rec *schema.Record) record.Role {
	r := record.Role{
		Name: rec.Text(Roles.Name), Permissions: permissions{}, Features: body.Strings(rec.Get(Roles.Features)),
		SecondFactor: rec.Get(Roles.RequiresSecondFactor).True(),
	}
	n, err := body.Parse([]byte(rec.Text(Roles.Permissions)))
	if err != nil || n == nil {
		return r
	}
	for _, m := range n.Members {
		verbs := map[record.Verb]record.Reach{}
		for _, v := range m.Value.Members {
			verbs[record.Verb(v.Name)] = record.Reach(v.Value.Text)
		}
		r.Permissions[m.Name] = verbs
	}
	return r
}
