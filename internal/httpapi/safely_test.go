package httpapi_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/record"
)

// key is the header of a request that is done once.
func key(k string) []string { return []string{"+Idempotency-Key: " + k} }

const replayed = "Idempotent-Replayed: true"

func TestKeysKeepRequestsFromBeingDoneTwice(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.mint(t, "other", "admin", record.Scopes(), time.Time{})
		w.run(t, []step{
			{
				rule: "the first request is done", do: "POST /contacts", body: `{"name":"Anna","external_id":"a"}`, send: key("one"),
				status: 201, save: "anna", head: []string{"Idempotent-Replayed: "},
			},
			{
				rule: "the same again is answered the same", do: "POST /contacts", body: `{"name":"Anna","external_id":"a"}`,
				send: key("one"), status: 201, want: `{"id":"$anna","version":1}`,
				head: []string{replayed, `ETag: "1"`, "Location: /v1/contacts/contact_*"},
			},
			{rule: "and there is one record", do: "POST /contacts/search", status: 200, found: found("a")},
			{
				rule: "another body is refused", do: "POST /contacts", body: `{"name":"Anna", "external_id":"a"}`, send: key("one"),
				status: 422, code: "idempotency_key_reused",
			},
			{
				rule: "another path, too", do: "POST /companies", body: `{"name":"Anna","external_id":"a"}`, send: key("one"), status: 422,
				code: "idempotency_key_reused",
			},
			{
				rule: "another method, too", do: "PATCH /contacts/$anna", body: `{"name":"Anna","external_id":"a"}`, send: key("one"),
				status: 422, code: "idempotency_key_reused",
			},
			{
				rule: "another token has keys of its own", as: "other", do: "POST /contacts", body: `{"name":"Anna","external_id":"b"}`,
				send: key("one"), status: 201,
			},
			{
				rule: "another business, too", as: "stranger", do: "POST /contacts", body: `{"name":"Anna","external_id":"a"}`,
				send: key("one"), status: 201,
			},
			{
				rule: "a patch is done once", do: "PATCH /contacts/$anna", body: `{"job_title":"Cook"}`, send: key("two"), status: 200,
				want: `{"version":2}`,
			},
			{
				rule: "then somebody else changes it", do: "PATCH /contacts/$anna", body: `{"job_title":"Captain"}`, status: 200,
				want: `{"version":3}`,
			},
			{
				rule: "again, it tells what it did then", do: "PATCH /contacts/$anna", body: `{"job_title":"Cook"}`, send: key("two"),
				status: 200, want: `{"version":2,"job_title":"Cook"}`, head: []string{replayed},
			},
			{rule: "and did it once", do: "GET /contacts/$anna", status: 200, want: `{"version":3,"job_title":"Captain"}`},
			{
				rule: "what is not valid is kept, too", do: "POST /contacts", body: `{"email":"no"}`, send: key("three"), status: 422,
				wrong: "email:invalid_format",
			},
			{
				rule: "and answered so again", do: "POST /contacts", body: `{"email":"no"}`, send: key("three"), status: 422,
				wrong: "email:invalid_format", head: []string{replayed},
			},
			{
				rule: "a conflict is", do: "POST /contacts", body: `{"name":"x","external_id":"a"}`, send: key("four"), status: 409,
				code: "conflict", want: `{"existing_id":"$anna"}`,
			},
			{rule: "also when its reason is gone", do: "PATCH /contacts/$anna", body: `{"external_id":null}`, status: 200},
			{
				rule: "still a conflict", do: "POST /contacts", body: `{"name":"x","external_id":"a"}`, send: key("four"), status: 409,
				code: "conflict", head: []string{replayed},
			},
			{rule: "what was not found is kept", do: "DELETE /contacts/contact_01h455vb4pex5vsknk084sn02q", send: key("five"), status: 404},
			{
				rule: "and replayed", do: "DELETE /contacts/contact_01h455vb4pex5vsknk084sn02q", send: key("five"), status: 404,
				head: []string{replayed},
			},
			{
				rule: "a precondition that failed is kept", do: "PATCH /contacts/$anna", body: `{"name":"y"}`,
				send: append(key("six"), "+If-Match: \"1\""), status: 412, code: "precondition_failed",
			},
			{
				rule: "and replayed, too", do: "PATCH /contacts/$anna", body: `{"name":"y"}`, send: append(key("six"), "+If-Match: \"1\""),
				status: 412, head: []string{replayed},
			},
			{
				rule: "what is forbidden is not kept", as: "admin:contact.read", do: "POST /contacts", body: `{"name":"z"}`,
				send: key("seven"), status: 403,
			},
			{rule: "nor what is no JSON", do: "POST /contacts", body: `{`, send: key("eight"), status: 400},
			{
				rule: "so it can be put right", do: "POST /contacts", body: `{"name":"z"}`, send: key("eight"), status: 201,
				head: []string{"Idempotent-Replayed: "},
			},
			{rule: "a deletion is done once", do: "DELETE /contacts/$anna", send: key("nine"), status: 204},
			{rule: "and answered once more", do: "DELETE /contacts/$anna", send: key("nine"), status: 204, head: []string{replayed}},
			{rule: "without the key it is gone", do: "DELETE /contacts/$anna", status: 404},
			{rule: "an action is done once", do: "POST /tasks", body: `{"title":"Call"}`, status: 201, save: "task"},
			{
				rule: "with its key", do: "POST /tasks/$task/complete", send: key("ten"), status: 200,
				want: `{"version":2,"status":"completed"}`,
			},
			{rule: "reopened in between", do: "POST /tasks/$task/reopen", status: 200},
			{
				rule: "it is not done again", do: "POST /tasks/$task/complete", send: key("ten"), status: 200, want: `{"version":2}`,
				head: []string{replayed},
			},
			{rule: "a key on a reading request is of no use and does no harm", do: "POST /contacts/search", send: key("one"), status: 200},
			{
				rule: "the business is changed once, too", do: "PATCH /business", body: `{"locale":"de-DE"}`, send: key("eleven"),
				status: 200, want: `{"version":2}`,
			},
			{
				rule: "and tells it again", do: "PATCH /business", body: `{"locale":"de-DE"}`, send: key("eleven"), status: 200,
				want: `{"version":2}`, head: []string{replayed},
			},
			{
				rule: "an empty key is refused", do: "POST /contacts", body: `{"name":"x"}`, send: []string{"+Idempotency-Key: "},
				status: 422, wrong: "Idempotency-Key:invalid_format",
			},
			{
				rule: "one with a space, too", do: "POST /contacts", body: `{"name":"x"}`, send: key("a b"), status: 422,
				wrong: "Idempotency-Key:invalid_format",
			},
			{
				rule: "and one that is too long", do: "POST /contacts", body: `{"name":"x"}`, send: key(strings.Repeat("k", 256)),
				status: 422, wrong: "Idempotency-Key:invalid_format",
			},
			{rule: "the longest is taken", do: "POST /contacts", body: `{"name":"x"}`, send: key(strings.Repeat("k", 255)), status: 201},
			{
				rule: "two are refused", do: "POST /contacts", body: `{"name":"x"}`, send: append(key("a"), key("b")...), status: 422,
				wrong: "Idempotency-Key:invalid_format",
			},
		})
	})
}

