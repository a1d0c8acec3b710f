package schema

import (
	"slices"
	"testing"
)

// A business's own fields come to a resource without touching what is declared: handles hold, and its own answers have them as a group.
func TestExtend(t *testing.T) {
	res := Compile(&Resource{Name: "boat", Plural: "boats", Fields: []Field{{Name: "title", Kind: Text}}},
		&Resource{Name: "user", Plural: "users"}).Resource("boat")
	nobody := func(string) *Resource { return nil }
	text := func(name string) Field { return Field{Name: name, Kind: Text} }
	own, err := res.Extend(res.Common.CustomFields, nobody, Addition{Member: "f1", Field: text("colour")},
		Addition{Member: "f2", Field: Field{Name: "length", Kind: Quantity}})
	if err != nil {
		t.Fatal(err)
	}
	rec := NewRecord(&own.Shape)
	rec.PutText(res.Must("title"), "Ida")
	rec.PutText(res.Common.CustomFields, `{"f1":"\"red\\","f1_key":"red","f2":125000,"f3":"of no field"}`)
	want := `{"id":null,"title":"Ida","owner_id":null,"external_id":null,"tags":[],"custom_fields":{"colour":"\"red\\","length":"12.50"},` +
		`"created_at":null,"created_by":null,"updated_at":null,"updated_by":null,"version":null}`
	if got := string(rec.Append(nil)); got != want {
		t.Errorf("a record is answered as\n%s, want\n%s", got, want)
	}
	colour := own.Must("custom_fields.colour")
	if colour.Column != res.Common.CustomFields.Column || colour.Member != "f1" || colour.Key != "f1_key" {
		t.Errorf("a field is kept in %+v as %s and %s", colour.Column, colour.Member, colour.Key)
	}
	if own.Leaf("custom_fields") != nil || own.Field("custom_fields").Kind != Group || res.Leaf("custom_fields") == nil ||
		len(res.Leaves) != len(own.Leaves)-2 {
		t.Error("the resource itself has changed, or its extension has both the document and its members")
	}
	if bin := own.Visible(true); !slices.Contains(bin, res.Common.DeletedAt) || slices.Contains(own.Visible(false), res.Common.DeletedAt) {
		t.Error("what only the bin shows is not shown there alone")
	}

	for what, added := range map[string][]Addition{
		"a member that is a path":     {{Member: "f.1", Field: text("a")}},
		"a member that is a number":   {{Member: "12", Field: text("a")}},
		"a member that is taken":      {{Member: "f1", Field: text("a")}, {Member: "f1", Field: text("b")}},
		"a name that is taken":        {{Member: "f1", Field: text("a")}, {Member: "f2", Field: text("a")}},
		"a member like another's key": {{Member: "f1", Field: text("a")}, {Member: "f1_key", Field: text("b")}},
		"a list of objects":           {{Member: "f1", Field: Field{Name: "a", Kind: List}}},
		"a group":                     {{Member: "f1", Field: Field{Name: "a", Kind: Group}}},
		"a reference to nothing":      {{Member: "f1", Field: Field{Name: "a", Kind: ID, Ref: Ref{To: "user"}}}},
		"an order of its own":         {{Member: "f1", Field: Field{Name: "a", Kind: Text, Find: Find{Sorted: true}}}},
		"an index of long texts":      {{Member: "f1", Field: Field{Name: "a", Kind: LongText, Find: Find{Indexed: true}}}},
		"unique lists": {{Member: "f1", Field: Field{
			Name: "a", Kind: Choices, Identity: Identity{Unique: true}, Find: Find{Indexed: true},
		}}},
		"unique without an index": {{Member: "f1", Field: Field{Name: "a", Kind: Text, Identity: Identity{Unique: true}}}},
		"unique with half an index": {{Member: "f1", Filing: true, Field: Field{
			Name: "a", Kind: Text, Identity: Identity{Unique: true}, Find: Find{Indexed: true},
		}}},
	} {
		if _, err := res.Extend(res.Common.CustomFields, nobody, added...); err == nil {
			t.Errorf("%s is taken", what)
		}
	}
	if _, err := res.Extend(res.Must("title"), nobody, Addition{Member: "f1", Field: text("a")}); err == nil {
		t.Error("fields are added to a text")
	}
	if _, err := own.Extend(res.Common.CustomFields, nobody, Addition{Member: "f1", Field: text("a")}); err == nil {
		t.Error("fields are added twice")
	}
}
