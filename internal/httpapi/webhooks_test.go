package httpapi_test

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
		if c, err := theContract(); err != nil {
			t.Error(err)
		} else if err := c.conforms("/components/schemas/WebhookPayload", &answer{text: e.body}); err != nil {
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
func (w *world) deliver(t *testing.T) (hooks *webhook.Deliverer, stop func()) {
	t.Helper()
	w.engine.PrivateReceivers = true
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	hooks = webhook.NewDeliverer(w.engine, webhook.NewSender(true).Send, func(err error) { t.Errorf("webhooks: %v", err) })
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
func (w *world) hook(t *testing.T, as string, r *receiver, rest string) (id, secret string) {
	t.Helper()
	a := w.send(t, step{as: as, do: "POST /webhooks", body: `{"url":"` + r.url + `"` + rest + `}`})
	if a.status != http.StatusCreated {
		t.Fatalf("%d %s", a.status, a.text)
	}
	return fmt.Sprint(at(a.json, "id")), fmt.Sprint(at(a.json, "secret"))
}

func (w *world) contact(t *testing.T, name string) string {
	t.Helper()
	a := w.send(t, step{do: "POST /contacts", body: `{"name":"` + name + `"}`})
	if a.status != http.StatusCreated {
		t.Fatalf("%d %s", a.status, a.text)
	}
	return fmt.Sprint(at(a.json, "id"))
}

func TestWebhooksAreChecked(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.run(t, []step{
			{
				rule: "an address is https", do: "POST /webhooks", body: `{"url":"http://example.com","events":["*"]}`, status: 422,
				wrong: "url:invalid_format",
			},
			{
				rule: "and public", do: "POST /webhooks", body: `{"url":"https://10.0.0.1/x","events":["*"]}`, status: 422,
				wrong: "url:invalid_format",
			},
			{
				rule: "events are those that there are", do: "POST /webhooks", body: `{"url":"https://example.com","events":["deal.wun"]}`,
				status: 422, wrong: "events:not_allowed",
			},
			{
				rule: "filters are those of a search", do: "POST /webhooks",
				body:   `{"url":"https://example.com","events":["*"],"filters":{"deal":[{"field":"amuont","operator":"gte","value":"1"}]}}`,
				status: 422, wrong: "filters.deal[0].field:unknown_field",
			},
			{
				rule: "of resources that there are", do: "POST /webhooks",
				body: `{"url":"https://example.com","events":["*"],"filters":{"x":[],"deal":1}}`, status: 422,
				wrong: "filters.x:unknown_field filters.deal:wrong_type",
			},
			{
				rule: "a member makes none", as: "member", do: "POST /webhooks", body: `{"url":"https://example.com","events":["*"]}`,
				status: 403, code: "forbidden_by_role",
			},
			{
				rule: "the secret is shown once", do: "POST /webhooks", body: `{"url":"https://example.com/a","events":["deal.won"]}`,
				status: 201, want: `{"secret":"*","status":"active","user_id":"$admin"}`, save: "hook", chance: true,
			},
			{rule: "and not again", do: "GET /webhooks/$hook", status: 200, want: `{"secret":"<absent>"}`},
			{
				rule: "but for another one", do: "POST /webhooks/$hook/rotate_secret", status: 200, want: `{"secret":"*","version":2}`,
				chance: true,
			},
			{
				rule: "a range ends where the log does", do: "POST /webhooks/$hook/replay", body: `{"from_seq":1,"to_seq":1000000}`,
				status: 422, wrong: "to_seq:out_of_range",
			},
			{rule: "nothing was sent", do: "POST /webhooks/$hook/deliveries/search", body: `{}`, status: 200, want: `{"data":[]}`},
			{
				rule: "one that is disabled is not tested", do: "PATCH /webhooks/$hook", body: `{"status":"disabled"}`, status: 200,
				want: `{"disabled_at":"*"}`,
			},
			{rule: "not until it is enabled", do: "POST /webhooks/$hook/test", status: 409, code: "invalid_transition"},
			{rule: "others do not see it", as: "stranger", do: "POST /webhooks/$hook/deliveries/search", body: `{}`, status: 404},
			{rule: "it is deleted for good", do: "DELETE /webhooks/$hook", status: 204},
		})
	})
}

