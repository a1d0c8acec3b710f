package record_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/record"

	. "github.com/kith-crm/kith/internal/apitest"
)

func TestEveryResourceLivesItsLife(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		if len(NewRecords) != len(record.Kinds()) {
			t.Fatalf("%d resources are tried, %d are declared", len(NewRecords), len(record.Kinds()))
		}
		for _, r := range NewRecords {
			all, kind := "/"+r.Plural, KindOf(t, r.Plural)
			stale, version := `"1"`, `"2"`
			if !Offers(kind, "patch") {
				stale, version = `"2"`, `"1"`
			}
			t.Run(r.Plural, func(t *testing.T) {
				w.Run(t, []Step{
					{
						Rule: "creating is 201 with Location, ETag and the record", Do: "POST " + all, Body: r.Body, Status: 201,
						Want: r.Want, Save: "id created_at=created_at", Head: []string{`ETag: "1"`, "Location: /v1" + all + "/*"},
					},
				})
				w.Offered(t, kind, []Step{
					{
						Rule: "a record tells who made it and is the acting user's", Do: "GET " + all + "/$id", Status: 200,
						Want: `{"id":"$id","owner_id":"$admin","created_by":"$admin","updated_by":"$admin","created_at":"$created_at",` +
							`"updated_at":"$created_at","version":1,"external_id":"a"}`,
					},
					{Rule: "what was created is read back", Do: "GET " + all + "/$id", Status: 200, Want: r.Want},
					{
						Rule: "a search sees it at once", Do: "POST " + all + "/search",
						Body: `{"filters":[{"field":"external_id","operator":"eq","value":"a"}]}`, Status: 200,
						Want: `{"data":[` + r.Want + `],"meta":{"total":1,"cursor":{"next":null,"has_more":false}}}`,
					},
					{
						Rule: "a patch changes what it names and raises the version", Do: "PATCH " + all + "/$id", Body: r.Patch,
						Status: 200, Want: r.Patched,
					},
					{Rule: "what was patched is read back", Do: "GET " + all + "/$id", Status: 200, Want: r.Patched},
					{
						Rule: "the same patch again raises no version", Do: "PATCH " + all + "/$id", Body: r.Patch, Status: 200,
						Want: `{"version":2}`,
					},
					{Rule: "an empty patch raises no version", Do: "PATCH " + all + "/$id", Body: `{}`, Status: 200, Want: `{"version":2}`},
					{Rule: "a patch without a body raises no version", Do: "PATCH " + all + "/$id", Status: 200, Want: `{"version":2}`},
					{
						Rule: "fields that kith keeps cannot be written", Do: "PATCH " + all + "/$id",
						Body: `{"id":"$id","created_at":null,"version":2,"deleted_at":null}`, Status: 422,
						Wrong: "id:read_only created_at:read_only version:read_only deleted_at:unknown_field",
					},
					{
						Rule: "the bin does not show a live record", Do: "POST " + all + "/deleted/search", Status: 200,
						Want: `{"data":[],"meta":{"total":0}}`,
					},
					{
						Rule: "external_id is unique: 409 names the record that has it", Do: "POST " + all, Body: r.Body, Status: 409,
						Code: "conflict", Want: `{"existing_id":"$id","errors":[{"code":"not_unique"}]}`,
					},
					{
						Rule: "an unknown id is 404", Do: "GET " + all + "/" + strings.Replace(w.Vars["id"], "_0", "_1", 1), Status: 404,
						Code: "not_found",
					},
					{
						Rule: "another version in If-Match keeps it from being deleted", Do: "DELETE " + all + "/$id",
						Send: []string{"If-Match: " + stale}, Status: 412, Code: "precondition_failed",
					},
					{
						Rule: "deleting is 204 without a body", Do: "DELETE " + all + "/$id", Send: []string{"If-Match: " + version},
						Status: 204,
					},
					{Rule: "a deleted record is 404", Do: "GET " + all + "/$id", Status: 404, Code: "not_found"},
					{Rule: "deleting it again is 404", Do: "DELETE " + all + "/$id", Status: 404, Code: "not_found"},
					{
						Rule: "a deleted record cannot be patched", Do: "PATCH " + all + "/$id", Body: r.Patch, Status: 404,
						Code: "not_found",
					},
					{
						Rule: "search no longer shows it", Do: "POST " + all + "/search",
						Body: `{"filters":[{"field":"external_id","operator":"eq","value":"a"}]}`, Status: 200,
						Want: `{"data":[],"meta":{"total":0}}`,
					},
					{
						Rule: "the bin shows it with the time of its deletion", Do: "POST " + all + "/deleted/search", Status: 200,
						Want: `{"data":[{"id":"$id","deleted_at":"*"}],"meta":{"total":1}}`,
					},
					{
						Rule: "the bin can be searched like the rest", Do: "POST " + all + "/deleted/search",
						Body:   `{"order_by":"deleted_at","filters":[{"field":"deleted_at","operator":"is_set"}],"fields":["external_id"]}`,
						Status: 200, Want: `{"data":[{"external_id":"a","id":"<absent>"}]}`,
					},
					{
						Rule: "live records have no deleted_at to search by", Do: "POST " + all + "/search",
						Body: `{"order_by":"deleted_at"}`, Status: 422, Wrong: "order_by:unknown_field",
					},
				})
				w.Missing(t, kind, w.Vars["id"])
				if !Offers(kind, "restore") {
					return
				}
				w.Offered(t, kind, []Step{
					{
						Rule: "restoring brings it back as it was, one version on", Do: "POST " + all + "/$id/restore", Status: 200,
						Want: `{"id":"$id","version":4,"external_id":"a","deleted_at":"<absent>"}`,
					},
					{Rule: "restoring again changes nothing", Do: "POST " + all + "/$id/restore", Status: 200, Want: `{"version":4}`},
					{
						Rule: "the bin is empty again", Do: "POST " + all + "/deleted/search", Status: 200,
						Want: `{"data":[],"meta":{"total":0}}`,
					},
					{
						Rule: "search shows it again", Do: "POST " + all + "/search",
						Body: `{"filters":[{"field":"external_id","operator":"eq","value":"a"}]}`, Status: 200, Found: Found("a"),
					},
				})
			})
		}
	})
}

