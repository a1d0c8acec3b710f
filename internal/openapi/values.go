package openapi

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// Schema is a JSON Schema.
type Schema = Object

// Ref points to a schema of the document by its name: Contact.
func Ref(name string) Schema { return object("$ref", "#/components/schemas/"+name) }

// Any is the schema of what fits one of several.
func Any(schemas ...Schema) Schema { return object("anyOf", schemas) }

// Enum is the schema of one of some words.
func Enum(words ...string) Schema { return object("type", "string", "enum", words) }

// Plain is a schema that is no more than a type.
func Plain(kind string) Schema { return object("type", kind) }

// List is the schema of a list.
func List(of Schema) Schema { return object("type", "array", "items", of) }

// Strict is the schema of an object that has these members and no others; those named in optional may be missing.
func Strict(members Object, optional ...string) Schema {
	s := object("type", "object", "properties", members)
	required := slices.DeleteFunc(names(members), func(name string) bool { return slices.Contains(optional, name) })
	if len(required) > 0 {
		s = s.with("required", required)
	}
	return s.with("additionalProperties", false)
}

// AllOptional is the schema of an object of which every member may be missing.
func AllOptional(members Object) Schema {
	return object("type", "object", "properties", members, "additionalProperties", false)
}

// Nullable lets a schema be null too.
func Nullable(s Schema) Schema {
	if len(s) == 0 { // anything fits
		return s
	}
	null := Plain("null")
	s = slices.Clone(s)
	for i := range s {
		switch kind := s[i].Value.(type) {
		case string:
			if s[i].Name == "type" && s.get("enum") == nil {
				s[i].Value = []string{kind, "null"}
				return s
			}
		case []string:
			if s[i].Name == "type" {
				s[i].Value = append(slices.Clone(kind), "null")
				return s
			}
		case []Schema:
			if s[i].Name == "anyOf" {
				s[i].Value = append(slices.Clone(kind), null)
				return s
			}
		}
	}
	return Any(s, null)
}

// Described gives a schema a sentence about it. What is pointed to keeps its own beside it.
func Described(s Schema, about string) Schema {
	if about == "" {
		return s
	}
	return s.with("description", about)
}

// ID is the schema of ids with a prefix; without one, of any.
func ID(prefix string) Schema {
	if prefix == "" {
		prefix = "[a-z_]+"
	}
	return object("type", "string", "pattern", "^"+prefix+"_[0-7][0-9a-hjkmnp-tv-z]{25}$")
}

// Time is the schema of an instant as it is answered.
func Time() Schema { return object("type", "string", "format", "date-time") }

const (
	decimalOut = `^-?[0-9]{1,14}\.[0-9]{2,4}$`
	decimalIn  = `^[+-]?[0-9]+(\.[0-9]+)?$`
)

// formats are the forms of text that JSON Schema has a word for, in the spelling that takes every script.
var formats = map[schema.Format]string{schema.Email: "idn-email", schema.Domain: "idn-hostname", schema.URL: "iri"}

// decimal is the schema of an amount as it is taken: a number, or better a text, which a pattern bounds and minimum does not.
func decimal() Schema { return object("type", []string{"string", "number"}, "pattern", decimalIn) }

// texts is the schema of a one-line or longer text.
func texts(l *schema.Leaf, in bool) Schema {
	s := Plain("string")
	switch l.Format {
	case schema.Currency:
		if in {
			return s.with("pattern", "^[A-Za-z]{3}$")
		}
		return s.with("pattern", "^[A-Z]{3}$")
	case schema.Timezone:
		return s
	case schema.RecordID:
		return ID("(" + strings.Join(l.Ref.Among, "|") + ")")
	}
	if f := formats[l.Format]; f != "" {
		s = s.with("format", f)
	}
	if in {
		s = s.with("maxLength", longest(l))
	}
	return s
}

func longest(l *schema.Leaf) int64 {
	switch {
	case l.Max != nil:
		return *l.Max
	case l.Kind == schema.LongText:
		return body.MaxLongText
	default:
		return body.MaxText
	}
}

