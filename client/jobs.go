package client

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"time"
)

// JobID is the id of a job.
type JobID string

// Job is work that takes longer than a request.
type Job struct {
	ID JobID `json:"id"`
	// Kind is what sort of work it is, and Status queued, running, succeeded, failed or cancelled.
	Kind   string `json:"kind"`
	Status string `json:"status"`
	// Parameters are what it was asked to do, of each kind its own.
	Parameters json.RawMessage `json:"parameters"`
	// Total is how many records there are to do, as far as that is known, Done how many have been, and Failed how many of those
	// were refused.
	Total  int64 `json:"total"`
	Done   int64 `json:"done"`
	Failed int64 `json:"failed"`
	// RequestID is that of the request that began it, under which its changes are logged.
	RequestID  string     `json:"request_id"`
	Actor      Actor      `json:"actor"`
	CreatedAt  time.Time  `json:"created_at"`
	StartedAt  *time.Time `json:"started_at"`
	FinishedAt *time.Time `json:"finished_at"`
	// Error is why it failed, where it did.
	Error *Error `json:"error"`
}

// Jobs are the jobs of the business; a [Client] has them as its field Jobs.
type Jobs struct{ calls[Job] }

// Get reads a job.
func (s Jobs) Get(ctx context.Context, id JobID) (*Job, error) { return s.get(ctx, string(id)) }

// Search lists jobs, the newest first, and fetches page after page as the loop goes on.
func (s Jobs) Search(ctx context.Context, q LogQuery) iter.Seq2[*Job, error] {
	return logWalk[Job](ctx, s.core, s.path+"/search", q)
}

// SearchPage lists one page of jobs.
func (s Jobs) SearchPage(ctx context.Context, q LogQuery) (*Page[Job], error) {
	return page[Job](ctx, s.core, s.path+"/search", q)
}

// Cancel ends a job. What it has done stays done.
func (s Jobs) Cancel(ctx context.Context, id JobID, options ...WriteOption) (*Job, error) {
	return s.act(ctx, string(id), "cancel", nil, options)
}

// jobPoll is how often somebody who waits for a job asks how far it is.
const jobPoll = 500 * time.Millisecond

// Wait waits until a job has ended, and gives it. That it failed is told by its Status, and is no error of Wait.
func (s Jobs) Wait(ctx context.Context, id JobID) (*Job, error) {
	return s.await(ctx, string(id), func(job *Job) bool { return job.FinishedAt != nil })
}

// await reads something again and again until it has ended.
func (s calls[R]) await(ctx context.Context, id string, ended func(*R) bool) (*R, error) {
	for {
		out, err := s.get(ctx, id)
		if err != nil || ended(out) {
			return out, err
		}
		select {
		case <-ctx.Done():
			return out, ctx.Err()
		case <-time.After(jobPoll):
		}
	}
}

// Refused is a record that a job could not do, and why.
type Refused struct {
	// N is its place among all that there was to do.
	N        int64  `json:"n"`
	RecordID string `json:"record_id"`
	Error    *Error `json:"error"`
}

// Refused lists what a job could not do behind a place, which is 0 for the beginning: up to limit of it, or 25 where that is 0. It
// tells whether there is more.
func (s Jobs) Refused(ctx context.Context, id JobID, after int64, limit int) (refused []Refused, more bool, err error) {
	in := struct {
		After int64 `json:"after,omitzero"`
		Limit int   `json:"limit,omitzero"`
	}{after, limit}
	out, err := read[Refused](ctx, s.core, s.one(string(id), "refused", "search"), in)
	if err != nil {
		return nil, false, err
	}
	return out.Data, out.Meta.HasMore, nil
}

// Bulk is one thing that is done to all records that a search finds.
type Bulk struct {
	// Filters and Text say which records are meant, as in a search. Without any it is all.
	Filters []Filter `json:"filters"`
	Text    string   `json:"search_text,omitzero"`
	// Op is update, delete, restore, or act with the Action.
	Op     string `json:"op"`
	Action string `json:"action,omitzero"`
	// Data is what the body of the single call would be: for an update an input such as a [ContactInput].
	Data any `json:"data,omitzero"`
}

// BulkPreview is what a bulk operation would do.
type BulkPreview struct {
	// Total is how many records it is about, and Tried on how many of them it was tried: of these so many would change, are so
	// already, and would be refused.
	Total     int `json:"total"`
	Tried     int `json:"tried"`
	Changed   int `json:"changed"`
	Unchanged int `json:"unchanged"`
	Refused   int `json:"refused"`
	// Samples are some that would change, and Refusals some that would be refused.
	Samples []struct {
		RecordID string                 `json:"record_id"`
		Changes  map[string]FieldChange `json:"changes"`
	} `json:"samples"`
	Refusals []Refused `json:"refusals"`
}

func (s calls[R]) bulk(ctx context.Context, b Bulk, options []WriteOption) (*Job, error) {
	return bulk[Job](ctx, s.core, s.path, b, options)
}

func (s calls[R]) previewBulk(ctx context.Context, b Bulk) (*BulkPreview, error) {
	return bulk[BulkPreview](ctx, s.core, s.path, b, []WriteOption{DryRun()})
}

func bulk[A any](ctx context.Context, c *core, path string, b Bulk, options []WriteOption) (*A, error) {
	b.Filters = append([]Filter{}, b.Filters...) // none is an empty list
	return record[A](ctx, c, http.MethodPost, path+"/bulk", b, true, options)
}

// Undone is what became of an undo.
type Undone struct {
	// Job takes the changes back where they are too many for one request; then the rest is empty.
	Job *Job
	// Total is how many changes there were, Tried how many of them were looked at, Undone how many are taken back, and Left those
	// that are not: N is the seq of the change.
	Total, Tried, Undone int
	Left                 []Refused
	// RequestID is that of the undo, by which it can be undone itself.
	RequestID string
}

// Undo takes back what a request did, by its id, which answers have as X-Request-Id and changes as their RequestID: every change
// whose record nobody else changed since.
func (c *Client) Undo(ctx context.Context, requestID string, options ...WriteOption) (*Undone, error) {
	return c.core.undo(ctx, "/undo", map[string]string{"request_id": requestID}, options)
}

// UndoJob takes back what a job did.
func (c *Client) UndoJob(ctx context.Context, id JobID, options ...WriteOption) (*Undone, error) {
	return c.core.undo(ctx, "/undo", map[string]string{"job_id": string(id)}, options)
}

func (c *core) undo(ctx context.Context, path string, of any, options []WriteOption) (*Undone, error) {
	text, err := record[json.RawMessage](ctx, c, http.MethodPost, path, of, true, options)
	if err != nil {
		return nil, err
	}
	var out struct {
		Data []Refused `json:"data"`
		Meta *struct {
			Total     int    `json:"total"`
			Tried     int    `json:"tried"`
			Undone    int    `json:"undone"`
			RequestID string `json:"request_id"`
		} `json:"meta"`
	}
	if err := json.Unmarshal(*text, &out); err != nil {
		return nil, err
	}
	if out.Meta == nil {
		u := &Undone{Job: &Job{}}
		if err := json.Unmarshal(*text, u.Job); err != nil {
			return nil, err
		}
		u.RequestID = u.Job.RequestID
		return u, nil
	}
	return &Undone{Total: out.Meta.Total, Tried: out.Meta.Tried, Undone: out.Meta.Undone, Left: out.Data, RequestID: out.Meta.RequestID},
		nil
}
