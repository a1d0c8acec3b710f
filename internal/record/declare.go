package record

import (
	"slices"

	"github.com/kith-crm/kith/internal/schema"
)

// Domain is what a program keeps records of.
type Domain struct {
	// Kinds are all resources, in the order in which they are documented, those of this package among them.
	Kinds []*Kind
	// Associated are the names of those whose records can be associated with each other.
	Associated []string
	// Starting are the records that every business begins with, in the order in which they are made.
	Starting []Starting
}

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

// Declare says what there are records of. It is called once, before anything else of this package is used.
func Declare(d Domain) *schema.Registry {
	if Registry != nil {
		panic("record: the domain is declared twice")
	}
	kinds, starting = d.Kinds, d.Starting
	for _, s := range starting {
		if !slices.Contains(startingKinds, s.Kind) {
			startingKinds = append(startingKinds, s.Kind)
		}
	}
	var resources []*schema.Resource
	var names, extensible []string
	for _, k := range kinds {
		resources, names = append(resources, &k.Resource), append(names, k.Name)
		for _, verb := range []string{"read", "write", "delete", "all"} {
			scopes = append(scopes, k.Name+"."+verb)
		}
		if k.Extensible() {
			extensible = append(extensible, k.Name)
		}
	}
	scopes = append(scopes, BusinessScope, AuditScope)
	Token.choices("scopes", scopes)
	App.choices("scopes", scopes)
	Field.choices("resource", extensible)
	Field.choices("kind", FieldKinds())
	Field.choices("target", names)
	for _, k := range kinds {
		if k.NamesResource != "" {
			k.choices(k.NamesResource, names)
		}
	}
	for i, f := range Association.Fields {
		if f.Format == schema.RecordID {
			Association.Fields[i].Ref.Among = d.Associated
		}
	}
	Registry = schema.Compile(resources...)
	Registry.Audit = declareAudit()
	for _, k := range kinds {
		k.bindMerges()
	}
	for _, declare := range []func(){
		declareUsers, declareTokens, declareApps, declareFields, declareAssociations, declareAcross,
		declareChanges,
	} {
		declare()
	}
	migrateBusinesses()
	return Registry
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
