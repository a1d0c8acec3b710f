package sqlite

import (
	"testing"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// Whoever has had a share of a transaction gets no other write into it, while others do.
func TestWritesOfWhoHadAShareWait(t *testing.T) {
	one, other := schema.UUID{1}, schema.UUID{2}
	w := newWrites()
	for _, business := range []schema.UUID{one, one, other} {
		w.put(job{Share: engine.Share{Business: business}})
	}
	first, _, _ := w.next(nil)
	without := hadShare([]job{first}, groupShare)
	if hadShare([]job{first}, groupShare-1) != nil {
		t.Error("a short group is closed to somebody")
	}
	next, ok, _ := w.next(without)
	if first.Business != one || !ok || next.Business != other {
		t.Errorf("behind %v comes %v", first.Business, next.Business)
	}
	if _, ok, over := w.next(without); ok || over {
		t.Error("who had a share gets another")
	}
	if last, ok, _ := w.next(nil); !ok || last.Business != one {
		t.Error("the last write is lost")
	}
}
