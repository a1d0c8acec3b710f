package crm_test

import (
	"strings"
	"testing"

	. "github.com/kith-crm/kith/internal/apitest"
)

func TestViews(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Run(t, []Step{
			{
				Rule: "a view needs a name and a resource", Do: "POST /views", Body: `{}`, Status: 422,
				Wrong: "name:required resource:required",
			},
			{
				Rule: "of those that there are", Do: "POST /views", Body: `{"name":"x","resource":"contacts"}`, Status: 422,
				Wrong: "resource:not_allowed",
			},
			{
				Rule: "it is a table of everything, at the end, and one's own", As: "member", Do: "POST /views",
				Body: `{"name":"All","resource":"contact","external_id":"mine"}`, Status: 201,
				Want: `{"search":{},"layout":"table","columns":[],"group_by":null,"position":1,"shared":false,"owner_id":"$member"}`,
				Save: "mine",
			},
			{
				Rule: "the next one comes behind it", As: "member", Do: "POST /views",
				Body: `{"name":"Shared","resource":"task","shared":true,"external_id":"ours","search":{"filters":[{"field":"due_at",` +
					`"operator":"lt","value":"@today+1d"}]}}`, Status: 201, Want: `{"position":2}`, Save: "ours",
			},
			{
				Rule: "unless it says where", As: "viewer", Do: "POST /views",
				Body: `{"name":"Theirs","resource":"task","position":0,"external_id":"theirs"}`, Status: 201, Want: `{"position":0}`,
				Save: "theirs",
			},

			{Rule: "its owner reads it", As: "member", Do: "GET /views/$mine", Status: 200},
			{Rule: "nobody else does", As: "manager", Do: "GET /views/$mine", Status: 404},
			{Rule: "not even an administrator", Do: "GET /views/$mine", Status: 404},
			{Rule: "nor changes it", Do: "PATCH /views/$mine", Body: `{"name":"x"}`, Status: 404},
			{Rule: "nor deletes it", Do: "DELETE /views/$mine", Status: 404},
			{Rule: "nor reads its history", Do: "POST /views/$mine/history/search", Body: `{}`, Status: 404},
			{
				Rule: "nor is told of its changes", Do: "POST /changes/search", Body: `{"resources":["view"]}`, Status: 200,
				Want: `{"data":[{"record_id":"$ours"}]}`,
			},
			{
				Rule: "as its owner is", As: "member", Do: "POST /changes/search", Body: `{"resources":["view"]}`, Status: 200,
				Want: `{"data":[{"record_id":"$mine"},{"record_id":"$ours"}]}`,
			},
			{
				Rule: "nor is it counted", Do: "POST /views/aggregate", Body: `{"metrics":["count"]}`, Status: 200,
				Want: `{"data":[{"count":1}]}`,
			},
			{
				Rule: "but for its owner", As: "member", Do: "POST /views/aggregate", Body: `{"metrics":["count"]}`, Status: 200,
				Want: `{"data":[{"count":2}]}`,
			},
			{Rule: "a shared one is read by all", As: "viewer", Do: "GET /views/$ours", Status: 200, Want: `{"name":"Shared"}`},
			{
				Rule: "a search finds one's own and those that are shared", As: "member", Do: "POST /views/search",
				Body: `{"order_by":"position","sort_direction":"asc"}`, Status: 200, Found: Found("mine ours"),
				Want: `{"meta":{"total":2}}`,
			},
			{
				Rule: "for everybody", As: "viewer", Do: "POST /views/search", Body: `{"order_by":"position","sort_direction":"asc"}`,
				Status: 200, Found: Found("theirs ours"),
			},
			{
				Rule: "for administrators, too", Do: "POST /views/search", Body: `{}`, Status: 200, Found: Found("ours"),
				Want: `{"meta":{"total":1}}`,
			},
			{Rule: "by text as well", Do: "POST /views/search", Body: `{"search_text":"all"}`, Status: 200, Found: Found("")},
			{
				Rule: "and by filters", Do: "POST /views/search",
				Body: `{"filters":[{"field":"resource","operator":"in","values":["contact","task"]}]}`, Status: 200, Found: Found("ours"),
			},

			{
				Rule: "others do not change a shared one", As: "manager", Do: "PATCH /views/$ours", Body: `{"name":"x"}`, Status: 403,
				Code: "forbidden_by_role",
			},
			{Rule: "nor delete it", As: "viewer", Do: "DELETE /views/$ours", Status: 403, Code: "forbidden_by_role"},
			{
				Rule: "its owner does", As: "member", Do: "PATCH /views/$ours", Body: `{"name":"Due"}`, Status: 200,
				Want: `{"name":"Due","version":2}`,
			},
			{
				Rule: "and who manages settings", Do: "PATCH /views/$ours", Body: `{"position":7}`, Status: 200,
				Want: `{"position":7,"version":3}`,
			},
			{Rule: "a view is shared by its owner", As: "member", Do: "PATCH /views/$mine", Body: `{"shared":true}`, Status: 200},
			{Rule: "then everybody reads it", As: "viewer", Do: "GET /views/$mine", Status: 200},
			{Rule: "until it is not", As: "member", Do: "PATCH /views/$mine", Body: `{"shared":false}`, Status: 200},
			{Rule: "any more", As: "viewer", Do: "GET /views/$mine", Status: 404},
			{
				Rule: "whoever makes one for somebody else has no part in it", Do: "POST /views",
				Body: `{"name":"For her","resource":"deal","owner_id":"$member","external_id":"hers"}`, Status: 201,
				Want: `{"id":"*","version":1,"name":"<absent>"}`, Save: "hers",
			},
			{Rule: "she has", As: "member", Do: "GET /views/$hers", Status: 200},
			{Rule: "a deleted one is in its owner's bin", As: "member", Do: "DELETE /views/$hers", Status: 204},
			{Rule: "alone", Do: "POST /views/deleted/search", Body: `{}`, Status: 200, Found: Found("")},
			{Rule: "and comes back", As: "member", Do: "POST /views/$hers/restore", Status: 200},
			{
				Rule: "a private one is not told of where its external id is in the way", Do: "POST /views",
				Body: `{"name":"x","resource":"deal","external_id":"hers"}`, Status: 409, Want: `{"existing_id":"<absent>"}`,
			},
			{
				Rule: "nor matched", Do: "POST /views/upsert",
				Body: `{"match":"external_id","data":{"name":"x","resource":"deal","external_id":"hers"}}`, Status: 409,
				Want: `{"existing_id":"<absent>"}`,
			},
			{
				Rule: "a role with read own sees no shared ones", Do: "POST /roles",
				Body: `{"name":"Lonely","permissions":{"view":{"read":"own","write":"own"}}}`, Status: 201, Save: "lonely",
			},
			{Rule: "once it is given", Do: "PATCH /users/$viewer", Body: `{"role_id":"$lonely"}`, Status: 200},
			{Rule: "but its own", As: "viewer", Do: "POST /views/search", Body: `{}`, Status: 200, Found: Found("theirs")},
			{
				Rule: "scopes count as everywhere", As: "admin:contact.read", Do: "POST /views/search", Body: `{}`, Status: 403,
				Code: "insufficient_scope",
			},
		})
	})
}

