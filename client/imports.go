package client

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ImportID is the id of an import.
type ImportID string

// Import is a file on its way into the business: it is made with what its rows are, its file is sent, what is undecided is decided,
// and it is run.
type Import struct {
	ID       ImportID `json:"id"`
	Resource string   `json:"resource"`
	// Status is new without a file, ready with one, previewing, running, succeeded, failed, cancelled, undoing or undone.
	Status string `json:"status"`
	// File is nil while none was sent.
	File *struct {
		Format    string `json:"format"`
		Encoding  string `json:"encoding"`
		Delimiter string `json:"delimiter"`
		Bytes     int64  `json:"bytes"`
		Rows      int64  `json:"rows"`
	} `json:"file"`
	// Columns tell what each column is taken for: a field, or why none.
	Columns []struct {
		Name    string   `json:"name"`
		Field   string   `json:"field"`
		About   string   `json:"about"`
		Samples []string `json:"samples"`
	} `json:"columns"`
	// Undecided is what has to be decided before it can be run.
	Undecided []FieldError `json:"undecided"`
	ImportInput
	// Preview and Run are what would become of the rows, and what did.
	Preview   *ImportRun `json:"preview"`
	Run       *ImportRun `json:"run"`
	CreatedAt time.Time  `json:"created_at"`
	UpdatedAt time.Time  `json:"updated_at"`
}

// ImportInput is what is decided about an import.
type ImportInput struct {
	// Mapping tells which columns are which fields; "-" is for none, and the column "*" for all that are no field.
	Mapping map[string]string `json:"mapping,omitempty"`
	// Match is the field by which a row finds its record, and Policy create, update or upsert.
	Match  string `json:"match,omitzero"`
	Policy string `json:"policy,omitzero"`
	// Empty is keep or clear, Decimals comma or point, and Dates dmy or mdy.
	Empty    string `json:"empty,omitzero"`
	Decimals string `json:"decimals,omitzero"`
	Dates    string `json:"dates,omitzero"`
	// NewFields are custom fields that are made on the way, by their names. UnknownOptions is refuse or make.
	NewFields      map[string]ImportField `json:"new_fields,omitempty"`
	UnknownOptions string                 `json:"unknown_options,omitzero"`
	// Corrections are cells of the file that are to have other values, in an Update.
	Corrections []Correction `json:"corrections,omitempty"`
}

// ImportField is a custom field that an import makes.
type ImportField struct {
	Kind  string `json:"kind"`
	Label string `json:"label,omitzero"`
}

// Correction gives a cell of the file of an import another value. Rows are counted from 1 behind the head.
type Correction struct {
	Row    int64  `json:"row"`
	Column string `json:"column"`
	Value  string `json:"value"`
}

// RefusedGroup is what many rows of an import were refused for: one value of a column, or one reason that no cell has.
type RefusedGroup struct {
	// Column is nil where no cell is wrong, and Field what the column is taken for. Value is nil where nothing stands in it, or too much.
	Column  *string `json:"column"`
	Field   *string `json:"field"`
	Value   *string `json:"value"`
	Code    string  `json:"code"`
	Message string  `json:"message"`
	// Count is how many rows it is, and Rows the first five of them.
	Count int64   `json:"count"`
	Rows  []int64 `json:"rows"`
	// Allowed are the values that the field takes, where these are few.
	Allowed []string `json:"allowed"`
}

// RefusedGroups are what the rows of an import were refused for, the most frequent first.
type RefusedGroups struct {
	Groups []RefusedGroup
	// Refused is how many rows were refused, and Grouped of how many of them it is told why.
	Refused, Grouped int64
	// HasMore tells that there are more groups than are told.
	HasMore bool
}

// ImportRow is what is in the cells of a row, in the order of the columns.
type ImportRow struct {
	N     int64    `json:"n"`
	Cells []string `json:"cells"`
}

// ImportRun is what became of the rows of an import, or would.
type ImportRun struct {
	JobID     JobID  `json:"job_id"`
	Status    string `json:"status"`
	Total     int64  `json:"total"`
	Done      int64  `json:"done"`
	Created   int64  `json:"created"`
	Changed   int64  `json:"changed"`
	Unchanged int64  `json:"unchanged"`
	Refused   int64  `json:"refused"`
	Error     *Error `json:"error"`
}

// Imports are the imports of the business; a [Client] has them as its field Imports.
type Imports struct{ calls[Import] }

