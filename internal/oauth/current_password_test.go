package oauth_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
	"github.com/kith-crm/kith/internal/testworld"
)

// setters are the ways to get a new password. Each gives the session that goes on, if one does.
var setters = map[string]func(t *testing.T, w *world, name, fresh string) (goesOn string){
	"change": func(t *testing.T, w *world, name, fresh string) string {
		who, session, cookie := w.login(t, name)
		if err := w.people.ChangePassword(t.Context(), who, session, password, fresh); err != nil {
			t.Fatal(err)
		}
		return cookie
	},
	"reset": func(t *testing.T, w *world, name, fresh string) string {
		u, err := w.harbour.Get(t.Context(), &record.KindOf("user").Resource, w.users[name], false)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.people.NewLink(t.Context(), w.harbour, u, store.Actor{}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.people.UseLink(t.Context(), w.lastLink(t, name), fresh); err != nil {
			t.Fatal(err)
		}
		return ""
	},
}

// A log-in that was checked before the password changed starts no session after it: neither at once, nor through the choice of a business.
func TestOldPasswordStartsNoSession(t *testing.T) {
	for how, set := range setters {
		t.Run(how, func(t *testing.T) {
			onBothEngines(t, func(t *testing.T, w *world) {
				both := w.email("member")
				if _, err := account.CreateUser(t.Context(), w.engine, w.elsewhere,
					account.Person{Email: both, Name: "x", PasswordHash: testworld.PasswordHash()}, "member"); err != nil {
					t.Fatal(err)
				}
				open, err := w.people.LogIn(t.Context(), both, password, w.domain)
				if err != nil || len(open) != 2 {
					t.Fatal(open, err)
				}
				here := slices.IndexFunc(open, func(id keep.Identity) bool { return id.Tenant.ID() == w.harbour.ID() })
				// A ticket is kept with the first business; the other one must not be a way round either.
				var tickets []string
				for _, order := range [][]keep.Identity{open, {open[1], open[0]}} {
					ticket, err := w.people.Ticket(both, order)
					if err != nil {
						t.Fatal(err)
					}
					tickets = append(tickets, ticket)
				}
				chosen, err := w.people.Redeem(t.Context(), tickets[0], businessID(w.harbour))
				if err != nil {
					t.Fatal(err)
				}
				goesOn := set(t, w, "member", "another password")
				for _, id := range []keep.Identity{open[here], *chosen} {
					if _, err := w.people.StartSession(t.Context(), oauth.Proven{Identity: id}, "", ""); !errors.Is(err,
						oauth.ErrWrongLogin) {
						t.Errorf("a session starts with the password from before: %v", err)
					}
				}
				for _, ticket := range tickets {
					if _, err := w.people.Redeem(t.Context(), ticket, businessID(w.harbour)); !errors.Is(err, oauth.ErrWrongLogin) {
						t.Errorf("a ticket from before is taken: %v", err)
					}
				}
				sessions, err := keep.Sessions(t.Context(), w.harbour, w.users["member"])
				if err != nil || goesOn == "" && len(sessions) != 0 || goesOn != "" && len(sessions) != 1 {
					t.Errorf("%d sessions go on, %v", len(sessions), err)
				}
			})
		})
	}
}

// Log-ins beside a change of password either end with it or do not begin.
func TestLogInsBesideANewPassword(t *testing.T) {
	for how, set := range setters {
		t.Run(how, func(t *testing.T) {
			onBothEngines(t, func(t *testing.T, w *world) {
				for round := range 3 {
					name := "racer" + string(rune('0'+round))
					w.user(t, name, "member")
					id := w.proven(t, name)
					var all sync.WaitGroup
					var mu sync.Mutex
					var begun []string
					for range 4 {
						all.Go(func() {
							for range 200 {
								cookie, err := w.people.StartSession(t.Context(), oauth.Proven{Identity: id}, "", "")
								if errors.Is(err, oauth.ErrWrongLogin) {
									return
								}
								if err != nil {
									t.Error(err)
									return
								}
								mu.Lock()
								begun = append(begun, cookie)
								mu.Unlock()
							}
						})
					}
					goesOn := set(t, w, name, "another password")
					all.Wait()
					for _, cookie := range begun {
						if _, _, err := w.auth.Session(t.Context(), cookie); err == nil {
							t.Fatalf("one of %d sessions outlives the password", len(begun))
						}
					}
					if goesOn != "" {
						if _, _, err := w.auth.Session(t.Context(), goesOn); err != nil {
							t.Error("the session that made the change ended")
						}
					}
					sessions, err := keep.Sessions(t.Context(), w.harbour, w.users[name])
					if err != nil || goesOn == "" && len(sessions) > 0 || len(sessions) > 1 {
						t.Errorf("%d sessions are left, %v", len(sessions), err)
					}
				}
			})
		})
	}
}

// How long a log-in takes must not tell whether there is such an account, nor in how many businesses, and cost no more: whatever is
// tried, one hash is computed. It is counted and not timed, because machines are noisy.
func TestLogInComputesOneHash(t *testing.T) {
	aloneOnBothEngines(t, func(t *testing.T, w *world) {
		third := w.business(t, "Third", "third")
		places := []store.Tenant{w.harbour, w.elsewhere, third}
		join := func(name string, tenant store.Tenant, with string) {
			t.Helper()
			hash, err := oauth.HashPasswordFor(t.Context(), w.store, w.email(name), with)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := account.CreateUser(t.Context(), w.engine, tenant,
				account.Person{Email: w.email(name), Name: "x", PasswordHash: hash},
				"member"); err != nil {
				t.Fatal(err)
			}
		}
		for n := range places {
			for i := range n + 1 {
				join("same"+string(rune('1'+n)), places[i], password)
				join("different"+string(rune('1'+n)), places[i], password+string(rune('1'+i)))
			}
		}
		if _, err := account.CreateUser(t.Context(), w.engine, w.harbour, account.Person{Email: w.email("invited"), Name: "x"},
			"member"); err != nil {
			t.Fatal(err)
		}
		count := func(name, with string) (hashes int64, opened int) {
			t.Helper()
			before := w.people.Hashes()
			opened = w.opens(t, name, with)
			return w.people.Hashes() - before, opened
		}
		for _, c := range []struct {
			name, with string
			opens      int
		}{
			{"nobody", password, 0},
			{"invited", password, 0},
			{"same1", password, 1},
			{"same1", "wrong password", 0},
			{"same2", password, 2},
			{"same3", password, 3},
			{"same3", "wrong password", 0},
			{"different3", password + "1", 1},
			{"different3", password + "3", 1},
			{"different3", password, 0},
			{"member\x00", password, 0},
			{strings.Repeat("x", 300), password, 0},
		} {
			if hashes, opened := count(c.name, c.with); hashes != 1 || opened != c.opens {
				t.Errorf("%.20q: %d hashes, %d businesses, want 1 and %d", c.name, hashes, opened, c.opens)
			}
		}
		// Who sets a password by a link, or changes it, keeps to that.
		if _, err := w.people.UseLink(t.Context(), w.link(t, "same2"), "reset password"); err != nil {
			t.Fatal(err)
		}
		if hashes, opened := count("same2", "reset password"); hashes != 1 || opened != 1 {
			t.Errorf("after a reset: %d hashes, %d businesses", hashes, opened)
		}
		// Passwords that were set apart come to share what they are hashed with, at a log-in that opens both.
		for _, tenant := range places {
			hash, err := oauth.HashPassword(password)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := account.CreateUser(t.Context(), w.engine, tenant,
				account.Person{Email: w.email("apart"), Name: "x", PasswordHash: hash},
				"member"); err != nil {
				t.Fatal(err)
			}
		}
		open, err := w.people.LogIn(t.Context(), w.email("apart"), password, w.domain)
		if err != nil || len(open) != 3 {
			t.Fatal(open, err)
		}
		if hashes, opened := count("apart", password); hashes != 1 || opened != 3 {
			t.Errorf("at the second log-in: %d hashes, %d businesses", hashes, opened)
		}
		for _, id := range open { // the log-in that did that goes on
			if _, err := w.people.StartSession(t.Context(), oauth.Proven{Identity: id}, "", ""); err != nil {
				t.Error(err)
			}
		}
	})
}

// What only looks like an address is not the address.
func TestAddressesThatLookAlikeAreApart(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.user(t, "straße", "member")
		for _, other := range []string{"strasse", "straße\x00", "\x00straße", "stráße", "str\x01aße", "ｓtraße"} {
			if n := w.opens(t, other, password); n != 0 {
				t.Errorf("%q logs in as straße", other)
			}
		}
		for _, same := range []string{"straße", "STRAßE"} {
			if n := w.opens(t, same, password); n != 1 {
				t.Errorf("%q does not log in", same)
			}
		}
	})
}
