package client

import (
	"context"
	"encoding/json"
	"iter"
	"time"
)

// LogQuery says which part of a list of what happened is wanted. Its zero value is all of it, the newest first.
type LogQuery struct {
	// Limit is how many entries a page has, up to 100. When not given, it is 100 where the list is walked through, and else 25.
	Limit int `json:"limit,omitzero"`
	// Cursor is where the page begins: the Next of another page of the same list.
	Cursor string `json:"cursor,omitzero"`
	// SortDirection is desc, the newest first, or asc.
	SortDirection string `json:"sort_direction,omitzero"`
}

// Change is what one write did to one record.
type Change struct {
	// Seq counts up in the order in which the business's changes were made.
	Seq int64     `json:"seq"`
	At  time.Time `json:"at"`
	// Action is create, update, delete, restore, or the name of an action.
	Action string `json:"action"`
	// Version is the record's from then on.
	Version   int64  `json:"version"`
	Actor     Actor  `json:"actor"`
	RequestID string `json:"request_id"`
	// Changes are by the path of the field, as filters name it: address.city.
	Changes map[string]FieldChange `json:"changes"`
	// Resource and RecordID tell of which record it is, where that does not go without saying.
	Resource string `json:"resource"`
	RecordID string `json:"record_id"`
}

// FieldChange is what a field was before and after, as JSON; null is absent.
type FieldChange struct {
	From json.RawMessage `json:"from"`
	To   json.RawMessage `json:"to"`
}

// logWalk fetches page after page of what happened to a record, or around it.
func logWalk[E any](ctx context.Context, c *core, path string, q LogQuery) iter.Seq2[*E, error] {
	if q.Limit == 0 {
		q.Limit = pageSize
	}
	return walk(q.Cursor, func(cursor string) (*Page[E], error) {
		q := q
		q.Cursor = cursor
		return page[E](ctx, c, path, q)
	})
}

func (s calls[R]) historyPage(ctx context.Context, id string, q LogQuery) (*Page[Change], error) {
	return page[Change](ctx, s.core, s.one(id, "history", "search"), q)
}

func (s calls[R]) history(ctx context.Context, id string, q LogQuery) iter.Seq2[*Change, error] {
	return logWalk[Change](ctx, s.core, s.one(id, "history", "search"), q)
}

// Event is one entry of a timeline: a record about the one whose timeline it is, or a change of that record itself.
type Event struct {
	At time.Time `json:"at"`
	// Kind is the resource of the record, such as activity, or change.
	Kind   string          `json:"kind"`
	Record json.RawMessage `json:"record"`
	Change *Change         `json:"change"`
}

// Decode reads the record of the event into what matches its kind: an [Activity], a [Note], a [Task], a [Deal] or a [Quote].
func (e *Event) Decode(record any) error { return json.Unmarshal(e.Record, record) }

func (s calls[R]) timelinePage(ctx context.Context, id string, q LogQuery) (*Page[Event], error) {
	return page[Event](ctx, s.core, s.one(id, "timeline", "search"), q)
}

func (s calls[R]) timeline(ctx context.Context, id string, q LogQuery) iter.Seq2[*Event, error] {
	return logWalk[Event](ctx, s.core, s.one(id, "timeline", "search"), q)
}

// ChangesQuery says which changes of the business are wanted.
type ChangesQuery struct {
	// After is the number behind which to begin: the Next of the page before; 0 is the beginning.
	After int64 `json:"after,omitzero"`
	// Resources are the only ones whose changes are told; all that may be read when not given.
	Resources []string `json:"resources,omitempty"`
	// Limit is how many changes a page has, up to 100.
	Limit int `json:"limit,omitzero"`
}

// ChangesPage is a page of the changes of the business.
type ChangesPage struct {
	Changes []Change
	// Next is the After of the next page, also where nothing on this one may be read; Latest is the number of the newest change.
	Next, Latest int64
}

// ChangesPage gives the changes of the business in the order in which they were made, one page of them.
func (c *Client) ChangesPage(ctx context.Context, q ChangesQuery) (*ChangesPage, error) {
	in, err := read[Change](ctx, c.core, "/changes/search", q)
	if err != nil {
		return nil, err
	}
	return &ChangesPage{Changes: in.Data, Next: in.Meta.Next, Latest: in.Meta.Latest}, nil
}

// Changes walks through the changes of the business in the order in which they were made, up to the newest that there is. Who keeps
// the Seq of the last one begins After it the next time, and misses nothing.
func (c *Client) Changes(ctx context.Context, q ChangesQuery) iter.Seq2[*Change, error] {
	if q.Limit == 0 {
		q.Limit = pageSize
	}
	return func(yield func(*Change, error) bool) {
		for q := q; ; {
			p, err := c.ChangesPage(ctx, q)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range p.Changes {
				if !yield(&p.Changes[i], nil) {
					return
				}
			}
			if p.Next >= p.Latest || p.Next <= q.After {
				return
			}
			q.After = p.Next
		}
	}
}
