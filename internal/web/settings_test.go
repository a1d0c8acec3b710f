package web

import (
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// one asks for something and reads the answer.
func (v *visitor) one(method, path, body string, status int) map[string]any {
	v.Helper()
	got := v.asked(method, path, body)
	if got.status != status {
		v.Fatalf("%s %s: %d, want %d: %s", method, path, got.status, status, got.body)
	}
	var out map[string]any
	if err := json.Unmarshal([]byte(got.body), &out); err != nil && status != http.StatusNoContent {
		v.Fatal(err)
	}
	return out
}

// idOf finds a record by the value of a field.
func (v *visitor) idOf(plural, field, value string) string {
	v.Helper()
	found := v.asked("POST", "/v1/"+plural+"/search", fmt.Sprintf(`{"filters":[{"field":%q,"operator":"eq","value":%q}]}`, field, value))
	return v.find(found.body, `"data":\[\{"id":"([^"]*)"`)
}

func (v *visitor) roleID(name string) string  { return v.idOf("roles", "name", name) }
func (v *visitor) userID(email string) string { return v.idOf("users", "email", email) }

// invites somebody, and gives the path of the link that is to be handed to them.
func (v *visitor) invites(email, role string) string {
	v.Helper()
	made := v.one("POST", "/v1/users", fmt.Sprintf(`{"email":%q,"role_id":%q}`, email, v.roleID(role)), http.StatusCreated)
	return v.link(made["id"].(string))
}

func (v *visitor) link(id string) string {
	v.Helper()
	return v.one("POST", "/v1/users/"+id+"/link", `{}`, http.StatusOK)["link"].(string)
}

// Whatever hands out access asks for the password an hour after it was last given; whatever takes access away does not. Tokens have
// no part in what is about oneself.
func TestSettingsAskForThePassword(t *testing.T) {
	onEach(t, func(h *house) {
		c := newCast(h)
		anna := c.anna
		token := anna.one("POST", "/v1/tokens", `{"name":"Export","scopes":["contact.read"]}`, http.StatusCreated)
		app := anna.one("POST", "/v1/apps", `{"name":"Sync","scopes":["contact.read"]}`, http.StatusCreated)
		role := anna.one("POST", "/v1/roles", `{"name":"Guest"}`, http.StatusCreated)
		hook := anna.one("POST", "/v1/webhooks", `{"url":"https://example.com/hook","events":["*"]}`, http.StatusCreated)
		gone := anna.userID("ben@juniper.test")
		gives := [][3]string{
			{"POST", "/v1/tokens", `{"name":"Another","scopes":["contact.read"]}`},
			{"POST", "/v1/apps", `{"name":"Another","scopes":["contact.read"]}`},
			{"PATCH", "/v1/apps/" + app["id"].(string), `{"name":"Sink"}`},
			{"POST", "/v1/apps/" + app["id"].(string) + "/rotate_secret", `{}`},
			{"POST", "/v1/users", `{"email":"new@juniper.test"}`},
			{"POST", "/v1/users/batch", `{"operations":[{"op":"create","data":{"email":"newer@juniper.test"}}]}`},
			{"PATCH", "/v1/users/" + c.ben, `{"name":"Ben Ode"}`},
			{"POST", "/v1/users/" + c.ben + "/link", `{}`},
			{"PATCH", "/v1/roles/" + role["id"].(string), `{"name":"Visitor"}`},
			{"PATCH", "/v1/me", `{"email":"anna@new.test"}`},
			{"POST", "/v1/webhooks", `{"url":"https://example.com/another","events":["*"]}`},
			{"PATCH", "/v1/webhooks/" + hook["id"].(string), `{"url":"https://example.com/elsewhere"}`},
			{"POST", "/v1/webhooks/" + hook["id"].(string) + "/rotate_secret", `{}`},
			{"POST", "/v1/webhooks/" + hook["id"].(string) + "/replay", `{"from_seq":1,"to_seq":1}`},
			{"POST", "/v1/webhooks/batch", `{"operations":[{"op":"create","data":{"url":"https://example.com/some","events":["*"]}}]}`},
			{
				"POST", "/v1/webhooks/upsert",
				`{"match":"external_id","data":{"external_id":"x","url":"https://example.com/some","events":["*"]}}`,
			},
		}
		h.later.Store(int64(2 * time.Hour))
		for _, g := range gives {
			got := anna.asked(g[0], g[1], g[2])
			if !strings.Contains(got.body, `"confirmation_required"`) {
				t.Errorf("%s %s is not asked about: %d %s", g[0], g[1], got.status, got.body)
			}
		}
		// What hands out nothing goes on, and so does what somebody else's role forbids.
		anna.one("PATCH", "/v1/me", `{"name":"Anna Lund"}`, http.StatusOK)
		anna.one("POST", "/v1/contacts", `{"name":"Bo"}`, http.StatusCreated)
		anna.one("DELETE", "/v1/tokens/"+token["id"].(string), "", http.StatusNoContent)
		if got := anna.one("GET", "/v1/schema", "", http.StatusOK); !strings.Contains(fmt.Sprint(got), "invite people") {
			t.Error("the schema does not say what hands out access")
		}
		ben := h.loggedIn("ben@juniper.test")
		ben.refusedBy("a member is told that their role does not allow it", ben.asked("POST", "/v1/users", `{"email":"x@juniper.test"}`),
			403, "forbidden_by_role")

		for range 3 {
			anna.refusedBy("a wrong password", anna.asked("POST", "/v1/me/confirm", `{"password":"wrong"}`), 422, "validation_failed")
		}
		anna.one("POST", "/v1/me/confirm", `{"password":"`+password+`"}`, http.StatusNoContent)
		h.later.Store(0)
		for _, g := range gives {
			if got := anna.asked(g[0], g[1], g[2]); got.status >= 300 {
				t.Errorf("%s %s after the confirmation: %d %s", g[0], g[1], got.status, got.body)
			}
		}

		// A token is no person.
		all := anna.one("POST", "/v1/tokens", `{"name":"All","scopes":["user.all","token.all"]}`, http.StatusCreated)["token"].(string)
		for _, p := range [][2]string{
			{"GET", "/v1/me/sessions"},
			{"GET", "/v1/me/push"},
			{"PUT", "/v1/me/push"},
			{"DELETE", "/v1/me/push"},
			{"GET", "/v1/me/grants"},
			{"POST", "/v1/me/confirm"},
			{"GET", "/v1/me/factors"},
			{"POST", "/v1/me/authenticator/start"},
			{"POST", "/v1/me/passkeys"},
			{"POST", "/v1/me/recovery_codes"},
			{"POST", "/v1/me/factors/factor_x/remove"},
			{"POST", "/v1/me/password"},
			{"PATCH", "/v1/me"},
			{"POST", "/v1/users/" + gone + "/link"},
			{"POST", "/v1/users/" + gone + "/take_second_factor"},
		} {
			anna.refusedBy(p[1]+" with a token", anna.asked(p[0], p[1], "{}", "Authorization", "Bearer "+all), 403, "session_required")
		}
		for _, wrong := range []string{
			`{}`, `{"password":1}`, `{"password":"x","pass":"y"}`, `{"password":"x","password":"y"}`, `[]`,
			`"x"`,
		} {
			if got := anna.asked("POST", "/v1/me/confirm", wrong); got.status != 422 && got.status != 400 {
				t.Errorf("%s: %d", wrong, got.status)
			}
		}
	})
}

// A confirmation is tried as seldom as a log-in.
func TestConfirmationIsThrottled(t *testing.T) {
	h := newHouse(t)
	h.business("Juniper", "anna@juniper.test")
	anna := h.loggedIn("anna@juniper.test")
	for range 10 {
		anna.refusedBy("a wrong password", anna.asked("POST", "/v1/me/confirm", `{"password":"wrong"}`), 422, "validation_failed")
	}
	anna.refusedBy("too many", anna.asked("POST", "/v1/me/confirm", `{"password":"`+password+`"}`), 429, "too_many_requests")
}

func TestOnesOwnSessions(t *testing.T) {
	onEach(t, func(h *house) {
		c := newCast(h)
		here, there, third, ben := c.anna, h.loggedIn("anna@juniper.test"), h.loggedIn("anna@juniper.test"), h.loggedIn("ben@juniper.test")
		list := here.asked("GET", "/v1/me/sessions", "").body
		if strings.Count(list, `"id":"session_`) != 3 || strings.Count(list, `"current":true`) != 1 {
			t.Error(list)
		}
		other := there.find(there.asked("GET", "/v1/me/sessions", "").body,
			`"id":"(session_[^"]*)","agent":"[^"]*","address":"[^"]*","created_at":"[^"]*","seen_at":"[^"]*","current":true`)
		ben.one("DELETE", "/v1/me/sessions/"+other, "", http.StatusNoContent)
		there.expect(there.asked("GET", "/v1/me", ""), http.StatusOK, "anna@juniper.test")
		here.one("DELETE", "/v1/me/sessions/"+other, "", http.StatusNoContent)
		there.refusedBy("a session that was ended", there.asked("GET", "/v1/me", ""), 401, "invalid_token")
		here.refusedBy("no session", here.asked("DELETE", "/v1/me/sessions/nonsense", ""), 404, "not_found")
		here.one("POST", "/v1/me/sessions/end_others", `{}`, http.StatusNoContent)
		third.refusedBy("the others have ended", third.asked("GET", "/v1/me", ""), 401, "invalid_token")
		here.expect(here.asked("GET", "/v1/me/sessions", ""), http.StatusOK, `"current":true}]}`)
		here.expect(here.asked("POST", "/v1/audit/search", `{"filters":[{"field":"action","operator":"eq","value":"session.ended"}]}`),
			http.StatusOK, "session.ended")
	})
}

// TestPushIsForTheLogInThatAsks subscribes a browser, which one log-in is and others are not.
func TestPushIsForTheLogInThatAsks(t *testing.T) {
	onEach(t, func(h *house) {
		c := newCast(h)
		here, there := c.anna, h.loggedIn("anna@juniper.test")
		key, err := ecdh.P256().GenerateKey(rand.Reader)
		if err != nil {
			h.Fatal(err)
		}
		p256dh := base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes())
		given := `{"endpoint":"https://push.example/1","p256dh":"` + p256dh + `","auth":"AAAAAAAAAAAAAAAAAAAAAA"}`
		here.one("PUT", "/v1/me/push", given, http.StatusNoContent)
		for who, is := range map[*visitor]string{here: "true", there: "false"} {
			who.expect(who.asked("GET", "/v1/me/push", ""), http.StatusOK, `"subscribed":`+is)
		}
		here.refusedBy("no address", here.asked("PUT", "/v1/me/push", strings.Replace(given, "https:", "http:", 1)), 422,
			"validation_failed")
		here.refusedBy("no secret", here.asked("PUT", "/v1/me/push", `{"endpoint":"https://push.example/1"}`), 422, "validation_failed")
		here.one("DELETE", "/v1/me/push", "", http.StatusNoContent)
		here.expect(here.asked("GET", "/v1/me/push", ""), http.StatusOK, `"subscribed":false`)
	})
}

