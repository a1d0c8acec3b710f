package work_test

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

	. "github.com/kith-crm/kith/internal/apitest"
)

func TestUndo(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Request(t, "made", Step{
			Do:   "POST /contacts",
			Body: `{"first_name":"Anna","last_name":"Berg","email":"anna@harbour.example","tags":["a"],"address":{"city":"Oslo"}}`,
		})
		w.Request(t, "patched", Step{
			Do:   "PATCH /contacts/$made_id",
			Body: `{"last_name":"Lind","tags":[],"address":{"city":null},"email":null}`,
		})
		w.Request(t, "deleted", Step{Do: "DELETE /contacts/$made_id"})
		w.Run(t, []Step{
			{Rule: "an undo names a request or a job", Do: "POST /undo", Body: `{}`, Status: 422, Wrong: "request_id:required"},
			{
				Rule: "an undo names one of them", Do: "POST /undo",
				Body: `{"request_id":"$made","job_id":"job_01kh4xv1qcf0mvq8gk8d8mvxd9"}`, Status: 422, Wrong: "request_id:required",
			},
			{
				Rule: "a request's id is one", Do: "POST /undo", Body: `{"request_id":"contact_01kh4xv1qcf0mvq8gk8d8mvxd9"}`, Status: 422,
				Wrong: "request_id:invalid_id",
			},
			{
				Rule: "what was long ago stays", Do: "POST /undo", Body: `{"request_id":"req_01kh4xv1qcf0mvq8gk8d8mvxd9"}`, Status: 422,
				Wrong: "request_id:not_allowed",
			},
			{
				Rule: "a request that nobody made", Do: "POST /undo", Body: `{"job_id":"job_01zh4xv1qcf0mvq8gk8d8mvxd9"}`, Status: 404,
				Code: "not_found",
			},
			{
				Rule: "another business's request is nobody's", As: "stranger", Do: "POST /undo", Body: `{"request_id":"$deleted"}`,
				Status: 404, Code: "not_found",
			},
			{
				Rule: "who may not read the record is told nothing", As: "admin:deal.all", Do: "POST /undo",
				Body: `{"request_id":"$deleted"}`, Status: 404, Code: "not_found",
			},
			{
				Rule: "who may not write the record leaves it", As: "admin:contact.read", Do: "POST /undo",
				Body: `{"request_id":"$deleted"}`, Status: 200,
				Want: `{"data":[{"n":"*","record_id":"$made_id","error":{"code":"insufficient_scope"}}],"meta":{"undone":0,"left":1}}`,
			},
			{
				Rule: "what is in the bin is left", Do: "POST /undo", Body: `{"request_id":"$patched"}`, Status: 200,
				Want: `{
					"data":[{"record_id":"$made_id","error":{"code":"conflict"}}],
					"meta":{"total":1,"tried":1,"undone":0,"left":1}
				}`,
			},
			{
				Rule: "a dry run tells what would be undone", Do: "POST /undo?dry_run=true", Body: `{"request_id":"$deleted"}`, Status: 200,
				Head: []string{"Dry-Run: true"}, Want: `{"data":[],"meta":{"undone":1,"left":0}}`,
			},
			{Rule: "a dry run undoes nothing", Do: "GET /contacts/$made_id", Status: 404, Code: "not_found"},
			{
				Rule: "a deletion is taken back", Do: "POST /undo", Body: `{"request_id":"$deleted"}`,
				Send: []string{"Idempotency-Key: once"}, Status: 200,
				Want: `{"data":[],"meta":{"total":1,"tried":1,"undone":1,"left":0,"request_id":"*"}}`, Save: "undid=meta.request_id",
			},
			{
				Rule: "and only once under a key", Do: "POST /undo", Body: `{"request_id":"$deleted"}`,
				Send: []string{"Idempotency-Key: once"}, Status: 200, Head: []string{"Idempotent-Replayed: true"},
				Want: `{"meta":{"undone":1,"request_id":"$undid"}}`,
			},
			{
				Rule: "the record is back as it was", Do: "GET /contacts/$made_id", Status: 200,
				Want: `{"last_name":"Lind","email":null,"version":4}`,
			},
			{
				Rule: "the undo is in the history, under its own request", Do: "POST /contacts/$made_id/history/search",
				Body:   `{"limit":1}`,
				Status: 200, Want: `{"data":[{"action":"restore","request_id":"$undid"}]}`,
			},
			{
				Rule: "what is as it was counts as taken back", Do: "POST /undo", Body: `{"request_id":"$deleted"}`, Status: 200,
				Want: `{"meta":{"undone":1,"left":0}}`,
			},
			{
				Rule: "an undo can be undone", Do: "POST /undo", Body: `{"request_id":"$undid"}`, Status: 200,
				Want: `{"meta":{"undone":1,"left":0}}`,
			},
			{Rule: "then the record is deleted again", Do: "GET /contacts/$made_id", Status: 404, Code: "not_found"},
		})
		w.Request(t, "made", Step{
			Do: "POST /contacts",
			Body: `{"first_name":"Bo","last_name":"Berg","email":"bo@harbour.example","tags":["a","ß"],"address":{"city":"Oslo"},` +
				`"external_id":"bo"}`,
		})
		w.Request(t, "patched", Step{
			Do:   "PATCH /contacts/$made_id",
			Body: `{"last_name":"Lind","tags":[],"address":{"city":null},"external_id":null}`,
		})
		w.Run(t, []Step{
			{
				Rule: "a patch is taken back", Do: "POST /undo", Body: `{"request_id":"$patched"}`, Status: 200,
				Want: `{"meta":{"undone":1,"left":0}}`, Save: "undid=meta.request_id",
			},
			{
				Rule: "the fields are what they were", Do: "GET /contacts/$made_id", Status: 200,
				Want: `{"name":"Bo Berg","last_name":"Berg","tags":["a","ß"],"address":{"city":"Oslo"},"external_id":"bo","version":3}`,
			},
			{
				Rule: "the undone patch is done again", Do: "POST /undo", Body: `{"request_id":"$undid"}`, Status: 200,
				Want: `{"meta":{"undone":1,"left":0}}`, Save: "redid=meta.request_id",
			},
			{
				Rule: "the fields are what they became", Do: "GET /contacts/$made_id", Status: 200,
				Want: `{"name":"Bo Lind","tags":[],"address":null,"external_id":null,"version":4}`,
			},
		})
		// A unique value that another took meanwhile.
		w.Request(t, "other", Step{Do: "POST /contacts", Body: `{"first_name":"Cy","external_id":"bo"}`})
		w.Run(t, []Step{
			{
				Rule: "what the rules refuse is left with the reason", Do: "POST /undo", Body: `{"request_id":"$redid"}`, Status: 200,
				Want: `{"data":[{"record_id":"$made_id","error":{"code":"conflict"}}],"meta":{"undone":0,"left":1}}`,
			},
			{
				Rule: "a creation goes to the bin", Do: "POST /undo", Body: `{"request_id":"$other"}`, Status: 200,
				Want: `{"meta":{"undone":1,"left":0}}`,
			},
			{
				Rule: "where it is", Do: "POST /contacts/deleted/search",
				Body: `{"filters":[{"field":"id","operator":"eq","value":"$other_id"}]}`, Status: 200, Want: `{"meta":{"total":1}}`,
			},
		})
		// Deals: moves come back with everything that they set.
		w.Request(t, "deal", Step{Do: "POST /deals", Body: `{"name":"Cranes","amount":"100.00"}`})
		before := w.Send(t, Step{Do: "GET /deals/$deal_id"})
		w.Request(t, "won", Step{Do: "POST /deals/$deal_id/win"})
		w.Run(t, []Step{{
			Rule: "a deal that was won is open again", Do: "POST /undo", Body: `{"request_id":"$won"}`, Status: 200,
			Want: `{"meta":{"undone":1,"left":0}}`,
		}})
		if after := w.Send(t, Step{Do: "GET /deals/$deal_id"}); !reflect.DeepEqual(Unversioned(before.JSON), Unversioned(after.JSON)) {
			t.Errorf("before %s\nafter %s", before.Text, after.Text)
		}
		// Quotes that were sent stay so.
		w.Request(t, "quote", Step{
			Do:   "POST /quotes",
			Body: `{"title":"Offer","contact_id":"$made_id","line_items":[{"name":"Boat","quantity":"1","unit_price":"5.00"}]}`,
		})
		w.Request(t, "sent", Step{Do: "POST /quotes/$quote_id/send"})
		w.Run(t, []Step{{
			Rule: "a quote that was sent stays sent", Do: "POST /undo", Body: `{"request_id":"$sent"}`, Status: 200,
			Want: `{"data":[{"record_id":"$quote_id","error":{"code":"invalid_transition"}}],"meta":{"undone":0,"left":1}}`,
		}})
		// An activity moves what it is about.
		w.Request(t, "activity", Step{Do: "POST /activities", Body: `{"activity_type":"call","subject":"Hello","contact_id":"$made_id"}`})
		w.Run(t, []Step{
			{Rule: "an activity moved its contact", Do: "GET /contacts/$made_id", Status: 200, Want: `{"last_contacted_at":"*"}`},
			{
				Rule: "with an activity goes what it moved", Do: "POST /undo", Body: `{"request_id":"$activity"}`, Status: 200,
				Want: `{"meta":{"undone":2,"left":0}}`,
			},
			{Rule: "the contact was not called", Do: "GET /contacts/$made_id", Status: 200, Want: `{"last_contacted_at":null}`},
		})
		// Associations follow their records.
		w.Request(t, "company", Step{Do: "POST /companies", Body: `{"name":"Harbour"}`})
		w.Request(t, "link", Step{Do: "POST /associations", Body: `{"from_id":"$made_id","to_id":"$company_id","label":"owner"}`})
		w.Request(t, "gone", Step{Do: "DELETE /contacts/$made_id"})
		w.Run(t, []Step{
			{
				Rule: "a deletion comes back with its associations", Do: "POST /undo", Body: `{"request_id":"$gone"}`, Status: 200,
				Want: `{"data":[],"meta":{"undone":2,"left":0}}`,
			},
			{Rule: "which are there", Do: "GET /associations/$link_id", Status: 200},
		})
		// Merges.
		w.Request(t, "twin", Step{Do: "POST /contacts", Body: `{"first_name":"Bo","job_title":"Captain"}`})
		w.Request(t, "task", Step{Do: "POST /tasks", Body: `{"title":"Call","contact_id":"$twin_id"}`})
		w.Request(t, "merged", Step{Do: "POST /contacts/$made_id/merge", Body: `{"other_id":"$twin_id"}`})
		w.Run(t, []Step{
			{Rule: "a merge moved what was about the other", Do: "GET /tasks/$task_id", Status: 200, Want: `{"contact_id":"$made_id"}`},
			{
				Rule: "a merge is taken back", Do: "POST /undo", Body: `{"request_id":"$merged"}`, Status: 200,
				Want: `{"data":[],"meta":{"left":0}}`, Save: "undid=meta.request_id",
			},
			{Rule: "the other is back", Do: "GET /contacts/$twin_id", Status: 200, Want: `{"job_title":"Captain"}`},
			{Rule: "and so is what was about it", Do: "GET /tasks/$task_id", Status: 200, Want: `{"contact_id":"$twin_id"}`},
			{
				Rule: "what was separated is not merged again", Do: "POST /undo", Body: `{"request_id":"$undid"}`, Status: 409,
				Code: "conflict",
			},
		})
		// Settings.
		w.Request(t, "setting", Step{
			Do:   "POST /pipelines",
			Body: `{"name":"Second","stages":[{"name":"a","kind":"open"},{"name":"b","kind":"won"},{"name":"c","kind":"lost"}]}`,
		})
		w.Run(t, []Step{{
			Rule: "settings are not taken back", Do: "POST /undo", Body: `{"request_id":"$setting"}`, Status: 200,
			Want: `{"data":[{"record_id":"$setting_id","error":{"code":"conflict"}}],"meta":{"undone":0,"left":1}}`,
		}})
	})
}

