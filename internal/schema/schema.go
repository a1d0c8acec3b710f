// Package schema is the vocabulary in which a resource is declared: its fields, their kinds, its states and
// actions. It does no I/O. Tables, validation, search, routes, scopes and rendering all follow from it.
package schema

import (
	"slices"
	"strings"
)

// Kind is what sort of value a field holds.
type Kind uint8

// The kinds of fields.
const (
	// Text is one line; it compares and sorts by its key, which its Format decides.
	Text Kind = iota + 1
	// LongText is text of several lines.
	LongText
	// Choice is one of the field's Options.
	Choice
	// Bool is true or false.
	Bool
	// Integer is a whole number.
	Integer
	// Number is a floating-point number.
	Number
	// Money is an exact decimal of up to four places, rendered as a string.
	Money
	// Quantity is an exact decimal like Money.
	Quantity
	// Percent is an exact decimal rendered as a number; 20 means 20 %.
	Percent
	// Date is a calendar day.
	Date
	// Time is an instant with microseconds.
	Time
	// ID is a record's own id, or with Ref set the id of another record.
	ID
	// Tags is a list of short texts without order or repetition.
	Tags
	// Choices is a list of the field's Options.
	Choices
	// Group is an object whose Fields are columns of their own, such as an address.
	Group
	// List is a list of objects, each with the field's Fields, such as line items.
	List
	// Document is an object of which only the domain knows the keys, such as the permissions of a role.
	Document
	// Links are the records of one resource that a record is linked with. They are no part of the record: searches filter by them,
	// see Resource.Links.
	Links
)

var kindNames = [...]string{
	Text: "text", LongText: "text", Choice: "choice", Bool: "boolean", Integer: "integer", Number: "number", Money: "money",
	Quantity: "quantity", Percent: "percentage", Date: "date", Time: "time", ID: "id", Tags: "list", Choices: "list", Links: "list",
	Group: "object", Document: "object", List: "list of objects",
}

// Name says in words what a value of the kind looks like in JSON.
func (k Kind) Name() string { return kindNames[k] }

// Folded tells whether values of the kind are searched and sorted by a key beside the value.
func (k Kind) Folded() bool { return k == Text || k == LongText || k == Tags }

// Scalar tells whether records can be sorted by a field of the kind.
func (k Kind) Scalar() bool { return k >= Text && k <= ID }

// Decimal tells whether values of the kind are exact decimals.
func (k Kind) Decimal() bool { return k == Money || k == Quantity || k == Percent }

// Field declares one attribute of a resource: what it is called, what its values are, and whether one must be given. What else there is
// to say of some fields stands in groups, each for those who read it.
type Field struct {
	Name   string
	Kind   Kind
	Label  string
	Format Format
	// About explains the field in one sentence for the reference, where the name does not.
	About   string
	Options []string
	// OptionLabels are what people see of the options, where a business decides that.
	OptionLabels []string
	// OptionColours are the Colours in which screens show the options, in their order, where they differ in more than their words.
	OptionColours []string
	Fields        []Field
	// Min and Max bound numbers; Max is the length of texts in characters. Nil and zero are the kind's own bounds.
	Min, Max *int64
	// Free documents may be any JSON value, and not just an object.
	Free bool

	// Required fields are never absent.
	Required bool
	// Derived fields are filled by the domain where they are not given.
	Derived bool
	// Default is the value of a field that is not given at creation.
	Default string
	// ReadOnly fields are set by kith alone.
	ReadOnly bool

	Ref      Ref
	Writing  Writing
	Identity Identity
	Find     Find
	File     File
}

// Ref is what a field points to, and what follows for both records. It is for fields that hold ids.
type Ref struct {
	// To names the resource that an ID field points to.
	To string
	// Prefix is the id prefix of an ID field that points to a part of a record, such as a pipeline's stage.
	Prefix string
	// Among names the resources that a text of the form RecordID may be the id of a record of.
	Among []string
	// ListItem is what an item of a List field is called where other records point to it by its id.
	ListItem string
	// Timeline references lead to the record in whose timeline this one stands.
	Timeline bool
	// With is for a text of the form RecordID: the record goes with the one whose id this is, so it is about the survivor once that
	// is merged.
	With bool
	// Restrict keeps the referenced record from being deleted while this field points to it.
	Restrict bool
}

