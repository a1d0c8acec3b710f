package record

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// Verb is what an operation does to a record, as scopes and roles count it.
type Verb string

// The verbs.
const (
	Read   Verb = "read"
	Write  Verb = "write"
	Delete Verb = "delete"
)

// Verbs lists them.
var Verbs = []Verb{Read, Write, Delete}

// Reach is how far a role lets a verb go.
type Reach string

// The reaches.
const (
	None Reach = "none"
	Own  Reach = "own"
	All  Reach = "all"
)

// EraseFeature is the feature permission that erasing needs.
const EraseFeature = "erase"

// AuditFeature is the feature permission that reading the audit log needs, and AuditScope the scope.
const (
	AuditFeature = "audit"
	AuditScope   = "audit.read"
)

// Features are the permissions that are not about one resource.
var Features = []string{
	"manage_users", "manage_roles", "manage_settings", "manage_tokens", "manage_apps", "export", EraseFeature,
	AuditFeature,
}

// Role is what a role record allows.
type Role struct {
	Name        string
	Permissions map[string]map[Verb]Reach
	Features    []string
	// SecondFactor tells whether who has the role must have a second factor.
	SecondFactor bool `json:"requires_second_factor"`
}

// UserName is what the kind is called whose records act.
const UserName = "user"

// Principal is who acts, in which business, and what they may do: the scopes of their token AND their role.
type Principal struct {
	Tenant store.Tenant
	User   schema.UUID
	// Token is their personal access token, App the app of the business that acts for them, and Client the client id of one that registered
	// itself; at most one of them is set.
	Token  schema.UUID
	App    schema.UUID
	Client string
	// Connection is what their secret belongs to: a personal access token, a session, what they allowed an app, or an app that acts
	// on its own.
	Connection schema.UUID
	Scopes     []string
	Role       Role
	// Unconfirmed tells of a person in the browser that it is long ago that they showed that it is them. They lack the powerful
	// scopes until they do so again.
	Unconfirmed bool
	// LacksFactor tells that the role requires a second factor, and the user has none.
	LacksFactor bool
	// Timezone is the user's, or empty.
	Timezone string
	// ExpiresAt is when the token that they present expires; zero where it does not, and for people in the browser.
	ExpiresAt time.Time
	// Shapes are the resources as their business has them.
	Shapes *Shapes
}

// Resource is a kind as the principal's business has it: what is declared, and the fields that the business added (see
// schema.Resource.Extend).
func (p *Principal) Resource(k *Kind) *schema.Resource { return p.Shapes.Shaped(&k.Resource) }

// Shaped is a declared resource as the principal's business has it.
func (p *Principal) Shaped(res *schema.Resource) *schema.Resource { return p.Shapes.Shaped(res) }

// Actor is the principal as the change log names it.
func (p *Principal) Actor(requestID string) store.Actor {
	return store.Actor{User: p.User, Token: p.Token, App: p.App, Client: p.Client, RequestID: requestID}
}

// Allow decides whether a principal may use a verb on a resource, and how far. It is the one place where that is decided: scope first,
// then role, then feature.
func (p *Principal) Allow(res *schema.Resource, verb Verb) (Reach, error) {
	scope := res.Name + "." + string(verb)
	if !Covers(p.Scopes, scope) {
		if p.Unconfirmed {
			return None, p.unconfirmed(res, verb, scope)
		}
		return None, lackingScope(scope)
	}
	reach := p.Role.Reach(res, verb)
	if reach == None {
		return None, problem.New(problem.ForbiddenByRole, "The role %s does not allow %s on %s.", p.Role.Name, verb, res.Plural)
	}
	if _, powerful := Powerful(scope); powerful && p.LacksFactor {
		return None, p.FactorRequired()
	}
	if res.Access.Feature == "" || verb == Read {
		return reach, nil
	}
	if err := p.AllowFeature(res.Access.Feature, string(verb)+" on "+res.Plural); err != nil {
		if res.Access.OwnFree {
			return Own, nil
		}
		return None, err
	}
	return reach, nil
}

