package offer_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/ledongthuc/pdf"

	. "github.com/kith-crm/kith/internal/apitest"
)

func TestQuoteAsPDF(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "companies", `{"name":"Buyers","legal_name":"Crane Buyers AB","address":{"street":"Quay 7","postal_code":"41101",`+
			`"city":"Gothenburg","country":"Sweden"}}`, "buyer")
		w.Create(t, "quotes", `{"title":"Two cranes","company_id":"$buyer","valid_until":"2099-12-31","currency":"EUR","terms":"Payable `+
			`at once.","line_items":[{"name":"Crane","unit_price":"1234.5","quantity":2,"discount_percent":10,"tax_rate":25}]}`, "quote")
		w.Run(t, []Step{
			{
				Rule: "what stands on quotes is the business's", Do: "PATCH /business",
				Body: `{"address":"Kai 1\n1010 Wien","tax_id":"ATU1","quote_terms":"Our law holds.","quote_footer":"IBAN 1",` +
					`"locale":"de-AT"}`, Status: 200, Want: `{"address":"Kai 1\n1010 Wien","tax_id":"ATU1","version":2}`,
			},
			{
				Rule: "its terms have a bound", Do: "PATCH /business",
				Body: `{"quote_footer":"` + strings.Repeat("a", 501) + `","address":"` + strings.Repeat("a", 1001) + `"}`, Status: 422,
				Wrong: "quote_footer:too_long address:too_long",
			},
			{
				Rule: "the tag tells all versions that are on it", Do: "GET /quotes/$quote/pdf", Status: 200,
				Head: []string{
					`ETag: "1.1.2.1.0"`, "Content-Type: application/pdf",
					`Content-Disposition: inline; filename="quote-1.pdf"`,
				}, Chance: true,
			},
			{
				Rule: "who has it need not read it again", Do: "GET /quotes/$quote/pdf", Send: []string{`If-None-Match: "1.1.2.1.0"`},
				Status: 304,
			},
			{Rule: "only its head", Do: "HEAD /quotes/$quote/pdf", Status: 200, Chance: true},
			{Rule: "it needs the scope", As: "admin:contact.read", Do: "GET /quotes/$quote/pdf", Status: 403, Code: "insufficient_scope"},
			{Rule: "one that is not there", Do: "GET /quotes/quote_01kh4xv1qcf0mvq8gk8d8mvxd9/pdf", Status: 404, Code: "not_found"},
			{Rule: "of another business there is none", As: "stranger", Do: "GET /quotes/$quote/pdf", Status: 404, Code: "not_found"},
			{Rule: "it takes no parameters", Do: "GET /quotes/$quote/pdf?page=1", Status: 422, Wrong: "page:unknown_parameter"},
		})
		page := func(as string) string {
			a := w.Check(t, Step{As: as, Do: "GET /quotes/$quote/pdf", Status: 200, Chance: true}) // it has the time at which it was sent
			if again := w.Check(t, Step{As: as, Do: "GET /quotes/$quote/pdf", Status: 200, Chance: true}); !bytes.Equal(a.Text,
				again.Text) {
				t.Error("the same quote gives other bytes")
			}
			r, err := pdf.NewReader(bytes.NewReader(a.Text), int64(len(a.Text)))
			if err != nil {
				t.Fatal(err)
			}
			text, err := r.Page(1).GetPlainText(nil)
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		text := page("admin")
		for _, want := range []string{
			"Angebot · Entwurf", "Kai 1", "1010 Wien", "ATU1", "Crane Buyers AB", "Quay 7", "41101 Gothenburg",
			"Sweden", "Two cranes", "31.12.2099", "Crane", "1\u00a0234,50", "10\u00a0%", "25\u00a0%", "2\u00a0469,00", "2\u00a0222,10",
			"555,53", "2\u00a0777,63\u00a0EUR", "Payable at once.", "Our law holds.", "IBAN 1", "Seite 1 von 1",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not on it", want)
			}
		}
		w.Mint(t, "blind", "admin", []string{"quote.read"}, time.Time{})
		if text := page("blind"); strings.Contains(text, "Buyers") || !strings.Contains(text, "Crane") {
			t.Errorf("who may not read companies reads %q", text)
		}
		w.Check(t, Step{Do: "POST /quotes/$quote/send", Status: 200})
		if text := page("admin"); strings.Contains(text, "Entwurf") {
			t.Error("what was sent is no draft")
		}
		huge := strings.Repeat(`a\n`, 30000)
		w.Create(t, "quotes", `{"line_items":[`+strings.TrimSuffix(strings.Repeat(`{"name":"a","unit_price":1,"description":"`+huge+`"},`,
			3), ",")+`]}`, "long")
		w.Check(t, Step{Do: "GET /quotes/$long/pdf", Status: 409, Code: "conflict"})
	})
}

