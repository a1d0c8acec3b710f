package web

import (
	"html"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/kith-crm/kith/internal/store/keep"
)

// The whole way of a first user, on both databases.
func TestFromEmptyDatabaseToConnectedApp(t *testing.T) {
	onEach(t, func(h *house) {
		anna := h.visitor()
		anna.leads(anna.get("/"), "/setup")
		anna.leads(anna.get("/login"), "/setup")
		anna.leads(anna.get("/account/switch"), "/setup")
		anna.expect(anna.get("/setup"), http.StatusOK, "Welcome to kith")

		wrong := anna.expect(anna.post("/setup", "business", "", "currency", "Taler", "name", "", "email", "anna", "password", "short"),
			http.StatusUnprocessableEntity, "Error: Set up")
		for _, field := range []string{"business", "currency", "name", "email", "password"} {
			anna.expect(wrong, http.StatusUnprocessableEntity, `aria-describedby="f-`+field+`-error`)
		}
		anna.leads(anna.post("/setup", "business", "Juniper", "currency", "eur", "name", "Anna Berg", "email", "anna@juniper.test",
			"password", password), "/app")
		account := anna.asked("GET", "/v1/me", "")
		for _, part := range []string{"Anna Berg", "anna@juniper.test", "Juniper", `"role":"admin"`} {
			anna.expect(account, http.StatusOK, part)
		}
		anna.leads(anna.get("/"), "/app")
		anna.leads(anna.get("/login"), "/app")
		anna.leads(anna.get("/setup"), "/")

		session := anna.cookie(sessionCookie)
		anna.leads(anna.post("/logout"), "/login?done=logout")
		anna.expect(anna.get("/login?done=logout"), http.StatusOK, "You are logged out")
		anna.leads(anna.get("/account/switch"), "/login?next=%2Faccount%2Fswitch")
		thief := h.visitor()
		thief.header.Set("Cookie", sessionCookie+"="+session)
		thief.leads(thief.get("/app"), "/login")

		client := h.client("Mailer")
		request := ask(client, callback, "contact.read contact.write")
		login := anna.get(request)
		anna.leads(login, "/login?next="+url.QueryEscape(request))
		next := anna.find(anna.get(login.to()).body, `name="next" value="([^"]*)"`)
		anna.leads(anna.post("/login", "email", " ANNA@juniper.test ", "password", password, "next", html.UnescapeString(next)), request)

		consent := anna.expect(anna.get(request), http.StatusOK, "Mailer")
		for _, part := range []string{
			"app.example.com", "Nobody has checked this app", "Read contacts", "Create and change contacts",
			"Juniper", "Anna Berg", "Use another account",
		} {
			anna.expect(consent, http.StatusOK, part)
		}
		access, scope := anna.trade(client, anna.post(request, "answer", "allow", "scope", "contact.read", "scope", "user.delete").to())
		if scope != "contact.read" {
			t.Errorf("scope %q: neither more than was asked for nor more than was ticked", scope)
		}
		if got := h.api(access); got != http.StatusOK {
			t.Errorf("the app's call: %d", got)
		}
		grants := anna.expect(anna.asked("GET", "/v1/me/grants", ""), http.StatusOK, `"client_name":"Mailer","scopes":["contact.read"]`)
		anna.expect(anna.asked("DELETE", "/v1/me/grants/"+anna.find(grants.body, `"id":"(grant_[^"]*)"`), ""), http.StatusNoContent, "")
		if got := h.api(access); got != http.StatusUnauthorized {
			t.Errorf("the app's call after disconnecting: %d", got)
		}
	})
}

func TestSetUpConcurrently(t *testing.T) {
	onEach(t, func(h *house) {
		const many = 6
		statuses := make([]int, many)
		var wait sync.WaitGroup
		visitors := make([]*visitor, many)
		for i := range many {
			visitors[i] = h.visitor()
			visitors[i].get("/setup")
		}
		for i, v := range visitors {
			wait.Go(func() {
				// Where the machine has so much to do that the six hash their passwords for seconds, some are asked to come again.
				for statuses[i] = http.StatusServiceUnavailable; statuses[i] == http.StatusServiceUnavailable; {
					statuses[i] = v.post("/setup", "business", "Juniper", "currency", "EUR", "name", "Anna", "email", "anna@juniper.test",
						"password", password).status
				}
			})
		}
		wait.Wait()
		won := 0
		for _, status := range statuses {
			switch status {
			case http.StatusSeeOther:
				won++
			case http.StatusConflict:
			default:
				t.Errorf("status %d", status)
			}
		}
		all, err := h.engine.Store().Businesses(t.Context())
		if err != nil || won != 1 || len(all) != 1 {
			t.Errorf("%d set-ups won and there are %d businesses, want one: %v", won, len(all), err)
		}
		late := h.visitor()
		late.expect(late.post("/setup", "business", "Evil"), http.StatusConflict, "set up already")
	})
}

