package record

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/schema"
)

// MaxFields is how many fields a business can add to a resource, and MaxDefined about how many bytes of text their definitions may
// have together: every server keeps them, and the schema and OpenAPI tell them all.
const (
	MaxFields  = 200
	MaxDefined = 128 << 10
)

// What a field tells of its index.
const (
	indexBuilding = "building"
	IndexReady    = "ready"
)

var colourAbout = "One of " + strings.Join(schema.Colours, ", ") + ", or as `#d4af37`."

var Field = &Kind{Since: 16, Resource: schema.Resource{
	Name: "field", Plural: "fields", Label: "Field",
	Access:  schema.Access{Feature: "manage_settings", Audited: true},
	Summary: schema.Summary{NamedBy: []string{"label"}, Telling: []string{"resource", "kind", "help"}},
	Storage: schema.Storage{Small: true},
	Example: `{"resource":"contact","name":"tier","label":"Tier","kind":"select","options":[{"value":"gold","label":"Gold",` +
		`"colour":"yellow"},{"value":"silver"}],"help":"How much we care."}`,
	Fields: []schema.Field{
		{
			Name: "resource", Kind: schema.Choice, Label: "Resource", Required: true, Writing: schema.Writing{Immutable: true},
			Find: schema.Find{Indexed: true}, About: "Whose records have it.",
		},
		{
			Name: "name", Kind: schema.Text, Format: schema.FieldName, Label: "Name", Max: schema.Bound(60), Required: true,
			Find: schema.Find{Searchable: true, Sorted: true},
			About: "What it is called in `custom_fields`: small letters, digits and `_`. That of a " +
				"reference ends in `_id`. It can be changed; values stay.",
		},
		{
			Name: "label", Kind: schema.Text, Label: "Label", Required: true, Derived: true, Find: schema.Find{Searchable: true},
			About: "What people call it; the name in words when not given.",
		},
		{
			Name: "kind", Kind: schema.Choice, Label: "Kind", Required: true, Writing: schema.Writing{Immutable: true},
			About: "What it holds.",
		},
		{
			Name: "target", Kind: schema.Choice, Label: "Target", Writing: schema.Writing{Immutable: true},
			About: "For a reference: the resource that it leads to.",
		},
		{
			Name: "options", Kind: schema.List, Label: "Options",
			About: "For `select` and `multi_select`: the values that can be chosen, in order.", Fields: []schema.Field{
				{
					Name: "value", Kind: schema.Text, Label: "Value", Required: true, Max: schema.Bound(100),
					About: "As it is sent, kept and answered.",
				},
				{Name: "label", Kind: schema.Text, Label: "Label", About: "What people read; the value in words when not given."},
				{Name: "colour", Kind: schema.Text, Label: "Colour", Max: schema.Bound(7), About: colourAbout},
				{Name: "position", Kind: schema.Integer, Label: "Position", About: "Follows from the place in the list."},
				{
					Name: "archived", Kind: schema.Bool, Label: "Archived",
					About: "Whether it can no longer be chosen; records that have it keep it. False when not given.",
				},
			},
		},
		{
			Name: "replace_with", Kind: schema.Document, Label: "Replace with",
			About: "Sent with `options` that lack some which are in use: what records get instead, such as `{\"old\":\"new\"}`; null " +
				"empties. It is not kept, and answered empty.",
		},
		{
			Name: "required", Kind: schema.Bool, Label: "Required", Required: true, Derived: true, Default: "false",
			About: "Whether new records must have it. Records that are there can be changed without it, but not emptied of it.",
		},
		{
			Name: "indexed", Kind: schema.Bool, Label: "Indexed", Required: true, Derived: true, Default: "false",
			About: "Whether filters and orders by it find records in an index; for any kind but `long_text`. 20 fields of a resource can " +
				"be.",
		},
		{
			Name: "unique", Kind: schema.Bool, Label: "Unique", Required: true, Derived: true, Default: "false",
			About: "Whether a value can be held by one record only, compared as `eq` compares. Such a field is indexed, too, and has no " +
				"default; 5 of a resource can be.",
		},
		{
			Name: "index_status", Kind: schema.Choice, Label: "Index status", ReadOnly: true, Options: []string{indexBuilding, IndexReady},
			About: "Whether the index is used already, or still being filled with the values that are there; null where there is none.",
		},
		{
			Name: "searchable", Kind: schema.Bool, Label: "Searchable", Required: true, Derived: true, Default: "false",
			Writing: schema.Writing{Immutable: true}, About: "Whether `search_text` finds it; for texts of all kinds.",
		},
		{
			Name: "default", Kind: schema.Document, Free: true, Label: "Default",
			About: "The value of a record that is made without one; of any kind but reference.",
		},
		{Name: "help", Kind: schema.Text, Max: schema.Bound(1000), Label: "Help", About: "A sentence for those who fill it in."},
		{
			Name: "position", Kind: schema.Integer, Label: "Position", Min: schema.Bound(0), Required: true, Derived: true,
			Find: schema.Find{Sorted: true}, About: "At the end when not given.",
		},
		{
			Name: "number", Kind: schema.Integer, Label: "Number", ReadOnly: true, Writing: schema.Writing{Counted: true},
			About: "Under which its values are kept, whatever it is called.",
		},
	},
}}

