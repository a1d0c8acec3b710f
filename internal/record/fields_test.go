package record_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/kith-crm/kith/internal/apitest"
)

// What a custom field can be.
func TestFields(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Run(t, []Step{
			{
				Rule: "a field needs a resource, a name and a kind", Do: "POST /fields", Body: `{}`, Status: 422,
				Wrong: "resource:required name:required kind:required",
			},
			{
				Rule: "settings have none", Do: "POST /fields", Body: `{"resource":"pipeline","name":"x","kind":"text"}`, Status: 422,
				Wrong: "resource:not_allowed",
			},
			{
				Rule: "kinds are those that there are", Do: "POST /fields", Body: `{"resource":"contact","name":"x","kind":"integer"}`,
				Status: 422, Wrong: "kind:not_allowed",
			},
			{
				Rule: "a name has small letters", Do: "POST /fields", Body: `{"resource":"contact","name":"Tier","kind":"text"}`,
				Status: 422, Wrong: "name:invalid_format",
			},
			{
				Rule: "and no dot", Do: "POST /fields", Body: `{"resource":"contact","name":"a.b","kind":"text"}`, Status: 422,
				Wrong: "name:invalid_format",
			},
			{
				Rule: "it is no novel", Do: "POST /fields",
				Body: `{"resource":"contact","name":"` + strings.Repeat("a", 61) + `","kind":"text"}`, Status: 422, Wrong: "name:too_long",
			},
			{
				Rule: "a reference ends in _id and has a target", Do: "POST /fields",
				Body: `{"resource":"contact","name":"partner","kind":"reference"}`, Status: 422,
				Wrong: "name:invalid_format target:required",
			},
			{
				Rule: "others have none", Do: "POST /fields", Body: `{"resource":"contact","name":"x","kind":"text","target":"user"}`,
				Status: 422, Wrong: "target:not_allowed",
			},
			{
				Rule: "a choice has options", Do: "POST /fields", Body: `{"resource":"contact","name":"x","kind":"select"}`, Status: 422,
				Wrong: "options:required",
			},
			{
				Rule: "others have none of these either", Do: "POST /fields",
				Body: `{"resource":"contact","name":"x","kind":"date","options":[{"value":"a"}]}`, Status: 422,
				Wrong: "options:not_allowed",
			},
			{
				Rule: "which differ and are plain", Do: "POST /fields",
				Body: `{"resource":"contact","name":"x","kind":"select","options":[{"value":"a"},{"value":"a"},{"value":"q\"q"},` +
					`{"value":"c","colour":"crimson"}]}`, Status: 422,
				Wrong: "options[1].value:not_allowed options[2].value:invalid_characters options[3].colour:invalid_format",
			},
			{
				Rule: "only texts are searchable", Do: "POST /fields",
				Body: `{"resource":"contact","name":"x","kind":"number","searchable":true}`, Status: 422, Wrong: "searchable:not_allowed",
			},
			{
				Rule: "a default is a value of the field", Do: "POST /fields",
				Body: `{"resource":"contact","name":"x","kind":"number","default":"five"}`, Status: 422, Wrong: "default:wrong_type",
			},
			{
				Rule: "one of its options", Do: "POST /fields",
				Body: `{"resource":"contact","name":"x","kind":"select","options":[{"value":"a"}],"default":"b"}`, Status: 422,
				Wrong: "default:not_allowed",
			},
			{
				Rule: "that can be chosen", Do: "POST /fields",
				Body:   `{"resource":"contact","name":"x","kind":"multi_select","options":[{"value":"a","archived":true}],"default":["a"]}`,
				Status: 422, Wrong: "default:not_allowed",
			},
			{
				Rule: "a reference has no default", Do: "POST /fields",
				Body: `{"resource":"contact","name":"x_id","kind":"reference","target":"user","default":"$member"}`, Status: 422,
				Wrong: "default:not_allowed",
			},

			{
				Rule: "it is at the end and labelled by its name", Do: "POST /fields",
				Body: `{"resource":"contact","name":"shoe_size","kind":"number","external_id":"shoe"}`, Status: 201, Save: "shoe",
				Want: `{"label":"Shoe size","position":1,"number":1,"required":false,"searchable":false,"default":null,"options":[],` +
					`"target":null}`,
			},
			{
				Rule: "options are completed", Do: "POST /fields",
				Body: `{"resource":"contact","name":"tier","kind":"select","default":"silver","options":[{"value":"gold","label":"Best",` +
					`"colour":"#d4af37"},{"value":"silver","colour":"gray"},` +
					`{"value":"tin"}],"external_id":"tier"}`, Status: 201, Save: "tier",
				Want: `{"number":2,"default":"silver","options":[{"value":"gold","label":"Best","colour":"#d4af37","position":1,` +
					`"archived":false},{"value":"silver","label":"Silver","colour":"gray","position":2},` +
					`{"value":"tin","colour":null}]}`,
			},
			{
				Rule: "other resources have their own names", Do: "POST /fields", Body: `{"resource":"deal","name":"tier","kind":"text"}`,
				Status: 201, Want: `{"number":3,"position":3}`,
			},
			{
				Rule: "a name is there once", Do: "POST /fields", Body: `{"resource":"contact","name":"tier","kind":"text"}`, Status: 409,
				Want: `{"existing_id":"$tier"}`,
			},
			{Rule: "also by a patch", Do: "PATCH /fields/$shoe", Body: `{"name":"tier"}`, Status: 409, Want: `{"existing_id":"$tier"}`},
			{
				Rule: "what a reference is followed as counts", Do: "POST /fields",
				Body: `{"resource":"contact","name":"tier_id","kind":"reference","target":"company"}`, Status: 409,
				Want: `{"existing_id":"$tier"}`,
			},
			{
				Rule: "kind, resource, target and searchable stay", Do: "PATCH /fields/$shoe",
				Body: `{"kind":"text","resource":"deal","target":"user","searchable":true}`, Status: 422,
				Wrong: "kind:immutable resource:immutable target:immutable searchable:immutable",
			},
			{Rule: "so does the number", Do: "PATCH /fields/$shoe", Body: `{"number":7}`, Status: 422, Wrong: "number:read_only"},
			{
				Rule: "the rest does not", Do: "PATCH /fields/$shoe",
				Body: `{"label":"Shoes","help":"In EU sizes.","position":9,"required":true}`, Status: 200,
				Want: `{"label":"Shoes","help":"In EU sizes.","position":9,"required":true}`,
			},
			{Rule: "again", Do: "PATCH /fields/$shoe", Body: `{"required":false}`, Status: 200},
			{Rule: "a member reads fields", As: "member", Do: "GET /fields/$shoe", Status: 200, Want: `{"label":"Shoes"}`},
			{
				Rule: "but makes none", As: "member", Do: "POST /fields", Body: `{"resource":"contact","name":"mine","kind":"text"}`,
				Status: 403, Code: "forbidden_by_role",
			},
			{Rule: "nor does a manager", As: "manager", Do: "DELETE /fields/$shoe", Status: 403, Code: "forbidden_by_role"},
			{
				Rule: "the scope counts", As: "admin:contact.all", Do: "POST /fields",
				Body: `{"resource":"contact","name":"mine","kind":"text"}`, Status: 403, Code: "insufficient_scope",
			},
			{
				Rule: "a rehearsal defines nothing", Do: "POST /fields?dry_run=true",
				Body: `{"resource":"contact","name":"dry","kind":"text"}`, Status: 201, Want: `{"number":null}`,
			},
			{
				Rule: "as is seen", Do: "POST /contacts", Body: `{"name":"x","custom_fields":{"dry":"x"}}`, Status: 422,
				Wrong: "custom_fields.dry:unknown_field",
			},
			{
				Rule: "fields are found like everything", Do: "POST /fields/search",
				Body:   `{"filters":[{"field":"resource","operator":"eq","value":"contact"}],"order_by":"position","sort_direction":"asc"}`,
				Status: 200, Found: Found("tier shoe"),
			},

			{Rule: "a deleted field frees its name", Do: "DELETE /fields/$tier", Status: 204},
			{
				Rule: "for another of any kind", Do: "POST /fields", Body: `{"resource":"contact","name":"tier","kind":"number"}`,
				Status: 201, Save: "other", Want: `{"number":4}`,
			},
			{Rule: "then it cannot come back", Do: "POST /fields/$tier/restore", Status: 409, Want: `{"existing_id":"$other"}`},
			{Rule: "before the other is called otherwise", Do: "PATCH /fields/$other", Body: `{"name":"level"}`, Status: 200},
			{Rule: "and it is free again", Do: "POST /fields/$tier/restore", Status: 200, Want: `{"name":"tier","number":2}`},
			{
				Rule: "its history tells", Do: "POST /fields/$other/history/search", Body: `{"limit":1}`, Status: 200,
				Want: `{"data":[{"changes":{"name":{"from":"tier","to":"level"}}}]}`,
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
	OnBothEngines(t, func(t *testing.T, w *World) {
		all := `{"motto":"Carpe Diëm","story":"Once\nupon a time","score":1.5,"weight":"2.25","budget":"1000.00","vip":true,` +
			`"since":"2020-02-29","seen":"2024-05-06T07:08:09.000000Z","tier":"it's silver","likes":["tea","coffee"],` +
			`"blog":"https://example.com/Ä","private":"Anna@Example.com","fax":"+46 (8) 12","partner_id":"$lund","mentor_id":"$member"}`
		w.Run(t, []Step{
			{
				Rule: "without definitions nothing is known", Do: "POST /contacts", Body: `{"name":"x","custom_fields":{"motto":"x"}}`,
				Status: 422, Wrong: "custom_fields.motto:unknown_field",
			},
			{
				Rule: "and records have an empty object", Do: "POST /contacts", Body: `{"name":"Old","external_id":"old"}`, Status: 201,
				Save: "old", Want: `{"custom_fields":{}}`,
			},
			{
				Rule: "a field of each kind", Do: "POST /fields/batch", Body: everyKind, Status: 200,
				Want: `{"meta":{"succeeded":16,"failed":0}}`,
			},
			{
				Rule: "a company", Do: "POST /companies", Body: `{"name":"Lund","custom_fields":{"region":"North"}}`, Status: 201,
				Save: "lund", Want: `{"custom_fields":{"region":"North"}}`,
			},
			{
				Rule: "values are kept as they are", Do: "POST /contacts",
				Body: `{"name":"Anna","external_id":"anna","custom_fields":` + all + `}`, Status: 201, Save: "anna",
				Want: `{"custom_fields":` + all + `}`,
			},
			{Rule: "and read", Do: "GET /contacts/$anna", Status: 200, Want: `{"custom_fields":` + all + `}`},
			{
				Rule: "and found", Do: "POST /contacts/search", Body: `{"order_by":"custom_fields.score"}`, Status: 200,
				Found: Found("anna old"), Want: `{"data":[{"custom_fields":` + all + `},{"custom_fields":{"motto":"<absent>"}}]}`,
			},
			{
				Rule: "each is held to its kind", Do: "POST /contacts",
				Body: `{"name":"x","custom_fields":{"motto":5,"story":true,"score":"1","weight":"x","budget":"1.23456","vip":"yes",` +
					`"since":"2021-02-29","seen":"today","tier":"tin","likes":["milk"],"blog":"example","private":"x","fax":"none",` +
					`"partner_id":"$member","mentor_id":"user_01h455vb4pex5vsknk084sn02q","nothing":1}}`, Status: 422,
				Wrong: "custom_fields.motto:wrong_type custom_fields.story:wrong_type custom_fields.score:wrong_type " +
					"custom_fields.weight:invalid_format custom_fields.budget:out_of_range custom_fields.vip:wrong_type " +
					"custom_fields.since:invalid_date custom_fields.seen:invalid_time custom_fields.tier:not_allowed " +
					"custom_fields.likes[0]:not_allowed custom_fields.blog:invalid_format custom_fields.private:invalid_format " +
					"custom_fields.fax:invalid_format custom_fields.partner_id:invalid_id custom_fields.nothing:unknown_field",
			},
			{
				Rule: "a reference leads to what is there", Do: "POST /contacts",
				Body: `{"name":"x","custom_fields":{"mentor_id":"user_01h455vb4pex5vsknk084sn02q",` +
					`"partner_id":"company_01h455vb4pex5vsknk084sn02q"}}`, Status: 422,
				Wrong: "custom_fields.partner_id:not_found custom_fields.mentor_id:not_found",
			},
			{
				Rule: "the object is one", Do: "PATCH /contacts/$anna", Body: `{"custom_fields":[]}`, Status: 422,
				Wrong: "custom_fields:wrong_type",
			},
			{
				Rule: "a patch changes what it names", Do: "PATCH /contacts/$anna",
				Body: `{"custom_fields":{"score":2,"story":null,"tier":""}}`, Status: 200,
				Want: `{"version":2,"custom_fields":{"motto":"Carpe Diëm","score":2,"story":"<absent>","tier":"<absent>"}}`,
			},
			{
				Rule: "its history names them by their paths", Do: "POST /contacts/$anna/history/search", Body: `{"limit":1}`, Status: 200,
				Want: `{"data":[{"changes":{"custom_fields.score":{"from":1.5,"to":2},"custom_fields.story":{"from":"Once\nupon a time",` +
					`"to":null},"custom_fields.tier":{"from":"it's silver","to":null}}}]}`,
			},
			{
				Rule: "so does the log", Do: "POST /changes/search", Body: `{"resources":["company"]}`, Status: 200,
				Want: `{"data":[{"changes":{"custom_fields.region":{"from":null,"to":"North"}}}]}`,
			},
			{
				Rule: "the same again changes nothing", Do: "PATCH /contacts/$anna", Body: `{"custom_fields":{"score":2.0}}`, Status: 200,
				Want: `{"version":2}`,
			},
			{
				Rule: "null empties all", Do: "PATCH /contacts/$old", Body: `{"custom_fields":null}`, Status: 200,
				Want: `{"custom_fields":{}}`,
			},
			{
				Rule: "an upsert knows them", Do: "POST /contacts/upsert",
				Body: `{"match":"external_id","data":{"external_id":"anna","custom_fields":{"tier":"gold"}}}`, Status: 200,
				Want: `{"custom_fields":{"tier":"gold","score":2}}`,
			},
			{
				Rule: "so does a batch", Do: "POST /contacts/batch",
				Body: `{"operations":[{"op":"create","data":{"name":"Bert","external_id":"bert","custom_fields":{"score":-3,` +
					`"tier":"bronze","likes":["Tea"],"since":"2021-01-01","vip":false,"fax":"0046 812","motto":"diem"}}},{"op":"update",` +
					`"id":"$old","data":{"custom_fields":{"nothing":1}}}]}`, Status: 200,
				Want: `{"data":[{"status":201},{"status":422,"error":{"errors":[{"field":"custom_fields.nothing"}]}}]}`,
			},

			{
				Rule: "eq folds texts", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"custom_fields.motto","operator":"eq","value":"CARPE diem"}]}`, Status: 200,
				Found: Found("anna"),
			},
			{
				Rule: "contains", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"custom_fields.motto","operator":"contains","value":"DIEM"}],"order_by":"name",` +
					`"sort_direction":"asc"}`, Status: 200, Found: Found("anna bert"),
			},
			{
				Rule: "starts_with", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"custom_fields.motto","operator":"starts_with","value":"die"}]}`, Status: 200,
				Found: Found("bert"),
			},
			{
				Rule: "addresses keep their accents", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"custom_fields.blog","operator":"eq","value":"https://example.com/ä"}]}`, Status: 200,
				Found: Found("anna"),
			},
			{
				Rule: "e-mail addresses not their case", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"custom_fields.private","operator":"eq","value":"anna@example.com"}]}`, Status: 200,
				Found: Found("anna"),
			},
			{
				Rule: "phone numbers are their digits", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"custom_fields.fax","operator":"contains","value":"46-8"}],"order_by":"name"}`, Status: 200,
				Found: Found("bert anna"),
			},
			{
				Rule: "numbers compare", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"custom_fields.score","operator":"between","values":[-5,1]}]}`, Status: 200,
				Found: Found("bert"),
			},
			{
				Rule: "neq has what is absent", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"custom_fields.score","operator":"neq","value":2}],"order_by":"name"}`, Status: 200,
				Found: Found("old bert"),
			},
			{
				Rule: "decimals", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"custom_fields.weight","operator":"gte","value":"2.25"}]}`, Status: 200, Found: Found("anna"),
			},
			{
				Rule: "truth", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"custom_fields.vip","operator":"eq","value":false}]}`, Status: 200, Found: Found("bert"),
			},
			{
				Rule: "dates with value tokens", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"custom_fields.since","operator":"lt","value":"@today"}],"order_by":"custom_fields.since",` +
					`"sort_direction":"asc"}`, Status: 200, Found: Found("anna bert"),
			},
			{
				Rule: "times", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"custom_fields.seen","operator":"gt","value":"2024-05-06"}]}`, Status: 200,
				Found: Found("anna"),
			},
			{
				Rule: "a choice", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"custom_fields.tier","operator":"in","values":["gold","it's silver"]}]}`, Status: 200,
				Found: Found("anna"),
			},
			{
				Rule: "of those that there are", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"custom_fields.tier","operator":"eq","value":"tin"}]}`, Status: 422,
				Wrong: "filters[0].value:not_allowed",
			},
			{
				Rule: "choices, to the letter", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"custom_fields.likes","operator":"contains","value":"tea"}]}`, Status: 200,
				Found: Found("anna"),
			},
			{
				Rule: "none of some", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"custom_fields.likes","operator":"nin","values":["tea"]}],"order_by":"name"}`, Status: 200,
				Found: Found("old bert"),
			},
			{
				Rule: "is_not_set", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"custom_fields.likes","operator":"is_not_set"}]}`, Status: 200, Found: Found("old"),
			},
			{
				Rule: "a user by @me", As: "member", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"custom_fields.mentor_id","operator":"eq","value":"@me"}]}`, Status: 200, Found: Found("anna"),
			},
			{
				Rule: "operators are those of the kind", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"custom_fields.vip","operator":"gt","value":true}]}`, Status: 422,
				Wrong: "filters[0].operator:operator_not_allowed",
			},
			{
				Rule: "a wrong name is told", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"custom_fields.scor","operator":"is_set"}]}`, Status: 422,
				Wrong: "filters[0].field:unknown_field",
			},
			{
				Rule: "the object itself is no field", Do: "POST /contacts/search", Body: `{"order_by":"custom_fields"}`, Status: 422,
				Wrong: "order_by:unknown_field",
			},
			{
				Rule: "words of a searchable field", Do: "POST /contacts/search", Body: `{"search_text":"carp"}`, Status: 200,
				Found: Found("anna"),
			},
			{Rule: "and of no other", Do: "POST /contacts/search", Body: `{"search_text":"bronze"}`, Status: 200, Found: Found("")},
			{
				Rule: "also across resources", Do: "POST /search", Body: `{"search_text":"carpe"}`, Status: 200,
				Want: `{"data":[{"record":{"id":"$anna"}}]}`,
			},

			{
				Rule: "absent last, upwards", Do: "POST /contacts/search", Body: `{"order_by":"custom_fields.tier","sort_direction":"asc"}`,
				Status: 200, Found: Found("anna bert old"),
			},
			{
				Rule: "and downwards", Do: "POST /contacts/search", Body: `{"order_by":"custom_fields.tier","sort_direction":"desc"}`,
				Status: 200, Found: Found("bert anna old"),
			},
			{
				Rule: "in pages", Do: "POST /contacts/search", Body: `{"order_by":"custom_fields.score","limit":1}`, Status: 200,
				Found: Found("anna"), Save: "next=meta.cursor.next",
			},
			{
				Rule: "of which each goes on", Do: "POST /contacts/search",
				Body: `{"order_by":"custom_fields.score","limit":1,"cursor":"$next"}`, Status: 200, Found: Found("bert"),
			},
			{
				Rule: "lists have no order", Do: "POST /contacts/search", Body: `{"order_by":"custom_fields.likes"}`, Status: 422,
				Wrong: "order_by:not_sortable",
			},

			{
				Rule: "fields name some", Do: "POST /contacts/search",
				Body: `{"fields":["name","custom_fields.score","custom_fields.story"],"order_by":"name","sort_direction":"asc",` +
					`"limit":1}`, Status: 200, Want: `{"data":[{"id":"<absent>","name":"Anna","custom_fields":{"score":2,` +
					`"story":"<absent>","tier":"<absent>"}}]}`,
			},
			{
				Rule: "or all", Do: "POST /contacts/search",
				Body:   `{"fields":["custom_fields","custom_fields.score"],"order_by":"name","sort_direction":"asc","limit":1}`,
				Status: 200, Want: `{"data":[{"name":"<absent>","custom_fields":{"score":2,"tier":"gold"}}]}`,
			},
			{
				Rule: "and follow references", Do: "POST /contacts/search",
				Body: `{"fields":["custom_fields.partner.name","custom_fields.partner.custom_fields.region","custom_fields.score",` +
					`"custom_fields.mentor.name","owner.name","name"],"order_by":"name","sort_direction":"asc","limit":1}`, Status: 200,
				Want: `{"data":[{"name":"Anna","owner":{"name":"*"},"custom_fields":{"score":2,"partner":{"name":"Lund",` +
					`"custom_fields":{"region":"North"}},"mentor":{"name":"*"}}}]}`,
			},
			{
				Rule: "as filters do", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"custom_fields.partner.name","operator":"eq","value":"lund"},` +
					`{"field":"custom_fields.partner.custom_fields.region","operator":"contains","value":"ort"}]}`, Status: 200,
				Found: Found("anna"),
			},
			{
				Rule: "and orders", Do: "POST /contacts/search", Body: `{"order_by":"custom_fields.partner.name"}`, Status: 200,
				Found: Found("anna bert old"),
			},
			{
				Rule: "which needs the right to read them", As: "admin:contact.read", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"custom_fields.partner.name","operator":"eq","value":"lund"}]}`, Status: 403,
				Code: "insufficient_scope",
			},
			{
				Rule: "or shows nothing", As: "admin:contact.read", Do: "POST /contacts/search",
				Body: `{"fields":["custom_fields.partner.name"],"order_by":"name","sort_direction":"asc","limit":1}`, Status: 200,
				Want: `{"data":[{"custom_fields":{"partner":null}}]}`,
			},
			{Rule: "a built-in reference leads to them, too", Do: "PATCH /contacts/$anna", Body: `{"company_id":"$lund"}`, Status: 200},
			{
				Rule: "by their names", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"company.custom_fields.region","operator":"eq","value":"north"}],` +
					`"fields":["company.custom_fields.region","company.custom_fields"]}`, Status: 200,
				Want: `{"data":[{"company":{"custom_fields":{"region":"North"}}}]}`,
			},
			{
				Rule: "a whole and its parts exclude each other", Do: "POST /contacts/search",
				Body: `{"fields":["custom_fields","custom_fields.partner.name"]}`, Status: 422, Wrong: "fields:not_allowed",
			},

			{
				Rule: "figures add them up", Do: "POST /contacts/aggregate",
				Body: `{"metrics":["count","sum:custom_fields.score","max:custom_fields.weight","min:custom_fields.since",` +
					`"sum:custom_fields.budget"]}`, Status: 200,
				Want: `{"data":[{"count":3,"sum:custom_fields.score":-1,"max:custom_fields.weight":"2.25",` +
					`"min:custom_fields.since":"2020-02-29","sum:custom_fields.budget":"1000.00"}]}`,
			},
			{
				Rule: "and group by them", Do: "POST /contacts/aggregate",
				Body: `{"group_by":["custom_fields.tier"],"order_by":"custom_fields.tier","sort_direction":"asc"}`, Status: 200,
				Want: `{"data":[{"custom_fields.tier":"gold","count":1},{"custom_fields.tier":"bronze","count":1},` +
					`{"custom_fields.tier":null,"count":1}]}`,
			},
			{
				Rule: "by periods", Do: "POST /contacts/aggregate",
				Body: `{"group_by":["custom_fields.since:year","custom_fields.partner.name"],"order_by":"custom_fields.since:year",` +
					`"sort_direction":"asc"}`, Status: 200,
				Want: `{"data":[{"custom_fields.since:year":"2020","custom_fields.partner.name":"Lund"},` +
					`{"custom_fields.since:year":"2021","custom_fields.partner.name":null},{"custom_fields.since:year":null}]}`,
			},
			{Rule: "the timeline has them", Do: "POST /notes", Body: `{"body":"x","contact_id":"$anna"}`, Status: 201},
			{
				Rule: "whole", Do: "POST /contacts/$anna/timeline/search", Body: `{"limit":1}`, Status: 200,
				Want: `{"data":[{"kind":"note","record":{"custom_fields":{}}}]}`,
			},
			{Rule: "a binned record keeps them", Do: "DELETE /contacts/$anna", Status: 204},
			{
				Rule: "as the bin shows", Do: "POST /contacts/deleted/search",
				Body: `{"filters":[{"field":"custom_fields.tier","operator":"eq","value":"gold"}]}`, Status: 200,
				Want: `{"data":[{"custom_fields":{"tier":"gold"}}]}`,
			},
			{
				Rule: "and comes back with them", Do: "POST /contacts/$anna/restore", Status: 200,
				Want: `{"custom_fields":{"tier":"gold","motto":"Carpe Diëm"}}`,
			},
		})
	})
}

// What definitions ask of records, and what becomes of values when they change.
func TestDefinitionsChange(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Run(t, []Step{
			{Rule: "a record from before", Do: "POST /contacts", Body: `{"name":"Old","external_id":"old"}`, Status: 201, Save: "old"},
			{
				Rule: "a required field", Do: "POST /fields",
				Body: `{"resource":"contact","name":"code","kind":"text","required":true,"searchable":true}`, Status: 201, Save: "code",
			},
			{
				Rule: "is asked of new records", Do: "POST /contacts", Body: `{"name":"x"}`, Status: 422,
				Wrong: "custom_fields.code:required",
			},
			{
				Rule: "null is not enough", Do: "POST /contacts", Body: `{"name":"x","custom_fields":{"code":null}}`, Status: 422,
				Wrong: "custom_fields.code:required",
			},
			{
				Rule: "nor in place of all", Do: "POST /contacts", Body: `{"name":"x","custom_fields":null}`, Status: 422,
				Wrong: "custom_fields.code:required",
			},
			{
				Rule: "a value is", Do: "POST /contacts", Body: `{"name":"New","external_id":"new","custom_fields":{"code":"n1"}}`,
				Status: 201, Save: "new",
			},
			{
				Rule: "an old record is changed without it", Do: "PATCH /contacts/$old", Body: `{"name":"Older"}`, Status: 200,
				Want: `{"name":"Older","custom_fields":{"code":"<absent>"}}`,
			},
			{
				Rule: "but not emptied of it", Do: "PATCH /contacts/$old", Body: `{"custom_fields":{"code":""}}`, Status: 422,
				Wrong: "custom_fields.code:required",
			},
			{
				Rule: "orders know that it may be absent", Do: "POST /contacts/search", Body: `{"order_by":"custom_fields.code"}`,
				Status: 200, Found: Found("new old"),
			},

			{
				Rule: "a field with a default", Do: "POST /fields",
				Body: `{"resource":"contact","name":"tier","kind":"select","options":[{"value":"gold"},{"value":"silver"},` +
					`{"value":"tin"}],"default":"silver","required":true}`, Status: 201, Save: "tier",
			},
			{
				Rule: "and one of a list", Do: "POST /fields",
				Body: `{"resource":"contact","name":"likes","kind":"multi_select","options":[{"value":"tea"},{"value":"milk"}],` +
					`"default":["tea"]}`, Status: 201, Save: "likes",
			},
			{
				Rule: "fill what is not given", Do: "POST /contacts",
				Body: `{"name":"Def","external_id":"def","custom_fields":{"code":"d"}}`, Status: 201,
				Want: `{"custom_fields":{"tier":"silver","likes":["tea"]}}`,
			},
			{
				Rule: "null stays absent", Do: "POST /contacts",
				Body: `{"name":"Nul","external_id":"nul","custom_fields":{"code":"d","likes":null,"tier":"gold"}}`, Status: 201,
				Want: `{"custom_fields":{"tier":"gold","likes":"<absent>"}}`,
			},

			{
				Rule: "an option in use is not dropped", Do: "PATCH /fields/$tier",
				Body: `{"options":[{"value":"gold"},{"value":"tin"}],"default":null}`, Status: 409, Want: `{"existing_id":"*"}`,
			},
			{
				Rule: "one that nobody has is", Do: "PATCH /fields/$tier", Body: `{"options":[{"value":"gold"},{"value":"silver"}]}`,
				Status: 200,
			},
			{
				Rule: "archiving takes nothing away", Do: "PATCH /fields/$tier",
				Body: `{"options":[{"value":"gold","archived":true},{"value":"silver"},{"value":"new"}]}`, Status: 200,
			},
			{
				Rule: "from those who have it", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"custom_fields.tier","operator":"eq","value":"gold"}]}`, Status: 200, Found: Found("nul"),
				Save: "nul=data.0.id",
			},
			{
				Rule: "who may keep it", Do: "PATCH /contacts/$nul", Body: `{"name":"Null","custom_fields":{"tier":"gold"}}`, Status: 200,
				Want: `{"name":"Null"}`,
			},
			{
				Rule: "but nobody takes it anew", Do: "PATCH /contacts/$new", Body: `{"custom_fields":{"tier":"gold"}}`, Status: 422,
				Wrong: "custom_fields.tier:not_allowed", Want: `{"errors":[{"allowed":["silver","new"]}]}`,
			},
			{
				Rule: "a default cannot be archived", Do: "PATCH /fields/$tier",
				Body: `{"options":[{"value":"gold"},{"value":"silver","archived":true}]}`, Status: 422, Wrong: "default:not_allowed",
			},
			{
				Rule: "what comes in the place of an option is one that stays", Do: "PATCH /fields/$tier",
				Body: `{"options":[{"value":"silver"},{"value":"new"}],"replace_with":{"gold":"tin"}}`, Status: 422,
				Wrong: "replace_with.gold:not_allowed",
			},
			{
				Rule: "then records get it", Do: "PATCH /fields/$tier",
				Body: `{"options":[{"value":"silver"},{"value":"new"}],"replace_with":{"gold":"new"}}`, Status: 200,
				Want: `{"replace_with":{}}`,
			},
			{
				Rule: "in their history", Do: "POST /contacts/$nul/history/search", Body: `{"limit":1}`, Status: 200,
				Want: `{"data":[{"action":"update","changes":{"custom_fields.tier":{"from":"gold","to":"new"}}}]}`,
			},
			{
				Rule: "null empties", Do: "PATCH /fields/$likes",
				Body: `{"options":[{"value":"milk"}],"default":null,"replace_with":{"tea":null}}`, Status: 200,
			},
			{
				Rule: "lists, too", Do: "POST /contacts/search", Body: `{"filters":[{"field":"custom_fields.likes","operator":"is_set"}]}`,
				Status: 200, Found: Found(""),
			},

			{
				Rule: "a view names a field", Do: "POST /views",
				Body: `{"name":"V","resource":"contact","search":{"filters":[{"field":"custom_fields.code","operator":"is_set"}],` +
					`"order_by":"custom_fields.code","fields":["custom_fields.code","name"]},"columns":["name","custom_fields.code"],` +
					`"group_by":"custom_fields.code","shared":true}`, Status: 201, Save: "view", Want: `{"missing":[]}`,
			},
			{
				Rule: "and one from elsewhere", Do: "POST /views",
				Body: `{"name":"D","resource":"deal","columns":["contact.custom_fields.code"]}`, Status: 201, Save: "deals",
			},
			{
				Rule: "a report counts by one", Do: "POST /reports",
				Body: `{"name":"R","resource":"contact","aggregate":{"group_by":["custom_fields.code"],"order_by":"custom_fields.code",` +
					`"metrics":["count"],"filters":[{"field":"custom_fields.code","operator":"is_set"}]}}`, Status: 201, Save: "report",
			},
			{
				Rule: "a report is held to what can be counted", Do: "POST /reports",
				Body: `{"name":"R","resource":"contact","aggregate":{"group_by":["created_at"],"metrics":["sum:name"]}}`, Status: 422,
				Wrong: "aggregate.group_by[0]:unit_required aggregate.metrics[0]:not_measurable",
			},
			{
				Rule: "a view is held to what there is", Do: "POST /views",
				Body: `{"name":"V","resource":"contact","columns":["custom_fields.nothing"]}`, Status: 422,
				Wrong: "columns[0]:unknown_field",
			},
			{Rule: "a field is called otherwise", Do: "PATCH /fields/$code", Body: `{"name":"ref"}`, Status: 200},
			{
				Rule: "and its values stay", Do: "GET /contacts/$new", Status: 200,
				Want: `{"version":1,"custom_fields":{"ref":"n1","code":"<absent>"}}`,
			},
			{
				Rule: "the old name is unknown", Do: "PATCH /contacts/$new", Body: `{"custom_fields":{"code":"x"}}`, Status: 422,
				Wrong: "custom_fields.code:unknown_field",
			},
			{
				Rule: "views follow", Do: "GET /views/$view", Status: 200,
				Want: `{"version":2,"search":{"filters":[{"field":"custom_fields.ref"}],"order_by":"custom_fields.ref",` +
					`"fields":["custom_fields.ref","name"]},"columns":["name","custom_fields.ref"],"group_by":"custom_fields.ref",` +
					`"missing":[]}`,
			},
			{
				Rule: "reports, too", Do: "GET /reports/$report", Status: 200,
				Want: `{"aggregate":{"group_by":["custom_fields.ref"],"order_by":"custom_fields.ref","metrics":["count"],` +
					`"filters":[{"field":"custom_fields.ref"}]},"missing":[]}`,
			},
			{Rule: "everywhere", Do: "GET /views/$deals", Status: 200, Want: `{"columns":["contact.custom_fields.ref"]}`},
			{Rule: "a field is deleted", Do: "DELETE /fields/$code", Status: 204},
			{
				Rule: "with what it asked for", Do: "POST /contacts", Body: `{"name":"Free"}`, Status: 201,
				Want: `{"custom_fields":{"ref":"<absent>"}}`,
			},
			{Rule: "its values are hidden", Do: "GET /contacts/$new", Status: 200, Want: `{"custom_fields":{"ref":"<absent>"}}`},
			{
				Rule: "also when others change", Do: "PATCH /contacts/$new", Body: `{"custom_fields":{"tier":"new"}}`, Status: 200,
				Want: `{"custom_fields":{"ref":"<absent>","tier":"new"}}`,
			},
			{Rule: "views say so", Do: "GET /views/$view", Status: 200, Want: `{"missing":["custom_fields.ref"]}`},
			{Rule: "reports, too", Do: "GET /reports/$report", Status: 200, Want: `{"missing":["custom_fields.ref"]}`},
			{Rule: "everywhere they name it", Do: "GET /views/$deals", Status: 200, Want: `{"missing":["contact.custom_fields.ref"]}`},
			{Rule: "restoring brings it back", Do: "POST /fields/$code/restore", Status: 200},
			{Rule: "with its values", Do: "GET /contacts/$new", Status: 200, Want: `{"custom_fields":{"ref":"n1","tier":"new"}}`},
			{Rule: "and views are whole", Do: "GET /views/$view", Status: 200, Want: `{"missing":[]}`},
		})
		// The limit counts the fields that are there.
		for _, left := range []int{100, 97} {
			ops := make([]string, left)
			for i := range ops {
				ops[i] = fmt.Sprintf(`{"op":"create","data":{"resource":"contact","name":"n%d_%d","kind":"text"}}`, left, i)
			}
			w.Check(t, Step{Do: "POST /fields/batch", Body: `{"atomic":true,"operations":[` + strings.Join(ops, ",") + `]}`, Status: 200})
		}
		w.Run(t, []Step{
			{
				Rule: "a resource has 200 fields and no more", Do: "POST /fields",
				Body: `{"resource":"contact","name":"over","kind":"text"}`, Status: 422, Wrong: "resource:too_many",
			},
			{Rule: "others have their own", Do: "POST /fields", Body: `{"resource":"deal","name":"over","kind":"text"}`, Status: 201},
			{
				Rule: "records with few values are small", Do: "GET /contacts/$new", Status: 200,
				Want: `{"custom_fields":{"ref":"n1","tier":"new"}}`,
			},
		})
	})
}

