package webhook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/kith-crm/kith/client"
	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/webhook"

	. "github.com/kith-crm/kith/internal/apitest"
)

// told is an event as a receiver got it.
type told struct {
	ID   string
	Type string `json:"type"`
	Seq  int64  `json:"seq"`
	Prev *int64 `json:"prev_seq"`
	Data struct {
		RecordID string         `json:"record_id"`
		Record   map[string]any `json:"record"`
	} `json:"data"`
	head http.Header
	body []byte
}

// receiver is somebody who is told of events.
type receiver struct {
	url    string
	events chan told
	// hold keeps it from answering until it is closed.
	hold   chan struct{}
	mu     sync.Mutex
	status func(told) int
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{events: make(chan told, 10_000)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		e := told{ID: req.Header.Get("webhook-id"), head: req.Header}
		e.body, _ = io.ReadAll(req.Body)
		if err := json.Unmarshal(e.body, &e); err != nil {
			t.Errorf("%s: %v", e.body, err)
		}
		if c, err := TheContract(); err != nil {
			t.Error(err)
		} else if err := c.Conforms("/components/schemas/WebhookPayload", &Answer{Text: e.body}); err != nil {
			t.Errorf("an event is not as the OpenAPI document says: %v\n%.1000s", err, e.body)
		}
		if r.hold != nil {
			<-r.hold
		}
		status := http.StatusNoContent
		r.mu.Lock()
		if r.status != nil {
			status = r.status(e)
		}
		r.mu.Unlock()
		if status == 0 { // it hangs
			<-req.Context().Done()
			return
		}
		r.events <- e
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

// answer decides what the receiver answers from now on: 0 never does.
func (r *receiver) answer(status func(told) int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

// next waits for an event.
func (r *receiver) next(t *testing.T) told {
	t.Helper()
	select {
	case e := <-r.events:
		return e
	case <-time.After(time.Minute):
		t.Fatal("nothing came")
		return told{}
	}
}

// deliver lets the world's server deliver to webhooks until the test ends, or until stop.
func deliver(w *World, t *testing.T) (hooks *webhook.Deliverer, stop func()) {
	t.Helper()
	w.Engine.PrivateReceivers = true
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	hooks = webhook.NewDeliverer(w.Engine, webhook.NewSender(true).Send, func(err error) { t.Errorf("webhooks: %v", err) })
	go func() {
		hooks.Work(ctx)
		close(done)
	}()
	stop = func() {
		cancel()
		<-done
	}
	t.Cleanup(stop)
	return hooks, stop
}

// hook makes a webhook, and gives its id and secret.
func hook(w *World, t *testing.T, as string, r *receiver, rest string) (id, secret string) {
	t.Helper()
	a := w.Send(t, Step{As: as, Do: "POST /webhooks", Body: `{"url":"` + r.url + `"` + rest + `}`})
	if a.Status != http.StatusCreated {
		t.Fatalf("%d %s", a.Status, a.Text)
	}
	return fmt.Sprint(At(a.JSON, "id")), fmt.Sprint(At(a.JSON, "secret"))
}

func contact(w *World, t *testing.T, name string) string {
	t.Helper()
	a := w.Send(t, Step{Do: "POST /contacts", Body: `{"name":"` + name + `"}`})
	if a.Status != http.StatusCreated {
		t.Fatalf("%d %s", a.Status, a.Text)
	}
	return fmt.Sprint(At(a.JSON, "id"))
}

func TestWebhooksAreChecked(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Run(t, []Step{
			{
				Rule: "an address is https", Do: "POST /webhooks", Body: `{"url":"http://example.com","events":["*"]}`, Status: 422,
				Wrong: "url:invalid_format",
			},
			{
				Rule: "and public", Do: "POST /webhooks", Body: `{"url":"https://10.0.0.1/x","events":["*"]}`, Status: 422,
				Wrong: "url:invalid_format",
			},
			{
				Rule: "events are those that there are", Do: "POST /webhooks", Body: `{"url":"https://example.com","events":["deal.wun"]}`,
				Status: 422, Wrong: "events:not_allowed",
			},
			{
				Rule: "filters are those of a search", Do: "POST /webhooks",
				Body:   `{"url":"https://example.com","events":["*"],"filters":{"deal":[{"field":"amuont","operator":"gte","value":"1"}]}}`,
				Status: 422, Wrong: "filters.deal[0].field:unknown_field",
			},
			{
				Rule: "of resources that there are", Do: "POST /webhooks",
				Body: `{"url":"https://example.com","events":["*"],"filters":{"x":[],"deal":1}}`, Status: 422,
				Wrong: "filters.x:unknown_field filters.deal:wrong_type",
			},
			{
				Rule: "a member makes none", As: "member", Do: "POST /webhooks", Body: `{"url":"https://example.com","events":["*"]}`,
				Status: 403, Code: "forbidden_by_role",
			},
			{
				Rule: "the secret is shown once", Do: "POST /webhooks", Body: `{"url":"https://example.com/a","events":["deal.won"]}`,
				Status: 201, Want: `{"secret":"*","status":"active","user_id":"$admin"}`, Save: "hook", Chance: true,
			},
			{Rule: "and not again", Do: "GET /webhooks/$hook", Status: 200, Want: `{"secret":"<absent>"}`},
			{
				Rule: "but for another one", Do: "POST /webhooks/$hook/rotate_secret", Status: 200, Want: `{"secret":"*","version":2}`,
				Chance: true,
			},
			{
				Rule: "a range ends where the log does", Do: "POST /webhooks/$hook/replay", Body: `{"from_seq":1,"to_seq":1000000}`,
				Status: 422, Wrong: "to_seq:out_of_range",
			},
			{Rule: "nothing was sent", Do: "POST /webhooks/$hook/deliveries/search", Body: `{}`, Status: 200, Want: `{"data":[]}`},
			{
				Rule: "one that is disabled is not tested", Do: "PATCH /webhooks/$hook", Body: `{"status":"disabled"}`, Status: 200,
				Want: `{"disabled_at":"*"}`,
			},
			{Rule: "not until it is enabled", Do: "POST /webhooks/$hook/test", Status: 409, Code: "invalid_transition"},
			{Rule: "others do not see it", As: "stranger", Do: "POST /webhooks/$hook/deliveries/search", Body: `{}`, Status: 404},
			{Rule: "it is deleted for good", Do: "DELETE /webhooks/$hook", Status: 204},
		})
	})
}

// Events come in order, signed, without a gap; a filter leaves records out, and a role what it may not read.
func TestWebhooksAreToldOfChanges(t *testing.T) {
	t.Parallel()
	OnEach(t, func(t *testing.T, w *World) {
		all, some := newReceiver(t), newReceiver(t)
		deliver(w, t)
		id, secret := hook(w, t, "admin", all, `,"events":["contact.*"]`)
		hook(w, t, "admin:webhook.all,deal.read", some,
			`,"events":["*"],"filters":{"deal":[{"field":"name","operator":"eq","value":"Big"}]}`)
		checks, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			t.Fatal(err)
		}
		last, record := int64(0), contact(w, t, "Ada")
		for i := range 20 {
			w.Send(t, Step{Do: "PATCH /contacts/" + record, Body: fmt.Sprintf(`{"job_title":"Job %d"}`, i)})
		}
		for i := range 21 {
			e := all.next(t)
			if err := checks.Verify(e.body, e.head); err != nil {
				t.Fatal(err)
			}
			read, err := client.VerifyWebhook(secret, e.head, e.body)
			if err != nil || read.Type != e.Type || read.Seq != e.Seq || read.Data.RecordID != record {
				t.Fatalf("our client reads %+v, %v", read, err)
			}
			want := "contact.updated"
			if i == 0 {
				want = "contact.created"
			}
			if e.Type != want || e.Seq <= last || i > 0 && (e.Prev == nil || *e.Prev != last) || i == 0 && e.Prev != nil ||
				e.Data.RecordID != record || e.Data.Record["id"] != record {
				t.Fatalf("event %d is %s, behind %d", i, e.body, last)
			}
			last = e.Seq
		}
		for _, name := range []string{"Small", "Big"} {
			w.Send(t, Step{Do: "POST /deals", Body: `{"name":"` + name + `"}`})
		}
		if e := some.next(t); e.Type != "deal.created" || e.Data.Record["name"] != "Big" {
			t.Errorf("the other was told %s", e.body)
		}
		if a := w.Send(t, Step{
			Do:   "POST /webhooks/" + id + "/replay",
			Body: fmt.Sprintf(`{"from_seq":%d,"to_seq":%d}`, last, last),
		}); a.Status != http.StatusOK {
			t.Fatalf("%d %s", a.Status, a.Text)
		}
		if e := all.next(t); e.Seq != last || e.Prev != nil {
			t.Errorf("sent again was %s", e.body)
		}
		w.Send(t, Step{Do: "POST /webhooks/" + id + "/test"})
		if e := all.next(t); e.Type != crm.TestEvent {
			t.Errorf("the test was %s", e.body)
		}
	})
}

