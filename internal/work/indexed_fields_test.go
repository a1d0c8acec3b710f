package work_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/kith-crm/kith/internal/work"

	. "github.com/kith-crm/kith/internal/apitest"
)

// What can be indexed and unique, and how unique values are held.
func TestIndexedFields(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		var many []string
		for i := range 20 {
			many = append(many, fmt.Sprintf(`{"op":"create","data":{"resource":"deal","name":"d%d","kind":"number","indexed":true,`+
				`"unique":%v}}`, i, i < 5))
		}
		w.Run(t, []Step{
			{
				Rule: "long texts have no index", Do: "POST /fields",
				Body: `{"resource":"contact","name":"x","kind":"long_text","indexed":true}`, Status: 422, Wrong: "indexed:not_allowed",
			},
			{
				Rule: "nor are they unique", Do: "POST /fields", Body: `{"resource":"contact","name":"x","kind":"long_text","unique":true}`,
				Status: 422, Wrong: "unique:not_allowed",
			},
			{
				Rule: "nor lists", Do: "POST /fields",
				Body: `{"resource":"contact","name":"x","kind":"multi_select","options":[{"value":"a"}],"unique":true}`, Status: 422,
				Wrong: "unique:not_allowed",
			},
			{
				Rule: "what is unique is indexed", Do: "POST /fields",
				Body: `{"resource":"contact","name":"x","kind":"text","unique":true,"indexed":false}`, Status: 422,
				Wrong: "indexed:not_allowed",
			},
			{
				Rule: "and has no default", Do: "POST /fields",
				Body: `{"resource":"contact","name":"x","kind":"text","unique":true,"default":"y"}`, Status: 422,
				Wrong: "default:not_allowed",
			},
			{
				Rule: "the status is told, not set", Do: "POST /fields",
				Body: `{"resource":"contact","name":"x","kind":"text","index_status":"ready"}`, Status: 422,
				Wrong: "index_status:read_only",
			},
			{
				Rule: "most have none", Do: "POST /fields", Body: `{"resource":"contact","name":"plain","kind":"text"}`, Status: 201,
				Save: "plain", Want: `{"indexed":false,"unique":false,"index_status":null}`,
			},
			{
				Rule: "that of a new field is ready", Do: "POST /fields",
				Body: `{"resource":"contact","name":"likes","kind":"multi_select","options":[{"value":"tea"},{"value":"coffee"}],` +
					`"indexed":true}`, Status: 201, Want: `{"indexed":true,"unique":false,"index_status":"ready"}`,
			},
			{
				Rule: "a unique one is indexed", Do: "POST /fields",
				Body: `{"resource":"contact","name":"code","kind":"text","unique":true}`, Status: 201, Save: "code",
				Want: `{"indexed":true,"unique":true,"index_status":"ready"}`,
			},
			{
				Rule: "so are numbers", Do: "POST /fields", Body: `{"resource":"contact","name":"member_no","kind":"number","unique":true}`,
				Status: 201,
			},
			{Rule: "phones", Do: "POST /fields", Body: `{"resource":"contact","name":"fax","kind":"phone","unique":true}`, Status: 201},
			{
				Rule: "and references", Do: "POST /fields",
				Body: `{"resource":"contact","name":"twin_id","kind":"reference","target":"contact","unique":true}`, Status: 201,
			},

			{
				Rule: "a value", Do: "POST /contacts",
				Body: `{"name":"Anna","external_id":"anna","custom_fields":{"code":"Ä-1","member_no":7.5,"fax":"+46 8 12","likes":["tea",` +
					`"coffee"]}}`, Status: 201, Save: "anna",
			},
			{
				Rule: "is held once, as it compares", Do: "POST /contacts", Body: `{"name":"Bert","custom_fields":{"code":"a-1"}}`,
				Status: 409, Want: `{"existing_id":"$anna","errors":[{"field":"custom_fields.code","code":"not_unique"}]}`,
			},
			{
				Rule: "numbers too", Do: "POST /contacts", Body: `{"name":"Bert","custom_fields":{"member_no":7.50}}`, Status: 409,
				Want: `{"existing_id":"$anna"}`,
			},
			{
				Rule: "phones by their digits", Do: "POST /contacts", Body: `{"name":"Bert","custom_fields":{"fax":"(46) 812"}}`,
				Status: 409, Want: `{"existing_id":"$anna"}`,
			},
			{Rule: "none is no value", Do: "POST /contacts", Body: `{"name":"Bert","external_id":"bert"}`, Status: 201, Save: "bert"},
			{
				Rule: "also for two", Do: "POST /contacts",
				Body: `{"name":"Cleo","external_id":"cleo","custom_fields":{"code":null,"likes":["coffee"]}}`, Status: 201, Save: "cleo",
			},
			{
				Rule: "a patch is held to it", Do: "PATCH /contacts/$bert", Body: `{"custom_fields":{"code":"Ä-1"}}`, Status: 409,
				Want: `{"existing_id":"$anna"}`,
			},
			{Rule: "one's own value is no conflict", Do: "PATCH /contacts/$anna", Body: `{"custom_fields":{"code":"ä-1"}}`, Status: 200},
			{Rule: "a reference", Do: "PATCH /contacts/$bert", Body: `{"custom_fields":{"twin_id":"$anna"}}`, Status: 200},
			{
				Rule: "to the same", Do: "PATCH /contacts/$cleo", Body: `{"custom_fields":{"twin_id":"$anna"}}`, Status: 409,
				Want: `{"existing_id":"$bert"}`,
			},
			{
				Rule: "who may not read the other is not told which it is", As: "admin:contact.write", Do: "PATCH /contacts/$bert",
				Body: `{"custom_fields":{"code":"a-1"}}`, Status: 409, Want: `{"existing_id":"<absent>"}`,
			},
			{
				Rule: "a batch sees its own", Do: "POST /contacts/batch",
				Body: `{"operations":[{"op":"create","data":{"name":"D1","custom_fields":{"code":"d"}}},{"op":"create",` +
					`"data":{"name":"D2","custom_fields":{"code":"D"}}},{"op":"update","id":"$bert",` +
					`"data":{"custom_fields":{"code":"b"}}},{"op":"create","data":{"name":"D3","custom_fields":{"code":"B"}}},` +
					`{"op":"update","id":"$bert","data":{"custom_fields":{"code":"bb"}}},{"op":"create","data":{"name":"D4",` +
					`"custom_fields":{"code":"B"}}}]}`, Status: 200,
				Want: `{"data":[{"status":201},{"status":409},{"status":200},{"status":409,"error":{"existing_id":"$bert"}},` +
					`{"status":200},{"status":201}]}`,
			},
			{Rule: "the bin holds nothing", Do: "DELETE /contacts/$anna", Status: 204},
			{Rule: "so it is free", Do: "PATCH /contacts/$cleo", Body: `{"custom_fields":{"code":"A-1"}}`, Status: 200},
			{Rule: "and who comes back must wait", Do: "POST /contacts/$anna/restore", Status: 409, Want: `{"existing_id":"$cleo"}`},
			{Rule: "until it is free again", Do: "PATCH /contacts/$cleo", Body: `{"custom_fields":{"code":null}}`, Status: 200},
			{Rule: "then it does", Do: "POST /contacts/$anna/restore", Status: 200, Want: `{"custom_fields":{"code":"ä-1"}}`},
			{
				Rule: "a rehearsal takes nothing", Do: "POST /contacts?dry_run=true", Body: `{"name":"x","custom_fields":{"code":"dry"}}`,
				Status: 201,
			},
			{
				Rule: "as is seen", Do: "POST /contacts", Body: `{"name":"Dry","external_id":"dry","custom_fields":{"code":"dry"}}`,
				Status: 201,
			},
			{
				Rule: "other businesses have their own", As: "stranger", Do: "POST /fields",
				Body: `{"resource":"contact","name":"code","kind":"text","unique":true}`, Status: 201, Want: `{"number":1}`,
			},
			{Rule: "values", As: "stranger", Do: "POST /contacts", Body: `{"name":"x","custom_fields":{"code":"dry"}}`, Status: 201},

			{
				Rule: "an upsert matches by it", Do: "POST /contacts/upsert",
				Body: `{"match":"custom_fields.code","data":{"name":"Anna Berg","custom_fields":{"code":"Ä-1"}}}`, Status: 200,
				Want: `{"id":"$anna","name":"Anna Berg","custom_fields":{"code":"Ä-1"}}`,
			},
			{
				Rule: "and makes what is not there", Do: "POST /contacts/upsert",
				Body:   `{"match":"custom_fields.code","data":{"name":"Emil","external_id":"emil","custom_fields":{"code":"e"}}}`,
				Status: 201, Save: "emil",
			},
			{
				Rule: "by numbers", Do: "POST /contacts/upsert",
				Body: `{"match":"custom_fields.member_no","data":{"name":"Anna","custom_fields":{"member_no":7.5}}}`, Status: 200,
				Want: `{"id":"$anna"}`,
			},
			{
				Rule: "the value must be given", Do: "POST /contacts/upsert", Body: `{"match":"custom_fields.code","data":{"name":"x"}}`,
				Status: 422, Wrong: "data.custom_fields.code:required",
			},
			{
				Rule: "and be one", Do: "POST /contacts/upsert",
				Body: `{"match":"custom_fields.code","data":{"name":"x","custom_fields":{"code":5}}}`, Status: 422,
				Wrong: "data.custom_fields.code:wrong_type",
			},
			{
				Rule: "others do not match", Do: "POST /contacts/upsert",
				Body: `{"match":"custom_fields.plain","data":{"name":"x","custom_fields":{"plain":"x"}}}`, Status: 422,
				Wrong: "match:not_allowed",
			},
			{
				Rule: "in a batch too", Do: "POST /contacts/batch",
				Body: `{"operations":[{"op":"upsert","match":"custom_fields.code","data":{"name":"Emil II",` +
					`"custom_fields":{"code":"E"}}}]}`, Status: 200,
				Want: `{"data":[{"status":200,"record":{"id":"$emil","name":"Emil II"}}]}`,
			},
			{
				Rule: "what may not be read is in the way", As: "admin:contact.write", Do: "POST /contacts/upsert",
				Body: `{"match":"custom_fields.code","data":{"name":"x","custom_fields":{"code":"e"}}}`, Status: 409,
			},

			{
				Rule: "one is found by it", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"custom_fields.code","operator":"eq","value":"E"}]}`, Status: 200, Found: Found("emil"),
			},
			{
				Rule: "lists by their items", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"custom_fields.likes","operator":"in","values":["tea","coffee"]}]}`, Status: 200,
				Found: Found("cleo anna"),
			},
			{
				Rule: "in its order", Do: "POST /contacts/search",
				Body:   `{"filters":[{"field":"external_id","operator":"is_set"}],"order_by":"custom_fields.code","sort_direction":"asc"}`,
				Status: 200, Found: Found("anna bert dry emil cleo"),
			},
			{
				Rule: "a page of it", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"external_id","operator":"is_set"}],"order_by":"custom_fields.code","sort_direction":"desc",` +
					`"limit":3}`, Status: 200, Found: Found("emil dry bert"),
			},

			{
				Rule: "twenty of a resource can be indexed, five unique", Do: "POST /fields/batch",
				Body: `{"atomic":true,"operations":[` + strings.Join(many, ",") + `]}`, Status: 200,
			},
			{
				Rule: "no more", Do: "POST /fields", Body: `{"resource":"deal","name":"x","kind":"text","unique":true}`, Status: 422,
				Wrong: "unique:too_many indexed:too_many",
			},
			{
				Rule: "but as many as there may be without", Do: "POST /fields", Body: `{"resource":"deal","name":"x","kind":"text"}`,
				Status: 201, Save: "x",
			},
			{Rule: "also by a patch", Do: "PATCH /fields/$x", Body: `{"indexed":true}`, Status: 422, Wrong: "indexed:too_many"},
			{
				Rule: "lists have not too many options", Do: "POST /fields",
				Body: `{"resource":"task","name":"a","kind":"multi_select","indexed":true,"options":[` + options(101) + `]}`, Status: 422,
				Wrong: "options:too_many",
			},
			{
				Rule: "as many as there may be", Do: "POST /fields",
				Body: `{"resource":"task","name":"a","kind":"multi_select","indexed":true,"options":[` + options(60) + `]}`, Status: 201,
			},
			{
				Rule: "without an index more", Do: "POST /fields",
				Body: `{"resource":"task","name":"b","kind":"multi_select","options":[` + options(60) + `]}`, Status: 201, Save: "b",
			},
			{Rule: "together", Do: "PATCH /fields/$b", Body: `{"indexed":true}`, Status: 422, Wrong: "options:too_many"},
			{Rule: "fewer fit", Do: "PATCH /fields/$b", Body: `{"indexed":true,"options":[` + options(40) + `]}`, Status: 200},
			{
				Rule: "and stay so", Do: "PATCH /fields/$b", Body: `{"options":[` + options(41) + `]}`, Status: 422,
				Wrong: "options:too_many",
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
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Run(t, []Step{
			{
				Rule: "a field without an index", Do: "POST /fields", Body: `{"resource":"contact","name":"code","kind":"text"}`,
				Status: 201, Save: "code",
			},
			{
				Rule: "values", Do: "POST /contacts", Body: `{"name":"Anna","external_id":"anna","custom_fields":{"code":"one"}}`,
				Status: 201, Save: "anna",
			},
			{
				Rule: "that are the same", Do: "POST /contacts",
				Body:   `{"name":"Bert","external_id":"bert","custom_fields":{"code":"ONE"}}`,
				Status: 201, Save: "bert",
			},
			{
				Rule: "cannot become unique", Do: "PATCH /fields/$code", Body: `{"unique":true}`, Status: 409,
				Want: `{"existing_ids":["$anna","$bert"],"errors":[{"field":"unique","code":"not_unique"}]}`,
			},
			{
				Rule: "it has no index by that", Do: "GET /fields/$code", Status: 200,
				Want: `{"indexed":false,"unique":false,"index_status":null,"version":1}`,
			},
			{
				Rule: "but indexed they can be", Do: "PATCH /fields/$code", Body: `{"indexed":true}`, Status: 200,
				Want: `{"indexed":true,"index_status":"ready"}`,
			},
			{Rule: "not yet unique", Do: "PATCH /fields/$code", Body: `{"unique":true}`, Status: 409},
			{Rule: "before they differ", Do: "PATCH /contacts/$bert", Body: `{"custom_fields":{"code":"two"}}`, Status: 200},
			{
				Rule: "then they can be", Do: "PATCH /fields/$code", Body: `{"unique":true}`, Status: 200,
				Want: `{"indexed":true,"unique":true}`,
			},
			{
				Rule: "and are held", Do: "POST /contacts", Body: `{"name":"x","custom_fields":{"code":"two"}}`, Status: 409,
				Want: `{"existing_id":"$bert"}`,
			},
			{
				Rule: "a unique one stays indexed", Do: "PATCH /fields/$code", Body: `{"indexed":false}`, Status: 422,
				Wrong: "indexed:not_allowed",
			},
			{
				Rule: "no longer unique", Do: "PATCH /fields/$code", Body: `{"unique":false}`, Status: 200,
				Want: `{"indexed":true,"unique":false,"index_status":"ready"}`,
			},
			{
				Rule: "is no longer held", Do: "POST /contacts",
				Body:   `{"name":"Cleo","external_id":"cleo","custom_fields":{"code":"two"}}`,
				Status: 201, Save: "cleo",
			},
			{
				Rule: "switched off", Do: "PATCH /fields/$code", Body: `{"indexed":false}`, Status: 200,
				Want: `{"indexed":false,"index_status":null}`,
			},
			{Rule: "a value changes meanwhile", Do: "PATCH /contacts/$cleo", Body: `{"custom_fields":{"code":"three"}}`, Status: 200},
			{
				Rule: "on again before the old one is gone, it waits for that", Do: "PATCH /fields/$code", Body: `{"indexed":true}`,
				Status: 200, Want: `{"index_status":"building"}`,
			},
			{
				Rule: "it cannot become unique now", Do: "PATCH /fields/$code", Body: `{"unique":true}`, Status: 409,
				Want: `{"errors":[{"field":"unique","code":"not_allowed"}]}`,
			},
			{
				Rule: "searches work all the same", Do: "POST /contacts/search", Body: `{"order_by":"custom_fields.code"}`, Status: 200,
				Found: Found("bert cleo anna"),
			},
			{Rule: "and values change", Do: "PATCH /contacts/$cleo", Body: `{"custom_fields":{"code":"two"}}`, Status: 200},
			{Rule: "and back", Do: "PATCH /contacts/$cleo", Body: `{"custom_fields":{"code":"three"}}`, Status: 200},
		})
		tendIndexes(w, t)
		w.Run(t, []Step{
			{Rule: "then it is ready", Do: "GET /fields/$code", Status: 200, Want: `{"index_status":"ready"}`},
			{
				Rule: "and is used", Do: "POST /contacts/search", Body: `{"order_by":"custom_fields.code"}`, Status: 200,
				Found: Found("bert cleo anna"),
			},
			{
				Rule: "the history tells, and that nobody did it", Do: "POST /fields/$code/history/search", Body: `{"limit":1}`,
				Status: 200,
				Want:   `{"data":[{"actor":{"user_id":null},"changes":{"index_status":{"from":"building","to":"ready"}}}]}`,
			},
			{Rule: "it becomes unique", Do: "PATCH /fields/$code", Body: `{"unique":true}`, Status: 200},
			{Rule: "one with a value in the bin", Do: "DELETE /contacts/$cleo", Status: 204},
			{Rule: "a deleted field is no longer unique", Do: "DELETE /fields/$code", Status: 204},
		})
		tendIndexes(w, t)
		w.Run(t, []Step{
			{Rule: "a record comes back", Do: "POST /contacts/$cleo/restore", Status: 200, Want: `{"custom_fields":{"code":"<absent>"}}`},
			{
				Rule: "and the field, with its index", Do: "POST /fields/$code/restore", Status: 200,
				Want: `{"indexed":true,"unique":false,"index_status":"ready"}`,
			},
			{
				Rule: "which has all values", Do: "POST /contacts/search", Body: `{"order_by":"custom_fields.code"}`, Status: 200,
				Found: Found("bert cleo anna"),
			},
			{Rule: "unique again", Do: "PATCH /fields/$code", Body: `{"unique":true}`, Status: 200},
			{Rule: "what is erased", Do: "POST /contacts/$bert/erase", Body: `{"reason":"asked"}`, Status: 204},
			{Rule: "holds nothing", Do: "POST /contacts", Body: `{"name":"x","custom_fields":{"code":"TWO"}}`, Status: 201},
		})
	})
}

func tendIndexes(w *World, t *testing.T) {
	t.Helper()
	if err := work.TendIndexes(context.Background(), w.Engine); err != nil {
		t.Fatal(err)
	}
}

// A large business has its index filled while everybody goes on, by whichever server comes to it, and searches tell the same at
// every moment.
func TestIndexIsFilledUnderLoad(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		t.Parallel()
		servers := w.Servers(t)
		field := w.Create(t, "fields", `{"resource":"contact","name":"score","kind":"number"}`, "")
		const batches, most = 11, 100
		for i := range batches {
			var all []string
			for n := range most {
				all = append(all, fmt.Sprintf(`{"op":"create","data":{"name":"x","custom_fields":{"score":%d}}}`, i*most+n))
			}
			w.Check(t, Step{Do: "POST /contacts/batch", Body: `{"operations":[` + strings.Join(all, ",") + `]}`, Status: 200})
		}
		w.Check(t, Step{Do: "PATCH /fields/" + field, Body: `{"indexed":true}`, Status: 200, Want: `{"index_status":"building"}`})
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
					a := server.Send(t, Step{Do: "POST /contacts", Body: fmt.Sprintf(`{"name":"y","custom_fields":{"score":%d}}`, score)})
					if a.Status != 201 {
						t.Errorf("a write is answered %d: %s", a.Status, a.Text)
						return
					}
					id := fmt.Sprint(At(a.JSON, "id"))
					server.Check(t, Step{
						Do: "PATCH /contacts/" + id, Body: fmt.Sprintf(`{"custom_fields":{"score":%d}}`, score+1),
						Status: 200, Chance: true,
					})
					found := server.Send(t, Step{
						Do:   "POST /contacts/search",
						Body: fmt.Sprintf(`{"filters":[{"field":"custom_fields.score","operator":"eq","value":%d}]}`, score+1),
					})
					if data, _ := At(found.JSON, "data").([]any); len(data) != 1 {
						t.Errorf("%d records are found by a value that one has: %s", len(data), found.Text)
					}
					if i%2 == 0 {
						server.Check(t, Step{Do: "DELETE /contacts/" + id, Status: 204, Chance: true})
					}
				}
			})
		}
		for _, server := range servers { // both at the same time
			under.Go(func() { tendIndexes(server, t) })
		}
		tendIndexes(w, t)
		close(ended)
		under.Wait()
		w.Check(t, Step{Do: "GET /fields/" + field, Status: 200, Want: `{"index_status":"ready"}`, Chance: true})
		all := map[bool][]string{}
		for _, unindexed := range []bool{false, true} {
			if unindexed {
				w.Check(t, Step{Do: "PATCH /fields/" + field, Body: `{"indexed":false}`, Status: 200, Chance: true})
			}
			cursor := ""
			for {
				a := w.Send(t, Step{
					Do:   "POST /contacts/search",
					Body: `{"limit":100,"fields":["id","custom_fields"],"order_by":"custom_fields.score"` + cursor + `}`,
				})
				for _, rec := range At(a.JSON, "data").([]any) {
					all[unindexed] = append(all[unindexed], fmt.Sprint(rec))
				}
				next := At(a.JSON, "meta.cursor.next")
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
