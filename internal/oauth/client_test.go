package oauth_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/store/keep"
)

func TestClientSecret(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, map[string]any{"token_endpoint_auth_method": "client_secret_basic"})
		other := w.register(t, map[string]any{"token_endpoint_auth_method": "client_secret_basic"})
		public := w.register(t, nil)
		code, verifier := w.code(t, c)
		form := func(pairs ...string) url.Values {
			return client{}.form(append([]string{"grant_type", "authorization_code", "code", code, "code_verifier", verifier}, pairs...)...)
		}
		for name, wrong := range map[string]struct {
			form   url.Values
			header func(*http.Request)
			status int
			code   string
		}{
			"missing": {form: form("client_id", c.id), status: 401, code: "invalid_client"},
			"empty":   {form: form("client_id", c.id, "client_secret", ""), status: 401, code: "invalid_client"},
			"wrong": {
				form: form("client_id", c.id, "client_secret", other.secret), status: 401,
				code: "invalid_client",
			},
			"nearly right": {
				form: form("client_id", c.id, "client_secret", c.secret[:len(c.secret)-1]), status: 401,
				code: "invalid_client",
			},
			"the registration token": {
				form: form("client_id", c.id, "client_secret", c.registration), status: 401,
				code: "invalid_client",
			},
			"wrong in the header": {
				form: form("client_id", c.id), header: basic(c.id, other.secret), status: 401,
				code: "invalid_client",
			},
			"of another client": {
				form: form("client_id", other.id), header: basic(c.id, c.secret), status: 400,
				code: "invalid_request",
			},
			"in both places": {
				form: form("client_id", c.id, "client_secret", c.secret), header: basic(c.id, c.secret),
				status: 400, code: "invalid_request",
			},
			"no client at all": {form: form("client_id", ""), status: 401, code: "invalid_client"},
			"unknown client": {
				form:   form("client_id", "kith_client_01h455vb4pex5vsknk084sn02q", "client_secret", c.secret),
				status: 401, code: "invalid_client",
			},
			"public client with a secret": {
				form: form("client_id", public.id, "client_secret", c.secret), status: 401,
				code: "invalid_client",
			},
			"public client in the header": {form: form(), header: basic(public.id, ""), status: 401, code: "invalid_client"},
			"public client with the code": {form: form("client_id", public.id), status: 400, code: "invalid_grant"},
			"header that cannot be read": {
				form:   form("client_id", c.id),
				header: func(r *http.Request) { r.Header.Set("Authorization", "Basic !!!") }, status: 401, code: "invalid_client",
			},
			"header with broken escapes": {
				form: form(), header: func(r *http.Request) { r.SetBasicAuth(c.id, "%zz") }, status: 400,
				code: "invalid_request",
			},
			"the secret of someone's else": {
				form: form("client_id", c.id, "client_secret", w.mint(t, "admin")), status: 401,
				code: "invalid_client",
			},
		} {
			t.Run(name, func(t *testing.T) {
				if wrong.form.Get("client_id") == "" {
					wrong.form.Del("client_id")
				}
				a := w.post(t, "/oauth/token", wrong.form, func(r *http.Request) {
					if wrong.header != nil {
						wrong.header(r)
					}
				})
				fails(t, a, wrong.status, wrong.code)
				if challenge := a.header.Get("WWW-Authenticate"); a.status == 401 && (challenge != "") != (wrong.header != nil) {
					t.Errorf("the challenge is %q", challenge)
				}
			})
		}
		// None of them got as far as the code.
		if a := w.post(t, "/oauth/token", url.Values{"grant_type": {"authorization_code"}, "code": {code}, "code_verifier": {verifier}},
			basic(c.id, c.secret)); a.status != 200 {
			t.Errorf("%d %s", a.status, a.text)
		}
		if access, _ := w.tokens(t, c); access == "" {
			t.Error("a secret in the form is not taken")
		}
	})
}

