package record

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
)

// ResourceSchema tells of a resource what a form, a grid or an agent needs to know. It follows from the declaration.
type ResourceSchema struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Label string `json:"label"`
	// IDPrefix is what its ids start with.
	IDPrefix string `json:"id_prefix"`
	// Operations are the standard ones that it has, and whether imports bring its records.
	Operations []string `json:"operations"`
	// MatchBy are the fields by which an upsert finds a record.
	MatchBy []string `json:"match_by"`
	// NamedBy are the fields by the first of which that has a value people know a record, and Telling those that tell most of it besides.
	NamedBy []string `json:"named_by"`
	Telling []string `json:"telling"`
	// Layout says where the fields stand for people.
	Layout LayoutSchema `json:"layout"`
	// Own are the fields that make a record a user's own.
	Own []string `json:"own"`
	// Feature is the feature permission that writing needs.
	Feature string `json:"feature,omitempty"`
	// Personal tells that records are there for those alone whose own they are.
	Personal bool `json:"personal,omitempty"`
	// Power is what else who writes it hands out.
	Power  string        `json:"power,omitempty"`
	Fields []FieldSchema `json:"fields"`
	// Associations are the fields by which it can be filtered, and by no other means be found, where its records are associated
	// with others.
	Associations []AssociationSchema `json:"associations"`
	States       *StatesSchema       `json:"states"`
	Actions      []ActionSchema      `json:"actions"`
}

// AssociationSchema tells how records are found that are associated with those of another resource.
type AssociationSchema struct {
	Field     string   `json:"field"`
	Target    string   `json:"target"`
	Operators []string `json:"operators"`
}

// FieldSchema tells of a field what it holds and how it is written and found.
type FieldSchema struct {
	Name      string   `json:"name"`
	Kind      string   `json:"kind"`
	Label     string   `json:"label"`
	Operators []string `json:"operators"`
	Sortable  bool     `json:"sortable"`
	Required  bool     `json:"required"`
	ReadOnly  bool     `json:"read_only"`
	Custom    bool     `json:"custom"`
	Nullable  bool     `json:"nullable"`
	Immutable bool     `json:"immutable,omitempty"`
	Unique    bool     `json:"unique,omitempty"`
	Text      bool     `json:"searchable,omitempty"`
	BinOnly   bool     `json:"bin_only,omitempty"`
	Format    string   `json:"format,omitempty"`
	MaxLength int64    `json:"max_length,omitempty"`
	MaxItems  int64    `json:"max_items,omitempty"`
	Minimum   *int64   `json:"minimum,omitempty"`
	Maximum   *int64   `json:"maximum,omitempty"`
	// Default is the value of a field that is not given.
	Default json.RawMessage `json:"default,omitempty"`
	Options []OptionSchema  `json:"options,omitempty"`
	// Target is what the ids of a reference lead to, and FollowedAs the name under which a path follows it.
	Target string `json:"target,omitempty"`
	// Targets are what the ids lead to where they may be those of several resources.
	Targets    []string `json:"targets,omitempty"`
	FollowedAs string   `json:"followed_as,omitempty"`
	SetBy      []string `json:"set_by,omitempty"`
	Help       string   `json:"help,omitempty"`
	// Fields are those of a group, or of each item of a list.
	Fields []FieldSchema `json:"fields,omitempty"`
}

// StatesSchema tells the life of a resource.
type StatesSchema struct {
	Field   string       `json:"field"`
	Initial string       `json:"initial"`
	Moves   []MoveSchema `json:"moves"`
	Lapse   *LapseSchema `json:"lapse,omitempty"`
}

// MoveSchema is one allowed change of state, and by what it is made.
type MoveSchema struct {
	Name     string   `json:"name"`
	From     []string `json:"from"`
	To       string   `json:"to"`
	ByAction bool     `json:"by_action"`
	ByPatch  bool     `json:"by_patch"`
}

// LapseSchema is a change of state that comes by itself when the day in a field is over.
type LapseSchema struct {
	From  string `json:"from"`
	To    string `json:"to"`
	After string `json:"after"`
}

// ActionSchema tells what an action takes and does.
type ActionSchema struct {
	Name  string        `json:"name"`
	Label string        `json:"label"`
	Help  string        `json:"help,omitempty"`
	Body  []FieldSchema `json:"body"`
}

// standardOperations are those that a resource has unless it says that it goes without: by the words with which it says so.
var standardOperations = []string{
	"create", "search", "aggregate", "bin", "get", "patch", "delete", "restore", "history", "timeline",
	"batch", "bulk", "upsert", "duplicates", "dismiss", Erase, "export",
}

