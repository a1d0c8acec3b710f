package record

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// Shapes are the resources as one business has them: with the fields that it added. They are made once for every change of the
// definitions and shared by all principals of the business. Nil are the resources as they are declared.
type Shapes struct {
	// changes is how often the definitions had changed when they were read, see store.Tx.Shape.
	changes   int64
	resources map[string]*schema.Resource
	// defined are the definitions by the leaves that they gave.
	defined map[*schema.Leaf]definition
	// size is about how many bytes all of it takes in memory.
	size int
	// described are the changed resources as JSON for the schema, see AppendSchema.
	described sync.Map // string → []byte
}

// definition is a field that a business added, as a declaration, with what no declared field has.
type definition struct {
	schema.Addition
	options []OptionSchema
}

func (d definition) archived(value string) bool {
	return slices.ContainsFunc(d.options, func(o OptionSchema) bool { return o.Value == value && o.Archived })
}

func define(rec *schema.Record) (d definition, err error) {
	kind := FieldKindNamed(rec.Text(Fields.Kind))
	d.Member = member(rec.Get(Fields.Number).N)
	d.Filing = rec.Text(Fields.IndexStatus) == indexBuilding
	d.Field = schema.Field{
		Name: rec.Text(Fields.Name), Kind: kind.Kind, Format: kind.format, Ref: schema.Ref{To: rec.Text(Fields.Target)},
		Label: rec.Text(Fields.Label), Required: rec.Get(Fields.Required).True(), Default: rec.Text(Fields.Default),
		Identity: schema.Identity{Unique: rec.Get(Fields.Unique).True()},
		Find:     schema.Find{Searchable: rec.Get(Fields.Searchable).True(), Indexed: rec.Get(Fields.Indexed).True()},
		About:    rec.Text(Fields.Help),
	}
	options, err := optionsOf(rec.Get(Fields.Options))
	for _, o := range options {
		told := OptionSchema{
			Value: o.Text(Fields.Option.Value), Label: o.Text(Fields.Option.Label), Colour: o.Text(Fields.Option.Colour),
			Archived: o.Get(Fields.Option.Archived).True(),
		}
		d.Options, d.OptionLabels, d.options = append(d.Options, told.Value), append(d.OptionLabels, told.Label), append(d.options, told)
	}
	return d, err
}

// CustomPath is where records have an added field.
func CustomPath(name string) string { return schema.CustomFields + "." + name }

// newShapes puts the resources of a business together from the records of its fields.
func newShapes(changes int64, fields []*schema.Record) (*Shapes, error) {
	s := &Shapes{changes: changes, size: definitionSize, resources: map[string]*schema.Resource{}, defined: map[*schema.Leaf]definition{}}
	slices.SortStableFunc(fields, func(a, b *schema.Record) int { return int(a.Get(Fields.Position).N - b.Get(Fields.Position).N) })
	for _, k := range kinds {
		if !k.Extensible() {
			continue
		}
		var own []definition
		var added []schema.Addition
		for _, rec := range fields {
			if rec.Text(Fields.Resource) != k.Name {
				continue
			}
			d, err := define(rec)
			if err != nil {
				return nil, err
			}
			own, added = append(own, d), append(added, d.Addition)
			s.size += definitionSize + 4*rec.Weight()
		}
		// Also one that has no fields any more: its records may have values of those that it had.
		res, err := k.Extend(k.Common.CustomFields, Registry.Resource, added...)
		if err != nil {
			return nil, fmt.Errorf("the fields of %s: %w", k.Plural, err)
		}
		_, leaves := res.Document()
		for i, l := range leaves {
			s.defined[l] = own[i]
		}
		s.resources[k.Name] = res
	}
	return s, nil
}

func (s *Shapes) count() int64 {
	if s == nil {
		return 0
	}
	return s.changes
}

// shaped is a resource as the business has it.
func (s *Shapes) Shaped(res *schema.Resource) *schema.Resource {
	if s != nil {
		if own := s.resources[res.Name]; own != nil {
			return own
		}
	}
	return res
}

func (s *Shapes) archived(l *schema.Leaf, value string) bool {
	return s != nil && s.defined[l].archived(value)
}

// definitionSize is about how many bytes a definition takes in memory besides its texts.
const definitionSize = 1 << 10

// mostShapes bounds how many bytes the shapes of businesses that are remembered take; past it all are forgotten and read anew.
const mostShapes = 64 << 20

