package work_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/work"

	. "github.com/kith-crm/kith/internal/apitest"
)

// finished waits until a job has ended, and gives it.
func finished(w *World, t *testing.T, as, job string) *Answer {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; w.Idle(t, as, 250*time.Millisecond) {
		a := w.Send(t, Step{As: as, Do: "GET /jobs/" + job})
		if At(a.JSON, "finished_at") != nil {
			return a
		}
		if a.Status != http.StatusOK || time.Now().After(deadline) {
			t.Fatalf("the job has not ended: %d %s", a.Status, a.Text)
		}
	}
}

// begin sends what begins a job, and gives its id.
func begin(w *World, t *testing.T, s Step) string {
	t.Helper()
	a := w.Send(t, s)
	if a.Status != http.StatusAccepted {
		t.Fatalf("%s %s: status %d: %s", s.Do, s.Body, a.Status, a.Text)
	}
	id := fmt.Sprint(At(a.JSON, "id"))
	if a.Header.Get("Location") != "/v1/jobs/"+id {
		t.Errorf("Location is %q", a.Header.Get("Location"))
	}
	return id
}

// crowd makes contacts in batches, numbered from 0.
func crowd(w *World, t *testing.T, as string, n int) (ids []string) {
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
		a := w.Send(t, Step{As: as, Do: "POST /contacts/batch", Body: string(text)})
		for _, result := range At(a.JSON, "data").([]any) {
			ids = append(ids, fmt.Sprint(At(result, "record.id")))
		}
	}
	return ids
}

