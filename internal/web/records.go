package web

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"kith/internal/body"
	"kith/internal/crm"
	"kith/internal/problem"
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
	return searchIn[T](v, kind, false, ask)
}

// searchIn is search, or search of the bin.
func searchIn[T any](v *visit, kind *crm.Kind, bin bool, ask map[string]any) (listPage[T], error) {
	var page listPage[T]
	n, err := node(ask)
	if err != nil {
		return page, err
	}
	text, err := v.engine.Search(v.r.Context(), v.call(), kind, bin, n, nil)
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

// fetch reads one record as the person who is logged in may see it.
func fetch[T any](v *visit, kind *crm.Kind, id string) (row T, err error) {
	rec, err := v.engine.Get(v.r.Context(), v.call(), kind, id)
	if err != nil {
		return row, err
	}
	return row, json.Unmarshal(crm.Render(nil, rec), &row)
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

// patch changes a record that the form showed. One that was changed since is left alone.
func (v *visit) patch(f *form, kind *crm.Kind, id string, fields map[string]any) (*schema.Record, error) {
	n, err := node(fields)
	if err != nil {
		return nil, err
	}
	rec, err := v.engine.Patch(v.r.Context(), v.call(), kind, id, f.version(), n)
	return rec, f.overtaken(err)
}

// version is that of the record which the form showed.
func (f *form) version() crm.IfMatch {
	version, err := strconv.ParseInt(f.Get("version"), 10, 64)
	if err != nil {
		version = -1 // what did not come from our form matches nothing
	}
	return crm.IfMatch{version}
}

// overtaken puts into plain words that somebody else changed the record meanwhile.
func (f *form) overtaken(err error) error {
	if p := problem.As(err); p == nil || p.Code != problem.PreconditionFailed {
		return err
	}
	f.Problem = "Somebody changed this while you had it open. Nothing of yours is saved: look at it again, and save once more."
	return nil
}

// differing keeps of the fields of a form those that are not what the record has.
func differing(was, given map[string]string) map[string]any {
	fields := map[string]any{}
	for name, value := range given {
		switch {
		case value == was[name]:
		case value == "":
			fields[name] = nil
		default:
			fields[name] = value
		}
	}
	return fields
}
