package httpapi_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/wiring"
	"github.com/kith-crm/kith/internal/work"
)

// worker makes what works on the jobs of the world's server.
func (w *world) worker() *work.Worker {
	worker := work.NewWorker(w.engine, wiring.JobKinds())
	worker.Lease = cmp.Or(w.lease, worker.Lease)
	return worker
}

// workers lets the world's server work on jobs until the test ends.
func (w *world) workers(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		w.worker().Work(ctx, func(err error) { t.Errorf("jobs: %v", err) })
		close(done)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
}

// finished waits until a job has ended, and gives it.
func (w *world) finished(t *testing.T, as, job string) *answer {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; w.idle(t, as, 250*time.Millisecond) {
		a := w.send(t, step{as: as, do: "GET /jobs/" + job})
		if at(a.json, "finished_at") != nil {
			return a
		}
		if a.status != http.StatusOK || time.Now().After(deadline) {
			t.Fatalf("the job has not ended: %d %s", a.status, a.text)
		}
	}
}

// begin sends what begins a job, and gives its id.
func (w *world) begin(t *testing.T, s step) string {
	t.Helper()
	a := w.send(t, s)
	if a.status != http.StatusAccepted {
		t.Fatalf("%s %s: status %d: %s", s.do, s.body, a.status, a.text)
	}
	id := fmt.Sprint(at(a.json, "id"))
	if a.header.Get("Location") != "/v1/jobs/"+id {
		t.Errorf("Location is %q", a.header.Get("Location"))
	}
	return id
}

// crowd makes contacts in batches, numbered from 0.
func (w *world) crowd(t *testing.T, as string, n int) (ids []string) {
	t.Helper()
	for from := 0; from < n; from += 100 {
		var operations []any
		for i := from; i < min(n, from+100); i++ {
			operations = append(operations, map[string]any{
				"op": "create",
				"data": map[string]any{
					"name": fmt.Sprintf("Person %05d", i), "external_id": fmt.Sprintf("p%05d", i),
					"tags": []string{fmt.Sprint("t", i%5)},
				},
			})
		}
		text, err := json.Marshal(map[string]any{"operations": operations})
		if err != nil {
			t.Fatal(err)
		}
		a := w.send(t, step{as: as, do: "POST /contacts/batch", body: string(text)})
		for _, result := range at(a.json, "data").([]any) {
			ids = append(ids, fmt.Sprint(at(result, "record.id")))
		}
	}
	return ids
}

