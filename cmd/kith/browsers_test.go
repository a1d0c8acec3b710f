package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// Scripts of any site may call what goes by tokens and secrets alone, and read its refusals; never what goes by cookies, and never with
// the browser's credentials.
func TestWhatIsOpenToOtherSites(t *testing.T) {
	h := wholeHandler(t, settings{address: "http://127.0.0.1:8080"})
	ask := func(method, path string, preflight string) http.Header {
		r := httptest.NewRequest(method, path, nil)
		r.Header.Set("Origin", "https://app.example.com")
		if preflight != "" {
			r.Header.Set("Access-Control-Request-Method", preflight)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Header().Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s %s allows credentials", method, path)
		}
		return w.Header()
	}
	for path, c := range map[string]struct{ method, allowed string }{
		"/v1/me":                      {"GET", "GET, HEAD, PATCH"},
		"/v1/contacts/x":              {"PATCH", "GET, HEAD, PATCH, DELETE"},
		"/oauth/token":                {"POST", "OPTIONS, POST"},
		"/oauth/revoke":               {"POST", "OPTIONS, POST"},
		"/oauth/register":             {"POST", "OPTIONS, POST"},
		"/oauth/register/kith_client": {"DELETE", "DELETE, GET, HEAD, OPTIONS, PUT"},
		"/.well-known/oauth-authorization-server":  {"GET", "GET, HEAD, OPTIONS"},
		"/.well-known/oauth-protected-resource/v1": {"GET", "GET, HEAD, OPTIONS"},
	} {
		if got := ask(http.MethodOptions, path, c.method); got.Get("Access-Control-Allow-Origin") != "*" ||
			got.Get("Access-Control-Allow-Methods") != c.allowed ||
			got.Get("Access-Control-Allow-Headers") == "" || got.Get("Access-Control-Max-Age") == "" {
			t.Errorf("%s: the preflight is answered %v", path, got)
		}
		for _, method := range []string{c.method, "FROB"} { // both are refused: there is no token, and no such method
			if got := ask(method, path, ""); got.Get("Access-Control-Allow-Origin") != "*" ||
				got.Get("Access-Control-Expose-Headers") == "" {
				t.Errorf("%s %s is answered %v", method, path, got)
			}
		}
	}
	for _, path := range []string{"/", "/setup", "/login", "/account", "/oauth/authorize", "/oauth/introspect", "/nowhere"} {
		for _, method := range []string{"GET", "POST", "OPTIONS"} {
			got := ask(method, path, "POST")
			for name := range got {
				if len(name) > 15 && name[:15] == "Access-Control-" {
					t.Errorf("%s %s has %s", method, path, name)
				}
			}
		}
	}
}
