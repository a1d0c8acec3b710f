package oauth_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
	"github.com/kith-crm/kith/internal/wiring"
)

// opens tells in how many businesses an address and a password log in.
func (w *world) opens(t *testing.T, name, with string) int {
	t.Helper()
	open, err := w.people.LogIn(t.Context(), w.email(name), with, w.domain)
	if err != nil && !errors.Is(err, oauth.ErrWrongLogin) {
		t.Fatal(err)
	}
	return len(open)
}

// invited makes someone who has no password yet, and gives the link that they were sent.
func (w *world) invited(t *testing.T, name string) string {
	t.Helper()
	a := w.api(t, w.mint(t, "admin"), "POST /users", `{"email":"`+w.email(name)+`"}`)
	if a.status != 201 {
		t.Fatalf("%d %s", a.status, a.text)
	}
	id, err := parseUser(a.get("id"))
	if err != nil {
		t.Fatal(err)
	}
	w.users[name] = id
	return w.lastLink(t, name)
}

func (w *world) lastLink(t *testing.T, name string) string {
	t.Helper()
	all := w.links(name)
	if len(all) == 0 {
		t.Fatalf("no link was sent to %s", name)
	}
	return all[len(all)-1]
}

// A link that was sent to a mistyped address is worth nothing once the address is corrected, and the right one is invited instead.
func TestCorrectedInvitationGoesToTheRightAddress(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		wrong := w.invited(t, "mistyped")
		a := w.api(t, w.mint(t, "admin"), "PATCH /users/"+userID(w.users["mistyped"]), `{"email":"`+w.email("right")+`"}`)
		if a.status != 200 || a.get("email") != w.email("right") || a.json["pending_email"] != nil || a.get("status") != "invited" {
			t.Fatalf("%d %s", a.status, a.text)
		}
		if _, err := w.people.UseLink(t.Context(), wrong, "a stranger's password"); !errors.Is(err, oauth.ErrLink) {
			t.Errorf("the link to the wrong address works: %v", err)
		}
		if id, err := w.people.UseLink(t.Context(), w.lastLink(t, "right"), "the right password"); err != nil ||
			id.User != w.users["mistyped"] {
			t.Fatal(err)
		}
		if w.opens(t, "mistyped", "the right password") != 0 || w.opens(t, "right", "the right password") != 1 {
			t.Error("the wrong address logs in")
		}
	})
}

// The link is void with the change itself, and not only once the new invitation is on its way: it may never get there. It stays
// void when the change is taken back.
func TestCorrectedInvitationEndsTheLinkByItself(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		wrong := w.invited(t, "misspelt")
		quiet, err := wiring.NewEngine(t.Context(), w.engine.Store()) // nobody is told of what it does
		if err != nil {
			t.Fatal(err)
		}
		admin, err := w.auth.Authenticate(t.Context(), w.mint(t, "admin"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"corrected", "misspelt"} {
			change, err := body.Parse([]byte(`{"email":"` + w.email(name) + `"}`))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := quiet.Do(t.Context(), record.Call{Principal: admin},
				record.Operation{
					Kind: record.KindOf("user"), Name: record.Update, ID: userID(w.users["misspelt"]),
					Body: change,
				}); err != nil {
				t.Fatal(err)
			}
			if _, err := w.people.UseLink(t.Context(), wrong, "a stranger's password"); !errors.Is(err, oauth.ErrLink) {
				t.Errorf("the link to the wrong address works when the address is %s: %v", w.email(name), err)
			}
		}
	})
}

// The address of someone who logs in changes when they have confirmed the new one, and not before.
func TestNewAddressCountsOnceConfirmed(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		admin, path := w.mint(t, "admin"), "/users/"+userID(w.users["member"])
		resetLink := w.link(t, "member")
		a := w.api(t, admin, "PATCH "+path, `{"email":"`+w.email("renamed")+`"}`)
		if a.status != 200 || a.get("email") != w.email("member") || a.get("pending_email") != w.email("renamed") {
			t.Fatalf("%d %s", a.status, a.text)
		}
		if _, err := w.people.OpenLink(t.Context(), resetLink); !errors.Is(err, oauth.ErrLink) {
			t.Errorf("a link from before goes on: %v", err)
		}
		if w.opens(t, "member", password) != 1 || w.opens(t, "renamed", password) != 0 {
			t.Error("the new address counts before it is confirmed")
		}
		secret := w.lastLink(t, "renamed")
		if link, err := w.people.OpenLink(t.Context(), secret); err != nil || link.Purpose != "email" || link.Email != w.email("renamed") {
			t.Fatalf("%+v %v", link, err)
		}
		// Whoever gets the link by mistake can neither confirm nor set a password with it.
		if err := w.people.ConfirmEmail(t.Context(), secret, "a stranger's guess", w.domain); !errors.Is(err, oauth.ErrWrongLogin) {
			t.Errorf("it is confirmed without the password: %v", err)
		}
		if _, err := w.people.UseLink(t.Context(), secret, "a stranger's password"); !errors.Is(err, oauth.ErrLink) {
			t.Errorf("it sets a password: %v", err)
		}
		later := w.link(t, "member") // sent to the old address meanwhile
		_, _, cookie := w.login(t, "member")
		if err := w.people.ConfirmEmail(t.Context(), secret, password, w.domain); err != nil {
			t.Fatal(err)
		}
		if a := w.api(t, admin, "GET "+path, ""); a.get("email") != w.email("renamed") || a.json["pending_email"] != nil {
			t.Errorf("%s", a.text)
		}
		if w.opens(t, "member", password) != 0 || w.opens(t, "renamed", password) != 1 {
			t.Error("the old address still logs in")
		}
		for what, old := range map[string]string{"the link to the old address": later, "the confirmation": secret} {
			if _, err := w.people.OpenLink(t.Context(), old); !errors.Is(err, oauth.ErrLink) {
				t.Errorf("%s works: %v", what, err)
			}
		}
		if _, _, err := w.auth.Session(t.Context(), cookie); err != nil {
			t.Errorf("the session ended: %v", err)
		}
	})
}