func TestBulk(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.workers(t)
		ids := w.crowd(t, "admin", 250)
		w.vars["first"], w.vars["second"] = ids[0], ids[1]
		w.run(t, []step{
			{
				rule: "a bulk operation says which records it is about", do: "POST /contacts/bulk", body: `{"op":"delete"}`, status: 422,
				wrong: "filters:required",
			},
			{
				rule: "a bulk operation has one of the ops", do: "POST /contacts/bulk", body: `{"filters":[],"op":"create"}`, status: 422,
				wrong: "op:not_allowed",
			},
			{
				rule: "a merge is about two records and not for many", do: "POST /companies/bulk",
				body: `{"filters":[],"op":"act","action":"merge"}`, status: 422, wrong: "op:not_allowed action:not_allowed",
			},
			{
				rule: "an update needs data", do: "POST /contacts/bulk", body: `{"filters":[],"op":"update"}`, status: 422,
				wrong: "data:required",
			},
			{rule: "tagging needs tags", do: "POST /contacts/bulk", body: `{"filters":[],"op":"tag"}`, status: 422, wrong: "data:required"},
			{
				rule: "tagging needs tags to add or to remove", do: "POST /contacts/bulk",
				body: `{"filters":[],"op":"tag","data":{"add":[],"remove":null}}`, status: 422, wrong: "data.add:required",
			},
			{
				rule: "tags that are put on are tags", do: "POST /contacts/bulk",
				body: `{"filters":[],"op":"tag","data":{"add":"vip","tags":["a"]}}`, status: 422,
				wrong: "data.add:wrong_type data.tags:unknown_field",
			},
			{
				rule: "tagging needs write", as: "admin:contact.read,contact.delete", do: "POST /contacts/bulk",
				body: `{"filters":[],"op":"tag","data":{"add":["vip"]}}`, status: 403, code: "insufficient_scope",
			},
			{
				rule: "a deletion takes no data", do: "POST /contacts/bulk", body: `{"filters":[],"op":"delete","data":{}}`, status: 422,
				wrong: "data:not_allowed",
			},
			{
				rule: "what is wrong for every record is told at once", do: "POST /contacts/bulk",
				body: `{"filters":[],"op":"update","data":{"email":"no address","nope":1}}`, status: 422,
				wrong: "data.email:invalid_format data.nope:unknown_field",
			},
			{
				rule: "filters are those of a search", do: "POST /contacts/bulk",
				body: `{"filters":[{"field":"nope","operator":"eq","value":1}],"op":"delete"}`, status: 422,
				wrong: "filters[0].field:unknown_field",
			},
			{
				rule: "nothing else of a search is taken", do: "POST /contacts/bulk", body: `{"filters":[],"op":"delete","limit":5}`,
				status: 422, wrong: "limit:unknown_field",
			},
			{
				rule: "settings have no bulk operations", do: "POST /pipelines/bulk", body: `{"filters":[],"op":"delete"}`, status: 405,
				code: "method_not_allowed",
			},
			{
				rule: "a bulk update needs write", as: "admin:contact.read,contact.delete", do: "POST /contacts/bulk",
				body: `{"filters":[],"op":"update","data":{"job_title":"x"}}`, status: 403, code: "insufficient_scope",
			},
			{
				rule: "a bulk deletion needs delete", as: "admin:contact.read,contact.write", do: "POST /contacts/bulk",
				body: `{"filters":[],"op":"delete"}`, status: 403, code: "insufficient_scope",
			},
			{
				rule: "a bulk operation needs read", as: "admin:contact.write", do: "POST /contacts/bulk",
				body: `{"filters":[],"op":"update","data":{"job_title":"x"}}`, status: 403, code: "insufficient_scope",
			},
			{
				rule: "the dry run tells what would change", do: "POST /contacts/bulk?dry_run=true",
				body: `{"filters":[{"field":"external_id","operator":"in","values":["p00000","p00001"]}],"op":"update",` +
					`"data":{"job_title":"Captain"}}`,
				status: 200, head: []string{"Dry-Run: true"},
				want: `{"total":2,"tried":2,"changed":2,"unchanged":0,"refused":0,"samples":[{"record_id":"$second",` +
					`"changes":{"job_title":{"from":null,"to":"Captain"}}},{"record_id":"$first"}],"refusals":[]}`,
			},
			{
				rule: "the dry run tells what would be refused", do: "POST /contacts/bulk?dry_run=true",
				body: `{"filters":[{"field":"external_id","operator":"in","values":["p00000","p00001"]}],"op":"update",` +
					`"data":{"external_id":"p00001"}}`,
				status: 200, want: `{"total":2,"changed":0,"unchanged":1,"refused":1,"refusals":[{"n":2,"record_id":"$first",` +
					`"error":{"code":"conflict"}}]}`,
			},
			{rule: "the dry run changes nothing", do: "GET /contacts/$first", status: 200, want: `{"version":1,"job_title":null}`},
			{rule: "the dry run begins no job", do: "POST /jobs/search", status: 200, want: `{"data":[]}`},
		})
		job := w.begin(t, step{
			do: "POST /contacts/bulk",
			body: `{"filters":[{"field":"tags","operator":"contains","value":"t3"}],"op":"update","data":{"tags":["t4"],` +
				`"job_title":"Captain"}}`,
		})
		w.vars["job"] = job
		a := w.finished(t, "", job)
		want := map[string]any{
			"status": "succeeded", "total": "50", "done": "50", "failed": "0", "kind": "bulk",
			"request_id": "req_" + strings.TrimPrefix(job, "job_"), "parameters.op": "update", "parameters.resource": "contact",
		}
		for path, value := range want {
			if fmt.Sprint(at(a.json, path)) != value {
				t.Errorf("%s is %v, want %v", path, at(a.json, path), value)
			}
		}
		w.run(t, []step{
			{
				rule: "what the job changed left the filter, and each was changed once", do: "POST /contacts/search",
				body: `{"filters":[{"field":"job_title","operator":"eq","value":"Captain"},{"field":"version","operator":"eq",` +
					`"value":2}],"limit":1,"total":true}`, status: 200, want: `{"meta":{"total":50}}`,
			},
			{
				rule: "others stay as they are", do: "POST /contacts/search",
				body: `{"filters":[{"field":"version","operator":"eq","value":1}],"limit":1,"total":true}`, status: 200,
				want: `{"meta":{"total":200}}`,
			},
			{rule: "a job that has ended is not cancelled", do: "POST /jobs/$job/cancel", status: 409, code: "invalid_transition"},
			{rule: "a job is its user's", as: "member", do: "GET /jobs/$job", status: 404, code: "not_found"},
			{rule: "a job is its business's", as: "stranger", do: "GET /jobs/$job", status: 404, code: "not_found"},
			{
				rule: "a token that can do less than the one that began it does not see it", as: "admin:contact.all", do: "GET /jobs/$job",
				status: 404, code: "not_found",
			},
			{rule: "jobs are listed", do: "POST /jobs/search", body: `{"limit":1}`, status: 200, want: `{"data":[{"id":"$job"}]}`},
			{rule: "nothing was refused", do: "POST /jobs/$job/refused/search", status: 200, want: `{"data":[],"meta":{"has_more":false}}`},
		})
		// Of those with one external id only the first can have it.
		job = w.begin(t, step{
			do: "POST /contacts/bulk",
			body: `{"filters":[{"field":"external_id","operator":"in","values":["p00005","p00006","p00007"]}],"op":"update",` +
				`"data":{"external_id":"same"}}`,
		})
		w.vars["job"] = job
		if a := w.finished(t, "", job); fmt.Sprintf("%v %v", at(a.json, "done"), at(a.json, "failed")) != "3 2" {
			t.Errorf("%s", a.text)
		}
		w.run(t, []step{
			{
				rule: "what was refused is told with the reason", do: "POST /jobs/$job/refused/search", body: `{"limit":1}`, status: 200,
				want: `{"data":[{"n":2,"record_id":"*","error":{"code":"conflict","status":409,"request_id":"*",` +
					`"errors":[{"field":"data.external_id","code":"not_unique"}]}}],"meta":{"has_more":true}}`,
			},
			{
				rule: "more of it is behind the last", do: "POST /jobs/$job/refused/search", body: `{"after":2}`, status: 200,
				want: `{"data":[{"n":3}],"meta":{"has_more":false}}`,
			},
		})
		// Deleted, and restored from the bin.
		job = w.begin(t, step{
			do:   "POST /contacts/bulk",
			body: `{"filters":[{"field":"tags","operator":"contains","value":"t1"}],"op":"delete"}`,
		})
		w.finished(t, "", job)
		w.run(t, []step{{
			rule: "a bulk deletion fills the bin", do: "POST /contacts/deleted/search", body: `{"limit":1}`, status: 200,
			want: `{"meta":{"total":50}}`,
		}})
		job = w.begin(t, step{
			do:   "POST /contacts/bulk",
			body: `{"filters":[{"field":"deleted_at","operator":"is_set"}],"search_text":"person","op":"restore"}`,
		})
		w.finished(t, "", job)
		w.run(t, []step{
			{
				rule: "a bulk restoration empties it", do: "POST /contacts/deleted/search", body: `{"limit":1}`, status: 200,
				want: `{"meta":{"total":0}}`,
			},
			{
				rule: "a job's changes are logged under its request", do: "POST /contacts/$second/history/search", body: `{"limit":1}`,
				status: 200, want: `{"data":[{"action":"restore","request_id":"req_` + strings.TrimPrefix(job, "job_") + `"}]}`,
			},
		})
	})
}

