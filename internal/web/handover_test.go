package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"kith/internal/crm"
	"kith/internal/schema"
	"kith/internal/testworld"
)

// cast is who the forms of a business are about, and makes what else they are about.
type cast struct {
	*house
	admin *crm.Principal
	// anna is the administrator, and ben a member.
	anna *visitor
	ben  string
	made int
}

func newCast(h *house) *cast {
	c := &cast{house: h, admin: h.business("Juniper", "anna@juniper.test")}
	c.ben = formatUser(h.user(c.admin, "ben@juniper.test", "member"))
	c.anna = h.loggedIn("anna@juniper.test")
	return c
}

// cara is a new member.
func (c *cast) cara() string {
	c.made++
	return formatUser(c.user(c.admin, fmt.Sprintf("cara%d@juniper.test", c.made), "member"))
}

// app is an app that people log in to.
func (c *cast) app() string {
	made := c.anna.follow(c.anna.post("/account/apps", "name", "Portal", "access", "read", "redirect_uris", callback))
	return c.anna.find(made.body, `(?s)Portal</bdi>.*?/account/apps/(app_[^"]*)"`)
}

func (c *cast) token() string {
	made := c.anna.follow(c.anna.post("/account/tokens", "name", "Export", "access", "read"))
	return c.anna.find(made.body, `name="id" value="(token_[^"]*)"`)
}

// session is another log-in of anna's.
func (c *cast) session() string {
	c.loggedIn("anna@juniper.test")
	return c.anna.find(c.anna.get("/account").body, `(?s)this one.*name="id" value="(session_[^"]*)"`)
}

func (c *cast) grant() string {
	client := c.client("Mailer")
	c.anna.trade(client, c.anna.post(ask(client, callback, "contact.read"), "answer", "allow", "scope", "contact.read").to())
	return c.anna.find(c.anna.get("/account/connected-apps").body, `value="(grant_[^"]*)"`)
}

// invitation is the path of a link.
func (c *cast) invitation() string {
	return c.anna.find(c.anna.follow(c.anna.post("/account/people", "email", "eve@juniper.test")).body, `(/link/kith_link_[0-9A-Za-z]+)"`)
}

