package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/storetest"
)

func TestChangesTellWhatHappenedInTheBusiness(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.ownReader(t)
		a := w.check(t, step{do: "POST /changes/search", body: `{"limit":1}`, status: 200, save: "begin=meta.latest"})
		latest, err := at(a.json, "meta.latest").(json.Number).Int64()
		if err != nil {
			t.Fatal(err)
		}
		for n := range 9 {
			w.vars[fmt.Sprint("n", n)] = fmt.Sprint(latest + int64(n))
		}
		const all = "POST /changes/search"
		w.create(t, "contacts", `{"name":"Anna"}`, "anna")                                                                       // 1
		w.create(t, "deals", `{"name":"Boat"}`, "boat")                                                                          // 2
		w.check(t, step{do: "PATCH /contacts/$anna", body: `{"name":"Anne"}`, status: 200})                                      // 3
		w.check(t, step{do: "PATCH /business", body: `{"locale":"de-DE"}`, status: 200, save: "business"})                       // 4
		w.check(t, step{as: "own", do: "POST /deals", body: `{"name":"Mine"}`, status: 201, save: "mine"})                       // 5
		w.check(t, step{as: "own", do: "DELETE /deals/$mine", status: 204})                                                      // 6
		w.check(t, step{do: "PATCH /lifecycle_stages/" + w.firstOf(t, "lifecycle_stages"), body: `{"name":"New"}`, status: 200}) // 7
		w.run(t, []step{
			{
				rule: "all that may be read, in the order of commits, behind a number", do: all, body: `{"after":$n0}`, status: 200,
				want: `{"data":[{"seq":$n1,"resource":"contact","record_id":"$anna","at":"*","action":"create","version":1,` +
					`"actor":{"user_id":"$admin","token_id":"*","app_id":null},"request_id":"*","changes":{"name":{"from":null,` +
					`"to":"Anna"}}},{"resource":"deal","record_id":"$boat"},{"resource":"contact","action":"update"},` +
					`{"resource":"business","record_id":"$business","action":"update","changes":{"locale":{"from":null,"to":"de-DE"}}},` +
					`{"record_id":"$mine","action":"create"},{"record_id":"$mine","action":"delete","changes":{}},` +
					`{"resource":"lifecycle_stage"}],"meta":{"latest":$n7,"next":$n7,"cursor":"<absent>"}}`,
			},
			{
				rule: "a page ends where it is full", do: all, body: `{"after":$n0,"limit":2}`, status: 200,
				want: `{"data":[{"seq":$n1},{"seq":$n2}],"meta":{"latest":$n7,"next":$n2}}`,
			},
			{
				rule: "and the next goes on behind", do: all, body: `{"after":$n2,"limit":2}`, status: 200,
				want: `{"data":[{"seq":$n3},{"seq":$n4}],"meta":{"latest":$n7,"next":$n4}}`,
			},
			{
				rule: "at the end there is nothing", do: all, body: `{"after":$n7}`, status: 200,
				want: `{"data":[],"meta":{"latest":$n7,"next":$n7}}`,
			},
			{
				rule: "behind the end, too", do: all, body: `{"after":$n8}`, status: 200,
				want: `{"data":[],"meta":{"latest":$n7,"next":$n8}}`,
			},
			{
				rule: "only some resources", do: all, body: `{"after":$n0,"resources":["contact","business"]}`, status: 200,
				want: `{"data":[{"seq":$n1},{"seq":$n3},{"seq":$n4}],"meta":{"latest":$n7,"next":$n7}}`,
			},
			{
				rule: "next tells how far that was looked through", do: all, body: `{"after":$n0,"resources":["product"]}`, status: 200,
				want: `{"data":[],"meta":{"latest":$n7,"next":$n7}}`,
			},
			{
				rule: "a full page of them says where it ends", do: all, body: `{"after":$n0,"resources":["contact"],"limit":1}`,
				status: 200, want: `{"data":[{"seq":$n1}],"meta":{"next":$n1}}`,
			},
			{
				rule: "none named is all", do: all, body: `{"after":$n6,"resources":[],"limit":null}`, status: 200,
				want: `{"data":[{"seq":$n7}]}`,
			},
			{
				rule: "a token sees what its scopes read, and the business", as: "admin:contact.read", do: all, body: `{"after":$n0}`,
				status: 200, want: `{"data":[{"seq":$n1},{"seq":$n3},{"seq":$n4}]}`,
			},
			{
				rule: "a resource that is named needs its scope", as: "admin:contact.read", do: all,
				body: `{"resources":["contact","deal"]}`, status: 403, code: "insufficient_scope", want: `{"scope":"deal.read"}`,
			},
			{
				rule: "under own only one's own, deletions too", as: "own", do: all, body: `{"after":$n0,"resources":["contact","deal"]}`,
				status: 200, want: `{"data":[{"seq":$n5,"record_id":"$mine"},{"seq":$n6,"action":"delete"}]}`,
			},
			{rule: "what one hands over", as: "own", do: "POST /deals/$mine/restore", status: 200},
			{rule: "to somebody else", as: "own", do: "PATCH /deals/$mine", body: `{"owner_id":"$admin"}`, status: 200},
			{
				rule: "one does not see any more, nor what was before", as: "own", do: all,
				body: `{"after":$n0,"resources":["contact","deal"]}`, status: 200, want: `{"data":[]}`,
			},
			{
				rule: "the new owner does", do: all, body: `{"after":$n0,"resources":["deal"]}`, status: 200,
				want: `{"data":[{"record_id":"$boat"},{"record_id":"$mine","action":"create"},{"action":"delete"},{"action":"restore"},` +
					`{"changes":{"owner_id":{"to":"$admin"}}}]}`,
			},
			{rule: "a role that reads nothing", do: "POST /roles", body: `{"name":"nothing"}`, status: 201},
			{rule: "another business sees nothing of it", as: "stranger", do: all, body: `{"after":$n0}`, status: 200, want: `{"data":[]}`},
			{
				rule: "all that is wrong is named", do: all, body: `{"after":-1,"limit":101,"resources":["contacts"],"cursor":"x"}`,
				status: 422, wrong: "after:out_of_range limit:out_of_range resources[0]:not_allowed cursor:unknown_field",
			},
			{
				rule: "types, too", do: all, body: `{"after":"1","limit":"1","resources":"contact"}`, status: 422,
				wrong: "after:wrong_type limit:wrong_type resources:wrong_type",
			},
			{
				rule: "no body asks from the beginning", do: all, status: 200,
				want:   `{"data":[{"seq":1},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}],"meta":{"next":25}}`,
				chance: true,
			},
			{
				rule: "it reads, so there is no dry run", do: "POST /changes/search?dry_run=true", status: 422,
				wrong: "dry_run:unknown_parameter",
			},
			{rule: "it is no GET", do: "GET /changes/search", status: 405},
		})
		w.person(t, "nobody", "nothing")
		w.run(t, []step{
			{
				rule: "without any right there is the business", as: "nobody", do: all, body: `{"after":$n0}`, status: 200,
				want: `{"data":[{"seq":$n4,"resource":"business"}]}`,
			},
			{
				rule: "naming another is forbidden", as: "nobody", do: all, body: `{"resources":["deal"]}`, status: 403,
				code: "forbidden_by_role",
			},
		})
	})
}

