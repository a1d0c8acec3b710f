package httpapi_test

import (
	"fmt"
	"strings"
	"testing"
)

// What a custom field can be.
func TestFields(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.run(t, []step{
			{
				rule: "a field needs a resource, a name and a kind", do: "POST /fields", body: `{}`, status: 422,
				wrong: "resource:required name:required kind:required",
			},
			{
				rule: "settings have none", do: "POST /fields", body: `{"resource":"pipeline","name":"x","kind":"text"}`, status: 422,
				wrong: "resource:not_allowed",
			},
			{
				rule: "kinds are those that there are", do: "POST /fields", body: `{"resource":"contact","name":"x","kind":"integer"}`,
				status: 422, wrong: "kind:not_allowed",
			},
			{
				rule: "a name has small letters", do: "POST /fields", body: `{"resource":"contact","name":"Tier","kind":"text"}`,
				status: 422, wrong: "name:invalid_format",
			},
			{
				rule: "and no dot", do: "POST /fields", body: `{"resource":"contact","name":"a.b","kind":"text"}`, status: 422,
				wrong: "name:invalid_format",
			},
			{
				rule: "it is no novel", do: "POST /fields",
				body: `{"resource":"contact","name":"` + strings.Repeat("a", 61) + `","kind":"text"}`, status: 422, wrong: "name:too_long",
			},
			{
				rule: "a reference ends in _id and has a target", do: "POST /fields",
				body: `{"resource":"contact","name":"partner","kind":"reference"}`, status: 422,
				wrong: "name:invalid_format target:required",
			},
			{
				rule: "others have none", do: "POST /fields", body: `{"resource":"contact","name":"x","kind":"text","target":"user"}`,
				status: 422, wrong: "target:not_allowed",
			},
			{
				rule: "a choice has options", do: "POST /fields", body: `{"resource":"contact","name":"x","kind":"select"}`, status: 422,
				wrong: "options:required",
			},
			{
				rule: "others have none of these either", do: "POST /fields",
				body: `{"resource":"contact","name":"x","kind":"date","options":[{"value":"a"}]}`, status: 422,
				wrong: "options:not_allowed",
			},
			{
				rule: "which differ and are plain", do: "POST /fields",
				body: `{"resource":"contact","name":"x","kind":"select","options":[{"value":"a"},{"value":"a"},{"value":"q\"q"},` +
					`{"value":"c","colour":"red"}]}`, status: 422,
				wrong: "options[1].value:not_allowed options[2].value:invalid_characters options[3].colour:invalid_format",
			},
			{
				rule: "only texts are searchable", do: "POST /fields",
				body: `{"resource":"contact","name":"x","kind":"number","searchable":true}`, status: 422, wrong: "searchable:not_allowed",
			},
			{
				rule: "a default is a value of the field", do: "POST /fields",
				body: `{"resource":"contact","name":"x","kind":"number","default":"five"}`, status: 422, wrong: "default:wrong_type",
			},
			{
				rule: "one of its options", do: "POST /fields",
				body: `{"resource":"contact","name":"x","kind":"select","options":[{"value":"a"}],"default":"b"}`, status: 422,
				wrong: "default:not_allowed",
			},
			{
				rule: "that can be chosen", do: "POST /fields",
				body:   `{"resource":"contact","name":"x","kind":"multi_select","options":[{"value":"a","archived":true}],"default":["a"]}`,
				status: 422, wrong: "default:not_allowed",
			},
			{
				rule: "a reference has no default", do: "POST /fields",
				body: `{"resource":"contact","name":"x_id","kind":"reference","target":"user","default":"$member"}`, status: 422,
				wrong: "default:not_allowed",
			},

			{
				rule: "it is at the end and labelled by its name", do: "POST /fields",
				body: `{"resource":"contact","name":"shoe_size","kind":"number","external_id":"shoe"}`, status: 201, save: "shoe",
				want: `{"label":"Shoe size","position":1,"number":1,"required":false,"searchable":false,"default":null,"options":[],` +
					`"target":null}`,
			},
			{
				rule: "options are completed", do: "POST /fields",
				body: `{"resource":"contact","name":"tier","kind":"select","default":"silver","options":[{"value":"gold","label":"Best",` +
					`"colour":"#d4af37"},{"value":"silver"}],"external_id":"tier"}`, status: 201, save: "tier",
				want: `{"number":2,"default":"silver","options":[{"value":"gold","label":"Best","colour":"#d4af37","position":1,` +
					`"archived":false},{"value":"silver","label":"Silver","colour":null,"position":2}]}`,
			},
			{
				rule: "other resources have their own names", do: "POST /fields", body: `{"resource":"deal","name":"tier","kind":"text"}`,
				status: 201, want: `{"number":3,"position":3}`,
			},
			{
				rule: "a name is there once", do: "POST /fields", body: `{"resource":"contact","name":"tier","kind":"text"}`, status: 409,
				want: `{"existing_id":"$tier"}`,
			},
			{rule: "also by a patch", do: "PATCH /fields/$shoe", body: `{"name":"tier"}`, status: 409, want: `{"existing_id":"$tier"}`},
			{
				rule: "what a reference is followed as counts", do: "POST /fields",
				body: `{"resource":"contact","name":"tier_id","kind":"reference","target":"company"}`, status: 409,
				want: `{"existing_id":"$tier"}`,
			},
			{
				rule: "kind, resource, target and searchable stay", do: "PATCH /fields/$shoe",
				body: `{"kind":"text","resource":"deal","target":"user","searchable":true}`, status: 422,
				wrong: "kind:immutable resource:immutable target:immutable searchable:immutable",
			},
			{rule: "so does the number", do: "PATCH /fields/$shoe", body: `{"number":7}`, status: 422, wrong: "number:read_only"},
			{
				rule: "the rest does not", do: "PATCH /fields/$shoe",
				body: `{"label":"Shoes","help":"In EU sizes.","position":9,"required":true}`, status: 200,
				want: `{"label":"Shoes","help":"In EU sizes.","position":9,"required":true}`,
			},
			{rule: "again", do: "PATCH /fields/$shoe", body: `{"required":false}`, status: 200},
			{rule: "a member reads fields", as: "member", do: "GET /fields/$shoe", status: 200, want: `{"label":"Shoes"}`},
			{
				rule: "but makes none", as: "member", do: "POST /fields", body: `{"resource":"contact","name":"mine","kind":"text"}`,
				status: 403, code: "forbidden_by_role",
			},
			{rule: "nor does a manager", as: "manager", do: "DELETE /fields/$shoe", status: 403, code: "forbidden_by_role"},
			{
				rule: "the scope counts", as: "admin:contact.all", do: "POST /fields",
				body: `{"resource":"contact","name":"mine","kind":"text"}`, status: 403, code: "insufficient_scope",
			},
			{
				rule: "a rehearsal defines nothing", do: "POST /fields?dry_run=true",
				body: `{"resource":"contact","name":"dry","kind":"text"}`, status: 201, want: `{"number":null}`,
			},
			{
				rule: "as is seen", do: "POST /contacts", body: `{"name":"x","custom_fields":{"dry":"x"}}`, status: 422,
				wrong: "custom_fields.dry:unknown_field",
			},
			{
				rule: "fields are found like everything", do: "POST /fields/search",
				body:   `{"filters":[{"field":"resource","operator":"eq","value":"contact"}],"order_by":"position","sort_direction":"asc"}`,
				status: 200, found: found("tier shoe"),
			},

			{rule: "a deleted field frees its name", do: "DELETE /fields/$tier", status: 204},
			{
				rule: "for another of any kind", do: "POST /fields", body: `{"resource":"contact","name":"tier","kind":"number"}`,
				status: 201, save: "other", want: `{"number":4}`,
			},
			{rule: "then it cannot come back", do: "POST /fields/$tier/restore", status: 409, want: `{"existing_id":"$other"}`},
			{rule: "before the other is called otherwise", do: "PATCH /fields/$other", body: `{"name":"level"}`, status: 200},
			{rule: "and it is free again", do: "POST /fields/$tier/restore", status: 200, want: `{"name":"tier","number":2}`},
			{
				rule: "its history tells", do: "POST /fields/$other/history/search", body: `{"limit":1}`, status: 200,
				want: `{"data":[{"changes":{"name":{"from":"tier","to":"level"}}}]}`,
			},
		})
	})
}

