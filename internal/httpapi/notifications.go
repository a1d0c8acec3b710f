package httpapi

import (
	"fmt"
	"net/http"

	"github.com/kith-crm/kith/internal/notify"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store"
)

// readAll marks what the caller was told of as read.
func (r *request) readAll() (reply, error) {
	return r.commit(record.NoFields(r.body), func(tx *store.Tx) (reply, error) {
		read, more, err := notify.ReadAll(r.api.engine, tx, r.call.Principal)
		return rendered(http.StatusOK, func(dst []byte) []byte { return fmt.Appendf(dst, `{"read":%d,"more":%t}`, read, more) }), err
	})
}
