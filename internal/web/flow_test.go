package web

import (
	"html"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"kith/internal/store/keep"
)

// The whole way of a first user, on both databases.
func TestFromEmptyDatabaseToConnectedApp(t *testing.T) {
	onEach(t, func(h *house) {
		anna := h.visitor()
		anna.leads(anna.get("/"), "/setup")
		anna.leads(anna.get("/login"), "/setup")
		anna.leads(anna.get("/account"), "/setup")
		anna.expect(anna.get("/setup"), http.StatusOK, "Welcome to kith")

		wrong := anna.expect(anna.post("/setup", "business", "", "currency", "Taler", "name", "", "email", "anna", "password", "short"), http.StatusUnprocessableEntity, "Error: Set up")
		for _, field := range []string{"business", "currency", "name", "email", "password"} {
			anna.expect(wrong, http.StatusUnprocessableEntity, `aria-describedby="f-`+field+`-error`)
		}
		anna.leads(anna.post("/setup", "business", "Juniper", "currency", "eur", "name", "Anna Berg", "email", "anna@juniper.test", "password", password), "/app")
		account := anna.get("/account")
		for _, part := range []string{"Anna Berg", "anna@juniper.test", "Juniper", "Admin", "this one"} {
			anna.expect(account, http.StatusOK, part)
		}
		anna.leads(anna.get("/"), "/app")
		anna.leads(anna.get("/login"), "/app")
		anna.leads(anna.get("/setup"), "/")

		session := anna.cookie(sessionCookie)
		anna.leads(anna.post("/logout"), "/login?done=logout")
		anna.expect(anna.get("/login?done=logout"), http.StatusOK, "You are logged out")
		anna.leads(anna.get("/account/tokens"), "/login?next=%2Faccount%2Ftokens")
		thief := h.visitor()
		thief.header.Set("Cookie", sessionCookie+"="+session)
		thief.leads(thief.get("/account"), "/login")

		client := h.client("Mailer")
		request := ask(client, callback, "contact.read contact.write")
		login := anna.get(request)
		anna.leads(login, "/login?next="+url.QueryEscape(request))
		next := anna.find(anna.get(login.to()).body, `name="next" value="([^"]*)"`)
		anna.leads(anna.post("/login", "email", " ANNA@juniper.test ", "password", password, "next", html.UnescapeString(next)), request)

		consent := anna.expect(anna.get(request), http.StatusOK, "Mailer")
		for _, part := range []string{"app.example.com", "Nobody has checked this app", "Read contacts", "Create and change contacts", "Juniper", "Anna Berg", "Use another account"} {
			anna.expect(consent, http.StatusOK, part)
		}
		access, scope := anna.trade(client, anna.post(request, "answer", "allow", "scope", "contact.read", "scope", "user.delete").to())
		if scope != "contact.read" {
			t.Errorf("scope %q: neither more than was asked for nor more than was ticked", scope)
		}
		if got := h.api(access); got != http.StatusOK {
			t.Errorf("the app's call: %d", got)
		}
		apps := anna.expect(anna.get("/account/connected-apps"), http.StatusOK, "Mailer")
		anna.leads(anna.post("/account/connected-apps/disconnect", "id", anna.find(apps.body, `name="id" value="(grant_[^"]*)"`)), "/account/connected-apps?done=disconnected")
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
				statuses[i] = v.post("/setup", "business", "Juniper", "currency", "EUR", "name", "Anna", "email", "anna@juniper.test", "password", password).status
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
		page := v.expect(v.follow(v.post("/login", "email", "anna@juniper.test", "password", password, "next", "/account/tokens")), http.StatusOK, "can work in any of these")
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
			"another business": {proof, foreign}, "no proof": {"", thistle}, "a forged proof": {strings.Replace(proof, proof[:4], "AAAA", 1), thistle},
		} {
			if got := v.post("/login/business", "proof", pair[0], "business", pair[1]); got.status != http.StatusUnauthorized || v.cookie(sessionCookie) != "" {
				t.Errorf("%s: %d", name, got.status)
			}
		}
		v.leads(v.post("/login/business", "proof", proof, "business", thistle, "next", "/account/tokens"), "/account/tokens")
		v.expect(v.get("/account"), http.StatusOK, "Thistle")
	})
}

