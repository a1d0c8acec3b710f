package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// An app that says what it is in a document is shown with the site that it comes from, and nobody who is not logged in has that fetched.
func TestConsentToAClientWithADocument(t *testing.T) {
	h := newHouse(t)
	h.business("Juniper", "anna@juniper.test")
	var fetched atomic.Int64
	var site *httptest.Server
	site = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fetched.Add(1)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"client_id":%q,"client_name":"Big <b>Bank</b>","redirect_uris":["http://127.0.0.1/cb",%q]}`, site.URL+r.URL.Path,
			callback)
	}))
	defer site.Close()
	path := ask(site.URL+"/client.json", callback, "contact.read")
	stranger := h.visitor()
	if got := stranger.get(path); got.status != http.StatusSeeOther || !strings.HasPrefix(got.to(), "/login") || fetched.Load() != 0 {
		t.Errorf("who is not logged in: %d %s, fetched %d times", got.status, got.to(), fetched.Load())
	}
	anna := h.loggedIn("anna@juniper.test")
	page := anna.get(path)
	host := strings.TrimPrefix(site.URL, "http://")
	for _, part := range []string{
		`It comes from <bdi class="host">` + host + `</bdi>`, "Big &lt;b&gt;Bank&lt;/b&gt;",
		"nobody has checked it",
	} {
		if page.status != http.StatusOK || !strings.Contains(page.body, part) {
			t.Errorf("the page has no %q: %d %s", part, page.status, page.main())
		}
	}
	if strings.Contains(page.body, "another program could say") {
		t.Error("the page warns of programs on this computer, though it answers elsewhere")
	}
	if page := anna.get(ask(site.URL+"/client.json", "http://127.0.0.1:4567/cb", "contact.read")); !strings.Contains(page.body,
		"another program could say that it is this one") {
		t.Errorf("the page does not warn of other programs: %s", page.main())
	}
	anna.expect(anna.get(ask(site.URL+"/client.json?x", callback, "contact.read")), http.StatusBadRequest, "This app cannot be connected")
	if fetched.Load() != 1 {
		t.Errorf("fetched %d times", fetched.Load())
	}
}
