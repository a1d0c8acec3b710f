package crm

import (
	"slices"

	"kith/internal/body"
	"kith/internal/problem"
	"kith/internal/schema"
)

var quote = &Kind{Resource: schema.Resource{
	Name: "quote", Plural: "quotes", Label: "Quote",
	Fields: []schema.Field{
		{Name: "number", Kind: schema.Integer, Label: "Number", ReadOnly: true, Required: true, Sorted: true, About: "Counts up from 1 in each business."},
		{Name: "title", Kind: schema.Text, Label: "Title", Searchable: true},
		{Name: "status", Kind: schema.Choice, Options: []string{"draft", "sent", "accepted", "declined", "expired"}, Label: "Status", Required: true, ReadOnly: true, Indexed: true},
		{Name: "deal_id", Kind: schema.ID, Ref: "deal", Label: "Deal", Indexed: true},
		{Name: "company_id", Kind: schema.ID, Ref: "company", Label: "Company", Indexed: true},
		{Name: "contact_id", Kind: schema.ID, Ref: "contact", Label: "Contact", Indexed: true},
		{Name: "currency", Kind: schema.Text, Format: schema.Currency, Label: "Currency", Required: true, Derived: true, About: "That of the deal, the first line or the business when not given."},
		lineItems,
		{Name: "subtotal", Kind: schema.Money, Label: "Subtotal", ReadOnly: true, Required: true},
		{Name: "discount_total", Kind: schema.Money, Label: "Discount", ReadOnly: true, Required: true},
		{Name: "tax_total", Kind: schema.Money, Label: "Tax", ReadOnly: true, Required: true},
		{Name: "total", Kind: schema.Money, Label: "Total", ReadOnly: true, Required: true, Sorted: true},
		{Name: "valid_until", Kind: schema.Date, Label: "Valid until", Sorted: true, About: "The last valid day, UTC."},
		{Name: "terms", Kind: schema.LongText, Label: "Terms"},
		{Name: "sent_at", Kind: schema.Time, Label: "Sent", ReadOnly: true},
		{Name: "accepted_at", Kind: schema.Time, Label: "Accepted", ReadOnly: true},
		{Name: "declined_at", Kind: schema.Time, Label: "Declined", ReadOnly: true},
		{Name: "declined_reason", Kind: schema.Text, Label: "Declined because", ReadOnly: true, Max: schema.Bound(1000)},
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
		{Name: "send", About: "Freezes the quote."},
		{Name: "accept", About: "Notes that the customer accepted."},
		{Name: "decline", Body: []schema.Field{{Name: "declined_reason", Kind: schema.Text, Max: schema.Bound(1000)}}, About: "Notes that the customer declined."},
		{Name: "revise", About: "Copies the quote into a new draft, which is the answer."},
	},
}}

// loose are the fields of a quote that can change after it was sent.
var loose = []string{"owner_id", "external_id", "tags", "custom_fields"}

func init() {
	quote.prepare = prepareQuote
	quote.acts = map[string]func(*write, *body.Changes) error{
		"send":    func(w *write, _ *body.Changes) error { return moveQuote(w, "sent_at") },
		"accept":  func(w *write, _ *body.Changes) error { return moveQuote(w, "accepted_at") },
		"decline": declineQuote,
		"revise":  reviseQuote,
	}
}

func prepareQuote(w *write) error {
	if w.old != nil && w.action == "update" && w.old.Text("status") != "draft" {
		for i, l := range quote.Leaves {
			if w.old.Values[i] != w.rec.Values[i] && !slices.Contains(loose, l.Path) {
				moves := quote.States.From(w.old.Text("status"))
				return &problem.Problem{
					Code: problem.InvalidTransition, Allowed: moves,
					Detail: "A quote that is " + w.old.Text("status") + " is frozen; revise it to get a new draft.",
				}
			}
		}
		return nil
	}
	if w.old == nil {
		number, err := w.Next("quote.number")
		if err != nil {
			return err
		}
		w.rec.Put("number", schema.IntValue(schema.Integer, number))
		if id := w.rec.Get("deal_id"); id.Set && !w.rec.Get("currency").Set {
			d, err := w.source(deal, id.UUID())
			if err != nil {
				return err
			}
			if d != nil {
				w.rec.PutText("currency", d.Text("currency"))
			}
		}
	}
	sum, err := w.priceLines()
	w.rec.Put("subtotal", schema.IntValue(schema.Money, sum.subtotal))
	w.rec.Put("discount_total", schema.IntValue(schema.Money, sum.discount))
	w.rec.Put("tax_total", schema.IntValue(schema.Money, sum.tax))
	w.rec.Put("total", schema.IntValue(schema.Money, sum.net+sum.tax))
	return err
}

func moveQuote(w *write, stamp string) error {
	moved, err := w.move()
	if moved {
		w.rec.Put(stamp, schema.TimeValue(w.Now))
	}
	return err
}

func declineQuote(w *write, args *body.Changes) error {
	if err := moveQuote(w, "declined_at"); err != nil || !w.changed("status") {
		return err
	}
	w.rec.Put("declined_reason", args.Get("declined_reason"))
	return nil
}

// reviseQuote copies the quote, its snapshots included, into a new draft of the acting user.
func reviseQuote(w *write, _ *body.Changes) error {
	if from := w.rec.Text("status"); !slices.Contains(quote.States.From(from), "revise") {
		return w.forbiddenMove(from, "revised")
	}
	draft := w.old.Clone()
	for _, path := range []string{"external_id", "sent_at", "accepted_at", "declined_at", "declined_reason"} {
		draft.Put(path, schema.Absent(draft.Must(path).Kind))
	}
	if day := draft.Get("valid_until"); day.Set && day.N < schema.DateValue(w.Now).N {
		draft.Put("valid_until", schema.Absent(schema.Date))
	}
	number, err := w.Next("quote.number")
	if err != nil {
		return err
	}
	draft.Put("number", schema.IntValue(schema.Integer, number))
	draft.PutText("status", "draft")
	draft.Put("id", schema.IDValue(schema.NewID(w.Now)))
	draft.Put("version", schema.IntValue(schema.Integer, 1))
	for _, path := range []string{"created_at", "updated_at"} {
		draft.Put(path, schema.TimeValue(w.Now))
	}
	for _, path := range []string{"created_by", "updated_by", "owner_id"} {
		draft.Put(path, schema.IDValue(w.who.User))
	}
	w.rec = draft
	return w.Insert(&quote.Resource, draft, "revise")
}