func TestOwnProfile(t *testing.T) {
	onEach(t, func(h *house) {
		admin := h.business("Juniper", "anna@juniper.test")
		h.user(admin, "ben@juniper.test", "viewer")
		ben := h.loggedIn("ben@juniper.test")
		ben.expect(ben.asked("PATCH", "/v1/me", `{"name":"Ben Ode","timezone":"Europe/Rome","locale":null}`), http.StatusOK,
			`"name":"Ben Ode"`)
		ben.refusedBy("no address", ben.asked("PATCH", "/v1/me", `{"email":"ben"}`), 422, "validation_failed")
		ben.refusedBy("another's address", ben.asked("PATCH", "/v1/me", `{"email":"anna@juniper.test"}`), 409, "conflict")
		for _, field := range []string{"role_id", "status", "nonsense"} {
			ben.refusedBy(field+" is not theirs to choose", ben.asked("PATCH", "/v1/me", `{"`+field+`":"x"}`), 422, "validation_failed")
		}
		ben.expect(ben.asked("PATCH", "/v1/me", `{"email":"ben@new.test"}`), http.StatusOK, `"pending_email":"ben@new.test"`)
		h.loggedIn("ben@juniper.test")
		link := strings.TrimPrefix(h.logged("email", "ben@new.test"), mailedOrigin)
		ben.expect(ben.post(link, "password", password), http.StatusSeeOther, "")
		h.loggedIn("ben@new.test")
	})
}

