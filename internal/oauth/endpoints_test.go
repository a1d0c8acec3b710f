package oauth_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/store/keep"
)

// Every address of the authorization server takes what it says it takes, and names that where it is asked for something else.
func TestEndpointsNameTheirMethods(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, nil)
		for path, want := range map[string]string{
			"/oauth/token": "OPTIONS, POST", "/oauth/revoke": "OPTIONS, POST", "/oauth/introspect": "OPTIONS, POST",
			"/oauth/register":         "OPTIONS, POST",
			"/oauth/register/" + c.id: "DELETE, GET, HEAD, OPTIONS, PUT", "/.well-known/oauth-authorization-server": "GET, HEAD, OPTIONS",
			"/.well-known/oauth-protected-resource": "GET, HEAD, OPTIONS", "/.well-known/oauth-protected-resource/v1": "GET, HEAD, OPTIONS",
			"/.well-known/oauth-protected-resource/mcp": "GET, HEAD, OPTIONS",
		} {
			for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"} {
				req, err := http.NewRequest(method, w.url+path, strings.NewReader("{}"))
				if err != nil {
					t.Fatal(err)
				}
				a := w.send(t, req)
				takes := slices.Contains(strings.Split(want, ", "), method)
				if takes != (a.status != http.StatusMethodNotAllowed) || a.status == http.StatusNotFound || !takes &&
					(a.header.Get("Allow") != want || method != "HEAD" && a.get("error") != "invalid_request") {
					t.Errorf("%s %s: %d, Allow %q: %s", method, path, a.status, a.header.Get("Allow"), a.text)
				}
			}
		}
	})
}

// What a client asks in vain does not keep it from being forgotten; consent and tokens do.
func TestOnlySuccessIsUse(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, nil)
		used := func() time.Time {
			t.Helper()
			found, err := keep.FindClient(t.Context(), w.store, c.id)
			if err != nil {
				t.Fatal(err)
			}
			return found.UsedAt
		}
		other := w.register(t, nil)
		_, foreign := w.tokens(t, other)
		for _, form := range []url.Values{
			c.form("grant_type", "authorization_code", "code", "bogus", "code_verifier", newVerifier()),
			c.form("grant_type", "authorization_code"),
			c.form("grant_type", "refresh_token", "refresh_token", "bogus"),
			c.form("grant_type", "refresh_token", "refresh_token", foreign),
			c.form("grant_type", "client_credentials"),
		} {
			if a := w.post(t, "/oauth/token", form); a.status < 400 {
				t.Errorf("%d %s", a.status, a.text)
			}
		}
		w.post(t, "/oauth/revoke", c.form("token", "bogus"))
		if at := used(); !at.IsZero() {
			t.Error("a request in vain counts as use")
		}
		w.tokens(t, c)
		if at := used(); at.IsZero() {
			t.Error("consent and tokens do not count as use")
		}
	})
}

// No parameter of any endpoint may have what nobody can type.
func TestEndpointsRefuseControlCharacters(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, nil)
		access, refresh := w.tokens(t, c)
		for path, right := range map[string]url.Values{
			"/oauth/token": c.form("grant_type", "refresh_token", "refresh_token", refresh, "scope", "contact.read", "resource",
				w.url+"/v1", "code", "x", "code_verifier", "x", "redirect_uri", redirect, "client_secret", "", "unknown", ""),
			"/oauth/revoke": c.form("token", access, "token_type_hint", "access_token"), "/oauth/introspect": c.form("token", access),
		} {
			for name, values := range right {
				for what, bad := range map[string]string{
					"NUL": "\x00", "escape": "\x1b", "line break": "\n", "C1": "\u0085",
					"DEL": "\x7f", "broken UTF-8": "\xff\xfe", "overlong": strings.Repeat("x", 20<<10),
				} {
					form := url.Values{}
					for k, v := range right {
						form[k] = v
					}
					form[name] = []string{values[0] + bad}
					if a := w.post(t, path, form); a.status != 400 || a.get("error") != "invalid_request" ||
						strings.Contains(a.get("error_description"), bad) {
						t.Errorf("%s: %s with %s: %d %.200s", path, name, what, a.status, a.text)
					}
				}
			}
			if a := w.post(t, path, url.Values{"na\x00me": {"x"}}); a.status != 400 || a.get("error") != "invalid_request" {
				t.Errorf("%s: a name with NUL: %d %s", path, a.status, a.text)
			}
		}
		w.works(t, access)
	})
}

