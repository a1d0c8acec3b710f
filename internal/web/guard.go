package web

import (
	"crypto/rand"
	"crypto/subtle"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/kith-crm/kith/internal/oauth"
)

const (
	formCookie = "kith_form"
	// formField is the hidden field that must repeat the form cookie.
	formField = "form_token"
	// mostForm bounds what a form may send; addresses of apps are the longest.
	mostForm = 256 << 10
	// mostField bounds each of its fields.
	mostField = 64 << 10
)

// guard sets what keeps every page from being framed, sniffed, kept or quoted, and numbers the request.
func (v *visit) guard() {
	v.r = v.r.WithContext(oauth.Numbered(v.r.Context(), v.id, v.server.Address(v.r)))
	h := v.w.Header()
	h.Set("X-Request-Id", v.id)
	h.Set("Content-Security-Policy", contentPolicy("", false))
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
	// Not no-referrer: with that, browsers post forms with "Origin: null".
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// contentPolicy allows the style sheet, its font and forms that stay here, and a script of ours to the pages that have one. Chromium holds
// the redirect after a form to form-action too, so the page that sends people back to an app names the app.
func contentPolicy(answersTo string, scripted bool) string {
	script := ""
	if scripted {
		script = "script-src 'self'; "
	}
	return "default-src 'none'; " + script + "style-src 'self'; font-src 'self'; img-src 'self' data:; form-action " +
		strings.TrimSpace("'self' "+answersTo) + "; base-uri 'none'; frame-ancestors 'none'"
}

var plainHost = regexp.MustCompile(`^[A-Za-z0-9._-]+(:[0-9]+)?$`)

// formTarget writes where an app is answered as sources of a content policy. What the policy's grammar cannot express, such as an
// IPv6 host, is allowed by its scheme; nothing else of an address gets into the header. Chromium also holds every redirect that
// follows to the policy, and many apps go on to another host of theirs, so any https address is allowed, and for a program on the
// own machine any address there.
func formTarget(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "" {
		return ""
	}
	target := u.Scheme + ":"
	if u.Scheme != "https" && u.Scheme != "http" {
		return target
	}
	if plainHost.MatchString(u.Host) {
		target += "//" + u.Host
	}
	if u.Scheme == "http" {
		target += " http://localhost:* http://127.0.0.1:*"
	}
	return target + " https:"
}

// secure tells whether people reach the site by https.
func (v *visit) secure() bool { return strings.HasPrefix(v.auth.Origin(v.r), "https://") }

func (v *visit) cookieName(name string) string { return v.auth.CookieName(v.r, name) }

func (v *visit) setCookie(name, value string, age int) {
	http.SetCookie(v.w, &http.Cookie{
		Name: v.cookieName(name), Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: v.secure(),
		SameSite: http.SameSiteLaxMode,
	})
}

func (v *visit) cookie(name string) string {
	c, err := v.r.Cookie(v.cookieName(name))
	if err != nil {
		return ""
	}
	return c.Value
}

var formSecretForm = regexp.MustCompile(`^[A-Z2-7]{26}$`)

// formSecret gives the value that forms of this browser repeat, and plants it where there is none.
func (v *visit) formSecret() string {
	if v.csrf == "" {
		if v.csrf = v.cookie(formCookie); !formSecretForm.MatchString(v.csrf) {
			v.newFormSecret()
		}
	}
	return v.csrf
}

func (v *visit) newFormSecret() {
	v.csrf = rand.Text()
	v.setCookie(formCookie, v.csrf, 0)
}

// formToken tells whether a form was made for this browser.
func (v *visit) formToken() bool {
	cookie, field := v.cookie(formCookie), v.r.PostForm.Get(formField)
	return formSecretForm.MatchString(cookie) && subtle.ConstantTimeCompare([]byte(cookie), []byte(field)) == 1
}

// checkText refuses fields that nobody can have typed: control characters, broken characters, or far too much.
func (v *visit) checkText() error {
	for _, form := range []url.Values{v.r.URL.Query(), v.r.PostForm} {
		if field, ok := oauth.CheckForm(form, mostField, "redirect_uris"); !ok {
			return &pageError{
				http.StatusBadRequest, "This form cannot be read",
				"The field " + strconv.QuoteToASCII(field) + " has characters that nobody can type, or far too many. Nothing was changed.",
			}
		}
	}
	return nil
}
