package apitest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// Person adds a user with a role of the business, and a token with every scope under their name.
func (w *World) Person(t *testing.T, name, role string) {
	t.Helper()
	id, err := account.CreateUser(context.Background(), w.Engine, w.Tenant, account.Person{Email: name + "@harbour.example", Name: name},
		role)
	if err != nil {
		t.Fatal(err)
	}
	w.Users[name], w.Vars[name] = id, schema.FormatID("user", id)
	w.Mint(t, name, name, record.Scopes(), time.Time{})
}

// RolesByName saves the ids of the roles that a business starts with as admin_role and so on.
func (w *World) RolesByName(t *testing.T) {
	t.Helper()
	for _, name := range []string{"admin", "manager", "member", "viewer"} {
		w.Check(t, Step{
			Do: "POST /roles/search", Body: `{"filters":[{"field":"name","operator":"eq","value":"` + name + `"}]}`,
			Status: 200, Save: name + "_role=data.0.id",
		})
	}
}

// OwnReader makes a user who reads only their own records of every resource but users, under the name "own".
func (w *World) OwnReader(t *testing.T) {
	t.Helper()
	var own []string
	for _, k := range record.Kinds() {
		reach := "own"
		if k.Name == "user" {
			reach = "all"
		}
		own = append(own, `"`+k.Name+`":{"read":"`+reach+`","write":"own","delete":"own"}`)
	}
	w.Create(t, "roles", `{"name":"own","permissions":{`+strings.Join(own, ",")+`}}`, "")
	w.Person(t, "own", "own")
}
