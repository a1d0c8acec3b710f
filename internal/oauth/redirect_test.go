package oauth_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/oauth"
)

// onPage holds a refused request to an error that is shown to the user and sent nowhere.
func (w *world) onPage(t *testing.T, query string) {
	t.Helper()
	_, err := w.authorization(query)
	var page oauth.ErrOnPage
	if !errors.As(err, &page) || page.Reason == "" {
		t.Errorf("%s: got %v, want an error on a page", query, err)
	}
}

func TestRedirectMustMatchExactly(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, map[string]any{"redirect_uris": []string{"https://app.example:8443/path/cb?tenant=1", "com.example.app:/cb"}})
		for name, uri := range map[string]string{
			"other path":             "https://app.example:8443/path/other?tenant=1",
			"longer path":            "https://app.example:8443/path/cb/more?tenant=1",
			"shorter path":           "https://app.example:8443/path?tenant=1",
			"path traversal":         "https://app.example:8443/path/x/../cb?tenant=1",
			"trailing slash":         "https://app.example:8443/path/cb/?tenant=1",
			"doubled slash":          "https://app.example:8443//path/cb?tenant=1",
			"path in another case":   "https://app.example:8443/Path/cb?tenant=1",
			"encoded path":           "https://app.example:8443/path/c%62?tenant=1",
			"encoded slash":          "https://app.example:8443/path%2Fcb?tenant=1",
			"other host":             "https://evil.example:8443/path/cb?tenant=1",
			"subdomain":              "https://x.app.example:8443/path/cb?tenant=1",
			"longer host":            "https://app.example.evil.example:8443/path/cb?tenant=1",
			"host as suffix":         "https://evilapp.example:8443/path/cb?tenant=1",
			"host in another case":   "https://APP.example:8443/path/cb?tenant=1",
			"trailing dot":           "https://app.example.:8443/path/cb?tenant=1",
			"encoded host":           "https://app%2Eexample:8443/path/cb?tenant=1",
			"other port":             "https://app.example:9443/path/cb?tenant=1",
			"no port":                "https://app.example/path/cb?tenant=1",
			"user name":              "https://app.example:8443@evil.example/path/cb?tenant=1",
			"user name before":       "https://x@app.example:8443/path/cb?tenant=1",
			"fragment":               "https://app.example:8443/path/cb?tenant=1#x",
			"empty fragment":         "https://app.example:8443/path/cb?tenant=1#",
			"other query":            "https://app.example:8443/path/cb?tenant=2",
			"longer query":           "https://app.example:8443/path/cb?tenant=1&x=1",
			"no query":               "https://app.example:8443/path/cb",
			"other scheme":           "http://app.example:8443/path/cb?tenant=1",
			"scheme in another case": "HTTPS://app.example:8443/path/cb?tenant=1",
			"without a scheme":       "//app.example:8443/path/cb?tenant=1",
			"only a path":            "/path/cb?tenant=1",
			"leading space":          " https://app.example:8443/path/cb?tenant=1",
			"trailing space":         "https://app.example:8443/path/cb?tenant=1 ",
			"line break":             "https://app.example:8443/path/cb?tenant=1\r\nLocation: https://evil.example",
			"backslash":              `https://app.example:8443\@evil.example/path/cb?tenant=1`,
			"script":                 "javascript:alert(1)",
			"data":                   "data:text/html,x",
			"private scheme":         "com.example.app:/other",
			"private scheme's host":  "com.example.app://cb",
			"private scheme's case":  "com.example.App:/cb",
		} {
			t.Run(name, func(t *testing.T) {
				w.onPage(t, asked(c, challengeOf(newVerifier()), "redirect_uri", uri).Encode())
			})
		}
		t.Run("left out though there are two", func(t *testing.T) {
			w.onPage(t, asked(c, challengeOf(newVerifier()), "redirect_uri", "").Encode())
		})
		for _, uri := range []string{"https://app.example:8443/path/cb?tenant=1", "com.example.app:/cb"} {
			if _, err := w.authorization(asked(c, challengeOf(newVerifier()), "redirect_uri", uri).Encode()); err != nil {
				t.Errorf("%s: %v", uri, err)
			}
		}
	})
}

