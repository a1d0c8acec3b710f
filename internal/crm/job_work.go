package crm

import (
	"context"
	"errors"
	"sync"
	"time"

	"kith/internal/problem"
	"kith/internal/schema"
	"kith/internal/store"
)

// Jobs are worked on by every server. A worker takes one for a slice of time by a lease, and does steps of it. Each step checks the lease and moves the job on in
// the transaction in which it writes its records, so a worker that dies, or that was so slow that another took the job, has done nothing by half and nothing
// twice. See ADR 0055.

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
	// jobRest is how many times as long as a step took the worker rests at most where others used the database meanwhile, and jobYield how long for each time that they did.
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
		case <-e.jobs:
		case <-time.After(jobPoll):
		}
	}
	w.Wait()
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
	due, err := w.e.store.DueJobs(ctx, time.Now())
	if err != nil {
		w.fail(ctx, err)
		return
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
func (e *Engine) workJob(ctx context.Context, due store.DueJob, slice time.Duration) error {
	own, begin := schema.NewID(time.Now()), time.Now()
	e.jobUses.Add(1)
	if taken, err := due.LeaseJob(ctx, due.Job, own, begin, begin.Add(e.JobLease)); err != nil || !taken {
		return err
	}
	var after time.Time
	tries, fault := int64(0), error(nil)
	for time.Since(begin) < slice && ctx.Err() == nil {
		seen, at := e.lookAround(), time.Now()
		ended, n, err := e.stepJob(ctx, due, own, &seen)
		if ended || errors.Is(err, store.ErrJobLost) {
			return nil
		}
		if tries = n; err != nil {
			tries++
			fault, after = err, time.Now().Add(time.Duration(min(tries, 10))*time.Second)
			break
		}
		if others := seen.others(); others > 0 {
			rest(ctx, min(jobRest*time.Since(at), time.Duration(others)*jobYield))
		}
	}
	if tries > jobTries {
		fault = errors.Join(fault, e.failJob(ctx, due, own, problem.New(problem.Internal, "The job could not go on: something went wrong on our side, %d times in a row.", jobTries)))
		return fault
	}
	// Whoever stops gives the job back, so that another server need not wait for the end of the lease.
	giving, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if ctx.Err() != nil {
		fault, after, tries = nil, time.Time{}, 0
	}
	e.jobUses.Add(1)
	return errors.Join(fault, due.ReleaseJob(giving, due.Job, own, time.Now(), after, tries))
}

// bystanders counts what others than jobs ask of the store in this process, from a moment on.
type bystanders struct {
	e         *Engine
	uses, own int64
}

func (e *Engine) lookAround() bystanders {
	return bystanders{e, e.store.Uses(), e.jobUses.Load()}
}

func (b bystanders) others() int64 {
	return b.e.store.Uses() - b.uses - (b.e.jobUses.Load() - b.own)
}

func rest(ctx context.Context, long time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(long):
	}
}

// stepJob does one step, and tells whether the job has ended, and else how often in a row it could not go on before. Who else uses the
// store is counted from the transaction on: the job's own reading before it is not others'.
func (e *Engine) stepJob(ctx context.Context, due store.DueJob, own schema.UUID, seen *bystanders) (ended bool, tries int64, err error) {
	job, err := due.Tenant.Job(ctx, due.Job)
	if errors.Is(err, store.ErrNotFound) {
		return true, 0, nil
	}
	if err != nil {
		return false, 0, err
	}
	tries = job.Tries
	kind := jobKinds[job.Kind]
	if kind == nil {
		return false, 0, errors.New("a job of a kind that this server does not know: " + job.Kind)
	}
	var prepared any
	if kind.Prepare != nil {
		if prepared, err = kind.Prepare(ctx, e, due.Tenant, job); err != nil {
			return e.stopped(ctx, due, own, tries, err)
		}
	}
	*seen = e.lookAround()
	e.jobUses.Add(1)
	err = due.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
		ended = false
		job, err := tx.Job(due.Job)
		if err != nil {
			return err
		}
		if !job.Open() {
			return store.ErrJobLost
		}
		tx.By(job.Actor)
		run := &JobRun{Tx: tx, Engine: e, Job: job, Prepared: prepared, began: time.Now(), bystanders: *seen}
		if run.Who, err = e.jobPrincipal(tx, job); err != nil {
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
			return run.end(store.JobSucceeded, own)
		}
		return tx.PutJob(job, own, time.Now().Add(e.JobLease))
	})
	if err != nil {
		return e.stopped(ctx, due, own, tries, err)
	}
	return ended, 0, nil
}

// stopped tells what becomes of a job of which a step failed: what is a problem of the job's ends it, anything else may be better in a moment.
func (e *Engine) stopped(ctx context.Context, due store.DueJob, own schema.UUID, tries int64, err error) (ended bool, _ int64, _ error) {
	if p := problem.As(err); p != nil && !p.Code.WorthRetrying() {
		err = e.failJob(ctx, due, own, p)
		ended = err == nil
	}
	return ended, tries, err
}

// failJob ends a job that cannot go on.
func (e *Engine) failJob(ctx context.Context, due store.DueJob, own schema.UUID, why *problem.Problem) error {
	e.jobUses.Add(1)
	return due.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
		job, err := tx.Job(due.Job)
		if err != nil {
			return err
		}
		if !job.Open() {
			return store.ErrJobLost
		}
		tx.By(job.Actor)
		job.Error = keptProblem(why)
		run := &JobRun{Tx: tx, Engine: e, Who: systemPrincipal(tx.Tenant, job.Actor.User), Job: job}
		return run.end(store.JobFailed, own)
	})
}

// forgottenAtOnce is how many refusals of a job are forgotten in one transaction.
const forgottenAtOnce = 1000

// SweepJobs forgets jobs that ended long ago, as of now.
func (e *Engine) SweepJobs(ctx context.Context, now time.Time) error {
	for {
		ended, err := e.store.EndedJobs(ctx, now.AddDate(0, 0, -jobDays))
		if err != nil || len(ended) == 0 {
			return err
		}
		for _, d := range ended {
			for done := false; !done; {
				err := d.Keep(ctx, store.Actor{}, func(tx *store.Tx) (err error) {
					done, err = tx.ForgetJob(d.Job, forgottenAtOnce)
					return err
				})
				if err != nil {
					return err
				}
			}
		}
	}
}
