package record

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
)

// Jobs are worked on by every server. A worker takes one for a slice of time by a lease, and does steps of it. Each step checks the
// lease and moves the job on in the transaction in which it writes its records, so a worker that dies, or that was so slow that
// another took the job, has done nothing by half and nothing twice. See ADR 0055.

const (
	// jobWorkers is how many jobs a server works on at once; of one business it is one at a time.
	jobWorkers = 4
	// jobSlice is how long a job is worked on before others have their turn.
	jobSlice = time.Second
	// jobLease is how long a job stays with a worker from which nothing is heard. It is longer than a step may wait for its turn and take.
	jobLease = 15 * time.Second
	// jobPoll is how often somebody looks for jobs that another server began or left behind.
	jobPoll = 2 * time.Second
	// jobTries is how often in a row a step may fail by no fault of the job.
	jobTries = 10
	// jobRest is how many times as long as a step took the worker rests at most where others used the database meanwhile, and
	// jobYield how long for each time that they did.
	jobRest  = 6
	jobYield = 25 * time.Millisecond
)

// WorkJobs works on jobs until the context ends, and then gives back what it has.
func (e *Engine) WorkJobs(ctx context.Context, failed func(error)) {
	w := &jobWorker{e: e, failed: failed, busy: map[schema.UUID]bool{}, ended: make(chan schema.UUID, jobWorkers)}
	for ctx.Err() == nil {
		w.dispatch(ctx)
		select {
		case <-ctx.Done():
		case business := <-w.ended:
			delete(w.busy, business)
		case <-e.JobsDue:
		case <-time.After(jobPoll):
		}
	}
	w.Wait()
}

// EndLeases lets this server go on at once with what others had that are gone, until the context ends.
func (e *Engine) EndLeases(ctx context.Context, failed func(error)) {
	e.store.EndLeases(ctx, func() {
		e.JobsDue.Wake()
		e.DeliveriesDue.Wake()
	}, failed)
}

// jobWorker is what works on jobs in this server.
type jobWorker struct {
	sync.WaitGroup
	e      *Engine
	failed func(error)
	// busy are the businesses of which it works on a job, each of which ended is told when it has.
	busy  map[schema.UUID]bool
	ended chan schema.UUID
}

// dispatch begins to work on jobs that wait, as far as there are workers.
func (w *jobWorker) dispatch(ctx context.Context) {
	if len(w.busy) >= jobWorkers {
		return
	}
	due, err := queue.DueJobs(ctx, w.e.store, time.Now())
	if err != nil { // of the others there may be some all the same
		w.fail(ctx, err)
	}
	for _, d := range due {
		if len(w.busy) >= jobWorkers {
			return
		}
		if w.busy[d.ID()] {
			continue
		}
		w.busy[d.ID()] = true
		w.Go(func() {
			if err := w.e.workJob(ctx, d, jobSlice); err != nil {
				w.fail(ctx, err)
			}
			w.ended <- d.ID()
		})
	}
}

func (w *jobWorker) fail(ctx context.Context, err error) {
	if ctx.Err() == nil {
		w.failed(err)
	}
}

// workJob does steps of a job for a slice of time.
func (e *Engine) workJob(ctx context.Context, due queue.DueJob, slice time.Duration) error {
	own, begin := e.store.NewLease(), time.Now()
	e.Background.Note()
	if taken, err := queue.LeaseJob(ctx, due.Tenant, due.Job, own, begin, begin.Add(e.JobLease)); err != nil || !taken {
		return err
	}
	var after time.Time
	tries, fault := int64(0), error(nil)
	for time.Since(begin) < slice && ctx.Err() == nil {
		seen, at := e.Background.Look(), time.Now()
		ended, n, err := e.stepJob(ctx, due, own, &seen)
		if ended || errors.Is(err, queue.ErrJobLost) {
			return nil
		}
		if tries = n; err != nil {
			tries++
			fault, after = err, time.Now().Add(time.Duration(min(tries, 10))*time.Second)
			break
		}
		if others := seen.Others(); others > 0 {
			Pause(ctx, min(jobRest*time.Since(at), time.Duration(others)*jobYield))
		}
	}
	if tries > jobTries {
		fault = errors.Join(fault, e.failJob(ctx, due, own,
			problem.New(problem.Internal, "The job could not go on: something went wrong on our side, %d times in a row.", jobTries)))
		return fault
	}
	// Whoever stops gives the job back, so that another server need not wait for the end of the lease.
	giving, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if ctx.Err() != nil {
		fault, after, tries = nil, time.Time{}, 0
	}
	e.Background.Note()
	return errors.Join(fault, queue.ReleaseJob(giving, due.Tenant, due.Job, own, time.Now(), after, tries))
}

// paceStretch is how long something works without looking whether others are there.
const paceStretch = 5 * time.Millisecond

