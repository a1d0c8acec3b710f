package record

import (
	"iter"
	"slices"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/schema"
)

// Kind is a resource with its behaviour. Every function may be nil.
type Kind struct {
	schema.Resource
	// Patched may rearrange what a patch gave, before it is compared with what was there.
	Patched func(w *Mutation) error
	// Prepare completes a record before it is written; what it cannot complete it reports. w.Old is nil at creation.
	Prepare func(w *Mutation) error
	// Validate says what is wrong with a record that is complete.
	Validate func(p Proposed) error
	// Writing does what else it takes to write a record that nothing is wrong with as its kind sees it: it makes numbers and secrets,
	// and changes what has to go along. It may still refuse what shows only then.
	Writing func(w *Mutation) error
	// Computed are the fields that follow from others: one that is read-only always, another one unless somebody gave it.
	Computed map[*schema.Leaf]func(*schema.Record) schema.Value
	// Announce notes with AfterCommit who is to hear of a creation or a patch, also of one that changed nothing.
	Announce func(w *Mutation)
	// Written runs after the record was written, in the same transaction.
	Written func(w *Mutation) error
	// Removing may refuse a deletion, and Restoring that it is taken back, or that a record goes on to the survivor of a merge.
	Removing, Restoring func(w *Mutation) error
	// Accompanying tells that a record came about with another one, and goes with that: undo leaves it to it.
	Accompanying func(*schema.Record) bool
	// Erasing may refuse that a record is erased, and does what else that takes.
	Erasing func(w *Mutation) error
	// Accompany lets records of the kind that link others follow one of these to the bin, and back.
	Accompany func(w *Mutation) error
	// Acts holds what the declared actions do to w.Rec.
	Acts map[string]func(w *Mutation, args *body.Changes) error
	// Check tells which values of a kept record do not follow from the others, for a check of the database.
	Check func(rec *schema.Record) []string
	// FieldRenamed lets the records of this kind follow a field that a business calls otherwise now, or deleted.
	FieldRenamed func(w *Mutation, resource, was, is string) error
	// MembersRead tells that the role of members begins with reading the kind alone.
	MembersRead bool
	// NamesResource names a field whose value is the name of any resource, and NamesScopes one whose values are scopes.
	NamesResource, NamesScopes string
	// CannotOwn tells why a record cannot own others, or nothing where it can.
	CannotOwn func(rec *schema.Record) string
	// IsActor tells that records name one of these as who did something: that stays under its id, which leads to nobody any more, when
	// it is erased. Only what is its alone goes.
	IsActor bool
	// GoesWithUser is the reference to the user with whom a record is erased, because it is nobody else's. AboutOthers tells that a
	// record is erased with the last one that it is about.
	GoesWithUser *schema.Leaf
	AboutOthers  bool
	// Since is the migration that brings the kind to businesses that are older than it; zero for those that all have.
	Since int64
	// Default is the mark of the one record that is meant where none is named.
	Default *schema.Leaf
	// Carried are the fields that an archive brings although a request cannot write them: what happened to a record where it was.
	Carried []*schema.Leaf
	// MadeByName tells that an import makes a record where a row leads to one by a name that none has.
	MadeByName bool
	// ShownWith leads to a record without which one of these is not shown: to those alone who may read it, while it is there.
	ShownWith *schema.Leaf
	// Parent is the reference by which a record stands below another one of its kind, and never below itself.
	Parent *schema.Leaf
	// Combined are the fields of which the survivor of a merge has neither its own value nor the other's, but what both make together.
	Combined map[*schema.Leaf]func(mine, theirs schema.Value) schema.Value
	// Merging and Unmerging are the fields of the bodies of these two actions, where the kind has them.
	Merging, Unmerging mergeArguments
	// Documents checks Document fields and gives them as they are stored.
	Documents map[*schema.Leaf]func(n body.Node, wrong *problem.Fields) string
}

// KeepsDeleted tells the kinds whose deleted records stay for as long as there is a business: the settings. Others refer to them,
// and a history is read by them; and of an added field records may still have values, which a later one must not come to have.
func KeepsDeleted(k *Kind) bool { return k.Access.Feature != "" }

// Counter is what the numbers go by that a Counted field takes.
func (k *Kind) Counter(l *schema.Leaf) string { return k.Name + "." + l.Path }

// Starting is a record that every business begins with, as the body of its creation.
type Starting struct {
	Kind *Kind
	Body string
}

var (
	kinds, startingKinds []*Kind
	starting             []Starting
	// Registry is the compiled declaration of all resources.
	Registry *schema.Registry
)

// GoingWith gives the kinds whose records go with another one, each with the field that has the id of that.
func GoingWith() iter.Seq2[*Kind, *schema.Leaf] {
	return func(yield func(*Kind, *schema.Leaf) bool) {
		for _, k := range kinds {
			for _, l := range k.Leaves {
				if l.Ref.With && !yield(k, l) {
					return
				}
			}
		}
	}
}

func (k *Kind) cannotOwn(rec *schema.Record) string {
	if k.CannotOwn == nil {
		return ""
	}
	return k.CannotOwn(rec)
}

// choices says what a field can be that is one of the declared resources, or of what follows from them.
func (k *Kind) choices(field string, options []string) {
	at := slices.IndexFunc(k.Fields, func(f schema.Field) bool { return f.Name == field })
	k.Fields[at].Options = options
}

// Arguments gives the fields of what the body of an action carries.
func (k *Kind) Arguments(action string) *schema.Shape {
	declared := Registry.Resource(k.Name).Actions
	at := slices.IndexFunc(declared, func(a schema.Action) bool { return a.Name == action })
	return &declared[at].Shape
}

// Kinds lists all resources.
func Kinds() []*Kind { return kinds }

// StartingRecords are the records that every business begins with, but for its roles.
func StartingRecords() []Starting { return starting }

// StartingKinds are the kinds of which every business begins with records.
func StartingKinds() []*Kind { return startingKinds }

// KindOf finds a resource's kind by its name, or nil.
func KindOf(name string) *Kind {
	for _, k := range kinds {
		if k.Name == name {
			return k
		}
	}
	return nil
}
