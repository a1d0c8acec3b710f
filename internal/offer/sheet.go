// Package offer shows quotes to their customers: what is on the paper, and the link by which they read and answer it.
package offer

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/paper"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// Sheet is a quote as its customer reads it, with a tag that changes with everything that is on it.
type Sheet struct {
	*paper.Sheet
	Tag    string
	Record *schema.Record
}

// Status is where the quote is in its life.
func (s *Sheet) Status() string { return s.Record.Text(crm.Quotes.Status) }

// AcceptedBy is the name that was given where a customer accepted the quote by the link.
func (s *Sheet) AcceptedBy() string { return s.Record.Text(crm.Quotes.AcceptedBy) }

// sheetEdition is part of every tag; it rises when the same records come to look different.
const sheetEdition = "1"

// ReadSheet reads what is on a quote: the quote itself, the business as it is now, and of the customer what the caller may read.
func ReadSheet(ctx context.Context, e *record.Engine, c record.Call, id string) (*Sheet, error) {
	rec, err := c.Get(ctx, crm.Quote, id)
	if err != nil {
		return nil, err
	}
	return sheetOf(ctx, e, c, rec)
}

func sheetOf(ctx context.Context, e *record.Engine, c record.Call, rec *schema.Record) (*Sheet, error) {
	business, err := c.Business(ctx)
	if err != nil {
		return nil, err
	}
	firm, err := onSheet(ctx, c, crm.Company, rec.Get(crm.Quotes.CompanyID))
	if err != nil {
		return nil, err
	}
	person, err := onSheet(ctx, c, crm.Contact, rec.Get(crm.Quotes.ContactID))
	if err != nil {
		return nil, err
	}
	items, err := body.Items(rec.Get(crm.Quotes.LineItems), crm.Quote.Inner[crm.Quotes.LineItems.Name])
	if err != nil {
		return nil, fmt.Errorf("read line items: %w", err)
	}
	s := &paper.Sheet{
		Locale: paper.LocaleOf(business.Text(record.OwnBusiness.Locale)), Seller: seller(business), Customer: customer(firm, person),
		Number: strconv.FormatInt(rec.Get(crm.Quotes.Number).N, 10), Title: rec.Text(crm.Quotes.Title),
		Draft: rec.Text(crm.Quotes.Status) == crm.Quote.States.Initial, Currency: rec.Text(crm.Quotes.Currency),
		Footer: business.Text(record.OwnBusiness.QuoteFooter), At: rec.Get(crm.Quotes.UpdatedAt).Time(),
	}
	if business.Get(record.OwnBusiness.Logo).Set {
		if s.Logo, err = c.Tenant.Logo(ctx); err != nil {
			return nil, err
		}
	}
	if sent := rec.Get(crm.Quotes.SentAt); sent.Set {
		s.At = sent.Time()
	}
	s.Date = s.Locale.Date(s.At.In(record.ZoneNamed(business.Text(record.OwnBusiness.Timezone))))
	if day := rec.Get(crm.Quotes.ValidUntil); day.Set {
		s.ValidUntil = s.Locale.Date(time.Unix(day.N*crm.SecondsOfDay, 0).UTC())
	}
	for _, text := range []string{rec.Text(crm.Quotes.Terms), business.Text(record.OwnBusiness.QuoteTerms)} {
		if text != "" {
			s.Terms = append(s.Terms, text)
		}
	}
	for _, item := range items {
		s.Lines = append(s.Lines, lineOf(item, s))
	}
	amount := func(l *schema.Leaf) string { return s.Locale.Amount(rec.Get(l).N, s.Currency) }
	s.Subtotal, s.Total = amount(crm.Quotes.Subtotal), amount(crm.Quotes.Total)
	if n := rec.Get(crm.Quotes.DiscountTotal).N; n != 0 {
		s.Discount = s.Locale.Amount(-n, s.Currency)
	}
	if rec.Get(crm.Quotes.TaxTotal).N != 0 || s.Taxed() {
		s.Tax = amount(crm.Quotes.TaxTotal)
	}
	tag := `"` + sheetEdition
	for _, part := range []*schema.Record{rec, business, firm, person} {
		version := int64(0)
		if part != nil {
			version = part.Version()
		}
		tag += "." + strconv.FormatInt(version, 10)
	}
	return &Sheet{s, tag + `"`, rec}, nil
}