func TestBulk(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Workers(t)
		ids := crowd(w, t, "admin", 250)
		w.Vars["first"], w.Vars["second"] = ids[0], ids[1]
		w.Run(t, []Step{
			{
				Rule: "a bulk operation says which records it is about", Do: "POST /contacts/bulk", Body: `{"op":"delete"}`, Status: 422,
				Wrong: "filters:required",
			},
			{
				Rule: "a bulk operation has one of the ops", Do: "POST /contacts/bulk", Body: `{"filters":[],"op":"create"}`, Status: 422,
				Wrong: "op:not_allowed",
			},
			{
				Rule: "a merge is about two records and not for many", Do: "POST /companies/bulk",
				Body: `{"filters":[],"op":"act","action":"merge"}`, Status: 422, Wrong: "op:not_allowed action:not_allowed",
			},
			{
				Rule: "an update needs data", Do: "POST /contacts/bulk", Body: `{"filters":[],"op":"update"}`, Status: 422,
				Wrong: "data:required",
			},
			{Rule: "tagging needs tags", Do: "POST /contacts/bulk", Body: `{"filters":[],"op":"tag"}`, Status: 422, Wrong: "data:required"},
			{
				Rule: "tagging needs tags to add or to remove", Do: "POST /contacts/bulk",
				Body: `{"filters":[],"op":"tag","data":{"add":[],"remove":null}}`, Status: 422, Wrong: "data.add:required",
			},
			{
				Rule: "tags that are put on are tags", Do: "POST /contacts/bulk",
				Body: `{"filters":[],"op":"tag","data":{"add":"vip","tags":["a"]}}`, Status: 422,
				Wrong: "data.add:wrong_type data.tags:unknown_field",
			},
			{
				Rule: "tagging needs write", As: "admin:contact.read,contact.delete", Do: "POST /contacts/bulk",
				Body: `{"filters":[],"op":"tag","data":{"add":["vip"]}}`, Status: 403, Code: "insufficient_scope",
			},
			{
				Rule: "a deletion takes no data", Do: "POST /contacts/bulk", Body: `{"filters":[],"op":"delete","data":{}}`, Status: 422,
				Wrong: "data:not_allowed",
			},
			{
				Rule: "what is wrong for every record is told at once", Do: "POST /contacts/bulk",
				Body: `{"filters":[],"op":"update","data":{"email":"no address","nope":1}}`, Status: 422,
				Wrong: "data.email:invalid_format data.nope:unknown_field",
			},
			{
				Rule: "filters are those of a search", Do: "POST /contacts/bulk",
				Body: `{"filters":[{"field":"nope","operator":"eq","value":1}],"op":"delete"}`, Status: 422,
				Wrong: "filters[0].field:unknown_field",
			},
			{
				Rule: "nothing else of a search is taken", Do: "POST /contacts/bulk", Body: `{"filters":[],"op":"delete","limit":5}`,
				Status: 422, Wrong: "limit:unknown_field",
			},
			{
				Rule: "settings have no bulk operations", Do: "POST /pipelines/bulk", Body: `{"filters":[],"op":"delete"}`, Status: 405,
				Code: "method_not_allowed",
			},
			{
				Rule: "a bulk update needs write", As: "admin:contact.read,contact.delete", Do: "POST /contacts/bulk",
				Body: `{"filters":[],"op":"update","data":{"job_title":"x"}}`, Status: 403, Code: "insufficient_scope",
			},
			{
				Rule: "a bulk deletion needs delete", As: "admin:contact.read,contact.write", Do: "POST /contacts/bulk",
				Body: `{"filters":[],"op":"delete"}`, Status: 403, Code: "insufficient_scope",
			},
			{
				Rule: "a bulk operation needs read", As: "admin:contact.write", Do: "POST /contacts/bulk",
				Body: `{"filters":[],"op":"update","data":{"job_title":"x"}}`, Status: 403, Code: "insufficient_scope",
			},
			{
				Rule: "the dry run tells what would change", Do: "POST /contacts/bulk?dry_run=true",
				Body: `{"filters":[{"field":"external_id","operator":"in","values":["p00000","p00001"]}],"op":"update",` +
					`"data":{"job_title":"Captain"}}`,
				Status: 200, Head: []string{"Dry-Run: true"},
				Want: `{"total":2,"tried":2,"changed":2,"unchanged":0,"refused":0,"samples":[{"record_id":"$second",` +
					`"changes":{"job_title":{"from":null,"to":"Captain"}}},{"record_id":"$first"}],"refusals":[]}`,
			},
			{
				Rule: "the dry run tells what would be refused", Do: "POST /contacts/bulk?dry_run=true",
				Body: `{"filters":[{"field":"external_id","operator":"in","values":["p00000","p00001"]}],"op":"update",` +
					`"data":{"external_id":"p00001"}}`,
				Status: 200, Want: `{"total":2,"changed":0,"unchanged":1,"refused":1,"refusals":[{"n":2,"record_id":"$first",` +
					`"error":{"code":"conflict"}}]}`,
			},
			{Rule: "the dry run changes nothing", Do: "GET /contacts/$first", Status: 200, Want: `{"version":1,"job_title":null}`},
			{Rule: "the dry run begins no job", Do: "POST /jobs/search", Status: 200, Want: `{"data":[]}`},
		})
		job := begin(w, t, Step{
			Do: "POST /contacts/bulk",
			Body: `{"filters":[{"field":"tags","operator":"contains","value":"t3"}],"op":"update","data":{"tags":["t4"],` +
				`"job_title":"Captain"}}`,
		})
		w.Vars["job"] = job
		a := finished(w, t, "", job)
		want := map[string]any{
			"status": "succeeded", "total": "50", "done": "50", "failed": "0", "kind": "bulk",
			"request_id": "req_" + strings.TrimPrefix(job, "job_"), "parameters.op": "update", "parameters.resource": "contact",
		}
		for path, value := range want {
			if fmt.Sprint(At(a.JSON, path)) != value {
				t.Errorf("%s is %v, want %v", path, At(a.JSON, path), value)
			}
		}
		w.Run(t, []Step{
			{
				Rule: "what the job changed left the filter, and each was changed once", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"job_title","operator":"eq","value":"Captain"},{"field":"version","operator":"eq",` +
					`"value":2}],"limit":1,"total":true}`, Status: 200, Want: `{"meta":{"total":50}}`,
			},
			{
				Rule: "others stay as they are", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"version","operator":"eq","value":1}],"limit":1,"total":true}`, Status: 200,
				Want: `{"meta":{"total":200}}`,
			},
			{Rule: "a job that has ended is not cancelled", Do: "POST /jobs/$job/cancel", Status: 409, Code: "invalid_transition"},
			{Rule: "a job is its user's", As: "member", Do: "GET /jobs/$job", Status: 404, Code: "not_found"},
			{Rule: "a job is its business's", As: "stranger", Do: "GET /jobs/$job", Status: 404, Code: "not_found"},
			{
				Rule: "a token that can do less than the one that began it does not see it", As: "admin:contact.all", Do: "GET /jobs/$job",
				Status: 404, Code: "not_found",
			},
			{Rule: "jobs are listed", Do: "POST /jobs/search", Body: `{"limit":1}`, Status: 200, Want: `{"data":[{"id":"$job"}]}`},
			{Rule: "nothing was refused", Do: "POST /jobs/$job/refused/search", Status: 200, Want: `{"data":[],"meta":{"has_more":false}}`},
		})
		// Of those with one external id only the first can have it.
		job = begin(w, t, Step{
			Do: "POST /contacts/bulk",
			Body: `{"filters":[{"field":"external_id","operator":"in","values":["p00005","p00006","p00007"]}],"op":"update",` +
				`"data":{"external_id":"same"}}`,
		})
		w.Vars["job"] = job
		if a := finished(w, t, "", job); fmt.Sprintf("%v %v", At(a.JSON, "done"), At(a.JSON, "failed")) != "3 2" {
			t.Errorf("%s", a.Text)
		}
		w.Run(t, []Step{
			{
				Rule: "what was refused is told with the reason", Do: "POST /jobs/$job/refused/search", Body: `{"limit":1}`, Status: 200,
				Want: `{"data":[{"n":2,"record_id":"*","error":{"code":"conflict","status":409,"request_id":"*",` +
					`"errors":[{"field":"data.external_id","code":"not_unique"}]}}],"meta":{"has_more":true}}`,
			},
			{
				Rule: "more of it is behind the last", Do: "POST /jobs/$job/refused/search", Body: `{"after":2}`, Status: 200,
				Want: `{"data":[{"n":3}],"meta":{"has_more":false}}`,
			},
		})
		// Deleted, and restored from the bin.
		job = begin(w, t, Step{
			Do:   "POST /contacts/bulk",
			Body: `{"filters":[{"field":"tags","operator":"contains","value":"t1"}],"op":"delete"}`,
		})
		finished(w, t, "", job)
		w.Run(t, []Step{{
			Rule: "a bulk deletion fills the bin", Do: "POST /contacts/deleted/search", Body: `{"limit":1}`, Status: 200,
			Want: `{"meta":{"total":50}}`,
		}})
		job = begin(w, t, Step{
			Do:   "POST /contacts/bulk",
			Body: `{"filters":[{"field":"deleted_at","operator":"is_set"}],"search_text":"person","op":"restore"}`,
		})
		finished(w, t, "", job)
		w.Run(t, []Step{
			{
				Rule: "a bulk restoration empties it", Do: "POST /contacts/deleted/search", Body: `{"limit":1}`, Status: 200,
				Want: `{"meta":{"total":0}}`,
			},
			{
				Rule: "a job's changes are logged under its request", Do: "POST /contacts/$second/history/search", Body: `{"limit":1}`,
				Status: 200, Want: `{"data":[{"action":"restore","request_id":"req_` + strings.TrimPrefix(job, "job_") + `"}]}`,
			},
		})
	})
}