func TestTokenEndpointTakesOnlyForms(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, nil)
		for _, media := range []string{"application/json", "multipart/form-data; boundary=x", "text/plain", ""} {
			fails(t, w.post(t, "/oauth/token", c.form("grant_type", "refresh_token"),
				func(r *http.Request) { r.Header.Set("Content-Type", media) }), 400, "invalid_request")
		}
		large := c.form("grant_type", "refresh_token", "refresh_token", strings.Repeat("x", 100<<10))
		fails(t, w.post(t, "/oauth/token", large), 400, "invalid_request")
		res, err := w.http.Get(w.url + "/oauth/token?" + c.form("grant_type", "refresh_token").Encode())
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("GET is answered with %d", res.StatusCode)
		}
	})
}

func TestRegistrationChecksMetadata(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		right := func(pairs ...any) map[string]any {
			m := map[string]any{"redirect_uris": []string{redirect}}
			for i := 0; i+1 < len(pairs); i += 2 {
				m[pairs[i].(string)] = pairs[i+1]
			}
			return m
		}
		for _, uri := range []string{
			"http://app.example/cb", "ftp://app.example/cb", "/cb", "//app.example/cb", "https://app.example/cb#x",
			"https://app.example/cb#", "https://u@app.example/cb", "https://u:p@app.example/cb", "https:///cb",
			"https://", "javascript:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd", "app:/cb",
			"https://app.example/ cb", "https://app.example\\@evil.example/", "https://app.example/\r\nX: y",
			"https://app.example/\u0000", "", "https://app.example/" + strings.Repeat("x", 3000), "http://127.0.0.1.evil.example/cb",
			"http://localhost.evil.example/", "http://2130706433/",
		} {
			fails(t, w.registration(t, "POST", "", "", right("redirect_uris", []string{redirect, uri})), 400, "invalid_redirect_uri")
		}
		fails(t, w.registration(t, "POST", "", "", right("redirect_uris", []string{})), 400, "invalid_redirect_uri")
		fails(t, w.registration(t, "POST", "", "", right("redirect_uris", make([]string, 21))), 400, "invalid_redirect_uri")
		for _, wrong := range []map[string]any{
			right("token_endpoint_auth_method", "private_key_jwt"), right("token_endpoint_auth_method", "NONE"),
			right("grant_types", []string{"client_credentials"}), right("grant_types", []string{"authorization_code", "password"}),
			right("grant_types", []string{"authorization_code", "client_credentials"}), right("grant_types", []string{"refresh_token"}),
			right("response_types", []string{"token"}), right("response_types", []string{"code", "token"}),
			right("scope", "contact.read nothing.read"), right("scope", "*"), right("client_uri", "javascript:alert(1)"),
			right("logo_uri", "data:image/png,x"), right("tos_uri", "x"), right("policy_uri", "//x"),
			right("client_name", "two\nlines"), right("client_name", "right\u202eto left"), right("client_name", "zero\u200bwidth"),
			right("client_name", strings.Repeat("x", 101)), right("client_name", 7), right("redirect_uris", "x"),
			right("contacts", []string{strings.Repeat("x", 1000)}), right("software_id", strings.Repeat("x", 1000)),
			right("software_version", "a\nb"), right("contacts", []string{"a\u0000b"}),
		} {
			fails(t, w.registration(t, "POST", "", "", wrong), 400, "invalid_client_metadata")
		}
		for says, wrong := range map[string]map[string]any{
			"client_name must be a string": right("client_name", 7), "scope must be a string": right("scope", []string{"contact.read"}),
			"contacts must be a list of strings":      right("contacts", "x"),
			"redirect_uris must be a list of strings": right("redirect_uris", []any{redirect, 7}),
			"the body must have at most 65536 bytes":  right("software_id", strings.Repeat("x", 70_000)),
		} {
			if a := w.registration(t, "POST", "", "", wrong); a.status != 400 || a.get("error_description") != says {
				t.Errorf("%d %s, want %s", a.status, a.text, says)
			}
		}
		fails(t, w.registration(t, "POST", "", "", right(), func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }), 400,
			"invalid_request")
		a := w.registration(t, "POST", "", "", right("client_name", "Ümlaut & <b>", "unknown_member", 1))
		if a.status != 201 || a.get("token_endpoint_auth_method") != "client_secret_basic" ||
			fmt.Sprint(a.json["grant_types"], a.json["response_types"]) != "[authorization_code] [code]" || a.get("client_secret") == "" ||
			a.json["client_secret_expires_at"] != 0.0 ||
			a.get("registration_client_uri") != w.url+"/oauth/register/"+a.get("client_id") || a.get("client_name") != "Ümlaut & <b>" ||
			a.json["unknown_member"] != nil {
			t.Errorf("%d %s", a.status, a.text)
		}
	})
}

