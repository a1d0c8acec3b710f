package httpapi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/record"
)

func TestFieldsFollowOneReference(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "companies", `{"name":"Zebra","owner_id":"$member","address":{"city":"Kiel"},"tags":["big"]}`, "zebra")
		w.create(t, "companies", `{"name":"Gone"}`, "gone")
		w.create(t, "contacts", `{"name":"Anna","external_id":"anna","company_id":"$zebra","owner_id":"$member"}`, "anna")
		w.create(t, "contacts", `{"name":"Bo","external_id":"bo"}`, "bo")
		w.create(t, "contacts", `{"name":"Cy","external_id":"cy","company_id":"$gone"}`, "cy")
		w.create(t, "roles", `{"name":"Narrow","permissions":{"contact":{"read":"all"},"company":{"read":"own"},"user":{"read":"none"}}}`,
			"narrow")
		search := "POST /contacts/search"
		of := func(name, fields string) string {
			return `{"fields":[` + fields + `],"filters":[` + filter("external_id", "eq", `"`+name+`"`) + `]}`
		}
		answers := func(rule, as, body, want string) {
			t.Helper()
			a := w.check(t, step{rule: rule, as: as, do: search, body: body, status: 200})
			text := string(a.text)
			if data := text[:strings.Index(text, `,"meta"`)]; data != `{"data":[`+want+`]` {
				t.Errorf("%s: %s\nwant %s", rule, data, want)
			}
		}
		w.run(t, []step{{rule: "a company is deleted", do: "DELETE /companies/$gone", status: 204}})
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
			`{"fields":["company.name"],"order_by":"company.name","filters":[`+filter("company.name", "starts_with", `"z"`)+`]}`,
			`{"company":{"name":"Zebra"}}`)
		answers("text search", "", `{"fields":["name","company.name"],"search_text":"anna"}`, `{"name":"Anna","company":{"name":"Zebra"}}`)
		most := len(record.KindOf("contact").Leaves) + 50
		w.run(t, []step{
			{
				rule: "an unknown field of the company is 422", do: search, body: `{"fields":["company.height"]}`, status: 422,
				wrong: "fields[0]:unknown_field",
			},
			{
				rule: "an unknown reference is 422", do: search, body: `{"fields":["boat.name"]}`, status: 422,
				wrong: "fields[0]:unknown_field",
			},
			{
				rule: "two references are 422", do: search, body: `{"fields":["company.parent_company.name"]}`, status: 422,
				wrong: "fields[0]:unknown_field",
			},
			{rule: "a reference alone is 422", do: search, body: `{"fields":["company"]}`, status: 422, wrong: "fields[0]:unknown_field"},
			{
				rule: "an id and an object under one name are 422", do: search, body: `{"fields":["created_by","created_by.name"]}`,
				status: 422, wrong: "fields:not_allowed",
			},
			{
				rule: "its id can be named instead", do: search, body: of("anna", `"created_by.id","created_by.name"`), status: 200,
				want: `{"data":[{"created_by":{"id":"$admin","name":"admin"}}]}`,
			},
			{
				rule: "deleted_at of a company is 422", do: search, body: `{"fields":["company.deleted_at"]}`, status: 422,
				wrong: "fields[0]:unknown_field",
			},
			{
				rule: "as many names as there are fields, and fifty", do: search,
				body: `{"fields":[` + strings.TrimSuffix(strings.Repeat(`"company.name",`, most), ",") + `]}`, status: 200,
			},
			{rule: "one more is 422", do: search, body: `{"fields":[` + strings.TrimSuffix(strings.Repeat(`"company.name",`, most+1),
				",") + `]}`, status: 422, wrong: "fields:too_many"},
			{rule: "the bin's records have references, too", do: "DELETE /contacts/$anna", status: 204},
			{
				rule: "and they are answered", do: "POST /contacts/deleted/search", body: `{"fields":["name","company.name"]}`, status: 200,
				want: `{"data":[{"name":"Anna","company":{"name":"Zebra"}}]}`,
			},
			{rule: "Anna comes back", do: "POST /contacts/$anna/restore", status: 200},
			{
				rule: "the viewer may read only their own companies, and no users", do: "PATCH /users/$viewer",
				body: `{"role_id":"$narrow"}`, status: 200,
			},
			{rule: "and the member, too", do: "PATCH /users/$member", body: `{"role_id":"$narrow"}`, status: 200},
		})
		answers("what the role does not reach is null", "viewer", of("anna", `"name","company.name","owner.name"`),
			`{"name":"Anna","company":null,"owner":null}`)
		answers("one's own is there", "member", of("anna", `"name","company.name","owner.name"`),
			`{"name":"Anna","company":{"name":"Zebra"},"owner":null}`)

		// A page goes on whether or not its fields follow references.
		a := w.check(t, step{
			do: search, body: `{"limit":1,"order_by":"name","sort_direction":"asc","fields":["name","company.name"]}`,
			status: 200,
		})
		w.run(t, []step{{
			rule: "the second page", do: search,
			body: fmt.Sprintf(`{"limit":2,"order_by":"name","sort_direction":"asc","fields":["owner.name"],"cursor":%q}`,
				at(a.json, "meta.cursor.next")), status: 200, want: `{"data":[{"owner":{"name":"admin"}},{"owner":{"name":"admin"}}]}`,
		}})
	})
}

