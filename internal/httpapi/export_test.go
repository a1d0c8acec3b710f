package httpapi

import "kith/internal/schema"

// Hold counts bytes as if a client did not read them, until done is called.
func (a *API) Hold(business schema.UUID, bytes int) (done func()) {
	a.held.takeAnyway(business, bytes)
	return func() { a.held.give(business, bytes) }
}

// Held is how many bytes are held.
func (a *API) Held() int {
	a.held.mu.Lock()
	defer a.held.mu.Unlock()
	return a.held.bytes
}