// The definitions of a resource have a size together, and a search follows only so many references.
func TestDefinitionsAndReferencesAreBounded(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		long := strings.Repeat("d", 60_000)
		define := func(name string) string {
			return `{"resource":"note","name":"` + name + `","kind":"long_text","default":"` + long + `"}`
		}
		w.Run(t, []Step{
			{Rule: "a long default", Do: "POST /fields", Body: define("a"), Status: 201, Save: "a"},
			{Rule: "another one", Do: "POST /fields", Body: define("b"), Status: 201, Save: "b"},
			{Rule: "a third is too much", Do: "POST /fields", Body: define("c"), Status: 422, Wrong: "resource:too_long"},
			{
				Rule: "other resources have their own", Do: "POST /fields", Body: strings.Replace(define("c"), "note", "task", 1),
				Status: 201,
			},
			{Rule: "one may grow within that", Do: "PATCH /fields/$a", Body: `{"help":"` + strings.Repeat("h", 1_000) + `"}`, Status: 200},
			{Rule: "what is deleted does not count", Do: "DELETE /fields/$b", Status: 204},
			{Rule: "so there is room", Do: "POST /fields", Body: define("c"), Status: 201},
			{Rule: "but not to restore it", Do: "POST /fields/$b/restore", Status: 422, Wrong: "resource:too_long"},
		})
		ops := make([]string, 21)
		names := make([]string, 21)
		for i := range ops {
			ops[i] = fmt.Sprintf(`{"op":"create","data":{"resource":"contact","name":"friend_%d_id","kind":"reference",`+
				`"target":"contact"}}`, i)
			names[i] = fmt.Sprintf(`"custom_fields.friend_%d.name"`, i)
		}
		w.Run(t, []Step{
			{
				Rule: "references", Do: "POST /fields/batch", Body: `{"atomic":true,"operations":[` + strings.Join(ops, ",") + `]}`,
				Status: 200,
			},
			{Rule: "20 are followed", Do: "POST /contacts/search", Body: `{"fields":[` + strings.Join(names[:20], ",") + `]}`, Status: 200},
			{
				Rule: "21 are not", Do: "POST /contacts/search", Body: `{"fields":[` + strings.Join(names, ",") + `]}`, Status: 422,
				Wrong: "fields:too_many",
			},
			{
				Rule: "with the order they count together", Do: "POST /contacts/search",
				Body: `{"order_by":` + names[20] + `,"fields":[` + strings.Join(names[:20], ",") + `]}`, Status: 422,
				Wrong: "fields:too_many",
			},
			{
				Rule: "one that is followed twice counts once", Do: "POST /contacts/search",
				Body: `{"order_by":` + names[0] + `,"fields":[` + strings.Join(names[:20], ",") + `]}`, Status: 200,
			},
		})
	})
}

