package web

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/testworld"
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

// makes sets up a new passkey, and shows fills in the form of a page with one that is there.
func (v *visitor) makes(key *testworld.Passkey) *answer {
	v.Helper()
	return v.asked("POST", "/v1/me/passkeys", v.signed("/v1/me/passkeys/start", "name", "Telephone",
		func(options string) string { return key.Create(v, options) }))
}

// confirms is a proof by a passkey.
func (v *visitor) confirms(key *testworld.Passkey) string {
	v.Helper()
	return v.signed("/v1/me/confirm/passkey", "", "", func(options string) string { return key.Get(v, options) })
}

// signed lets a passkey answer what the API asks the browser for.
func (v *visitor) signed(path, name, value string, sign func(options string) string) string {
	v.Helper()
	var asked struct {
		Options json.RawMessage
		State   string
	}
	if err := json.Unmarshal([]byte(v.expect(v.asked("POST", path, "{}"), http.StatusOK, "challenge").body), &asked); err != nil {
		v.Fatal(err)
	}
	sent := map[string]string{"state": asked.State, "response": sign(string(asked.Options))}
	if name != "" {
		sent[name] = value
	}
	text, err := json.Marshal(sent)
	if err != nil {
		v.Fatal(err)
	}
	return string(text)
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
	v.recoveryCodes(v.makes(key))
	return v, key
}

func TestLogInByPasskey(t *testing.T) {
	onEach(t, func(h *house) {
		c := newCast(h)
		if c.anna.factors().Work {
			t.Error("passkeys are offered where there can be none")
		}
		c.anna.refusedBy("an address without a name", c.anna.asked("POST", "/v1/me/passkeys/start", "{}"), 409, "conflict")
		kim, key := c.keyed()
		if had := kim.factors(); had.Left != 10 || len(had.Passkeys) != 1 || had.Passkeys[0].Name != "Telephone" || !had.Work {
			t.Errorf("%+v", had)
		}
		kim.expect(kim.makes(&testworld.Passkey{Origin: kim.at}), http.StatusOK, `{"recovery_codes":null}`)
		kim.expect(kim.makes(&testworld.Passkey{Origin: "https://evil.example.com"}), http.StatusUnprocessableEntity, `"field":"response"`)
		fresh := h.named()
		login := fresh.expect(fresh.get("/login?next=/app/contacts"), http.StatusOK, "Log in with a passkey")
		if policy := login.header.Get("Content-Security-Policy"); !strings.Contains(policy, "script-src 'self';") ||
			!strings.Contains(login.body, passkeyScript.path) {
			t.Errorf("the script cannot run under %q", policy)
		}
		form := fresh.shows(login, "/login/passkey", key)
		// What was asked of one browser is not answered by another.
		other := h.named()
		other.expect(other.post("/login/passkey", form...), http.StatusUnauthorized, "This passkey opens nothing here")
		fresh.leads(fresh.post("/login/passkey", form...), "/app/contacts")

		// After the password it is the second step.
		second := h.named()
		second.leads(second.post("/login", "email", "kim1@juniper.test", "password", password), "/login/factor")
		page := second.expect(second.get("/login/factor"), http.StatusOK, "Use a passkey")
		_, others := c.keyed()
		wrong := second.signedForm(page, "/login/factor", others.Get(h, second.options(page, "/login/factor")))
		second.expect(second.post("/login/factor", wrong...), http.StatusUnauthorized, "not one of yours")
		second.leads(second.post("/login/factor", second.shows(second.get("/login/factor"), "/login/factor", key)...), "/app")

		// It confirms what hands out access, and its own removal, and the form that waits goes along.
		h.later.Store(int64(2 * time.Hour))
		token := `{"name":"Nightly","scopes":["contact.read"]}`
		fresh.refusedBy("a long time after the log-in", fresh.asked("POST", "/v1/tokens", token), 403, "confirmation_required")
		signed := fresh.confirms(key)
		kim.expect(kim.asked("POST", "/v1/me/confirm", signed), http.StatusUnprocessableEntity, `"field":"state"`)
		fresh.expect(fresh.asked("POST", "/v1/me/confirm", fresh.confirms(others)), http.StatusUnprocessableEntity, `"field":"response"`)
		fresh.expect(fresh.asked("POST", "/v1/me/confirm", signed), http.StatusNoContent, "")
		fresh.expect(fresh.asked("POST", "/v1/me/confirm", signed), http.StatusUnprocessableEntity, `"field":"response"`)
		// The time of a confirmation is that of the database, so it counts once the clock is right again.
		h.later.Store(0)
		fresh.expect(fresh.asked("POST", "/v1/tokens", token), http.StatusCreated, "kith_pat_")
		// So does what weakens the log-in, which asks each time.
		keys := fresh.factors().Passkeys
		fresh.expect(fresh.remove(keys[1].ID, "{}"), http.StatusUnprocessableEntity, `"field":"password"`)
		fresh.expect(fresh.remove(keys[1].ID, fresh.confirms(key)), http.StatusNoContent, "")
		fresh.expect(fresh.remove(keys[0].ID, fresh.confirms(key)), http.StatusNoContent, "")
		again := h.named()
		again.expect(again.post("/login/passkey", again.shows(again.get("/login"), "/login/passkey", key)...), http.StatusUnauthorized,
			"This passkey opens nothing here")
	})
}