func TestRegistrationManagement(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c, other := w.register(t, nil), w.register(t, nil)
		pat := w.mint(t, "admin")
		app, _ := w.app(t, `{"name":"Nightly","scopes":["contact.read"]}`)
		change := map[string]any{"redirect_uris": []string{"https://evil.example/"}, "token_endpoint_auth_method": "none"}
		t.Run("with a wrong token is refused", func(t *testing.T) {
			for _, token := range []string{"", "x", other.registration, pat, c.registration + "x", c.secret} {
				for _, method := range []string{"GET", "PUT", "DELETE"} {
					a := w.registration(t, method, c.id, token, change)
					fails(t, a, 401, "invalid_token")
					if !strings.HasPrefix(a.header.Get("WWW-Authenticate"), "Bearer") {
						t.Errorf("the challenge is %q", a.header.Get("WWW-Authenticate"))
					}
				}
			}
			for _, id := range []string{app.id, "kith_client_unknown", "x\x00y", "' OR 1=1 --"} {
				fails(t, w.registration(t, "DELETE", id, c.registration, nil), 401, "invalid_token")
			}
		})
		t.Run("with the right token works", func(t *testing.T) {
			if a := w.registration(t, "GET", c.id, c.registration, nil); a.status != 200 || a.get("client_id") != c.id ||
				fmt.Sprint(a.json["redirect_uris"]) != "["+redirect+"]" || a.get("client_secret") != "" {
				t.Errorf("%d %s", a.status, a.text)
			}
			fails(t, w.registration(t, "PUT", c.id, c.registration, map[string]any{"redirect_uris": []string{"http://evil.example/"}}),
				400, "invalid_redirect_uri")
			fails(t, w.registration(t, "PUT", c.id, c.registration,
				map[string]any{"redirect_uris": []string{redirect}, "token_endpoint_auth_method": "client_secret_basic"}), 400,
				"invalid_client_metadata")
			moved := map[string]any{
				"redirect_uris": []string{"https://app.example/moved"}, "token_endpoint_auth_method": "none",
				"grant_types": []string{"authorization_code", "refresh_token"},
			}
			if a := w.registration(t, "PUT", c.id, c.registration, moved); a.status != 200 {
				t.Fatalf("%d %s", a.status, a.text)
			}
			w.onPage(t, asked(c, challengeOf(newVerifier())).Encode())
			if _, err := w.authorization(asked(c, challengeOf(newVerifier()), "redirect_uri",
				"https://app.example/moved").Encode()); err != nil {
				t.Error(err)
			}
		})
		t.Run("deletion ends what users granted", func(t *testing.T) {
			access, refresh := w.tokens(t, other)
			w.works(t, access)
			if a := w.registration(t, "DELETE", other.id, other.registration, nil); a.status != 204 {
				t.Fatalf("%d %s", a.status, a.text)
			}
			w.refused(t, access)
			fails(t, w.refresh(t, other, refresh), 401, "invalid_client")
			fails(t, w.registration(t, "GET", other.id, other.registration, nil), 401, "invalid_token")
			w.onPage(t, asked(other, challengeOf(newVerifier())).Encode())
		})
	})
}

