package oauth_test

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/pgtest"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
)

func TestTokenCannotMintBeyondItsScopes(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		narrow := w.mint(t, "admin", "contact.all", "deal.read", "token.write", "app.write", "token.read")
		for scope, allowed := range map[string]bool{
			"contact.read": true, "contact.delete": true, "contact.all": true, "deal.read": true, "token.write": true,
			"deal.write": false, "deal.all": false, "token.all": false, "token.delete": false, "user.read": false, "nothing.read": false,
			"*": false,
		} {
			for _, plural := range []string{"tokens", "apps"} {
				a := w.api(t, narrow, "POST /"+plural, `{"name":"x","scopes":["contact.read","`+scope+`"]}`)
				if allowed && a.status != 201 || !allowed && a.status != 422 {
					t.Errorf("%s with %s: %d %s", plural, scope, a.status, a.text)
				}
			}
		}
		named(t, w.api(t, w.mint(t, "admin", "contact.all"), "POST /tokens", `{"name":"x","scopes":["contact.read"]}`), "token.write")
		// An app cannot be widened either.
		app := w.api(t, narrow, "POST /apps", `{"name":"x","scopes":["contact.read"]}`).get("id")
		w.patch(t, narrow, "/apps/"+app, `{"scopes":["user.all"]}`, 422)
		w.patch(t, narrow, "/apps/"+app, `{"scopes":["contact.all"]}`, 200)
		// Nor can an app that a user let in mint what it was not granted.
		access, _ := w.tokens(t, w.register(t, nil), "scope", "contact.read token.write")
		if a := w.api(t, access, "POST /tokens", `{"name":"x","scopes":["contact.write"]}`); a.status != 422 {
			t.Errorf("%d %s", a.status, a.text)
		}
	})
}

// A token may have scopes beyond its user's role: it never gives more than both allow.
func TestTokenBeyondTheRole(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		id := w.api(t, w.mint(t, "admin"), "POST /contacts", `{"first_name":"Ada"}`).get("id")
		named(t, w.api(t, w.mint(t, "viewer", "contact.delete"), "DELETE /contacts/"+id, ""), "viewer", "delete")
		named(t, w.api(t, w.mint(t, "viewer", "contact.read"), "DELETE /contacts/"+id, ""), "contact.delete")
	})
}

func TestTokenExpires(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		admin := w.mint(t, "admin")
		for _, at := range []time.Time{time.Now().Add(-time.Second), time.Now().AddDate(-1, 0, 0)} {
			if a := w.api(t, admin, "POST /tokens",
				`{"name":"x","scopes":["contact.read"],"expires_at":"`+at.UTC().Format(time.RFC3339)+`"}`); a.status != 422 {
				t.Errorf("%v: %d %s", at, a.status, a.text)
			}
		}
		a := w.api(t, admin, "POST /tokens", `{"name":"x","scopes":["contact.read"],"expires_at":"`+
			time.Now().Add(time.Hour).UTC().Format(time.RFC3339)+`"}`)
		w.works(t, a.get("token"))
		b := w.api(t, admin, "POST /tokens", `{"name":"x","scopes":["contact.read"],"expires_at":"`+
			time.Now().Add(time.Hour).UTC().Format(time.RFC3339)+`"}`)
		w.expire(t, b.get("token"))
		w.refused(t, b.get("token"))
	})
}

// The secret is in the answer to its creation and nowhere else.
func TestSecretIsShownOnce(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		admin := w.mint(t, "admin")
		for plural, member := range map[string]string{"tokens": "token", "apps": "client_secret"} {
			made := w.api(t, admin, "POST /"+plural, `{"name":"x","scopes":["contact.read"]}`)
			secret := made.get(member)
			if secret == "" {
				t.Fatalf("%d %s", made.status, made.text)
			}
			for _, a := range []*answer{
				w.api(t, admin, "GET /"+plural+"/"+made.get("id"), ""),
				w.api(t, admin, "POST /"+plural+"/search", "{}"),
			} {
				if a.status != 200 || strings.Contains(a.text, secret) || strings.Contains(a.text, secret[20:]) {
					t.Errorf("%d %s", a.status, a.text)
				}
			}
			if strings.Contains(w.log.String(), secret) {
				t.Errorf("the log has the secret")
			}
		}
	})
}

var secretForm = regexp.MustCompile(`^kith_[a-z]+_[0-9A-Za-z]{49}([0-9A-Za-z]{22})?$`)

