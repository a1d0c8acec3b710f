package client

import (
	"context"
	"encoding/json"
	"net/http"
)

// Operation is one operation of a batch.
type Operation struct{ operation }

// IfMatch lets the operation happen only while the record is at this version.
func (o *Operation) IfMatch(version int64) { o.operation.IfMatch = version }

// operation is how one is sent. An upsert by itself is one without op.
type operation struct {
	Op      string `json:"op,omitzero"`
	ID      string `json:"id,omitzero"`
	IfMatch int64  `json:"if_match,omitzero"`
	Match   string `json:"match,omitzero"`
	Action  string `json:"action,omitzero"`
	Data    any    `json:"data,omitzero"`
}

// Result is what became of an operation of a batch.
type Result[R any] struct {
	// Status is the HTTP status that the operation would have had by itself: 201 where it made a record.
	Status int
	// Record is the record as it is then; nil where it failed or was deleted.
	Record *R
	// Err is an [*Error] where the operation failed.
	Err error
}

// UnmarshalJSON reads a result as the server sends it.
func (r *Result[R]) UnmarshalJSON(text []byte) error {
	var in struct {
		Status int    `json:"status"`
		Record *R     `json:"record"`
		Error  *Error `json:"error"`
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	*r = Result[R]{Status: in.Status, Record: in.Record}
	if in.Error != nil {
		r.Err = in.Error
	}
	return nil
}

// batch collects operations, for the generated types.
type batch[R any] struct {
	calls      calls[R]
	operations []*Operation
}

func (b *batch[R]) add(o operation) *Operation {
	added := &Operation{o}
	b.operations = append(b.operations, added)
	return added
}

func (b *batch[R]) do(ctx context.Context, atomic bool, options []WriteOption) ([]Result[R], error) {
	in := struct {
		Atomic     bool        `json:"atomic,omitzero"`
		Operations []operation `json:"operations"`
	}{atomic, []operation{}}
	for _, o := range b.operations {
		in.Operations = append(in.Operations, o.operation)
	}
	var out struct {
		Data []Result[R] `json:"data"`
	}
	_, err := b.calls.core.json(ctx, http.MethodPost, b.calls.path+"/batch", in, &out, true, options)
	return out.Data, err
}
