package web

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/testworld"
)

// asked sends a request of a script to the API: with the browser's cookies, what browsers say of where a script is from, and
// headers of its own.
func (v *visitor) asked(method, path, body string, headers ...string) *answer {
	v.Helper()
	r, err := http.NewRequestWithContext(v.Context(), method, v.at+path, strings.NewReader(body))
	if err != nil {
		v.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Version", httpapi.Version)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Del(headers[i])
		for value := range strings.SplitSeq(headers[i+1], "|") {
			if value != "" {
				r.Header.Add(headers[i], value)
			}
		}
	}
	resp, text := testworld.Send(v, v.client, r)
	return &answer{resp.StatusCode, resp.Header, string(text)}
}

func (v *visitor) refusedBy(rule string, a *answer, status int, code string) {
	v.Helper()
	if a.status != status || !strings.Contains(a.body, `"code":"`+code+`"`) {
		v.Errorf("%s: %d, want %d %s:\n%s", rule, a.status, status, code, a.body)
	}
}

// The cookie of a session opens the API to scripts of our own origin, and to nobody else.
func TestSessionOpensTheAPI(t *testing.T) {
	onEach(t, func(h *house) {
		admin := h.business("Acme", "anna@acme.example")
		h.user(admin, "vera@acme.example", "viewer")
		anna, vera, nobody := h.loggedIn("anna@acme.example"), h.loggedIn("vera@acme.example"), h.visitor()

		anna.expect(anna.asked("GET", "/v1/me", ""), 200, `"email":"anna@acme.example"`)
		made := anna.expect(anna.asked("POST", "/v1/contacts", `{"name":"Bo"}`), 201, `"name":"Bo"`)
		anna.expect(anna.asked("POST", "/v1/contacts/search", `{}`), 200, `"name":"Bo"`)

		for _, c := range []struct{ rule, header, value string }{
			{"another site", "Sec-Fetch-Site", "cross-site"},
			{"another host of the same site", "Sec-Fetch-Site", "same-site"},
			{"an address that was typed, or a link", "Sec-Fetch-Site", "none"},
			{"what does not say where it is from", "Sec-Fetch-Site", ""},
			{"what says it twice", "Sec-Fetch-Site", "same-origin|cross-site"},
			{"what says it otherwise", "Sec-Fetch-Site", "Same-Origin"},
		} {
			for _, request := range [][3]string{{"GET", "/v1/me", ""}, {"POST", "/v1/contacts", `{"name":"Mallory"}`}} {
				got := anna.asked(request[0], request[1], request[2], c.header, c.value)
				anna.refusedBy(c.rule, got, 401, "unauthorized")
				if !strings.Contains(got.header.Get("WWW-Authenticate"), "Bearer") {
					t.Error(c.rule, "is not told how to come in")
				}
			}
		}
		anna.refusedBy("a form of any site, which cannot send the header",
			anna.asked("POST", "/v1/contacts", `{"name":"Mallory"}`, "Version", ""), 400, "version_required")
		nobody.refusedBy("nobody", nobody.asked("GET", "/v1/me", ""), 401, "unauthorized")
		nobody.refusedBy("a cookie that is none", nobody.asked("GET", "/v1/me", "", "Cookie", sessionCookie+"=kith_ses_nonsense"), 401,
			"invalid_token")
		nobody.refusedBy("two cookies", nobody.asked("GET", "/v1/me", "", "Cookie",
			sessionCookie+"="+anna.cookie(sessionCookie)+"; "+sessionCookie+"=x"), 401, "unauthorized")
		anna.refusedBy("a session is no bearer token",
			anna.asked("GET", "/v1/me", "", "Authorization", "Bearer "+anna.cookie(sessionCookie)), 401, "invalid_token")
		anna.refusedBy("who sends a token acts by that alone",
			anna.asked("GET", "/v1/me", "", "Authorization", "Bearer kith_pat_nonsense"), 401, "invalid_token")

		anna.refusedBy("the endpoint of agents, which needs no Version", anna.asked("POST", httpapi.MCP, `{}`), 401, "unauthorized")

		// Who may change roles sees as another, also long after the password, and changes nothing meanwhile.
		role := regexp.MustCompile(`role_[0-9a-z]{26}`).FindString(vera.asked("GET", "/v1/me", "").body)
		anna.expect(anna.asked("GET", "/v1/me", "", "See-As", role), 200, `"role":"viewer","features":[]`)
		h.later.Store(int64(2 * time.Hour))
		anna.expect(anna.asked("POST", "/v1/contacts/search", `{}`, "See-As", role), 200, `"name":"Bo"`)
		anna.refusedBy("a write as another role", anna.asked("POST", "/v1/contacts", `{"name":"Mallory"}`, "See-As", role), 403,
			"forbidden_by_role")
		anna.refusedBy("also of oneself", anna.asked("PATCH", "/v1/me", `{"name":"Mallory"}`, "See-As", role), 403, "forbidden_by_role")
		h.later.Store(0)
		vera.refusedBy("who may not change roles", vera.asked("GET", "/v1/me", "", "See-As", role), 403, "forbidden_by_role")

		// The role binds as ever.
		vera.expect(vera.asked("POST", "/v1/contacts/search", `{}`), 200, `"name":"Bo"`)
		vera.refusedBy("a viewer", vera.asked("POST", "/v1/contacts", `{"name":"x"}`), 403, "forbidden_by_role")

		anna.expect(anna.asked("POST", "/v1/pipelines",
			`{"name":"Second","stages":[{"name":"a","kind":"open"},{"name":"b","kind":"won"},{"name":"c","kind":"lost"}]}`), 201, "Second")

		// What was done is told of the person, by no token.
		var record struct{ ID string }
		if err := json.Unmarshal([]byte(made.body), &record); err != nil {
			t.Fatal(err)
		}
		anna.expect(anna.asked("POST", "/v1/contacts/"+record.ID+"/history/search", `{}`), 200,
			`"actor":{"user_id":"`+schema.FormatID("user", admin.User)+`","token_id":null,"app_id":null}`)
		anna.expect(anna.asked("POST", "/v1/audit/search",
			`{"filters":[{"field":"action","operator":"eq","value":"pipeline.created"},{"field":"actor","operator":"eq",`+
				`"value":"user"}]}`), 200, `"user_id":"`+schema.FormatID("user", admin.User))
		if !strings.Contains(h.log.String(), `"session":"session_`) || strings.Contains(h.log.String(), anna.cookie(sessionCookie)) {
			t.Error("the log does not name the session, or tells its secret")
		}

		// A session that is over opens nothing.
		old := anna.cookie(sessionCookie)
		anna.leads(anna.post("/logout"), "/login?done=logout")
		nobody.refusedBy("who logged out", nobody.asked("GET", "/v1/me", "", "Cookie", sessionCookie+"="+old), 401, "invalid_token")
	})
}