type shapeMemory struct {
	sync.RWMutex
	known map[schema.UUID]*Shapes
	size  int
}

// of gives the shapes of a business as they were after so many changes, or has them read.
func (m *shapeMemory) of(business schema.UUID, changes int64, read func() ([]*schema.Record, error)) (*Shapes, error) {
	if changes == 0 {
		return nil, nil
	}
	m.RLock()
	s := m.known[business]
	m.RUnlock()
	if s.count() == changes {
		return s, nil
	}
	fields, err := read()
	if err != nil {
		return nil, err
	}
	if s, err = newShapes(changes, fields); err != nil {
		return nil, err
	}
	m.Lock()
	if m.known == nil || m.size > mostShapes {
		m.known, m.size = map[schema.UUID]*Shapes{}, 0
	}
	if old := m.known[business]; old.count() < changes {
		if old != nil {
			m.size -= old.size
		}
		m.known[business] = s
		m.size += s.size
	}
	m.Unlock()
	return s, nil
}

func mostDefinitions() int { return MaxFields * len(kinds) }

// Shapes gives the resources of a business as they are after so many changes of their definitions, or some more: what is read may
// be newer than that. Nothing is written by it without another look, see inform.
func (e *Engine) Shapes(ctx context.Context, t store.Tenant, changes int64) (*Shapes, error) {
	return e.shapes.of(t.ID(), changes, func() ([]*schema.Record, error) { return t.All(ctx, &Field.Resource, mostDefinitions()) })
}

// Inform gives a principal who knows the resources as they are in a transaction, which may have changed since the principal was
// read, and tells whether they have.
func (e *Engine) Inform(tx *store.Tx, who *Principal) (informed *Principal, news bool, err error) {
	changes, own := tx.Shape()
	if who.Shapes.count() == changes && !own {
		return who, false, nil
	}
	read := func() ([]*schema.Record, error) { return tx.Find(&Field.Resource, mostDefinitions()) }
	shapes := who.Shapes
	if own { // which may yet be undone, so nobody else is to know
		var fields []*schema.Record
		if fields, err = read(); err == nil {
			shapes, err = newShapes(changes, fields)
		}
	} else {
		shapes, err = e.shapes.of(tx.ID(), changes, read)
	}
	with := *who
	with.Shapes = shapes
	return &with, true, err
}

// checkChosen keeps archived options from being chosen anew.
func (w *Mutation) checkChosen() {
	for i, l := range w.Rec.Leaves {
		if l.Member == "" || l.Kind != schema.Choice && l.Kind != schema.Choices {
			continue
		}
		var before []string
		if w.Old != nil {
			if w.Old.Values[i] == w.Rec.Values[i] {
				continue
			}
			before = chosenOf(w.Old.Values[i])
		}
		for _, value := range chosenOf(w.Rec.Values[i]) {
			if !slices.Contains(before, value) && w.Who.Shapes.archived(l, value) {
				w.Wrong.Add(l.Path, "not_allowed", "cannot be "+value+", which is archived", w.Who.Shapes.chosable(l)...)
			}
		}
	}
}

func (s *Shapes) chosable(l *schema.Leaf) []string {
	return slices.DeleteFunc(slices.Clone(l.Options), func(value string) bool { return s.archived(l, value) })
}

// KeptList renders texts as a list keeps them.
func KeptList(texts []string) []byte {
	dst := []byte{'['}
	for i, s := range texts {
		dst = schema.AppendComma(dst, i)
		dst = schema.AppendString(dst, s)
	}
	return append(dst, ']')
}

// addedDefault is the default of an added field, which is kept as JSON.
func addedDefault(l *schema.Leaf) schema.Value {
	n, err := body.Parse([]byte(l.Default))
	if err != nil || n == nil {
		return schema.Absent(l.Kind)
	}
	v, wrong := body.Value(*n, l)
	if wrong != nil { // it was right when it was defined
		return schema.Absent(l.Kind)
	}
	return v
}

// OptionSchema is one of the values that a choice has.
type OptionSchema struct {
	Value string `json:"value"`
	Label string `json:"label"`
	// Colour is one of schema.Colours, or one that a business gave as #d4af37.
	Colour string `json:"colour,omitempty"`
	// Archived options are those that a business defined and no longer chooses.
	Archived bool `json:"archived,omitempty"`
}