// A leaked secret can be found by its prefix, and a find can be told from an accident by its checksum.
func TestPrefixAndChecksum(t *testing.T) {
	for _, kind := range []string{
		record.PersonalToken, record.AccessToken, record.RefreshToken, record.AuthCode, record.SessionCookie,
		record.SingleUseLink, record.LoginTicket, record.ClientSecret, record.Registration,
	} {
		seen := map[string]bool{}
		for i := range 200 {
			business := schema.UUID{}
			if i%2 == 0 {
				business = schema.NewID(time.Now())
			}
			secret, hash := record.NewSecret(kind, business)
			if found := record.Presented(secret); found.Business != business || found.Hash != hash {
				t.Fatalf("%s names %x, want %x", secret, found.Business, business)
			}
			if seen[secret] || !secretForm.MatchString(secret) || !strings.HasPrefix(secret, "kith_"+kind+"_") ||
				hash != record.HashSecret(secret) || !record.WellFormed(kind, secret) {
				t.Fatalf("%s: %s", kind, secret)
			}
			seen[secret] = true
			const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
			sum := uint32(0)
			for _, c := range secret[len(secret)-6:] {
				sum = sum*62 + uint32(strings.IndexRune(digits, c))
			}
			if sum != crc32.ChecksumIEEE([]byte(secret[:len(secret)-6])) {
				t.Fatalf("the checksum of %s is not its CRC-32", secret)
			}
			at := len(secret) / 2
			typo := secret[:at] + string(digits[(strings.IndexByte(digits, secret[at])+1)%62]) + secret[at+1:]
			if record.WellFormed(kind, typo) || record.WellFormed(kind, secret[:len(secret)-1]) || record.WellFormed(kind, secret+"0") ||
				record.WellFormed("x", secret) {
				t.Fatalf("%s is taken for a secret", typo)
			}
		}
	}
}

// Tokens from before they named their business work on.
func TestATokenWithoutItsBusinessWorks(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		if w.store.Engine() == "postgres" && pgtest.Cluster(t) {
			t.Skip("a cluster has only those that were there before it became one")
		}
		secret, hash := record.NewSecret(record.PersonalToken, schema.UUID{})
		err := w.harbour.Keep(t.Context(), store.Actor{}, func(tx *store.Tx) error {
			return keep.PutCredential(tx, hash, keep.Credential{
				Kind: record.PersonalToken, User: w.users["admin"],
				Parent: schema.NewID(tx.Now), Scopes: record.Scopes(),
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		w.works(t, secret)
	})
}

// Only hashes are in the database: neither a secret nor the part of it behind its prefix is anywhere in the files.
func TestDatabaseHasNoSecrets(t *testing.T) {
	w := newWorld(t, newServer(t, "sqlite", databaseURL(t, "sqlite")))
	c := w.register(t, map[string]any{"token_endpoint_auth_method": "client_secret_post"})
	access, refresh := w.tokens(t, c)
	unused, verifier := w.code(t, c)
	_, _, cookie := w.login(t, "member")
	app, _ := w.app(t, `{"name":"Nightly","scopes":["contact.read"]}`)
	secrets := []string{
		access, refresh, unused, cookie, c.secret, c.registration, app.secret, w.mint(t, "admin"),
		w.api(t, w.mint(t, "admin"), "POST /tokens", `{"name":"x","scopes":["contact.read"]}`).get("token"), password, verifier,
	}
	secrets = append(secrets, w.link(t, "member"))
	w.works(t, access)
	files, err := filepath.Glob(strings.TrimPrefix(w.dsn, "sqlite:") + "*")
	if err != nil || len(files) < 2 {
		t.Fatalf("%v %v", files, err)
	}
	text := []byte{}
	for _, file := range files {
		part, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, part...)
	}
	hash := record.HashSecret(access)
	if !bytes.Contains(text, hash[:]) {
		t.Fatal("the hash of a token is not found, so this looks in the wrong place")
	}
	for _, secret := range secrets {
		if tail := secret[max(0, len(secret)-40):]; secret == "" || bytes.Contains(text, []byte(tail)) {
			t.Errorf("%.9s… is in the database", secret)
		}
	}
}

// The rate is limited for each app by itself, as it is for each token.
func TestRateLimitCountsAppsApart(t *testing.T) {
	w := newWorld(t, newServer(t, "sqlite", databaseURL(t, "sqlite")))
	w.serveAPI(t, httpapi.Options{RateLimit: 1, RateBurst: 3, Auth: w.auth})
	c := w.register(t, nil)
	one, _ := w.tokens(t, c)
	other, _ := w.tokens(t, c)
	limited := 0
	for range 10 {
		if w.api(t, one, "GET /me", "").status == 429 {
			limited++
		}
	}
	if limited == 0 {
		t.Fatal("the limit does not hold")
	}
	if a := w.api(t, other, "GET /me", ""); a.status != 200 {
		t.Errorf("another grant is limited too: %d", a.status)
	}
	if a := w.api(t, w.mint(t, "member"), "GET /me", ""); a.status != 200 {
		t.Errorf("a personal token is limited too: %d", a.status)
	}
}

func TestLastUseIsShown(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		admin := w.mint(t, "admin")
		made := w.api(t, admin, "POST /tokens", `{"name":"x","scopes":["contact.read"]}`)
		if made.json["last_used_at"] != nil || !strings.HasPrefix(made.get("token"), made.get("hint")) || len(made.get("hint")) > 16 {
			t.Fatalf("%s", made.text)
		}
		w.works(t, made.get("token"))
		deadline := time.Now().Add(30 * time.Second) // it is noted beside the request
		for {
			a := w.api(t, admin, "GET /tokens/"+made.get("id"), "")
			if a.json["last_used_at"] != nil {
				if fmt.Sprint(a.json["version"]) != "1" {
					t.Errorf("the version rose: %s", a.text)
				}
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s", a.text)
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
}
