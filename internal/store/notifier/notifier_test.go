package notifier

import (
	"testing"

	"github.com/kith-crm/kith/internal/schema"
)

// woken tells whether a watch has an item, and takes it.
func woken(w *Watch) bool {
	select {
	case <-w.C:
		return true
	default:
		return false
	}
}

// Whoever waits is woken for the changes of their business, once for as many as there were, and nobody else is.
func TestThoseWhoWaitAreWoken(t *testing.T) {
	one, other := schema.UUID{1}, schema.UUID{2}
	for what, change := range map[string]func(n *Notifier){
		"a change of this process": func(n *Notifier) { n.Notify(one) },
		"one of another server":    func(n *Notifier) { n.Heard(one) },
		"one that a look found":    func(n *Notifier) { n.Looked(map[schema.UUID]int64{one: 7, other: 0}) },
	} {
		n := &Notifier{}
		change(n) // nobody waits
		a, b, c := n.Watch(one), n.Watch(one), n.Watch(other)
		if woken(a) || woken(c) {
			t.Errorf("%s: who begins to wait is woken for what was before", what)
		}
		change(n)
		change(n)
		if !woken(a) || !woken(b) || woken(a) || woken(c) {
			t.Errorf("%s: not exactly those who wait for it were woken, once", what)
		}
		a.End()
		change(n)
		if woken(a) {
			t.Errorf("%s: who waits no longer is woken", what)
		}
		b.End()
		if all := n.Watched(); len(all) != 1 || all[0] != schema.IDValue(other) {
			t.Errorf("%s: watched are %v", what, all)
		}
		n.Everybody()
		if !woken(c) {
			t.Errorf("%s: not everybody was woken", what)
		}
	}
}

// A look wakes only for numbers that are newer than those of the look before.
func TestALookWakesForNewNumbers(t *testing.T) {
	n, business := &Notifier{}, schema.UUID{1}
	w := n.Watch(business)
	for i, look := range []struct {
		seq  int64
		want bool
	}{{3, true}, {3, false}, {2, false}, {4, true}} {
		n.Looked(map[schema.UUID]int64{business: look.seq})
		if got := woken(w); got != look.want {
			t.Errorf("look %d found %d: woken %v", i, look.seq, got)
		}
	}
}

// Changes are kept for other servers only while there is somebody who tells them, each business once.
func TestChangesAreKeptForOtherServers(t *testing.T) {
	n, business := &Notifier{}, schema.UUID{1}
	n.Notify(business)
	tell := n.BeginTelling()
	if len(n.Take()) != 0 {
		t.Error("a change from before is told")
	}
	n.Hearing(true)
	n.Notify(business)
	n.Notify(business)
	n.Heard(schema.UUID{2}) // which they know
	<-tell
	if all := n.Take(); len(all) != 1 || all[0] != business || len(n.Take()) != 0 {
		t.Errorf("told are %v", all)
	}
	n.Notify(business)
	n.EndTelling()
	n.Notify(business)
	if len(n.Take()) != 0 || n.Hears() {
		t.Error("changes are kept although nobody tells them, or others are said to be heard")
	}
}
