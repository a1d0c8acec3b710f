package work_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/work"

	. "github.com/kith-crm/kith/internal/apitest"
)

const erased = `{"reason":"Asked for it by letter"}`

func TestWhatGoesWithARecordIsErasedWithIt(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "contacts", `{"name":"Anna"}`, "anna")
		w.Create(t, "contacts", `{"name":"Ben"}`, "ben")
		w.Create(t, "notes", `{"body":"See, @[$member]","contact_id":"$anna"}`, "note")
		w.Run(t, []Step{
			{Rule: "some follow", As: "member", Do: "POST /follows", Body: `{"about_id":"$anna"}`, Status: 201},
			{Rule: "others, too", As: "member", Do: "POST /follows", Body: `{"about_id":"$ben"}`, Status: 201},
			{Rule: "or did", As: "manager", Do: "POST /follows", Body: `{"about_id":"$anna"}`, Status: 201, Save: "did"},
			{Rule: "until then", As: "manager", Do: "DELETE /follows/$did", Status: 204},
			{
				Rule: "some are reminded", As: "member", Do: "POST /notifications",
				Body: `{"about_id":"$note","text":"Ask Anna","snoozed_until":"2999-01-01T00:00:00Z"}`, Status: 201, Save: "ask",
			},
			{
				Rule: "or were", As: "member", Do: "POST /notifications",
				Body: `{"about_id":"$note","text":"Anna!","snoozed_until":"2999-01-01T00:00:00Z"}`, Status: 201, Save: "was",
			},
			{Rule: "of what they deleted", As: "member", Do: "DELETE /notifications/$was", Status: 204},
			{Rule: "the record goes", Do: "POST /contacts/$anna/erase", Body: erased, Status: 204},
		})
		w.WorkOff(t)
		w.Run(t, []Step{
			{
				Rule: "and what followed it", As: "member", Do: "POST /follows/search", Status: 200,
				Want: `{"data":[{"about_id":"$ben"}],"meta":{"total":1}}`,
			},
			{Rule: "also in the bin", As: "manager", Do: "POST /follows/deleted/search", Status: 200, Want: `{"meta":{"total":0}}`},
			{
				Rule: "and what tells of the notes that went with it", As: "member", Do: "POST /notifications/search", Status: 200,
				Want: `{"data":[],"meta":{"total":0}}`,
			},
			{Rule: "in the bin, too", As: "member", Do: "POST /notifications/deleted/search", Status: 200, Want: `{"meta":{"total":0}}`},
		})
	})
}

