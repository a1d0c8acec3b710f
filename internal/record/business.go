package record

import (
	"context"
	"fmt"
	"time"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
)

// Person is a user as the operator makes one.
type Person struct {
	Email, Name  string
	PasswordHash string
}

// CreateBusiness makes a business with what every business starts with: roles, lifecycle stages, a pipeline, and its administrator. What
// then adds is in the same transaction.
func (e *Engine) CreateBusiness(ctx context.Context, name, currency string, admin Person,
	then func(tx *store.Tx, who *Principal) error,
) (*Principal, error) {
	return e.CreateBusinessSince(ctx, time.Now(), name, currency, admin, then)
}

// CreateBusinessSince makes a business as if that had happened at an earlier time.
func (e *Engine) CreateBusinessSince(ctx context.Context, since time.Time, name, currency string, admin Person,
	then func(tx *store.Tx, who *Principal) error,
) (*Principal, error) {
	var wrong problem.Fields
	given := body.Node{Kind: body.Object, Members: []body.Member{
		{Name: OwnBusiness.Name.Path, Value: body.Node{Kind: body.String, Text: name}},
		{Name: OwnBusiness.Currency.Path, Value: body.Node{Kind: body.String, Text: currency}},
	}}
	declared := body.Decode(given, &Business.Shape, true, "", &wrong)
	if err := wrong.Err(); err != nil {
		return nil, err
	}
	var who *Principal
	business := store.Business{
		ID: schema.NewID(since), Name: declared.Get(OwnBusiness.Name).S,
		Currency: declared.Get(OwnBusiness.Currency).S, CreatedAt: since,
	}
	adminID := schema.NewID(since)
	err := e.store.CreateBusiness(ctx, business, store.Actor{User: adminID}, func(tx *store.Tx) error {
		tx.At(since, store.Actor{User: adminID})
		tx.Audit(store.AuditEntry{Action: BusinessCreated, Resource: Business.Name, Record: schema.FormatID(Business.Name, tx.ID())})
		who = SystemPrincipal(tx.Tenant, adminID)
		if err := e.seed(tx, who); err != nil {
			return err
		}
		if err := e.addPerson(tx, who, adminID, admin, "admin"); err != nil {
			return err
		}
		if then == nil {
			return nil
		}
		return then(tx, who)
	})
	return who, err
}

// CreateUser adds a user to a business with a role by its name.
func (e *Engine) CreateUser(ctx context.Context, t store.Tenant, p Person, roleName string) (schema.UUID, error) {
	var id schema.UUID
	err := t.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
		id = tx.NewID()
		tx.Actor = store.Actor{User: id}
		return e.addPerson(tx, SystemPrincipal(t, id), id, p, roleName)
	})
	return id, err
}

// SystemPrincipal acts for the operator: it may do everything in one business, in the name of a user.
func SystemPrincipal(t store.Tenant, as schema.UUID) *Principal {
	return &Principal{Tenant: t, User: as, Scopes: Scopes(), Role: StartingRoles()[0]}
}

func (e *Engine) addPerson(tx *store.Tx, who *Principal, id schema.UUID, p Person, roleName string) error {
	roles, err := tx.Find(&RoleKind.Resource, 1, store.Equal(Roles.Name, schema.TextValue(schema.Text, roleName)))
	if err != nil {
		return err
	}
	if len(roles) == 0 {
		var wrong problem.Fields
		wrong.Add("role", "not_found", "there is no role "+roleName)
		return wrong.Err()
	}
	status := "invited"
	if p.PasswordHash != "" {
		status = "active"
	}
	if err := AddUser(e, tx, who, id, p, roles[0].ID(), status); err != nil || p.PasswordHash == "" {
		return err
	}
	return keep.SetPassword(tx, id, p.PasswordHash)
}

