package client

import (
	"context"
	"io"
	"net/http"
)

// PDF gives a quote as its customer gets it. It has to be closed.
func (s Quotes) PDF(ctx context.Context, id QuoteID) (io.ReadCloser, error) {
	return s.core.file(ctx, call{method: http.MethodGet, path: s.one(string(id), "pdf"), header: http.Header{}})
}

// Logo gives the logo of the business, a PNG. It has to be closed.
func (c *Client) Logo(ctx context.Context) (io.ReadCloser, error) {
	return c.core.file(ctx, call{method: http.MethodGet, path: "/business/logo", header: http.Header{}})
}
