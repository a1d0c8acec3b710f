package webhook

import (
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/store/queue"
)

func TestTenAttemptsInAboutThreeDays(t *testing.T) {
	begin := time.Now()
	now, tries := begin, int64(1)
	for {
		next := nextAttempt(now, tries, 0)
		if next.IsZero() {
			break
		}
		now, tries = next, tries+1
	}
	if took := now.Sub(begin); tries != 10 || took < 60*time.Hour || took > 84*time.Hour {
		t.Errorf("%d attempts in %v", tries, took)
	}
	if next := nextAttempt(begin, 1, time.Hour); next.Sub(begin) < time.Hour {
		t.Errorf("a receiver that asks for an hour is left for %v", next.Sub(begin))
	}
	if next := nextAttempt(begin, 1, 1000*time.Hour); next.Sub(begin) > longestAway {
		t.Errorf("a receiver that asks for long is left for %v", next.Sub(begin))
	}
}

// A schedule begins with the first of its own attempts: not with early ones, and not with those before the webhook was enabled anew. Of
// deliveries whose attempts were not kept it begins when they were made.
func TestSchedulesBegin(t *testing.T) {
	made := time.Now()
	at := func(hours int, early bool) queue.Attempt {
		return queue.Attempt{At: made.Add(time.Duration(hours) * time.Hour), Early: early}
	}
	tried := []queue.Attempt{at(1, false), at(2, true), at(3, false), at(4, true), at(5, false)}
	for attempts, want := range []time.Duration{0, 5, 3, 1, 0} {
		d := &queue.Delivery{CreatedAt: made, Attempts: int64(attempts), Tried: tried}
		if got := firstTried(d); !got.Equal(made.Add(want * time.Hour)) {
			t.Errorf("of %d attempts the first was %v after it was made, want %d hours", attempts, got.Sub(made), want)
		}
	}
}
