package crm

import (
	"time"
	"unicode/utf8"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
)

// A quote that was sent can be shown to its customer by a link, by which they answer it. Package offer opens the link.

// ByLink is what the change log calls the app of a customer who answers by the link of a quote.
const ByLink = "link"

// QuotePath begins the path of the page of a quote; its secret follows.
const QuotePath = "/quote/"

const SecondsOfDay = 24 * 60 * 60

// shareQuote makes the link of a quote, and ends the one before. It belongs to the quote and to no user, so that it goes on when
// who made it has left.
func shareQuote(w *record.Mutation, _ *body.Changes) error {
	if from := w.Rec.Text(Quotes.Status); from != "sent" {
		return &problem.Problem{
			Code: problem.InvalidTransition, Allowed: Quote.States.From(from),
			Detail: "A quote that is " + from + " cannot be shared; only one that is sent and not answered can.",
		}
	}
	if err := mayShow(w); err != nil {
		return err
	}
	if err := keep.DropSecrets(w.Tx, record.QuoteLink, w.Rec.ID()); err != nil {
		return err
	}
	secret, hash := record.NewSecret(record.QuoteLink, w.Tx.ID())
	link := keep.Credential{Kind: record.QuoteLink, User: w.Rec.ID(), Parent: w.Rec.ID()}
	if day := w.Rec.Get(Quotes.ValidUntil); day.Set {
		link.ExpiresAt = time.Unix((day.N+1)*SecondsOfDay, 0).UTC()
	}
	if err := keep.PutCredential(w.Tx, hash, link); err != nil {
		return err
	}
	w.Audit(store.AuditEntry{
		Action: record.LinkMade, Resource: Quote.Name, Record: schema.FormatID(Quote.Name, w.Rec.ID()),
		Fields: []string{"quote"},
	})
	w.Rec.Put(Quotes.SharedAt, schema.TimeValue(w.Now))
	w.Rec.Once = &schema.Secret{Name: Quote.Access.Secret, Value: QuotePath + secret}
	return nil
}

// mayShow refuses who may not read what the page of a link shows: the quote and its customer. Otherwise they could read it there.
func mayShow(w *record.Mutation) error {
	for _, shown := range []struct {
		kind *record.Kind
		id   schema.Value
	}{{Quote, w.Rec.Get(Quotes.ID)}, {Company, w.Rec.Get(Quotes.CompanyID)}, {Contact, w.Rec.Get(Quotes.ContactID)}} {
		if !shown.id.Set {
			continue
		}
		if _, err := w.Who.Allow(&shown.kind.Resource, record.Read); err != nil {
			return err
		}
		rec, err := w.Lookup(shown.kind, shown.id.UUID())
		if err != nil {
			return err
		}
		if rec != nil && !w.Who.MayRead(&shown.kind.Resource, rec) {
			return problem.New(problem.ForbiddenByRole, "The page of the link shows the %s, which your role does not let you read.",
				shown.kind.Name)
		}
	}
	return nil
}

func unshareQuote(w *record.Mutation, _ *body.Changes) error {
	if !w.Rec.Get(Quotes.SharedAt).Set {
		return nil
	}
	w.Rec.Put(Quotes.SharedAt, schema.Absent(schema.Time))
	return keep.DropSecrets(w.Tx, record.QuoteLink, w.Rec.ID())
}

// Answer is what a customer says to a quote.
type Answer struct {
	// Accepts tells that they accept it, in somebody's name; else they decline, with a reason or without.
	Accepts      bool
	Name, Reason string
	// Address is where they are, and RequestID the number of the request.
	Address, RequestID string
}

// The bounds of what a customer can say.
const (
	mostAnswerName = body.MaxText
	mostReason     = 1000
)

// Wrong tells which field of an answer is wrong, or nothing.
func (a Answer) Wrong() (field string) {
	switch {
	case a.Accepts && (a.Name == "" || utf8.RuneCountInString(a.Name) > mostAnswerName):
		return "name"
	case !a.Accepts && utf8.RuneCountInString(a.Reason) > mostReason:
		return "reason"
	}
	return ""
}

// AnswerQuote has a customer accept or decline a quote, which who knows as the business has it.
func AnswerQuote(e *record.Engine, tx *store.Tx, who *record.Principal, rec *schema.Record, a Answer) error {
	action, stamp := "decline", Quotes.DeclinedAt
	if a.Accepts {
		action, stamp = "accept", Quotes.AcceptedAt
	}
	w := record.Change(e, tx, who, Quote, action, rec)
	if err := moveQuote(w, stamp); err != nil || !w.Changed(Quotes.Status) {
		return err
	}
	w.Rec.PutText(Quotes.AnsweredFrom, a.Address)
	if a.Accepts {
		w.Rec.PutText(Quotes.AcceptedBy, a.Name)
	} else if a.Reason != "" {
		w.Rec.PutText(Quotes.DeclinedReason, a.Reason)
	}
	if err := w.Settle(); err != nil {
		return err
	}
	_, err := w.Save()
	return err
}
