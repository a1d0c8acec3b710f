package oauth

import (
	"strings"
	"testing"
	"time"
)

// The vectors of RFC 6238, appendix B, for SHA-1, and of RFC 4226, appendix D.
func TestTOTPVectors(t *testing.T) {
	secret := []byte("12345678901234567890")
	for at, want := range map[int64]string{
		59: "94287082", 1111111109: "07081804", 1111111111: "14050471", 1234567890: "89005924",
		2000000000: "69279037", 20000000000: "65353130",
	} {
		if got := hotp(secret, uint64(at/totpPeriod), 8); got != want {
			t.Errorf("at %d: %s, want %s", at, got, want)
		}
	}
	for counter, want := range []string{
		"755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871",
		"520489",
	} {
		if got := hotp(secret, uint64(counter), 6); got != want {
			t.Errorf("counter %d: %s, want %s", counter, got, want)
		}
	}
}

func TestTOTPDrift(t *testing.T) {
	secret := []byte("12345678901234567890")
	now := time.Unix(1111111111, 0)
	present := now.Unix() / totpPeriod
	for off, want := range map[int64]bool{-2: false, -1: true, 0: true, 1: true, 2: false} {
		code := hotp(secret, uint64(present+off), totpDigits)
		step, ok := totpStep(secret, code, now, 0)
		if ok != want || ok && step != present+off {
			t.Errorf("%d steps off: %v, step %d", off, ok, step)
		}
		if _, again := totpStep(secret, code, now, present+off); again {
			t.Errorf("%d steps off: taken twice", off)
		}
	}
	// What was used last makes every earlier code void, too.
	if _, ok := totpStep(secret, hotp(secret, uint64(present-1), totpDigits), now, present); ok {
		t.Error("a code from before the last one is taken")
	}
}

func TestAuthenticatorAddress(t *testing.T) {
	got := AuthenticatorAddress("ABC", "Juniper: Sons & Co", "anna+x@juniper.test")
	if want := "otpauth://totp/Juniper%20%20Sons%20&%20Co:anna+x@juniper.test?secret=ABC&issuer=Juniper++Sons+%26+Co"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if secret := NewAuthenticatorSecret(); len(secret) != 32 || strings.Trim(secret, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") != "" {
		t.Errorf("the secret is %s", secret)
	}
}
