package web

import (
	"encoding/json"
	"net/http"
	"net/url"

	"kith/internal/body"
	"kith/internal/crm"
	"kith/internal/schema"
)

// listPage is one page of a list of records.
type listPage[T any] struct {
	Rows []T
	// More is the address of the next page, or nothing.
	More string
}

// search lists records as the person who is logged in may see them, through the same door as the API.
func search[T any](v *visit, kind *crm.Kind, ask map[string]any) (listPage[T], error) {
	var page listPage[T]
	n, err := node(ask)
	if err != nil {
		return page, err
	}
	text, err := v.engine.Search(v.r.Context(), v.call(), kind, false, n, nil)
	if err != nil {
		return page, err
	}
	var answer struct {
		Data []T
		Meta struct{ Cursor struct{ Next string } }
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return page, err
	}
	page.Rows = answer.Data
	if next := answer.Meta.Cursor.Next; next != "" {
		page.More = v.page.path + "?" + url.Values{"cursor": {next}}.Encode()
	}
	return page, nil
}

// paged asks for the page of a list that the address names, in portions that a person can look over.
func (v *visit) paged(ask map[string]any) map[string]any {
	ask["limit"] = 50
	if cursor := v.r.URL.Query().Get("cursor"); cursor != "" && v.r.Method != http.MethodPost {
		ask["cursor"] = cursor
	}
	return ask
}

// node gives fields the form in which the engine takes them.
func node(fields map[string]any) (*body.Node, error) {
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	return body.Parse(text)
}

func (v *visit) create(kind *crm.Kind, fields map[string]any) (*schema.Record, error) {
	n, err := node(fields)
	if err != nil {
		return nil, err
	}
	return v.engine.Create(v.r.Context(), v.call(), kind, n)
}
