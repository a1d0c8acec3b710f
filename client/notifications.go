package client

import (
	"context"
	"net/http"
)

// ReadAll marks one's own notifications as read, but for those that are snoozed: the 500 oldest at once. It tells how many it marked, and
// whether there are others.
func (s Notifications) ReadAll(ctx context.Context, options ...WriteOption) (marked int, more bool, err error) {
	type told struct {
		Read int  `json:"read"`
		More bool `json:"more"`
	}
	out, err := record[told](ctx, s.core, http.MethodPost, s.path+"/read_all", nil, true, options)
	if err != nil {
		return 0, false, err
	}
	return out.Read, out.More, nil
}
