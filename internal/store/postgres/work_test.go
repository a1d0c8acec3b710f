package postgres

import (
	"testing"
	"time"
)

// What a new process of the server learns at first is not the work of the request that came first; all that it does later is.
func TestLearningIsNoWork(t *testing.T) {
	const limit = 2 * time.Second
	for _, c := range []struct{ before, now, counted time.Duration }{
		{0, 400 * time.Millisecond, 0},
		{100 * time.Millisecond, 500 * time.Millisecond, 0},
		{300 * time.Millisecond, 900 * time.Millisecond, 400 * time.Millisecond},
		{3 * time.Second, 4 * time.Second, time.Second},
	} {
		if got := counted(c.before, c.now, limit); got != c.counted {
			t.Errorf("from %v to %v: %v is counted, expected %v", c.before, c.now, got, c.counted)
		}
	}
}
