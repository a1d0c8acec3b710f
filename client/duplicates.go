package client

import (
	"context"
	"iter"
	"net/http"
)

// DuplicatesQuery says which duplicates are wanted.
type DuplicatesQuery struct {
	// ID is the record whose duplicates are wanted, the most likely first; all pairs when not given.
	ID string `json:"id,omitempty"`
	// Limit is how many pairs a page has at most, up to 100.
	Limit int `json:"limit,omitzero"`
	// Cursor is the Next of the page before.
	Cursor string `json:"cursor,omitempty"`
}

// Duplicate are two records that may be the same.
type Duplicate[R any] struct {
	// Records are the two, with their ids, names and what tells most of them.
	Records [2]R `json:"records"`
	// Reasons are what they have alike, the surest first, and Score is how likely they are the same, out of 100.
	Reasons []string `json:"reasons"`
	Score   int      `json:"score"`
}

func (s calls[R]) duplicatesPage(ctx context.Context, q DuplicatesQuery) (*Page[Duplicate[R]], error) {
	return page[Duplicate[R]](ctx, s.core, s.one("duplicates", "search"), q)
}

func (s calls[R]) duplicates(ctx context.Context, q DuplicatesQuery) iter.Seq2[*Duplicate[R], error] {
	return walk(q.Cursor, func(cursor string) (*Page[Duplicate[R]], error) {
		q := q
		q.Cursor = cursor
		return s.duplicatesPage(ctx, q)
	})
}

func (s calls[R]) dismiss(ctx context.Context, a, b string, options []WriteOption) error {
	in := map[string][]string{"ids": {a, b}}
	_, err := s.core.json(ctx, http.MethodPost, s.one("duplicates", "dismiss"), in, nil, true, options)
	return err
}
