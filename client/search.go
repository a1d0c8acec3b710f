package client

import (
	"context"
	"iter"
	"net/http"
)

// pageSize is how many records a search that pages by itself asks for at once: as many as the server gives.
const pageSize = 100

// Query says what to search for. Its zero value finds all records, the newest first.
type Query struct {
	// Text are words that records must have in one of their searched fields.
	Text string `json:"search_text,omitzero"`
	// Filters are conditions, all of which must hold; see [Where], and the names of fields such as [ContactFields].
	Filters []Filter `json:"filters,omitempty"`
	// Order is how the records are sorted: by the time of creation, the newest first, when not given.
	Order
	// Fields are the only ones that are answered; see [Select]. All, when not given.
	Fields []string `json:"fields,omitempty"`
	// Limit is how many records a page has, up to 100. When not given, it is 100 where the search pages by itself, and else 25.
	Limit int `json:"limit,omitzero"`
	// Cursor is where the page begins: the Next of another page of the same search.
	Cursor string `json:"cursor,omitzero"`
	// Skip is how many records come before the page, in place of a cursor.
	Skip int `json:"skip,omitzero"`
	// Total asks for the number of all matches also where it has to be counted.
	Total bool `json:"total,omitzero"`
}

// Order is how records are sorted. See [Asc] and [Desc], and the methods of fields.
type Order struct {
	OrderBy       string `json:"order_by,omitzero"`
	SortDirection string `json:"sort_direction,omitzero"`
}

// Asc sorts by a field, the least first.
func Asc(field string) Order { return Order{field, "asc"} }

// Desc sorts by a field, the greatest first.
func Desc(field string) Order { return Order{field, "desc"} }

// Page is one page of a search.
type Page[R any] struct {
	Records []R
	// Next is the cursor of the next page; it is empty on the last one.
	Next string
	// Total is how many records match in all, where the server tells.
	Total *int64
}

// list is the envelope of all lists, of which each fills a part.
type list[R any] struct {
	Data []R `json:"data"`
	Meta struct {
		Cursor struct {
			Next string `json:"next"`
		} `json:"cursor"`
		Total   *int64 `json:"total"`
		HasMore bool   `json:"has_more"`
		// Next and Latest are numbers in the change log.
		Next   int64 `json:"next"`
		Latest int64 `json:"latest"`
	} `json:"meta"`
}

func (l *list[R]) page() Page[R] {
	return Page[R]{Records: l.Data, Next: l.Meta.Cursor.Next, Total: l.Meta.Total}
}

// read fetches a list by a POST that changes nothing.
func read[R any](ctx context.Context, c *core, path string, q any) (*list[R], error) {
	return record[list[R]](ctx, c, http.MethodPost, path, q, false, nil)
}

// Where a search is made.
const (
	live = "/search"
	bin  = "/deleted/search"
)

func (s calls[R]) page(ctx context.Context, where string, q Query) (*Page[R], error) {
	return page[R](ctx, s.core, s.path+where, q)
}

func (s calls[R]) search(ctx context.Context, where string, q Query) iter.Seq2[*R, error] {
	return search[R](ctx, s.core, s.path+where, q)
}

func (s calls[R]) searchable() (*core, string) { return s.core, s.path + live }

// page fetches one page of a list.
func page[R any](ctx context.Context, c *core, path string, q any) (*Page[R], error) {
	in, err := read[R](ctx, c, path, q)
	if err != nil {
		return nil, err
	}
	p := in.page()
	return &p, nil
}

func search[R any](ctx context.Context, c *core, path string, q Query) iter.Seq2[*R, error] {
	if q.Limit == 0 {
		q.Limit = pageSize
	}
	return walk(q.Cursor, func(cursor string) (*Page[R], error) {
		q := q
		if q.Cursor = cursor; cursor != "" {
			q.Skip = 0
		}
		return page[R](ctx, c, path, q)
	})
}

// walk fetches pages for as long as somebody wants what is on them. After an error there is nothing more.
func walk[R any](begin string, fetch func(cursor string) (*Page[R], error)) iter.Seq2[*R, error] {
	return func(yield func(*R, error) bool) {
		for cursor := begin; ; {
			p, err := fetch(cursor)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range p.Records {
				if !yield(&p.Records[i], nil) {
					return
				}
			}
			if cursor = p.Next; cursor == "" {
				return
			}
		}
	}
}

// Searchable is a resource of a [Client], such as its field Contacts.
type Searchable interface {
	searchable() (c *core, path string)
}

// SearchAs searches and reads what is found into a type of the caller's own, which has just what Query.Fields asks for:
//
//	type row struct {
//		Name    string `json:"name"`
//		Creator struct{ Email string } `json:"created_by"`
//	}
//	for row, err := range client.SearchAs[row](ctx, kith.Contacts, client.Query{Fields: []string{"name", "created_by.email"}}) { … }
func SearchAs[R any](ctx context.Context, in Searchable, q Query) iter.Seq2[*R, error] {
	c, path := in.searchable()
	return search[R](ctx, c, path, q)
}