func TestRegistrationFloodIsThrottled(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		from := func(address string) func(*http.Request) {
			return func(r *http.Request) { r.Header.Set(addressHeader, address) }
		}
		flood := func(address func(i int) string) (throttled *answer) {
			for i := range 40 {
				a := w.registration(t, "POST", "", "", map[string]any{"redirect_uris": []string{redirect}}, from(address(i)))
				if a.status == 429 {
					return a
				}
				if a.status != 201 {
					t.Fatalf("%d %s", a.status, a.text)
				}
			}
			return nil
		}
		one := "flood." + w.domain
		a := flood(func(int) string { return one })
		if a == nil || a.header.Get("Retry-After") == "" || a.get("error") == "" {
			t.Fatalf("40 registrations from one address are not throttled: %v", a)
		}
		// A network of its own gives everyone as many IPv6 addresses as they like.
		prefix := fmt.Sprintf("2001:db8:%x:%x::", time.Now().UnixNano()&0xffff, len(w.engineName))
		if flood(func(i int) string { return fmt.Sprintf("%s%x", prefix, i+1) }) == nil {
			t.Error("40 registrations from one IPv6 network are not throttled")
		}
		if a := w.registration(t, "POST", "", "", map[string]any{"redirect_uris": []string{redirect}},
			from("other."+w.domain)); a.status != 201 {
			t.Errorf("another address is throttled too: %d", a.status)
		}
		w.grants.PassTime(3 * time.Minute)
		if a := w.registration(t, "POST", "", "", map[string]any{"redirect_uris": []string{redirect}}, from(one)); a.status != 201 {
			t.Errorf("it does not end: %d", a.status)
		}
	})
}

func TestUnusedClientsExpire(t *testing.T) {
	aloneOnBothEngines(t, func(t *testing.T, w *world) {
		unused, used, fresh := w.register(t, nil), w.register(t, nil), w.register(t, nil)
		app, _ := w.app(t, `{"name":"Nightly","scopes":["contact.read"]}`)
		access, _ := w.tokens(t, used)
		for _, c := range []client{unused, used, app} {
			w.age(t, "client", "created_at", "client_id", c.id, oauth.UnusedLife+time.Minute)
		}
		w.onPage(t, asked(unused, challengeOf(newVerifier())).Encode())
		fails(t, w.registration(t, "GET", unused.id, unused.registration, nil), 401, "invalid_token")
		if err := keep.Purge(t.Context(), w.store, time.Now().Add(-24*time.Hour), time.Now().Add(-oauth.UnusedLife)); err != nil {
			t.Fatal(err)
		}
		if _, err := keep.FindClient(context.Background(), w.store, unused.id); err == nil {
			t.Error("the unused client is still in the database")
		}
		for _, c := range []client{used, fresh} {
			if _, err := w.authorization(asked(c, challengeOf(newVerifier())).Encode()); err != nil {
				t.Error(err)
			}
		}
		w.works(t, access)
		if a := w.post(t, "/oauth/token", app.form("grant_type", "client_credentials")); a.status != 200 {
			t.Errorf("the app of a business expired: %d %s", a.status, a.text)
		}
	})
}

func TestPurgeKeepsWhatIsAlive(t *testing.T) {
	aloneOnBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, nil)
		_, refresh := w.tokens(t, c)
		ended, _ := w.tokens(t, w.register(t, map[string]any{"grant_types": []string{"authorization_code"}}))
		w.expire(t, ended)
		_, _, cookie := w.login(t, "member")
		pat := w.mint(t, "member")
		if err := keep.Purge(t.Context(), w.store, time.Now().Add(time.Minute), time.Now()); err != nil {
			t.Fatal(err)
		}
		if a := w.refresh(t, c, refresh); a.status != 200 {
			t.Errorf("%d %s", a.status, a.text)
		}
		if _, _, err := w.auth.Session(t.Context(), cookie); err != nil {
			t.Error(err)
		}
		w.works(t, pat)
	})
}

