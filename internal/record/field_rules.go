package record

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

func declareFields() {
	schema.Bind(&Field.Shape, &Fields)
	Field.Documents = map[*schema.Leaf]func(body.Node, *problem.Fields) string{
		Fields.Default:     keptDefault,
		Fields.ReplaceWith: checkReplacements,
	}
	Field.Prepare = prepareField
	Field.Validate = validateField
	Field.Writing = writeField
	Field.Written = reshaped
	Field.Removing = unindex
	Field.Restoring = func(w *Mutation) error {
		p := w.Proposed()
		if err := p.checkPlace(); err != nil {
			return err
		}
		if err := p.checkIndex(); err != nil {
			return err
		}
		return w.setIndex()
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

// prepareField labels and places a field, and completes its options.
func prepareField(w *Mutation) error {
	if w.Rec.Get(Fields.Label).S == "" {
		w.Rec.PutText(Fields.Label, schema.InWords(strings.TrimSuffix(w.Rec.Text(Fields.Name), "_id")))
	}
	if err := w.PlaceLast(Fields.Position); err != nil {
		return err
	}
	return prepareOptions(w)
}

func validateField(p Proposed) error {
	if p.Refused() != nil || p.Text(Fields.Kind) == "" || p.Text(Fields.Resource) == "" {
		return nil
	}
	reference := p.Text(Fields.Kind) == "reference"
	switch name := p.Text(Fields.Name); {
	case !FieldName.MatchString(name):
		p.Refuse(Fields.Name.Path, "invalid_format", "must have small letters, digits and _ only, and begin with a letter")
	case reference && (!strings.HasSuffix(name, "_id") || name == "_id"):
		p.Refuse(Fields.Name.Path, "invalid_format", "must end in _id, because it is a reference")
	}
	switch target := p.Get(Fields.Target).Set; {
	case reference && !target:
		p.Refuse(Fields.Target.Path, "required", "must be given for a reference: the resource that it leads to", Registry.Names()...)
	case !reference && target:
		p.Refuse(Fields.Target.Path, "not_allowed", "is for references alone")
	}
	kind := FieldKindNamed(p.Text(Fields.Kind)).Kind
	if p.Get(Fields.Searchable).True() && kind != schema.Text && kind != schema.LongText {
		p.Refuse(Fields.Searchable.Path, "not_allowed", "only texts can be searchable: text, long_text, url, email and phone")
	}
	if err := checkOptions(p, kind); err != nil || p.Refused() != nil {
		return err
	}
	checkDefault(p)
	if p.Refused() != nil {
		return nil
	}
	if err := p.checkPlace(); err != nil {
		return err
	}
	return p.checkIndex()
}

// writeField numbers a new field, and brings its index and the records that have its values to what it is to be.
func writeField(w *Mutation) error {
	if w.Old == nil {
		number, err := store.Next(w.Tx, Field.Counter(Fields.Number))
		if err != nil {
			return err
		}
		w.Rec.Put(Fields.Number, schema.IntValue(schema.Integer, number))
	}
	if err := w.setIndex(); err != nil {
		return err
	}
	return w.dropOptions()
}

func (p Proposed) otherFields() ([]*schema.Record, error) {
	all, err := p.Find(&Field.Resource, MaxFields+1, store.Equal(Fields.Resource, p.Get(Fields.Resource)))
	return slices.DeleteFunc(all, func(other *schema.Record) bool { return other.ID() == p.ID() }), err
}

// checkPlace holds a field that comes to its resource, or changes, to the number and size of fields and to names that nobody else has.
func (p Proposed) checkPlace() error {
	others, err := p.otherFields()
	if err != nil {
		return err
	}
	if len(others) >= MaxFields {
		p.Refuse(Fields.Resource.Path, "too_many", fmt.Sprintf("must have at most %d fields; delete one first", MaxFields))
		return p.Refused()
	}
	defined := p.Weight()
	for _, other := range others {
		defined += other.Weight()
	}
	if defined > MaxDefined && (p.New() || !p.Before().Live() || p.Weight() > p.Before().Weight()) {
		p.Refuse(Fields.Resource.Path, "too_long",
			fmt.Sprintf("has fields with more than %d bytes of labels, options, defaults and help together; shorten some, or delete a "+
				"field first", MaxDefined))
		return p.Refused()
	}
	name := p.Text(Fields.Name)
	for _, other := range others {
		var taken *problem.Problem
		switch theirs := other.Text(Fields.Name); {
		case theirs == name:
			taken = NotUnique(Fields.Name, "is held by another field", "Another field of this resource has this name.")
		case theirs+"_id" == name && p.Get(Fields.Target).Set, name+"_id" == theirs && other.Get(Fields.Target).Set:
			taken = NotUnique(Fields.Name, "is too close to that of another field",
				"What a reference leads to is answered under its name without _id, which another field of this resource has.")
		default:
			continue
		}
		taken.ExistingID = p.Who().Existing(&Field.Resource, other)
		return taken
	}
	return nil
}

var colourForm = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

func chooses(kind schema.Kind) bool { return kind == schema.Choice || kind == schema.Choices }

func prepareOptions(w *Mutation) error {
	if len(w.Wrong) > 0 || w.Rec.Text(Fields.Kind) == "" || !chooses(FieldKindNamed(w.Rec.Text(Fields.Kind)).Kind) ||
		w.Old != nil && !w.Changed(Fields.Options) {
		return nil
	}
	options, err := optionsOf(w.Rec.Get(Fields.Options))
	if err != nil || len(options) == 0 {
		return err
	}
	for i, o := range options {
		if !o.Get(Fields.Option.Label).Set {
			o.PutText(Fields.Option.Label, schema.InWords(o.Text(Fields.Option.Value)))
		}
		if !o.Get(Fields.Option.Archived).Set {
			o.Put(Fields.Option.Archived, schema.BoolValue(false))
		}
		o.Put(Fields.Option.Position, schema.IntValue(schema.Integer, int64(i+1)))
	}
	w.Rec.Put(Fields.Options, schema.TextValue(schema.List, string(schema.AppendList(nil, options))))
	return nil
}

// checkOptions holds a choice to having options that can be told apart, and other fields to having none.
func checkOptions(p Proposed, kind schema.Kind) error {
	options, err := optionsOf(p.Get(Fields.Options))
	switch {
	case err != nil:
		return err
	case !chooses(kind) && len(options) > 0:
		p.Refuse(Fields.Options.Path, "not_allowed", "are for select and multi_select alone")
		return nil
	case chooses(kind) && len(options) == 0:
		p.Refuse(Fields.Options.Path, "required", "must be given: the values that can be chosen")
		return nil
	case !p.New() && !p.Changed(Fields.Options):
		return nil
	}
	seen := map[string]bool{}
	for i, o := range options {
		at := fmt.Sprintf("%s[%d].", Fields.Options.Path, i)
		value := o.Text(Fields.Option.Value)
		switch {
		case strings.ContainsAny(value, "\"\\"):
			p.Refuse(at+Fields.Option.Value.Path, "invalid_characters", "must not contain quotation marks and backslashes")
		case seen[value]:
			p.Refuse(at+Fields.Option.Value.Path, "not_allowed", "is given for two options")
		}
		seen[value] = true
		if c := o.Get(Fields.Option.Colour); c.Set && !slices.Contains(schema.Colours, c.S) && !colourForm.MatchString(c.S) {
			p.Refuse(at+Fields.Option.Colour.Path, "invalid_format", "must be one of the colours that have names, or as #d4af37",
				schema.Colours...)
		}
	}
	return nil
}

func checkDefault(p Proposed) {
	if !p.Get(Fields.Default).Set || !p.New() && !p.Changed(Fields.Default) && !p.Changed(Fields.Options) {
		return
	}
	d, err := define(p.Clone())
	if err == nil && d.Kind == schema.ID {
		p.Refuse(Fields.Default.Path, "not_allowed", "a reference has none")
		return
	}
	if err != nil {
		p.Refuse(Fields.Default.Path, "not_allowed", "is no value of the field")
		return
	}
	n, err := body.Parse([]byte(p.Text(Fields.Default)))
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
		p.Refuse(Fields.Default.Path, bad.Code, bad.Message, bad.Allowed...)
	case slices.ContainsFunc(chosenOf(v), d.archived):
		p.Refuse(Fields.Default.Path, "not_allowed", "is archived and cannot be chosen")
	default:
		checkFolded(leaf, v, &p.w.Wrong)
	}
}

const maxReplaced = 500

// dropOptions refuses to drop options that live records have, or gives these records what is to come in their place.
func (w *Mutation) dropOptions() error {
	if w.Old == nil || !w.Changed(Fields.Options) {
		return nil
	}
	before, err := optionsOf(w.Old.Get(Fields.Options))
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

func having(leaf *schema.Leaf, options []schema.Value) query.Condition {
	return query.Condition{Path: query.Path{Ref: -1, Leaf: leaf}, Operator: query.In, Values: options}
}

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