func TestKeptAnswersHaveNoSecrets(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		token := `{"name":"CI","scopes":["contact.read"]}`
		first := w.check(t, step{
			do: "POST /tokens", body: token, send: key("t"), status: 201, want: `{"token":"*"}`, save: "made",
			chance: true,
		})
		w.check(t, step{
			do: "POST /tokens", body: token, send: key("t"), status: 201,
			want: `{"id":"$made","token":"<absent>","omitted":["token"]}`, head: []string{replayed}, chance: true,
		})
		batch := `{"operations":[{"op":"create","data":` + token + `}]}`
		second := w.check(t, step{
			do: "POST /tokens/batch", body: batch, send: key("b"), status: 200,
			want: `{"data":[{"status":201,"record":{"token":"*"}}]}`, chance: true,
		})
		w.check(t, step{
			do: "POST /tokens/batch", body: batch, send: key("b"), status: 200,
			want: `{"data":[{"status":201,"record":{"token":"<absent>","omitted":["token"]}}]}`, head: []string{replayed}, chance: true,
		})
		w.check(t, step{do: "POST /tokens?dry_run=true", body: token, status: 201, want: `{"token":"<absent>"}`, chance: true})
		stored := w.dump(t, "answer")
		for _, a := range []*answer{first, second} {
			secret := fmt.Sprint(at(a.json, "token"))
			if a == second {
				secret = fmt.Sprint(at(a.json, "data.0.record.token"))
			}
			if !strings.HasPrefix(secret, "kith_pat_") || strings.Contains(stored, secret) {
				t.Errorf("the secret %.12s… is stored, or there is none", secret)
			}
		}
		if !strings.Contains(stored, "omitted") {
			t.Errorf("what is stored: %s", stored)
		}
	})
}

