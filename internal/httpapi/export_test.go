package httpapi

import (
	"context"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/stream"
)

// Hold counts bytes as if a client did not read them, until done is called.
func (a *API) Hold(business schema.UUID, bytes int) (done func()) {
	a.held.takeAnyway(business, bytes)
	return func() { a.held.give(business, bytes) }
}

// Ping sets how often a stream on which nothing happens says so.
func (a *API) Ping(every time.Duration) { a.ping = every }

// Patience sets how long a client may take to read what a stream sends.
func (a *API) Patience(longest time.Duration) { a.patience = longest }

// Streams are those who listen.
func (a *API) Streams() *stream.Streams { return a.streams }

// BeginExport takes a place among the exports that are under way, until done is called.
func (a *API) BeginExport(business schema.UUID) (done func(), ok bool) {
	ok = a.exports.take(business, 1)
	return func() { a.exports.give(business, 1) }, ok
}

// TakeBatches takes all places that a business has for batches, until give is called.
func (a *API) TakeBatches(ctx context.Context, business schema.UUID) (give func(), err error) {
	var all []func()
	for range mostBatches() {
		one, err := a.batches.Take(ctx, business)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return func() {
		for _, one := range all {
			one()
		}
	}, nil
}
