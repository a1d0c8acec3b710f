package web

import (
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/pgtest"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/testworld"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

const password = testworld.Password

// mailedOrigin is where links in mails lead: never what a request says.
const mailedOrigin = "http://kith.test"

// house is a whole server on a database of its own.
type house struct {
	*testing.T
	engine *record.Engine
	server *httptest.Server
	log    *testworld.Log
	// later is how much later than it is the site believes it to be.
	later atomic.Int64
	// rate is how many requests a second the API takes of each token, or 0.
	rate int
}

func newHouse(t *testing.T) *house {
	return buildHouse(t, testworld.Database(t, "sqlite"), httptest.NewServer)
}

// onEach runs a test on both databases.
func onEach(t *testing.T, run func(h *house)) {
	testworld.OnBoth(t, func(t *testing.T, url string) { run(buildHouse(t, url, httptest.NewServer)) })
}

func buildHouse(t *testing.T, database string, serve func(http.Handler) *httptest.Server) *house {
	t.Helper()
	h := &house{T: t, engine: testworld.Engine(t, testworld.Open(t, database)), log: testworld.NewLog()}
	h.open(serve)
	return h
}

// beside is another server of the same database.
func (h *house) beside() *house {
	other := &house{T: h.T, log: h.log, engine: h.engine}
	other.open(httptest.NewServer)
	return other
}

// open serves the database of the house.
func (h *house) open(serve func(http.Handler) *httptest.Server) {
	h.Helper()
	t := h.T
	log := slog.New(slog.NewJSONHandler(h.log, nil))
	auth := oauth.NewAuthenticator(h.engine, "")
	auth.Now = func() time.Time { return time.Now().Add(time.Duration(h.later.Load())) }
	server := oauth.NewServer(h.engine, auth, log)
	server.AllowOwnNetwork() // documents of clients are on this machine
	people := testworld.People(t, h.engine, log, mailedOrigin)
	site, err := New(t.Context(), h.engine, Options{Auth: auth, Server: server, People: people, Log: log, Origin: mailedOrigin})
	if err != nil {
		t.Fatal(err)
	}
	site.now = func() time.Time { return time.Now().Add(time.Duration(h.later.Load())) }
	mux := http.NewServeMux()
	server.Routes(mux)
	site.Routes(mux)
	api := httpapi.New(h.engine, httpapi.Options{
		Log: log, Requests: h.log, Auth: auth, People: people,
		RateLimit: h.rate, RateBurst: h.rate,
	})
	mux.Handle("/v1/", api)
	mux.Handle(httpapi.MCP, api.Authenticate(http.NotFoundHandler()))
	h.server = serve(mux)
	t.Cleanup(h.server.Close)
}

// business makes a business with an administrator.
func (h *house) business(name, email string) *record.Principal {
	h.Helper()
	return testworld.Business(h, h.engine, name, account.Person{Email: email, Name: "Anna Berg", PasswordHash: testworld.PasswordHash()})
}

// user adds a user who has a password.
func (h *house) user(admin *record.Principal, email, role string) schema.UUID {
	h.Helper()
	return testworld.User(h, h.engine, admin.Tenant, account.Person{Email: email, Name: email, PasswordHash: testworld.PasswordHash()},
		role)
}

// visitor is someone's browser: it keeps cookies and follows no redirect by itself.
type visitor struct {
	*house
	client *http.Client
	// header is sent with every request.
	header http.Header
	// at is the address of the server as the visitor knows it.
	at string
}

func (h *house) visitor() *visitor {
	jar, err := cookiejar.New(nil)
	if err != nil {
		h.Fatal(err)
	}
	return &visitor{house: h, header: http.Header{}, at: h.server.URL, client: &http.Client{
		Jar: jar, Timeout: 30 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}},
	}}
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
}

func (a *answer) to() string { return a.header.Get("Location") }

// main is the beginning of a page's own part, enough to see what went wrong.
func (a *answer) main() string {
	_, text, _ := strings.Cut(a.body, "<main")
	return text[:min(len(text), 1500)]
}

