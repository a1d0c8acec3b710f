package oauth_test

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/oauth"
)

// hostile are texts that break out of whatever they are carelessly put into.
var hostile = []string{
	`'; DROP TABLE credential; --`, `' OR '1'='1`, `") OR 1=1 --`, `\'; --`, `%' OR 1=1 --`, "$1", "?1", ":name", `{"a":1}`, `[]`, "null",
	"a\r\nSet-Cookie: x=y", "a\nX: y", "a\x00b", "\x00", "\xff\xfe", "\xc3\x28", "é", "日本語", "\u202e", "😀", "%00", "%0d%0aX: y", "%zz",
	"<script>alert(1)</script>", "../../etc/passwd", "${7*7}",
	strings.Repeat("A", 10_000), strings.Repeat("é", 5_000), " ", "\t", "kith_at_", "kith_pat_" + strings.Repeat("A", 49),
}

// Whatever is sent in whatever field, the answer is an error of the protocol, and everything still works afterwards.
func TestInjectionInTheFormEndpoints(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, map[string]any{"token_endpoint_auth_method": "client_secret_post"})
		access, refresh := w.tokens(t, c)
		code, verifier := w.code(t, c)
		app, _ := w.app(t, `{"name":"Nightly","scopes":["contact.read"]}`)
		for _, request := range []struct {
			path string
			form url.Values
		}{
			{"/oauth/token", c.form("grant_type", "authorization_code", "code", code, "code_verifier", verifier, "redirect_uri", redirect,
				"resource", w.url+"/v1")},
			{"/oauth/token", c.form("grant_type", "refresh_token", "refresh_token", refresh, "scope", "contact.read", "resource",
				w.url+"/v1")},
			{"/oauth/token", app.form("grant_type", "client_credentials", "scope", "contact.read", "resource", w.url+"/v1")},
			{"/oauth/revoke", c.form("token", access, "token_type_hint", "access_token")},
			{"/oauth/introspect", c.form("token", access, "token_type_hint", "access_token")},
		} {
			for name := range request.form {
				// These burn what is right in the rest of the form, or are free text that changes nothing.
				if name == "code_verifier" || name == "redirect_uri" || name == "token_type_hint" {
					continue
				}
				for _, text := range hostile {
					form := maps.Clone(request.form)
					form[name] = []string{text}
					a := w.post(t, request.path, form)
					w.plain(t, request.path+" "+name, text, a)
					scopeless := name == "scope" && strings.TrimSpace(text) == ""
					tokenless := name == "token" && request.path != "/oauth/token"
					if a.status == 200 && !scopeless && !tokenless {
						t.Fatalf("%s with %s = %.60q is answered with %s", request.path, name, text, a.text)
					}
					if scopeless && request.form.Get("grant_type") == "refresh_token" {
						refresh = a.get("refresh_token")
						request.form.Set("refresh_token", refresh)
					}
				}
			}
			for _, text := range hostile { // the names of parameters are as free as their values
				form := maps.Clone(request.form)
				form.Set("grant_type", "none of them")
				form.Del("token")
				form[text] = []string{"x", "y"}
				w.plain(t, request.path, text, w.post(t, request.path, form))
			}
		}
		for _, text := range hostile {
			a := w.post(t, "/oauth/token", url.Values{"grant_type": {"client_credentials"}}, basic(text, text))
			w.plain(t, "basic", text, a)
			if a.status == 200 {
				t.Errorf("%.60q is a client", text)
			}
			code, verifier := w.code(t, c)
			if !oauth.PlainText(text) || len(text) > 16<<10 { // it is not even read, so it burns nothing
				fails(t, w.redeem(t, c, code, text), 400, "invalid_request")
				continue
			}
			fails(t, w.redeem(t, c, code, text), 400, "invalid_grant")
			fails(t, w.redeem(t, c, code, verifier), 400, "invalid_grant")
		}
		w.works(t, access)
		if a := w.refresh(t, c, refresh); a.status != 200 {
			t.Errorf("%d %s", a.status, a.text)
		}
	})
}

