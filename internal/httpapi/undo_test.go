package httpapi_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/testworld"
)

// request sends a request that must succeed, and keeps its id under a name.
func (w *world) request(t *testing.T, name string, s step) *answer {
	t.Helper()
	a := w.send(t, s)
	if a.status >= 300 {
		t.Fatalf("%s: status %d: %s", s.do, a.status, a.text)
	}
	w.vars[name] = a.header.Get("X-Request-Id")
	if id, ok := at(a.json, "id").(string); ok {
		w.vars[name+"_id"] = id
	}
	return a
}

func TestUndo(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.request(t, "made", step{
			do:   "POST /contacts",
			body: `{"first_name":"Anna","last_name":"Berg","email":"anna@harbour.example","tags":["a"],"address":{"city":"Oslo"}}`,
		})
		w.request(t, "patched", step{
			do:   "PATCH /contacts/$made_id",
			body: `{"last_name":"Lind","tags":[],"address":{"city":null},"email":null}`,
		})
		w.request(t, "deleted", step{do: "DELETE /contacts/$made_id"})
		w.run(t, []step{
			{rule: "an undo names a request or a job", do: "POST /undo", body: `{}`, status: 422, wrong: "request_id:required"},
			{
				rule: "an undo names one of them", do: "POST /undo",
				body: `{"request_id":"$made","job_id":"job_01kh4xv1qcf0mvq8gk8d8mvxd9"}`, status: 422, wrong: "request_id:required",
			},
			{
				rule: "a request's id is one", do: "POST /undo", body: `{"request_id":"contact_01kh4xv1qcf0mvq8gk8d8mvxd9"}`, status: 422,
				wrong: "request_id:invalid_id",
			},
			{
				rule: "what was long ago stays", do: "POST /undo", body: `{"request_id":"req_01kh4xv1qcf0mvq8gk8d8mvxd9"}`, status: 422,
				wrong: "request_id:not_allowed",
			},
			{
				rule: "a request that nobody made", do: "POST /undo", body: `{"job_id":"job_01zh4xv1qcf0mvq8gk8d8mvxd9"}`, status: 404,
				code: "not_found",
			},
			{
				rule: "another business's request is nobody's", as: "stranger", do: "POST /undo", body: `{"request_id":"$deleted"}`,
				status: 404, code: "not_found",
			},
			{
				rule: "who may not read the record is told nothing", as: "admin:deal.all", do: "POST /undo",
				body: `{"request_id":"$deleted"}`, status: 404, code: "not_found",
			},
			{
				rule: "who may not write the record leaves it", as: "admin:contact.read", do: "POST /undo",
				body: `{"request_id":"$deleted"}`, status: 200,
				want: `{"data":[{"n":"*","record_id":"$made_id","error":{"code":"insufficient_scope"}}],"meta":{"undone":0,"left":1}}`,
			},
			{
				rule: "what is in the bin is left", do: "POST /undo", body: `{"request_id":"$patched"}`, status: 200,
				want: `{
					"data":[{"record_id":"$made_id","error":{"code":"conflict"}}],
					"meta":{"total":1,"tried":1,"undone":0,"left":1}
				}`,
			},
			{
				rule: "a dry run tells what would be undone", do: "POST /undo?dry_run=true", body: `{"request_id":"$deleted"}`, status: 200,
				head: []string{"Dry-Run: true"}, want: `{"data":[],"meta":{"undone":1,"left":0}}`,
			},
			{rule: "a dry run undoes nothing", do: "GET /contacts/$made_id", status: 404, code: "not_found"},
			{
				rule: "a deletion is taken back", do: "POST /undo", body: `{"request_id":"$deleted"}`,
				send: []string{"Idempotency-Key: once"}, status: 200,
				want: `{"data":[],"meta":{"total":1,"tried":1,"undone":1,"left":0,"request_id":"*"}}`, save: "undid=meta.request_id",
			},
			{
				rule: "and only once under a key", do: "POST /undo", body: `{"request_id":"$deleted"}`,
				send: []string{"Idempotency-Key: once"}, status: 200, head: []string{"Idempotent-Replayed: true"},
				want: `{"meta":{"undone":1,"request_id":"$undid"}}`,
			},
			{
				rule: "the record is back as it was", do: "GET /contacts/$made_id", status: 200,
				want: `{"last_name":"Lind","email":null,"version":4}`,
			},
			{
				rule: "the undo is in the history, under its own request", do: "POST /contacts/$made_id/history/search",
				body:   `{"limit":1}`,
				status: 200, want: `{"data":[{"action":"restore","request_id":"$undid"}]}`,
			},
			{
				rule: "what is as it was counts as taken back", do: "POST /undo", body: `{"request_id":"$deleted"}`, status: 200,
				want: `{"meta":{"undone":1,"left":0}}`,
			},
			{
				rule: "an undo can be undone", do: "POST /undo", body: `{"request_id":"$undid"}`, status: 200,
				want: `{"meta":{"undone":1,"left":0}}`,
			},
			{rule: "then the record is deleted again", do: "GET /contacts/$made_id", status: 404, code: "not_found"},
		})
		w.request(t, "made", step{
			do: "POST /contacts",
			body: `{"first_name":"Bo","last_name":"Berg","email":"bo@harbour.example","tags":["a","ß"],"address":{"city":"Oslo"},` +
				`"external_id":"bo"}`,
		})
		w.request(t, "patched", step{
			do:   "PATCH /contacts/$made_id",
			body: `{"last_name":"Lind","tags":[],"address":{"city":null},"external_id":null}`,
		})
		w.run(t, []step{
			{
				rule: "a patch is taken back", do: "POST /undo", body: `{"request_id":"$patched"}`, status: 200,
				want: `{"meta":{"undone":1,"left":0}}`, save: "undid=meta.request_id",
			},
			{
				rule: "the fields are what they were", do: "GET /contacts/$made_id", status: 200,
				want: `{"name":"Bo Berg","last_name":"Berg","tags":["a","ß"],"address":{"city":"Oslo"},"external_id":"bo","version":3}`,
			},
			{
				rule: "the undone patch is done again", do: "POST /undo", body: `{"request_id":"$undid"}`, status: 200,
				want: `{"meta":{"undone":1,"left":0}}`, save: "redid=meta.request_id",
			},
			{
				rule: "the fields are what they became", do: "GET /contacts/$made_id", status: 200,
				want: `{"name":"Bo Lind","tags":[],"address":null,"external_id":null,"version":4}`,
			},
		})
		// A unique value that another took meanwhile.
		w.request(t, "other", step{do: "POST /contacts", body: `{"first_name":"Cy","external_id":"bo"}`})
		w.run(t, []step{
			{
				rule: "what the rules refuse is left with the reason", do: "POST /undo", body: `{"request_id":"$redid"}`, status: 200,
				want: `{"data":[{"record_id":"$made_id","error":{"code":"conflict"}}],"meta":{"undone":0,"left":1}}`,
			},
			{
				rule: "a creation goes to the bin", do: "POST /undo", body: `{"request_id":"$other"}`, status: 200,
				want: `{"meta":{"undone":1,"left":0}}`,
			},
			{
				rule: "where it is", do: "POST /contacts/deleted/search",
				body: `{"filters":[{"field":"id","operator":"eq","value":"$other_id"}]}`, status: 200, want: `{"meta":{"total":1}}`,
			},
		})
		// Deals: moves come back with everything that they set.
		w.request(t, "deal", step{do: "POST /deals", body: `{"name":"Cranes","amount":"100.00"}`})
		before := w.send(t, step{do: "GET /deals/$deal_id"})
		w.request(t, "won", step{do: "POST /deals/$deal_id/win"})
		w.run(t, []step{{
			rule: "a deal that was won is open again", do: "POST /undo", body: `{"request_id":"$won"}`, status: 200,
			want: `{"meta":{"undone":1,"left":0}}`,
		}})
		if after := w.send(t, step{do: "GET /deals/$deal_id"}); !reflect.DeepEqual(unversioned(before.json), unversioned(after.json)) {
			t.Errorf("before %s\nafter %s", before.text, after.text)
		}
		// Quotes that were sent stay so.
		w.request(t, "quote", step{
			do:   "POST /quotes",
			body: `{"title":"Offer","contact_id":"$made_id","line_items":[{"name":"Boat","quantity":"1","unit_price":"5.00"}]}`,
		})
		w.request(t, "sent", step{do: "POST /quotes/$quote_id/send"})
		w.run(t, []step{{
			rule: "a quote that was sent stays sent", do: "POST /undo", body: `{"request_id":"$sent"}`, status: 200,
			want: `{"data":[{"record_id":"$quote_id","error":{"code":"invalid_transition"}}],"meta":{"undone":0,"left":1}}`,
		}})
		// An activity moves what it is about.
		w.request(t, "activity", step{do: "POST /activities", body: `{"activity_type":"call","subject":"Hello","contact_id":"$made_id"}`})
		w.run(t, []step{
			{rule: "an activity moved its contact", do: "GET /contacts/$made_id", status: 200, want: `{"last_contacted_at":"*"}`},
			{
				rule: "with an activity goes what it moved", do: "POST /undo", body: `{"request_id":"$activity"}`, status: 200,
				want: `{"meta":{"undone":2,"left":0}}`,
			},
			{rule: "the contact was not called", do: "GET /contacts/$made_id", status: 200, want: `{"last_contacted_at":null}`},
		})
		// Associations follow their records.
		w.request(t, "company", step{do: "POST /companies", body: `{"name":"Harbour"}`})
		w.request(t, "link", step{do: "POST /associations", body: `{"from_id":"$made_id","to_id":"$company_id","label":"owner"}`})
		w.request(t, "gone", step{do: "DELETE /contacts/$made_id"})
		w.run(t, []step{
			{
				rule: "a deletion comes back with its associations", do: "POST /undo", body: `{"request_id":"$gone"}`, status: 200,
				want: `{"data":[],"meta":{"undone":2,"left":0}}`,
			},
			{rule: "which are there", do: "GET /associations/$link_id", status: 200},
		})
		// Merges.
		w.request(t, "twin", step{do: "POST /contacts", body: `{"first_name":"Bo","job_title":"Captain"}`})
		w.request(t, "task", step{do: "POST /tasks", body: `{"title":"Call","contact_id":"$twin_id"}`})
		w.request(t, "merged", step{do: "POST /contacts/$made_id/merge", body: `{"other_id":"$twin_id"}`})
		w.run(t, []step{
			{rule: "a merge moved what was about the other", do: "GET /tasks/$task_id", status: 200, want: `{"contact_id":"$made_id"}`},
			{
				rule: "a merge is taken back", do: "POST /undo", body: `{"request_id":"$merged"}`, status: 200,
				want: `{"data":[],"meta":{"left":0}}`, save: "undid=meta.request_id",
			},
			{rule: "the other is back", do: "GET /contacts/$twin_id", status: 200, want: `{"job_title":"Captain"}`},
			{rule: "and so is what was about it", do: "GET /tasks/$task_id", status: 200, want: `{"contact_id":"$twin_id"}`},
			{
				rule: "what was separated is not merged again", do: "POST /undo", body: `{"request_id":"$undid"}`, status: 409,
				code: "conflict",
			},
		})
		// Settings.
		w.request(t, "setting", step{
			do:   "POST /pipelines",
			body: `{"name":"Second","stages":[{"name":"a","kind":"open"},{"name":"b","kind":"won"},{"name":"c","kind":"lost"}]}`,
		})
		w.run(t, []step{{
			rule: "settings are not taken back", do: "POST /undo", body: `{"request_id":"$setting"}`, status: 200,
			want: `{"data":[{"record_id":"$setting_id","error":{"code":"conflict"}}],"meta":{"undone":0,"left":1}}`,
		}})
	})
}

