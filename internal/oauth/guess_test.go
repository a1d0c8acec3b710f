package oauth_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/store"
)

// Whoever knows the password of an address in a business of their own has no more guesses at that of the same address in another one, and
// learns nothing of that one.
func TestThePasswordOfOneBusinessForgivesNoGuessesAtAnother(t *testing.T) {
	aloneOnBothEngines(t, func(t *testing.T, w *world) {
		oauth.StopTime(w.people, w.grants)
		join := func(business store.Tenant, email, with string) {
			t.Helper()
			hash, err := oauth.HashPasswordFor(t.Context(), w.store, email, with)
			if err == nil {
				_, err = account.CreateUser(t.Context(), w.engine, business, account.Person{Email: email, Name: "x", PasswordHash: hash},
					"member")
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		const victims, attackers = "the password of the victim", "the password of the attacker"
		both, single := w.email("both"), w.email("single")
		join(w.harbour, both, victims)
		join(w.elsewhere, both, attackers)
		join(w.elsewhere, single, attackers)
		from := 0
		logIn := func(email, with string) string {
			t.Helper()
			from++
			open, err := w.people.LogIn(t.Context(), email, with, fmt.Sprint("192.0.2.", from))
			switch {
			case errors.Is(err, oauth.ErrWrongLogin):
				return "wrong"
			case errors.Is(err, oauth.ErrTooManyTries):
				return "too many"
			case err != nil || len(open) != 1:
				t.Fatalf("%s opens %d businesses: %v", email, len(open), err)
			}
			return open[0].BusinessName
		}
		elsewhere := logIn(both, attackers)
		for round := range 3 {
			for range 9 {
				if one, other := logIn(both, "a guess"), logIn(single, "a guess"); one != "wrong" || other != one {
					t.Fatalf("a guess at the address in two businesses is answered %q, in one %q", one, other)
				}
			}
			if one, other := logIn(both, attackers), logIn(single, attackers); one != elsewhere || other != elsewhere {
				t.Fatalf("round %d: their own log-in is answered %q and %q", round, one, other)
			}
		}
		if got := logIn(both, victims); got != "wrong" {
			t.Errorf("after 27 guesses the right one is answered %q", got)
		}
		if _, err := w.people.LogIn(t.Context(), w.email("member"), password, "192.0.2.2"); err != nil {
			t.Errorf("somebody else of the business: %v", err)
		}
		// The victim is not locked out for good, and their own password forgives the guesses at it.
		w.people.PassTime(2 * time.Minute)
		harbour := logIn(both, victims)
		if harbour == elsewhere || harbour == "wrong" || harbour == "too many" {
			t.Fatalf("after a while the right password is answered %q", harbour)
		}
		for range 9 {
			logIn(both, "a guess")
		}
		if got := logIn(both, victims); got != harbour {
			t.Errorf("after their log-in and nine wrong ones the right password is answered %q", got)
		}
	})
}

// What is counted of a user is counted of that of one business: another may have a user of the same id, brought by an archive.
func TestAttemptsAreCountedInTheirBusiness(t *testing.T) {
	aloneOnBothEngines(t, func(t *testing.T, w *world) {
		oauth.StopTime(w.people, w.grants)
		who, session, _ := w.login(t, "member")
		namesake := *who
		namesake.Tenant = w.elsewhere
		guess := func() error {
			return w.people.ChangePassword(t.Context(), &namesake, session, "wrong password", "another password")
		}
		for tries := 0; !errors.Is(guess(), oauth.ErrTooManyTries); tries++ {
			if tries > 20 {
				t.Fatal("the attempts in one business are not throttled")
			}
		}
		if err := w.people.Confirm(t.Context(), who, session, oauth.Confirmation{Password: password}, "192.0.2.2"); err != nil {
			t.Errorf("the attempts in one business count in the other: %v", err)
		}
	})
}
