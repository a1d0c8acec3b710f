package crm_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/store"

	. "github.com/kith-crm/kith/internal/apitest"
)

func TestDealsMoveThroughTheirPipeline(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		Stages(t, w)
		w.Run(t, []Step{
			{
				Rule: "a business keeps reasons of loss", Do: "POST /loss_reasons", Body: `{"name":"No answer"}`, Status: 201,
				Want: `{"name":"No answer","position":6,"active":true}`, Save: "reason",
			},
			{
				Rule: "a deal begins in the first open stage of the default pipeline", Do: "POST /deals", Body: `{"name":"Boat"}`,
				Status: 201, Want: `{"pipeline_id":"$sales","stage_id":"$s1","status":"open","probability":10}`,
				Save: "deal first=stage_changed_at",
			},
			{
				Rule: "change_stage moves within the pipeline and takes the stage's probability", Do: "POST /deals/$deal/change_stage",
				Body: `{"stage_id":"$s3"}`, Status: 200,
				Want: `{"stage_id":"$s3","probability":50,"status":"open","closed_at":null,"version":2}`, Save: "second=stage_changed_at",
			},
			{
				Rule: "changing to the same stage changes nothing", Do: "POST /deals/$deal/change_stage", Body: `{"stage_id":"$s3"}`,
				Status: 200, Want: `{"version":2,"stage_changed_at":"$second"}`,
			},
			{
				Rule: "change_stage moves across pipelines", Do: "POST /deals/$deal/change_stage", Body: `{"stage_id":"$t2"}`, Status: 200,
				Want: `{"pipeline_id":"$renewals","stage_id":"$t2","probability":80}`,
			},
			{Rule: "change_stage needs a stage", Do: "POST /deals/$deal/change_stage", Status: 422, Wrong: "stage_id:required"},
			{
				Rule: "null is no stage", Do: "POST /deals/$deal/change_stage", Body: `{"stage_id":null}`, Status: 422,
				Wrong: "stage_id:required",
			},
			{
				Rule: "an unknown stage is 422 on stage_id alone", Do: "POST /deals/$deal/change_stage",
				Body: `{"stage_id":"stage_01h455vb4pex5vsknk084sn02q"}`, Status: 422, Wrong: "stage_id:not_found",
			},
			{
				Rule: "an id that is no stage is 422", Do: "POST /deals/$deal/change_stage", Body: `{"stage_id":"$deal"}`, Status: 422,
				Wrong: "stage_id:invalid_id",
			},
			{
				Rule: "an unknown key is 422", Do: "POST /deals/$deal/change_stage", Body: `{"stage_id":"$t1","why":"x"}`, Status: 422,
				Wrong: "why:unknown_field",
			},
			{
				Rule: "win closes the deal in its pipeline's won stage", Do: "POST /deals/$deal/win", Status: 200,
				Want: `{"status":"won","stage_id":"$twon","probability":100,"closed_at":"*","version":4}`, Save: "closed=closed_at",
			},
			{
				Rule: "winning a won deal changes nothing", Do: "POST /deals/$deal/win", Status: 200,
				Want: `{"status":"won","closed_at":"$closed","version":4}`,
			},
			{
				Rule: "a won deal cannot be lost: 409 with the moves there are", Do: "POST /deals/$deal/lose", Status: 409,
				Code: "invalid_transition", Want: `{"allowed":["reopen"]}`,
			},
			{
				Rule: "a closed deal must be reopened before it changes stage", Do: "POST /deals/$deal/change_stage",
				Body: `{"stage_id":"$t1"}`, Status: 409, Code: "invalid_transition", Want: `{"allowed":["reopen"]}`,
			},
			{
				Rule: "that holds for a patch, too", Do: "PATCH /deals/$deal", Body: `{"stage_id":"$t1"}`, Status: 409,
				Code: "invalid_transition", Want: `{"allowed":["reopen"]}`,
			},
			{
				Rule: "and for a patch of the pipeline", Do: "PATCH /deals/$deal", Body: `{"pipeline_id":"$sales"}`, Status: 409,
				Code: "invalid_transition",
			},
			{
				Rule: "other fields of a closed deal can change", Do: "PATCH /deals/$deal",
				Body: `{"description":"fine","stage_id":"$twon"}`, Status: 200, Want: `{"status":"won","description":"fine"}`,
			},
			{
				Rule: "the status cannot be patched", Do: "PATCH /deals/$deal", Body: `{"status":"open"}`, Status: 422,
				Wrong: "status:read_only",
			},
			{
				Rule: "reopen takes it back to the stage it was in", Do: "POST /deals/$deal/reopen", Status: 200,
				Want: `{"status":"open","stage_id":"$t2","probability":80,"closed_at":null}`,
			},
			{Rule: "reopening an open deal changes nothing", Do: "POST /deals/$deal/reopen", Status: 200, Want: `{"version":6}`},
			{
				Rule: "lose takes one of the business's reasons, and words", Do: "POST /deals/$deal/lose",
				Body: `{"loss_reason_id":"$reason","lost_reason":"price"}`, Status: 200,
				Want: `{"status":"lost","loss_reason_id":"$reason","lost_reason":"price","probability":0,"closed_at":"*"}`,
			},
			{
				Rule: "losing a lost deal changes nothing, not even the reason", Do: "POST /deals/$deal/lose",
				Body: `{"lost_reason":"other"}`, Status: 200,
				Want: `{"loss_reason_id":"$reason","lost_reason":"price","version":7}`,
			},
			{Rule: "a reason that deals have stays", Do: "DELETE /loss_reasons/$reason", Status: 409, Code: "conflict"},
			{
				Rule: "it can be withdrawn from choice", Do: "PATCH /loss_reasons/$reason", Body: `{"active":false}`, Status: 200,
				Want: `{"active":false}`,
			},
			{
				Rule: "a lost deal cannot be won", Do: "POST /deals/$deal/win", Status: 409, Code: "invalid_transition",
				Want: `{"allowed":["reopen"]}`,
			},
			{
				Rule: "reopening clears the reason", Do: "POST /deals/$deal/reopen", Status: 200,
				Want: `{"status":"open","stage_id":"$t2","loss_reason_id":null,"lost_reason":null}`,
			},
			{
				Rule: "a reason that the business does not have is 422", Do: "POST /deals/$deal/lose",
				Body: `{"loss_reason_id":"loss_reason_01kh4xv1qcf0mvq8gk8d8mvxd9"}`, Status: 422, Wrong: "loss_reason_id:not_found",
			},
			{
				Rule: "a reason that is too long is 422", Do: "POST /deals/$deal/lose",
				Body: `{"lost_reason":"` + strings.Repeat("x", 1001) + `"}`, Status: 422, Wrong: "lost_reason:too_long",
			},
			{
				Rule: "a won stage closes the deal", Do: "POST /deals/$deal/change_stage", Body: `{"stage_id":"$won"}`, Status: 200,
				Want: `{"status":"won","pipeline_id":"$sales","closed_at":"*"}`,
			},
			{
				Rule: "reopening stays in the pipeline the deal was closed in", Do: "POST /deals/$deal/reopen", Status: 200,
				Want: `{"status":"open","pipeline_id":"$sales","stage_id":"$s1"}`,
			},
			{
				Rule: "a patch can move the deal", Do: "PATCH /deals/$deal", Body: `{"stage_id":"$lost"}`, Status: 200,
				Want: `{"status":"lost","closed_at":"*"}`,
			},
			{
				Rule: "a deal can be created won", Do: "POST /deals", Body: `{"name":"Old","stage_id":"$won"}`, Status: 201,
				Want: `{"status":"won","closed_at":"*","probability":100}`, Save: "old",
			},
			{
				Rule: "reopened, it begins at the first stage", Do: "POST /deals/$old/reopen", Status: 200,
				Want: `{"stage_id":"$s1","status":"open"}`,
			},
			{
				Rule: "a given probability counts", Do: "POST /deals", Body: `{"name":"p","stage_id":"$s2","probability":5}`, Status: 201,
				Want: `{"probability":5}`, Save: "p",
			},
			{
				Rule: "a pipeline alone means its first open stage", Do: "PATCH /deals/$p", Body: `{"pipeline_id":"$renewals"}`,
				Status: 200,
				Want:   `{"stage_id":"$t1","probability":40}`,
			},
			{
				Rule: "stage and pipeline must belong together", Do: "PATCH /deals/$p",
				Body:   `{"pipeline_id":"$renewals","stage_id":"$s2"}`,
				Status: 422, Wrong: "stage_id:not_allowed",
			},
			{
				Rule: "together they can move", Do: "PATCH /deals/$p", Body: `{"pipeline_id":"$sales","stage_id":"$s2"}`, Status: 200,
				Want: `{"pipeline_id":"$sales","stage_id":"$s2"}`,
			},
			{
				Rule: "an unknown pipeline is 422", Do: "POST /deals",
				Body: `{"name":"x","pipeline_id":"pipeline_01h455vb4pex5vsknk084sn02q"}`, Status: 422, Wrong: "pipeline_id:not_found",
			},
			{
				Rule: "a wrong stage and a wrong line are reported together", Do: "POST /deals",
				Body: `{"name":"x","stage_id":"stage_01h455vb4pex5vsknk084sn02q",` +
					`"line_items":[{"product_id":"product_01h455vb4pex5vsknk084sn02q"}]}`, Status: 422,
				Wrong: "stage_id:not_found line_items[0].product_id:not_found",
			},
		})
		if w.Vars["first"] == w.Vars["second"] {
			t.Error("stage_changed_at did not move with the stage")
		}
	})
}

