package web

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/oauth"
)

func TestSwitchOfBusiness(t *testing.T) {
	onEach(t, func(h *house) {
		h.business("Juniper", "anna@juniper.test")
		anna := h.loggedIn("anna@juniper.test")
		anna.expect(anna.get("/account/switch"), http.StatusOK, "Switch business")
		anna.expect(anna.post("/account/switch", "password", "wrong"), http.StatusUnprocessableEntity, "Password is not right")
		alone := anna.expect(anna.post("/account/switch", "password", password), http.StatusUnprocessableEntity, "opens no other business")
		if strings.Contains(anna.get("/account/switch").body+alone.body, "Thistle") {
			t.Error("the page names businesses before a password opened them")
		}
		h.business("Thistle", "anna@juniper.test")
		before := anna.cookie(sessionCookie)
		chooser := anna.follow(anna.post("/account/switch", "password", password))
		anna.expect(chooser, http.StatusOK, "can work in any of these")
		anna.expect(anna.get("/account/switch"), http.StatusOK, "Juniper")
		to := anna.find(chooser.body, `value="(business_[^"]*)"><bdi>Thistle`)
		anna.leads(anna.post("/login/business", "proof", anna.find(chooser.body, `name="proof" value="([^"]*)"`), "business", to, "next",
			"/account/switch"), "/account/switch")
		anna.expect(anna.get("/account/switch"), http.StatusOK, "Thistle")
		thief := h.visitor()
		thief.header.Set("Cookie", sessionCookie+"="+before)
		thief.leads(thief.get("/app"), "/login")

		// Who is put into a business under somebody's address gets no further by that.
		eve := h.business("Nettle", "eve@nettle.test")
		other := "a password that eve chose"
		hash, err := oauth.HashPassword(other)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := account.CreateUser(t.Context(), h.engine, eve.Tenant,
			account.Person{Email: "anna@juniper.test", Name: "Not Anna", PasswordHash: hash}, "admin"); err != nil {
			t.Fatal(err)
		}
		posing := h.visitor()
		posing.leads(posing.post("/login", "email", "anna@juniper.test", "password", other), "/app")
		posing.expect(posing.post("/account/switch", "password", other), http.StatusUnprocessableEntity, "opens no other business")
	})
}

// Whatever hands out access asks for the password again an hour after it was last given; whatever takes access away does not.
func TestConfirmation(t *testing.T) {
	asks := map[string]bool{"/oauth/authorize": true}
	onEach(t, func(h *house) {
		c := newCast(h)
		for _, p := range sitemap {
			if p.post == nil || p.open && p.path != "/oauth/authorize" || p.path == "/account/switch" { // which has a password anyway
				continue
			}
			c.anna = h.loggedIn("anna@juniper.test")
			path, pairs := forms[p.path](c)
			h.later.Store(int64(oauth.Confirmed + time.Minute))
			got := c.anna.post(path, pairs...)
			if asked := got.status == http.StatusForbidden && strings.Contains(got.body, "Confirm that it is you"); asked != asks[p.path] {
				t.Errorf("%s asks: %t, want %t: %d\n%s", p.path, asked, asks[p.path], got.status, got.main())
			}
			if asks[p.path] {
				c.anna.expect(c.anna.post(path, append(pairs, confirmField, "wrong")...), http.StatusForbidden, "Password is not right")
				// The page has all that was filled in, so sending it with the password is enough.
				again := c.anna.fieldsOf(got, path, confirmField, password)
				if got := c.anna.post(path, again...); got.status != http.StatusSeeOther {
					t.Errorf("%s with the password: %d\n%s", p.path, got.status, got.main())
				}
				h.later.Store(0)
				// And it is not asked for again.
				if got := c.anna.asked("POST", "/v1/me/authenticator/start", "{}"); got.status != http.StatusOK {
					t.Errorf("%s: %d after the confirmation", p.path, got.status)
				}
			}
			h.later.Store(0)
		}
	})
}
