package httpapi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/record"
)

// newRecords holds for each resource a body that creates it, what must come back, and a patch with its effect where it can be patched.
var newRecords = []struct{ plural, body, want, patch, patched string }{
	{
		"contacts", `{"first_name":"Anna","last_name":"Lund","email":"anna@lund.example","phone":"+49 30 1234","lead_score":7.5,` +
			`"address":{"city":"Kiel"},"tags":["vip"],"external_id":"a"}`,
		`{"name":"Anna Lund","email":"anna@lund.example","lead_score":7.5,"address":{"city":"Kiel","street":null},"tags":["vip"],` +
			`"do_not_contact":false,"lifecycle_stage_id":"*","custom_fields":{},"company_id":null,"last_contacted_at":null,` +
			`"deleted_at":"<absent>"}`,
		`{"last_name":"Lindt"}`, `{"name":"Anna Lindt","version":2}`,
	},
	{
		"companies", `{"name":"Lund AB","domain":"LUND.example","employee_count":12,"annual_revenue":1250.5,` +
			`"website":"https://lund.example","external_id":"a"}`,
		`{"domain":"lund.example","employee_count":12,"annual_revenue":"1250.50","currency":"EUR","lifecycle_stage_id":"*","address":null}`,
		`{"annual_revenue":"0.1"}`, `{"annual_revenue":"0.10","version":2}`,
	},
	{
		"deals", `{"name":"Boat","amount":"99.9","expected_close_date":"2030-02-28","external_id":"a"}`,
		`{"status":"open","amount":"99.90","currency":"EUR","probability":10,"expected_close_date":"2030-02-28","pipeline_id":"*",` +
			`"stage_id":"*","stage_changed_at":"*","closed_at":null,"line_items":[]}`,
		`{"probability":12.5}`, `{"probability":12.5,"version":2}`,
	},
	{
		"tasks", `{"title":"Call","due_at":"2030-01-02T03:04:05.678901+01:00","external_id":"a"}`,
		`{"status":"open","priority":"normal","due_at":"2030-01-02T02:04:05.678901Z","assignee_id":"$admin","completed_at":null}`,
		`{"priority":"urgent","due_at":"2030-01-02"}`, `{"priority":"urgent","due_at":"2030-01-02T00:00:00.000000Z","version":2}`,
	},
	{
		"notes", `{"title":"Hello","body":"two\nlines","external_id":"a"}`, `{"body":"two\nlines","pinned":false,"pinned_at":null}`,
		`{"title":null}`, `{"title":null,"version":2}`,
	},
	{
		"activities", `{"activity_type":"call","direction":"inbound","duration_seconds":60,"external_id":"a"}`,
		`{"activity_type":"call","occurred_at":"*","duration_seconds":60,"subject":null}`, `{"outcome":"reached"}`,
		`{"outcome":"reached","version":2}`,
	},
	{
		"products", `{"name":"Oar","sku":"OAR-1","price":"12","tax_rate":19,"external_id":"a"}`,
		`{"status":"active","price":"12.00","cost":null,"currency":"EUR","tax_rate":19,"billing_frequency":"one_time"}`,
		`{"price":12.3456}`, `{"price":"12.3456","version":2}`,
	},
	{
		"quotes", `{"title":"Offer","valid_until":"2030-12-31","external_id":"a"}`,
		`{"number":1,"status":"draft","currency":"EUR","subtotal":"0.00","discount_total":"0.00","tax_total":"0.00","total":"0.00",` +
			`"valid_until":"2030-12-31","sent_at":null,"line_items":[]}`,
		`{"terms":"30 days"}`, `{"terms":"30 days","version":2}`,
	},
	{
		"associations", `{"from_id":"$someone","to_id":"$someone","label":"sister","external_id":"a"}`,
		`{"from_id":"*","to_id":"*","label":"sister","deleted_with":null}`, `{"label":"aunt"}`, `{"label":"aunt","version":2}`,
	},
	{
		"pipelines", `{"name":"Renewals","stages":[{"name":"Due","probability":60}],"external_id":"a"}`,
		`{"position":2,"is_default":false,"stages":[{"id":"*","name":"Due","position":1,"kind":"open","probability":60},{"name":"Won",` +
			`"kind":"won","position":2,"probability":100},{"name":"Lost","kind":"lost","position":3,"probability":0}]}`,
		`{"name":"Renewal"}`, `{"name":"Renewal","version":2}`,
	},
	{
		"lifecycle_stages", `{"name":"Partner","external_id":"a"}`, `{"position":6,"is_default":false}`, `{"position":2}`,
		`{"position":2,"version":2}`,
	},
	{
		"users", `{"email":"Ida@harbour.example","timezone":"Europe/Berlin","locale":"de-AT","external_id":"a"}`,
		`{"email":"Ida@harbour.example","name":"Ida@harbour.example","status":"invited","role_id":"*","timezone":"Europe/Berlin",` +
			`"last_active_at":null}`,
		`{"name":"Ida"}`, `{"name":"Ida","version":2}`,
	},
	{
		"roles", `{"name":"Intern","permissions":{"contact":{"read":"own"}},"features":["export"],"external_id":"a"}`,
		`{"permissions":{"contact":{"read":"own","write":"none","delete":"none"}},"features":["export"]}`,
		`{"permissions":{"contact":{"write":"own"},"deal":{"read":"all"}}}`,
		`{"permissions":{"contact":{"read":"own","write":"own","delete":"none"},"deal":{"read":"all","write":"none","delete":"none"}},` +
			`"version":2}`,
	},
	{
		"tokens", `{"name":"CI","scopes":["contact.read","deal.all"],"expires_at":"2999-01-02","external_id":"a"}`,
		`{"name":"CI","scopes":["contact.read","deal.all"],"hint":"*","user_id":"$admin","expires_at":"2999-01-02T00:00:00.000000Z",` +
			`"last_used_at":null}`, "", "",
	},
	{
		"apps", `{"name":"Importer","scopes":["contact.all"],"external_id":"a"}`,
		`{"name":"Importer","client_id":"*","redirect_uris":[],"grant_types":["client_credentials"],"scopes":["contact.all"],` +
			`"user_id":"$admin"}`,
		`{"scopes":["contact.read","contact.write"]}`, `{"scopes":["contact.read","contact.write"],"version":2}`,
	},
	{
		"views", `{"name":"Mine","resource":"deal","search":{"filters":[{"field":"owner_id","operator":"eq","value":"@me"}],"limit":50},` +
			`"columns":["name","company.name","amount"],"group_by":"stage_id","layout":"board","shared":true,"external_id":"a"}`,
		`{"name":"Mine","resource":"deal","search":{"filters":[{"field":"owner_id","operator":"eq","value":"@me"}],"limit":50},` +
			`"columns":["name","company.name","amount"],"group_by":"stage_id","layout":"board","position":1,"shared":true}`,
		`{"search":{"limit":null,"order_by":"amount"}}`,
		`{"search":{"filters":[{"field":"owner_id","operator":"eq","value":"@me"}],"order_by":"amount","limit":"<absent>"},"version":2}`,
	},
	{
		"fields", `{"resource":"note","name":"tier","kind":"select","options":[{"value":"gold"}],"external_id":"a"}`,
		`{"label":"Tier","options":[{"value":"gold","label":"Gold"}],"required":false,"position":"*","number":"*"}`, `{"label":"Rank"}`,
		`{"label":"Rank","version":2}`,
	},
	{
		"webhooks", `{"url":"https://example.com/hook","events":["contact.created","deal.*"],"filters":{"deal":[{"field":"amount",` +
			`"operator":"gte","value":"10.00"}]},"external_id":"a"}`,
		`{"name":"example.com","url":"https://example.com/hook","events":["contact.created","deal.*"],` +
			`"filters":{"deal":[{"field":"amount","operator":"gte","value":"10.00"}]},"status":"active","disabled_at":null,` +
			`"disabled_reason":null,"user_id":"$admin"}`,
		`{"filters":{"deal":null},"status":"disabled"}`,
		`{"filters":{"deal":"<absent>"},"status":"disabled","disabled_at":"*","version":2}`,
	},
}