// A deal knows how long it was in the stages that it left; what is taken back was never there.
func TestDealsKnowTheirPastStages(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		Stages(t, w)
		w.Run(t, []Step{
			{
				Rule: "a new deal has none", Do: "POST /deals", Body: `{"name":"Boat"}`, Status: 201, Want: `{"past_stages":[]}`,
				Save: "deal first=stage_changed_at",
			},
			{
				Rule: "the stage that it leaves is noted", Do: "POST /deals/$deal/change_stage", Body: `{"stage_id":"$s2"}`, Status: 200,
				Want: `{"past_stages":[{"stage_id":"$s1","entered_at":"$first","left_at":"*"}]}`, Save: "second=stage_changed_at",
			},
			{
				Rule: "what leaves the stage as it is notes nothing", Do: "PATCH /deals/$deal", Body: `{"name":"Ship"}`, Status: 200,
				Want: `{"past_stages":[{"stage_id":"$s1","entered_at":"$first","left_at":"$second"}]}`,
			},
			{
				Rule: "closing and reopening are stages, too", Do: "POST /deals/$deal/win", Status: 200, Save: "third=stage_changed_at",
				Want: `{"past_stages":[{"stage_id":"$s1"},{"stage_id":"$s2","entered_at":"$second","left_at":"*"}]}`,
			},
			{
				Rule: "each stay is one of its own", Do: "POST /deals/$deal/reopen", Status: 200,
				Want: `{"past_stages":[{"stage_id":"$s1"},{"stage_id":"$s2"},{"entered_at":"$third"}]}`,
			},
			{
				Rule: "nobody writes them", Do: "PATCH /deals/$deal", Body: `{"past_stages":[]}`, Status: 422,
				Wrong: "past_stages:read_only",
			},
			{Rule: "a deal comes back with them", Do: "DELETE /deals/$deal", Status: 204},
			{
				Rule: "a deal comes back with them", Do: "POST /deals/$deal/restore", Status: 200,
				Want: `{"past_stages":[{"stage_id":"$s1"},{"stage_id":"$s2"},{"entered_at":"$third"}]}`,
			},
		})
		for i := range 60 {
			w.Check(t, Step{Do: "POST /deals/$deal/change_stage", Body: `{"stage_id":"$s` + string('1'+rune(i%2)) + `"}`, Status: 200})
		}
		answer := w.Check(t, Step{Do: "GET /deals/$deal", Status: 200})
		var deal struct {
			PastStages []any `json:"past_stages"`
		}
		if err := json.Unmarshal([]byte(answer.Text), &deal); err != nil || len(deal.PastStages) != 50 {
			t.Errorf("a deal remembers %d past stages, want the last 50 (%v)", len(deal.PastStages), err)
		}
	})
}

