package viewer

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

func get(t *testing.T, method, path, encoding string) *httptest.ResponseRecorder {
	t.Helper()
	mux := http.NewServeMux()
	Routes(mux)
	r := httptest.NewRequest(method, path, nil)
	r.Header.Set("Accept-Encoding", encoding)
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	return w
}

func TestEveryPartIsServedUnderThePolicy(t *testing.T) {
	for path, what := range served {
		for _, encoding := range []string{"", "gzip"} {
			w := get(t, "GET", path, encoding)
			if w.Code != 200 || w.Body.Len() == 0 || w.Header().Get("Content-Type") != what.kind ||
				w.Header().Get("Content-Security-Policy") != policy {
				t.Errorf("%s: %d, %d bytes, %v", path, w.Code, w.Body.Len(), w.Header())
			}
			packed := strings.HasPrefix(w.Body.String(), "\x1f\x8b")
			if packed != (w.Header().Get("Content-Encoding") == "gzip") {
				t.Errorf("%s for %q is packed: %v", path, encoding, packed)
			}
		}
	}
	if w := get(t, "POST", Path, ""); w.Code != 405 || w.Header().Get("Allow") == "" {
		t.Errorf("POST is %d", w.Code)
	}
}

// What is written into the page itself, or comes from elsewhere, the policy would refuse.
func TestThePageHasNothingInlineOrForeign(t *testing.T) {
	page := get(t, "GET", Path, "").Body.String()
	for _, wrong := range []string{`<style`, ` style=`, `<script>`, ` on[a-z]+=`, `https?://`, `"//`} {
		if found := regexp.MustCompile(wrong).FindString(page); found != "" {
			t.Errorf("the page has %s", found)
		}
	}
	for _, link := range regexp.MustCompile(`(?:src|href)="(/docs/[^"]*)"`).FindAllStringSubmatch(page, -1) {
		if served[link[1]].file == "" {
			t.Errorf("%s is not served", link[1])
		}
	}
}
