// Package paper shows a quote to a customer: how amounts and dates are written where the business is, in which words, and the PDF.
// It knows nothing of records; whoever has them fills in a Sheet.
package paper

import (
	"slices"
	"time"
)

// Sheet is a quote as a customer reads it. Texts are as they were written; amounts and dates are in the form of the locale already.
type Sheet struct {
	Locale Locale
	Seller Party
	// Logo is a PNG or JPEG, or nothing.
	Logo     []byte
	Customer Party
	// Number and Title are those of the quote, Date when it was sent or last changed, ValidUntil its last day or nothing.
	Number, Title, Date, ValidUntil string
	// Draft tells that it was not sent yet.
	Draft bool
	Lines []Line
	// Subtotal, Discount and Tax lead to Total. Discount and Tax are empty where there is none.
	Subtotal, Discount, Tax, Total string
	Currency                       string
	// Terms are those of the quote, and then those of the business.
	Terms []string
	// Footer stands at the end of every page.
	Footer string
	// At is the time that the PDF says it is from, so that the same quote gives the same bytes.
	At time.Time
}

// Party is one of the two between whom the quote is.
type Party struct {
	Name string
	// Lines are the address and what else identifies them.
	Lines []string
}

// Line is what is offered. Discount and Tax are empty where there is none.
type Line struct {
	Name, SKU, Description, Quantity, UnitPrice, Discount, Tax, Total string
}

// Discounted tells whether any line has a discount.
func (s *Sheet) Discounted() bool {
	return slices.ContainsFunc(s.Lines, func(l Line) bool { return l.Discount != "" })
}

// Taxed tells whether any line has a tax.
func (s *Sheet) Taxed() bool {
	return slices.ContainsFunc(s.Lines, func(l Line) bool { return l.Tax != "" })
}

// Span is how many columns the table of lines has before the last.
func (s *Sheet) Span() int {
	span := 3
	if s.Discounted() {
		span++
	}
	if s.Taxed() {
		span++
	}
	return span
}
