// Package viewer serves the reference that people read in a browser: the OpenAPI document in Swagger UI, with requests that can be
// tried. Everything that the page needs is in the program, and its content policy lets in nothing else.
package viewer

import (
	"bytes"
	"compress/gzip"
	"embed"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// What comes from others is kept compressed; scripts/vendor-viewer fetches it.
//
//go:embed swagger-ui/*.gz swagger-ui/LICENSE swagger-ui/NOTICE swagger-ui/*.txt index.html start.js page.css
var files embed.FS

// Path is where the page is.
const Path = "/docs"

// policy lets the page load what we serve, and ask nobody but us. It needs no styles or scripts in the page itself.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; " +
	"base-uri 'none'; frame-ancestors 'none'"

// served is what there is, by its path.
var served = map[string]struct{ file, kind string }{
	Path:                          {"index.html", "text/html; charset=utf-8"},
	Path + "/start.js":            {"start.js", "text/javascript; charset=utf-8"},
	Path + "/page.css":            {"page.css", "text/css; charset=utf-8"},
	Path + "/swagger-ui.js":       {"swagger-ui/swagger-ui-bundle.js.gz", "text/javascript; charset=utf-8"},
	Path + "/swagger-ui.css":      {"swagger-ui/swagger-ui.css.gz", "text/css; charset=utf-8"},
	Path + "/swagger-ui/LICENSE":  {"swagger-ui/LICENSE", "text/plain; charset=utf-8"},
	Path + "/swagger-ui/NOTICE":   {"swagger-ui/NOTICE", "text/plain; charset=utf-8"},
	Path + "/swagger-ui/licences": {"swagger-ui/swagger-ui-bundle.js.LICENSE.txt", "text/plain; charset=utf-8"},
}

// Routes adds the page and its parts to a mux.
func Routes(mux *http.ServeMux) {
	for path := range served {
		mux.HandleFunc(path, serve)
	}
}

func serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-cache")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "This address does not take this kind of request.", http.StatusMethodNotAllowed)
		return
	}
	what := served[r.URL.Path]
	text, err := files.ReadFile(what.file)
	if err == nil && strings.HasSuffix(what.file, ".gz") {
		h.Set("Vary", "Accept-Encoding")
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			h.Set("Content-Encoding", "gzip")
		} else {
			text, err = unpacked(text)
		}
	}
	if err != nil {
		http.Error(w, "Something went wrong on our side.", http.StatusInternalServerError)
		return
	}
	h.Set("Content-Type", what.kind)
	h.Set("Content-Length", strconv.Itoa(len(text)))
	if r.Method == http.MethodGet {
		// The reader may be gone; there is nobody left to tell.
		_, _ = w.Write(text)
	}
}

func unpacked(text []byte) ([]byte, error) {
	in, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(in)
}
