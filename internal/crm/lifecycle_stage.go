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
		positionField,
		colourField,
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
	Name, Colour *schema.Leaf
}

func declareLifecycleStages() {
	schema.Bind(&LifecycleStage.Shape, &LifecycleStages)
	declareRanked(LifecycleStage, LifecycleStages.ranked, func(w *record.Mutation) error {
		if !w.Rec.Get(LifecycleStages.Colour).Set {
			w.Rec.PutText(LifecycleStages.Colour, stageColour("open", w.Rec.Get(LifecycleStages.Position).N))
		}
		return nil
	}, func(record.Proposed) error { return nil })
}

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