// Redirect addresses that are read in more than one way, or stand for many, are refused wherever they can be given.
func TestOddRedirectAddresses(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		admin := w.mint(t, "admin")
		made := func(uri string) (registered, app *answer) {
			text, err := json.Marshal(map[string]any{"name": "App", "scopes": []string{"contact.read"}, "redirect_uris": []string{uri}})
			if err != nil {
				t.Fatal(err)
			}
			return w.registration(t, "POST", "", "", map[string]any{"redirect_uris": []string{uri}}),
				w.api(t, admin, "POST /apps", string(text))
		}
		for _, uri := range []string{
			"https://*.app.example/cb", "https://app.example/*", "https://app.example/cb?x=*", "https://*/cb", "com.example.app:/*",
			"http://localhost:*/cb",
			"HTTPS://app.example/cb", "Com.Example.app:/cb", "hTTp://localhost/cb",
			"https://app.example./cb", "https://.app.example/cb", "https://app..example/cb", "https://-app.example/cb",
			"https://app%2eexample/cb", "https://app.example%00/cb", "https://app.example%2f@evil.example/cb",
			"https://:443/cb", "https:app.example/cb", "https:/app.example/cb", "https:///app.example/cb", "https://?x=1",
			"https://app.example:/cb", "https://app.example:0/cb", "https://app.example:65536/cb", "https://app.example:x/cb",
			"https://app.example:443:443/cb",
			"https://@app.example/cb", "https://a@b@app.example/cb", "https://127.1/cb", "https://2130706433/cb", "https://0x7f.0.0.1/cb",
			"https://1.2.3.4.5/cb", "https://[::1/cb", "https://::1/cb", "https://[fe80::1%25eth0]/cb", "https://[1.2.3.4]/cb",
			"http://localhost./cb", "http://127.1/cb",
			"https://app.example/a/../cb", "https://app.example/./cb", "https://app.example/%2e%2e/cb", "https://app.example/a%2f..%2fcb",
			"https://app.example/..", "https://app.example/cb%00", "https://app.example/cb%0d%0aX:y", "https://app.example/cb?x=%0A",
			"https://app.example/%5c..%5c", "https://app.example/\\cb",
			"https://app.example/cb#", "https://app.example/cb#frag", "com.example.app:/cb#x", "com.example.app://user@host/cb",
			"javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", "blob:https://app.example/x", "about:blank", "file:///cb",
			"view-source:https://app.example", "intent://x#Intent;end", "//app.example/cb", "cb", "",
			"https://appé.example/cb", "https://app.example/é", "https://app.example/<x>", "https://app.example/{x}",
			"https://app.example/ cb", "https://app.example/\tcb",
		} {
			registered, app := made(uri)
			if registered.status != 400 || registered.get("error") != "invalid_redirect_uri" {
				t.Errorf("registration with %q: %d %s", uri, registered.status, registered.text)
			}
			if app.status != 422 || !strings.Contains(app.text, "redirect_uris") {
				t.Errorf("an app with %q: %d %s", uri, app.status, app.text)
			}
		}
		for _, uri := range []string{
			"https://app.example/cb", "https://app.example", "https://app.example:8443/path/cb?tenant=1&x=%20y", "https://APP.example/Cb",
			"https://a_b.app.example/~me/cb;v=1", "https://192.0.2.7/cb", "https://[2001:db8::1]:8443/cb",
			"https://app.example/a..b/.well-known/cb",
			"http://localhost/cb", "http://127.0.0.1:9999/cb", "http://[::1]/cb", "com.example.app:/cb", "com.example.app://cb",
			"com.example.app:cb", "https://xn--app-cpa.example/cb",
		} {
			if registered, app := made(uri); registered.status != 201 || app.status != 201 {
				t.Errorf("%q: %s %s", uri, registered.text, app.text)
			}
		}
	})
}

// An attempt that was refused can be traced: who tried what, from where, and why it failed. What was typed as a password is never
// noted, not even where it was typed as the address.
func TestRefusedAttemptsAreLogged(t *testing.T) {
	w := newWorld(t, newServer(t, "sqlite", databaseURL(t, "sqlite")))
	guess := "guessed password 123"
	attempt := func(email string) {
		if _, err := w.people.LogIn(t.Context(), email, guess, "198.51.100.7"); err == nil {
			t.Fatal("it is not refused")
		}
	}
	attempt(w.email("member"))
	attempt(w.email("nobody"))
	attempt(guess)
	for range 12 {
		attempt(w.email("viewer"))
	}
	who, session, _ := w.login(t, "admin")
	if err := w.people.Confirm(t.Context(), who, session, oauth.Confirmation{Password: guess}, "198.51.100.7"); err == nil {
		t.Fatal("it is not refused")
	}
	seen := map[string]bool{}
	for line := range strings.Lines(w.log.String()) {
		var entry struct {
			Msg, Reason, Address, Email string
			Users                       []string
		}
		if json.Unmarshal([]byte(line), &entry) != nil || !strings.HasSuffix(entry.Msg, " refused") {
			continue
		}
		if entry.Address != "198.51.100.7" {
			t.Errorf("the client is not named: %s", line)
		}
		seen[entry.Msg+": "+entry.Reason+": "+strings.TrimSuffix(entry.Email, "@"+w.domain)+" "+strings.Join(entry.Users, ",")] = true
	}
	for _, want := range []string{
		"log-in refused: wrong password: member " + userID(w.users["member"]), "log-in refused: unknown address: nobody ",
		"log-in refused: unknown address:  ",
		"log-in refused: too many attempts: viewer ", "confirmation refused: wrong password:  " + userID(w.users["admin"]),
	} {
		if !seen[want] {
			t.Errorf("not in the log: %s\n%v", want, seen)
		}
	}
	if strings.Contains(w.log.String(), guess) {
		t.Error("a password is in the log")
	}
	if !strings.Contains(w.log.String(), `"msg":"log-in","user":"`+userID(w.users["admin"])+`","address":"192.0.2.1"`) {
		t.Error("the log-in that succeeded is not in the log")
	}
}
