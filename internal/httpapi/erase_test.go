package httpapi_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/work"
)

const erased = `{"reason":"Asked for it by letter"}`

func TestErase(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "fields", `{"resource":"deal","name":"adviser_id","label":"Adviser","kind":"reference","target":"contact"}`, "")
		w.create(t, "roles", `{"name":"Own","permissions":{"contact":{"read":"all","write":"own","delete":"own"}},"features":["erase"]}`,
			"own_role")
		w.users["own"] = w.users["member"]
		w.ask(t, step{do: "PATCH /users/$member", body: `{"role_id":"$own_role"}`})
		w.create(t, "companies", `{"name":"Harbour"}`, "company")
		w.run(t, []step{
			{
				rule: "a creation under a key", do: "POST /contacts", send: []string{"Idempotency-Key: made"},
				body: `{"name":"Anna","email":"anna@home.example","external_id":"anna"}`, status: 201, save: "anna",
			},
			{
				rule: "a batch under a key", do: "POST /contacts/batch", send: []string{"Idempotency-Key: both"},
				body: `{"operations":[{"op":"update","id":"$anna","data":{"job_title":"Boss"}},{"op":"create","data":{"name":"Ben",` +
					`"external_id":"ben"}}]}`, status: 200, save: "ben=data.1.record.id",
			},
		})
		w.create(t, "deals", `{"name":"Cranes","contact_id":"$anna","custom_fields":{"adviser_id":"$anna"}}`, "deal")
		w.create(t, "quotes", `{"title":"Cranes","contact_id":"$anna","line_items":[{"name":"Crane","unit_price":"10.00"}]}`, "quote")
		w.ask(t, step{do: "POST /quotes/$quote/send"})
		w.create(t, "notes", `{"body":"Anna alone","contact_id":"$anna"}`, "alone")
		w.create(t, "notes", `{"body":"With the company","contact_id":"$anna","company_id":"$company"}`, "shared")
		w.create(t, "notes", `{"body":"Linked with a deal","contact_id":"$anna"}`, "linked")
		w.create(t, "associations", `{"from_id":"$linked","to_id":"$deal"}`, "other_link")
		w.create(t, "tasks", `{"title":"Linked with Anna alone"}`, "task")
		w.create(t, "associations", `{"from_id":"$task","to_id":"$anna","label":"for Anna"}`, "link")
		w.create(t, "activities", `{"activity_type":"call","subject":"Anna called","contact_id":"$anna"}`, "binned")
		w.ask(t, step{do: "DELETE /activities/$binned"})
		all := `"contact","deal","quote","note","task","activity","association"`
		w.run(t, []step{
			{
				rule: "it needs the feature permission", as: "manager", do: "POST /contacts/$anna/erase", body: erased,
				status: 403, code: "forbidden_by_role",
				want: `{"detail":"The role manager lacks the feature permission erase, which erasing needs."}`,
			},
			{
				rule: "and the scope of a deletion", as: "admin:contact.write,contact.read", do: "POST /contacts/$anna/erase", body: erased,
				status: 403, code: "insufficient_scope",
			},
			{rule: "and the reach", as: "member", do: "POST /contacts/$anna/erase", body: erased, status: 403, code: "forbidden_by_role"},
			{rule: "nobody erases in another business", as: "stranger", do: "POST /contacts/$anna/erase", body: erased, status: 404},
			{rule: "a reason is required", do: "POST /contacts/$anna/erase", body: `{}`, status: 422, wrong: "reason:required"},
			{rule: "also without a body", do: "POST /contacts/$anna/erase", status: 422, wrong: "reason:required"},
			{
				rule: "it must be a text that says something", do: "POST /contacts/$anna/erase", body: `{"reason":" "}`, status: 422,
				wrong: "reason:required",
			},
			{rule: "no number", do: "POST /contacts/$anna/erase", body: `{"reason":1}`, status: 422, wrong: "reason:wrong_type"},
			{
				rule: "not a novel", do: "POST /contacts/$anna/erase", body: `{"reason":"` + strings.Repeat("x", 1001) + `"}`, status: 422,
				wrong: "reason:too_long",
			},
			{
				rule: "and nothing else is", do: "POST /contacts/$anna/erase", body: `{"reason":"x","force":true}`, status: 422,
				wrong: "force:unknown_field",
			},
			{
				rule: "an unknown version is refused", do: "POST /contacts/$anna/erase", send: []string{`If-Match: "9"`}, body: erased,
				status: 412,
			},
			{rule: "deals are nobody", do: "POST /deals/$deal/erase", body: erased, status: 404},
			{
				rule: "a dry run answers as the real one", do: "POST /contacts/$anna/erase?dry_run=true", body: erased, status: 204,
				head: []string{"Dry-Run: true"},
			},
			{rule: "and leaves everything", do: "GET /notes/$alone", status: 200, want: `{"contact_id":"$anna"}`},
			{
				rule: "a contact is erased", do: "POST /contacts/$anna/erase", send: []string{"Idempotency-Key: erase", `If-Match: "3"`},
				body: erased, status: 204,
			},
		})
		w.workOff(t)
		w.run(t, []step{
			{rule: "it is not there any more", do: "GET /contacts/$anna", status: 404},
			{
				rule: "nor in the bin", do: "POST /contacts/deleted/search", body: `{"total":true}`, status: 200,
				want: `{"data":[],"meta":{"total":0}}`,
			},
			{
				rule: "and is not counted", do: "POST /contacts/search", body: `{"total":true}`, status: 200, found: found("ben"),
				want: `{"meta":{"total":1}}`,
			},
			{rule: "it cannot be erased twice", do: "POST /contacts/$anna/erase", body: erased, status: 404},
			{
				rule: "the same request is answered as before", do: "POST /contacts/$anna/erase",
				send: []string{"Idempotency-Key: erase", `If-Match: "3"`}, body: erased, status: 204,
				head: []string{"Idempotent-Replayed: true"},
			},
			{rule: "nor restored", do: "POST /contacts/$anna/restore", status: 404},
			{rule: "nor changed", do: "PATCH /contacts/$anna", body: `{"name":"Anna"}`, status: 404},
			{rule: "it has no history", do: "POST /contacts/$anna/history/search", status: 404},
			{rule: "and no timeline", do: "POST /contacts/$anna/timeline/search", status: 404},
			{
				rule: "nobody can refer to it", do: "POST /notes", body: `{"body":"x","contact_id":"$anna"}`, status: 422,
				wrong: "contact_id:not_found",
			},
			{rule: "what is about it alone went with it", do: "GET /notes/$alone", status: 404},
			{rule: "also by an association", do: "GET /tasks/$task", status: 404},
			{rule: "also out of the bin", do: "POST /activities/$binned/restore", status: 404},
			{rule: "the association itself, too", do: "GET /associations/$link", status: 404},
			{
				rule: "what is about others, too, stays without it", do: "GET /notes/$shared", status: 200,
				want: `{"contact_id":null,"company_id":"$company","version":2,"updated_by":"$admin"}`,
			},
			{rule: "also what is associated with others", do: "GET /notes/$linked", status: 200, want: `{"contact_id":null,"version":2}`},
			{rule: "whose association stays", do: "GET /associations/$other_link", status: 200},
			{
				rule: "the deal stays", do: "GET /deals/$deal", status: 200,
				want: `{"contact_id":null,"custom_fields":{"adviser_id":"<absent>"}}`,
			},
			{
				rule: "and the quote with its lines, although it is sent", do: "GET /quotes/$quote", status: 200,
				want: `{"contact_id":null,"status":"sent","line_items":[{"name":"Crane","unit_price":"10.00"}]}`,
			},
			{
				rule: "the answer to its creation is its id", do: "POST /contacts", send: []string{"Idempotency-Key: made"},
				body: `{"name":"Anna","email":"anna@home.example","external_id":"anna"}`, status: 201,
				want: `{"id":"$anna","name":"<absent>","email":"<absent>"}`, head: []string{"Idempotent-Replayed: true"},
			},
			{
				rule: "in that of a batch, too", do: "POST /contacts/batch", send: []string{"Idempotency-Key: both"},
				body: `{"operations":[{"op":"update","id":"$anna","data":{"job_title":"Boss"}},{"op":"create","data":{"name":"Ben",` +
					`"external_id":"ben"}}]}`, status: 200,
				want: `{"data":[{"status":200,"record":{"id":"$anna","name":"<absent>"}},{"status":201,"record":{"name":"Ben"}}],` +
					`"meta":{"succeeded":2}}`,
			},
			{rule: "its unique values are free", do: "POST /contacts", body: `{"name":"Another","external_id":"anna"}`, status: 201},
		})
		t.Run("the log tells that, when, by whom and why, and nothing else", func(t *testing.T) {
			var told []string
			for after := any("0"); ; {
				a := w.ask(t, step{do: "POST /changes/search", body: fmt.Sprintf(`{"limit":100,"after":%v,"resources":[%s]}`, after, all)})
				for _, entry := range at(a.json, "data").([]any) {
					if at(entry, "record_id") == w.vars["anna"] {
						told = append(told, fmt.Sprint(at(entry, "action"), " ", at(entry, "version"), " ",
							at(entry, "actor.user_id") == w.vars["admin"], " ", at(entry, "changes")))
					}
					if strings.Contains(fmt.Sprint(entry), "Anna") {
						t.Errorf("%v", entry)
					}
				}
				if after = at(a.json, "meta.next"); after == at(a.json, "meta.latest") {
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
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "companies", `{"name":"Harbour","domain":"harbour.example","external_id":"h"}`, "company")
		w.create(t, "companies", `{"name":"Quay","parent_company_id":"$company"}`, "child")
		w.create(t, "contacts", `{"name":"Anna","company_id":"$company"}`, "anna")
		w.create(t, "notes", `{"body":"Of the company","company_id":"$company"}`, "note")
		w.run(t, []step{
			{rule: "deleted", do: "DELETE /companies/$company", status: 204},
			{rule: "a deleted company is erased", do: "POST /companies/$company/erase", body: erased, status: 204},
		})
		w.workOff(t)
		w.run(t, []step{
			{rule: "it cannot come back", do: "POST /companies/$company/restore", status: 404},
			{
				rule: "the bin is empty", do: "POST /companies/deleted/search", body: `{"total":true}`, status: 200,
				want: `{"data":[],"meta":{"total":0}}`,
			},
			{rule: "its people stay without it", do: "GET /contacts/$anna", status: 200, want: `{"company_id":null}`},
			{rule: "its children, too", do: "GET /companies/$child", status: 200, want: `{"parent_company_id":null}`},
			{rule: "its notes do not", do: "GET /notes/$note", status: 404},
			{
				rule: "an upsert makes another", do: "POST /companies/upsert",
				body: `{"match":"external_id","data":{"external_id":"h","name":"New"}}`, status: 201,
			},
		})
	})
}