func TestLoopbackPortIsFreeButNothingElse(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, map[string]any{"redirect_uris": []string{
			"http://127.0.0.1/cb", "http://localhost:1/cb?x=1",
			"http://[::1]:5000/cb",
		}})
		for _, uri := range []string{
			"http://127.0.0.1:50123/cb", "http://127.0.0.1/cb", "http://localhost:50123/cb?x=1",
			"http://[::1]:50123/cb", "http://[::1]/cb",
		} {
			a, err := w.authorization(asked(c, challengeOf(newVerifier()), "redirect_uri", uri).Encode())
			if err != nil || a.Redirect != uri {
				t.Errorf("%s: %v", uri, err)
			}
		}
		for _, uri := range []string{
			"http://127.0.0.1:50123/other", "http://127.0.0.1:50123/cb/", "http://127.0.0.1:50123/cb?x=1", "http://127.0.0.1:50123/cb#x",
			"http://127.0.0.1:50123/c%62",
			"https://127.0.0.1:50123/cb", "http://127.0.0.2:50123/cb", "http://localhost:50123/cb", "http://x@127.0.0.1:50123/cb",
			"http://127.0.0.1:50123@evil.example/cb",
			"http://127.0.0.1.evil.example:50123/cb", "http://LOCALHOST:50123/cb?x=1", "http://localhost.:50123/cb?x=1",
			"http://127.1:50123/cb", "http://2130706433:50123/cb",
			"http://[::ffff:127.0.0.1]:50123/cb", "http://[0:0:0:0:0:0:0:1]:50123/cb", "HTTP://127.0.0.1:50123/cb",
			"http://127.0.0.1:50123\\@evil.example/cb", "http://127.0.0.1:x/cb", "http://127.0.0.1:-1/cb",
		} {
			w.onPage(t, asked(c, challengeOf(newVerifier()), "redirect_uri", uri).Encode())
		}
	})
}

// Nobody is ever sent to an address that its client did not register, whatever else is wrong.
func TestOpenRedirect(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, nil)
		right := asked(c, challengeOf(newVerifier()))
		for name, change := range map[string]func(q url.Values){
			"unknown client":      func(q url.Values) { q.Set("client_id", "kith_client_unknown") },
			"no client":           func(q url.Values) { q.Del("client_id") },
			"two clients":         func(q url.Values) { q.Add("client_id", c.id) },
			"two redirects":       func(q url.Values) { q.Add("redirect_uri", redirect) },
			"another redirect":    func(q url.Values) { q.Set("redirect_uri", "https://evil.example/") },
			"another, second":     func(q url.Values) { q.Add("redirect_uri", "https://evil.example/") },
			"wrong response type": func(q url.Values) { q.Set("redirect_uri", "https://evil.example/"); q.Set("response_type", "token") },
			"no challenge":        func(q url.Values) { q.Set("redirect_uri", "https://evil.example/"); q.Del("code_challenge") },
			"wrong scope": func(q url.Values) {
				q.Set("redirect_uri", "https://evil.example/")
				q.Set("scope",
					"nothing.at.all")
			},
			"client id with spaces": func(q url.Values) { q.Set("client_id", c.id+" ") },
		} {
			t.Run(name, func(t *testing.T) {
				q := url.Values{}
				for k, v := range right {
					q[k] = v[:1:1]
				}
				change(q)
				w.onPage(t, q.Encode())
			})
		}
	})
}

func TestUnknownResponseTypes(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, nil)
		for _, kind := range []string{"token", "id_token", "code token", "code id_token", "none", "CODE", "code "} {
			w.sentBack(t, asked(c, challengeOf(newVerifier()), "response_type", kind), "unsupported_response_type")
		}
		w.sentBack(t, asked(c, challengeOf(newVerifier()), "response_type", ""), "invalid_request")
		for _, mode := range []string{"fragment", "form_post", "web_message"} {
			w.sentBack(t, asked(c, challengeOf(newVerifier()), "response_mode", mode), "invalid_request")
		}
		for grant, code := range map[string]string{
			"password": "unsupported_grant_type", "implicit": "unsupported_grant_type",
			"": "unsupported_grant_type", "client_credentials": "unauthorized_client",
		} {
			fails(t, w.post(t, "/oauth/token", c.form("grant_type", grant, "username", "x", "password", "y")), 400, code)
		}
	})
}