// Tags are put on and taken off whatever others a record has, and all of it is taken back at once.
func TestBulkTags(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Workers(t)
		many := make([]string, 100)
		for i := range many {
			many[i] = fmt.Sprintf("%q", fmt.Sprint("n", i))
		}
		for _, tags := range []string{`"hot","Été"`, `"cold"`, strings.Join(many, ",")} {
			w.Send(t, Step{Do: "POST /contacts", Body: `{"name":"Tagged","tags":[` + tags + `]}`})
		}
		body := `{"filters":[{"field":"name","operator":"eq","value":"tagged"}],"op":"tag","data":{"add":["VIP","Hot"],"remove":["ete",` +
			`"cold"]}}`
		w.Run(t, []Step{{
			Rule: "the dry run of tagging tells of each", Do: "POST /contacts/bulk?dry_run=true", Body: body, Status: 200,
			Want: `{"total":3,"tried":3,"changed":2,"unchanged":0,"refused":1}`,
		}})
		job := begin(w, t, Step{Do: "POST /contacts/bulk", Body: body})
		if a := finished(w, t, "", job); fmt.Sprintf("%v %v", At(a.JSON, "status"), At(a.JSON, "failed")) != "succeeded 1" {
			t.Errorf("the job: %s", a.Text)
		}
		found := func(tags string) string {
			return `{"filters":[{"field":"name","operator":"eq",` +
				`"value":"tagged"},{"field":"tags","operator":"contains","value":"` + tags + `"}],"fields":["tags"]}`
		}
		w.Run(t, []Step{
			{
				Rule: "tags that are there stay as they are written", Do: "POST /contacts/search", Body: found("hot"), Status: 200,
				Want: `{"data":[{"tags":["VIP","Hot"]},{"tags":["hot","VIP"]}]}`,
			},
			{
				Rule: "tagging is an update in the log", Do: "POST /changes/search",
				Body:   `{"after":0,"resources":["contact"],"limit":100}`,
				Status: 200, Want: `{"data":[{"action":"create"},{"action":"create"},{"action":"create"},{"action":"update"},` +
					`{"action":"update"}]}`,
			},
			{
				Rule: "tagging is taken back", Do: "POST /undo", Body: `{"job_id":"` + job + `"}`, Status: 200,
				Want: `{"meta":{"undone":2,"left":0}}`,
			},
			{
				Rule: "what was taken off is there again", Do: "POST /contacts/search", Body: found("cold"), Status: 200,
				Want: `{"data":[{"tags":["cold"]}]}`,
			},
		})
	})
}