// Tags are put on and taken off whatever others a record has, and all of it is taken back at once.
func TestBulkTags(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.workers(t)
		many := make([]string, 100)
		for i := range many {
			many[i] = fmt.Sprintf("%q", fmt.Sprint("n", i))
		}
		for _, tags := range []string{`"hot","Été"`, `"cold"`, strings.Join(many, ",")} {
			w.send(t, step{do: "POST /contacts", body: `{"name":"Tagged","tags":[` + tags + `]}`})
		}
		body := `{"filters":[{"field":"name","operator":"eq","value":"tagged"}],"op":"tag","data":{"add":["VIP","Hot"],"remove":["ete",` +
			`"cold"]}}`
		w.run(t, []step{{
			rule: "the dry run of tagging tells of each", do: "POST /contacts/bulk?dry_run=true", body: body, status: 200,
			want: `{"total":3,"tried":3,"changed":2,"unchanged":0,"refused":1}`,
		}})
		job := w.begin(t, step{do: "POST /contacts/bulk", body: body})
		if a := w.finished(t, "", job); fmt.Sprintf("%v %v", at(a.json, "status"), at(a.json, "failed")) != "succeeded 1" {
			t.Errorf("the job: %s", a.text)
		}
		found := func(tags string) string {
			return `{"filters":[{"field":"name","operator":"eq",` +
				`"value":"tagged"},{"field":"tags","operator":"contains","value":"` + tags + `"}],"fields":["tags"]}`
		}
		w.run(t, []step{
			{
				rule: "tags that are there stay as they are written", do: "POST /contacts/search", body: found("hot"), status: 200,
				want: `{"data":[{"tags":["VIP","Hot"]},{"tags":["hot","VIP"]}]}`,
			},
			{
				rule: "tagging is an update in the log", do: "POST /changes/search",
				body:   `{"after":0,"resources":["contact"],"limit":100}`,
				status: 200, want: `{"data":[{"action":"create"},{"action":"create"},{"action":"create"},{"action":"update"},` +
					`{"action":"update"}]}`,
			},
			{
				rule: "tagging is taken back", do: "POST /undo", body: `{"job_id":"` + job + `"}`, status: 200,
				want: `{"meta":{"undone":2,"left":0}}`,
			},
			{
				rule: "what was taken off is there again", do: "POST /contacts/search", body: found("cold"), status: 200,
				want: `{"data":[{"tags":["cold"]}]}`,
			},
		})
	})
}