// A field of each kind, and what its values can be.
const everyKind = `{"atomic":true,"operations":[
	{"op":"create","data":{"resource":"contact","name":"motto","kind":"text","searchable":true}},
	{"op":"create","data":{"resource":"contact","name":"story","kind":"long_text"}},
	{"op":"create","data":{"resource":"contact","name":"score","kind":"number"}},
	{"op":"create","data":{"resource":"contact","name":"weight","kind":"decimal"}},
	{"op":"create","data":{"resource":"contact","name":"budget","kind":"money"}},
	{"op":"create","data":{"resource":"contact","name":"vip","kind":"boolean"}},
	{"op":"create","data":{"resource":"contact","name":"since","kind":"date"}},
	{"op":"create","data":{"resource":"contact","name":"seen","kind":"datetime"}},
	{"op":"create","data":{"resource":"contact","name":"tier","kind":"select","options":[{"value":"gold"},{"value":"it's silver"},
	{"value":"bronze"}]}},
	{"op":"create","data":{"resource":"contact","name":"likes","kind":"multi_select","options":[{"value":"tea"},{"value":"Tea"},
	{"value":"coffee"}]}},
	{"op":"create","data":{"resource":"contact","name":"blog","kind":"url"}},
	{"op":"create","data":{"resource":"contact","name":"private","kind":"email"}},
	{"op":"create","data":{"resource":"contact","name":"fax","kind":"phone"}},
	{"op":"create","data":{"resource":"contact","name":"partner_id","kind":"reference","target":"company"}},
	{"op":"create","data":{"resource":"contact","name":"mentor_id","kind":"reference","target":"user"}},
	{"op":"create","data":{"resource":"company","name":"region","kind":"text"}}]}`