func TestPersonalTokens(t *testing.T) {
	h := newHouse(t)
	admin := h.business("Juniper", "anna@juniper.test")
	h.user(admin, "ben@juniper.test", "viewer")
	anna, ben := h.loggedIn("anna@juniper.test"), h.loggedIn("ben@juniper.test")

	anna.expect(anna.post("/account/tokens", "name", "", "access", "some", "expires", "0"), http.StatusUnprocessableEntity, "must name at least one thing")
	made := anna.expect(anna.follow(anna.post("/account/tokens", "name", "Export", "access", "some", "scope", "contact.read", "expires", "30")), http.StatusOK, "shown only this once")
	secret := anna.find(made.body, `value="(kith_pat_[0-9A-Za-z]{71})"`)
	if got := h.api(secret); got != http.StatusOK {
		t.Errorf("a call with the token: %d", got)
	}
	list := anna.expect(anna.get("/account/tokens"), http.StatusOK, "Contacts (read)")
	if strings.Contains(list.body, secret) {
		t.Error("the secret is shown twice")
	}
	id := anna.find(list.body, `name="id" value="(token_[^"]*)"`)
	if strings.Contains(ben.get("/account/tokens").body, id) {
		t.Error("another's token is listed")
	}
	ben.expect(ben.post("/account/tokens/revoke", "id", id), http.StatusNotFound, "There is no such page")
	anna.leads(anna.post("/account/tokens/revoke", "id", id), "/account/tokens?done=revoked")
	if got := h.api(secret); got != http.StatusUnauthorized {
		t.Errorf("a call with the revoked token: %d", got)
	}
	// A viewer can make a token with any scope; it still cannot do more than they.
	all := ben.expect(ben.follow(ben.post("/account/tokens", "name", "All", "access", "all", "expires", "")), http.StatusOK, "does not expire")
	if got := h.api(ben.find(all.body, `value="(kith_pat_[0-9A-Za-z]{71})"`)); got != http.StatusOK {
		t.Errorf("a call with the viewer's token: %d", got)
	}
	ben.expect(ben.post("/account/tokens", "name", "Bad", "access", "some", "scope", "nothing.read"), http.StatusUnprocessableEntity, "does not exist")
}

func TestAppsOfTheBusiness(t *testing.T) {
	h := newHouse(t)
	h.business("Juniper", "anna@juniper.test")
	anna := h.loggedIn("anna@juniper.test")
	trade := func(id, secret string) int {
		resp, err := http.PostForm(h.server.URL+"/oauth/token", url.Values{"grant_type": {"client_credentials"}, "client_id": {id}, "client_secret": {secret}})
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		return resp.StatusCode
	}
	secretForm := `value="(kith_cs_[0-9A-Za-z]{49})"`
	made := anna.expect(anna.follow(anna.post("/account/apps", "name", "Sync", "access", "read", "user", "anna@juniper.test")), http.StatusOK, "is ready")
	clientID, secret := anna.find(made.body, `value="(kith_app_[0-9a-z]+)"`), anna.find(made.body, secretForm)
	if got := trade(clientID, secret); got != http.StatusOK {
		t.Errorf("the app's token: %d", got)
	}
	id := anna.find(made.body, `/account/apps/(app_[^"]*)"`)
	fresh := anna.find(anna.expect(anna.follow(anna.post("/account/apps/rotate", "id", id)), http.StatusOK, "new secret").body, secretForm)
	if trade(clientID, secret) != http.StatusUnauthorized || trade(clientID, fresh) != http.StatusOK {
		t.Error("a new secret must replace the old")
	}
	anna.leads(anna.post("/account/apps/delete", "id", id), "/account/apps?done=deleted")
	if got := trade(clientID, fresh); got != http.StatusUnauthorized {
		t.Errorf("the deleted app's token: %d", got)
	}
	anna.expect(anna.post("/account/apps", "name", "Sync", "access", "read", "user", "nobody@juniper.test"), http.StatusUnprocessableEntity, "is not the e-mail address of a user")
	for _, uri := range []string{"http://evil.example.com/cb", "https://x.example.com/#f", "javascript:alert(1)", "https://münchen.example/cb"} {
		anna.expect(anna.post("/account/apps", "name", "Sync", "access", "read", "redirect_uris", uri), http.StatusUnprocessableEntity, `id="f-redirect_uris-error"`)
	}
	people := anna.expect(anna.follow(anna.post("/account/apps", "name", "Portal", "access", "read", "redirect_uris", callback+"\r\nhttps://b.example.com/cb")), http.StatusOK, "people log in")
	client := anna.find(people.body, `value="(kith_app_[0-9a-z]+)"`)
	consent := anna.expect(anna.get(ask(client, callback, "contact.read")), http.StatusOK, "Portal")
	if strings.Contains(consent.body, "Nobody has checked") {
		t.Error("an app of the business is called unverified")
	}
}

