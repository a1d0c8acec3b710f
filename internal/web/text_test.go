package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/record"
)

// Every form refuses what nobody can type, in whatever field it comes, before anything else is done with it.
func TestEveryFormRefusesControlCharacters(t *testing.T) {
	h := newHouse(t)
	h.business("Juniper", "anna@juniper.test")
	anna, nobody := h.loggedIn("anna@juniper.test"), h.visitor()
	for _, p := range sitemap {
		path := strings.NewReplacer("{$}", "", "{secret}", "kith_link_x").Replace(p.path)
		for what, bad := range map[string]string{
			"NUL": "a\x00b", "escape": "a\x1bb", "C1": "a\u0085b", "broken UTF-8": "a\xff",
			"line break": "a\nb", "overlong": strings.Repeat("x", 70<<10),
		} {
			for _, v := range []*visitor{anna, nobody} {
				if p.post != nil {
					for _, pair := range [][2]string{{"email", bad}, {"anything", bad}, {bad, "x"}} {
						v.expect(v.post(path, pair[0], pair[1]), http.StatusBadRequest, "This form cannot be read")
					}
				}
				if len(bad) < 100 {
					if got := v.get(path + "?next=" + url.QueryEscape(bad)); got.status != http.StatusBadRequest {
						t.Errorf("GET %s with %s: %d", path, what, got.status)
					}
				}
			}
		}
	}
	// An address with NUL in it is not the one without.
	got := nobody.post("/login", "email", "anna@juniper.test\x00", "password", password)
	nobody.expect(got, http.StatusBadRequest, "The field &#34;email&#34;")
	if nobody.cookie(sessionCookie) != "" {
		t.Error("it logs in")
	}
}

func TestEveryPageNamesItsMethods(t *testing.T) {
	h := newHouse(t)
	h.business("Juniper", "anna@juniper.test")
	for _, v := range []*visitor{h.visitor(), h.loggedIn("anna@juniper.test")} {
		style := v.find(v.get("/forgot").body, `href="(/static/style[^"]*)"`)
		for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"} {
			for _, p := range sitemap {
				want := "GET, HEAD"
				if p.post != nil {
					want = "GET, HEAD, POST"
				}
				if method == http.MethodPost && p.post != nil {
					continue
				}
				path := strings.NewReplacer("{$}", "", "{secret}", "kith_link_x").Replace(p.path)
				if got := v.do(method, path, nil); got.status != http.StatusMethodNotAllowed || got.header.Get("Allow") != want {
					t.Errorf("%s %s: %d, Allow %q", method, path, got.status, got.header.Get("Allow"))
				}
			}
			if got := v.do(method, style, nil); got.status != http.StatusMethodNotAllowed || got.header.Get("Allow") != "GET, HEAD" {
				t.Errorf("%s %s: %d, Allow %q", method, style, got.status, got.header.Get("Allow"))
			}
			if got := v.do(method, "/nowhere", nil); got.status != http.StatusNotFound {
				t.Errorf("%s /nowhere: %d", method, got.status)
			}
		}
	}
}

// A new address is confirmed on a page that asks for the password, whoever is logged in.
func TestConfirmingANewAddress(t *testing.T) {
	h := newHouse(t)
	admin := h.business("Juniper", "anna@juniper.test")
	id := h.user(admin, "ben@juniper.test", "member")
	ben, stranger := h.loggedIn("ben@juniper.test"), h.visitor()
	fields, err := node(map[string]any{"email": "benno@juniper.test"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := account.ChangeOwn(t.Context(), h.engine, record.Call{Principal: &record.Principal{Tenant: admin.Tenant, User: id}},
		fields); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(h.logged("email", "benno@juniper.test"))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // mail programs open links on their own
		stranger.expect(stranger.get(u.Path), http.StatusOK, "benno@juniper.test")
	}
	stranger.expect(stranger.post(u.Path, "password", "a stranger's guess"), http.StatusUnprocessableEntity, "is not right")
	ben.leads(ben.post(u.Path, "password", password), "/app/settings/you")
	ben.expect(ben.asked("GET", "/v1/me", ""), http.StatusOK, "benno@juniper.test")
	stranger.expect(stranger.get(u.Path), http.StatusNotFound, "does not work any more")
	h.loggedIn("benno@juniper.test")
	stranger.expect(stranger.post("/login", "email", "ben@juniper.test", "password", password), http.StatusUnauthorized, "")
}