func TestCustomValues(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		all := `{"motto":"Carpe Diëm","story":"Once\nupon a time","score":1.5,"weight":"2.25","budget":"1000.00","vip":true,` +
			`"since":"2020-02-29","seen":"2024-05-06T07:08:09.000000Z","tier":"it's silver","likes":["tea","coffee"],` +
			`"blog":"https://example.com/Ä","private":"Anna@Example.com","fax":"+46 (8) 12","partner_id":"$lund","mentor_id":"$member"}`
		w.run(t, []step{
			{
				rule: "without definitions nothing is known", do: "POST /contacts", body: `{"name":"x","custom_fields":{"motto":"x"}}`,
				status: 422, wrong: "custom_fields.motto:unknown_field",
			},
			{
				rule: "and records have an empty object", do: "POST /contacts", body: `{"name":"Old","external_id":"old"}`, status: 201,
				save: "old", want: `{"custom_fields":{}}`,
			},
			{
				rule: "a field of each kind", do: "POST /fields/batch", body: everyKind, status: 200,
				want: `{"meta":{"succeeded":16,"failed":0}}`,
			},
			{
				rule: "a company", do: "POST /companies", body: `{"name":"Lund","custom_fields":{"region":"North"}}`, status: 201,
				save: "lund", want: `{"custom_fields":{"region":"North"}}`,
			},
			{
				rule: "values are kept as they are", do: "POST /contacts",
				body: `{"name":"Anna","external_id":"anna","custom_fields":` + all + `}`, status: 201, save: "anna",
				want: `{"custom_fields":` + all + `}`,
			},
			{rule: "and read", do: "GET /contacts/$anna", status: 200, want: `{"custom_fields":` + all + `}`},
			{
				rule: "and found", do: "POST /contacts/search", body: `{"order_by":"custom_fields.score"}`, status: 200,
				found: found("anna old"), want: `{"data":[{"custom_fields":` + all + `},{"custom_fields":{"motto":"<absent>"}}]}`,
			},
			{
				rule: "each is held to its kind", do: "POST /contacts",
				body: `{"name":"x","custom_fields":{"motto":5,"story":true,"score":"1","weight":"x","budget":"1.23456","vip":"yes",` +
					`"since":"2021-02-29","seen":"today","tier":"tin","likes":["milk"],"blog":"example","private":"x","fax":"none",` +
					`"partner_id":"$member","mentor_id":"user_01h455vb4pex5vsknk084sn02q","nothing":1}}`, status: 422,
				wrong: "custom_fields.motto:wrong_type custom_fields.story:wrong_type custom_fields.score:wrong_type " +
					"custom_fields.weight:invalid_format custom_fields.budget:out_of_range custom_fields.vip:wrong_type " +
					"custom_fields.since:invalid_date custom_fields.seen:invalid_time custom_fields.tier:not_allowed " +
					"custom_fields.likes[0]:not_allowed custom_fields.blog:invalid_format custom_fields.private:invalid_format " +
					"custom_fields.fax:invalid_format custom_fields.partner_id:invalid_id custom_fields.nothing:unknown_field",
			},
			{
				rule: "a reference leads to what is there", do: "POST /contacts",
				body: `{"name":"x","custom_fields":{"mentor_id":"user_01h455vb4pex5vsknk084sn02q",` +
					`"partner_id":"company_01h455vb4pex5vsknk084sn02q"}}`, status: 422,
				wrong: "custom_fields.partner_id:not_found custom_fields.mentor_id:not_found",
			},
			{
				rule: "the object is one", do: "PATCH /contacts/$anna", body: `{"custom_fields":[]}`, status: 422,
				wrong: "custom_fields:wrong_type",
			},
			{
				rule: "a patch changes what it names", do: "PATCH /contacts/$anna",
				body: `{"custom_fields":{"score":2,"story":null,"tier":""}}`, status: 200,
				want: `{"version":2,"custom_fields":{"motto":"Carpe Diëm","score":2,"story":"<absent>","tier":"<absent>"}}`,
			},
			{
				rule: "its history names them by their paths", do: "POST /contacts/$anna/history/search", body: `{"limit":1}`, status: 200,
				want: `{"data":[{"changes":{"custom_fields.score":{"from":1.5,"to":2},"custom_fields.story":{"from":"Once\nupon a time",` +
					`"to":null},"custom_fields.tier":{"from":"it's silver","to":null}}}]}`,
			},
			{
				rule: "so does the log", do: "POST /changes/search", body: `{"resources":["company"]}`, status: 200,
				want: `{"data":[{"changes":{"custom_fields.region":{"from":null,"to":"North"}}}]}`,
			},
			{
				rule: "the same again changes nothing", do: "PATCH /contacts/$anna", body: `{"custom_fields":{"score":2.0}}`, status: 200,
				want: `{"version":2}`,
			},
			{
				rule: "null empties all", do: "PATCH /contacts/$old", body: `{"custom_fields":null}`, status: 200,
				want: `{"custom_fields":{}}`,
			},
			{
				rule: "an upsert knows them", do: "POST /contacts/upsert",
				body: `{"match":"external_id","data":{"external_id":"anna","custom_fields":{"tier":"gold"}}}`, status: 200,
				want: `{"custom_fields":{"tier":"gold","score":2}}`,
			},
			{
				rule: "so does a batch", do: "POST /contacts/batch",
				body: `{"operations":[{"op":"create","data":{"name":"Bert","external_id":"bert","custom_fields":{"score":-3,` +
					`"tier":"bronze","likes":["Tea"],"since":"2021-01-01","vip":false,"fax":"0046 812","motto":"diem"}}},{"op":"update",` +
					`"id":"$old","data":{"custom_fields":{"nothing":1}}}]}`, status: 200,
				want: `{"data":[{"status":201},{"status":422,"error":{"errors":[{"field":"custom_fields.nothing"}]}}]}`,
			},

			{
				rule: "eq folds texts", do: "POST /contacts/search",
				body: `{"filters":[{"field":"custom_fields.motto","operator":"eq","value":"CARPE diem"}]}`, status: 200,
				found: found("anna"),
			},
			{
				rule: "contains", do: "POST /contacts/search",
				body: `{"filters":[{"field":"custom_fields.motto","operator":"contains","value":"DIEM"}],"order_by":"name",` +
					`"sort_direction":"asc"}`, status: 200, found: found("anna bert"),
			},
			{
				rule: "starts_with", do: "POST /contacts/search",
				body: `{"filters":[{"field":"custom_fields.motto","operator":"starts_with","value":"die"}]}`, status: 200,
				found: found("bert"),
			},
			{
				rule: "addresses keep their accents", do: "POST /contacts/search",
				body: `{"filters":[{"field":"custom_fields.blog","operator":"eq","value":"https://example.com/ä"}]}`, status: 200,
				found: found("anna"),
			},
			{
				rule: "e-mail addresses not their case", do: "POST /contacts/search",
				body: `{"filters":[{"field":"custom_fields.private","operator":"eq","value":"anna@example.com"}]}`, status: 200,
				found: found("anna"),
			},
			{
				rule: "phone numbers are their digits", do: "POST /contacts/search",
				body: `{"filters":[{"field":"custom_fields.fax","operator":"contains","value":"46-8"}],"order_by":"name"}`, status: 200,
				found: found("bert anna"),
			},
			{
				rule: "numbers compare", do: "POST /contacts/search",
				body: `{"filters":[{"field":"custom_fields.score","operator":"between","values":[-5,1]}]}`, status: 200,
				found: found("bert"),
			},
			{
				rule: "neq has what is absent", do: "POST /contacts/search",
				body: `{"filters":[{"field":"custom_fields.score","operator":"neq","value":2}],"order_by":"name"}`, status: 200,
				found: found("old bert"),
			},
			{
				rule: "decimals", do: "POST /contacts/search",
				body: `{"filters":[{"field":"custom_fields.weight","operator":"gte","value":"2.25"}]}`, status: 200, found: found("anna"),
			},
			{
				rule: "truth", do: "POST /contacts/search",
				body: `{"filters":[{"field":"custom_fields.vip","operator":"eq","value":false}]}`, status: 200, found: found("bert"),
			},
			{
				rule: "dates with value tokens", do: "POST /contacts/search",
				body: `{"filters":[{"field":"custom_fields.since","operator":"lt","value":"@today"}],"order_by":"custom_fields.since",` +
					`"sort_direction":"asc"}`, status: 200, found: found("anna bert"),
			},
			{
				rule: "times", do: "POST /contacts/search",
				body: `{"filters":[{"field":"custom_fields.seen","operator":"gt","value":"2024-05-06"}]}`, status: 200,
				found: found("anna"),
			},
			{
				rule: "a choice", do: "POST /contacts/search",
				body: `{"filters":[{"field":"custom_fields.tier","operator":"in","values":["gold","it's silver"]}]}`, status: 200,
				found: found("anna"),
			},
			{
				rule: "of those that there are", do: "POST /contacts/search",
				body: `{"filters":[{"field":"custom_fields.tier","operator":"eq","value":"tin"}]}`, status: 422,
				wrong: "filters[0].value:not_allowed",
			},
			{
				rule: "choices, to the letter", do: "POST /contacts/search",
				body: `{"filters":[{"field":"custom_fields.likes","operator":"contains","value":"tea"}]}`, status: 200,
				found: found("anna"),
			},
			{
				rule: "none of some", do: "POST /contacts/search",
				body: `{"filters":[{"field":"custom_fields.likes","operator":"nin","values":["tea"]}],"order_by":"name"}`, status: 200,
				found: found("old bert"),
			},
			{
				rule: "is_not_set", do: "POST /contacts/search",
				body: `{"filters":[{"field":"custom_fields.likes","operator":"is_not_set"}]}`, status: 200, found: found("old"),
			},
			{
				rule: "a user by @me", as: "member", do: "POST /contacts/search",
				body: `{"filters":[{"field":"custom_fields.mentor_id","operator":"eq","value":"@me"}]}`, status: 200, found: found("anna"),
			},
			{
				rule: "operators are those of the kind", do: "POST /contacts/search",
				body: `{"filters":[{"field":"custom_fields.vip","operator":"gt","value":true}]}`, status: 422,
				wrong: "filters[0].operator:operator_not_allowed",
			},
			{
				rule: "a wrong name is told", do: "POST /contacts/search",
				body: `{"filters":[{"field":"custom_fields.scor","operator":"is_set"}]}`, status: 422,
				wrong: "filters[0].field:unknown_field",
			},
			{
				rule: "the object itself is no field", do: "POST /contacts/search", body: `{"order_by":"custom_fields"}`, status: 422,
				wrong: "order_by:unknown_field",
			},
			{
				rule: "words of a searchable field", do: "POST /contacts/search", body: `{"search_text":"carp"}`, status: 200,
				found: found("anna"),
			},
			{rule: "and of no other", do: "POST /contacts/search", body: `{"search_text":"bronze"}`, status: 200, found: found("")},
			{
				rule: "also across resources", do: "POST /search", body: `{"search_text":"carpe"}`, status: 200,
				want: `{"data":[{"record":{"id":"$anna"}}]}`,
			},

			{
				rule: "absent last, upwards", do: "POST /contacts/search", body: `{"order_by":"custom_fields.tier","sort_direction":"asc"}`,
				status: 200, found: found("anna bert old"),
			},
			{
				rule: "and downwards", do: "POST /contacts/search", body: `{"order_by":"custom_fields.tier","sort_direction":"desc"}`,
				status: 200, found: found("bert anna old"),
			},
			{
				rule: "in pages", do: "POST /contacts/search", body: `{"order_by":"custom_fields.score","limit":1}`, status: 200,
				found: found("anna"), save: "next=meta.cursor.next",
			},
			{
				rule: "of which each goes on", do: "POST /contacts/search",
				body: `{"order_by":"custom_fields.score","limit":1,"cursor":"$next"}`, status: 200, found: found("bert"),
			},
			{
				rule: "lists have no order", do: "POST /contacts/search", body: `{"order_by":"custom_fields.likes"}`, status: 422,
				wrong: "order_by:not_sortable",
			},

			{
				rule: "fields name some", do: "POST /contacts/search",
				body: `{"fields":["name","custom_fields.score","custom_fields.story"],"order_by":"name","sort_direction":"asc",` +
					`"limit":1}`, status: 200, want: `{"data":[{"id":"<absent>","name":"Anna","custom_fields":{"score":2,` +
					`"story":"<absent>","tier":"<absent>"}}]}`,
			},
			{
				rule: "or all", do: "POST /contacts/search",
				body:   `{"fields":["custom_fields","custom_fields.score"],"order_by":"name","sort_direction":"asc","limit":1}`,
				status: 200, want: `{"data":[{"name":"<absent>","custom_fields":{"score":2,"tier":"gold"}}]}`,
			},
			{
				rule: "and follow references", do: "POST /contacts/search",
				body: `{"fields":["custom_fields.partner.name","custom_fields.partner.custom_fields.region","custom_fields.score",` +
					`"custom_fields.mentor.name","owner.name","name"],"order_by":"name","sort_direction":"asc","limit":1}`, status: 200,
				want: `{"data":[{"name":"Anna","owner":{"name":"*"},"custom_fields":{"score":2,"partner":{"name":"Lund",` +
					`"custom_fields":{"region":"North"}},"mentor":{"name":"*"}}}]}`,
			},
			{
				rule: "as filters do", do: "POST /contacts/search",
				body: `{"filters":[{"field":"custom_fields.partner.name","operator":"eq","value":"lund"},` +
					`{"field":"custom_fields.partner.custom_fields.region","operator":"contains","value":"ort"}]}`, status: 200,
				found: found("anna"),
			},
			{
				rule: "and orders", do: "POST /contacts/search", body: `{"order_by":"custom_fields.partner.name"}`, status: 200,
				found: found("anna bert old"),
			},
			{
				rule: "which needs the right to read them", as: "admin:contact.read", do: "POST /contacts/search",
				body: `{"filters":[{"field":"custom_fields.partner.name","operator":"eq","value":"lund"}]}`, status: 403,
				code: "insufficient_scope",
			},
			{
				rule: "or shows nothing", as: "admin:contact.read", do: "POST /contacts/search",
				body: `{"fields":["custom_fields.partner.name"],"order_by":"name","sort_direction":"asc","limit":1}`, status: 200,
				want: `{"data":[{"custom_fields":{"partner":null}}]}`,
			},
			{rule: "a built-in reference leads to them, too", do: "PATCH /contacts/$anna", body: `{"company_id":"$lund"}`, status: 200},
			{
				rule: "by their names", do: "POST /contacts/search",
				body: `{"filters":[{"field":"company.custom_fields.region","operator":"eq","value":"north"}],` +
					`"fields":["company.custom_fields.region","company.custom_fields"]}`, status: 200,
				want: `{"data":[{"company":{"custom_fields":{"region":"North"}}}]}`,
			},
			{
				rule: "a whole and its parts exclude each other", do: "POST /contacts/search",
				body: `{"fields":["custom_fields","custom_fields.partner.name"]}`, status: 422, wrong: "fields:not_allowed",
			},

			{
				rule: "figures add them up", do: "POST /contacts/aggregate",
				body: `{"metrics":["count","sum:custom_fields.score","max:custom_fields.weight","min:custom_fields.since",` +
					`"sum:custom_fields.budget"]}`, status: 200,
				want: `{"data":[{"count":3,"sum:custom_fields.score":-1,"max:custom_fields.weight":"2.25",` +
					`"min:custom_fields.since":"2020-02-29","sum:custom_fields.budget":"1000.00"}]}`,
			},
			{
				rule: "and group by them", do: "POST /contacts/aggregate",
				body: `{"group_by":["custom_fields.tier"],"order_by":"custom_fields.tier","sort_direction":"asc"}`, status: 200,
				want: `{"data":[{"custom_fields.tier":"gold","count":1},{"custom_fields.tier":"bronze","count":1},` +
					`{"custom_fields.tier":null,"count":1}]}`,
			},
			{
				rule: "by periods", do: "POST /contacts/aggregate",
				body: `{"group_by":["custom_fields.since:year","custom_fields.partner.name"],"order_by":"custom_fields.since:year",` +
					`"sort_direction":"asc"}`, status: 200,
				want: `{"data":[{"custom_fields.since:year":"2020","custom_fields.partner.name":"Lund"},` +
					`{"custom_fields.since:year":"2021","custom_fields.partner.name":null},{"custom_fields.since:year":null}]}`,
			},
			{rule: "the timeline has them", do: "POST /notes", body: `{"body":"x","contact_id":"$anna"}`, status: 201},
			{
				rule: "whole", do: "POST /contacts/$anna/timeline/search", body: `{"limit":1}`, status: 200,
				want: `{"data":[{"kind":"note","record":{"custom_fields":{}}}]}`,
			},
			{rule: "a binned record keeps them", do: "DELETE /contacts/$anna", status: 204},
			{
				rule: "as the bin shows", do: "POST /contacts/deleted/search",
				body: `{"filters":[{"field":"custom_fields.tier","operator":"eq","value":"gold"}]}`, status: 200,
				want: `{"data":[{"custom_fields":{"tier":"gold"}}]}`,
			},
			{
				rule: "and comes back with them", do: "POST /contacts/$anna/restore", status: 200,
				want: `{"custom_fields":{"tier":"gold","motto":"Carpe Diëm"}}`,
			},
		})
	})
}

