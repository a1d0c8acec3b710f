package web

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"kith/internal/body"
	"kith/internal/crm"
	"kith/internal/problem"
	"kith/internal/query"
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
	return listed[T](v, ask, func(n *body.Node, each func(*query.Query, []schema.Value)) (crm.List, error) {
		return v.engine.Search(v.r.Context(), v.call(), kind, bin, n, each)
	})
}

// listed reads one page of what a search of the engine finds.
func listed[T any](v *visit, ask map[string]any, run func(n *body.Node, each func(*query.Query, []schema.Value)) (crm.List, error)) (listPage[T], error) {
	var page listPage[T]
	n, err := node(ask)
	if err != nil {
		return page, err
	}
	var unreadable error
	list, err := run(n, func(q *query.Query, values []schema.Value) {
		var row T
		if err := json.Unmarshal(q.AppendRecord(nil, values), &row); err != nil {
			unreadable = err
		}
		page.Rows = append(page.Rows, row)
	})
	if err = cmp.Or(err, unreadable); err != nil {
		return page, err
	}
	if list.Next != "" {
		page.More = v.others(list.Next)
	}
	return page, nil
}

// others is the address of the page with what was looked for, from another place in the list on.
func (v *visit) others(cursor string) string {
	q := url.Values{}
	for name, values := range v.r.URL.Query() {
		if name != "done" && v.r.Method != http.MethodPost {
			q[name] = values
		}
	}
	q.Set("cursor", cursor)
	return v.page.path + "?" + q.Encode()
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
