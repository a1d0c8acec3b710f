package crm

import (
	"fmt"
	"slices"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
)

var Quote = &record.Kind{Resource: schema.Resource{
	Name: "quote", Plural: "quotes", Label: "Quote",
	Access:  schema.Access{Secret: "link"},
	Summary: schema.Summary{NamedBy: []string{"title", "number"}, Telling: []string{"status", "total", "currency"}},
	Layout: schema.Layout{
		Head: []string{"company_id", "contact_id", "total", "valid_until"},
		Form: []string{"title", "deal_id", "company_id", "contact_id", "currency", "valid_until"},
	},
	Example: `{"title":"Two cranes","company_id":"company_01kh4xv1qcf0mvq8gk8d8mvxd9",` +
		`"line_items":[{"product_id":"product_01kh4xv1qcf0mvq8gk8d8mvxd9","quantity":"2"},{"name":"Delivery","unit_price":"900.00",` +
		`"tax_rate":25}],"valid_until":"2099-12-31"}`,
	Fields: []schema.Field{
		{
			Name: "number", Kind: schema.Integer, Label: "Number", Required: true, ReadOnly: true, Writing: schema.Writing{Counted: true},
			Find: schema.Find{Sorted: true}, About: "Counts up from 1 in each business.",
		},
		{Name: "title", Kind: schema.Text, Label: "Title", Find: schema.Find{Searchable: true}},
		{
			Name: "status", Kind: schema.Choice, Options: []string{"draft", "sent", "accepted", "declined", "expired"}, Label: "Status",
			OptionColours: []string{"gray", "blue", "green", "red", "orange"},
			Required:      true, ReadOnly: true, Find: schema.Find{Indexed: true},
		},
		about("deal", "Deal"),
		about("company", "Company"),
		about("contact", "Contact"),
		{
			Name: "currency", Kind: schema.Text, Format: schema.Currency, Label: "Currency", Required: true, Derived: true,
			About: "That of the deal, the first line or the business when not given.",
		},
		lineItems,
		{Name: "subtotal", Kind: schema.Money, Label: "Subtotal", ReadOnly: true, Required: true},
		{Name: "discount_total", Kind: schema.Money, Label: "Discount", ReadOnly: true, Required: true},
		{Name: "tax_total", Kind: schema.Money, Label: "Tax", ReadOnly: true, Required: true},
		{Name: "total", Kind: schema.Money, Label: "Total", Required: true, ReadOnly: true, Find: schema.Find{Sorted: true}},
		{Name: "valid_until", Kind: schema.Date, Label: "Valid until", Find: schema.Find{Sorted: true}, About: "The last valid day, UTC."},
		{Name: "terms", Kind: schema.LongText, Label: "Terms"},
		{Name: "sent_at", Kind: schema.Time, Label: "Sent", ReadOnly: true, Writing: schema.Writing{SetBy: []string{"send"}}},
		{Name: "accepted_at", Kind: schema.Time, Label: "Accepted", ReadOnly: true, Writing: schema.Writing{SetBy: []string{"accept"}}},
		{Name: "declined_at", Kind: schema.Time, Label: "Declined", ReadOnly: true, Writing: schema.Writing{SetBy: []string{"decline"}}},
		{
			Name: "declined_reason", Kind: schema.Text, Label: "Declined because", Max: schema.Bound(1000), ReadOnly: true,
			Writing: schema.Writing{SetBy: []string{"decline"}},
		},
		{
			Name: "shared_at", Kind: schema.Time, Label: "Link made", ReadOnly: true,
			Writing: schema.Writing{SetBy: []string{"share", "unshare"}},
			About:   "Since when the customer has a link; absent where there is none.",
		},
		{
			Name: "accepted_by", Kind: schema.Text, Label: "Accepted by", ReadOnly: true,
			About: "The name that the customer gave who accepted by the link.",
		},
		{
			Name: "answered_from", Kind: schema.Text, Label: "Answered from", ReadOnly: true,
			About: "The network address from which the customer answered by the link.",
		},
	},
	States: &schema.States{
		Field: "status", Initial: "draft",
		Moves: []schema.Move{
			{Name: "send", From: []string{"draft"}, To: "sent"},
			{Name: "accept", From: []string{"sent"}, To: "accepted"},
			{Name: "decline", From: []string{"sent"}, To: "declined"},
			// Revising leaves the quote as it is and makes a new draft.
			{Name: "revise", From: []string{"sent", "accepted", "declined", "expired"}, To: "draft"},
		},
		Lapse: &schema.Lapse{From: "sent", To: "expired", After: "valid_until"},
	},
	Actions: []schema.Action{
		{Name: "send", About: "Freezes the quote, which must have a line and a contact or company."},
		{Name: "accept", About: "Notes that the customer accepted."},
		{
			Name: "decline", Body: []schema.Field{{Name: "declined_reason", Kind: schema.Text, Max: schema.Bound(1000)}},
			Example: `{"declined_reason":"Too late for this year"}`, About: "Notes that the customer declined.",
		},
		{Name: "share", Alone: true, About: "Makes the link by which the customer of a sent quote reads and answers it, and ends the one " +
			"before. Its path is answered once, as link."},
		{Name: "unshare", About: "Ends the link of the customer."},
		{Name: "revise", Makes: true, About: "Copies the quote into a new draft, which is the answer. The link of a quote that is not " +
			"answered ends."},
	},
}}

