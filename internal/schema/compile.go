package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Registry is the list of all resources, compiled.
type Registry struct {
	Resources []*Resource
	// ListItems are what records point to inside of other records.
	ListItems []*ListItem
	// Business declares the business itself, which is no resource among the others.
	Business *Resource
	// Audit declares the lines of the audit log, which are no records; nil where none is kept.
	Audit  *Resource
	byName map[string]*Resource
}

// Resource finds a resource by its name, or nil.
func (r *Registry) Resource(name string) *Resource { return r.byName[name] }

// Names lists the resources in declared order.
func (r *Registry) Names() []string {
	names := make([]string, len(r.Resources))
	for i, res := range r.Resources {
		names[i] = res.Name
	}
	return names
}

// NameField is the field by which people know a record, in the resources that have one.
const NameField = "name"

// common are the fields that every record has besides its own.
func common() (first, last []Field) {
	first = []Field{{Name: "id", Kind: ID, Label: "ID", ReadOnly: true, Required: true}}
	last = []Field{
		{
			Name: "owner_id", Kind: ID, Ref: Ref{To: "user"}, Label: "Owner", Find: Find{Indexed: true, Recent: true},
			About: "The user who is responsible; the acting user when not given.",
		},
		{
			Name: "external_id", Kind: Text, Label: "External ID", Identity: Identity{Unique: true, Exact: true},
			About: "Your own identifier, unique among the live records of the resource.",
		},
		{Name: "tags", Kind: Tags, Label: "Tags", Find: Find{Searchable: true}},
		{Name: CustomFields, Kind: Document, Label: "Custom fields"},
		{Name: "created_at", Kind: Time, Label: "Created", Required: true, ReadOnly: true, Find: Find{Sorted: true}},
		{Name: "created_by", Kind: ID, Ref: Ref{To: "user"}, Label: "Created by", ReadOnly: true},
		{Name: "updated_at", Kind: Time, Label: "Updated", Required: true, ReadOnly: true, Find: Find{Sorted: true}},
		{Name: "updated_by", Kind: ID, Ref: Ref{To: "user"}, Label: "Updated by", ReadOnly: true},
		{
			Name: "version", Kind: Integer, Label: "Version", ReadOnly: true, Required: true,
			About: "Rises by one with every change; the ETag.",
		},
		{Name: "deleted_at", Kind: Time, Label: "Deleted", ReadOnly: true, Writing: Writing{BinOnly: true}},
	}
	return first, last
}

// mergedInto is what a resource has whose records can be merged, before the time of deletion.
func mergedInto(res *Resource) Field {
	return Field{
		Name: "merged_into_id", Kind: ID, Ref: Ref{To: res.Name}, Label: "Merged into", ReadOnly: true, Writing: Writing{BinOnly: true},
		About: "The record into which it was merged.",
	}
}

// Follows tells whether a leaf is a reference to records that can be merged, so that it comes to lead to the survivor.
func (l *Leaf) Follows() bool {
	return l.Target != nil && l.Target.Life.Merges && !(l.Writing.BinOnly && l.ReadOnly)
}

// Compile checks declarations and resolves what follows from them. A wrong declaration is a programming error.
func Compile(resources ...*Resource) *Registry {
	reg := &Registry{Resources: resources, byName: map[string]*Resource{}}
	for _, res := range resources {
		if reg.byName[res.Name] != nil {
			panic("schema: two resources named " + res.Name)
		}
		reg.byName[res.Name] = res
	}
	for _, res := range resources {
		first, last := common()
		if res.Life.Merges {
			last = slices.Insert(last, len(last)-1, mergedInto(res))
		}
		res.Shape = reg.compile(res.Name, slices.Concat(first, res.Fields, last))
		Bind(&res.Shape, &res.Common)
		if res.Life.Merges {
			res.MergedInto = res.Must(mergedInto(res).Name)
		}
		res.Common.ID.IDPrefix = res.Name
		if len(res.Access.Own) == 0 {
			res.Access.Own = []string{res.Common.OwnerID.Path}
		}
		res.Owners = res.all(res.Access.Own)
		res.HappensAt = res.Common.CreatedAt
		if res.Summary.Happens != "" {
			res.HappensAt = res.Must(res.Summary.Happens)
		}
		if len(res.Summary.NamedBy) == 0 && res.Leaf(NameField) != nil {
			res.Summary.NamedBy = []string{NameField}
		}
		res.Names = res.all(res.Summary.NamedBy)
		res.Layout.resolve(res)
		if res.Access.Shared != "" {
			res.SharedLeaf = res.Must(res.Access.Shared)
		}
		if res.Life.Duplicates != nil {
			res.Life.Duplicates.resolve(&res.Shape)
		}
		figures := &res.Storage.Figures
		figures.Keys, figures.Sums = res.all(figures.By), res.all(figures.Of)
		for _, l := range res.Leaves {
			if l.Follows() && (!l.Find.Indexed || slices.Contains(figures.Keys, l)) {
				panic("schema: " + l.Path + " of " + res.Name + " refers to records that can be merged, so it must be indexed, and no " +
					"figures be kept by it")
			}
		}
		for i := range res.Actions {
			res.Actions[i].Shape = reg.compile(res.Actions[i].Name+" of "+res.Name, res.Actions[i].Body)
		}
		res.resolveSetBy()
		if s := res.States; s != nil {
			s.Leaf = res.Must(s.Field)
			if s.Lapse != nil {
				s.Leaf.Lapse = &LapseLeaf{From: s.Lapse.From, To: s.Lapse.To, After: res.Must(s.Lapse.After)}
				if slices.Contains(figures.Keys, s.Leaf) {
					panic("schema: no figures can be kept by " + s.Field + " of " + res.Name + ", which changes as time passes")
				}
			}
		}
	}
	reg.resolveListItems()
	reg.resolveLinks()
	return reg
}

