package crm

import (
	"slices"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// colourField is how a stage looks on screens, so that people see how far something has come before they read it.
var colourField = schema.Field{
	Name: "colour", Kind: schema.Choice, Options: schema.Colours, OptionColours: schema.Colours, Label: "Colour", Derived: true,
	About: "Green for won, red for lost, and by the place for others when not given.",
}

// stageColour is the colour of a stage that was given none.
func stageColour(kind string, position int64) string {
	switch kind {
	case "won":
		return "green"
	case "lost":
		return "red"
	}
	return []string{"gray", "purple", "blue", "yellow", "teal", "orange"}[max(position-1, 0)%6]
}

// colouredStages is the migration that brings the colours of stages.
const colouredStages = 37

// colourInEveryBusiness gives the stages of each business that is there already the colours that they would start with now.
func colourInEveryBusiness() {
	store.InEveryBusiness(colouredStages, func(tx *store.Tx) error {
		stages, err := tx.Find(&LifecycleStage.Resource, 100_000)
		if err != nil {
			return err
		}
		for _, rec := range stages {
			changed := rec.Clone()
			changed.PutText(LifecycleStages.Colour, stageColour("open", rec.Get(LifecycleStages.Position).N))
			if err := recolour(tx, &LifecycleStage.Resource, rec, changed); err != nil {
				return err
			}
		}
		pipelines, err := tx.Find(&Pipeline.Resource, 100_000)
		if err != nil {
			return err
		}
		for _, rec := range pipelines {
			stages, err := stagesOf(rec.Get(Pipelines.Stages))
			if err != nil {
				return err
			}
			for _, s := range stages {
				s.PutText(Pipelines.Stage.Colour, stageColour(s.Text(Pipelines.Stage.Kind), s.Get(Pipelines.Stage.Position).N))
			}
			changed := rec.Clone()
			changed.Put(Pipelines.Stages, keptStages(stages))
			if err := recolour(tx, &Pipeline.Resource, rec, changed); err != nil {
				return err
			}
		}
		return nil
	})
}

func recolour(tx *store.Tx, res *schema.Resource, rec, changed *schema.Record) error {
	if slices.Equal(rec.Values, changed.Values) {
		return nil
	}
	changed.Put(res.Common.UpdatedAt, schema.TimeValue(tx.Now))
	changed.Put(res.Common.Version, schema.IntValue(schema.Integer, rec.Version()+1))
	return tx.Update(res, rec, changed, record.Update)
}
