package httpapi_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/store"
)

// stages saves the stages of the default pipeline as s1 to s4, won and lost, and makes a second pipeline with t1, t2 and twon.
func stages(t *testing.T, w *world) {
	t.Helper()
	w.check(t, step{
		do: "POST /pipelines/search", status: 200,
		save: "sales=data.0.id s1=data.0.stages.0.id s2=data.0.stages.1.id s3=data.0.stages.2.id s4=data.0.stages.3.id " +
			"won=data.0.stages.4.id lost=data.0.stages.5.id",
	})
	w.create(t, "pipelines", `{"name":"Renewals","stages":[{"name":"Due","probability":40},{"name":"Asked","probability":80},`+
		`{"name":"Renewed","kind":"won"}]}`, "renewals t1=stages.0.id t2=stages.1.id twon=stages.2.id")
}

func TestDealsMoveThroughTheirPipeline(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		stages(t, w)
		w.run(t, []step{
			{
				rule: "a deal begins in the first open stage of the default pipeline", do: "POST /deals", body: `{"name":"Boat"}`,
				status: 201, want: `{"pipeline_id":"$sales","stage_id":"$s1","status":"open","probability":10}`,
				save: "deal first=stage_changed_at",
			},
			{
				rule: "change_stage moves within the pipeline and takes the stage's probability", do: "POST /deals/$deal/change_stage",
				body: `{"stage_id":"$s3"}`, status: 200,
				want: `{"stage_id":"$s3","probability":50,"status":"open","closed_at":null,"version":2}`, save: "second=stage_changed_at",
			},
			{
				rule: "changing to the same stage changes nothing", do: "POST /deals/$deal/change_stage", body: `{"stage_id":"$s3"}`,
				status: 200, want: `{"version":2,"stage_changed_at":"$second"}`,
			},
			{
				rule: "change_stage moves across pipelines", do: "POST /deals/$deal/change_stage", body: `{"stage_id":"$t2"}`, status: 200,
				want: `{"pipeline_id":"$renewals","stage_id":"$t2","probability":80}`,
			},
			{rule: "change_stage needs a stage", do: "POST /deals/$deal/change_stage", status: 422, wrong: "stage_id:required"},
			{
				rule: "null is no stage", do: "POST /deals/$deal/change_stage", body: `{"stage_id":null}`, status: 422,
				wrong: "stage_id:required",
			},
			{
				rule: "an unknown stage is 422 on stage_id alone", do: "POST /deals/$deal/change_stage",
				body: `{"stage_id":"stage_01h455vb4pex5vsknk084sn02q"}`, status: 422, wrong: "stage_id:not_found",
			},
			{
				rule: "an id that is no stage is 422", do: "POST /deals/$deal/change_stage", body: `{"stage_id":"$deal"}`, status: 422,
				wrong: "stage_id:invalid_id",
			},
			{
				rule: "an unknown key is 422", do: "POST /deals/$deal/change_stage", body: `{"stage_id":"$t1","why":"x"}`, status: 422,
				wrong: "why:unknown_field",
			},
			{
				rule: "win closes the deal in its pipeline's won stage", do: "POST /deals/$deal/win", status: 200,
				want: `{"status":"won","stage_id":"$twon","probability":100,"closed_at":"*","version":4}`, save: "closed=closed_at",
			},
			{
				rule: "winning a won deal changes nothing", do: "POST /deals/$deal/win", status: 200,
				want: `{"status":"won","closed_at":"$closed","version":4}`,
			},
			{
				rule: "a won deal cannot be lost: 409 with the moves there are", do: "POST /deals/$deal/lose", status: 409,
				code: "invalid_transition", want: `{"allowed":["reopen"]}`,
			},
			{
				rule: "a closed deal must be reopened before it changes stage", do: "POST /deals/$deal/change_stage",
				body: `{"stage_id":"$t1"}`, status: 409, code: "invalid_transition", want: `{"allowed":["reopen"]}`,
			},
			{
				rule: "that holds for a patch, too", do: "PATCH /deals/$deal", body: `{"stage_id":"$t1"}`, status: 409,
				code: "invalid_transition", want: `{"allowed":["reopen"]}`,
			},
			{
				rule: "and for a patch of the pipeline", do: "PATCH /deals/$deal", body: `{"pipeline_id":"$sales"}`, status: 409,
				code: "invalid_transition",
			},
			{
				rule: "other fields of a closed deal can change", do: "PATCH /deals/$deal",
				body: `{"description":"fine","stage_id":"$twon"}`, status: 200, want: `{"status":"won","description":"fine"}`,
			},
			{
				rule: "the status cannot be patched", do: "PATCH /deals/$deal", body: `{"status":"open"}`, status: 422,
				wrong: "status:read_only",
			},
			{
				rule: "reopen takes it back to the stage it was in", do: "POST /deals/$deal/reopen", status: 200,
				want: `{"status":"open","stage_id":"$t2","probability":80,"closed_at":null}`,
			},
			{rule: "reopening an open deal changes nothing", do: "POST /deals/$deal/reopen", status: 200, want: `{"version":6}`},
			{
				rule: "lose takes a reason", do: "POST /deals/$deal/lose", body: `{"lost_reason":"price"}`, status: 200,
				want: `{"status":"lost","lost_reason":"price","probability":0,"closed_at":"*"}`,
			},
			{
				rule: "losing a lost deal changes nothing, not even the reason", do: "POST /deals/$deal/lose",
				body: `{"lost_reason":"other"}`, status: 200, want: `{"lost_reason":"price","version":7}`,
			},
			{
				rule: "a lost deal cannot be won", do: "POST /deals/$deal/win", status: 409, code: "invalid_transition",
				want: `{"allowed":["reopen"]}`,
			},
			{
				rule: "reopening clears the reason", do: "POST /deals/$deal/reopen", status: 200,
				want: `{"status":"open","stage_id":"$t2","lost_reason":null}`,
			},
			{
				rule: "a reason that is too long is 422", do: "POST /deals/$deal/lose",
				body: `{"lost_reason":"` + strings.Repeat("x", 1001) + `"}`, status: 422, wrong: "lost_reason:too_long",
			},
			{
				rule: "a won stage closes the deal", do: "POST /deals/$deal/change_stage", body: `{"stage_id":"$won"}`, status: 200,
				want: `{"status":"won","pipeline_id":"$sales","closed_at":"*"}`,
			},
			{
				rule: "reopening stays in the pipeline the deal was closed in", do: "POST /deals/$deal/reopen", status: 200,
				want: `{"status":"open","pipeline_id":"$sales","stage_id":"$s1"}`,
			},
			{
				rule: "a patch can move the deal", do: "PATCH /deals/$deal", body: `{"stage_id":"$lost"}`, status: 200,
				want: `{"status":"lost","closed_at":"*"}`,
			},
			{
				rule: "a deal can be created won", do: "POST /deals", body: `{"name":"Old","stage_id":"$won"}`, status: 201,
				want: `{"status":"won","closed_at":"*","probability":100}`, save: "old",
			},
			{
				rule: "reopened, it begins at the first stage", do: "POST /deals/$old/reopen", status: 200,
				want: `{"stage_id":"$s1","status":"open"}`,
			},
			{
				rule: "a given probability counts", do: "POST /deals", body: `{"name":"p","stage_id":"$s2","probability":5}`, status: 201,
				want: `{"probability":5}`, save: "p",
			},
			{
				rule: "a pipeline alone means its first open stage", do: "PATCH /deals/$p", body: `{"pipeline_id":"$renewals"}`,
				status: 200,
				want:   `{"stage_id":"$t1","probability":40}`,
			},
			{
				rule: "stage and pipeline must belong together", do: "PATCH /deals/$p",
				body:   `{"pipeline_id":"$renewals","stage_id":"$s2"}`,
				status: 422, wrong: "stage_id:not_allowed",
			},
			{
				rule: "together they can move", do: "PATCH /deals/$p", body: `{"pipeline_id":"$sales","stage_id":"$s2"}`, status: 200,
				want: `{"pipeline_id":"$sales","stage_id":"$s2"}`,
			},
			{
				rule: "an unknown pipeline is 422", do: "POST /deals",
				body: `{"name":"x","pipeline_id":"pipeline_01h455vb4pex5vsknk084sn02q"}`, status: 422, wrong: "pipeline_id:not_found",
			},
			{
				rule: "a wrong stage and a wrong line are reported together", do: "POST /deals",
				body: `{"name":"x","stage_id":"stage_01h455vb4pex5vsknk084sn02q",` +
					`"line_items":[{"product_id":"product_01h455vb4pex5vsknk084sn02q"}]}`, status: 422,
				wrong: "stage_id:not_found line_items[0].product_id:not_found",
			},
		})
		if w.vars["first"] == w.vars["second"] {
			t.Error("stage_changed_at did not move with the stage")
		}
	})
}