// Sixteen at once with the same key make one record: each is answered with it, or told that it is under way.
func TestKeysAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		servers := w.servers(t)
		for round := range 5 {
			ids := map[string]int{}
			var mu sync.Mutex
			var all sync.WaitGroup
			for i := range 16 {
				all.Go(func() {
					a := servers[i%len(servers)].send(t,
						step{do: "POST /contacts", body: `{"name":"Once"}`, send: key(fmt.Sprint("round ", round)[:5] + fmt.Sprint(round))})
					mu.Lock()
					defer mu.Unlock()
					switch a.status {
					case 201:
						ids[fmt.Sprint(at(a.json, "id"))]++
					case 409:
						if at(a.json, "code") != "idempotency_in_progress" || a.header.Get("Retry-After") == "" {
							t.Errorf("%s", a.text)
						}
					default:
						t.Errorf("status %d: %s", a.status, a.text)
					}
				})
			}
			all.Wait()
			if len(ids) != 1 {
				t.Errorf("round %d made %v", round, ids)
			}
		}
		w.check(t, step{do: "POST /contacts/search", status: 200, want: `{"meta":{"total":5}}`})
	})
}

func TestDryRunsLeaveNothingBehind(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		stages(t, w)
		w.create(t, "contacts", `{"name":"Anna","email":"anna@harbour.example","external_id":"a"}`, "anna")
		w.create(t, "deals", `{"name":"Boat"}`, "deal")
		w.create(t, "quotes", `{"title":"Offer","contact_id":"$anna","line_items":[{"name":"Oar","unit_price":"10"}]}`, "quote")
		before := w.dump(t)
		const dry = "Dry-Run: true"
		w.run(t, []step{
			{
				rule: "a creation answers as the real one", do: "POST /contacts?dry_run=true", body: `{"name":"Bert"}`, status: 201,
				want: `{"name":"Bert","version":1,"id":"*"}`, head: []string{dry},
			},
			{
				rule: "what is wrong is told", do: "POST /contacts?dry_run=true", body: `{"email":"no"}`, status: 422,
				wrong: "email:invalid_format", head: []string{dry},
			},
			{
				rule: "a conflict, too", do: "POST /contacts?dry_run=true", body: `{"name":"B","external_id":"a"}`, status: 409,
				want: `{"existing_id":"$anna"}`, head: []string{dry},
			},
			{
				rule: "a patch", do: "PATCH /contacts/$anna?dry_run=true", body: `{"name":"Anne"}`, status: 200,
				want: `{"name":"Anne","version":2}`, head: []string{dry, `ETag: "2"`},
			},
			{
				rule: "with its precondition", do: "PATCH /contacts/$anna?dry_run=true", body: `{"name":"Anne"}`,
				send: []string{`+If-Match: "7"`}, status: 412, head: []string{dry},
			},
			{rule: "a deletion", do: "DELETE /contacts/$anna?dry_run=true", status: 204, head: []string{dry}},
			{rule: "an action", do: "POST /deals/$deal/win?dry_run=true", status: 200, want: `{"status":"won"}`, head: []string{dry}},
			{
				rule: "one that makes a record takes no number", do: "POST /quotes?dry_run=true", body: `{"title":"Another"}`, status: 201,
				want: `{"number":null}`, head: []string{dry},
			},
			{
				rule: "an upsert", do: "POST /contacts/upsert?dry_run=true",
				body: `{"match":"email","data":{"email":"anna@harbour.example","name":"X"}}`, status: 200,
				want: `{"id":"$anna","name":"X"}`, head: []string{dry},
			},
			{
				rule: "a batch", do: "POST /contacts/batch?dry_run=true",
				body: `{"operations":[{"op":"create","data":{"name":"C"}},{"op":"delete","id":"$anna"},{"op":"update","id":"$anna",` +
					`"data":{"name":"gone"}}]}`, status: 200,
				want: `{"data":[{"status":201},{"status":204},{"status":404}],"meta":{"succeeded":2,"failed":1}}`, head: []string{dry},
			},
			{
				rule: "a key is neither used nor made", do: "POST /contacts?dry_run=true", body: `{"name":"Dora"}`, send: key("dry"),
				status: 201, head: []string{dry, "Idempotent-Replayed: "},
			},
			{
				rule: "an invitation is not sent", do: "POST /users?dry_run=true",
				body: `{"email":"new@harbour.example","name":"New","role_id":"*"}`, status: 422, head: []string{dry},
			},
			{
				rule: "the business", do: "PATCH /business?dry_run=true", body: `{"name":"Port"}`, status: 200, want: `{"name":"Port"}`,
				head: []string{dry},
			},
			{rule: "what is not allowed is forbidden", as: "viewer", do: "POST /contacts?dry_run=true", body: `{"name":"x"}`, status: 403},
			{
				rule: "another value is refused", do: "POST /contacts?dry_run=yes", body: `{"name":"x"}`, status: 422,
				wrong: "dry_run:not_allowed",
			},
			{
				rule: "twice, too", do: "POST /contacts?dry_run=true&dry_run=true", body: `{"name":"x"}`, status: 422,
				wrong: "dry_run:not_allowed",
			},
			{
				rule: "on what reads there is none", do: "POST /contacts/search?dry_run=true", status: 422,
				wrong: "dry_run:unknown_parameter",
			},
		})
		if after := w.dump(t); after != before {
			t.Errorf("the database is not as before:\n%s", firstDifference(before, after))
		}
		w.run(t, []step{
			{
				rule: "false is for real", do: "POST /contacts?dry_run=false", body: `{"name":"Real"}`, send: key("dry"), status: 201,
				save: "real", head: []string{"Dry-Run: "},
			},
			{rule: "the number was not taken", do: "POST /quotes", body: `{"title":"Next"}`, status: 201, want: `{"number":2}`},
		})
	})
}

