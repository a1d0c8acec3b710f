package work

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/merged"
	"github.com/kith-crm/kith/internal/store/queue"
)

// purging is the step of a record that was taken out of the bin for good, and has more of a past than went at once.
const purging = "purge log"

// Purged is how many records of a business were taken out of the bin for good.
type Purged struct {
	Business schema.UUID
	Records  int
}

// EmptyBins takes some of the records out of the bins for good that have been there for longer than their business wants, as of
// now, and tells where there may be more. Several servers may do so at once: each takes its turn in the business.
func EmptyBins(ctx context.Context, e *record.Engine, now time.Time) (purged []Purged, err error) {
	businesses, err := e.Store().Retaining(ctx)
	for _, t := range businesses {
		n := 0
		failed := t.Write(ctx, store.Actor{}, func(tx *store.Tx) (err error) {
			if n, err = emptyBin(e, tx, now); n > 0 {
				tx.Audit(store.AuditEntry{Action: record.BinEmptied, Count: int64(n)})
			}
			return err
		})
		if err = errors.Join(err, failed); failed == nil && n > 0 {
			purged = append(purged, Purged{t.ID(), n})
		}
	}
	return purged, err
}

func emptyBin(e *record.Engine, tx *store.Tx, now time.Time) (n int, err error) {
	business, err := tx.Own(record.Business)
	if err != nil {
		return 0, err
	}
	days := business.Get(record.OwnBusiness.BinDays)
	if !days.Set {
		return 0, nil
	}
	who, _, err := e.Inform(tx, account.SystemPrincipal(tx.Tenant, schema.UUID{}))
	if err != nil {
		return 0, err
	}
	before := now.AddDate(0, 0, -int(days.N))
	done := 0
	for _, k := range slices.DeleteFunc(slices.Clone(record.Kinds()), record.KeepsDeleted) {
		res := who.Resource(k)
		for spent(tx, done) < mostWork {
			overdue, err := queue.Deleted(tx, res, before, someWork)
			if err != nil {
				return n, err
			}
			for _, rec := range overdue {
				done++
				if err := purge(tx, res, rec); err != nil {
					return n, err
				}
				n++
			}
			if len(overdue) < someWork {
				break
			}
		}
	}
	return n, nil
}

// purge removes a record for good, and empties its log and what was sent of it. What refers to it goes on to do so, as it did while
// it was in the bin.
func purge(tx *store.Tx, res *schema.Resource, rec *schema.Record) error {
	if err := tx.Remove(res, rec, record.Purge, "{}"); err != nil {
		return err
	}
	if err := merged.Blank(tx, res, rec.ID()); err != nil {
		return err
	}
	place, err := queue.EmptyLog(tx, res.Name, rec.ID(), record.Erase, "", muchWork)
	if err != nil {
		return err
	}
	delivered, err := queue.ForgetDelivered(tx, rec.ID(), record.Farewells(res.Name), "", muchWork)
	if err != nil || place == "" && delivered == "" {
		return err
	}
	return queue.AddErasure(tx, queue.Erasure{Resource: res.Name, ID: rec.ID(), Of: rec.ID(), Step: purging, Place: place})
}
