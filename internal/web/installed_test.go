package web

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func fetched(t *testing.T, path string) *httptest.ResponseRecorder {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc(appAt+"/assets/{name}", serveAsset)
	mux.HandleFunc(appAt+"/installed/{name}", serveInstalled)
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Header.Set("Accept-Encoding", "gzip")
	mux.ServeHTTP(w, r)
	return w
}

// Phones and desktops can have the app beside their own: what they ask for is there, of its type, and not taken for good.
func TestTheAppCanBeInstalled(t *testing.T) {
	if !strings.Contains(appPolicy, "manifest-src 'self'") {
		t.Error("the policy of the app does not let its manifest in")
	}
	page := string(appFiles()["index.html"].plain)
	if !strings.Contains(page, `rel="manifest" href="/app/installed/manifest.webmanifest"`) {
		t.Error("the page does not name its manifest")
	}
	var manifest struct {
		Name  string `json:"name"`
		Start string `json:"start_url"`
		Icons []struct{ Src, Sizes, Type, Purpose string }
	}
	text := appFiles()["installed/manifest.webmanifest"].plain
	if err := json.Unmarshal(text, &manifest); err != nil || manifest.Name != "kith" || manifest.Start != appAt {
		t.Fatalf("the manifest is %s: %v", text, err)
	}
	if w := fetched(t, appAt+"/installed/manifest.webmanifest"); w.Code != 200 ||
		w.Header().Get("Content-Type") != "application/manifest+json" || strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
		t.Errorf("it is answered with %d %v", w.Code, w.Header())
	}
	if w := fetched(t, appAt+"/installed/push.js"); w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/javascript") {
		t.Errorf("the service worker is answered with %d %v", w.Code, w.Header())
	}
	sizes := map[string]bool{}
	for _, icon := range manifest.Icons {
		w := fetched(t, appAt+"/installed/"+icon.Src)
		if w.Code != 200 || w.Header().Get("Content-Type") != icon.Type || w.Body.Len() == 0 {
			t.Errorf("%s is answered with %d %v", icon.Src, w.Code, w.Header())
		}
		sizes[icon.Sizes+icon.Purpose] = true
	}
	for _, want := range []string{"any", "192x192", "512x512", "512x512maskable"} {
		if !sizes[want] {
			t.Errorf("there is no icon of %s", want)
		}
	}
}
