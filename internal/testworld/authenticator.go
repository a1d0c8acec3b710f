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

// slack is for how long a server still takes a code that was given: the half minute must not end between the two.
const slack = 10

// Code gives a code that was not given before. A server takes that of the half minute before and behind, so three can be had at
// once, where the half minute is not about to end.
func (a *Authenticator) Code(tb testing.TB) string {
	tb.Helper()
	a.shown = max(a.shown+1, (time.Now().Unix()+slack)/30-1)
	ahead := time.Until(time.Unix((a.shown-1)*30, 0))
	if ahead > slack*time.Second {
		tb.Fatal("more than three codes in half a minute")
	}
	time.Sleep(ahead)
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
