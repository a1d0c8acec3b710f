package record_test

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

	. "github.com/kith-crm/kith/internal/apitest"
)

func TestChangesTellWhatHappenedInTheBusiness(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.OwnReader(t)
		a := w.Check(t, Step{Do: "POST /changes/search", Body: `{"limit":1}`, Status: 200, Save: "begin=meta.latest"})
		latest, err := At(a.JSON, "meta.latest").(json.Number).Int64()
		if err != nil {
			t.Fatal(err)
		}
		for n := range 9 {
			w.Vars[fmt.Sprint("n", n)] = fmt.Sprint(latest + int64(n))
		}
		const all = "POST /changes/search"
		w.Create(t, "contacts", `{"name":"Anna"}`, "anna")                                                                        // 1
		w.Create(t, "deals", `{"name":"Boat"}`, "boat")                                                                           // 2
		w.Check(t, Step{Do: "PATCH /contacts/$anna", Body: `{"name":"Anne"}`, Status: 200})                                       // 3
		w.Check(t, Step{Do: "PATCH /business", Body: `{"locale":"de-DE"}`, Status: 200, Save: "business"})                        // 4
		w.Check(t, Step{As: "own", Do: "POST /deals", Body: `{"name":"Mine"}`, Status: 201, Save: "mine"})                        // 5
		w.Check(t, Step{As: "own", Do: "DELETE /deals/$mine", Status: 204})                                                       // 6
		w.Check(t, Step{Do: "PATCH /lifecycle_stages/" + firstOf(w, t, "lifecycle_stages"), Body: `{"name":"New"}`, Status: 200}) // 7
		w.Run(t, []Step{
			{
				Rule: "all that may be read, in the order of commits, behind a number", Do: all, Body: `{"after":$n0}`, Status: 200,
				Want: `{"data":[{"seq":$n1,"resource":"contact","record_id":"$anna","at":"*","action":"create","version":1,` +
					`"actor":{"user_id":"$admin","token_id":"*","app_id":null},"request_id":"*","changes":{"name":{"from":null,` +
					`"to":"Anna"}}},{"resource":"deal","record_id":"$boat"},{"resource":"contact","action":"update"},` +
					`{"resource":"business","record_id":"$business","action":"update","changes":{"locale":{"from":null,"to":"de-DE"}}},` +
					`{"record_id":"$mine","action":"create"},{"record_id":"$mine","action":"delete","changes":{}},` +
					`{"resource":"lifecycle_stage"}],"meta":{"latest":$n7,"next":$n7,"cursor":"<absent>"}}`,
			},
			{
				Rule: "a page ends where it is full", Do: all, Body: `{"after":$n0,"limit":2}`, Status: 200,
				Want: `{"data":[{"seq":$n1},{"seq":$n2}],"meta":{"latest":$n7,"next":$n2}}`,
			},
			{
				Rule: "and the next goes on behind", Do: all, Body: `{"after":$n2,"limit":2}`, Status: 200,
				Want: `{"data":[{"seq":$n3},{"seq":$n4}],"meta":{"latest":$n7,"next":$n4}}`,
			},
			{
				Rule: "at the end there is nothing", Do: all, Body: `{"after":$n7}`, Status: 200,
				Want: `{"data":[],"meta":{"latest":$n7,"next":$n7}}`,
			},
			{
				Rule: "behind the end, too", Do: all, Body: `{"after":$n8}`, Status: 200,
				Want: `{"data":[],"meta":{"latest":$n7,"next":$n8}}`,
			},
			{
				Rule: "only some resources", Do: all, Body: `{"after":$n0,"resources":["contact","business"]}`, Status: 200,
				Want: `{"data":[{"seq":$n1},{"seq":$n3},{"seq":$n4}],"meta":{"latest":$n7,"next":$n7}}`,
			},
			{
				Rule: "next tells how far that was looked through", Do: all, Body: `{"after":$n0,"resources":["product"]}`, Status: 200,
				Want: `{"data":[],"meta":{"latest":$n7,"next":$n7}}`,
			},
			{
				Rule: "a full page of them says where it ends", Do: all, Body: `{"after":$n0,"resources":["contact"],"limit":1}`,
				Status: 200, Want: `{"data":[{"seq":$n1}],"meta":{"next":$n1}}`,
			},
			{
				Rule: "none named is all", Do: all, Body: `{"after":$n6,"resources":[],"limit":null}`, Status: 200,
				Want: `{"data":[{"seq":$n7}]}`,
			},
			{
				Rule: "a token sees what its scopes read, and the business", As: "admin:contact.read", Do: all, Body: `{"after":$n0}`,
				Status: 200, Want: `{"data":[{"seq":$n1},{"seq":$n3},{"seq":$n4}]}`,
			},
			{
				Rule: "a resource that is named needs its scope", As: "admin:contact.read", Do: all,
				Body: `{"resources":["contact","deal"]}`, Status: 403, Code: "insufficient_scope", Want: `{"scope":"deal.read"}`,
			},
			{
				Rule: "under own only one's own, deletions too", As: "own", Do: all, Body: `{"after":$n0,"resources":["contact","deal"]}`,
				Status: 200, Want: `{"data":[{"seq":$n5,"record_id":"$mine"},{"seq":$n6,"action":"delete"}]}`,
			},
			{Rule: "what one hands over", As: "own", Do: "POST /deals/$mine/restore", Status: 200},
			{Rule: "to somebody else", As: "own", Do: "PATCH /deals/$mine", Body: `{"owner_id":"$admin"}`, Status: 200},
			{
				Rule: "one does not see any more, nor what was before", As: "own", Do: all,
				Body: `{"after":$n0,"resources":["contact","deal"]}`, Status: 200, Want: `{"data":[]}`,
			},
			{
				Rule: "the new owner does", Do: all, Body: `{"after":$n0,"resources":["deal"]}`, Status: 200,
				Want: `{"data":[{"record_id":"$boat"},{"record_id":"$mine","action":"create"},{"action":"delete"},{"action":"restore"},` +
					`{"changes":{"owner_id":{"to":"$admin"}}}]}`,
			},
			{Rule: "a role that reads nothing", Do: "POST /roles", Body: `{"name":"nothing"}`, Status: 201},
			{Rule: "another business sees nothing of it", As: "stranger", Do: all, Body: `{"after":$n0}`, Status: 200, Want: `{"data":[]}`},
			{
				Rule: "all that is wrong is named", Do: all, Body: `{"after":-1,"limit":101,"resources":["contacts"],"cursor":"x"}`,
				Status: 422, Wrong: "after:out_of_range limit:out_of_range resources[0]:not_allowed cursor:unknown_field",
			},
			{
				Rule: "types, too", Do: all, Body: `{"after":"1","limit":"1","resources":"contact"}`, Status: 422,
				Wrong: "after:wrong_type limit:wrong_type resources:wrong_type",
			},
			{
				Rule: "no body asks from the beginning", Do: all, Status: 200,
				Want:   `{"data":[{"seq":1},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}],"meta":{"next":25}}`,
				Chance: true,
			},
			{
				Rule: "it reads, so there is no dry run", Do: "POST /changes/search?dry_run=true", Status: 422,
				Wrong: "dry_run:unknown_parameter",
			},
			{Rule: "it is no GET", Do: "GET /changes/search", Status: 405},
		})
		w.Person(t, "nobody", "nothing")
		w.Run(t, []Step{
			{
				Rule: "without any right there is the business", As: "nobody", Do: all, Body: `{"after":$n0}`, Status: 200,
				Want: `{"data":[{"seq":$n4,"resource":"business"}]}`,
			},
			{
				Rule: "naming another is forbidden", As: "nobody", Do: all, Body: `{"resources":["deal"]}`, Status: 403,
				Code: "forbidden_by_role",
			},
		})
	})
}