// The stage history of a deal is what the change log says of it.
func TestTheChangeLogKeepsStages(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		stages(t, w)
		w.create(t, "deals", `{"name":"Boat"}`, "deal")
		start := changes(t, w.tenant)
		ids := map[string]bool{}
		for _, s := range []step{
			{do: "POST /deals/$deal/change_stage", body: `{"stage_id":"$s2"}`, status: 200},
			{do: "POST /deals/$deal/change_stage", body: `{"stage_id":"$s2"}`, status: 200}, // changes nothing, so it is not logged
			{do: "POST /deals/$deal/win", status: 200},
			{do: "POST /deals/$deal/reopen", status: 200},
			{do: "PATCH /deals/$deal", body: `{"stage_id":"$t1"}`, status: 200},
			{do: "DELETE /deals/$deal", status: 204},
			{do: "POST /deals/$deal/restore", status: 200},
		} {
			ids[w.check(t, s).header.Get("X-Request-Id")] = true
		}
		var got []string
		version, seq := int64(1), start
		err := w.tenant.Changes(context.Background(), start, func(c store.Change) error {
			seq++
			version++
			if c.Seq != seq || c.Version != version || !ids[c.Actor.RequestID] || c.Actor.User != w.users["admin"] || c.Resource != "deal" {
				t.Errorf("the entry is %+v; seq should be %d, version %d", c, seq, version)
			}
			var fields map[string]struct{ From, To any }
			if err := json.Unmarshal([]byte(c.Changes), &fields); err != nil {
				t.Errorf("%v: %s", err, c.Changes)
			}
			line := c.Action
			if stage, ok := fields["stage_id"]; ok {
				line += " " + w.nameOf(stage.From) + ">" + w.nameOf(stage.To)
			}
			got = append(got, line)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		want := "change_stage s1>s2, win s2>won, reopen won>s2, update s2>t1, delete, restore"
		if strings.Join(got, ", ") != want {
			t.Errorf("the log says %v, want %s", got, want)
		}
	})
}