func TestLinkOfAQuote(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "contacts", `{"name":"Lind"}`, "buyer")
		w.Create(t, "quotes", `{"contact_id":"$buyer","valid_until":"2099-12-31","line_items":[{"name":"a","unit_price":1}]}`, "quote")
		key := []string{"Idempotency-Key: share-1"}
		w.Run(t, []Step{
			{
				Rule: "a draft has nothing to share", Do: "POST /quotes/$quote/share", Status: 409, Code: "invalid_transition",
				Want: `{"allowed":["send"]}`,
			},
			{Rule: "sending makes no link", Do: "POST /quotes/$quote/send", Status: 200, Want: `{"shared_at":null,"version":2}`},
			{Rule: "it needs the scope", As: "admin:quote.read", Do: "POST /quotes/$quote/share", Status: 403, Code: "insufficient_scope"},
			{
				Rule: "who may not write quotes makes no link", As: "viewer", Do: "POST /quotes/$quote/share", Status: 403,
				Code: "forbidden_by_role",
			},
			{
				Rule: "who may not read it does not get to read it by a link", As: "admin:quote.write", Do: "POST /quotes/$quote/share",
				Status: 403, Code: "insufficient_scope",
			},
			{Rule: "nor its customer", As: "admin:quote.all", Do: "POST /quotes/$quote/share", Status: 403, Code: "insufficient_scope"},
			{Rule: "a rehearsal makes none", Do: "POST /quotes/$quote/share?dry_run=true", Status: 200, Want: `{"version":3}`},
			{
				Rule: "share answers the link", Do: "POST /quotes/$quote/share", Send: key, Status: 200,
				Want: `{"shared_at":"*","version":3}`, Save: "link=link", Chance: true,
			},
			{
				Rule: "a replay leaves it out", Do: "POST /quotes/$quote/share", Send: key, Status: 200,
				Want: `{"omitted":["link"],"version":3}`, Chance: true,
			},
			{
				Rule: "nobody reads it again", Do: "GET /quotes/$quote", Status: 200,
				Want: `{"shared_at":"*","accepted_by":null,"answered_from":null}`,
			},
		})
		w.Request(t, "ended", Step{Do: "POST /quotes/$quote/unshare"})
		w.Run(t, []Step{
			{Rule: "unshare ended it", Do: "GET /quotes/$quote", Status: 200, Want: `{"shared_at":null,"version":4}`},
			{
				Rule: "a link that ended does not come back", Do: "POST /undo", Body: `{"request_id":"$ended"}`, Status: 200,
				Want: `{"data":[{"error":{"code":"invalid_transition"}}],"meta":{"undone":0,"left":1}}`, Chance: true,
			},
			{Rule: "there is nothing more to end", Do: "POST /quotes/$quote/unshare", Status: 200, Want: `{"version":4}`},
			{
				Rule: "the link is not for many at once", Do: "POST /quotes/bulk", Body: `{"op":"act","action":"share","filters":[]}`,
				Status: 422,
			},
			{Rule: "what was answered is not shared", Do: "POST /quotes/$quote/decline", Status: 200},
			{
				Rule: "what was answered is not shared: 409", Do: "POST /quotes/$quote/share", Status: 409, Code: "invalid_transition",
				Want: `{"allowed":["revise"]}`,
			},
		})
	})
}