func TestChoiceOfBusiness(t *testing.T) {
	onEach(t, func(h *house) {
		h.business("Juniper", "anna@juniper.test")
		h.business("Thistle", "anna@juniper.test")
		h.business("Elsewhere", "ben@elsewhere.test")
		v := h.visitor()
		page := v.expect(v.follow(v.post("/login", "email", "anna@juniper.test", "password", password, "next", "/account/switch")),
			http.StatusOK, "can work in any of these")
		v.expect(v.get("/login/business"), http.StatusOK, "can work in any of these")
		stranger := h.visitor()
		stranger.leads(stranger.get("/login/business"), "/login")
		if v.cookie(sessionCookie) != "" {
			t.Error("there is a session before the choice")
		}
		proof := v.find(page.body, `name="proof" value="([^"]*)"`)
		thistle := v.find(page.body, `value="(business_[^"]*)"><bdi>Thistle`)
		elsewhere, err := keep.Identities(t.Context(), h.engine.Store(), "ben@elsewhere.test")
		if err != nil {
			t.Fatal(err)
		}
		foreign := formatBusiness(elsewhere[0].Tenant)
		for name, pair := range map[string][2]string{
			"another business": {proof, foreign}, "no proof": {"", thistle},
			"a forged proof": {strings.Replace(proof, proof[:4], "AAAA", 1), thistle},
		} {
			if got := v.post("/login/business", "proof", pair[0], "business", pair[1]); got.status != http.StatusUnauthorized ||
				v.cookie(sessionCookie) != "" {
				t.Errorf("%s: %d", name, got.status)
			}
		}
		v.leads(v.post("/login/business", "proof", proof, "business", thistle, "next", "/account/switch"), "/account/switch")
		v.expect(v.get("/account/switch"), http.StatusOK, "Thistle")
	})
}

func TestPasswords(t *testing.T) {
	h := newHouse(t)
	admin := h.business("Juniper", "anna@juniper.test")
	h.user(admin, "ben@juniper.test", "member")
	here, there := h.loggedIn("anna@juniper.test"), h.loggedIn("anna@juniper.test")
	change := func(old, fresh string) *answer {
		return here.asked("POST", "/v1/me/password", `{"old_password":"`+old+`","password":"`+fresh+`"}`)
	}
	here.expect(change("wrong one", "another lake"), http.StatusUnprocessableEntity, `"field":"old_password"`)
	here.expect(change(password, "short"), http.StatusUnprocessableEntity, `"field":"password"`)
	here.expect(change(password, "another lake"), http.StatusNoContent, "")
	here.expect(here.asked("GET", "/v1/me/sessions", ""), http.StatusOK, `"current":true}]}`)
	there.leads(there.get("/app"), "/login")

	// A link for a forgotten password leads to where the server is said to be, whatever host the request names.
	stranger := h.visitor()
	stranger.get("/login")
	stranger.header.Set("Host", "evil.example.com")
	stranger.header.Set("Cookie", formCookie+"="+stranger.cookie(formCookie)) // the jar would give that host none
	asked := stranger.post("/forgot", "email", "Anna@juniper.test")
	stranger.header = http.Header{}
	stranger.leads(asked, "/forgot")
	link := h.logged("reset", "anna@juniper.test")
	if !strings.HasPrefix(link, mailedOrigin+"/link/") {
		t.Errorf("the link leads to %q", link)
	}
	known := stranger.follow(stranger.post("/forgot", "email", "ben@juniper.test"))
	unknown := stranger.follow(stranger.post("/forgot", "email", "nobody@juniper.test"))
	stranger.expect(unknown, http.StatusOK, "nobody@juniper.test")
	if known.status != unknown.status || strings.ReplaceAll(known.body, "ben@", "nobody@") != unknown.body {
		t.Error("the page tells whether an address is known")
	}
	path := strings.TrimPrefix(link, mailedOrigin)
	stranger.expect(stranger.get(path), http.StatusOK, "Choose a new password")
	stranger.leads(stranger.post(path, "password", "a third lake"), "/app")
	here.leads(here.get("/app"), "/login")
	stranger.expect(stranger.post("/forgot", "email", "nobody"), http.StatusUnprocessableEntity, `id="f-email-error"`)
	for range 5 {
		stranger.post("/forgot", "email", "victim@juniper.test")
	}
	stranger.expect(stranger.post("/forgot", "email", "victim@juniper.test"), http.StatusTooManyRequests, "too many requests")
}
