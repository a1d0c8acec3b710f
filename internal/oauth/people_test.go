package oauth_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
	"github.com/kith-crm/kith/internal/testworld"
)

// links gives the secrets of the links that the log offers to hand on to a user, oldest first.
func (w *world) links(name string) []string {
	var all []string
	for line := range strings.Lines(w.log.String()) {
		var entry struct{ Email, Link string }
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Link != "" && entry.Email == w.email(name) {
			all = append(all, entry.Link[strings.LastIndex(entry.Link, "/")+1:])
		}
	}
	return all
}

// link asks for a reset link and waits for it.
func (w *world) link(t *testing.T, name string) string {
	t.Helper()
	before := len(w.links(name))
	if err := w.people.Forgot(t.Context(), w.email(name), w.domain); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(30 * time.Second)
	for {
		if all := w.links(name); len(all) > before {
			return all[len(all)-1]
		}
		if time.Now().After(deadline) {
			t.Fatal("no link comes")
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func TestLogIn(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		for _, email := range []string{w.email("member"), " " + w.email("member") + " ", strings.ToUpper(w.email("member"))} {
			open, err := w.people.LogIn(t.Context(), email, password, w.domain)
			if err != nil || len(open) != 1 || open[0].User != w.users["member"] || open[0].Tenant.ID() != w.harbour.ID() {
				t.Errorf("%q: %v %v", email, open, err)
			}
		}
		for _, wrong := range []string{"", password + " ", strings.ToUpper(password), testworld.PasswordHash(), "wrong password"} {
			if _, err := w.people.LogIn(t.Context(), w.email("viewer"), wrong, w.domain); !errors.Is(err, oauth.ErrWrongLogin) {
				t.Errorf("%q: %v", wrong, err)
			}
		}
		if _, err := w.people.LogIn(t.Context(), w.email("nobody"), password, w.domain); !errors.Is(err, oauth.ErrWrongLogin) {
			t.Error(err)
		}
		// One who is invited has no password yet, and no empty one either.
		if _, err := account.CreateUser(t.Context(), w.engine, w.harbour, account.Person{Email: w.email("invited"), Name: "x"},
			"member"); err != nil {
			t.Fatal(err)
		}
		for _, guess := range []string{"", password} {
			if _, err := w.people.LogIn(t.Context(), w.email("invited"), guess, w.domain); !errors.Is(err, oauth.ErrWrongLogin) {
				t.Error(err)
			}
		}
	})
}

// Where an address belongs to several businesses, a ticket proves the password for the choice, and opens only those.
// An accent makes another address, and so another log-in; case does not.
func TestLogInTellsAccentsApart(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.user(t, "straße", "member")
		w.user(t, "strasse", "member")
		for name, user := range map[string]string{"straße": "straße", "STRAẞE": "straße", "strasse": "strasse", "STRASSE": "strasse"} {
			open, err := w.people.LogIn(t.Context(), w.email(name), password, w.domain)
			if err != nil || len(open) != 1 || open[0].User != w.users[user] {
				t.Errorf("%s opens %+v, %v", name, open, err)
			}
		}
	})
}