func TestEveryResourceLivesItsLife(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		if len(newRecords) != len(record.Kinds()) {
			t.Fatalf("%d resources are tried, %d are declared", len(newRecords), len(record.Kinds()))
		}
		for _, r := range newRecords {
			all, kind := "/"+r.plural, kindOf(t, r.plural)
			stale, version := `"1"`, `"2"`
			if !offers(kind, "patch") {
				stale, version = `"2"`, `"1"`
			}
			t.Run(r.plural, func(t *testing.T) {
				w.run(t, []step{
					{
						rule: "creating is 201 with Location, ETag and the record", do: "POST " + all, body: r.body, status: 201,
						want: r.want, save: "id created_at=created_at", head: []string{`ETag: "1"`, "Location: /v1" + all + "/*"},
					},
				})
				w.offered(t, kind, []step{
					{
						rule: "a record tells who made it and is the acting user's", do: "GET " + all + "/$id", status: 200,
						want: `{"id":"$id","owner_id":"$admin","created_by":"$admin","updated_by":"$admin","created_at":"$created_at",` +
							`"updated_at":"$created_at","version":1,"external_id":"a"}`,
					},
					{rule: "what was created is read back", do: "GET " + all + "/$id", status: 200, want: r.want},
					{
						rule: "a search sees it at once", do: "POST " + all + "/search",
						body: `{"filters":[{"field":"external_id","operator":"eq","value":"a"}]}`, status: 200,
						want: `{"data":[` + r.want + `],"meta":{"total":1,"cursor":{"next":null,"has_more":false}}}`,
					},
					{
						rule: "a patch changes what it names and raises the version", do: "PATCH " + all + "/$id", body: r.patch,
						status: 200, want: r.patched,
					},
					{rule: "what was patched is read back", do: "GET " + all + "/$id", status: 200, want: r.patched},
					{
						rule: "the same patch again raises no version", do: "PATCH " + all + "/$id", body: r.patch, status: 200,
						want: `{"version":2}`,
					},
					{rule: "an empty patch raises no version", do: "PATCH " + all + "/$id", body: `{}`, status: 200, want: `{"version":2}`},
					{rule: "a patch without a body raises no version", do: "PATCH " + all + "/$id", status: 200, want: `{"version":2}`},
					{
						rule: "fields that kith keeps cannot be written", do: "PATCH " + all + "/$id",
						body: `{"id":"$id","created_at":null,"version":2,"deleted_at":null}`, status: 422,
						wrong: "id:read_only created_at:read_only version:read_only deleted_at:unknown_field",
					},
					{
						rule: "the bin does not show a live record", do: "POST " + all + "/deleted/search", status: 200,
						want: `{"data":[],"meta":{"total":0}}`,
					},
					{
						rule: "external_id is unique: 409 names the record that has it", do: "POST " + all, body: r.body, status: 409,
						code: "conflict", want: `{"existing_id":"$id","errors":[{"code":"not_unique"}]}`,
					},
					{
						rule: "an unknown id is 404", do: "GET " + all + "/" + strings.Replace(w.vars["id"], "_0", "_1", 1), status: 404,
						code: "not_found",
					},
					{
						rule: "another version in If-Match keeps it from being deleted", do: "DELETE " + all + "/$id",
						send: []string{"If-Match: " + stale}, status: 412, code: "precondition_failed",
					},
					{
						rule: "deleting is 204 without a body", do: "DELETE " + all + "/$id", send: []string{"If-Match: " + version},
						status: 204,
					},
					{rule: "a deleted record is 404", do: "GET " + all + "/$id", status: 404, code: "not_found"},
					{rule: "deleting it again is 404", do: "DELETE " + all + "/$id", status: 404, code: "not_found"},
					{
						rule: "a deleted record cannot be patched", do: "PATCH " + all + "/$id", body: r.patch, status: 404,
						code: "not_found",
					},
					{
						rule: "search no longer shows it", do: "POST " + all + "/search",
						body: `{"filters":[{"field":"external_id","operator":"eq","value":"a"}]}`, status: 200,
						want: `{"data":[],"meta":{"total":0}}`,
					},
					{
						rule: "the bin shows it with the time of its deletion", do: "POST " + all + "/deleted/search", status: 200,
						want: `{"data":[{"id":"$id","deleted_at":"*"}],"meta":{"total":1}}`,
					},
					{
						rule: "the bin can be searched like the rest", do: "POST " + all + "/deleted/search",
						body:   `{"order_by":"deleted_at","filters":[{"field":"deleted_at","operator":"is_set"}],"fields":["external_id"]}`,
						status: 200, want: `{"data":[{"external_id":"a","id":"<absent>"}]}`,
					},
					{
						rule: "live records have no deleted_at to search by", do: "POST " + all + "/search",
						body: `{"order_by":"deleted_at"}`, status: 422, wrong: "order_by:unknown_field",
					},
				})
				w.missing(t, kind, w.vars["id"])
				if !offers(kind, "restore") {
					return
				}
				w.offered(t, kind, []step{
					{
						rule: "restoring brings it back as it was, one version on", do: "POST " + all + "/$id/restore", status: 200,
						want: `{"id":"$id","version":4,"external_id":"a","deleted_at":"<absent>"}`,
					},
					{rule: "restoring again changes nothing", do: "POST " + all + "/$id/restore", status: 200, want: `{"version":4}`},
					{
						rule: "the bin is empty again", do: "POST " + all + "/deleted/search", status: 200,
						want: `{"data":[],"meta":{"total":0}}`,
					},
					{
						rule: "search shows it again", do: "POST " + all + "/search",
						body: `{"filters":[{"field":"external_id","operator":"eq","value":"a"}]}`, status: 200, found: found("a"),
					},
				})
			})
		}
	})
}