func TestClientCredentials(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c, record := w.app(t, `{"name":"Nightly","scopes":["contact.all","deal.read"],"user_id":"`+userID(w.users["member"])+`"}`)
		a := w.post(t, "/oauth/token", url.Values{"grant_type": {"client_credentials"}}, basic(c.id, c.secret))
		if a.status != 200 || a.get("scope") != "contact.all deal.read" || a.get("refresh_token") != "" {
			t.Fatalf("%d %s", a.status, a.text)
		}
		access := a.get("access_token")
		me := w.api(t, access, "GET /me", "")
		if user := me.json["user"].(map[string]any); user["id"] != userID(w.users["member"]) || me.get("role") != "member" {
			t.Errorf("it acts as %s", me.text)
		}
		if a := w.post(t, "/oauth/token", c.form("grant_type", "client_credentials", "scope",
			"contact.read")); a.get("scope") != "contact.read" {
			t.Errorf("%d %s", a.status, a.text)
		}
		for _, scope := range []string{"deal.write", "user.read", "nothing.read", "contact.read company.read"} {
			fails(t, w.post(t, "/oauth/token", c.form("grant_type", "client_credentials", "scope", scope)), 400, "invalid_scope")
		}
		fails(t, w.post(t, "/oauth/token", client{id: c.id}.form("grant_type", "client_credentials")), 401, "invalid_client")
		t.Run("of another tenant act only in their own", func(t *testing.T) {
			if got := me.json["business"].(map[string]any)["name"]; got != "Harbour" {
				t.Errorf("it acts in %v", got)
			}
			theirs := w.api(t, w.mint(t, "stranger"), "POST /contacts", `{"first_name":"Ada"}`)
			if a := w.api(t, access, "GET /contacts/"+theirs.get("id"), ""); a.status != 404 {
				t.Errorf("it reads another tenant's contact: %d", a.status)
			}
			if a := w.api(t, w.mint(t, "stranger"), "POST /apps",
				`{"name":"x","scopes":["contact.read"],"user_id":"`+userID(w.users["member"])+`"}`); a.status != 422 {
				t.Errorf("an app acts as another tenant's user: %d %s", a.status, a.text)
			}
			for _, do := range []string{"GET /apps/", "DELETE /apps/"} {
				if a := w.api(t, w.mint(t, "stranger"), do+record.get("id"), ""); a.status != 404 {
					t.Errorf("%s: %d", do, a.status)
				}
			}
			if a := w.api(t, w.mint(t, "stranger"), "POST /apps/"+record.get("id")+"/rotate_secret", ""); a.status != 404 {
				t.Errorf("rotate: %d", a.status)
			}
		})
		t.Run("end with a narrower app", func(t *testing.T) {
			if a := w.api(t, w.mint(t, "admin"), "PATCH /apps/"+record.get("id"), `{"scopes":["deal.read"]}`); a.status != 200 ||
				a.get("client_secret") != "" {
				t.Fatalf("%d %s", a.status, a.text)
			}
			w.refused(t, access)
		})
		t.Run("follow the secret", func(t *testing.T) {
			a := w.api(t, w.mint(t, "admin"), "POST /apps/"+record.get("id")+"/rotate_secret", "")
			fresh := client{id: c.id, secret: a.get("client_secret")}
			fails(t, w.post(t, "/oauth/token", c.form("grant_type", "client_credentials")), 401, "invalid_client")
			if a := w.post(t, "/oauth/token", fresh.form("grant_type", "client_credentials")); a.status != 200 {
				t.Errorf("%d %s", a.status, a.text)
			}
			c = fresh
		})
		t.Run("end with the app", func(t *testing.T) {
			access := w.post(t, "/oauth/token", c.form("grant_type", "client_credentials")).get("access_token")
			w.works(t, access)
			if a := w.api(t, w.mint(t, "admin"), "DELETE /apps/"+record.get("id"), ""); a.status != 204 {
				t.Fatalf("%d %s", a.status, a.text)
			}
			w.refused(t, access)
			fails(t, w.post(t, "/oauth/token", c.form("grant_type", "client_credentials")), 401, "invalid_client")
		})
	})
}

func TestAppOfAnotherTenantCannotBeApproved(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c, _ := w.app(t, `{"name":"Portal","scopes":["contact.all"],"redirect_uris":["`+redirect+`"]}`)
		a, err := w.authorization(asked(c, challengeOf(newVerifier())).Encode())
		if err != nil {
			t.Fatal(err)
		}
		stranger, _, _ := w.login(t, "stranger")
		if to, err := w.grants.Approve(t.Context(), stranger, a, a.Scopes); err == nil {
			t.Errorf("a stranger is sent to %s", to)
		}
		if grants, err := keep.Grants(t.Context(), w.elsewhere, w.users["stranger"]); err != nil || len(grants) != 0 {
			t.Errorf("%d grants were made: %v", len(grants), err)
		}
		access, _ := w.tokens(t, c)
		w.works(t, access)
		fails(t, w.post(t, "/oauth/token", c.form("grant_type", "client_credentials")), 400, "unauthorized_client")
	})
}