func TestETagAndIfMatch(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "contacts", `{"name":"Anna"}`, "anna")
		w.Create(t, "notes", `{"title":"x"}`, "note")
		w.Run(t, []Step{
			{
				Rule: "the present version matches", Do: "PATCH /contacts/$anna", Send: []string{`If-Match: "1"`}, Body: `{"name":"B"}`,
				Status: 200, Head: []string{`ETag: "2"`},
			},
			{
				Rule: "an old version is 412", Do: "PATCH /contacts/$anna", Send: []string{`If-Match: "1"`}, Body: `{"name":"C"}`,
				Status: 412, Code: "precondition_failed",
			},
			{Rule: "412 changed nothing", Do: "GET /contacts/$anna", Status: 200, Want: `{"name":"B","version":2}`},
			{
				Rule: "a star matches any version", Do: "PATCH /contacts/$anna", Send: []string{`If-Match: *`}, Body: `{"name":"C"}`,
				Status: 200,
			},
			{
				Rule: "one of several tags is enough", Do: "PATCH /contacts/$anna", Send: []string{`If-Match: "1", "3"`},
				Body: `{"name":"D"}`, Status: 200,
			},
			{
				Rule: "tags may come in several headers", Do: "PATCH /contacts/$anna", Send: []string{`If-Match: "1"`, `+If-Match: "4"`},
				Body: `{"name":"E"}`, Status: 200,
			},
			{
				Rule: "a tag that is none matches nothing", Do: "PATCH /contacts/$anna", Send: []string{`If-Match: "x"`},
				Body: `{"name":"F"}`, Status: 412,
			},
			{
				Rule: "a weak tag does not match (RFC 9110)", Do: "PATCH /contacts/$anna", Send: []string{`If-Match: W/"5"`},
				Body: `{"name":"F"}`, Status: 412,
			},
			{
				Rule: "an empty If-Match matches nothing", Do: "PATCH /contacts/$anna", Send: []string{`If-Match: `}, Body: `{"name":"F"}`,
				Status: 412,
			},
			{
				Rule: "a stale patch that would change nothing is 412 all the same", Do: "PATCH /contacts/$anna",
				Send: []string{`If-Match: "1"`}, Body: `{}`, Status: 412,
			},
			{Rule: "actions honour If-Match", Do: "POST /notes/$note/pin", Send: []string{`If-Match: "7"`}, Status: 412},
			{
				Rule: "actions raise the version", Do: "POST /notes/$note/pin", Send: []string{`If-Match: "1"`}, Status: 200,
				Want: `{"version":2}`,
			},
			{
				Rule: "If-Match of an unknown record is 404", Do: "PATCH /contacts/contact_01h455vb4pex5vsknk084sn02q",
				Send: []string{`If-Match: "1"`}, Body: `{}`, Status: 404,
			},
			{Rule: "a contact is deleted", Do: "DELETE /contacts/$anna", Status: 204},
			{Rule: "restoring honours If-Match", Do: "POST /contacts/$anna/restore", Send: []string{`If-Match: "5"`}, Status: 412},
			{
				Rule: "the deletion is a version of its own", Do: "POST /contacts/$anna/restore", Send: []string{`If-Match: "6"`},
				Status: 200, Want: `{"version":7}`,
			},
		})
	})
}