func TestWhatAViewKeeps(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		long := `{"name":"x","resource":"contact","search":{"filters":[{"field":"name","operator":"eq","value":"` + strings.Repeat("x",
			40_000) + `"}]}}`
		w.Run(t, []Step{
			{
				Rule: "a search is held to the resource", Do: "POST /views",
				Body: `{"name":"x","resource":"contact","search":{"order_by":"amount","filters":[{"field":"name","operator":"gt",` +
					`"value":"a"},{"field":"created_at","operator":"gte","value":"@yesterday"}],"limit":1000,"find":"x"}}`, Status: 422,
				Wrong: "search.order_by:unknown_field search.filters[0].operator:operator_not_allowed " +
					"search.filters[1].value:invalid_value_token search.limit:out_of_range search.find:unknown_field",
			},
			{
				Rule: "it has no cursor", Do: "POST /views", Body: `{"name":"x","resource":"contact","search":{"cursor":"abc"}}`,
				Status: 422, Wrong: "search.cursor:not_allowed",
			},
			{
				Rule: "it is an object", Do: "POST /views", Body: `{"name":"x","resource":"contact","search":[]}`, Status: 422,
				Wrong: "search:wrong_type",
			},
			{
				Rule: "no key stands twice", Do: "POST /views", Body: `{"name":"x","resource":"contact","search":{"limit":5,"limit":6}}`,
				Status: 422, Wrong: "search.limit:duplicate_key",
			},
			{Rule: "it is no book", Do: "POST /views", Body: long, Status: 422, Wrong: "search:too_long"},
			{
				Rule: "columns are fields, also through one reference", Do: "POST /views",
				Body: `{"name":"x","resource":"contact","columns":["name","company.name","address","address.city","nothing",` +
					`"company.nothing","owner.role.name"]}`, Status: 422,
				Wrong: "columns[4]:unknown_field columns[5]:unknown_field columns[6]:unknown_field",
			},
			{
				Rule: "records are grouped by a field that tells them apart", Do: "POST /views",
				Body: `{"name":"x","resource":"deal","group_by":"line_items"}`, Status: 422, Wrong: "group_by:not_allowed",
			},
			{
				Rule: "which a long text does not", Do: "POST /views", Body: `{"name":"x","resource":"deal","group_by":"description"}`,
				Status: 422, Wrong: "group_by:not_allowed",
			},
			{
				Rule: "and is one", Do: "POST /views", Body: `{"name":"x","resource":"deal","group_by":"stages"}`, Status: 422,
				Wrong: "group_by:unknown_field",
			},
			{
				Rule: "a reference may be followed", Do: "POST /views",
				Body:   `{"name":"x","resource":"deal","group_by":"company.industry"}`,
				Status: 201,
			},
			{
				Rule: "layouts are three", Do: "POST /views", Body: `{"name":"x","resource":"deal","layout":"map"}`, Status: 422,
				Wrong: "layout:not_allowed", Want: `{"errors":[{"allowed":["table","board","calendar"]}]}`,
			},
			{
				Rule: "to keep a search needs no permission on what it finds", As: "admin:view.write,view.read", Do: "POST /views",
				Body: `{"name":"x","resource":"deal","search":{"filters":[{"field":"company.name","operator":"eq","value":"Lund"}]},` +
					`"columns":["company.name"]}`, Status: 201,
			},

			{
				Rule: "what is kept", Do: "POST /views",
				Body: `{"name":"Big","resource":"deal","search":{"filters":[{"field":"amount","operator":"gte","value":"100.50"}],` +
					`"order_by":"amount","limit":7,"total":true},"columns":["name","amount"]}`, Status: 201, Save: "big",
				Want: `{"search":{"filters":[{"field":"amount","operator":"gte","value":"100.50"}],"order_by":"amount","limit":7,` +
					`"total":true}}`,
			},
			{
				Rule: "is patched by parts", Do: "PATCH /views/$big", Body: `{"search":{"order_by":"name","limit":null}}`, Status: 200,
				Want: `{"version":2,"search":{"filters":[{"field":"amount","operator":"gte","value":"100.50"}],"order_by":"name",` +
					`"limit":"<absent>","total":true}}`,
			},
			{
				Rule: "a list is replaced", Do: "PATCH /views/$big", Body: `{"search":{"filters":[]},"columns":["amount","name"]}`,
				Status: 200, Want: `{"version":3,"search":{"filters":[],"order_by":"name"},"columns":["amount","name"]}`,
			},
			{
				Rule: "a patch that makes it wrong is refused", Do: "PATCH /views/$big", Body: `{"search":{"order_by":"stages"}}`,
				Status: 422, Wrong: "search.order_by:unknown_field",
			},
			{Rule: "and changes nothing", Do: "GET /views/$big", Status: 200, Want: `{"version":3,"search":{"order_by":"name"}}`},
			{
				Rule: "the same again changes nothing", Do: "PATCH /views/$big", Body: `{"search":{"order_by":"name"}}`, Status: 200,
				Want: `{"version":3}`,
			},
			{
				Rule: "null is a search for everything", Do: "PATCH /views/$big", Body: `{"search":null}`, Status: 200,
				Want: `{"version":4,"search":{}}`,
			},
			{Rule: "the resource stays", Do: "PATCH /views/$big", Body: `{"resource":"contact"}`, Status: 422, Wrong: "resource:immutable"},
			{
				Rule: "a search as it is kept can be asked", Do: "POST /tasks/search",
				Body: `{"filters":[{"field":"due_at","operator":"lt","value":"@today+1d"}],"limit":7,"total":true}`, Status: 200,
			},
		})
	})
}