// A change is taken back where its fields have what it gave them, whatever else was changed since and by whom, and not where they have not.
func TestUndoLooksAtValues(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		undo := func(rule, request, want string) {
			t.Helper()
			w.run(t, []step{{rule: rule, do: "POST /undo", body: `{"request_id":"$` + request + `"}`, status: 200, want: want}})
		}
		const all, none = `{"data":[],"meta":{"left":0}}`, `{"meta":{"undone":0,"left":1}}`
		w.request(t, "made", step{do: "POST /contacts", body: `{"first_name":"Anna","last_name":"Berg","job_title":"Cook"}`})
		w.request(t, "first", step{do: "PATCH /contacts/$made_id", body: `{"first_name":"Eva"}`})
		w.request(t, "second", step{as: "manager", do: "PATCH /contacts/$made_id", body: `{"last_name":"Lind"}`})
		w.request(t, "third", step{do: "PATCH /contacts/$made_id", body: `{"job_title":"Captain"}`})
		undo("a creation stays that others changed", "made", `{
			"data":[{"record_id":"$made_id","error":{"code":"precondition_failed","current_version":4}}],
			"meta":{"undone":0,"left":1}
		}`)
		undo("a change is taken back under others", "first", all)
		w.run(t, []step{{
			rule: "what follows from a field follows it back", do: "GET /contacts/$made_id", status: 200,
			want: `{"first_name":"Anna","last_name":"Lind","name":"Anna Lind","job_title":"Captain","version":5}`,
		}})
		undo("so is one's own last", "third", all)
		undo("and then the one before", "second", all)
		w.run(t, []step{{
			rule: "all is as it was", do: "GET /contacts/$made_id", status: 200,
			want: `{"first_name":"Anna","last_name":"Berg","name":"Anna Berg","job_title":"Cook","version":7}`,
		}})
		undo("then the creation is taken back, too", "made", all)

		w.request(t, "made", step{do: "POST /contacts", body: `{"name":"Bo","job_title":"Cook","phone":"1"}`})
		w.request(t, "both", step{do: "PATCH /contacts/$made_id", body: `{"job_title":"Captain","phone":"2"}`})
		w.request(t, "other", step{as: "manager", do: "PATCH /contacts/$made_id", body: `{"job_title":"Mate"}`})
		w.run(t, []step{{
			rule: "what has another value is named", do: "POST /undo", body: `{"request_id":"$both"}`, status: 200,
			want: `{"data":[{"record_id":"$made_id","error":{
				"code":"precondition_failed","current_version":3,
				"detail":"The contact was changed since: job_title has another value by now."
			}}]}`,
		}})
		w.run(t, []step{{
			rule: "and nothing of it is put back", do: "GET /contacts/$made_id", status: 200,
			want: `{"job_title":"Mate","phone":"2","version":3}`,
		}})
		w.request(t, "again", step{as: "manager", do: "PATCH /contacts/$made_id", body: `{"job_title":"Cook"}`})
		undo("what somebody put back themselves is no matter", "both", all)
		w.run(t, []step{{
			rule: "the rest is put back", do: "GET /contacts/$made_id", status: 200, want: `{"job_title":"Cook","phone":"1"}`,
		}})

		// What is put back together was never so before: the rules hold.
		w.request(t, "note", step{do: "POST /notes", body: `{"body":"Rain"}`})
		w.request(t, "titled", step{do: "PATCH /notes/$note_id", body: `{"title":"Fog"}`})
		w.request(t, "emptied", step{do: "PATCH /notes/$note_id", body: `{"body":null}`})
		undo("a note with nothing in it is none", "titled",
			`{"data":[{"record_id":"$note_id","error":{"code":"validation_failed"}}],"meta":{"left":1}}`)
		w.request(t, "deal", step{do: "POST /deals", body: `{"name":"Crane","amount":"100.00","currency":"EUR"}`})
		w.request(t, "lined", step{do: "PATCH /deals/$deal_id", body: `{"line_items":[{"name":"Rope","unit_price":"5.00"}]}`})
		w.request(t, "bare", step{do: "PATCH /deals/$deal_id", body: `{"line_items":[]}`})
		w.request(t, "dollars", step{do: "PATCH /deals/$deal_id", body: `{"currency":"USD"}`})
		undo("lines of another currency do not come back", "bare",
			`{"data":[{"record_id":"$deal_id","error":{"code":"validation_failed"}}],"meta":{"left":1}}`)
		w.request(t, "won", step{do: "POST /deals/$deal_id/win"})
		w.request(t, "dearer", step{as: "manager", do: "PATCH /deals/$deal_id", body: `{"amount":"300.00"}`})
		undo("a deal that was won is open again at its new price", "won", all)
		w.run(t, []step{{
			rule: "which is weighted anew", do: "GET /deals/$deal_id", status: 200,
			want: `{"status":"open","amount":"300.00","probability":10,"weighted_amount":"30.00","closed_at":null}`,
		}})
		w.request(t, "quote", step{do: "POST /quotes", body: `{
			"title":"Offer","contact_id":"$made_id","line_items":[{"name":"Boat","quantity":"1","unit_price":"5.00"}]
		}`})
		w.request(t, "named", step{do: "PATCH /quotes/$quote_id", body: `{"title":"Boat"}`})
		w.request(t, "sent", step{do: "POST /quotes/$quote_id/send"})
		undo("a quote that was sent stays as it was sent", "named", `{"data":[{"error":{"code":"invalid_transition"}}],"meta":{"left":1}}`)
		w.request(t, "shared", step{do: "POST /quotes/$quote_id/share"})
		undo("its link can be taken back", "shared", all)
		w.run(t, []step{{rule: "and is gone", do: "GET /quotes/$quote_id", status: 200, want: `{"shared_at":null,"status":"sent"}`}})

		// Merges: the survivor may have changed otherwise, and a record into which others were merged is not as it was made.
		w.request(t, "survivor", step{do: "POST /contacts", body: `{"name":"Ida"}`})
		w.request(t, "twin", step{do: "POST /contacts", body: `{"name":"Ida","phone":"7"}`})
		w.request(t, "task", step{do: "POST /tasks", body: `{"title":"Call","contact_id":"$twin_id"}`})
		w.request(t, "merged", step{do: "POST /contacts/$survivor_id/merge", body: `{"other_id":"$twin_id"}`})
		w.request(t, "since", step{do: "PATCH /contacts/$survivor_id", body: `{"job_title":"Mate"}`})
		undo("a record with others in it stays", "survivor", none)
		undo("what follows a merged record is as it was made", "task", all)
		undo("a merge is taken back under other changes", "merged", `{"data":[],"meta":{"left":0}}`)
		w.run(t, []step{{
			rule: "the survivor keeps these", do: "GET /contacts/$survivor_id", status: 200, want: `{"job_title":"Mate","phone":null}`,
		}})
		undo("twice is as good as once", "merged", `{"data":[],"meta":{"left":0}}`)
	})
}