func TestETagAndIfMatch(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "contacts", `{"name":"Anna"}`, "anna")
		w.create(t, "notes", `{"title":"x"}`, "note")
		w.run(t, []step{
			{
				rule: "the present version matches", do: "PATCH /contacts/$anna", send: []string{`If-Match: "1"`}, body: `{"name":"B"}`,
				status: 200, head: []string{`ETag: "2"`},
			},
			{
				rule: "an old version is 412", do: "PATCH /contacts/$anna", send: []string{`If-Match: "1"`}, body: `{"name":"C"}`,
				status: 412, code: "precondition_failed",
			},
			{rule: "412 changed nothing", do: "GET /contacts/$anna", status: 200, want: `{"name":"B","version":2}`},
			{
				rule: "a star matches any version", do: "PATCH /contacts/$anna", send: []string{`If-Match: *`}, body: `{"name":"C"}`,
				status: 200,
			},
			{
				rule: "one of several tags is enough", do: "PATCH /contacts/$anna", send: []string{`If-Match: "1", "3"`},
				body: `{"name":"D"}`, status: 200,
			},
			{
				rule: "tags may come in several headers", do: "PATCH /contacts/$anna", send: []string{`If-Match: "1"`, `+If-Match: "4"`},
				body: `{"name":"E"}`, status: 200,
			},
			{
				rule: "a tag that is none matches nothing", do: "PATCH /contacts/$anna", send: []string{`If-Match: "x"`},
				body: `{"name":"F"}`, status: 412,
			},
			{
				rule: "a weak tag does not match (RFC 9110)", do: "PATCH /contacts/$anna", send: []string{`If-Match: W/"5"`},
				body: `{"name":"F"}`, status: 412,
			},
			{
				rule: "an empty If-Match matches nothing", do: "PATCH /contacts/$anna", send: []string{`If-Match: `}, body: `{"name":"F"}`,
				status: 412,
			},
			{
				rule: "a stale patch that would change nothing is 412 all the same", do: "PATCH /contacts/$anna",
				send: []string{`If-Match: "1"`}, body: `{}`, status: 412,
			},
			{rule: "actions honour If-Match", do: "POST /notes/$note/pin", send: []string{`If-Match: "7"`}, status: 412},
			{
				rule: "actions raise the version", do: "POST /notes/$note/pin", send: []string{`If-Match: "1"`}, status: 200,
				want: `{"version":2}`,
			},
			{
				rule: "If-Match of an unknown record is 404", do: "PATCH /contacts/contact_01h455vb4pex5vsknk084sn02q",
				send: []string{`If-Match: "1"`}, body: `{}`, status: 404,
			},
			{rule: "a contact is deleted", do: "DELETE /contacts/$anna", status: 204},
			{rule: "restoring honours If-Match", do: "POST /contacts/$anna/restore", send: []string{`If-Match: "5"`}, status: 412},
			{
				rule: "the deletion is a version of its own", do: "POST /contacts/$anna/restore", send: []string{`If-Match: "6"`},
				status: 200, want: `{"version":7}`,
			},
		})
	})
}