func TestUpsert(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.run(t, []step{
			{
				rule: "what is not there is made", do: "POST /contacts/upsert",
				body: `{"match":"email","data":{"email":"Anna@Harbour.example","name":"Anna","external_id":"a"}}`, status: 201,
				want: `{"version":1}`, save: "anna", head: []string{"Location: /v1/contacts/contact_*"},
			},
			{
				rule: "what is there is patched", do: "POST /contacts/upsert",
				body: `{"match":"email","data":{"email":"anna@harbour.example","job_title":"Cook"}}`, status: 200,
				want: `{"id":"$anna","name":"Anna","job_title":"Cook","version":2}`, head: []string{`ETag: "2"`},
			},
			{
				rule: "nothing new raises no version", do: "POST /contacts/upsert",
				body: `{"match":"external_id","data":{"external_id":"a","job_title":"Cook"}}`, status: 200, want: `{"version":2}`,
			},
			{
				rule: "an external id is matched to the letter", do: "POST /contacts/upsert",
				body: `{"match":"external_id","data":{"external_id":"A","name":"Other"}}`, status: 201,
			},
			{
				rule: "by id", do: "POST /contacts/upsert", body: `{"match":"id","data":{"id":"$anna","name":"Anne"}}`, status: 200,
				want: `{"id":"$anna","name":"Anne"}`,
			},
			{
				rule: "an unknown id is 404", do: "POST /contacts/upsert",
				body: `{"match":"id","data":{"id":"contact_01h455vb4pex5vsknk084sn02q","name":"x"}}`, status: 404,
			},
			{
				rule: "what is required must be there for a new one", do: "POST /products/upsert",
				body: `{"match":"sku","data":{"sku":"oar"}}`, status: 422, wrong: "data.name:required",
			},
			{
				rule: "a new product", do: "POST /products/upsert", body: `{"match":"sku","data":{"sku":"oar","name":"Oar","price":"10"}}`,
				status: 201, save: "oar",
			},
			{
				rule: "not for one that is there", do: "POST /products/upsert", body: `{"match":"sku","data":{"sku":"OAR","price":"12"}}`,
				status: 200, want: `{"id":"$oar","price":"12.00"}`,
			},
			{
				rule: "a company by its domain", do: "POST /companies/upsert",
				body: `{"match":"domain","data":{"domain":"port.example","name":"Port"}}`, status: 201,
			},
			{
				rule: "a user by e-mail", do: "POST /users/upsert",
				body: `{"match":"email","data":{"email":"member@harbour.example","name":"Mem"}}`, status: 200, want: `{"name":"Mem"}`,
			},
			{
				rule: "a field that cannot be matched", do: "POST /contacts/upsert", body: `{"match":"name","data":{"name":"x"}}`,
				status: 422, wrong: "match:not_allowed", want: `{"errors":[{"allowed":["id","email","external_id"]}]}`,
			},
			{
				rule: "nothing to match by", do: "POST /contacts/upsert", body: `{"match":"email","data":{"name":"x"}}`, status: 422,
				wrong: "data.email:required",
			},
			{
				rule: "null is nothing", do: "POST /contacts/upsert", body: `{"match":"email","data":{"name":"x","email":null}}`,
				status: 422, wrong: "data.email:required",
			},
			{rule: "no body", do: "POST /contacts/upsert", status: 422, wrong: "match:not_allowed data:required"},
			{
				rule: "unknown keys", do: "POST /contacts/upsert",
				body: `{"match":"email","data":{"email":"a@b.example","nme":"x"},"why":1}`, status: 422, wrong: "why:unknown_field",
			},
			{
				rule: "wrong data is named inside data", do: "POST /contacts/upsert",
				body: `{"match":"email","data":{"email":"a@b.example","nme":"x"}}`, status: 422, wrong: "data.nme:unknown_field",
			},
			{
				rule: "a value that is no address", do: "POST /contacts/upsert", body: `{"match":"email","data":{"email":"no"}}`,
				status: 422, wrong: "data.email:invalid_format",
			},
			{
				rule: "a second with the same address", do: "POST /contacts", body: `{"name":"Twin","email":"anna@harbour.example"}`,
				status: 201, save: "twin",
			},
			{
				rule: "then nobody knows which is meant", do: "POST /contacts/upsert",
				body: `{"match":"email","data":{"email":"anna@harbour.example","name":"x"}}`, status: 409, code: "ambiguous_match",
				want: `{"existing_ids":["$anna","$twin"]}`,
			},
			{rule: "the bin does not count", do: "DELETE /contacts/$twin", status: 204},
			{
				rule: "so it is one again", do: "POST /contacts/upsert",
				body: `{"match":"email","data":{"email":"anna@harbour.example","name":"Anna"}}`, status: 200, want: `{"id":"$anna"}`,
			},
			{
				rule: "without read, an address matches nothing", as: "admin:contact.write", do: "POST /contacts/upsert",
				body: `{"match":"email","data":{"email":"anna@harbour.example","name":"Blind"}}`, status: 201, want: `{"name":"<absent>"}`,
			},
			{
				rule: "and a unique value is in the way", as: "admin:contact.write", do: "POST /contacts/upsert",
				body: `{"match":"external_id","data":{"external_id":"a","name":"Blind"}}`, status: 409, code: "conflict",
				want: `{"existing_id":"<absent>"}`,
			},
			{
				rule: "it needs write", as: "admin:contact.read", do: "POST /contacts/upsert",
				body: `{"match":"email","data":{"email":"x@y.example"}}`, status: 403,
			},
			{rule: "tokens cannot be patched, so they have none", do: "POST /tokens/upsert", body: `{}`, status: 405},
		})
	})
}

