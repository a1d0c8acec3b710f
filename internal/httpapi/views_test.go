package httpapi_test

import (
	"strings"
	"testing"
)

func TestViews(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.run(t, []step{
			{
				rule: "a view needs a name and a resource", do: "POST /views", body: `{}`, status: 422,
				wrong: "name:required resource:required",
			},
			{
				rule: "of those that there are", do: "POST /views", body: `{"name":"x","resource":"contacts"}`, status: 422,
				wrong: "resource:not_allowed",
			},
			{
				rule: "it is a table of everything, at the end, and one's own", as: "member", do: "POST /views",
				body: `{"name":"All","resource":"contact","external_id":"mine"}`, status: 201,
				want: `{"search":{},"layout":"table","columns":[],"group_by":null,"position":1,"shared":false,"owner_id":"$member"}`,
				save: "mine",
			},
			{
				rule: "the next one comes behind it", as: "member", do: "POST /views",
				body: `{"name":"Shared","resource":"task","shared":true,"external_id":"ours","search":{"filters":[{"field":"due_at",` +
					`"operator":"lt","value":"@today+1d"}]}}`, status: 201, want: `{"position":2}`, save: "ours",
			},
			{
				rule: "unless it says where", as: "viewer", do: "POST /views",
				body: `{"name":"Theirs","resource":"task","position":0,"external_id":"theirs"}`, status: 201, want: `{"position":0}`,
				save: "theirs",
			},

			{rule: "its owner reads it", as: "member", do: "GET /views/$mine", status: 200},
			{rule: "nobody else does", as: "manager", do: "GET /views/$mine", status: 404},
			{rule: "not even an administrator", do: "GET /views/$mine", status: 404},
			{rule: "nor changes it", do: "PATCH /views/$mine", body: `{"name":"x"}`, status: 404},
			{rule: "nor deletes it", do: "DELETE /views/$mine", status: 404},
			{rule: "nor reads its history", do: "POST /views/$mine/history/search", body: `{}`, status: 404},
			{
				rule: "nor is told of its changes", do: "POST /changes/search", body: `{"resources":["view"]}`, status: 200,
				want: `{"data":[{"record_id":"$ours"}]}`,
			},
			{
				rule: "as its owner is", as: "member", do: "POST /changes/search", body: `{"resources":["view"]}`, status: 200,
				want: `{"data":[{"record_id":"$mine"},{"record_id":"$ours"}]}`,
			},
			{
				rule: "nor is it counted", do: "POST /views/aggregate", body: `{"metrics":["count"]}`, status: 200,
				want: `{"data":[{"count":1}]}`,
			},
			{
				rule: "but for its owner", as: "member", do: "POST /views/aggregate", body: `{"metrics":["count"]}`, status: 200,
				want: `{"data":[{"count":2}]}`,
			},
			{rule: "a shared one is read by all", as: "viewer", do: "GET /views/$ours", status: 200, want: `{"name":"Shared"}`},
			{
				rule: "a search finds one's own and those that are shared", as: "member", do: "POST /views/search",
				body: `{"order_by":"position","sort_direction":"asc"}`, status: 200, found: found("mine ours"),
				want: `{"meta":{"total":2}}`,
			},
			{
				rule: "for everybody", as: "viewer", do: "POST /views/search", body: `{"order_by":"position","sort_direction":"asc"}`,
				status: 200, found: found("theirs ours"),
			},
			{
				rule: "for administrators, too", do: "POST /views/search", body: `{}`, status: 200, found: found("ours"),
				want: `{"meta":{"total":1}}`,
			},
			{rule: "by text as well", do: "POST /views/search", body: `{"search_text":"all"}`, status: 200, found: found("")},
			{
				rule: "and by filters", do: "POST /views/search",
				body: `{"filters":[{"field":"resource","operator":"in","values":["contact","task"]}]}`, status: 200, found: found("ours"),
			},

			{
				rule: "others do not change a shared one", as: "manager", do: "PATCH /views/$ours", body: `{"name":"x"}`, status: 403,
				code: "forbidden_by_role",
			},
			{rule: "nor delete it", as: "viewer", do: "DELETE /views/$ours", status: 403, code: "forbidden_by_role"},
			{
				rule: "its owner does", as: "member", do: "PATCH /views/$ours", body: `{"name":"Due"}`, status: 200,
				want: `{"name":"Due","version":2}`,
			},
			{
				rule: "and who manages settings", do: "PATCH /views/$ours", body: `{"position":7}`, status: 200,
				want: `{"position":7,"version":3}`,
			},
			{rule: "a view is shared by its owner", as: "member", do: "PATCH /views/$mine", body: `{"shared":true}`, status: 200},
			{rule: "then everybody reads it", as: "viewer", do: "GET /views/$mine", status: 200},
			{rule: "until it is not", as: "member", do: "PATCH /views/$mine", body: `{"shared":false}`, status: 200},
			{rule: "any more", as: "viewer", do: "GET /views/$mine", status: 404},
			{
				rule: "whoever makes one for somebody else has no part in it", do: "POST /views",
				body: `{"name":"For her","resource":"deal","owner_id":"$member","external_id":"hers"}`, status: 201,
				want: `{"id":"*","version":1,"name":"<absent>"}`, save: "hers",
			},
			{rule: "she has", as: "member", do: "GET /views/$hers", status: 200},
			{rule: "a deleted one is in its owner's bin", as: "member", do: "DELETE /views/$hers", status: 204},
			{rule: "alone", do: "POST /views/deleted/search", body: `{}`, status: 200, found: found("")},
			{rule: "and comes back", as: "member", do: "POST /views/$hers/restore", status: 200},
			{
				rule: "a private one is not told of where its external id is in the way", do: "POST /views",
				body: `{"name":"x","resource":"deal","external_id":"hers"}`, status: 409, want: `{"existing_id":"<absent>"}`,
			},
			{
				rule: "nor matched", do: "POST /views/upsert",
				body: `{"match":"external_id","data":{"name":"x","resource":"deal","external_id":"hers"}}`, status: 409,
				want: `{"existing_id":"<absent>"}`,
			},
			{
				rule: "a role with read own sees no shared ones", do: "POST /roles",
				body: `{"name":"Lonely","permissions":{"view":{"read":"own","write":"own"}}}`, status: 201, save: "lonely",
			},
			{rule: "once it is given", do: "PATCH /users/$viewer", body: `{"role_id":"$lonely"}`, status: 200},
			{rule: "but its own", as: "viewer", do: "POST /views/search", body: `{}`, status: 200, found: found("theirs")},
			{
				rule: "scopes count as everywhere", as: "admin:contact.read", do: "POST /views/search", body: `{}`, status: 403,
				code: "insufficient_scope",
			},
		})
	})
}