// Events come in order, signed, without a gap; a filter leaves records out, and a role what it may not read.
func TestWebhooksAreToldOfChanges(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		all, some := newReceiver(t), newReceiver(t)
		w.deliver(t)
		id, secret := w.hook(t, "admin", all, `,"events":["contact.*"]`)
		w.hook(t, "admin:webhook.all,deal.read", some,
			`,"events":["*"],"filters":{"deal":[{"field":"name","operator":"eq","value":"Big"}]}`)
		checks, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			t.Fatal(err)
		}
		last, record := int64(0), w.contact(t, "Ada")
		for i := range 20 {
			w.send(t, step{do: "PATCH /contacts/" + record, body: fmt.Sprintf(`{"job_title":"Job %d"}`, i)})
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
			w.send(t, step{do: "POST /deals", body: `{"name":"` + name + `"}`})
		}
		if e := some.next(t); e.Type != "deal.created" || e.Data.Record["name"] != "Big" {
			t.Errorf("the other was told %s", e.body)
		}
		if a := w.send(t, step{
			do:   "POST /webhooks/" + id + "/replay",
			body: fmt.Sprintf(`{"from_seq":%d,"to_seq":%d}`, last, last),
		}); a.status != http.StatusOK {
			t.Fatalf("%d %s", a.status, a.text)
		}
		if e := all.next(t); e.Seq != last || e.Prev != nil {
			t.Errorf("sent again was %s", e.body)
		}
		w.send(t, step{do: "POST /webhooks/" + id + "/test"})
		if e := all.next(t); e.Type != crm.TestEvent {
			t.Errorf("the test was %s", e.body)
		}
	})
}

// What failed is sent again under the same id, what is about the same record waits behind it, and what is about others does not.
func TestWebhooksThatFailAreTriedAgain(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		r := newReceiver(t)
		w.deliver(t)
		id, _ := w.hook(t, "admin", r, `,"events":["contact.*"]`)
		failed := ""
		r.answer(func(e told) int {
			if failed == "" {
				failed = e.ID
				return http.StatusInternalServerError
			}
			return http.StatusOK
		})
		first := w.contact(t, "First")
		w.send(t, step{do: "PATCH /contacts/" + first, body: `{"job_title":"Later"}`})
		refused := r.next(t)
		w.contact(t, "Second")
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
		w.contact(t, "Third")
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
			a := w.send(t, step{do: "GET /webhooks/" + id})
			if at(a.json, "status") == "disabled" {
				if !strings.Contains(fmt.Sprint(at(a.json, "disabled_reason")), "410") {
					t.Errorf("it says %s", a.text)
				}
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("it is not disabled: %s", a.text)
			}
		}
		a := w.send(t, step{do: "POST /webhooks/" + id + "/deliveries/search", body: `{"limit":100}`})
		if n := len(at(a.json, "data").([]any)); n != 4 || a.status != http.StatusOK {
			t.Errorf("%d deliveries are kept: %s", n, a.text)
		}
	})
}

// A receiver that never answers holds up no other, and a server that ends loses nothing.
func TestWebhooksOutliveReceiversAndServers(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		dead, well := newReceiver(t), newReceiver(t)
		_, stop := w.deliver(t)
		dead.answer(func(told) int { return 0 })
		w.hook(t, "admin", dead, `,"events":["*"]`)
		w.hook(t, "admin", well, `,"events":["contact.created"]`)
		w.contact(t, "Before")
		before := well.next(t)
		stop()
		w.contact(t, "Meanwhile")
		w.deliver(t)
		w.contact(t, "After")
		for _, name := range []string{"Meanwhile", "After"} {
			e := well.next(t)
			if e.Data.Record["name"] != name || e.Prev == nil || *e.Prev != before.Seq {
				t.Errorf("behind %d came %s", before.Seq, e.body)
			}
			before = e
		}
	})
}
