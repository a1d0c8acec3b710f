package client

import (
	"context"
	"net/http"
)

// Schema tells what the server knows of its resources, and how far the token reaches in each: what a form, a grid or an agent needs that is
// not written for these resources alone.
func (c *Client) Schema(ctx context.Context) (*Schema, error) {
	return record[Schema](ctx, c.core, http.MethodGet, "/schema", nil, false, nil)
}

// Schema is what the server tells of its resources, and of the business itself.
type Schema struct {
	Resources []ResourceSchema `json:"resources"`
	Business  ResourceSchema   `json:"business"`
}
