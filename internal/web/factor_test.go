package web

import (
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"kith/internal/body"
	"kith/internal/crm"
	"kith/internal/schema"
	"kith/internal/testworld"
)

// newAuthenticator begins to set up an app, and gives it.
func (v *visitor) newAuthenticator(pairs ...string) *testworld.Authenticator {
	v.Helper()
	page := v.expect(v.follow(v.post("/account/security/authenticator/start", pairs...)), http.StatusOK, `<img src="data:image/png;base64,`)
	return &testworld.Authenticator{Secret: strings.ReplaceAll(v.find(page.body, `<code class="breakable">([A-Z2-7 ]+)</code>`), " ", "")}
}

// recoveryCodes are those that a page shows.
func (v *visitor) recoveryCodes(page *answer) (codes []string) {
	v.Helper()
	for i, part := range strings.Split(page.body, "<li><code>") {
		if i > 0 {
			code, _, _ := strings.Cut(part, "<")
			codes = append(codes, code)
		}
	}
	if len(codes) != 10 {
		v.Fatalf("%d recovery codes:\n%s", len(codes), page.main())
	}
	return codes
}

// secured sets up an app for a visitor.
func (v *visitor) secured() (*testworld.Authenticator, []string) {
	v.Helper()
	app := v.newAuthenticator()
	sent := v.post("/account/security/authenticator", "code", app.Code(v))
	v.leads(sent, "/account/security")
	return app, v.recoveryCodes(v.follow(sent))
}

// factorID is that of the visitor's app.
func (v *visitor) factorID() string {
	v.Helper()
	return v.find(v.get("/account/security").body, `name="id" value="(factor_[^"]*)"`)
}

// factored is a new member with a second factor, logged in.
func (c *cast) factored(email string) (*visitor, []string) {
	c.Helper()
	c.user(c.admin, email, "member")
	v := c.loggedIn(email)
	_, codes := v.secured()
	return v, codes
}

func TestLogInInTwoSteps(t *testing.T) {
	onEach(t, func(h *house) {
		c := newCast(h)
		anna, other := c.anna, h.loggedIn("anna@juniper.test")
		anna.expect(anna.get("/account/security"), http.StatusOK, "Set up an app")
		app := anna.newAuthenticator()
		anna.expect(anna.post("/account/security/authenticator", "code", "000000"), http.StatusUnprocessableEntity, "Code is not right.")
		sent := anna.post("/account/security/authenticator", "code", app.Code(h))
		anna.leads(sent, "/account/security")
		shown := anna.expect(anna.follow(sent), http.StatusOK, "Your authenticator app is set up")
		codes := anna.recoveryCodes(shown)
		if again := anna.expect(anna.get("/account/security"), http.StatusOK, "10 left"); strings.Contains(again.body, codes[0]) || strings.Contains(again.body, app.Secret[:4]+" ") {
			t.Error("reloading shows a secret again")
		}
		anna.leads(anna.get("/account/security/authenticator"), "/account/security")
		other.leads(other.get("/app"), "/login")

		// The password alone is no session, in this browser or another.
		client := h.client("Mailer")
		wanted := ask(client, callback, "contact.read")
		bea := h.visitor()
		bea.leads(bea.post("/login", "email", "anna@juniper.test", "password", password, "next", wanted), "/login/factor")
		if bea.cookie(sessionCookie) != "" {
			t.Error("half a log-in has a session")
		}
		bea.leads(bea.get("/app"), "/login")
		stranger := h.visitor()
		stranger.leads(stranger.get("/login/factor"), "/login")
		stranger.get("/login")
		at, err := url.Parse(h.server.URL + "/login/factor")
		if err != nil {
			t.Fatal(err)
		}
		for _, cookie := range bea.client.Jar.Cookies(at) {
			if cookie.Name == handoverCookie { // what is sealed for one browser does not open in another
				stranger.header.Set("Cookie", handoverCookie+"="+cookie.Value+"; "+formCookie+"="+stranger.cookie(formCookie))
			}
		}
		if stranger.header.Get("Cookie") == "" {
			t.Fatal("there is no half log-in to steal")
		}
		stranger.leads(stranger.post("/login/factor", "code", codes[9]), "/login")

		bea.expect(bea.get("/login/factor"), http.StatusOK, "Show that it is you")
		bea.expect(bea.post("/login/factor", "code", "123456"), http.StatusUnauthorized, "Code is not right, or was used already.")
		in := bea.post("/login/factor", "code", app.Code(h))
		bea.leads(in, wanted)
		bea.expect(bea.follow(in), http.StatusOK, "Mailer")
		bea.leads(bea.post("/login/factor", "code", codes[1]), "/login")
		access, _ := bea.trade(client, bea.post(wanted, "answer", "allow", "scope", "contact.read").to())
		if status := h.api(access); status != http.StatusOK {
			t.Errorf("the app gets %d", status)
		}

		// A reset of the password asks for it as well, and does not take it away.
		h.visitor().post("/forgot", "email", "anna@juniper.test")
		_, reset, _ := strings.Cut(h.logged("reset", "anna@juniper.test"), mailedOrigin)
		cleo := h.visitor()
		cleo.leads(cleo.post(reset, "password", "another password"), "/login/factor")
		cleo.leads(cleo.get("/app"), "/login")
		in = cleo.post("/login/factor", "code", codes[2])
		cleo.leads(in, "/app")
		cleo.expect(cleo.get("/account/security"), http.StatusOK, "9 left")
	})
}

