package httpapi_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/kith-crm/kith/internal/work"
)

// What can be indexed and unique, and how unique values are held.
func TestIndexedFields(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		var many []string
		for i := range 20 {
			many = append(many, fmt.Sprintf(`{"op":"create","data":{"resource":"deal","name":"d%d","kind":"number","indexed":true,`+
				`"unique":%v}}`, i, i < 5))
		}
		w.run(t, []step{
			{
				rule: "long texts have no index", do: "POST /fields",
				body: `{"resource":"contact","name":"x","kind":"long_text","indexed":true}`, status: 422, wrong: "indexed:not_allowed",
			},
			{
				rule: "nor are they unique", do: "POST /fields", body: `{"resource":"contact","name":"x","kind":"long_text","unique":true}`,
				status: 422, wrong: "unique:not_allowed",
			},
			{
				rule: "nor lists", do: "POST /fields",
				body: `{"resource":"contact","name":"x","kind":"multi_select","options":[{"value":"a"}],"unique":true}`, status: 422,
				wrong: "unique:not_allowed",
			},
			{
				rule: "what is unique is indexed", do: "POST /fields",
				body: `{"resource":"contact","name":"x","kind":"text","unique":true,"indexed":false}`, status: 422,
				wrong: "indexed:not_allowed",
			},
			{
				rule: "and has no default", do: "POST /fields",
				body: `{"resource":"contact","name":"x","kind":"text","unique":true,"default":"y"}`, status: 422,
				wrong: "default:not_allowed",
			},
			{
				rule: "the status is told, not set", do: "POST /fields",
				body: `{"resource":"contact","name":"x","kind":"text","index_status":"ready"}`, status: 422,
				wrong: "index_status:read_only",
			},
			{
				rule: "most have none", do: "POST /fields", body: `{"resource":"contact","name":"plain","kind":"text"}`, status: 201,
				save: "plain", want: `{"indexed":false,"unique":false,"index_status":null}`,
			},
			{
				rule: "that of a new field is ready", do: "POST /fields",
				body: `{"resource":"contact","name":"likes","kind":"multi_select","options":[{"value":"tea"},{"value":"coffee"}],` +
					`"indexed":true}`, status: 201, want: `{"indexed":true,"unique":false,"index_status":"ready"}`,
			},
			{
				rule: "a unique one is indexed", do: "POST /fields",
				body: `{"resource":"contact","name":"code","kind":"text","unique":true}`, status: 201, save: "code",
				want: `{"indexed":true,"unique":true,"index_status":"ready"}`,
			},
			{
				rule: "so are numbers", do: "POST /fields", body: `{"resource":"contact","name":"member_no","kind":"number","unique":true}`,
				status: 201,
			},
			{rule: "phones", do: "POST /fields", body: `{"resource":"contact","name":"fax","kind":"phone","unique":true}`, status: 201},
			{
				rule: "and references", do: "POST /fields",
				body: `{"resource":"contact","name":"twin_id","kind":"reference","target":"contact","unique":true}`, status: 201,
			},

			{
				rule: "a value", do: "POST /contacts",
				body: `{"name":"Anna","external_id":"anna","custom_fields":{"code":"Ä-1","member_no":7.5,"fax":"+46 8 12","likes":["tea",` +
					`"coffee"]}}`, status: 201, save: "anna",
			},
			{
				rule: "is held once, as it compares", do: "POST /contacts", body: `{"name":"Bert","custom_fields":{"code":"a-1"}}`,
				status: 409, want: `{"existing_id":"$anna","errors":[{"field":"custom_fields.code","code":"not_unique"}]}`,
			},
			{
				rule: "numbers too", do: "POST /contacts", body: `{"name":"Bert","custom_fields":{"member_no":7.50}}`, status: 409,
				want: `{"existing_id":"$anna"}`,
			},
			{
				rule: "phones by their digits", do: "POST /contacts", body: `{"name":"Bert","custom_fields":{"fax":"(46) 812"}}`,
				status: 409, want: `{"existing_id":"$anna"}`,
			},
			{rule: "none is no value", do: "POST /contacts", body: `{"name":"Bert","external_id":"bert"}`, status: 201, save: "bert"},
			{
				rule: "also for two", do: "POST /contacts",
				body: `{"name":"Cleo","external_id":"cleo","custom_fields":{"code":null,"likes":["coffee"]}}`, status: 201, save: "cleo",
			},
			{
				rule: "a patch is held to it", do: "PATCH /contacts/$bert", body: `{"custom_fields":{"code":"Ä-1"}}`, status: 409,
				want: `{"existing_id":"$anna"}`,
			},
			{rule: "one's own value is no conflict", do: "PATCH /contacts/$anna", body: `{"custom_fields":{"code":"ä-1"}}`, status: 200},
			{rule: "a reference", do: "PATCH /contacts/$bert", body: `{"custom_fields":{"twin_id":"$anna"}}`, status: 200},
			{
				rule: "to the same", do: "PATCH /contacts/$cleo", body: `{"custom_fields":{"twin_id":"$anna"}}`, status: 409,
				want: `{"existing_id":"$bert"}`,
			},
			{
				rule: "who may not read the other is not told which it is", as: "admin:contact.write", do: "PATCH /contacts/$bert",
				body: `{"custom_fields":{"code":"a-1"}}`, status: 409, want: `{"existing_id":"<absent>"}`,
			},
			{
				rule: "a batch sees its own", do: "POST /contacts/batch",
				body: `{"operations":[{"op":"create","data":{"name":"D1","custom_fields":{"code":"d"}}},{"op":"create",` +
					`"data":{"name":"D2","custom_fields":{"code":"D"}}},{"op":"update","id":"$bert",` +
					`"data":{"custom_fields":{"code":"b"}}},{"op":"create","data":{"name":"D3","custom_fields":{"code":"B"}}},` +
					`{"op":"update","id":"$bert","data":{"custom_fields":{"code":"bb"}}},{"op":"create","data":{"name":"D4",` +
					`"custom_fields":{"code":"B"}}}]}`, status: 200,
				want: `{"data":[{"status":201},{"status":409},{"status":200},{"status":409,"error":{"existing_id":"$bert"}},` +
					`{"status":200},{"status":201}]}`,
			},
			{rule: "the bin holds nothing", do: "DELETE /contacts/$anna", status: 204},
			{rule: "so it is free", do: "PATCH /contacts/$cleo", body: `{"custom_fields":{"code":"A-1"}}`, status: 200},
			{rule: "and who comes back must wait", do: "POST /contacts/$anna/restore", status: 409, want: `{"existing_id":"$cleo"}`},
			{rule: "until it is free again", do: "PATCH /contacts/$cleo", body: `{"custom_fields":{"code":null}}`, status: 200},
			{rule: "then it does", do: "POST /contacts/$anna/restore", status: 200, want: `{"custom_fields":{"code":"ä-1"}}`},
			{
				rule: "a rehearsal takes nothing", do: "POST /contacts?dry_run=true", body: `{"name":"x","custom_fields":{"code":"dry"}}`,
				status: 201,
			},
			{
				rule: "as is seen", do: "POST /contacts", body: `{"name":"Dry","external_id":"dry","custom_fields":{"code":"dry"}}`,
				status: 201,
			},
			{
				rule: "other businesses have their own", as: "stranger", do: "POST /fields",
				body: `{"resource":"contact","name":"code","kind":"text","unique":true}`, status: 201, want: `{"number":1}`,
			},
			{rule: "values", as: "stranger", do: "POST /contacts", body: `{"name":"x","custom_fields":{"code":"dry"}}`, status: 201},

			{
				rule: "an upsert matches by it", do: "POST /contacts/upsert",
				body: `{"match":"custom_fields.code","data":{"name":"Anna Berg","custom_fields":{"code":"Ä-1"}}}`, status: 200,
				want: `{"id":"$anna","name":"Anna Berg","custom_fields":{"code":"Ä-1"}}`,
			},
			{
				rule: "and makes what is not there", do: "POST /contacts/upsert",
				body:   `{"match":"custom_fields.code","data":{"name":"Emil","external_id":"emil","custom_fields":{"code":"e"}}}`,
				status: 201, save: "emil",
			},
			{
				rule: "by numbers", do: "POST /contacts/upsert",
				body: `{"match":"custom_fields.member_no","data":{"name":"Anna","custom_fields":{"member_no":7.5}}}`, status: 200,
				want: `{"id":"$anna"}`,
			},
			{
				rule: "the value must be given", do: "POST /contacts/upsert", body: `{"match":"custom_fields.code","data":{"name":"x"}}`,
				status: 422, wrong: "data.custom_fields.code:required",
			},
			{
				rule: "and be one", do: "POST /contacts/upsert",
				body: `{"match":"custom_fields.code","data":{"name":"x","custom_fields":{"code":5}}}`, status: 422,
				wrong: "data.custom_fields.code:wrong_type",
			},
			{
				rule: "others do not match", do: "POST /contacts/upsert",
				body: `{"match":"custom_fields.plain","data":{"name":"x","custom_fields":{"plain":"x"}}}`, status: 422,
				wrong: "match:not_allowed",
			},
			{
				rule: "in a batch too", do: "POST /contacts/batch",
				body: `{"operations":[{"op":"upsert","match":"custom_fields.code","data":{"name":"Emil II",` +
					`"custom_fields":{"code":"E"}}}]}`, status: 200,
				want: `{"data":[{"status":200,"record":{"id":"$emil","name":"Emil II"}}]}`,
			},
			{
				rule: "what may not be read is in the way", as: "admin:contact.write", do: "POST /contacts/upsert",
				body: `{"match":"custom_fields.code","data":{"name":"x","custom_fields":{"code":"e"}}}`, status: 409,
			},

			{
				rule: "one is found by it", do: "POST /contacts/search",
				body: `{"filters":[{"field":"custom_fields.code","operator":"eq","value":"E"}]}`, status: 200, found: found("emil"),
			},
			{
				rule: "lists by their items", do: "POST /contacts/search",
				body: `{"filters":[{"field":"custom_fields.likes","operator":"in","values":["tea","coffee"]}]}`, status: 200,
				found: found("cleo anna"),
			},
			{
				rule: "in its order", do: "POST /contacts/search",
				body:   `{"filters":[{"field":"external_id","operator":"is_set"}],"order_by":"custom_fields.code","sort_direction":"asc"}`,
				status: 200, found: found("anna bert dry emil cleo"),
			},
			{
				rule: "a page of it", do: "POST /contacts/search",
				body: `{"filters":[{"field":"external_id","operator":"is_set"}],"order_by":"custom_fields.code","sort_direction":"desc",` +
					`"limit":3}`, status: 200, found: found("emil dry bert"),
			},

			{
				rule: "twenty of a resource can be indexed, five unique", do: "POST /fields/batch",
				body: `{"atomic":true,"operations":[` + strings.Join(many, ",") + `]}`, status: 200,
			},
			{
				rule: "no more", do: "POST /fields", body: `{"resource":"deal","name":"x","kind":"text","unique":true}`, status: 422,
				wrong: "unique:too_many indexed:too_many",
			},
			{
				rule: "but as many as there may be without", do: "POST /fields", body: `{"resource":"deal","name":"x","kind":"text"}`,
				status: 201, save: "x",
			},
			{rule: "also by a patch", do: "PATCH /fields/$x", body: `{"indexed":true}`, status: 422, wrong: "indexed:too_many"},
			{
				rule: "lists have not too many options", do: "POST /fields",
				body: `{"resource":"task","name":"a","kind":"multi_select","indexed":true,"options":[` + options(101) + `]}`, status: 422,
				wrong: "options:too_many",
			},
			{
				rule: "as many as there may be", do: "POST /fields",
				body: `{"resource":"task","name":"a","kind":"multi_select","indexed":true,"options":[` + options(60) + `]}`, status: 201,
			},
			{
				rule: "without an index more", do: "POST /fields",
				body: `{"resource":"task","name":"b","kind":"multi_select","options":[` + options(60) + `]}`, status: 201, save: "b",
			},
			{rule: "together", do: "PATCH /fields/$b", body: `{"indexed":true}`, status: 422, wrong: "options:too_many"},
			{rule: "fewer fit", do: "PATCH /fields/$b", body: `{"indexed":true,"options":[` + options(40) + `]}`, status: 200},
			{
				rule: "and stay so", do: "PATCH /fields/$b", body: `{"options":[` + options(41) + `]}`, status: 422,
				wrong: "options:too_many",
			},
		})
	})
}