// firstOf is the id of some record.
func (w *world) firstOf(t *testing.T, plural string) string {
	t.Helper()
	return fmt.Sprint(at(w.send(t, step{do: "POST /" + plural + "/search"}).json, "data.0.id"))
}

// No secret that was ever shown is in the log, nor its hash's stand-in.
func TestChangesHaveNoSecrets(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		token := w.check(t, step{do: "POST /tokens", body: `{"name":"CI","scopes":["contact.read"]}`, status: 201, chance: true})
		app := w.check(t, step{do: "POST /apps", body: `{"name":"Sync","scopes":["contact.read"]}`, status: 201, chance: true, save: "app"})
		again := w.check(t, step{do: "POST /apps/$app/rotate_secret", status: 200, chance: true})
		a := w.check(t, step{
			do: "POST /changes/search", body: `{"resources":["token","app","user"],"limit":100}`, status: 200,
			chance: true,
		})
		if !strings.Contains(string(a.text), `"rotate_secret"`) {
			t.Errorf("the new secret is not in the log: %s", a.text)
		}
		for _, secret := range []any{at(token.json, "token"), at(app.json, "client_secret"), at(again.json, "client_secret")} {
			text := fmt.Sprint(secret)
			if len(text) < 40 || strings.Contains(string(a.text), text) || strings.Contains(string(a.text), text[20:]) {
				t.Errorf("the secret %.12s… is in the log, or there is none", text)
			}
		}
	})
}

