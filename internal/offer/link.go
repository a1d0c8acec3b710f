package offer

import (
	"context"
	"errors"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
)

// ErrLink is why a link opens nothing: there is none, it was withdrawn, or its quote is not to be seen any more. Nobody is told which.
var ErrLink = errors.New("the link of the quote does not work")

// OpenLink finds the quote of a link, as it was sent. It changes nothing: mail programs open links on their own.
func OpenLink(ctx context.Context, e *record.Engine, secret string) (store.Tenant, *Sheet, error) {
	link, err := findLink(ctx, e, secret)
	if err != nil {
		return store.Tenant{}, nil, err
	}
	t := link.Tenant
	rec, err := t.Get(ctx, &crm.Quote.Resource, link.Parent, false)
	if errors.Is(err, store.ErrNotFound) || err == nil && !opens(link, rec) {
		return t, nil, ErrLink
	}
	if err != nil {
		return t, nil, err
	}
	sheet, err := sheetOf(ctx, e, record.Call{Principal: account.SystemPrincipal(t, schema.UUID{})}, rec)
	return t, sheet, err
}

func findLink(ctx context.Context, e *record.Engine, secret string) (*keep.Credential, error) {
	if !record.WellFormed(record.QuoteLink, secret) {
		return nil, ErrLink
	}
	link, err := keep.FindCredential(ctx, e.Store(), record.Presented(secret))
	if errors.Is(err, store.ErrNotFound) || err == nil &&
		(link.Kind != record.QuoteLink || !link.ExpiresAt.IsZero() && !time.Now().Before(link.ExpiresAt)) {
		return nil, ErrLink
	}
	return link, err
}

// opens tells whether a link is the one that its quote has, which may have been replaced since it was looked up, and whether the
// quote is to be seen: once it was sent, and until it has expired.
func opens(link *keep.Credential, rec *schema.Record) bool {
	shared, status := rec.Get(crm.Quotes.SharedAt), rec.Text(crm.Quotes.Status)
	return shared.Set && shared == schema.TimeValue(link.CreatedAt) && status != crm.Quote.States.Lapse.To &&
		status != crm.Quote.States.Initial
}

// AnswerByLink takes the answer of a customer to a quote by its link. Of several answers the first counts; the others are told that
// the state does not allow them.
func AnswerByLink(ctx context.Context, e *record.Engine, secret string, a crm.Answer) error {
	link, err := findLink(ctx, e, secret)
	if err != nil {
		return err
	}
	by := store.Actor{Client: crm.ByLink, RequestID: a.RequestID, Address: a.Address}
	return link.Tenant.Write(ctx, by, func(tx *store.Tx) error {
		who, _, err := e.Inform(tx, account.SystemPrincipal(link.Tenant, schema.UUID{}))
		if err != nil {
			return err
		}
		rec, err := tx.Get(who.Resource(crm.Quote), link.Parent, false)
		if errors.Is(err, store.ErrNotFound) || err == nil && !opens(link, rec) {
			return ErrLink
		}
		if err != nil {
			return err
		}
		return crm.AnswerQuote(e, tx, who, rec, a)
	})
}
