package exchange

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/queue"
	"github.com/kith-crm/kith/internal/tabular"
	"github.com/kith-crm/kith/internal/work"
)

// toldImport is an import as it is answered.
type toldImport struct {
	ID        string              `json:"id"`
	Resource  string              `json:"resource"`
	Status    string              `json:"status"`
	File      *toldFile           `json:"file"`
	Columns   []toldColumn        `json:"columns"`
	Undecided []problem.Field     `json:"undecided"`
	Mapping   map[string]string   `json:"mapping"`
	NewFields map[string]NewField `json:"new_fields"`
	Options   string              `json:"unknown_options"`
	Match     *string             `json:"match"`
	Policy    *string             `json:"policy"`
	Empty     string              `json:"empty"`
	Decimals  *string             `json:"decimals"`
	Dates     *string             `json:"dates"`
	Preview   *toldRun            `json:"preview"`
	Run       *toldRun            `json:"run"`
	Undo      *toldUndo           `json:"undo"`
	CreatedBy *string             `json:"created_by"`
	CreatedAt string              `json:"created_at"`
	UpdatedAt string              `json:"updated_at"`
}

type toldFile struct {
	Format    string  `json:"format"`
	Encoding  *string `json:"encoding"`
	Delimiter *string `json:"delimiter"`
	Bytes     int64   `json:"bytes"`
	Rows      int64   `json:"rows"`
}

type toldColumn struct {
	Name    string   `json:"name"`
	Field   *string  `json:"field"`
	About   *string  `json:"about"`
	Samples []string `json:"samples"`
}

type toldRun struct {
	Job    string `json:"job_id"`
	Status string `json:"status"`
	Total  int64  `json:"total"`
	Done   int64  `json:"done"`
	importCounts
	Refused int64           `json:"refused"`
	Error   json.RawMessage `json:"error"`
}

type toldUndo struct {
	Job    *string `json:"job_id"`
	Status string  `json:"status"`
	Undone int64   `json:"undone"`
	Left   int64   `json:"left"`
	// Reasons tell why so many are left, the most frequent first.
	Reasons []leftReason `json:"reasons"`
}

// WhyLeft reads why an undo by a job left what it did.
func (s *ImportState) WhyLeft(ctx context.Context, c record.Call) error {
	if s.undo == nil || s.undo.Open() || s.undo.Failed == 0 {
		return nil
	}
	refusals, err := queue.Refusals(ctx, c.Tenant, s.undo.ID, 0, MaxRefused)
	s.left = reasonsOf(func(yield func(*problem.Problem) bool) {
		for _, r := range refusals {
			if !yield(work.ReadProblem(r.Problem)) {
				return
			}
		}
	})
	return err
}

// FirstRows reads the first rows of an import's file, as samples of what is in its columns.
func FirstRows(ctx context.Context, e *record.Engine, c record.Call, s *ImportState) ([]tabular.Row, error) {
	if s.file == nil || s.file.Head == nil {
		return nil, nil
	}
	kept, err := queue.FindRows(ctx, c.Tenant, s.ID, s.FileID, 1)
	if err != nil || kept.Data == nil {
		return nil, err
	}
	rows, err := tabular.Unpack(kept.First, kept.Data)
	return rows[:min(len(rows), sampleRows)], err
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func told(t time.Time) string { return string(schema.AppendTime(nil, t)) }

// AppendImport renders an import for somebody, with the first rows of its file; failed renders why a job for it failed.
func AppendImport(e *record.Engine, dst []byte, who *record.Principal, s *ImportState, first []tabular.Row,
	failed func(dst []byte, job *queue.Job, p *problem.Problem) []byte,
) ([]byte, error) {
	out := toldImport{
		ID: schema.FormatID(importID, s.ID), Resource: s.Resource, Status: s.Status(), Columns: []toldColumn{},
		Undecided: []problem.Field{}, Mapping: map[string]string{}, NewFields: map[string]NewField{},
		Options: cmp.Or(s.decisions.Options, optionsRefuse), Match: orNull(s.decisions.Match), Policy: orNull(s.decisions.Policy),
		Empty: cmp.Or(s.decisions.Empty, emptyKeeps), Decimals: orNull(s.decisions.Decimals), Dates: orNull(s.decisions.Dates),
		CreatedAt: told(s.CreatedAt), UpdatedAt: told(s.UpdatedAt),
	}
	if s.User != (schema.UUID{}) {
		out.CreatedBy = orNull(schema.FormatID(account.User.Name, s.User))
	}
	maps.Copy(out.NewFields, s.decisions.NewFields)
	maps.Copy(out.Mapping, s.decisions.Mapping)
	if s.file != nil {
		out.File = &toldFile{s.file.Format, orNull(s.file.Encoding), orNull(s.file.Delimiter), s.file.Bytes, s.file.Rows}
		im, err := s.plan(e, who)
		if p := problem.As(err); p != nil && len(p.Fields) > 0 {
			out.Undecided = p.Fields
		}
		for i, c := range im.columns {
			column := toldColumn{Name: c.name, Field: orNull(c.field()), About: orNull(c.why), Samples: []string{}}
			for _, row := range first {
				if i >= len(row.Cells) || row.Cells[i] == "" || len(column.Samples) == sampleCells {
					continue
				}
				if sample := clipped(row.Cells[i], sampleChars); !slices.Contains(column.Samples, sample) {
					column.Samples = append(column.Samples, sample)
				}
			}
			out.Columns = append(out.Columns, column)
		}
		out.Decimals, out.Dates = orNull("point"), orNull(im.Style.Days)
		if im.Style.Comma {
			out.Decimals = orNull("comma")
		}
	}
	var err error
	if out.Preview, err = toldJob(s.preview, failed); err != nil {
		return dst, err
	}
	if out.Run, err = toldJob(s.run, failed); err != nil {
		return dst, err
	}
	switch {
	case s.undo != nil:
		out.Undo = &toldUndo{orNull(schema.FormatID("job", s.undo.ID)), s.undo.Status, s.undo.Done - s.undo.Failed, s.undo.Failed, s.left}
	case s.Undone != "":
		out.Undo = &toldUndo{Status: queue.JobSucceeded}
		if err := json.Unmarshal([]byte(s.Undone), out.Undo); err != nil {
			return dst, err
		}
	}
	if out.Undo != nil && out.Undo.Reasons == nil {
		out.Undo.Reasons = []leftReason{}
	}
	text, err := json.Marshal(out)
	return append(dst, text...), err
}

// clipped is a text of at most so many characters.
func clipped(text string, most int) string {
	for i := range text {
		if most--; most < 0 {
			return text[:i]
		}
	}
	return text
}

func toldJob(job *queue.Job, failed func(dst []byte, job *queue.Job, p *problem.Problem) []byte) (*toldRun, error) {
	if job == nil {
		return nil, nil
	}
	counts, err := placeOf(job)
	run := &toldRun{
		Job: schema.FormatID("job", job.ID), Status: job.Status, Total: job.Total, Done: job.Done, importCounts: counts.importCounts,
		Refused: job.Failed,
	}
	if p := work.JobError(job); p != nil {
		run.Error = failed(nil, job, p)
	}
	return run, err
}