func TestMergePatch(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "companies", `{"name":"Lund AB"}`, "lund")
		w.create(t, "contacts", `{"first_name":"Anna","last_name":"Lund","email":"a@b.example","company_id":"$lund",`+
			`"address":{"city":"Kiel","street":"Hafen 1"},"tags":["a","b"],"lead_score":3}`, "anna")
		w.run(t, []step{
			{
				rule: "null clears a field", do: "PATCH /contacts/$anna", body: `{"lead_score":null,"company_id":null}`, status: 200,
				want: `{"lead_score":null,"company_id":null,"email":"a@b.example"}`,
			},
			{rule: "an empty string is absent", do: "PATCH /contacts/$anna", body: `{"email":""}`, status: 200, want: `{"email":null}`},
			{
				rule: "an object is merged key by key", do: "PATCH /contacts/$anna", body: `{"address":{"city":"Lübeck","country":"DE"}}`,
				status: 200, want: `{"address":{"city":"Lübeck","street":"Hafen 1","country":"DE","region":null}}`,
			},
			{
				rule: "null inside an object clears that key alone", do: "PATCH /contacts/$anna", body: `{"address":{"street":null}}`,
				status: 200, want: `{"address":{"city":"Lübeck","street":null,"country":"DE"}}`,
			},
			{
				rule: "null clears the whole object", do: "PATCH /contacts/$anna", body: `{"address":null}`, status: 200,
				want: `{"address":null}`,
			},
			{rule: "a list is replaced", do: "PATCH /contacts/$anna", body: `{"tags":["c"]}`, status: 200, want: `{"tags":["c"]}`},
			{
				rule: "tags do not repeat", do: "PATCH /contacts/$anna", body: `{"tags":["x","y","x"]}`, status: 200,
				want: `{"tags":["x","y"]}`,
			},
			{rule: "an empty list is no tags", do: "PATCH /contacts/$anna", body: `{"tags":[]}`, status: 200, want: `{"tags":[]}`},
			{
				rule: "null is no tags either and changes nothing", do: "PATCH /contacts/$anna", body: `{"tags":null}`, status: 200,
				want: `{"tags":[],"version":9}`,
			},
			{
				rule: "a derived name follows its parts", do: "PATCH /contacts/$anna", body: `{"first_name":"Anne"}`, status: 200,
				want: `{"name":"Anne Lund"}`,
			},
			{
				rule: "a given name stays", do: "PATCH /contacts/$anna", body: `{"name":"Dr. Lund"}`, status: 200,
				want: `{"name":"Dr. Lund","first_name":"Anne"}`,
			},
			{
				rule: "a given name does not follow", do: "PATCH /contacts/$anna", body: `{"first_name":"Anja"}`, status: 200,
				want: `{"name":"Dr. Lund"}`,
			},
			{
				rule: "a cleared name is derived again", do: "PATCH /contacts/$anna", body: `{"name":null}`, status: 200,
				want: `{"name":"Anja Lund"}`,
			},
			{
				rule: "a contact without any name is 422", do: "PATCH /contacts/$anna",
				body: `{"first_name":null,"last_name":null,"name":null}`, status: 422, wrong: "name:required",
			},
			{
				rule: "a required field cannot be cleared", do: "PATCH /companies/$lund", body: `{"name":null}`, status: 422,
				wrong: "name:required",
			},
			{rule: "nor emptied", do: "PATCH /companies/$lund", body: `{"name":""}`, status: 422, wrong: "name:required"},
			{
				rule: "a field with a default falls back to it", do: "PATCH /contacts/$anna", body: `{"do_not_contact":null}`, status: 200,
				want: `{"do_not_contact":false}`,
			},
			{
				rule: "custom fields that are not defined are 422", do: "PATCH /contacts/$anna", body: `{"custom_fields":{"colour":"red"}}`,
				status: 422, wrong: "custom_fields.colour:unknown_field",
			},
			{
				rule: "empty custom fields change nothing", do: "PATCH /contacts/$anna", body: `{"custom_fields":{}}`, status: 200,
				want: `{"custom_fields":{},"version":13}`,
			},
			{
				rule: "a permission is cleared by null", do: "POST /roles",
				body: `{"name":"r","permissions":{"contact":{"read":"all"},"deal":{"read":"own"}}}`, status: 201, save: "role",
			},
			{
				rule: "null takes one resource out of the permissions", do: "PATCH /roles/$role", body: `{"permissions":{"deal":null}}`,
				status: 200, want: `{"permissions":{"contact":{"read":"all"},"deal":"<absent>"}}`,
			},
			{
				rule: "null takes all permissions", do: "PATCH /roles/$role", body: `{"permissions":null}`, status: 200,
				want: `{"permissions":{}}`,
			},
			{
				rule: "permissions that are empty count as not set", do: "POST /roles/search",
				body: `{"filters":[{"field":"permissions","operator":"is_not_set"}],"fields":["name"]}`, status: 200,
				want: `{"data":[{"name":"r"}]}`,
			},
			{
				rule: "every wrong permission is reported by its path", do: "PATCH /roles/$role",
				body: `{"permissions":{"boat":{},"contact":{"read":"some","sail":"all"},"deal":5},"features":["fly"],` +
					`"custom_fields":{"x":1}}`, status: 422,
				wrong: "features[0]:not_allowed permissions.boat:unknown_field permissions.contact.read:not_allowed " +
					"permissions.contact.sail:unknown_field permissions.deal:wrong_type custom_fields.x:unknown_field",
			},
		})
	})
}