func TestChoiceOfBusiness(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		both := w.email("both")
		for _, tenant := range []store.Tenant{w.harbour, w.elsewhere} {
			if _, err := account.CreateUser(t.Context(), w.engine, tenant,
				account.Person{Email: both, Name: "x", PasswordHash: testworld.PasswordHash()}, "member"); err != nil {
				t.Fatal(err)
			}
		}
		open, err := w.people.LogIn(t.Context(), both, password, w.domain)
		if err != nil || len(open) != 2 {
			t.Fatalf("%v %v", open, err)
		}
		one := slices.IndexFunc(open, func(id keep.Identity) bool { return id.Tenant.ID() == w.harbour.ID() })
		ticket, err := w.people.Ticket(both, open[one:one+1])
		if err != nil {
			t.Fatal(err)
		}
		redeem := func(ticket string, business store.Tenant) (*keep.Identity, error) {
			return w.people.Redeem(t.Context(), ticket, businessID(business))
		}
		if _, err := redeem(ticket, w.elsewhere); err == nil {
			t.Error("the ticket opens a business that it was not made for")
		}
		for i := range ticket {
			if _, err := redeem(ticket[:i]+string(ticket[i]^1)+ticket[i+1:], w.harbour); err == nil {
				t.Fatalf("a ticket with another character %d is taken", i)
			}
		}
		if id, err := redeem(ticket, w.harbour); err != nil || id.Tenant.ID() != w.harbour.ID() || id.User != open[one].User {
			t.Errorf("%v %v", id, err)
		}
		if _, err := redeem(ticket, w.harbour); !errors.Is(err, oauth.ErrWrongLogin) {
			t.Errorf("the ticket is taken twice: %v", err)
		}
		fresh := func() string {
			t.Helper()
			ticket, err := w.people.Ticket(both, open)
			if err != nil {
				t.Fatal(err)
			}
			return ticket
		}
		late := fresh()
		w.expire(t, late)
		if _, err := redeem(late, w.harbour); !errors.Is(err, oauth.ErrWrongLogin) {
			t.Errorf("an expired ticket is taken: %v", err)
		}
		ticket = fresh()
		if _, _, err := w.auth.Session(t.Context(), ticket); err == nil {
			t.Error("a ticket is a session")
		}
		w.refused(t, ticket)
		w.patch(t, w.mint(t, "admin"), "/users/"+userID(open[one].User), `{"status":"suspended"}`, 200)
		id, err := redeem(ticket, w.harbour)
		if err == nil {
			_, err = w.people.StartSession(t.Context(), oauth.Proven{Identity: *id}, "", "")
		}
		if !errors.Is(err, oauth.ErrWrongLogin) {
			t.Errorf("the ticket of a suspended user is taken: %v", err)
		}
	})
}

func TestLogInIsThrottledByAccount(t *testing.T) {
	w := newWorld(t, newServer(t, "sqlite", databaseURL(t, "sqlite")))
	attempt := func(name, with, address string) error {
		_, err := w.people.LogIn(t.Context(), w.email(name), with, address)
		return err
	}
	tries := 0
	for ; tries < 30 && !errors.Is(attempt("member", "wrong password", "192.0.2."+string(rune('0'+tries%10))),
		oauth.ErrTooManyTries); tries++ {
	}
	if tries == 30 {
		t.Fatal("30 wrong passwords for one account are not throttled")
	}
	// Spelling the address in another way is no way around it.
	for _, email := range []string{strings.ToUpper(w.email("member")), "  " + w.email("member")} {
		if _, err := w.people.LogIn(t.Context(), email, "wrong password", "198.51.100.1"); !errors.Is(err, oauth.ErrTooManyTries) {
			t.Errorf("%q: %v", email, err)
		}
	}
	if err := attempt("viewer", password, "192.0.2.1"); err != nil {
		t.Errorf("another account: %v", err)
	}
	// Nobody is locked out for good.
	w.people.PassTime(2 * time.Minute)
	if err := attempt("member", password, "192.0.2.1"); err != nil {
		t.Errorf("after a while: %v", err)
	}
	// A log-in that succeeds gives all attempts back.
	for range 5 {
		if err := attempt("member", "wrong password", "192.0.2.1"); !errors.Is(err, oauth.ErrWrongLogin) {
			t.Fatal(err)
		}
	}
}

