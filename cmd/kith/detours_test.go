package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// The API refused such paths, but the server in front of it redirected them before they got there.
func TestProgramsAreNotRedirectedToAnotherSpelling(t *testing.T) {
	h := wholeHandler(t, settings{address: "http://127.0.0.1:8080"})
	for _, path := range []string{
		"/v1//me", "//v1/me", "/v1/./me", "/v1/contacts/../me", "/account/../v1/me", "/v1/me/",
		"/v1/contacts//search", "//oauth/token", "/oauth/../oauth/token", "/.well-known//oauth-authorization-server",
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
			r := httptest.NewRequest(method, "http://kith.example"+path, nil)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != http.StatusNotFound || w.Header().Get("Content-Type") != "application/problem+json" ||
				w.Header().Get("X-Request-Id") == "" || w.Header().Get("Access-Control-Allow-Origin") != "*" {
				t.Errorf("%s %s is %d, %v", method, path, w.Code, w.Header())
			}
		}
	}
}