// An action that needs nothing to be said of it needs no data, in bulk as in the single call: of every resource.
func TestBulkActionsNeedNoData(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		w.Workers(t)
		ids := w.OneOfEach(t)
		tried := 0
		for _, k := range record.Kinds() {
			if !k.Bulks() {
				continue
			}
			_, actions := k.BulkOperations()
			for _, action := range actions {
				single := w.Send(t, Step{Do: "POST /" + k.Plural + "/" + ids[k.Name] + "/" + action + "?dry_run=true"})
				body := `{"filters":[{"field":"id","operator":"eq","value":"` + ids[k.Name] + `"}],"op":"act","action":"` + action + `"}`
				bulk := w.Send(t, Step{Do: "POST /" + k.Plural + "/bulk?dry_run=true", Body: body})
				declared := k.Actions[slices.IndexFunc(k.Actions, func(a schema.Action) bool { return a.Name == action })]
				if slices.ContainsFunc(declared.Leaves, func(l *schema.Leaf) bool { return l.Required }) {
					if bulk.Status != 422 {
						t.Errorf("%s of %s, which needs data: %d %s", action, k.Plural, bulk.Status, bulk.Text)
					}
					continue
				}
				tried++
				if did := fmt.Sprint(At(bulk.JSON, "refused")) == "0"; bulk.Status != 200 || did != (single.Status < 300) {
					t.Errorf("%s of %s: alone %d %s, in bulk %d %s", action, k.Plural, single.Status, single.Text, bulk.Status, bulk.Text)
				}
			}
		}
		if tried < 8 {
			t.Errorf("only %d actions were tried", tried)
		}
		job := begin(w, t, Step{
			Do:   "POST /tasks/bulk",
			Body: `{"filters":[{"field":"id","operator":"eq","value":"` + ids["task"] + `"}],"op":"act","action":"complete"}`,
		})
		if a := finished(w, t, "", job); fmt.Sprintf("%v %v", At(a.JSON, "status"), At(a.JSON, "failed")) != "succeeded 0" {
			t.Errorf("the job: %s", a.Text)
		}
		w.Run(t, []Step{{Rule: "the task is completed", Do: "GET /tasks/" + ids["task"], Status: 200, Want: `{"status":"completed"}`}})
	})
}

