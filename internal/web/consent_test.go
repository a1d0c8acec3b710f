package web

import (
	"context"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

func formatUser(id schema.UUID) string { return schema.FormatID("user", id) }

func formatBusiness(t store.Tenant) string { return schema.FormatID("business", t.ID()) }

func createRole(h *house, admin *record.Principal, text string) (*schema.Record, error) {
	n, err := body.Parse([]byte(text))
	if err != nil {
		return nil, err
	}
	return h.engine.Do(context.Background(), record.Call{Principal: admin},
		record.Operation{Kind: record.KindOf("role"), Name: record.Create, Body: n})
}

func TestConsentErrors(t *testing.T) {
	h := newHouse(t)
	h.business("Juniper", "anna@juniper.test")
	client := h.client("Mailer")
	anna := h.loggedIn("anna@juniper.test")
	for name, path := range map[string]string{
		"no client": "/oauth/authorize", "unknown client": ask("kith_client_nobody", callback, "contact.read"),
		"another redirect": ask(client, "https://evil.example.com/callback", "contact.read"),
		"client twice":     ask(client, callback, "contact.read") + "&client_id=x",
	} {
		t.Run(name, func(t *testing.T) {
			got := anna.get(path)
			if got.status != http.StatusBadRequest || got.to() != "" || !strings.Contains(got.body, "This app cannot be connected") {
				t.Errorf("%d %s", got.status, got.to())
			}
			if strings.Contains(got.header.Get("Content-Security-Policy"), "https:") {
				t.Error("the error page lets forms go elsewhere")
			}
		})
	}
}

// wrongly are requests of an app that cannot be answered, though it is known where the answer would go.
func wrongly(client string) map[string]string {
	right := ask(client, callback, "contact.read")
	return map[string]string{
		"unknown scope": ask(client, callback, "nothing.read"), "no PKCE": strings.Replace(right, "code_challenge=", "other=", 1),
		"weak PKCE":        strings.Replace(right, "S256", "plain", 1),
		"implicit":         strings.Replace(right, "response_type=code", "response_type=token", 1),
		"no response type": strings.Replace(right, "response_type=code", "x=y", 1),
		"another resource": right + "&resource=https%3A%2F%2Fevil.example", "state twice": right + "&state=2",
		"response mode": right + "&response_mode=fragment",
	}
}

// Whoever registers a client must not get a server that sends people on to their address: the user logs in first, and chooses to go.
func TestSelfRegisteredClientIsNoOpenRedirector(t *testing.T) {
	h := newHouse(t)
	h.business("Juniper", "anna@juniper.test")
	client := h.client("Mailer")
	anna, nobody := h.loggedIn("anna@juniper.test"), h.visitor()
	for name, path := range wrongly(client) {
		t.Run(name, func(t *testing.T) {
			for _, got := range []*answer{nobody.get(path), nobody.do(http.MethodHead, path, nil), nobody.post(path, "answer", "allow")} {
				if got.status != http.StatusSeeOther || got.to() != "/login?next="+url.QueryEscape(path) {
					t.Errorf("without a log-in: %d %q", got.status, got.to())
				}
			}
			for _, got := range []*answer{anna.get(path), anna.post(path, "answer", "allow"), anna.post(path, "answer", "refuse")} {
				if got.status != http.StatusBadRequest || got.to() != "" || !strings.Contains(got.body, "Nobody has checked this app") {
					t.Errorf("logged in: %d %q %s", got.status, got.to(), got.main())
				}
				back, err := url.Parse(html.UnescapeString(anna.find(got.body, `href="(https://app.example.com/[^"]*)"`)))
				if err != nil || back.Host != "app.example.com" || back.Query().Get("error") == "" || back.Query().Get("state") == "" ||
					back.Query().Get("iss") != h.server.URL {
					t.Errorf("the way back is %v %v", back, err)
				}
			}
		})
	}
	// A private scheme has a way back, too.
	path := strings.Replace(ask(h.client("Phone", "com.example.app:/cb"), "com.example.app:/cb", "contact.read"), "S256", "plain", 1)
	anna.expect(anna.get(path), http.StatusBadRequest, `href="com.example.app:/cb?error=`)
}

// The business answers for its own apps, so an error goes back to them by itself.
func TestErrorsGoBackToTheBusinesssOwnApp(t *testing.T) {
	h := newHouse(t)
	admin := h.business("Juniper", "anna@juniper.test")
	fields, err := node(map[string]any{"name": "Own", "scopes": []string{"contact.read"}, "redirect_uris": []string{callback}})
	if err != nil {
		t.Fatal(err)
	}
	app, err := h.engine.Do(t.Context(), record.Call{Principal: admin},
		record.Operation{Kind: record.KindOf("app"), Name: record.Create, Body: fields})
	if err != nil {
		t.Fatal(err)
	}
	for name, path := range wrongly(app.Text(account.Apps.ClientID)) {
		t.Run(name, func(t *testing.T) {
			for _, v := range []*visitor{h.loggedIn("anna@juniper.test"), h.visitor()} {
				u, err := url.Parse(v.get(path).to())
				if err != nil || u.Host != "app.example.com" || u.Query().Get("error") == "" || u.Query().Get("iss") != h.server.URL {
					t.Errorf("%v %v", u, err)
				}
			}
		})
	}
}

func TestConsentAnswers(t *testing.T) {
	h := newHouse(t)
	admin := h.business("Juniper", "anna@juniper.test")
	h.user(admin, "ben@juniper.test", "viewer")
	client := h.client("Mailer")
	anna, ben := h.loggedIn("anna@juniper.test"), h.loggedIn("ben@juniper.test")
	request := ask(client, callback, "contact.read deal.all note.delete token.read")

	refused, err := url.Parse(anna.post(request, "answer", "refuse", "scope", "contact.read").to())
	if err != nil || refused.Query().Get("error") != "access_denied" || refused.Query().Get("state") != "xyz" {
		t.Errorf("refused: %v %v", refused, err)
	}
	anna.expect(anna.post(request, "answer", "allow"), http.StatusUnprocessableEntity, "Nothing is ticked")
	anna.expect(anna.post(request), http.StatusSeeOther, "")

	page := ben.get(request)
	for _, part := range []string{
		"Your role viewer does not allow this", "Your role viewer allows this for your own only", "Read deals",
		"Create and change deals", "Delete deals",
	} {
		ben.expect(page, http.StatusOK, part)
	}
	if got := strings.Count(page.body, `name="scope"`); got != 6 || strings.Count(page.body, `" checked`) != 6 {
		t.Errorf("%d scopes, want all 4, with deal.all in its parts, and ticked", got)
	}
	if strings.Contains(anna.get(request).body, "Your role") {
		t.Error("an administrator is told of limits")
	}

	switched := ben.post("/logout", "next", request)
	ben.leads(switched, "/login?next="+url.QueryEscape(request))
}

func TestConsentIsNotForAnotherBusinessesApp(t *testing.T) {
	h := newHouse(t)
	h.business("Juniper", "anna@juniper.test")
	h.business("Thistle", "cleo@thistle.test")
	anna, cleo := h.loggedIn("anna@juniper.test"), h.loggedIn("cleo@thistle.test")
	made := anna.expect(anna.asked("POST", "/v1/apps", `{"name":"Portal","scopes":["contact.read"],"redirect_uris":["`+callback+`"]}`),
		http.StatusCreated, "Portal")
	client := anna.find(made.body, `"client_id":"(kith_app_[0-9a-z]+)"`)
	cleo.expect(cleo.get(ask(client, callback, "contact.read")), http.StatusForbidden, "belongs to another business")
	got := cleo.expect(cleo.post(ask(client, callback, "contact.read"), "answer", "allow", "scope", "contact.read"), http.StatusForbidden,
		"belongs to another business")
	if got.to() != "" {
		t.Errorf("it leads to %q", got.to())
	}
}

// The consent that is given is for whom the page showed: a form from before another log-in is refused.
func TestConsentOfAnotherLogInIsRefused(t *testing.T) {
	h := newHouse(t)
	h.business("Juniper", "anna@juniper.test")
	h.business("Thistle", "cleo@thistle.test")
	client := h.client("Mailer")
	anna := h.loggedIn("anna@juniper.test")
	request := ask(client, callback, "contact.read")
	old := anna.find(anna.get(request).body, `name="`+formField+`" value="([^"]*)"`)
	anna.post("/logout")
	anna.expect(anna.post("/login", "email", "cleo@thistle.test", "password", password), http.StatusSeeOther, "")
	got := anna.do(http.MethodPost, request, url.Values{formField: {old}, "answer": {"allow"}, "scope": {"contact.read"}})
	anna.expect(got, http.StatusForbidden, "out of date")
}

func TestConsentPolicyNamesTheApp(t *testing.T) {
	h := newHouse(t)
	h.business("Juniper", "anna@juniper.test")
	anna := h.loggedIn("anna@juniper.test")
	for redirect, want := range map[string]string{
		callback:                      "form-action 'self' https://app.example.com https:;",
		"http://127.0.0.1:4567/cb":    "form-action 'self' http://127.0.0.1:4567 http://localhost:* http://127.0.0.1:* https:;",
		"http://[::1]:4567/cb":        "form-action 'self' http: http://localhost:* http://127.0.0.1:* https:;",
		"com.example.app:/cb":         "form-action 'self' com.example.app:;",
		"https://app.example.com/%20": "form-action 'self' https://app.example.com https:;",
	} {
		t.Run(redirect, func(t *testing.T) {
			got := anna.expect(anna.get(ask(h.client("Mailer", redirect), redirect, "contact.read")), http.StatusOK, "Mailer")
			policy := got.header.Values("Content-Security-Policy")
			if len(policy) != 1 || !strings.Contains(policy[0]+";", want) || strings.Count(policy[0], ";") != 6 {
				t.Errorf("%q, want one with %q", policy, want)
			}
		})
	}
	// These cannot be registered, and would not get into the policy either.
	for _, redirect := range []string{"https://a;script-src.x/cb", "https://a,default-src.x/cb"} {
		if got := formTarget(redirect); got != "https: https:" {
			t.Errorf("%s: %q", redirect, got)
		}
	}
}

func TestNamesAreEscaped(t *testing.T) {
	h := newHouse(t)
	const name = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>`
	admin := h.business(name, "anna@juniper.test")
	if _, err := createRole(h, admin, `{"name":"<script>alert(2)</script>"}`); err != nil {
		t.Fatal(err)
	}
	anna := h.loggedIn("anna@juniper.test")
	client := h.client(name)
	request := ask(client, callback, "contact.read")
	anna.trade(client, anna.post(request, "answer", "allow", "scope", "contact.read").to())
	link := anna.invites("ben@juniper.test", "member")
	pages := []*answer{
		anna.get(request + "&state=" + url.QueryEscape(name)), anna.get(request), anna.get("/account/switch"),
		anna.get(link), anna.get("/" + url.PathEscape(name)),
		h.visitor().post("/login", "email", name, "password", name, "next", name), h.visitor().post("/forgot", "email", name),
		anna.follow(anna.post("/forgot", "email", "x@juniper.test")),
	}
	for i, page := range pages {
		if body := page.body; strings.Contains(body, "<script") || strings.Contains(body, "<img") {
			t.Errorf("page %d is not escaped:\n%s", i, body)
		}
	}
}

// A person gives of what an app asks for as much as they want: the parts of an .all one by one.
func TestConsentThinsAnAll(t *testing.T) {
	onEach(t, func(h *house) {
		h.business("Juniper", "anna@juniper.test")
		client := h.client("Mailer")
		anna := h.loggedIn("anna@juniper.test")
		for _, c := range []struct{ asked, ticked, granted string }{
			{"contact.all", "contact.read contact.write contact.delete", "contact.all"},
			{"contact.all", "contact.read contact.write", "contact.read contact.write"},
			{"contact.all deal.read", "contact.delete deal.read", "contact.delete deal.read"},
			{"contact.all contact.read", "contact.read", "contact.read"},
			{"contact.read", "contact.read contact.write contact.all", "contact.read"},
			{"contact.read contact.write", "contact.all", "contact.read contact.write"},
		} {
			pairs := []string{"answer", "allow"}
			for _, scope := range strings.Fields(c.ticked) {
				pairs = append(pairs, "scope", scope)
			}
			if _, got := anna.trade(client, anna.post(ask(client, callback, c.asked), pairs...).to()); got != c.granted {
				t.Errorf("asked for %q, of which %q was ticked: %q, want %q", c.asked, c.ticked, got, c.granted)
			}
		}
		// Nothing that was asked for is ticked: that is a refusal.
		refused, err := url.Parse(anna.post(ask(client, callback, "contact.read"), "answer", "allow", "scope", "deal.read").to())
		if err != nil || refused.Query().Get("error") != "access_denied" {
			t.Errorf("%v %v", refused, err)
		}
	})
}

// What hands out rights stands apart from the harmless, and is said in plain words.
func TestPowerfulScopesAreMarked(t *testing.T) {
	h := newHouse(t)
	h.business("Juniper", "anna@juniper.test")
	anna := h.loggedIn("anna@juniper.test")
	client := h.client("Mailer")
	page := anna.get(ask(client, callback, "contact.all user.all role.write webhook.all")).body
	harmless, powerful, ok := strings.Cut(page, "It also wants powers")
	if !ok {
		t.Fatalf("no powers:\n%s", page)
	}
	for _, scope := range []string{
		"contact.read", "contact.write", "contact.delete", "user.read", "user.delete", "webhook.read", "webhook.delete",
	} {
		if !strings.Contains(harmless, `value="`+scope+`"`) {
			t.Errorf("%s is not among the harmless", scope)
		}
	}
	for _, scope := range []string{"user.write", "role.write", "webhook.write"} {
		why, _ := record.Powerful(scope)
		if !strings.Contains(powerful, `value="`+scope+`"`) || !strings.Contains(powerful, capitalize(why)) {
			t.Errorf("%s is not among the powers, or it is not said why", scope)
		}
	}
	if page := anna.get(ask(client, callback, "contact.all user.read")).body; strings.Contains(page, "powers") {
		t.Error("harmless scopes are called powers")
	}
	if page := anna.get(ask(client, callback, "token.write")).body; !strings.Contains(page, "It wants powers") {
		t.Error("an app that asks for nothing else is not marked")
	}
}