// A change is taken back where its fields have what it gave them, whatever else was changed since and by whom, and not where they have not.
func TestUndoLooksAtValues(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		undo := func(rule, request, want string) {
			t.Helper()
			w.Run(t, []Step{{Rule: rule, Do: "POST /undo", Body: `{"request_id":"$` + request + `"}`, Status: 200, Want: want}})
		}
		const all, none = `{"data":[],"meta":{"left":0}}`, `{"meta":{"undone":0,"left":1}}`
		w.Request(t, "made", Step{Do: "POST /contacts", Body: `{"first_name":"Anna","last_name":"Berg","job_title":"Cook"}`})
		w.Request(t, "first", Step{Do: "PATCH /contacts/$made_id", Body: `{"first_name":"Eva"}`})
		w.Request(t, "second", Step{As: "manager", Do: "PATCH /contacts/$made_id", Body: `{"last_name":"Lind"}`})
		w.Request(t, "third", Step{Do: "PATCH /contacts/$made_id", Body: `{"job_title":"Captain"}`})
		undo("a creation stays that others changed", "made", `{
			"data":[{"record_id":"$made_id","error":{"code":"precondition_failed","current_version":4}}],
			"meta":{"undone":0,"left":1}
		}`)
		undo("a change is taken back under others", "first", all)
		w.Run(t, []Step{{
			Rule: "what follows from a field follows it back", Do: "GET /contacts/$made_id", Status: 200,
			Want: `{"first_name":"Anna","last_name":"Lind","name":"Anna Lind","job_title":"Captain","version":5}`,
		}})
		undo("so is one's own last", "third", all)
		undo("and then the one before", "second", all)
		w.Run(t, []Step{{
			Rule: "all is as it was", Do: "GET /contacts/$made_id", Status: 200,
			Want: `{"first_name":"Anna","last_name":"Berg","name":"Anna Berg","job_title":"Cook","version":7}`,
		}})
		undo("then the creation is taken back, too", "made", all)

		w.Request(t, "made", Step{Do: "POST /contacts", Body: `{"name":"Bo","job_title":"Cook","phone":"1"}`})
		w.Request(t, "both", Step{Do: "PATCH /contacts/$made_id", Body: `{"job_title":"Captain","phone":"2"}`})
		w.Request(t, "other", Step{As: "manager", Do: "PATCH /contacts/$made_id", Body: `{"job_title":"Mate"}`})
		w.Run(t, []Step{{
			Rule: "what has another value is named", Do: "POST /undo", Body: `{"request_id":"$both"}`, Status: 200,
			Want: `{"data":[{"record_id":"$made_id","error":{
				"code":"precondition_failed","current_version":3,
				"detail":"The contact was changed since: job_title has another value by now."
			}}]}`,
		}})
		w.Run(t, []Step{{
			Rule: "and nothing of it is put back", Do: "GET /contacts/$made_id", Status: 200,
			Want: `{"job_title":"Mate","phone":"2","version":3}`,
		}})
		w.Request(t, "again", Step{As: "manager", Do: "PATCH /contacts/$made_id", Body: `{"job_title":"Cook"}`})
		undo("what somebody put back themselves is no matter", "both", all)
		w.Run(t, []Step{{
			Rule: "the rest is put back", Do: "GET /contacts/$made_id", Status: 200, Want: `{"job_title":"Cook","phone":"1"}`,
		}})

		// What is put back together was never so before: the rules hold.
		w.Request(t, "note", Step{Do: "POST /notes", Body: `{"body":"Rain"}`})
		w.Request(t, "titled", Step{Do: "PATCH /notes/$note_id", Body: `{"title":"Fog"}`})
		w.Request(t, "emptied", Step{Do: "PATCH /notes/$note_id", Body: `{"body":null}`})
		undo("a note with nothing in it is none", "titled",
			`{"data":[{"record_id":"$note_id","error":{"code":"validation_failed"}}],"meta":{"left":1}}`)
		w.Request(t, "deal", Step{Do: "POST /deals", Body: `{"name":"Crane","amount":"100.00","currency":"EUR"}`})
		w.Request(t, "lined", Step{Do: "PATCH /deals/$deal_id", Body: `{"line_items":[{"name":"Rope","unit_price":"5.00"}]}`})
		w.Request(t, "bare", Step{Do: "PATCH /deals/$deal_id", Body: `{"line_items":[]}`})
		w.Request(t, "dollars", Step{Do: "PATCH /deals/$deal_id", Body: `{"currency":"USD"}`})
		undo("lines of another currency do not come back", "bare",
			`{"data":[{"record_id":"$deal_id","error":{"code":"validation_failed"}}],"meta":{"left":1}}`)
		w.Request(t, "won", Step{Do: "POST /deals/$deal_id/win"})
		w.Request(t, "dearer", Step{As: "manager", Do: "PATCH /deals/$deal_id", Body: `{"amount":"300.00"}`})
		undo("a deal that was won is open again at its new price", "won", all)
		w.Run(t, []Step{{
			Rule: "which is weighted anew", Do: "GET /deals/$deal_id", Status: 200,
			Want: `{"status":"open","amount":"300.00","probability":10,"weighted_amount":"30.00","closed_at":null}`,
		}})
		w.Request(t, "quote", Step{Do: "POST /quotes", Body: `{
			"title":"Offer","contact_id":"$made_id","line_items":[{"name":"Boat","quantity":"1","unit_price":"5.00"}]
		}`})
		w.Request(t, "named", Step{Do: "PATCH /quotes/$quote_id", Body: `{"title":"Boat"}`})
		w.Request(t, "sent", Step{Do: "POST /quotes/$quote_id/send"})
		undo("a quote that was sent stays as it was sent", "named", `{"data":[{"error":{"code":"invalid_transition"}}],"meta":{"left":1}}`)
		w.Request(t, "shared", Step{Do: "POST /quotes/$quote_id/share"})
		undo("its link can be taken back", "shared", all)
		w.Run(t, []Step{{Rule: "and is gone", Do: "GET /quotes/$quote_id", Status: 200, Want: `{"shared_at":null,"status":"sent"}`}})

		// Merges: the survivor may have changed otherwise, and a record into which others were merged is not as it was made.
		w.Request(t, "survivor", Step{Do: "POST /contacts", Body: `{"name":"Ida"}`})
		w.Request(t, "twin", Step{Do: "POST /contacts", Body: `{"name":"Ida","phone":"7"}`})
		w.Request(t, "task", Step{Do: "POST /tasks", Body: `{"title":"Call","contact_id":"$twin_id"}`})
		w.Request(t, "merged", Step{Do: "POST /contacts/$survivor_id/merge", Body: `{"other_id":"$twin_id"}`})
		w.Request(t, "since", Step{Do: "PATCH /contacts/$survivor_id", Body: `{"job_title":"Mate"}`})
		undo("a record with others in it stays", "survivor", none)
		undo("what follows a merged record is as it was made", "task", all)
		undo("a merge is taken back under other changes", "merged", `{"data":[],"meta":{"left":0}}`)
		w.Run(t, []Step{{
			Rule: "the survivor keeps these", Do: "GET /contacts/$survivor_id", Status: 200, Want: `{"job_title":"Mate","phone":null}`,
		}})
		undo("twice is as good as once", "merged", `{"data":[],"meta":{"left":0}}`)
	})
}