func TestWhatWeakensTheLogInAsksAgain(t *testing.T) {
	onEach(t, func(h *house) {
		c := newCast(h)
		anna := c.anna
		app, codes := anna.secured()
		id := anna.factorID()
		// It was given a moment ago, and is asked for all the same.
		page := anna.expect(anna.post("/account/security/remove", "id", id), http.StatusForbidden, "changes how safe your account is")
		form := anna.fieldsOf(page, "/account/security/remove", confirmField, password, confirmCode, "000000")
		anna.expect(anna.post("/account/security/remove", form...), http.StatusForbidden, "Code is not right, or was used already.")
		anna.expect(anna.post("/account/security/remove", "id", id, confirmField, "wrong", confirmCode, codes[0]), http.StatusForbidden, "Password is not right.")
		anna.expect(anna.post("/account/security/codes"), http.StatusForbidden, "and a code")
		fresh := anna.recoveryCodes(anna.follow(anna.post("/account/security/codes", confirmField, password, confirmCode, codes[0])))

		// What hands out access asks for both when an hour has passed.
		token := `{"name":"Nightly","scopes":["contact.read"]}`
		confirm := func(given string) *answer { return anna.asked("POST", "/v1/me/confirm", given) }
		h.later.Store(int64(2 * time.Hour))
		anna.refusedBy("two hours later", anna.asked("POST", "/v1/tokens", token), 403, "confirmation_required")
		anna.expect(confirm(`{"password":"`+password+`"}`), http.StatusUnprocessableEntity, `"field":"code"`)
		anna.expect(confirm(`{"password":"`+password+`","code":"`+app.Code(h)+`"}`), http.StatusNoContent, "")
		h.later.Store(0)
		anna.expect(anna.asked("POST", "/v1/tokens", token), http.StatusCreated, "kith_pat_")

		// Another's factor is not theirs to remove.
		dora, doras := c.factored("dora@juniper.test")
		dora.leads(dora.post("/account/security/remove", "id", id, confirmField, password, confirmCode, doras[0]), "/account/security?done=unfactored")
		anna.expect(anna.get("/account/security"), http.StatusOK, "An app on your telephone")
		anna.leads(anna.post("/account/security/remove", "id", id, confirmField, password, confirmCode, fresh[0]), "/account/security?done=unfactored")
		anna.expect(anna.get("/account/security?done=unfactored"), http.StatusOK, "Set up an app")
		h.loggedIn("anna@juniper.test")
	})
}

