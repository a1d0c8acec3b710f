package httpapi_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/record"

	. "github.com/kith-crm/kith/internal/apitest"
)

// key is the header of a request that is done once.
func key(k string) []string { return []string{"+Idempotency-Key: " + k} }

const replayed = "Idempotent-Replayed: true"

func TestKeysKeepRequestsFromBeingDoneTwice(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Mint(t, "other", "admin", record.Scopes(), time.Time{})
		w.Run(t, []Step{
			{
				Rule: "the first request is done", Do: "POST /contacts", Body: `{"name":"Anna","external_id":"a"}`, Send: key("one"),
				Status: 201, Save: "anna", Head: []string{"Idempotent-Replayed: "},
			},
			{
				Rule: "the same again is answered the same", Do: "POST /contacts", Body: `{"name":"Anna","external_id":"a"}`,
				Send: key("one"), Status: 201, Want: `{"id":"$anna","version":1}`,
				Head: []string{replayed, `ETag: "1"`, "Location: /v1/contacts/contact_*"},
			},
			{Rule: "and there is one record", Do: "POST /contacts/search", Status: 200, Found: Found("a")},
			{
				Rule: "another body is refused", Do: "POST /contacts", Body: `{"name":"Anna", "external_id":"a"}`, Send: key("one"),
				Status: 422, Code: "idempotency_key_reused",
			},
			{
				Rule: "another path, too", Do: "POST /companies", Body: `{"name":"Anna","external_id":"a"}`, Send: key("one"), Status: 422,
				Code: "idempotency_key_reused",
			},
			{
				Rule: "another method, too", Do: "PATCH /contacts/$anna", Body: `{"name":"Anna","external_id":"a"}`, Send: key("one"),
				Status: 422, Code: "idempotency_key_reused",
			},
			{
				Rule: "another token has keys of its own", As: "other", Do: "POST /contacts", Body: `{"name":"Anna","external_id":"b"}`,
				Send: key("one"), Status: 201,
			},
			{
				Rule: "another business, too", As: "stranger", Do: "POST /contacts", Body: `{"name":"Anna","external_id":"a"}`,
				Send: key("one"), Status: 201,
			},
			{
				Rule: "a patch is done once", Do: "PATCH /contacts/$anna", Body: `{"job_title":"Cook"}`, Send: key("two"), Status: 200,
				Want: `{"version":2}`,
			},
			{
				Rule: "then somebody else changes it", Do: "PATCH /contacts/$anna", Body: `{"job_title":"Captain"}`, Status: 200,
				Want: `{"version":3}`,
			},
			{
				Rule: "again, it tells what it did then", Do: "PATCH /contacts/$anna", Body: `{"job_title":"Cook"}`, Send: key("two"),
				Status: 200, Want: `{"version":2,"job_title":"Cook"}`, Head: []string{replayed},
			},
			{Rule: "and did it once", Do: "GET /contacts/$anna", Status: 200, Want: `{"version":3,"job_title":"Captain"}`},
			{
				Rule: "what is not valid is kept, too", Do: "POST /contacts", Body: `{"email":"no"}`, Send: key("three"), Status: 422,
				Wrong: "email:invalid_format",
			},
			{
				Rule: "and answered so again", Do: "POST /contacts", Body: `{"email":"no"}`, Send: key("three"), Status: 422,
				Wrong: "email:invalid_format", Head: []string{replayed},
			},
			{
				Rule: "a conflict is", Do: "POST /contacts", Body: `{"name":"x","external_id":"a"}`, Send: key("four"), Status: 409,
				Code: "conflict", Want: `{"existing_id":"$anna"}`,
			},
			{Rule: "also when its reason is gone", Do: "PATCH /contacts/$anna", Body: `{"external_id":null}`, Status: 200},
			{
				Rule: "still a conflict", Do: "POST /contacts", Body: `{"name":"x","external_id":"a"}`, Send: key("four"), Status: 409,
				Code: "conflict", Head: []string{replayed},
			},
			{Rule: "what was not found is kept", Do: "DELETE /contacts/contact_01h455vb4pex5vsknk084sn02q", Send: key("five"), Status: 404},
			{
				Rule: "and replayed", Do: "DELETE /contacts/contact_01h455vb4pex5vsknk084sn02q", Send: key("five"), Status: 404,
				Head: []string{replayed},
			},
			{
				Rule: "a precondition that failed is kept", Do: "PATCH /contacts/$anna", Body: `{"name":"y"}`,
				Send: append(key("six"), "+If-Match: \"1\""), Status: 412, Code: "precondition_failed",
			},
			{
				Rule: "and replayed, too", Do: "PATCH /contacts/$anna", Body: `{"name":"y"}`, Send: append(key("six"), "+If-Match: \"1\""),
				Status: 412, Head: []string{replayed},
			},
			{
				Rule: "what is forbidden is not kept", As: "admin:contact.read", Do: "POST /contacts", Body: `{"name":"z"}`,
				Send: key("seven"), Status: 403,
			},
			{Rule: "nor what is no JSON", Do: "POST /contacts", Body: `{`, Send: key("eight"), Status: 400},
			{
				Rule: "so it can be put right", Do: "POST /contacts", Body: `{"name":"z"}`, Send: key("eight"), Status: 201,
				Head: []string{"Idempotent-Replayed: "},
			},
			{Rule: "a deletion is done once", Do: "DELETE /contacts/$anna", Send: key("nine"), Status: 204},
			{Rule: "and answered once more", Do: "DELETE /contacts/$anna", Send: key("nine"), Status: 204, Head: []string{replayed}},
			{Rule: "without the key it is gone", Do: "DELETE /contacts/$anna", Status: 404},
			{Rule: "an action is done once", Do: "POST /tasks", Body: `{"title":"Call"}`, Status: 201, Save: "task"},
			{
				Rule: "with its key", Do: "POST /tasks/$task/complete", Send: key("ten"), Status: 200,
				Want: `{"version":2,"status":"completed"}`,
			},
			{Rule: "reopened in between", Do: "POST /tasks/$task/reopen", Status: 200},
			{
				Rule: "it is not done again", Do: "POST /tasks/$task/complete", Send: key("ten"), Status: 200, Want: `{"version":2}`,
				Head: []string{replayed},
			},
			{Rule: "a key on a reading request is of no use and does no harm", Do: "POST /contacts/search", Send: key("one"), Status: 200},
			{
				Rule: "the business is changed once, too", Do: "PATCH /business", Body: `{"locale":"de-DE"}`, Send: key("eleven"),
				Status: 200, Want: `{"version":2}`,
			},
			{
				Rule: "and tells it again", Do: "PATCH /business", Body: `{"locale":"de-DE"}`, Send: key("eleven"), Status: 200,
				Want: `{"version":2}`, Head: []string{replayed},
			},
			{
				Rule: "an empty key is refused", Do: "POST /contacts", Body: `{"name":"x"}`, Send: []string{"+Idempotency-Key: "},
				Status: 422, Wrong: "Idempotency-Key:invalid_format",
			},
			{
				Rule: "one with a space, too", Do: "POST /contacts", Body: `{"name":"x"}`, Send: key("a b"), Status: 422,
				Wrong: "Idempotency-Key:invalid_format",
			},
			{
				Rule: "and one that is too long", Do: "POST /contacts", Body: `{"name":"x"}`, Send: key(strings.Repeat("k", 256)),
				Status: 422, Wrong: "Idempotency-Key:invalid_format",
			},
			{Rule: "the longest is taken", Do: "POST /contacts", Body: `{"name":"x"}`, Send: key(strings.Repeat("k", 255)), Status: 201},
			{
				Rule: "two are refused", Do: "POST /contacts", Body: `{"name":"x"}`, Send: append(key("a"), key("b")...), Status: 422,
				Wrong: "Idempotency-Key:invalid_format",
			},
		})
	})
}