// nameOf finds the name under which a value was saved.
func (w *world) nameOf(value any) string {
	for name, saved := range w.vars {
		if saved == value {
			return name
		}
	}
	return "?"
}

func TestTasksAndNotes(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "tasks", `{"title":"Call","assignee_id":"$member"}`, "task")
		w.create(t, "tasks", `{"title":"Done","status":"completed"}`, "done")
		w.create(t, "notes", `{"body":"Hello"}`, "note")
		w.run(t, []step{
			{
				rule: "a task created completed is stamped", do: "GET /tasks/$done", status: 200,
				want: `{"completed_at":"*","completed_by":"$admin"}`,
			},
			{
				rule: "complete stamps time and person", as: "member", do: "POST /tasks/$task/complete", status: 200,
				want: `{"status":"completed","completed_at":"*","completed_by":"$member","version":2}`, save: "at=completed_at",
			},
			{
				rule: "completing twice changes nothing", do: "POST /tasks/$task/complete", status: 200,
				want: `{"completed_at":"$at","completed_by":"$member","version":2}`,
			},
			{
				rule: "a completed task cannot be started: 409 with the moves there are", do: "PATCH /tasks/$task",
				body: `{"status":"in_progress"}`, status: 409, code: "invalid_transition", want: `{"allowed":["reopen"]}`,
			},
			{
				rule: "a completed task cannot be cancelled", do: "PATCH /tasks/$task", body: `{"status":"cancelled"}`, status: 409,
				code: "invalid_transition",
			},
			{
				rule: "reopen clears the stamps", do: "POST /tasks/$task/reopen", status: 200,
				want: `{"status":"open","completed_at":null,"completed_by":null,"version":3}`,
			},
			{rule: "reopening an open task changes nothing", do: "POST /tasks/$task/reopen", status: 200, want: `{"version":3}`},
			{rule: "a task can be started by patch", do: "PATCH /tasks/$task", body: `{"status":"in_progress"}`, status: 200},
			{
				rule: "reopening a started task changes nothing", do: "POST /tasks/$task/reopen", status: 200,
				want: `{"status":"in_progress","version":4}`,
			},
			{
				rule: "a started task can be completed by patch, stamped the same", do: "PATCH /tasks/$task",
				body:   `{"status":"completed"}`,
				status: 200, want: `{"completed_at":"*","completed_by":"$admin"}`,
			},
			{
				rule: "a completed task can be reopened by patch", do: "PATCH /tasks/$task", body: `{"status":"open"}`, status: 200,
				want: `{"completed_at":null}`,
			},
			{rule: "a task can be cancelled by patch", do: "PATCH /tasks/$task", body: `{"status":"cancelled"}`, status: 200},
			{
				rule: "a cancelled task cannot be completed", do: "POST /tasks/$task/complete", status: 409, code: "invalid_transition",
				want: `{"allowed":["reopen"]}`,
			},
			{rule: "a cancelled task can be reopened", do: "POST /tasks/$task/reopen", status: 200, want: `{"status":"open"}`},
			{
				rule: "an unknown status is 422 and lists the known ones", do: "PATCH /tasks/$task", body: `{"status":"lost"}`, status: 422,
				want: `{"errors":[{"field":"status","code":"not_allowed","allowed":["open","in_progress","completed","cancelled"]}]}`,
			},
			{
				rule: "pin stamps time and person", as: "manager", do: "POST /notes/$note/pin", status: 200,
				want: `{"pinned":true,"pinned_at":"*","pinned_by":"$manager","version":2}`, save: "at=pinned_at",
			},
			{
				rule: "pinning twice changes nothing", do: "POST /notes/$note/pin", status: 200,
				want: `{"pinned_at":"$at","pinned_by":"$manager","version":2}`,
			},
			{
				rule: "unpin clears the stamps", do: "POST /notes/$note/unpin", status: 200,
				want: `{"pinned":false,"pinned_at":null,"pinned_by":null,"version":3}`,
			},
			{rule: "unpinning twice changes nothing", do: "POST /notes/$note/unpin", status: 200, want: `{"version":3}`},
			{
				rule: "a patch pins, too", do: "PATCH /notes/$note", body: `{"pinned":true}`, status: 200,
				want: `{"pinned_at":"*","pinned_by":"$admin"}`,
			},
			{
				rule: "null unpins", do: "PATCH /notes/$note", body: `{"pinned":null}`, status: 200,
				want: `{"pinned":false,"pinned_at":null}`,
			},
			{rule: "a note needs a body or a title", do: "POST /notes", body: `{}`, status: 422, wrong: "body:required"},
			{rule: "pinning an unknown note is 404", do: "POST /notes/note_01h455vb4pex5vsknk084sn02q/pin", status: 404},
		})
	})
}