// Pace has long work outside of jobs, such as the reading of a file, rest where others use the database meanwhile, as the steps of
// a job do: what is in a file is a stranger's to choose, and a workbook full of cells takes a processor for a minute and more.
type Pace struct {
	e     *Engine
	ctx   context.Context
	since time.Time
	seen  Bystanders
}

// NewPace is the pace of work for which somebody waits until the context ends.
func (e *Engine) NewPace(ctx context.Context) *Pace { return &Pace{e: e, ctx: ctx} }

// Begin says that work begins.
func (p *Pace) Begin() { p.since, p.seen = time.Now(), p.e.Background.Look() }

// Rest makes a pause, if one is due. It fails where nobody waits for the work any more.
func (p *Pace) Rest() error {
	if p.since.IsZero() {
		p.Begin()
	}
	worked := time.Since(p.since)
	if worked < paceStretch {
		return p.ctx.Err()
	}
	if others := p.seen.Others(); others > 0 {
		Pause(p.ctx, min(jobRest*worked, time.Duration(others)*jobYield))
	}
	p.Begin()
	return p.ctx.Err()
}

// stepJob does one step, and tells whether the job has ended, and else how often in a row it could not go on before. Who else uses the
// store is counted from the transaction on: the job's own reading before it is not others'.
func (e *Engine) stepJob(ctx context.Context, due queue.DueJob, own schema.UUID, seen *Bystanders) (ended bool, tries int64, err error) {
	job, err := queue.FindJob(ctx, due.Tenant, due.Job)
	if errors.Is(err, store.ErrNotFound) {
		return true, 0, nil
	}
	if err != nil {
		return false, 0, err
	}
	tries = job.Tries
	kind := e.jobKinds[job.Kind]
	if kind == nil {
		return false, 0, errors.New("a job of a kind that this server does not know: " + job.Kind)
	}
	var prepared any
	if kind.Prepare != nil {
		if prepared, err = kind.Prepare(ctx, e, due.Tenant, job); err != nil {
			return e.stopped(ctx, due, own, tries, err)
		}
	}
	*seen = e.Background.Look()
	e.Background.Note()
	err = due.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
		ended = false
		job, err := queue.JobIn(tx, due.Job)
		if err != nil {
			return err
		}
		if !job.Open() {
			return queue.ErrJobLost
		}
		tx.By(job.Actor)
		run := &JobRun{Tx: tx, Engine: e, Job: job, Prepared: prepared, began: time.Now(), Bystanders: *seen}
		if run.Who, err = e.JobPrincipal(tx, job); err != nil {
			return err
		}
		before := tx.LogEnd()
		if ended, err = kind.Step(run); err != nil {
			return err
		}
		job.Tries = 0
		if after := tx.LogEnd(); after > before {
			if job.LastSeq = after; job.FirstSeq == 0 {
				job.FirstSeq = before + 1
			}
		}
		if ended {
			return run.end(queue.JobSucceeded, own)
		}
		return queue.PutJob(tx, job, own, time.Now().Add(e.JobLease))
	})
	if err != nil {
		return e.stopped(ctx, due, own, tries, err)
	}
	return ended, 0, nil
}

// stopped tells what becomes of a job of which a step failed: what is a problem of the job's ends it, anything else may be better
// in a moment.
func (e *Engine) stopped(ctx context.Context, due queue.DueJob, own schema.UUID, tries int64, err error) (ended bool, _ int64, _ error) {
	if p := problem.As(err); p != nil && !p.Code.WorthRetrying() {
		err = e.failJob(ctx, due, own, p)
		ended = err == nil
	}
	return ended, tries, err
}

// failJob ends a job that cannot go on.
func (e *Engine) failJob(ctx context.Context, due queue.DueJob, own schema.UUID, why *problem.Problem) error {
	e.Background.Note()
	return due.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
		job, err := queue.JobIn(tx, due.Job)
		if err != nil {
			return err
		}
		if !job.Open() {
			return queue.ErrJobLost
		}
		tx.By(job.Actor)
		job.Error = keptProblem(why)
		run := &JobRun{Tx: tx, Engine: e, Who: SystemPrincipal(tx.Tenant, job.Actor.User), Job: job}
		return run.end(queue.JobFailed, own)
	})
}

// forgottenAtOnce is how many refusals of a job are forgotten in one transaction.
const forgottenAtOnce = 1000

// SweepJobs forgets jobs that ended long ago, as of now.
func (e *Engine) SweepJobs(ctx context.Context, now time.Time) error {
	for {
		ended, err := queue.EndedJobs(ctx, e.store, now.AddDate(0, 0, -JobDays))
		for _, d := range ended {
			for done := false; !done; {
				failed := d.Keep(ctx, store.Actor{}, func(tx *store.Tx) (err error) {
					done, err = queue.ForgetJob(tx, d.Job, forgottenAtOnce)
					return err
				})
				err, done = errors.Join(err, failed), done || failed != nil
			}
		}
		if err != nil || len(ended) == 0 {
			return err
		}
	}
}