func TestWhatAViewKeeps(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		long := `{"name":"x","resource":"contact","search":{"filters":[{"field":"name","operator":"eq","value":"` + strings.Repeat("x",
			40_000) + `"}]}}`
		w.run(t, []step{
			{
				rule: "a search is held to the resource", do: "POST /views",
				body: `{"name":"x","resource":"contact","search":{"order_by":"amount","filters":[{"field":"name","operator":"gt",` +
					`"value":"a"},{"field":"created_at","operator":"gte","value":"@yesterday"}],"limit":1000,"find":"x"}}`, status: 422,
				wrong: "search.order_by:unknown_field search.filters[0].operator:operator_not_allowed " +
					"search.filters[1].value:invalid_value_token search.limit:out_of_range search.find:unknown_field",
			},
			{
				rule: "it has no cursor", do: "POST /views", body: `{"name":"x","resource":"contact","search":{"cursor":"abc"}}`,
				status: 422, wrong: "search.cursor:not_allowed",
			},
			{
				rule: "it is an object", do: "POST /views", body: `{"name":"x","resource":"contact","search":[]}`, status: 422,
				wrong: "search:wrong_type",
			},
			{
				rule: "no key stands twice", do: "POST /views", body: `{"name":"x","resource":"contact","search":{"limit":5,"limit":6}}`,
				status: 422, wrong: "search.limit:duplicate_key",
			},
			{rule: "it is no book", do: "POST /views", body: long, status: 422, wrong: "search:too_long"},
			{
				rule: "columns are fields, also through one reference", do: "POST /views",
				body: `{"name":"x","resource":"contact","columns":["name","company.name","address","address.city","nothing",` +
					`"company.nothing","owner.role.name"]}`, status: 422,
				wrong: "columns[4]:unknown_field columns[5]:unknown_field columns[6]:unknown_field",
			},
			{
				rule: "records are grouped by a field that tells them apart", do: "POST /views",
				body: `{"name":"x","resource":"deal","group_by":"line_items"}`, status: 422, wrong: "group_by:not_allowed",
			},
			{
				rule: "which a long text does not", do: "POST /views", body: `{"name":"x","resource":"deal","group_by":"description"}`,
				status: 422, wrong: "group_by:not_allowed",
			},
			{
				rule: "and is one", do: "POST /views", body: `{"name":"x","resource":"deal","group_by":"stages"}`, status: 422,
				wrong: "group_by:unknown_field",
			},
			{
				rule: "a reference may be followed", do: "POST /views",
				body:   `{"name":"x","resource":"deal","group_by":"company.industry"}`,
				status: 201,
			},
			{
				rule: "layouts are three", do: "POST /views", body: `{"name":"x","resource":"deal","layout":"map"}`, status: 422,
				wrong: "layout:not_allowed", want: `{"errors":[{"allowed":["table","board","calendar"]}]}`,
			},
			{
				rule: "to keep a search needs no permission on what it finds", as: "admin:view.write,view.read", do: "POST /views",
				body: `{"name":"x","resource":"deal","search":{"filters":[{"field":"company.name","operator":"eq","value":"Lund"}]},` +
					`"columns":["company.name"]}`, status: 201,
			},

			{
				rule: "what is kept", do: "POST /views",
				body: `{"name":"Big","resource":"deal","search":{"filters":[{"field":"amount","operator":"gte","value":"100.50"}],` +
					`"order_by":"amount","limit":7,"total":true},"columns":["name","amount"]}`, status: 201, save: "big",
				want: `{"search":{"filters":[{"field":"amount","operator":"gte","value":"100.50"}],"order_by":"amount","limit":7,` +
					`"total":true}}`,
			},
			{
				rule: "is patched by parts", do: "PATCH /views/$big", body: `{"search":{"order_by":"name","limit":null}}`, status: 200,
				want: `{"version":2,"search":{"filters":[{"field":"amount","operator":"gte","value":"100.50"}],"order_by":"name",` +
					`"limit":"<absent>","total":true}}`,
			},
			{
				rule: "a list is replaced", do: "PATCH /views/$big", body: `{"search":{"filters":[]},"columns":["amount","name"]}`,
				status: 200, want: `{"version":3,"search":{"filters":[],"order_by":"name"},"columns":["amount","name"]}`,
			},
			{
				rule: "a patch that makes it wrong is refused", do: "PATCH /views/$big", body: `{"search":{"order_by":"stages"}}`,
				status: 422, wrong: "search.order_by:unknown_field",
			},
			{rule: "and changes nothing", do: "GET /views/$big", status: 200, want: `{"version":3,"search":{"order_by":"name"}}`},
			{
				rule: "the same again changes nothing", do: "PATCH /views/$big", body: `{"search":{"order_by":"name"}}`, status: 200,
				want: `{"version":3}`,
			},
			{
				rule: "null is a search for everything", do: "PATCH /views/$big", body: `{"search":null}`, status: 200,
				want: `{"version":4,"search":{}}`,
			},
			{rule: "the resource stays", do: "PATCH /views/$big", body: `{"resource":"contact"}`, status: 422, wrong: "resource:immutable"},
			{
				rule: "a search as it is kept can be asked", do: "POST /tasks/search",
				body: `{"filters":[{"field":"due_at","operator":"lt","value":"@today+1d"}],"limit":7,"total":true}`, status: 200,
			},
		})
	})
}