// Writing is when, and by what, a field is written that not every request may set. Who checks and does a write goes by it.
type Writing struct {
	// SetBy names the actions that change a ReadOnly field. For the state it follows from the moves.
	SetBy []string
	// Immutable fields can be given at creation and not changed by a patch.
	Immutable bool
	// Counted numbers are taken one after the other when a record is made.
	Counted bool
	// BinOnly fields exist only for deleted records.
	BinOnly bool
	// Silent fields are bookkeeping that changes without a new version and without an entry in the change log.
	Silent bool
}

// Identity is how far the value of a field tells which record is meant.
type Identity struct {
	// Unique values are held by one live record of a business, compared by their keys.
	Unique bool
	// Exact makes Unique compare byte by byte.
	Exact bool
	// Matched values tell an upsert which record is meant, although several may have the same; unique ones always do.
	Matched bool
}

// Find is by what records are found fast: the store makes its indexes from it, and plans searches by them.
type Find struct {
	// Searchable text is found by search_text.
	Searchable bool
	// Indexed fields can be filtered without reading every record; sorted fields always are.
	Indexed bool
	// Sorted fields have an index in their own order.
	Sorted bool
	// Recent fields can also be filtered in the order of the last change without reading every record.
	Recent bool
	// Named fields can also be filtered in the order of names (NameField) without reading every record.
	Named bool
	// Beside names a field that is often filtered by as well: it stands in the indexes of an Indexed one, so that records of which
	// it does not fit are passed over, and matches counted, without being read.
	Beside string
}

// File is how a field is read out of files, where that is not like any other.
type File struct {
	// Through is the path by which files set a ReadOnly field that follows from another record: a deal's status is that of its stage.
	Through string
	// Joined texts are written in several lines elsewhere, which are put into one.
	Joined bool
}

// Colours are those that options and stages can have. What each looks like is for screens to say, which have to be read in light and dark.
var Colours = []string{"gray", "red", "orange", "yellow", "green", "teal", "blue", "purple"}

// CustomFields is the field of every record under which those stand that a business added.
const CustomFields = "custom_fields"

// Bound makes the pointer that Min and Max take.
func Bound(n int64) *int64 { return &n }

// Resource declares one kind of record: its names, its fields, the states that its records pass through, and what can be done to them.
// The groups say who may see and write them, how they are told in short and laid out, how they come and go, and how the store keeps them.
type Resource struct {
	Name   string
	Plural string
	Label  string
	Fields []Field
	States *States
	// Actions are the moves and effects reached by POST /{resources}/{id}/{action}.
	Actions []Action
	// Without names the standard operations that the resource does not offer: create, bin, patch, delete, restore.
	Without []string
	// Ends names the two fields, ids of records, that make each record of the resource a link between two others. Nobody sees a link
	// who may not see both of its ends.
	Ends []string
	// Example is the body of a creation that works, as JSON, for the reference. The ids in it are made up.
	Example string

	Access  Access
	Summary Summary
	Layout  Layout
	Life    Life
	Storage Storage

	Resolved
	Shape
}

// Access is who may see and write the records of a resource, beside what roles say, and what they hand out with it.
type Access struct {
	// Feature is the feature permission that creating, changing and deleting needs beside the role's permission.
	Feature string
	// Own names the ID fields that make a record a user's own; none are its owner.
	Own []string
	// OwnFree lifts the feature permission for one's own records: without it, the verb reaches those alone.
	OwnFree bool
	// Shared names the truth value that lets others see a record. Without it, a record is there for those alone whose own it is,
	// however far they reach.
	Shared string
	// Personal records are there for those alone whose own they are, however far their roles reach.
	Personal bool
	// Closed resources are those that of the roles of a new business only the administrators' reads: their records may hold what
	// lets somebody in elsewhere.
	Closed bool
	// Rights marks resources that decide what someone may do.
	Rights bool
	// Power says to a person what else they hand out with the right to write these: access, or reading for longer than the moment.
	Power string
	// Secret is the name under which what a new record opens is answered once; empty where it opens nothing.
	Secret string
	// Audited resources are those whose changes the audit log tells of.
	Audited bool
}

// Summary is what is told of a record in short: in lists, to agents, and in the timelines of others.
type Summary struct {
	// NamedBy names the fields by the first of which that has a value people know a record: NameField where it names none.
	NamedBy []string
	// Telling names the three fields that tell most of a record besides its name, as a search can ask for them.
	Telling []string
	// Happens names the time field that tells when what a record is about happened; empty is created_at.
	Happens string
}

// Life is how records come, become one and go in other ways than one by one.
type Life struct {
	// Importable records can come out of files.
	Importable bool
	// Duplicates tell by what two records may be the same; nil where nobody asks.
	Duplicates *Duplicates
	// Merges tells that two records of the resource can be merged into one.
	Merges bool
	// Erasable records are about somebody, and can be removed for good with all that is known of them.
	Erasable bool
}

