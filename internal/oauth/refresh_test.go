package oauth_test

import (
	"fmt"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/store/keep"
)

func TestRefreshRotates(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, nil)
		_, refresh := w.tokens(t, c)
		for range 3 {
			a := w.refresh(t, c, refresh)
			if a.status != 200 || a.get("refresh_token") == refresh || a.get("scope") != "contact.read contact.write" {
				t.Fatalf("%d %s", a.status, a.text)
			}
			w.works(t, a.get("access_token"))
			refresh = a.get("refresh_token")
		}
	})
}

func TestRefreshReuseEndsTheGrant(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, nil)
		otherAccess, _ := w.tokens(t, c)
		access, stolen := w.tokens(t, c)
		second := w.refresh(t, c, stolen)
		third := w.refresh(t, c, second.get("refresh_token"))
		w.works(t, third.get("access_token"))
		fails(t, w.refresh(t, c, stolen), 400, "invalid_grant")
		for _, token := range []string{access, second.get("access_token"), third.get("access_token")} {
			w.refused(t, token)
		}
		fails(t, w.refresh(t, c, third.get("refresh_token")), 400, "invalid_grant")
		w.works(t, otherAccess) // another grant of the same user and app is not touched
		grants, err := keep.Grants(t.Context(), w.harbour, w.users["member"])
		if err != nil || len(grants) != 1 {
			t.Errorf("%d grants are left, want one: %v", len(grants), err)
		}
	})
}

func TestConcurrentRefreshesHaveOneWinner(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		for _, kind := range []string{"refresh_token", "code"} {
			c := w.register(t, nil)
			form := url.Values{}
			if kind == "code" {
				code, verifier := w.code(t, c)
				form = c.form("grant_type", "authorization_code", "code", code, "code_verifier", verifier)
			} else {
				_, refresh := w.tokens(t, c)
				form = c.form("grant_type", "refresh_token", "refresh_token", refresh)
			}
			var all sync.WaitGroup
			start := make(chan struct{})
			answers := make([]*answer, 16)
			for i := range answers {
				all.Go(func() {
					<-start
					answers[i] = w.post(t, "/oauth/token", form)
				})
			}
			close(start)
			all.Wait()
			var won []*answer
			for _, a := range answers {
				if a.status == 200 {
					won = append(won, a)
				} else {
					fails(t, a, 400, "invalid_grant")
				}
			}
			if len(won) != 1 {
				t.Fatalf("%s: %d of 16 succeeded, want one", kind, len(won))
			}
			// The others are reuse, so even the winner's tokens have ended.
			w.refused(t, won[0].get("access_token"))
			fails(t, w.refresh(t, c, won[0].get("refresh_token")), 400, "invalid_grant")
		}
	})
}

// However a chain of refreshes and a reuse fall together, nothing of the grant is left alive afterwards.
func TestConcurrentReuseLeavesNothingAlive(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, nil)
		for range 8 {
			_, stolen := w.tokens(t, c)
			next := w.refresh(t, c, stolen).get("refresh_token")
			var all sync.WaitGroup
			var issued []*answer
			all.Go(func() {
				for refresh := next; refresh != "" && len(issued) < 20; {
					a := w.refresh(t, c, refresh)
					issued = append(issued, a)
					refresh = a.get("refresh_token")
				}
			})
			all.Go(func() { fails(t, w.refresh(t, c, stolen), 400, "invalid_grant") })
			all.Wait()
			for i, a := range issued {
				if a.status != 200 {
					continue
				}
				w.refused(t, a.get("access_token"))
				if i == len(issued)-1 {
					fails(t, w.refresh(t, c, a.get("refresh_token")), 400, "invalid_grant")
				}
			}
		}
	})
}

func TestScopeEscalationAtRefresh(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, nil)
		_, refresh := w.tokens(t, c)
		for _, scope := range []string{"contact.delete", "contact.all", "contact.read deal.read", "user.write", "nothing.read", "*"} {
			fails(t, w.refresh(t, c, refresh, "scope", scope), 400, "invalid_scope")
		}
		a := w.refresh(t, c, refresh)
		if a.status != 200 || a.get("scope") != "contact.read contact.write" {
			t.Fatalf("the refused requests used up the refresh token: %d %s", a.status, a.text)
		}
	})
}

func TestScopeNarrowingAtRefresh(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, nil)
		_, refresh := w.tokens(t, c, "scope", "contact.all deal.read")
		narrow := w.refresh(t, c, refresh, "scope", "contact.read")
		if narrow.get("scope") != "contact.read" {
			t.Fatalf("%d %s", narrow.status, narrow.text)
		}
		if a := w.api(t, narrow.get("access_token"), "POST /contacts", `{"first_name":"Ada"}`); a.status != 403 ||
			a.get("scope") != "contact.write" {
			t.Errorf("the narrow token writes: %d %s", a.status, a.text)
		}
		// The refresh token keeps all that was granted.
		if wide := w.refresh(t, c, narrow.get("refresh_token")); wide.get("scope") != "contact.all deal.read" {
			t.Errorf("%d %s", wide.status, wide.text)
		}
	})
}