func TestUniqueValues(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "products", `{"name":"Oar","sku":"OAR-1","external_id":"x1"}`, "oar")
		w.create(t, "products", `{"name":"Sail"}`, "sail")
		w.create(t, "products", `{"name":"No sku either"}`, "")
		w.create(t, "contacts", `{"name":"Anna","email":"same@x.example","external_id":"x1"}`, "")
		w.run(t, []step{
			{
				rule: "a sku is unique: 409 with existing_id", do: "POST /products", body: `{"name":"Oar 2","sku":"OAR-1"}`, status: 409,
				code: "conflict", want: `{"existing_id":"$oar","errors":[{"field":"sku","code":"not_unique"}]}`,
			},
			{
				rule: "a sku is compared without case", do: "POST /products", body: `{"name":"Oar 2","sku":"oar-1"}`, status: 409,
				want: `{"existing_id":"$oar"}`,
			},
			{rule: "and with accents", do: "POST /products", body: `{"name":"Oar 2","sku":"óar-1"}`, status: 201},
			{
				rule: "a patch to a taken sku is 409", do: "PATCH /products/$sail", body: `{"sku":"OAR-1"}`, status: 409,
				want: `{"existing_id":"$oar"}`,
			},
			{
				rule: "one's own sku is no conflict", do: "PATCH /products/$oar", body: `{"sku":"oar-1"}`, status: 200,
				want: `{"sku":"oar-1"}`,
			},
			{
				rule: "external_id is unique within a resource only", do: "POST /companies", body: `{"name":"c","external_id":"x1"}`,
				status: 201,
			},
			{rule: "external_id is compared to the letter", do: "POST /products", body: `{"name":"p","external_id":"X1"}`, status: 201},
			{rule: "the e-mail address of contacts is not unique", do: "POST /contacts", body: `{"email":"same@x.example"}`, status: 201},
			{
				rule: "the e-mail address of users is unique", do: "POST /users", body: `{"email":"MEMBER@harbour.example"}`, status: 409,
				want: `{"existing_id":"$member","errors":[{"field":"email","code":"not_unique"}]}`,
			},
			{rule: "with accents it is another address", do: "POST /users", body: `{"email":"mémber@harbour.example"}`, status: 201},
			{rule: "the names of roles are unique", do: "POST /roles", body: `{"name":"Admin"}`, status: 409, want: `{"existing_id":"*"}`},
			{rule: "deleting frees the value", do: "DELETE /products/$oar", status: 204},
			{
				rule: "another product can take it", do: "POST /products", body: `{"name":"Oar 2","sku":"OAR-1"}`, status: 201,
				save: "second",
			},
			{
				rule: "then the first cannot be restored", do: "POST /products/$oar/restore", status: 409, code: "conflict",
				want: `{"existing_id":"$second"}`,
			},
			{rule: "once the value is free again it can", do: "PATCH /products/$second", body: `{"sku":null}`, status: 200},
			{rule: "restored with its sku", do: "POST /products/$oar/restore", status: 200, want: `{"sku":"oar-1"}`},
			{
				rule: "another business has its own values", as: "stranger", do: "POST /products",
				body: `{"name":"Oar","sku":"OAR-1","external_id":"x1"}`, status: 201,
			},
		})
	})
}