// bounded adds the bounds of a number.
func bounded(s Schema, l *schema.Leaf) Schema {
	if l.Min != nil {
		s = s.with("minimum", *l.Min)
	}
	if l.Max != nil {
		s = s.with("maximum", *l.Max)
	}
	return s
}

// single is the schema of one value of a leaf, or of one item of a list: as it is answered, or with in as it is taken.
func (b *builder) single(whose string, l *schema.Leaf, in bool) Schema {
	switch l.Kind {
	case schema.Text, schema.LongText, schema.Tags:
		return texts(l, in)
	case schema.Choice, schema.Choices:
		return b.option(whose, l)
	case schema.Bool:
		return Plain("boolean")
	case schema.Integer:
		return bounded(object("type", "integer", "format", "int64"), l)
	case schema.Number:
		return bounded(Plain("number"), l)
	case schema.Money, schema.Quantity:
		if in {
			return bounded(decimal(), l)
		}
		return object("type", "string", "pattern", decimalOut)
	case schema.Percent:
		return bounded(Plain("number"), l)
	case schema.Date:
		return object("type", "string", "format", "date")
	case schema.Time:
		if in {
			return Any(Time(), object("type", "string", "format", "date"))
		}
		return Time()
	case schema.ID, schema.Links:
		return ID(l.IDPrefix)
	default:
		return Plain("object")
	}
}

// option is the schema of one of the options of a leaf. Where there are several it has a name, because answers, writes and conditions all
// point to it, and other leaves with the same options, too.
func (b *builder) option(whose string, l *schema.Leaf) Schema {
	if slices.Equal(l.Options, record.Scopes()) {
		return Ref(scopeName)
	}
	if len(l.Options) < 2 {
		return Enum(l.Options...)
	}
	key := strings.Join(l.Options, "\n")
	if b.options[key] == "" {
		name := whose + camel(l.Path) + "Option"
		for base, n := name, 2; b.has(name); n++ {
			name = base + strconv.Itoa(n)
		}
		b.options[key] = name
		b.add(name, Enum(l.Options...))
	}
	return Ref(b.options[key])
}

// answered is the schema of a leaf in an answer.
func (b *builder) answered(whose string, shape *schema.Shape, l *schema.Leaf) Schema {
	switch l.Kind {
	case schema.Tags, schema.Choices:
		return List(b.single(whose, l, false))
	case schema.List:
		return List(b.item(whose, shape, l, false))
	case schema.Document:
		return b.documentOf(l)
	}
	if l.Required && !l.Writing.Counted {
		return b.single(whose, l, false)
	}
	return Nullable(b.single(whose, l, false))
}

// taken is the schema of a leaf in a request.
func (b *builder) taken(whose string, shape *schema.Shape, l *schema.Leaf) Schema {
	var s Schema
	switch l.Kind {
	case schema.Tags, schema.Choices:
		s = List(b.single(whose, l, true)).with("maxItems", body.MaxTags)
	case schema.List:
		s = List(b.item(whose, shape, l, true)).with("maxItems", body.MaxItems)
	case schema.Document:
		s = b.documentOf(l)
	default:
		s = b.single(whose, l, true)
	}
	if l.Required && !l.Derived {
		return s
	}
	return Nullable(s)
}

// documentOf is the schema of an object of which only the domain knows the keys.
func (b *builder) documentOf(l *schema.Leaf) Schema {
	if l == account.Roles.Permissions {
		b.add("Permissions", AllOptional(byVerb(reach())))
		b.add("RolePermissions", AllOptional(byResource(Ref("Permissions"))))
		return Ref("RolePermissions")
	}
	if l.Free {
		return Schema{}
	}
	return object("type", "object", "additionalProperties", true)
}

