package record

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
	"github.com/kith-crm/kith/internal/store/queue"
)

// JobKind is a kind of work that is too long for one request. It is done in steps, see job_work.go.
type JobKind struct {
	// Prepare does before each step what needs no transaction, such as reading what is next in a file. What it gives is the run's
	// Prepared. It may be nil.
	Prepare func(ctx context.Context, e *Engine, t store.Tenant, job *queue.Job) (any, error)
	// Step does the next part, until the run is spent, and moves the job's Place, Done, Failed and Total on. All of it is one
	// transaction in the business's turn. It may be run more than once before that is committed. done tells that nothing is left to
	// do. A problem ends the job as failed; other errors have it tried again.
	Step func(run *JobRun) (done bool, err error)
	// Ended runs in the transaction in which the job ends, however it does, which its Status tells. It may be nil.
	Ended func(run *JobRun) error
}

// RegisterJob has the engine do jobs of a kind. All kinds are registered before it works on any.
func (e *Engine) RegisterJob(name string, kind *JobKind) { e.jobKinds[name] = kind }

// JobRun is one step of a job.
type JobRun struct {
	*store.Tx
	Engine *Engine
	// Who is who began the job, with what they may do by now.
	Who      *Principal
	Job      *queue.Job
	Prepared any
	began    time.Time
	Bystanders
	Records int
}

// What a step may take, so that nobody waits for it: time, records, and bytes that are read and written.
const (
	stepTime    = 25 * time.Millisecond
	StepRecords = 100
	stepWeight  = 2 << 20
	// alone is how many times as long a step takes for as long as nobody else uses the store, and manyRecords how many it has at
	// most: what a commit costs is shared by more records, of which many change the same pages.
	alone       = 20
	manyRecords = 4000
)

// Spent tells that the step has done enough.
func (r *JobRun) Spent() bool {
	may, records := 1, StepRecords
	if r.Others() <= 0 {
		may, records = alone, manyRecords
	}
	return r.Records >= records || r.Weight() > may*stepWeight || time.Since(r.began) > time.Duration(may)*stepTime
}