// unversioned is a record without what tells when and how often it was changed.
func unversioned(rec any) map[string]any {
	out := map[string]any{}
	for name, value := range rec.(map[string]any) {
		if name != "version" && name != "updated_at" && name != "updated_by" {
			out[name] = value
		}
	}
	return out
}

// records reads everything of some resources, live and deleted, without versions and, of the deleted ones, when they were.
func (w *world) records(t *testing.T) map[string]any {
	t.Helper()
	all := map[string]any{}
	for _, resource := range []string{
		"contacts", "companies", "deals", "tasks", "notes", "activities", "products", "associations", "quotes",
	} {
		for _, where := range []string{"/search", "/deleted/search"} {
			for cursor := "null"; cursor != ""; {
				a := w.send(t, step{do: "POST /" + resource + where, body: `{"limit":100,"order_by":"id","cursor":` + cursor + `}`})
				for _, rec := range at(a.json, "data").([]any) {
					without := unversioned(rec)
					delete(without, "deleted_at")
					all[where+fmt.Sprint(at(rec, "id"))] = without
				}
				if cursor, _ = at(a.json, "meta.cursor.next").(string); cursor != "" {
					cursor = `"` + cursor + `"`
				}
			}
		}
	}
	return all
}

// What a bulk operation does is what the same operations do one by one, and its undo leaves everything as it was: records, bin,
// text index, counts, and sums.
func TestBulkIsItsOperationsAndUndone(t *testing.T) {
	for _, engine := range testworld.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, databaseURL(t, engine), httpapi.Options{})
			w.workers(t)
			random := rand.New(rand.NewPCG(3, 5))
			people := w.crowd(t, "admin", 120)
			made := func(do, body string) string {
				return fmt.Sprint(at(w.request(t, "any", step{do: do, body: body}).json, "id"))
			}
			company := made("POST /companies", `{"name":"Harbour"}`)
			for i := range 40 {
				made("POST /deals", fmt.Sprintf(`{"name":"Deal %d","amount":"%d.50","contact_id":%q}`, i, i, people[i]))
				made("POST /associations", fmt.Sprintf(`{"from_id":%q,"to_id":%q}`, people[i], company))
			}
			all := func(resource string) (ids []string) {
				a := w.send(t, step{do: "POST /" + resource + "/search", body: `{"limit":100,"fields":["id"]}`})
				for _, rec := range at(a.json, "data").([]any) {
					ids = append(ids, fmt.Sprint(at(rec, "id")))
				}
				return ids
			}
			for round := range 8 {
				op := []map[string]any{
					{
						"resource": "contacts", "op": "update",
						"data": map[string]any{"tags": []string{"x", fmt.Sprint(round)}, "job_title": "Captain", "company_id": company},
					},
					{"resource": "contacts", "op": "delete"},
					{"resource": "deals", "op": "act", "action": "win"},
					{"resource": "deals", "op": "act", "action": "lose", "data": map[string]any{"lost_reason": "No money"}},
					{"resource": "deals", "op": "update", "data": map[string]any{"amount": "7.00", "probability": 30}},
					{"resource": "deals", "op": "delete"},
				}[(round+int(random.IntN(2)))%6]
				resource := fmt.Sprint(op["resource"])
				ids := all(resource)
				random.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
				ids = ids[:min(len(ids), 30+random.IntN(70))]
				before := w.records(t)
				does := map[string]any{"filters": []any{map[string]any{"field": "id", "operator": "in", "values": ids}}}
				single := map[string]any{}
				for name, value := range op {
					if name != "resource" {
						does[name], single[name] = value, value
					}
				}
				text, err := json.Marshal(does)
				if err != nil {
					t.Fatal(err)
				}
				job := w.begin(t, step{do: "POST /" + resource + "/bulk", body: string(text)})
				if a := w.finished(t, "", job); at(a.json, "status") != "succeeded" {
					t.Fatalf("%s", a.text)
				}
				bulk := w.records(t)
				w.undone(t, `{"job_id":"`+job+`"}`)
				if after := w.records(t); !reflect.DeepEqual(before, after) {
					t.Fatalf("round %d, %s: the undo leaves another state: %s", round, text, recordThatDiffers(before, after))
				}
				// One by one, as a batch is.
				operations := []any{}
				for _, id := range ids {
					one := map[string]any{"id": id}
					for name, value := range single {
						one[name] = value
					}
					operations = append(operations, one)
				}
				batch, err := json.Marshal(map[string]any{"operations": operations})
				if err != nil {
					t.Fatal(err)
				}
				a := w.request(t, "batch", step{do: "POST /" + resource + "/batch", body: string(batch)})
				if one := w.records(t); !reflect.DeepEqual(withoutTimes(bulk), withoutTimes(one)) {
					t.Fatalf("round %d, %s: bulk and batch differ: %s", round, text,
						recordThatDiffers(withoutTimes(bulk), withoutTimes(one)))
				}
				if round%2 == 0 {
					w.undone(t, `{"request_id":"`+a.header.Get("X-Request-Id")+`"}`)
				}
			}
			faults := 0
			if err := w.tenant.Check(t.Context(), store.Checking{
				Rules: record.CheckRules(), Looked: func(int64) {},
				Found: func(f store.Fault) { faults++; t.Errorf("%+v", f) },
			}); err != nil || faults > 0 {
				t.Errorf("%d faults, %v", faults, err)
			}
		})
	}
}