// The stage history of a deal is what the change log says of it.
func TestTheChangeLogKeepsStages(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		Stages(t, w)
		w.Create(t, "deals", `{"name":"Boat"}`, "deal")
		start := Changes(t, w.Tenant)
		ids := map[string]bool{}
		for _, s := range []Step{
			{Do: "POST /deals/$deal/change_stage", Body: `{"stage_id":"$s2"}`, Status: 200},
			{Do: "POST /deals/$deal/change_stage", Body: `{"stage_id":"$s2"}`, Status: 200}, // changes nothing, so it is not logged
			{Do: "POST /deals/$deal/win", Status: 200},
			{Do: "POST /deals/$deal/reopen", Status: 200},
			{Do: "PATCH /deals/$deal", Body: `{"stage_id":"$t1"}`, Status: 200},
			{Do: "DELETE /deals/$deal", Status: 204},
			{Do: "POST /deals/$deal/restore", Status: 200},
		} {
			ids[w.Check(t, s).Header.Get("X-Request-Id")] = true
		}
		var got []string
		version, seq := int64(1), start
		err := w.Tenant.Changes(context.Background(), start, func(c store.Change) error {
			seq++
			version++
			if c.Seq != seq || c.Version != version || !ids[c.Actor.RequestID] || c.Actor.User != w.Users["admin"] || c.Resource != "deal" {
				t.Errorf("the entry is %+v; seq should be %d, version %d", c, seq, version)
			}
			var fields map[string]struct{ From, To any }
			if err := json.Unmarshal([]byte(c.Changes), &fields); err != nil {
				t.Errorf("%v: %s", err, c.Changes)
			}
			line := c.Action
			if stage, ok := fields["stage_id"]; ok {
				line += " " + nameOf(w, stage.From) + ">" + nameOf(w, stage.To)
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
func nameOf(w *World, value any) string {
	for name, saved := range w.Vars {
		if saved == value {
			return name
		}
	}
	return "?"
}

func TestTasksAndNotes(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "tasks", `{"title":"Call","assignee_id":"$member"}`, "task")
		w.Create(t, "tasks", `{"title":"Done","status":"completed"}`, "done")
		w.Create(t, "notes", `{"body":"Hello"}`, "note")
		w.Run(t, []Step{
			{
				Rule: "a task created completed is stamped", Do: "GET /tasks/$done", Status: 200,
				Want: `{"completed_at":"*","completed_by":"$admin"}`,
			},
			{
				Rule: "complete stamps time and person", As: "member", Do: "POST /tasks/$task/complete", Status: 200,
				Want: `{"status":"completed","completed_at":"*","completed_by":"$member","version":2}`, Save: "at=completed_at",
			},
			{
				Rule: "completing twice changes nothing", Do: "POST /tasks/$task/complete", Status: 200,
				Want: `{"completed_at":"$at","completed_by":"$member","version":2}`,
			},
			{
				Rule: "a completed task cannot be started: 409 with the moves there are", Do: "PATCH /tasks/$task",
				Body: `{"status":"in_progress"}`, Status: 409, Code: "invalid_transition", Want: `{"allowed":["reopen"]}`,
			},
			{
				Rule: "a completed task cannot be cancelled", Do: "PATCH /tasks/$task", Body: `{"status":"cancelled"}`, Status: 409,
				Code: "invalid_transition",
			},
			{
				Rule: "reopen clears the stamps", Do: "POST /tasks/$task/reopen", Status: 200,
				Want: `{"status":"open","completed_at":null,"completed_by":null,"version":3}`,
			},
			{Rule: "reopening an open task changes nothing", Do: "POST /tasks/$task/reopen", Status: 200, Want: `{"version":3}`},
			{Rule: "a task can be started by patch", Do: "PATCH /tasks/$task", Body: `{"status":"in_progress"}`, Status: 200},
			{
				Rule: "reopening a started task changes nothing", Do: "POST /tasks/$task/reopen", Status: 200,
				Want: `{"status":"in_progress","version":4}`,
			},
			{
				Rule: "a started task can be completed by patch, stamped the same", Do: "PATCH /tasks/$task",
				Body:   `{"status":"completed"}`,
				Status: 200, Want: `{"completed_at":"*","completed_by":"$admin"}`,
			},
			{
				Rule: "a completed task can be reopened by patch", Do: "PATCH /tasks/$task", Body: `{"status":"open"}`, Status: 200,
				Want: `{"completed_at":null}`,
			},
			{Rule: "a task can be cancelled by patch", Do: "PATCH /tasks/$task", Body: `{"status":"cancelled"}`, Status: 200},
			{
				Rule: "a cancelled task cannot be completed", Do: "POST /tasks/$task/complete", Status: 409, Code: "invalid_transition",
				Want: `{"allowed":["reopen"]}`,
			},
			{Rule: "a cancelled task can be reopened", Do: "POST /tasks/$task/reopen", Status: 200, Want: `{"status":"open"}`},
			{
				Rule: "an unknown status is 422 and lists the known ones", Do: "PATCH /tasks/$task", Body: `{"status":"lost"}`, Status: 422,
				Want: `{"errors":[{"field":"status","code":"not_allowed","allowed":["open","in_progress","completed","cancelled"]}]}`,
			},
			{
				Rule: "pin stamps time and person", As: "manager", Do: "POST /notes/$note/pin", Status: 200,
				Want: `{"pinned":true,"pinned_at":"*","pinned_by":"$manager","version":2}`, Save: "at=pinned_at",
			},
			{
				Rule: "pinning twice changes nothing", Do: "POST /notes/$note/pin", Status: 200,
				Want: `{"pinned_at":"$at","pinned_by":"$manager","version":2}`,
			},
			{
				Rule: "unpin clears the stamps", Do: "POST /notes/$note/unpin", Status: 200,
				Want: `{"pinned":false,"pinned_at":null,"pinned_by":null,"version":3}`,
			},
			{Rule: "unpinning twice changes nothing", Do: "POST /notes/$note/unpin", Status: 200, Want: `{"version":3}`},
			{
				Rule: "a patch pins, too", Do: "PATCH /notes/$note", Body: `{"pinned":true}`, Status: 200,
				Want: `{"pinned_at":"*","pinned_by":"$admin"}`,
			},
			{
				Rule: "null unpins", Do: "PATCH /notes/$note", Body: `{"pinned":null}`, Status: 200,
				Want: `{"pinned":false,"pinned_at":null}`,
			},
			{Rule: "a note needs a body or a title", Do: "POST /notes", Body: `{}`, Status: 422, Wrong: "body:required"},
			{Rule: "pinning an unknown note is 404", Do: "POST /notes/note_01h455vb4pex5vsknk084sn02q/pin", Status: 404},
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
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "products", `{"name":"Oar","price":"10"}`, "oar")
		w.Create(t, "contacts", `{"name":"Buyer"}`, "buyer")
		w.Create(t, "quotes", `{"title":"Offer","contact_id":"$buyer","valid_until":"`+tomorrow+`","line_items":[{"product_id":"$oar"}],`+
			`"external_id":"q"}`, "quote")
		w.Run(t, []Step{
			{
				Rule: "a draft cannot be accepted: 409 with the moves there are", Do: "POST /quotes/$quote/accept", Status: 409,
				Code: "invalid_transition", Want: `{"allowed":["send"]}`,
			},
			{Rule: "a draft cannot be declined", Do: "POST /quotes/$quote/decline", Status: 409, Code: "invalid_transition"},
			{
				Rule: "a draft cannot be revised", Do: "POST /quotes/$quote/revise", Status: 409, Code: "invalid_transition",
				Want: `{"allowed":["send"]}`,
			},
			{
				Rule: "the status cannot be patched", Do: "PATCH /quotes/$quote", Body: `{"status":"sent","total":"1","number":7}`,
				Status: 422, Wrong: "status:read_only total:read_only number:read_only",
			},
			{
				Rule: "send stamps the time", Do: "POST /quotes/$quote/send", Status: 200,
				Want: `{"status":"sent","sent_at":"*","version":2}`, Save: "sent=sent_at",
			},
			{
				Rule: "sending a sent quote changes nothing", Do: "POST /quotes/$quote/send", Status: 200,
				Want: `{"sent_at":"$sent","version":2}`,
			},
			{
				Rule: "a sent quote is frozen: 409 with the moves there are", Do: "PATCH /quotes/$quote", Body: `{"title":"New"}`,
				Status: 409, Code: "invalid_transition", Want: `{"allowed":["accept","decline","revise"]}`,
			},
			{Rule: "its lines are frozen", Do: "PATCH /quotes/$quote", Body: `{"line_items":[]}`, Status: 409, Code: "invalid_transition"},
			{
				Rule: "a patch that changes nothing is fine", Do: "PATCH /quotes/$quote", Body: `{"title":"Offer"}`, Status: 200,
				Want: `{"version":2}`,
			},
			{
				Rule: "who keeps the quote can change", Do: "PATCH /quotes/$quote", Body: `{"owner_id":"$member","tags":["big"]}`,
				Status: 200, Want: `{"owner_id":"$member","status":"sent","total":"10.00"}`,
			},
			{Rule: "a sent quote can be deleted and restored", Do: "DELETE /quotes/$quote", Status: 204},
			{Rule: "it comes back sent", Do: "POST /quotes/$quote/restore", Status: 200, Want: `{"status":"sent"}`},
			{
				Rule: "accept stamps the time", Do: "POST /quotes/$quote/accept", Status: 200,
				Want: `{"status":"accepted","accepted_at":"*"}`, Save: "accepted=accepted_at",
			},
			{Rule: "accepting again changes nothing", Do: "POST /quotes/$quote/accept", Status: 200, Want: `{"accepted_at":"$accepted"}`},
			{
				Rule: "an accepted quote cannot be declined", Do: "POST /quotes/$quote/decline", Status: 409, Code: "invalid_transition",
				Want: `{"allowed":["revise"]}`,
			},
			{Rule: "an accepted quote cannot be sent again", Do: "POST /quotes/$quote/send", Status: 409, Code: "invalid_transition"},
			{
				Rule: "revise copies the quote into a new draft: 201 with Location", Do: "POST /quotes/$quote/revise", Status: 201,
				Head: []string{"Location: /v1/quotes/quote_*"}, Save: "draft",
				Want: `{"status":"draft","number":2,"title":"Offer","version":1,"sent_at":null,"accepted_at":null,"external_id":null,` +
					`"owner_id":"$admin","tags":["big"],"total":"10.00","line_items":[{"product_id":"$oar","unit_price":"10.00"}]}`,
			},
			{Rule: "the revised quote stays as it was", Do: "GET /quotes/$quote", Status: 200, Want: `{"status":"accepted","number":1}`},
			{Rule: "the draft is really there", Do: "GET /quotes/$draft", Status: 200, Want: `{"status":"draft","number":2}`},
			{Rule: "the draft can change", Do: "PATCH /quotes/$draft", Body: `{"title":"Offer 2"}`, Status: 200},
			{Rule: "the draft is sent", Do: "POST /quotes/$draft/send", Status: 200},
			{
				Rule: "decline takes a reason", Do: "POST /quotes/$draft/decline", Body: `{"declined_reason":"too dear"}`, Status: 200,
				Want: `{"status":"declined","declined_reason":"too dear","declined_at":"*"}`,
			},
			{
				Rule: "declining again changes nothing", Do: "POST /quotes/$draft/decline", Body: `{"declined_reason":"other"}`,
				Status: 200,
				Want:   `{"declined_reason":"too dear"}`,
			},
			{
				Rule: "a declined quote cannot be accepted", Do: "POST /quotes/$draft/accept", Status: 409, Code: "invalid_transition",
				Want: `{"allowed":["revise"]}`,
			},
			{
				Rule: "a declined quote can be revised, its reason left behind", Do: "POST /quotes/$draft/revise", Status: 201,
				Want: `{"status":"draft","number":3,"declined_reason":null,"declined_at":null}`,
			},

			{
				Rule: "a quote of today", Do: "POST /quotes",
				Body: `{"title":"today","contact_id":"$buyer",` +
					`"line_items":[{"name":"x","unit_price":1}],"valid_until":"` + today.Format(time.DateOnly) + `"}`, Status: 201,
				Save: "today",
			},
			{Rule: "valid_until is the last valid day", Do: "POST /quotes/$today/send", Status: 200, Want: `{"status":"sent"}`},
			{
				Rule: "a quote of yesterday", Do: "POST /quotes",
				Body: `{"title":"late","contact_id":"$buyer",` +
					`"line_items":[{"name":"x","unit_price":1}],"valid_until":"` + yesterday + `"}`, Status: 201,
				Want: `{"status":"draft"}`, Save: "late",
			},
			{
				Rule: "a sent quote whose day has passed is expired", Do: "POST /quotes/$late/send", Status: 200,
				Want: `{"status":"expired","sent_at":"*"}`,
			},
			{Rule: "it reads as expired", Do: "GET /quotes/$late", Status: 200, Want: `{"status":"expired"}`},
			{
				Rule: "search finds it as expired", Do: "POST /quotes/search",
				Body: `{"filters":[{"field":"status","operator":"eq","value":"expired"}],"fields":["title","status"]}`, Status: 200,
				Want: `{"data":[{"title":"late","status":"expired"}],"meta":{"total":1}}`,
			},
			{
				Rule: "search does not find it as sent", Do: "POST /quotes/search",
				Body: `{"filters":[{"field":"status","operator":"eq","value":"sent"}],"fields":["title"]}`, Status: 200,
				Want: `{"data":[{"title":"today"}]}`,
			},
			{
				Rule: "nor in a set with sent", Do: "POST /quotes/search",
				Body: `{"filters":[{"field":"status","operator":"in","values":["sent","accepted"]}],"order_by":"number",` +
					`"sort_direction":"asc","fields":["title"]}`, Status: 200, Want: `{"data":[{"title":"Offer"},{"title":"today"}]}`,
			},
			{
				Rule: "neq sent includes it", Do: "POST /quotes/search",
				Body:   `{"filters":[{"field":"status","operator":"neq","value":"sent"},{"field":"title","operator":"eq","value":"late"}]}`,
				Status: 200, Want: `{"data":[{"title":"late"}]}`,
			},
			{
				Rule: "an expired quote cannot be accepted", Do: "POST /quotes/$late/accept", Status: 409, Code: "invalid_transition",
				Want: `{"allowed":["revise"]}`,
			},
			{Rule: "an expired quote cannot be sent", Do: "POST /quotes/$late/send", Status: 409, Code: "invalid_transition"},
			{
				Rule: "an expired quote is frozen", Do: "PATCH /quotes/$late", Body: `{"valid_until":"` + tomorrow + `"}`, Status: 409,
				Code: "invalid_transition",
			},
			{
				Rule: "an expired quote can be tagged and stays expired", Do: "PATCH /quotes/$late", Body: `{"tags":["x"]}`, Status: 200,
				Want: `{"status":"expired","tags":["x"]}`,
			},
			{
				Rule: "a revised expired quote loses its day", Do: "POST /quotes/$late/revise", Status: 201,
				Want: `{"status":"draft","valid_until":null,"title":"late"}`,
			},
		})
	})
}

func TestActivitiesMoveLastContacted(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "companies", `{"name":"Lund AB"}`, "lund")
		w.Create(t, "companies", `{"name":"Other"}`, "other")
		w.Create(t, "contacts", `{"name":"Anna","company_id":"$lund"}`, "anna")
		w.Run(t, []Step{
			{
				Rule: "an activity happens now when nothing else is said", Do: "POST /activities",
				Body: `{"activity_type":"call","contact_id":"$anna"}`, Status: 201, Save: "call at=occurred_at",
			},
			{
				Rule: "it moves the contact's last_contacted_at", Do: "GET /contacts/$anna", Status: 200,
				Want: `{"last_contacted_at":"$at","version":2}`,
			},
			{
				Rule: "and that of the contact's company", Do: "GET /companies/$lund", Status: 200,
				Want: `{"last_contacted_at":"$at","version":2}`,
			},
			{
				Rule: "an older activity", Do: "POST /activities",
				Body: `{"activity_type":"email","contact_id":"$anna","company_id":"$other","occurred_at":"2020-01-01"}`, Status: 201,
			},
			{Rule: "moves nothing back", Do: "GET /contacts/$anna", Status: 200, Want: `{"last_contacted_at":"$at","version":2}`},
			{
				Rule: "but moves a company that was never contacted", Do: "GET /companies/$other", Status: 200,
				Want: `{"last_contacted_at":"2020-01-01T00:00:00.000000Z"}`,
			},
			{
				Rule: "an activity to come", Do: "POST /activities",
				Body: `{"activity_type":"meeting","contact_id":"$anna","occurred_at":"2999-01-01"}`, Status: 201,
			},
			{Rule: "does not count yet", Do: "GET /contacts/$anna", Status: 200, Want: `{"last_contacted_at":"$at"}`},
			{
				Rule: "an activity moved to a later time counts", Do: "POST /activities",
				Body: `{"activity_type":"call","company_id":"$other","occurred_at":"2021-01-01"}`, Status: 201, Save: "moved",
			},
			{Rule: "moved on by a patch", Do: "PATCH /activities/$moved", Body: `{"occurred_at":"2022-01-01T10:00:00Z"}`, Status: 200},
			{
				Rule: "the company follows", Do: "GET /companies/$other", Status: 200,
				Want: `{"last_contacted_at":"2022-01-01T10:00:00.000000Z"}`,
			},
			{Rule: "deleting an activity moves nothing", Do: "DELETE /activities/$moved", Status: 204},
			{
				Rule: "the company stays", Do: "GET /companies/$other", Status: 200,
				Want: `{"last_contacted_at":"2022-01-01T10:00:00.000000Z"}`,
			},
		})
	})
}