func (v *visitor) do(method, path string, form url.Values) *answer {
	v.Helper()
	address := path
	if strings.HasPrefix(path, "/") {
		address = v.at + path
	}
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r, err := http.NewRequestWithContext(v.Context(), method, address, body)
	if err != nil {
		v.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for name, values := range v.header {
		r.Header[name] = values
		if name == "Host" {
			r.Host = values[0]
		}
	}
	resp, text := testworld.Send(v, v.client, r)
	return &answer{resp.StatusCode, resp.Header, string(text)}
}

func (v *visitor) get(path string) *answer {
	v.Helper()
	return v.do(http.MethodGet, path, nil)
}

func (v *visitor) cookie(name string) string {
	u, err := url.Parse(v.at)
	if err != nil {
		v.Fatal(err)
	}
	for _, c := range v.client.Jar.Cookies(u) {
		if strings.TrimPrefix(c.Name, "__Host-") == name {
			return c.Value
		}
	}
	return ""
}

// post sends a form as the pages do: with the form token of this browser.
func (v *visitor) post(path string, pairs ...string) *answer {
	v.Helper()
	if v.cookie(formCookie) == "" {
		v.get("/login")
	}
	form := url.Values{formField: {v.cookie(formCookie)}}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Add(pairs[i], pairs[i+1])
	}
	return v.do(http.MethodPost, path, form)
}

// node gives fields the form in which the engine takes them.
func node(fields map[string]any) (*body.Node, error) {
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	return body.Parse(text)
}

// loggedIn is a visitor with a session.
func (h *house) loggedIn(email string) *visitor {
	h.Helper()
	v := h.visitor()
	v.expect(v.post("/login", "email", email, "password", password), http.StatusSeeOther, "")
	return v
}

// expect holds an answer to a status and a part of its text.
func (v *visitor) expect(a *answer, status int, part string) *answer {
	v.Helper()
	if a.status != status || !strings.Contains(a.body, part) {
		v.Fatalf("%d %s, want %d with %q:\n%s", a.status, a.to(), status, part, a.main())
	}
	return a
}

// leads holds an answer to a redirect.
func (v *visitor) leads(a *answer, to string) {
	v.Helper()
	if a.status != http.StatusSeeOther || a.to() != to {
		v.Fatalf("%d %q, want a redirect to %q:\n%s", a.status, a.to(), to, a.main())
	}
}

// follow goes where an answer leads, as browsers do after a form.
func (v *visitor) follow(a *answer) *answer {
	v.Helper()
	if a.status != http.StatusSeeOther {
		v.Fatalf("%d, want a redirect:\n%s", a.status, a.main())
	}
	return v.get(a.to())
}

var (
	inputs  = regexp.MustCompile(`<input [^>]*>`)
	areas   = regexp.MustCompile(`(?s)<textarea [^>]*name="([^"]*)"[^>]*>(.*?)</textarea>`)
	selects = regexp.MustCompile(`(?s)<select [^>]*name="([^"]*)".*?</select>`)
	chosen  = regexp.MustCompile(`<option value="([^"]*)" selected`)
	option  = regexp.MustCompile(`<option value="([^"]*)"`)
)

// fieldsOf gives the fields of the form that a page has for an address.
func (v *visitor) fieldsOf(page *answer, path string, changed ...string) (pairs []string) {
	v.Helper()
	_, form, ok := strings.Cut(page.body, `action="`+html.EscapeString(path)+`"`)
	if !ok {
		v.Fatalf("%s has no form for itself", path)
	}
	form, _, _ = strings.Cut(form, "</form>")
	attribute := func(tag, name string) string {
		found := regexp.MustCompile(` ` + name + `="([^"]*)"`).FindStringSubmatch(tag)
		if found == nil {
			return ""
		}
		return html.UnescapeString(found[1])
	}
	add := func(name, value string) {
		for i := 0; i+1 < len(changed); i += 2 {
			if changed[i] == name {
				return
			}
		}
		pairs = append(pairs, name, value)
	}
	for _, tag := range inputs.FindAllString(form, -1) {
		kind := attribute(tag, "type")
		if name := attribute(tag, "name"); name != formField &&
			(kind != "checkbox" && kind != "radio" || strings.Contains(tag, " checked")) {
			add(name, attribute(tag, "value"))
		}
	}
	for _, tag := range areas.FindAllStringSubmatch(form, -1) {
		add(tag[1], html.UnescapeString(tag[2]))
	}
	for _, tag := range selects.FindAllStringSubmatch(form, -1) {
		// Where nothing is chosen, browsers send the first.
		if sent := slices.Concat(chosen.FindStringSubmatch(tag[0]), option.FindStringSubmatch(tag[0])); len(sent) > 0 {
			add(tag[1], sent[1])
		}
	}
	return append(pairs, changed...)
}

