package httpapi

import "kith/internal/schema"

// Hold counts bytes as if a client did not read them, until done is called.
func (a *API) Hold(business schema.UUID, bytes int) (done func()) {
	a.held.takeAnyway(business, bytes)
	return func() { a.held.give(business, bytes) }
}