// AllowFeature decides whether a principal has a feature permission, which something needs. Who lacks the second factor that their role
// requires has none, with any token: otherwise a token from before would let them, or who stole it, get rid of the requirement.
func (p *Principal) AllowFeature(feature, something string) error {
	switch {
	case !slices.Contains(p.Role.Features, feature):
		return problem.New(problem.ForbiddenByRole, "The role %s lacks the feature permission %s, which %s needs.",
			p.Role.Name, feature, something)
	case p.LacksFactor:
		return p.FactorRequired()
	}
	return nil
}

// allowBeyond decides about what is no resource: scope first, then feature.
func (p *Principal) allowBeyond(scope, feature, something string) error {
	if !Covers(p.Scopes, scope) {
		return lackingScope(scope)
	}
	return p.AllowFeature(feature, something)
}

// AllowBusiness decides whether a principal may change the business, and AllowAudit whether they may read the audit log.
func (p *Principal) AllowBusiness() error {
	return p.allowBeyond(BusinessScope, Business.Access.Feature, "changing the business")
}

func (p *Principal) AllowAudit() error {
	return p.allowBeyond(AuditScope, AuditFeature, "reading the audit log")
}

// Features are the feature permissions that the principal has, and HasFeature tells whether one is among them.
func (p *Principal) Features() []string {
	if p.LacksFactor {
		return nil
	}
	return p.Role.Features
}

func (p *Principal) HasFeature(feature string) bool { return slices.Contains(p.Features(), feature) }

// FactorRequired says that somebody has to set up a second factor first. Without one a session does nothing else, and a token nothing that
// is powerful or needs a feature permission.
func (p *Principal) FactorRequired() error {
	where := "Set one up first, in the app under /app/settings/security."
	if !p.InBrowser() {
		where = "Until the user has set one up, in the app under /app/settings/security, no token of theirs does this."
	}
	return problem.New(problem.SecondFactorRequired, "The role %s requires a second factor, and the user has none. %s", p.Role.Name, where)
}

// AllowSome decides whether a principal may change records of a resource in any way. Each operation of a batch is then asked for by itself.
func (p *Principal) AllowSome(res *schema.Resource) error {
	_, err := p.Allow(res, Write)
	if _, other := p.Allow(res, Delete); other == nil {
		return nil
	}
	return err
}

// unconfirmed is why somebody who has not lately shown that it is them may not do what hands out access. Who could not do it in any
// case is not asked to.
func (p *Principal) unconfirmed(res *schema.Resource, verb Verb, scope string) error {
	if _, powerful := Powerful(scope); !powerful {
		return lackingScope(scope)
	}
	confirmed := *p
	confirmed.Scopes, confirmed.Unconfirmed = scopes, false
	if _, err := confirmed.Allow(res, verb); err != nil {
		return err
	}
	return ErrUnconfirmed
}

// ErrUnconfirmed tells somebody who is logged in that they have to show again that it is them.
var ErrUnconfirmed = problem.New(problem.ConfirmationRequired,
	"This hands out access, and it is more than an hour since you gave your password. Send it to POST /v1/me/confirm first.")

// InBrowser tells whether the principal is a person who is logged in, and no token or app.
func (p *Principal) InBrowser() bool {
	return p.Token == (schema.UUID{}) && p.App == (schema.UUID{}) && p.Client == ""
}

func lackingScope(scope string) error {
	return &problem.Problem{Code: problem.InsufficientScope, Scope: scope, Detail: "The token lacks the scope " + scope + "."}
}

// Covers tells whether scopes include one: by name, or by the resource's all.
func Covers(scopes []string, scope string) bool {
	resource, _, _ := strings.Cut(scope, ".")
	return slices.Contains(scopes, scope) || slices.Contains(scopes, resource+".all")
}

// Within gives what of some scopes lies within others; of a resource's all, those of its parts that do.
func Within(scopes, limit []string) []string {
	var kept []string
	for _, scope := range scopes {
		parts := []string{scope}
		if !Covers(limit, scope) {
			parts = Parts(scope)
		}
		for _, part := range parts {
			if Covers(limit, part) && !slices.Contains(kept, part) {
				kept = append(kept, part)
			}
		}
	}
	return kept
}

