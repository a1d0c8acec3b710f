package schema_test

import (
	"slices"
	"testing"

	"github.com/kith-crm/kith/internal/schema"
)

func compiled() *schema.Registry {
	return schema.Compile(
		&schema.Resource{Name: "boat", Plural: "boats", Fields: []schema.Field{
			{Name: "name", Kind: schema.Text},
			{Name: "berth", Kind: schema.Group, Fields: []schema.Field{
				{Name: "pier", Kind: schema.Text},
				{Name: "place", Kind: schema.Integer},
			}},
			{Name: "crew", Kind: schema.List, Fields: []schema.Field{{Name: "name", Kind: schema.Text}}},
			{Name: "harbour_id", Kind: schema.ID, Ref: schema.Ref{To: "harbour"}},
		}},
		&schema.Resource{Name: "harbour", Plural: "harbours", Fields: []schema.Field{{Name: "name", Kind: schema.Text}}},
		&schema.Resource{Name: "user", Plural: "users"},
	)
}

func TestCompile(t *testing.T) {
	boat := compiled().Resource("boat")
	if l := boat.Leaf("berth.pier"); l == nil || l.Column.Name != "berth_pier" || l.Key != "berth_pier_key" || l.Of.Name != "berth" {
		t.Errorf("berth.pier is %+v", l)
	}
	if l := boat.Leaf("berth.place"); l == nil || l.Key != "" {
		t.Errorf("berth.place is %+v", l)
	}
	if boat.Leaf("berth") != nil || boat.Field("berth") == nil || len(boat.Group(boat.Field("berth"))) != 2 {
		t.Error("a group is a field and no leaf")
	}
	if l := boat.Reference("harbour"); l == nil || l.Target.Name != "harbour" || l.IDPrefix != "harbour" {
		t.Errorf("the reference to the harbour is %+v", l)
	}
	if l := boat.Reference("created_by"); l == nil || l.Target.Name != "user" {
		t.Errorf("created_by refers to %+v", l)
	}
	if boat.Reference("name") != nil || boat.Reference("berth") != nil {
		t.Error("what is no reference is taken for one")
	}
	if boat.Inner["crew"].Leaf("name") == nil {
		t.Error("the items of a list have no shape")
	}
	if boat.Must("id").IDPrefix != "boat" || boat.Leaves[0].Path != "id" || boat.Leaves[len(boat.Leaves)-1].Path != "deleted_at" {
		t.Error("a record begins with its id and ends with the time of its deletion")
	}
	for _, l := range boat.Visible(false) {
		if l.Writing.BinOnly {
			t.Errorf("%s is shown of live records", l.Path)
		}
	}
	if len(boat.Visible(true)) != len(boat.Visible(false))+1 {
		t.Error("the bin shows deleted_at beside the rest")
	}
}

func TestWrongDeclarationsPanic(t *testing.T) {
	for rule, resources := range map[string][]*schema.Resource{
		"two resources of one name": {{Name: "a", Plural: "as"}, {Name: "a", Plural: "bs"}, {Name: "user", Plural: "users"}},
		"two fields of one name": {{
			Name: "user", Plural: "users",
			Fields: []schema.Field{{Name: "x", Kind: schema.Text}, {Name: "x", Kind: schema.Text}},
		}},
		"a reference to nothing": {{Name: "user", Plural: "users", Fields: []schema.Field{{
			Name: "x_id", Kind: schema.ID, Ref: schema.Ref{To: "x"},
		}}}},
		"a field that all have":       {{Name: "user", Plural: "users", Fields: []schema.Field{{Name: "version", Kind: schema.Integer}}}},
		"records without their users": {{Name: "a", Plural: "as"}},
	} {
		t.Run(rule, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("it is taken")
				}
			}()
			schema.Compile(resources...)
		})
	}
}

func TestStates(t *testing.T) {
	s := &schema.States{
		Field: "status", Initial: "a",
		Moves: []schema.Move{
			{Name: "go", From: []string{"a", "b"}, To: "c"},
			{Name: "back", From: []string{"c"}, To: "a"},
			{Name: "go", From: []string{"a"}, To: "d"},
		},
	}
	if m, ok := s.Allowed("a", "d"); !ok || m.Name != "go" {
		t.Errorf("a to d is %v, %v", m, ok)
	}
	if _, ok := s.Allowed("c", "d"); ok {
		t.Error("c to d is allowed")
	}
	if got := s.From("a"); !slices.Equal(got, []string{"go"}) {
		t.Errorf("from a lead %v", got)
	}
	if got := s.From("d"); got == nil || len(got) != 0 {
		t.Errorf("from d lead %#v, want an empty list that is rendered as one", got)
	}
}
