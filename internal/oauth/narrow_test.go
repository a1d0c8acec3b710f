package oauth_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
)

// scopesOf are those that a token has by its own account.
func (w *world) scopesOf(t *testing.T, token string) string {
	t.Helper()
	var scopes []string
	for _, scope := range w.api(t, token, "GET /me", "").json["scopes"].([]any) {
		scopes = append(scopes, scope.(string))
	}
	return strings.Join(scopes, " ")
}

func TestNarrowingAnAppNarrowsWhatUsersGranted(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		admin := w.mint(t, "admin")
		c, made := w.app(t, `{"name":"CRM sync","scopes":["contact.all","deal.read"],"redirect_uris":["`+redirect+`"]}`)
		path := "/apps/" + made.get("id")
		access, refresh := w.tokens(t, c, "scope", "contact.all deal.read")
		if got := w.scopesOf(t, access); got != "contact.all deal.read" {
			t.Fatalf("the token has %s", got)
		}
		code, verifier := w.code(t, c, "scope", "contact.all deal.read")
		w.patch(t, admin, path, `{"scopes":["contact.read"]}`, 200)
		if got := w.scopesOf(t, access); got != "contact.read" {
			t.Errorf("the token that was there before has %s", got)
		}
		if a := w.api(t, access, "POST /contacts/search", "{}"); a.status != 200 {
			t.Errorf("what is left does not work: %d %s", a.status, a.text)
		}
		named(t, w.api(t, access, "POST /contacts", `{"first_name":"Ada"}`), "contact.write")
		named(t, w.api(t, access, "POST /deals/search", `{}`), "deal.read")
		if a := w.post(t, "/oauth/introspect", c.form("token", access)); a.get("scope") != "contact.read" {
			t.Errorf("introspection tells of %s", a.text)
		}
		if a := w.redeem(t, c, code, verifier); a.get("scope") != "contact.read" || w.scopesOf(t, a.get("access_token")) != "contact.read" {
			t.Errorf("a code from before gives %s", a.text)
		}
		a := w.refresh(t, c, refresh)
		if a.get("scope") != "contact.read" || w.scopesOf(t, a.get("access_token")) != "contact.read" {
			t.Errorf("a refresh gives %s", a.text)
		}
		fails(t, w.refresh(t, c, a.get("refresh_token"), "scope", "deal.read"), 400, "invalid_scope")
		// The user did grant the rest: it is back when the app may have it again, and no more than was granted.
		w.patch(t, admin, path, `{"scopes":["contact.all","deal.all"]}`, 200)
		if got := w.scopesOf(t, access); got != "contact.all deal.read" {
			t.Errorf("given back the token has %s", got)
		}
		w.patch(t, admin, path, `{"scopes":["task.read"]}`, 200)
		if got := w.scopesOf(t, access); got != "" {
			t.Errorf("with nothing in common the token has %s", got)
		}
		fails(t, w.refresh(t, c, a.get("refresh_token")), 400, "invalid_grant")
	})
}

func TestNarrowingARegistrationNarrowsWhatUsersGranted(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, nil)
		access, refresh := w.tokens(t, c)
		if got := w.scopesOf(t, access); got != "contact.read contact.write" {
			t.Fatalf("the token has %s", got)
		}
		a := w.registration(t, "PUT", c.id, c.registration, map[string]any{
			"redirect_uris": []string{redirect}, "token_endpoint_auth_method": "none",
			"grant_types": []string{"authorization_code", "refresh_token"}, "scope": "contact.read",
		})
		if a.status != 200 {
			t.Fatalf("%d %s", a.status, a.text)
		}
		if got := w.scopesOf(t, access); got != "contact.read" {
			t.Errorf("the token that was there before has %s", got)
		}
		if a := w.refresh(t, c, refresh); a.get("scope") != "contact.read" {
			t.Errorf("a refresh gives %s", a.text)
		}
	})
}

