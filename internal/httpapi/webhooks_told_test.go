package httpapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/crm"
)

// until waits for something that another goroutine brings about.
func until(t *testing.T, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !so(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it never came to pass that %s", what)
		}
	}
}

// A webhook for everything is told of what happens to records of every resource, be they live, in the bin, or gone.
func TestWebhooksAreToldOfEverything(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		r := newReceiver(t)
		w.deliver(t)
		w.hook(t, "admin", r, `,"events":["*"]`)
		want := map[string][]string{}
		for _, n := range newRecords {
			kind := kindOf(t, n.plural)
			made := w.send(t, step{do: "POST /" + n.plural, body: n.body})
			id := fmt.Sprint(at(made.json, "id"))
			if made.status != http.StatusCreated {
				t.Fatalf("%s: %d %s", n.plural, made.status, made.text)
			}
			want[id] = append(want[id], kind.Name+".created")
			for _, s := range []struct{ operation, do, body, event string }{
				{"patch", "PATCH /" + n.plural + "/" + id, n.patch, "updated"},
				{"delete", "DELETE /" + n.plural + "/" + id, "", "deleted"},
				{"restore", "POST /" + n.plural + "/" + id + "/restore", "", "restored"},
			} {
				if !offers(kind, s.operation) {
					continue
				}
				if a := w.send(t, step{do: s.do, body: s.body}); a.status >= 300 {
					t.Fatalf("%s: %d %s", s.do, a.status, a.text)
				}
				want[id] = append(want[id], kind.Name+"."+s.event)
			}
		}
		w.send(t, step{do: "PATCH /business", body: `{"name":"Another"}`})
		got := map[string][]string{}
		for e := (told{}); e.Type != "business.updated"; {
			if e = r.next(t); e.Data.Record == nil && e.Type != "business.updated" {
				t.Errorf("there is no record in %s", e.body)
			}
			got[e.Data.RecordID] = append(got[e.Data.RecordID], e.Type)
		}
		until(t, "all came", func() bool {
			for len(r.events) > 0 {
				e := r.next(t)
				got[e.Data.RecordID] = append(got[e.Data.RecordID], e.Type)
			}
			for id, events := range want {
				if len(got[id]) < len(events) {
					return false
				}
			}
			return true
		})
		for id, events := range want {
			if !slices.Equal(got[id], events) {
				t.Errorf("%s was told as %q, want %q", id, got[id], events)
			}
		}
	})
}

// What was sent of somebody is forgotten with them, also what still waits; that they were erased is told.
func TestWebhooksForgetWhoIsErased(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		r := newReceiver(t)
		w.deliver(t)
		id, _ := w.hook(t, "admin", r, `,"events":["contact.*"]`)
		deliveries := func() []any {
			a := w.send(t, step{do: "POST /webhooks/" + id + "/deliveries/search", body: `{"limit":100,"sort_direction":"asc"}`})
			list, _ := at(a.json, "data").([]any)
			return list
		}
		contact := w.contact(t, "Told Once")
		r.next(t)
		r.answer(func(told) int { return http.StatusServiceUnavailable })
		w.send(t, step{do: "PATCH /contacts/" + contact, body: `{"job_title":"Spy"}`})
		until(t, "it failed", func() bool { return len(deliveries()) == 2 })
		if a := w.send(t, step{do: "POST /contacts/" + contact + "/erase", body: `{"reason":"asked"}`}); a.status != http.StatusNoContent {
			t.Fatalf("%d %s", a.status, a.text)
		}
		r.answer(nil)
		for e := r.next(t); e.Type != "contact.erased"; e = r.next(t) {
			if e.Data.RecordID != contact {
				t.Errorf("%s came", e.body)
			}
		}
		until(t, "it is noted", func() bool { return len(deliveries()) == 3 })
		for i, d := range deliveries() {
			request := at(d, "request")
			if i < 2 && (request != nil || strings.Contains(fmt.Sprint(d), "Spy") || strings.Contains(fmt.Sprint(d), "Told")) || i == 2 &&
				request == nil {
				t.Errorf("delivery %d is %v", i, d)
			}
		}
	})
}

