package web

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/kith-crm/kith/web"
)

//go:embed style.css
var style string

//go:embed passkey.js
var passkeys []byte

var (
	styleSheet    = newStatic("style", "css", "text/css; charset=utf-8", []byte(appLook()+style))
	passkeyScript = newStatic("passkey", "js", "text/javascript; charset=utf-8", passkeys)
)

var fontOfTheApp = regexp.MustCompile(`"\./fonts/([a-z-]+)\.woff2"`)

// appLook is what the pages have in common with the app: its font, of the very files that the app fetches, its sizes and colours.
func appLook() string {
	faces := fontOfTheApp.ReplaceAllStringFunc(web.Fonts, func(url string) string {
		name := fontOfTheApp.FindStringSubmatch(url)[1]
		built, err := fs.Glob(web.Files, "dist/assets/"+name+"-????????.woff2")
		if err != nil || len(built) != 1 {
			panic("the build of the app has not one font " + name) // the files are part of the program
		}
		return strconv.Quote(appAt + strings.TrimPrefix(built[0], "dist"))
	})
	return faces + web.Tokens
}

// staticFile is a file that pages link to.
type staticFile struct {
	path, mediaType string
	content         []byte
}

// newStatic makes a file whose path changes with its content, so that browsers may keep it for good.
func newStatic(name, ext, mediaType string, content []byte) *staticFile {
	sum := sha256.Sum256(content)
	return &staticFile{"/static/" + name + "." + hex.EncodeToString(sum[:8]) + "." + ext, mediaType, content}
}

// refusedMethod answers whoever wants something else of a file than to read it.
func refusedMethod(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return false
	}
	w.Header().Set("Allow", "GET, HEAD")
	http.Error(w, "This address only takes GET and HEAD.", http.StatusMethodNotAllowed)
	return true
}

func (f *staticFile) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if refusedMethod(w, r) {
		return
	}
	w.Header().Set("Content-Type", f.mediaType)
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(f.content)
}
