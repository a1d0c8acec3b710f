package client

import (
	"context"
	"net/http"
)

// Merged is what a merge answers.
type Merged[R any] struct {
	// Record is the survivor.
	Record *R `json:"record"`
	// Moved tells how many references and associations lead to it now, by resource.
	Moved map[string]int `json:"moved"`
	// Filled are its fields that changed, and Lost what it does not have: by field the other's value, or its own where that of the
	// other was preferred. They are told to those who may read both records.
	Filled []string       `json:"filled"`
	Lost   map[string]any `json:"lost"`
}

// Unmerged is what the reverse of a merge answers.
type Unmerged[R any] struct {
	// Record is the survivor, and Other the record that is back.
	Record *R `json:"record"`
	Other  *R `json:"other"`
	// Left is what changed since the merge, and is left as it is.
	Left []LeftField `json:"left"`
}

// LeftField is a field of a record that was not taken back.
type LeftField struct {
	ID    string `json:"id"`
	Field string `json:"field"`
}

// merging runs an action that answers more than the record.
func merging[A, R any](ctx context.Context, s calls[R], id, action string, in any, options []WriteOption) (*A, error) {
	return record[A](ctx, s.core, http.MethodPost, s.one(id, action), in, true, options)
}
