package exchange

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
	"github.com/kith-crm/kith/internal/tabular"
	"github.com/kith-crm/kith/internal/work"
)

// Register has an engine run imports.
func Register(e *record.Engine) {
	e.ImportRoom = MaxImportFiles
}

// JobKinds are the kinds of jobs of this package, by their names.
func JobKinds() map[string]*work.JobKind {
	return map[string]*work.JobKind{
		queue.ImportJob:        {Prepare: nextRows, Step: stepImport},
		queue.ImportPreviewJob: {Prepare: tryRows, Step: stepPreview},
	}
}

const (
	// sliceRows and sliceBytes are what is written at once; a step looks behind each slice whether it has done enough.
	sliceRows  = 100
	sliceBytes = 256 << 10
	// MaxRefused is of how many rows it is told why they are refused, and maxRefusedBytes in about how many bytes. Others are counted.
	MaxRefused      = 10_000
	maxRefusedBytes = 4 << 20
)

// importParams are what a job is told, and tells, of its import.
type importParams struct {
	Import   string `json:"import_id"`
	Resource string `json:"resource"`
}

// importCounts are what became of the rows that were not refused, as the job's Place has it.
type importCounts struct {
	Created   int64 `json:"created"`
	Changed   int64 `json:"changed"`
	Unchanged int64 `json:"unchanged"`
}

// importPlace is all that a job's Place has: also how many bytes are kept of why rows were refused.
type importPlace struct {
	importCounts
	Told int64 `json:"told,omitempty"`
}

func placeOf(job *queue.Job) (n importPlace, err error) {
	if job.Place != "" {
		err = json.Unmarshal([]byte(job.Place), &n)
	}
	return n, err
}

func (n *importCounts) note(done Imported) {
	switch {
	case done.Made:
		n.Created++
	case done.Changed:
		n.Changed++
	default:
		n.Unchanged++
	}
}

// refuse notes that a row was refused, and why, as far as there is room for that.
func (n *importPlace) refuse(run *work.JobRun, k *record.Kind, row Imported) error {
	if run.Job.Failed >= MaxRefused || n.Told >= maxRefusedBytes {
		return run.CountRefused(row.Err)
	}
	before := run.ToldBytes
	err := run.Refuse(row.N, k, schema.UUID{}, row.Wrong, row.Err)
	n.Told += run.ToldBytes - before + int64(len(row.Wrong))
	return err
}

func (n importPlace) keep(job *queue.Job) error {
	text, err := json.Marshal(n)
	job.Place = string(text)
	return err
}

// StartImport begins the job that makes the rows of an import records, or tries that.
func StartImport(e *record.Engine, tx *store.Tx, c record.Call, id, kind string) (*ImportState, error) {
	s, err := idleIn(c.Principal, tx, id)
	if err != nil {
		return nil, err
	}
	status := s.Status()
	switch {
	case s.file == nil:
		return nil, problem.New(problem.InvalidTransition, "The import has no file yet. Send it with PUT /v1/imports/%s/file.", id)
	case status != importReady && status != importUndone:
		return nil, problem.New(problem.InvalidTransition, "The import has been run, and is %s. Undo it first, or make another one.",
			status)
	}
	if _, err := s.plan(e, c.Principal); err != nil {
		return nil, err
	}
	if err := s.decisions.options().mayMake(c.Principal); err != nil {
		return nil, err
	}
	params, err := json.Marshal(importParams{id, s.kind.Name})
	if err != nil {
		return nil, err
	}
	job, err := work.StartJob(e, tx, c.Principal, kind, string(params), "", s.file.Rows)
	if err != nil {
		return nil, err
	}
	last := &s.Preview
	if kind == queue.ImportJob {
		last, s.Undo, s.Undone = &s.Run, schema.UUID{}, ""
	}
	// Of what was refused before nothing is told any more.
	if _, err := queue.ForgetRefusalsOf(tx, *last, MaxRefused); err != nil {
		return nil, err
	}
	*last = job.ID
	if err := queue.PutImport(tx, s.Import); err != nil {
		return nil, err
	}
	return stateIn(c.Principal, tx, id)
}

// errFileGone ends a job whose rows are not there any more.
var errFileGone = problem.New(problem.Conflict, "The rows of the file are not there any more: somebody was erased meanwhile whom they "+
	"may name. Send the file again.")

// of finds the import of a job.
func importOf(job *queue.Job, find func(schema.UUID) (*queue.Import, error)) (*queue.Import, error) {
	var params importParams
	if err := json.Unmarshal([]byte(job.Params), &params); err != nil {
		return nil, err
	}
	id, err := schema.ParseID(importID, params.Import)
	if err != nil {
		return nil, err
	}
	i, err := find(id)
	if errors.Is(err, store.ErrNotFound) {
		err = errNoImport
	}
	return i, err
}

