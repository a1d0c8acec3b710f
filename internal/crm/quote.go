package crm

import (
	"slices"

	"kith/internal/body"
	"kith/internal/problem"
	"kith/internal/schema"
)

var quote = &Kind{Resource: schema.Resource{
	Name: "quote", Plural: "quotes", Label: "Quote",
	Example: `{"title":"Two cranes","company_id":"company_01kh4xv1qcf0mvq8gk8d8mvxd9","line_items":[{"product_id":"product_01kh4xv1qcf0mvq8gk8d8mvxd9","quantity":"2"},{"name":"Delivery","unit_price":"900.00","tax_rate":25}],"valid_until":"2099-12-31"}`,
	Secret:  "link",
	NamedBy: []string{"title", "number"}, Telling: []string{"status", "total", "currency"},
	Fields: []schema.Field{
		{Name: "number", Kind: schema.Integer, Label: "Number", ReadOnly: true, Required: true, Counted: true, Sorted: true, About: "Counts up from 1 in each business."},
		{Name: "title", Kind: schema.Text, Label: "Title", Searchable: true},
		{Name: "status", Kind: schema.Choice, Options: []string{"draft", "sent", "accepted", "declined", "expired"}, Label: "Status", Required: true, ReadOnly: true, Indexed: true},
		{Name: "deal_id", Kind: schema.ID, Ref: "deal", Label: "Deal", Indexed: true, Timeline: true},
		{Name: "company_id", Kind: schema.ID, Ref: "company", Label: "Company", Indexed: true, Timeline: true},
		{Name: "contact_id", Kind: schema.ID, Ref: "contact", Label: "Contact", Indexed: true, Timeline: true},
		{Name: "currency", Kind: schema.Text, Format: schema.Currency, Label: "Currency", Required: true, Derived: true, About: "That of the deal, the first line or the business when not given."},
		lineItems,
		{Name: "subtotal", Kind: schema.Money, Label: "Subtotal", ReadOnly: true, Required: true},
		{Name: "discount_total", Kind: schema.Money, Label: "Discount", ReadOnly: true, Required: true},
		{Name: "tax_total", Kind: schema.Money, Label: "Tax", ReadOnly: true, Required: true},
		{Name: "total", Kind: schema.Money, Label: "Total", ReadOnly: true, Required: true, Sorted: true},
		{Name: "valid_until", Kind: schema.Date, Label: "Valid until", Sorted: true, About: "The last valid day, UTC."},
		{Name: "terms", Kind: schema.LongText, Label: "Terms"},
		{Name: "sent_at", Kind: schema.Time, Label: "Sent", ReadOnly: true, SetBy: []string{"send"}},
		{Name: "accepted_at", Kind: schema.Time, Label: "Accepted", ReadOnly: true, SetBy: []string{"accept"}},
		{Name: "declined_at", Kind: schema.Time, Label: "Declined", ReadOnly: true, SetBy: []string{"decline"}},
		{Name: "declined_reason", Kind: schema.Text, Label: "Declined because", ReadOnly: true, SetBy: []string{"decline"}, Max: schema.Bound(1000)},
		{Name: "shared_at", Kind: schema.Time, Label: "Link made", ReadOnly: true, SetBy: []string{"share", "unshare"}, About: "Since when the customer has a link; absent where there is none."},
		{Name: "accepted_by", Kind: schema.Text, Label: "Accepted by", ReadOnly: true, About: "The name that the customer gave who accepted by the link."},
		{Name: "answered_from", Kind: schema.Text, Label: "Answered from", ReadOnly: true, About: "The network address from which the customer answered by the link."},
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
		{Name: "decline", Body: []schema.Field{{Name: "declined_reason", Kind: schema.Text, Max: schema.Bound(1000)}}, Example: `{"declined_reason":"Too late for this year"}`, About: "Notes that the customer declined."},
		{Name: "share", About: "Makes the link by which the customer of a sent quote reads and answers it, and ends the one before. Its path is answered once, as link."},
		{Name: "unshare", About: "Ends the link of the customer."},
		{Name: "revise", Makes: true, About: "Copies the quote into a new draft, which is the answer. The link of a quote that is not answered ends."},
	},
}}