// Quotes are the fields of quotes that code names.
var Quotes struct {
	schema.Common
	document
	Number, Title, Status, DealID, Subtotal, DiscountTotal, TaxTotal, Total *schema.Leaf
	ValidUntil, Terms, SentAt, AcceptedAt, DeclinedAt, DeclinedReason       *schema.Leaf
	SharedAt, AcceptedBy, AnsweredFrom                                      *schema.Leaf
}

var declining struct{ DeclinedReason *schema.Leaf }

// loose are the fields of a quote that can change after it was sent.
var loose []*schema.Leaf

func declareQuotes() {
	schema.Bind(&Quote.Shape, &Quotes)
	schema.Bind(Quote.Arguments("decline"), &declining)
	loose = []*schema.Leaf{Quotes.OwnerID, Quotes.ExternalID, Quotes.Tags, Quotes.CustomFields}
	Quote.Prepare = prepareQuote
	Quote.Validate = validateQuote
	Quote.Writing = func(w *record.Mutation) error {
		if p := w.Proposed(); changesFrozen(p) && unshares(p) {
			return keep.DropSecrets(w.Tx, record.QuoteLink, w.Rec.ID())
		}
		return nil
	}
	Quote.Check = wrongSums
	Quote.Acts = map[string]func(*record.Mutation, *body.Changes) error{
		"send":    sendQuote,
		"accept":  func(w *record.Mutation, _ *body.Changes) error { return moveQuote(w, Quotes.AcceptedAt) },
		"decline": declineQuote,
		"share":   shareQuote,
		"unshare": unshareQuote,
		"revise":  reviseQuote,
	}
	Quote.Carried = []*schema.Leaf{
		Quotes.Number, Quotes.Status, Quotes.SentAt, Quotes.AcceptedAt, Quotes.DeclinedAt, Quotes.DeclinedReason, Quotes.AcceptedBy,
		Quotes.AnsweredFrom,
	}
	Quote.Removing = func(w *record.Mutation) error { return unshareQuote(w, nil) }
}

// changesFrozen tells that a quote would be changed that was sent.
func changesFrozen(p record.Proposed) bool {
	return !p.New() && p.Action() == record.Update && p.Before().Text(Quotes.Status) != "draft"
}

// unshares tells that the link of a quote is taken back with what made it.
func unshares(p record.Proposed) bool {
	return p.Undoes() && p.Changed(Quotes.SharedAt) && !p.Get(Quotes.SharedAt).Set
}