// What is taken from a client is gone at its next refresh, though users granted it before.
func TestNarrowedClientGetsNoMoreAtRefresh(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, nil)
		_, refresh := w.tokens(t, c)
		a := w.registration(t, "PUT", c.id, c.registration, map[string]any{
			"redirect_uris": []string{redirect}, "token_endpoint_auth_method": "none",
			"grant_types": []string{"authorization_code", "refresh_token"}, "scope": "contact.read",
		})
		if a.status != 200 {
			t.Fatalf("%d %s", a.status, a.text)
		}
		fails(t, w.refresh(t, c, refresh, "scope", "contact.write"), 400, "invalid_scope")
		if a := w.refresh(t, c, refresh); a.get("scope") != "contact.read" {
			t.Errorf("%d %s", a.status, a.text)
		}
	})
}

func TestRefreshTokenOfAnotherClient(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		mine, other := w.register(t, nil), w.register(t, nil)
		access, refresh := w.tokens(t, mine)
		fails(t, w.refresh(t, other, refresh), 400, "invalid_grant")
		w.works(t, access)
		if a := w.refresh(t, mine, refresh); a.status != 200 {
			t.Errorf("another client used it up: %d %s", a.status, a.text)
		}
	})
}

func TestClientWithoutRefreshGetsNone(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, map[string]any{"grant_types": []string{"authorization_code"}})
		if _, refresh := w.tokens(t, c); refresh != "" {
			t.Error("it gets a refresh token")
		}
		_, refresh := w.tokens(t, w.register(t, nil))
		fails(t, w.refresh(t, c, refresh), 400, "unauthorized_client")
	})
}

func TestExpiredAccessToken(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, map[string]any{"token_endpoint_auth_method": "client_secret_post"})
		access, _ := w.tokens(t, c)
		w.expire(t, access)
		w.refused(t, access)
		if a := w.post(t, "/oauth/introspect", c.form("token", access)); a.json["active"] != false {
			t.Errorf("introspection says %s", a.text)
		}
	})
}

// A token that is remembered as valid still ends when its time comes.
func TestRememberedTokenExpires(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, nil)
		access, _ := w.tokens(t, c)
		w.age(t, "credential", "expires_at", "hash", hashOf(access), time.Hour-4*time.Second)
		w.works(t, access)
		deadline := time.Now().Add(30 * time.Second)
		for w.api(t, access, "GET /me", "").status != 401 {
			if time.Now().After(deadline) {
				t.Fatal("it never ends")
			}
			time.Sleep(100 * time.Millisecond)
		}
	})
}

func TestExpiredRefreshToken(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, nil)
		_, refresh := w.tokens(t, c)
		w.expire(t, refresh)
		fails(t, w.refresh(t, c, refresh), 400, "invalid_grant")
	})
}

func TestRevokedRefreshTokenEndsAccess(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, nil)
		access, refresh := w.tokens(t, c)
		w.works(t, access)
		for range 2 { // revoking what is revoked is no error
			if a := w.post(t, "/oauth/revoke", c.form("token", refresh, "token_type_hint", "access_token")); a.status != 200 {
				t.Fatalf("%d %s", a.status, a.text)
			}
		}
		w.refused(t, access)
		fails(t, w.refresh(t, c, refresh), 400, "invalid_grant")
	})
}

func TestRevokedAccessTokenLeavesTheGrant(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, nil)
		access, refresh := w.tokens(t, c)
		w.works(t, access)
		if a := w.post(t, "/oauth/revoke", c.form("token", access)); a.status != 200 {
			t.Fatalf("%d %s", a.status, a.text)
		}
		w.refused(t, access)
		if a := w.refresh(t, c, refresh); a.status != 200 {
			t.Errorf("%d %s", a.status, a.text)
		}
	})
}

func TestRevocationOfAnotherClientsToken(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		mine, other := w.register(t, nil), w.register(t, nil)
		access, refresh := w.tokens(t, mine)
		pat := w.mint(t, "member")
		for _, token := range []string{access, refresh, pat, "kith_at_nonsense", "x"} {
			if a := w.post(t, "/oauth/revoke", other.form("token", token)); a.status != 200 {
				t.Errorf("%d %s", a.status, a.text)
			}
		}
		fails(t, w.post(t, "/oauth/revoke", other.form()), 400, "invalid_request")
		w.works(t, access)
		w.works(t, pat)
		if a := w.refresh(t, mine, refresh); a.status != 200 {
			t.Errorf("%d %s", a.status, a.text)
		}
	})
}