// importPart are the rows that a step is about, of which file they are, and how many were done before them.
type importPart struct {
	rows   []tabular.Row
	file   schema.UUID
	behind int64
	// tried is what would become of them, in a preview.
	tried []Imported
}

// nextRows reads the next rows of a file.
func nextRows(ctx context.Context, _ *record.Engine, t store.Tenant, job *queue.Job) (any, error) {
	return readPart(ctx, t, job)
}

func readPart(ctx context.Context, t store.Tenant, job *queue.Job) (*importPart, error) {
	p := &importPart{behind: job.Done}
	if job.Done >= job.Total {
		return p, nil
	}
	i, err := importOf(job, func(id schema.UUID) (*queue.Import, error) { return queue.FindImport(ctx, t, id) })
	if err != nil {
		return nil, err
	}
	p.file = i.FileID
	kept, err := queue.FindRows(ctx, t, i.ID, i.FileID, job.Done+1)
	if err != nil {
		return nil, err
	}
	p.rows, err = unpackFrom(kept, job.Done+1)
	return p, err
}

// unpackFrom gives the rows of a piece of a file from one of them on.
func unpackFrom(kept queue.ImportRows, from int64) ([]tabular.Row, error) {
	rows, err := tabular.Unpack(kept.First, kept.Data)
	if kept.Data == nil || err == nil && int64(len(rows)) <= from-kept.First {
		return nil, errFileGone
	}
	if err != nil {
		return nil, err
	}
	return rows[from-kept.First:], nil
}

// importIn finds the import of a job in a transaction.
func importIn(tx *store.Tx, job *queue.Job) (*queue.Import, error) {
	return importOf(job, func(id schema.UUID) (*queue.Import, error) { return queue.ImportIn(tx, id) })
}

// current finds the import of a step, and what became of the rows before. It refuses rows of a file that the import does not have any more.
func (p *importPart) current(run *work.JobRun) (i *queue.Import, counts importPlace, err error) {
	if i, err = importIn(run.Tx, run.Job); err == nil && len(p.rows) > 0 && i.FileID != p.file {
		err = errFileGone
	}
	if err == nil {
		counts, err = placeOf(run.Job)
	}
	return i, counts, err
}

// planOf plans the import of a job for who began it.
func planOf(e *record.Engine, tx *store.Tx, who *record.Principal, job *queue.Job) (*Import, error) {
	i, err := importIn(tx, job)
	if err != nil {
		return nil, err
	}
	s, err := state(who, i, nil, func(schema.UUID) (*queue.Job, error) { return nil, store.ErrNotFound })
	if err != nil {
		return nil, err
	}
	if s.file == nil {
		return nil, errFileGone
	}
	return s.plan(e, who)
}

// stepImport makes the next rows records.
func stepImport(run *work.JobRun) (done bool, err error) {
	p := run.Prepared.(*importPart)
	if p.behind != run.Job.Done {
		return false, nil // somebody was faster, and the rows are read anew
	}
	i, counts, err := p.current(run)
	if err != nil {
		return false, err
	}
	im, err := planOf(run.Engine, run.Tx, run.Who, run.Job)
	if err != nil {
		return false, err
	}
	for rest := p.rows; run.Job.Done < run.Job.Total && !run.Spent(); {
		if len(rest) == 0 { // the step goes on into the next piece of the file
			kept, err := queue.RowsIn(run.Tx, i.ID, i.FileID, run.Job.Done+1)
			if err == nil {
				rest, err = unpackFrom(kept, run.Job.Done+1)
			}
			if err != nil {
				return false, err
			}
		}
		n := slice(rest)
		var refused error
		err := im.Step(run.Tx, rest[:n], func(row Imported) {
			run.Job.Done++
			run.Records++
			if row.Err == nil {
				counts.note(row)
			} else if refused == nil {
				refused = counts.refuse(run, importKind(i.Resource), row)
			}
		})
		if err = errors.Join(err, refused); err != nil {
			return false, err
		}
		rest = rest[n:]
	}
	return run.Job.Done >= run.Job.Total, counts.keep(run.Job)
}

// slice tells how many of the next rows are written at once.
func slice(rows []tabular.Row) (n int) {
	for bytes := 0; n < min(len(rows), sliceRows) && (n == 0 || bytes < sliceBytes); n++ {
		bytes += rows[n].Weight()
	}
	return n
}