func lineOf(item *schema.Record, s *paper.Sheet) paper.Line {
	of := crm.Quotes.Line
	l := paper.Line{
		Name: item.Text(of.Name), SKU: item.Text(of.SKU), Description: item.Text(of.Description),
		Quantity:  s.Locale.Decimal(item.Get(of.Quantity).N, 0),
		UnitPrice: s.Locale.Amount(item.Get(of.UnitPrice).N, s.Currency), Total: s.Locale.Amount(item.Get(of.Total).N, s.Currency),
	}
	if n := item.Get(of.DiscountPercent).N; n != 0 {
		l.Discount = s.Locale.Percent(n)
	}
	if n := item.Get(of.TaxRate).N; n != 0 {
		l.Tax = s.Locale.Percent(n)
	}
	return l
}

// onSheet reads a record that a quote names, or nil where there is none, or none that the caller may read.
func onSheet(ctx context.Context, c record.Call, k *record.Kind, id schema.Value) (*schema.Record, error) {
	if !id.Set {
		return nil, nil
	}
	rec, err := c.Tenant.Get(ctx, c.Resource(k), id.UUID(), false)
	if errors.Is(err, store.ErrNotFound) || err == nil && !c.MayRead(&k.Resource, rec) {
		return nil, nil
	}
	return rec, err
}

func seller(business *schema.Record) paper.Party {
	p := paper.Party{Name: business.Text(record.OwnBusiness.Name)}
	if address := business.Text(record.OwnBusiness.Address); address != "" {
		p.Lines = strings.Split(address, "\n")
	}
	if id := business.Text(record.OwnBusiness.TaxID); id != "" {
		p.Lines = append(p.Lines, id)
	}
	return p
}

// customer is whom a quote is for: a company and the person there, or a person alone.
func customer(firm, person *schema.Record) (p paper.Party) {
	if firm == nil && person == nil {
		return p
	}
	if firm == nil {
		p.Name = person.Text(crm.Contacts.Name)
		p.Lines = postal(person, crm.Contacts.Address)
		return p
	}
	if p.Name = firm.Text(crm.Companies.LegalName); p.Name == "" {
		p.Name = firm.Text(crm.Companies.Name)
	}
	if person != nil {
		p.Lines = append(p.Lines, person.Text(crm.Contacts.Name))
	}
	p.Lines = append(p.Lines, postal(firm, crm.Companies.Address)...)
	return p
}

func postal(rec *schema.Record, a crm.AddressFields) (lines []string) {
	for _, line := range []string{
		rec.Text(a.Street), strings.TrimSpace(rec.Text(a.PostalCode) + " " + rec.Text(a.City)), rec.Text(a.Region), rec.Text(a.Country),
	} {
		if line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// PDF draws a quote. It takes a part of a second and some megabytes, so that a business has one drawn at a time, and all of them
// few: whoever comes meanwhile waits.
func PDF(ctx context.Context, e *record.Engine, t store.Tenant, s *Sheet) ([]byte, error) {
	done, err := e.Press().Begin(ctx, t.ID())
	if err != nil {
		return nil, err
	}
	defer done()
	pdf, err := paper.PDF(s.Sheet)
	if errors.Is(err, paper.ErrTooLong) {
		return nil, problem.New(problem.Conflict, "The quote would have more than %d pages; shorten the texts of its lines and terms.",
			paper.MaxPages)
	}
	return pdf, err
}