func TestKeptAnswersHaveNoSecrets(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		token := `{"name":"CI","scopes":["contact.read"]}`
		first := w.Check(t, Step{
			Do: "POST /tokens", Body: token, Send: key("t"), Status: 201, Want: `{"token":"*"}`, Save: "made",
			Chance: true,
		})
		w.Check(t, Step{
			Do: "POST /tokens", Body: token, Send: key("t"), Status: 201,
			Want: `{"id":"$made","token":"<absent>","omitted":["token"]}`, Head: []string{replayed}, Chance: true,
		})
		batch := `{"operations":[{"op":"create","data":` + token + `}]}`
		second := w.Check(t, Step{
			Do: "POST /tokens/batch", Body: batch, Send: key("b"), Status: 200,
			Want: `{"data":[{"status":201,"record":{"token":"*"}}]}`, Chance: true,
		})
		w.Check(t, Step{
			Do: "POST /tokens/batch", Body: batch, Send: key("b"), Status: 200,
			Want: `{"data":[{"status":201,"record":{"token":"<absent>","omitted":["token"]}}]}`, Head: []string{replayed}, Chance: true,
		})
		w.Check(t, Step{Do: "POST /tokens?dry_run=true", Body: token, Status: 201, Want: `{"token":"<absent>"}`, Chance: true})
		stored := w.Dump(t, "answer")
		for _, a := range []*Answer{first, second} {
			secret := fmt.Sprint(At(a.JSON, "token"))
			if a == second {
				secret = fmt.Sprint(At(a.JSON, "data.0.record.token"))
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
	OnEach(t, func(t *testing.T, w *World) {
		servers := w.Servers(t)
		for round := range 5 {
			ids := map[string]int{}
			var mu sync.Mutex
			var all sync.WaitGroup
			for i := range 16 {
				all.Go(func() {
					a := servers[i%len(servers)].Send(t,
						Step{Do: "POST /contacts", Body: `{"name":"Once"}`, Send: key(fmt.Sprint("round ", round)[:5] + fmt.Sprint(round))})
					mu.Lock()
					defer mu.Unlock()
					switch a.Status {
					case 201:
						ids[fmt.Sprint(At(a.JSON, "id"))]++
					case 409:
						if At(a.JSON, "code") != "idempotency_in_progress" || a.Header.Get("Retry-After") == "" {
							t.Errorf("%s", a.Text)
						}
					default:
						t.Errorf("status %d: %s", a.Status, a.Text)
					}
				})
			}
			all.Wait()
			if len(ids) != 1 {
				t.Errorf("round %d made %v", round, ids)
			}
		}
		w.Check(t, Step{Do: "POST /contacts/search", Status: 200, Want: `{"meta":{"total":5}}`})
	})
}

func TestDryRunsLeaveNothingBehind(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		Stages(t, w)
		w.Create(t, "contacts", `{"name":"Anna","email":"anna@harbour.example","external_id":"a"}`, "anna")
		w.Create(t, "deals", `{"name":"Boat"}`, "deal")
		w.Create(t, "quotes", `{"title":"Offer","contact_id":"$anna","line_items":[{"name":"Oar","unit_price":"10"}]}`, "quote")
		before := w.Dump(t)
		const dry = "Dry-Run: true"
		w.Run(t, []Step{
			{
				Rule: "a creation answers as the real one", Do: "POST /contacts?dry_run=true", Body: `{"name":"Bert"}`, Status: 201,
				Want: `{"name":"Bert","version":1,"id":"*"}`, Head: []string{dry},
			},
			{
				Rule: "what is wrong is told", Do: "POST /contacts?dry_run=true", Body: `{"email":"no"}`, Status: 422,
				Wrong: "email:invalid_format", Head: []string{dry},
			},
			{
				Rule: "a conflict, too", Do: "POST /contacts?dry_run=true", Body: `{"name":"B","external_id":"a"}`, Status: 409,
				Want: `{"existing_id":"$anna"}`, Head: []string{dry},
			},
			{
				Rule: "a patch", Do: "PATCH /contacts/$anna?dry_run=true", Body: `{"name":"Anne"}`, Status: 200,
				Want: `{"name":"Anne","version":2}`, Head: []string{dry, `ETag: "2"`},
			},
			{
				Rule: "with its precondition", Do: "PATCH /contacts/$anna?dry_run=true", Body: `{"name":"Anne"}`,
				Send: []string{`+If-Match: "7"`}, Status: 412, Head: []string{dry},
			},
			{Rule: "a deletion", Do: "DELETE /contacts/$anna?dry_run=true", Status: 204, Head: []string{dry}},
			{Rule: "an action", Do: "POST /deals/$deal/win?dry_run=true", Status: 200, Want: `{"status":"won"}`, Head: []string{dry}},
			{
				Rule: "one that makes a record takes no number", Do: "POST /quotes?dry_run=true", Body: `{"title":"Another"}`, Status: 201,
				Want: `{"number":null}`, Head: []string{dry},
			},
			{
				Rule: "an upsert", Do: "POST /contacts/upsert?dry_run=true",
				Body: `{"match":"email","data":{"email":"anna@harbour.example","name":"X"}}`, Status: 200,
				Want: `{"id":"$anna","name":"X"}`, Head: []string{dry},
			},
			{
				Rule: "a batch", Do: "POST /contacts/batch?dry_run=true",
				Body: `{"operations":[{"op":"create","data":{"name":"C"}},{"op":"delete","id":"$anna"},{"op":"update","id":"$anna",` +
					`"data":{"name":"gone"}}]}`, Status: 200,
				Want: `{"data":[{"status":201},{"status":204},{"status":404}],"meta":{"succeeded":2,"failed":1}}`, Head: []string{dry},
			},
			{
				Rule: "a key is neither used nor made", Do: "POST /contacts?dry_run=true", Body: `{"name":"Dora"}`, Send: key("dry"),
				Status: 201, Head: []string{dry, "Idempotent-Replayed: "},
			},
			{
				Rule: "an invitation is not sent", Do: "POST /users?dry_run=true",
				Body: `{"email":"new@harbour.example","name":"New","role_id":"*"}`, Status: 422, Head: []string{dry},
			},
			{
				Rule: "the business", Do: "PATCH /business?dry_run=true", Body: `{"name":"Port"}`, Status: 200, Want: `{"name":"Port"}`,
				Head: []string{dry},
			},
			{Rule: "what is not allowed is forbidden", As: "viewer", Do: "POST /contacts?dry_run=true", Body: `{"name":"x"}`, Status: 403},
			{
				Rule: "another value is refused", Do: "POST /contacts?dry_run=yes", Body: `{"name":"x"}`, Status: 422,
				Wrong: "dry_run:not_allowed",
			},
			{
				Rule: "twice, too", Do: "POST /contacts?dry_run=true&dry_run=true", Body: `{"name":"x"}`, Status: 422,
				Wrong: "dry_run:not_allowed",
			},
			{
				Rule: "on what reads there is none", Do: "POST /contacts/search?dry_run=true", Status: 422,
				Wrong: "dry_run:unknown_parameter",
			},
		})
		if after := w.Dump(t); after != before {
			t.Errorf("the database is not as before:\n%s", FirstDifference(before, after))
		}
		w.Run(t, []Step{
			{
				Rule: "false is for real", Do: "POST /contacts?dry_run=false", Body: `{"name":"Real"}`, Send: key("dry"), Status: 201,
				Save: "real", Head: []string{"Dry-Run: "},
			},
			{Rule: "the number was not taken", Do: "POST /quotes", Body: `{"title":"Next"}`, Status: 201, Want: `{"number":2}`},
		})
	})
}