// Quotes are the fields of quotes that code names.
var Quotes = fieldsOf[struct {
	schema.Common
	document
	Number, Title, Status, DealID, Subtotal, DiscountTotal, TaxTotal, Total *schema.Leaf
	ValidUntil, Terms, SentAt, AcceptedAt, DeclinedAt, DeclinedReason       *schema.Leaf
	SharedAt, AcceptedBy, AnsweredFrom                                      *schema.Leaf
}](quote)

// declining is what the body of decline carries.
var declining = argumentsOf[struct{ DeclinedReason *schema.Leaf }](quote, "decline")

// loose are the fields of a quote that can change after it was sent.
var loose = []*schema.Leaf{Quotes.OwnerID, Quotes.ExternalID, Quotes.Tags, Quotes.CustomFields}

func init() {
	quote.prepare = prepareQuote
	quote.acts = map[string]func(*write, *body.Changes) error{
		"send":    sendQuote,
		"accept":  func(w *write, _ *body.Changes) error { return moveQuote(w, Quotes.AcceptedAt) },
		"decline": declineQuote,
		"share":   shareQuote,
		"unshare": unshareQuote,
		"revise":  reviseQuote,
	}
	quote.removing = func(w *write) error { return unshareQuote(w, nil) }
}

func prepareQuote(w *write) error {
	if w.old != nil && w.action == "update" && w.old.Text(Quotes.Status) != "draft" {
		for i, l := range quote.Leaves {
			if w.old.Values[i] != w.rec.Values[i] && !slices.Contains(loose, l) {
				moves := quote.States.From(w.old.Text(Quotes.Status))
				return &problem.Problem{
					Code: problem.InvalidTransition, Allowed: moves,
					Detail: "A quote that is " + w.old.Text(Quotes.Status) + " is frozen; revise it to get a new draft.",
				}
			}
		}
		return nil
	}
	if w.old == nil {
		if err := w.takeNumber(w.rec); err != nil {
			return err
		}
	}
	if w.changed(Quotes.DealID) || !w.rec.Get(Quotes.Currency).Set {
		if err := takeFromDeal(w); err != nil {
			return err
		}
	}
	sum, err := w.priceLines(Quotes.document)
	w.rec.Put(Quotes.Subtotal, schema.IntValue(schema.Money, sum.subtotal))
	w.rec.Put(Quotes.DiscountTotal, schema.IntValue(schema.Money, sum.discount))
	w.rec.Put(Quotes.TaxTotal, schema.IntValue(schema.Money, sum.tax))
	w.rec.Put(Quotes.Total, schema.IntValue(schema.Money, sum.net+sum.tax))
	return err
}

// takeFromDeal fills in the customer and currency of the deal where the quote has none and the request does not say that it is to have none.
// What was deleted in the meantime is not taken.
func takeFromDeal(w *write) error {
	id := w.rec.Get(Quotes.DealID)
	if !id.Set {
		return nil
	}
	d, err := w.source(deal, id.UUID())
	if problem.As(err) != nil && w.rec.Get(Quotes.Currency).Set {
		return nil // who may not read the deal takes nothing from it, and needs nothing
	}
	if d == nil || err != nil {
		return err
	}
	if !w.rec.Get(Quotes.Currency).Set {
		w.rec.PutText(Quotes.Currency, d.Text(Deals.Currency))
	}
	if !w.changed(Quotes.DealID) {
		return nil
	}
	for _, customer := range []struct {
		kind     *Kind
		from, to *schema.Leaf
	}{{contact, Deals.ContactID, Quotes.ContactID}, {company, Deals.CompanyID, Quotes.CompanyID}} {
		v := d.Get(customer.from)
		if !v.Set || w.rec.Get(customer.to).Set || w.gave(customer.to) {
			continue
		}
		found, err := w.find(customer.kind, v.UUID())
		if err != nil {
			return err
		}
		if found != nil {
			w.rec.Put(customer.to, v)
		}
	}
	return nil
}

