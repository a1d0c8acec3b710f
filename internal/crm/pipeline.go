package crm

import (
	"fmt"
	"slices"
	"strings"

	"kith/internal/body"
	"kith/internal/problem"
	"kith/internal/query"
	"kith/internal/schema"
	"kith/internal/store"
)

var pipeline = &Kind{Resource: schema.Resource{
	Name: "pipeline", Plural: "pipelines", Label: "Pipeline", Feature: "manage_settings", Few: true,
	Fields: []schema.Field{
		{Name: "name", Kind: schema.Text, Label: "Name", Required: true, Searchable: true, Sorted: true},
		{Name: "position", Kind: schema.Integer, Label: "Position", Required: true, Derived: true, Min: schema.Bound(0), Sorted: true, About: "At the end when not given."},
		{Name: "is_default", Kind: schema.Bool, Label: "Default", Required: true, Derived: true, Default: "false", About: "One pipeline is the default; setting another one takes it from the first."},
		{Name: "stages", Kind: schema.List, Label: "Stages", Required: true, Derived: true, About: "A won and a lost stage are added where none is given.", Fields: []schema.Field{
			{Name: "id", Kind: schema.ID, Prefix: "stage", Label: "ID", About: "Give it to keep a stage; a new stage gets one."},
			{Name: "name", Kind: schema.Text, Label: "Name", Required: true},
			{Name: "position", Kind: schema.Integer, Label: "Position", About: "Follows from the place in the list."},
			{Name: "kind", Kind: schema.Choice, Options: []string{"open", "won", "lost"}, Label: "Kind", About: "open when not given."},
			{Name: "probability", Kind: schema.Percent, Label: "Probability", Min: schema.Bound(0), Max: schema.Bound(100), About: "100 for won, 0 for lost, 50 for open when not given."},
		}},
	},
}}

var lifecycleStage = &Kind{Resource: schema.Resource{
	Name: "lifecycle_stage", Plural: "lifecycle_stages", Label: "Lifecycle stage", Feature: "manage_settings", Few: true,
	Fields: []schema.Field{
		{Name: "name", Kind: schema.Text, Label: "Name", Required: true, Searchable: true, Sorted: true},
		{Name: "position", Kind: schema.Integer, Label: "Position", Required: true, Derived: true, Min: schema.Bound(0), Sorted: true, About: "At the end when not given."},
		{Name: "is_default", Kind: schema.Bool, Label: "Default", Required: true, Derived: true, Default: "false", About: "New contacts and companies start in the default stage."},
	},
}}

func init() {
	pipeline.prepare = func(w *write) error {
		if err := prepareRanked(w); err != nil {
			return err
		}
		return prepareStages(w)
	}
	lifecycleStage.prepare = prepareRanked
	for _, k := range []*Kind{pipeline, lifecycleStage} {
		k.written = oneDefault
		k.removing = keepDefault
	}
}

// defaultOf is the business's default pipeline or lifecycle stage, or nil.
func (w *write) defaultOf(k *Kind) (*schema.Record, error) {
	found, err := w.Find(&k.Resource, 1, store.Equal(k.Must("is_default"), schema.BoolValue(true)))
	if len(found) == 0 {
		return nil, err
	}
	return found[0], err
}

// prepareRanked places a new pipeline or lifecycle stage at the end, and keeps exactly one of them the default.
func prepareRanked(w *write) error {
	if !w.rec.Get("is_default").Set {
		w.rec.Put("is_default", schema.BoolValue(false))
	}
	if !w.rec.Get("position").Set {
		all, err := w.Find(&w.kind.Resource, 10_000)
		if err != nil {
			return err
		}
		last := int64(0)
		for _, other := range all {
			last = max(last, other.Get("position").N)
		}
		w.rec.Put("position", schema.IntValue(schema.Integer, last+1))
	}
	if w.old != nil && w.old.Get("is_default").True() && !w.rec.Get("is_default").True() {
		w.wrong.Add("is_default", "not_allowed", "make another one the default instead")
	}
	return nil
}