func TestLogInIsThrottledByAddress(t *testing.T) {
	w := newWorld(t, newServer(t, "sqlite", databaseURL(t, "sqlite")))
	for name, address := range map[string]func(i int) string{
		"one address":      func(int) string { return "192.0.2.7" },
		"one IPv6 network": func(i int) string { return "2001:db8::" + string("0123456789abcdef"[i%16]) },
	} {
		throttled := false
		for i := range 150 {
			// Asking for links shares the throttle and is quicker than hashing.
			err := w.people.Forgot(t.Context(), "nobody"+string(rune('a'+i%26))+string(rune('a'+i/26))+"@"+w.domain, address(i))
			throttled = throttled || errors.Is(err, oauth.ErrTooManyTries)
		}
		if !throttled {
			t.Errorf("%s is not throttled", name)
		}
		if _, err := w.people.LogIn(t.Context(), w.email("member"), password, address(0)); !errors.Is(err, oauth.ErrTooManyTries) {
			t.Errorf("%s can still log in: %v", name, err)
		}
		if _, err := w.people.LogIn(t.Context(), w.email("member"), password, "198.51.100.9"); err != nil {
			t.Errorf("another address: %v", err)
		}
		w.people.PassTime(10 * time.Minute)
		if _, err := w.people.LogIn(t.Context(), w.email("member"), password, address(0)); err != nil {
			t.Errorf("after a while: %v", err)
		}
	}
}

// A cookie is always new, so one that was planted before the log-in means nothing after it.
func TestSessionFixation(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		planted, _ := record.NewSecret(record.SessionCookie, w.harbour.ID())
		_, first, cookie := w.login(t, "member")
		_, second, other := w.login(t, "member")
		if cookie == other || cookie == planted || first == second {
			t.Error("two log-ins share a session")
		}
		if _, _, err := w.auth.Session(t.Context(), planted); err == nil {
			t.Error("the planted cookie is logged in")
		}
		who, _, err := w.auth.Session(t.Context(), cookie)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.people.EndSession(t.Context(), who, first); err != nil {
			t.Fatal(err)
		}
		if _, _, err := w.auth.Session(t.Context(), cookie); err == nil {
			t.Error("the session goes on after the log-out")
		}
		// Another user's session cannot be ended.
		viewer, _, _ := w.login(t, "viewer")
		if err := w.people.EndSession(t.Context(), viewer, second); err != nil {
			t.Fatal(err)
		}
		if _, _, err := w.auth.Session(t.Context(), other); err != nil {
			t.Error("someone else ended the session")
		}
	})
}

func TestLinkWorksOnce(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		_, _, cookie := w.login(t, "member")
		secret := w.link(t, "member")
		for range 3 { // mail programs open links on their own
			if link, err := w.people.OpenLink(t.Context(), secret); err != nil || link.Purpose != "reset" ||
				link.Email != w.email("member") {
				t.Fatalf("%v %v", link, err)
			}
		}
		if _, err := w.people.UseLink(t.Context(), secret, "short"); err == nil {
			t.Error("a short password is taken")
		}
		if _, err := w.people.UseLink(t.Context(), secret, "another password"); err != nil {
			t.Fatal(err)
		}
		if _, err := w.people.OpenLink(t.Context(), secret); !errors.Is(err, oauth.ErrLink) {
			t.Error(err)
		}
		if _, err := w.people.UseLink(t.Context(), secret, "a third password"); !errors.Is(err, oauth.ErrLink) {
			t.Error(err)
		}
		if _, _, err := w.auth.Session(t.Context(), cookie); err == nil {
			t.Error("a session from before the reset goes on")
		}
		if _, err := w.people.LogIn(t.Context(), w.email("member"), password, w.domain); err == nil {
			t.Error("the old password works")
		}
		if _, err := w.people.LogIn(t.Context(), w.email("member"), "another password", w.domain); err != nil {
			t.Error(err)
		}
	})
}

func TestConcurrentUsesOfALinkHaveOneWinner(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		secret := w.link(t, "member")
		var all sync.WaitGroup
		errs := make([]error, 6)
		for i := range errs {
			all.Go(func() {
				_, errs[i] = w.people.UseLink(context.Background(), secret, "another password "+string(rune('0'+i)))
			})
		}
		all.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
			} else if !errors.Is(err, oauth.ErrLink) {
				t.Error(err)
			}
		}
		if won != 1 {
			t.Errorf("%d of 6 used the link", won)
		}
	})
}