// forms is a good form for every address that takes one, by the pattern of the address.
var forms = map[string]func(c *cast) (path string, pairs []string){
	"/login": func(*cast) (string, []string) {
		return "/login", []string{"email", "anna@juniper.test", "password", password}
	},
	"/logout":         func(*cast) (string, []string) { return "/logout", nil },
	"/forgot":         func(*cast) (string, []string) { return "/forgot", []string{"email", "anna@juniper.test"} },
	"/link/{secret}":  func(c *cast) (string, []string) { return c.invitation(), []string{"password", password} },
	"/quote/{secret}": func(c *cast) (string, []string) { return c.quoteLink(), []string{"answer", "decline"} },
	"/login/business": func(c *cast) (string, []string) { return "/login/business", c.choice() },
	"/oauth/authorize": func(c *cast) (string, []string) {
		return ask(c.client("Mailer"), callback, "contact.read"), []string{"answer", "allow", "scope", "contact.read"}
	},
	"/account/password": func(*cast) (string, []string) {
		return "/account/password", []string{"old_password", password, "password", password}
	},
	"/account/sessions/end": func(c *cast) (string, []string) { return "/account/sessions/end", []string{"id", c.session()} },
	"/account/tokens": func(*cast) (string, []string) {
		return "/account/tokens", []string{"name", "Another", "access", "read", "expires", "30"}
	},
	"/account/tokens/revoke": func(c *cast) (string, []string) { return "/account/tokens/revoke", []string{"id", c.token()} },
	"/account/connected-apps/disconnect": func(c *cast) (string, []string) {
		return "/account/connected-apps/disconnect", []string{"id", c.grant()}
	},
	"/account/apps": func(*cast) (string, []string) {
		return "/account/apps", []string{"name", "Sync", "access", "read", "user", "anna@juniper.test"}
	},
	"/account/apps/rotate":    func(c *cast) (string, []string) { return "/account/apps/rotate", []string{"id", c.app()} },
	"/account/apps/delete":    func(c *cast) (string, []string) { return "/account/apps/delete", []string{"id", c.app()} },
	"/account/people":         func(*cast) (string, []string) { return "/account/people", []string{"email", "new@juniper.test"} },
	"/account/people/link":    func(c *cast) (string, []string) { return "/account/people/link", []string{"id", c.ben} },
	"/account/people/suspend": func(c *cast) (string, []string) { return "/account/people/suspend", []string{"id", c.ben} },
	"/account/people/delete":  func(c *cast) (string, []string) { return "/account/people/delete", []string{"id", c.cara()} },
	"/account/people/restore": func(c *cast) (string, []string) {
		id := c.cara()
		c.anna.post("/account/people/delete", "id", id)
		return "/account/people/restore", []string{"id", id}
	},
	"/account/people/{id}": func(c *cast) (string, []string) {
		path := "/account/people/" + c.cara()
		return path, c.anna.filledIn(path, "name", "Cara Lind")
	},
	"/account/apps/{id}": func(c *cast) (string, []string) {
		path := "/account/apps/" + c.app()
		return path, c.anna.filledIn(path, "name", "Gate")
	},
	"/account/business": func(c *cast) (string, []string) {
		return "/account/business", c.anna.filledIn("/account/business", "currency", "SEK")
	},
	"/account/business/login": func(c *cast) (string, []string) {
		p := testworld.NewProvider(c)
		return "/account/business/login", c.anna.filledIn("/account/business/login", "issuer", p.URL, "client_id", "kith", "client_secret", "secret", "domains", "juniper.test juniper.example")
	},
	"/login/company": func(*cast) (string, []string) { return "/login/company", []string{"email", "anna@juniper.test"} },
	"/login/company/go": func(c *cast) (string, []string) {
		c.provides(c.admin, testworld.NewProvider(c), "")
		return "/login/company/go", []string{"email", "anna@acme.test", "business", schema.FormatID("business", c.admin.Tenant.ID())}
	},
	"/account/profile": func(*cast) (string, []string) {
		return "/account/profile", []string{"name", "Anna Lund", "email", "anna@juniper.test", "timezone", "Europe/Oslo", "locale", "nb-NO"}
	},
	"/account/switch": func(c *cast) (string, []string) {
		c.business("Clover", "anna@juniper.test")
		return "/account/switch", []string{"password", password}
	},
	"/login/factor": func(c *cast) (string, []string) {
		v, codes := c.factored("dora@juniper.test")
		c.anna = v
		v.leads(v.post("/logout"), "/login?done=logout")
		v.leads(v.post("/login", "email", "dora@juniper.test", "password", password), "/login/factor")
		return "/login/factor", []string{"code", codes[0]}
	},
	"/account/security/authenticator/start": func(*cast) (string, []string) { return "/account/security/authenticator/start", nil },
	"/account/security/authenticator": func(c *cast) (string, []string) {
		c.made++
		email := fmt.Sprintf("gala%d@juniper.test", c.made)
		c.user(c.admin, email, "member")
		c.anna = c.loggedIn(email)
		return "/account/security/authenticator", []string{"code", c.anna.newAuthenticator().Code(c)}
	},
	"/login/passkey": func(c *cast) (string, []string) {
		_, key := c.keyed()
		c.anna = c.named()
		return "/login/passkey", c.anna.shows(c.anna.get("/login"), "/login/passkey", key)
	},
	"/account/security/passkeys": func(c *cast) (string, []string) {
		c.anna = c.newcomer()
		return "/account/security/passkeys", c.anna.makes(c.anna.get("/account/security"), &testworld.Passkey{Origin: c.anna.at})
	},
	"/account/security/codes": func(c *cast) (string, []string) {
		v, codes := c.factored("egon@juniper.test")
		c.anna = v
		return "/account/security/codes", []string{confirmField, password, confirmCode, codes[0]}
	},
	"/account/security/remove": func(c *cast) (string, []string) {
		v, codes := c.factored("fia@juniper.test")
		c.anna = v
		return "/account/security/remove", []string{"id", v.factorID(), confirmField, password, confirmCode, codes[0]}
	},
	"/account/people/factor":   func(c *cast) (string, []string) { return "/account/people/factor", []string{"id", c.ben} },
	"/account/people/activate": func(c *cast) (string, []string) { return "/account/people/activate", []string{"id", c.ben} },
}

