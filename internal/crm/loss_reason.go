package crm

import (
	"strings"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
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
	reasonsInEveryBusiness()
}

// usualReasons is the migration with which businesses that are older than the reasons get those that others begin with.
const usualReasons = 42

var germanReasons = map[string]string{
	"Price": "Preis", "Chose a competitor": "Mitbewerber gewählt", "No budget": "Kein Budget", "No decision": "Keine Entscheidung",
	"Bad timing": "Falscher Zeitpunkt",
}

// reasonsInEveryBusiness gives a business that is there already and has no reasons the usual ones, in its language.
func reasonsInEveryBusiness() {
	store.InEveryBusiness(usualReasons, func(tx *store.Tx) error {
		if n, err := tx.Count(&LossReason.Resource, 1); n > 0 || err != nil {
			return err
		}
		business, err := tx.Own(record.Business)
		if err != nil {
			return err
		}
		var all []*schema.Record
		for _, s := range record.StartingRecords() {
			if s.Kind != LossReason {
				continue
			}
			n, err := body.Parse([]byte(s.Body))
			if err != nil {
				return err
			}
			given, _ := n.Get(LossReasons.Name.Path)
			name := given.Text
			if german := germanReasons[name]; german != "" && strings.HasPrefix(business.Text(record.OwnBusiness.Locale), "de") {
				name = german
			}
			rec := schema.NewRecord(&LossReason.Shape)
			rec.Put(LossReasons.ID, schema.IDValue(tx.NewID()))
			rec.Put(LossReasons.CreatedAt, schema.TimeValue(tx.Now))
			rec.Put(LossReasons.UpdatedAt, schema.TimeValue(tx.Now))
			rec.Put(LossReasons.Version, schema.IntValue(schema.Integer, 1))
			rec.PutText(LossReasons.Name, name)
			rec.Put(LossReasons.Position, schema.IntValue(schema.Integer, int64(len(all)+1)))
			rec.Put(LossReasons.Active, schema.BoolValue(true))
			all = append(all, rec)
		}
		return tx.InsertMany(&LossReason.Resource, all, record.Create)
	})
}