func TestUpsert(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Run(t, []Step{
			{
				Rule: "what is not there is made", Do: "POST /contacts/upsert",
				Body: `{"match":"email","data":{"email":"Anna@Harbour.example","name":"Anna","external_id":"a"}}`, Status: 201,
				Want: `{"version":1}`, Save: "anna", Head: []string{"Location: /v1/contacts/contact_*"},
			},
			{
				Rule: "what is there is patched", Do: "POST /contacts/upsert",
				Body: `{"match":"email","data":{"email":"anna@harbour.example","job_title":"Cook"}}`, Status: 200,
				Want: `{"id":"$anna","name":"Anna","job_title":"Cook","version":2}`, Head: []string{`ETag: "2"`},
			},
			{
				Rule: "nothing new raises no version", Do: "POST /contacts/upsert",
				Body: `{"match":"external_id","data":{"external_id":"a","job_title":"Cook"}}`, Status: 200, Want: `{"version":2}`,
			},
			{
				Rule: "an external id is matched to the letter", Do: "POST /contacts/upsert",
				Body: `{"match":"external_id","data":{"external_id":"A","name":"Other"}}`, Status: 201,
			},
			{
				Rule: "by id", Do: "POST /contacts/upsert", Body: `{"match":"id","data":{"id":"$anna","name":"Anne"}}`, Status: 200,
				Want: `{"id":"$anna","name":"Anne"}`,
			},
			{
				Rule: "an unknown id is 404", Do: "POST /contacts/upsert",
				Body: `{"match":"id","data":{"id":"contact_01h455vb4pex5vsknk084sn02q","name":"x"}}`, Status: 404,
			},
			{
				Rule: "what is required must be there for a new one", Do: "POST /products/upsert",
				Body: `{"match":"sku","data":{"sku":"oar"}}`, Status: 422, Wrong: "data.name:required",
			},
			{
				Rule: "a new product", Do: "POST /products/upsert", Body: `{"match":"sku","data":{"sku":"oar","name":"Oar","price":"10"}}`,
				Status: 201, Save: "oar",
			},
			{
				Rule: "not for one that is there", Do: "POST /products/upsert", Body: `{"match":"sku","data":{"sku":"OAR","price":"12"}}`,
				Status: 200, Want: `{"id":"$oar","price":"12.00"}`,
			},
			{
				Rule: "a company by its domain", Do: "POST /companies/upsert",
				Body: `{"match":"domain","data":{"domain":"port.example","name":"Port"}}`, Status: 201,
			},
			{
				Rule: "a user by e-mail", Do: "POST /users/upsert",
				Body: `{"match":"email","data":{"email":"member@harbour.example","name":"Mem"}}`, Status: 200, Want: `{"name":"Mem"}`,
			},
			{
				Rule: "a field that cannot be matched", Do: "POST /contacts/upsert", Body: `{"match":"name","data":{"name":"x"}}`,
				Status: 422, Wrong: "match:not_allowed", Want: `{"errors":[{"allowed":["id","email","external_id"]}]}`,
			},
			{
				Rule: "nothing to match by", Do: "POST /contacts/upsert", Body: `{"match":"email","data":{"name":"x"}}`, Status: 422,
				Wrong: "data.email:required",
			},
			{
				Rule: "null is nothing", Do: "POST /contacts/upsert", Body: `{"match":"email","data":{"name":"x","email":null}}`,
				Status: 422, Wrong: "data.email:required",
			},
			{Rule: "no body", Do: "POST /contacts/upsert", Status: 422, Wrong: "match:not_allowed data:required"},
			{
				Rule: "unknown keys", Do: "POST /contacts/upsert",
				Body: `{"match":"email","data":{"email":"a@b.example","nme":"x"},"why":1}`, Status: 422, Wrong: "why:unknown_field",
			},
			{
				Rule: "wrong data is named inside data", Do: "POST /contacts/upsert",
				Body: `{"match":"email","data":{"email":"a@b.example","nme":"x"}}`, Status: 422, Wrong: "data.nme:unknown_field",
			},
			{
				Rule: "a value that is no address", Do: "POST /contacts/upsert", Body: `{"match":"email","data":{"email":"no"}}`,
				Status: 422, Wrong: "data.email:invalid_format",
			},
			{
				Rule: "a second with the same address", Do: "POST /contacts", Body: `{"name":"Twin","email":"anna@harbour.example"}`,
				Status: 201, Save: "twin",
			},
			{
				Rule: "then nobody knows which is meant", Do: "POST /contacts/upsert",
				Body: `{"match":"email","data":{"email":"anna@harbour.example","name":"x"}}`, Status: 409, Code: "ambiguous_match",
				Want: `{"existing_ids":["$anna","$twin"]}`,
			},
			{Rule: "the bin does not count", Do: "DELETE /contacts/$twin", Status: 204},
			{
				Rule: "so it is one again", Do: "POST /contacts/upsert",
				Body: `{"match":"email","data":{"email":"anna@harbour.example","name":"Anna"}}`, Status: 200, Want: `{"id":"$anna"}`,
			},
			{
				Rule: "without read, an address matches nothing", As: "admin:contact.write", Do: "POST /contacts/upsert",
				Body: `{"match":"email","data":{"email":"anna@harbour.example","name":"Blind"}}`, Status: 201, Want: `{"name":"<absent>"}`,
			},
			{
				Rule: "and a unique value is in the way", As: "admin:contact.write", Do: "POST /contacts/upsert",
				Body: `{"match":"external_id","data":{"external_id":"a","name":"Blind"}}`, Status: 409, Code: "conflict",
				Want: `{"existing_id":"<absent>"}`,
			},
			{
				Rule: "it needs write", As: "admin:contact.read", Do: "POST /contacts/upsert",
				Body: `{"match":"email","data":{"email":"x@y.example"}}`, Status: 403,
			},
			{Rule: "tokens cannot be patched, so they have none", Do: "POST /tokens/upsert", Body: `{}`, Status: 405},
		})
	})
}

