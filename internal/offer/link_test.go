package offer

import (
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/keep"
)

func TestALinkOpensWhatWasSentAndHoldsStill(t *testing.T) {
	made := time.Now().UTC()
	link := &keep.Credential{CreatedAt: made}
	for status, want := range map[string]bool{"draft": false, "sent": true, "accepted": true, "declined": true, "expired": false} {
		rec := schema.NewRecord(&crm.Quote.Shape)
		rec.PutText(crm.Quotes.Status, status)
		if opens(link, rec) {
			t.Errorf("it opens a quote that is %s and not shared", status)
		}
		rec.Put(crm.Quotes.SharedAt, schema.TimeValue(made.Add(time.Millisecond)))
		if opens(link, rec) {
			t.Errorf("it opens a quote that is %s and has another link", status)
		}
		rec.Put(crm.Quotes.SharedAt, schema.TimeValue(made))
		if got := opens(link, rec); got != want {
			t.Errorf("a quote that is %s: %v", status, got)
		}
	}
}
