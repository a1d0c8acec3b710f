package oauth

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/schema"
)

// TestProvidersAreAskedCarefully shows what an administrator is told of a provider that cannot be used, and that none of what it
// answers is in it.
func TestProvidersAreAskedCarefully(t *testing.T) {
	const secret = "of the neighbour"
	endpoint := "https://login.example.com"
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	configured := func(name string, doc func() map[string]any) {
		mux.HandleFunc("/"+name+"/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(doc())
		})
	}
	configured("good", func() map[string]any {
		return map[string]any{
			"issuer": server.URL + "/good", "authorization_endpoint": endpoint, "token_endpoint": endpoint,
			"jwks_uri": endpoint,
		}
	})
	configured("other", func() map[string]any { return map[string]any{"issuer": endpoint} })
	configured("plain", func() map[string]any {
		return map[string]any{
			"issuer": server.URL + "/plain", "authorization_endpoint": "http://login.example.com",
			"token_endpoint": endpoint, "jwks_uri": endpoint,
		}
	})
	configured("script", func() map[string]any {
		return map[string]any{
			"issuer": server.URL + "/script", "authorization_endpoint": "javascript:alert(1)",
			"token_endpoint": endpoint, "jwks_uri": endpoint,
		}
	})
	mux.Handle("/away/", http.RedirectHandler(server.URL+"/good/.well-known/openid-configuration", http.StatusFound))
	mux.HandleFunc("/much/", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"issuer":%q}`, strings.Repeat("a", 2*mostFetched))
	})
	mux.HandleFunc("/slow/", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/neighbour/", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, secret) })
	mux.HandleFunc("/broken/", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, secret, http.StatusInternalServerError) })

	p := &People{providers: askProviders(true)}
	for name, says := range map[string]string{
		"good": "", "other": "says that it is \"https://login.example.com\"", "plain": "must use https", "script": "does not answer with",
		"away": "redirects", "much": "does not answer with",
		"neighbour": "does not answer with", "broken": "does not answer with", "nothing": "does not answer with",
	} {
		got := p.TryProvider(t.Context(), server.URL+"/"+name)
		if (got == "") != (says == "") || !strings.Contains(got, says) || strings.Contains(got, secret) {
			t.Errorf("%s: %q, want %q", name, got, says)
		}
	}
	p.providers.Timeout = 50 * time.Millisecond
	if got := p.TryProvider(t.Context(), server.URL+"/slow"); !strings.Contains(got, "did not answer within") {
		t.Errorf("slow: %q", got)
	}

	// Without the operator's leave neither http nor the own network is asked, whatever it is called.
	secure := httptest.NewTLSServer(mux)
	t.Cleanup(secure.Close)
	strict := &People{providers: askProviders(false)}
	for address, says := range map[string]string{
		server.URL + "/good": "must use https", secure.URL + "/good": "private network",
		strings.Replace(secure.URL, "127.0.0.1", "localhost", 1) + "/good": "private network",
		"https://169.254.169.254/latest":                                   "private network", "https://[::1]:1": "private network",
		"https://[::ffff:10.0.0.1]": "private network",
	} {
		if got := strict.TryProvider(t.Context(), address); !strings.Contains(got, says) {
			t.Errorf("%s: %q, want %q", address, got, says)
		}
	}
}

func TestOneProviderHoldsUpItsOwnPeopleOnly(t *testing.T) {
	w := waiting{by: map[schema.UUID]int{}}
	var leave []func()
	for range mostAtOnce {
		end, err := w.enter(schema.UUID{1})
		if err != nil {
			t.Fatal(err)
		}
		leave = append(leave, end)
	}
	if _, err := w.enter(schema.UUID{1}); err == nil {
		t.Error("one more waits")
	}
	end, err := w.enter(schema.UUID{2})
	if err != nil {
		t.Fatal("another business waits for the first one")
	}
	for _, end := range append(leave, end) {
		end()
	}
	if _, err := w.enter(schema.UUID{1}); err != nil || len(w.by) != 1 {
		t.Errorf("nobody waits any more, and there is no room: %v, %d", err, len(w.by))
	}
}
