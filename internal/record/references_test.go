package record_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/record"

	. "github.com/kith-crm/kith/internal/apitest"
)

func TestFieldsFollowOneReference(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "companies", `{"name":"Zebra","owner_id":"$member","address":{"city":"Kiel"},"tags":["big"]}`, "zebra")
		w.Create(t, "companies", `{"name":"Gone"}`, "gone")
		w.Create(t, "contacts", `{"name":"Anna","external_id":"anna","company_id":"$zebra","owner_id":"$member"}`, "anna")
		w.Create(t, "contacts", `{"name":"Bo","external_id":"bo"}`, "bo")
		w.Create(t, "contacts", `{"name":"Cy","external_id":"cy","company_id":"$gone"}`, "cy")
		w.Create(t, "roles", `{"name":"Narrow","permissions":{"contact":{"read":"all"},"company":{"read":"own"},"user":{"read":"none"}}}`,
			"narrow")
		search := "POST /contacts/search"
		of := func(name, fields string) string {
			return `{"fields":[` + fields + `],"filters":[` + Filter("external_id", "eq", `"`+name+`"`) + `]}`
		}
		answers := func(rule, as, body, want string) {
			t.Helper()
			a := w.Check(t, Step{Rule: rule, As: as, Do: search, Body: body, Status: 200})
			text := string(a.Text)
			if data := text[:strings.Index(text, `,"meta"`)]; data != `{"data":[`+want+`]` {
				t.Errorf("%s: %s\nwant %s", rule, data, want)
			}
		}
		w.Run(t, []Step{{Rule: "a company is deleted", Do: "DELETE /companies/$gone", Status: 204}})
		answers("a field of the company, in declared order", "", of("anna", `"company.name","name","owner.name"`),
			`{"name":"Anna","company":{"name":"Zebra"},"owner":{"name":"member"}}`)
		answers("several, in the order of their own declaration", "", of("anna", `"company.tags","company.name","company.domain"`),
			`{"company":{"name":"Zebra","domain":null,"tags":["big"]}}`)
		answers("beside the reference itself", "", of("bo", `"company_id","company.name","job_title"`),
			`{"job_title":null,"company_id":null,"company":null}`)
		answers("part of an object", "", of("anna", `"company.address.city"`), `{"company":{"address":{"city":"Kiel"}}}`)
		answers("a whole object", "", of("anna", `"company.address"`),
			`{"company":{"address":{"street":null,"city":"Kiel","region":null,"postal_code":null,"country":null}}}`)
		answers("who created it", "", of("anna", `"created_by.name"`), `{"created_by":{"name":"admin"}}`)
		answers("named twice it is there once", "", of("anna", `"company.name","company.name","name","name"`),
			`{"name":"Anna","company":{"name":"Zebra"}}`)
		answers("without a reference it is null", "", of("bo", `"company.name"`), `{"company":null}`)
		answers("a deleted record is null", "", of("cy", `"company.name"`), `{"company":null}`)
		answers("without the scope it is null", "admin:contact.read", of("anna", `"name","company.name","owner.name"`),
			`{"name":"Anna","company":null,"owner":null}`)
		answers("with one of the scopes that one is there", "admin:contact.read,user.read",
			of("anna", `"name","company.name","owner.name"`), `{"name":"Anna","company":null,"owner":{"name":"member"}}`)
		answers("a filter and the answer follow the same reference", "",
			`{"fields":["company.name"],"order_by":"company.name","filters":[`+Filter("company.name", "starts_with", `"z"`)+`]}`,
			`{"company":{"name":"Zebra"}}`)
		answers("text search", "", `{"fields":["name","company.name"],"search_text":"anna"}`, `{"name":"Anna","company":{"name":"Zebra"}}`)
		most := len(record.KindOf("contact").Leaves) + 50
		w.Run(t, []Step{
			{
				Rule: "an unknown field of the company is 422", Do: search, Body: `{"fields":["company.height"]}`, Status: 422,
				Wrong: "fields[0]:unknown_field",
			},
			{
				Rule: "an unknown reference is 422", Do: search, Body: `{"fields":["boat.name"]}`, Status: 422,
				Wrong: "fields[0]:unknown_field",
			},
			{
				Rule: "two references are 422", Do: search, Body: `{"fields":["company.parent_company.name"]}`, Status: 422,
				Wrong: "fields[0]:unknown_field",
			},
			{Rule: "a reference alone is 422", Do: search, Body: `{"fields":["company"]}`, Status: 422, Wrong: "fields[0]:unknown_field"},
			{
				Rule: "an id and an object under one name are 422", Do: search, Body: `{"fields":["created_by","created_by.name"]}`,
				Status: 422, Wrong: "fields:not_allowed",
			},
			{
				Rule: "its id can be named instead", Do: search, Body: of("anna", `"created_by.id","created_by.name"`), Status: 200,
				Want: `{"data":[{"created_by":{"id":"$admin","name":"admin"}}]}`,
			},
			{
				Rule: "deleted_at of a company is 422", Do: search, Body: `{"fields":["company.deleted_at"]}`, Status: 422,
				Wrong: "fields[0]:unknown_field",
			},
			{
				Rule: "as many names as there are fields, and fifty", Do: search,
				Body: `{"fields":[` + strings.TrimSuffix(strings.Repeat(`"company.name",`, most), ",") + `]}`, Status: 200,
			},
			{Rule: "one more is 422", Do: search, Body: `{"fields":[` + strings.TrimSuffix(strings.Repeat(`"company.name",`, most+1),
				",") + `]}`, Status: 422, Wrong: "fields:too_many"},
			{Rule: "the bin's records have references, too", Do: "DELETE /contacts/$anna", Status: 204},
			{
				Rule: "and they are answered", Do: "POST /contacts/deleted/search", Body: `{"fields":["name","company.name"]}`, Status: 200,
				Want: `{"data":[{"name":"Anna","company":{"name":"Zebra"}}]}`,
			},
			{Rule: "Anna comes back", Do: "POST /contacts/$anna/restore", Status: 200},
			{
				Rule: "the viewer may read only their own companies, and no users", Do: "PATCH /users/$viewer",
				Body: `{"role_id":"$narrow"}`, Status: 200,
			},
			{Rule: "and the member, too", Do: "PATCH /users/$member", Body: `{"role_id":"$narrow"}`, Status: 200},
		})
		answers("what the role does not reach is null", "viewer", of("anna", `"name","company.name","owner.name"`),
			`{"name":"Anna","company":null,"owner":null}`)
		answers("one's own is there", "member", of("anna", `"name","company.name","owner.name"`),
			`{"name":"Anna","company":{"name":"Zebra"},"owner":null}`)

		// A page goes on whether or not its fields follow references.
		a := w.Check(t, Step{
			Do: search, Body: `{"limit":1,"order_by":"name","sort_direction":"asc","fields":["name","company.name"]}`,
			Status: 200,
		})
		w.Run(t, []Step{{
			Rule: "the second page", Do: search,
			Body: fmt.Sprintf(`{"limit":2,"order_by":"name","sort_direction":"asc","fields":["owner.name"],"cursor":%q}`,
				At(a.JSON, "meta.cursor.next")), Status: 200, Want: `{"data":[{"owner":{"name":"admin"}},{"owner":{"name":"admin"}}]}`,
		}})
	})
}