// What definitions ask of records, and what becomes of values when they change.
func TestDefinitionsChange(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.run(t, []step{
			{rule: "a record from before", do: "POST /contacts", body: `{"name":"Old","external_id":"old"}`, status: 201, save: "old"},
			{
				rule: "a required field", do: "POST /fields",
				body: `{"resource":"contact","name":"code","kind":"text","required":true,"searchable":true}`, status: 201, save: "code",
			},
			{
				rule: "is asked of new records", do: "POST /contacts", body: `{"name":"x"}`, status: 422,
				wrong: "custom_fields.code:required",
			},
			{
				rule: "null is not enough", do: "POST /contacts", body: `{"name":"x","custom_fields":{"code":null}}`, status: 422,
				wrong: "custom_fields.code:required",
			},
			{
				rule: "nor in place of all", do: "POST /contacts", body: `{"name":"x","custom_fields":null}`, status: 422,
				wrong: "custom_fields.code:required",
			},
			{
				rule: "a value is", do: "POST /contacts", body: `{"name":"New","external_id":"new","custom_fields":{"code":"n1"}}`,
				status: 201, save: "new",
			},
			{
				rule: "an old record is changed without it", do: "PATCH /contacts/$old", body: `{"name":"Older"}`, status: 200,
				want: `{"name":"Older","custom_fields":{"code":"<absent>"}}`,
			},
			{
				rule: "but not emptied of it", do: "PATCH /contacts/$old", body: `{"custom_fields":{"code":""}}`, status: 422,
				wrong: "custom_fields.code:required",
			},
			{
				rule: "orders know that it may be absent", do: "POST /contacts/search", body: `{"order_by":"custom_fields.code"}`,
				status: 200, found: found("new old"),
			},

			{
				rule: "a field with a default", do: "POST /fields",
				body: `{"resource":"contact","name":"tier","kind":"select","options":[{"value":"gold"},{"value":"silver"},` +
					`{"value":"tin"}],"default":"silver","required":true}`, status: 201, save: "tier",
			},
			{
				rule: "and one of a list", do: "POST /fields",
				body: `{"resource":"contact","name":"likes","kind":"multi_select","options":[{"value":"tea"},{"value":"milk"}],` +
					`"default":["tea"]}`, status: 201, save: "likes",
			},
			{
				rule: "fill what is not given", do: "POST /contacts",
				body: `{"name":"Def","external_id":"def","custom_fields":{"code":"d"}}`, status: 201,
				want: `{"custom_fields":{"tier":"silver","likes":["tea"]}}`,
			},
			{
				rule: "null stays absent", do: "POST /contacts",
				body: `{"name":"Nul","external_id":"nul","custom_fields":{"code":"d","likes":null,"tier":"gold"}}`, status: 201,
				want: `{"custom_fields":{"tier":"gold","likes":"<absent>"}}`,
			},

			{
				rule: "an option in use is not dropped", do: "PATCH /fields/$tier",
				body: `{"options":[{"value":"gold"},{"value":"tin"}],"default":null}`, status: 409, want: `{"existing_id":"*"}`,
			},
			{
				rule: "one that nobody has is", do: "PATCH /fields/$tier", body: `{"options":[{"value":"gold"},{"value":"silver"}]}`,
				status: 200,
			},
			{
				rule: "archiving takes nothing away", do: "PATCH /fields/$tier",
				body: `{"options":[{"value":"gold","archived":true},{"value":"silver"},{"value":"new"}]}`, status: 200,
			},
			{
				rule: "from those who have it", do: "POST /contacts/search",
				body: `{"filters":[{"field":"custom_fields.tier","operator":"eq","value":"gold"}]}`, status: 200, found: found("nul"),
				save: "nul=data.0.id",
			},
			{
				rule: "who may keep it", do: "PATCH /contacts/$nul", body: `{"name":"Null","custom_fields":{"tier":"gold"}}`, status: 200,
				want: `{"name":"Null"}`,
			},
			{
				rule: "but nobody takes it anew", do: "PATCH /contacts/$new", body: `{"custom_fields":{"tier":"gold"}}`, status: 422,
				wrong: "custom_fields.tier:not_allowed", want: `{"errors":[{"allowed":["silver","new"]}]}`,
			},
			{
				rule: "a default cannot be archived", do: "PATCH /fields/$tier",
				body: `{"options":[{"value":"gold"},{"value":"silver","archived":true}]}`, status: 422, wrong: "default:not_allowed",
			},
			{
				rule: "what comes in the place of an option is one that stays", do: "PATCH /fields/$tier",
				body: `{"options":[{"value":"silver"},{"value":"new"}],"replace_with":{"gold":"tin"}}`, status: 422,
				wrong: "replace_with.gold:not_allowed",
			},
			{
				rule: "then records get it", do: "PATCH /fields/$tier",
				body: `{"options":[{"value":"silver"},{"value":"new"}],"replace_with":{"gold":"new"}}`, status: 200,
				want: `{"replace_with":{}}`,
			},
			{
				rule: "in their history", do: "POST /contacts/$nul/history/search", body: `{"limit":1}`, status: 200,
				want: `{"data":[{"action":"update","changes":{"custom_fields.tier":{"from":"gold","to":"new"}}}]}`,
			},
			{
				rule: "null empties", do: "PATCH /fields/$likes",
				body: `{"options":[{"value":"milk"}],"default":null,"replace_with":{"tea":null}}`, status: 200,
			},
			{
				rule: "lists, too", do: "POST /contacts/search", body: `{"filters":[{"field":"custom_fields.likes","operator":"is_set"}]}`,
				status: 200, found: found(""),
			},

			{
				rule: "a view names a field", do: "POST /views",
				body: `{"name":"V","resource":"contact","search":{"filters":[{"field":"custom_fields.code","operator":"is_set"}],` +
					`"order_by":"custom_fields.code","fields":["custom_fields.code","name"]},"columns":["name","custom_fields.code"],` +
					`"group_by":"custom_fields.code","shared":true}`, status: 201, save: "view", want: `{"missing":[]}`,
			},
			{
				rule: "and one from elsewhere", do: "POST /views",
				body: `{"name":"D","resource":"deal","columns":["contact.custom_fields.code"]}`, status: 201, save: "deals",
			},
			{
				rule: "a view is held to what there is", do: "POST /views",
				body: `{"name":"V","resource":"contact","columns":["custom_fields.nothing"]}`, status: 422,
				wrong: "columns[0]:unknown_field",
			},
			{rule: "a field is called otherwise", do: "PATCH /fields/$code", body: `{"name":"ref"}`, status: 200},
			{
				rule: "and its values stay", do: "GET /contacts/$new", status: 200,
				want: `{"version":1,"custom_fields":{"ref":"n1","code":"<absent>"}}`,
			},
			{
				rule: "the old name is unknown", do: "PATCH /contacts/$new", body: `{"custom_fields":{"code":"x"}}`, status: 422,
				wrong: "custom_fields.code:unknown_field",
			},
			{
				rule: "views follow", do: "GET /views/$view", status: 200,
				want: `{"version":2,"search":{"filters":[{"field":"custom_fields.ref"}],"order_by":"custom_fields.ref",` +
					`"fields":["custom_fields.ref","name"]},"columns":["name","custom_fields.ref"],"group_by":"custom_fields.ref",` +
					`"missing":[]}`,
			},
			{rule: "everywhere", do: "GET /views/$deals", status: 200, want: `{"columns":["contact.custom_fields.ref"]}`},
			{rule: "a field is deleted", do: "DELETE /fields/$code", status: 204},
			{
				rule: "with what it asked for", do: "POST /contacts", body: `{"name":"Free"}`, status: 201,
				want: `{"custom_fields":{"ref":"<absent>"}}`,
			},
			{rule: "its values are hidden", do: "GET /contacts/$new", status: 200, want: `{"custom_fields":{"ref":"<absent>"}}`},
			{
				rule: "also when others change", do: "PATCH /contacts/$new", body: `{"custom_fields":{"tier":"new"}}`, status: 200,
				want: `{"custom_fields":{"ref":"<absent>","tier":"new"}}`,
			},
			{rule: "views say so", do: "GET /views/$view", status: 200, want: `{"missing":["custom_fields.ref"]}`},
			{rule: "everywhere they name it", do: "GET /views/$deals", status: 200, want: `{"missing":["contact.custom_fields.ref"]}`},
			{rule: "restoring brings it back", do: "POST /fields/$code/restore", status: 200},
			{rule: "with its values", do: "GET /contacts/$new", status: 200, want: `{"custom_fields":{"ref":"n1","tier":"new"}}`},
			{rule: "and views are whole", do: "GET /views/$view", status: 200, want: `{"missing":[]}`},
		})
		// The limit counts the fields that are there.
		for _, left := range []int{100, 97} {
			ops := make([]string, left)
			for i := range ops {
				ops[i] = fmt.Sprintf(`{"op":"create","data":{"resource":"contact","name":"n%d_%d","kind":"text"}}`, left, i)
			}
			w.check(t, step{do: "POST /fields/batch", body: `{"atomic":true,"operations":[` + strings.Join(ops, ",") + `]}`, status: 200})
		}
		w.run(t, []step{
			{
				rule: "a resource has 200 fields and no more", do: "POST /fields",
				body: `{"resource":"contact","name":"over","kind":"text"}`, status: 422, wrong: "resource:too_many",
			},
			{rule: "others have their own", do: "POST /fields", body: `{"resource":"deal","name":"over","kind":"text"}`, status: 201},
			{
				rule: "records with few values are small", do: "GET /contacts/$new", status: 200,
				want: `{"custom_fields":{"ref":"n1","tier":"new"}}`,
			},
		})
	})
}

