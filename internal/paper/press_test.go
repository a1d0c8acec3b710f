package paper

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/schema"
)

// PDFs and pictures have half of the processors, and whoever waited for one in vain is told when to come again: behind others, and
// behind one of their own.
func TestPapersAreDrawnByHalfOfTheProcessors(t *testing.T) {
	p := NewPress()
	if places, processors := cap(p.slots), runtime.GOMAXPROCS(0); places > max(1, processors/2) {
		t.Errorf("%d are drawn at once on %d processors", places, processors)
	}
	for i := range cap(p.slots) {
		done, err := p.Begin(t.Context(), schema.UUID{byte(i)})
		if err != nil {
			t.Fatal(err)
		}
		defer done()
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	for _, business := range []schema.UUID{{0}, {255}} {
		_, err := p.Begin(gone, business)
		if told := problem.As(err); told == nil || !told.Code.WorthRetrying() || told.RetryAfter < time.Second {
			t.Errorf("one too many is told %v", err)
		}
	}
}