// What failed is sent again under the same id, what is about the same record waits behind it, and what is about others does not.
func TestWebhooksThatFailAreTriedAgain(t *testing.T) {
	t.Parallel()
	OnEach(t, func(t *testing.T, w *World) {
		r := newReceiver(t)
		deliver(w, t)
		id, _ := hook(w, t, "admin", r, `,"events":["contact.*"]`)
		failed := ""
		r.answer(func(e told) int {
			if failed == "" {
				failed = e.ID
				return http.StatusInternalServerError
			}
			return http.StatusOK
		})
		first := contact(w, t, "First")
		w.Send(t, Step{Do: "PATCH /contacts/" + first, Body: `{"job_title":"Later"}`})
		refused := r.next(t)
		contact(w, t, "Second")
		var order []string
		for range 3 {
			e := r.next(t)
			if e.Data.RecordID == first {
				order = append(order, e.Type)
			}
			if e.Type == "contact.created" && e.Data.RecordID == first && e.ID != refused.ID {
				t.Errorf("it was sent again as %s, not %s", e.ID, refused.ID)
			}
		}
		if strings.Join(order, " ") != "contact.created contact.updated" {
			t.Errorf("they came as %q", order)
		}
		// 410 ends it, and the record says so.
		r.answer(func(told) int { return http.StatusGone })
		contact(w, t, "Third")
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
			a := w.Send(t, Step{Do: "GET /webhooks/" + id})
			if At(a.JSON, "status") == "disabled" {
				if !strings.Contains(fmt.Sprint(At(a.JSON, "disabled_reason")), "410") {
					t.Errorf("it says %s", a.Text)
				}
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("it is not disabled: %s", a.Text)
			}
		}
		a := w.Send(t, Step{Do: "POST /webhooks/" + id + "/deliveries/search", Body: `{"limit":100}`})
		if n := len(At(a.JSON, "data").([]any)); n != 4 || a.Status != http.StatusOK {
			t.Errorf("%d deliveries are kept: %s", n, a.Text)
		}
	})
}

// A receiver that never answers holds up no other, and a server that ends loses nothing.
func TestWebhooksOutliveReceiversAndServers(t *testing.T) {
	t.Parallel()
	OnEach(t, func(t *testing.T, w *World) {
		dead, well := newReceiver(t), newReceiver(t)
		_, stop := deliver(w, t)
		dead.answer(func(told) int { return 0 })
		hook(w, t, "admin", dead, `,"events":["*"]`)
		hook(w, t, "admin", well, `,"events":["contact.created"]`)
		contact(w, t, "Before")
		before := well.next(t)
		stop()
		contact(w, t, "Meanwhile")
		deliver(w, t)
		contact(w, t, "After")
		for _, name := range []string{"Meanwhile", "After"} {
			e := well.next(t)
			if e.Data.Record["name"] != name || e.Prev == nil || *e.Prev != before.Seq {
				t.Errorf("behind %d came %s", before.Seq, e.body)
			}
			before = e
		}
	})
}
