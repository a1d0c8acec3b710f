package main

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/testworld"
)

// wholeHandler is all that a server answers with, on an empty database.
func wholeHandler(t *testing.T, o settings) http.Handler {
	t.Helper()
	engine := testworld.Engine(t, testworld.Open(t, testworld.Database(t, "sqlite")))
	h, err := handler(t.Context(), engine, slog.New(slog.DiscardHandler), o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// People get pages and programs get problems, each also where nothing is.
func TestWhoIsAnsweredHow(t *testing.T) {
	h := wholeHandler(t, settings{address: "http://127.0.0.1:8080"})
	for _, c := range []struct {
		path   string
		status int
		media  string
	}{
		{"/", 303, "text/html"},
		{"/setup", 200, "text/html"},
		{"/nowhere", 404, "text/html"},
		{"/healthz", 200, "application/json"},
		{"/v1", 404, "application/problem+json"},
		{"/v1/", 404, "application/problem+json"},
		{"/v1/nowhere", 404, "application/problem+json"},
		{"/v1/me", 401, "application/problem+json"},
		{"/oauth/nowhere", 404, "application/problem+json"},
		{"/.well-known/nowhere", 404, "application/problem+json"},
		{"/.well-known/oauth-authorization-server", 200, "application/json"},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, c.path, nil))
		if media := w.Header().Get("Content-Type"); w.Code != c.status || !strings.HasPrefix(media, c.media) {
			t.Errorf("%s: %d %s, want %d %s", c.path, w.Code, media, c.status, c.media)
		}
	}
}
