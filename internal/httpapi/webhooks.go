package httpapi

import (
	"github.com/kith-crm/kith/internal/store/queue"
	"github.com/kith-crm/kith/internal/webhook"
)

// deliveries is the reply to a reader of what was sent to a webhook.
func (r *request) deliveries() (reply, error) {
	return appended(func(dst []byte) ([]byte, error) {
		dst = append(dst, listBegins...)
		page, err := webhook.Deliveries(r.in.Context(), r.api.engine, r.call, r.in.PathValue("id"), r.body, func(d *queue.Delivery) {
			dst = webhook.AppendDelivery(r.call.Principal, nextItem(dst), d)
		})
		return appendPage(dst, page), err
	})
}
