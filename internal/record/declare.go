package record

import (
	"slices"

	"github.com/kith-crm/kith/internal/schema"
)

// Domain is what a program keeps records of.
type Domain struct {
	// Kinds are all resources, in the order in which they are documented, those of this package among them.
	Kinds []*Kind
	// Associated are the names of those whose records can be associated with each other, and followed.
	Associated []string
	// Starting are the records that every business begins with, in the order in which they are made.
	Starting []Starting
	// Declare has each kind find the fields that its code names, and say what is special about it. A misspelt field stops the program.
	Declare []func()
}

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
	Field.choices("resource", extensible)
	Field.choices("kind", FieldKinds())
	Field.choices("target", names)
	for _, k := range kinds {
		if k.NamesResource != "" {
			k.choices(k.NamesResource, names)
		}
		if k.NamesScopes != "" {
			k.choices(k.NamesScopes, scopes)
		}
	}
	for _, k := range kinds {
		for i, f := range k.Fields {
			if f.Format == schema.RecordID {
				k.Fields[i].Ref.Among = d.Associated
			}
		}
	}
	Registry = schema.Compile(resources...)
	Registry.Business, Registry.Audit = Business, declareAudit()
	for _, k := range kinds {
		k.bindMerges()
	}
	for _, declare := range []func(){declareFields, declareAssociations, declareAcross, declareChanges} {
		declare()
	}
	for _, declare := range d.Declare {
		declare()
	}
	fillReferences()
	return Registry
}