func TestDealsAreFoundByTheirStage(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "pipelines", `{"name":"Side","external_id":"side","owner_id":"$member","stages":[{"name":"Öffnung"},`+
			`{"name":"Angebot"},{"name":"Ja","kind":"won"}]}`, "side")
		a := w.check(t, step{do: "GET /pipelines/$side", status: 200})
		for i, name := range []string{"opening", "offer", "yes", "no"} {
			w.vars[name] = fmt.Sprint(at(a.json, fmt.Sprintf("stages.%d.id", i)))
		}
		w.create(t, "deals", `{"name":"a","external_id":"a","stage_id":"$opening"}`, "a")
		w.create(t, "deals", `{"name":"b","external_id":"b","stage_id":"$offer"}`, "b")
		w.create(t, "deals", `{"name":"c","external_id":"c"}`, "c") // in the first stage of the default pipeline: Qualification
		w.create(t, "deals", `{"name":"d","external_id":"d","stage_id":"$yes"}`, "d")
		w.create(t, "roles", `{"name":"Own pipelines","permissions":{"deal":{"read":"all"},"pipeline":{"read":"own"}}}`, "narrow")
		search := "POST /deals/search"
		by := func(f string) string { return `{"order_by":"name","sort_direction":"asc","filters":[` + f + `]}` }
		w.run(t, []step{
			{
				rule: "by the stage's name, folded", do: search, body: by(filter("stage.name", "eq", `"OFFNUNG"`)), status: 200,
				found: found("a"),
			},
			{
				rule: "by several names", do: search, body: by(filter("stage.name", "in", `["angebot","qualification"]`)), status: 200,
				found: found("b c"),
			},
			{rule: "by part of the name", do: search, body: by(filter("stage.name", "contains", `"ngeb"`)), status: 200, found: found("b")},
			{rule: "by not the name", do: search, body: by(filter("stage.name", "neq", `"angebot"`)), status: 200, found: found("a c d")},
			{rule: "by the kind", do: search, body: by(filter("stage.kind", "eq", `"won"`)), status: 200, found: found("d")},
			{
				rule: "by the other kinds", do: search, body: by(filter("stage.kind", "nin", `["won","lost"]`)), status: 200,
				found: found("a b c"),
			},
			{rule: "by the position", do: search, body: by(filter("stage.position", "gt", `1`)), status: 200, found: found("b d")},
			{
				rule: "in the order of the names", do: search, body: `{"order_by":"stage.name","sort_direction":"asc"}`, status: 200,
				found: found("b d a c"),
			},
			{
				rule: "in the order of the kinds, as declared", do: search, body: `{"order_by":"stage.kind"}`, status: 200,
				found: found("d c b a"),
			},
			{
				rule: "with pages", do: search, body: `{"order_by":"stage.name","limit":3}`, status: 200, found: found("c a d"),
				save: "next=meta.cursor.next",
			},
			{rule: "the second", do: search, body: `{"order_by":"stage.name","limit":3,"cursor":"$next"}`, status: 200, found: found("b")},
			{
				rule: "in the answer", do: search, body: `{"fields":["name","stage.name",` +
					`"stage.kind","pipeline.name"],"filters":[` + filter("external_id", "eq", `"d"`) + `]}`, status: 200,
				want: `{"data":[{"name":"d","stage":{"name":"Ja","kind":"won"},"pipeline":{"name":"Side"}}]}`,
			},
			{
				rule: "another field is unknown", do: search, body: by(filter("stage.colour", "is_set", "")), status: 422,
				wrong: "filters[0].field:unknown_field",
			},
			{
				rule: "a kind that there is not", do: search, body: by(filter("stage.kind", "eq", `"closed"`)), status: 422,
				wrong: "filters[0].value:not_allowed",
			},
			{
				rule: "it needs the scope of pipelines", as: "admin:deal.read", do: search, body: by(filter("stage.name", "is_set", "")),
				status: 403, code: "insufficient_scope", want: `{"scope":"pipeline.read"}`,
			},
			{
				rule: "without it the answer has null", as: "admin:deal.read", do: search,
				body: `{"fields":["name","stage.name"],"filters":[` + filter("external_id", "eq", `"d"`) + `]}`, status: 200,
				want: `{"data":[{"name":"d","stage":null}]}`,
			},

			{
				rule: "a stage is renamed", do: "PATCH /pipelines/$side",
				body: `{"stages":[{"id":"$offer","name":"Quote"},{"id":"$opening","name":"Start"},{"id":"$yes","name":"Ja","kind":"won"},` +
					`{"id":"$no","name":"Nein","kind":"lost"}]}`, status: 200,
			},
			{
				rule: "the old name finds nothing", do: search, body: by(filter("stage.name", "eq", `"angebot"`)), status: 200,
				found: found(""),
			},
			{rule: "the new one does", do: search, body: by(filter("stage.name", "eq", `"quote"`)), status: 200, found: found("b")},
			{rule: "the position moved", do: search, body: by(filter("stage.position", "eq", `1`)), status: 200, found: found("b c")},
			{rule: "a deal moves", do: "POST /deals/$a/change_stage", body: `{"stage_id":"$offer"}`, status: 200},
			{
				rule: "it is found where it is", do: search, body: by(filter("stage.name", "eq", `"quote"`)), status: 200,
				found: found("a b"),
			},

			{rule: "the member may read only their own pipelines", do: "PATCH /users/$member", body: `{"role_id":"$narrow"}`, status: 200},
			{
				rule: "theirs count", as: "member", do: search, body: by(filter("stage.name", "is_set", "")), status: 200,
				found: found("a b d"),
			},
			{
				rule: "the others are absent", as: "member", do: search, body: by(filter("stage.name", "is_not_set", "")), status: 200,
				found: found("c"),
			},

			{
				rule: "another business has stages of its own", as: "stranger", do: search, body: by(filter("stage.name", "is_set", "")),
				status: 200, found: found(""),
			},
			{rule: "the deals go to the bin", do: "DELETE /deals/$a", status: 204},
			{rule: "b", do: "DELETE /deals/$b", status: 204},
			{rule: "d", do: "DELETE /deals/$d", status: 204},
			{rule: "so does their pipeline", do: "DELETE /pipelines/$side", status: 204},
			{
				rule: "what it had is absent", do: "POST /deals/deleted/search", body: by(filter("stage.name", "is_not_set", "")),
				status: 200, found: found("a b d"),
			},
			{rule: "until it comes back", do: "POST /pipelines/$side/restore", status: 200},
			{
				rule: "with its stages", do: "POST /deals/deleted/search", body: by(filter("stage.name", "eq", `"quote"`)), status: 200,
				found: found("a b"),
			},
		})
	})
}