func TestQuotesAndTheirStates(t *testing.T) {
	today := time.Now().UTC()
	if rest := today.Truncate(24*time.Hour).AddDate(0, 0, 1).Sub(today); rest < time.Minute {
		time.Sleep(rest) // the day must not end in the middle of the test
		today = time.Now().UTC()
	}
	yesterday, tomorrow := today.AddDate(0, 0, -1).Format(time.DateOnly), today.AddDate(0, 0, 1).Format(time.DateOnly)
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "products", `{"name":"Oar","price":"10"}`, "oar")
		w.create(t, "contacts", `{"name":"Buyer"}`, "buyer")
		w.create(t, "quotes", `{"title":"Offer","contact_id":"$buyer","valid_until":"`+tomorrow+`","line_items":[{"product_id":"$oar"}],`+
			`"external_id":"q"}`, "quote")
		w.run(t, []step{
			{
				rule: "a draft cannot be accepted: 409 with the moves there are", do: "POST /quotes/$quote/accept", status: 409,
				code: "invalid_transition", want: `{"allowed":["send"]}`,
			},
			{rule: "a draft cannot be declined", do: "POST /quotes/$quote/decline", status: 409, code: "invalid_transition"},
			{
				rule: "a draft cannot be revised", do: "POST /quotes/$quote/revise", status: 409, code: "invalid_transition",
				want: `{"allowed":["send"]}`,
			},
			{
				rule: "the status cannot be patched", do: "PATCH /quotes/$quote", body: `{"status":"sent","total":"1","number":7}`,
				status: 422, wrong: "status:read_only total:read_only number:read_only",
			},
			{
				rule: "send stamps the time", do: "POST /quotes/$quote/send", status: 200,
				want: `{"status":"sent","sent_at":"*","version":2}`, save: "sent=sent_at",
			},
			{
				rule: "sending a sent quote changes nothing", do: "POST /quotes/$quote/send", status: 200,
				want: `{"sent_at":"$sent","version":2}`,
			},
			{
				rule: "a sent quote is frozen: 409 with the moves there are", do: "PATCH /quotes/$quote", body: `{"title":"New"}`,
				status: 409, code: "invalid_transition", want: `{"allowed":["accept","decline","revise"]}`,
			},
			{rule: "its lines are frozen", do: "PATCH /quotes/$quote", body: `{"line_items":[]}`, status: 409, code: "invalid_transition"},
			{
				rule: "a patch that changes nothing is fine", do: "PATCH /quotes/$quote", body: `{"title":"Offer"}`, status: 200,
				want: `{"version":2}`,
			},
			{
				rule: "who keeps the quote can change", do: "PATCH /quotes/$quote", body: `{"owner_id":"$member","tags":["big"]}`,
				status: 200, want: `{"owner_id":"$member","status":"sent","total":"10.00"}`,
			},
			{rule: "a sent quote can be deleted and restored", do: "DELETE /quotes/$quote", status: 204},
			{rule: "it comes back sent", do: "POST /quotes/$quote/restore", status: 200, want: `{"status":"sent"}`},
			{
				rule: "accept stamps the time", do: "POST /quotes/$quote/accept", status: 200,
				want: `{"status":"accepted","accepted_at":"*"}`, save: "accepted=accepted_at",
			},
			{rule: "accepting again changes nothing", do: "POST /quotes/$quote/accept", status: 200, want: `{"accepted_at":"$accepted"}`},
			{
				rule: "an accepted quote cannot be declined", do: "POST /quotes/$quote/decline", status: 409, code: "invalid_transition",
				want: `{"allowed":["revise"]}`,
			},
			{rule: "an accepted quote cannot be sent again", do: "POST /quotes/$quote/send", status: 409, code: "invalid_transition"},
			{
				rule: "revise copies the quote into a new draft: 201 with Location", do: "POST /quotes/$quote/revise", status: 201,
				head: []string{"Location: /v1/quotes/quote_*"}, save: "draft",
				want: `{"status":"draft","number":2,"title":"Offer","version":1,"sent_at":null,"accepted_at":null,"external_id":null,` +
					`"owner_id":"$admin","tags":["big"],"total":"10.00","line_items":[{"product_id":"$oar","unit_price":"10.00"}]}`,
			},
			{rule: "the revised quote stays as it was", do: "GET /quotes/$quote", status: 200, want: `{"status":"accepted","number":1}`},
			{rule: "the draft is really there", do: "GET /quotes/$draft", status: 200, want: `{"status":"draft","number":2}`},
			{rule: "the draft can change", do: "PATCH /quotes/$draft", body: `{"title":"Offer 2"}`, status: 200},
			{rule: "the draft is sent", do: "POST /quotes/$draft/send", status: 200},
			{
				rule: "decline takes a reason", do: "POST /quotes/$draft/decline", body: `{"declined_reason":"too dear"}`, status: 200,
				want: `{"status":"declined","declined_reason":"too dear","declined_at":"*"}`,
			},
			{
				rule: "declining again changes nothing", do: "POST /quotes/$draft/decline", body: `{"declined_reason":"other"}`,
				status: 200,
				want:   `{"declined_reason":"too dear"}`,
			},
			{
				rule: "a declined quote cannot be accepted", do: "POST /quotes/$draft/accept", status: 409, code: "invalid_transition",
				want: `{"allowed":["revise"]}`,
			},
			{
				rule: "a declined quote can be revised, its reason left behind", do: "POST /quotes/$draft/revise", status: 201,
				want: `{"status":"draft","number":3,"declined_reason":null,"declined_at":null}`,
			},

			{
				rule: "a quote of today", do: "POST /quotes",
				body: `{"title":"today","contact_id":"$buyer",` +
					`"line_items":[{"name":"x","unit_price":1}],"valid_until":"` + today.Format(time.DateOnly) + `"}`, status: 201,
				save: "today",
			},
			{rule: "valid_until is the last valid day", do: "POST /quotes/$today/send", status: 200, want: `{"status":"sent"}`},
			{
				rule: "a quote of yesterday", do: "POST /quotes",
				body: `{"title":"late","contact_id":"$buyer",` +
					`"line_items":[{"name":"x","unit_price":1}],"valid_until":"` + yesterday + `"}`, status: 201,
				want: `{"status":"draft"}`, save: "late",
			},
			{
				rule: "a sent quote whose day has passed is expired", do: "POST /quotes/$late/send", status: 200,
				want: `{"status":"expired","sent_at":"*"}`,
			},
			{rule: "it reads as expired", do: "GET /quotes/$late", status: 200, want: `{"status":"expired"}`},
			{
				rule: "search finds it as expired", do: "POST /quotes/search",
				body: `{"filters":[{"field":"status","operator":"eq","value":"expired"}],"fields":["title","status"]}`, status: 200,
				want: `{"data":[{"title":"late","status":"expired"}],"meta":{"total":1}}`,
			},
			{
				rule: "search does not find it as sent", do: "POST /quotes/search",
				body: `{"filters":[{"field":"status","operator":"eq","value":"sent"}],"fields":["title"]}`, status: 200,
				want: `{"data":[{"title":"today"}]}`,
			},
			{
				rule: "nor in a set with sent", do: "POST /quotes/search",
				body: `{"filters":[{"field":"status","operator":"in","values":["sent","accepted"]}],"order_by":"number",` +
					`"sort_direction":"asc","fields":["title"]}`, status: 200, want: `{"data":[{"title":"Offer"},{"title":"today"}]}`,
			},
			{
				rule: "neq sent includes it", do: "POST /quotes/search",
				body:   `{"filters":[{"field":"status","operator":"neq","value":"sent"},{"field":"title","operator":"eq","value":"late"}]}`,
				status: 200, want: `{"data":[{"title":"late"}]}`,
			},
			{
				rule: "an expired quote cannot be accepted", do: "POST /quotes/$late/accept", status: 409, code: "invalid_transition",
				want: `{"allowed":["revise"]}`,
			},
			{rule: "an expired quote cannot be sent", do: "POST /quotes/$late/send", status: 409, code: "invalid_transition"},
			{
				rule: "an expired quote is frozen", do: "PATCH /quotes/$late", body: `{"valid_until":"` + tomorrow + `"}`, status: 409,
				code: "invalid_transition",
			},
			{
				rule: "an expired quote can be tagged and stays expired", do: "PATCH /quotes/$late", body: `{"tags":["x"]}`, status: 200,
				want: `{"status":"expired","tags":["x"]}`,
			},
			{
				rule: "a revised expired quote loses its day", do: "POST /quotes/$late/revise", status: 201,
				want: `{"status":"draft","valid_until":null,"title":"late"}`,
			},
		})
	})
}