func TestReferences(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "companies", `{"name":"Lund AB"}`, "lund")
		w.create(t, "companies", `{"name":"Gone AB"}`, "gone")
		w.check(t, step{do: "DELETE /companies/$gone", status: 204})
		w.create(t, "companies", `{"name":"Child","parent_company_id":"$lund"}`, "child")
		w.create(t, "lifecycle_stages", `{"name":"Partner"}`, "stage")
		w.create(t, "contacts", `{"name":"Anna","lifecycle_stage_id":"$stage","company_id":"$lund"}`, "anna")
		w.create(t, "users", `{"email":"s@harbour.example","status":"active"}`, "sam")
		w.check(t, step{do: "PATCH /users/$sam", body: `{"status":"suspended"}`, status: 200})
		w.run(t, []step{
			{
				rule: "a reference to nothing is 422 on the field", do: "POST /contacts",
				body: `{"name":"x","company_id":"company_01h455vb4pex5vsknk084sn02q"}`, status: 422, wrong: "company_id:not_found",
			},
			{
				rule: "a reference to a deleted record is 422", do: "POST /contacts", body: `{"name":"x","company_id":"$gone"}`,
				status: 422,
				wrong:  "company_id:not_found",
			},
			{
				rule: "an id of another resource is 422", do: "POST /contacts", body: `{"name":"x","company_id":"$anna"}`, status: 422,
				wrong: "company_id:invalid_id",
			},
			{
				rule: "the id of zeros is 422, not absent", do: "POST /contacts",
				body: `{"name":"x","company_id":"company_00000000000000000000000000"}`, status: 422, wrong: "company_id:invalid_id",
			},
			{
				rule: "all wrong references are reported", do: "POST /tasks",
				body: `{"title":"x","company_id":"$gone","contact_id":"contact_01h455vb4pex5vsknk084sn02q",` +
					`"owner_id":"user_01h455vb4pex5vsknk084sn02q"}`, status: 422,
				wrong: "contact_id:not_found company_id:not_found owner_id:not_found",
			},
			{
				rule: "a suspended user cannot become the owner", do: "PATCH /contacts/$anna", body: `{"owner_id":"$sam"}`, status: 422,
				wrong: "owner_id:not_allowed",
			},
			{
				rule: "an owner can be another user", do: "PATCH /contacts/$anna", body: `{"owner_id":"$member"}`, status: 200,
				want: `{"owner_id":"$member","updated_by":"$admin"}`,
			},
			{
				rule: "a company is not its own parent", do: "PATCH /companies/$lund", body: `{"parent_company_id":"$lund"}`, status: 422,
				wrong: "parent_company_id:not_allowed",
			},
			{
				rule: "nor its own grandparent", do: "PATCH /companies/$lund", body: `{"parent_company_id":"$child"}`, status: 422,
				wrong: "parent_company_id:not_allowed",
			},
			{
				rule: "a lifecycle stage in use cannot be deleted", do: "DELETE /lifecycle_stages/$stage", status: 409, code: "conflict",
				want: `{"existing_id":"$anna"}`,
			},
			{rule: "a company can be deleted while others point to it", do: "DELETE /companies/$lund", status: 204},
			{
				rule: "a reference that was there stays when other fields change", do: "PATCH /contacts/$anna",
				body: `{"job_title":"CEO","company_id":"$lund"}`, status: 200, want: `{"company_id":"$lund"}`,
			},
		})
	})
}

