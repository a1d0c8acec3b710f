package account

import (
	"context"
	"fmt"
	"time"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
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
func CreateBusiness(ctx context.Context, e *record.Engine, name, currency string, admin Person,
	then func(tx *store.Tx, who *record.Principal) error,
) (*record.Principal, error) {
	return CreateBusinessSince(ctx, e, time.Now(), name, currency, admin, then)
}

// CreateBusinessSince makes a business as if that had happened at an earlier time.
func CreateBusinessSince(ctx context.Context, e *record.Engine, since time.Time, name, currency string, admin Person,
	then func(tx *store.Tx, who *record.Principal) error,
) (*record.Principal, error) {
	var wrong problem.Fields
	given := body.Node{Kind: body.Object, Members: []body.Member{
		{Name: record.OwnBusiness.Name.Path, Value: body.Node{Kind: body.String, Text: name}},
		{Name: record.OwnBusiness.Currency.Path, Value: body.Node{Kind: body.String, Text: currency}},
	}}
	declared := body.Decode(given, &record.Business.Shape, true, "", &wrong)
	if err := wrong.Err(); err != nil {
		return nil, err
	}
	var who *record.Principal
	business := store.Business{
		ID: schema.NewID(since), Name: declared.Get(record.OwnBusiness.Name).S,
		Currency: declared.Get(record.OwnBusiness.Currency).S, CreatedAt: since,
	}
	adminID := schema.NewID(since)
	err := e.Store().CreateBusiness(ctx, business, store.Actor{User: adminID}, func(tx *store.Tx) error {
		tx.At(since, store.Actor{User: adminID})
		tx.Audit(store.AuditEntry{
			Action: record.BusinessCreated, Resource: record.Business.Name,
			Record: schema.FormatID(record.Business.Name, tx.ID()),
		})
		who = SystemPrincipal(tx.Tenant, adminID)
		if err := seed(e, tx, who); err != nil {
			return err
		}
		if err := addPerson(e, tx, who, adminID, admin, "admin"); err != nil {
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
func CreateUser(ctx context.Context, e *record.Engine, t store.Tenant, p Person, roleName string) (schema.UUID, error) {
	var id schema.UUID
	err := t.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
		id = tx.NewID()
		tx.Actor = store.Actor{User: id}
		return addPerson(e, tx, SystemPrincipal(t, id), id, p, roleName)
	})
	return id, err
}

// SystemPrincipal acts for the operator: it may do everything in one business, in the name of a user.
func SystemPrincipal(t store.Tenant, as schema.UUID) *record.Principal {
	return &record.Principal{Tenant: t, User: as, Scopes: record.Scopes(), Role: StartingRoles()[0]}
}

func addPerson(e *record.Engine, tx *store.Tx, who *record.Principal, id schema.UUID, p Person, roleName string) error {
	roles, err := tx.Find(&Role.Resource, 1, store.Equal(Roles.Name, schema.TextValue(schema.Text, roleName)))
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
func AddUser(e *record.Engine, tx *store.Tx, who *record.Principal, id schema.UUID, p Person, roleID schema.UUID, status string) error {
	fields := []byte(`{"email":`)
	fields = schema.AppendString(fields, p.Email)
	fields = append(fields, `,"name":`...)
	fields = schema.AppendString(fields, p.Name)
	fields = append(fields, `,"status":"`+status+`","role_id":"`+schema.FormatID("role", roleID)+`"}`...)
	changes, err := User.DecodeText(&User.Resource, string(fields))
	if err != nil {
		return err
	}
	w := e.NewRecord(tx, who, User, changes)
	w.Rec.Put(Users.ID, schema.IDValue(id))
	_, err = w.Create(record.All)
	return err
}

// StartingRoles are the roles that every business begins with, derived from the resources: settings are those that need a feature
// permission.
func StartingRoles() []record.Role {
	admin := record.Role{Name: "admin", Permissions: map[string]map[record.Verb]record.Reach{}, Features: record.Features}
	manager := record.Role{Name: "manager", Permissions: map[string]map[record.Verb]record.Reach{}, Features: []string{"export"}}
	member := record.Role{Name: "member", Permissions: map[string]map[record.Verb]record.Reach{}}
	viewer := record.Role{Name: "viewer", Permissions: map[string]map[record.Verb]record.Reach{}}
	for _, k := range record.Kinds() {
		res := &k.Resource
		reading := map[record.Verb]record.Reach{record.Read: record.All, record.Write: record.None, record.Delete: record.None}
		all := map[record.Verb]record.Reach{record.Read: record.All, record.Write: record.All, record.Delete: record.All}
		setting := res.Access.Feature != ""
		admin.Permissions[res.Name] = all
		manager.Permissions[res.Name] = all
		member.Permissions[res.Name] = map[record.Verb]record.Reach{
			record.Read: record.All, record.Write: record.Own,
			record.Delete: record.Own,
		}
		viewer.Permissions[res.Name] = reading
		if setting {
			manager.Permissions[res.Name] = reading
		}
		if setting || k.MembersRead {
			member.Permissions[res.Name] = reading
		}
		if res.Access.Closed {
			none := map[record.Verb]record.Reach{record.Read: record.None, record.Write: record.None, record.Delete: record.None}
			manager.Permissions[res.Name], member.Permissions[res.Name], viewer.Permissions[res.Name] = none, none, none
		}
		if res.Access.OwnFree {
			own := map[record.Verb]record.Reach{record.Read: record.Own, record.Write: record.Own, record.Delete: record.Own}
			if res.Access.Shared != "" {
				own[record.Read] = record.All
			}
			manager.Permissions[res.Name], member.Permissions[res.Name], viewer.Permissions[res.Name] = own, own, own
		}
	}
	return []record.Role{admin, manager, member, viewer}
}

func roleText(r record.Role) string {
	doc := schema.AppendString([]byte(`{"name":`), r.Name)
	doc = append(doc, `,"permissions":{`...)
	first := true
	for _, res := range record.Registry.Resources {
		if !first {
			doc = append(doc, ',')
		}
		first = false
		doc = fmt.Appendf(doc, `%q:{"read":%q,"write":%q,"delete":%q}`, res.Name, r.Reach(res, record.Read), r.Reach(res, record.Write),
			r.Reach(res, record.Delete))
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
func seed(e *record.Engine, tx *store.Tx, who *record.Principal) error {
	for _, r := range StartingRoles() {
		if _, err := e.Add(tx, who, Role, roleText(r)); err != nil {
			return err
		}
	}
	for _, s := range record.StartingRecords() {
		if _, err := e.Add(tx, who, s.Kind, s.Body); err != nil {
			return err
		}
	}
	return nil
}