// sendQuote freezes a quote that says what is offered, and to whom.
func sendQuote(w *write, _ *body.Changes) error {
	if err := moveQuote(w, Quotes.SentAt); err != nil || !w.changed(Quotes.Status) {
		return err
	}
	if !w.rec.Get(Quotes.LineItems).Set {
		w.wrong.Add(Quotes.LineItems.Path, "required", "must have a line before the quote is sent")
	}
	if !w.rec.Get(Quotes.ContactID).Set && !w.rec.Get(Quotes.CompanyID).Set {
		for _, l := range []*schema.Leaf{Quotes.ContactID, Quotes.CompanyID} {
			w.wrong.Add(l.Path, "required", "a contact or a company must be given before the quote is sent")
		}
	}
	return nil
}

func moveQuote(w *write, stamp *schema.Leaf) error {
	moved, err := w.move()
	if moved {
		w.rec.Put(stamp, schema.TimeValue(w.Now))
	}
	return err
}

func declineQuote(w *write, args *body.Changes) error {
	if err := moveQuote(w, Quotes.DeclinedAt); err != nil || !w.changed(Quotes.Status) {
		return err
	}
	w.rec.Put(Quotes.DeclinedReason, args.Get(declining.DeclinedReason))
	return nil
}

// reviseQuote copies the quote, its snapshots included, into a new draft of the acting user.
func reviseQuote(w *write, _ *body.Changes) error {
	if from := w.rec.Text(Quotes.Status); !slices.Contains(quote.States.From(from), "revise") {
		return w.forbiddenMove(from, "revised")
	}
	if w.rec.Text(Quotes.Status) == "sent" && w.rec.Get(Quotes.SharedAt).Set { // nobody is to accept what is being revised
		if err := unshareQuote(w, nil); err != nil {
			return err
		}
		if _, err := w.save(); err != nil {
			return err
		}
	}
	draft := w.old.Clone()
	for _, l := range []*schema.Leaf{Quotes.ExternalID, Quotes.SentAt, Quotes.AcceptedAt, Quotes.DeclinedAt, Quotes.DeclinedReason, Quotes.SharedAt, Quotes.AcceptedBy, Quotes.AnsweredFrom} {
		draft.Put(l, schema.Absent(l.Kind))
	}
	for _, l := range draft.Filed() {
		if l.Unique { // it stays with the quote that has it
			draft.Put(l, schema.Absent(l.Kind))
		}
	}
	if day := draft.Get(Quotes.ValidUntil); day.Set && day.N < schema.DateValue(w.Now).N {
		draft.Put(Quotes.ValidUntil, schema.Absent(schema.Date))
	}
	if err := w.takeNumber(draft); err != nil {
		return err
	}
	draft.PutText(Quotes.Status, "draft")
	draft.Put(Quotes.ID, schema.IDValue(w.NewID()))
	draft.Put(Quotes.Version, schema.IntValue(schema.Integer, 1))
	for _, l := range []*schema.Leaf{Quotes.CreatedAt, Quotes.UpdatedAt} {
		draft.Put(l, schema.TimeValue(w.Now))
	}
	for _, l := range []*schema.Leaf{Quotes.CreatedBy, Quotes.UpdatedBy, Quotes.OwnerID} {
		draft.Put(l, schema.IDValue(w.who.User))
	}
	w.made = draft
	return w.Insert(&quote.Resource, draft, "revise")
}

// quoteNumber is the counter of the numbers of quotes.
const quoteNumber = "quote.number"

// takeNumber gives a quote the next number.
func (w *write) takeNumber(rec *schema.Record) error {
	number, err := w.Next(quoteNumber)
	rec.Put(Quotes.Number, schema.IntValue(schema.Integer, number))
	return err
}