// tryRows reads the next rows of a file, and rehearses what would become of them.
func tryRows(ctx context.Context, e *record.Engine, t store.Tenant, job *queue.Job) (any, error) {
	p, err := readPart(ctx, t, job)
	if err != nil || len(p.rows) == 0 {
		return p, err
	}
	e.Background.Note()
	err = t.Rehearse(ctx, job.Actor, func(tx *store.Tx) error {
		p.tried = p.tried[:0]
		who, err := account.Resume(e, tx, job.Actor, job.Connection, job.Scopes)
		if err != nil {
			return err
		}
		im, err := planOf(e, tx, who, job)
		if err != nil {
			return err
		}
		return im.Step(tx, p.rows[:slice(p.rows)], func(row Imported) {
			p.tried = append(p.tried, row)
		})
	})
	return p, err
}

// stepPreview notes what would become of rows.
func stepPreview(run *work.JobRun) (done bool, err error) {
	p := run.Prepared.(*importPart)
	if p.behind != run.Job.Done {
		return false, nil
	}
	i, counts, err := p.current(run)
	if err != nil {
		return false, err
	}
	for _, row := range p.tried {
		run.Job.Done++
		if row.Err == nil {
			counts.note(row)
		} else if err := counts.refuse(run, importKind(i.Resource), row); err != nil {
			return false, err
		}
	}
	return run.Job.Done >= run.Job.Total, counts.keep(run.Job)
}

// inColumns names the columns in what is wrong with a row, where their fields are named.
func (im *Import) inColumns(err error) error {
	p := problem.As(err)
	if p == nil || len(p.Fields) == 0 || len(im.columns) == 0 {
		return err
	}
	told := *p
	told.Fields = slices.Clone(p.Fields)
	for i, f := range told.Fields {
		path := strings.TrimPrefix(f.Field, record.Upserting.Data.Path+".")
		told.Fields[i].Field = path
		for _, c := range im.columns {
			at := c.field()
			if at == "" {
				continue
			}
			if c.by != nil {
				at = c.leaf.Path
			}
			if rest, ok := strings.CutPrefix(path, at); ok && (rest == "" || rest[0] == '[' || rest[0] == '.') {
				told.Fields[i].Field = c.name
			}
		}
	}
	return &told
}

// Errors are the rows of an import that were refused, or would be.
type Errors struct {
	// Table tells that they are a table, and not lines of JSON.
	Table bool
	state *ImportState
	job   *queue.Job
	call  record.Call
}

// PlanErrors finds what of an import was refused: when it was run, or else when that was tried.
func PlanErrors(ctx context.Context, e *record.Engine, c record.Call, id string) (*Errors, error) {
	s, job, err := ranImport(ctx, e, c, id)
	if err != nil {
		return nil, err
	}
	return &Errors{Table: s.file.Head != nil, state: s, job: job, call: c}, nil
}

// ranImport finds an import with the job that ran it, or before that tried it.
func ranImport(ctx context.Context, e *record.Engine, c record.Call, id string) (*ImportState, *queue.Job, error) {
	s, err := FindImport(ctx, e, c, id)
	if err != nil {
		return nil, nil, err
	}
	job := s.run
	if job == nil || s.Status() == importUndone && s.preview != nil && s.preview.CreatedAt.After(job.CreatedAt) {
		job = cmp.Or(s.preview, job)
	}
	if job == nil || s.file == nil {
		return nil, nil, problem.New(problem.InvalidTransition, "The import is %s: it has neither been run nor tried.", s.Status())
	}
	return s, job, nil
}

// errorsAtOnce is how many refused rows are read at once.
const errorsAtOnce = 200

// Run hands the file of refused rows to send, part after part: as they came, with a column that says why.
func (x *Errors) Run(ctx context.Context, send func([]byte) error) error {
	out := tabular.NewRefused(x.state.file.Head, ImportError, x.state.file.dialect())
	t := x.call.Tenant
	var at queue.ImportRows
	var rows []tabular.Row
	for after, more := int64(0), true; more; {
		refusals, err := queue.Refusals(ctx, t, x.job.ID, after, errorsAtOnce)
		if err != nil {
			return err
		}
		for _, r := range refusals {
			if n := r.N - at.First; rows == nil || n < 0 || n >= int64(len(rows)) {
				if at, err = queue.FindRows(ctx, t, x.state.ID, x.state.FileID, r.N); err != nil {
					return err
				}
				if rows, err = tabular.Unpack(at.First, at.Data); err != nil {
					return err
				}
			}
			row := tabular.Row{N: r.N}
			if n := r.N - at.First; n >= 0 && n < int64(len(rows)) {
				row = x.state.file.corrected(rows[n : n+1])[0]
			}
			if err := out.Add(row, Reason(work.ReadProblem(r.Problem))); err != nil {
				return err
			}
			after = r.N
		}
		more = len(refusals) == errorsAtOnce
		text, err := out.Take()
		if err != nil {
			return err
		}
		if len(text) > 0 {
			if err := send(text); err != nil {
				return err
			}
		}
	}
	return nil
}