// A webhook is told of what its maker may read by then, and of nothing more once they may not act.
func TestWebhooksHaveTheRightsOfTheirMaker(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		r := newReceiver(t)
		w.deliver(t)
		made := w.send(t, step{do: "POST /roles", body: `{"name":"Integrator","permissions":{"contact":{"read":"all"},` +
			`"deal":{"read":"all"},"webhook":{"read":"all","write":"all"}},"features":["manage_apps"]}`})
		role := fmt.Sprint(at(made.json, "id"))
		if made.status != http.StatusCreated {
			t.Fatalf("%d %s", made.status, made.text)
		}
		me := w.send(t, step{as: "member", do: "GET /me"})
		user := fmt.Sprint(at(me.json, "user.id"))
		if a := w.send(t, step{do: "PATCH /users/" + user, body: `{"role_id":"` + role + `"}`}); a.status != http.StatusOK {
			t.Fatalf("%d %s", a.status, a.text)
		}
		id, _ := w.hook(t, "member", r, `,"events":["contact.created","deal.created"]`)
		w.contact(t, "Seen")
		if e := r.next(t); e.Data.Record["name"] != "Seen" {
			t.Errorf("%s came", e.body)
		}
		if a := w.send(t, step{
			do:   "PATCH /roles/" + role,
			body: `{"permissions":{"contact":{"read":"none"}}}`,
		}); a.status != http.StatusOK {
			t.Fatalf("%d %s", a.status, a.text)
		}
		w.contact(t, "Unseen")
		w.send(t, step{do: "POST /deals", body: `{"name":"Seen, too"}`})
		if e := r.next(t); e.Type != "deal.created" {
			t.Errorf("%s came", e.body)
		}
		if a := w.send(t, step{do: "PATCH /users/" + user, body: `{"status":"suspended"}`}); a.status != http.StatusOK {
			t.Fatalf("%d %s", a.status, a.text)
		}
		until(t, "it is disabled", func() bool {
			a := w.send(t, step{do: "GET /webhooks/" + id})
			return at(a.json, "status") == "disabled" && strings.Contains(string(a.text), "may not act any more")
		})
	})
}

// What is told late shows, and who has nothing to tell does nothing.
func TestWebhooksThatLagAreSeen(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		r := newReceiver(t)
		hooks, _ := w.deliver(t)
		open := make(chan struct{})
		r.hold = open
		w.hook(t, "admin", r, `,"events":["contact.*"]`)
		w.contact(t, "Late")
		until(t, "it lags", func() bool {
			c := hooks.Counts()
			return c.Lag > 50*time.Millisecond && c.Flying == 1 &&
				c.TenantDeliverers == 1
		})
		close(open)
		r.next(t)
		until(t, "it does not any more, and nobody is there to deliver",
			func() bool { c := hooks.Counts(); return c.Lag == 0 && c.TenantDeliverers == 0 && c.Delivered == 1 })
	})
}

// A test that is on its way is not sent once more because something else happens.
func TestTestsOfWebhooksAreSentOnce(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		r := newReceiver(t)
		r.hold = make(chan struct{}, 3)
		w.deliver(t)
		id, _ := w.hook(t, "admin", r, `,"events":["contact.*"]`)
		for range cap(r.hold) { // who has answered some is sent several at once
			r.hold <- struct{}{}
			w.contact(t, "Before")
			r.next(t)
		}
		w.check(t, step{do: "POST /webhooks/" + id + "/test", status: 200})
		for _, name := range []string{"One", "Two", "Three"} {
			time.Sleep(200 * time.Millisecond) // in which what is on its way stays there
			w.contact(t, name)
		}
		time.Sleep(200 * time.Millisecond)
		close(r.hold)
		tests := 0
		for others := 0; others < 3; {
			if e := r.next(t); e.Type == crm.TestEvent {
				tests++
			} else {
				others++
			}
		}
		time.Sleep(200 * time.Millisecond)
		if tests += len(r.events); tests != 1 {
			t.Errorf("the test was sent %d times", tests)
		}
	})
}