func TestActivitiesMoveLastContacted(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "companies", `{"name":"Lund AB"}`, "lund")
		w.create(t, "companies", `{"name":"Other"}`, "other")
		w.create(t, "contacts", `{"name":"Anna","company_id":"$lund"}`, "anna")
		w.run(t, []step{
			{
				rule: "an activity happens now when nothing else is said", do: "POST /activities",
				body: `{"activity_type":"call","contact_id":"$anna"}`, status: 201, save: "call at=occurred_at",
			},
			{
				rule: "it moves the contact's last_contacted_at", do: "GET /contacts/$anna", status: 200,
				want: `{"last_contacted_at":"$at","version":2}`,
			},
			{
				rule: "and that of the contact's company", do: "GET /companies/$lund", status: 200,
				want: `{"last_contacted_at":"$at","version":2}`,
			},
			{
				rule: "an older activity", do: "POST /activities",
				body: `{"activity_type":"email","contact_id":"$anna","company_id":"$other","occurred_at":"2020-01-01"}`, status: 201,
			},
			{rule: "moves nothing back", do: "GET /contacts/$anna", status: 200, want: `{"last_contacted_at":"$at","version":2}`},
			{
				rule: "but moves a company that was never contacted", do: "GET /companies/$other", status: 200,
				want: `{"last_contacted_at":"2020-01-01T00:00:00.000000Z"}`,
			},
			{
				rule: "an activity to come", do: "POST /activities",
				body: `{"activity_type":"meeting","contact_id":"$anna","occurred_at":"2999-01-01"}`, status: 201,
			},
			{rule: "does not count yet", do: "GET /contacts/$anna", status: 200, want: `{"last_contacted_at":"$at"}`},
			{
				rule: "an activity moved to a later time counts", do: "POST /activities",
				body: `{"activity_type":"call","company_id":"$other","occurred_at":"2021-01-01"}`, status: 201, save: "moved",
			},
			{rule: "moved on by a patch", do: "PATCH /activities/$moved", body: `{"occurred_at":"2022-01-01T10:00:00Z"}`, status: 200},
			{
				rule: "the company follows", do: "GET /companies/$other", status: 200,
				want: `{"last_contacted_at":"2022-01-01T10:00:00.000000Z"}`,
			},
			{rule: "deleting an activity moves nothing", do: "DELETE /activities/$moved", status: 204},
			{
				rule: "the company stays", do: "GET /companies/$other", status: 200,
				want: `{"last_contacted_at":"2022-01-01T10:00:00.000000Z"}`,
			},
		})
	})
}

