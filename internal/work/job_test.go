package work_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/operator"
	"github.com/kith-crm/kith/internal/pgtest"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
	"github.com/kith-crm/kith/internal/testworld"
	"github.com/kith-crm/kith/internal/wiring"
	"github.com/kith-crm/kith/internal/work"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// office is a business on a database of its own, and its administrator.
type office struct {
	*testing.T
	url    string
	engine *record.Engine
	admin  record.Call
}

// onBoth runs a test in an office on each engine.
func onBoth(t *testing.T, test func(o *office)) {
	t.Helper()
	testworld.OnBoth(t, func(t *testing.T, url string) {
		e := testworld.Engine(t, testworld.Open(t, url))
		who := testworld.Business(t, e, "Harbour", account.Person{Email: "admin@harbour.example", Name: "Admin"})
		test(&office{T: t, url: url, engine: e, admin: record.Call{Principal: who}})
	})
}

// write does something in a transaction of a caller's.
func (o *office) write(c record.Call, do func(tx *store.Tx) error) {
	o.Helper()
	if err := c.Tenant.Write(o.Context(), c.By(), do); err != nil {
		o.Fatal(err)
	}
}

// start begins a job.
func (o *office) start(c record.Call, kind string, total int64) (job *queue.Job) {
	o.Helper()
	o.write(c, func(tx *store.Tx) (err error) {
		job, err = work.StartJob(o.engine, tx, c.Principal, kind, "{}", "", total)
		return err
	})
	return job
}

// works has an engine work on jobs until the test ends; what fails goes to failed.
func (o *office) works(e *record.Engine, kinds map[string]*work.JobKind, lease time.Duration, failed func(error)) {
	o.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	worker := work.NewWorker(e, kinds)
	worker.Lease = max(lease, time.Millisecond)
	go func() {
		worker.Work(ctx, failed)
		close(done)
	}()
	o.Cleanup(func() {
		cancel()
		<-done
	})
}

// wrong fails the test with what failed. On a busy machine a worker may wait in vain for a moment, and then tries again.
func (o *office) wrong(err error) {
	if !errors.Is(err, context.DeadlineExceeded) {
		o.Errorf("jobs: %v", err)
	}
}

// read gives a job as it is now.
func (o *office) read(id schema.UUID) *queue.Job {
	o.Helper()
	job, err := work.FindJob(o.Context(), o.admin, schema.FormatID("job", id))
	if err != nil {
		o.Fatal(err)
	}
	return job
}