// Storage is what the store keeps beside the records, so that what is asked of many of them is answered fast.
type Storage struct {
	// Small resources are those of which a business has few, such as settings.
	Small bool
	// Summed names the fields by which records are often counted and added up. One index has them all, in this order, so that
	// nothing else has to be read.
	Summed []string
	// Figures are kept of all live records of the resource.
	Figures Figures
}

// Resolved are the leaves that a declaration names. Nobody declares them: Compile finds them.
type Resolved struct {
	// Owners are the leaves that Access.Own names.
	Owners []*Leaf
	// SharedLeaf is the leaf that Access.Shared names, or nil.
	SharedLeaf *Leaf
	// Names are the leaves that Summary.NamedBy names.
	Names []*Leaf
	// HappensAt is the leaf that Summary.Happens names.
	HappensAt *Leaf
	// MergedInto is the leaf that tells of a record in the bin that it was merged, and into which; nil where Life.Merges is not set.
	MergedInto *Leaf
	// EndLeaves are the leaves that Ends names.
	EndLeaves []*Leaf
	// Links are what a search can filter by where other records are linked with those of the resource: one leaf for each resource
	// that they may be of.
	Links []*Leaf
}

// Link finds the leaf of the linked records by its path, or nil.
func (res *Resource) Link(path string) *Leaf {
	return first(res.Links, func(l *Leaf) bool { return l.Path == path })
}

// first finds the first that fits, or nil.
func first[T any](all []*T, fits func(*T) bool) *T {
	if at := slices.IndexFunc(all, fits); at >= 0 {
		return all[at]
	}
	return nil
}

// Figures declares numbers that are kept up to date as records change: how many there are for each combination of the values of
// some fields, and the sums of others.
type Figures struct {
	// By names the first, of which there are few combinations, and Of the others, which are counted in whole numbers.
	By, Of []string
	// Keys and Sums are the leaves that these name.
	Keys, Sums []*Leaf
}

// Action declares one action path.
type Action struct {
	Name string
	// Body declares what the request may carry.
	Body  []Field
	About string
	// Makes tells that the action makes another record, which is its answer.
	Makes bool
	// Alone tells that the action is not done to many records at once: it is about two of them, or answers a secret.
	Alone bool
	// Example is a body that works, as JSON; empty where the action takes none.
	Example string
	Shape
}

// States declares the life of a resource as data: which moves of the state field exist.
type States struct {
	Field string
	// Leaf is the leaf that Field names.
	Leaf    *Leaf
	Initial string
	Moves   []Move
	// Lapse moves a state on when a day has passed, without anything having to run.
	Lapse *Lapse
}

// Move is one allowed change of state.
type Move struct {
	// Name is the action that makes the move, or a word for it where a patch makes it.
	Name string
	From []string
	To   string
	// Done lists further states in which the action has nothing to do.
	Done []string
	// ByPatch moves are made by patching the state field; the others only by their action.
	ByPatch bool
}

// Lapse says that a record in state From is in state To once the day in the field After is over.
type Lapse struct{ From, To, After string }

// Allowed finds the move between two states.
func (s *States) Allowed(from, to string) (Move, bool) {
	for _, m := range s.Moves {
		if m.To == to && slices.Contains(m.From, from) {
			return m, true
		}
	}
	return Move{}, false
}

// Moves lists by name the moves that are possible from a state.
func (s *States) From(from string) []string {
	moves := []string{}
	for _, m := range s.Moves {
		if slices.Contains(m.From, from) && !slices.Contains(moves, m.Name) {
			moves = append(moves, m.Name)
		}
	}
	return moves
}

// Leaf is a field that holds a value: one column, and its key where it has one. It is also the handle by which code names the
// field; see Bind.
type Leaf struct {
	*Field
	// Whose tells in words whose field it is: deal, or line_items of deal.
	Whose string
	// Path is the field's name in JSON, dotted inside a group: address.city.
	Path string
	// Column is where its value is kept, and Member what it is called there, where the column is a document that several leaves share.
	Column *Column
	Member string
	// Filed leaves of a document have their values a second time, in an index beside it; see Extend. While that is being made they
	// are not Indexed.
	Filed bool
	// Key is the name of the column, or of the member, with the form in which it is compared, or empty.
	Key string
	// Index is the place of its value in a Record.
	Index int
	// Of is the group that the leaf belongs to, or nil.
	Of *Field
	// Prefix is what ids in this leaf start with.
	IDPrefix string
	// Target is the resource that the leaf refers to, or nil.
	Target *Resource
	// ListItem is what the leaf points to inside a record, or nil.
	ListItem *ListItem
	// Via is the resource whose records are the links, where the leaf is one of Resource.Links.
	Via *Resource
	// Lapse is set on the state leaf whose value depends on the day.
	Lapse *LapseLeaf
	// Reads are the leaves that a document has members for, on the leaf by which all of them are answered at once; see Extend.
	Reads []*Leaf
}