// firstOf is the id of some record.
func firstOf(w *World, t *testing.T, plural string) string {
	t.Helper()
	return fmt.Sprint(At(w.Send(t, Step{Do: "POST /" + plural + "/search"}).JSON, "data.0.id"))
}

// No secret that was ever shown is in the log, nor its hash's stand-in.
func TestChangesHaveNoSecrets(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		token := w.Check(t, Step{Do: "POST /tokens", Body: `{"name":"CI","scopes":["contact.read"]}`, Status: 201, Chance: true})
		app := w.Check(t, Step{Do: "POST /apps", Body: `{"name":"Sync","scopes":["contact.read"]}`, Status: 201, Chance: true, Save: "app"})
		again := w.Check(t, Step{Do: "POST /apps/$app/rotate_secret", Status: 200, Chance: true})
		a := w.Check(t, Step{
			Do: "POST /changes/search", Body: `{"resources":["token","app","user"],"limit":100}`, Status: 200,
			Chance: true,
		})
		if !strings.Contains(string(a.Text), `"rotate_secret"`) {
			t.Errorf("the new secret is not in the log: %s", a.Text)
		}
		for _, secret := range []any{At(token.JSON, "token"), At(app.JSON, "client_secret"), At(again.JSON, "client_secret")} {
			text := fmt.Sprint(secret)
			if len(text) < 40 || strings.Contains(string(a.Text), text) || strings.Contains(string(a.Text), text[20:]) {
				t.Errorf("the secret %.12s… is in the log, or there is none", text)
			}
		}
	})
}