// Values of fields that are deleted are hidden, also where those were all that a resource had.
func TestTheLastFieldIsDeleted(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Run(t, []Step{
			{
				Rule: "a field", Do: "POST /fields", Body: `{"resource":"company","name":"region","kind":"text"}`, Status: 201,
				Save: "region",
			},
			{
				Rule: "and a value", Do: "POST /companies", Body: `{"name":"Lund","custom_fields":{"region":"North"}}`, Status: 201,
				Save: "lund",
			},
			{Rule: "when it is deleted", Do: "DELETE /fields/$region", Status: 204},
			{
				Rule: "nothing of it is read", Do: "GET /companies/$lund", Status: 200,
				Want: `{"custom_fields":{"region":"<absent>","f1":"<absent>"}}`,
			},
			{
				Rule: "nor found", Do: "POST /companies/search", Body: `{}`, Status: 200,
				Want: `{"data":[{"custom_fields":{"region":"<absent>","f1":"<absent>"}}]}`,
			},
			{
				Rule: "nor as a whole", Do: "POST /companies/search", Body: `{"fields":["custom_fields"]}`, Status: 200,
				Want: `{"data":[{"custom_fields":{"region":"<absent>","f1":"<absent>"}}]}`,
			},
			{
				Rule: "nor written", Do: "PATCH /companies/$lund", Body: `{"custom_fields":{"f1":"x"}}`, Status: 422,
				Wrong: "custom_fields.f1:unknown_field",
			},
			{
				Rule: "nor changed by others", Do: "PATCH /companies/$lund", Body: `{"name":"Lunds","custom_fields":{}}`, Status: 200,
				Want: `{"custom_fields":{"region":"<absent>","f1":"<absent>"}}`,
			},
			{Rule: "until it is back", Do: "POST /fields/$region/restore", Status: 200},
			{Rule: "as it was", Do: "GET /companies/$lund", Status: 200, Want: `{"custom_fields":{"region":"North"}}`},
			{
				Rule: "other businesses have none of it", As: "stranger", Do: "POST /companies",
				Body: `{"name":"x","custom_fields":{"region":"x"}}`, Status: 422, Wrong: "custom_fields.region:unknown_field",
			},
			{Rule: "nor see it", As: "stranger", Do: "GET /fields/$region", Status: 404},
			{
				Rule: "nor count it", As: "stranger", Do: "POST /fields/search", Body: `{}`, Status: 200,
				Want: `{"data":[],"meta":{"total":0}}`,
			},
		})
	})
}

