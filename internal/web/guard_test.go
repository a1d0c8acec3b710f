package web

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/testworld"
)

// every is each page with a path that can be asked for.
func every() []page {
	all := append([]page{{path: "/nowhere"}}, sitemap...)
	for i := range all {
		all[i].path = strings.NewReplacer("{$}", "", "{secret}", "kith_link_x", "{id}", "x").Replace(all[i].path)
	}
	return all
}

func TestEveryAnswerIsGuarded(t *testing.T) {
	h := newHouse(t)
	h.business("Juniper", "anna@juniper.test")
	for _, v := range []*visitor{h.visitor(), h.loggedIn("anna@juniper.test")} {
		var answers []*answer
		for _, p := range every() {
			answers = append(answers, v.get(p.path), v.do(http.MethodPost, p.path, url.Values{}), v.do(http.MethodPut, p.path, nil),
				v.do(http.MethodHead, p.path, nil))
		}
		for _, a := range answers {
			for name, want := range map[string]string{
				"X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
				"Cache-Control": "no-store",
				"Content-Security-Policy": "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self' data:; " +
					"form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
			} {
				if got := a.header.Get(name); got != want && got != appPolicy {
					t.Fatalf("%s is %q, want %q (status %d)", name, got, want, a.status)
				}
			}
		}
	}
	v := h.visitor()
	style := v.expect(v.get(v.find(v.get("/login").body, `href="(/static/style[^"]*)"`)), http.StatusOK, "light-dark(")
	if got := style.header.Get("Cache-Control"); !strings.Contains(got, "immutable") {
		t.Errorf("the style sheet has %q", got)
	}
	// The font is the very file that the app has.
	v.expect(v.get(v.find(style.body, `url\("(/app/assets/inter-latin-[^"]{8}\.woff2)"`)), http.StatusOK, "wOF2")
}

func TestPagesNeedALogIn(t *testing.T) {
	h := newHouse(t)
	h.business("Juniper", "anna@juniper.test")
	v := h.visitor()
	for _, p := range sitemap {
		if p.open {
			continue
		}
		if got := v.get(p.path); got.status != http.StatusSeeOther || !strings.HasPrefix(got.to(), "/login") {
			t.Errorf("GET %s: %d %s", p.path, got.status, got.to())
		}
		if p.post == nil {
			continue
		}
		if got := v.post(p.path, "id", "x"); got.status != http.StatusSeeOther || got.to() != "/login" {
			t.Errorf("POST %s: %d %s", p.path, got.status, got.to())
		}
	}
}

// No form is taken without the token of its browser, and none that another site sends, even with the token.
func TestForgedForms(t *testing.T) {
	h := newHouse(t)
	h.business("Juniper", "anna@juniper.test")
	anna := h.loggedIn("anna@juniper.test")
	other := h.visitor()
	other.get("/login")
	for _, p := range every() {
		if p.post == nil || p.path == "/setup" {
			continue
		}
		if p.public { // which know no browser
			continue
		}
		for name, token := range map[string]string{
			"no token": "", "a wrong token": "AAAAAAAAAAAAAAAAAAAAAAAAAA",
			"another browser's token": other.cookie(formCookie),
		} {
			if got := anna.do(http.MethodPost, p.path, url.Values{formField: {token}}); got.status != http.StatusForbidden ||
				!strings.Contains(got.body, "out of date") {
				t.Errorf("%s with %s: %d", p.path, name, got.status)
			}
		}
		for name, value := range map[string]string{
			"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example.com",
			"Origin ": "null", "Sec-Fetch-Site ": "same-site",
		} {
			anna.header.Set(strings.TrimSpace(name), value)
			if got := anna.post(p.path); got.status != http.StatusForbidden || !strings.Contains(got.body, "another site") {
				t.Errorf("%s with %s %s: %d", p.path, name, value, got.status)
			}
			anna.header = http.Header{}
		}
		// Without a cookie an empty field is not the same as the cookie.
		bare := h.visitor()
		if got := bare.do(http.MethodPost, p.path, url.Values{formField: {""}}); got.status != http.StatusForbidden {
			t.Errorf("%s without cookie: %d", p.path, got.status)
		}
		planted := h.visitor()
		planted.header.Set("Cookie", formCookie+"=short")
		if got := planted.do(http.MethodPost, p.path, url.Values{formField: {"short"}}); got.status != http.StatusForbidden {
			t.Errorf("%s with a planted cookie: %d", p.path, got.status)
		}
	}
	anna.expect(anna.get("/account/switch"), http.StatusOK, "Juniper")
	anna.header.Set("Sec-Fetch-Site", "same-origin")
	anna.header.Set("Origin", h.server.URL)
	anna.leads(anna.post("/logout"), "/login?done=logout")
}

