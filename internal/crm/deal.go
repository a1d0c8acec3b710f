package crm

import (
	"errors"
	"fmt"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

var Deal = &record.Kind{Resource: schema.Resource{
	Name: "deal", Plural: "deals", Label: "Deal",
	Summary: schema.Summary{Telling: []string{"status", "amount", "currency"}},
	Layout: schema.Layout{
		Head: []string{"company_id", "contact_id", "amount", "expected_close_date"},
		About: []string{
			"next_step", "amount", "expected_close_date", "probability", "weighted_amount", "owner_id", "company_id", "contact_id",
			"pipeline_id", "stage_id", "stage_changed_at", "closed_at", "loss_reason_id", "lost_reason", "tags", "description",
		},
		Card: []string{"company_id", "amount", "expected_close_date", "owner_id"},
		Form: []string{
			"name", "company_id", "contact_id", "amount", "currency", "stage_id", "pipeline_id", "expected_close_date", "owner_id",
		},
	},
	Life: schema.Life{Importable: true},
	Storage: schema.Storage{
		Summed: []string{"created_at", "currency", "amount", "weighted_amount", "pipeline_id", "status", "stage_id", "owner_id"},
		Figures: schema.Figures{
			By: []string{"pipeline_id", "status", "stage_id", "currency", "owner_id"},
			Of: []string{"amount", "weighted_amount"},
		},
	},
	Example: `{"name":"New cranes","amount":"48000.00","currency":"EUR","company_id":"company_01kh4xv1qcf0mvq8gk8d8mvxd9",` +
		`"contact_id":"contact_01kh4xv1qcf0mvq8gk8d8mvxd9","expected_close_date":"2030-06-30","next_step":"Send the quote"}`,
	Fields: []schema.Field{
		{Name: "name", Kind: schema.Text, Label: "Name", Required: true, Find: schema.Find{Searchable: true, Sorted: true}},
		{
			Name: "pipeline_id", Kind: schema.ID, Ref: schema.Ref{To: "pipeline", Restrict: true}, Label: "Pipeline", Required: true,
			Derived: true, Find: schema.Find{Indexed: true}, About: "That of the stage, or the default pipeline, when not given.",
		},
		{
			Name: "stage_id", Kind: schema.ID, Ref: schema.Ref{Prefix: "stage"}, Label: "Stage", Required: true, Derived: true,
			Find: schema.Find{Indexed: true}, About: "The pipeline's first open stage when not given.",
		},
		{
			Name: "status", Kind: schema.Choice, Options: []string{"open", "won", "lost"}, Label: "Status", Required: true, ReadOnly: true,
			OptionColours: []string{"blue", "green", "red"},
			Find:          schema.Find{Indexed: true, Named: true, Beside: "amount"}, File: schema.File{Through: "stage.kind"},
			About: "Follows from the stage.",
		},
		{
			Name: "amount", Kind: schema.Money, Label: "Amount", Find: schema.Find{Sorted: true},
			About: "The sum of the line items when those are given and it is not.",
		},
		currencyField,
		{
			Name: "probability", Kind: schema.Percent, Label: "Probability", Min: schema.Bound(0), Max: schema.Bound(100),
			About: "The stage's when not given; set anew when the stage changes.",
		},
		{
			Name: "weighted_amount", Kind: schema.Money, Label: "Weighted amount", ReadOnly: true,
			About: "Amount × probability, rounded half away from zero to four places.",
		},
		{Name: "expected_close_date", Kind: schema.Date, Label: "Expected close", Find: schema.Find{Sorted: true}},
		{
			Name: "closed_at", Kind: schema.Time, Label: "Closed", ReadOnly: true,
			Writing: schema.Writing{SetBy: []string{"win", "lose", "reopen", "change_stage"}},
		},
		{
			Name: "loss_reason_id", Kind: schema.ID, Ref: schema.Ref{To: "loss_reason", Restrict: true}, Label: "Loss reason",
			Find: schema.Find{Indexed: true}, About: "Which of the usual reasons it was lost for.",
		},
		{
			Name: "lost_reason", Kind: schema.Text, Label: "Loss details", Max: schema.Bound(1000),
			About: "In words of one's own, why it was lost.",
		},
		about("company", "Company"),
		about("contact", "Contact"),
		lineItems,
		{Name: "next_step", Kind: schema.Text, Label: "Next step", Find: schema.Find{Searchable: true}},
		{
			Name: "stage_changed_at", Kind: schema.Time, Label: "Stage changed", ReadOnly: true,
			Writing: schema.Writing{SetBy: []string{"win", "lose", "reopen", "change_stage"}},
		},
		{
			Name: "past_stages", Kind: schema.List, Label: "Past stages", ReadOnly: true,
			Writing: schema.Writing{SetBy: []string{"win", "lose", "reopen", "change_stage"}},
			Fields: []schema.Field{
				{Name: "stage_id", Kind: schema.ID, Ref: schema.Ref{Prefix: "stage"}, Label: "Stage"},
				{Name: "entered_at", Kind: schema.Time, Label: "Entered"},
				{Name: "left_at", Kind: schema.Time, Label: "Left"},
			},
			About: "The stages that it was in before, the last 50, in their order.",
		},
		{Name: "description", Kind: schema.LongText, Label: "Description"},
	},
	States: &schema.States{Field: "status", Initial: "open", Moves: []schema.Move{
		{Name: "win", From: []string{"open"}, To: "won"},
		{Name: "lose", From: []string{"open"}, To: "lost"},
		{Name: "reopen", From: []string{"won", "lost"}, To: "open"},
		{Name: "change_stage", From: []string{"open"}, To: "won", ByPatch: true},
		{Name: "change_stage", From: []string{"open"}, To: "lost", ByPatch: true},
	}},
	Actions: []schema.Action{
		{
			Name:    "change_stage",
			Body:    []schema.Field{{Name: "stage_id", Kind: schema.ID, Ref: schema.Ref{Prefix: "stage"}, Required: true}},
			Example: `{"stage_id":"stage_01kh4xv1qcf0mvq8gk8d8mvxd9"}`,
			About:   "Moves the deal to a stage of any pipeline; a won or lost stage closes it.",
		},
		{Name: "win", About: "Closes the deal in its pipeline's won stage."},
		{
			Name: "lose", Body: []schema.Field{
				{Name: "loss_reason_id", Kind: schema.ID, Ref: schema.Ref{To: "loss_reason"}},
				{Name: "lost_reason", Kind: schema.Text, Max: schema.Bound(1000)},
			},
			Example: `{"loss_reason_id":"loss_reason_01kh4xv1qcf0mvq8gk8d8mvxd9","lost_reason":"Nordlys is cheaper by a tenth"}`,
			About:   "Closes the deal in its pipeline's lost stage.",
		},
		{Name: "reopen", About: "Takes a closed deal back to the open stage that it was in."},
	},
}}

// Deals are the fields of deals that code names.
var Deals struct {
	schema.Common
	document
	PipelineID, StageID, Status, Amount, Probability, WeightedAmount, ClosedAt, LossReasonID, LostReason *schema.Leaf

	StageChangedAt, PastStages *schema.Leaf
	Stay                       struct{ StageID, EnteredAt, LeftAt *schema.Leaf } `field:"past_stages"`
}

// What the bodies of the deal's actions carry.
var (
	changingStage struct{ StageID *schema.Leaf }
	losing        struct{ LossReasonID, LostReason *schema.Leaf }
)

func declareDeals() {
	schema.Bind(&Deal.Shape, &Deals)
	schema.Bind(Deal.Arguments("change_stage"), &changingStage)
	schema.Bind(Deal.Arguments("lose"), &losing)
	Deal.Prepare = prepareDeal
	Deal.Validate = func(p record.Proposed) error {
		if leavesClosed(p) {
			return Deal.ForbiddenMove(p.Before().Text(Deals.Status), "in another stage")
		}
		return nil
	}
	Deal.Computed = map[*schema.Leaf]func(*schema.Record) schema.Value{
		Deals.WeightedAmount: func(rec *schema.Record) schema.Value {
			return Weighted(rec.Get(Deals.Amount), rec.Get(Deals.Probability))
		},
	}
	Deal.Check = func(rec *schema.Record) []string {
		return record.Differs(rec, Deals.WeightedAmount, Weighted(rec.Get(Deals.Amount), rec.Get(Deals.Probability)))
	}
	Deal.Restoring = keepStage
	Deal.Carried = []*schema.Leaf{Deals.ClosedAt, Deals.StageChangedAt, Deals.PastStages}
	Deal.Acts = map[string]func(*record.Mutation, *body.Changes) error{
		"change_stage": func(w *record.Mutation, args *body.Changes) error {
			w.Rec.Put(Deals.StageID, args.Get(changingStage.StageID))
			return nil
		},
		"win": closeDeal,
		"lose": func(w *record.Mutation, args *body.Changes) error {
			if err := closeDeal(w, args); err != nil || w.Rec.Text(Deals.Status) == w.Old.Text(Deals.Status) {
				return err
			}
			w.Rec.Put(Deals.LossReasonID, args.Get(losing.LossReasonID))
			w.Rec.Put(Deals.LostReason, args.Get(losing.LostReason))
			return nil
		},
		"reopen": reopenDeal,
	}
}

func prepareDeal(w *record.Mutation) error {
	p := w.Proposed()
	if leavesClosed(p) { // nothing follows from that
		return nil
	}
	if entersStage(p) {
		if err := enterStage(w); err != nil {
			return err
		}
	}
	sum, err := priceLines(w, Deals.document)
	if w.Gave(Deals.LineItems) && !w.Gave(Deals.Amount) && w.Rec.Get(Deals.LineItems).Set {
		w.Rec.Put(Deals.Amount, schema.IntValue(schema.Money, sum.net))
	}
	w.Rec.Put(Deals.WeightedAmount, Deal.Computed[Deals.WeightedAmount](w.Rec))
	return err
}

// Weighted is what an amount is worth by its probability, to four places. It is absent where one of them is.
func Weighted(amount, probability schema.Value) schema.Value {
	n, ok := roundTo(1, hundred, amount.N, probability.N)
	if !ok || !amount.Set || !probability.Set {
		return schema.Absent(schema.Money)
	}
	return schema.IntValue(schema.Money, n)
}

// entersStage tells that the deal comes into a stage, or another one.
func entersStage(p record.Proposed) bool {
	return !p.Undoes() && (p.New() || p.Changed(Deals.StageID) || p.Changed(Deals.PipelineID))
}

// leavesClosed tells that a deal that is closed would come into another stage without being reopened.
func leavesClosed(p record.Proposed) bool {
	return !p.New() && p.Before().Text(Deals.Status) != "open" && p.Action() != "reopen" && entersStage(p)
}

// enterStage resolves pipeline and stage, and sets what follows from the stage.
func enterStage(w *record.Mutation) error {
	p, stage, err := chooseStage(w)
	if err != nil || stage == nil {
		return err
	}
	w.Rec.Put(Deals.PipelineID, p.Get(Pipelines.ID))
	w.Rec.Put(Deals.StageID, stage.Get(Pipelines.Stage.ID))
	if err := leaveStage(w); err != nil {
		return err
	}
	w.Rec.Put(Deals.StageChangedAt, schema.TimeValue(w.Now))
	if !w.Gave(Deals.Probability) {
		w.Rec.Put(Deals.Probability, stage.Get(Pipelines.Stage.Probability))
	}
	w.Rec.PutText(Deals.Status, stage.Text(Pipelines.Stage.Kind))
	if stage.Text(Pipelines.Stage.Kind) == "open" {
		w.Rec.Put(Deals.ClosedAt, schema.Absent(schema.Time))
		if w.Action == "reopen" {
			w.Rec.Put(Deals.LossReasonID, schema.Absent(schema.ID))
			w.Rec.PutText(Deals.LostReason, "")
		}
	} else {
		w.Rec.Put(Deals.ClosedAt, schema.TimeValue(w.Now))
	}
	return nil
}

// mostStays is how many past stages a deal remembers, so that one that goes to and fro does not grow for ever.
const mostStays = 50

// leaveStage notes how long the deal was in the stage that it leaves.
func leaveStage(w *record.Mutation) error {
	if w.Old == nil || w.Old.Get(Deals.StageID) == w.Rec.Get(Deals.StageID) {
		return nil
	}
	shape := Deal.Inner[Deals.PastStages.Name]
	stays, err := body.Items(w.Old.Get(Deals.PastStages), shape)
	if err != nil {
		return fmt.Errorf("read past stages: %w", err)
	}
	since := w.Old.Get(Deals.StageChangedAt)
	if !since.Set { // of a deal that came from an archive
		since = w.Old.Get(Deals.CreatedAt)
	}
	stay := schema.NewRecord(shape)
	stay.Put(Deals.Stay.StageID, w.Old.Get(Deals.StageID))
	stay.Put(Deals.Stay.EnteredAt, since)
	stay.Put(Deals.Stay.LeftAt, schema.TimeValue(w.Now))
	stays = append(stays, stay)
	stays = stays[max(0, len(stays)-mostStays):]
	w.Rec.Put(Deals.PastStages, schema.TextValue(schema.List, string(schema.AppendList(nil, stays))))
	return nil
}

// chooseStage finds the stage that the deal is to be in: the one named, or the first open one of the named or default pipeline.
func chooseStage(w *record.Mutation) (p, stage *schema.Record, err error) {
	if w.Rec.Get(Deals.StageID).Set && w.Changed(Deals.StageID) {
		id := w.Rec.Get(Deals.StageID)
		p, err = store.Whole(w.Tx, Deals.StageID.ListItem, id.UUID())
		switch {
		case errors.Is(err, store.ErrNotFound):
			w.Wrong.Add(Deals.StageID.Path, "not_found", "there is no such stage")
			return nil, nil, nil
		case err != nil:
			return nil, nil, err
		case w.Gave(Deals.PipelineID) && w.Rec.Get(Deals.PipelineID) != p.Get(Pipelines.ID):
			w.Wrong.Add(Deals.StageID.Path, "not_allowed", "is a stage of another pipeline than pipeline_id")
			return nil, nil, nil
		}
		stage, err = stageByID(p, id)
		return p, stage, err
	}
	if id := w.Rec.Get(Deals.PipelineID); id.Set {
		p, err = w.Lookup(Pipeline, id.UUID())
	} else {
		p, err = defaultOf(w, Pipeline)
	}
	if p == nil || err != nil {
		if !w.Wrong.Has(Deals.PipelineID.Path) {
			w.Wrong.Add(Deals.PipelineID.Path, "not_found", "there is no such pipeline")
		}
		return nil, nil, err
	}
	stage, err = stageOfKind(p, "open")
	return p, stage, err
}

// keepStage refuses to restore a deal whose stage was dropped from its pipeline in the meantime.
func keepStage(w *record.Mutation) error {
	p, err := w.Lookup(Pipeline, w.Rec.Get(Deals.PipelineID).UUID())
	if err != nil || p == nil {
		return err
	}
	stage, err := stageByID(p, w.Rec.Get(Deals.StageID))
	if err != nil || stage != nil && stage.Text(Pipelines.Stage.Kind) == w.Rec.Text(Deals.Status) {
		return err
	}
	return &problem.Problem{
		Code: problem.Conflict, Detail: "The stage that the deal was in is no longer in its pipeline.",
		ExistingID: w.Who.Existing(&Pipeline.Resource, p),
	}
}

// moveIn makes the move of the action, and gives the pipeline that the deal is in, or nil where there is nothing left to do.
func moveIn(w *record.Mutation) (*schema.Record, error) {
	moved, err := w.Move()
	if !moved || err != nil {
		return nil, err
	}
	return w.Lookup(Pipeline, w.Rec.Get(Deals.PipelineID).UUID())
}

func closeDeal(w *record.Mutation, _ *body.Changes) error {
	p, err := moveIn(w)
	if err != nil || p == nil {
		return err
	}
	stage, err := stageOfKind(p, w.Rec.Text(Deals.Status))
	if err != nil {
		return err
	}
	w.Rec.Put(Deals.StageID, stage.Get(Pipelines.Stage.ID))
	return nil
}

// reopenDeal takes a closed deal back to the open stage that the change log last saw it in, if that stage is still there.
func reopenDeal(w *record.Mutation, _ *body.Changes) error {
	p, err := moveIn(w)
	if err != nil || p == nil {
		return err
	}
	var was schema.Value
	// What was changed after the deal was closed has nothing to say, and there may be much of it.
	err = w.History(&Deal.Resource, w.Rec.ID(), w.Rec.Get(Deals.ClosedAt).Time(), func(c store.Change) bool {
		was = stageBefore(c)
		return !was.Set
	})
	if err != nil {
		return err
	}
	stage, err := stageByID(p, was)
	if err != nil {
		return err
	}
	if stage == nil || stage.Text(Pipelines.Stage.Kind) != "open" {
		if stage, err = stageOfKind(p, "open"); err != nil {
			return err
		}
	}
	w.Rec.Put(Deals.StageID, stage.Get(Pipelines.Stage.ID))
	return nil
}

// stageBefore is the stage that a change of status from open left.
func stageBefore(c store.Change) schema.Value {
	none := schema.Absent(schema.ID)
	n, err := body.Parse([]byte(c.Changes))
	if err != nil || n == nil {
		return none
	}
	status, _ := n.Get(Deals.Status.Path)
	stage, _ := n.Get(Deals.StageID.Path)
	if from, _ := status.Get("from"); from.Text != "open" {
		return none
	}
	from, _ := stage.Get("from")
	id, err := schema.ParseID("stage", from.Text)
	if err != nil {
		return none
	}
	return schema.IDValue(id)
}

func stageByID(p *schema.Record, id schema.Value) (*schema.Record, error) {
	return stageWhere(p, func(s *schema.Record) bool { return id.Set && s.Get(Pipelines.Stage.ID) == id })
}

// stageOfKind is the pipeline's first stage of a kind; every pipeline has one of each.
func stageOfKind(p *schema.Record, kind string) (*schema.Record, error) {
	stage, err := stageWhere(p, func(s *schema.Record) bool { return s.Text(Pipelines.Stage.Kind) == kind })
	if stage == nil && err == nil {
		err = problem.New(problem.Conflict, "The pipeline has no stage of the kind %s.", kind)
	}
	return stage, err
}

func stageWhere(p *schema.Record, fits func(*schema.Record) bool) (*schema.Record, error) {
	stages, err := body.Items(p.Get(Pipelines.Stages), Pipeline.Inner[Pipelines.Stages.Name])
	for _, s := range stages {
		if fits(s) {
			return s, err
		}
	}
	return nil, err
}