// choice is a log-in that still has to choose a business.
func (c *cast) choice() []string {
	c.business("Thistle", "cleo@thistle.test")
	c.business("Sorrel", "cleo@thistle.test")
	page := c.anna.follow(c.anna.post("/login", "email", "cleo@thistle.test", "password", password)).body
	return []string{"proof", c.anna.find(page, `name="proof" value="([^"]*)"`), "business", c.anna.find(page, `name="business" value="(business_[^"]*)"`)}
}

// No form is answered with a page that tells of its success: reloading that page would send the form again. A good form leads on, and what is wrong
// with a bad one is a page of its own kind.
func TestEveryFormEndsInARedirect(t *testing.T) {
	c := newCast(newHouse(t))
	for _, p := range sitemap {
		if p.post == nil || p.path == "/setup" { // set-up is over once there is a business; its own test has it
			continue
		}
		t.Run(p.path, func(t *testing.T) {
			good, ok := forms[p.path]
			if !ok {
				t.Fatal("the test has no form for it")
			}
			// Some forms end the log-in, and log-ins are counted.
			logIn := func() {
				if !p.public {
					c.anna = c.loggedIn("anna@juniper.test")
				}
			}
			logIn()
			if got := c.anna.post(p.path); got.status != http.StatusSeeOther && (got.status < 400 || got.status >= 500) {
				t.Errorf("an empty form: %d", got.status)
			}
			logIn()
			path, pairs := good(c)
			got := c.anna.post(path, pairs...)
			if got.status != http.StatusSeeOther {
				t.Fatalf("a good form: %d\n%s", got.status, got.main())
			}
			if strings.HasPrefix(got.to(), "/") {
				part := "<h1>"
				if got.to() == appAt {
					part = `<div id="root">`
				}
				c.anna.expect(c.anna.get(got.to()), http.StatusOK, part)
			}
		})
	}
}

// secretsIn are the secrets that a page shows.
func secretsIn(page string) (found []string) {
	for _, part := range strings.Split(page, `readonly`) {
		if i := strings.LastIndex(part, `value="`); i >= 0 && strings.HasSuffix(strings.TrimSpace(part), `"`) {
			found = append(found, strings.TrimSuffix(strings.TrimSpace(part[i+len(`value="`):]), `"`))
		}
	}
	return found
}

func TestSecretIsShownOnce(t *testing.T) {
	onEach(t, func(h *house) {
		c := newCast(h)
		anna := c.anna
		for _, path := range []string{"/account/tokens", "/account/apps", "/account/apps/rotate", "/account/people", "/account/people/link"} {
			_, pairs := forms[path](c)
			sent := anna.post(path, pairs...)
			page := anna.follow(sent)
			secrets := secretsIn(page.body)
			if len(secrets) == 0 {
				t.Fatalf("%s shows no secret:\n%s", path, page.main())
			}
			secret := secrets[len(secrets)-1]
			policy := page.header.Get("Content-Security-Policy")
			if !strings.Contains(policy, "script-src 'self';") || !strings.Contains(page.body, copyScript.path) {
				t.Errorf("%s: the copy button cannot work under %q", path, policy)
			}
			again := anna.expect(anna.get(sent.to()), http.StatusOK, "<h1>")
			if strings.Contains(again.body, secret) || strings.Contains(again.body, "<script") || strings.Contains(again.header.Get("Content-Security-Policy"), "script") {
				t.Errorf("%s: reloading the page shows the secret again, or allows scripts", path)
			}
			if strings.Contains(sent.to(), "kith_") || strings.Contains(strings.Join(sent.header.Values("Set-Cookie"), " "), secret) {
				t.Errorf("%s: the secret is in %q or in the cookie", path, sent.to())
			}
			// Links of a server without mail are logged by design, and by that alone.
			if strings.Contains(path, "people") {
				continue
			}
			if strings.Contains(h.log.String(), secret) {
				t.Errorf("%s: the secret is in the log", path)
			}
		}
		tokens := anna.get("/account/tokens").body
		if got := strings.Count(tokens, "Another</bdi>"); got != 1 {
			t.Errorf("%d tokens after reloading, want one", got)
		}
	})
}

// handedOver is the cookie that an answer sets for the page after it.
func handedOver(t *testing.T, a *answer) *http.Cookie {
	t.Helper()
	for _, c := range (&http.Response{Header: a.header}).Cookies() {
		if strings.HasSuffix(c.Name, handoverCookie) {
			return c
		}
	}
	t.Fatal("nothing is handed over")
	return nil
}

