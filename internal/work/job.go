package work

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
)

// JobKind is a kind of work that is too long for one request. It is done in steps, see worker.go.
type JobKind struct {
	// Prepare does before each step what needs no transaction, such as reading what is next in a file. What it gives is the run's
	// Prepared. It may be nil.
	Prepare func(ctx context.Context, e *record.Engine, t store.Tenant, job *queue.Job) (any, error)
	// Step does the next part, until the run is spent, and moves the job's Place, Done, Failed and Total on. All of it is one
	// transaction in the business's turn. It may be run more than once before that is committed. done tells that nothing is left to
	// do. A problem ends the job as failed; other errors have it tried again.
	Step func(run *JobRun) (done bool, err error)
}

// JobRun is one step of a job.
type JobRun struct {
	*store.Tx
	Engine *record.Engine
	// Who is who began the job, with what they may do by now.
	Who      *record.Principal
	Job      *queue.Job
	Prepared any
	began    time.Time
	record.Bystanders
	Records int
	// ToldBytes is how much is kept of why the step refused what it did.
	ToldBytes int64
}

// What a step may take, so that nobody waits for it: time, records, and bytes that are read and written.
const (
	stepTime    = 25 * time.Millisecond
	stepRecords = 100
	stepWeight  = 2 << 20
	// alone is how many times as long a step takes for as long as nobody else uses the store, and manyRecords how many it has at
	// most: what a commit costs is shared by more records, of which many change the same pages.
	alone       = 20
	manyRecords = 4000
)

// Spent tells that the step has done enough.
func (r *JobRun) Spent() bool {
	may, records := 1, stepRecords
	if r.Others() <= 0 {
		may, records = alone, manyRecords
	}
	return r.Records >= records || r.Weight > may*stepWeight || time.Since(r.began) > time.Duration(may)*stepTime
}

// Do does one operation under the rules that hold for everybody. Where it fails it is undone alone.
func (r *JobRun) Do(op record.Operation) (out record.Outcome, err error) {
	r.Records++
	step, err := r.Engine.Plan(r.Who, op)
	if err != nil {
		return out, err
	}
	err = r.Savepoint(func() (err error) {
		out, err = step(r.Tx)
		return err
	})
	return out, err
}

// Refuse notes a record of a kind that the job cannot do, with its number among all that there is to do, and why. The id is zero
// where it is none yet. input is what the kind wants to know of it, as JSON, or empty. What is no fault of the record's is given
// back.
func (r *JobRun) Refuse(n int64, k *record.Kind, id schema.UUID, input string, why error) error {
	p := problem.As(why)
	if p == nil || p.Code.WorthRetrying() {
		return why
	}
	r.Job.Failed++
	kept := keptProblem(p)
	r.ToldBytes += int64(len(kept))
	return queue.Refuse(r.Tx, r.Job.ID, queue.Refusal{N: n, Resource: k.Name, Record: id, Input: input, Problem: kept})
}

// CountRefused counts what the job cannot do, and does not keep why.
func (r *JobRun) CountRefused(why error) error {
	if p := problem.As(why); p == nil || p.Code.WorthRetrying() {
		return why
	}
	r.Job.Failed++
	return nil
}

// mostKeptFields is how many wrong fields are told of a record that a job refuses, and mostKeptBytes about how much of them: there may be
// many such records.
const (
	mostKeptFields = 3
	mostKeptBytes  = 4 << 10
)

func keptProblem(p *problem.Problem) string {
	short := *p
	short.Changes = nil
	if len(p.Fields) > mostKeptFields {
		short.Omitted += len(p.Fields) - mostKeptFields
		short.Fields = p.Fields[:mostKeptFields]
	}
	short.Fields = slices.Clone(short.Fields)
	for i := range short.Fields {
		short.Fields[i].Allowed = nil
	}
	for {
		text, err := json.Marshal(short)
		if err != nil {
			return "{}"
		}
		if len(text) <= mostKeptBytes || len(short.Fields) <= 1 {
			return string(text)
		}
		short.Omitted, short.Fields = short.Omitted+1, short.Fields[:len(short.Fields)-1]
	}
}

// ReadProblem reads a problem that was kept.
func ReadProblem(kept string) *problem.Problem {
	if kept == "" {
		return nil
	}
	p := &problem.Problem{}
	if err := json.Unmarshal([]byte(kept), p); err != nil {
		return problem.New(problem.Internal, "Something went wrong on our side.")
	}
	return p
}

