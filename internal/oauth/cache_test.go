package oauth_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/operator"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/testworld"
)

// A change that another process makes to the same database counts within five seconds.
func TestTokenCacheAcrossProcesses(t *testing.T) {
	t.Parallel()
	for _, name := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, newServer(t, name, databaseURL(t, name)))
			other := testworld.Open(t, w.dsn)
			engine := testworld.Engine(t, other)
			tenant, err := other.Tenant(context.Background(), w.harbour.ID())
			if err != nil {
				t.Fatal(err)
			}
			// until waits for a change to be seen: five seconds are promised, and ten are given to a busy machine.
			until := func(what string, seen func() bool) {
				t.Helper()
				for start := time.Now(); !seen(); time.Sleep(50 * time.Millisecond) {
					if time.Since(start) > 10*time.Second {
						t.Fatalf("%s is not seen", what)
					}
				}
			}
			token := w.mint(t, "member")
			who, err := w.auth.Authenticate(context.Background(), token)
			if err != nil {
				t.Fatal(err)
			}
			viewer := w.roleID(t, "viewer")
			distant := oauth.NewAuthenticator(engine, "")
			change := func(body string) {
				t.Helper()
				admin, err := distant.Authenticate(context.Background(), w.mint(t, "admin"))
				if err != nil {
					t.Fatal(err)
				}
				if _, err := engine.Do(context.Background(), record.Call{Principal: admin},
					record.Operation{
						Kind: record.KindOf("user"), Name: record.Update, ID: userID(who.User),
						Body: node(t, body),
					}); err != nil {
					t.Fatal(err)
				}
			}
			change(`{"role_id":"` + viewer + `"}`)
			until("the demotion", func() bool {
				who, err := w.auth.Authenticate(context.Background(), token)
				return err == nil && who.Role.Name == "viewer"
			})
			if found, err := operator.RevokeToken(context.Background(), engine, tenant, who.Token); err != nil || !found {
				t.Fatal(found, err)
			}
			until("the revocation", func() bool {
				_, err := w.auth.Authenticate(context.Background(), token)
				return err != nil
			})
			second := w.mint(t, "member")
			w.works(t, second)
			change(`{"status":"suspended"}`)
			until("the suspension", func() bool { return w.api(t, second, "GET /me", "").status == 401 })
		})
	}
}

// A change in the same process counts with the next request.
func TestTokenCacheInTheProcess(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		admin := w.mint(t, "admin")
		for range 20 {
			made := w.api(t, admin, "POST /tokens", `{"name":"x","scopes":["contact.read"]}`)
			w.works(t, made.get("token"))
			if a := w.api(t, admin, "DELETE /tokens/"+made.get("id"), ""); a.status != 204 {
				t.Fatalf("%d %s", a.status, a.text)
			}
			w.refused(t, made.get("token"))
		}
		member := w.mint(t, "member")
		role := "/roles/" + w.roleID(t, "member")
		for _, reach := range []string{"none", "all", "none", "all"} {
			w.patch(t, admin, role, `{"permissions":{"contact":{"read":"`+reach+`"}}}`, 200)
			if a := w.api(t, member, "POST /contacts/search", "{}"); (a.status == 200) != (reach == "all") {
				t.Fatalf("under %s: %d", reach, a.status)
			}
		}
	})
}

// However requests and a revocation fall together, a token that was revoked is refused from then on.
func TestConcurrentRevocationIsNotUndoneByTheCache(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		admin := w.mint(t, "admin")
		for range 10 {
			made := w.api(t, admin, "POST /tokens", `{"name":"x","scopes":["contact.read"]}`)
			stop := make(chan struct{})
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					for {
						select {
						case <-stop:
							return
						default:
							_, _ = w.auth.Authenticate(context.Background(), made.get("token"))
						}
					}
				})
			}
			if a := w.api(t, admin, "DELETE /tokens/"+made.get("id"), ""); a.status != 204 {
				t.Errorf("%d %s", a.status, a.text)
			}
			_, err := w.auth.Authenticate(context.Background(), made.get("token"))
			close(stop)
			all.Wait()
			if err == nil {
				t.Fatal("the token is good after its revocation was answered")
			}
			w.refused(t, made.get("token"))
		}
	})
}

// What a token check costs: remembered, and asked of the database each time.
func BenchmarkAuthenticate(b *testing.B) {
	w := newWorld(b, newServer(b, "sqlite", databaseURL(b, "sqlite")))
	token := w.mint(b, "member")
	b.Run("remembered", func(b *testing.B) {
		for b.Loop() {
			if _, err := w.auth.Authenticate(context.Background(), token); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("asked", func(b *testing.B) {
		for b.Loop() {
			fresh := oauth.NewAuthenticator(w.engine, "")
			if _, err := fresh.Authenticate(context.Background(), token); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("refused by its form", func(b *testing.B) {
		for b.Loop() {
			if _, err := w.auth.Authenticate(context.Background(), token[:len(token)-1]+"!"); err == nil {
				b.Fatal("it is taken")
			}
		}
	})
}