// Reach is how far the role goes; what it does not mention it does not allow, and of what is personal it goes to one's own.
func (r Role) Reach(res *schema.Resource, verb Verb) Reach {
	switch reach := r.Permissions[res.Name][verb]; {
	case reach == All && res.Access.Personal:
		return Own
	case reach == All, reach == Own:
		return reach
	default:
		return None
	}
}

// CanRead answers the search check: may records of the resource be read, and only one's own?
func (p *Principal) CanRead(res *schema.Resource) (own bool, err error) {
	reach, err := p.Allow(res, Read)
	return reach == Own, err
}

// reader is what a search needs to know of a principal, in one request.
type reader struct {
	*Principal
	ctx context.Context
}

func (p *Principal) Reader(ctx context.Context) query.Reader { return reader{p, ctx} }

// Here is where and when the principal asks: by their own clock, or else that of the business.
func (r reader) Here() (query.Here, error) {
	here := query.Here{Now: time.Now(), Zone: time.UTC, User: r.User}
	name := r.Timezone
	if name == "" {
		business, err := r.Tenant.Own(r.ctx, Business)
		if err != nil {
			return here, err
		}
		name = business.Text(OwnBusiness.Timezone)
	}
	here.Zone = ZoneNamed(name)
	return here, nil
}

// ZoneNamed is a time zone that is stored, so that its name was checked; none, and one that is no longer known, is UTC.
func ZoneNamed(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	return zone
}

// Owns tells whether a record is the principal's own: owned by or assigned to them.
func (p *Principal) Owns(res *schema.Resource, rec *schema.Record) bool {
	return slices.ContainsFunc(res.Owners, func(l *schema.Leaf) bool {
		v := rec.Get(l)
		return v.Set && v.UUID() == p.User
	})
}

// Reaches decides about one record that was found. A record that the role may not read is as good as absent; one that it may read
// but not touch is forbidden.
func (p *Principal) Reaches(res *schema.Resource, rec *schema.Record, verb Verb, reach Reach) error {
	own := p.Owns(res, rec)
	if see := p.Role.Reach(res, Read); see == None || see == Own && !own || !own && !Shared(res, rec) {
		return NotFound(res)
	}
	if reach == Own && !own {
		return problem.New(problem.ForbiddenByRole, "The role %s allows %s only on one's own %s.", p.Role.Name, verb, res.Plural)
	}
	return nil
}

// Shared tells whether others may see a record, too. Most resources have none that are somebody's alone.
func Shared(res *schema.Resource, rec *schema.Record) bool {
	return res.SharedLeaf == nil || rec.Get(res.SharedLeaf).True()
}

// Confine holds a search to the records that a reach lets the principal see.
func (p *Principal) Confine(q *query.Query, reach Reach) {
	q.User = p.User
	q.Ends = p.EndsOf(q.Resource)
	for i := range q.Filters {
		q.Filters[i].Linked.User = p.User
	}
	if q.Shared = reach == All && q.Resource.SharedLeaf != nil; reach == Own || q.Shared {
		q.Own = &p.User
	}
}

// MayRead tells whether the principal may read a record: by scope, role and reach.
func (p *Principal) MayRead(res *schema.Resource, rec *schema.Record) bool {
	return p.AllowOn(res, rec, Read) == nil
}

// AllowOn decides whether the principal may use a verb on a record that was found.
func (p *Principal) AllowOn(res *schema.Resource, rec *schema.Record, verb Verb) error {
	reach, err := p.Allow(res, verb)
	if err == nil {
		err = p.Reaches(res, rec, verb, reach)
	}
	return err
}

// Existing is the id of a record that is in the way, for those who may know of it.
func (p *Principal) Existing(res *schema.Resource, rec *schema.Record) string {
	if rec == nil || !p.MayRead(res, rec) || p.EndsOf(res) != nil {
		return ""
	}
	return schema.FormatID(res.Name, rec.ID())
}

