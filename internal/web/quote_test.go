package web

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// do does an operation on a quote as the administrator.
func (c *cast) do(name, id, text string) *schema.Record {
	c.Helper()
	var n *body.Node
	var err error
	if text != "" {
		if n, err = body.Parse([]byte(text)); err != nil {
			c.Fatal(err)
		}
	}
	rec, err := c.engine.Do(c.Context(), record.Call{Principal: c.admin},
		record.Operation{Kind: record.KindOf("quote"), Name: name, ID: id, Body: n})
	if err != nil {
		c.Fatal(err)
	}
	return rec
}

// sentQuote makes a quote with a customer, sends it, and gives its id.
func (c *cast) sentQuote() string {
	c.Helper()
	n, err := body.Parse([]byte(`{"name":"Lind <script>"}`))
	if err != nil {
		c.Fatal(err)
	}
	buyer, err := c.engine.Do(c.Context(), record.Call{Principal: c.admin},
		record.Operation{Kind: record.KindOf("contact"), Name: record.Create, Body: n})
	if err != nil {
		c.Fatal(err)
	}
	made := c.do(record.Create, "", `{"title":"Two cranes","currency":"EUR",`+
		`"valid_until":"2099-12-31","contact_id":"`+schema.FormatID("contact",
		buyer.ID())+`","line_items":[{"name":"Crane & hook","unit_price":"1234.5","quantity":2,"tax_rate":20}]}`)
	id := schema.FormatID("quote", made.ID())
	c.do("send", id, "{}")
	return id
}

// shared gives the path of a new link of a quote.
func (c *cast) shared(id string) string {
	c.Helper()
	return c.do("share", id, "{}").Once.Value
}

func (c *cast) quoteLink() string { return c.shared(c.sentQuote()) }

func TestCustomerReadsAndAcceptsAQuote(t *testing.T) {
	onEach(t, func(h *house) {
		c := newCast(h)
		id := c.sentQuote()
		link := c.shared(id)
		buyer := h.visitor()
		page := buyer.expect(buyer.get(link), http.StatusOK, "A quote from")
		for _, want := range []string{
			"Juniper", "Two cranes", "Lind &lt;script&gt;", "Crane &amp; hook", "1,234.50", "2,469.00",
			"493.80", "EUR\u00a02,962.80", `content="noindex, nofollow"`, "Accept this quote",
		} {
			if !strings.Contains(page.body, want) {
				h.Errorf("%q is not on the page", want)
			}
		}
		if strings.Contains(page.body, "<script") || page.header.Get("Set-Cookie") != "" ||
			page.header.Get("X-Robots-Tag") != "noindex, nofollow" {
			h.Errorf("the page has a script or a cookie, or may be indexed: %v", page.header)
		}
		if strings.Contains(page.body, "<img") || buyer.get(link+"/logo").status != http.StatusNotFound {
			h.Error("there is a logo of a business that has none")
		}
		c.anna.expect(c.anna.asked("PATCH", "/v1/business",
			`{"logo":"data:image/png;base64,`+
				`iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="}`), http.StatusOK,
			`"logo":"png-`)
		buyer.expect(buyer.get(link), http.StatusOK, `<img class="logo" src="`+link+`/logo" alt="">`)
		if logo := buyer.get(link + "/logo"); logo.status != http.StatusOK || logo.header.Get("Content-Type") != "image/png" ||
			logo.header.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(logo.body, "\x89PNG") {
			h.Errorf("the logo: %d %v", logo.status, logo.header)
		}
		pdf := buyer.get(link + "/pdf")
		if pdf.status != http.StatusOK || pdf.header.Get("Content-Type") != "application/pdf" ||
			!bytes.HasPrefix([]byte(pdf.body), []byte("%PDF-")) || pdf.header.Get("Set-Cookie") != "" {
			h.Errorf("the PDF: %d %v", pdf.status, pdf.header)
		}
		buyer.expect(buyer.do(http.MethodPost, link, url.Values{"answer": {"accept"}, "name": {" "}}), http.StatusUnprocessableEntity,
			"must be given")
		buyer.expect(buyer.do(http.MethodPost, link, url.Values{"answer": {"accept"}, "name": {strings.Repeat("x", 256)}}),
			http.StatusUnprocessableEntity, "must be given")
		buyer.expect(buyer.do(http.MethodPost, link, url.Values{"answer": {"decline"}, "reason": {strings.Repeat("x", 1001)}}),
			http.StatusUnprocessableEntity, "at most")
		buyer.expect(buyer.do(http.MethodPost, link, url.Values{"answer": {"perhaps"}}), http.StatusBadRequest, "cannot be read")
		buyer.leads(buyer.do(http.MethodPost, link, url.Values{"answer": {"accept"}, "name": {"Anna Lind"}}), link)
		page = buyer.expect(buyer.get(link), http.StatusOK, "This quote is accepted")
		if !strings.Contains(page.body, "Anna Lind") || strings.Contains(page.body, "<form") {
			h.Error("an accepted quote does not say by whom, or still asks")
		}
		buyer.leads(buyer.do(http.MethodPost, link, url.Values{"answer": {"accept"}, "name": {"Somebody else"}}), link)
		buyer.expect(buyer.do(http.MethodPost, link, url.Values{"answer": {"decline"}}), http.StatusConflict, "has changed")

		rec, err := record.Call{Principal: c.admin}.Get(h.Context(), record.KindOf("quote"), id)
		if err != nil {
			h.Fatal(err)
		}
		if rec.Text(crm.Quotes.Status) != "accepted" || rec.Text(crm.Quotes.AcceptedBy) != "Anna Lind" ||
			rec.Text(crm.Quotes.AnsweredFrom) == "" || !rec.Get(crm.Quotes.AcceptedAt).Set {
			h.Errorf("the quote is %s", rec.Append(nil))
		}
		// Whose own the quote is is told of it, which is a change after it.
		var accepted store.Change
		err = c.admin.Tenant.Changes(h.Context(), 0, func(ch store.Change) error {
			if ch.Action == "accept" {
				accepted = ch
			}
			return nil
		})
		if err != nil {
			h.Fatal(err)
		}
		if accepted.Actor.Client != crm.ByLink || accepted.Actor.User != (schema.UUID{}) ||
			!strings.Contains(accepted.Changes, "Anna Lind") {
			h.Errorf("the log has %+v", accepted)
		}
	})
}