// MaxOpenJobs is how many jobs of a business may be under way.
const MaxOpenJobs = 20

// StartJob begins a job in the transaction of the request that asks for it, whose id it has. params are told to whoever asks for
// the job, and private to nobody; both are JSON, and private may be empty.
func StartJob(e *record.Engine, tx *store.Tx, who *record.Principal, kind, params, private string, total int64) (*queue.Job, error) {
	open, err := queue.OpenJobs(tx)
	if err != nil {
		return nil, err
	}
	if open >= MaxOpenJobs {
		return nil, problem.New(problem.Conflict, "%d jobs of this business have not ended yet. Wait until one has, or cancel one.", open)
	}
	id, err := schema.ParseID("req", tx.Actor.RequestID)
	if err != nil { // nobody asked for it by the API
		id = schema.NewID(tx.Now)
	}
	job := &queue.Job{
		ID: id, Kind: kind, Params: params, Private: private, Actor: who.Actor(schema.FormatID("req", id)),
		Connection: who.Connection, Scopes: who.Scopes, Total: total,
	}
	tx.AfterCommit(func(context.Context) { e.JobsDue.Wake() })
	return job, queue.AddJob(tx, job)
}

// maySee decides whether a principal may know of a job: it is their own, or they manage the business; and it was begun by the token
// that they have, or by one that could do no more.
func maySee(p *record.Principal, job *queue.Job) bool {
	return p.MaySeeOf(job.Actor.User, job.Connection, job.Scopes)
}

var errNoJob = problem.New(problem.NotFound, "There is no such job. Jobs are kept for %d days after they ended.", JobDays)

// JobDays is for how many days a job is kept that has ended.
const JobDays = 30

// FindJob reads a job.
func FindJob(ctx context.Context, c record.Call, id string) (*queue.Job, error) {
	uuid, err := schema.ParseID("job", id)
	if err != nil {
		return nil, errNoJob
	}
	job, err := queue.FindJob(ctx, c.Tenant, uuid)
	return seenJob(c.Principal, job, err)
}

// seenJob gives a job that was found to those who may see it.
func seenJob(p *record.Principal, job *queue.Job, err error) (*queue.Job, error) {
	if errors.Is(err, store.ErrNotFound) || err == nil && !maySee(p, job) {
		return nil, errNoJob
	}
	return job, err
}

// Jobs lists the jobs that the caller may see, the newest first unless they ask otherwise.
func Jobs(ctx context.Context, e *record.Engine, c record.Call, n *body.Node, each func(*queue.Job)) (record.List, error) {
	jobs, list, err := ListBegun(e, c, n, "jobs", func(j queue.Job) schema.UUID { return j.ID },
		func(of, after schema.UUID, up bool, limit int) ([]queue.Job, error) {
			return queue.Jobs(ctx, c.Tenant, of, after, up, limit)
		})
	for i := range jobs {
		if maySee(c.Principal, &jobs[i]) {
			each(&jobs[i])
		}
	}
	return list, err
}

// ListBegun reads a page of what people began: their own, and everybody's for those who keep the settings.
func ListBegun[T any](e *record.Engine, c record.Call, n *body.Node, what string, id func(T) schema.UUID,
	read func(of, after schema.UUID, up bool, limit int) ([]T, error),
) ([]T, record.List, error) {
	p, err := e.Page(c, record.All, n, what)
	if err != nil {
		return nil, record.List{}, err
	}
	var after schema.UUID
	copy(after[:], p.Place)
	of := c.User
	if c.HasFeature(record.Business.Access.Feature) {
		of = schema.UUID{}
	}
	some, err := read(of, after, !p.Desc, p.Limit+1)
	list := record.List{Total: -1}
	if len(some) > p.Limit {
		some = some[:p.Limit]
		last := id(some[len(some)-1])
		list.Next = p.Next(last[:])
	}
	return some, list, err
}