func TestMergePatch(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "companies", `{"name":"Lund AB"}`, "lund")
		w.Create(t, "contacts", `{"first_name":"Anna","last_name":"Lund","email":"a@b.example","company_id":"$lund",`+
			`"address":{"city":"Kiel","street":"Hafen 1"},"tags":["a","b"],"lead_score":3}`, "anna")
		w.Run(t, []Step{
			{
				Rule: "null clears a field", Do: "PATCH /contacts/$anna", Body: `{"lead_score":null,"company_id":null}`, Status: 200,
				Want: `{"lead_score":null,"company_id":null,"email":"a@b.example"}`,
			},
			{Rule: "an empty string is absent", Do: "PATCH /contacts/$anna", Body: `{"email":""}`, Status: 200, Want: `{"email":null}`},
			{
				Rule: "an object is merged key by key", Do: "PATCH /contacts/$anna", Body: `{"address":{"city":"Lübeck","country":"DE"}}`,
				Status: 200, Want: `{"address":{"city":"Lübeck","street":"Hafen 1","country":"DE","region":null}}`,
			},
			{
				Rule: "null inside an object clears that key alone", Do: "PATCH /contacts/$anna", Body: `{"address":{"street":null}}`,
				Status: 200, Want: `{"address":{"city":"Lübeck","street":null,"country":"DE"}}`,
			},
			{
				Rule: "null clears the whole object", Do: "PATCH /contacts/$anna", Body: `{"address":null}`, Status: 200,
				Want: `{"address":null}`,
			},
			{Rule: "a list is replaced", Do: "PATCH /contacts/$anna", Body: `{"tags":["c"]}`, Status: 200, Want: `{"tags":["c"]}`},
			{
				Rule: "tags do not repeat", Do: "PATCH /contacts/$anna", Body: `{"tags":["x","y","x"]}`, Status: 200,
				Want: `{"tags":["x","y"]}`,
			},
			{Rule: "an empty list is no tags", Do: "PATCH /contacts/$anna", Body: `{"tags":[]}`, Status: 200, Want: `{"tags":[]}`},
			{
				Rule: "null is no tags either and changes nothing", Do: "PATCH /contacts/$anna", Body: `{"tags":null}`, Status: 200,
				Want: `{"tags":[],"version":9}`,
			},
			{
				Rule: "a derived name follows its parts", Do: "PATCH /contacts/$anna", Body: `{"first_name":"Anne"}`, Status: 200,
				Want: `{"name":"Anne Lund"}`,
			},
			{
				Rule: "a given name stays", Do: "PATCH /contacts/$anna", Body: `{"name":"Dr. Lund"}`, Status: 200,
				Want: `{"name":"Dr. Lund","first_name":"Anne"}`,
			},
			{
				Rule: "a given name does not follow", Do: "PATCH /contacts/$anna", Body: `{"first_name":"Anja"}`, Status: 200,
				Want: `{"name":"Dr. Lund"}`,
			},
			{
				Rule: "a cleared name is derived again", Do: "PATCH /contacts/$anna", Body: `{"name":null}`, Status: 200,
				Want: `{"name":"Anja Lund"}`,
			},
			{
				Rule: "a contact without any name is 422", Do: "PATCH /contacts/$anna",
				Body: `{"first_name":null,"last_name":null,"name":null}`, Status: 422, Wrong: "name:required",
			},
			{
				Rule: "a required field cannot be cleared", Do: "PATCH /companies/$lund", Body: `{"name":null}`, Status: 422,
				Wrong: "name:required",
			},
			{Rule: "nor emptied", Do: "PATCH /companies/$lund", Body: `{"name":""}`, Status: 422, Wrong: "name:required"},
			{
				Rule: "a field with a default falls back to it", Do: "PATCH /contacts/$anna", Body: `{"do_not_contact":null}`, Status: 200,
				Want: `{"do_not_contact":false}`,
			},
			{
				Rule: "custom fields that are not defined are 422", Do: "PATCH /contacts/$anna", Body: `{"custom_fields":{"colour":"red"}}`,
				Status: 422, Wrong: "custom_fields.colour:unknown_field",
			},
			{
				Rule: "empty custom fields change nothing", Do: "PATCH /contacts/$anna", Body: `{"custom_fields":{}}`, Status: 200,
				Want: `{"custom_fields":{},"version":13}`,
			},
			{
				Rule: "a permission is cleared by null", Do: "POST /roles",
				Body: `{"name":"r","permissions":{"contact":{"read":"all"},"deal":{"read":"own"}}}`, Status: 201, Save: "role",
			},
			{
				Rule: "null takes one resource out of the permissions", Do: "PATCH /roles/$role", Body: `{"permissions":{"deal":null}}`,
				Status: 200, Want: `{"permissions":{"contact":{"read":"all"},"deal":"<absent>"}}`,
			},
			{
				Rule: "null takes all permissions", Do: "PATCH /roles/$role", Body: `{"permissions":null}`, Status: 200,
				Want: `{"permissions":{}}`,
			},
			{
				Rule: "permissions that are empty count as not set", Do: "POST /roles/search",
				Body: `{"filters":[{"field":"permissions","operator":"is_not_set"}],"fields":["name"]}`, Status: 200,
				Want: `{"data":[{"name":"r"}]}`,
			},
			{
				Rule: "every wrong permission is reported by its path", Do: "PATCH /roles/$role",
				Body: `{"permissions":{"boat":{},"contact":{"read":"some","sail":"all"},"deal":5},"features":["fly"],` +
					`"custom_fields":{"x":1}}`, Status: 422,
				Wrong: "features[0]:not_allowed permissions.boat:unknown_field permissions.contact.read:not_allowed " +
					"permissions.contact.sail:unknown_field permissions.deal:wrong_type custom_fields.x:unknown_field",
			},
		})
	})
}

