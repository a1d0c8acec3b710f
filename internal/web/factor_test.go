package web

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/testworld"
)

// newAuthenticator begins to set up an app, and gives it with what finishes that.
func (v *visitor) newAuthenticator() (app *testworld.Authenticator, state string) {
	v.Helper()
	started := v.one("POST", "/v1/me/authenticator/start", "{}", http.StatusOK)
	if !strings.HasPrefix(started["picture"].(string), "data:image/png;base64,") ||
		!strings.Contains(started["address"].(string), started["key"].(string)) {
		v.Errorf("the app is told %v", started)
	}
	return &testworld.Authenticator{Secret: started["key"].(string)}, started["state"].(string)
}

// setUp finishes it.
func (v *visitor) setUp(state, code string) *answer {
	v.Helper()
	return v.asked("POST", "/v1/me/authenticator", `{"state":"`+state+`","code":"`+code+`"}`)
}

// recoveryCodes are those that an answer shows.
func (v *visitor) recoveryCodes(a *answer) []string {
	v.Helper()
	var shown struct {
		Codes []string `json:"recovery_codes"`
	}
	if err := json.Unmarshal([]byte(a.body), &shown); err != nil || len(shown.Codes) != 10 {
		v.Fatalf("%d recovery codes: %d %s", len(shown.Codes), a.status, a.body)
	}
	return shown.Codes
}

// secured sets up an app for a visitor.
func (v *visitor) secured() (*testworld.Authenticator, []string) {
	v.Helper()
	app, state := v.newAuthenticator()
	return app, v.recoveryCodes(v.setUp(state, app.Code(v)))
}

// factors is what the visitor has.
func (v *visitor) factors() (all struct {
	Authenticator *struct{ ID string }
	Passkeys      []struct{ ID, Name string }
	Left          int  `json:"recovery_codes_left"`
	Required      bool `json:"required"`
	Work          bool `json:"passkeys_work"`
},
) {
	v.Helper()
	if err := json.Unmarshal([]byte(v.expect(v.asked("GET", "/v1/me/factors", ""), http.StatusOK, `"has_password":true`).body),
		&all); err != nil {
		v.Fatal(err)
	}
	return all
}

// remove takes a factor away.
func (v *visitor) remove(id, proof string) *answer {
	v.Helper()
	return v.asked("POST", "/v1/me/factors/"+id+"/remove", proof)
}

func proof(password, code string) string {
	return `{"password":"` + password + `","code":"` + code + `"}`
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
		anna.leads(anna.get("/account/security"), "/app/settings/security")
		app, state := anna.newAuthenticator()
		wrong := anna.expect(anna.setUp(state, "000000"), http.StatusUnprocessableEntity, `"field":"code"`)
		if had := anna.factors(); had.Authenticator != nil || strings.Contains(wrong.body, "recovery") {
			t.Error("a wrong code sets it up")
		}
		codes := anna.recoveryCodes(anna.setUp(state, app.Code(h)))
		anna.refusedBy("a second app", anna.setUp(state, app.Code(h)), 409, "conflict")
		again := anna.expect(anna.asked("GET", "/v1/me/factors", ""), http.StatusOK, `"recovery_codes_left":10`)
		if strings.Contains(again.body, codes[0]) || strings.Contains(again.body, app.Secret) {
			t.Error("a secret is shown again")
		}
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
		if left := cleo.factors().Left; left != 9 {
			t.Errorf("%d codes are left", left)
		}
	})
}