// options are so many of a choice.
func options(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`{"value":"o%d"}`, i))
	}
	return strings.Join(all, ",")
}

// Indexes are switched on and off while there are values.
func TestIndexesAreSwitched(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.run(t, []step{
			{
				rule: "a field without an index", do: "POST /fields", body: `{"resource":"contact","name":"code","kind":"text"}`,
				status: 201, save: "code",
			},
			{
				rule: "values", do: "POST /contacts", body: `{"name":"Anna","external_id":"anna","custom_fields":{"code":"one"}}`,
				status: 201, save: "anna",
			},
			{
				rule: "that are the same", do: "POST /contacts",
				body:   `{"name":"Bert","external_id":"bert","custom_fields":{"code":"ONE"}}`,
				status: 201, save: "bert",
			},
			{
				rule: "cannot become unique", do: "PATCH /fields/$code", body: `{"unique":true}`, status: 409,
				want: `{"existing_ids":["$anna","$bert"],"errors":[{"field":"unique","code":"not_unique"}]}`,
			},
			{
				rule: "it has no index by that", do: "GET /fields/$code", status: 200,
				want: `{"indexed":false,"unique":false,"index_status":null,"version":1}`,
			},
			{
				rule: "but indexed they can be", do: "PATCH /fields/$code", body: `{"indexed":true}`, status: 200,
				want: `{"indexed":true,"index_status":"ready"}`,
			},
			{rule: "not yet unique", do: "PATCH /fields/$code", body: `{"unique":true}`, status: 409},
			{rule: "before they differ", do: "PATCH /contacts/$bert", body: `{"custom_fields":{"code":"two"}}`, status: 200},
			{
				rule: "then they can be", do: "PATCH /fields/$code", body: `{"unique":true}`, status: 200,
				want: `{"indexed":true,"unique":true}`,
			},
			{
				rule: "and are held", do: "POST /contacts", body: `{"name":"x","custom_fields":{"code":"two"}}`, status: 409,
				want: `{"existing_id":"$bert"}`,
			},
			{
				rule: "a unique one stays indexed", do: "PATCH /fields/$code", body: `{"indexed":false}`, status: 422,
				wrong: "indexed:not_allowed",
			},
			{
				rule: "no longer unique", do: "PATCH /fields/$code", body: `{"unique":false}`, status: 200,
				want: `{"indexed":true,"unique":false,"index_status":"ready"}`,
			},
			{
				rule: "is no longer held", do: "POST /contacts",
				body:   `{"name":"Cleo","external_id":"cleo","custom_fields":{"code":"two"}}`,
				status: 201, save: "cleo",
			},
			{
				rule: "switched off", do: "PATCH /fields/$code", body: `{"indexed":false}`, status: 200,
				want: `{"indexed":false,"index_status":null}`,
			},
			{rule: "a value changes meanwhile", do: "PATCH /contacts/$cleo", body: `{"custom_fields":{"code":"three"}}`, status: 200},
			{
				rule: "on again before the old one is gone, it waits for that", do: "PATCH /fields/$code", body: `{"indexed":true}`,
				status: 200, want: `{"index_status":"building"}`,
			},
			{
				rule: "it cannot become unique now", do: "PATCH /fields/$code", body: `{"unique":true}`, status: 409,
				want: `{"errors":[{"field":"unique","code":"not_allowed"}]}`,
			},
			{
				rule: "searches work all the same", do: "POST /contacts/search", body: `{"order_by":"custom_fields.code"}`, status: 200,
				found: found("bert cleo anna"),
			},
			{rule: "and values change", do: "PATCH /contacts/$cleo", body: `{"custom_fields":{"code":"two"}}`, status: 200},
			{rule: "and back", do: "PATCH /contacts/$cleo", body: `{"custom_fields":{"code":"three"}}`, status: 200},
		})
		w.tendIndexes(t)
		w.run(t, []step{
			{rule: "then it is ready", do: "GET /fields/$code", status: 200, want: `{"index_status":"ready"}`},
			{
				rule: "and is used", do: "POST /contacts/search", body: `{"order_by":"custom_fields.code"}`, status: 200,
				found: found("bert cleo anna"),
			},
			{
				rule: "the history tells, and that nobody did it", do: "POST /fields/$code/history/search", body: `{"limit":1}`,
				status: 200,
				want:   `{"data":[{"actor":{"user_id":null},"changes":{"index_status":{"from":"building","to":"ready"}}}]}`,
			},
			{rule: "it becomes unique", do: "PATCH /fields/$code", body: `{"unique":true}`, status: 200},
			{rule: "one with a value in the bin", do: "DELETE /contacts/$cleo", status: 204},
			{rule: "a deleted field is no longer unique", do: "DELETE /fields/$code", status: 204},
		})
		w.tendIndexes(t)
		w.run(t, []step{
			{rule: "a record comes back", do: "POST /contacts/$cleo/restore", status: 200, want: `{"custom_fields":{"code":"<absent>"}}`},
			{
				rule: "and the field, with its index", do: "POST /fields/$code/restore", status: 200,
				want: `{"indexed":true,"unique":false,"index_status":"ready"}`,
			},
			{
				rule: "which has all values", do: "POST /contacts/search", body: `{"order_by":"custom_fields.code"}`, status: 200,
				found: found("bert cleo anna"),
			},
			{rule: "unique again", do: "PATCH /fields/$code", body: `{"unique":true}`, status: 200},
			{rule: "what is erased", do: "POST /contacts/$bert/erase", body: `{"reason":"asked"}`, status: 204},
			{rule: "holds nothing", do: "POST /contacts", body: `{"name":"x","custom_fields":{"code":"TWO"}}`, status: 201},
		})
	})
}

