package openapi

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/kith-crm/kith/internal/record"
)

// named are the types that the document has by name; they may hold themselves.
var named = map[reflect.Type]string{
	reflect.TypeFor[record.FieldSchema]():    "FieldSchema",
	reflect.TypeFor[record.ResourceSchema](): "ResourceSchema",
}

// addType adds the schema of a named type, with what else its objects have.
func addType[T any](b *builder, and ...Member) {
	t := reflect.TypeFor[T]()
	members, optional := membersOf(t)
	b.add(named[t], Strict(append(members, and...), optional...))
}

// ofType is the schema of what encoding/json makes of a type: a struct with its tags, or what it is made of. Members that are left out
// when empty are optional.
func ofType(t reflect.Type) Schema {
	if t == reflect.TypeFor[json.RawMessage]() {
		return Schema{}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return Nullable(ofType(t.Elem()))
	case reflect.Slice:
		return List(ofType(t.Elem()))
	case reflect.Map:
		return object("type", "object", "additionalProperties", ofType(t.Elem()))
	case reflect.String:
		return Plain("string")
	case reflect.Bool:
		return Plain("boolean")
	case reflect.Int, reflect.Int64:
		return Plain("integer")
	case reflect.Struct:
		if name := named[t]; name != "" {
			return Ref(name)
		}
		members, optional := membersOf(t)
		return Strict(members, optional...)
	default:
		panic("openapi: there is no schema for " + t.String())
	}
}

func membersOf(t reflect.Type) (members Object, optional []string) {
	for i := range t.NumField() {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		members = members.with(name, Schema{})
		if options == "omitempty" {
			optional = append(optional, name)
		}
		members[i].Value = ofType(t.Field(i).Type)
	}
	return members, optional
}