func TestIntrospection(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		secret := map[string]any{"token_endpoint_auth_method": "client_secret_basic"}
		mine, other := w.register(t, secret), w.register(t, secret)
		access, refresh := w.tokens(t, mine)
		a := w.post(t, "/oauth/introspect", url.Values{"token": {access}}, basic(mine.id, mine.secret))
		if a.json["active"] != true || a.get("scope") != "contact.read contact.write" || a.get("client_id") != mine.id ||
			a.get("username") != w.email("member") ||
			a.get("sub") != userID(w.users["member"]) || a.get("iss") != w.url ||
			fmt.Sprint(a.json["aud"]) != fmt.Sprintf("[%s/v1 %[1]s/mcp]", w.url) || a.get("token_type") != "Bearer" {
			t.Errorf("%d %s", a.status, a.text)
		}
		if a := w.post(t, "/oauth/introspect", mine.form("token", refresh)); a.json["active"] != true {
			t.Errorf("%d %s", a.status, a.text)
		}
		t.Run("of another client's token is inactive", func(t *testing.T) {
			for _, token := range []string{access, refresh, w.mint(t, "member"), "x"} {
				if a := w.post(t, "/oauth/introspect", other.form("token", token)); a.status != 200 || len(a.json) != 1 ||
					a.json["active"] != false {
					t.Errorf("%d %s", a.status, a.text)
				}
			}
		})
		t.Run("needs a client with a secret", func(t *testing.T) {
			public := w.register(t, nil)
			access, _ := w.tokens(t, public)
			fails(t, w.post(t, "/oauth/introspect", public.form("token", access)), 401, "invalid_client")
			fails(t, w.post(t, "/oauth/introspect", url.Values{"token": {access}}), 401, "invalid_client")
			fails(t, w.post(t, "/oauth/introspect", client{id: mine.id, secret: other.secret}.form("token", access)), 401, "invalid_client")
		})
		t.Run("of a used refresh token is inactive", func(t *testing.T) {
			w.refresh(t, mine, refresh)
			if a := w.post(t, "/oauth/introspect", mine.form("token", refresh)); a.json["active"] != false {
				t.Errorf("%d %s", a.status, a.text)
			}
		})
		t.Run("of a revoked token is inactive", func(t *testing.T) {
			w.post(t, "/oauth/revoke", mine.form("token", access))
			if a := w.post(t, "/oauth/introspect", mine.form("token", access)); a.json["active"] != false {
				t.Errorf("%d %s", a.status, a.text)
			}
		})
	})
}

// A person who disconnects an app ends its tokens at once; another person cannot.
func TestDisconnectingAnApp(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, nil)
		access, refresh := w.tokens(t, c)
		w.works(t, access)
		grants, err := keep.Grants(t.Context(), w.harbour, w.users["member"])
		if err != nil || len(grants) != 1 {
			t.Fatalf("%d grants: %v", len(grants), err)
		}
		other, _, _ := w.login(t, "viewer")
		if err := w.people.EndGrant(t.Context(), other, grants[0].ID); err != nil {
			t.Fatal(err)
		}
		w.works(t, access)
		who, _, _ := w.login(t, "member")
		if err := w.people.EndGrant(t.Context(), who, grants[0].ID); err != nil {
			t.Fatal(err)
		}
		w.refused(t, access)
		fails(t, w.refresh(t, c, refresh), 400, "invalid_grant")
	})
}

// A refresh that is under way while its user is suspended must not leave a token that lives again when they come back.
func TestConcurrentSuspensionLeavesNothingAlive(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		admin := w.mint(t, "admin")
		c := w.register(t, nil)
		for i := range 6 {
			access, refresh := w.tokens(t, c)
			var all sync.WaitGroup
			var issued []*answer
			all.Go(func() {
				for token := refresh; token != "" && len(issued) < 20; {
					a := w.refresh(t, c, token)
					issued = append(issued, a)
					token = a.get("refresh_token")
				}
			})
			all.Go(func() {
				if a := w.api(t, admin, "PATCH /users/"+userID(w.users["member"]), `{"status":"suspended"}`); a.status != 200 {
					t.Errorf("%d %s", a.status, a.text)
				}
			})
			all.Wait()
			if a := w.api(t, admin, "PATCH /users/"+userID(w.users["member"]), `{"status":"active"}`); a.status != 200 {
				t.Fatalf("round %d: %d %s", i, a.status, a.text)
			}
			w.refused(t, access)
			for _, a := range issued {
				if a.status == 200 {
					w.refused(t, a.get("access_token"))
				}
			}
		}
		if grants, err := keep.Grants(t.Context(), w.harbour, w.users["member"]); err != nil || len(grants) != 0 {
			t.Errorf("%d grants are left: %v", len(grants), err)
		}
	})
}
