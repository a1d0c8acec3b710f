package oauth_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/oauth"
)

var loopbackPort = regexp.MustCompile(`^http://(127\.0\.0\.1|localhost|\[::1\])(:[0-9]*)?(.*)$`)

// A redirect address is taken only if it is a registered one to the byte, or differs from one in nothing but the port of the own machine.
func FuzzRedirect(f *testing.F) {
	registered := []string{
		"https://app.example:8443/path/cb?tenant=1", "http://127.0.0.1/cb", "http://localhost:1/cb?x=1",
		"http://[::1]:5000/cb", "com.example.app:/cb",
	}
	for _, uri := range append(registered, "http://127.0.0.1:99/cb", "http://127.0.0.1:99@evil.example/cb",
		"https://app.example:8443\\@evil.example/", "http://[::1]:/cb", "javascript:alert(1)", "http://localhost:2/cb?x=1#", "") {
		f.Add(uri)
	}
	c := &oauth.Client{RedirectURIs: registered}
	f.Fuzz(func(t *testing.T, uri string) {
		to, ok := c.RedirectTo(uri)
		if !ok {
			return
		}
		if to != uri {
			t.Fatalf("%q is answered at %q", uri, to)
		}
		for _, r := range registered {
			if uri == r {
				return
			}
			a, b := loopbackPort.FindStringSubmatch(uri), loopbackPort.FindStringSubmatch(r)
			if a != nil && b != nil && a[1] == b[1] && a[3] == b[3] {
				return
			}
		}
		t.Fatalf("%q is taken", uri)
	})
}

// Whatever can be registered as a redirect address is one that a browser and we read alike.
func FuzzRegisteredRedirect(f *testing.F) {
	for _, uri := range []string{
		"https://app.example/cb", "http://localhost/cb", "com.example.app:/cb", "https://a@b/", "https://a/#b",
		"javascript:x", "https://a\\b", "https://a.example/%0d%0a", "//x", "https:///x", "http://127.0.0.1.x/",
	} {
		f.Add(uri)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		if account.CheckRedirect(uri) != "" {
			return
		}
		u, err := url.Parse(uri)
		if err != nil || u.User != nil || strings.ContainsAny(uri, "#\\ \t\r\n\x00\"<>") || u.Scheme == "javascript" || u.Scheme == "data" {
			t.Fatalf("%q is taken", uri)
		}
		switch u.Scheme {
		case "https":
			if u.Hostname() == "" {
				t.Fatalf("%q has no host", uri)
			}
		case "http":
			if !account.Loopback(u.Hostname()) {
				t.Fatalf("%q is not on the own machine", uri)
			}
		default:
			if !strings.Contains(u.Scheme, ".") {
				t.Fatalf("%q has a common scheme", uri)
			}
		}
	})
}