func TestHandoverIsBound(t *testing.T) {
	onEach(t, func(h *house) {
		h.business("Juniper", "anna@juniper.test")
		h.business("Thistle", "cleo@thistle.test")
		anna, cleo := h.loggedIn("anna@juniper.test"), h.loggedIn("cleo@thistle.test")
		cookie := handedOver(t, anna.post("/account/tokens", "name", "Export", "access", "read"))
		if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/account/tokens" || cookie.MaxAge != int(handoverLife.Seconds()) {
			t.Errorf("%s", cookie)
		}
		show := func(v *visitor, path, value string) int {
			v.header.Set("Cookie", strings.Join([]string{sessionCookie + "=" + v.cookie(sessionCookie), formCookie + "=" + v.cookie(formCookie), handoverCookie + "=" + value}, "; "))
			jar := v.client.Jar
			v.client.Jar = nil
			defer func() { v.header, v.client.Jar = http.Header{}, jar }()
			return len(secretsIn(v.expect(v.get(path), http.StatusOK, "<h1>").body))
		}
		again := h.loggedIn("anna@juniper.test")
		altered := []byte(cookie.Value)
		altered[len(altered)/2] ^= 1
		for name, got := range map[string]int{
			"another business": show(cleo, "/account/tokens", cookie.Value), "another log-in": show(again, "/account/tokens", cookie.Value),
			"another page": show(anna, "/account/apps", cookie.Value), "altered": show(anna, "/account/tokens", string(altered)), "nonsense": show(anna, "/account/tokens", "a"),
		} {
			if got != 0 {
				t.Errorf("%s is shown the secret", name)
			}
		}
		// The redirect may reach another server of the same database.
		beside := h.beside()
		there := &visitor{house: beside, header: http.Header{}, at: beside.server.URL, client: anna.client}
		u, err := url.Parse(beside.server.URL)
		if err != nil {
			t.Fatal(err)
		}
		there.client.Jar.SetCookies(u, []*http.Cookie{{Name: sessionCookie, Value: anna.cookie(sessionCookie), Path: "/"}, {Name: formCookie, Value: anna.cookie(formCookie), Path: "/"}})
		if got := show(there, "/account/tokens", cookie.Value); got != 1 {
			t.Errorf("another server shows %d secrets", got)
		}
	})
}

func TestHandoverByHTTPS(t *testing.T) {
	h := buildHouse(t, testworld.Database(t, "sqlite"), httptest.NewTLSServer)
	h.business("Juniper", "anna@juniper.test")
	anna := h.loggedIn("anna@juniper.test")
	sent := anna.post("/account/tokens", "name", "Export", "access", "read")
	if c := handedOver(t, sent); c.Name != "__Secure-"+handoverCookie || !c.Secure {
		t.Errorf("%s", c)
	}
	if got := secretsIn(anna.follow(sent).body); len(got) != 1 {
		t.Errorf("%d secrets are shown", len(got))
	}
}

func TestHandoverEnds(t *testing.T) {
	seal, err := newSeal(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequest(http.MethodGet, "/account/tokens", nil)
	if err != nil {
		t.Fatal(err)
	}
	v := &visit{Site: &Site{seal: seal}, r: r, csrf: "x", session: schema.UUID{1}}
	for age, want := range map[time.Duration]string{0: "done", handoverLife - time.Minute: "done", handoverLife + time.Minute: ""} {
		if got := v.unseal(v.sealed("/account/tokens", handover{Done: "done"}, time.Now().Add(-age))); got.Done != want {
			t.Errorf("after %s: %q", age, got.Done)
		}
	}
}

// Even the longest that a page hands over is a cookie that browsers keep.
func TestHandoverFitsIntoACookie(t *testing.T) {
	h := newHouse(t)
	h.business("Juniper", "anna@juniper.test")
	anna := h.loggedIn("anna@juniper.test")
	name := strings.Repeat("<", 255)
	sent := anna.post("/account/apps", "name", name, "access", "read", "redirect_uris", callback)
	if got := len(handedOver(t, sent).String()); got > 4096 {
		t.Errorf("%d bytes", got)
	}
	if got := secretsIn(anna.follow(sent).body); len(got) != 2 {
		t.Errorf("%d secrets are shown", len(got))
	}
}