func TestErase(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "fields", `{"resource":"deal","name":"adviser_id","label":"Adviser","kind":"reference","target":"contact"}`, "")
		w.Create(t, "roles", `{"name":"Own","permissions":{"contact":{"read":"all","write":"own","delete":"own"}},"features":["erase"]}`,
			"own_role")
		w.Users["own"] = w.Users["member"]
		w.Ask(t, Step{Do: "PATCH /users/$member", Body: `{"role_id":"$own_role"}`})
		w.Create(t, "companies", `{"name":"Harbour"}`, "company")
		w.Run(t, []Step{
			{
				Rule: "a creation under a key", Do: "POST /contacts", Send: []string{"Idempotency-Key: made"},
				Body: `{"name":"Anna","email":"anna@home.example","external_id":"anna"}`, Status: 201, Save: "anna",
			},
			{
				Rule: "a batch under a key", Do: "POST /contacts/batch", Send: []string{"Idempotency-Key: both"},
				Body: `{"operations":[{"op":"update","id":"$anna","data":{"job_title":"Boss"}},{"op":"create","data":{"name":"Ben",` +
					`"external_id":"ben"}}]}`, Status: 200, Save: "ben=data.1.record.id",
			},
		})
		w.Create(t, "deals", `{"name":"Cranes","contact_id":"$anna","custom_fields":{"adviser_id":"$anna"}}`, "deal")
		w.Create(t, "quotes", `{"title":"Cranes","contact_id":"$anna","line_items":[{"name":"Crane","unit_price":"10.00"}]}`, "quote")
		w.Ask(t, Step{Do: "POST /quotes/$quote/send"})
		w.Create(t, "notes", `{"body":"Anna alone","contact_id":"$anna"}`, "alone")
		w.Create(t, "notes", `{"body":"With the company","contact_id":"$anna","company_id":"$company"}`, "shared")
		w.Create(t, "notes", `{"body":"Linked with a deal","contact_id":"$anna"}`, "linked")
		w.Create(t, "associations", `{"from_id":"$linked","to_id":"$deal"}`, "other_link")
		w.Create(t, "tasks", `{"title":"Linked with Anna alone"}`, "task")
		w.Create(t, "associations", `{"from_id":"$task","to_id":"$anna","label":"for Anna"}`, "link")
		w.Create(t, "activities", `{"activity_type":"call","subject":"Anna called","contact_id":"$anna"}`, "binned")
		w.Ask(t, Step{Do: "DELETE /activities/$binned"})
		all := `"contact","deal","quote","note","task","activity","association"`
		w.Run(t, []Step{
			{
				Rule: "it needs the feature permission", As: "manager", Do: "POST /contacts/$anna/erase", Body: erased,
				Status: 403, Code: "forbidden_by_role",
				Want: `{"detail":"The role manager lacks the feature permission erase, which erasing needs."}`,
			},
			{
				Rule: "and the scope of a deletion", As: "admin:contact.write,contact.read", Do: "POST /contacts/$anna/erase", Body: erased,
				Status: 403, Code: "insufficient_scope",
			},
			{Rule: "and the reach", As: "member", Do: "POST /contacts/$anna/erase", Body: erased, Status: 403, Code: "forbidden_by_role"},
			{Rule: "nobody erases in another business", As: "stranger", Do: "POST /contacts/$anna/erase", Body: erased, Status: 404},
			{Rule: "a reason is required", Do: "POST /contacts/$anna/erase", Body: `{}`, Status: 422, Wrong: "reason:required"},
			{Rule: "also without a body", Do: "POST /contacts/$anna/erase", Status: 422, Wrong: "reason:required"},
			{
				Rule: "it must be a text that says something", Do: "POST /contacts/$anna/erase", Body: `{"reason":" "}`, Status: 422,
				Wrong: "reason:required",
			},
			{Rule: "no number", Do: "POST /contacts/$anna/erase", Body: `{"reason":1}`, Status: 422, Wrong: "reason:wrong_type"},
			{
				Rule: "not a novel", Do: "POST /contacts/$anna/erase", Body: `{"reason":"` + strings.Repeat("x", 1001) + `"}`, Status: 422,
				Wrong: "reason:too_long",
			},
			{
				Rule: "and nothing else is", Do: "POST /contacts/$anna/erase", Body: `{"reason":"x","force":true}`, Status: 422,
				Wrong: "force:unknown_field",
			},
			{
				Rule: "an unknown version is refused", Do: "POST /contacts/$anna/erase", Send: []string{`If-Match: "9"`}, Body: erased,
				Status: 412,
			},
			{Rule: "deals are nobody", Do: "POST /deals/$deal/erase", Body: erased, Status: 404},
			{
				Rule: "a dry run answers as the real one", Do: "POST /contacts/$anna/erase?dry_run=true", Body: erased, Status: 204,
				Head: []string{"Dry-Run: true"},
			},
			{Rule: "and leaves everything", Do: "GET /notes/$alone", Status: 200, Want: `{"contact_id":"$anna"}`},
			{
				Rule: "a contact is erased", Do: "POST /contacts/$anna/erase", Send: []string{"Idempotency-Key: erase", `If-Match: "3"`},
				Body: erased, Status: 204,
			},
		})
		w.WorkOff(t)
		w.Run(t, []Step{
			{Rule: "it is not there any more", Do: "GET /contacts/$anna", Status: 404},
			{
				Rule: "nor in the bin", Do: "POST /contacts/deleted/search", Body: `{"total":true}`, Status: 200,
				Want: `{"data":[],"meta":{"total":0}}`,
			},
			{
				Rule: "and is not counted", Do: "POST /contacts/search", Body: `{"total":true}`, Status: 200, Found: Found("ben"),
				Want: `{"meta":{"total":1}}`,
			},
			{Rule: "it cannot be erased twice", Do: "POST /contacts/$anna/erase", Body: erased, Status: 404},
			{
				Rule: "the same request is answered as before", Do: "POST /contacts/$anna/erase",
				Send: []string{"Idempotency-Key: erase", `If-Match: "3"`}, Body: erased, Status: 204,
				Head: []string{"Idempotent-Replayed: true"},
			},
			{Rule: "nor restored", Do: "POST /contacts/$anna/restore", Status: 404},
			{Rule: "nor changed", Do: "PATCH /contacts/$anna", Body: `{"name":"Anna"}`, Status: 404},
			{Rule: "it has no history", Do: "POST /contacts/$anna/history/search", Status: 404},
			{Rule: "and no timeline", Do: "POST /contacts/$anna/timeline/search", Status: 404},
			{
				Rule: "nobody can refer to it", Do: "POST /notes", Body: `{"body":"x","contact_id":"$anna"}`, Status: 422,
				Wrong: "contact_id:not_found",
			},
			{Rule: "what is about it alone went with it", Do: "GET /notes/$alone", Status: 404},
			{Rule: "also by an association", Do: "GET /tasks/$task", Status: 404},
			{Rule: "also out of the bin", Do: "POST /activities/$binned/restore", Status: 404},
			{Rule: "the association itself, too", Do: "GET /associations/$link", Status: 404},
			{
				Rule: "what is about others, too, stays without it", Do: "GET /notes/$shared", Status: 200,
				Want: `{"contact_id":null,"company_id":"$company","version":2,"updated_by":"$admin"}`,
			},
			{Rule: "also what is associated with others", Do: "GET /notes/$linked", Status: 200, Want: `{"contact_id":null,"version":2}`},
			{Rule: "whose association stays", Do: "GET /associations/$other_link", Status: 200},
			{
				Rule: "the deal stays", Do: "GET /deals/$deal", Status: 200,
				Want: `{"contact_id":null,"custom_fields":{"adviser_id":"<absent>"}}`,
			},
			{
				Rule: "and the quote with its lines, although it is sent", Do: "GET /quotes/$quote", Status: 200,
				Want: `{"contact_id":null,"status":"sent","line_items":[{"name":"Crane","unit_price":"10.00"}]}`,
			},
			{
				Rule: "the answer to its creation is its id", Do: "POST /contacts", Send: []string{"Idempotency-Key: made"},
				Body: `{"name":"Anna","email":"anna@home.example","external_id":"anna"}`, Status: 201,
				Want: `{"id":"$anna","name":"<absent>","email":"<absent>"}`, Head: []string{"Idempotent-Replayed: true"},
			},
			{
				Rule: "in that of a batch, too", Do: "POST /contacts/batch", Send: []string{"Idempotency-Key: both"},
				Body: `{"operations":[{"op":"update","id":"$anna","data":{"job_title":"Boss"}},{"op":"create","data":{"name":"Ben",` +
					`"external_id":"ben"}}]}`, Status: 200,
				Want: `{"data":[{"status":200,"record":{"id":"$anna","name":"<absent>"}},{"status":201,"record":{"name":"Ben"}}],` +
					`"meta":{"succeeded":2}}`,
			},
			{Rule: "its unique values are free", Do: "POST /contacts", Body: `{"name":"Another","external_id":"anna"}`, Status: 201},
		})
		t.Run("the log tells that, when, by whom and why, and nothing else", func(t *testing.T) {
			var told []string
			for after := any("0"); ; {
				a := w.Ask(t, Step{Do: "POST /changes/search", Body: fmt.Sprintf(`{"limit":100,"after":%v,"resources":[%s]}`, after, all)})
				for _, entry := range At(a.JSON, "data").([]any) {
					if At(entry, "record_id") == w.Vars["anna"] {
						told = append(told, fmt.Sprint(At(entry, "action"), " ", At(entry, "version"), " ",
							At(entry, "actor.user_id") == w.Vars["admin"], " ", At(entry, "changes")))
					}
					if strings.Contains(fmt.Sprint(entry), "Anna") {
						t.Errorf("%v", entry)
					}
				}
				if after = At(a.JSON, "meta.next"); after == At(a.JSON, "meta.latest") {
					break
				}
			}
			want := []string{
				"create 1 true map[]", "update 2 true map[]", "update 3 true map[]",
				"erase 4 true map[reason:map[from:<nil> to:Asked for it by letter]]",
			}
			if strings.Join(told, "\n") != strings.Join(want, "\n") {
				t.Errorf("it tells\n%s\nnot\n%s", strings.Join(told, "\n"), strings.Join(want, "\n"))
			}
		})
	})
}

