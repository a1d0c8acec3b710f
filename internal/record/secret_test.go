package record

import (
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/schema"
)

func newPAT() string {
	secret, _ := NewSecret(PersonalToken, schema.NewID(time.Now()))
	return secret
}

func TestSecretsAreWellFormed(t *testing.T) {
	seen := map[string]bool{}
	for range 200 {
		secret := newPAT()
		if !strings.HasPrefix(secret, "kith_pat_") || len(secret) != len("kith_pat_")+43+22+6 || strings.Trim(secret[9:], digits) != "" ||
			!WellFormed(PersonalToken, secret) {
			t.Fatalf("the secret is %s", secret)
		}
		if seen[secret] {
			t.Fatal("the same secret twice")
		}
		seen[secret] = true
	}
}

func TestAMistypedSecretIsSeenByItsChecksum(t *testing.T) {
	secret := newPAT()
	for i := range secret {
		for _, c := range []byte("0aZ_ ") {
			if secret[i] == c {
				continue
			}
			if mistyped := secret[:i] + string(c) + secret[i+1:]; WellFormed(PersonalToken, mistyped) {
				t.Errorf("%s is taken for a token", mistyped)
			}
		}
		if i > 0 && secret[i] != secret[i-1] {
			if swapped := secret[:i-1] + string(secret[i]) + string(secret[i-1]) + secret[i+1:]; WellFormed(PersonalToken, swapped) {
				t.Errorf("%s is taken for a token", swapped)
			}
		}
	}
	for _, odd := range []string{
		"", "kith_pat_", secret[1:], secret[:len(secret)-1], secret + "0", strings.ToLower(secret), " " + secret,
		strings.Repeat("x", 1<<16),
	} {
		if odd != secret && WellFormed(PersonalToken, odd) {
			t.Errorf("%.80q is taken for a token", odd)
		}
	}
}

// Nothing is a token but the prefix, 256 bits, the business where they are not from before it was named, and their checksum.
func FuzzWellFormed(f *testing.F) {
	f.Add("kith_pat_" + strings.Repeat("0", 43) + checksum("kith_pat_"+strings.Repeat("0", 43)))
	f.Add("kith_pat_" + strings.Repeat("z", 65) + checksum("kith_pat_"+strings.Repeat("z", 65)))
	f.Add("kith_pat_")
	f.Add("")
	f.Fuzz(func(t *testing.T, token string) {
		if !WellFormed(PersonalToken, token) {
			return
		}
		body, sum := token[:len(token)-6], token[len(token)-6:]
		if !strings.HasPrefix(token, "kith_pat_") || len(token) != 58 && len(token) != 80 || checksum(body) != sum {
			t.Fatalf("%q is taken for a token", token)
		}
		Presented(token) // whatever is in the place of the business
	})
}
