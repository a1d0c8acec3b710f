package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// ExportFormat is what a file of records is written in.
type ExportFormat string

// The formats of files.
const (
	CSV   ExportFormat = "csv"
	JSONL ExportFormat = "jsonl"
	XLSX  ExportFormat = "xlsx"
)

// ExportQuery says which records a file has. Its zero value is a CSV file of all, the newest first.
type ExportQuery struct {
	Format ExportFormat `json:"format,omitzero"`
	// Text, Filters, Order and Fields are those of a [Query].
	Text    string   `json:"search_text,omitzero"`
	Filters []Filter `json:"filters,omitempty"`
	Order
	Fields []string `json:"fields,omitempty"`
	// Limit is how many records the file has at most; all when not given.
	Limit int `json:"limit,omitzero"`
}

// export asks for a file. It is read from the server as the caller reads it, however long that takes, and has to be closed. One
// that ends with an error other than io.EOF is not whole.
func (s calls[R]) export(ctx context.Context, q ExportQuery) (io.ReadCloser, error) {
	return s.core.download(ctx, s.path+"/export", q)
}

// download asks for a file by a body.
func (c *core) download(ctx context.Context, path string, in any) (io.ReadCloser, error) {
	body, err := json.Marshal(in)
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	return c.file(ctx, call{method: http.MethodPost, path: path, header: http.Header{}, body: body})
}

// patient is the same without a bound on the time of a whole request, in which a file is sent or read.
func (c *core) patient() *core {
	patient, h := *c, *c.http
	h.Timeout = 0
	patient.http = &h
	return &patient
}

// file sends a call whose answer is a file.
func (c *core) file(ctx context.Context, r call) (io.ReadCloser, error) {
	var file io.ReadCloser
	patient := c.patient()
	patient.take = func(body io.ReadCloser) { file = body }
	if _, err := patient.do(ctx, r); err != nil {
		return nil, err
	}
	if file == nil {
		return nil, errors.New("client: there was no file in the answer")
	}
	return file, nil
}

// Export takes the whole business out as a zip: the business, the schema, and for each resource a file with a line of JSON for each
// record. It is read as it comes, and has to be closed.
func (c *Client) Export(ctx context.Context) (io.ReadCloser, error) {
	return c.core.download(ctx, "/export", struct{}{})
}
