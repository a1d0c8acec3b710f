package httpapi

import (
	"strconv"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/changelog"
)

// history is the reply to a reader of what happened to a record.
func (r *request) history() (reply, error) {
	return appended(func(dst []byte) ([]byte, error) {
		dst = append(dst, listBegins...)
		page, err := r.api.engine.History(r.in.Context(), r.call, r.route.Kind, r.in.PathValue("id"), r.body, func(c store.Change) {
			dst = record.AppendChange(nextItem(dst), c, false)
		})
		return appendPage(dst, page), err
	})
}

// timeline is the reply to a reader of what happened around a record.
func (r *request) timeline() (reply, error) {
	return appended(func(dst []byte) ([]byte, error) {
		dst = append(dst, listBegins...)
		page, err := r.api.engine.Timeline(r.in.Context(), r.call, r.route.Kind, r.in.PathValue("id"), r.body, func(e changelog.Event) {
			dst = record.AppendEvent(nextItem(dst), e)
		})
		return appendPage(dst, page), err
	})
}

// audit is the reply to a search of the audit log.
func (r *request) audit() (reply, error) {
	return appended(func(dst []byte) ([]byte, error) {
		dst = append(dst, listBegins...)
		page, err := r.api.engine.SearchAudit(r.in.Context(), r.call, r.body, func(q *query.Query, values []schema.Value) {
			dst = q.AppendRecord(nextItem(dst), values)
		})
		return appendPage(dst, page), err
	})
}

// changes is the reply to a reader of what happened in the business.
func (r *request) changes() (reply, error) {
	return appended(func(dst []byte) ([]byte, error) {
		dst = append(dst, listBegins...)
		page, err := r.call.Changes(r.in.Context(), r.body, func(c store.Change) {
			dst = record.AppendChange(nextItem(dst), c, true)
		})
		dst = strconv.AppendInt(append(dst, `],"meta":{"latest":`...), page.Latest, 10)
		dst = strconv.AppendInt(append(dst, `,"next":`...), page.Next, 10)
		return append(dst, "}}"...), err
	})
}
