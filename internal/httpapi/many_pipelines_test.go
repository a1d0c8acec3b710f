package httpapi_test

import (
	"fmt"
	"testing"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store"
)

// A deal looked for its stage in all pipelines of the business, of which it read the first thousand.
func TestAStageIsFoundHoweverManyPipelinesThereAre(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		who := &record.Principal{Tenant: w.tenant, User: w.users["admin"], Scopes: record.Scopes(), Role: account.StartingRoles()[0]}
		err := w.tenant.Write(t.Context(), store.Actor{User: who.User}, func(tx *store.Tx) error {
			for i := range 1000 {
				if _, err := w.engine.Add(tx, who, record.KindOf("pipeline"), fmt.Sprintf(`{"name":"Pipeline %d"}`, i)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		w.run(t, []step{
			{
				rule: "the next one has the next position", do: "POST /pipelines",
				body: `{"name":"Last","stages":[{"name":"One"},{"name":"Two"}]}`, status: 201, want: `{"position":1002}`,
				save: "last one=stages.0.id two=stages.1.id won=stages.2.id",
			},
			{
				rule: "a deal enters its stage", do: "POST /deals", body: `{"name":"Late","stage_id":"$two"}`, status: 201,
				want: `{"stage_id":"$two","pipeline_id":"$last"}`, save: "deal",
			},
			{
				rule: "and another one", do: "POST /deals/$deal/change_stage", body: `{"stage_id":"$one"}`, status: 200,
				want: `{"stage_id":"$one"}`,
			},
			{rule: "and is won", do: "POST /deals/$deal/win", status: 200, want: `{"stage_id":"$won","status":"won"}`},
			{rule: "what is changed then", do: "PATCH /deals/$deal", body: `{"description":"after it was won"}`, status: 200},
			{
				rule: "does not keep it from going back to where it was", do: "POST /deals/$deal/reopen", status: 200,
				want: `{"stage_id":"$one","status":"open"}`,
			},
			{
				rule: "a stage of another pipeline than the one that is named is refused", do: "POST /deals",
				body: `{"name":"x","stage_id":"$two","pipeline_id":"pipeline_01h455vb4pex5vsknk084sn02q"}`, status: 422,
				wrong: "pipeline_id:not_found stage_id:not_allowed",
			},
			{
				rule: "a stage that is not there, too", do: "POST /deals",
				body: `{"name":"x","stage_id":"stage_01h455vb4pex5vsknk084sn02q"}`, status: 422, wrong: "stage_id:not_found",
			},
			{
				rule: "a pipeline in the bin", do: "POST /pipelines", body: `{"name":"Gone","stages":[{"name":"Open"}]}`, status: 201,
				save: "gone lost=stages.0.id",
			},
			{rule: "is deleted", do: "DELETE /pipelines/$gone", status: 204},
			{
				rule: "and its stages with it", do: "POST /deals", body: `{"name":"x","stage_id":"$lost"}`, status: 422,
				wrong: "stage_id:not_found",
			},
		})
	})
}