// undone takes something back, which leaves nothing.
func (w *world) undone(t *testing.T, body string) {
	t.Helper()
	a := w.send(t, step{do: "POST /undo", body: body})
	switch {
	case a.status == http.StatusAccepted:
		if a = w.finished(t, "", fmt.Sprint(at(a.json, "id"))); at(a.json, "status") != "succeeded" ||
			fmt.Sprint(at(a.json, "failed")) != "0" {
			refused := w.send(t, step{do: "POST /jobs/" + fmt.Sprint(at(a.json, "id")) + "/refused/search", body: `{"limit":3}`})
			t.Fatalf("%s\n%s", a.text, refused.text)
		}
	case a.status != http.StatusOK || fmt.Sprint(at(a.json, "meta.left")) != "0":
		t.Fatalf("%d %s", a.status, a.text)
	}
}

// withoutTimes leaves out of records when things happened.
func withoutTimes(all map[string]any) map[string]any {
	out := map[string]any{}
	for id, rec := range all {
		without := map[string]any{}
		for name, value := range rec.(map[string]any) {
			if !strings.HasSuffix(name, "_at") {
				without[name] = value
			}
		}
		out[id] = without
	}
	return out
}

func recordThatDiffers(a, b map[string]any) string {
	for id, rec := range a {
		if !reflect.DeepEqual(rec, b[id]) {
			return fmt.Sprintf("%s:\n%v\n%v", id, rec, b[id])
		}
	}
	for id, rec := range b {
		if a[id] == nil {
			return fmt.Sprintf("%s is there: %v", id, rec)
		}
	}
	return ""
}