// Who is invited, suspended, let in again: and nobody lets in whom they do not outrank.
func TestPeople(t *testing.T) {
	onEach(t, func(h *house) {
		admin := h.business("Juniper", "anna@juniper.test")
		anna := h.loggedIn("anna@juniper.test")
		link := anna.invites("ben@juniper.test", "viewer")
		if logged := h.logged("invite", "ben@juniper.test"); logged != mailedOrigin+link {
			t.Errorf("the log has %q and the answer %q", logged, link)
		}
		anna.refusedBy("an address that is taken", anna.asked("POST", "/v1/users", `{"email":"BEN@juniper.test"}`), 409, "conflict")
		id := anna.userID("ben@juniper.test")
		// A new link voids the one before; opening one does not use it up; using it does.
		second := anna.link(id)
		ben := h.visitor()
		ben.expect(ben.get(link), http.StatusNotFound, "does not work any more")
		ben.expect(ben.get(second), http.StatusOK, "Welcome to <bdi>Juniper")
		ben.expect(ben.get(second), http.StatusOK, "ben@juniper.test")
		ben.expect(ben.post(second, "password", "short"), http.StatusUnprocessableEntity, `id="f-password-error"`)
		ben.leads(ben.post(second, "password", password), "/app")
		ben.expect(ben.asked("GET", "/v1/me", ""), http.StatusOK, `"role":"viewer"`)
		ben.expect(ben.post(second, "password", password), http.StatusNotFound, "does not work any more")
		ben.expect(ben.get(second[:len(second)-1]), http.StatusNotFound, "does not work any more")
		ben.refusedBy("a viewer makes no links", ben.asked("POST", "/v1/users/"+id+"/link", `{}`), 403, "forbidden_by_role")

		anna.one("PATCH", "/v1/users/"+id, `{"status":"suspended"}`, http.StatusOK)
		ben.leads(ben.get("/app"), "/login")
		again := h.visitor()
		again.expect(again.post("/login", "email", "ben@juniper.test", "password", password), http.StatusUnauthorized, "is wrong")
		anna.refusedBy("who is suspended gets no link", anna.asked("POST", "/v1/users/"+id+"/link", `{}`), 409, "conflict")
		anna.one("PATCH", "/v1/users/"+id, `{"status":"active"}`, http.StatusOK)
		h.loggedIn("ben@juniper.test")

		if _, err := createRole(h, admin, `{"name":"front desk","permissions":{"user":{"read":"all","write":"all"},"role":{"read":"all"},`+
			`"contact":{"read":"all"}},"features":["manage_users"]}`); err != nil {
			t.Fatal(err)
		}
		h.user(admin, "desk@juniper.test", "front desk")
		desk := h.loggedIn("desk@juniper.test")
		for _, above := range [][3]string{
			{"POST", "/v1/users/" + formatUser(admin.User) + "/link", `{}`},
			{"POST", "/v1/users/" + formatUser(admin.User) + "/take_second_factor", `{}`},
			{"PATCH", "/v1/users/" + formatUser(admin.User), `{"status":"suspended"}`},
		} {
			desk.refusedBy(above[1], desk.asked(above[0], above[1], above[2]), 403, "forbidden_by_role")
		}
		other := h.business("Thistle", "cleo@thistle.test")
		anna.refusedBy("another business's", anna.asked("POST", "/v1/users/"+formatUser(other.User)+"/link", `{}`), 404, "not_found")
	})
}