// A token in the address is none: it would be in logs and referrers.
func TestFormTokenIsNotTakenFromTheAddress(t *testing.T) {
	h := newHouse(t)
	h.business("Juniper", "anna@juniper.test")
	anna := h.loggedIn("anna@juniper.test")
	got := anna.do(http.MethodPost, "/logout?"+formField+"="+anna.cookie(formCookie), url.Values{})
	anna.expect(got, http.StatusForbidden, "out of date")
}

func TestSessionFixation(t *testing.T) {
	h := newHouse(t)
	h.business("Juniper", "anna@juniper.test")
	h.business("Thistle", "cleo@thistle.test")

	// The attacker's own session, planted in the victim's browser, does not become the victim's.
	attacker := h.loggedIn("cleo@thistle.test")
	planted := attacker.cookie(sessionCookie)
	victim := h.visitor()
	u, err := url.Parse(h.server.URL)
	if err != nil {
		t.Fatal(err)
	}
	victim.client.Jar.SetCookies(u, []*http.Cookie{{Name: sessionCookie, Value: planted, Path: "/"}})
	before := victim.find(victim.get("/account/switch").body, `name="`+formField+`" value="([^"]*)"`)
	victim.expect(victim.post("/login", "email", "anna@juniper.test", "password", password), http.StatusSeeOther, "")
	if victim.cookie(sessionCookie) == planted || victim.cookie(formCookie) == before {
		t.Error("log-in keeps the cookies from before")
	}
	victim.expect(victim.get("/account/switch"), http.StatusOK, "Juniper")
	attacker.leads(attacker.get("/app"), "/login")

	// A made-up cookie is not taken on.
	madeUp := h.visitor()
	madeUp.client.Jar.SetCookies(u, []*http.Cookie{{Name: sessionCookie, Value: "chosen-by-me", Path: "/"}})
	madeUp.expect(madeUp.post("/login", "email", "anna@juniper.test", "password", password), http.StatusSeeOther, "")
	if madeUp.cookie(sessionCookie) == "chosen-by-me" {
		t.Error("a made-up session is taken on")
	}
}

func TestSessionCookieIsNoBearerToken(t *testing.T) {
	h := newHouse(t)
	h.business("Juniper", "anna@juniper.test")
	if got := h.api(h.loggedIn("anna@juniper.test").cookie(sessionCookie)); got != http.StatusUnauthorized {
		t.Errorf("%d", got)
	}
}

func TestCookies(t *testing.T) {
	for _, kind := range []struct {
		name   string
		serve  func(http.Handler) *httptest.Server
		prefix string
		secure bool
	}{
		{"http", httptest.NewServer, "", false},
		{"https", httptest.NewTLSServer, "__Host-", true},
	} {
		t.Run(kind.name, func(t *testing.T) {
			h := buildHouse(t, testworld.Database(t, "sqlite"), kind.serve)
			h.business("Juniper", "anna@juniper.test")
			v := h.visitor()
			got := v.post("/login", "email", "anna@juniper.test", "password", password)
			cookies := (&http.Response{Header: got.header}).Cookies()
			if len(cookies) != 2 {
				t.Fatalf("%d cookies", len(cookies))
			}
			for _, c := range cookies {
				if !strings.HasPrefix(c.Name, kind.prefix+"kith_") || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode ||
					c.Path != "/" || c.Domain != "" || c.Secure != kind.secure {
					t.Errorf("%s", c)
				}
			}
			v.expect(v.get("/account/switch"), http.StatusOK, "Juniper")
		})
	}
}

var escapes = []string{
	"//evil.example.com", "///evil.example.com", `/\evil.example.com`, `\\evil.example.com`, "https:evil.example.com",
	"https://evil.example.com", "javascript:alert(1)", "//account",
	"/account\r\nSet-Cookie: a=b", "/account\n", "\t//evil.example.com", "/\t/evil.example.com", " /account", "/account/../../evil",
	"/account/..//evil.example.com", "/logout", "/link/x", "/login",
	"/account:80@evil.example.com", "account", "", "/%2Fevil.example.com", "/oauth/authorize/../..//evil.example.com",
	"/.evil.example.com", "/oauth/authorizeevil", "/accountevil", "/account\x00", "/аccount",
}

func TestOpenRedirect(t *testing.T) {
	h := newHouse(t)
	h.business("Juniper", "anna@juniper.test")
	anna := h.loggedIn("anna@juniper.test")
	for _, next := range escapes {
		if got := safeNext(next); got != "/app" {
			t.Errorf("safeNext(%q) = %q", next, got)
		}
		if got := anna.get("/login?next=" + url.QueryEscape(next)); got.status != http.StatusBadRequest || oauth.PlainText(next) {
			anna.leads(got, "/app")
		}
	}
	for _, next := range []string{
		"/app", "/app/contacts?q=x", "/account", "/account/tokens",
		"/oauth/authorize?client_id=a&redirect_uri=https%3A%2F%2Fapp.example.com%2F", "/account/people?cursor=x",
	} {
		if got := safeNext(next); got != next {
			t.Errorf("safeNext(%q) = %q", next, got)
		}
	}
	anna.leads(anna.post("/logout", "next", "//evil.example.com"), "/login")
	anna.leads(anna.post("/login", "email", "anna@juniper.test", "password", password, "next", "//evil.example.com"), "/app")
}