func TestEraseUsers(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "contacts", `{"name":"Anna","owner_id":"$member"}`, "anna")
		w.create(t, "users", `{"email":"gone@harbour.example","name":"Gone"}`, "gone")
		w.run(t, []step{
			{
				rule: "a token with a telling name", as: "member", do: "POST /tokens",
				body: `{"name":"Notebook of the member","scopes":["contact.read"]}`, status: 201, chance: true,
			},
			{
				rule: "a view of one's own", as: "member", do: "POST /views", body: `{"name":"Mine alone","resource":"contact"}`,
				status: 201, save: "own_view",
			},
			{
				rule: "and one for all", as: "member", do: "POST /views", body: `{"name":"For all","resource":"contact","shared":true}`,
				status: 201, save: "shared_view",
			},
			{rule: "who is active cannot be erased", do: "POST /users/$member/erase", body: erased, status: 409, code: "conflict"},
			{rule: "not by themselves either", as: "member", do: "POST /users/$member/erase", body: erased, status: 403},
			{rule: "they are suspended", do: "PATCH /users/$member", body: `{"status":"suspended"}`, status: 200},
			{rule: "and erased", do: "POST /users/$member/erase", body: erased, status: 204},
			{rule: "another is deleted", do: "DELETE /users/$gone", status: 204},
			{rule: "and erased", do: "POST /users/$gone/erase", body: erased, status: 204},
		})
		w.workOff(t)
		w.run(t, []step{
			{rule: "the user is gone", do: "GET /users/$member", status: 404},
			{
				rule: "also from the bin", do: "POST /users/deleted/search", body: `{"total":true}`, status: 200,
				want: `{"data":[],"meta":{"total":0}}`,
			},
			{
				rule: "what they have stays under an id that leads to nobody", do: "POST /contacts/search",
				body: `{"fields":["owner_id","owner.name"]}`, status: 200, want: `{"data":[{"owner_id":"$member","owner":null}]}`,
			},
			{rule: "what was theirs alone does not", do: "GET /views/$own_view", status: 404},
			{rule: "what they shared does", do: "GET /views/$shared_view", status: 200, want: `{"owner_id":"$member"}`},
			{rule: "their address is free", do: "POST /users", body: `{"email":"member@harbour.example","name":"Next"}`, status: 201},
			{
				rule: "nothing tells of the token's name", do: "POST /changes/search",
				body: `{"resources":["token","user","view"],"limit":100}`, status: 200, chance: true,
			},
		})
		a := w.ask(t, step{do: "POST /changes/search", body: `{"resources":["token","user","view"],"limit":100}`, chance: true})
		for _, text := range []string{"Notebook", "Gone", "gone@", "Mine alone"} {
			if strings.Contains(string(a.text), text) {
				t.Errorf("the log has %s: %s", text, a.text)
			}
		}
	})
}