// An action that needs nothing to be said of it needs no data, in bulk as in the single call: of every resource.
func TestBulkActionsNeedNoData(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.workers(t)
		ids := w.oneOfEach(t)
		tried := 0
		for _, k := range record.Kinds() {
			if !k.Bulks() {
				continue
			}
			_, actions := k.BulkOperations()
			for _, action := range actions {
				single := w.send(t, step{do: "POST /" + k.Plural + "/" + ids[k.Name] + "/" + action + "?dry_run=true"})
				body := `{"filters":[{"field":"id","operator":"eq","value":"` + ids[k.Name] + `"}],"op":"act","action":"` + action + `"}`
				bulk := w.send(t, step{do: "POST /" + k.Plural + "/bulk?dry_run=true", body: body})
				declared := k.Actions[slices.IndexFunc(k.Actions, func(a schema.Action) bool { return a.Name == action })]
				if slices.ContainsFunc(declared.Leaves, func(l *schema.Leaf) bool { return l.Required }) {
					if bulk.status != 422 {
						t.Errorf("%s of %s, which needs data: %d %s", action, k.Plural, bulk.status, bulk.text)
					}
					continue
				}
				tried++
				if did := fmt.Sprint(at(bulk.json, "refused")) == "0"; bulk.status != 200 || did != (single.status < 300) {
					t.Errorf("%s of %s: alone %d %s, in bulk %d %s", action, k.Plural, single.status, single.text, bulk.status, bulk.text)
				}
			}
		}
		if tried < 8 {
			t.Errorf("only %d actions were tried", tried)
		}
		job := w.begin(t, step{
			do:   "POST /tasks/bulk",
			body: `{"filters":[{"field":"id","operator":"eq","value":"` + ids["task"] + `"}],"op":"act","action":"complete"}`,
		})
		if a := w.finished(t, "", job); fmt.Sprintf("%v %v", at(a.json, "status"), at(a.json, "failed")) != "succeeded 0" {
			t.Errorf("the job: %s", a.text)
		}
		w.run(t, []step{{rule: "the task is completed", do: "GET /tasks/" + ids["task"], status: 200, want: `{"status":"completed"}`}})
	})
}

