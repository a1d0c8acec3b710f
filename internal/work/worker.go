package work

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
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
)

// Worker works on jobs in this server.
type Worker struct {
	e     *record.Engine
	kinds map[string]*JobKind
	// Lease is how long a job stays with a worker from which nothing is heard.
	Lease time.Duration
}

// NewWorker makes what works on jobs of some kinds, which have these names.
func NewWorker(e *record.Engine, kinds map[string]*JobKind) *Worker {
	return &Worker{e: e, kinds: kinds, Lease: jobLease}
}

// Work works on jobs until the context ends, and then gives back what it has.
func (w *Worker) Work(ctx context.Context, failed func(error)) {
	d := &dispatcher{Worker: w, failed: failed, busy: map[schema.UUID]bool{}, ended: make(chan schema.UUID, jobWorkers)}
	for ctx.Err() == nil {
		d.dispatch(ctx)
		select {
		case <-ctx.Done():
		case business := <-d.ended:
			delete(d.busy, business)
		case <-w.e.JobsDue:
		case <-time.After(jobPoll):
		}
	}
	d.Wait()
}

// EndLeases lets this server go on at once with what others had that are gone, until the context ends.
func EndLeases(ctx context.Context, e *record.Engine, failed func(error)) {
	e.Store().EndLeases(ctx, func() {
		e.JobsDue.Wake()
		e.DeliveriesDue.Wake()
	}, failed)
}

type dispatcher struct {
	*Worker
	sync.WaitGroup
	failed func(error)
	// busy are the businesses of which it works on a job, each of which ended is told when it has.
	busy  map[schema.UUID]bool
	ended chan schema.UUID
}

// dispatch begins to work on jobs that wait, as far as there are workers.
func (d *dispatcher) dispatch(ctx context.Context) {
	if len(d.busy) >= jobWorkers {
		return
	}
	due, err := queue.DueJobs(ctx, d.e.Store(), time.Now())
	if err != nil { // of the others there may be some all the same
		d.tell(ctx, err)
	}
	for _, job := range due {
		if len(d.busy) >= jobWorkers {
			return
		}
		if d.busy[job.ID()] {
			continue
		}
		d.busy[job.ID()] = true
		d.Go(func() {
			if err := d.work(ctx, job, jobSlice); err != nil {
				d.tell(ctx, err)
			}
			d.ended <- job.ID()
		})
	}
}

func (d *dispatcher) tell(ctx context.Context, err error) {
	if ctx.Err() == nil {
		d.failed(err)
	}
}

func (w *Worker) work(ctx context.Context, due queue.DueJob, slice time.Duration) error {
	own, begin := w.e.Store().NewLease(), time.Now()
	w.e.Background.Note()
	if taken, err := queue.LeaseJob(ctx, due.Tenant, due.Job, own, begin, begin.Add(w.Lease)); err != nil || !taken {
		return err
	}
	var after time.Time
	tries, fault := int64(0), error(nil)
	for time.Since(begin) < slice && ctx.Err() == nil {
		seen, at := w.e.Background.Look(), time.Now()
		ended, n, err := w.step(ctx, due, own, &seen)
		if ended || errors.Is(err, queue.ErrJobLost) {
			return nil
		}
		if tries = n; err != nil {
			tries++
			fault, after = err, time.Now().Add(time.Duration(min(tries, 10))*time.Second)
			break
		}
		giveWay(ctx, time.Since(at), seen)
	}
	if tries > jobTries {
		fault = errors.Join(fault, w.fail(ctx, due, own,
			problem.New(problem.Internal, "The job could not go on: something went wrong on our side, %d times in a row.", jobTries)))
		return fault
	}
	// Whoever stops gives the job back, so that another server need not wait for the end of the lease.
	giving, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if ctx.Err() != nil {
		fault, after, tries = nil, time.Time{}, 0
	}
	w.e.Background.Note()
	return errors.Join(fault, queue.ReleaseJob(giving, due.Tenant, due.Job, own, time.Now(), after, tries))
}

// step does one step, and tells whether the job has ended, and else how often in a row it could not go on before. Who else uses the
// store is counted from the transaction on: the job's own reading before it is not others'.
func (w *Worker) step(ctx context.Context, due queue.DueJob, own schema.UUID, seen *record.Bystanders) (ended bool, tries int64,
	err error,
) {
	job, err := queue.FindJob(ctx, due.Tenant, due.Job)
	if errors.Is(err, store.ErrNotFound) {
		return true, 0, nil
	}
	if err != nil {
		return false, 0, err
	}
	tries = job.Tries
	kind := w.kinds[job.Kind]
	if kind == nil {
		return false, 0, errors.New("a job of a kind that this server does not know: " + job.Kind)
	}
	var prepared any
	if kind.Prepare != nil {
		if prepared, err = kind.Prepare(ctx, w.e, due.Tenant, job); err != nil {
			return w.stopped(ctx, due, own, tries, err)
		}
	}
	*seen = w.e.Background.Look()
	w.e.Background.Note()
	err = due.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
		ended = false
		job, err := queue.JobIn(tx, due.Job)
		if err != nil {
			return err
		}
		if !job.Open() {
			return queue.ErrJobLost
		}
		tx.Actor = job.Actor
		run := &JobRun{Tx: tx, Engine: w.e, Job: job, Prepared: prepared, began: time.Now(), Bystanders: *seen}
		if run.Who, err = account.Resume(w.e, tx, job.Actor, job.Connection, job.Scopes); err != nil {
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
			return endJob(w.e, tx, job, queue.JobSucceeded, own)
		}
		return queue.PutJob(tx, job, own, time.Now().Add(w.Lease))
	})
	if err != nil {
		return w.stopped(ctx, due, own, tries, err)
	}
	return ended, 0, nil
}

// stopped tells what becomes of a job of which a step failed: what is a problem of the job's ends it, anything else may be better
// in a moment.
func (w *Worker) stopped(ctx context.Context, due queue.DueJob, own schema.UUID, tries int64, err error) (ended bool, _ int64, _ error) {
	if p := problem.As(err); p != nil && !p.Code.WorthRetrying() {
		err = w.fail(ctx, due, own, p)
		ended = err == nil
	}
	return ended, tries, err
}

func (w *Worker) fail(ctx context.Context, due queue.DueJob, own schema.UUID, why *problem.Problem) error {
	w.e.Background.Note()
	return due.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
		job, err := queue.JobIn(tx, due.Job)
		if err != nil {
			return err
		}
		if !job.Open() {
			return queue.ErrJobLost
		}
		tx.Actor = job.Actor
		job.Error = keptProblem(why)
		return endJob(w.e, tx, job, queue.JobFailed, own)
	})
}

const forgottenAtOnce = 1000

// SweepJobs forgets jobs that ended long ago, as of now.
func SweepJobs(ctx context.Context, e *record.Engine, now time.Time) error {
	for {
		ended, err := queue.EndedJobs(ctx, e.Store(), now.AddDate(0, 0, -JobDays))
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
