package crm

import "testing"

func TestEveryActionIsAnEvent(t *testing.T) {
	seen := map[string]bool{}
	for _, event := range EventKinds() {
		if event[len(event)-1] == '.' || seen[event] {
			t.Errorf("the event %q has no word, or one that another has", event)
		}
		seen[event] = true
	}
	if !seen["deal.won"] || !seen["quote.sent"] || !seen["contact.erased"] || !seen["business.updated"] || !seen["contact.purged"] ||
		seen["webhook.restored"] || seen["webhook.purged"] || !seen["note.erased"] || !seen["user.erased"] || seen["role.erased"] {
		t.Errorf("the events are %q", EventKinds())
	}
}
