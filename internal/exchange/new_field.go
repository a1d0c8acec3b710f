package exchange

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/tabular"
)

// An import can make fields that the business does not have yet, and options that a field lacks. Both are made by ordinary
// operations in the transaction of the rows that need them, so a preview makes them as well, and undoes that.

// NewField is what is said of a field that an import makes.
type NewField struct {
	Kind  string `json:"kind"`
	Label string `json:"label,omitempty"`
}

// What becomes of a cell that names an option which its field does not have.
const (
	optionsRefuse = "refuse"
	optionsMake   = "make"
)

// maxNewFields is how many fields an import makes at most.
const maxNewFields = 50

// newFieldBody is what may be said of a new field.
var newFieldBody = schema.CompileBody("a new field",
	schema.Field{Name: "kind", Kind: schema.Choice, Options: NewFieldKinds(), Required: true},
	schema.Field{Name: "label", Kind: schema.Text},
)

var newField = schema.FieldsOf[struct{ Kind, Label *schema.Leaf }](newFieldBody)

// NewFieldKinds are the kinds that a field can be which an import makes.
func NewFieldKinds() []string {
	return slices.DeleteFunc(record.FieldKinds(), func(name string) bool { return record.FieldKindNamed(name).Kind == schema.ID })
}

// decideFields takes over what is said of new fields, by their names; null takes it back.
func (d *decisions) decideFields(given body.Node, path string, wrong *problem.Fields) {
	if given.Kind == body.Null {
		d.NewFields = nil
		return
	}
	if d.NewFields == nil {
		d.NewFields = map[string]NewField{}
	}
	for _, m := range given.Members {
		at := path + "." + m.Name
		switch {
		case m.Value.Kind == body.Null:
			delete(d.NewFields, m.Name)
			continue
		case !record.FieldName.MatchString(m.Name) || len(m.Name) > 60:
			wrong.Add(at, "invalid_format", "must have small letters, digits and _ only, begin with a letter, and have at most 60 "+
				"characters")
		case m.Value.Kind != body.Object:
			wrong.Add(at, "wrong_type", "must be an object that says the kind, not "+m.Value.Kind.Name())
		default:
			said := body.Decode(m.Value, newFieldBody, true, at+".", wrong)
			if !said.Has(newField.Kind) && !wrong.Has(at+"."+newField.Kind.Path) {
				wrong.Add(at+"."+newField.Kind.Path, "required", "must be given", NewFieldKinds()...)
			}
			d.NewFields[m.Name] = NewField{said.Get(newField.Kind).S, said.Get(newField.Label).S}
		}
	}
	if len(d.NewFields) > maxNewFields {
		wrong.Add(path, "too_many", "must have at most "+strconv.Itoa(maxNewFields)+" fields")
	}
}

// mayMake refuses to make fields or options for who may not.
func (o ImportOptions) mayMake(who *record.Principal) error {
	if len(o.NewFields) == 0 && !o.MakeOptions {
		return nil
	}
	_, err := who.Allow(&record.Field.Resource, record.Write)
	return err
}

// fresh finds the new field that a column is mapped to, or is called like, where the business does not have it.
func (im *Import) fresh(column, path string) (name string) {
	for name, f := range im.options.NewFields {
		if im.res.Leaf(record.CustomPath(name)) != nil {
			continue
		}
		plain := plainName(column)
		if path == record.CustomPath(name) || path == "" && (plain == plainName(name) || f.Label != "" && plain == plainName(f.Label)) {
			return name
		}
	}
	return ""
}

// kind is that of the values of a column, or 0 where it is not read.
func (im *Import) kindOf(c importColumn) schema.Kind {
	switch {
	case c.leaf != nil && c.by == nil:
		return c.leaf.Kind
	case c.fresh != "":
		return record.FieldKindNamed(im.options.NewFields[c.fresh].Kind).Kind
	}
	return 0
}

// chosen tells whether the cells of a column are options that may be made.
func (im *Import) chosen(c importColumn) bool {
	k := im.kindOf(c)
	return (k == schema.Choice || k == schema.Choices) && (c.fresh != "" || c.leaf.Member != "")
}

// extended makes what some rows need, and gives the plan with it. What is not to be made leaves the plan as it is.
func (im *Import) extended(tx *store.Tx, rows []tabular.Row) (*Import, error) {
	if len(im.options.NewFields) == 0 && !im.options.MakeOptions || len(im.columns) == 0 {
		return im, nil
	}
	now, err := im.again(tx)
	if err != nil {
		return nil, err
	}
	made := false
	for i, c := range now.columns {
		var values []string
		switch {
		case now.chosen(c) && (now.options.MakeOptions || c.fresh != ""):
			if values = now.missing(i, rows); len(values) == 0 {
				continue // what nobody has is not made
			}
		case c.fresh == "":
			continue
		}
		if err := tx.Savepoint(func() error { return now.make(tx, c, values) }); err != nil {
			return nil, err
		}
		made = true
	}
	if !made {
		return now, nil
	}
	return now.again(tx)
}

