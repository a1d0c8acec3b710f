package schema

import (
	"reflect"
	"regexp"
	"strings"
)

// Common are the leaves that every resource has.
type Common struct {
	ID, OwnerID, ExternalID, Tags, CustomFields                    *Leaf
	CreatedAt, CreatedBy, UpdatedAt, UpdatedBy, Version, DeletedAt *Leaf
}

// Bind fills a struct of leaves from a shape, so that code can name fields without spelling them: a field that does not exist stops
// the program when it starts, and not when a user comes by. A *Leaf is the leaf of the same name, StageID for stage_id. An embedded
// struct names leaves of the same shape; any other struct those of a group or of the items of a list. A tag such as
// field:"line_items" tells the name where it differs.
func Bind(s *Shape, leaves any) { bind(s, "", reflect.ValueOf(leaves).Elem()) }

// FieldsOf gives a struct of leaves that Bind has filled.
func FieldsOf[F any](s *Shape) (leaves F) {
	Bind(s, &leaves)
	return leaves
}

func bind(s *Shape, group string, leaves reflect.Value) {
	for i := range leaves.NumField() {
		declared, at := leaves.Type().Field(i), leaves.Field(i)
		name := declared.Tag.Get("field")
		if name == "" {
			name = snake(declared.Name)
		}
		switch {
		case declared.Type == reflect.TypeFor[*Leaf]():
			at.Set(reflect.ValueOf(s.Must(group + name)))
		case declared.Anonymous:
			bind(s, group, at)
		case s.Inner[name] != nil:
			bind(s.Inner[name], "", at)
		case s.Field(name) != nil && s.Field(name).Kind == Group:
			bind(s, name+".", at)
		default:
			panic("schema: " + s.Whose + " has neither a list nor a group " + name)
		}
	}
}

var hump = regexp.MustCompile("([a-z])([A-Z])")

// snake spells a Go name as fields are spelled: StageID is stage_id.
func snake(name string) string { return strings.ToLower(hump.ReplaceAllString(name, "${1}_$2")) }

// Index is the place of a leaf's value. A leaf of another shape is a programming error, which must not read or write whatever
// happens to stand at the same place.
func (s *Shape) Index(l *Leaf) int {
	if l.Index >= len(s.Leaves) || s.Leaves[l.Index] != l {
		panic("schema: the field " + l.Path + " of " + l.Whose + " is asked of " + s.Whose)
	}
	return l.Index
}