func TestQuotesTakeCustomerAndCurrencyFromTheirDeal(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "contacts", `{"name":"Buyer"}`, "buyer")
		w.create(t, "contacts", `{"name":"Other"}`, "other")
		w.create(t, "contacts", `{"name":"Gone"}`, "gone")
		w.create(t, "companies", `{"name":"Yard"}`, "yard")
		w.create(t, "deals", `{"name":"Boat","contact_id":"$buyer","company_id":"$yard","currency":"SEK"}`, "deal")
		w.create(t, "deals", `{"name":"Lost track","contact_id":"$gone","company_id":"$yard"}`, "stale")
		w.create(t, "quotes", `{"title":"Free"}`, "free")
		w.run(t, []step{
			{rule: "a contact is deleted", do: "DELETE /contacts/$gone", status: 204},
			{
				rule: "all three are taken", do: "POST /quotes", body: `{"title":"q","deal_id":"$deal"}`, status: 201,
				want: `{"contact_id":"$buyer","company_id":"$yard","currency":"SEK"}`,
			},
			{
				rule: "what is given comes first", do: "POST /quotes",
				body: `{"title":"q","deal_id":"$deal","contact_id":"$other","currency":"EUR"}`, status: 201,
				want: `{"contact_id":"$other","company_id":"$yard","currency":"EUR"}`,
			},
			{
				rule: "null is given, too", do: "POST /quotes", body: `{"title":"q","deal_id":"$deal","contact_id":null}`, status: 201,
				want: `{"contact_id":null,"company_id":"$yard"}`,
			},
			{
				rule: "what was deleted is not taken", do: "POST /quotes", body: `{"title":"q","deal_id":"$stale"}`, status: 201,
				want: `{"contact_id":null,"company_id":"$yard"}`,
			},
			{
				rule: "a draft takes them when it gets its deal, but for the currency that it has", do: "PATCH /quotes/$free",
				body: `{"deal_id":"$deal"}`, status: 200, want: `{"contact_id":"$buyer","company_id":"$yard","currency":"EUR"}`,
			},
			{
				rule: "and may be without again", do: "PATCH /quotes/$free", body: `{"company_id":null}`, status: 200,
				want: `{"contact_id":"$buyer","company_id":null}`,
			},
			{
				rule: "who may not read deals takes nothing", as: "admin:quote.all", do: "POST /quotes",
				body: `{"title":"q","deal_id":"$deal","currency":"EUR","external_id":"blind"}`, status: 201,
			},
			{
				rule: "nothing was taken", do: "POST /quotes/search",
				body: `{"filters":[{"field":"external_id","operator":"eq","value":"blind"}]}`, status: 200,
				want: `{"data":[{"contact_id":null,"company_id":null,"deal_id":"$deal"}]}`,
			},
		})
	})
}