// Sixteen upserts at once of somebody new make one record.
func TestUpsertsAtOnce(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		servers := w.Servers(t)
		var all sync.WaitGroup
		for i := range 32 {
			all.Go(func() {
				a := servers[i%len(servers)].Send(t,
					Step{
						Do:   "POST /contacts/upsert",
						Body: fmt.Sprintf(`{"match":"email","data":{"email":"new%d@harbour.example","name":"N"}}`, i%2),
					})
				if a.Status != 201 && a.Status != 200 {
					t.Errorf("status %d: %s", a.Status, a.Text)
				}
			})
		}
		all.Wait()
		w.Check(t, Step{Do: "POST /contacts/search", Status: 200, Want: `{"meta":{"total":2}}`})
	})
}

func TestBatch(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "contacts", `{"name":"Anna","external_id":"a"}`, "anna")
		w.Create(t, "tasks", `{"title":"Call"}`, "task")
		many := strings.TrimSuffix(strings.Repeat(`{"op":"create","data":{"name":"x"}},`, 101), ",")
		w.Run(t, []Step{
			{
				Rule: "each operation has its own result, and sees those before it", Do: "POST /contacts/batch",
				Body: `{"operations":[{"op":"create","data":{"name":"Bert","external_id":"b"}},{"op":"create","data":{"email":"no"}},` +
					`{"op":"update","id":"$anna","if_match":1,"data":{"name":"Anne"}},{"op":"update","id":"$anna","if_match":1,` +
					`"data":{"name":"x"}},{"op":"upsert","match":"external_id","data":{"external_id":"b","name":"Berta"}},{"op":"create",` +
					`"data":{"name":"c","external_id":"b"}},{"op":"delete","id":"contact_01h455vb4pex5vsknk084sn02q"}]}`,
				Status: 200, Save: "bert=data.0.record.id",
				Want: `{"data":[{"status":201,"record":{"name":"Bert","version":1}},{"status":422,"error":{"code":"validation_failed",` +
					`"errors":[{"field":"email"}]}},{"status":200,"record":{"name":"Anne","version":2}},{"status":412,` +
					`"error":{"current_version":2,"changes":[{"version":2,"fields":["name"]}]}},{"status":200,"record":{"name":"Berta",` +
					`"version":2}},{"status":409,"error":{"code":"conflict"}},{"status":404,"error":{"code":"not_found"}}],` +
					`"meta":{"succeeded":3,"failed":4}}`,
			},
			{
				Rule: "what succeeded is there", Do: "POST /contacts/search", Body: `{"order_by":"name","sort_direction":"asc"}`,
				Status: 200, Found: Found("a b"),
			},
			{
				Rule: "deletion and restoring", Do: "POST /contacts/batch",
				Body:   `{"operations":[{"op":"delete","id":"$bert","if_match":2},{"op":"act","id":"$bert","action":"restore"}]}`,
				Status: 200, Want: `{"data":[{"status":204,"record":"<absent>"},{"status":200,"record":{"version":4}}]}`,
			},
			{
				Rule: "actions", Do: "POST /tasks/batch",
				Body: `{"operations":[{"op":"act","id":"$task","action":"complete"},{"op":"act","id":"$task","action":"reopen",` +
					`"if_match":2}]}`, Status: 200,
				Want: `{"data":[{"status":200,"record":{"status":"completed"}},{"status":200,"record":{"status":"open"}}]}`,
			},
			{
				Rule: "all failed is still 200", Do: "POST /contacts/batch", Body: `{"operations":[{"op":"create","data":{"email":"no"}}]}`,
				Status: 200, Want: `{"meta":{"succeeded":0,"failed":1}}`,
			},
			{
				Rule: "atomic: one failure and nothing is done", Do: "POST /contacts/batch",
				Body: `{"atomic":true,"operations":[{"op":"create","data":{"name":"x","external_id":"x"}},{"op":"delete","id":"$anna"},` +
					`{"op":"create","data":{"name":"y","email":"no"}}]}`, Status: 422, Wrong: "operations[2].data.email:invalid_format",
			},
			{
				Rule: "a conflict names its operation", Do: "POST /contacts/batch",
				Body: `{"atomic":true,"operations":[{"op":"create","data":{"name":"x","external_id":"x"}},{"op":"create",` +
					`"data":{"name":"y","external_id":"x"}}]}`, Status: 409, Wrong: "operations[1].data.external_id:not_unique",
			},
			{
				Rule: "what is not found, too", Do: "POST /contacts/batch",
				Body: `{"atomic":true,"operations":[{"op":"create","data":{"name":"x"}},{"op":"delete",` +
					`"id":"contact_01h455vb4pex5vsknk084sn02q"}]}`, Status: 404, Wrong: "operations[1]:not_found",
			},
			{
				Rule: "and an old version", Do: "POST /contacts/batch",
				Body:   `{"atomic":true,"operations":[{"op":"create","data":{"name":"x"}},{"op":"delete","id":"$anna","if_match":1}]}`,
				Status: 412, Wrong: "operations[1]:precondition_failed",
			},
			{
				Rule: "an upsert's fields are named once", Do: "POST /contacts/batch",
				Body: `{"atomic":true,"operations":[{"op":"upsert","match":"email","data":{"email":"no"}}]}`, Status: 422,
				Wrong: "operations[0].data.email:invalid_format",
			},
			{
				Rule: "what cannot be matched", Do: "POST /contacts/batch",
				Body: `{"atomic":true,"operations":[{"op":"upsert","match":"name","data":{"name":"no"}}]}`, Status: 422,
				Wrong: "operations[0].match:not_allowed",
			},
			{
				Rule: "nothing of them is left", Do: "POST /contacts/search", Body: `{"order_by":"name","sort_direction":"asc"}`,
				Status: 200, Found: Found("a b"),
			},
			{
				Rule: "atomic, when all is well", Do: "POST /contacts/batch",
				Body: `{"atomic":true,"operations":[{"op":"create","data":{"name":"x","external_id":"x"}},{"op":"create",` +
					`"data":{"name":"y","external_id":"y"}}]}`, Status: 200, Want: `{"meta":{"succeeded":2,"failed":0}}`,
			},
			{Rule: "an empty list", Do: "POST /contacts/batch", Body: `{"operations":[]}`, Status: 422, Wrong: "operations:required"},
			{Rule: "no list", Do: "POST /contacts/batch", Body: `{}`, Status: 422, Wrong: "operations:required"},
			{Rule: "another thing", Do: "POST /contacts/batch", Body: `{"operations":{}}`, Status: 422, Wrong: "operations:wrong_type"},
			{
				Rule: "too many", Do: "POST /contacts/batch", Body: `{"operations":[` + many + `]}`, Status: 422,
				Wrong: "operations:too_many",
			},
			{
				Rule: "an unknown op refuses the whole", Do: "POST /contacts/batch",
				Body: `{"operations":[{"op":"create","data":{"name":"q"}},{"op":"merge","id":"$anna"}]}`, Status: 422,
				Wrong: "operations[1].op:not_allowed", Want: `{"errors":[{"allowed":["act","create","delete","update","upsert"]}]}`,
			},
			{
				Rule: "a missing id, too", Do: "POST /contacts/batch", Body: `{"operations":[{"op":"update","data":{"name":"q"}}]}`,
				Status: 422, Wrong: "operations[0].id:required",
			},
			{
				Rule: "an unknown action", Do: "POST /contacts/batch", Body: `{"operations":[{"op":"act","id":"$anna","action":"win"}]}`,
				Status: 422, Wrong: "operations[0].action:not_allowed",
			},
			{
				Rule: "what an op does not take", Do: "POST /contacts/batch",
				Body:   `{"operations":[{"op":"create","id":"$anna","data":{"name":"q"}},{"op":"delete","id":"$anna","data":{}}]}`,
				Status: 422, Wrong: "operations[0].id:not_allowed operations[1].data:not_allowed",
			},
			{
				Rule: "unknown keys", Do: "POST /contacts/batch", Body: `{"atomc":true,"operations":[{"op":"delete","id":"$anna","x":1}]}`,
				Status: 422, Wrong: "atomc:unknown_field operations[0].x:unknown_field",
			},
			{Rule: "no objects", Do: "POST /contacts/batch", Body: `{"operations":[1]}`, Status: 422, Wrong: "operations[0]:wrong_type"},
			{
				Rule: "each needs its own scope", As: "admin:contact.write", Do: "POST /contacts/batch",
				Body: `{"operations":[{"op":"create","data":{"name":"z"}},{"op":"delete","id":"$anna"}]}`, Status: 200,
				Want: `{"data":[{"status":201,"record":{"name":"<absent>","version":1}},{"status":403,` +
					`"error":{"scope":"contact.delete"}}]}`,
			},
			{
				Rule: "deleting alone is enough to delete", As: "admin:contact.delete", Do: "POST /contacts/batch",
				Body: `{"operations":[{"op":"delete","id":"contact_01h455vb4pex5vsknk084sn02q"}]}`, Status: 200,
				Want: `{"data":[{"status":404}]}`,
			},
			{
				Rule: "reading is not", As: "admin:contact.read", Do: "POST /contacts/batch",
				Body: `{"operations":[{"op":"delete","id":"$anna"}]}`, Status: 403, Code: "insufficient_scope",
			},
			{
				Rule: "own reach holds for each", As: "member", Do: "POST /contacts/batch",
				Body:   `{"operations":[{"op":"create","data":{"name":"mine"}},{"op":"update","id":"$anna","data":{"name":"theirs"}}]}`,
				Status: 200, Want: `{"data":[{"status":201},{"status":403,"error":{"code":"forbidden_by_role"}}]}`,
			},
			{
				Rule: "a failure in the middle of a write takes back only itself", Do: "POST /tokens/batch",
				Body: `{"operations":[{"op":"create","data":{"name":"one","scopes":["contact.read"]}},{"op":"create",` +
					`"data":{"name":"two","scopes":["contact.read"],"expires_at":"2020-01-01T00:00:00Z"}},{"op":"create",` +
					`"data":{"name":"three","scopes":["contact.read"]}}]}`, Status: 200,
				Want: `{"data":[{"status":201},{"status":422},{"status":201}]}`, Chance: true,
			},
			{
				Rule: "with the others there", Do: "POST /tokens/search",
				Body: `{"filters":[{"field":"name","operator":"in","values":["one","two","three"]}],"order_by":"name"}`, Status: 200,
				Want: `{"meta":{"total":2}}`, Chance: true,
			},
		})
	})
}

