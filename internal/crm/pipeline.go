package crm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

var Pipeline = &record.Kind{Resource: schema.Resource{
	Name: "pipeline", Plural: "pipelines", Label: "Pipeline",
	Access:  schema.Access{Feature: "manage_settings", Audited: true},
	Summary: schema.Summary{Telling: []string{"position", "is_default", "updated_at"}},
	Storage: schema.Storage{Small: true},
	Example: `{"name":"Partners","stages":[{"name":"First talk","probability":20},{"name":"Contract","probability":80}]}`,
	Fields: []schema.Field{
		{Name: "name", Kind: schema.Text, Label: "Name", Required: true, Find: schema.Find{Searchable: true, Sorted: true}},
		positionField,
		{
			Name: "is_default", Kind: schema.Bool, Label: "Default", Required: true, Derived: true, Default: "false",
			About: "One pipeline is the default; setting another one takes it from the first.",
		},
		{
			Name: "stages", Kind: schema.List, Ref: schema.Ref{ListItem: "stage"}, Label: "Stages", Required: true, Derived: true,
			Fields: []schema.Field{
				{
					Name: "id", Kind: schema.ID, Ref: schema.Ref{Prefix: "stage"}, Label: "ID",
					About: "Give it to keep a stage; a new stage gets one.",
				},
				{Name: "name", Kind: schema.Text, Label: "Name", Required: true},
				{Name: "position", Kind: schema.Integer, Label: "Position", About: "Follows from the place in the list."},
				{
					Name: "kind", Kind: schema.Choice, Options: []string{"open", "won", "lost"}, Label: "Kind",
					OptionColours: []string{"blue", "green", "red"}, About: "open when not given.",
				},
				{
					Name: "probability", Kind: schema.Percent, Label: "Probability", Min: schema.Bound(0), Max: schema.Bound(100),
					About: "100 for won, 0 for lost, 50 for open when not given.",
				},
				colourField,
			},
			About: "A won and a lost stage are added where none is given.",
		},
	},
}}

// Pipelines are the fields of pipelines that code names.
var Pipelines struct {
	schema.Common
	ranked
	Name, Stages *schema.Leaf
	Stage        struct{ ID, Name, Position, Kind, Probability, Colour *schema.Leaf } `field:"stages"`
}

func declarePipelines() {
	schema.Bind(&Pipeline.Shape, &Pipelines)
	declareRanked(Pipeline, Pipelines.ranked, prepareStages, checkStages)
	Pipeline.Writing = identifyStages
	colourInEveryBusiness()
}

func stagesOf(list schema.Value) ([]*schema.Record, error) {
	stages, err := body.Items(list, Pipeline.Inner[Pipelines.Stages.Name])
	if err != nil {
		return nil, fmt.Errorf("read stages: %w", err)
	}
	return stages, nil
}

func keptStages(stages []*schema.Record) schema.Value {
	return schema.TextValue(schema.List, string(schema.AppendList(nil, stages)))
}