func TestSettingsOfABusiness(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.run(t, []step{
			{
				rule: "a new business has one pipeline with six stages", do: "POST /pipelines/search", status: 200,
				save: "sales=data.0.id open=data.0.stages.0.id won=data.0.stages.4.id",
				want: `{"data":[{"name":"Sales","is_default":true,"position":1,"stages":[
					{"name":"Qualification","kind":"open","probability":10,"position":1},{"name":"Meeting","kind":"open","probability":25},
					{"name":"Proposal","kind":"open","probability":50},
					{"name":"Negotiation","kind":"open","probability":75},{"name":"Won","kind":"won","probability":100},
					{"name":"Lost","kind":"lost","probability":0,"position":6}]}]}`,
			},
			{
				rule: "a new business has lifecycle stages with a default", do: "POST /lifecycle_stages/search",
				body: `{"order_by":"position","sort_direction":"asc","fields":["name","is_default","position"]}`, status: 200,
				want: `{"data":[{"name":"Lead","is_default":true,"position":1},{"name":"Qualified","is_default":false,"position":2},` +
					`{"name":"Opportunity"},{"name":"Customer"},{"name":"Former customer","position":5}]}`,
			},
			{
				rule: "a new business has four roles", do: "POST /roles/search",
				body: `{"order_by":"name","sort_direction":"asc","fields":["name"]}`, status: 200,
				want: `{"data":[{"name":"admin"},{"name":"manager"},{"name":"member"},{"name":"viewer"}]}`,
			},
			{rule: "the default pipeline cannot be deleted", do: "DELETE /pipelines/$sales", status: 409, code: "conflict"},
			{
				rule: "the default mark cannot be taken away", do: "PATCH /pipelines/$sales", body: `{"is_default":false}`, status: 422,
				wrong: "is_default:not_allowed",
			},
			{
				rule: "another pipeline can become the default", do: "POST /pipelines", body: `{"name":"New","is_default":true}`,
				status: 201, save: "new", want: `{"stages":[{"kind":"open"},{"kind":"won"},{"kind":"lost"}]}`,
			},
			{
				rule: "then the first is not the default any more", do: "GET /pipelines/$sales", status: 200,
				want: `{"is_default":false,"version":2}`,
			},
			{
				rule: "a deal without a pipeline goes to the default one", do: "POST /deals", body: `{"name":"d"}`, status: 201,
				want: `{"pipeline_id":"$new"}`, save: "deal",
			},
			{
				rule: "a pipeline with deals cannot be deleted, default or not", do: "PATCH /pipelines/$sales", body: `{"is_default":true}`,
				status: 200,
			},
			{rule: "it is in use", do: "DELETE /pipelines/$new", status: 409, code: "conflict", want: `{"existing_id":"$deal"}`},
			{
				rule: "a stage keeps its id when it is renamed and moved", do: "PATCH /pipelines/$sales",
				body: `{"stages":[{"name":"First"},{"id":"$open","name":"Second"},{"id":"$won","name":"Won","kind":"won"}]}`, status: 200,
				want: `{"stages":[{"name":"First","position":1},{"id":"$open","name":"Second","position":2},{"id":"$won","position":3},` +
					`{"kind":"lost","position":4}]}`,
			},
			{
				rule: "a stage id that is not the pipeline's is 422", do: "PATCH /pipelines/$sales",
				body: `{"stages":[{"id":"stage_01h455vb4pex5vsknk084sn02q","name":"x"}]}`, status: 422, wrong: "stages[0].id:not_found",
			},
			{
				rule: "a stage id given twice is 422", do: "PATCH /pipelines/$sales",
				body: `{"stages":[{"id":"$open","name":"x"},{"id":"$open","name":"y"}]}`, status: 422, wrong: "stages[1].id:not_allowed",
			},
			{
				rule: "all wrong stages are reported", do: "POST /pipelines",
				body: `{"stages":[{"probability":101},{"name":"x","kind":"sunk"},5]}`, status: 422,
				wrong: "stages[0].probability:out_of_range stages[0].name:required stages[1].kind:not_allowed stages[2]:wrong_type " +
					"name:required",
			},
			{
				rule: "a stage is used", do: "POST /deals", body: `{"name":"e","stage_id":"$open"}`, status: 201,
				want: `{"pipeline_id":"$sales"}`, save: "deal2",
			},
			{
				rule: "a stage that deals are in cannot be dropped", do: "PATCH /pipelines/$sales", body: `{"stages":[{"name":"Only"}]}`,
				status: 409, code: "conflict", want: `{"existing_id":"$deal2"}`,
			},
			{
				rule: "a role that users have cannot be deleted", do: "POST /roles/search",
				body: `{"filters":[{"field":"name","operator":"eq","value":"viewer"}]}`, status: 200, save: "viewer_role=data.0.id",
			},
			{rule: "it is in use by the viewer", do: "DELETE /roles/$viewer_role", status: 409, want: `{"existing_id":"$viewer"}`},
			{
				rule: "a user without a role is a member", do: "POST /users", body: `{"email":"n@harbour.example"}`, status: 201,
				save: "n=role_id",
			},
			{rule: "the role member", do: "GET /roles/$n", status: 200, want: `{"name":"member"}`},
		})
	})
}