// What is over, or whose user is suspended, opens nothing, and the rate limit counts each session.
func TestSessionsThatOpenNothing(t *testing.T) {
	onEach(t, func(h *house) {
		c := newCast(h)
		ben := h.loggedIn("ben@juniper.test")
		ben.expect(ben.asked("GET", "/v1/me", ""), 200, "ben@juniper.test")
		c.anna.expect(c.anna.asked("PATCH", "/v1/users/"+c.ben, `{"status":"suspended"}`), 200, "suspended")
		ben.refusedBy("who is suspended", ben.asked("GET", "/v1/me", ""), 401, "invalid_token")
	})
}

func TestSessionsHaveARateLimit(t *testing.T) {
	h := &house{T: t, engine: testworld.Engine(t, testworld.Open(t, testworld.Database(t, "sqlite"))), log: testworld.NewLog(), rate: 1}
	h.open(httptest.NewServer)
	h.business("Acme", "anna@acme.example")
	one, other := h.loggedIn("anna@acme.example"), h.loggedIn("anna@acme.example")
	one.expect(one.asked("GET", "/v1/me", ""), 200, "anna@acme.example")
	var last *answer
	for range 3 { // one of them may come when the next second has begun
		if last = one.asked("GET", "/v1/me", ""); last.status != 200 {
			break
		}
	}
	one.refusedBy("a session that asks too often", last, 429, "too_many_requests")
	other.expect(other.asked("GET", "/v1/me", ""), 200, "anna@acme.example")
}

// The app is a page for who is logged in, with files that browsers may keep.
func TestTheApp(t *testing.T) {
	h := newHouse(t)
	h.business("Acme", "anna@acme.example")
	nobody := h.visitor()
	nobody.leads(nobody.get("/app"), "/login")
	nobody.leads(nobody.get("/app/contacts?q=bo"), "/login?next=%2Fapp%2Fcontacts%3Fq%3Dbo")
	anna := h.loggedIn("anna@acme.example")
	for _, path := range []string{"/app", "/app/contacts", "/app/contacts/contact_01h455vb4pex5vsknk084sn02q"} {
		page := anna.expect(anna.get(path), 200, `<div id="root">`)
		if got := page.header.Get("Content-Security-Policy"); !strings.Contains(got, "script-src 'self'; style-src 'self'") ||
			strings.Contains(got, "unsafe") {
			t.Errorf("%s has the policy %q", path, got)
		}
		if page.header.Get("Cache-Control") != "no-store" || page.header.Get("X-Frame-Options") != "DENY" {
			t.Error(path, "lacks what guards every page:", page.header)
		}
		if strings.Contains(page.body, "<script>") || strings.Contains(page.body, "<style") {
			t.Error(path, "has a script or style of its own, which its policy forbids")
		}
	}
	script := anna.find(anna.get("/app").body, `src="(/app/assets/[^"]*)"`)
	file := nobody.expect(nobody.get(script), 200, "")
	if file.header.Get("Cache-Control") != "public, max-age=31536000, immutable" ||
		!strings.HasPrefix(file.header.Get("Content-Type"), "text/javascript") {
		t.Error("the script cannot be kept, or is none:", file.header)
	}
	for coding, want := range map[string]string{"gzip": "gzip", "br, gzip;q=0.5": "gzip", "gzip;q=0": "", "identity": "", "br": ""} {
		v := h.visitor()
		v.header.Set("Accept-Encoding", coding)
		if got := v.get(script); got.status != 200 || got.header.Get("Content-Encoding") != want ||
			got.header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%q: %d %v", coding, got.status, got.header)
		}
	}
	nobody.expect(nobody.get("/app/assets/nothing.js"), 404, "Reload the page")
	nobody.expect(nobody.do(http.MethodPost, script, nil), 405, "")
	if first := len(appFiles()["index.html"].gzipped); first > 8<<10 {
		t.Errorf("the page has %d bytes", first)
	}
}

// What the browser loads before it shows anything stays small.
func TestTheAppIsSmall(t *testing.T) {
	page := string(appFiles()["index.html"].plain)
	total := len(appFiles()["index.html"].gzipped)
	for _, m := range regexp.MustCompile(`(?:src|href)="/app/(assets/[^"]*)"`).FindAllStringSubmatch(page, -1) {
		total += len(appFiles()[m[1]].gzipped)
	}
	if total > 200<<10 || total < 10<<10 {
		t.Errorf("the first page takes %d bytes, at most 204800 are allowed", total)
	}
	t.Logf("%d bytes", total)
}