// A role that reaches only its own records does not reach more by a job, and one that is taken away meanwhile ends it.
func TestBulkStaysWithinReach(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		crowd(w, t, "admin", 10)
		mine := w.Send(t, Step{As: "member", Do: "POST /contacts", Body: `{"name":"Mine"}`})
		job := begin(w, t, Step{As: "member", Do: "POST /contacts/bulk", Body: `{"filters":[],"op":"delete"}`})
		w.Workers(t)
		a := finished(w, t, "member", job)
		gone := w.Send(t, Step{Do: "GET /contacts/" + fmt.Sprint(At(mine.JSON, "id"))})
		left := w.Send(t, Step{Do: "POST /contacts/search", Body: `{}`})
		if gone.Status != http.StatusNotFound || fmt.Sprint(At(left.JSON, "meta.total")) != "10" {
			t.Errorf("%s; there are %v contacts left, and the member's own is %d", a.Text, At(left.JSON, "meta.total"), gone.Status)
		}
	})
}

// How jobs end is told by HTTP as it is; what else there is to it is tested beside the jobs.
func TestJobsEnd(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		crowd(w, t, "admin", 3)
		bulk := Step{Do: "POST /contacts/bulk", Body: `{"filters":[],"op":"update","data":{"job_title":"x"}}`}
		cancelled := begin(w, t, bulk)
		a := w.Send(t, Step{Do: "POST /jobs/" + cancelled + "/cancel"})
		if a.Status != http.StatusOK || At(a.JSON, "status") != "cancelled" || At(a.JSON, "finished_at") == nil {
			t.Errorf("%d %s", a.Status, a.Text)
		}
		if a := w.Send(t, Step{Do: "POST /jobs/" + cancelled + "/cancel"}); a.Status != http.StatusOK {
			t.Errorf("cancelled again: %d %s", a.Status, a.Text)
		}
		if a := w.Send(t, Step{Do: "POST /undo", Body: `{"job_id":"` + cancelled + `"}`}); a.Status != http.StatusNotFound {
			t.Errorf("a job that did nothing is undone: %d %s", a.Status, a.Text)
		}
		open := begin(w, t, bulk)
		if a := w.Send(t, Step{Do: "POST /undo", Body: `{"job_id":"` + open + `"}`}); a.Status != http.StatusConflict {
			t.Errorf("a job that has not ended is undone: %d %s", a.Status, a.Text)
		}
		for range work.MaxOpenJobs {
			a = w.Send(t, bulk)
		}
		if a.Status != http.StatusConflict {
			t.Errorf("one more than may be open: %d %s", a.Status, a.Text)
		}
		// Whoever began a job may not act any more before anybody comes to it.
		byUser := bulk
		byUser.As = "manager"
		if a := w.Send(t, Step{Do: "POST /jobs/" + open + "/cancel"}); a.Status != http.StatusOK {
			t.Fatalf("%d %s", a.Status, a.Text)
		}
		bySuspended := begin(w, t, byUser)
		if a := w.Send(t, Step{Do: "PATCH /users/$manager", Body: `{"status":"suspended"}`}); a.Status >= 300 {
			t.Fatalf("%d %s", a.Status, a.Text)
		}
		w.Workers(t)
		if a := finished(w, t, "", bySuspended); At(a.JSON, "status") != "failed" || At(a.JSON, "error.code") != "forbidden_by_role" ||
			fmt.Sprint(At(a.JSON, "done")) != "0" {
			t.Errorf("%s", a.Text)
		}
	})
}

