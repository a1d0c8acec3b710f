package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/oauth"
)

// Only the address that the proxy itself added counts: everything before it is what the client claims.
func TestForwardedAddressIsTheProxysOwn(t *testing.T) {
	for name, headers := range map[string][]string{
		"alone":                      {"198.51.100.7"},
		"behind claims in the list":  {"203.0.113.1, 198.51.100.7"},
		"behind claims in a header":  {"203.0.113.1", "198.51.100.7"},
		"behind claims in both ways": {"203.0.113.1, 203.0.113.2", "203.0.113.3,198.51.100.7"},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.Header["X-Forwarded-For"] = headers
			r.Header.Set("X-Forwarded-Proto", "https")
			got, secure := "", false
			forwarded(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				got, secure = oauth.RemoteAddress(r),
					r.TLS != nil
			})).ServeHTTP(httptest.NewRecorder(), r)
			if got != "198.51.100.7" || !secure {
				t.Errorf("the address is %s, https %t", got, secure)
			}
		})
	}
}

// With an https origin every answer tells browsers to stay with https; without one none does.
func TestStrictTransportSecurity(t *testing.T) {
	for origin, want := range map[string]string{"https://crm.example.com": "max-age=31536000", "http://localhost:8080": "", "": ""} {
		h := wholeHandler(t, settings{address: "http://127.0.0.1:8080", origin: origin})
		for _, path := range []string{
			"/setup", "/nowhere", "/v1/me", "/v1/nowhere", "/healthz", "/oauth/token",
			"/.well-known/oauth-authorization-server",
		} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
			if got := w.Header().Get("Strict-Transport-Security"); got != want {
				t.Errorf("origin %q, %s: Strict-Transport-Security is %q, want %q", origin, path, got, want)
			}
		}
	}
}

// Some proxies write the port of the connection, which is another each time: with it, every request would be a client of its own,
// and no throttle would ever hold. What is no address at all counts as the proxy's own.
func TestForwardedEntriesAreAddresses(t *testing.T) {
	for entry, want := range map[string]string{
		"198.51.100.7:50123": "198.51.100.7", "198.51.100.7": "198.51.100.7", " 198.51.100.7:1 ": "198.51.100.7",
		"[2001:db8::7]:50123": "2001:db8::7", "[2001:db8::7]": "2001:db8::7", "2001:db8::7": "2001:db8::7",
		"2001:DB8:0::7": "2001:db8::7", "::ffff:198.51.100.7": "198.51.100.7", "[::ffff:198.51.100.7]:99": "198.51.100.7",
		"fe80::1%eth0": "fe80::1", "203.0.113.9, 198.51.100.7:2": "198.51.100.7",
		"unknown": "192.0.2.1", "_hidden": "192.0.2.1", "": "192.0.2.1", "198.51.100.7:x": "192.0.2.1", "198.51.100.7:": "192.0.2.1",
		"198.51.100": "192.0.2.1", "evil.example:80": "192.0.2.1", "198.51.100.7, garbage": "192.0.2.1",
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil) // which comes from 192.0.2.1
		r.Header.Set("X-Forwarded-For", entry)
		got := ""
		forwarded(http.HandlerFunc(func(_ http.ResponseWriter,
			r *http.Request,
		) {
			got = oauth.RemoteAddress(r)
		})).ServeHTTP(httptest.NewRecorder(), r)
		if got != want {
			t.Errorf("%q is %s, want %s", entry, got, want)
		}
	}
}

// In the whole house, too, the addresses of the authorization server are found by every method, and say which they take.
func TestAuthorizationServerNamesItsMethods(t *testing.T) {
	h := wholeHandler(t, settings{address: "http://127.0.0.1:8080"})
	for path, want := range map[string]string{
		"GET /oauth/token": "OPTIONS, POST", "GET /oauth/register": "OPTIONS, POST", "PUT /oauth/revoke": "OPTIONS, POST",
		"POST /oauth/register/x":                       "DELETE, GET, HEAD, OPTIONS, PUT",
		"POST /.well-known/oauth-authorization-server": "GET, HEAD, OPTIONS", "DELETE /oauth/authorize": "GET, HEAD, POST",
	} {
		method, path, _ := strings.Cut(path, " ")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, path, nil))
		if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != want {
			t.Errorf("%s %s: %d, Allow %q, want %q", method, path, w.Code, w.Header().Get("Allow"), want)
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/oauth/nowhere", nil))
	if w.Code != http.StatusNotFound {
		t.Errorf("/oauth/nowhere: %d", w.Code)
	}
}