// The definitions of a resource have a size together, and a search follows only so many references.
func TestDefinitionsAndReferencesAreBounded(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		long := strings.Repeat("d", 60_000)
		define := func(name string) string {
			return `{"resource":"note","name":"` + name + `","kind":"long_text","default":"` + long + `"}`
		}
		w.run(t, []step{
			{rule: "a long default", do: "POST /fields", body: define("a"), status: 201, save: "a"},
			{rule: "another one", do: "POST /fields", body: define("b"), status: 201, save: "b"},
			{rule: "a third is too much", do: "POST /fields", body: define("c"), status: 422, wrong: "resource:too_long"},
			{
				rule: "other resources have their own", do: "POST /fields", body: strings.Replace(define("c"), "note", "task", 1),
				status: 201,
			},
			{rule: "one may grow within that", do: "PATCH /fields/$a", body: `{"help":"` + strings.Repeat("h", 1_000) + `"}`, status: 200},
			{rule: "what is deleted does not count", do: "DELETE /fields/$b", status: 204},
			{rule: "so there is room", do: "POST /fields", body: define("c"), status: 201},
			{rule: "but not to restore it", do: "POST /fields/$b/restore", status: 422, wrong: "resource:too_long"},
		})
		ops := make([]string, 21)
		names := make([]string, 21)
		for i := range ops {
			ops[i] = fmt.Sprintf(`{"op":"create","data":{"resource":"contact","name":"friend_%d_id","kind":"reference",`+
				`"target":"contact"}}`, i)
			names[i] = fmt.Sprintf(`"custom_fields.friend_%d.name"`, i)
		}
		w.run(t, []step{
			{
				rule: "references", do: "POST /fields/batch", body: `{"atomic":true,"operations":[` + strings.Join(ops, ",") + `]}`,
				status: 200,
			},
			{rule: "20 are followed", do: "POST /contacts/search", body: `{"fields":[` + strings.Join(names[:20], ",") + `]}`, status: 200},
			{
				rule: "21 are not", do: "POST /contacts/search", body: `{"fields":[` + strings.Join(names, ",") + `]}`, status: 422,
				wrong: "fields:too_many",
			},
			{
				rule: "with the order they count together", do: "POST /contacts/search",
				body: `{"order_by":` + names[20] + `,"fields":[` + strings.Join(names[:20], ",") + `]}`, status: 422,
				wrong: "fields:too_many",
			},
			{
				rule: "one that is followed twice counts once", do: "POST /contacts/search",
				body: `{"order_by":` + names[0] + `,"fields":[` + strings.Join(names[:20], ",") + `]}`, status: 200,
			},
		})
	})
}