func TestUniqueValues(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "products", `{"name":"Oar","sku":"OAR-1","external_id":"x1"}`, "oar")
		w.Create(t, "products", `{"name":"Sail"}`, "sail")
		w.Create(t, "products", `{"name":"No sku either"}`, "")
		w.Create(t, "contacts", `{"name":"Anna","email":"same@x.example","external_id":"x1"}`, "")
		w.Run(t, []Step{
			{
				Rule: "a sku is unique: 409 with existing_id", Do: "POST /products", Body: `{"name":"Oar 2","sku":"OAR-1"}`, Status: 409,
				Code: "conflict", Want: `{"existing_id":"$oar","errors":[{"field":"sku","code":"not_unique"}]}`,
			},
			{
				Rule: "a sku is compared without case", Do: "POST /products", Body: `{"name":"Oar 2","sku":"oar-1"}`, Status: 409,
				Want: `{"existing_id":"$oar"}`,
			},
			{Rule: "and with accents", Do: "POST /products", Body: `{"name":"Oar 2","sku":"óar-1"}`, Status: 201},
			{
				Rule: "a patch to a taken sku is 409", Do: "PATCH /products/$sail", Body: `{"sku":"OAR-1"}`, Status: 409,
				Want: `{"existing_id":"$oar"}`,
			},
			{
				Rule: "one's own sku is no conflict", Do: "PATCH /products/$oar", Body: `{"sku":"oar-1"}`, Status: 200,
				Want: `{"sku":"oar-1"}`,
			},
			{
				Rule: "external_id is unique within a resource only", Do: "POST /companies", Body: `{"name":"c","external_id":"x1"}`,
				Status: 201,
			},
			{Rule: "external_id is compared to the letter", Do: "POST /products", Body: `{"name":"p","external_id":"X1"}`, Status: 201},
			{Rule: "the e-mail address of contacts is not unique", Do: "POST /contacts", Body: `{"email":"same@x.example"}`, Status: 201},
			{
				Rule: "the e-mail address of users is unique", Do: "POST /users", Body: `{"email":"MEMBER@harbour.example"}`, Status: 409,
				Want: `{"existing_id":"$member","errors":[{"field":"email","code":"not_unique"}]}`,
			},
			{Rule: "with accents it is another address", Do: "POST /users", Body: `{"email":"mémber@harbour.example"}`, Status: 201},
			{Rule: "the names of roles are unique", Do: "POST /roles", Body: `{"name":"Admin"}`, Status: 409, Want: `{"existing_id":"*"}`},
			{Rule: "deleting frees the value", Do: "DELETE /products/$oar", Status: 204},
			{
				Rule: "another product can take it", Do: "POST /products", Body: `{"name":"Oar 2","sku":"OAR-1"}`, Status: 201,
				Save: "second",
			},
			{
				Rule: "then the first cannot be restored", Do: "POST /products/$oar/restore", Status: 409, Code: "conflict",
				Want: `{"existing_id":"$second"}`,
			},
			{Rule: "once the value is free again it can", Do: "PATCH /products/$second", Body: `{"sku":null}`, Status: 200},
			{Rule: "restored with its sku", Do: "POST /products/$oar/restore", Status: 200, Want: `{"sku":"oar-1"}`},
			{
				Rule: "another business has its own values", As: "stranger", Do: "POST /products",
				Body: `{"name":"Oar","sku":"OAR-1","external_id":"x1"}`, Status: 201,
			},
		})
	})
}