func TestChangeOfAddressIsTakenBack(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		admin, path := w.mint(t, "admin"), "/users/"+userID(w.users["member"])
		w.patch(t, admin, path, `{"email":"`+w.email("one")+`"}`, 200)
		one := w.lastLink(t, "one")
		w.patch(t, admin, path, `{"email":"`+w.email("two")+`"}`, 200)
		if err := w.people.ConfirmEmail(t.Context(), one, password, w.domain); !errors.Is(err, oauth.ErrLink) {
			t.Errorf("an address that is not wanted any more is confirmed: %v", err)
		}
		two := w.lastLink(t, "two")
		w.patch(t, admin, path, `{"email":"`+w.email("two")+`"}`, 200)
		again := w.lastLink(t, "two")
		if two == again {
			t.Error("to give the address again does not send the link again")
		}
		a := w.api(t, admin, "PATCH "+path, `{"email":"`+w.email("member")+`"}`)
		if a.status != 200 || a.json["pending_email"] != nil {
			t.Errorf("%d %s", a.status, a.text)
		}
		if err := w.people.ConfirmEmail(t.Context(), again, password, w.domain); !errors.Is(err, oauth.ErrLink) {
			t.Errorf("an address that was taken back is confirmed: %v", err)
		}
		// Another spelling of the same address is nothing to confirm.
		a = w.api(t, admin, "PATCH "+path, `{"email":"`+strings.ToUpper(w.email("member"))+`"}`)
		if a.status != 200 || a.get("email") != strings.ToUpper(w.email("member")) || a.json["pending_email"] != nil {
			t.Errorf("%d %s", a.status, a.text)
		}
		if a := w.api(t, admin, "PATCH "+path, `{"pending_email":"x@y.example"}`); a.status != 422 {
			t.Errorf("pending_email can be written: %d %s", a.status, a.text)
		}
	})
}

// An address is one user's in a business, at the time of asking and at the time of confirming.
func TestConfirmedAddressMustBeFree(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		admin, path := w.mint(t, "admin"), "/users/"+userID(w.users["member"])
		if a := w.api(t, admin, "PATCH "+path, `{"email":"`+w.email("viewer")+`"}`); a.status != 409 {
			t.Errorf("%d %s", a.status, a.text)
		}
		w.patch(t, admin, path, `{"email":"`+w.email("wanted")+`"}`, 200)
		secret := w.lastLink(t, "wanted")
		w.user(t, "wanted", "viewer")
		if p := problem.As(w.people.ConfirmEmail(t.Context(), secret, password, w.domain)); p == nil || p.Code != problem.Conflict {
			t.Errorf("an address that another has is confirmed: %v", p)
		}
		if w.opens(t, "member", password) != 1 {
			t.Error("the refused confirmation changed something")
		}
	})
}

func TestOwnAddressNeedsNoRole(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		who, _, _ := w.login(t, "viewer")
		call := record.Call{Principal: who}
		rec, err := account.ChangeOwn(t.Context(), w.engine, call, node(t, `{"email":"`+w.email("mine")+`","name":"Me"}`))
		if err != nil || rec.Text(rec.Must("pending_email")) != w.email("mine") || rec.Text(rec.Must("name")) != "Me" ||
			rec.Text(rec.Must("email")) != w.email("viewer") {
			t.Fatalf("%v %v", rec, err)
		}
		if err := w.people.ConfirmEmail(t.Context(), w.lastLink(t, "mine"), password, w.domain); err != nil {
			t.Fatal(err)
		}
		if w.opens(t, "mine", password) != 1 {
			t.Error("the confirmed address does not log in")
		}
		for _, beyond := range []string{`{"role_id":"` + w.roleID(t, "admin") + `"}`, `{"status":"suspended"}`, `{"version":9}`} {
			if _, err := account.ChangeOwn(t.Context(), w.engine, call, node(t, beyond)); problem.As(err) == nil {
				t.Errorf("%s: %v", beyond, err)
			}
		}
	})
}