func TestOldVersionsAreToldWhatChanged(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "contacts", `{"name":"Anna"}`, "anna")
		w.Check(t, Step{Do: "PATCH /contacts/$anna", Body: `{"name":"Anne","job_title":"Cook"}`, Status: 200})
		w.Check(t, Step{As: "manager", Do: "PATCH /contacts/$anna", Body: `{"address":{"city":"Kiel"}}`, Status: 200})
		w.Run(t, []Step{
			{
				Rule: "who changed which fields, newest first", Do: "PATCH /contacts/$anna", Body: `{"name":"x"}`,
				Send: []string{`+If-Match: "1"`}, Status: 412,
				Want: `{"current_version":3,"changes":[{"version":3,"at":"*","actor":{"user_id":"$manager","token_id":"*"},` +
					`"fields":["address.city"]},{"version":2,"actor":{"user_id":"$admin"},"fields":["name","job_title"]}]}`,
			},
			{
				Rule: "since the highest that is known", Do: "DELETE /contacts/$anna", Send: []string{`+If-Match: "1", "2"`}, Status: 412,
				Want: `{"current_version":3,"changes":[{"version":3}]}`,
			},
			{
				Rule: "without the scope to read only the version", As: "admin:contact.write", Do: "PATCH /contacts/$anna",
				Body: `{"name":"x"}`, Send: []string{`+If-Match: "1"`}, Status: 412, Want: `{"current_version":3,"changes":"<absent>"}`,
			},
			{
				Rule: "a tag that is none of ours tells no version to begin at", Do: "PATCH /contacts/$anna", Body: `{"name":"x"}`,
				Send: []string{`+If-Match: "x"`}, Status: 412, Want: `{"current_version":3,"changes":"<absent>"}`,
			},
			{
				Rule: "a version that is not there yet", Do: "PATCH /contacts/$anna", Body: `{"name":"x"}`,
				Send:   []string{`+If-Match: "9"`},
				Status: 412, Want: `{"current_version":3,"changes":"<absent>"}`,
			},
			{Rule: "an action, too", Do: "POST /tasks", Body: `{"title":"t"}`, Status: 201, Save: "task"},
			{Rule: "completed", Do: "POST /tasks/$task/complete", Status: 200},
			{
				Rule: "and asked for with the version before", Do: "POST /tasks/$task/reopen", Send: []string{`+If-Match: "1"`},
				Status: 412,
				Want:   `{"current_version":2,"changes":[{"version":2,"fields":["status","completed_at","completed_by"]}]}`,
			},
			{Rule: "the business, too", Do: "PATCH /business", Body: `{"locale":"de-DE"}`, Status: 200},
			{
				Rule: "for everybody who may change it", Do: "PATCH /business", Body: `{"locale":"fr-FR"}`,
				Send:   []string{`+If-Match: "1"`},
				Status: 412, Want: `{"current_version":2,"changes":[{"version":2,"fields":["locale"]}]}`,
			},
		})
	})
}