// Create begins an import of records of a resource, such as "contact".
func (s Imports) Create(ctx context.Context, resource string, in ImportInput, options ...WriteOption) (*Import, error) {
	return s.create(ctx, struct {
		Resource string `json:"resource"`
		ImportInput
	}{resource, in}, options)
}

// Get reads an import.
func (s Imports) Get(ctx context.Context, id ImportID) (*Import, error) {
	return s.get(ctx, string(id))
}

// Search lists imports, the newest first, and fetches page after page as the loop goes on.
func (s Imports) Search(ctx context.Context, q LogQuery) iter.Seq2[*Import, error] {
	return logWalk[Import](ctx, s.core, s.path+"/search", q)
}

// Update decides something about an import.
func (s Imports) Update(ctx context.Context, id ImportID, in ImportInput, options ...WriteOption) (*Import, error) {
	return s.update(ctx, string(id), in, options)
}

// Delete forgets an import and its file.
func (s Imports) Delete(ctx context.Context, id ImportID, options ...WriteOption) error {
	return s.remove(ctx, string(id), options)
}

// Upload sends the file of an import, and gives the import as it is then. It is sent once: what fails can be sent again.
func (s Imports) Upload(ctx context.Context, id ImportID, file io.Reader) (*Import, error) {
	a, err := s.core.patient().send(ctx, call{method: http.MethodPut, path: s.one(string(id), "file"), header: http.Header{}, file: file})
	if err != nil {
		return nil, err
	}
	out := &Import{}
	if err := json.Unmarshal(a.body, out); err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	return out, nil
}

// Preview tries an import by a job; Wait gives what would become of its rows.
func (s Imports) Preview(ctx context.Context, id ImportID, options ...WriteOption) (*Import, error) {
	return s.act(ctx, string(id), "preview", nil, options)
}

// Run makes the rows of an import records, by a job.
func (s Imports) Run(ctx context.Context, id ImportID, options ...WriteOption) (*Import, error) {
	return s.act(ctx, string(id), "run", nil, options)
}

// Cancel ends what is under way for an import.
func (s Imports) Cancel(ctx context.Context, id ImportID, options ...WriteOption) (*Import, error) {
	return s.act(ctx, string(id), "cancel", nil, options)
}

// Undo takes back what an import did.
func (s Imports) Undo(ctx context.Context, id ImportID, options ...WriteOption) (*Undone, error) {
	return s.core.undo(ctx, s.one(string(id), "undo"), struct{}{}, options)
}

// Wait waits until nothing is under way for an import, and gives it. That it failed is told by its Status, and is no error of Wait.
func (s Imports) Wait(ctx context.Context, id ImportID) (*Import, error) {
	return s.await(ctx, string(id), func(i *Import) bool {
		return !slices.Contains([]string{"previewing", "running", "undoing"}, i.Status)
	})
}

// Rows reads some rows of the file, up to 20 at once, to be corrected by Update.
func (s Imports) Rows(ctx context.Context, id ImportID, numbers ...int64) ([]ImportRow, error) {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = strconv.FormatInt(n, 10)
	}
	var out struct{ Data []ImportRow }
	_, err := s.core.json(ctx, http.MethodGet, s.one(string(id), "rows")+"?n="+strings.Join(texts, ","), nil, &out, false, nil)
	return out.Data, err
}

// Errors gives the rows that were refused as a file that can be corrected and sent again. It is read as it comes, and has to be closed.
func (s Imports) Errors(ctx context.Context, id ImportID) (io.ReadCloser, error) {
	return s.core.file(ctx, call{method: http.MethodGet, path: s.one(string(id), "errors"), header: http.Header{}})
}

// RefusedGroups tells by column and value what rows were refused for: of the run, or before that of the preview.
func (s Imports) RefusedGroups(ctx context.Context, id ImportID) (*RefusedGroups, error) {
	type told struct {
		Data []RefusedGroup `json:"data"`
		Meta struct {
			Refused int64 `json:"refused"`
			Grouped int64 `json:"grouped"`
			HasMore bool  `json:"has_more"`
		} `json:"meta"`
	}
	out, err := record[told](ctx, s.core, http.MethodPost, s.one(string(id), "refused", "groups"), nil, false, nil)
	if err != nil {
		return nil, err
	}
	return &RefusedGroups{Groups: out.Data, Refused: out.Meta.Refused, Grouped: out.Meta.Grouped, HasMore: out.Meta.HasMore}, nil
}
