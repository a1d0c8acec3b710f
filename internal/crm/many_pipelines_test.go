package crm_test

import (
	"fmt"
	"testing"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store"

	. "github.com/kith-crm/kith/internal/apitest"
)

// A deal looked for its stage in all pipelines of the business, of which it read the first thousand.
func TestAStageIsFoundHoweverManyPipelinesThereAre(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		who := &record.Principal{Tenant: w.Tenant, User: w.Users["admin"], Scopes: record.Scopes(), Role: account.StartingRoles()[0]}
		err := w.Tenant.Write(t.Context(), store.Actor{User: who.User}, func(tx *store.Tx) error {
			for i := range 1000 {
				if _, err := w.Engine.Add(tx, who, record.KindOf("pipeline"), fmt.Sprintf(`{"name":"Pipeline %d"}`, i)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		w.Run(t, []Step{
			{
				Rule: "the next one has the next position", Do: "POST /pipelines",
				Body: `{"name":"Last","stages":[{"name":"One"},{"name":"Two"}]}`, Status: 201, Want: `{"position":1002}`,
				Save: "last one=stages.0.id two=stages.1.id won=stages.2.id",
			},
			{
				Rule: "a deal enters its stage", Do: "POST /deals", Body: `{"name":"Late","stage_id":"$two"}`, Status: 201,
				Want: `{"stage_id":"$two","pipeline_id":"$last"}`, Save: "deal",
			},
			{
				Rule: "and another one", Do: "POST /deals/$deal/change_stage", Body: `{"stage_id":"$one"}`, Status: 200,
				Want: `{"stage_id":"$one"}`,
			},
			{Rule: "and is won", Do: "POST /deals/$deal/win", Status: 200, Want: `{"stage_id":"$won","status":"won"}`},
			{Rule: "what is changed then", Do: "PATCH /deals/$deal", Body: `{"description":"after it was won"}`, Status: 200},
			{
				Rule: "does not keep it from going back to where it was", Do: "POST /deals/$deal/reopen", Status: 200,
				Want: `{"stage_id":"$one","status":"open"}`,
			},
			{
				Rule: "a stage of another pipeline than the one that is named is refused", Do: "POST /deals",
				Body: `{"name":"x","stage_id":"$two","pipeline_id":"pipeline_01h455vb4pex5vsknk084sn02q"}`, Status: 422,
				Wrong: "pipeline_id:not_found stage_id:not_allowed",
			},
			{
				Rule: "a stage that is not there, too", Do: "POST /deals",
				Body: `{"name":"x","stage_id":"stage_01h455vb4pex5vsknk084sn02q"}`, Status: 422, Wrong: "stage_id:not_found",
			},
			{
				Rule: "a pipeline in the bin", Do: "POST /pipelines", Body: `{"name":"Gone","stages":[{"name":"Open"}]}`, Status: 201,
				Save: "gone lost=stages.0.id",
			},
			{Rule: "is deleted", Do: "DELETE /pipelines/$gone", Status: 204},
			{
				Rule: "and its stages with it", Do: "POST /deals", Body: `{"name":"x","stage_id":"$lost"}`, Status: 422,
				Wrong: "stage_id:not_found",
			},
		})
	})
}