func TestEraseOutOfTheBinAndCompanies(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "companies", `{"name":"Harbour","domain":"harbour.example","external_id":"h"}`, "company")
		w.Create(t, "companies", `{"name":"Quay","parent_company_id":"$company"}`, "child")
		w.Create(t, "contacts", `{"name":"Anna","company_id":"$company"}`, "anna")
		w.Create(t, "notes", `{"body":"Of the company","company_id":"$company"}`, "note")
		w.Run(t, []Step{
			{Rule: "deleted", Do: "DELETE /companies/$company", Status: 204},
			{Rule: "a deleted company is erased", Do: "POST /companies/$company/erase", Body: erased, Status: 204},
		})
		w.WorkOff(t)
		w.Run(t, []Step{
			{Rule: "it cannot come back", Do: "POST /companies/$company/restore", Status: 404},
			{
				Rule: "the bin is empty", Do: "POST /companies/deleted/search", Body: `{"total":true}`, Status: 200,
				Want: `{"data":[],"meta":{"total":0}}`,
			},
			{Rule: "its people stay without it", Do: "GET /contacts/$anna", Status: 200, Want: `{"company_id":null}`},
			{Rule: "its children, too", Do: "GET /companies/$child", Status: 200, Want: `{"parent_company_id":null}`},
			{Rule: "its notes do not", Do: "GET /notes/$note", Status: 404},
			{
				Rule: "an upsert makes another", Do: "POST /companies/upsert",
				Body: `{"match":"external_id","data":{"external_id":"h","name":"New"}}`, Status: 201,
			},
		})
	})
}