// A role that reaches only its own records does not reach more by a job, and one that is taken away meanwhile ends it.
func TestBulkStaysWithinReach(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.crowd(t, "admin", 10)
		mine := w.send(t, step{as: "member", do: "POST /contacts", body: `{"name":"Mine"}`})
		job := w.begin(t, step{as: "member", do: "POST /contacts/bulk", body: `{"filters":[],"op":"delete"}`})
		w.workers(t)
		a := w.finished(t, "member", job)
		gone := w.send(t, step{do: "GET /contacts/" + fmt.Sprint(at(mine.json, "id"))})
		left := w.send(t, step{do: "POST /contacts/search", body: `{}`})
		if gone.status != http.StatusNotFound || fmt.Sprint(at(left.json, "meta.total")) != "10" {
			t.Errorf("%s; there are %v contacts left, and the member's own is %d", a.text, at(left.json, "meta.total"), gone.status)
		}
	})
}

// How jobs end is told by HTTP as it is; what else there is to it is tested beside the jobs.
func TestJobsEnd(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.crowd(t, "admin", 3)
		bulk := step{do: "POST /contacts/bulk", body: `{"filters":[],"op":"update","data":{"job_title":"x"}}`}
		cancelled := w.begin(t, bulk)
		a := w.send(t, step{do: "POST /jobs/" + cancelled + "/cancel"})
		if a.status != http.StatusOK || at(a.json, "status") != "cancelled" || at(a.json, "finished_at") == nil {
			t.Errorf("%d %s", a.status, a.text)
		}
		if a := w.send(t, step{do: "POST /jobs/" + cancelled + "/cancel"}); a.status != http.StatusOK {
			t.Errorf("cancelled again: %d %s", a.status, a.text)
		}
		if a := w.send(t, step{do: "POST /undo", body: `{"job_id":"` + cancelled + `"}`}); a.status != http.StatusNotFound {
			t.Errorf("a job that did nothing is undone: %d %s", a.status, a.text)
		}
		open := w.begin(t, bulk)
		if a := w.send(t, step{do: "POST /undo", body: `{"job_id":"` + open + `"}`}); a.status != http.StatusConflict {
			t.Errorf("a job that has not ended is undone: %d %s", a.status, a.text)
		}
		for range work.MaxOpenJobs {
			a = w.send(t, bulk)
		}
		if a.status != http.StatusConflict {
			t.Errorf("one more than may be open: %d %s", a.status, a.text)
		}
		// Whoever began a job may not act any more before anybody comes to it.
		byUser := bulk
		byUser.as = "manager"
		if a := w.send(t, step{do: "POST /jobs/" + open + "/cancel"}); a.status != http.StatusOK {
			t.Fatalf("%d %s", a.status, a.text)
		}
		bySuspended := w.begin(t, byUser)
		if a := w.send(t, step{do: "PATCH /users/$manager", body: `{"status":"suspended"}`}); a.status >= 300 {
			t.Fatalf("%d %s", a.status, a.text)
		}
		w.workers(t)
		if a := w.finished(t, "", bySuspended); at(a.json, "status") != "failed" || at(a.json, "error.code") != "forbidden_by_role" ||
			fmt.Sprint(at(a.json, "done")) != "0" {
			t.Errorf("%s", a.text)
		}
	})
}