func TestReferences(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "companies", `{"name":"Lund AB"}`, "lund")
		w.Create(t, "companies", `{"name":"Gone AB"}`, "gone")
		w.Check(t, Step{Do: "DELETE /companies/$gone", Status: 204})
		w.Create(t, "companies", `{"name":"Child","parent_company_id":"$lund"}`, "child")
		w.Create(t, "lifecycle_stages", `{"name":"Partner"}`, "stage")
		w.Create(t, "contacts", `{"name":"Anna","lifecycle_stage_id":"$stage","company_id":"$lund"}`, "anna")
		w.Create(t, "users", `{"email":"s@harbour.example","status":"active"}`, "sam")
		w.Check(t, Step{Do: "PATCH /users/$sam", Body: `{"status":"suspended"}`, Status: 200})
		w.Run(t, []Step{
			{
				Rule: "a reference to nothing is 422 on the field", Do: "POST /contacts",
				Body: `{"name":"x","company_id":"company_01h455vb4pex5vsknk084sn02q"}`, Status: 422, Wrong: "company_id:not_found",
			},
			{
				Rule: "a reference to a deleted record is 422", Do: "POST /contacts", Body: `{"name":"x","company_id":"$gone"}`,
				Status: 422,
				Wrong:  "company_id:not_found",
			},
			{
				Rule: "an id of another resource is 422", Do: "POST /contacts", Body: `{"name":"x","company_id":"$anna"}`, Status: 422,
				Wrong: "company_id:invalid_id",
			},
			{
				Rule: "the id of zeros is 422, not absent", Do: "POST /contacts",
				Body: `{"name":"x","company_id":"company_00000000000000000000000000"}`, Status: 422, Wrong: "company_id:invalid_id",
			},
			{
				Rule: "all wrong references are reported", Do: "POST /tasks",
				Body: `{"title":"x","company_id":"$gone","contact_id":"contact_01h455vb4pex5vsknk084sn02q",` +
					`"owner_id":"user_01h455vb4pex5vsknk084sn02q"}`, Status: 422,
				Wrong: "contact_id:not_found company_id:not_found owner_id:not_found",
			},
			{
				Rule: "a suspended user cannot become the owner", Do: "PATCH /contacts/$anna", Body: `{"owner_id":"$sam"}`, Status: 422,
				Wrong: "owner_id:not_allowed",
			},
			{
				Rule: "an owner can be another user", Do: "PATCH /contacts/$anna", Body: `{"owner_id":"$member"}`, Status: 200,
				Want: `{"owner_id":"$member","updated_by":"$admin"}`,
			},
			{
				Rule: "a company is not its own parent", Do: "PATCH /companies/$lund", Body: `{"parent_company_id":"$lund"}`, Status: 422,
				Wrong: "parent_company_id:not_allowed",
			},
			{
				Rule: "nor its own grandparent", Do: "PATCH /companies/$lund", Body: `{"parent_company_id":"$child"}`, Status: 422,
				Wrong: "parent_company_id:not_allowed",
			},
			{
				Rule: "a lifecycle stage in use cannot be deleted", Do: "DELETE /lifecycle_stages/$stage", Status: 409, Code: "conflict",
				Want: `{"existing_id":"$anna"}`,
			},
			{Rule: "a company can be deleted while others point to it", Do: "DELETE /companies/$lund", Status: 204},
			{
				Rule: "a reference that was there stays when other fields change", Do: "PATCH /contacts/$anna",
				Body: `{"job_title":"CEO","company_id":"$lund"}`, Status: 200, Want: `{"company_id":"$lund"}`,
			},
		})
	})
}