func TestEraseUsers(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "contacts", `{"name":"Anna","owner_id":"$member"}`, "anna")
		w.Create(t, "users", `{"email":"gone@harbour.example","name":"Gone"}`, "gone")
		w.Run(t, []Step{
			{
				Rule: "a token with a telling name", As: "member", Do: "POST /tokens",
				Body: `{"name":"Notebook of the member","scopes":["contact.read"]}`, Status: 201, Chance: true,
			},
			{
				Rule: "a view of one's own", As: "member", Do: "POST /views", Body: `{"name":"Mine alone","resource":"contact"}`,
				Status: 201, Save: "own_view",
			},
			{
				Rule: "and one for all", As: "member", Do: "POST /views", Body: `{"name":"For all","resource":"contact","shared":true}`,
				Status: 201, Save: "shared_view",
			},
			{Rule: "who is active cannot be erased", Do: "POST /users/$member/erase", Body: erased, Status: 409, Code: "conflict"},
			{Rule: "not by themselves either", As: "member", Do: "POST /users/$member/erase", Body: erased, Status: 403},
			{Rule: "they are suspended", Do: "PATCH /users/$member", Body: `{"status":"suspended"}`, Status: 200},
			{Rule: "and erased", Do: "POST /users/$member/erase", Body: erased, Status: 204},
			{Rule: "another is deleted", Do: "DELETE /users/$gone", Status: 204},
			{Rule: "and erased", Do: "POST /users/$gone/erase", Body: erased, Status: 204},
		})
		w.WorkOff(t)
		w.Run(t, []Step{
			{Rule: "the user is gone", Do: "GET /users/$member", Status: 404},
			{
				Rule: "also from the bin", Do: "POST /users/deleted/search", Body: `{"total":true}`, Status: 200,
				Want: `{"data":[],"meta":{"total":0}}`,
			},
			{
				Rule: "what they have stays under an id that leads to nobody", Do: "POST /contacts/search",
				Body: `{"fields":["owner_id","owner.name"]}`, Status: 200, Want: `{"data":[{"owner_id":"$member","owner":null}]}`,
			},
			{Rule: "what was theirs alone does not", Do: "GET /views/$own_view", Status: 404},
			{Rule: "what they shared does", Do: "GET /views/$shared_view", Status: 200, Want: `{"owner_id":"$member"}`},
			{Rule: "their address is free", Do: "POST /users", Body: `{"email":"member@harbour.example","name":"Next"}`, Status: 201},
			{
				Rule: "nothing tells of the token's name", Do: "POST /changes/search",
				Body: `{"resources":["token","user","view"],"limit":100}`, Status: 200, Chance: true,
			},
		})
		a := w.Ask(t, Step{Do: "POST /changes/search", Body: `{"resources":["token","user","view"],"limit":100}`, Chance: true})
		for _, text := range []string{"Notebook", "Gone", "gone@", "Mine alone"} {
			if strings.Contains(string(a.Text), text) {
				t.Errorf("the log has %s: %s", text, a.Text)
			}
		}
	})
}

