package web

import (
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/offer"
	"github.com/kith-crm/kith/internal/paper"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/store"
)

// How often quotes can be read and answered from one network, so that no stranger has PDFs drawn all day.
const (
	mostReads     = 300
	readsPeriod   = 10 * time.Minute
	mostAnswers   = 30
	answersPeriod = time.Hour
)

// quotePage is a quote as its customer sees it, or why there is nothing to see.
type quotePage struct {
	*paper.Sheet
	Words *paper.Words
	// Title and Message are those of a page without a quote.
	Title, Message string
	// Status is that of the quote, AcceptedBy who accepted it.
	Status, AcceptedBy string
	// PDF is where the PDF is, and Mark where the logo is, or nothing.
	PDF, Mark string
	Form      *form
	// Wrong is the field that has to be filled in otherwise.
	Wrong string
}

// quote shows the customer the quote of a link.
func (v *visit) quote() error {
	_, sheet, err := v.openQuote()
	if err != nil {
		return v.noQuote(err)
	}
	return v.showQuote(http.StatusOK, sheet, "", newForm(nil))
}

// openQuote finds the quote of the address.
func (v *visit) openQuote() (t store.Tenant, sheet *offer.Sheet, err error) {
	v.w.Header().Set("X-Robots-Tag", "noindex, nofollow")
	if !v.reads.Take(v.network()) {
		return t, nil, errTooManyReads
	}
	return offer.OpenLink(v.r.Context(), v.engine, v.r.PathValue("secret"))
}

// network is what the visitor is throttled by.
func (v *visit) network() string {
	return oauth.Network(net.JoinHostPort(v.server.Address(v.r), "0"))
}

var errTooManyReads = errors.New("too many")

// noQuote shows why there is no quote, in words for customers. What else goes wrong is shown as everywhere.
func (v *visit) noQuote(err error) error {
	first, _, _ := strings.Cut(v.r.Header.Get("Accept-Language"), ",")
	tag, _, _ := strings.Cut(first, ";")
	locale := paper.LocaleOf(tag)
	words := locale.Words
	page := quotePage{Sheet: &paper.Sheet{Locale: locale}, Words: words, Title: words.Gone, Message: words.GoneAbout}
	status := http.StatusNotFound
	switch p := problem.As(err); {
	case errors.Is(err, errTooManyReads):
		status, page.Title, page.Message = http.StatusTooManyRequests, words.TooMany, words.TooManyAbout
		v.w.Header().Set("Retry-After", "60")
	case p != nil && p.Code == problem.InvalidTransition:
		status, page.Title, page.Message = http.StatusConflict, words.Changed, words.ChangedAbout
	case !errors.Is(err, offer.ErrLink):
		return err
	}
	return v.show(status, "quote", page)
}

func (v *visit) showQuote(status int, sheet *offer.Sheet, wrong string, f *form) error {
	mark := ""
	if len(sheet.Logo) > 0 {
		mark = v.r.URL.Path + "/logo"
	}
	return v.show(status, "quote", quotePage{
		Mark: mark, Sheet: sheet.Sheet, Words: sheet.Locale.Words, Title: sheet.Locale.Words.Quote + " " + sheet.Number,
		Status: sheet.Status(), AcceptedBy: sheet.AcceptedBy(), PDF: v.r.URL.Path + "/pdf", Form: f, Wrong: wrong,
	})
}

// quotePDF sends the quote of a link as a PDF.
func (v *visit) quotePDF() error {
	t, sheet, err := v.openQuote()
	if err != nil {
		return v.noQuote(err)
	}
	pdf, err := offer.PDF(v.r.Context(), v.engine, t, sheet)
	if err != nil {
		return err
	}
	v.w.Header().Set("Content-Disposition", `inline; filename="quote-`+sheet.Number+`.pdf"`)
	return v.send("application/pdf", pdf)
}

// send answers with a file.
func (v *visit) send(mediaType string, content []byte) error {
	h := v.w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Content-Length", strconv.Itoa(len(content)))
	v.status = http.StatusOK
	_, _ = v.w.Write(content) // the visitor may be gone
	return nil
}

// quoteLogo sends the logo of the business whose quote a link is of.
func (v *visit) quoteLogo() error {
	_, sheet, err := v.openQuote()
	if err != nil {
		return v.noQuote(err)
	}
	if len(sheet.Logo) == 0 {
		return v.noQuote(offer.ErrLink)
	}
	return v.send("image/png", sheet.Logo)
}

// answerQuote takes the customer's answer, and leads back to the quote.
func (v *visit) answerQuote() error {
	_, sheet, err := v.openQuote()
	if err != nil {
		return v.noQuote(err)
	}
	if !v.answers.Take(v.network()) {
		return v.noQuote(errTooManyReads)
	}
	f := v.filled()
	answer := f.Get("answer")
	if answer != "accept" && answer != "decline" {
		return errBadForm
	}
	a := crm.Answer{
		Accepts: answer == "accept", Name: f.Get("name"), Reason: f.Get("reason"), Address: v.server.Address(v.r), RequestID: v.id,
	}
	if wrong := a.Wrong(); wrong != "" {
		return v.showQuote(http.StatusUnprocessableEntity, sheet, wrong, f)
	}
	if err := offer.AnswerByLink(v.r.Context(), v.engine, v.r.PathValue("secret"), a); err != nil {
		return v.noQuote(err)
	}
	return v.redirect(v.r.URL.Path)
}