// What does not fit into the transaction of the erasure is done later, by whichever server comes to it, also after one was killed;
// and once.
func TestErasureIsWorkedOff(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.create(t, "contacts", `{"name":"Anna"}`, "anna")
		const notes = 230
		for begin := 0; begin < notes; begin += 100 {
			var operations []string
			for i := begin; i < min(begin+100, notes); i++ {
				operations = append(operations, fmt.Sprintf(`{"op":"create","data":{"body":"Anna %d","contact_id":"$anna"}}`, i))
			}
			w.ask(t, step{do: "POST /notes/batch", body: `{"operations":[` + strings.Join(operations, ",") + `]}`})
		}
		w.run(t, []step{
			{rule: "it is erased at once", do: "POST /contacts/$anna/erase", body: erased, status: 204},
			{rule: "and gone", do: "GET /contacts/$anna", status: 404},
		})
		left := w.ask(t, step{do: "POST /notes/search", body: `{"limit":1,"total":true}`, chance: true})
		if n := fmt.Sprint(at(left.json, "meta.total")); n == "0" || n == fmt.Sprint(notes) {
			t.Fatalf("%s notes are left, which proves nothing", n)
		}
		w.restart(t)
		var servers sync.WaitGroup
		for _, server := range w.servers(t) {
			servers.Go(func() {
				for more := true; more; {
					var err error
					if more, err = work.WorkOff(context.Background(), server.engine); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		servers.Wait()
		w.run(t, []step{{
			rule: "all went", do: "POST /notes/search", body: `{"total":true}`, status: 200,
			want: `{"data":[],"meta":{"total":0}}`,
		}})
		entries := map[string]int{}
		err := w.tenant.Changes(context.Background(), 0, func(c store.Change) error {
			if c.Resource == "note" {
				entries[c.Action]++
				if c.Changes != "{}" || c.Action == record.Erase && (c.Actor.User != w.users["admin"] || c.Actor.RequestID == "") {
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
