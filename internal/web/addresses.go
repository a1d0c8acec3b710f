package web

import (
	"net/http"
	"net/url"
	"path"
	"strings"
)

// appAt is where the app is. All addresses under it are its own: the script that they load decides what they show.
const appAt = "/app"

// settingsAt is where the app has what was a page once.
const settingsAt = appAt + "/settings"

// securityAt is where in the app somebody sets up a second factor.
const securityAt = settingsAt + "/security"

// moved are the addresses of pages that are in the app by now. Bookmarks and older mails lead to them.
var moved = map[string]string{
	"/account": "/you", "/account/tokens": "/access", "/account/connected-apps": "/connected", "/account/apps": "/connected",
	"/account/apps/{id}": "/connected",
	"/account/people":    "/people", "/account/people/{id}": "/people", "/account/roles": "/who-may-what", "/account/business": "/business",
	"/account/business/login": "/business", "/account/audit": "/audit", "/account/security": "/security",
	"/account/security/authenticator": "/security",
}

// companyFor is the log-in by an identity provider that goes on to a page of ours.
func companyFor(next string) string {
	return strings.Replace(loginFor(next), "/login", "/login/company", 1)
}

// securityFor is where somebody is sent who has to set up a second factor before they can go on.
func securityFor(r *http.Request) string {
	if r.Method == http.MethodPost {
		return securityAt
	}
	return securityAt + "?" + url.Values{"next": {r.URL.RequestURI()}}.Encode()
}

// safeNext gives the page to go on to after log-in: of the app, of an account, or the consent to an app; anything else is the app.
func safeNext(next string) string {
	const otherwise = appAt
	if !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") ||
		strings.ContainsFunc(next, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '\\' }) {
		return otherwise
	}
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || path.Clean(u.Path) != u.Path {
		return otherwise
	}
	if under := func(p string) bool { return u.Path == p || strings.HasPrefix(u.Path, p+"/") }; !under(appAt) && !under("/account") &&
		u.Path != "/oauth/authorize" {
		return otherwise
	}
	return (&url.URL{Path: u.Path, RawQuery: u.RawQuery}).String()
}

// loginFor is the log-in that goes on to a page of ours.
func loginFor(next string) string {
	if next = safeNext(next); next == appAt {
		return "/login"
	}
	return "/login?next=" + url.QueryEscape(next)
}