// prepareStages orders and numbers the stages, and adds an open, a won and a lost one where there is none.
func prepareStages(w *record.Mutation) error {
	if w.Old != nil && !w.Changed(Pipelines.Stages) {
		return nil
	}
	stages, err := stagesOf(w.Rec.Get(Pipelines.Stages))
	if err != nil {
		return err
	}
	slices.SortStableFunc(stages, func(a, b *schema.Record) int {
		x, y := a.Get(Pipelines.Stage.Position), b.Get(Pipelines.Stage.Position)
		if !x.Set || !y.Set {
			return 0
		}
		return int(x.N - y.N)
	})
	kinds := map[string]bool{}
	for _, s := range stages {
		if !s.Get(Pipelines.Stage.Kind).Set {
			s.PutText(Pipelines.Stage.Kind, "open")
		}
		kinds[s.Text(Pipelines.Stage.Kind)] = true
	}
	for _, name := range []string{"Open", "Won", "Lost"} {
		if kind := strings.ToLower(name); !kinds[kind] {
			s := schema.NewRecord(Pipeline.Inner[Pipelines.Stages.Name])
			s.PutText(Pipelines.Stage.Name, name)
			s.PutText(Pipelines.Stage.Kind, kind)
			stages = append(stages, s)
		}
	}
	for i, s := range stages {
		if !s.Get(Pipelines.Stage.Probability).Set {
			s.Put(Pipelines.Stage.Probability, schema.IntValue(schema.Percent,
				map[string]int64{"open": 50, "won": 100}[s.Text(Pipelines.Stage.Kind)]*schema.DecimalOne))
		}
		if !s.Get(Pipelines.Stage.Colour).Set {
			s.PutText(Pipelines.Stage.Colour, stageColour(s.Text(Pipelines.Stage.Kind), int64(i+1)))
		}
		s.Put(Pipelines.Stage.Position, schema.IntValue(schema.Integer, int64(i+1)))
	}
	w.Rec.Put(Pipelines.Stages, keptStages(stages))
	return nil
}

func identifyStages(w *record.Mutation) error {
	stages, err := stagesOf(w.Rec.Get(Pipelines.Stages))
	if err != nil {
		return err
	}
	for _, s := range stages {
		if !s.Get(Pipelines.Stage.ID).Set {
			s.Put(Pipelines.Stage.ID, schema.IDValue(w.NewID()))
			w.Rec.Put(Pipelines.Stages, keptStages(stages))
		}
	}
	return nil
}

// checkStages holds the stages that are named by an id to those that there were, and refuses to drop one that deals are in.
func checkStages(p record.Proposed) error {
	if !p.New() && !p.Changed(Pipelines.Stages) {
		return nil
	}
	stages, err := stagesOf(p.Get(Pipelines.Stages))
	if err != nil {
		return err
	}
	var before []*schema.Record
	if !p.New() {
		if before, err = stagesOf(p.Before().Get(Pipelines.Stages)); err != nil {
			return err
		}
	}
	seen := map[schema.Value]bool{}
	for i, s := range stages {
		at := fmt.Sprintf("%s[%d]", Pipelines.Stages.Path, i)
		id := s.Get(Pipelines.Stage.ID)
		switch {
		case !id.Set:
		case seen[id]:
			p.Refuse(at+"."+Pipelines.Stage.ID.Path, "not_allowed", "is given for two stages")
		case !slices.ContainsFunc(before, func(b *schema.Record) bool { return b.Get(Pipelines.Stage.ID) == id }):
			p.Refuse(at+"."+Pipelines.Stage.ID.Path, "not_found", "is not a stage of this pipeline; leave it out to make a new one")
		}
		seen[id] = true
	}
	if p.Refused() != nil {
		return nil
	}
	return checkDroppedStages(p, before, stages)
}

// checkDroppedStages refuses to drop a stage, or to change its kind, while live deals are in it.
func checkDroppedStages(p record.Proposed, before, after []*schema.Record) error {
	for _, old := range before {
		kept := slices.ContainsFunc(after, func(s *schema.Record) bool {
			return s.Get(Pipelines.Stage.ID) == old.Get(Pipelines.Stage.ID) &&
				s.Text(Pipelines.Stage.Kind) == old.Text(Pipelines.Stage.Kind)
		})
		if kept {
			continue
		}
		found, err := p.Find(&Deal.Resource, 1, store.Equal(Deals.StageID, old.Get(Pipelines.Stage.ID)))
		if err != nil {
			return err
		}
		if len(found) > 0 {
			which := "A stage that would go, or change its kind,"
			if p.Who().MayRead(&Pipeline.Resource, p.Before().Clone()) {
				which = "The stage " + old.Text(Pipelines.Stage.Name)
			}
			return &problem.Problem{
				Code: problem.Conflict, Detail: which + " has deals in it; move them first.",
				ExistingID: p.Who().Existing(&Deal.Resource, found[0]),
			}
		}
	}
	return nil
}
