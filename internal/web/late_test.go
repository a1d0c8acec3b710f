package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/pgtest"
	"github.com/kith-crm/kith/internal/testworld"
)

// A database that does not answer in time logs nobody out, and is nobody's mistake. Only PostgreSQL can be made to take too long
// for a short statement: somebody else holds the tables that it reads.
func TestALateDatabaseIsToldAsSuch(t *testing.T) {
	address := testworld.Database(t, "postgres")
	h := buildHouse(t, address, httptest.NewServer)
	h.business("Acme", "anna@acme.example")
	session := h.loggedIn("anna@acme.example").cookie(sessionCookie)
	late := buildHouse(t, address, httptest.NewServer)
	late.engine.Store().LimitTime(300 * time.Millisecond)
	pgtest.Lock(t, address, "credential", "client")

	for _, c := range []struct{ method, path, body, part string }{
		{"GET", "/account/switch", "", "That took too long"},
		{"POST", "/oauth/token", "grant_type=refresh_token&client_id=kith_client_x&refresh_token=x", `"temporarily_unavailable"`},
	} {
		req, err := http.NewRequestWithContext(t.Context(), c.method, late.server.URL+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		req.AddCookie(&http.Cookie{Name: sessionCookie, Value: session})
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") == "" ||
			!strings.Contains(string(text), c.part) {
			t.Errorf("%s %s is %d, %v, %v: %.300s", c.method, c.path, res.StatusCode, res.Header, err, text)
		}
	}
}