// A record in the bin can lose what it needs: its pipeline, its stage, its role.
func TestRestoringWhatLostItsGround(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "pipelines", `{"name":"Side","stages":[{"name":"One"},{"name":"Two"}]}`, "side stage=stages.1.id")
		w.create(t, "deals", `{"name":"d","stage_id":"$stage"}`, "deal")
		w.create(t, "roles", `{"name":"Intern"}`, "role")
		w.create(t, "users", `{"email":"i@harbour.example","role_id":"$role"}`, "intern")
		for _, one := range []string{"deals/$deal", "users/$intern", "roles/$role", "pipelines/$side"} {
			w.check(t, step{do: "DELETE /" + one, status: 204})
		}
		w.run(t, []step{
			{
				rule: "a deal whose pipeline is deleted is not restored", do: "POST /deals/$deal/restore", status: 409, code: "conflict",
				want: `{"existing_id":"$side"}`,
			},
			{
				rule: "a user whose role is deleted is not restored", do: "POST /users/$intern/restore", status: 409, code: "conflict",
				want: `{"existing_id":"$role"}`,
			},
			{rule: "the pipeline comes back first", do: "POST /pipelines/$side/restore", status: 200},
			{rule: "its stage is dropped", do: "PATCH /pipelines/$side", body: `{"stages":[{"name":"Other"}]}`, status: 200},
			{
				rule: "a deal whose stage is gone is not restored", do: "POST /deals/$deal/restore", status: 409, code: "conflict",
				want: `{"existing_id":"$side"}`,
			},
			{rule: "the role comes back first", do: "POST /roles/$role/restore", status: 200},
			{rule: "then the user can be restored", do: "POST /users/$intern/restore", status: 200},
		})
	})
}

func TestTextsAndNumbersComeBackAsTheyWere(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		for i, c := range []struct{ sent, back string }{
			{`"lead_score":-0`, `"lead_score":0`},
			{`"lead_score":1e300`, `"lead_score":1e+300`},
			{`"lead_score":0.1`, `"lead_score":0.1`},
			{`"lead_score":123456789012345680000`, `"lead_score":123456789012345680000`},
			{`"lead_score":5e-324`, `"lead_score":5e-324`},
			{`"last_contacted_at":"0001-01-01T00:00:00Z"`, `"last_contacted_at":"0001-01-01T00:00:00.000000Z"`},
			{`"last_contacted_at":"9999-12-31T23:59:59.999999999Z"`, `"last_contacted_at":"9999-12-31T23:59:59.999999Z"`},
			{`"last_contacted_at":"1969-12-31T23:59:59.9999999Z"`, `"last_contacted_at":"1969-12-31T23:59:59.999999Z"`},
			{`"last_contacted_at":"2024-02-29T12:00:00-05:30"`, `"last_contacted_at":"2024-02-29T17:30:00.000000Z"`},
			{`"job_title":" \t\u00a0\u3000spaces  inside\n "`, `"job_title":"spaces  inside"`},
			{`"job_title":" \t "`, `"job_title":null`},
			{`"email":" anna@example.com "`, `"email":"anna@example.com"`},
			{`"tags":[" a ","a"]`, `"tags":["a"]`},
			{`"address":{"city":" Kiel ","country":"  "}`, `"address":{"city":"Kiel","country":null}`},
			{`"job_title":"\ud83d\ude00 \u00e9 \\ \" / <&>"`, `"job_title":"😀 é \\ \" / <&>"`},
			{`"tags":["b","A","x\u2028y"]`, `"tags":["b","A","x\u2028y"]`},
		} {
			w.run(t, []step{{
				rule: c.sent, do: "POST /contacts", body: fmt.Sprintf(`{"name":"n%d",%s}`, i, c.sent), status: 201,
				want: "{" + c.back + "}", save: "id",
			}})
			w.run(t, []step{{rule: "read " + c.sent, do: "GET /contacts/$id", status: 200, want: "{" + c.back + "}"}})
		}
		for _, c := range []struct{ sent, back string }{
			{`"amount":"0.0001"`, `"amount":"0.0001"`},
			{`"amount":-12.5`, `"amount":"-12.50"`},
			{`"amount":99999999999999.9999`, `"amount":"99999999999999.9999"`},
			{`"amount":1.2e3`, `"amount":"1200.00"`},
			{`"amount":"007.10"`, `"amount":"7.10"`},
			{`"expected_close_date":"0001-01-01"`, `"expected_close_date":"0001-01-01"`},
			{`"expected_close_date":"9999-12-31"`, `"expected_close_date":"9999-12-31"`},
			{`"currency":"jpy"`, `"currency":"JPY"`},
			{`"description":"  kept\n "`, `"description":"  kept\n "`},
			{`"probability":33.3333`, `"probability":33.3333`},
		} {
			w.run(t, []step{{
				rule: c.sent, do: "POST /deals", body: `{"name":"n",` + c.sent + `}`, status: 201, want: "{" + c.back + "}",
				save: "id",
			}})
			w.run(t, []step{{rule: "read " + c.sent, do: "GET /deals/$id", status: 200, want: "{" + c.back + "}"}})
		}
	})
}
