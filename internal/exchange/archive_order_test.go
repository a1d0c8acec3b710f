package exchange

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// The rows of an archive are counted in this order, and what somebody was told of a row is about the same one tomorrow.
func TestOrderOfAnArchive(t *testing.T) {
	want := []*record.Kind{
		crm.LifecycleStage, crm.LossReason, crm.Pipeline, record.Field, crm.Product, crm.Company, crm.Contact, crm.Deal, crm.Quote,
		crm.Task, crm.Note, crm.Activity, record.Association, crm.View, crm.Report,
	}
	if !slices.Equal(carriedKinds(), want) {
		t.Error("the kinds of an archive come as:")
		for _, k := range carriedKinds() {
			t.Error(k.Name)
		}
	}
	for i, k := range carriedKinds() {
		for _, later := range carriedKinds()[i+1:] {
			if leadsTo(k, later) {
				t.Errorf("%s comes before %s, to which it leads", k.Name, later.Name)
			}
		}
	}
}

// What an earlier version knew of an archive is refused, and does not come in without what it names.
func TestGuidesOfEarlierVersionsAreRefused(t *testing.T) {
	for text, refused := range map[string]bool{
		`{"business":"business_1","pipelines":[{"id":"pipeline_1","name":"Sales"}]}`: true,
		`{"business":"business_1","named":{}}`:                                       false,
	} {
		var g Guide
		if err := json.Unmarshal([]byte(text), &g); err != nil {
			t.Fatal(err)
		}
		if err := g.readable(); (err != nil) != refused {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// What is an item of a list is known by what it is and its name, as files of earlier archives have it.
func TestWhatItemsAreCalled(t *testing.T) {
	stage := itemNamed("stage")
	if stage == nil || !slices.Contains(listItems(crm.Pipeline), stage) || itemNamed("option") != nil || isNamed(nil) {
		t.Fatalf("stages are %v", stage)
	}
	rec := crm.Pipelines.Stage
	for _, colour := range []string{"", "green"} {
		item := map[*schema.Leaf]string{
			rec.Name: "Won at last", rec.Kind: "won", rec.Position: "3", rec.Probability: "100", rec.Colour: colour,
		}
		if name := itemCalled(stage, func(l *schema.Leaf) string { return item[l] }); name != "won Won at last" {
			t.Errorf("a stage of the colour %q is called %q", colour, name)
		}
	}
	if stage.Position != rec.Position || stage.ID != rec.ID {
		t.Error("the place and the id of a stage are other fields")
	}
}
