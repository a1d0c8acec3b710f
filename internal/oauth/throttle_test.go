package oauth

import (
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestAThrottleRemembersABoundedNumberOfKeys(t *testing.T) {
	throttle := NewThrottle(3, time.Hour)
	long := strings.Repeat("x", 240<<10)
	for range 3 {
		if !throttle.Take(long) {
			t.Fatal("a first try was refused")
		}
	}
	if throttle.Take(long) {
		t.Error("a fourth try of a long key was let through")
	}
	for i := range mostThrottled + 1000 {
		throttle.Take(strconv.Itoa(i))
	}
	if n := len(throttle.left); n > mostThrottled {
		t.Errorf("it remembers %d keys", n)
	}
	if throttle.Take(long) {
		t.Error("a flood of new keys gave back what the first had used up")
	}
	throttle.Forgive(long)
	if !throttle.Take(long) {
		t.Error("what was forgiven is refused")
	}
}
