package web

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/kith-crm/kith/web"
)

// appPolicy allows the app its script, its style sheet and the API, all from here, and nothing that stands in the page itself.
const appPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
	"worker-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// packed is a file of the app as it is sent.
type packed struct {
	plain, gzipped []byte
	mediaType      string
}

// appFiles are those of the app by name, packed when the first is asked for.
var appFiles = sync.OnceValue(func() map[string]packed {
	files := map[string]packed{}
	err := fs.WalkDir(web.Files, "dist", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		plain, err := web.Files.ReadFile(name)
		if err != nil {
			return err
		}
		var out bytes.Buffer
		w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
		if err != nil {
			return err
		}
		_, _ = w.Write(plain) // a buffer takes everything
		_ = w.Close()
		file := packed{plain: plain, mediaType: mediaType(name)}
		if out.Len() < len(plain) { // fonts and pictures are compressed already
			file.gzipped = out.Bytes()
		}
		files[strings.TrimPrefix(name, "dist/")] = file
		return nil
	})
	if err != nil {
		panic(err) // the files are part of the program
	}
	return files
})

// mediaType goes by the ending of a name. Systems differ in which they know.
func mediaType(name string) string {
	switch ending := path.Ext(name); ending {
	case ".woff2":
		return "font/woff2"
	case ".webmanifest":
		return "application/manifest+json"
	default:
		return mime.TypeByExtension(ending)
	}
}

// send answers with a file, compressed for whoever takes that.
func (f packed) send(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.mediaType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Add("Vary", "Accept-Encoding")
	content := f.plain
	if f.gzipped != nil && takesGzip(r) {
		content = f.gzipped
		h.Set("Content-Encoding", "gzip")
	}
	// The visitor may be gone; there is nobody left to tell.
	_, _ = w.Write(content)
}

func takesGzip(r *http.Request) bool {
	for coding := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, quality, _ := strings.Cut(strings.TrimSpace(coding), ";")
		refused := quality != "" && strings.Trim(strings.TrimPrefix(strings.TrimSpace(quality), "q="), "0.") == ""
		if strings.EqualFold(name, "gzip") && !refused {
			return true
		}
	}
	return false
}

// theApp shows the app. The page is the same for everybody; what is on it comes through the API.
func (v *visit) theApp() error {
	v.w.Header().Set("Content-Security-Policy", appPolicy)
	v.status = http.StatusOK
	appFiles()["index.html"].send(v.w, v.r)
	return nil
}

// serveAsset sends a file of the app. Its name changes with its content, so browsers may keep it for good.
var serveAsset = serveFrom("assets/", "public, max-age=31536000, immutable")

// serveInstalled sends what a system needs that has the app beside its own: its name and its icons, whose names stay.
var serveInstalled = serveFrom("installed/", "public, max-age=86400")

func serveFrom(folder, kept string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if refusedMethod(w, r) {
			return
		}
		file, ok := appFiles()[folder+r.PathValue("name")]
		if !ok {
			http.Error(w, "There is no such file. Reload the page: the app has changed.", http.StatusNotFound)
			return
		}
		w.Header().Set("Cache-Control", kept)
		file.send(w, r)
	}
}