func FuzzSafeNext(f *testing.F) {
	for _, next := range append(escapes, "/account/tokens?x=1", "/oauth/authorize?a=b%0d%0a") {
		f.Add(next)
	}
	base := &url.URL{Scheme: "https", Host: "kith.test", Path: "/login"}
	f.Fuzz(func(t *testing.T, next string) {
		got := safeNext(next)
		u, err := base.Parse(got)
		if err != nil || u.Scheme != "https" || u.Host != "kith.test" || u.User != nil {
			t.Fatalf("safeNext(%q) = %q leads to %v: %v", next, got, u, err)
		}
		if u.Path != "/app" && !strings.HasPrefix(u.Path, "/app/") && u.Path != "/account" && !strings.HasPrefix(u.Path, "/account/") &&
			u.Path != "/oauth/authorize" || strings.ContainsAny(got, "\r\n\t\\ ") {
			t.Fatalf("safeNext(%q) = %q", next, got)
		}
		if again := safeNext(got); again != got {
			t.Fatalf("safeNext(%q) = %q, and of that %q", next, got, again)
		}
	})
}

// An unknown account and a wrong password look the same, and both are throttled the same.
func TestLogInTellsNothing(t *testing.T) {
	h := newHouse(t)
	admin := h.business("Juniper", "anna@juniper.test")
	h.user(admin, "ben@juniper.test", "member")
	known, unknown := h.visitor(), h.visitor()
	known.get("/login")
	unknown.get("/login")
	for i := range 12 {
		a := known.post("/login", "email", "anna@juniper.test", "password", "wrong password")
		b := unknown.post("/login", "email", "nona@juniper.test", "password", "wrong password")
		want, text := http.StatusUnauthorized, "The e-mail address or the password is wrong."
		if i >= 10 {
			want, text = http.StatusTooManyRequests, "too many attempts"
		}
		known.expect(a, want, text)
		same := strings.NewReplacer(unknown.cookie(formCookie), known.cookie(formCookie), "nona@", "anna@").Replace(b.body)
		if b.status != a.status || same != a.body || a.header.Get("Retry-After") != b.header.Get("Retry-After") {
			t.Fatalf("attempt %d: %d and %d differ", i, a.status, b.status)
		}
		if strings.Contains(a.body, "wrong password\"") {
			t.Error("the page repeats the password")
		}
	}
	// The right password has to wait too, but nobody else has.
	known.expect(known.post("/login", "email", "anna@juniper.test", "password", password), http.StatusTooManyRequests, "too many attempts")
	h.loggedIn("ben@juniper.test")
}

func TestErrorPages(t *testing.T) {
	h := newHouse(t)
	h.business("Juniper", "anna@juniper.test")
	v := h.visitor()
	v.expect(v.get("/nowhere"), http.StatusNotFound, "<h1>There is no such page</h1>")
	v.expect(v.post("/nowhere"), http.StatusNotFound, "<h1>There is no such page</h1>")
	got := v.expect(v.do(http.MethodDelete, "/login", nil), http.StatusMethodNotAllowed, "That does not work here")
	if got.header.Get("Allow") != "GET, HEAD, POST" {
		t.Errorf("Allow is %q", got.header.Get("Allow"))
	}
	v.expect(v.post("/app", "x", "y"), http.StatusMethodNotAllowed, "That does not work here")
	v.expect(v.post("/login", "email", strings.Repeat("x", mostForm)), http.StatusBadRequest, "This form cannot be read")

	anna := h.loggedIn("anna@juniper.test")
	if err := h.engine.Store().Close(); err != nil {
		t.Fatal(err)
	}
	broken := anna.expect(anna.get("/account/switch"), http.StatusServiceUnavailable, "The database is not available")
	if strings.Contains(strings.ToLower(broken.body), "sql") || broken.header.Get("Retry-After") == "" {
		t.Errorf("%v\n%s", broken.header, broken.body)
	}
}

// Secrets in addresses stay out of the log.
func TestLogHasNoSecrets(t *testing.T) {
	h := newHouse(t)
	h.business("Juniper", "anna@juniper.test")
	anna := h.loggedIn("anna@juniper.test")
	anna.get("/link/kith_link_secret?token=secret2")
	anna.get("/oauth/authorize?state=secret3")
	anna.get("/nowhere/secret4")
	for _, secret := range []string{
		"kith_link_secret", "secret2", "secret3", "secret4", password, anna.cookie(sessionCookie),
		anna.cookie(formCookie),
	} {
		if strings.Contains(h.log.String(), secret) {
			t.Errorf("the log has %q", secret)
		}
	}
}
