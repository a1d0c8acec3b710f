package httpapi

import (
	"net/http"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
	"github.com/kith-crm/kith/internal/work"
)

// job is the reply to a reader of a job.
func (r *request) job() (reply, error) {
	job, err := work.FindJob(r.in.Context(), r.call, r.in.PathValue("id"))
	if err != nil {
		return reply{}, err
	}
	return r.jobReply(http.StatusOK, job), nil
}

// jobReply is a reply that tells of a job.
func (r *request) jobReply(status int, job *queue.Job) reply {
	a := rendered(status, func(dst []byte) []byte { return r.appendJob(dst, job) })
	if status == http.StatusAccepted {
		a.location = "/v1/jobs/" + schema.FormatID("job", job.ID)
	}
	return a
}

func (r *request) appendJob(dst []byte, job *queue.Job) []byte {
	return work.AppendJob(dst, job, r.problemOf(job))
}

// problemOf renders a problem that came up in a job.
func (r *request) problemOf(job *queue.Job) func(dst []byte, p *problem.Problem) []byte {
	return func(dst []byte, p *problem.Problem) []byte {
		return append(dst, r.describeAs(p, job.Actor.RequestID)...)
	}
}

// bulk begins to do one thing to many records, or tells what that would do.
func (r *request) bulk() (reply, error) {
	if r.dry { // which tries many records in one transaction
		give, err := r.api.batches.Take(r.in.Context(), r.call.Tenant.ID())
		if err != nil {
			return reply{}, err
		}
		defer give()
	}
	b, err := work.PlanBulk(r.in.Context(), r.api.engine, r.call, r.route.Kind, r.body)
	return r.commit(err, func(tx *store.Tx) (reply, error) {
		if !r.dry {
			job, err := b.Start(tx)
			if err != nil {
				return reply{}, err
			}
			return r.jobReply(http.StatusAccepted, job), nil
		}
		preview, err := b.Preview(tx)
		if err != nil {
			return reply{}, err
		}
		return reply{status: http.StatusOK, text: preview.Append(nil,
			func(dst []byte, p *problem.Problem) []byte { return append(dst, r.describeAs(p, r.id)...) })}, nil
	})
}

// searchJobs is the reply to a search of jobs.
func (r *request) searchJobs() (reply, error) {
	return appended(func(dst []byte) ([]byte, error) {
		dst = append(dst, listBegins...)
		page, err := work.Jobs(r.in.Context(), r.api.engine, r.call, r.body, func(job *queue.Job) {
			dst = r.appendJob(nextItem(dst), job)
		})
		return appendPage(dst, page), err
	})
}

// cancelJob ends a job.
func (r *request) cancelJob() (reply, error) {
	return r.commit(record.NoFields(r.body), func(tx *store.Tx) (reply, error) {
		job, err := work.CancelJob(r.api.engine, tx, r.call.Principal, r.in.PathValue("id"))
		if err != nil {
			return reply{}, err
		}
		return r.jobReply(http.StatusOK, job), nil
	})
}

// refused is the reply to a reader of what a job could not do.
func (r *request) refused() (reply, error) {
	return appended(func(dst []byte) ([]byte, error) {
		dst = append(dst, listBegins...)
		more, err := work.Refusals(r.in.Context(), r.call, r.in.PathValue("id"), r.body,
			func(of *queue.Job, refused work.Refused) {
				dst = work.AppendRefused(nextItem(dst), refused, r.problemOf(of))
			})
		return appendMore(dst, more), err
	})
}

// undo takes back what a request or a job did: at once, or by a job where that is much.
func (r *request) undo() (reply, error) {
	give, err := r.api.batches.Take(r.in.Context(), r.call.Tenant.ID())
	if err != nil {
		return reply{}, err
	}
	defer give()
	u, err := work.PlanUndo(r.in.Context(), r.api.engine, r.call, r.body)
	return r.takeBack(u, err, func(*store.Tx, *queue.Job, work.Undone) error { return nil })
}

// takeBack takes back what was found, and has that noted in the same transaction: by which job, or what became of it.
func (r *request) takeBack(u *work.Undo, planned error, note func(*store.Tx, *queue.Job, work.Undone) error) (reply, error) {
	return r.commit(planned, func(tx *store.Tx) (reply, error) {
		if u.Long && !r.dry {
			job, err := u.Start(tx)
			if err != nil {
				return reply{}, err
			}
			return r.jobReply(http.StatusAccepted, job), note(tx, job, work.Undone{})
		}
		done, err := u.Run(tx)
		if err != nil {
			return reply{}, err
		}
		if err := note(tx, nil, done); err != nil {
			return reply{}, err
		}
		return rendered(http.StatusOK, func(dst []byte) []byte {
			dst = append(dst, listBegins...)
			for _, left := range done.Left {
				dst = work.AppendRefused(nextItem(dst), left,
					func(dst []byte, p *problem.Problem) []byte { return append(dst, r.describeAs(p, r.id)...) })
			}
			dst = append(dst, `],"meta":`...)
			return append(done.AppendMeta(dst, r.id), '}')
		}), nil
	})
}
