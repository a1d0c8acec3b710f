package crm

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"kith/internal/body"
	"kith/internal/offer"
	"kith/internal/problem"
	"kith/internal/schema"
	"kith/internal/store"
)

// QuoteSheet is a quote as its customer reads it, with a tag that changes with everything that is on it.
type QuoteSheet struct {
	*offer.Sheet
	Tag    string
	Record *schema.Record
}

// Status is where the quote is in its life.
func (s *QuoteSheet) Status() string { return s.Record.Text(Quotes.Status) }

// AcceptedBy is the name that was given where a customer accepted the quote by the link.
func (s *QuoteSheet) AcceptedBy() string { return s.Record.Text(Quotes.AcceptedBy) }

// sheetEdition is part of every tag; it rises when the same records come to look different.
const sheetEdition = "1"

const secondsOfDay = 24 * 60 * 60

// QuoteSheet reads what is on a quote: the quote itself, the business as it is now, and of the customer what the caller may read.
func (e *Engine) QuoteSheet(ctx context.Context, c Call, id string) (*QuoteSheet, error) {
	rec, err := e.Get(ctx, c, quote, id)
	if err != nil {
		return nil, err
	}
	return e.quoteSheet(ctx, c, rec)
}

func (e *Engine) quoteSheet(ctx context.Context, c Call, rec *schema.Record) (*QuoteSheet, error) {
	business, err := e.Business(ctx, c)
	if err != nil {
		return nil, err
	}
	firm, err := c.onSheet(ctx, company, rec.Get(Quotes.CompanyID))
	if err != nil {
		return nil, err
	}
	person, err := c.onSheet(ctx, contact, rec.Get(Quotes.ContactID))
	if err != nil {
		return nil, err
	}
	items, err := body.Items(rec.Get(Quotes.LineItems), quote.Inner[Quotes.LineItems.Name])
	if err != nil {
		return nil, fmt.Errorf("read line items: %w", err)
	}
	s := &offer.Sheet{
		Locale: offer.LocaleOf(business.Text(ownBusiness.Locale)), Seller: seller(business), Customer: customer(firm, person),
		Number: strconv.FormatInt(rec.Get(Quotes.Number).N, 10), Title: rec.Text(Quotes.Title), Draft: rec.Text(Quotes.Status) == quote.States.Initial, Currency: rec.Text(Quotes.Currency),
		Footer: business.Text(ownBusiness.QuoteFooter), At: rec.Get(Quotes.UpdatedAt).Time(),
	}
	if business.Get(ownBusiness.Logo).Set {
		if s.Logo, err = c.Tenant.Logo(ctx); err != nil {
			return nil, err
		}
	}
	if sent := rec.Get(Quotes.SentAt); sent.Set {
		s.At = sent.Time()
	}
	s.Date = s.Locale.Date(s.At.In(zoneNamed(business.Text(ownBusiness.Timezone))))
	if day := rec.Get(Quotes.ValidUntil); day.Set {
		s.ValidUntil = s.Locale.Date(time.Unix(day.N*secondsOfDay, 0).UTC())
	}
	for _, text := range []string{rec.Text(Quotes.Terms), business.Text(ownBusiness.QuoteTerms)} {
		if text != "" {
			s.Terms = append(s.Terms, text)
		}
	}
	for _, item := range items {
		s.Lines = append(s.Lines, Quotes.onSheet(item, s))
	}
	amount := func(l *schema.Leaf) string { return s.Locale.Amount(rec.Get(l).N, s.Currency) }
	s.Subtotal, s.Total = amount(Quotes.Subtotal), amount(Quotes.Total)
	if n := rec.Get(Quotes.DiscountTotal).N; n != 0 {
		s.Discount = s.Locale.Amount(-n, s.Currency)
	}
	if rec.Get(Quotes.TaxTotal).N != 0 || s.Taxed() {
		s.Tax = amount(Quotes.TaxTotal)
	}
	tag := `"` + sheetEdition
	for _, part := range []*schema.Record{rec, business, firm, person} {
		version := int64(0)
		if part != nil {
			version = part.Version()
		}
		tag += "." + strconv.FormatInt(version, 10)
	}
	return &QuoteSheet{s, tag + `"`, rec}, nil
}