// What does not fit into the transaction of the erasure is done later, by whichever server comes to it, also after one was killed;
// and once.
func TestErasureIsWorkedOff(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		w.Create(t, "contacts", `{"name":"Anna"}`, "anna")
		const notes = 230
		for begin := 0; begin < notes; begin += 100 {
			var operations []string
			for i := begin; i < min(begin+100, notes); i++ {
				operations = append(operations, fmt.Sprintf(`{"op":"create","data":{"body":"Anna %d","contact_id":"$anna"}}`, i))
			}
			w.Ask(t, Step{Do: "POST /notes/batch", Body: `{"operations":[` + strings.Join(operations, ",") + `]}`})
		}
		w.Run(t, []Step{
			{Rule: "it is erased at once", Do: "POST /contacts/$anna/erase", Body: erased, Status: 204},
			{Rule: "and gone", Do: "GET /contacts/$anna", Status: 404},
		})
		left := w.Ask(t, Step{Do: "POST /notes/search", Body: `{"limit":1,"total":true}`, Chance: true})
		if n := fmt.Sprint(At(left.JSON, "meta.total")); n == "0" || n == fmt.Sprint(notes) {
			t.Fatalf("%s notes are left, which proves nothing", n)
		}
		restart(w, t)
		var servers sync.WaitGroup
		for _, server := range w.Servers(t) {
			servers.Go(func() {
				for more := true; more; {
					var err error
					if more, err = work.WorkOff(context.Background(), server.Engine); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		servers.Wait()
		w.Run(t, []Step{{
			Rule: "all went", Do: "POST /notes/search", Body: `{"total":true}`, Status: 200,
			Want: `{"data":[],"meta":{"total":0}}`,
		}})
		entries := map[string]int{}
		err := w.Tenant.Changes(context.Background(), 0, func(c store.Change) error {
			if c.Resource == "note" {
				entries[c.Action]++
				if c.Changes != "{}" || c.Action == record.Erase && (c.Actor.User != w.Users["admin"] || c.Actor.RequestID == "") {
					t.Errorf("%+v", c)
				}
			}
			return nil
		})
		if err != nil || entries[record.Erase] != notes || entries[record.Create] != notes {
			t.Errorf("the log has %v: %v", entries, err)
		}
	})
}