func TestWhatWeakensTheLogInAsksAgain(t *testing.T) {
	onEach(t, func(h *house) {
		c := newCast(h)
		anna := c.anna
		app, codes := anna.secured()
		id := anna.factors().Authenticator.ID
		// It was given a moment ago, and is asked for all the same.
		anna.expect(anna.remove(id, "{}"), http.StatusUnprocessableEntity, `"field":"password"`)
		anna.expect(anna.remove(id, proof(password, "000000")), http.StatusUnprocessableEntity, `"field":"code"`)
		anna.expect(anna.remove(id, `{"password":"`+password+`"}`), http.StatusUnprocessableEntity, `"field":"code"`)
		anna.expect(anna.remove(id, proof("wrong", codes[0])), http.StatusUnprocessableEntity, `"field":"password"`)
		anna.expect(anna.asked("POST", "/v1/me/recovery_codes", "{}"), http.StatusUnprocessableEntity, `"field":"password"`)
		fresh := anna.recoveryCodes(anna.asked("POST", "/v1/me/recovery_codes", proof(password, codes[0])))
		anna.refusedBy("no factor", anna.remove("nonsense", proof(password, fresh[9])), 404, "not_found")

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
		dora.expect(dora.remove(id, proof(password, doras[0])), http.StatusNoContent, "")
		if anna.factors().Authenticator == nil {
			t.Error("another's factor is removed")
		}
		anna.expect(anna.remove(id, proof(password, fresh[0])), http.StatusNoContent, "")
		if left := anna.factors(); left.Authenticator != nil || left.Left != 0 {
			t.Errorf("%+v is left", left)
		}
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
		if c.anna.factors().Authenticator == nil {
			t.Error("one's own factor is gone")
		}
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
		if _, err := h.engine.Do(t.Context(), record.Call{Principal: c.admin},
			record.Operation{Kind: record.KindOf("role"), Name: record.Update, ID: role, Body: n}); err != nil {
			t.Fatal(err)
		}
		// Of the API there is what it takes to set one up, and nothing else.
		open := map[string]bool{
			"/v1/me/factors": true, "/v1/me/confirm": true, "/v1/me/authenticator/start": true,
			"/v1/me/authenticator": true, "/v1/me/passkeys/start": true, "/v1/me/passkeys": true,
		}
		for _, r := range httpapi.New(nil, httpapi.Options{}).Routes() {
			if got := ben.asked(r.Method, strings.ReplaceAll(r.Pattern, "{id}", "x"), "{}"); strings.Contains(got.body,
				`"code":"second_factor_required"`) == (open[r.Pattern] || r.Open) {
				t.Errorf("%s %s: %d", r.Method, r.Pattern, got.status)
			}
		}
		client := h.client("Mailer")
		wanted := ask(client, callback, "contact.read")
		for _, p := range sitemap {
			if p.open && p.path != "/oauth/authorize" || p.unfinished {
				continue
			}
			if got := ben.get(strings.ReplaceAll(p.path, "{id}", "x")); got.status != http.StatusSeeOther ||
				!strings.HasPrefix(got.to(), securityAt+"?next=") {
				t.Errorf("GET %s: %d %s", p.path, got.status, got.to())
			}
			if p.post != nil {
				ben.leads(ben.post(strings.ReplaceAll(p.path, "{id}", "x"), "answer", "allow", "scope", "contact.read"), securityAt)
			}
		}
		// Where they wanted to go goes along; the app, which holds it to addresses of our own, leads there.
		ben.leads(ben.get(wanted), securityAt+"?"+url.Values{"next": {wanted}}.Encode())
		ben.expect(ben.follow(ben.get(wanted)), http.StatusOK, `<div id="root">`)
		if !ben.factors().Required {
			t.Error("it does not say that the role requires it")
		}
		h.later.Store(int64(2 * time.Hour))
		ben.refusedBy("a long time after the log-in", ben.asked("POST", "/v1/me/authenticator/start", "{}"), 403, "confirmation_required")
		ben.refusedBy("a passkey, too", ben.asked("POST", "/v1/me/passkeys/start", "{}"), 403, "confirmation_required")
		ben.expect(ben.asked("POST", "/v1/me/confirm", `{"password":"`+password+`"}`), http.StatusNoContent, "")
		h.later.Store(0)
		ben.secured()
		ben.expect(ben.get(wanted), http.StatusOK, "Mailer")
		ben.expect(ben.asked("GET", "/v1/me", ""), http.StatusOK, "ben@juniper.test")
		if u, err := c.admin.Tenant.Get(t.Context(), &record.KindOf("user").Resource, mustID(t, c.ben), false); err != nil ||
			!u.Get(account.Users.SecondFactorAt).Set {
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

// What a browser keeps until it answers is for one log-in and one purpose, and opens on every server of the database.
func TestASetupIsBound(t *testing.T) {
	onEach(t, func(h *house) {
		c := newCast(h)
		app, state := c.anna.newAuthenticator()
		code := app.Code(h)
		altered := []byte(state)
		altered[len(altered)/2] ^= 1
		again, ben := h.loggedIn("anna@juniper.test"), h.loggedIn("ben@juniper.test")
		for name, got := range map[string]*answer{
			"another log-in": again.setUp(state, code), "another person": ben.setUp(state, code),
			"altered": c.anna.setUp(string(altered), code), "nonsense": c.anna.setUp("a", code),
			"another purpose": c.anna.asked("POST", "/v1/me/passkeys", `{"state":"`+state+`","response":"{}"}`),
		} {
			if got.status != http.StatusUnprocessableEntity || !strings.Contains(got.body, `"field":"state"`) {
				t.Errorf("%s: %d %s", name, got.status, got.body)
			}
		}
		beside := h.beside()
		there := &visitor{house: beside, header: http.Header{}, at: beside.server.URL, client: http.DefaultClient}
		cookie := sessionCookie + "=" + c.anna.cookie(sessionCookie)
		there.expect(there.asked("POST", "/v1/me/authenticator", `{"state":"`+state+`","code":"`+code+`"}`, "Cookie", cookie),
			http.StatusOK, "recovery_codes")
		if strings.Contains(h.log.String(), app.Secret) || strings.Contains(h.log.String(), state) {
			t.Error("the log has a secret")
		}
	})
}