// find gives the first group of a pattern in a text.
func (v *visitor) find(text, pattern string) string {
	v.Helper()
	found := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if found == nil {
		v.Fatalf("no %s in:\n%s", pattern, text)
	}
	return found[1]
}

// logged waits for a link in the log.
func (h *house) logged(purpose, email string) string {
	h.Helper()
	for range 200 {
		lines := strings.Split(h.log.String(), "\n")
		for i := len(lines) - 1; i >= 0; i-- {
			var line struct{ Purpose, Email, Link string }
			if json.Unmarshal([]byte(lines[i]), &line) == nil && line.Purpose == purpose && line.Email == email {
				return line.Link
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	h.Fatalf("no %s link for %s in the log:\n%s", purpose, email, h.log)
	return ""
}

// api calls the API with a token and gives the status.
func (h *house) api(token string) int {
	h.Helper()
	resp, _ := testworld.Send(h, http.DefaultClient, testworld.Request(h, http.MethodPost, h.server.URL+"/v1/contacts/search", token, "{}"))
	return resp.StatusCode
}

const (
	verifier = "0123456789012345678901234567890123456789012345678901"
	callback = "https://app.example.com/callback"
)

// client registers an app by itself and gives its client id.
func (h *house) client(name string, redirects ...string) string {
	h.Helper()
	if len(redirects) == 0 {
		redirects = []string{callback}
	}
	text, err := json.Marshal(map[string]any{
		"client_name": name, "redirect_uris": redirects, "token_endpoint_auth_method": "none",
		"grant_types": []string{"authorization_code", "refresh_token"},
	})
	if err != nil {
		h.Fatal(err)
	}
	resp, err := http.Post(h.server.URL+"/oauth/register", "application/json", bytes.NewReader(text))
	if err != nil {
		h.Fatal(err)
	}
	defer resp.Body.Close()
	var out struct {
		ID string `json:"client_id"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil || out.ID == "" {
		h.Fatal(resp.StatusCode, err)
	}
	return out.ID
}

// ask is the address to which an app sends people.
func ask(client, redirect, scope string) string {
	sum := sha256.Sum256([]byte(verifier))
	return "/oauth/authorize?" + url.Values{
		"response_type": {"code"}, "client_id": {client}, "redirect_uri": {redirect}, "scope": {scope}, "state": {"xyz"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}.Encode()
}

// trade turns the code in a redirect into an access token.
func (v *visitor) trade(client, location string) (access, scope string) {
	v.Helper()
	u, err := url.Parse(location)
	if err != nil || u.Query().Get("code") == "" || u.Query().Get("state") != "xyz" || u.Query().Get("iss") != v.server.URL {
		v.Fatalf("no code in %q", location)
	}
	resp, err := http.PostForm(v.server.URL+"/oauth/token", url.Values{
		"grant_type": {"authorization_code"}, "code": {u.Query().Get("code")}, "code_verifier": {verifier}, "client_id": {client},
	})
	if err != nil {
		v.Fatal(err)
	}
	defer resp.Body.Close()
	var out struct {
		Access string `json:"access_token"`
		Scope  string `json:"scope"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil || out.Access == "" {
		v.Fatal(resp.StatusCode, err)
	}
	return out.Access, out.Scope
}
