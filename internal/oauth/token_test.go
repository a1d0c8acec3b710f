package oauth

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kith/internal/crm"
	"kith/internal/problem"
	"kith/internal/schema"
	"kith/internal/store"
)

func TestSecretsAreWellFormed(t *testing.T) {
	seen := map[string]bool{}
	for range 200 {
		secret := newSecret()
		if !strings.HasPrefix(secret, "kith_pat_") || len(secret) != len("kith_pat_")+43+6 || strings.Trim(secret[9:], digits) != "" || !wellFormed(secret) {
			t.Fatalf("the secret is %s", secret)
		}
		if seen[secret] {
			t.Fatal("the same secret twice")
		}
		seen[secret] = true
	}
}

func TestAMistypedSecretIsSeenByItsChecksum(t *testing.T) {
	secret := newSecret()
	for i := range secret {
		for _, c := range []byte("0aZ_ ") {
			if secret[i] == c {
				continue
			}
			if mistyped := secret[:i] + string(c) + secret[i+1:]; wellFormed(mistyped) {
				t.Errorf("%s is taken for a token", mistyped)
			}
		}
		if i > 0 && secret[i] != secret[i-1] {
			if swapped := secret[:i-1] + string(secret[i]) + string(secret[i-1]) + secret[i+1:]; wellFormed(swapped) {
				t.Errorf("%s is taken for a token", swapped)
			}
		}
	}
	for _, odd := range []string{"", "kith_pat_", secret[1:], secret[:len(secret)-1], secret + "0", strings.ToLower(secret), " " + secret, strings.Repeat("x", 1<<16)} {
		if odd != secret && wellFormed(odd) {
			t.Errorf("%.80q is taken for a token", odd)
		}
	}
}

// Nothing is a token but the prefix, 256 bits and their checksum.
func FuzzWellFormed(f *testing.F) {
	f.Add("kith_pat_" + strings.Repeat("0", 43) + checksum("kith_pat_"+strings.Repeat("0", 43)))
	f.Add("kith_pat_")
	f.Add("")
	f.Fuzz(func(t *testing.T, token string) {
		if !wellFormed(token) {
			return
		}
		body, sum := token[:len(token)-6], token[len(token)-6:]
		if !strings.HasPrefix(token, prefix) || len(token) != 58 || checksum(body) != sum {
			t.Fatalf("%q is taken for a token", token)
		}
	})
}

func newBusiness(t *testing.T) (*crm.Engine, *crm.Principal) {
	t.Helper()
	ctx := context.Background()
	s, err := store.Open(ctx, "sqlite:"+filepath.Join(t.TempDir(), "kith.db"), crm.Registry)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, err := s.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	engine, err := crm.NewEngine(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	who, err := engine.CreateBusiness(ctx, "Harbour", "EUR", crm.Person{Email: "a@harbour.example"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return engine, who
}

func mint(t *testing.T, who *crm.Principal, scopes []string, expires time.Time) (id schema.UUID, secret string, err error) {
	t.Helper()
	err = who.Tenant.Write(context.Background(), store.Actor{}, func(tx *store.Tx) (err error) {
		id, secret, err = Mint(tx, who.User, "test", scopes, expires)
		return err
	})
	return id, secret, err
}

func TestATokenActsAsItsUser(t *testing.T) {
	ctx := context.Background()
	engine, who := newBusiness(t)
	id, secret, err := mint(t, who, []string{"contact.read", "deal.all"}, time.Now().Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	p, err := Authenticate(ctx, engine.Store(), secret)
	if err != nil {
		t.Fatal(err)
	}
	if p.Tenant.ID() != who.Tenant.ID() || p.User != who.User || p.Token != id || strings.Join(p.Scopes, " ") != "contact.read deal.all" || p.Role.Name != "admin" {
		t.Errorf("the principal is %+v", p)
	}
	tokens, err := who.Tenant.Tokens(ctx)
	if err != nil || len(tokens) != 1 {
		t.Fatalf("the tokens are %v, %v", tokens, err)
	}
	if hint := tokens[0].Hint; len(hint) != len(prefix)+4 || !strings.HasPrefix(secret, hint) {
		t.Errorf("kept of the secret is %q", hint)
	}
}

func TestWhateverIsWrongWithATokenLooksTheSame(t *testing.T) {
	ctx := context.Background()
	engine, who := newBusiness(t)
	_, expired, err := mint(t, who, crm.Scopes(), time.Now().Add(-time.Second))
	if err != nil {
		t.Fatal(err)
	}
	revokedID, revoked, err := mint(t, who, crm.Scopes(), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	err = who.Tenant.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
		found, err := tx.RevokeToken(revokedID)
		if !found {
			t.Error("the token to revoke is not found")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var first string
	for _, secret := range []string{newSecret(), expired, revoked, "", "kith_pat_x", "a b"} {
		_, err := Authenticate(ctx, engine.Store(), secret)
		p := problem.As(err)
		if p == nil || p.Code != problem.InvalidToken {
			t.Fatalf("%q gives %v", secret, err)
		}
		if first == "" {
			first = p.Detail
		}
		if p.Detail != first || strings.Contains(p.Detail, "kith_pat_") {
			t.Errorf("%q gives %q, another gives %q", secret, p.Detail, first)
		}
	}
}

func TestMintRefusesScopesThatAreNone(t *testing.T) {
	_, who := newBusiness(t)
	for _, scopes := range [][]string{nil, {}, {"contact"}, {"contact.read", "boat.read"}, {"contact.fly"}, {"*"}, {"contact.read deal.read"}} {
		_, secret, err := mint(t, who, scopes, time.Time{})
		p := problem.As(err)
		if secret != "" || p == nil || p.Code != problem.ValidationFailed || p.Fields[0].Field != "scopes" {
			t.Errorf("%q: %q, %v", scopes, secret, err)
		}
	}
	if tokens, err := who.Tenant.Tokens(context.Background()); err != nil || len(tokens) != 0 {
		t.Errorf("refused tokens are kept: %v, %v", tokens, err)
	}
}