// Sixteen upserts at once of somebody new make one record.
func TestUpsertsAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		servers := w.servers(t)
		var all sync.WaitGroup
		for i := range 32 {
			all.Go(func() {
				a := servers[i%len(servers)].send(t,
					step{
						do:   "POST /contacts/upsert",
						body: fmt.Sprintf(`{"match":"email","data":{"email":"new%d@harbour.example","name":"N"}}`, i%2),
					})
				if a.status != 201 && a.status != 200 {
					t.Errorf("status %d: %s", a.status, a.text)
				}
			})
		}
		all.Wait()
		w.check(t, step{do: "POST /contacts/search", status: 200, want: `{"meta":{"total":2}}`})
	})
}

func TestBatch(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "contacts", `{"name":"Anna","external_id":"a"}`, "anna")
		w.create(t, "tasks", `{"title":"Call"}`, "task")
		many := strings.TrimSuffix(strings.Repeat(`{"op":"create","data":{"name":"x"}},`, 101), ",")
		w.run(t, []step{
			{
				rule: "each operation has its own result, and sees those before it", do: "POST /contacts/batch",
				body: `{"operations":[{"op":"create","data":{"name":"Bert","external_id":"b"}},{"op":"create","data":{"email":"no"}},` +
					`{"op":"update","id":"$anna","if_match":1,"data":{"name":"Anne"}},{"op":"update","id":"$anna","if_match":1,` +
					`"data":{"name":"x"}},{"op":"upsert","match":"external_id","data":{"external_id":"b","name":"Berta"}},{"op":"create",` +
					`"data":{"name":"c","external_id":"b"}},{"op":"delete","id":"contact_01h455vb4pex5vsknk084sn02q"}]}`,
				status: 200, save: "bert=data.0.record.id",
				want: `{"data":[{"status":201,"record":{"name":"Bert","version":1}},{"status":422,"error":{"code":"validation_failed",` +
					`"errors":[{"field":"email"}]}},{"status":200,"record":{"name":"Anne","version":2}},{"status":412,` +
					`"error":{"current_version":2,"changes":[{"version":2,"fields":["name"]}]}},{"status":200,"record":{"name":"Berta",` +
					`"version":2}},{"status":409,"error":{"code":"conflict"}},{"status":404,"error":{"code":"not_found"}}],` +
					`"meta":{"succeeded":3,"failed":4}}`,
			},
			{
				rule: "what succeeded is there", do: "POST /contacts/search", body: `{"order_by":"name","sort_direction":"asc"}`,
				status: 200, found: found("a b"),
			},
			{
				rule: "deletion and restoring", do: "POST /contacts/batch",
				body:   `{"operations":[{"op":"delete","id":"$bert","if_match":2},{"op":"act","id":"$bert","action":"restore"}]}`,
				status: 200, want: `{"data":[{"status":204,"record":"<absent>"},{"status":200,"record":{"version":4}}]}`,
			},
			{
				rule: "actions", do: "POST /tasks/batch",
				body: `{"operations":[{"op":"act","id":"$task","action":"complete"},{"op":"act","id":"$task","action":"reopen",` +
					`"if_match":2}]}`, status: 200,
				want: `{"data":[{"status":200,"record":{"status":"completed"}},{"status":200,"record":{"status":"open"}}]}`,
			},
			{
				rule: "all failed is still 200", do: "POST /contacts/batch", body: `{"operations":[{"op":"create","data":{"email":"no"}}]}`,
				status: 200, want: `{"meta":{"succeeded":0,"failed":1}}`,
			},
			{
				rule: "atomic: one failure and nothing is done", do: "POST /contacts/batch",
				body: `{"atomic":true,"operations":[{"op":"create","data":{"name":"x","external_id":"x"}},{"op":"delete","id":"$anna"},` +
					`{"op":"create","data":{"name":"y","email":"no"}}]}`, status: 422, wrong: "operations[2].data.email:invalid_format",
			},
			{
				rule: "a conflict names its operation", do: "POST /contacts/batch",
				body: `{"atomic":true,"operations":[{"op":"create","data":{"name":"x","external_id":"x"}},{"op":"create",` +
					`"data":{"name":"y","external_id":"x"}}]}`, status: 409, wrong: "operations[1].data.external_id:not_unique",
			},
			{
				rule: "what is not found, too", do: "POST /contacts/batch",
				body: `{"atomic":true,"operations":[{"op":"create","data":{"name":"x"}},{"op":"delete",` +
					`"id":"contact_01h455vb4pex5vsknk084sn02q"}]}`, status: 404, wrong: "operations[1]:not_found",
			},
			{
				rule: "and an old version", do: "POST /contacts/batch",
				body:   `{"atomic":true,"operations":[{"op":"create","data":{"name":"x"}},{"op":"delete","id":"$anna","if_match":1}]}`,
				status: 412, wrong: "operations[1]:precondition_failed",
			},
			{
				rule: "an upsert's fields are named once", do: "POST /contacts/batch",
				body: `{"atomic":true,"operations":[{"op":"upsert","match":"email","data":{"email":"no"}}]}`, status: 422,
				wrong: "operations[0].data.email:invalid_format",
			},
			{
				rule: "what cannot be matched", do: "POST /contacts/batch",
				body: `{"atomic":true,"operations":[{"op":"upsert","match":"name","data":{"name":"no"}}]}`, status: 422,
				wrong: "operations[0].match:not_allowed",
			},
			{
				rule: "nothing of them is left", do: "POST /contacts/search", body: `{"order_by":"name","sort_direction":"asc"}`,
				status: 200, found: found("a b"),
			},
			{
				rule: "atomic, when all is well", do: "POST /contacts/batch",
				body: `{"atomic":true,"operations":[{"op":"create","data":{"name":"x","external_id":"x"}},{"op":"create",` +
					`"data":{"name":"y","external_id":"y"}}]}`, status: 200, want: `{"meta":{"succeeded":2,"failed":0}}`,
			},
			{rule: "an empty list", do: "POST /contacts/batch", body: `{"operations":[]}`, status: 422, wrong: "operations:required"},
			{rule: "no list", do: "POST /contacts/batch", body: `{}`, status: 422, wrong: "operations:required"},
			{rule: "another thing", do: "POST /contacts/batch", body: `{"operations":{}}`, status: 422, wrong: "operations:wrong_type"},
			{
				rule: "too many", do: "POST /contacts/batch", body: `{"operations":[` + many + `]}`, status: 422,
				wrong: "operations:too_many",
			},
			{
				rule: "an unknown op refuses the whole", do: "POST /contacts/batch",
				body: `{"operations":[{"op":"create","data":{"name":"q"}},{"op":"merge","id":"$anna"}]}`, status: 422,
				wrong: "operations[1].op:not_allowed", want: `{"errors":[{"allowed":["act","create","delete","update","upsert"]}]}`,
			},
			{
				rule: "a missing id, too", do: "POST /contacts/batch", body: `{"operations":[{"op":"update","data":{"name":"q"}}]}`,
				status: 422, wrong: "operations[0].id:required",
			},
			{
				rule: "an unknown action", do: "POST /contacts/batch", body: `{"operations":[{"op":"act","id":"$anna","action":"win"}]}`,
				status: 422, wrong: "operations[0].action:not_allowed",
			},
			{
				rule: "what an op does not take", do: "POST /contacts/batch",
				body:   `{"operations":[{"op":"create","id":"$anna","data":{"name":"q"}},{"op":"delete","id":"$anna","data":{}}]}`,
				status: 422, wrong: "operations[0].id:not_allowed operations[1].data:not_allowed",
			},
			{
				rule: "unknown keys", do: "POST /contacts/batch", body: `{"atomc":true,"operations":[{"op":"delete","id":"$anna","x":1}]}`,
				status: 422, wrong: "atomc:unknown_field operations[0].x:unknown_field",
			},
			{rule: "no objects", do: "POST /contacts/batch", body: `{"operations":[1]}`, status: 422, wrong: "operations[0]:wrong_type"},
			{
				rule: "each needs its own scope", as: "admin:contact.write", do: "POST /contacts/batch",
				body: `{"operations":[{"op":"create","data":{"name":"z"}},{"op":"delete","id":"$anna"}]}`, status: 200,
				want: `{"data":[{"status":201,"record":{"name":"<absent>","version":1}},{"status":403,` +
					`"error":{"scope":"contact.delete"}}]}`,
			},
			{
				rule: "deleting alone is enough to delete", as: "admin:contact.delete", do: "POST /contacts/batch",
				body: `{"operations":[{"op":"delete","id":"contact_01h455vb4pex5vsknk084sn02q"}]}`, status: 200,
				want: `{"data":[{"status":404}]}`,
			},
			{
				rule: "reading is not", as: "admin:contact.read", do: "POST /contacts/batch",
				body: `{"operations":[{"op":"delete","id":"$anna"}]}`, status: 403, code: "insufficient_scope",
			},
			{
				rule: "own reach holds for each", as: "member", do: "POST /contacts/batch",
				body:   `{"operations":[{"op":"create","data":{"name":"mine"}},{"op":"update","id":"$anna","data":{"name":"theirs"}}]}`,
				status: 200, want: `{"data":[{"status":201},{"status":403,"error":{"code":"forbidden_by_role"}}]}`,
			},
			{
				rule: "a failure in the middle of a write takes back only itself", do: "POST /tokens/batch",
				body: `{"operations":[{"op":"create","data":{"name":"one","scopes":["contact.read"]}},{"op":"create",` +
					`"data":{"name":"two","scopes":["contact.read"],"expires_at":"2020-01-01T00:00:00Z"}},{"op":"create",` +
					`"data":{"name":"three","scopes":["contact.read"]}}]}`, status: 200,
				want: `{"data":[{"status":201},{"status":422},{"status":201}]}`, chance: true,
			},
			{
				rule: "with the others there", do: "POST /tokens/search",
				body: `{"filters":[{"field":"name","operator":"in","values":["one","two","three"]}],"order_by":"name"}`, status: 200,
				want: `{"meta":{"total":2}}`, chance: true,
			},
		})
	})
}