// GET /v1/schema and the OpenAPI document are those of the business.
func TestOwnShapeIsDescribed(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Check(t, Step{Do: "POST /fields/batch", Body: everyKind, Status: 200})
		a := w.Send(t, Step{Do: "GET /schema"})
		for _, r := range At(a.JSON, "resources").([]any) {
			if At(r, "name") != "contact" {
				continue
			}
			for _, f := range At(r, "fields").([]any) {
				if At(f, "name") != "custom_fields" {
					continue
				}
				fields := At(f, "fields").([]any)
				if len(fields) != 15 || At(fields[8], "custom") != true || At(fields[8], "options.1.value") != "it's silver" ||
					At(fields[13], "followed_as") != "custom_fields.partner" || At(fields[13], "target") != "company" {
					t.Errorf("the schema tells %v of custom fields", fields)
				}
			}
		}
		own := w.Send(t, Step{Do: "GET /openapi.json"})
		for _, path := range []string{
			"components.schemas.ContactCustomFields.properties.tier", "components.schemas.ContactCustomFieldsInput.properties.likes",
			"components.schemas.ContactCustomFields.properties.partner", "components.schemas.CompanyCustomFields.properties.region",
		} {
			if At(own.JSON, path) == nil {
				t.Errorf("the business's own document has no %s", path)
			}
		}
		for _, name := range []string{`"custom_fields.partner.custom_fields.region"`, `"sum:custom_fields.score"`} {
			if !strings.Contains(string(own.Text), name) {
				t.Errorf("the business's own document does not tell of %s", name)
			}
		}
		general := w.Send(t, Step{As: "none", Do: "GET /openapi.json"})
		if strings.Contains(string(general.Text), "custom_fields.partner") {
			t.Error("the general document has the fields of a business")
		}
	})
}
