package work

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
)

// TendIndexes does what is to be done for the indexes of all businesses, a step for each of them in turn. Several servers may do so
// at the same time.
func TendIndexes(ctx context.Context, e *record.Engine) error {
	for {
		works, err := queue.IndexWorks(ctx, e.Store(), time.Now().Add(-e.IndexRest))
		done := false
		for _, work := range works {
			failed := work.Write(ctx, store.Actor{}, func(tx *store.Tx) error { return tendIndex(tx, e, work) })
			err, done = errors.Join(err, failed), done || failed == nil
		}
		if !done { // otherwise those that could be tended go on, whatever the others wait for
			return err
		}
	}
}

// KeepIndexes tends indexes whenever there is something to do, until the context ends. It looks for it also by itself: another
// server may have left work behind.
func KeepIndexes(ctx context.Context, e *record.Engine, failed func(error)) {
	for {
		if err := TendIndexes(ctx, e); err != nil && ctx.Err() == nil {
			failed(err)
		}
		select {
		case <-ctx.Done():
			return
		case <-e.IndexesDue:
		case <-time.After(10 * time.Second):
		}
	}
}

// tendIndex does one step for an index, and with the last one says that it is ready.
func tendIndex(tx *store.Tx, e *record.Engine, work queue.IndexWork) error {
	who, _, err := e.Inform(tx, account.SystemPrincipal(tx.Tenant, schema.UUID{}))
	if err != nil {
		return err
	}
	res := who.Shaped(record.Registry.Resource(work.Resource))
	var leaf *schema.Leaf
	if at := slices.IndexFunc(res.Filed(), func(l *schema.Leaf) bool { return l.Member == work.Member }); at >= 0 {
		leaf = res.Filed()[at]
	}
	_, filed, err := queue.TendIndex(tx, res, work.Member, leaf)
	if err != nil || !filed {
		return err
	}
	number, err := strconv.ParseInt(strings.TrimPrefix(work.Member, "f"), 10, 64)
	if err != nil {
		return err
	}
	found, err := tx.Find(&record.Field.Resource, 1, store.Equal(record.Fields.Number, schema.IntValue(schema.Integer, number)))
	if err != nil || len(found) == 0 {
		return err
	}
	ready := found[0].Clone()
	ready.PutText(record.Fields.IndexStatus, record.IndexReady)
	ready.Put(record.Fields.UpdatedAt, schema.TimeValue(tx.Now))
	ready.Put(record.Fields.Version, schema.IntValue(schema.Integer, ready.Version()+1))
	tx.Reshape()
	return tx.Update(&record.Field.Resource, found[0], ready, record.Update)
}