func TestLinkIsVoid(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		void := func(secret string) {
			t.Helper()
			if _, err := w.people.OpenLink(t.Context(), secret); !errors.Is(err, oauth.ErrLink) {
				t.Errorf("it opens: %v", err)
			}
			if _, err := w.people.UseLink(t.Context(), secret, "another password"); !errors.Is(err, oauth.ErrLink) {
				t.Errorf("it is used: %v", err)
			}
		}
		t.Run("after a newer one", func(t *testing.T) {
			old := w.link(t, "member")
			member, err := w.harbour.Get(t.Context(), &record.KindOf("user").Resource, w.users["member"], false)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.people.NewLink(t.Context(), w.harbour, member, store.Actor{}); err != nil {
				t.Fatal(err)
			}
			void(old)
		})
		t.Run("after its time", func(t *testing.T) {
			old := w.link(t, "viewer")
			w.expire(t, old)
			void(old)
		})
		t.Run("after a change of password", func(t *testing.T) {
			old := w.link(t, "manager")
			who, session, _ := w.login(t, "manager")
			if err := w.people.ChangePassword(t.Context(), who, session, password, "another password"); err != nil {
				t.Fatal(err)
			}
			void(old)
		})
		t.Run("for a suspended user", func(t *testing.T) {
			w.user(t, "temp", "member")
			old := w.link(t, "temp")
			w.patch(t, w.mint(t, "admin"), w.userPath("temp"), `{"status":"suspended"}`, 200)
			void(old)
			w.patch(t, w.mint(t, "admin"), w.userPath("temp"), `{"status":"active"}`, 200)
			void(old)
		})
		t.Run("of another kind", func(t *testing.T) {
			_, _, cookie := w.login(t, "admin")
			void(cookie)
			void(w.mint(t, "admin"))
		})
	})
}

func TestInvitation(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		id, err := account.CreateUser(t.Context(), w.engine, w.harbour, account.Person{Email: w.email("guest"), Name: "x"}, "member")
		if err != nil {
			t.Fatal(err)
		}
		w.users["guest"] = id
		if err := w.people.Invite(t.Context(), w.harbour, id); err != nil {
			t.Fatal(err)
		}
		links := w.links("guest")
		if len(links) != 1 {
			t.Fatalf("%d links", len(links))
		}
		if id, err := w.people.UseLink(t.Context(), links[0], "guest password"); err != nil || id.User != w.users["guest"] {
			t.Fatal(err)
		}
		if _, err := w.people.LogIn(t.Context(), w.email("guest"), "guest password", w.domain); err != nil {
			t.Error(err)
		}
	})
}

// A page lists what a person can look over, however often they logged in.
func TestListsOfLogInsAreBounded(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		user := w.user(t, "restless", "member")
		err := w.harbour.Keep(t.Context(), store.Actor{}, func(tx *store.Tx) error {
			for range 510 {
				if err := keep.PutSession(tx, keep.Session{ID: schema.NewID(tx.Now), User: user}); err != nil {
					return err
				}
				if err := keep.PutGrant(tx, keep.Grant{ID: schema.NewID(tx.Now), User: user, ClientID: "kith_client_x"}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		_, last, _ := w.login(t, "restless")
		sessions, err := keep.Sessions(t.Context(), w.harbour, user)
		if err != nil || len(sessions) != 500 || sessions[0].ID != last {
			t.Errorf("%d log-ins are listed, %v; want 500, the last one first", len(sessions), err)
		}
		if grants, err := keep.Grants(t.Context(), w.harbour, user); err != nil || len(grants) != 500 {
			t.Errorf("%d grants are listed, %v; want 500", len(grants), err)
		}
	})
}

// Whoever has a business chooses the addresses that its links are mailed to, so they are mailed so often and no more.
func TestABusinessMailsNobodyWithoutEnd(t *testing.T) {
	aloneOnBothEngines(t, func(t *testing.T, w *world) {
		invite := func(user schema.UUID) error {
			return w.people.Invite(t.Context(), w.harbour, user)
		}
		first, second := w.user(t, "first", "member"), w.user(t, "second", "member")
		sent := 0
		for range 20 {
			if err := invite(first); err == nil {
				sent++
			} else if !errors.Is(err, oauth.ErrTooManyTries) {
				t.Fatal(err)
			}
		}
		if all := w.links("first"); sent != 10 || len(all) != 10 {
			t.Fatalf("%d links were sent, and %d logged", sent, len(all))
		}
		if _, err := w.people.OpenLink(t.Context(), w.lastLink(t, "first")); err != nil {
			t.Errorf("the last link that was sent is void: %v", err)
		}
		if err := invite(second); err != nil {
			t.Errorf("another user is not invited: %v", err)
		}
		if err := w.people.Invite(t.Context(), w.elsewhere, w.users["stranger"]); err != nil {
			t.Errorf("another business is held back: %v", err)
		}
	})
}

// Links go to the account's own address, and asking for many is throttled, however the address is spelt.
func TestLinksAreThrottled(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		if err := w.people.Forgot(t.Context(), w.email("nobody"), "a."+w.domain); err != nil {
			t.Errorf("an unknown address is told apart: %v", err)
		}
		throttled := false
		for i := range 12 {
			email := strings.Repeat(" ", i%3) + w.email("member")
			throttled = throttled || errors.Is(w.people.Forgot(t.Context(), email, "b."+w.domain), oauth.ErrTooManyTries)
		}
		if !throttled {
			t.Error("12 links within a moment are not throttled")
		}
	})
}