// Offers tells whether a resource has a standard operation.
func (k *Kind) Offers(operation string) bool {
	return !slices.Contains(k.Without, operation) && (operation != Upsert || k.Upserts()) && (operation != BulkJob || k.Bulks()) &&
		(operation != "timeline" || k.HasTimeline()) &&
		(operation != "duplicates" && operation != "dismiss" || k.Life.Duplicates != nil) && (operation != Erase || k.Life.Erasable)
}

// StandardOperations are those that the resource has.
func (k *Kind) StandardOperations() []string {
	return slices.DeleteFunc(slices.Clone(standardOperations), func(operation string) bool { return !k.Offers(operation) })
}

// Describe tells what there is to know of a resource, as it is declared.
func (k *Kind) Describe() ResourceSchema { return k.describe(nil) }

// describe tells what there is to know of a resource as a business has it.
func (k *Kind) describe(shapes *Shapes) ResourceSchema {
	res := shapes.Shaped(&k.Resource)
	s := describe(res)
	if _, added := res.Document(); len(added) > 0 {
		at := slices.IndexFunc(s.Fields, func(f FieldSchema) bool { return f.Name == k.Common.CustomFields.Name })
		for i, l := range added {
			f := &s.Fields[at].Fields[i]
			f.Options = shapes.defined[l].options
		}
	}
	if !k.Offers("bin") { // where there is none, nobody is ever answered what only deleted records have
		s.Fields = slices.DeleteFunc(s.Fields, func(f FieldSchema) bool { return f.BinOnly })
	}
	s.Operations = k.StandardOperations()
	if k.Life.Importable {
		s.Operations = append(s.Operations, "import")
	}
	if k.Upserts() {
		for _, l := range k.Matchable(res) {
			s.MatchBy = append(s.MatchBy, l.Path)
		}
	}
	return s
}

func describe(res *schema.Resource) ResourceSchema {
	s := ResourceSchema{
		Name: res.Name, Path: "/v1/" + res.Plural, Label: res.Label, IDPrefix: res.Name,
		MatchBy: []string{}, NamedBy: slices.Clone(res.Summary.NamedBy), Telling: slices.Clone(res.Summary.Telling),
		Own: slices.Clone(res.Access.Own), Feature: res.Access.Feature, Personal: res.Access.Personal, Power: res.Access.Power,
		Fields: describeFields(res, &res.Shape, true), Associations: []AssociationSchema{}, States: describeStates(res),
		Actions: []ActionSchema{},
	}
	s.Layout = describeLayout(res)
	for _, l := range res.Links {
		s.Associations = append(s.Associations, AssociationSchema{Field: l.Path, Target: l.Target.Name, Operators: operatorNames(l.Kind)})
	}
	for _, a := range res.Actions {
		s.Actions = append(s.Actions, ActionSchema{
			Name: a.Name, Label: schema.InWords(a.Name), Help: a.About,
			Body: describeFields(res, &a.Shape, false),
		})
	}
	return s
}

// describeFields tells of the fields of a shape. Only those of the records themselves are found by searches.
func describeFields(res *schema.Resource, s *schema.Shape, found bool) []FieldSchema {
	fields := []FieldSchema{}
	for _, f := range s.Tree {
		if f.Kind != schema.Group {
			fields = append(fields, describeLeaf(res, s, s.Leaf(f.Name), found))
			continue
		}
		group := FieldSchema{Name: f.Name, Kind: f.Type(), Label: label(res, f), ReadOnly: f.ReadOnly, Operators: []string{}, Help: f.About}
		for _, l := range s.Group(f) {
			group.Fields = append(group.Fields, describeLeaf(res, s, l, found))
		}
		fields = append(fields, group)
	}
	return fields
}

// label is what people call a field. An argument of an action that has no label of its own is called like the field that it sets.
func label(res *schema.Resource, f *schema.Field) string {
	if f.Label != "" {
		return f.Label
	}
	if same := res.Field(f.Name); same != nil && same.Label != "" {
		return same.Label
	}
	return schema.InWords(f.Name)
}

