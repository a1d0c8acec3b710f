package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/operator"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/keep"
	"github.com/kith-crm/kith/internal/testworld"
)

// provides lets the people of a business log in by a provider; more are further fields.
func (h *house) provides(admin *record.Principal, p *testworld.Provider, more string) {
	h.Helper()
	h.sets(admin, fmt.Sprintf(`{"login_issuer":%q,"login_client_id":%q,"login_client_secret":%q,"login_domains":["acme.test",`+
		`"acme.example"]%s}`, p.URL, testworld.ProviderClient, testworld.ProviderSecret, more))
}

// sets changes the settings of a business.
func (h *house) sets(admin *record.Principal, patch string) {
	h.Helper()
	n, err := body.Parse([]byte(patch))
	if err != nil {
		h.Fatal(err)
	}
	if _, err := account.ChangeBusiness(h.Context(), h.engine, record.Call{Principal: admin}, nil, n); err != nil {
		h.Fatal(err)
	}
}

// An administrator sets all of it in the app, is told what is wrong with it, and never the secret; and shows again that it is them,
// if it is long ago.
func TestProviderIsSetInTheApp(t *testing.T) {
	onEach(t, func(h *house) {
		c := newCast(h)
		p := testworld.NewProvider(t)
		viewer := c.anna.roleID("viewer")
		set := func(fields string) *answer { return c.anna.asked("PATCH", "/v1/business", fields) }
		good := `{"login_issuer":"` + p.URL + `","login_client_id":"` + testworld.ProviderClient + `","login_client_secret":"` +
			testworld.ProviderSecret + `","login_domains":["juniper.test",` +
			`"juniper.example"],"login_role_id":"` + viewer + `","login_required":true}`
		c.anna.leads(c.anna.get("/account/business/login"), "/app/settings/business")
		c.anna.expect(set(strings.Replace(good, p.URL, p.URL+"/nothing", 1)), http.StatusUnprocessableEntity,
			"does not answer with the configuration of an OpenID Connect provider")
		c.anna.expect(set(`{"login_issuer":"`+p.URL+`"}`), http.StatusUnprocessableEntity,
			"must be given for a log-in by an identity provider")
		h.later.Store(int64(2 * time.Hour))
		c.anna.refusedBy("a long time after the log-in", set(good), 403, "confirmation_required")
		c.anna.expect(set(`{"locale":"sv"}`), http.StatusOK, `"locale":"sv"`)
		h.later.Store(0)
		saved := c.anna.expect(set(good), http.StatusOK, `"login_required":true`)
		if strings.Contains(saved.body, testworld.ProviderSecret) || !strings.Contains(saved.body, viewer) {
			t.Errorf("something else is answered than was saved: %s", saved.body)
		}
		c.anna.expect(set(`{"login_domains":["juniper.test"]}`), http.StatusOK, `"login_domains":["juniper.test"]`)
		if secret, err := keep.LoginSecret(t.Context(), c.admin.Tenant); secret != testworld.ProviderSecret || err != nil {
			t.Errorf("the secret is another one; %v", err)
		}
		p.Claims = vouching("newcomer@juniper.test")
		v := h.visitor()
		v.leads(v.get(v.asks("newcomer@juniper.test", c.admin)), "/account/switch")
		c.anna.expect(set(`{"login_issuer":null}`), http.StatusOK, `"login_domains":[]`)
	})
}

// asks goes as far as the provider, and gives the address that it sends back to.
func (v *visitor) asks(email string, business *record.Principal) string {
	v.Helper()
	v.leads(v.post("/login/company", "email", email, "next", "/account/switch"), "/login/company")
	page := v.expect(v.get("/login/company"), http.StatusOK, "Log in with <bdi>")
	id := schema.FormatID("business", business.Tenant.ID())
	if !strings.Contains(page.body, id) {
		v.Fatalf("%s is not offered %s:\n%s", email, id, page.main())
	}
	if policy := page.header.Get("Content-Security-Policy"); !strings.Contains(policy, "form-action 'self' http://127.0.0.1:") ||
		!strings.Contains(policy, " https:") {
		v.Errorf("the provider cannot be reached from the form under %q", policy)
	}
	there := v.post("/login/company/go", "business", id, "email", email, "next", "/account/switch")
	back := v.follow(there)
	if back.status != http.StatusSeeOther {
		v.Fatalf("the provider answers %d %s", back.status, back.body)
	}
	return back.to()
}