// What an app could not get any more in the same way it does not keep either.
func TestTokensEndWithTheWayTheyWereGot(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		admin := w.mint(t, "admin")
		c, made := w.app(t, `{"name":"Both",`+
			`"scopes":["contact.all"],"redirect_uris":["`+redirect+`"],"grant_types":["authorization_code","refresh_token",`+
			`"client_credentials"],"user_id":"`+userID(w.users["member"])+`"}`)
		path := "/apps/" + made.get("id")
		access, refresh := w.tokens(t, c)
		machine := w.post(t, "/oauth/token", c.form("grant_type", "client_credentials")).get("access_token")
		w.works(t, access)
		w.works(t, machine)

		w.patch(t, admin, path, `{"grant_types":["authorization_code","refresh_token"]}`, 200)
		w.refused(t, machine)
		w.works(t, access)
		w.patch(t, admin, path, `{"grant_types":["client_credentials","refresh_token"]}`, 200)
		w.refused(t, access)
		if a := w.post(t, "/oauth/introspect", c.form("token", access)); a.json["active"] != false {
			t.Errorf("introspection says %s", a.text)
		}
		fails(t, w.refresh(t, c, refresh), 400, "invalid_grant")

		w.patch(t, admin, path, `{"grant_types":["authorization_code","refresh_token","client_credentials"]}`, 200)
		machine = w.post(t, "/oauth/token", c.form("grant_type", "client_credentials")).get("access_token")
		w.works(t, machine)
		w.patch(t, admin, path, `{"user_id":"`+userID(w.users["viewer"])+`"}`, 200)
		w.refused(t, machine)

		code, verifier := w.code(t, c)
		w.patch(t, admin, path, `{"redirect_uris":["https://other.example/cb"]}`, 200)
		fails(t, w.redeem(t, c, code, verifier), 400, "invalid_grant")
	})
}

// What an app makes through its access token ends with that, not with never.
func TestATokenMadeByAnAppExpiresWithTheAccessToken(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, nil)
		access, _ := w.tokens(t, c, "scope", "contact.read token.write token.read")
		cred, err := keep.FindCredential(t.Context(), w.store, record.Presented(access))
		if err != nil {
			t.Fatal(err)
		}
		a := w.api(t, access, "POST /tokens", `{"name":"x","scopes":["contact.read"]}`)
		if want := string(schema.AppendTime(nil, cred.ExpiresAt.UTC())); a.status != 201 || a.get("expires_at") != want {
			t.Errorf("want %s: %d %s", want, a.status, a.text)
		}
		made, err := keep.FindCredential(t.Context(), w.store, record.Presented(a.get("token")))
		if err != nil || !made.ExpiresAt.Equal(cred.ExpiresAt) {
			t.Errorf("%+v %v", made, err)
		}
		if a := w.api(t, access, "POST /tokens", `{"name":"x","scopes":["contact.read"],"expires_at":"2999-01-01"}`); a.status != 422 ||
			!strings.Contains(a.text, "expires_at") {
			t.Errorf("%d %s", a.status, a.text)
		}
		// A person in the browser makes what they like.
		who, _, _ := w.login(t, "member")
		if !who.ExpiresAt.IsZero() {
			t.Errorf("a session bounds what it makes: %v", who.ExpiresAt)
		}
	})
}

// The log says which app acted: by its record, or where it registered itself by its client id; never which grant.
func TestTheChangeLogNamesTheApp(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		own, made := w.app(t, `{"name":"Own","scopes":["contact.all"],"redirect_uris":["`+redirect+
			`"],"grant_types":["authorization_code","client_credentials"],"user_id":"`+userID(w.users["member"])+`"}`)
		stranger := w.register(t, nil)
		tokens := map[string]string{"pat": w.mint(t, "member")}
		tokens["own"], _ = w.tokens(t, own)
		tokens["machine"] = w.post(t, "/oauth/token", own.form("grant_type", "client_credentials")).get("access_token")
		tokens["stranger"], _ = w.tokens(t, stranger)
		want := map[string]string{"pat": "", "own": made.get("id"), "machine": made.get("id"), "stranger": stranger.id}
		for by, token := range tokens {
			a := w.api(t, token, "POST /contacts", `{"first_name":"`+by+`"}`)
			if a.status != 201 {
				t.Fatalf("%s: %d %s", by, a.status, a.text)
			}
			id, err := schema.ParseID("contact", a.get("id"))
			if err != nil {
				t.Fatal(err)
			}
			var entries []store.Change
			err = w.harbour.Changes(t.Context(), 0, func(c store.Change) error {
				if c.RecordID == id {
					entries = append(entries, c)
				}
				return nil
			})
			if err != nil || len(entries) != 1 {
				t.Fatalf("%s: %v %v", by, entries, err)
			}
			actor := entries[0].Actor
			if actor.AppID() != want[by] || actor.User != w.users["member"] || (actor.Token != schema.UUID{}) != (by == "pat") {
				t.Errorf("%s is logged as %+v, which is %q; want %q", by, actor, actor.AppID(), want[by])
			}
			if line := `"app":"` + want[by] + `"`; want[by] != "" && !strings.Contains(w.log.String(), line) {
				t.Errorf("%s: no request is logged with %s", by, line)
			}
		}
		// Each connection counts for itself, also where the app is the same.
		var connections []schema.UUID
		for _, token := range tokens {
			who, err := w.auth.Authenticate(t.Context(), token)
			if err != nil || who.Connection == (schema.UUID{}) || slices.Contains(connections, who.Connection) {
				t.Errorf("%+v %v", who, err)
				continue
			}
			connections = append(connections, who.Connection)
		}
	})
}
