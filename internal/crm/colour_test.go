package crm_test

import (
	"testing"

	. "github.com/kith-crm/kith/internal/apitest"
)

func TestStagesHaveColours(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Run(t, []Step{
			{
				Rule: "a stage has the colour that it is given; won is green and lost red, others go by their place", Do: "POST /pipelines",
				Body: `{"name":"Partners","stages":[{"name":"Talk"},{"name":"Offer","colour":"orange"},{"name":"Deal"}]}`, Status: 201,
				Want: `{"stages":[{"colour":"gray"},{"colour":"orange"},{"colour":"blue"},{"kind":"won","colour":"green"},` +
					`{"kind":"lost","colour":"red"}]}`,
				Save: "talk=stages.0.id offer=stages.1.id",
			},
			{
				Rule: "no other colour is one", Do: "POST /pipelines", Body: `{"name":"x","stages":[{"name":"y","colour":"pink"}]}`,
				Status: 422, Wrong: "stages[0].colour:not_allowed",
			},
			{Rule: "records tell the colour of their stage", Do: "POST /deals", Body: `{"name":"a","stage_id":"$offer"}`, Status: 201},
			{
				Do: "POST /deals/search", Body: `{"fields":["name","stage.name","stage.colour"]}`, Status: 200,
				Want: `{"data":[{"name":"a","stage":{"name":"Offer","colour":"orange"}}]}`,
			},
			{
				Rule: "and lifecycle stages theirs", Do: "POST /lifecycle_stages", Body: `{"name":"Champion"}`, Status: 201,
				Want: `{"position":6,"colour":"orange"}`, Save: "champion",
			},
			{Do: "PATCH /lifecycle_stages/$champion", Body: `{"colour":"purple"}`, Status: 200, Want: `{"colour":"purple"}`},
			{
				Do: "POST /contacts", Body: `{"name":"Anna","lifecycle_stage_id":"$champion"}`, Status: 201,
			},
			{
				Do: "POST /contacts/search", Body: `{"fields":["lifecycle_stage.colour"]}`, Status: 200,
				Want: `{"data":[{"lifecycle_stage":{"colour":"purple"}}]}`,
			},
		})
	})
}