// resolveLinks gives every resource that can be linked the leaves by which it is filtered.
func (r *Registry) resolveLinks() {
	for _, via := range r.Resources {
		if via.EndLeaves = via.all(via.Ends); len(via.Ends) == 0 {
			continue
		}
		among := via.EndLeaves[0].Ref.Among
		for _, name := range among {
			for _, other := range among {
				far := r.byName[other]
				f := &Field{Name: other, Kind: Links, Label: far.Label}
				l := &Leaf{Field: f, Whose: name, Path: via.Plural + "." + other, IDPrefix: other, Target: far, Via: via, Index: -1}
				r.byName[name].Links = append(r.byName[name].Links, l)
			}
		}
	}
}

// resolveSetBy finds the actions that change the state, and checks those that fields name.
func (res *Resource) resolveSetBy() {
	isAction := func(name string) bool {
		return slices.ContainsFunc(res.Actions, func(a Action) bool { return a.Name == name })
	}
	for _, f := range res.Tree {
		if s := res.States; s != nil && s.Field == f.Name && f.ReadOnly {
			for _, m := range s.Moves {
				if isAction(m.Name) && !slices.Contains(f.Writing.SetBy, m.Name) {
					f.Writing.SetBy = append(f.Writing.SetBy, m.Name)
				}
			}
		}
		for _, name := range f.Writing.SetBy {
			if !isAction(name) || !f.ReadOnly {
				panic("schema: " + res.Name + "." + f.Name + " cannot be set by " + name)
			}
		}
	}
}

// resolveListItems finds the leaves that point to items of lists.
func (r *Registry) resolveListItems() {
	for _, res := range r.Resources {
		for _, f := range res.Tree {
			if f.Ref.ListItem != "" {
				r.ListItems = append(r.ListItems, &ListItem{
					Name: f.Ref.ListItem, Whole: res, List: res.Must(f.Name), ID: res.Inner[f.Name].Must("id"),
					Position: res.Inner[f.Name].Leaf("position"), Shape: res.Inner[f.Name],
				})
			}
		}
	}
	for _, res := range r.Resources {
		for _, l := range res.Leaves {
			if l.Kind == ID {
				l.ListItem = first(r.ListItems, func(p *ListItem) bool { return l.Ref.Prefix == p.Name })
			}
		}
	}
}

// CompileBody resolves the fields of a request body that is none of a resource's or an action's own.
func CompileBody(whose string, fields ...Field) *Shape {
	s := (&Registry{}).compile(whose, fields)
	return &s
}

// CompileApart resolves a resource that stands apart from the registry: it has the fields that it declares and no others; among them
// must be id, created_at, updated_at and version.
func CompileApart(res *Resource) *Resource {
	res.Shape = (&Registry{}).compile(res.Name, res.Fields)
	res.Common = Common{
		ID: res.Must("id"), CreatedAt: res.Must("created_at"), UpdatedAt: res.Must("updated_at"), Version: res.Must("version"),
	}
	res.Common.ID.IDPrefix = res.Name
	return res
}

func (r *Registry) compile(whose string, fields []Field) Shape {
	s := Shape{Whose: whose, Inner: map[string]*Shape{}, byPath: map[string]*Leaf{}}
	for i := range fields {
		f := &fields[i]
		s.Tree = append(s.Tree, f)
		switch f.Kind {
		case Group:
			for j := range f.Fields {
				r.addLeaf(&s, f, &f.Fields[j])
			}
		case List:
			inner := r.compile(f.Name+" of "+whose, f.Fields)
			s.Inner[f.Name] = &inner
			r.addLeaf(&s, nil, f)
		default:
			r.addLeaf(&s, nil, f)
		}
	}
	return s
}

// spelledOut are the columns of fields whose own names are words of SQL.
var spelledOut = map[string]string{"default": "default_value", "unique": "is_unique"}

func (r *Registry) addLeaf(s *Shape, of, f *Field) {
	l := &Leaf{Field: f, Whose: s.Whose, Path: f.Name, Index: len(s.Leaves), Of: of, IDPrefix: f.Ref.Prefix}
	if of != nil {
		l.Path = of.Name + "." + f.Name
	}
	if n := len(f.OptionColours); n > 0 && n != len(f.Options) {
		panic(fmt.Sprintf("schema: %s of %s has %d options and %d colours", f.Name, s.Whose, len(f.Options), n))
	}
	column := strings.ReplaceAll(l.Path, ".", "_")
	l.Column = &Column{cmp.Or(spelledOut[column], column), f.Kind}
	if f.Kind.Folded() {
		l.Key = l.Column.Name + "_key"
	}
	if f.Ref.To != "" {
		if l.Target = r.byName[f.Ref.To]; l.Target == nil {
			panic(fmt.Sprintf("schema: %s refers to %s, which is not declared", f.Name, f.Ref.To))
		}
		l.IDPrefix = f.Ref.To
	}
	if s.byPath[l.Path] != nil {
		panic("schema: two fields named " + l.Path)
	}
	s.Leaves = append(s.Leaves, l)
	s.byPath[l.Path] = l
}
