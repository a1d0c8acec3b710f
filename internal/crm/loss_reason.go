package crm

import (
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

var LossReason = &record.Kind{Since: 35, Resource: schema.Resource{
	Name: "loss_reason", Plural: "loss_reasons", Label: "Loss reason",
	Access:  schema.Access{Feature: "manage_settings", Audited: true},
	Summary: schema.Summary{Telling: []string{"position", "active", "updated_at"}},
	Storage: schema.Storage{Small: true},
	Example: `{"name":"No answer"}`,
	Fields: []schema.Field{
		{Name: "name", Kind: schema.Text, Label: "Name", Required: true, Find: schema.Find{Searchable: true, Sorted: true}},
		positionField,
		{
			Name: "active", Kind: schema.Bool, Label: "Active", Required: true, Derived: true, Default: "true",
			About: "Whether people are to choose from it; deals keep one that is not.",
		},
	},
}}

// LossReasons are the fields of loss reasons that code names.
var LossReasons struct {
	schema.Common
	Name, Position, Active *schema.Leaf
}

func declareLossReasons() {
	schema.Bind(&LossReason.Shape, &LossReasons)
	LossReason.Prepare = func(w *record.Mutation) error {
		if !w.Rec.Get(LossReasons.Active).Set {
			w.Rec.Put(LossReasons.Active, schema.BoolValue(true))
		}
		return w.PlaceLast(LossReasons.Position)
	}
}
