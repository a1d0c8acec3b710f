package notify

import (
	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// mostRead is how many notifications are marked as read at once.
const mostRead = 500

// ReadAll marks what somebody has not read as read, but for what is snoozed, and tells how many that were and whether more are left.
func ReadAll(e *record.Engine, tx *store.Tx, who *record.Principal) (read int, more bool, err error) {
	n := &crm.Notifications
	unread, err := tx.Find(&crm.Notification.Resource, mostRead+1, store.Equal(n.OwnerID, schema.IDValue(who.User)),
		query.Condition{Path: query.Path{Ref: -1, Leaf: n.ReadAt}, Operator: query.IsNotSet},
		condition(n.At, query.Lte, schema.TimeValue(tx.Now)))
	if err != nil {
		return 0, false, err
	}
	if more = len(unread) > mostRead; more {
		unread = unread[:mostRead]
	}
	for _, rec := range unread {
		w := record.Change(e, tx, who, crm.Notification, record.Update, rec)
		w.Rec.Put(n.ReadAt, schema.TimeValue(tx.Now))
		if _, err := w.Save(); err != nil {
			return 0, false, err
		}
	}
	return len(unread), more, nil
}
