package record_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/record"

	. "github.com/kith-crm/kith/internal/apitest"
)

func TestSeveralSearchesAtOnce(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "contacts", `{"name":"Anna Lund"}`, "anna")
		w.Create(t, "deals", `{"name":"Oars","contact_id":"$anna"}`, "deal")
		w.Create(t, "tasks", `{"title":"Call","contact_id":"$anna"}`, "")
		of := func(resource string) string {
			return fmt.Sprintf(`{"resource":%q,"search":{"filters":[{"field":"contact_id","operator":"eq","value":"$anna"}]}}`, resource)
		}
		a := w.Check(t, Step{
			Rule: "each is answered as by itself, in their order", Do: "POST /search/batch",
			Body: `{"searches":[` + of("task") + `,` + of("deal") + `,{"resource":"product"}]}`, Status: 200,
		})
		if got := fmt.Sprintln(At(a.JSON, "data.0.data.0.title"), At(a.JSON, "data.1.data.0.name"), At(a.JSON, "data.2.data"),
			At(a.JSON, "data.1.meta.cursor.has_more")); got != "Call Oars [] false\n" {
			t.Errorf("it answers %s", got)
		}
		w.Run(t, []Step{
			{
				Rule: "what is wrong is named by its place", Do: "POST /search/batch",
				Body:   `{"searches":[{"resource":"deal"},{"resource":"task","search":{"order_by":"nothing"}}]}`,
				Status: 422, Wrong: "searches[1].search.order_by:unknown_field",
			},
			{Rule: "there must be one", Do: "POST /search/batch", Body: `{"searches":[]}`, Status: 422, Wrong: "searches:required"},
			{
				Rule: "and not too many", Do: "POST /search/batch",
				Body:   `{"searches":[` + strings.TrimSuffix(strings.Repeat(`{"resource":"deal"},`, record.MaxSearches+1), ",") + `]}`,
				Status: 422, Wrong: "searches:required",
			},
			{
				Rule: "of resources that there are", Do: "POST /search/batch", Body: `{"searches":[{"resource":"ship"}]}`, Status: 422,
				Wrong: "searches[0].resource:not_allowed",
			},
			{
				Rule: "which one may read", As: "admin:deal.read", Do: "POST /search/batch",
				Body: `{"searches":[{"resource":"deal"},{"resource":"task"}]}`, Status: 403,
			},
		})
	})
}
