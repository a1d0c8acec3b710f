package web

import (
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"kith/internal/testworld"
)

// options are what the form of a page for an address tells the browser.
func (v *visitor) options(page *answer, path string) string {
	v.Helper()
	return html.UnescapeString(v.find(page.body, `action="`+regexp.QuoteMeta(html.EscapeString(path))+`"[^>]* data-options="([^"]*)"`))
}

// signedForm fills in the form of a page that asks for a passkey.
func (v *visitor) signedForm(page *answer, path, response string) []string {
	v.Helper()
	_, form, ok := strings.Cut(page.body, ` data-passkey="`)
	if !ok {
		v.Fatalf("no passkey is asked for:\n%s", page.main())
	}
	pairs := v.fieldsOf(&answer{body: `action="` + html.EscapeString(path) + `"` + form}, path)
	for i := 0; i < len(pairs); i += 2 {
		if strings.HasSuffix(pairs[i], "_response") {
			pairs[i+1] = response
		}
	}
	return pairs
}

// makes is the form of a page, filled in with a new passkey, and shows with one that is there.
func (v *visitor) makes(page *answer, key *testworld.Passkey) []string {
	v.Helper()
	const path = "/account/security/passkeys"
	return v.signedForm(page, path, key.Create(v, v.options(page, path)))
}

func (v *visitor) shows(page *answer, path string, key *testworld.Passkey) []string {
	v.Helper()
	return v.signedForm(page, path, key.Get(v, v.options(page, path)))
}

// named is a visitor who knows the server by a name, as passkeys need it.
func (h *house) named() *visitor {
	v := h.visitor()
	v.at = strings.Replace(v.at, "127.0.0.1", "localhost", 1)
	return v
}

// newcomer is a new member, logged in.
func (c *cast) newcomer() *visitor {
	c.Helper()
	c.made++
	email := fmt.Sprintf("kim%d@juniper.test", c.made)
	c.user(c.admin, email, "member")
	v := c.named()
	v.leads(v.post("/login", "email", email, "password", password), "/app")
	return v
}

// keyed is a new member with a passkey.
func (c *cast) keyed() (*visitor, *testworld.Passkey) {
	c.Helper()
	v := c.newcomer()
	key := &testworld.Passkey{Origin: v.at}
	v.leads(v.post("/account/security/passkeys", v.makes(v.get("/account/security"), key)...), "/account/security")
	return v, key
}

func TestLogInByPasskey(t *testing.T) {
	onEach(t, func(h *house) {
		c := newCast(h)
		if page := c.anna.get("/account/security"); strings.Contains(page.body, "<script") || !strings.Contains(page.body, "cannot be set up under this address") {
			t.Error("passkeys are offered where there can be none")
		}
		kim, key := c.keyed()
		page := kim.expect(kim.get("/account/security"), http.StatusOK, "10 left")
		if policy := page.header.Get("Content-Security-Policy"); !strings.Contains(policy, "script-src 'self';") || !strings.Contains(page.body, passkeyScript.path) {
			t.Errorf("the script cannot run under %q", policy)
		}
		fresh := h.named()
		login := fresh.expect(fresh.get("/login?next=/account/security"), http.StatusOK, "Log in with a passkey")
		form := fresh.shows(login, "/login/passkey", key)
		// What was asked of one browser is not answered by another.
		other := h.named()
		other.expect(other.post("/login/passkey", form...), http.StatusUnauthorized, "This passkey opens nothing here")
		fresh.leads(fresh.post("/login/passkey", form...), "/account/security")
		fresh.expect(fresh.get("/account/security"), http.StatusOK, "10 left")

		// After the password it is the second step.
		second := h.named()
		second.leads(second.post("/login", "email", "kim1@juniper.test", "password", password), "/login/factor")
		page = second.expect(second.get("/login/factor"), http.StatusOK, "Use a passkey")
		_, others := c.keyed()
		wrong := second.signedForm(page, "/login/factor", others.Get(h, second.options(page, "/login/factor")))
		second.expect(second.post("/login/factor", wrong...), http.StatusUnauthorized, "not one of yours")
		second.leads(second.post("/login/factor", second.shows(second.get("/login/factor"), "/login/factor", key)...), "/app")

		// It confirms what hands out access, and its own removal, and the form that waits goes along.
		h.later.Store(int64(2 * time.Hour))
		token := `{"name":"Nightly","scopes":["contact.read"]}`
		fresh.refusedBy("a long time after the log-in", fresh.asked("POST", "/v1/tokens", token), 403, "confirmation_required")
		const at = confirmAt + "?next=/app/settings/access"
		asked := fresh.expect(fresh.get(at), http.StatusOK, "Use a passkey instead")
		fresh.leads(fresh.post(at, fresh.shows(asked, at, key)...), "/app/settings/access")
		// The time of a confirmation is that of the database, so it counts once the clock is right again.
		h.later.Store(0)
		fresh.expect(fresh.asked("POST", "/v1/tokens", token), http.StatusCreated, "kith_pat_")
		id := fresh.find(fresh.get("/account/security").body, `name="id" value="(factor_[^"]*)"`)
		asked = fresh.expect(fresh.post("/account/security/remove", "id", id), http.StatusForbidden, "Use a passkey instead")
		fresh.leads(fresh.post("/account/security/remove", fresh.shows(asked, "/account/security/remove", key)...), "/account/security?done=unfactored")
		fresh.expect(fresh.get("/account/security"), http.StatusOK, "Set up an app")
		again := h.named()
		again.expect(again.post("/login/passkey", again.shows(again.get("/login"), "/login/passkey", key)...), http.StatusUnauthorized, "This passkey opens nothing here")
	})
}