// plain holds an answer to be clean: no fault, no header that the caller made up, errors in the characters that the RFC allows.
func (w *world) plain(t *testing.T, where, text string, a *answer) {
	t.Helper()
	if a.status >= 500 {
		t.Fatalf("%s with %.60q: %d %s", where, text, a.status, a.text)
	}
	if a.header.Get("Set-Cookie") != "" || a.header.Get("X") != "" || !strings.HasPrefix(a.header.Get("Content-Type"), "application/") {
		t.Errorf("%s with %.60q: headers %v", where, text, a.header)
	}
	for _, r := range a.get("error_description") {
		if r < 0x20 || r > 0x7e || r == '"' || r == '\\' {
			t.Errorf("%s with %.60q: the description is %.60q", where, text, a.get("error_description"))
			break
		}
	}
}

func TestInjectionInTheAuthorizationRequest(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, nil)
		names := []string{
			"response_type", "client_id", "redirect_uri", "scope", "code_challenge", "code_challenge_method", "resource",
			"response_mode",
		}
		for _, text := range hostile {
			readable := oauth.PlainText(text) && len(text) <= 16<<10
			for _, name := range names {
				q := asked(c, challengeOf(newVerifier()))
				q[name] = []string{text}
				_, err := w.authorization(q.Encode())
				var page oauth.ErrOnPage
				var back oauth.ErrRedirect
				switch {
				case errors.As(err, &page):
					if readable && name != "client_id" && name != "redirect_uri" {
						t.Errorf("%s = %.60q is an error on a page: %v", name, text, err)
					}
				case errors.As(err, &back):
					if !strings.HasPrefix(back.To, redirect+"?") || strings.ContainsAny(back.To, "\r\n \"<>\x00") {
						t.Errorf("%s = %.60q redirects to %.60q", name, text, back.To)
					}
				case err != nil:
					t.Errorf("%s = %.60q is a fault of ours: %v", name, text, err)
				case name == "scope" && strings.TrimSpace(text) == "":
				default:
					t.Errorf("%s = %.60q is accepted", name, text)
				}
			}
			// The state is the client's own and comes back as it was.
			q := asked(c, challengeOf(newVerifier()))
			q["state"] = []string{text}
			q["unknown"] = []string{text}
			if !readable {
				w.onPage(t, q.Encode())
				continue
			}
			a, err := w.authorization(q.Encode())
			if err != nil {
				t.Fatal(err)
			}
			if got := queryOf(t, a.Deny()); got.Get("state") != text || strings.ContainsAny(a.Deny(), "\r\n \"<>\x00") {
				t.Errorf("the state %.60q comes back as %.60q", text, got.Get("state"))
			}
			q[text] = []string{"x", "y"}
			if _, err := w.authorization(q.Encode()); !errors.As(err, new(oauth.ErrRedirect)) {
				t.Errorf("%.60q twice: %v", text, err)
			}
		}
		for _, raw := range []string{
			"%zz", ";", "&&&", "=", "client_id=" + c.id + "&redirect_uri=%", "client_id=%ff%00",
			strings.Repeat("a=b&", 5000),
		} {
			w.onPage(t, raw)
		}
	})
}

func TestInjectionInRegistration(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		names := []string{
			"redirect_uris", "token_endpoint_auth_method", "grant_types", "response_types", "client_name", "client_uri",
			"logo_uri", "scope", "contacts", "tos_uri", "policy_uri", "software_id", "software_version", "jwks_uri", "unknown",
		}
		lists := map[string]bool{"redirect_uris": true, "grant_types": true, "response_types": true, "contacts": true}
		managed := w.register(t, nil)
		for _, text := range hostile {
			for _, name := range names {
				m := map[string]any{"redirect_uris": []string{redirect}, "token_endpoint_auth_method": "none", name: text}
				if lists[name] {
					m[name] = []string{text}
				}
				for _, a := range []*answer{
					w.registration(t, "POST", "", "", m),
					w.registration(t, "PUT", managed.id, managed.registration, m),
				} {
					w.plain(t, name, text, a)
					if a.status < 300 && lists[name] && name != "contacts" {
						t.Errorf("%s = %.60q is registered", name, text)
					}
				}
			}
			w.plain(t, "id", text, w.registration(t, "GET", text, managed.registration, nil))
			if !strings.ContainsAny(text, "\r\n\x00") {
				fails(t, w.registration(t, "GET", managed.id, text, nil), 401, "invalid_token")
			}
		}
		for _, raw := range []string{
			"", "null", "[]", "7", `"x"`, "{", `{"redirect_uris":[null]}`, `{"redirect_uris":{}}`,
			`{"redirect_uris":["` + redirect + `"],"client_name":{}}`, strings.Repeat("[", 40_000), "\xff", `{"client_name":"\ud800"}`,
		} {
			req, err := http.NewRequest("POST", w.url+"/oauth/register", strings.NewReader(raw))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			if a := w.send(t, req); a.status != 400 {
				t.Errorf("%.40q: %d %s", raw, a.status, a.text)
			}
		}
		if a := w.registration(t, "GET", managed.id, managed.registration, nil); a.status != 200 {
			t.Errorf("%d %s", a.status, a.text)
		}
	})
}