func describeLeaf(res *schema.Resource, s *schema.Shape, l *schema.Leaf, found bool) FieldSchema {
	f := FieldSchema{
		Name: l.Name, Kind: l.Type(), Label: label(res, l.Field), Operators: []string{}, Required: l.Needed(), ReadOnly: l.ReadOnly,
		Nullable: !l.Required && (l.Kind.Scalar() || l.Free), Custom: l.Member != "", Immutable: l.Writing.Immutable,
		Unique: l.Identity.Unique, Text: l.Find.Searchable, BinOnly: l.Writing.BinOnly,
		Format: l.FormName(), Targets: l.Ref.Among, SetBy: l.Writing.SetBy, Help: l.About,
	}
	if l.Default != "" {
		f.Default = schema.AppendValue(nil, l, defaultValue(l))
	}
	if found {
		f.Sortable = l.Kind.Scalar()
		f.Operators = operatorNames(l.Kind)
	}
	for i, o := range l.Options {
		told := OptionSchema{Value: o, Label: schema.InWords(o)}
		if len(l.OptionColours) > 0 {
			told.Colour = l.OptionColours[i]
		}
		f.Options = append(f.Options, told)
	}
	switch l.Kind {
	case schema.Text, schema.LongText, schema.Tags:
		f.MaxLength = body.Longest(l)
	default:
		f.Minimum, f.Maximum = l.Min, l.Max
	}
	switch l.Kind {
	case schema.Tags, schema.Choices:
		f.MaxItems = body.MaxTags
	case schema.List:
		f.MaxItems = body.MaxItems
		f.Fields = describeFields(res, s.Inner[l.Name], false)
	case schema.ID:
		f.Target = l.IDPrefix
		if name, _, _ := l.Referred(); name != "" && found {
			f.FollowedAs = l.RefersAs()
		}
	}
	return f
}

func operatorNames(k schema.Kind) (names []string) {
	for _, o := range query.Allowed(k) {
		names = append(names, string(o))
	}
	return names
}

func describeStates(res *schema.Resource) *StatesSchema {
	if res.States == nil {
		return nil
	}
	s := &StatesSchema{Field: res.States.Field, Initial: res.States.Initial}
	for _, m := range res.States.Moves {
		byAction := slices.ContainsFunc(res.Actions, func(a schema.Action) bool { return a.Name == m.Name })
		s.Moves = append(s.Moves, MoveSchema{Name: m.Name, From: m.From, To: m.To, ByAction: byAction, ByPatch: m.ByPatch})
	}
	if lapse := res.States.Lapse; lapse != nil {
		s.Lapse = &LapseSchema{From: lapse.From, To: lapse.To, After: lapse.After}
	}
	return s
}

// descriptions are the resources and the business as JSON, each without its last brace, so that permissions can follow. They follow
// from the declarations, which do not change while the program runs.
var descriptions = sync.OnceValue(func() (all struct {
	resources [][]byte
	business  []byte
},
) {
	for _, k := range kinds {
		all.resources = append(all.resources, k.Describe().open())
	}
	own := describe(Business)
	own.Operations, own.Own, own.NamedBy, own.Telling = []string{"get", "patch"}, []string{}, []string{schema.NameField}, []string{}
	all.business = own.open()
	return all
})

func (s ResourceSchema) open() []byte {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // nothing in it can fail
	}
	return text[:len(text)-1]
}

// description is what is told of a resource to which the business added fields, made when it is first asked for; nil where it added none.
func (s *Shapes) description(k *Kind) []byte {
	if s == nil || s.resources[k.Name] == nil {
		return nil
	}
	text, known := s.described.Load(k.Name)
	if !known {
		text, _ = s.described.LoadOrStore(k.Name, k.describe(s).open())
	}
	return text.([]byte)
}

// AppendSchema tells everything that there is to know of the resources, and how far the principal reaches in each.
func (p *Principal) AppendSchema(dst []byte) []byte {
	known := descriptions()
	dst = append(dst, `{"resources":[`...)
	for i, text := range known.resources {
		dst = schema.AppendComma(dst, i)
		if own := p.Shapes.description(kinds[i]); own != nil {
			text = own
		}
		dst = append(dst, text...)
		dst = append(dst, `,"permissions":{`...)
		for j, verb := range Verbs {
			reach, err := p.Allow(Registry.Resources[i], verb)
			if err != nil {
				reach = None
			}
			dst = schema.AppendComma(dst, j)
			dst = append(dst, `"`+string(verb)+`":"`+string(reach)+`"`...)
		}
		dst = append(dst, "}}"...)
	}
	dst = append(dst, `],"business":`...)
	dst = append(dst, known.business...)
	writing := All
	if p.AllowBusiness() != nil {
		writing = None
	}
	return append(dst, `,"permissions":{"read":"all","write":"`+string(writing)+`","delete":"none"}}}`...)
}
