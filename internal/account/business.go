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
	fields := schema.AppendString([]byte(`{"email":`), p.Email)
	fields = schema.AppendString(append(fields, `,"name":`...), p.Name)
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
	admin := record.Role{Name: "admin", Permissions: permissions{}, Features: record.Features}
	manager := record.Role{Name: "manager", Permissions: permissions{}, Features: []string{"export"}}
	member := record.Role{Name: "member", Permissions: permissions{}}
	viewer := record.Role{Name: "viewer", Permissions: permissions{}}
	for _, k := range record.Kinds() {
		all, reading := reaching(record.All, record.All), reaching(record.All, record.None)
		managing, working, viewing := all, reaching(record.All, record.Own), reading
		access := k.Access
		switch {
		case access.OwnFree && access.Shared != "":
			managing, viewing = working, working
		case access.OwnFree, access.Personal:
			own := reaching(record.Own, record.Own)
			managing, working, viewing = own, own, own
		case access.Closed:
			none := reaching(record.None, record.None)
			managing, working, viewing = none, none, none
		case access.Feature != "":
			managing, working = reading, reading
		case k.MembersRead:
			working = reading
		}
		admin.Permissions[k.Name], manager.Permissions[k.Name] = all, managing
		member.Permissions[k.Name], viewer.Permissions[k.Name] = working, viewing
	}
	return []record.Role{admin, manager, member, viewer}
}

// permissions are those of a role, by the names of resources.
type permissions = map[string]map[record.Verb]record.Reach

// reaching are permissions on a resource: how far one may read, and how far write and delete.
func reaching(read, change record.Reach) map[record.Verb]record.Reach {
	return map[record.Verb]record.Reach{record.Read: read, record.Write: change, record.Delete: change}
}

// roleText is the body of the creation of a role.
func roleText(r record.Role) string {
	doc := append(schema.AppendString([]byte(`{"name":`), r.Name), `,"permissions":`...)
	doc = appendPermissions(doc, record.Registry.Resources, func(res *schema.Resource, verb record.Verb) string {
		return string(r.Reach(res, verb))
	})
	return string(append(doc, `,"features":`+string(record.KeptList(r.Features))+"}"...))
}

// appendPermissions renders how far each verb goes on some resources.
func appendPermissions(doc []byte, resources []*schema.Resource, reach func(*schema.Resource, record.Verb) string) []byte {
	doc = append(doc, '{')
	for i, res := range resources {
		doc = schema.AppendComma(doc, i)
		doc = fmt.Appendf(doc, `%q:{"read":%q,"write":%q,"delete":%q}`, res.Name, reach(res, record.Read), reach(res, record.Write),
			reach(res, record.Delete))
	}
	return append(doc, '}')
}

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
