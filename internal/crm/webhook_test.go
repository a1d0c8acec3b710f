package crm

import (
	"testing"
	"time"
)

func TestEveryActionIsAnEvent(t *testing.T) {
	seen := map[string]bool{}
	for _, event := range EventKinds() {
		if event[len(event)-1] == '.' || seen[event] {
			t.Errorf("the event %q has no word, or one that another has", event)
		}
		seen[event] = true
	}
	if !seen["deal.won"] || !seen["quote.sent"] || !seen["contact.erased"] || !seen["business.updated"] || !seen["contact.purged"] || seen["webhook.restored"] || seen["webhook.purged"] || !seen["note.erased"] || !seen["user.erased"] || seen["role.erased"] {
		t.Errorf("the events are %q", EventKinds())
	}
}

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
