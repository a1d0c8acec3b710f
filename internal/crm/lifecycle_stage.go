package crm

import (
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

var LifecycleStage = &record.Kind{Resource: schema.Resource{
	Name: "lifecycle_stage", Plural: "lifecycle_stages", Label: "Lifecycle stage",
	Access:  schema.Access{Feature: "manage_settings", Audited: true},
	Summary: schema.Summary{Telling: []string{"position", "is_default", "updated_at"}},
	Storage: schema.Storage{Small: true},
	Example: `{"name":"Champion"}`,
	Fields: []schema.Field{
		{Name: "name", Kind: schema.Text, Label: "Name", Required: true, Find: schema.Find{Searchable: true, Sorted: true}},
		{
			Name: "position", Kind: schema.Integer, Label: "Position", Min: schema.Bound(0), Required: true, Derived: true,
			Find: schema.Find{Sorted: true}, About: "At the end when not given.",
		},
		{
			Name: "is_default", Kind: schema.Bool, Label: "Default", Required: true, Derived: true, Default: "false",
			About: "New contacts and companies start in the default stage.",
		},
	},
}}

// LifecycleStages are the fields of lifecycle stages that code names.
var LifecycleStages struct {
	schema.Common
	ranked
	Name *schema.Leaf
}

// declareLifecycleStages resolves the fields that code names, and says what is special about the kind.
func declareLifecycleStages() {
	schema.Bind(&LifecycleStage.Shape, &LifecycleStages)
	LifecycleStage.Prepare = func(w *record.Mutation) error { return prepareRanked(w, LifecycleStages.ranked) }
	LifecycleStage.Validate = func(p record.Proposed) error {
		checkDefault(p, LifecycleStages.ranked)
		return nil
	}
	declareRanked(LifecycleStage, LifecycleStages.ranked)
}

// defaultLifecycleStage puts a new record on the business's default stage.
func defaultLifecycleStage(w *record.Mutation, field *schema.Leaf) error {
	if w.Old != nil || w.Gave(field) {
		return nil
	}
	stage, err := defaultOf(w, LifecycleStage)
	if stage != nil {
		w.Rec.Put(field, stage.Get(LifecycleStages.ID))
	}
	return err
}
