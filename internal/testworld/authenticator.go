package testworld

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"testing"
	"time"
)

// Authenticator is an app that shows codes, written apart from what checks them.
type Authenticator struct {
	Secret string
	// shown is the step of the code that it showed last.
	shown int64
}

// Code gives a code that was not given before. A server takes that of the half minute before and behind, so three can be had at once.
func (a *Authenticator) Code(tb testing.TB) string {
	tb.Helper()
	now := time.Now().Unix() / 30
	a.shown = max(a.shown+1, now-1)
	if a.shown > now+1 {
		tb.Fatal("more than three codes in half a minute")
	}
	key, err := base32.StdEncoding.DecodeString(a.Secret)
	if err != nil {
		tb.Fatal(err)
	}
	mac := hmac.New(sha1.New, key)
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(a.shown)))
	sum := mac.Sum(nil)
	at := sum[19] & 15
	return fmt.Sprintf("%06d", (binary.BigEndian.Uint32(sum[at:at+4])&0x7fffffff)%1_000_000)
}
