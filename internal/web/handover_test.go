package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/testworld"
)

// cast is who the forms of a business are about, and makes what else they are about.
type cast struct {
	*house
	admin *record.Principal
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

// invitation is the path of a link.
func (c *cast) invitation() string {
	c.made++
	return c.anna.invites(fmt.Sprintf("eve%d@juniper.test", c.made), "member")
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
	"/login/company": func(*cast) (string, []string) { return "/login/company", []string{"email", "anna@juniper.test"} },
	"/login/company/go": func(c *cast) (string, []string) {
		c.provides(c.admin, testworld.NewProvider(c), "")
		return "/login/company/go", []string{"email", "anna@acme.test", "business", schema.FormatID("business", c.admin.Tenant.ID())}
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
	"/login/passkey": func(c *cast) (string, []string) {
		_, key := c.keyed()
		c.anna = c.named()
		return "/login/passkey", c.anna.shows(c.anna.get("/login"), "/login/passkey", key)
	},
}

// choice is a log-in that still has to choose a business.
func (c *cast) choice() []string {
	c.business("Thistle", "cleo@thistle.test")
	c.business("Sorrel", "cleo@thistle.test")
	page := c.anna.follow(c.anna.post("/login", "email", "cleo@thistle.test", "password", password)).body
	return []string{
		"proof", c.anna.find(page, `name="proof" value="([^"]*)"`), "business",
		c.anna.find(page, `name="business" value="(business_[^"]*)"`),
	}
}

// No form is answered with a page that tells of its success: reloading that page would send the form again. A good form leads on,
// and what is wrong with a bad one is a page of its own kind.
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
				if strings.HasPrefix(got.to(), appAt) {
					part = `<div id="root">`
				}
				c.anna.expect(c.anna.get(got.to()), http.StatusOK, part)
			}
		})
	}
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

// startAt is a form that hands something over, keyAt the page that shows it, by what is in it.
const startAt, keyAt, keyMark = "/account/switch", "/login/business", "can work in any of these"

func TestHandoverIsBound(t *testing.T) {
	onEach(t, func(h *house) {
		h.business("Juniper", "anna@juniper.test")
		h.business("Thistle", "cleo@thistle.test")
		anna, again, cleo := h.loggedIn("anna@juniper.test"), h.loggedIn("anna@juniper.test"), h.loggedIn("cleo@thistle.test")
		h.business("Clover", "anna@juniper.test")
		sent := anna.post(startAt, "password", password)
		cookie := handedOver(t, sent)
		if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != keyAt || cookie.MaxAge <= 0 ||
			cookie.MaxAge > int(stepLife.Seconds()) {
			t.Errorf("%s", cookie)
		}
		shows := func(v *visitor, path, value string) bool {
			v.header.Set("Cookie", strings.Join([]string{
				sessionCookie + "=" + v.cookie(sessionCookie),
				formCookie + "=" + v.cookie(formCookie), handoverCookie + "=" + value,
			}, "; "))
			jar := v.client.Jar
			v.client.Jar = nil
			defer func() { v.header, v.client.Jar = http.Header{}, jar }()
			return strings.Contains(v.get(path).body, keyMark)
		}
		altered := []byte(cookie.Value)
		altered[len(altered)/2] ^= 1
		for name, got := range map[string]bool{
			"another business": shows(cleo, keyAt, cookie.Value), "another log-in": shows(again, keyAt, cookie.Value),
			"another page": shows(anna, "/login/factor", cookie.Value), "altered": shows(anna, keyAt, string(altered)),
			"nonsense": shows(anna, keyAt, "a"),
		} {
			if got {
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
		there.client.Jar.SetCookies(u, []*http.Cookie{
			{Name: sessionCookie, Value: anna.cookie(sessionCookie), Path: "/"},
			{Name: formCookie, Value: anna.cookie(formCookie), Path: "/"},
		})
		if !shows(there, keyAt, cookie.Value) {
			t.Error("another server shows no secret")
		}
	})
}

func TestHandoverByHTTPS(t *testing.T) {
	h := buildHouse(t, testworld.Database(t, "sqlite"), httptest.NewTLSServer)
	h.business("Juniper", "anna@juniper.test")
	anna := h.loggedIn("anna@juniper.test")
	h.business("Clover", "anna@juniper.test")
	sent := anna.post(startAt, "password", password)
	if c := handedOver(t, sent); c.Name != "__Secure-"+handoverCookie || !c.Secure {
		t.Errorf("%s", c)
	}
	anna.expect(anna.follow(sent), http.StatusOK, keyMark)
}

func TestHandoverEnds(t *testing.T) {
	seal, err := oauth.NewSeal(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequest(http.MethodGet, "/account/switch", nil)
	if err != nil {
		t.Fatal(err)
	}
	v := &visit{Site: &Site{seal: seal}, r: r, csrf: "x", session: schema.UUID{1}}
	for age, want := range map[time.Duration]string{0: "done", handoverLife - time.Minute: "done", handoverLife + time.Minute: ""} {
		if got := v.unseal(v.sealed("/account/switch", handover{Email: "done"}, time.Now().Add(-age))); got.Email != want {
			t.Errorf("after %s: %q", age, got.Email)
		}
	}
}