func TestSettingsOfABusiness(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Run(t, []Step{
			{
				Rule: "a new business has one pipeline with six stages", Do: "POST /pipelines/search", Status: 200,
				Save: "sales=data.0.id open=data.0.stages.0.id won=data.0.stages.4.id",
				Want: `{"data":[{"name":"Sales","is_default":true,"position":1,"stages":[
					{"name":"Qualification","kind":"open","probability":10,"position":1},{"name":"Meeting","kind":"open","probability":25},
					{"name":"Proposal","kind":"open","probability":50},
					{"name":"Negotiation","kind":"open","probability":75},{"name":"Won","kind":"won","probability":100},
					{"name":"Lost","kind":"lost","probability":0,"position":6}]}]}`,
			},
			{
				Rule: "a new business has lifecycle stages with a default", Do: "POST /lifecycle_stages/search",
				Body: `{"order_by":"position","sort_direction":"asc","fields":["name","is_default","position","colour"]}`, Status: 200,
				Want: `{"data":[{"name":"Lead","is_default":true,"position":1,"colour":"gray"},` +
					`{"name":"Qualified","is_default":false,"position":2},` +
					`{"name":"Opportunity"},{"name":"Customer"},{"name":"Former customer","position":5}]}`,
			},
			{
				Rule: "a new business has four roles", Do: "POST /roles/search",
				Body: `{"order_by":"name","sort_direction":"asc","fields":["name"]}`, Status: 200,
				Want: `{"data":[{"name":"admin"},{"name":"manager"},{"name":"member"},{"name":"viewer"}]}`,
			},
			{Rule: "the default pipeline cannot be deleted", Do: "DELETE /pipelines/$sales", Status: 409, Code: "conflict"},
			{
				Rule: "the default mark cannot be taken away", Do: "PATCH /pipelines/$sales", Body: `{"is_default":false}`, Status: 422,
				Wrong: "is_default:not_allowed",
			},
			{
				Rule: "another pipeline can become the default", Do: "POST /pipelines", Body: `{"name":"New","is_default":true}`,
				Status: 201, Save: "new", Want: `{"stages":[{"kind":"open"},{"kind":"won"},{"kind":"lost"}]}`,
			},
			{
				Rule: "then the first is not the default any more", Do: "GET /pipelines/$sales", Status: 200,
				Want: `{"is_default":false,"version":2}`,
			},
			{
				Rule: "a deal without a pipeline goes to the default one", Do: "POST /deals", Body: `{"name":"d"}`, Status: 201,
				Want: `{"pipeline_id":"$new"}`, Save: "deal",
			},
			{
				Rule: "a pipeline with deals cannot be deleted, default or not", Do: "PATCH /pipelines/$sales", Body: `{"is_default":true}`,
				Status: 200,
			},
			{Rule: "it is in use", Do: "DELETE /pipelines/$new", Status: 409, Code: "conflict", Want: `{"existing_id":"$deal"}`},
			{
				Rule: "a stage keeps its id when it is renamed and moved", Do: "PATCH /pipelines/$sales",
				Body: `{"stages":[{"name":"First"},{"id":"$open","name":"Second"},{"id":"$won","name":"Won","kind":"won"}]}`, Status: 200,
				Want: `{"stages":[{"name":"First","position":1},{"id":"$open","name":"Second","position":2},{"id":"$won","position":3},` +
					`{"kind":"lost","position":4}]}`,
			},
			{
				Rule: "a stage id that is not the pipeline's is 422", Do: "PATCH /pipelines/$sales",
				Body: `{"stages":[{"id":"stage_01h455vb4pex5vsknk084sn02q","name":"x"}]}`, Status: 422, Wrong: "stages[0].id:not_found",
			},
			{
				Rule: "a stage id given twice is 422", Do: "PATCH /pipelines/$sales",
				Body: `{"stages":[{"id":"$open","name":"x"},{"id":"$open","name":"y"}]}`, Status: 422, Wrong: "stages[1].id:not_allowed",
			},
			{
				Rule: "all wrong stages are reported", Do: "POST /pipelines",
				Body: `{"stages":[{"probability":101},{"name":"x","kind":"sunk"},5]}`, Status: 422,
				Wrong: "stages[0].probability:out_of_range stages[0].name:required stages[1].kind:not_allowed stages[2]:wrong_type " +
					"name:required",
			},
			{
				Rule: "a stage is used", Do: "POST /deals", Body: `{"name":"e","stage_id":"$open"}`, Status: 201,
				Want: `{"pipeline_id":"$sales"}`, Save: "deal2",
			},
			{
				Rule: "a stage that deals are in cannot be dropped", Do: "PATCH /pipelines/$sales", Body: `{"stages":[{"name":"Only"}]}`,
				Status: 409, Code: "conflict", Want: `{"existing_id":"$deal2"}`,
			},
			{
				Rule: "a role that users have cannot be deleted", Do: "POST /roles/search",
				Body: `{"filters":[{"field":"name","operator":"eq","value":"viewer"}]}`, Status: 200, Save: "viewer_role=data.0.id",
			},
			{Rule: "it is in use by the viewer", Do: "DELETE /roles/$viewer_role", Status: 409, Want: `{"existing_id":"$viewer"}`},
			{
				Rule: "a user without a role is a member", Do: "POST /users", Body: `{"email":"n@harbour.example"}`, Status: 201,
				Save: "n=role_id",
			},
			{Rule: "the role member", Do: "GET /roles/$n", Status: 200, Want: `{"name":"member"}`},
		})
	})
}