func TestSomebodyInChargeTakesAFactorAway(t *testing.T) {
	onEach(t, func(h *house) {
		c := newCast(h)
		dora, _ := c.factored("dora@juniper.test")
		id := c.anna.userID("dora@juniper.test")
		take := func(v *visitor, id string) *answer {
			return v.asked("POST", "/v1/users/"+id+"/take_second_factor", "{}")
		}
		h.user(c.admin, "vera@juniper.test", "viewer")
		vera := h.loggedIn("vera@juniper.test")
		vera.refusedBy("a viewer", take(vera, id), 403, "forbidden_by_role")
		h.later.Store(int64(2 * time.Hour))
		c.anna.refusedBy("who gave no password lately", take(c.anna, id), 403, "confirmation_required")
		h.later.Store(0)
		c.anna.expect(take(c.anna, id), http.StatusNoContent, "")
		dora.leads(dora.get("/app"), "/login")
		h.loggedIn("dora@juniper.test")
		// One's own is removed where it has to be shown.
		c.anna.secured()
		c.anna.refusedBy("one's own", take(c.anna, formatUser(c.admin.User)), 409, "conflict")
		c.anna.expect(c.anna.get("/account/security"), http.StatusOK, "An app on your telephone")
	})
}

func TestARoleThatRequiresASecondFactor(t *testing.T) {
	onEach(t, func(h *house) {
		c := newCast(h)
		ben := h.loggedIn("ben@juniper.test")
		role := c.anna.roleID("member")
		n, err := body.Parse([]byte(`{"requires_second_factor":true}`))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.engine.Do(t.Context(), crm.Call{Principal: c.admin}, crm.Operation{Kind: crm.KindOf("role"), Name: crm.Update, ID: role, Body: n}); err != nil {
			t.Fatal(err)
		}
		ben.refusedBy("who has to set up a second factor", ben.asked("GET", "/v1/me", ""), 403, "forbidden_by_role")
		client := h.client("Mailer")
		wanted := ask(client, callback, "contact.read")
		for _, p := range sitemap {
			if p.open && p.path != "/oauth/authorize" || p.unfinished {
				continue
			}
			if got := ben.get(strings.ReplaceAll(p.path, "{id}", "x")); got.status != http.StatusSeeOther || !strings.HasPrefix(got.to(), "/account/security?next=") {
				t.Errorf("GET %s: %d %s", p.path, got.status, got.to())
			}
			if p.post != nil {
				ben.leads(ben.post(strings.ReplaceAll(p.path, "{id}", "x"), "answer", "allow", "scope", "contact.read"), "/account/security")
			}
		}
		lead := ben.get(wanted)
		page := ben.expect(ben.follow(lead), http.StatusOK, "needs a second factor. Set one up to go on.")
		app := ben.newAuthenticator(ben.fieldsOf(page, "/account/security/authenticator/start")...)
		done := ben.follow(ben.post("/account/security/authenticator", "code", app.Code(h)))
		next := html.UnescapeString(ben.find(done.body, `<a class="primary button" href="([^"]*)">Go on`))
		if next != wanted {
			t.Errorf("it goes on to %s, want %s", next, wanted)
		}
		ben.expect(ben.get(next), http.StatusOK, "Mailer")
		ben.expect(ben.asked("GET", "/v1/me", ""), http.StatusOK, "ben@juniper.test")
		ben.expect(ben.asked("GET", "/v1/me", ""), http.StatusOK, "ben@juniper.test")
		// Nobody is sent elsewhere by it.
		ben.expect(ben.get("/account/security?next=https://evil.example.com/"), http.StatusOK, `href="/app">Go on`)
		if u, err := c.admin.Tenant.Get(t.Context(), &crm.KindOf("user").Resource, mustID(t, c.ben), false); err != nil || !u.Get(crm.Users.SecondFactorAt).Set {
			t.Error("the record does not tell", err)
		}
	})
}

func mustID(t *testing.T, text string) schema.UUID {
	t.Helper()
	id, err := schema.ParseID("user", text)
	if err != nil {
		t.Fatal(err)
	}
	return id
}
