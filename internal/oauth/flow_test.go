package oauth_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/oauth"
)

// client is an app that registered itself, or one of a business.
type client struct{ id, secret, registration string }

const redirect = "https://app.example/cb"

// register registers a client: public with all grant types, unless metadata says otherwise.
func (w *world) register(tb testing.TB, metadata map[string]any) client {
	tb.Helper()
	full := map[string]any{
		"redirect_uris": []string{redirect}, "token_endpoint_auth_method": "none",
		"grant_types": []string{"authorization_code", "refresh_token"}, "client_name": "An app",
	}
	for k, v := range metadata {
		full[k] = v
	}
	a := w.registration(tb, http.MethodPost, "", "", full)
	if a.status != 201 {
		tb.Fatalf("registration: %d %s", a.status, a.text)
	}
	return client{a.get("client_id"), a.get("client_secret"), a.get("registration_access_token")}
}

func (w *world) registration(tb testing.TB, method, id, token string, metadata any, change ...func(*http.Request)) *answer {
	tb.Helper()
	text := []byte{}
	if metadata != nil {
		var err error
		if text, err = json.Marshal(metadata); err != nil {
			tb.Fatal(err)
		}
	}
	path := "/oauth/register"
	if id != "" {
		path += "/" + url.PathEscape(id)
	}
	req, err := http.NewRequest(method, w.url+path, bytes.NewReader(text))
	if err != nil {
		tb.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for _, c := range change {
		c(req)
	}
	return w.send(tb, req)
}

// app makes an app of Harbour in the administrator's name and gives its record too.
func (w *world) app(tb testing.TB, body string) (client, *answer) {
	tb.Helper()
	a := w.api(tb, w.mint(tb, "admin"), "POST /apps", body)
	if a.status != 201 {
		tb.Fatalf("make an app: %d %s", a.status, a.text)
	}
	return client{id: a.get("client_id"), secret: a.get("client_secret")}, a
}

func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func newVerifier() string { return rand.Text() + rand.Text() }

// asked is a right request to /oauth/authorize; changes are pairs of name and value, and an empty value leaves the parameter out.
func asked(c client, challenge string, changes ...string) url.Values {
	q := url.Values{
		"response_type": {"code"}, "client_id": {c.id}, "redirect_uri": {redirect}, "scope": {"contact.read contact.write"},
		"state":          {"st&te=1"},
		"code_challenge": {challenge}, "code_challenge_method": {"S256"},
	}
	for i := 0; i+1 < len(changes); i += 2 {
		if changes[i+1] == "" {
			q.Del(changes[i])
		} else {
			q.Set(changes[i], changes[i+1])
		}
	}
	return q
}

// authorization checks a request as the page does.
func (w *world) authorization(query string) (*oauth.Authorization, error) {
	r := httptest.NewRequest(http.MethodGet, "/oauth/authorize?"+query, nil)
	r.Host = strings.TrimPrefix(w.url, "http://")
	return w.grants.CheckAuthorization(r)
}

// approve lets a logged-in person approve a request, and gives the parameters that the app is sent.
func (w *world) approve(tb testing.TB, name string, q url.Values, granted ...string) url.Values {
	tb.Helper()
	a, err := w.authorization(q.Encode())
	if err != nil {
		tb.Fatal(err)
	}
	if len(granted) == 0 {
		granted = a.Scopes
	}
	who, _, _ := w.login(tb, name)
	to, err := w.grants.Approve(context.Background(), who, a, granted)
	if err != nil {
		tb.Fatal(err)
	}
	return queryOf(tb, to)
}

func queryOf(tb testing.TB, address string) url.Values {
	tb.Helper()
	u, err := url.Parse(address)
	if err != nil {
		tb.Fatal(err)
	}
	return u.Query()
}

// code gets a code for the member, with its verifier.
func (w *world) code(tb testing.TB, c client, changes ...string) (code, verifier string) {
	tb.Helper()
	verifier = newVerifier()
	code = w.approve(tb, "member", asked(c, challengeOf(verifier), changes...)).Get("code")
	if code == "" {
		tb.Fatal("no code")
	}
	return code, verifier
}

func (c client) form(pairs ...string) url.Values {
	form := url.Values{"client_id": {c.id}}
	if c.secret != "" {
		form.Set("client_secret", c.secret)
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return form
}

func (w *world) redeem(tb testing.TB, c client, code, verifier string) *answer {
	tb.Helper()
	return w.post(tb, "/oauth/token", c.form("grant_type", "authorization_code", "code", code, "code_verifier", verifier, "redirect_uri",
		redirect))
}

func (w *world) refresh(tb testing.TB, c client, token string, pairs ...string) *answer {
	tb.Helper()
	return w.post(tb, "/oauth/token", c.form(append([]string{"grant_type", "refresh_token", "refresh_token", token}, pairs...)...))
}

// tokens goes the whole way for the member.
func (w *world) tokens(tb testing.TB, c client, changes ...string) (access, refresh string) {
	tb.Helper()
	code, verifier := w.code(tb, c, changes...)
	a := w.redeem(tb, c, code, verifier)
	if a.status != 200 {
		tb.Fatalf("redeem: %d %s", a.status, a.text)
	}
	return a.get("access_token"), a.get("refresh_token")
}

// fails holds an answer to an error of the protocol.
func fails(tb testing.TB, a *answer, status int, code string) {
	tb.Helper()
	if a.status != status || a.get("error") != code {
		tb.Fatalf("got %d %s, want %d %s", a.status, a.text, status, code)
	}
	if a.get("access_token") != "" || a.get("refresh_token") != "" {
		tb.Errorf("tokens came with the error: %s", a.text)
	}
	if a.header.Get("Cache-Control") != "no-store" {
		tb.Errorf("Cache-Control is %q", a.header.Get("Cache-Control"))
	}
}
