package httpapi

import (
	"net/http"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// across is the reply to a search across resources.
func (r *request) across() (reply, error) {
	hits, more, err := r.api.engine.Across(r.in.Context(), r.call, r.body)
	if err != nil {
		return reply{}, err
	}
	return rendered(http.StatusOK, func(dst []byte) []byte {
		dst = append(dst, listBegins...)
		for _, h := range hits {
			dst = appendHit(nextItem(dst), h)
		}
		return appendMore(dst, more)
	}), nil
}

// mostAnswered is how many bytes the answers of several searches have together.
const mostAnswered = 8 << 20

// searches is the reply to several searches: a list of lists, in their order.
func (r *request) searches() (reply, error) {
	asked, err := record.Searches(r.body)
	if err != nil {
		return reply{}, err
	}
	return appended(func(dst []byte) ([]byte, error) {
		dst = append(dst, listBegins...)
		for i, a := range asked {
			var err error
			if dst, err = AppendList(r.in.Context(), r.api.engine, r.call, a.Kind, false, a.Body, schema.AppendComma(dst, i)); err != nil {
				return dst, a.In(err)
			}
			if len(dst) > mostAnswered {
				return dst, problem.New(problem.PayloadTooLarge, "The answers would have more than %d bytes together. Ask for fewer "+
					"records (limit), fewer fields or fewer searches at once.", mostAnswered)
			}
		}
		return append(dst, "]}"...), nil
	})
}

func appendHit(dst []byte, h record.Hit) []byte {
	dst = schema.AppendString(append(dst, `{"resource":`...), h.Kind.Name)
	dst = append(append(dst, `,"record":`...), h.Record...)
	return append(dst, '}')
}