func TestSendingAQuoteNeedsALineAndACustomer(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "companies", `{"name":"Yard"}`, "yard")
		w.create(t, "quotes", `{"title":"Empty"}`, "quote")
		w.run(t, []step{
			{
				rule: "all that is missing is named", do: "POST /quotes/$quote/send", status: 422,
				wrong: "line_items:required contact_id:required company_id:required",
			},
			{rule: "nothing was sent", do: "GET /quotes/$quote", status: 200, want: `{"status":"draft","sent_at":null,"version":1}`},
			{rule: "a line", do: "PATCH /quotes/$quote", body: `{"line_items":[{"name":"x","unit_price":1}]}`, status: 200},
			{
				rule: "a customer is still missing", do: "POST /quotes/$quote/send", status: 422,
				wrong: "contact_id:required company_id:required",
			},
			{rule: "a company will do", do: "PATCH /quotes/$quote", body: `{"company_id":"$yard","line_items":[]}`, status: 200},
			{rule: "but the line is missing again", do: "POST /quotes/$quote/send", status: 422, wrong: "line_items:required"},
			{rule: "with both", do: "PATCH /quotes/$quote", body: `{"line_items":[{"name":"x","unit_price":1}]}`, status: 200},
			{rule: "it is sent", do: "POST /quotes/$quote/send", status: 200, want: `{"status":"sent","sent_at":"*"}`},
		})
	})
}