// Whoever reads on from number to number, while others write, gets every change exactly once.
func TestChangesHaveNoGaps(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		t.Parallel()
		servers := w.Servers(t)
		var writers sync.WaitGroup
		var done atomic.Bool
		for i := range 6 {
			writers.Go(func() {
				for n := range 12 {
					s := servers[(i+n)%len(servers)]
					body := fmt.Sprintf(`{"operations":[{"op":"create","data":{"name":"%d %d"}},{"op":"create","data":{"email":"no"}},`+
						`{"op":"create","data":{"name":"x"}}]}`, i, n)
					if a := s.Send(t, Step{Do: "POST /contacts/batch", Body: body}); a.Status != 200 {
						t.Errorf("status %d: %s", a.Status, a.Text)
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
			a := servers[int(after)%len(servers)].Send(t,
				Step{Do: "POST /changes/search", Body: fmt.Sprintf(`{"after":%d,"limit":7}`, after)})
			var page struct {
				Data []entry
				Meta struct{ Latest, Next int64 }
			}
			if err := json.Unmarshal(a.Text, &page); err != nil || a.Status != 200 {
				t.Fatalf("status %d: %s", a.Status, a.Text)
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
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.OwnReader(t)
		res := &record.KindOf("contact").Resource
		err := w.Tenant.Write(context.Background(), store.Actor{User: w.Users["admin"]}, func(tx *store.Tx) error {
			var many []*schema.Record
			for range 6000 {
				rec := storetest.NewRecord(res)
				rec.Put(res.Common.OwnerID, schema.IDValue(w.Users["admin"]))
				many = append(many, rec)
			}
			return tx.InsertMany(res, many, "create")
		})
		if err != nil {
			t.Fatal(err)
		}
		w.Check(t, Step{As: "own", Do: "POST /contacts", Body: `{"name":"Mine"}`, Status: 201, Save: "mine"})
		for _, s := range []struct{ as, resources string }{{"own", `["contact"]`}, {"admin", `["deal","contact"]`}} {
			pages, shown := 0, 0
			for after := "0"; ; {
				a := w.Send(t, Step{
					As: s.as, Do: "POST /changes/search",
					Body: `{"limit":100,"after":` + after + `,"resources":` + s.resources + `}`,
				})
				data, _ := At(a.JSON, "data").([]any)
				pages, shown = pages+1, shown+len(data)
				after = fmt.Sprint(At(a.JSON, "meta.next"))
				if a.Status != 200 || pages > 100 {
					t.Fatalf("page %d is %d: %s", pages, a.Status, a.Text)
				}
				if after == fmt.Sprint(At(a.JSON, "meta.latest")) {
					break
				}
			}
			if want := map[string][2]int{"own": {2, 1}, "admin": {61, 6001}}[s.as]; pages != want[0] || shown != want[1] {
				t.Errorf("%s saw %d changes on %d pages, want %d on %d", s.as, shown, pages, want[1], want[0])
			}
		}
	})
}
