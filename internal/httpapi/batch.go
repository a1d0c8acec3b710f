package httpapi

import (
	"net/http"
	"runtime"
	"strconv"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/search"
)

// mostBatches is how many requests of a business write much at once.
func mostBatches() int { return max(1, runtime.GOMAXPROCS(0)/2) }

// batch does many operations in one transaction, and answers each as the single call would be.
func (r *request) batch() (reply, error) {
	give, err := r.api.batches.Take(r.in.Context(), r.call.Tenant.ID())
	if err != nil {
		return reply{}, err
	}
	defer give()
	b, err := r.api.engine.PlanBatch(r.call.Principal, r.route.Kind, r.body)
	return r.commit(err, func(tx *store.Tx) (reply, error) {
		done := results{r: r}
		if err := b.Run(tx, done.add); err != nil {
			return reply{}, err
		}
		return done.reply(), nil
	})
}

// results collects what became of the operations of a batch, as JSON: the records as they come, and beside them what is told of
// each where all of them together would be too much.
type results struct {
	r *request
	// text is with the records, kept without what is shown only once, if there is such a thing, and short with ids and versions alone.
	text, kept, short []byte
	succeeded, failed int
}

func (s *results) add(done record.Result) {
	status := http.StatusOK
	switch {
	case done.Err != nil:
		s.failed++
		status, text := s.r.describe(problem.As(done.Err))
		s.each(status, "error", func(dst []byte) []byte { return append(dst, text...) }, nil)
		return
	case done.Deleted:
		status = http.StatusNoContent
	case done.Made:
		status = http.StatusCreated
	}
	s.succeeded++
	if done.Deleted {
		s.each(status, "", nil, nil)
		return
	}
	if done.Record.Once != nil && s.kept == nil {
		s.kept = append([]byte{}, s.text...)
	}
	s.each(status, "record", func(dst []byte) []byte {
		return s.r.call.AnswerBeside(s.r.appendRecord(dst, done.Record), s.r.route.Kind, done.Outcome)
	}, done.Record)
}

// each adds one result to all forms. rec is the record that it has, if it has one.
func (s *results) each(status int, name string, value func(dst []byte) []byte, rec *schema.Record) {
	add := func(dst []byte, value func(dst []byte) []byte) []byte {
		if len(dst) > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"status":`...)
		dst = strconv.AppendInt(dst, int64(status), 10)
		if value != nil {
			dst = append(dst, `,"`+name+`":`...)
			dst = value(dst)
		}
		return append(dst, '}')
	}
	if len(s.text) <= search.MaxPage {
		if s.kept != nil {
			without := value
			if rec != nil && rec.Once != nil {
				without = func(dst []byte) []byte { return s.r.appendKept(dst, rec) }
			}
			s.kept = add(s.kept, without)
		}
		s.text = add(s.text, value)
	}
	if rec != nil {
		value = func(dst []byte) []byte { return record.AppendShort(dst, s.r.route.Kind, rec) }
	}
	s.short = add(s.short, value)
}

func (s *results) reply() reply {
	envelope := func(list []byte) []byte {
		dst := append([]byte(listBegins), list...)
		dst = append(dst, `],"meta":{"succeeded":`...)
		dst = strconv.AppendInt(dst, int64(s.succeeded), 10)
		dst = append(dst, `,"failed":`...)
		dst = strconv.AppendInt(dst, int64(s.failed), 10)
		return append(dst, "}}"...)
	}
	a := reply{status: http.StatusOK, text: s.text}
	if len(s.text) > search.MaxPage {
		a.text = s.short
	}
	a.text = envelope(a.text)
	if s.kept != nil {
		a.kept = envelope(s.kept)
	}
	return a
}