func TestChangeOfPasswordEndsOtherSessions(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		who, session, cookie := w.login(t, "member")
		_, _, other := w.login(t, "member")
		_, _, viewers := w.login(t, "viewer")
		if err := w.people.ChangePassword(t.Context(), who, session, "wrong password", "another password"); err == nil {
			t.Fatal("the old password is not asked for")
		}
		if err := w.people.ChangePassword(t.Context(), who, session, password, "short"); err == nil {
			t.Fatal("a short password is taken")
		}
		if _, _, err := w.auth.Session(t.Context(), other); err != nil {
			t.Fatal("a refused change ended a session")
		}
		if err := w.people.ChangePassword(t.Context(), who, session, password, "another password"); err != nil {
			t.Fatal(err)
		}
		if _, _, err := w.auth.Session(t.Context(), cookie); err != nil {
			t.Error("the session that made the change ended")
		}
		if _, _, err := w.auth.Session(t.Context(), other); err == nil {
			t.Error("another session goes on")
		}
		if _, _, err := w.auth.Session(t.Context(), viewers); err != nil {
			t.Error("someone else's session ended")
		}
		if _, err := w.people.LogIn(t.Context(), w.email("member"), password, w.domain); err == nil {
			t.Error("the old password works")
		}
		// Guessing the old password is throttled, too.
		for i := 0; ; i++ {
			err := w.people.ChangePassword(t.Context(), who, session, "wrong password", "another password")
			if errors.Is(err, oauth.ErrTooManyTries) {
				break
			}
			if i == 20 {
				t.Fatal("20 wrong old passwords are not throttled")
			}
		}
	})
}

func TestPasswordHashes(t *testing.T) {
	one, err := oauth.HashPassword(password)
	if err != nil {
		t.Fatal(err)
	}
	two, err := oauth.HashPassword(password)
	if err != nil || one == two || !strings.HasPrefix(one, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("%s %s %v", one, two, err)
	}
	if !oauth.CheckPassword(one, password) || oauth.CheckPassword(one, password+"x") || oauth.CheckPassword(one, "") {
		t.Error("the check is wrong")
	}
	for _, broken := range []string{
		"", "$argon2id$", "x", one[:len(one)-1], one + "x", strings.Replace(one, "argon2id", "argon2i", 1),
		"$argon2id$v=19$m=19456,t=2,p=1$$", "$argon2id$v=19$m=19456,t=0,p=0$AAAA$AAAA",
	} {
		if oauth.CheckPassword(broken, password) {
			t.Errorf("%q is the password's", broken)
		}
	}
	for _, wrong := range []string{"", "1234567", strings.Repeat("x", 1001)} {
		if _, err := oauth.HashPassword(wrong); err == nil {
			t.Errorf("a password of %d characters is taken", len(wrong))
		}
	}
}