func TestDealsAreFoundByTheirStage(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "pipelines", `{"name":"Side","external_id":"side","owner_id":"$member","stages":[{"name":"Öffnung"},`+
			`{"name":"Angebot"},{"name":"Ja","kind":"won"}]}`, "side")
		a := w.Check(t, Step{Do: "GET /pipelines/$side", Status: 200})
		for i, name := range []string{"opening", "offer", "yes", "no"} {
			w.Vars[name] = fmt.Sprint(At(a.JSON, fmt.Sprintf("stages.%d.id", i)))
		}
		w.Create(t, "deals", `{"name":"a","external_id":"a","stage_id":"$opening"}`, "a")
		w.Create(t, "deals", `{"name":"b","external_id":"b","stage_id":"$offer"}`, "b")
		w.Create(t, "deals", `{"name":"c","external_id":"c"}`, "c") // in the first stage of the default pipeline: Qualification
		w.Create(t, "deals", `{"name":"d","external_id":"d","stage_id":"$yes"}`, "d")
		w.Create(t, "roles", `{"name":"Own pipelines","permissions":{"deal":{"read":"all"},"pipeline":{"read":"own"}}}`, "narrow")
		search := "POST /deals/search"
		by := func(f string) string { return `{"order_by":"name","sort_direction":"asc","filters":[` + f + `]}` }
		w.Run(t, []Step{
			{
				Rule: "by the stage's name, folded", Do: search, Body: by(Filter("stage.name", "eq", `"OFFNUNG"`)), Status: 200,
				Found: Found("a"),
			},
			{
				Rule: "by several names", Do: search, Body: by(Filter("stage.name", "in", `["angebot","qualification"]`)), Status: 200,
				Found: Found("b c"),
			},
			{Rule: "by part of the name", Do: search, Body: by(Filter("stage.name", "contains", `"ngeb"`)), Status: 200, Found: Found("b")},
			{Rule: "by not the name", Do: search, Body: by(Filter("stage.name", "neq", `"angebot"`)), Status: 200, Found: Found("a c d")},
			{Rule: "by the kind", Do: search, Body: by(Filter("stage.kind", "eq", `"won"`)), Status: 200, Found: Found("d")},
			{
				Rule: "by the other kinds", Do: search, Body: by(Filter("stage.kind", "nin", `["won","lost"]`)), Status: 200,
				Found: Found("a b c"),
			},
			{Rule: "by the position", Do: search, Body: by(Filter("stage.position", "gt", `1`)), Status: 200, Found: Found("b d")},
			{
				Rule: "in the order of the names", Do: search, Body: `{"order_by":"stage.name","sort_direction":"asc"}`, Status: 200,
				Found: Found("b d a c"),
			},
			{
				Rule: "in the order of the kinds, as declared", Do: search, Body: `{"order_by":"stage.kind"}`, Status: 200,
				Found: Found("d c b a"),
			},
			{
				Rule: "with pages", Do: search, Body: `{"order_by":"stage.name","limit":3}`, Status: 200, Found: Found("c a d"),
				Save: "next=meta.cursor.next",
			},
			{Rule: "the second", Do: search, Body: `{"order_by":"stage.name","limit":3,"cursor":"$next"}`, Status: 200, Found: Found("b")},
			{
				Rule: "in the answer", Do: search, Body: `{"fields":["name","stage.name",` +
					`"stage.kind","pipeline.name"],"filters":[` + Filter("external_id", "eq", `"d"`) + `]}`, Status: 200,
				Want: `{"data":[{"name":"d","stage":{"name":"Ja","kind":"won"},"pipeline":{"name":"Side"}}]}`,
			},
			{
				Rule: "another field is unknown", Do: search, Body: by(Filter("stage.shade", "is_set", "")), Status: 422,
				Wrong: "filters[0].field:unknown_field",
			},
			{
				Rule: "a kind that there is not", Do: search, Body: by(Filter("stage.kind", "eq", `"closed"`)), Status: 422,
				Wrong: "filters[0].value:not_allowed",
			},
			{
				Rule: "it needs the scope of pipelines", As: "admin:deal.read", Do: search, Body: by(Filter("stage.name", "is_set", "")),
				Status: 403, Code: "insufficient_scope", Want: `{"scope":"pipeline.read"}`,
			},
			{
				Rule: "without it the answer has null", As: "admin:deal.read", Do: search,
				Body: `{"fields":["name","stage.name"],"filters":[` + Filter("external_id", "eq", `"d"`) + `]}`, Status: 200,
				Want: `{"data":[{"name":"d","stage":null}]}`,
			},

			{
				Rule: "a stage is renamed", Do: "PATCH /pipelines/$side",
				Body: `{"stages":[{"id":"$offer","name":"Quote"},{"id":"$opening","name":"Start"},{"id":"$yes","name":"Ja","kind":"won"},` +
					`{"id":"$no","name":"Nein","kind":"lost"}]}`, Status: 200,
			},
			{
				Rule: "the old name finds nothing", Do: search, Body: by(Filter("stage.name", "eq", `"angebot"`)), Status: 200,
				Found: Found(""),
			},
			{Rule: "the new one does", Do: search, Body: by(Filter("stage.name", "eq", `"quote"`)), Status: 200, Found: Found("b")},
			{Rule: "the position moved", Do: search, Body: by(Filter("stage.position", "eq", `1`)), Status: 200, Found: Found("b c")},
			{Rule: "a deal moves", Do: "POST /deals/$a/change_stage", Body: `{"stage_id":"$offer"}`, Status: 200},
			{
				Rule: "it is found where it is", Do: search, Body: by(Filter("stage.name", "eq", `"quote"`)), Status: 200,
				Found: Found("a b"),
			},

			{Rule: "the member may read only their own pipelines", Do: "PATCH /users/$member", Body: `{"role_id":"$narrow"}`, Status: 200},
			{
				Rule: "theirs count", As: "member", Do: search, Body: by(Filter("stage.name", "is_set", "")), Status: 200,
				Found: Found("a b d"),
			},
			{
				Rule: "the others are absent", As: "member", Do: search, Body: by(Filter("stage.name", "is_not_set", "")), Status: 200,
				Found: Found("c"),
			},

			{
				Rule: "another business has stages of its own", As: "stranger", Do: search, Body: by(Filter("stage.name", "is_set", "")),
				Status: 200, Found: Found(""),
			},
			{Rule: "the deals go to the bin", Do: "DELETE /deals/$a", Status: 204},
			{Rule: "b", Do: "DELETE /deals/$b", Status: 204},
			{Rule: "d", Do: "DELETE /deals/$d", Status: 204},
			{Rule: "so does their pipeline", Do: "DELETE /pipelines/$side", Status: 204},
			{
				Rule: "what it had is absent", Do: "POST /deals/deleted/search", Body: by(Filter("stage.name", "is_not_set", "")),
				Status: 200, Found: Found("a b d"),
			},
			{Rule: "until it comes back", Do: "POST /pipelines/$side/restore", Status: 200},
			{
				Rule: "with its stages", Do: "POST /deals/deleted/search", Body: by(Filter("stage.name", "eq", `"quote"`)), Status: 200,
				Found: Found("a b"),
			},
		})
	})
}