// Whoever reads on from number to number, while others write, gets every change exactly once.
func TestChangesHaveNoGaps(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		t.Parallel()
		servers := w.servers(t)
		var writers sync.WaitGroup
		var done atomic.Bool
		for i := range 6 {
			writers.Go(func() {
				for n := range 12 {
					s := servers[(i+n)%len(servers)]
					body := fmt.Sprintf(`{"operations":[{"op":"create","data":{"name":"%d %d"}},{"op":"create","data":{"email":"no"}},`+
						`{"op":"create","data":{"name":"x"}}]}`, i, n)
					if a := s.send(t, step{do: "POST /contacts/batch", body: body}); a.status != 200 {
						t.Errorf("status %d: %s", a.status, a.text)
					}
				}
			})
		}
		go func() {
			writers.Wait()
			done.Store(true)
		}()
		seen := int64(0)
		for after := int64(0); ; {
			finished := done.Load()
			a := servers[int(after)%len(servers)].send(t,
				step{do: "POST /changes/search", body: fmt.Sprintf(`{"after":%d,"limit":7}`, after)})
			var page struct {
				Data []entry
				Meta struct{ Latest, Next int64 }
			}
			if err := json.Unmarshal(a.text, &page); err != nil || a.status != 200 {
				t.Fatalf("status %d: %s", a.status, a.text)
			}
			for _, e := range page.Data {
				if seen++; e.Seq != seen {
					t.Fatalf("%d comes where %d should", e.Seq, seen)
				}
			}
			if page.Meta.Next != seen || page.Meta.Latest < seen {
				t.Fatalf("behind %d next is %d and the latest %d", seen, page.Meta.Next, page.Meta.Latest)
			}
			if after = page.Meta.Next; finished && after == page.Meta.Latest {
				break
			}
		}
		if seen < 144 {
			t.Errorf("%d changes were seen", seen)
		}
	})
}

// A page looks through a stretch of the log and no more. It tells where the next one goes on, although it has nothing to show.
func TestChangesAreLookedThroughStretchByStretch(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.ownReader(t)
		res := &record.KindOf("contact").Resource
		err := w.tenant.Write(context.Background(), store.Actor{User: w.users["admin"]}, func(tx *store.Tx) error {
			var many []*schema.Record
			for range 6000 {
				rec := storetest.NewRecord(res)
				rec.Put(res.Common.OwnerID, schema.IDValue(w.users["admin"]))
				many = append(many, rec)
			}
			return tx.InsertMany(res, many, "create")
		})
		if err != nil {
			t.Fatal(err)
		}
		w.check(t, step{as: "own", do: "POST /contacts", body: `{"name":"Mine"}`, status: 201, save: "mine"})
		for _, s := range []struct{ as, resources string }{{"own", `["contact"]`}, {"admin", `["deal","contact"]`}} {
			pages, shown := 0, 0
			for after := "0"; ; {
				a := w.send(t, step{
					as: s.as, do: "POST /changes/search",
					body: `{"limit":100,"after":` + after + `,"resources":` + s.resources + `}`,
				})
				data, _ := at(a.json, "data").([]any)
				pages, shown = pages+1, shown+len(data)
				after = fmt.Sprint(at(a.json, "meta.next"))
				if a.status != 200 || pages > 100 {
					t.Fatalf("page %d is %d: %s", pages, a.status, a.text)
				}
				if after == fmt.Sprint(at(a.json, "meta.latest")) {
					break
				}
			}
			if want := map[string][2]int{"own": {2, 1}, "admin": {61, 6001}}[s.as]; pages != want[0] || shown != want[1] {
				t.Errorf("%s saw %d changes on %d pages, want %d on %d", s.as, shown, pages, want[1], want[0])
			}
		}
	})
}
