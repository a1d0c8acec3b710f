package oauth_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/store/keep"
)

// Whoever is refused by one server does not go on at the next, nor after a restart.
func TestThrottlesHoldForAllServers(t *testing.T) {
	aloneOnBothEngines(t, func(t *testing.T, w *world) {
		other, fresh := newServer(t, w.engineName, w.dsn), newServer(t, w.engineName, w.dsn)
		servers := []*server{w.server, other, fresh}
		for _, s := range servers {
			oauth.StopTime(s.people, s.grants)
		}
		tries := func(name, with, address string, n int, at ...*server) (wrong int) {
			t.Helper()
			for i := range n {
				_, err := at[i%len(at)].people.LogIn(t.Context(), w.email(name), with, address)
				switch {
				case errors.Is(err, oauth.ErrWrongLogin):
					wrong++
				case !errors.Is(err, oauth.ErrTooManyTries):
					t.Fatal(err)
				}
			}
			return wrong
		}
		// Servers that count alone would let twenty pass.
		if n := tries("member", "wrong password", "192.0.2.1", 20, w.server, other); n != 10 {
			t.Errorf("%d attempts were let pass, want 10", n)
		}
		if _, err := fresh.people.LogIn(t.Context(), w.email("member"), password, "192.0.2.2"); !errors.Is(err, oauth.ErrTooManyTries) {
			t.Errorf("a server that has just started says %v", err)
		}
		if _, err := fresh.people.LogIn(t.Context(), w.email("viewer"), password, "192.0.2.2"); err != nil {
			t.Errorf("another account: %v", err)
		}
		for _, s := range servers {
			s.people.PassTime(5 * time.Minute)
		}
		if _, err := other.people.LogIn(t.Context(), w.email("member"), password, "192.0.2.1"); err != nil {
			t.Errorf("after a while: %v", err)
		}
		// What one forgave all have forgiven.
		if n := tries("member", "wrong password", "192.0.2.3", 11, fresh); n != 10 {
			t.Errorf("after a log-in %d attempts were let pass, want 10", n)
		}

		links := 0
		for i := range 10 {
			if servers[i%2].people.Forgot(t.Context(), "nobody@"+w.domain, "192.0.2.4") == nil {
				links++
			}
		}
		if links != 5 {
			t.Errorf("%d links were asked for, want 5", links)
		}
		registered := 0
		for i := range 40 {
			in := &world{server: servers[i%2], domain: w.domain}
			a := in.registration(t, "POST", "", "", map[string]any{"redirect_uris": []string{redirect}},
				func(r *http.Request) { r.Header.Set(addressHeader, "192.0.2.9") })
			if a.status == http.StatusCreated {
				registered++
			}
		}
		if registered != 20 {
			t.Errorf("%d apps registered from one address, want 20", registered)
		}

		// What is counted names nobody, and goes once it does not count any more.
		if w.run(t, "UPDATE attempt SET full_at = full_at") == 0 {
			t.Error("nothing is counted in the database")
		}
		w.run(t, "UPDATE attempt SET full_at = "+map[string]string{"sqlite": "0", "postgres": "'2000-01-01T00:00:00Z'"}[w.engineName])
		if err := keep.Purge(t.Context(), w.store, time.Now().Add(-24*time.Hour), time.Now().Add(-oauth.UnusedLife)); err != nil {
			t.Fatal(err)
		}
		if n := w.run(t, "UPDATE attempt SET full_at = full_at"); n != 0 {
			t.Errorf("%d rows that do not count any more are still there", n)
		}
	})
}

// While the database does not answer, each server goes by its own count.
func TestThrottlesWithoutADatabase(t *testing.T) {
	aloneOnBothEngines(t, func(t *testing.T, w *world) {
		oauth.StopTime(w.people, w.grants)
		if !oauth.TakeLink(t.Context(), w.people, "somebody") {
			t.Fatal("the first is refused")
		}
		w.run(t, "ALTER TABLE attempt RENAME TO attempts_of_others")
		taken := 0
		for range 10 {
			if oauth.TakeLink(t.Context(), w.people, "somebody") {
				taken++
			}
		}
		if taken != 4 {
			t.Errorf("%d more were let pass, want 4", taken)
		}
		if !strings.Contains(w.log.String(), "counted by this server alone") {
			t.Error("the log does not say so")
		}
	})
}