func TestInjectionInTokensAndApps(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		admin := w.mint(t, "admin")
		for _, text := range hostile {
			for plural, fields := range map[string][]string{
				"tokens": {"name", "expires_at", "scopes", "hint", "user_id"},
				"apps":   {"name", "redirect_uris", "grant_types", "scopes", "user_id", "client_id"},
			} {
				for _, field := range fields {
					m := map[string]any{"name": "x", "scopes": []string{"contact.read"}, field: text}
					if field == "scopes" || field == "redirect_uris" || field == "grant_types" {
						m[field] = []string{text}
					}
					body, err := json.Marshal(m)
					if err != nil {
						t.Fatal(err)
					}
					a := w.api(t, admin, "POST /"+plural, string(body))
					w.plain(t, plural+" "+field, text, a)
					if a.status == 201 && field != "name" &&
						!(field == "redirect_uris" || field == "grant_types" || field == "expires_at" || field == "user_id") {
						t.Errorf("%s with %s = %.60q: %d %s", plural, field, text, a.status, a.text)
					}
				}
				w.plain(t, plural, text, w.api(t, admin, "GET /"+plural+"/"+url.PathEscape(text), ""))
			}
			if !strings.ContainsAny(text, "\r\n\x00") && strings.TrimSpace(text) != "" {
				a := w.api(t, text, "GET /me", "")
				if a.status != 401 {
					t.Errorf("the bearer %.60q: %d", text, a.status)
				}
			}
		}
		w.works(t, admin)
	})
}

func TestInjectionAtLogIn(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		for i, text := range hostile {
			if open, err := w.people.LogIn(t.Context(), text, text, text); !errors.Is(err, oauth.ErrWrongLogin) {
				t.Errorf("%.60q: %d %v", text, len(open), err)
			}
			if i%4 == 0 { // hashing is slow on purpose
				if _, err := w.people.LogIn(t.Context(), w.email("member"), text, text); !errors.Is(err, oauth.ErrWrongLogin) &&
					!errors.Is(err, oauth.ErrTooManyTries) {
					t.Errorf("%.60q: %v", text, err)
				}
			}
			if err := w.people.Forgot(t.Context(), text, text); err != nil {
				t.Errorf("%.60q: %v", text, err)
			}
			if _, err := w.people.OpenLink(t.Context(), text); !errors.Is(err, oauth.ErrLink) {
				t.Errorf("%.60q: %v", text, err)
			}
			if _, err := w.people.Redeem(t.Context(), text, text); !errors.Is(err, oauth.ErrWrongLogin) {
				t.Errorf("%.60q: %v", text, err)
			}
			if _, _, err := w.auth.Session(t.Context(), text); err == nil {
				t.Errorf("the cookie %.60q logs in", text)
			}
			if _, err := w.people.StartSession(t.Context(), oauth.Proven{Identity: w.proven(t, "member")}, text, text); err != nil {
				t.Errorf("a browser called %.60q: %v", text, err)
			}
		}
		who, _, _ := w.login(t, "member")
		if who.User != w.users["member"] {
			t.Error("the member is somebody else")
		}
	})
}
