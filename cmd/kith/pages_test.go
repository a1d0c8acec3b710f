package main

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"kith/internal/crm"
	"kith/internal/store"
)

// wholeHandler is all that a server answers with, on an empty database.
func wholeHandler(t *testing.T, o settings) http.Handler {
	t.Helper()
	s, err := store.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "kith.db"), crm.Registry)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	engine, err := crm.NewEngine(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	h, err := handler(t.Context(), engine, slog.New(slog.DiscardHandler), o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// People get pages and programs get problems, each also where nothing is.
func TestWhoIsAnsweredHow(t *testing.T) {
	h := wholeHandler(t, settings{address: "127.0.0.1:8080"})
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