// What a batch asks is asked at once beforehand. Nevertheless each operation sees what those before it did, also where that changes
// an answer.
func TestABatchIsNotAnsweredByWhatWasBefore(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Run(t, []Step{
			{Do: "POST /companies", Body: `{"name":"Above","external_id":"above"}`, Status: 201, Save: "above"},
			{Do: "POST /companies", Body: `{"name":"Other","external_id":"other"}`, Status: 201, Save: "other"},
			{
				Rule: "a record that is deleted and comes back", Do: "POST /companies/batch", Status: 200,
				Body: `{"operations":[{"op":"create","data":{"name":"1","parent_company_id":"$above"}},{"op":"delete","id":"$above"},` +
					`{"op":"create","data":{"name":"2","parent_company_id":"$above"}},` +
					`{"op":"act","id":"$above","action":"restore"},{"op":"create","data":{"name":"3","parent_company_id":"$above"}},` +
					`{"op":"create","data":{"name":"4","parent_company_id":"company_01h455vb4pex5vsknk084sn02q"}}]}`,
				Want: `{"data":[{"status":201},{"status":204},{"status":422,"error":{"errors":[{"field":"parent_company_id",` +
					`"code":"not_found"}]}},{"status":200},{"status":201},{"status":422}]}`,
			},
			{
				Rule: "a unique value that is taken, given up and taken again", Do: "POST /companies/batch", Status: 200,
				Body: `{"operations":[{"op":"create","data":{"name":"5","external_id":"other"}},{"op":"update","id":"$other",` +
					`"data":{"external_id":"free"}},{"op":"create","data":{"name":"6","external_id":"other"}},` +
					`{"op":"create","data":{"name":"7","external_id":"other"}},{"op":"create","data":{"name":"8","external_id":"Other"}},` +
					`{"op":"upsert","match":"external_id","data":{"name":"9","external_id":"free"}},{"op":"update","id":"$above",` +
					`"data":{"external_id":"free"}}]}`,
				Want: `{"data":[{"status":409,"error":{"existing_id":"$other"}},{"status":200},{"status":201},{"status":409},` +
					`{"status":201},{"status":200,"record":{"id":"$other","name":"9"}},{"status":409,"error":{"existing_id":"$other"}}]}`,
			},
			{Do: "POST /lifecycle_stages", Body: `{"name":"Fresh"}`, Status: 201, Save: "fresh"},
			{
				Rule: "a default that changes", Do: "POST /lifecycle_stages/batch", Status: 200,
				Body: `{"operations":[{"op":"update","id":"$fresh","data":{"is_default":true}},{"op":"create","data":{"name":"Fresher",` +
					`"is_default":true}},{"op":"delete","id":"$fresh"}]}`,
				Want: `{"data":[{"status":200},{"status":201},{"status":204}]}`,
			},
		})
	})
}
