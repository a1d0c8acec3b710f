package httpapi_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/ledongthuc/pdf"
)

func TestQuoteAsPDF(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "companies", `{"name":"Buyers","legal_name":"Crane Buyers AB","address":{"street":"Quay 7","postal_code":"41101",`+
			`"city":"Gothenburg","country":"Sweden"}}`, "buyer")
		w.create(t, "quotes", `{"title":"Two cranes","company_id":"$buyer","valid_until":"2099-12-31","currency":"EUR","terms":"Payable `+
			`at once.","line_items":[{"name":"Crane","unit_price":"1234.5","quantity":2,"discount_percent":10,"tax_rate":25}]}`, "quote")
		w.run(t, []step{
			{
				rule: "what stands on quotes is the business's", do: "PATCH /business",
				body: `{"address":"Kai 1\n1010 Wien","tax_id":"ATU1","quote_terms":"Our law holds.","quote_footer":"IBAN 1",` +
					`"locale":"de-AT"}`, status: 200, want: `{"address":"Kai 1\n1010 Wien","tax_id":"ATU1","version":2}`,
			},
			{
				rule: "its terms have a bound", do: "PATCH /business",
				body: `{"quote_footer":"` + strings.Repeat("a", 501) + `","address":"` + strings.Repeat("a", 1001) + `"}`, status: 422,
				wrong: "quote_footer:too_long address:too_long",
			},
			{
				rule: "the tag tells all versions that are on it", do: "GET /quotes/$quote/pdf", status: 200,
				head: []string{
					`ETag: "1.1.2.1.0"`, "Content-Type: application/pdf",
					`Content-Disposition: inline; filename="quote-1.pdf"`,
				}, chance: true,
			},
			{
				rule: "who has it need not read it again", do: "GET /quotes/$quote/pdf", send: []string{`If-None-Match: "1.1.2.1.0"`},
				status: 304,
			},
			{rule: "only its head", do: "HEAD /quotes/$quote/pdf", status: 200, chance: true},
			{rule: "it needs the scope", as: "admin:contact.read", do: "GET /quotes/$quote/pdf", status: 403, code: "insufficient_scope"},
			{rule: "one that is not there", do: "GET /quotes/quote_01kh4xv1qcf0mvq8gk8d8mvxd9/pdf", status: 404, code: "not_found"},
			{rule: "of another business there is none", as: "stranger", do: "GET /quotes/$quote/pdf", status: 404, code: "not_found"},
			{rule: "it takes no parameters", do: "GET /quotes/$quote/pdf?page=1", status: 422, wrong: "page:unknown_parameter"},
		})
		page := func(as string) string {
			a := w.check(t, step{as: as, do: "GET /quotes/$quote/pdf", status: 200, chance: true}) // it has the time at which it was sent
			if again := w.check(t, step{as: as, do: "GET /quotes/$quote/pdf", status: 200, chance: true}); !bytes.Equal(a.text,
				again.text) {
				t.Error("the same quote gives other bytes")
			}
			r, err := pdf.NewReader(bytes.NewReader(a.text), int64(len(a.text)))
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
		w.mint(t, "blind", "admin", []string{"quote.read"}, time.Time{})
		if text := page("blind"); strings.Contains(text, "Buyers") || !strings.Contains(text, "Crane") {
			t.Errorf("who may not read companies reads %q", text)
		}
		w.check(t, step{do: "POST /quotes/$quote/send", status: 200})
		if text := page("admin"); strings.Contains(text, "Entwurf") {
			t.Error("what was sent is no draft")
		}
		huge := strings.Repeat(`a\n`, 30000)
		w.create(t, "quotes", `{"line_items":[`+strings.TrimSuffix(strings.Repeat(`{"name":"a","unit_price":1,"description":"`+huge+`"},`,
			3), ",")+`]}`, "long")
		w.check(t, step{do: "GET /quotes/$long/pdf", status: 409, code: "conflict"})
	})
}

func TestLinkOfAQuote(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "contacts", `{"name":"Lind"}`, "buyer")
		w.create(t, "quotes", `{"contact_id":"$buyer","valid_until":"2099-12-31","line_items":[{"name":"a","unit_price":1}]}`, "quote")
		key := []string{"Idempotency-Key: share-1"}
		w.run(t, []step{
			{
				rule: "a draft has nothing to share", do: "POST /quotes/$quote/share", status: 409, code: "invalid_transition",
				want: `{"allowed":["send"]}`,
			},
			{rule: "sending makes no link", do: "POST /quotes/$quote/send", status: 200, want: `{"shared_at":null,"version":2}`},
			{rule: "it needs the scope", as: "admin:quote.read", do: "POST /quotes/$quote/share", status: 403, code: "insufficient_scope"},
			{
				rule: "who may not write quotes makes no link", as: "viewer", do: "POST /quotes/$quote/share", status: 403,
				code: "forbidden_by_role",
			},
			{
				rule: "who may not read it does not get to read it by a link", as: "admin:quote.write", do: "POST /quotes/$quote/share",
				status: 403, code: "insufficient_scope",
			},
			{rule: "nor its customer", as: "admin:quote.all", do: "POST /quotes/$quote/share", status: 403, code: "insufficient_scope"},
			{rule: "a rehearsal makes none", do: "POST /quotes/$quote/share?dry_run=true", status: 200, want: `{"version":3}`},
			{
				rule: "share answers the link", do: "POST /quotes/$quote/share", send: key, status: 200,
				want: `{"shared_at":"*","version":3}`, save: "link=link", chance: true,
			},
			{
				rule: "a replay leaves it out", do: "POST /quotes/$quote/share", send: key, status: 200,
				want: `{"omitted":["link"],"version":3}`, chance: true,
			},
			{
				rule: "nobody reads it again", do: "GET /quotes/$quote", status: 200,
				want: `{"shared_at":"*","accepted_by":null,"answered_from":null}`,
			},
		})
		w.request(t, "ended", step{do: "POST /quotes/$quote/unshare"})
		w.run(t, []step{
			{rule: "unshare ended it", do: "GET /quotes/$quote", status: 200, want: `{"shared_at":null,"version":4}`},
			{
				rule: "a link that ended does not come back", do: "POST /undo", body: `{"request_id":"$ended"}`, status: 200,
				want: `{"data":[{"error":{"code":"invalid_transition"}}],"meta":{"undone":0,"left":1}}`, chance: true,
			},
			{rule: "there is nothing more to end", do: "POST /quotes/$quote/unshare", status: 200, want: `{"version":4}`},
			{
				rule: "the link is not for many at once", do: "POST /quotes/bulk", body: `{"op":"act","action":"share","filters":[]}`,
				status: 422,
			},
			{rule: "what was answered is not shared", do: "POST /quotes/$quote/decline", status: 200},
			{
				rule: "what was answered is not shared: 409", do: "POST /quotes/$quote/share", status: 409, code: "invalid_transition",
				want: `{"allowed":["revise"]}`,
			},
		})
	})
}