// Values of fields that are deleted are hidden, also where those were all that a resource had.
func TestTheLastFieldIsDeleted(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.run(t, []step{
			{
				rule: "a field", do: "POST /fields", body: `{"resource":"company","name":"region","kind":"text"}`, status: 201,
				save: "region",
			},
			{
				rule: "and a value", do: "POST /companies", body: `{"name":"Lund","custom_fields":{"region":"North"}}`, status: 201,
				save: "lund",
			},
			{rule: "when it is deleted", do: "DELETE /fields/$region", status: 204},
			{
				rule: "nothing of it is read", do: "GET /companies/$lund", status: 200,
				want: `{"custom_fields":{"region":"<absent>","f1":"<absent>"}}`,
			},
			{
				rule: "nor found", do: "POST /companies/search", body: `{}`, status: 200,
				want: `{"data":[{"custom_fields":{"region":"<absent>","f1":"<absent>"}}]}`,
			},
			{
				rule: "nor as a whole", do: "POST /companies/search", body: `{"fields":["custom_fields"]}`, status: 200,
				want: `{"data":[{"custom_fields":{"region":"<absent>","f1":"<absent>"}}]}`,
			},
			{
				rule: "nor written", do: "PATCH /companies/$lund", body: `{"custom_fields":{"f1":"x"}}`, status: 422,
				wrong: "custom_fields.f1:unknown_field",
			},
			{
				rule: "nor changed by others", do: "PATCH /companies/$lund", body: `{"name":"Lunds","custom_fields":{}}`, status: 200,
				want: `{"custom_fields":{"region":"<absent>","f1":"<absent>"}}`,
			},
			{rule: "until it is back", do: "POST /fields/$region/restore", status: 200},
			{rule: "as it was", do: "GET /companies/$lund", status: 200, want: `{"custom_fields":{"region":"North"}}`},
			{
				rule: "other businesses have none of it", as: "stranger", do: "POST /companies",
				body: `{"name":"x","custom_fields":{"region":"x"}}`, status: 422, wrong: "custom_fields.region:unknown_field",
			},
			{rule: "nor see it", as: "stranger", do: "GET /fields/$region", status: 404},
			{
				rule: "nor count it", as: "stranger", do: "POST /fields/search", body: `{}`, status: 200,
				want: `{"data":[],"meta":{"total":0}}`,
			},
		})
	})
}