func TestOldVersionsAreToldWhatChanged(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "contacts", `{"name":"Anna"}`, "anna")
		w.check(t, step{do: "PATCH /contacts/$anna", body: `{"name":"Anne","job_title":"Cook"}`, status: 200})
		w.check(t, step{as: "manager", do: "PATCH /contacts/$anna", body: `{"address":{"city":"Kiel"}}`, status: 200})
		w.run(t, []step{
			{
				rule: "who changed which fields, newest first", do: "PATCH /contacts/$anna", body: `{"name":"x"}`,
				send: []string{`+If-Match: "1"`}, status: 412,
				want: `{"current_version":3,"changes":[{"version":3,"at":"*","actor":{"user_id":"$manager","token_id":"*"},` +
					`"fields":["address.city"]},{"version":2,"actor":{"user_id":"$admin"},"fields":["name","job_title"]}]}`,
			},
			{
				rule: "since the highest that is known", do: "DELETE /contacts/$anna", send: []string{`+If-Match: "1", "2"`}, status: 412,
				want: `{"current_version":3,"changes":[{"version":3}]}`,
			},
			{
				rule: "without the scope to read only the version", as: "admin:contact.write", do: "PATCH /contacts/$anna",
				body: `{"name":"x"}`, send: []string{`+If-Match: "1"`}, status: 412, want: `{"current_version":3,"changes":"<absent>"}`,
			},
			{
				rule: "a tag that is none of ours tells no version to begin at", do: "PATCH /contacts/$anna", body: `{"name":"x"}`,
				send: []string{`+If-Match: "x"`}, status: 412, want: `{"current_version":3,"changes":"<absent>"}`,
			},
			{
				rule: "a version that is not there yet", do: "PATCH /contacts/$anna", body: `{"name":"x"}`,
				send:   []string{`+If-Match: "9"`},
				status: 412, want: `{"current_version":3,"changes":"<absent>"}`,
			},
			{rule: "an action, too", do: "POST /tasks", body: `{"title":"t"}`, status: 201, save: "task"},
			{rule: "completed", do: "POST /tasks/$task/complete", status: 200},
			{
				rule: "and asked for with the version before", do: "POST /tasks/$task/reopen", send: []string{`+If-Match: "1"`},
				status: 412,
				want:   `{"current_version":2,"changes":[{"version":2,"fields":["status","completed_at","completed_by"]}]}`,
			},
			{rule: "the business, too", do: "PATCH /business", body: `{"locale":"de-DE"}`, status: 200},
			{
				rule: "for everybody who may change it", do: "PATCH /business", body: `{"locale":"fr-FR"}`,
				send:   []string{`+If-Match: "1"`},
				status: 412, want: `{"current_version":2,"changes":[{"version":2,"fields":["locale"]}]}`,
			},
		})
	})
}

