package record

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// MaxFields is how many fields a business can add to a resource, and MaxDefined about how many bytes of text their definitions may
// have together: every server keeps them, and the schema and OpenAPI tell them all.
const (
	MaxFields  = 200
	MaxDefined = 128 << 10
)

var Field = &Kind{Since: 16, Resource: schema.Resource{
	Name: "field", Plural: "fields", Label: "Field",
	Access:  schema.Access{Feature: "manage_settings", Audited: true},
	Summary: schema.Summary{Telling: []string{"resource", "label", "kind"}},
	Storage: schema.Storage{Small: true},
	Example: `{"resource":"contact","name":"tier","label":"Tier","kind":"select","options":[{"value":"gold","label":"Gold",` +
		`"colour":"#d4af37"},{"value":"silver"}],"help":"How much we care."}`,
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
				{Name: "colour", Kind: schema.Text, Label: "Colour", Max: schema.Bound(7), About: "Such as `#d4af37`."},
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

// Extensible tells whether businesses can add fields to the resource: to records, and not to settings or what links them.
func (k *Kind) Extensible() bool { return k.Access.Feature == "" && k != Association }

// declareFields resolves the fields that code names, and says what is special about the kind.
func declareFields() {
	schema.Bind(&Field.Shape, &Fields)
	Field.Documents = map[*schema.Leaf]func(body.Node, *problem.Fields) string{
		Fields.Default:     keptDefault,
		Fields.ReplaceWith: checkReplacements,
	}
	Field.Prepare = prepareField
	Field.Written = reshaped
	Field.Removing = unindex
	Field.Restoring = func(w *Mutation) error {
		if err := w.checkPlace(); err != nil {
			return err
		}
		return w.prepareIndex()
	}
}

// keptDefault gives a default as it is stored. What is in it only the whole field can tell, because it depends on the kind.
func keptDefault(n body.Node, _ *problem.Fields) string {
	if n.Kind == body.Null || n.Kind == 0 {
		return ""
	}
	return string(body.Append(nil, n))
}

// checkReplacements holds what records get in place of options to its form. Nothing of it is kept.
func checkReplacements(n body.Node, wrong *problem.Fields) string {
	for _, m := range n.Members {
		if m.Value.Kind != body.String && m.Value.Kind != body.Null {
			wrong.Add(Fields.ReplaceWith.Path+"."+m.Name, "wrong_type",
				"must be the value of another option, or null, not "+m.Value.Kind.Name())
		}
	}
	return ""
}

// FieldName is the form of a name. Format also lets dots in.
var FieldName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// prepareField completes a field and holds it to what fields of its kind can be.
func prepareField(w *Mutation) error {
	text := func(l *schema.Leaf) string { return w.Rec.Text(l) }
	if w.Rec.Get(Fields.Label).S == "" {
		w.Rec.PutText(Fields.Label, schema.InWords(strings.TrimSuffix(text(Fields.Name), "_id")))
	}
	if !w.Rec.Get(Fields.Position).Set {
		last, err := w.Highest(&Field.Resource, Fields.Position)
		if err != nil {
			return err
		}
		w.Rec.Put(Fields.Position, schema.IntValue(schema.Integer, last.N+1))
	}
	if len(w.Wrong) > 0 || text(Fields.Kind) == "" || text(Fields.Resource) == "" {
		return nil
	}
	reference := text(Fields.Kind) == "reference"
	switch name := text(Fields.Name); {
	case !FieldName.MatchString(name):
		w.Wrong.Add(Fields.Name.Path, "invalid_format", "must have small letters, digits and _ only, and begin with a letter")
	case reference && (!strings.HasSuffix(name, "_id") || name == "_id"):
		w.Wrong.Add(Fields.Name.Path, "invalid_format", "must end in _id, because it is a reference")
	}
	switch target := w.Rec.Get(Fields.Target).Set; {
	case reference && !target:
		w.Wrong.Add(Fields.Target.Path, "required", "must be given for a reference: the resource that it leads to", Registry.Names()...)
	case !reference && target:
		w.Wrong.Add(Fields.Target.Path, "not_allowed", "is for references alone")
	}
	kind := FieldKindNamed(text(Fields.Kind)).Kind
	if w.Rec.Get(Fields.Searchable).True() && kind != schema.Text && kind != schema.LongText {
		w.Wrong.Add(Fields.Searchable.Path, "not_allowed", "only texts can be searchable: text, long_text, url, email and phone")
	}
	if err := prepareOptions(w, kind); err != nil || len(w.Wrong) > 0 {
		return err
	}
	checkDefault(w)
	if len(w.Wrong) > 0 {
		return nil
	}
	if w.Old == nil {
		number, err := store.Next(w.Tx, Field.Counter(Fields.Number))
		if err != nil {
			return err
		}
		w.Rec.Put(Fields.Number, schema.IntValue(schema.Integer, number))
	}
	if err := w.checkPlace(); err != nil {
		return err
	}
	if err := w.prepareIndex(); err != nil {
		return err
	}
	return w.checkDroppedOptions()
}

// otherFields are the other fields of the resource that a field is of.
func (w *Mutation) otherFields() ([]*schema.Record, error) {
	all, err := w.Find(&Field.Resource, MaxFields+1, store.Equal(Fields.Resource, w.Rec.Get(Fields.Resource)))
	return slices.DeleteFunc(all, func(other *schema.Record) bool { return other.ID() == w.Rec.ID() }), err
}

// checkPlace holds a field that comes to its resource, or changes, to the number and size of fields and to names that nobody else has.
func (w *Mutation) checkPlace() error {
	others, err := w.otherFields()
	if err != nil {
		return err
	}
	if len(others) >= MaxFields {
		w.Wrong.Add(Fields.Resource.Path, "too_many", fmt.Sprintf("must have at most %d fields; delete one first", MaxFields))
		return w.Wrong.Err()
	}
	defined := w.Rec.Weight()
	for _, other := range others {
		defined += other.Weight()
	}
	if defined > MaxDefined && (w.Old == nil || !w.Old.Live() || w.Rec.Weight() > w.Old.Weight()) {
		w.Wrong.Add(Fields.Resource.Path, "too_long",
			fmt.Sprintf("has fields with more than %d bytes of labels, options, defaults and help together; shorten some, or delete a "+
				"field first", MaxDefined))
		return w.Wrong.Err()
	}
	name := w.Rec.Text(Fields.Name)
	for _, other := range others {
		switch theirs := other.Text(Fields.Name); {
		case theirs == name:
			return &problem.Problem{
				Code: problem.Conflict, Detail: "Another field of this resource has this name.",
				ExistingID: w.Who.Existing(&Field.Resource, other),
				Fields:     []problem.Field{{Field: Fields.Name.Path, Code: "not_unique", Message: "is held by another field"}},
			}
		case theirs+"_id" == name && w.Rec.Get(Fields.Target).Set, name+"_id" == theirs && other.Get(Fields.Target).Set:
			return &problem.Problem{
				Code: problem.Conflict, Detail: "What a reference leads to is answered under its name without _id, which another field " +
					"of this resource has.",
				ExistingID: w.Who.Existing(&Field.Resource, other),
				Fields: []problem.Field{{
					Field: Fields.Name.Path, Code: "not_unique",
					Message: "is too close to that of another field",
				}},
			}
		}
	}
	return nil
}

var colourForm = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// prepareOptions completes the options of a choice.
func prepareOptions(w *Mutation, kind schema.Kind) error {
	chosen := kind == schema.Choice || kind == schema.Choices
	options, err := optionsOf(w.Rec)
	switch {
	case err != nil:
		return err
	case !chosen && len(options) > 0:
		w.Wrong.Add(Fields.Options.Path, "not_allowed", "are for select and multi_select alone")
		return nil
	case chosen && len(options) == 0:
		w.Wrong.Add(Fields.Options.Path, "required", "must be given: the values that can be chosen")
		return nil
	case !chosen || w.Old != nil && !w.Changed(Fields.Options):
		return nil
	}
	seen := map[string]bool{}
	for i, o := range options {
		at := fmt.Sprintf("%s[%d].", Fields.Options.Path, i)
		value := o.Text(Fields.Option.Value)
		switch {
		case strings.ContainsAny(value, "\"\\"):
			w.Wrong.Add(at+Fields.Option.Value.Path, "invalid_characters", "must not contain quotation marks and backslashes")
		case seen[value]:
			w.Wrong.Add(at+Fields.Option.Value.Path, "not_allowed", "is given for two options")
		}
		seen[value] = true
		if !o.Get(Fields.Option.Label).Set {
			o.PutText(Fields.Option.Label, schema.InWords(value))
		}
		if c := o.Get(Fields.Option.Colour); c.Set && !colourForm.MatchString(c.S) {
			w.Wrong.Add(at+Fields.Option.Colour.Path, "invalid_format", "must be a colour such as #d4af37")
		}
		if !o.Get(Fields.Option.Archived).Set {
			o.Put(Fields.Option.Archived, schema.BoolValue(false))
		}
		o.Put(Fields.Option.Position, schema.IntValue(schema.Integer, int64(i+1)))
	}
	w.Rec.Put(Fields.Options, schema.TextValue(schema.List, string(schema.AppendList(nil, options))))
	return nil
}

// optionsOf reads the options of a field.
func optionsOf(rec *schema.Record) ([]*schema.Record, error) {
	options, err := body.Items(rec.Get(Fields.Options), Field.Inner[Fields.Options.Name])
	if err != nil {
		return nil, fmt.Errorf("read options: %w", err)
	}
	return options, nil
}

// checkDefault holds the default to be a value of the field.
func checkDefault(w *Mutation) {
	if !w.Rec.Get(Fields.Default).Set || w.Old != nil && !w.Changed(Fields.Default) && !w.Changed(Fields.Options) {
		return
	}
	d, err := define(w.Rec)
	if err == nil && d.Kind == schema.ID {
		w.Wrong.Add(Fields.Default.Path, "not_allowed", "a reference has none")
		return
	}
	if err != nil {
		w.Wrong.Add(Fields.Default.Path, "not_allowed", "is no value of the field")
		return
	}
	n, err := body.Parse([]byte(w.Rec.Text(Fields.Default)))
	if err != nil || n == nil {
		return
	}
	leaf := &schema.Leaf{Field: &d.Field, Path: Fields.Default.Path}
	if d.Kind.Folded() {
		leaf.Key = leaf.Path
	}
	v, bad := body.Value(*n, leaf)
	switch {
	case bad != nil:
		w.Wrong.Add(Fields.Default.Path, bad.Code, bad.Message, bad.Allowed...)
	case slices.ContainsFunc(chosenOf(v), d.archived):
		w.Wrong.Add(Fields.Default.Path, "not_allowed", "is archived and cannot be chosen")
	default:
		checkFolded(leaf, v, &w.Wrong)
	}
}

// maxReplaced is how many records are given another option at once.
const maxReplaced = 500

// checkDroppedOptions refuses to drop options that live records have, or gives these records what is to come in their place.
func (w *Mutation) checkDroppedOptions() error {
	if w.Old == nil || !w.Changed(Fields.Options) {
		return nil
	}
	before, err := optionsOf(w.Old)
	if err != nil {
		return err
	}
	after, err := define(w.Rec)
	if err != nil {
		return err
	}
	var instead body.Node
	if w.given != nil {
		instead = w.given.Documents[Fields.ReplaceWith.Path]
	}
	var dropped, replace []schema.Value
	with := map[string]string{}
	for _, o := range before {
		value := o.Text(Fields.Option.Value)
		if slices.Contains(after.Options, value) {
			continue
		}
		v := schema.Value{Kind: after.Kind, Set: true, S: value}
		switch other, given := instead.Get(value); {
		case !given:
			dropped = append(dropped, v)
		case other.Kind == body.String && (!slices.Contains(after.Options, other.Text) || after.archived(other.Text)):
			w.Wrong.Add(Fields.ReplaceWith.Path+"."+value, "not_allowed", "must be one of the options that stay and can be chosen",
				after.Options...)
		default:
			replace, with[value] = append(replace, v), other.Text
		}
	}
	if len(w.Wrong) > 0 || len(dropped)+len(replace) == 0 {
		return w.Wrong.Err()
	}
	// What the records are may have been changed by an operation before, in the same batch.
	if w.Who, _, err = w.Engine.Inform(w.Tx, w.Who); err != nil {
		return err
	}
	kind := KindOf(w.Rec.Text(Fields.Resource))
	res := w.Who.Resource(kind)
	leaf := res.Leaf(CustomPath(w.Old.Text(Fields.Name)))
	if leaf == nil { // it is in the bin
		return nil
	}
	if err := w.refuseUsed(kind, res, leaf, dropped); err != nil || len(replace) == 0 {
		return err
	}
	return w.replaceOptions(kind, res, leaf, replace, with)
}

// having is the condition that a choice is, or has, one of some options.
func having(leaf *schema.Leaf, options []schema.Value) query.Condition {
	return query.Condition{Path: query.Path{Ref: -1, Leaf: leaf}, Operator: query.In, Values: options}
}

// refuseUsed refuses to drop options of which records have one.
func (w *Mutation) refuseUsed(kind *Kind, res *schema.Resource, leaf *schema.Leaf, dropped []schema.Value) error {
	if len(dropped) == 0 {
		return nil
	}
	found, err := w.Find(res, 1, having(leaf, dropped))
	if err != nil || len(found) == 0 {
		return err
	}
	used := slices.IndexFunc(dropped, func(v schema.Value) bool { return slices.Contains(chosenOf(found[0].Get(leaf)), v.S) })
	return &problem.Problem{
		Code: problem.Conflict, Detail: "The option " + problem.Quote(dropped[used].S) + " is in use by " + kind.Plural +
			"; archive it, or say with " +
			"replace_with what they get instead.",
		ExistingID: w.Who.Existing(&kind.Resource, found[0]),
	}
}

// replaceOptions gives the records that have some options others in their place. They are read one by one: many may be large.
func (w *Mutation) replaceOptions(kind *Kind, res *schema.Resource, leaf *schema.Leaf, options []schema.Value,
	with map[string]string,
) error {
	ids, err := w.FindIDs(res, maxReplaced+1, having(leaf, options))
	if err != nil {
		return err
	}
	if len(ids) > maxReplaced {
		return problem.New(problem.Conflict, "More than %d %s have these options; give most of them another one first, or archive the "+
			"options.", maxReplaced, kind.Plural)
	}
	for i, id := range ids {
		if w.Weight > MaxBatchWeight {
			return problem.New(problem.Conflict, "The %s that have these options are too large to be changed together: %d of %d could "+
				"be. Give some of them another option first, or archive the options.", kind.Plural, i, len(ids))
		}
		rec, err := w.Get(res, id, false)
		if err != nil {
			return err
		}
		err = w.Touch(kind, rec, func(r *schema.Record) {
			for _, old := range chosenOf(r.Get(leaf)) {
				if other, given := with[old]; given {
					r.Put(leaf, replaced(r.Get(leaf), old, other))
				}
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// replaced is a choice, or a list of choices, with another one in the place of one; empty is none.
func replaced(v schema.Value, old, with string) schema.Value {
	if v.Kind == schema.Choice {
		return schema.TextValue(v.Kind, with)
	}
	var kept []string
	for _, item := range body.Strings(v) {
		if item == old {
			item = with
		}
		if item != "" && !slices.Contains(kept, item) {
			kept = append(kept, item)
		}
	}
	if len(kept) == 0 {
		return schema.Absent(v.Kind)
	}
	return schema.TextValue(v.Kind, string(KeptList(kept)))
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

// reshaped says that the business's records have changed what they are, and lets kinds that name fields, such as views, follow one that is
// called otherwise, or is gone or back.
func reshaped(w *Mutation) error {
	w.Reshape()
	is := w.Rec.Text(Fields.Name)
	was := is
	if w.Old != nil {
		was = w.Old.Text(Fields.Name)
	}
	if w.Old != nil && was == is && w.Old.Live() == w.Rec.Live() {
		return nil
	}
	for _, k := range kinds {
		if k.FieldRenamed == nil {
			continue
		}
		if err := k.FieldRenamed(w, w.Rec.Text(Fields.Resource), was, is); err != nil {
			return err
		}
	}
	return nil
}