func (w *world) tendIndexes(t *testing.T) {
	t.Helper()
	if err := work.TendIndexes(context.Background(), w.engine); err != nil {
		t.Fatal(err)
	}
}

// A large business has its index filled while everybody goes on, by whichever server comes to it, and searches tell the same at
// every moment.
func TestIndexIsFilledUnderLoad(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		t.Parallel()
		servers := w.servers(t)
		field := w.create(t, "fields", `{"resource":"contact","name":"score","kind":"number"}`, "")
		const batches, most = 11, 100
		for i := range batches {
			var all []string
			for n := range most {
				all = append(all, fmt.Sprintf(`{"op":"create","data":{"name":"x","custom_fields":{"score":%d}}}`, i*most+n))
			}
			w.check(t, step{do: "POST /contacts/batch", body: `{"operations":[` + strings.Join(all, ",") + `]}`, status: 200})
		}
		w.check(t, step{do: "PATCH /fields/" + field, body: `{"indexed":true}`, status: 200, want: `{"index_status":"building"}`})
		ended := make(chan struct{})
		var under sync.WaitGroup
		for n, server := range servers {
			under.Go(func() {
				for i := 0; ; i++ {
					select {
					case <-ended:
						return
					default:
					}
					// One more than all that were there, so that it comes first.
					score := batches*most + 10*(len(servers)*i+n)
					a := server.send(t, step{do: "POST /contacts", body: fmt.Sprintf(`{"name":"y","custom_fields":{"score":%d}}`, score)})
					if a.status != 201 {
						t.Errorf("a write is answered %d: %s", a.status, a.text)
						return
					}
					id := fmt.Sprint(at(a.json, "id"))
					server.check(t, step{
						do: "PATCH /contacts/" + id, body: fmt.Sprintf(`{"custom_fields":{"score":%d}}`, score+1),
						status: 200, chance: true,
					})
					found := server.send(t, step{
						do:   "POST /contacts/search",
						body: fmt.Sprintf(`{"filters":[{"field":"custom_fields.score","operator":"eq","value":%d}]}`, score+1),
					})
					if data, _ := at(found.json, "data").([]any); len(data) != 1 {
						t.Errorf("%d records are found by a value that one has: %s", len(data), found.text)
					}
					if i%2 == 0 {
						server.check(t, step{do: "DELETE /contacts/" + id, status: 204, chance: true})
					}
				}
			})
		}
		for _, server := range servers { // both at the same time
			under.Go(func() { server.tendIndexes(t) })
		}
		w.tendIndexes(t)
		close(ended)
		under.Wait()
		w.check(t, step{do: "GET /fields/" + field, status: 200, want: `{"index_status":"ready"}`, chance: true})
		all := map[bool][]string{}
		for _, unindexed := range []bool{false, true} {
			if unindexed {
				w.check(t, step{do: "PATCH /fields/" + field, body: `{"indexed":false}`, status: 200, chance: true})
			}
			cursor := ""
			for {
				a := w.send(t, step{
					do:   "POST /contacts/search",
					body: `{"limit":100,"fields":["id","custom_fields"],"order_by":"custom_fields.score"` + cursor + `}`,
				})
				for _, rec := range at(a.json, "data").([]any) {
					all[unindexed] = append(all[unindexed], fmt.Sprint(rec))
				}
				next := at(a.json, "meta.cursor.next")
				if next == nil {
					break
				}
				cursor = fmt.Sprintf(`,"cursor":%q`, next)
			}
		}
		if with, without := strings.Join(all[false], "\n"), strings.Join(all[true], "\n"); with != without ||
			len(all[false]) < batches*most {
			t.Errorf("%d records by the index and %d without are not the same", len(all[false]), len(all[true]))
		}
	})
}
