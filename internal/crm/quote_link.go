package crm

import (
	"context"
	"errors"
	"time"
	"unicode/utf8"

	"kith/internal/body"
	"kith/internal/problem"
	"kith/internal/schema"
	"kith/internal/store"
	"kith/internal/store/keep"
)

// ByLink is what the change log calls the app of a customer who answers by the link of a quote.
const ByLink = "link"

// share is the action that answers a secret, so that it is done for one quote at a time.
const share = "share"

// QuotePath begins the path of the page of a quote; its secret follows.
const QuotePath = "/quote/"

// ErrQuoteLink is why a link opens nothing: there is none, it was withdrawn, or its quote is not to be seen any more. Nobody is told which.
var ErrQuoteLink = errors.New("the link of the quote does not work")

// shareQuote makes the link of a quote, and ends the one before. It belongs to the quote and to no user, so that it goes on when who made it has left.
func shareQuote(w *write, _ *body.Changes) error {
	if from := w.rec.Text(Quotes.Status); from != "sent" {
		return &problem.Problem{
			Code: problem.InvalidTransition, Allowed: quote.States.From(from),
			Detail: "A quote that is " + from + " cannot be shared; only one that is sent and not answered can.",
		}
	}
	if err := mayShow(w); err != nil {
		return err
	}
	if err := keep.DropSecrets(w.Tx, QuoteLink, w.rec.ID()); err != nil {
		return err
	}
	secret, hash := NewSecret(QuoteLink, w.Tx.ID())
	link := keep.Credential{Kind: QuoteLink, User: w.rec.ID(), Parent: w.rec.ID()}
	if day := w.rec.Get(Quotes.ValidUntil); day.Set {
		link.ExpiresAt = time.Unix((day.N+1)*secondsOfDay, 0).UTC()
	}
	if err := keep.PutCredential(w.Tx, hash, link); err != nil {
		return err
	}
	w.Audit(store.AuditEntry{Action: LinkMade, Resource: quote.Name, Record: schema.FormatID(quote.Name, w.rec.ID()), Fields: []string{"quote"}})
	w.rec.Put(Quotes.SharedAt, schema.TimeValue(w.Now))
	w.rec.Once = &schema.Secret{Name: quote.Secret, Value: QuotePath + secret}
	return nil
}

// mayShow refuses who may not read what the page of a link shows: the quote and its customer. Otherwise they could read it there.
func mayShow(w *write) error {
	for _, shown := range []struct {
		kind *Kind
		id   schema.Value
	}{{quote, w.rec.Get(Quotes.ID)}, {company, w.rec.Get(Quotes.CompanyID)}, {contact, w.rec.Get(Quotes.ContactID)}} {
		if !shown.id.Set {
			continue
		}
		if _, err := w.who.Allow(&shown.kind.Resource, Read); err != nil {
			return err
		}
		rec, err := w.find(shown.kind, shown.id.UUID())
		if err != nil {
			return err
		}
		if rec != nil && !w.who.mayRead(&shown.kind.Resource, rec) {
			return problem.New(problem.ForbiddenByRole, "The page of the link shows the %s, which your role does not let you read.", shown.kind.Name)
		}
	}
	return nil
}

// unshareQuote ends the link of a quote, if it has one.
func unshareQuote(w *write, _ *body.Changes) error {
	if !w.rec.Get(Quotes.SharedAt).Set {
		return nil
	}
	w.rec.Put(Quotes.SharedAt, schema.Absent(schema.Time))
	return keep.DropSecrets(w.Tx, QuoteLink, w.rec.ID())
}

// OpenQuote finds the quote of a link, as it was sent. It changes nothing: mail programs open links on their own.
func (e *Engine) OpenQuote(ctx context.Context, secret string) (store.Tenant, *QuoteSheet, error) {
	link, err := e.quoteLink(ctx, secret)
	if err != nil {
		return store.Tenant{}, nil, err
	}
	t := link.Tenant
	rec, err := t.Get(ctx, &quote.Resource, link.Parent, false)
	if errors.Is(err, store.ErrNotFound) || err == nil && !opens(link, rec) {
		return t, nil, ErrQuoteLink
	}
	if err != nil {
		return t, nil, err
	}
	sheet, err := e.quoteSheet(ctx, Call{Principal: systemPrincipal(t, schema.UUID{})}, rec)
	return t, sheet, err
}

// quoteLink finds a link that has not expired.
func (e *Engine) quoteLink(ctx context.Context, secret string) (*keep.Credential, error) {
	if !WellFormed(QuoteLink, secret) {
		return nil, ErrQuoteLink
	}
	link, err := keep.FindCredential(ctx, e.store, Presented(secret))
	if errors.Is(err, store.ErrNotFound) || err == nil && (link.Kind != QuoteLink || !link.ExpiresAt.IsZero() && !time.Now().Before(link.ExpiresAt)) {
		return nil, ErrQuoteLink
	}
	return link, err
}

// opens tells whether a link is the one that its quote has, which may have been replaced since it was looked up, and whether the quote is to be seen: once it was sent, and until it has expired.
func opens(link *keep.Credential, rec *schema.Record) bool {
	shared, status := rec.Get(Quotes.SharedAt), rec.Text(Quotes.Status)
	return shared.Set && shared == schema.TimeValue(link.CreatedAt) && status != quote.States.Lapse.To && status != quote.States.Initial
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

// AnswerQuote accepts or declines a quote by its link. Of several answers the first counts; the others are told that the state does not allow them.
func (e *Engine) AnswerQuote(ctx context.Context, secret string, a Answer) error {
	link, err := e.quoteLink(ctx, secret)
	if err != nil {
		return err
	}
	by := store.Actor{Client: ByLink, RequestID: a.RequestID, Address: a.Address}
	return link.Tenant.Write(ctx, by, func(tx *store.Tx) error {
		who, _, err := e.inform(tx, systemPrincipal(link.Tenant, schema.UUID{}))
		if err != nil {
			return err
		}
		rec, err := tx.Get(who.Resource(quote), link.Parent, false)
		if errors.Is(err, store.ErrNotFound) || err == nil && !opens(link, rec) {
			return ErrQuoteLink
		}
		if err != nil {
			return err
		}
		w := &write{Tx: tx, e: e, who: who, kind: quote, action: "decline", old: rec, rec: rec.Clone()}
		stamp := Quotes.DeclinedAt
		if a.Accepts {
			w.action, stamp = "accept", Quotes.AcceptedAt
		}
		if err := moveQuote(w, stamp); err != nil || !w.changed(Quotes.Status) {
			return err
		}
		w.rec.PutText(Quotes.AnsweredFrom, a.Address)
		if a.Accepts {
			w.rec.PutText(Quotes.AcceptedBy, a.Name)
		} else if a.Reason != "" {
			w.rec.PutText(Quotes.DeclinedReason, a.Reason)
		}
		if err := w.check(); err != nil {
			return err
		}
		_, err = w.save()
		return err
	})
}