func TestQuotesTakeCustomerAndCurrencyFromTheirDeal(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "contacts", `{"name":"Buyer"}`, "buyer")
		w.Create(t, "contacts", `{"name":"Other"}`, "other")
		w.Create(t, "contacts", `{"name":"Gone"}`, "gone")
		w.Create(t, "companies", `{"name":"Yard"}`, "yard")
		w.Create(t, "deals", `{"name":"Boat","contact_id":"$buyer","company_id":"$yard","currency":"SEK"}`, "deal")
		w.Create(t, "deals", `{"name":"Lost track","contact_id":"$gone","company_id":"$yard"}`, "stale")
		w.Create(t, "quotes", `{"title":"Free"}`, "free")
		w.Run(t, []Step{
			{Rule: "a contact is deleted", Do: "DELETE /contacts/$gone", Status: 204},
			{
				Rule: "all three are taken", Do: "POST /quotes", Body: `{"title":"q","deal_id":"$deal"}`, Status: 201,
				Want: `{"contact_id":"$buyer","company_id":"$yard","currency":"SEK"}`,
			},
			{
				Rule: "what is given comes first", Do: "POST /quotes",
				Body: `{"title":"q","deal_id":"$deal","contact_id":"$other","currency":"EUR"}`, Status: 201,
				Want: `{"contact_id":"$other","company_id":"$yard","currency":"EUR"}`,
			},
			{
				Rule: "null is given, too", Do: "POST /quotes", Body: `{"title":"q","deal_id":"$deal","contact_id":null}`, Status: 201,
				Want: `{"contact_id":null,"company_id":"$yard"}`,
			},
			{
				Rule: "what was deleted is not taken", Do: "POST /quotes", Body: `{"title":"q","deal_id":"$stale"}`, Status: 201,
				Want: `{"contact_id":null,"company_id":"$yard"}`,
			},
			{
				Rule: "a draft takes them when it gets its deal, but for the currency that it has", Do: "PATCH /quotes/$free",
				Body: `{"deal_id":"$deal"}`, Status: 200, Want: `{"contact_id":"$buyer","company_id":"$yard","currency":"EUR"}`,
			},
			{
				Rule: "and may be without again", Do: "PATCH /quotes/$free", Body: `{"company_id":null}`, Status: 200,
				Want: `{"contact_id":"$buyer","company_id":null}`,
			},
			{
				Rule: "who may not read deals takes nothing", As: "admin:quote.all", Do: "POST /quotes",
				Body: `{"title":"q","deal_id":"$deal","currency":"EUR","external_id":"blind"}`, Status: 201,
			},
			{
				Rule: "nothing was taken", Do: "POST /quotes/search",
				Body: `{"filters":[{"field":"external_id","operator":"eq","value":"blind"}]}`, Status: 200,
				Want: `{"data":[{"contact_id":null,"company_id":null,"deal_id":"$deal"}]}`,
			},
		})
	})
}