// AddUser makes the record of a person.
func AddUser(e *Engine, tx *store.Tx, who *Principal, id schema.UUID, p Person, roleID schema.UUID, status string) error {
	fields := []byte(`{"email":`)
	fields = schema.AppendString(fields, p.Email)
	fields = append(fields, `,"name":`...)
	fields = schema.AppendString(fields, p.Name)
	fields = append(fields, `,"status":"`+status+`","role_id":"`+schema.FormatID("role", roleID)+`"}`...)
	changes, err := decodeText(User, &User.Resource, string(fields))
	if err != nil {
		return err
	}
	w := e.NewRecord(tx, who, User, changes)
	w.Rec.Put(Users.ID, schema.IDValue(id))
	_, err = w.Create(All)
	return err
}

func decodeText(k *Kind, res *schema.Resource, text string) (*body.Changes, error) {
	n, err := body.Parse([]byte(text))
	if err != nil {
		return nil, err
	}
	return k.Decode(res, n, true)
}

// Add makes a record from JSON text inside a transaction of the operator's.
func (e *Engine) Add(tx *store.Tx, who *Principal, k *Kind, text string) (*schema.Record, error) {
	who, _, err := e.Inform(tx, who)
	if err != nil {
		return nil, err
	}
	changes, err := decodeText(k, who.Resource(k), text)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", k.Name, text, err)
	}
	return e.NewRecord(tx, who, k, changes).Create(All)
}

// StartingRoles are the roles that every business begins with, derived from the resources: settings are those that need a feature
// permission.
func StartingRoles() []Role {
	admin := Role{Name: "admin", Permissions: map[string]map[Verb]Reach{}, Features: Features}
	manager := Role{Name: "manager", Permissions: map[string]map[Verb]Reach{}, Features: []string{"export"}}
	member := Role{Name: "member", Permissions: map[string]map[Verb]Reach{}}
	viewer := Role{Name: "viewer", Permissions: map[string]map[Verb]Reach{}}
	for _, k := range kinds {
		res := &k.Resource
		reading := map[Verb]Reach{Read: All, Write: None, Delete: None}
		all := map[Verb]Reach{Read: All, Write: All, Delete: All}
		setting := res.Access.Feature != ""
		admin.Permissions[res.Name] = all
		manager.Permissions[res.Name] = all
		member.Permissions[res.Name] = map[Verb]Reach{Read: All, Write: Own, Delete: Own}
		viewer.Permissions[res.Name] = reading
		if setting {
			manager.Permissions[res.Name] = reading
		}
		if setting || k.MembersRead {
			member.Permissions[res.Name] = reading
		}
		if res.Access.Closed {
			none := map[Verb]Reach{Read: None, Write: None, Delete: None}
			manager.Permissions[res.Name], member.Permissions[res.Name], viewer.Permissions[res.Name] = none, none, none
		}
		if res.Access.OwnFree {
			own := map[Verb]Reach{Read: Own, Write: Own, Delete: Own}
			if res.Access.Shared != "" {
				own[Read] = All
			}
			manager.Permissions[res.Name], member.Permissions[res.Name], viewer.Permissions[res.Name] = own, own, own
		}
	}
	return []Role{admin, manager, member, viewer}
}

func (r Role) json() string {
	doc := schema.AppendString([]byte(`{"name":`), r.Name)
	doc = append(doc, `,"permissions":{`...)
	first := true
	for _, res := range Registry.Resources {
		if !first {
			doc = append(doc, ',')
		}
		first = false
		doc = fmt.Appendf(doc, `%q:{"read":%q,"write":%q,"delete":%q}`, res.Name, r.Reach(res, Read), r.Reach(res, Write),
			r.Reach(res, Delete))
	}
	doc = append(doc, `},"features":[`...)
	for i, f := range r.Features {
		if i > 0 {
			doc = append(doc, ',')
		}
		doc = fmt.Appendf(doc, "%q", f)
	}
	return string(append(doc, "]}"...))
}

// seed makes what every business begins with.
func (e *Engine) seed(tx *store.Tx, who *Principal) error {
	for _, r := range StartingRoles() {
		if _, err := e.Add(tx, who, RoleKind, r.json()); err != nil {
			return err
		}
	}
	for _, s := range starting {
		if _, err := e.Add(tx, who, s.Kind, s.Body); err != nil {
			return err
		}
	}
	return nil
}