// Apps of the business are made with a secret that is shown once, by which they get tokens.
func TestAppsOfTheBusiness(t *testing.T) {
	h := newHouse(t)
	h.business("Juniper", "anna@juniper.test")
	anna := h.loggedIn("anna@juniper.test")
	trade := func(app map[string]any, secret any) int {
		resp, err := http.PostForm(h.server.URL+"/oauth/token",
			url.Values{"grant_type": {"client_credentials"}, "client_id": {app["client_id"].(string)}, "client_secret": {secret.(string)}})
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		return resp.StatusCode
	}
	app := anna.one("POST", "/v1/apps", `{"name":"Sync","scopes":["contact.read"]}`, http.StatusCreated)
	if got := trade(app, app["client_secret"]); got != http.StatusOK {
		t.Errorf("the app's token: %d", got)
	}
	fresh := anna.one("POST", "/v1/apps/"+app["id"].(string)+"/rotate_secret", `{}`, http.StatusOK)["client_secret"]
	if trade(app, app["client_secret"]) != http.StatusUnauthorized || trade(app, fresh) != http.StatusOK {
		t.Error("a new secret must replace the old")
	}
	people := anna.one("POST", "/v1/apps", `{"name":"Portal","scopes":["contact.read"],"redirect_uris":["`+callback+`"]}`,
		http.StatusCreated)
	consent := anna.expect(anna.get(ask(people["client_id"].(string), callback, "contact.read")), http.StatusOK, "Portal")
	if strings.Contains(consent.body, "Nobody has checked") {
		t.Error("an app of the business is called unverified")
	}
	anna.one("DELETE", "/v1/apps/"+app["id"].(string), "", http.StatusNoContent)
	if got := trade(app, fresh); got != http.StatusUnauthorized {
		t.Errorf("the deleted app's token: %d", got)
	}
}

// Bookmarks of what were pages once lead into the app.
func TestPagesThatMoved(t *testing.T) {
	h := newHouse(t)
	h.business("Juniper", "anna@juniper.test")
	anna, nobody := h.loggedIn("anna@juniper.test"), h.visitor()
	for path, at := range moved {
		path = strings.ReplaceAll(path, "{id}", "x")
		anna.leads(anna.get(path), settingsAt+at)
		nobody.leads(nobody.get(path), "/login?next="+url.QueryEscape(path))
	}
}