func vouching(email string) map[string]any {
	return map[string]any{"email": email, "email_verified": true, "name": "Kim Ro"}
}

func TestLogInByProvider(t *testing.T) {
	onEach(t, func(h *house) {
		p := testworld.NewProvider(t)
		acme, other := h.business("Acme", "anna@acme.test"), h.business("Other", "otto@other.test")
		h.user(acme, "Kim@acme.test", "member")
		h.provides(acme, p, "")
		h.user(other, "else@acme.test", "member")
		invited := testworld.User(h, h.engine, acme.Tenant, account.Person{Email: "new@acme.test", Name: "New"}, "member")
		suspended := h.user(acme, "gone@acme.test", "member")
		if err := operator.SetUserStatus(t.Context(), h.engine, acme.Tenant, suspended, "suspended"); err != nil {
			t.Fatal(err)
		}

		// By both kinds of signatures; capital letters make no other address.
		for _, elliptic := range []bool{false, true} {
			p.Claims, p.Elliptic = vouching("kim@ACME.test"), elliptic
			v := h.visitor()
			back := v.asks("kim@acme.test", acme)
			v.leads(v.get(back), "/account/switch")
			v.expect(v.get("/account/switch"), http.StatusOK, "Acme")
			// What was answered once is not answered again, and in another browser never.
			v.expect(v.get(back), http.StatusForbidden, "You cannot log in")
			stranger := h.visitor()
			stranger.expect(stranger.get(back), http.StatusForbidden, "You cannot log in")
		}

		// Who was invited has shown by it that the address is theirs.
		p.Claims = vouching("new@acme.test")
		v := h.visitor()
		v.leads(v.get(v.asks("new@acme.test", acme)), "/account/switch")
		if u, err := acme.Tenant.Get(t.Context(), &record.KindOf("user").Resource, invited, false); err != nil ||
			u.Text(account.Users.Status) != "active" {
			t.Errorf("who was invited is not active: %v", err)
		}

		p.Lax = true
		for name, c := range map[string]struct {
			claims map[string]any
			lies   func(claims map[string]any)
			forged bool
			status int
		}{
			"issuer": {
				vouching("kim@acme.test"), func(c map[string]any) { c["iss"] = "https://login.example.com" },
				false, http.StatusBadGateway,
			},
			"audience": {
				vouching("kim@acme.test"), func(c map[string]any) { c["aud"] = "another" }, false,
				http.StatusBadGateway,
			},
			"authorized party": {
				vouching("kim@acme.test"),
				func(c map[string]any) { c["aud"] = []string{testworld.ProviderClient, "another"}; c["azp"] = "another" }, false,
				http.StatusForbidden,
			},
			"nonce": {
				vouching("kim@acme.test"), func(c map[string]any) { c["nonce"] = "another" }, false,
				http.StatusForbidden,
			},
			"no nonce": {
				vouching("kim@acme.test"), func(c map[string]any) { delete(c, "nonce") }, false,
				http.StatusForbidden,
			},
			"expired": {
				vouching("kim@acme.test"),
				func(c map[string]any) { c["exp"] = time.Now().Add(-time.Hour).Unix() }, false, http.StatusBadGateway,
			},
			"signature": {vouching("kim@acme.test"), nil, true, http.StatusBadGateway},
			"unverified": {
				vouching("kim@acme.test"), func(c map[string]any) { c["email_verified"] = false }, false,
				http.StatusForbidden,
			},
			"not told whether verified": {
				vouching("kim@acme.test"), func(c map[string]any) { delete(c, "email_verified") }, false,
				http.StatusForbidden,
			},
			"other domain":        {vouching("otto@other.test"), nil, false, http.StatusForbidden},
			"domain below":        {vouching("kim@sub.acme.test"), nil, false, http.StatusForbidden},
			"no address":          {map[string]any{"email_verified": true}, nil, false, http.StatusBadGateway},
			"of another business": {vouching("else@acme.test"), nil, false, http.StatusForbidden},
			"suspended":           {vouching("gone@acme.test"), nil, false, http.StatusForbidden},
			"unknown":             {vouching("nobody@acme.test"), nil, false, http.StatusForbidden},
		} {
			p.Claims, p.Tamper, p.Forged, p.Elliptic = c.claims, c.lies, c.forged, false
			v := h.visitor()
			if a := v.get(v.asks("kim@acme.test", acme)); a.status != c.status || v.cookie(sessionCookie) != "" {
				t.Errorf("%s: %d, want %d:\n%s", name, a.status, c.status, a.main())
			}
		}
		p.Tamper, p.Forged, p.Claims = nil, false, vouching("kim@acme.test")

		// Many tell the address only when they are asked for it; it must be of the same person, and is held to the same.
		for _, c := range []struct {
			subject, email string
			verified       bool
			status         int
		}{
			{"someone", "kim@acme.test", true, http.StatusSeeOther},
			{"someone else", "kim@acme.test", true, http.StatusBadGateway},
			{"someone", "kim@acme.test", false, http.StatusForbidden},
			{"someone", "otto@other.test", true, http.StatusForbidden},
		} {
			p.Tamper, p.Forged, p.Claims = nil, false, map[string]any{"email_verified": true}
			p.Told = map[string]any{"sub": c.subject, "email": c.email, "email_verified": c.verified}
			v := h.visitor()
			if a := v.get(v.asks("kim@acme.test", acme)); a.status != c.status {
				t.Errorf("told of %v: %d, want %d:\n%s", p.Told, a.status, c.status, a.main())
			}
		}
		p.Told, p.Claims = nil, vouching("kim@acme.test")

		// A business that trusts its provider's addresses does without being told that they are verified, but not if it is told
		// that they are not.
		h.sets(acme, `{"login_trusted":true}`)
		for says, status := range map[any]int{nil: http.StatusSeeOther, false: http.StatusForbidden, "false": http.StatusForbidden} {
			p.Tamper = func(c map[string]any) {
				if c["email_verified"] = says; says == nil {
					delete(c, "email_verified")
				}
			}
			v := h.visitor()
			if a := v.get(v.asks("kim@acme.test", acme)); a.status != status {
				t.Errorf("email_verified %v: %d, want %d:\n%s", says, a.status, status, a.main())
			}
		}
		p.Tamper = nil

		// The state, the business of the address, who answers, and the code must be those of the question.
		v = h.visitor()
		back, err := url.Parse(v.asks("kim@acme.test", acme))
		if err != nil {
			t.Fatal(err)
		}
		changed := func(path string, set ...string) string {
			u, q := *back, back.Query()
			for i := 0; i < len(set); i += 2 {
				q.Set(set[i], set[i+1])
			}
			u.RawQuery, u.Path = q.Encode(), path
			return u.String()
		}
		state := back.Query().Get("state")
		// Each letter is another one, so that the changed state is never by chance the one that was given.
		altered := strings.Map(func(r rune) rune { return r ^ 1 }, state)
		v.expect(v.get(changed(back.Path, "state", altered)), http.StatusForbidden, "You cannot log in")
		v.expect(v.get(changed(back.Path, "iss", "https://login.example.com")), http.StatusForbidden, "You cannot log in")
		v.expect(v.get(changed(back.Path, "code", "another")), http.StatusBadGateway, "does not work")
		v.expect(v.get(changed("/login/company/"+schema.FormatID("business", other.Tenant.ID()))), http.StatusForbidden,
			"You cannot log in")
		v.expect(v.get(changed(back.Path, "error", "access_denied")), http.StatusForbidden, "cancelled or refused")
		v.leads(v.get(back.String()), "/account/switch")
		p.Lax = false

		// The domain alone decides what is offered.
		for email, offered := range map[string]bool{"nobody@acme.example": true, "otto@other.test": false, "kim@sub.acme.test": false} {
			v := h.visitor()
			v.leads(v.post("/login/company", "email", email), "/login/company")
			if page := v.get("/login/company"); strings.Contains(page.body, "Acme") != offered ||
				offered == strings.Contains(page.body, "No company") {
				t.Errorf("%s: offered is not %v:\n%s", email, offered, page.main())
			}
		}

		if text := h.log.String(); strings.Contains(text, testworld.ProviderSecret) {
			t.Error("the secret is in the log")
		}
	})
}