// oneDefault takes the mark from the one that was the default before.
func oneDefault(w *write) error {
	if !w.rec.Get("is_default").True() || w.rec.Get("deleted_at").Set || w.old != nil && w.old.Get("is_default").True() && !w.old.Get("deleted_at").Set {
		return nil
	}
	// Counting makes writers that set the mark at the same time wait for each other, so that each finds what the one before left.
	if _, err := w.Next(w.kind.Name + ".default"); err != nil {
		return err
	}
	found, err := w.Find(&w.kind.Resource, 100, store.Equal(w.kind.Must("is_default"), schema.BoolValue(true)))
	if err != nil {
		return err
	}
	for _, other := range found {
		if other.ID() == w.rec.ID() {
			continue
		}
		if other, err = w.Get(&w.kind.Resource, other.ID(), false); err != nil {
			return err
		}
		if err := w.touch(w.kind, other, func(r *schema.Record) { r.Put("is_default", schema.BoolValue(false)) }); err != nil {
			return err
		}
	}
	return nil
}

func keepDefault(w *write) error {
	if w.rec.Get("is_default").True() {
		return problem.New(problem.Conflict, "The default %s cannot be deleted; make another one the default first.", strings.ReplaceAll(w.kind.Name, "_", " "))
	}
	return nil
}

// prepareStages numbers the stages, gives new ones ids, adds a won and a lost stage where there is none, and refuses to drop a stage that deals are in.
func prepareStages(w *write) error {
	if w.old != nil && !w.changed("stages") {
		return nil
	}
	shape := pipeline.Inner["stages"]
	stages, err := body.Items(w.rec.Get("stages"), shape)
	if err != nil {
		return fmt.Errorf("read stages: %w", err)
	}
	var before []*schema.Record
	if w.old != nil {
		if before, err = body.Items(w.old.Get("stages"), shape); err != nil {
			return fmt.Errorf("read stages: %w", err)
		}
	}
	slices.SortStableFunc(stages, func(a, b *schema.Record) int {
		x, y := a.Get("position"), b.Get("position")
		if !x.Set || !y.Set {
			return 0
		}
		return int(x.N - y.N)
	})
	stages = withClosingStages(stages)
	seen := map[schema.Value]bool{}
	for i, s := range stages {
		at := fmt.Sprintf("stages[%d]", i)
		if !s.Get("kind").Set {
			s.PutText("kind", "open")
		}
		if !s.Get("probability").Set {
			s.Put("probability", schema.IntValue(schema.Percent, map[string]int64{"open": 50, "won": 100}[s.Text("kind")]*schema.DecimalOne))
		}
		s.Put("position", schema.IntValue(schema.Integer, int64(i+1)))
		id := s.Get("id")
		switch {
		case !id.Set:
			s.Put("id", schema.IDValue(schema.NewID(w.Now)))
		case seen[id]:
			w.wrong.Add(at+".id", "not_allowed", "is given for two stages")
		case !slices.ContainsFunc(before, func(b *schema.Record) bool { return b.Get("id") == id }):
			w.wrong.Add(at+".id", "not_found", "is not a stage of this pipeline; leave it out to make a new one")
		}
		seen[s.Get("id")] = true
	}
	w.rec.Put("stages", schema.TextValue(schema.List, string(schema.AppendList(nil, stages))))
	if len(w.wrong) > 0 {
		return nil
	}
	return w.checkDroppedStages(before, stages)
}

func withClosingStages(stages []*schema.Record) []*schema.Record {
	add := func(name, kind string) {
		s := schema.NewRecord(pipeline.Inner["stages"])
		s.PutText("name", name)
		s.PutText("kind", kind)
		stages = append(stages, s)
	}
	has := func(kind string) bool {
		return slices.ContainsFunc(stages, func(s *schema.Record) bool {
			return s.Text("kind") == kind || kind == "open" && !s.Get("kind").Set
		})
	}
	if !has("open") {
		add("Open", "open")
	}
	if !has("won") {
		add("Won", "won")
	}
	if !has("lost") {
		add("Lost", "lost")
	}
	return stages
}

// checkDroppedStages refuses to drop a stage, or to change its kind, while live deals are in it.
func (w *write) checkDroppedStages(before, after []*schema.Record) error {
	for _, old := range before {
		kept := slices.ContainsFunc(after, func(s *schema.Record) bool {
			return s.Get("id") == old.Get("id") && s.Text("kind") == old.Text("kind")
		})
		if kept {
			continue
		}
		found, err := w.Find(&deal.Resource, 1, query.Condition{Path: query.Path{Ref: -1, Leaf: deal.Must("stage_id")}, Operator: query.Eq, Values: []schema.Value{old.Get("id")}})
		if err != nil {
			return err
		}
		if len(found) > 0 {
			return &problem.Problem{
				Code: problem.Conflict, Detail: "The stage " + old.Text("name") + " has deals in it; move them first.",
				ExistingID: w.who.existing(&deal.Resource, found[0]),
			}
		}
	}
	return nil
}