// A record in the bin can lose what it needs: its pipeline, its stage, its role.
func TestRestoringWhatLostItsGround(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "pipelines", `{"name":"Side","stages":[{"name":"One"},{"name":"Two"}]}`, "side stage=stages.1.id")
		w.Create(t, "deals", `{"name":"d","stage_id":"$stage"}`, "deal")
		w.Create(t, "roles", `{"name":"Intern"}`, "role")
		w.Create(t, "users", `{"email":"i@harbour.example","role_id":"$role"}`, "intern")
		for _, one := range []string{"deals/$deal", "users/$intern", "roles/$role", "pipelines/$side"} {
			w.Check(t, Step{Do: "DELETE /" + one, Status: 204})
		}
		w.Run(t, []Step{
			{
				Rule: "a deal whose pipeline is deleted is not restored", Do: "POST /deals/$deal/restore", Status: 409, Code: "conflict",
				Want: `{"existing_id":"$side"}`,
			},
			{
				Rule: "a user whose role is deleted is not restored", Do: "POST /users/$intern/restore", Status: 409, Code: "conflict",
				Want: `{"existing_id":"$role"}`,
			},
			{Rule: "the pipeline comes back first", Do: "POST /pipelines/$side/restore", Status: 200},
			{Rule: "its stage is dropped", Do: "PATCH /pipelines/$side", Body: `{"stages":[{"name":"Other"}]}`, Status: 200},
			{
				Rule: "a deal whose stage is gone is not restored", Do: "POST /deals/$deal/restore", Status: 409, Code: "conflict",
				Want: `{"existing_id":"$side"}`,
			},
			{Rule: "the role comes back first", Do: "POST /roles/$role/restore", Status: 200},
			{Rule: "then the user can be restored", Do: "POST /users/$intern/restore", Status: 200},
		})
	})
}

func TestTextsAndNumbersComeBackAsTheyWere(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
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
			w.Run(t, []Step{{
				Rule: c.sent, Do: "POST /contacts", Body: fmt.Sprintf(`{"name":"n%d",%s}`, i, c.sent), Status: 201,
				Want: "{" + c.back + "}", Save: "id",
			}})
			w.Run(t, []Step{{Rule: "read " + c.sent, Do: "GET /contacts/$id", Status: 200, Want: "{" + c.back + "}"}})
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
			w.Run(t, []Step{{
				Rule: c.sent, Do: "POST /deals", Body: `{"name":"n",` + c.sent + `}`, Status: 201, Want: "{" + c.back + "}",
				Save: "id",
			}})
			w.Run(t, []Step{{Rule: "read " + c.sent, Do: "GET /deals/$id", Status: 200, Want: "{" + c.back + "}"}})
		}
	})
}