func TestPeople(t *testing.T) {
	h := newHouse(t)
	admin := h.business("Juniper", "anna@juniper.test")
	anna := h.loggedIn("anna@juniper.test")
	role := func(name string) string {
		return anna.find(anna.get("/account/people").body, `value="(role_[^"]*)"[^>]*>`+name+`<`)
	}
	invited := anna.expect(anna.follow(anna.post("/account/people", "email", "ben@juniper.test", "name", "Ben", "role", role("viewer"))), http.StatusOK, "Hand this link to ben@juniper.test")
	link := anna.find(invited.body, `value="`+regexpQuote(h.server.URL)+`(/link/kith_link_[0-9A-Za-z]+)"`)
	if logged := h.logged("invite", "ben@juniper.test"); logged != mailedOrigin+link {
		t.Errorf("the log has %q and the page %q", logged, link)
	}
	anna.expect(anna.post("/account/people", "email", "BEN@juniper.test"), http.StatusUnprocessableEntity, `id="f-email-error"`)
	anna.expect(anna.post("/account/people", "email", "ben"), http.StatusUnprocessableEntity, `id="f-email-error"`)
	id := anna.find(invited.body, `(?s)<bdi>ben@juniper.test</bdi>.*?/account/people/(user_[^"]*)"`)

	// A new link voids the one before; opening one does not use it up; using it does.
	second := anna.find(anna.expect(anna.follow(anna.post("/account/people/link", "id", id)), http.StatusOK, "Hand this link").body, `(/link/kith_link_[0-9A-Za-z]+)"`)
	ben := h.visitor()
	ben.expect(ben.get(link), http.StatusNotFound, "does not work any more")
	ben.expect(ben.get(second), http.StatusOK, "Welcome to <bdi>Juniper")
	ben.expect(ben.get(second), http.StatusOK, "ben@juniper.test")
	ben.expect(ben.post(second, "password", "short"), http.StatusUnprocessableEntity, `id="f-password-error"`)
	ben.leads(ben.post(second, "password", password), "/app")
	ben.expect(ben.get("/account"), http.StatusOK, "Viewer")
	ben.expect(ben.post(second, "password", password), http.StatusNotFound, "does not work any more")
	ben.expect(ben.get(second[:len(second)-1]), http.StatusNotFound, "does not work any more")

	for _, path := range []string{"/account/people", "/account/apps"} {
		ben.expect(ben.get(path), http.StatusForbidden, "Your role viewer lacks the permission")
		ben.expect(ben.post(path, "email", "eve@juniper.test", "name", "x"), http.StatusForbidden, "You may not do this")
	}
	for _, action := range []string{"suspend", "activate", "link"} {
		ben.expect(ben.post("/account/people/"+action, "id", id), http.StatusForbidden, "You may not do this")
	}

	anna.leads(anna.post("/account/people/suspend", "id", id), "/account/people/"+id+"?done=suspended")
	ben.leads(ben.get("/account"), "/login")
	again := h.visitor()
	again.expect(again.post("/login", "email", "ben@juniper.test", "password", password), http.StatusUnauthorized, "is wrong")
	anna.expect(anna.post("/account/people/link", "id", id), http.StatusConflict, "suspended")
	anna.leads(anna.post("/account/people/activate", "id", id), "/account/people/"+id+"?done=activated")
	h.loggedIn("ben@juniper.test")

	anna.expect(anna.post("/account/people/suspend", "id", formatUser(admin.User)), http.StatusConflict, "last active administrator")
	other := h.business("Thistle", "cleo@thistle.test")
	anna.expect(anna.post("/account/people/suspend", "id", formatUser(other.User)), http.StatusNotFound, "There is no such page")
	anna.expect(anna.post("/account/people/link", "id", formatUser(other.User)), http.StatusNotFound, "There is no such page")
}