// item names the schema of one item of a list of objects, and adds it to the document.
func (b *builder) item(whose string, of *schema.Shape, l *schema.Leaf, in bool) Schema {
	name := l.Field.Ref.ListItem
	if name == "" {
		name = strings.TrimSuffix(l.Name, "s")
	}
	name = whose + camel(name)
	shape := of.Inner[l.Name]
	answered := b.members(name, shape, shape.Leaves)
	input := b.input(name+"Input", shape, all, true)
	told, _ := json.Marshal([]any{answered, input}) // an Object always renders
	if b.items[string(told)] == "" {
		b.items[string(told)] = name
		given, _ := input.get("properties").(Object)
		b.base(name+"Base", shared(given, answered))
		b.add(name, b.closed(answered, names(answered), name+"Base"))
		required, _ := input.get("required").([]string)
		b.add(name+"Input", b.closed(given, required, name+"Base"))
	}
	name = b.items[string(told)] // that of another list of the same
	if in {
		return Ref(name + "Input")
	}
	return Ref(name)
}

// members are the properties of leaves in an answer; those of a group are an object of their own, which has all of them.
func (b *builder) members(whose string, shape *schema.Shape, leaves []*schema.Leaf) Object {
	return b.properties(whose, shape, leaves, func(group Object) Schema { return Strict(group) })
}

// some are the properties of leaves of which an answer may have only those that were asked for.
func (b *builder) some(whose string, shape *schema.Shape, leaves []*schema.Leaf) Object {
	return b.properties(whose, shape, leaves, AllOptional)
}

func (b *builder) properties(whose string, shape *schema.Shape, leaves []*schema.Leaf, group func(Object) Schema) Object {
	var out Object
	for _, f := range shape.Tree {
		if f.Kind != schema.Group {
			if l := shape.Leaf(f.Name); slices.Contains(leaves, l) {
				out = out.with(f.Name, Described(b.answered(whose, shape, l), about(l)))
			}
			continue
		}
		if reading := shape.Reading(); reading != nil && reading.Path == f.Name {
			out = out.with(f.Name, b.custom(whose, reading))
			continue
		}
		var inside Object
		for _, l := range shape.Group(f) {
			inside = inside.with(l.Name, Described(b.answered(whose, shape, l), about(l)))
		}
		out = out.with(f.Name, Nullable(group(inside)))
	}
	return out
}

// custom is the schema of the fields that the business added, of which an answer has those that have a value, and of a search also
// what fields asked for of the records that they lead to. It has a name, because there may be many of them and several schemas have
// them all.
func (b *builder) custom(whose string, reading *schema.Leaf) Schema {
	const told = "The fields that the business added. What has no value is left out."
	if len(reading.Reads) == 0 {
		return Described(AllOptional(nil), told)
	}
	schemaName := whose + camel(reading.Path)
	if b.has(schemaName) {
		return Described(Ref(schemaName), told)
	}
	b.add(schemaName, Schema{}) // a record may lead to others of its kind
	var inside Object
	for _, l := range reading.Reads {
		value := b.single(whose, l, false)
		if l.Kind == schema.Choices {
			value = List(value)
		}
		inside = inside.with(l.Name, Described(value, about(l)))
		if referred, far := b.referred(l); far != nil {
			name := strings.TrimPrefix(l.RefersAs(), reading.Path+".")
			inside = inside.with(name, Ref(b.part(referred, far)))
		}
	}
	b.set(schemaName, AllOptional(inside))
	return Described(Ref(schemaName), told)
}

// about is what the declaration says of a field.
func about(l *schema.Leaf) string {
	text := l.About
	add := func(sentence string) { text = strings.TrimSpace(text + " " + sentence) }
	if l.Format == schema.Timezone {
		add("An IANA time zone such as Europe/Berlin.")
	}
	if l.Format == schema.Currency {
		add("An ISO 4217 code such as EUR.")
	}
	if len(l.Writing.SetBy) > 0 {
		add("Set by " + strings.Join(l.Writing.SetBy, ", ") + ".")
	}
	if l.Writing.Counted {
		add("Null in a dry run, which takes none.")
	}
	if l.Lapse != nil {
		add("What is " + l.Lapse.From + " becomes " + l.Lapse.To + " when the day in " + l.Lapse.After.Path + " is over.")
	}
	if l.Identity.Unique {
		add("Unique.")
	}
	return text
}

// camel writes a name as types are written: LifecycleStage.
func camel(name string) string {
	var out strings.Builder
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == ' ' || r == '.' }) {
		out.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return out.String()
}