// finished waits until a job has ended. It asks rarely, because jobs give way to who asks.
func (o *office) finished(id schema.UUID) *queue.Job {
	o.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		if job := o.read(id); !job.FinishedAt.IsZero() {
			return job
		} else if time.Now().After(deadline) {
			o.Fatalf("the job has not ended: %+v", job)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// contacts makes contacts.
func (o *office) contacts(n int) (ids []schema.UUID) {
	o.Helper()
	o.write(o.admin, func(tx *store.Tx) error {
		for i := range n {
			rec, err := o.engine.Add(tx, o.admin.Principal, crm.Contact, fmt.Sprintf(`{"name":"Person %d"}`, i))
			if err != nil {
				return err
			}
			ids = append(ids, rec.ID())
		}
		return nil
	})
	return ids
}

// bulk begins a bulk operation.
func (o *office) bulk(c record.Call, text string) (job *queue.Job) {
	o.Helper()
	b, err := work.PlanBulk(o.Context(), o.engine, c, crm.Contact, o.parse(text))
	if err != nil {
		o.Fatal(err)
	}
	o.write(c, func(tx *store.Tx) (err error) {
		job, err = b.Start(tx)
		return err
	})
	return job
}

func (o *office) parse(text string) *body.Node {
	o.Helper()
	n, err := body.Parse([]byte(text))
	if err != nil {
		o.Fatal(err)
	}
	return n
}

// A step is long only for as long as nobody else uses the store, because they would wait for it.
func TestAStepEndsWhereOthersCome(t *testing.T) {
	onBoth(t, func(o *office) {
		var once sync.Once
		step := func(run *work.JobRun) (bool, error) {
			once.Do(func() { // a step may be tried again
				run.Records = work.StepRecords
				if run.Spent() {
					o.Error("a job that is alone ends its step as if somebody waited")
				}
				run.Records = work.ManyRecords
				if !run.Spent() {
					o.Error("a job that is alone never ends its step")
				}
				run.Records = work.StepRecords
				if _, err := queue.OpenJobs(run.Tx); err != nil || run.Spent() {
					o.Errorf("what the job reads itself is taken for somebody else's: %v", err)
				}
				if _, err := o.admin.Tenant.Get(context.Background(), &account.User.Resource, o.admin.User, false); err != nil {
					o.Error(err)
				}
				if !run.Spent() {
					o.Error("a job goes on with its step although somebody else uses the store")
				}
			})
			return true, nil
		}
		job := o.start(o.admin, "look", 0)
		// Nobody asks how far the job is, which would be somebody else's use.
		ended := make(chan struct{})
		o.works(o.engine, map[string]*work.JobKind{"look": {Step: func(run *work.JobRun) (bool, error) {
			run.AfterCommit(func(context.Context) { close(ended) })
			return step(run)
		}}}, time.Minute, o.wrong)
		<-ended
		if got := o.finished(job.ID); got.Status != queue.JobSucceeded {
			o.Errorf("the job: %+v", got)
		}
	})
}

// What fails by a fault of the job's ends it, with nothing left of the step; what may be better in a moment is tried again.
func TestJobsThatFail(t *testing.T) {
	onBoth(t, func(o *office) {
		faults := make(chan error, 100)
		broken := errors.New("the wind has turned")
		var mu sync.Mutex
		tries := 0
		kinds := map[string]*work.JobKind{
			"refused": {Step: func(run *work.JobRun) (bool, error) {
				if run.Job.Done > 0 {
					return false, problem.New(problem.Conflict, "It is not to be.")
				}
				run.Job.Done++
				op := record.Operation{Kind: crm.Contact, Name: record.Create, Body: o.parse(`{"name":"Made"}`)}
				_, err := run.Do(op)
				return false, err
			}},
			"unlucky": {Step: func(run *work.JobRun) (bool, error) {
				mu.Lock()
				defer mu.Unlock()
				run.Job.Done++
				if tries++; tries == 1 {
					return false, broken
				}
				return true, nil
			}},
		}
		refused, unlucky := o.start(o.admin, "refused", 2), o.start(o.admin, "unlucky", 1)
		o.works(o.engine, kinds, time.Minute, func(err error) { faults <- err })
		got := o.finished(refused.ID)
		if got.Status != queue.JobFailed || got.Done != 1 || got.FirstSeq == 0 || got.FirstSeq != got.LastSeq {
			o.Errorf("what was done by the steps before is not what the job tells: %+v", got)
		}
		if why := work.JobError(got); why == nil || why.Code != problem.Conflict || why.Detail != "It is not to be." {
			o.Errorf("it failed by %+v", why)
		}
		if got := o.finished(unlucky.ID); got.Status != queue.JobSucceeded || got.Done != 1 || got.Tries != 0 {
			o.Errorf("a job that failed once by no fault of its own: %+v", got)
		}
		if fault := <-faults; !errors.Is(fault, broken) {
			o.Errorf("the operator is told of %v", fault)
		}
	})
}

// A job goes on where a server died, with whichever server comes to it, and each record is done once.
func TestJobsAreResumedAndShared(t *testing.T) {
	onBoth(t, func(o *office) {
		const lease = 300 * time.Millisecond
		ids := o.contacts(600)
		var jobs []*queue.Job
		for _, title := range []string{"a", "b", "c"} {
			jobs = append(jobs, o.bulk(o.admin, `{"filters":[],"op":"update","data":{"job_title":"`+title+`"}}`))
		}
		// A worker takes a job and is never heard of again, as in a server that is killed.
		now := time.Now()
		taken, err := queue.LeaseJob(o.Context(), o.admin.Tenant, jobs[0].ID, schema.NewID(now), now, now.Add(lease))
		if err != nil || !taken {
			o.Fatalf("taken %v, %v", taken, err)
		}
		engines := []*record.Engine{o.engine}
		if o.engine.Store().Engine() == "postgres" { // where several servers may share a database
			engines = append(engines, testworld.Engine(o.T, testworld.Open(o.T, o.url)))
		}
		for _, e := range engines {
			o.works(e, wiring.JobKinds(), lease, o.wrong)
		}
		for _, job := range jobs {
			if got := o.finished(job.ID); got.Status != queue.JobSucceeded || got.Done != 600 || got.Failed != 0 {
				o.Errorf("%+v", got)
			}
		}
		for _, id := range ids {
			rec, err := o.admin.Tenant.Get(o.Context(), &crm.Contact.Resource, id, false)
			if err != nil || rec.Version() != 4 {
				o.Fatalf("each was to be changed once by each job: version %d, %v", rec.Version(), err)
			}
		}
		counts, entries := map[string]int{}, 0
		for feed := (record.Feed{Latest: 1}); feed.Next < feed.Latest; {
			text := fmt.Sprintf(`{"resources":["contact"],"limit":100,"after":%d}`, feed.Next)
			feed, err = o.admin.Changes(o.Context(), o.parse(text), func(c store.Change) {
				entries++
				if c.Action == record.Update {
					counts[fmt.Sprint(c.Actor.RequestID, c.RecordID)]++
				}
			})
			if err != nil {
				o.Fatal(err)
			}
		}
		if len(counts) != 1800 || entries != 2400 {
			o.Errorf("%d changes by %d entries", len(counts), entries)
		}
	})
}

// Whoever may not act any more does not go on by a job, be it that their token is gone or that they are suspended; and a job that is
// cancelled does nothing.
func TestJobsEndWithWhoBeganThem(t *testing.T) {
	onBoth(t, func(o *office) {
		ids := o.contacts(3)
		const text = `{"filters":[],"op":"update","data":{"job_title":"x"}}`
		cancelled := o.bulk(o.admin, text)
		name := schema.FormatID("job", cancelled.ID)
		for range 2 { // the second time it is cancelled already
			o.write(o.admin, func(tx *store.Tx) error {
				job, err := work.CancelJob(o.engine, tx, o.admin.Principal, name)
				if err == nil && (job.Status != queue.JobCancelled || job.FinishedAt.IsZero()) {
					o.Errorf("%+v", job)
				}
				return err
			})
		}
		_, err := work.PlanUndo(o.Context(), o.engine, o.admin, o.parse(`{"job_id":"`+name+`"}`))
		if p := problem.As(err); p == nil || p.Code != problem.NotFound {
			o.Errorf("a job that did nothing is undone: %v", err)
		}
		manager := *o.admin.Principal
		manager.User = testworld.User(o.T, o.engine, o.admin.Tenant, account.Person{Email: "m@harbour.example", Name: "M"}, "manager")
		bySuspended := o.bulk(record.Call{Principal: &manager}, text)
		token := *o.admin.Principal
		o.write(o.admin, func(tx *store.Tx) error {
			rec, err := operator.MintToken(o.engine, tx, token.User, "t", []string{"contact.all"}, time.Time{})
			if err == nil {
				token.Token, token.Connection, token.Scopes = rec.ID(), rec.ID(), []string{"contact.all"}
			}
			return err
		})
		byToken := o.bulk(record.Call{Principal: &token}, text)
		_, err = work.PlanUndo(o.Context(), o.engine, o.admin, o.parse(`{"job_id":"`+schema.FormatID("job", byToken.ID)+`"}`))
		if p := problem.As(err); p == nil || p.Code != problem.Conflict {
			o.Errorf("a job that has not ended is undone: %v", err)
		}
		if there, err := operator.RevokeToken(o.Context(), o.engine, o.admin.Tenant, token.Token); !there || err != nil {
			o.Fatal(there, err)
		}
		if err := operator.SetUserStatus(o.Context(), o.engine, o.admin.Tenant, manager.User, "suspended"); err != nil {
			o.Fatal(err)
		}
		o.works(o.engine, wiring.JobKinds(), time.Minute, o.wrong)
		for _, job := range []*queue.Job{byToken, bySuspended} {
			got := o.finished(job.ID)
			if why := work.JobError(got); got.Status != queue.JobFailed || why.Code != problem.ForbiddenByRole || got.Done != 0 {
				o.Errorf("%+v", got)
			}
		}
		for _, id := range ids {
			rec, err := o.admin.Tenant.Get(o.Context(), &crm.Contact.Resource, id, false)
			if err != nil || rec.Version() != 1 {
				o.Errorf("version %d, %v", rec.Version(), err)
			}
		}
	})
}

// A job is told to who began it and to who manages the business, where their token can do what that of the job could.
func TestWhoSeesAJob(t *testing.T) {
	onBoth(t, func(o *office) {
		job := o.start(o.admin, "any", 0)
		narrow, member := *o.admin.Principal, *o.admin.Principal
		narrow.Scopes, narrow.Connection = []string{"contact.all"}, schema.NewID(time.Now())
		member.User = testworld.User(o.T, o.engine, o.admin.Tenant, account.Person{Email: "m@harbour.example", Name: "M"}, "member")
		roles := account.StartingRoles()
		member.Role = roles[slices.IndexFunc(roles, func(r record.Role) bool { return r.Name == "member" })]
		for name, who := range map[string]*record.Principal{"admin": o.admin.Principal, "narrow": &narrow, "member": &member} {
			sees := name == "admin"
			c := record.Call{Principal: who}
			if _, err := work.FindJob(o.Context(), c, schema.FormatID("job", job.ID)); (err == nil) != sees {
				o.Errorf("%s reads it: %v", name, err)
			}
			listed := 0
			_, err := work.Jobs(o.Context(), o.engine, c, o.parse(`{}`), func(*queue.Job) { listed++ })
			if err != nil || listed == 1 != sees {
				o.Errorf("%s lists %d, %v", name, listed, err)
			}
			if !sees {
				o.write(o.admin, func(tx *store.Tx) error {
					if _, err := work.CancelJob(o.engine, tx, who, schema.FormatID("job", job.ID)); problem.As(err) == nil {
						o.Errorf("%s cancels it: %v", name, err)
					}
					return nil
				})
			}
		}
	})
}

// What a job refuses is told page by page, each with few of its wrong fields.
func TestWhatAJobRefuses(t *testing.T) {
	onBoth(t, func(o *office) {
		long := &problem.Problem{Code: problem.Conflict, Detail: "No."}
		for i := range 5 {
			long.Fields = append(long.Fields, problem.Field{Field: fmt.Sprint("f", i), Code: "not_unique", Allowed: []string{"much"}})
		}
		id := o.contacts(1)[0]
		job := o.start(o.admin, "refuses", 3)
		o.works(o.engine, map[string]*work.JobKind{"refuses": {Step: func(run *work.JobRun) (bool, error) {
			for n := range int64(3) {
				run.Job.Done++
				if err := run.Refuse(n+1, crm.Contact, id, "", long); err != nil {
					return false, err
				}
			}
			return true, nil
		}}}, time.Minute, o.wrong)
		if got := o.finished(job.ID); got.Failed != 3 {
			o.Errorf("%+v", got)
		}
		name, told := schema.FormatID("job", job.ID), []string{}
		for i, page := range []string{`{"limit":2}`, `{"limit":2,"after":2}`} {
			more, err := work.Refusals(o.Context(), o.admin, name, o.parse(page), func(_ *queue.Job, r work.Refused) {
				told = append(told, fmt.Sprint(r.N, r.Record == schema.FormatID("contact", id), len(r.Problem.Fields), r.Problem.Omitted,
					r.Problem.Fields[0].Allowed))
			})
			if err != nil || more != (i == 0) {
				o.Errorf("page %d: more %v, %v", i, more, err)
			}
		}
		if got := strings.Join(told, "; "); got != "1 true 3 2 []; 2 true 3 2 []; 3 true 3 2 []" {
			o.Error(got)
		}
	})
}

// How many jobs of a business are open is bounded, and those that have ended are kept for a while.
func TestJobsAreBoundedAndSwept(t *testing.T) {
	onBoth(t, func(o *office) {
		var jobs []*queue.Job
		for range work.MaxOpenJobs {
			jobs = append(jobs, o.start(o.admin, "any", 0))
		}
		err := o.admin.Tenant.Write(o.Context(), o.admin.By(), func(tx *store.Tx) error {
			_, err := work.StartJob(o.engine, tx, o.admin.Principal, "any", "{}", "", 0)
			return err
		})
		if p := problem.As(err); p == nil || p.Code != problem.Conflict {
			o.Errorf("one more than may be open: %v", err)
		}
		o.write(o.admin, func(tx *store.Tx) error {
			_, err := work.CancelJob(o.engine, tx, o.admin.Principal, schema.FormatID("job", jobs[0].ID))
			return err
		})
		o.start(o.admin, "any", 0) // in its place
		for _, after := range []struct {
			days  int
			there bool
		}{{work.JobDays - 1, true}, {work.JobDays + 1, false}} {
			if err := work.SweepJobs(o.Context(), o.engine, time.Now().AddDate(0, 0, after.days)); err != nil {
				o.Fatal(err)
			}
			if _, err := work.FindJob(o.Context(), o.admin, schema.FormatID("job", jobs[0].ID)); (err == nil) != after.there {
				o.Errorf("after %d days: %v", after.days, err)
			}
		}
		if got := o.read(jobs[1].ID); !got.Open() {
			o.Errorf("one that has not ended is swept: %+v", got)
		}
	})
}