// again plans anew for the fields that there are in a transaction.
func (im *Import) again(tx *store.Tx) (*Import, error) {
	who, _, err := im.e.Inform(tx, im.who)
	if err != nil {
		return nil, err
	}
	head := make([]string, len(im.columns))
	for i, c := range im.columns {
		head[i] = c.name
	}
	now, err := PlanImport(im.e, who, im.kind, head, im.seen, im.options)
	now.Style = im.Style
	return now, err
}

// missing are the values in a column of some rows that are no options of its field and could be, as they come first.
func (im *Import) missing(column int, rows []tabular.Row) (values []string) {
	c := im.columns[column]
	leaf := c.leaf
	if leaf == nil {
		leaf = &schema.Leaf{Field: &schema.Field{Kind: im.kindOf(c)}}
	}
	known := slices.Clone(leaf.Options)
	for _, row := range rows {
		if column >= len(row.Cells) || strings.TrimSpace(row.Cells[column]) == "" {
			continue
		}
		with := *leaf.Field
		with.Options = known
		n, err := im.Style.Read(&schema.Leaf{Field: &with, Path: leaf.Path}, row.Cells[column], c.name == leaf.Path)
		if err != nil {
			continue
		}
		for _, value := range append(n.Items, n) {
			if value.Kind == body.String && !slices.Contains(known, value.Text) && couldBeOption(value.Text) {
				known, values = append(known, value.Text), append(values, value.Text)
			}
		}
	}
	return values
}

// couldBeOption tells whether a text can be the value of an option.
func couldBeOption(text string) bool {
	_, bad := body.Scalar(body.Node{Kind: body.String, Text: text}, record.Fields.Option.Value)
	return bad == nil && text != "" && !strings.ContainsAny(text, "\"\\")
}

// fieldNamed finds the definition of an added field, or nil.
func fieldNamed(tx *store.Tx, resource, name string) (*schema.Record, error) {
	all, err := tx.Find(&record.Field.Resource, record.MaxFields+1,
		store.Equal(record.Fields.Resource, schema.TextValue(schema.Choice, resource)))
	at := slices.IndexFunc(all, func(rec *schema.Record) bool { return rec.Text(record.Fields.Name) == name })
	if at < 0 {
		return nil, err
	}
	return all[at], err
}

// optionsOf are the options that an added field has.
func optionsOf(field *schema.Record) ([]body.Node, error) {
	list, err := body.Parse([]byte(field.Text(record.Fields.Options)))
	if list == nil || err != nil {
		return nil, err
	}
	return list.Items, nil
}

// make makes the field of a column, or gives it further options.
func (im *Import) make(tx *store.Tx, c importColumn, values []string) error {
	var options []body.Node
	for _, value := range values {
		text := body.Node{Kind: body.String, Text: value}
		options = append(options, body.Node{Kind: body.Object, Members: []body.Member{
			{Name: record.Fields.Option.Value.Name, Value: text},
			{Name: record.Fields.Option.Label.Name, Value: text},
		}})
	}
	op := record.Operation{Kind: record.Field, Name: record.Create, Body: &body.Node{Kind: body.Object}}
	set := func(l *schema.Leaf, text string) {
		if text != "" {
			op.Body.Members = append(op.Body.Members, body.Member{Name: l.Name, Value: body.Node{Kind: body.String, Text: text}})
		}
	}
	if c.fresh != "" {
		said := im.options.NewFields[c.fresh]
		set(record.Fields.Resource, im.kind.Name)
		set(record.Fields.Name, c.fresh)
		set(record.Fields.Kind, said.Kind)
		set(record.Fields.Label, said.Label)
	} else {
		field, err := fieldNamed(tx, im.kind.Name, c.leaf.Name)
		if field == nil || err != nil {
			return err
		}
		op.Name, op.ID = record.Update, schema.FormatID(record.Field.Name, field.ID())
		had, err := optionsOf(field)
		if err != nil {
			return err
		}
		options = append(had, options...)
	}
	options = options[:min(len(options), body.MaxItems)] // the rows that have the others are refused by themselves
	if len(options) > 0 {
		list := body.Node{Kind: body.Array, Items: options}
		op.Body.Members = append(op.Body.Members, body.Member{Name: record.Fields.Options.Name, Value: list})
	}
	step, err := im.e.Plan(im.who, op)
	if err == nil {
		_, err = step(tx)
	}
	return problem.Inside(err, redeciding.NewFields.Path)
}