// Whoever can make a link can become its user, so nobody makes one for a user above them.
func TestNoLinkForAHigherRole(t *testing.T) {
	h := newHouse(t)
	admin := h.business("Juniper", "anna@juniper.test")
	_, err := createRole(h, admin, `{"name":"front desk","permissions":{"user":{"read":"all","write":"all"},"role":{"read":"all"},"contact":{"read":"all"}},"features":["manage_users"]}`)
	if err != nil {
		t.Fatal(err)
	}
	h.user(admin, "desk@juniper.test", "front desk")
	desk := h.loggedIn("desk@juniper.test")
	desk.expect(desk.post("/account/people/link", "id", formatUser(admin.User)), http.StatusForbidden, "cannot let anyone in")
	desk.expect(desk.post("/account/people/suspend", "id", formatUser(admin.User)), http.StatusForbidden, "You may not do this")
	anna := h.loggedIn("anna@juniper.test")
	adminRole := anna.find(anna.get("/account/people").body, `value="(role_[^"]*)"[^>]*>admin<`)
	desk.expect(desk.post("/account/people", "email", "eve@juniper.test", "role", adminRole), http.StatusUnprocessableEntity, "cannot give or take the role admin")
}

func TestPasswords(t *testing.T) {
	h := newHouse(t)
	admin := h.business("Juniper", "anna@juniper.test")
	h.user(admin, "ben@juniper.test", "member")
	here, there := h.loggedIn("anna@juniper.test"), h.loggedIn("anna@juniper.test")
	here.expect(here.post("/account/password", "old_password", "wrong one", "password", "another lake"), http.StatusUnprocessableEntity, "Current password is not right")
	here.expect(here.post("/account/password", "old_password", password, "password", "short"), http.StatusUnprocessableEntity, `id="f-password-error"`)
	here.leads(here.post("/account/password", "old_password", password, "password", "another lake"), "/account?done=password")
	here.expect(here.get("/account"), http.StatusOK, "this one")
	there.leads(there.get("/account"), "/login")

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
	stranger.leads(stranger.post(path, "password", "a third lake"), "/account?done=password")
	here.leads(here.get("/account"), "/login")
	stranger.expect(stranger.post("/forgot", "email", "nobody"), http.StatusUnprocessableEntity, `id="f-email-error"`)
	for range 5 {
		stranger.post("/forgot", "email", "victim@juniper.test")
	}
	stranger.expect(stranger.post("/forgot", "email", "victim@juniper.test"), http.StatusTooManyRequests, "too many requests")
}

func TestSessions(t *testing.T) {
	h := newHouse(t)
	admin := h.business("Juniper", "anna@juniper.test")
	h.user(admin, "ben@juniper.test", "member")
	here, there, ben := h.loggedIn("anna@juniper.test"), h.loggedIn("anna@juniper.test"), h.loggedIn("ben@juniper.test")
	page := here.get("/account").body
	other := here.find(page, `(?s)this one.*name="id" value="(session_[^"]*)"`)
	ben.post("/account/sessions/end", "id", other)
	there.expect(there.get("/account"), http.StatusOK, "this one")
	here.leads(here.post("/account/sessions/end", "id", other), "/account?done=session")
	there.leads(there.get("/account"), "/login")
	here.expect(here.post("/account/sessions/end", "id", "nonsense"), http.StatusNotFound, "There is no such page")
	own := here.find(here.get("/account").body, `name="id" value="(session_[^"]*)"`)
	here.leads(here.post("/account/sessions/end", "id", own), "/login?done=logout")
	here.leads(here.get("/account"), "/login")
}