func TestSendingAQuoteNeedsALineAndACustomer(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "companies", `{"name":"Yard"}`, "yard")
		w.Create(t, "quotes", `{"title":"Empty"}`, "quote")
		w.Run(t, []Step{
			{
				Rule: "all that is missing is named", Do: "POST /quotes/$quote/send", Status: 422,
				Wrong: "line_items:required contact_id:required company_id:required",
			},
			{Rule: "nothing was sent", Do: "GET /quotes/$quote", Status: 200, Want: `{"status":"draft","sent_at":null,"version":1}`},
			{Rule: "a line", Do: "PATCH /quotes/$quote", Body: `{"line_items":[{"name":"x","unit_price":1}]}`, Status: 200},
			{
				Rule: "a customer is still missing", Do: "POST /quotes/$quote/send", Status: 422,
				Wrong: "contact_id:required company_id:required",
			},
			{Rule: "a company will do", Do: "PATCH /quotes/$quote", Body: `{"company_id":"$yard","line_items":[]}`, Status: 200},
			{Rule: "but the line is missing again", Do: "POST /quotes/$quote/send", Status: 422, Wrong: "line_items:required"},
			{Rule: "with both", Do: "PATCH /quotes/$quote", Body: `{"line_items":[{"name":"x","unit_price":1}]}`, Status: 200},
			{Rule: "it is sent", Do: "POST /quotes/$quote/send", Status: 200, Want: `{"status":"sent","sent_at":"*"}`},
		})
	})
}