// What a bulk operation does is what the same operations do one by one, and its undo leaves everything as it was: records, bin,
// text index, counts, and sums.
func TestBulkIsItsOperationsAndUndone(t *testing.T) {
	for _, engine := range testworld.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			w := NewWorld(t, DatabaseURL(t, engine), httpapi.Options{})
			w.Workers(t)
			random := rand.New(rand.NewPCG(3, 5))
			people := crowd(w, t, "admin", 120)
			made := func(do, body string) string {
				return fmt.Sprint(At(w.Request(t, "any", Step{Do: do, Body: body}).JSON, "id"))
			}
			company := made("POST /companies", `{"name":"Harbour"}`)
			for i := range 40 {
				made("POST /deals", fmt.Sprintf(`{"name":"Deal %d","amount":"%d.50","contact_id":%q}`, i, i, people[i]))
				made("POST /associations", fmt.Sprintf(`{"from_id":%q,"to_id":%q}`, people[i], company))
			}
			all := func(resource string) (ids []string) {
				a := w.Send(t, Step{Do: "POST /" + resource + "/search", Body: `{"limit":100,"fields":["id"]}`})
				for _, rec := range At(a.JSON, "data").([]any) {
					ids = append(ids, fmt.Sprint(At(rec, "id")))
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
				before := w.Records(t)
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
				job := begin(w, t, Step{Do: "POST /" + resource + "/bulk", Body: string(text)})
				if a := finished(w, t, "", job); At(a.JSON, "status") != "succeeded" {
					t.Fatalf("%s", a.Text)
				}
				bulk := w.Records(t)
				undone(w, t, `{"job_id":"`+job+`"}`)
				if after := w.Records(t); !reflect.DeepEqual(before, after) {
					t.Fatalf("round %d, %s: the undo leaves another state: %s", round, text, RecordThatDiffers(before, after))
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
				a := w.Request(t, "batch", Step{Do: "POST /" + resource + "/batch", Body: string(batch)})
				if one := w.Records(t); !reflect.DeepEqual(withoutTimes(bulk), withoutTimes(one)) {
					t.Fatalf("round %d, %s: bulk and batch differ: %s", round, text,
						RecordThatDiffers(withoutTimes(bulk), withoutTimes(one)))
				}
				if round%2 == 0 {
					undone(w, t, `{"request_id":"`+a.Header.Get("X-Request-Id")+`"}`)
				}
			}
			faults := 0
			if err := w.Tenant.Check(t.Context(), store.Checking{
				Rules: record.CheckRules(), Looked: func(int64) {},
				Found: func(f store.Fault) { faults++; t.Errorf("%+v", f) },
			}); err != nil || faults > 0 {
				t.Errorf("%d faults, %v", faults, err)
			}
		})
	}
}