// A bulk operation finds more records than one search gives by its job, before it changes any of them.
func TestBulkOfMoreThanOneSearchFinds(t *testing.T) {
	work.FindAtOnce(t, 100)
	OnBothEngines(t, func(t *testing.T, w *World) {
		crowd(w, t, "admin", 250)
		body := `{"filters":[{"field":"job_title","operator":"is_not_set"}],"op":"update","data":{"job_title":"Captain"}}`
		w.Run(t, []Step{{
			Rule: "the dry run counts all", Do: "POST /contacts/bulk?dry_run=true", Body: body, Status: 200,
			Want: `{"total":250,"tried":100,"changed":100}`,
		}})
		job := begin(w, t, Step{Do: "POST /contacts/bulk", Body: body})
		w.Check(t, Step{Do: "GET /jobs/" + job, Status: 200, Want: `{"total":250,"done":0}`})
		late := w.Create(t, "contacts", `{"name":"Late"}`, "late")
		cancelled := begin(w, t, Step{Do: "POST /contacts/bulk", Body: body})
		w.Check(t, Step{Do: "POST /jobs/" + cancelled + "/cancel", Status: 200, Want: `{"status":"cancelled","done":0}`})
		w.Workers(t)
		a := finished(w, t, "admin", job)
		for field, want := range map[string]any{"status": "succeeded", "total": "250", "done": "250", "failed": "0"} {
			if got := fmt.Sprint(At(a.JSON, field)); got != want {
				t.Errorf("%s is %s, want %v: %s", field, got, want, a.Text)
			}
		}
		titled := `{"limit":1,"total":true,"filters":[{"field":"job_title","operator":"eq","value":"Captain"}]}`
		w.Run(t, []Step{
			{Rule: "each was changed", Do: "POST /contacts/search", Body: titled, Status: 200, Want: `{"meta":{"total":250}}`},
			{
				Rule: "and who came after it was asked for was not", Do: "GET /contacts/" + late, Status: 200,
				Want: `{"job_title":null}`,
			},
		})
		w.Vars["job"] = job
		w.Run(t, []Step{
			{
				Rule: "one undo takes all back", Do: "POST /undo", Body: `{"job_id":"$job"}`, Status: 200,
				Want: `{"meta":{"undone":250,"left":0}}`,
			},
			{Rule: "all are as they were", Do: "POST /contacts/search", Body: titled, Status: 200, Want: `{"meta":{"total":0}}`},
			{
				Rule: "a deletion of as many", Do: "POST /contacts/bulk", Body: `{"filters":[],"search_text":"person","op":"delete"}`,
				Status: 202, Save: "job=id",
			},
		})
		finished(w, t, "admin", w.Vars["job"])
		w.Run(t, []Step{
			{Rule: "fills the bin", Do: "POST /contacts/deleted/search", Body: `{"limit":1}`, Status: 200, Want: `{"meta":{"total":250}}`},
			{
				Rule: "from which as many come back", Do: "POST /contacts/bulk", Body: `{"filters":[],"op":"restore"}`,
				Status: 202, Save: "job=id",
			},
		})
		finished(w, t, "admin", w.Vars["job"])
		w.Check(t, Step{Do: "POST /contacts/deleted/search", Body: `{"limit":1}`, Status: 200, Want: `{"meta":{"total":0}}`})
	})
}