// Do does one operation under the rules that hold for everybody. Where it fails it is undone alone.
func (r *JobRun) Do(op Operation) (out Outcome, err error) {
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
func (r *JobRun) Refuse(n int64, k *Kind, record schema.UUID, input string, why error) error {
	p := problem.As(why)
	if p == nil || p.Code.WorthRetrying() {
		return why
	}
	r.Job.Failed++
	return queue.Refuse(r.Tx, r.Job.ID, queue.Refusal{N: n, Resource: k.Name, Record: record, Input: input, Problem: keptProblem(p)})
}

// mostKeptFields is how many wrong fields are told of a record that a job refuses: there may be many such records.
const mostKeptFields = 3

// keptProblem is a problem as it is kept.
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
	text, err := json.Marshal(short)
	if err != nil {
		return "{}"
	}
	return string(text)
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
func (e *Engine) StartJob(tx *store.Tx, who *Principal, kind, params, private string, total int64) (*queue.Job, error) {
	open, err := queue.OpenJobs(tx)
	if err != nil {
		return nil, err
	}
	if open >= MaxOpenJobs {
		return nil, problem.New(problem.Conflict, "%d jobs of this business have not ended yet. Wait until one has, or cancel one.", open)
	}
	id, err := schema.ParseID("req", tx.Actor().RequestID)
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

// JobPrincipal is who began a job, with what they may do by now: whoever may not act any more, or not by the token that they had,
// does not go on by a job either.
func (e *Engine) JobPrincipal(tx *store.Tx, job *queue.Job) (*Principal, error) {
	a := job.Actor
	gone := func(what string) error {
		return problem.New(problem.ForbiddenByRole, "The job was stopped, because %s may not act any more.", what)
	}
	u, err := Acting(tx.Get(&User.Resource, a.User, false))
	if err != nil {
		return nil, err
	}
	if u == nil {
		return nil, gone("the user who began it")
	}
	r, err := tx.Get(&RoleKind.Resource, u.Get(Users.RoleID).UUID(), false)
	if err != nil {
		return nil, err
	}
	who := &Principal{
		Tenant: tx.Tenant, User: a.User, Token: a.Token, App: a.App, Client: a.Client, Connection: job.Connection, Scopes: job.Scopes,
		Role:     ReadRole(r),
		Timezone: u.Text(Users.Timezone),
	}
	// A person in the browser had shown one when the job began, to kith or to the identity provider of the business.
	who.LacksFactor = who.Role.SecondFactor && !u.Get(Users.SecondFactorAt).Set && !who.InBrowser()
	switch {
	case a.Token != schema.UUID{}:
		rec, err := tx.Get(&Token.Resource, a.Token, false)
		if errors.Is(err, store.ErrNotFound) {
			return nil, gone("the token by which it was begun")
		}
		if err != nil {
			return nil, err
		}
		if v := rec.Get(Tokens.ExpiresAt); v.Set && !tx.Now.Before(v.Time()) {
			return nil, gone("the token by which it was begun")
		}
		who.Scopes = Within(who.Scopes, body.Strings(rec.Get(Tokens.Scopes)))
	case a.AppID() != "":
		if a.App != (schema.UUID{}) {
			rec, err := tx.Get(&App.Resource, a.App, false)
			if errors.Is(err, store.ErrNotFound) {
				return nil, gone("the app by which it was begun")
			}
			if err != nil {
				return nil, err
			}
			grants, way := body.Strings(rec.Get(Apps.GrantTypes)), "authorization_code"
			if job.Connection == a.App {
				way = "client_credentials"
			}
			foreign := job.Connection == a.App && rec.Get(Apps.UserID).UUID() != a.User
			if !slices.Contains(grants, way) || foreign { // as with its access tokens
				return nil, gone("the app by which it was begun")
			}
			who.Scopes = Within(who.Scopes, body.Strings(rec.Get(Apps.Scopes)))
		}
		if job.Connection != a.App { // which acts on its own otherwise
			held, err := keep.HoldGrant(tx, job.Connection)
			if err != nil {
				return nil, err
			}
			if !held {
				return nil, gone("the app by which it was begun")
			}
		}
	}
	who, _, err = e.Inform(tx, who)
	return who, err
}

// MaySee decides whether a principal may know of a job: it is their own, or they manage the business; and it was begun by the token
// that they have, or by one that could do no more.
func (p *Principal) MaySee(job *queue.Job) bool {
	return p.MaySeeOf(job.Actor.User, job.Connection, job.Scopes)
}

// MaySeeOf decides that of whatever a user began by a connection with some scopes.
func (p *Principal) MaySeeOf(user, connection schema.UUID, scopes []string) bool {
	if user != p.User && !p.HasFeature(Business.Feature) {
		return false
	}
	more := func(scope string) bool {
		return slices.ContainsFunc(Parts(scope), func(part string) bool { return !Covers(p.Scopes, part) })
	}
	return connection == p.Connection || !slices.ContainsFunc(scopes, more)
}

var ErrNoJob = problem.New(problem.NotFound, "There is no such job. Jobs are kept for %d days after they ended.", JobDays)

// JobDays is for how many days a job is kept that has ended.
const JobDays = 30

// Job reads a job.
func (e *Engine) Job(ctx context.Context, c Call, id string) (*queue.Job, error) {
	uuid, err := schema.ParseID("job", id)
	if err != nil {
		return nil, ErrNoJob
	}
	return c.seenJob(queue.FindJob(ctx, c.Tenant, uuid))
}

// seenJob gives a job that was found to those who may see it.
func (p *Principal) seenJob(job *queue.Job, err error) (*queue.Job, error) {
	if errors.Is(err, store.ErrNotFound) || err == nil && !p.MaySee(job) {
		return nil, ErrNoJob
	}
	return job, err
}

// Jobs lists the jobs that the caller may see, the newest first unless they ask otherwise.
func (e *Engine) Jobs(ctx context.Context, c Call, n *body.Node, each func(*queue.Job)) (List, error) {
	jobs, list, err := ListBegun(e, c, n, "jobs", func(j queue.Job) schema.UUID { return j.ID },
		func(of, after schema.UUID, up bool, limit int) ([]queue.Job, error) {
			return queue.Jobs(ctx, c.Tenant, of, after, up, limit)
		})
	for i := range jobs {
		if c.MaySee(&jobs[i]) {
			each(&jobs[i])
		}
	}
	return list, err
}

// ListBegun reads a page of what people began: their own, and everybody's for those who keep the settings.
func ListBegun[T any](e *Engine, c Call, n *body.Node, what string, id func(T) schema.UUID,
	read func(of, after schema.UUID, up bool, limit int) ([]T, error),
) ([]T, List, error) {
	p, err := e.Page(c, All, n, what)
	if err != nil {
		return nil, List{}, err
	}
	var after schema.UUID
	copy(after[:], p.Place)
	of := c.User
	if c.HasFeature(Business.Feature) {
		of = schema.UUID{}
	}
	some, err := read(of, after, !p.Desc, p.Limit+1)
	list := List{Total: -1}
	if len(some) > p.Limit {
		some = some[:p.Limit]
		last := id(some[len(some)-1])
		list.Next = p.Next(last[:])
	}
	return some, list, err
}

// CancelJob ends a job between two of its steps. What it has done stays done.
func (e *Engine) CancelJob(tx *store.Tx, who *Principal, id string) (*queue.Job, error) {
	uuid, err := schema.ParseID("job", id)
	if err != nil {
		return nil, ErrNoJob
	}
	job, err := who.seenJob(queue.JobIn(tx, uuid))
	if err != nil || job.Status == queue.JobCancelled {
		return job, err
	}
	if !job.Open() {
		return nil, problem.New(problem.InvalidTransition, "The job has %s already. Undo takes back what it did.", job.Status)
	}
	run := &JobRun{Tx: tx, Engine: e, Who: who, Job: job}
	return job, run.end(queue.JobCancelled, schema.UUID{})
}

// end ends the job.
func (r *JobRun) end(status string, own schema.UUID) error {
	r.Job.Status, r.Job.FinishedAt, r.Job.Private = status, r.Now, ""
	if kind := r.Engine.jobKinds[r.Job.Kind]; kind != nil && kind.Ended != nil {
		if err := kind.Ended(r); err != nil {
			return err
		}
	}
	if err := queue.ForgetJobSet(r.Tx, r.Job.ID); err != nil {
		return err
	}
	return queue.PutJob(r.Tx, r.Job, own, time.Time{})
}

// Refused is a record that a job could not do, by its place among all that there was to do, and why. The record's id is empty where
// it is none.
type Refused struct {
	N       int64
	Record  string
	Problem *problem.Problem
}

// RefusedBody is what the body may have that asks for a page of what a job refused.
var RefusedBody = schema.CompileBody("refused", PageLimit,
	schema.Field{
		Name: "after", Kind: schema.Integer, Min: schema.Bound(0),
		About: "The `n` to go on behind: that of the last entry of the previous page.",
	},
)

var refusing = schema.FieldsOf[struct{ Limit, After *schema.Leaf }](RefusedBody)

// Refusals lists what a job could not do, in order, and tells whether there is more.
func (e *Engine) Refusals(ctx context.Context, c Call, id string, n *body.Node, each func(*queue.Job, Refused)) (more bool, err error) {
	object, err := n.Object()
	if err != nil {
		return false, err
	}
	var wrong problem.Fields
	given := body.Decode(object, RefusedBody, true, "", &wrong)
	if err := wrong.Err(); err != nil {
		return false, err
	}
	job, err := e.Job(ctx, c, id)
	if err != nil {
		return false, err
	}
	limit := LimitOf(given.Get(refusing.Limit))
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
