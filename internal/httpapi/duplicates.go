package httpapi

import (
	"net/http"

	"github.com/kith-crm/kith/internal/merge"
	"github.com/kith-crm/kith/internal/store"
)

// duplicates is the reply to who asks which records may be the same.
func (r *request) duplicates() (reply, error) {
	return appended(func(dst []byte) ([]byte, error) {
		dst = append(dst, listBegins...)
		page, err := merge.Duplicates(r.in.Context(), r.api.engine, r.call, r.route.Kind, r.body, func(p merge.Pair) {
			dst = p.AppendJSON(nextItem(dst))
		})
		return appendPage(dst, page), err
	})
}

// dismiss remembers that two records are not the same.
func (r *request) dismiss() (reply, error) {
	run, err := merge.PlanDismissal(r.api.engine, r.call.Principal, r.route.Kind, r.body)
	return r.commit(err, func(tx *store.Tx) (reply, error) {
		return reply{status: http.StatusNoContent}, run(tx)
	})
}