func TestLinksOfQuotesEnd(t *testing.T) {
	onEach(t, func(h *house) {
		c := newCast(h)
		buyer := h.visitor()
		gone := func(link string) {
			h.Helper()
			for _, path := range []string{link, link + "/pdf"} {
				buyer.expect(buyer.get(path), http.StatusNotFound, "does not work any more")
			}
			buyer.expect(buyer.do(http.MethodPost, link, url.Values{"answer": {"decline"}}), http.StatusNotFound, "does not work any more")
		}
		id := c.sentQuote()
		first := c.shared(id)
		second := c.shared(id)
		gone(first)
		buyer.expect(buyer.get(second), http.StatusOK, "Two cranes")
		gone(second[:len(second)-1] + "-")
		secret, _ := record.NewSecret(record.QuoteLink, c.admin.Tenant.ID())
		gone(crm.QuotePath + secret)
		other := h.business("Fig", "eve@fig.test")
		secret, _ = record.NewSecret(record.QuoteLink, other.Tenant.ID())
		gone(crm.QuotePath + secret)
		c.do("unshare", id, "{}")
		gone(second)
		third := c.shared(id)
		c.do(record.Remove, id, "")
		gone(third)
		c.do(record.Restore, id, "{}")
		gone(third)
		fourth := c.shared(id)
		buyer.leads(buyer.do(http.MethodPost, fourth, url.Values{"answer": {"decline"}, "reason": {"Too late"}}), fourth)
		buyer.expect(buyer.get(fourth), http.StatusOK, "This quote is declined")
		c.do("revise", id, "{}")
		buyer.expect(buyer.get(fourth), http.StatusOK, "This quote is declined")
		revised := c.sentQuote()
		fifth := c.shared(revised)
		c.do("revise", revised, "{}")
		gone(fifth)
		german := h.visitor()
		german.header.Set("Accept-Language", "de, en;q=0.8")
		german.expect(german.get(fifth), http.StatusNotFound, "Dieser Link gilt nicht mehr")
		// The secret of a quote opens nothing else.
		if status := h.api(strings.TrimPrefix(fourth, crm.QuotePath)); status != http.StatusUnauthorized {
			h.Errorf("the API says %d to it", status)
		}
	})
}

func TestReadingQuotesIsThrottled(t *testing.T) {
	h := newHouse(t)
	h.business("Juniper", "anna@juniper.test")
	v := h.visitor()
	for range 3 * mostReads { // some come back while it counts
		if got := v.get(crm.QuotePath + "x"); got.status == http.StatusTooManyRequests {
			if v.expect(got, http.StatusTooManyRequests, "Too many requests"); got.header.Get("Retry-After") == "" {
				t.Error("it does not say when to come again")
			}
			return
		}
	}
	t.Error("it is not throttled")
}