// ListItem is one sort of items of a List field that other records point to: the stages of pipelines.
type ListItem struct {
	// Name is what ids of such items start with.
	Name string
	// Whole is the resource that the items belong to, and List the leaf that holds them.
	Whole *Resource
	List  *Leaf
	// ID is the leaf of an item's own id, and Position that of its place in the list, or nil.
	ID, Position *Leaf
	// Shape is that of one item.
	*Shape
}

// Table is the name of the table in which the store keeps the items a second time, to be found by their ids.
func (p *ListItem) Table() string { return p.List.Name }

// Referred is what a reference leads to: a record or a part of one, by its name, its shape, and the resource that must be read for it.
func (l *Leaf) Referred() (name string, shape *Shape, res *Resource) {
	switch {
	case l.Target != nil:
		return l.Target.Name, &l.Target.Shape, l.Target
	case l.ListItem != nil:
		return l.ListItem.Name, l.ListItem.Shape, l.ListItem.Whole
	default:
		return "", nil, nil
	}
}

// RefersAs is the name under which a path follows the leaf: company for company_id.
func (l *Leaf) RefersAs() string { return strings.TrimSuffix(l.Path, "_id") }

// SortKind is the kind of the value that records are sorted by, which a cursor carries: choices go by their place among the options.
func (l *Leaf) SortKind() Kind {
	if l.Kind == Choice {
		return Integer
	}
	return l.Kind
}

// LapseLeaf is a Lapse resolved to leaves.
type LapseLeaf struct {
	From, To string
	After    *Leaf
}

// Shape is a compiled list of fields: what a Record has values for.
type Shape struct {
	// Whose tells in words whose fields these are.
	Whose string
	// Common are the leaves that every resource has. The items of lists and the bodies of actions have none.
	Common Common
	Tree   []*Field
	Leaves []*Leaf
	// Inner holds the shapes of the List fields by name.
	Inner  map[string]*Shape
	byPath map[string]*Leaf
	// document is the leaf whose column the added leaves share, reading the one by which all of them are answered at once, and
	// visible what a record is answered with, live or in the bin; see Extend.
	document, reading *Leaf
	visible           [2][]*Leaf
	// filed are the added leaves with an index.
	filed []*Leaf
}

// Leaf finds a leaf by its path, or nil.
func (s *Shape) Leaf(path string) *Leaf { return s.byPath[path] }

// Must finds a leaf by its path. It is for resolving names at start, where a wrong one stops the program; see Bind.
func (s *Shape) Must(path string) *Leaf {
	l := s.byPath[path]
	if l == nil {
		panic("schema: " + s.Whose + " has no field " + path)
	}
	return l
}

// all finds leaves by their paths.
func (s *Shape) all(paths []string) (leaves []*Leaf) {
	for _, path := range paths {
		leaves = append(leaves, s.Must(path))
	}
	return leaves
}

// Field finds a top-level field by its name, or nil.
func (s *Shape) Field(name string) *Field {
	return first(s.Tree, func(f *Field) bool { return f.Name == name })
}

// Group gives the leaves of a group in declared order.
func (s *Shape) Group(f *Field) []*Leaf {
	var leaves []*Leaf
	for _, l := range s.Leaves {
		if l.Of == f {
			leaves = append(leaves, l)
		}
	}
	return leaves
}

// Reference finds the leaf by which a path such as company.name leaves the resource: company_id for company.
func (s *Shape) Reference(name string) *Leaf {
	return first(s.Leaves, func(l *Leaf) bool {
		return (l.Target != nil || l.ListItem != nil) && (l.RefersAs() == name || l.Path == name)
	})
}

// Follow finds the leaf by which a path such as company.name or custom_fields.partner.name leaves the resource, and what of the
// path is left behind it; nil where it does not.
func (s *Shape) Follow(path string) (via *Leaf, rest string) {
	for at, c := range []byte(path) {
		if c != '.' {
			continue
		}
		if via := s.Reference(path[:at]); via != nil {
			return via, path[at+1:]
		}
	}
	return nil, ""
}