// GET /v1/schema and the OpenAPI document are those of the business.
func TestOwnShapeIsDescribed(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.check(t, step{do: "POST /fields/batch", body: everyKind, status: 200})
		a := w.send(t, step{do: "GET /schema"})
		for _, r := range at(a.json, "resources").([]any) {
			if at(r, "name") != "contact" {
				continue
			}
			for _, f := range at(r, "fields").([]any) {
				if at(f, "name") != "custom_fields" {
					continue
				}
				fields := at(f, "fields").([]any)
				if len(fields) != 15 || at(fields[8], "custom") != true || at(fields[8], "options.1.value") != "it's silver" ||
					at(fields[13], "followed_as") != "custom_fields.partner" || at(fields[13], "target") != "company" {
					t.Errorf("the schema tells %v of custom fields", fields)
				}
			}
		}
		own := w.send(t, step{do: "GET /openapi.json"})
		for _, path := range []string{
			"components.schemas.ContactCustomFields.properties.tier", "components.schemas.ContactCustomFieldsInput.properties.likes",
			"components.schemas.ContactCustomFields.properties.partner", "components.schemas.CompanyCustomFields.properties.region",
		} {
			if at(own.json, path) == nil {
				t.Errorf("the business's own document has no %s", path)
			}
		}
		for _, name := range []string{`"custom_fields.partner.custom_fields.region"`, `"sum:custom_fields.score"`} {
			if !strings.Contains(string(own.text), name) {
				t.Errorf("the business's own document does not tell of %s", name)
			}
		}
		general := w.send(t, step{as: "none", do: "GET /openapi.json"})
		if strings.Contains(string(general.text), "custom_fields.partner") {
			t.Error("the general document has the fields of a business")
		}
	})
}