// Fields are the fields of fields that code names.
var Fields struct {
	schema.Common
	Resource, Name, Label, Kind, Target, Options, ReplaceWith *schema.Leaf
	Required, Searchable, Default, Help, Position, Number     *schema.Leaf
	Indexed, Unique, IndexStatus                              *schema.Leaf
	Option                                                    struct {
		Value, Label, Colour, Position,
		Archived *schema.Leaf
	} `field:"options"`
}

// fieldKind is one of the kinds that an added field can be: by the one set of names, a kind and the form of its texts.
type fieldKind struct {
	name   string
	Kind   schema.Kind
	format schema.Format
}

var fieldKinds = []fieldKind{
	{"text", schema.Text, schema.Plain},
	{"long_text", schema.LongText, schema.Plain},
	{"number", schema.Number, schema.Plain},
	{"decimal", schema.Quantity, schema.Plain},
	{"money", schema.Money, schema.Plain},
	{"boolean", schema.Bool, schema.Plain},
	{"date", schema.Date, schema.Plain},
	{"datetime", schema.Time, schema.Plain},
	{"select", schema.Choice, schema.Plain},
	{"multi_select", schema.Choices, schema.Plain},
	{"url", schema.Text, schema.URL},
	{"email", schema.Text, schema.Email},
	{"phone", schema.Text, schema.Phone},
	{"reference", schema.ID, schema.Plain},
}

// FieldKindNamed finds a kind by its name; the declaration lets no other in.
func FieldKindNamed(name string) fieldKind {
	return fieldKinds[slices.IndexFunc(fieldKinds, func(k fieldKind) bool { return k.name == name })]
}

// FieldKinds are the names of the kinds that an added field can be.
func FieldKinds() (names []string) {
	for _, k := range fieldKinds {
		names = append(names, k.name)
	}
	return names
}

// Extensible tells whether businesses can add fields to the resource: to records, and not to settings, what is personal or what links them.
func (k *Kind) Extensible() bool {
	return k.Access.Feature == "" && len(k.Ends) == 0 && !k.Access.Personal
}

// FieldName is the form of a name. Format also lets dots in.
var FieldName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

func optionsOf(list schema.Value) ([]*schema.Record, error) {
	options, err := body.Items(list, Field.Inner[Fields.Options.Name])
	if err != nil {
		return nil, fmt.Errorf("read options: %w", err)
	}
	return options, nil
}

// chosenOf are the options that a value of a choice names.
func chosenOf(v schema.Value) []string {
	switch {
	case !v.Set:
		return nil
	case v.Kind == schema.Choice:
		return []string{v.S}
	case v.Kind == schema.Choices:
		return body.Strings(v)
	default:
		return nil
	}
}

// member is what the values of a field are called in the documents of records.
func member(number int64) string { return "f" + strconv.FormatInt(number, 10) }
