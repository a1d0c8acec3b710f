package httpapi

import "kith/internal/store"

// deliveries is the reply to a reader of what was sent to a webhook.
func (r *request) deliveries() (reply, error) {
	return appended(func(dst []byte) ([]byte, error) {
		dst = append(dst, listBegins...)
		page, err := r.api.engine.Deliveries(r.in.Context(), r.call, r.in.PathValue("id"), r.body, func(d *store.Delivery) {
			dst = r.call.AppendDelivery(nextItem(dst), d)
		})
		return appendPage(dst, page), err
	})
}
