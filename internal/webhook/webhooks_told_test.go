package webhook_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/crm"

	. "github.com/kith-crm/kith/internal/apitest"
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
	OnEach(t, func(t *testing.T, w *World) {
		r := newReceiver(t)
		deliver(w, t)
		hook(w, t, "admin", r, `,"events":["*"]`)
		want := map[string][]string{}
		for _, n := range NewRecords {
			kind := KindOf(t, n.Plural)
			made := w.Send(t, Step{Do: "POST /" + n.Plural, Body: n.Body})
			id := fmt.Sprint(At(made.JSON, "id"))
			if made.Status != http.StatusCreated {
				t.Fatalf("%s: %d %s", n.Plural, made.Status, made.Text)
			}
			want[id] = append(want[id], kind.Name+".created")
			for _, s := range []struct{ operation, do, body, event string }{
				{"patch", "PATCH /" + n.Plural + "/" + id, n.Patch, "updated"},
				{"delete", "DELETE /" + n.Plural + "/" + id, "", "deleted"},
				{"restore", "POST /" + n.Plural + "/" + id + "/restore", "", "restored"},
			} {
				if !Offers(kind, s.operation) {
					continue
				}
				if a := w.Send(t, Step{Do: s.do, Body: s.body}); a.Status >= 300 {
					t.Fatalf("%s: %d %s", s.do, a.Status, a.Text)
				}
				want[id] = append(want[id], kind.Name+"."+s.event)
			}
		}
		w.Send(t, Step{Do: "PATCH /business", Body: `{"name":"Another"}`})
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
	OnEach(t, func(t *testing.T, w *World) {
		r := newReceiver(t)
		deliver(w, t)
		id, _ := hook(w, t, "admin", r, `,"events":["contact.*"]`)
		deliveries := func() []any {
			a := w.Send(t, Step{Do: "POST /webhooks/" + id + "/deliveries/search", Body: `{"limit":100,"sort_direction":"asc"}`})
			list, _ := At(a.JSON, "data").([]any)
			return list
		}
		contact := contact(w, t, "Told Once")
		r.next(t)
		r.answer(func(told) int { return http.StatusServiceUnavailable })
		w.Send(t, Step{Do: "PATCH /contacts/" + contact, Body: `{"job_title":"Spy"}`})
		until(t, "it failed", func() bool { return len(deliveries()) == 2 })
		if a := w.Send(t, Step{Do: "POST /contacts/" + contact + "/erase", Body: `{"reason":"asked"}`}); a.Status != http.StatusNoContent {
			t.Fatalf("%d %s", a.Status, a.Text)
		}
		r.answer(nil)
		for e := r.next(t); e.Type != "contact.erased"; e = r.next(t) {
			if e.Data.RecordID != contact {
				t.Errorf("%s came", e.body)
			}
		}
		until(t, "it is noted", func() bool { return len(deliveries()) == 3 })
		for i, d := range deliveries() {
			request := At(d, "request")
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
	OnEach(t, func(t *testing.T, w *World) {
		r := newReceiver(t)
		deliver(w, t)
		made := w.Send(t, Step{Do: "POST /roles", Body: `{"name":"Integrator","permissions":{"contact":{"read":"all"},` +
			`"deal":{"read":"all"},"webhook":{"read":"all","write":"all"}},"features":["manage_apps"]}`})
		role := fmt.Sprint(At(made.JSON, "id"))
		if made.Status != http.StatusCreated {
			t.Fatalf("%d %s", made.Status, made.Text)
		}
		me := w.Send(t, Step{As: "member", Do: "GET /me"})
		user := fmt.Sprint(At(me.JSON, "user.id"))
		if a := w.Send(t, Step{Do: "PATCH /users/" + user, Body: `{"role_id":"` + role + `"}`}); a.Status != http.StatusOK {
			t.Fatalf("%d %s", a.Status, a.Text)
		}
		id, _ := hook(w, t, "member", r, `,"events":["contact.created","deal.created"]`)
		contact(w, t, "Seen")
		if e := r.next(t); e.Data.Record["name"] != "Seen" {
			t.Errorf("%s came", e.body)
		}
		if a := w.Send(t, Step{
			Do:   "PATCH /roles/" + role,
			Body: `{"permissions":{"contact":{"read":"none"}}}`,
		}); a.Status != http.StatusOK {
			t.Fatalf("%d %s", a.Status, a.Text)
		}
		contact(w, t, "Unseen")
		w.Send(t, Step{Do: "POST /deals", Body: `{"name":"Seen, too"}`})
		if e := r.next(t); e.Type != "deal.created" {
			t.Errorf("%s came", e.body)
		}
		if a := w.Send(t, Step{Do: "PATCH /users/" + user, Body: `{"status":"suspended"}`}); a.Status != http.StatusOK {
			t.Fatalf("%d %s", a.Status, a.Text)
		}
		until(t, "it is disabled", func() bool {
			a := w.Send(t, Step{Do: "GET /webhooks/" + id})
			return At(a.JSON, "status") == "disabled" && strings.Contains(string(a.Text), "may not act any more")
		})
	})
}

// What is told late shows, and who has nothing to tell does nothing.
func TestWebhooksThatLagAreSeen(t *testing.T) {
	t.Parallel()
	OnEach(t, func(t *testing.T, w *World) {
		r := newReceiver(t)
		hooks, _ := deliver(w, t)
		open := make(chan struct{})
		r.hold = open
		hook(w, t, "admin", r, `,"events":["contact.*"]`)
		contact(w, t, "Late")
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
	OnEach(t, func(t *testing.T, w *World) {
		r := newReceiver(t)
		r.hold = make(chan struct{}, 3)
		deliver(w, t)
		id, _ := hook(w, t, "admin", r, `,"events":["contact.*"]`)
		for range cap(r.hold) { // who has answered some is sent several at once
			r.hold <- struct{}{}
			contact(w, t, "Before")
			r.next(t)
		}
		w.Check(t, Step{Do: "POST /webhooks/" + id + "/test", Status: 200})
		for _, name := range []string{"One", "Two", "Three"} {
			time.Sleep(200 * time.Millisecond) // in which what is on its way stays there
			contact(w, t, name)
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