// What a batch asks is asked at once beforehand. Nevertheless each operation sees what those before it did, also where that changes
// an answer.
func TestABatchIsNotAnsweredByWhatWasBefore(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.run(t, []step{
			{do: "POST /companies", body: `{"name":"Above","external_id":"above"}`, status: 201, save: "above"},
			{do: "POST /companies", body: `{"name":"Other","external_id":"other"}`, status: 201, save: "other"},
			{
				rule: "a record that is deleted and comes back", do: "POST /companies/batch", status: 200,
				body: `{"operations":[{"op":"create","data":{"name":"1","parent_company_id":"$above"}},{"op":"delete","id":"$above"},` +
					`{"op":"create","data":{"name":"2","parent_company_id":"$above"}},` +
					`{"op":"act","id":"$above","action":"restore"},{"op":"create","data":{"name":"3","parent_company_id":"$above"}},` +
					`{"op":"create","data":{"name":"4","parent_company_id":"company_01h455vb4pex5vsknk084sn02q"}}]}`,
				want: `{"data":[{"status":201},{"status":204},{"status":422,"error":{"errors":[{"field":"parent_company_id",` +
					`"code":"not_found"}]}},{"status":200},{"status":201},{"status":422}]}`,
			},
			{
				rule: "a unique value that is taken, given up and taken again", do: "POST /companies/batch", status: 200,
				body: `{"operations":[{"op":"create","data":{"name":"5","external_id":"other"}},{"op":"update","id":"$other",` +
					`"data":{"external_id":"free"}},{"op":"create","data":{"name":"6","external_id":"other"}},` +
					`{"op":"create","data":{"name":"7","external_id":"other"}},{"op":"create","data":{"name":"8","external_id":"Other"}},` +
					`{"op":"upsert","match":"external_id","data":{"name":"9","external_id":"free"}},{"op":"update","id":"$above",` +
					`"data":{"external_id":"free"}}]}`,
				want: `{"data":[{"status":409,"error":{"existing_id":"$other"}},{"status":200},{"status":201},{"status":409},` +
					`{"status":201},{"status":200,"record":{"id":"$other","name":"9"}},{"status":409,"error":{"existing_id":"$other"}}]}`,
			},
			{do: "POST /lifecycle_stages", body: `{"name":"Fresh"}`, status: 201, save: "fresh"},
			{
				rule: "a default that changes", do: "POST /lifecycle_stages/batch", status: 200,
				body: `{"operations":[{"op":"update","id":"$fresh","data":{"is_default":true}},{"op":"create","data":{"name":"Fresher",` +
					`"is_default":true}},{"op":"delete","id":"$fresh"}]}`,
				want: `{"data":[{"status":200},{"status":201},{"status":204}]}`,
			},
		})
	})
}
