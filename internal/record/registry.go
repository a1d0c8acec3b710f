package record

import (
	"slices"

	"github.com/kith-crm/kith/internal/schema"
)

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
