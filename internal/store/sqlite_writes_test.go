package store

import (
	"testing"

	"github.com/kith-crm/kith/internal/schema"
)

// Whoever has had a share of a transaction gets no other write into it, while others do.
func TestWritesOfWhoHadAShareWait(t *testing.T) {
	one, other := schema.UUID{1}, schema.UUID{2}
	w := newWrites()
	for _, business := range []schema.UUID{one, one, other} {
		w.put(sqliteJob{share: share{business: business}})
	}
	first, _, _ := w.next(nil)
	without := hadShare([]sqliteJob{first}, groupShare)
	if hadShare([]sqliteJob{first}, groupShare-1) != nil {
		t.Error("a short group is closed to somebody")
	}
	next, ok, _ := w.next(without)
	if first.business != one || !ok || next.business != other {
		t.Errorf("behind %v comes %v", first.business, next.business)
	}
	if _, ok, over := w.next(without); ok || over {
		t.Error("who had a share gets another")
	}
	if last, ok, _ := w.next(nil); !ok || last.business != one {
		t.Error("the last write is lost")
	}
}