func validateQuote(p record.Proposed) error {
	if !changesFrozen(p) {
		return nil
	}
	for _, l := range Quote.Leaves {
		if !p.Changed(l) || slices.Contains(loose, l) || l == Quotes.SharedAt && unshares(p) {
			continue
		}
		was := p.Before().Text(Quotes.Status)
		return &problem.Problem{
			Code: problem.InvalidTransition, Allowed: Quote.States.From(was),
			Detail: "A quote that is " + was + " is frozen; revise it to get a new draft.",
		}
	}
	return nil
}

func prepareQuote(w *record.Mutation) error {
	if changesFrozen(w.Proposed()) { // nothing follows from what it is refused for, or does not matter
		return nil
	}
	if w.Old == nil {
		if err := takeNumber(w, w.Rec); err != nil {
			return err
		}
	}
	if w.Changed(Quotes.DealID) || !w.Rec.Get(Quotes.Currency).Set {
		if err := takeFromDeal(w); err != nil {
			return err
		}
	}
	sum, err := priceLines(w, Quotes.document)
	w.Rec.Put(Quotes.Subtotal, schema.IntValue(schema.Money, sum.subtotal))
	w.Rec.Put(Quotes.DiscountTotal, schema.IntValue(schema.Money, sum.discount))
	w.Rec.Put(Quotes.TaxTotal, schema.IntValue(schema.Money, sum.tax))
	w.Rec.Put(Quotes.Total, schema.IntValue(schema.Money, sum.net+sum.tax))
	return err
}

// takeFromDeal fills in the customer and currency of the deal where the quote has none and the request does not say that it is to
// have none. What was deleted in the meantime is not taken.
func takeFromDeal(w *record.Mutation) error {
	id := w.Rec.Get(Quotes.DealID)
	if !id.Set {
		return nil
	}
	d, err := source(w, Deal, id.UUID())
	if problem.As(err) != nil && w.Rec.Get(Quotes.Currency).Set {
		return nil // who may not read the deal takes nothing from it, and needs nothing
	}
	if d == nil || err != nil {
		return err
	}
	if !w.Rec.Get(Quotes.Currency).Set {
		w.Rec.PutText(Quotes.Currency, d.Text(Deals.Currency))
	}
	if !w.Changed(Quotes.DealID) {
		return nil
	}
	for _, customer := range []struct {
		kind     *record.Kind
		from, to *schema.Leaf
	}{{Contact, Deals.ContactID, Quotes.ContactID}, {Company, Deals.CompanyID, Quotes.CompanyID}} {
		v := d.Get(customer.from)
		if !v.Set || w.Rec.Get(customer.to).Set || w.Gave(customer.to) {
			continue
		}
		found, err := w.Lookup(customer.kind, v.UUID())
		if err != nil {
			return err
		}
		if found != nil {
			w.Rec.Put(customer.to, v)
		}
	}
	return nil
}

// sendQuote freezes a quote that says what is offered, and to whom.
func sendQuote(w *record.Mutation, _ *body.Changes) error {
	if err := moveQuote(w, Quotes.SentAt); err != nil || !w.Changed(Quotes.Status) {
		return err
	}
	if !w.Rec.Get(Quotes.LineItems).Set {
		w.Wrong.Add(Quotes.LineItems.Path, "required", "must have a line before the quote is sent")
	}
	if !w.Rec.Get(Quotes.ContactID).Set && !w.Rec.Get(Quotes.CompanyID).Set {
		for _, l := range []*schema.Leaf{Quotes.ContactID, Quotes.CompanyID} {
			w.Wrong.Add(l.Path, "required", "a contact or a company must be given before the quote is sent")
		}
	}
	return nil
}

func moveQuote(w *record.Mutation, stamp *schema.Leaf) error {
	moved, err := w.Move()
	if moved {
		w.Rec.Put(stamp, schema.TimeValue(w.Now))
	}
	return err
}

func declineQuote(w *record.Mutation, args *body.Changes) error {
	if err := moveQuote(w, Quotes.DeclinedAt); err != nil || !w.Changed(Quotes.Status) {
		return err
	}
	w.Rec.Put(Quotes.DeclinedReason, args.Get(declining.DeclinedReason))
	return nil
}