// MaySeeOf decides whether a principal may know of what a user began by a connection with some scopes: it is their own, or they manage
// the business; and it was begun by the token that they have, or by one that could do no more.
func (p *Principal) MaySeeOf(user, connection schema.UUID, scopes []string) bool {
	if user != p.User && !p.HasFeature(Business.Access.Feature) {
		return false
	}
	more := func(scope string) bool {
		return slices.ContainsFunc(Parts(scope), func(part string) bool { return !Covers(p.Scopes, part) })
	}
	return connection == p.Connection || !slices.ContainsFunc(scopes, more)
}

func NotFound(res *schema.Resource) *problem.Problem {
	return problem.New(problem.NotFound, "There is no such %s.", strings.ReplaceAll(res.Name, "_", " "))
}

var scopes []string

// Scopes lists every scope that a token can have.
func Scopes() []string { return slices.Clone(scopes) }

// Powerful tells whether a scope lets its holder decide what others may do, or make further secrets, and says in plain words what that is.
func Powerful(scope string) (why string, ok bool) {
	name, action, _ := strings.Cut(scope, ".")
	k := KindOf(name)
	if k == nil || k.Access.Power == "" || action != string(Write) && action != "all" {
		return "", false
	}
	return k.Access.Power, true
}

// Parts are the scopes that an .all stands for; any other scope stands for itself.
func Parts(scope string) []string {
	name, action, _ := strings.Cut(scope, ".")
	if action != "all" {
		return []string{scope}
	}
	var parts []string
	for _, verb := range Verbs {
		parts = append(parts, name+"."+string(verb))
	}
	return parts
}

// CheckScopes tells which of the scopes do not exist.
func CheckScopes(given []string) error {
	var wrong problem.Fields
	if at := slices.IndexFunc(given, func(s string) bool { return !slices.Contains(scopes, s) }); at >= 0 {
		wrong.Add("scopes", "not_allowed",
			"cannot have "+problem.Quote(given[at])+", which is no scope"+problem.DidYouMean(given[at], scopes), scopes...)
	}
	return wrong.Err()
}

// anyReader may read everything. What a kept search shows is asked for by whoever uses it; to keep it needs no permission on that.
type anyReader struct {
	here   query.Here
	shapes *Shapes
}

func (anyReader) CanRead(*schema.Resource) (bool, error) { return false, nil }

func (r anyReader) Shaped(res *schema.Resource) *schema.Resource { return r.shapes.Shaped(res) }

func (r anyReader) Here() (query.Here, error) { return r.here, nil }

// EndsOf tells which links of a resource the principal may see by their ends, or nil where all.
func (p *Principal) EndsOf(res *schema.Resource) *query.Ends {
	if len(res.EndLeaves) == 0 {
		return nil
	}
	ends := &query.Ends{User: p.User}
	for _, name := range res.EndLeaves[0].Ref.Among {
		far := &KindOf(name).Resource
		switch own, err := p.CanRead(far); {
		case err != nil:
			ends.None = append(ends.None, far)
		case own:
			ends.Own = append(ends.Own, far)
		}
	}
	if len(ends.None)+len(ends.Own) == 0 {
		return nil
	}
	return ends
}

// getting reads a record, live or in the bin.
type getting func(res *schema.Resource, id schema.UUID, bin bool) (*schema.Record, error)

// anywhere reads a record that may be in the bin.
func (get getting) anywhere(res *schema.Resource, id schema.UUID) (*schema.Record, error) {
	rec, err := get(res, id, false)
	if errors.Is(err, store.ErrNotFound) {
		rec, err = get(res, id, true)
	}
	return rec, err
}

// SeesEnds answers for a link what reaches cannot tell by the record alone: one whose ends may not both be read is as good as absent.
func (p *Principal) SeesEnds(res *schema.Resource, rec *schema.Record, get getting) error {
	if p.EndsOf(res) == nil {
		return nil
	}
	ends, err := store.EndsOf(res, rec)
	if err != nil {
		return err
	}
	for _, end := range ends {
		far := &KindOf(end.Resource).Resource
		own, err := p.CanRead(far)
		if err != nil {
			return NotFound(res)
		}
		if !own {
			continue
		}
		other, err := get.anywhere(far, end.ID)
		if errors.Is(err, store.ErrNotFound) || err == nil && !p.Owns(far, other) {
			return NotFound(res)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
