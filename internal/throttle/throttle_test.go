package throttle

import (
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// takes counts how many of n a throttle lets through.
func takes(t *Throttle, key string, n int) (taken int) {
	for range n {
		if t.Take(key) {
			taken++
		}
	}
	return taken
}

func TestAThrottleRefillsSteadily(t *testing.T) {
	now := time.Now()
	throttle := New(4, 400*time.Millisecond)
	throttle.Now = func() time.Time { return now }
	if n := takes(throttle, "a", 6); n != 4 {
		t.Errorf("%d of the first six were let through, want 4", n)
	}
	now = now.Add(250 * time.Millisecond)
	if n := takes(throttle, "a", 4); n != 2 {
		t.Errorf("after a quarter of a second %d were let through, want 2", n)
	}
	now = now.Add(time.Hour)
	if n := takes(throttle, "a", 6); n != 4 {
		t.Errorf("after an hour %d were let through, want 4", n)
	}
	if n := takes(throttle, "b", 6); n != 4 {
		t.Errorf("%d of another key were let through, want 4", n)
	}
}

func TestAThrottleForgetsWhatIsFullAgain(t *testing.T) {
	now := time.Now()
	throttle := New(2, 5*time.Minute)
	throttle.Now = func() time.Time { return now }
	takes(throttle, "early", 1)
	now = now.Add(2 * time.Minute)
	takes(throttle, "late", 2)
	now = now.Add(time.Minute)
	takes(throttle, "now", 1)
	if n := len(throttle.left); n != 2 {
		t.Errorf("it remembers %d keys, want those that have not all back", n)
	}
	if takes(throttle, "late", 1) != 0 {
		t.Error("a key was forgotten before it had all back")
	}
}

func TestAThrottleRemembersABoundedNumberOfKeys(t *testing.T) {
	throttle := New(3, time.Hour)
	long := strings.Repeat("x", 240<<10)
	if takes(throttle, long, 4) != 3 {
		t.Error("a long key is not counted")
	}
	for i := range maxKeys + 1000 {
		throttle.Take(strconv.Itoa(i))
	}
	if n := len(throttle.left); n > maxKeys {
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

// Keys are what a stranger sent: they must not stay.
func TestAThrottleDoesNotKeepItsKeys(t *testing.T) {
	throttle := New(1, time.Hour)
	const keys, size = 64, 1 << 20
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range keys {
		throttle.Take(strconv.Itoa(i) + strings.Repeat("x", size))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > keys*size/4 {
		t.Errorf("%d keys of %d bytes leave %d bytes behind", keys, size, kept)
	}
	runtime.KeepAlive(throttle)
}