// Someone in two businesses changes the address in one of them alone, and logs in there with the password of that one.
func TestChangeOfAddressIsOneBusinesss(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		hash, err := oauth.HashPassword("the other password")
		if err != nil {
			t.Fatal(err)
		}
		for name, tenant := range map[string]store.Tenant{"member": w.elsewhere, "joined": w.elsewhere} {
			if _, err := account.CreateUser(t.Context(), w.engine, tenant,
				account.Person{Email: w.email(name), Name: "x", PasswordHash: hash},
				"member"); err != nil {
				t.Fatal(err)
			}
		}
		w.patch(t, w.mint(t, "admin"), "/users/"+userID(w.users["member"]), `{"email":"`+w.email("joined")+`"}`, 200)
		if err := w.people.ConfirmEmail(t.Context(), w.lastLink(t, "joined"), password, w.domain); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name, with string
			want       int
		}{{"member", password, 0}, {"member", "the other password", 1}, {"joined", password, 1}, {"joined", "the other password", 1}} {
			if got := w.opens(t, c.name, c.with); got != c.want {
				t.Errorf("%s with %q opens %d businesses, want %d", c.name, c.with, got, c.want)
			}
		}
	})
}

func TestForgottenPasswordKeepsTheInvitation(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		first := w.invited(t, "newcomer")
		second := w.link(t, "newcomer")
		for _, secret := range []string{first, second} {
			if link, err := w.people.OpenLink(t.Context(), secret); err != nil || link.Purpose != "invite" {
				t.Errorf("%+v %v", link, err)
			}
		}
		if _, err := w.people.UseLink(t.Context(), first, "the first password"); err != nil {
			t.Fatal(err)
		}
		if _, err := w.people.OpenLink(t.Context(), second); !errors.Is(err, oauth.ErrLink) {
			t.Errorf("the second goes on: %v", err)
		}
		// A stranger who asks for links takes none from their owner either.
		first, second = w.link(t, "newcomer"), w.link(t, "newcomer")
		if _, err := w.people.UseLink(t.Context(), first, "another password"); err != nil {
			t.Fatal(err)
		}
		if _, err := w.people.OpenLink(t.Context(), second); !errors.Is(err, oauth.ErrLink) {
			t.Errorf("the second goes on: %v", err)
		}
	})
}

// Who has lost the password and the mailbox gets a link for a new password from the operator, and confirms the new address with that.
func TestNewPasswordLeavesTheConfirmation(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.patch(t, w.mint(t, "admin"), "/users/"+userID(w.users["member"]), `{"email":"`+w.email("renamed")+`"}`, 200)
		confirmation := w.lastLink(t, "renamed")
		if _, err := w.people.UseLink(t.Context(), w.link(t, "member"), "another password"); err != nil {
			t.Fatal(err)
		}
		if err := w.people.ConfirmEmail(t.Context(), confirmation, password, w.domain); !errors.Is(err, oauth.ErrWrongLogin) {
			t.Errorf("the old password confirms: %v", err)
		}
		if err := w.people.ConfirmEmail(t.Context(), confirmation, "another password", w.domain); err != nil {
			t.Error(err)
		}
		if w.opens(t, "renamed", "another password") != 1 {
			t.Error("the confirmed address does not log in")
		}
	})
}

// A session from before sessions knew of confirmations was confirmed when it began.
func TestOlderSessionsWereConfirmedAtLogIn(t *testing.T) {
	aloneOnBothEngines(t, func(t *testing.T, w *world) {
		who, session, _ := w.login(t, "member")
		w.run(t, "UPDATE session SET confirmed_at = NULL")
		all, err := keep.Sessions(t.Context(), w.harbour, who.User)
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		if at, err := w.people.ConfirmedAt(t.Context(), who, session); err != nil || !at.Equal(all[0].CreatedAt) {
			t.Errorf("it was confirmed at %v, want %v, %v", at, all[0].CreatedAt, err)
		}
	})
}

func TestConfirmingWithThePassword(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		who, session, _ := w.login(t, "member")
		began, err := w.people.ConfirmedAt(t.Context(), who, session)
		if err != nil || began.IsZero() {
			t.Fatalf("%v %v", began, err)
		}
		if err := w.people.Confirm(t.Context(), who, session, oauth.Confirmation{Password: "wrong password"}, w.domain); !errors.Is(err,
			oauth.ErrWrongLogin) {
			t.Fatal(err)
		}
		if at, err := w.people.ConfirmedAt(t.Context(), who, session); err != nil || !at.Equal(began) {
			t.Errorf("a wrong password counts: %v %v", at, err)
		}
		if err := w.people.Confirm(t.Context(), who, session, oauth.Confirmation{Password: password}, w.domain); err != nil {
			t.Fatal(err)
		}
		if at, err := w.people.ConfirmedAt(t.Context(), who, session); err != nil || !at.After(began) {
			t.Errorf("it was confirmed at %v and at %v, %v", began, at, err)
		}
		for i := 0; !errors.Is(w.people.Confirm(t.Context(), who, session, oauth.Confirmation{Password: "wrong password"}, w.domain),
			oauth.ErrTooManyTries); i++ {
			if i == 20 {
				t.Fatal("20 wrong passwords are not throttled")
			}
		}
	})
}