// undone takes something back, which leaves nothing.
func undone(w *World, t *testing.T, body string) {
	t.Helper()
	a := w.Send(t, Step{Do: "POST /undo", Body: body})
	switch {
	case a.Status == http.StatusAccepted:
		if a = finished(w, t, "", fmt.Sprint(At(a.JSON, "id"))); At(a.JSON, "status") != "succeeded" ||
			fmt.Sprint(At(a.JSON, "failed")) != "0" {
			refused := w.Send(t, Step{Do: "POST /jobs/" + fmt.Sprint(At(a.JSON, "id")) + "/refused/search", Body: `{"limit":3}`})
			t.Fatalf("%s\n%s", a.Text, refused.Text)
		}
	case a.Status != http.StatusOK || fmt.Sprint(At(a.JSON, "meta.left")) != "0":
		t.Fatalf("%d %s", a.Status, a.Text)
	}
}

// withoutTimes leaves out of records when things happened.
func withoutTimes(all map[string]any) map[string]any {
	out := map[string]any{}
	for name, value := range all {
		if !strings.HasSuffix(name, "_at") {
			out[name] = withoutTimesIn(value)
		}
	}
	return out
}

// withoutTimesIn is a value without the times in it, however deep they are.
func withoutTimesIn(value any) any {
	switch v := value.(type) {
	case map[string]any:
		return withoutTimes(v)
	case []any:
		out := make([]any, len(v))
		for i, one := range v {
			out[i] = withoutTimesIn(one)
		}
		return out
	}
	return value
}