// CancelJob ends a job between two of its steps. What it has done stays done.
func CancelJob(e *record.Engine, tx *store.Tx, who *record.Principal, id string) (*queue.Job, error) {
	uuid, err := schema.ParseID("job", id)
	if err != nil {
		return nil, errNoJob
	}
	job, err := queue.JobIn(tx, uuid)
	if job, err = seenJob(who, job, err); err != nil || job.Status == queue.JobCancelled {
		return job, err
	}
	if !job.Open() {
		return nil, problem.New(problem.InvalidTransition, "The job has %s already. Undo takes back what it did.", job.Status)
	}
	return job, endJob(e, tx, job, queue.JobCancelled, schema.UUID{})
}

func endJob(e *record.Engine, tx *store.Tx, job *queue.Job, status string, own schema.UUID) error {
	job.Status, job.FinishedAt, job.Private = status, tx.Now, ""
	if job.Kind == record.BulkJob {
		job.Place = "" // the search whose records were still to be found
	}
	if err := queue.ForgetJobSet(tx, job.ID); err != nil {
		return err
	}
	if err := queue.PutJob(tx, job, own, time.Time{}); err != nil || e.JobEnded == nil {
		return err
	}
	return e.JobEnded(e, tx, job)
}

// Refused is a record that a job could not do, by its place among all that there was to do, and why. The record's id is empty where
// it is none.
type Refused struct {
	N       int64
	Record  string
	Problem *problem.Problem
}

// RefusedBody is what the body may have that asks for a page of what a job refused.
var RefusedBody = schema.CompileBody("refused", record.PageLimit,
	schema.Field{
		Name: "after", Kind: schema.Integer, Min: schema.Bound(0),
		About: "The `n` to go on behind: that of the last entry of the previous page.",
	},
)

var refusing = schema.FieldsOf[struct{ Limit, After *schema.Leaf }](RefusedBody)

// Refusals lists what a job could not do, in order, and tells whether there is more.
func Refusals(ctx context.Context, c record.Call, id string, n *body.Node, each func(*queue.Job, Refused)) (more bool, err error) {
	given, err := record.Given(n, RefusedBody)
	if err != nil {
		return false, err
	}
	job, err := FindJob(ctx, c, id)
	if err != nil {
		return false, err
	}
	limit := record.LimitOf(given.Get(refusing.Limit))
	all, err := queue.Refusals(ctx, c.Tenant, job.ID, given.Get(refusing.After).N, limit+1)
	if err != nil {
		return false, err
	}
	for i, r := range all {
		if i == limit {
			return true, nil
		}
		id := ""
		if r.Record != (schema.UUID{}) {
			id = schema.FormatID(r.Resource, r.Record)
		}
		each(job, Refused{r.N, id, ReadProblem(r.Problem)})
	}
	return false, nil
}

// JobError is why a job failed, or nil.
func JobError(job *queue.Job) *problem.Problem { return ReadProblem(job.Error) }

// AppendJob renders a job; failed renders why it did, where it did.
func AppendJob(dst []byte, job *queue.Job, failed func(dst []byte, p *problem.Problem) []byte) []byte {
	dst = append(schema.AppendID(append(dst, `{"id":"`...), "job", string(job.ID[:])), '"')
	dst = schema.AppendString(append(dst, `,"kind":`...), job.Kind)
	dst = schema.AppendString(append(dst, `,"status":`...), job.Status)
	dst = append(append(dst, `,"parameters":`...), job.Params...)
	dst = strconv.AppendInt(append(dst, `,"total":`...), job.Total, 10)
	dst = strconv.AppendInt(append(dst, `,"done":`...), job.Done, 10)
	dst = strconv.AppendInt(append(dst, `,"failed":`...), job.Failed, 10)
	dst = schema.AppendString(append(dst, `,"request_id":`...), job.Actor.RequestID)
	dst = job.Actor.AppendJSON(append(dst, `,"actor":`...))
	for _, t := range []struct {
		name string
		at   time.Time
	}{{"created_at", job.CreatedAt}, {"started_at", job.StartedAt}, {"finished_at", job.FinishedAt}} {
		dst = append(append(append(dst, `,"`...), t.name...), `":`...)
		if t.at.IsZero() {
			dst = append(dst, "null"...)
			continue
		}
		dst = append(schema.AppendTime(append(dst, '"'), t.at), '"')
	}
	dst = append(dst, `,"error":`...)
	if p := JobError(job); p != nil {
		dst = failed(dst, p)
	} else {
		dst = append(dst, "null"...)
	}
	return append(dst, '}')
}