// reviseQuote copies the quote, its snapshots included, into a new draft of the acting user.
func reviseQuote(w *record.Mutation, _ *body.Changes) error {
	if from := w.Rec.Text(Quotes.Status); !slices.Contains(Quote.States.From(from), "revise") {
		return Quote.ForbiddenMove(from, "revised")
	}
	if w.Rec.Text(Quotes.Status) == "sent" && w.Rec.Get(Quotes.SharedAt).Set { // nobody is to accept what is being revised
		if err := unshareQuote(w, nil); err != nil {
			return err
		}
		if _, err := w.Save(); err != nil {
			return err
		}
	}
	draft := w.Old.Clone()
	for _, l := range []*schema.Leaf{
		Quotes.ExternalID, Quotes.SentAt, Quotes.AcceptedAt, Quotes.DeclinedAt, Quotes.DeclinedReason,
		Quotes.SharedAt, Quotes.AcceptedBy, Quotes.AnsweredFrom,
	} {
		draft.Put(l, schema.Absent(l.Kind))
	}
	for _, l := range draft.Filed() {
		if l.Identity.Unique { // it stays with the quote that has it
			draft.Put(l, schema.Absent(l.Kind))
		}
	}
	if day := draft.Get(Quotes.ValidUntil); day.Set && day.N < schema.DateValue(w.Now).N {
		draft.Put(Quotes.ValidUntil, schema.Absent(schema.Date))
	}
	if err := takeNumber(w, draft); err != nil {
		return err
	}
	draft.PutText(Quotes.Status, "draft")
	draft.Put(Quotes.ID, schema.IDValue(w.NewID()))
	draft.Put(Quotes.Version, schema.IntValue(schema.Integer, 1))
	for _, l := range []*schema.Leaf{Quotes.CreatedAt, Quotes.UpdatedAt} {
		draft.Put(l, schema.TimeValue(w.Now))
	}
	for _, l := range []*schema.Leaf{Quotes.CreatedBy, Quotes.UpdatedBy, Quotes.OwnerID} {
		draft.Put(l, schema.IDValue(w.Who.User))
	}
	w.Made = draft
	return w.Insert(&Quote.Resource, draft, "revise")
}

func takeNumber(w *record.Mutation, rec *schema.Record) error {
	number, err := store.Next(w.Tx, Quote.Counter(Quotes.Number))
	rec.Put(Quotes.Number, schema.IntValue(schema.Integer, number))
	return err
}

// wrongSums tells which sums of a quote are not those of its lines.
func wrongSums(rec *schema.Record) (wrong []string) {
	items, err := body.Items(rec.Get(Quotes.LineItems), Quote.Inner[Quotes.LineItems.Name])
	if err != nil {
		return []string{fmt.Sprintf("%s cannot be read: %v", Quotes.LineItems.Path, err)}
	}
	var sum totals
	for i, item := range items {
		gross, total, tax, ok := Quotes.priceLine(item, rec.Text(Quotes.Currency))
		if kept := item.Get(Quotes.Line.Total); !ok || kept.N != total {
			wrong = append(wrong, fmt.Sprintf("the total of line %d of %s is %s, expected %s", i+1, Quotes.LineItems.Path,
				schema.AppendValue(nil, Quotes.Line.Total, kept),
				schema.AppendValue(nil, Quotes.Line.Total, schema.IntValue(schema.Money, total))))
		}
		sum.subtotal, sum.discount, sum.tax, sum.net = sum.subtotal+gross, sum.discount+gross-total, sum.tax+tax, sum.net+total
	}
	for _, kept := range []struct {
		leaf *schema.Leaf
		sum  int64
	}{
		{Quotes.Subtotal, sum.subtotal},
		{Quotes.DiscountTotal, sum.discount},
		{Quotes.TaxTotal, sum.tax},
		{Quotes.Total, sum.net + sum.tax},
	} {
		wrong = append(wrong, record.Differs(rec, kept.leaf, schema.IntValue(schema.Money, kept.sum))...)
	}
	return wrong
}