func TestDuplicatedParameters(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, nil)
		for _, name := range []string{"response_type", "scope", "state", "code_challenge", "code_challenge_method"} {
			q := asked(c, challengeOf(newVerifier()))
			q.Add(name, q.Get(name))
			w.sentBack(t, q, "invalid_request")
		}
		code, verifier := w.code(t, c)
		right := c.form("grant_type", "authorization_code", "code", code, "code_verifier", verifier, "redirect_uri", redirect)
		for name := range right {
			form := url.Values{}
			for k, v := range right {
				form[k] = v
			}
			form[name] = []string{right.Get(name), right.Get(name)}
			fails(t, w.post(t, "/oauth/token", form), 400, "invalid_request")
		}
		if a := w.post(t, "/oauth/token", right); a.status != 200 {
			t.Errorf("the refused requests used up the code: %d %s", a.status, a.text)
		}
		// What stands in the address is not read, so it can neither help nor repeat.
		code, verifier = w.code(t, c)
		a := w.post(t, "/oauth/token?code="+url.QueryEscape(code)+"&code_verifier="+verifier, c.form("grant_type", "authorization_code"))
		fails(t, a, 400, "invalid_grant")
	})
}

func TestResourceIndicators(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, nil)
		verifier := newVerifier()
		code := w.approve(t, "member", asked(c, challengeOf(verifier), "resource", w.url+"/v1")).Get("code")
		form := c.form("grant_type", "authorization_code", "code", code, "code_verifier", verifier, "resource", w.url+"/v1")
		a := w.post(t, "/oauth/token", form)
		if a.status != 200 {
			t.Fatalf("the right resource: %d %s", a.status, a.text)
		}
		refresh := a.get("refresh_token")
		for _, resource := range []string{
			"https://evil.example/v1", w.url + "/v2", w.url, strings.ToUpper(w.url) + "/v1", "x",
			w.url + "/v1#x", w.url + "/v1?x",
		} {
			w.sentBack(t, asked(c, challengeOf(verifier), "resource", resource), "invalid_target")
			fails(t, w.refresh(t, c, refresh, "resource", resource), 400, "invalid_target")
		}
		both := asked(c, challengeOf(verifier), "resource", w.url+"/v1")
		both.Add("resource", "https://evil.example/v1")
		w.sentBack(t, both, "invalid_target")
		if a := w.refresh(t, c, refresh, "resource", w.url+"/mcp"); a.status != 200 {
			t.Errorf("the refused requests used up the refresh token: %d %s", a.status, a.text)
		}
	})
}

func TestScopesOfARequest(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		wide := w.register(t, nil)
		narrow := w.register(t, map[string]any{"scope": "contact.read deal.all"})
		for _, scope := range []string{
			"contact.everything", "nothing.read", "contact", "*", "contact.read,deal.read", "Contact.Read",
			"openid",
		} {
			w.sentBack(t, asked(wide, challengeOf(newVerifier()), "scope", scope), "invalid_scope")
		}
		for _, scope := range []string{"contact.write", "contact.all", "contact.read contact.delete"} {
			w.sentBack(t, asked(narrow, challengeOf(newVerifier()), "scope", scope), "invalid_scope")
		}
		// What the user does not tick is not given, and what was not asked for cannot be ticked.
		verifier := newVerifier()
		code := w.approve(t, "member", asked(wide, challengeOf(verifier)), "contact.read", "deal.all").Get("code")
		if a := w.redeem(t, wide, code, verifier); a.get("scope") != "contact.read" {
			t.Errorf("granted %q", a.get("scope"))
		}
		if got := w.approve(t, "member", asked(wide, challengeOf(verifier)), "deal.all"); got.Get("error") != "access_denied" ||
			got.Has("code") {
			t.Errorf("granting nothing gives %v", got)
		}
	})
}
