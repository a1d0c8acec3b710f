package schema_test

import (
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/schema"
)

func TestBind(t *testing.T) {
	boat := compiled().Resource("boat")
	type shared struct{ Name *schema.Leaf }
	var fields struct {
		schema.Common
		shared
		HarbourID *schema.Leaf
		Berth     struct{ Pier, Place *schema.Leaf }
		Crew      *schema.Leaf
		Sailor    struct{ Name *schema.Leaf } `field:"crew"`
	}
	schema.Bind(&boat.Shape, &fields)
	for leaf, path := range map[*schema.Leaf]string{
		fields.ID: "id", fields.UpdatedAt: "updated_at", fields.Name: "name", fields.HarbourID: "harbour_id",
		fields.Berth.Pier: "berth.pier", fields.Berth.Place: "berth.place", fields.Crew: "crew",
	} {
		if leaf == nil || leaf != boat.Leaf(path) {
			t.Errorf("%s is bound to %+v", path, leaf)
		}
	}
	if fields.Sailor.Name != boat.Inner["crew"].Leaf("name") {
		t.Error("the name of a sailor is not that of the crew's items")
	}
	if boat.Common != fields.Common {
		t.Error("the shape's own common leaves are others")
	}
}

func TestBindRefusesWhatIsNotDeclared(t *testing.T) {
	boat := &compiled().Resource("boat").Shape
	for want, fields := range map[string]any{
		"boat has no field colour":                  &struct{ Colour *schema.Leaf }{},
		"crew of boat has no field age":             &struct{ Crew struct{ Age *schema.Leaf } }{},
		"boat has no field berth.depth":             &struct{ Berth struct{ Depth *schema.Leaf } }{},
		"boat has neither a list nor a group sails": &struct{ Sails struct{ Area *schema.Leaf } }{},
	} {
		panics(t, want, func() { schema.Bind(boat, fields) })
	}
}

// Leaves of different resources can stand at the same place. To use one on another's record is noticed at once.
func TestALeafOfAnotherResourceIsNoticed(t *testing.T) {
	reg := compiled()
	boat, harbour := reg.Resource("boat"), reg.Resource("harbour")
	rec := schema.NewRecord(&harbour.Shape)
	panics(t, "the field harbour_id of boat is asked of harbour", func() { rec.Get(boat.Must("harbour_id")) })
	panics(t, "the field name of boat is asked of harbour", func() { rec.PutText(boat.Must("name"), "Hythe") })
	panics(t, "the field deleted_at of boat is asked of harbour", func() { rec.Put(boat.Common.DeletedAt, schema.Absent(schema.Time)) })
	panics(t, "the field name of crew of boat is asked of boat",
		func() { schema.NewRecord(&boat.Shape).Text(boat.Inner["crew"].Must("name")) })
}

func panics(t *testing.T, want string, fn func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got, _ := recover().(string); !strings.Contains(got, want) {
			t.Errorf("it ends with %q, want %q", got, want)
		}
	}()
	fn()
}