// onSheet is a line as it is written on a quote.
func (d document) onSheet(item *schema.Record, s *offer.Sheet) offer.Line {
	l := offer.Line{
		Name: item.Text(d.Line.Name), SKU: item.Text(d.Line.SKU), Description: item.Text(d.Line.Description), Quantity: s.Locale.Decimal(item.Get(d.Line.Quantity).N, 0),
		UnitPrice: s.Locale.Amount(item.Get(d.Line.UnitPrice).N, s.Currency), Total: s.Locale.Amount(item.Get(d.Line.Total).N, s.Currency),
	}
	if n := item.Get(d.Line.DiscountPercent).N; n != 0 {
		l.Discount = s.Locale.Percent(n)
	}
	if n := item.Get(d.Line.TaxRate).N; n != 0 {
		l.Tax = s.Locale.Percent(n)
	}
	return l
}

// onSheet reads a record that a quote names, or nil where there is none, or none that the caller may read.
func (c Call) onSheet(ctx context.Context, k *Kind, id schema.Value) (*schema.Record, error) {
	if !id.Set {
		return nil, nil
	}
	rec, err := c.Tenant.Get(ctx, c.Resource(k), id.UUID(), false)
	if errors.Is(err, store.ErrNotFound) || err == nil && !c.mayRead(&k.Resource, rec) {
		return nil, nil
	}
	return rec, err
}

// seller is the business as it stands on a quote.
func seller(business *schema.Record) offer.Party {
	p := offer.Party{Name: business.Text(ownBusiness.Name)}
	if address := business.Text(ownBusiness.Address); address != "" {
		p.Lines = strings.Split(address, "\n")
	}
	if id := business.Text(ownBusiness.TaxID); id != "" {
		p.Lines = append(p.Lines, id)
	}
	return p
}

// customer is whom a quote is for: a company and the person there, or a person alone.
func customer(firm, person *schema.Record) (p offer.Party) {
	if firm == nil && person == nil {
		return p
	}
	if firm == nil {
		p.Name = person.Text(Contacts.Name)
		p.Lines = postal(person, Contacts.Address)
		return p
	}
	if p.Name = firm.Text(Companies.LegalName); p.Name == "" {
		p.Name = firm.Text(Companies.Name)
	}
	if person != nil {
		p.Lines = append(p.Lines, person.Text(Contacts.Name))
	}
	p.Lines = append(p.Lines, postal(firm, Companies.Address)...)
	return p
}

// postal is an address in lines, without those that it does not have.
func postal(rec *schema.Record, a AddressFields) (lines []string) {
	for _, line := range []string{
		rec.Text(a.Street), strings.TrimSpace(rec.Text(a.PostalCode) + " " + rec.Text(a.City)), rec.Text(a.Region), rec.Text(a.Country),
	} {
		if line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// PDF draws a quote. It takes a part of a second and some megabytes, so that a business has one drawn at a time, and all of them few: whoever comes meanwhile waits.
func (e *Engine) PDF(ctx context.Context, t store.Tenant, s *QuoteSheet) ([]byte, error) {
	done, err := e.press.begin(ctx, t.ID())
	if err != nil {
		return nil, err
	}
	defer done()
	pdf, err := offer.PDF(s.Sheet)
	if errors.Is(err, offer.ErrTooLong) {
		return nil, problem.New(problem.Conflict, "The quote would have more than %d pages; shorten the texts of its lines and terms.", offer.MaxPages)
	}
	return pdf, err
}

// press bounds how many PDFs are drawn at once.
type press struct {
	mu sync.Mutex
	// by has for each business that waits its turn, and how many wait.
	by    map[schema.UUID]*turnstile
	slots chan struct{}
}

type turnstile struct {
	free    chan struct{}
	waiting int
}

// pressWait is how long somebody waits for a PDF to be begun, and mostDrawn how many are drawn at once.
const (
	pressWait = 10 * time.Second
	mostDrawn = 2
)

func newPress() *press {
	return &press{by: map[schema.UUID]*turnstile{}, slots: make(chan struct{}, mostDrawn)}
}

// begin waits for the business's turn and then for a slot. The caller ends both with done.
func (p *press) begin(ctx context.Context, business schema.UUID) (done func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, pressWait)
	defer cancel()
	p.mu.Lock()
	turn := p.by[business]
	if turn == nil {
		turn = &turnstile{free: make(chan struct{}, 1)}
		p.by[business] = turn
	}
	turn.waiting++
	p.mu.Unlock()
	leave := func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if turn.waiting--; turn.waiting == 0 {
			delete(p.by, business)
		}
	}
	tooLong := problem.New(problem.Timeout, "Other PDFs are being made. Ask again in a moment.")
	select {
	case turn.free <- struct{}{}:
	case <-ctx.Done():
		leave()
		return nil, tooLong
	}
	select {
	case p.slots <- struct{}{}:
		return func() { <-p.slots; <-turn.free; leave() }, nil
	case <-ctx.Done():
		<-turn.free
		leave()
		return nil, tooLong
	}
}
