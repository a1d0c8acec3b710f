package oauth

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Codes of authenticator apps, by RFC 6238 as all of these apps know it: SHA-1, six digits, a new one every 30 seconds.
const (
	totpPeriod = 30
	totpDigits = 6
)

var base32Plain = base32.StdEncoding.WithPadding(base32.NoPadding)

// NewAuthenticatorSecret makes what an authenticator app and the server share: 160 bits, as RFC 4226 recommends. It means nothing
// before AddAuthenticator has taken a code of it.
func NewAuthenticatorSecret() string {
	raw := make([]byte, 20)
	_, _ = rand.Read(raw) // it never fails
	return base32Plain.EncodeToString(raw)
}

// hotp is the code of a counter (RFC 4226, 5.3).
func hotp(secret []byte, counter uint64, digits int) string {
	mac := hmac.New(sha1.New, secret)
	_ = binary.Write(mac, binary.BigEndian, counter) // a hash takes everything
	sum := mac.Sum(nil)
	offset := sum[len(sum)-1] & 0xf
	n := uint64(binary.BigEndian.Uint32(sum[offset:]) & 0x7fffffff)
	modulo := uint64(1)
	for range digits {
		modulo *= 10
	}
	return fmt.Sprintf("%0*d", digits, n%modulo)
}

// totpStep finds the step of which a code is: that of now, or, because clocks differ, the one before or behind it. Steps up to the
// one that was used last are over, so that each code works once.
func totpStep(secret []byte, code string, now time.Time, last int64) (step int64, ok bool) {
	present := now.Unix() / totpPeriod
	for at := present - 1; at <= present+1; at++ {
		if subtle.ConstantTimeCompare([]byte(hotp(secret, uint64(at), totpDigits)), []byte(code)) == 1 && at > last {
			step, ok = at, true
		}
	}
	return step, ok
}

// AuthenticatorAddress is how an authenticator app is told of a secret, in the picture that it scans. By the names of business and
// user people tell the entries in their app apart; a colon would end the first.
func AuthenticatorAddress(secret, business, email string) string {
	business = strings.ReplaceAll(business, ":", " ")
	return "otpauth://totp/" + url.PathEscape(business) + ":" + url.PathEscape(email) + "?secret=" + secret + "&issuer=" +
		url.QueryEscape(business)
}