func TestProviderAlone(t *testing.T) {
	onEach(t, func(h *house) {
		p := testworld.NewProvider(t)
		acme := h.business("Acme", "anna@acme.test")
		h.user(acme, "kim@acme.test", "member")
		viewer := h.loggedIn("anna@acme.test").roleID("viewer")
		h.provides(acme, p, `,"login_required":true,"login_role_id":"`+viewer+`"`)
		v := h.visitor()
		v.expect(v.post("/login", "email", "kim@acme.test", "password", password), http.StatusForbidden, "Log in with your company")
		if v.cookie(sessionCookie) != "" {
			t.Error("a password is enough where the provider is required")
		}
		h.loggedIn("anna@acme.test") // who can change the settings is never locked out
		p.Claims = vouching("kim@acme.test")
		v.leads(v.get(v.asks("kim@acme.test", acme)), "/account/switch")

		// Who comes for the first time is made a user with the role that was chosen.
		p.Claims = vouching("first@acme.example")
		first := h.visitor()
		first.leads(first.get(first.asks("first@acme.example", acme)), "/account/switch")
		first.expect(first.get("/account/switch"), http.StatusOK, "Kim Ro")
		ids, err := keep.Identities(t.Context(), h.engine.Store(), "first@acme.example")
		if err != nil || len(ids) != 1 {
			t.Fatalf("%d identities, %v", len(ids), err)
		}
		u, err := acme.Tenant.Get(t.Context(), &record.KindOf("user").Resource, ids[0].User, false)
		if err != nil || u.Text(account.Users.Status) != "active" || schema.FormatID("role", u.Get(account.Users.RoleID).UUID()) != viewer {
			t.Errorf("who came first has another role: %v", err)
		}
		// The audit log tells of both, under who it was and where they came from.
		for action, told := range map[string]int{"user.created": 1, "login.succeeded": 1} {
			n, err := body.Parse([]byte(fmt.Sprintf(`{"filters":[{"field":"action","operator":"eq","value":%q},{"field":"user_id",`+
				`"operator":"eq","value":%q},{"field":"address","operator":"is_set"},{"field":"request_id","operator":"is_set"}]}`,
				action, schema.FormatID("user", u.ID()))))
			if err != nil {
				t.Fatal(err)
			}
			lines := 0
			if _, err := h.engine.SearchAudit(t.Context(), record.Call{Principal: acme}, n,
				func(*query.Query, []schema.Value) { lines++ }); err != nil || lines != told {
				t.Errorf("%d lines of %s, want %d; %v", lines, action, told, err)
			}
		}
		// They have no password to confirm with, and are told what to do.
		h.later.Store(int64(2 * time.Hour))
		first.refusedBy("a long time after the log-in", first.asked("POST", "/v1/tokens", `{"name":"Nightly","scopes":["contact.read"]}`),
			403, "confirmation_required")
		first.expect(first.asked("GET", "/v1/me/factors", ""), http.StatusOK, `"has_password":false`)
		h.later.Store(0)

		// A role that requires a second factor is content with what the provider asked for.
		n, err := body.Parse([]byte(`{"requires_second_factor":true}`))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.engine.Do(t.Context(), record.Call{Principal: acme},
			record.Operation{Kind: record.KindOf("role"), Name: record.Update, ID: viewer, Body: n}); err != nil {
			t.Fatal(err)
		}
		again := h.visitor()
		again.leads(again.get(again.asks("first@acme.example", acme)), "/account/switch")
		again.expect(again.asked("POST", "/v1/tokens", `{"name":"Nightly","scopes":["contact.read"]}`), http.StatusCreated, "kith_pat_")

		// The role is kept as long as it is needed; without the provider, all of it is gone and passwords count again.
		if _, err := h.engine.Do(t.Context(), record.Call{Principal: acme},
			record.Operation{Kind: record.KindOf("role"), Name: record.Remove, ID: viewer}); err == nil ||
			!strings.Contains(err.Error(), "first logs in by the identity provider") {
			t.Errorf("the role was deleted: %v", err)
		}
		h.sets(acme, `{"login_issuer":null}`)
		if secret, err := keep.LoginSecret(t.Context(), acme.Tenant); secret != "" || err != nil {
			t.Errorf("the secret is still there: %v", err)
		}
		if left, err := keep.WithLoginDomain(t.Context(), h.engine.Store(), "acme.test"); len(left) > 0 || err != nil {
			t.Errorf("%d businesses still have the domain; %v", len(left), err)
		}
		h.loggedIn("kim@acme.test")
	})
}
