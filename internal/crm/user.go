package crm

import (
	"slices"

	"kith/internal/body"
	"kith/internal/problem"
	"kith/internal/schema"
	"kith/internal/store"
)

var user = &Kind{Resource: schema.Resource{
	Name: "user", Plural: "users", Label: "User", Feature: "manage_users", Few: true,
	Own: []string{"id"},
	Fields: []schema.Field{
		{Name: "email", Kind: schema.Text, Format: schema.Email, Label: "E-mail", Required: true, Unique: true, Searchable: true, Indexed: true},
		{Name: "name", Kind: schema.Text, Label: "Name", Required: true, Derived: true, Searchable: true, Sorted: true, About: "The e-mail address when not given."},
		{Name: "status", Kind: schema.Choice, Options: []string{"invited", "active", "suspended"}, Label: "Status", Required: true, Default: "invited", Indexed: true},
		{Name: "role_id", Kind: schema.ID, Ref: "role", Label: "Role", Required: true, Derived: true, Indexed: true, Restrict: true, About: "The role member when not given."},
		{Name: "timezone", Kind: schema.Text, Format: schema.Timezone, Label: "Time zone"},
		{Name: "locale", Kind: schema.Text, Format: schema.Locale, Label: "Locale"},
		{Name: "last_active_at", Kind: schema.Time, Label: "Last active", ReadOnly: true},
	},
	States: &schema.States{Field: "status", Initial: "invited", Moves: []schema.Move{
		{Name: "activate", From: []string{"invited", "suspended"}, To: "active", ByPatch: true},
		{Name: "suspend", From: []string{"invited", "active"}, To: "suspended", ByPatch: true},
	}},
}}

var role = &Kind{Resource: schema.Resource{
	Name: "role", Plural: "roles", Label: "Role", Feature: "manage_roles", Few: true,
	Fields: []schema.Field{
		{Name: "name", Kind: schema.Text, Label: "Name", Required: true, Unique: true, Searchable: true, Sorted: true},
		{Name: "permissions", Kind: schema.Document, Label: "Permissions", About: "For each resource, how far read, write and delete go: none, own or all. What is not mentioned is none."},
		{Name: "features", Kind: schema.Choices, Options: Features, Label: "Feature permissions"},
	},
}}

func init() {
	user.prepare = func(w *write) error {
		if !w.rec.Get("name").Set {
			w.rec.Put("name", schema.TextValue(schema.Text, w.rec.Text("email")))
		}
		if w.rec.Get("role_id").Set {
			return nil
		}
		found, err := w.Find(&role.Resource, 1, store.Equal(role.Must("name"), schema.TextValue(schema.Text, "member")))
		if len(found) > 0 {
			w.rec.Put("role_id", found[0].Get("id"))
		}
		return err
	}
	role.documents = map[string]func(body.Node, *problem.Fields) string{"permissions": checkPermissions}
}

// checkPermissions reads the permissions of a role: resource by verb by reach.
func checkPermissions(n body.Node, wrong *problem.Fields) string {
	doc := []byte{'{'}
	resources := Registry.Names()
	for _, m := range n.Members {
		at := "permissions." + m.Name
		switch {
		case !slices.Contains(resources, m.Name):
			wrong.Add(at, "unknown_field", "is not a resource", resources...)
			continue
		case m.Value.Kind != body.Object:
			wrong.Add(at, "wrong_type", "must be an object with read, write and delete, not "+m.Value.Kind.Name())
			continue
		}
		for _, v := range m.Value.Members {
			if !slices.Contains(Verbs, Verb(v.Name)) {
				wrong.Add(at+"."+v.Name, "unknown_field", "is not a verb", "read", "write", "delete")
			} else if v.Value.Kind != body.String || !slices.Contains([]string{"none", "own", "all"}, v.Value.Text) {
				wrong.Add(at+"."+v.Name, "not_allowed", "must be none, own or all", "none", "own", "all")
			}
		}
	}
	for _, name := range resources {
		given, ok := n.Get(name)
		if !ok {
			continue
		}
		if len(doc) > 1 {
			doc = append(doc, ',')
		}
		doc = schema.AppendString(doc, name)
		doc = append(doc, ":{"...)
		for i, verb := range Verbs {
			reach, _ := given.Get(string(verb))
			if i > 0 {
				doc = append(doc, ',')
			}
			if reach.Text == "" {
				reach.Text = string(None)
			}
			doc = schema.AppendString(doc, string(verb))
			doc = append(doc, ':')
			doc = schema.AppendString(doc, reach.Text)
		}
		doc = append(doc, '}')
	}
	if len(doc) == 1 {
		return "" // no permissions at all are absent, so that is_set tells
	}
	return string(append(doc, '}'))
}
