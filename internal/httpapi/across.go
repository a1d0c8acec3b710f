package httpapi

import (
	"net/http"

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

func appendHit(dst []byte, h record.Hit) []byte {
	dst = schema.AppendString(append(dst, `{"resource":`...), h.Kind.Name)
	dst = append(append(dst, `,"record":`...), h.Record...)
	return append(dst, '}')
}
