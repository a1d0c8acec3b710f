package crm

import (
	"context"
	"errors"
	"slices"
	"time"

	"kith/internal/schema"
	"kith/internal/store"
)

// Purge is the action under which the log tells that a record left the bin for good.
const Purge = "purge"

// purging is the chore of a record that was taken out of the bin for good, and has more of a past than went at once.
const purging = "purge log"

// Purged is how many records of a business were taken out of the bin for good.
type Purged struct {
	Business schema.UUID
	Records  int
}

// kept are the kinds whose deleted records stay for as long as there is a business: the settings. Others refer to them, and a history is read by them; and of an added
// field records may still have values, which a later one must not come to have.
func kept(k *Kind) bool { return k.Feature != "" }

// EmptyBins takes some of the records out of the bins for good that have been there for longer than their business wants, as of now, and tells where there may be
// more. Several servers may do so at once: each takes its turn in the business.
func (e *Engine) EmptyBins(ctx context.Context, now time.Time) (purged []Purged, err error) {
	businesses, err := e.store.Retaining(ctx)
	for _, t := range businesses {
		n := 0
		failed := t.Write(ctx, store.Actor{}, func(tx *store.Tx) (err error) {
			if n, err = e.emptyBin(tx, now); n > 0 {
				tx.Audit(store.AuditEntry{Action: BinEmptied, Count: int64(n)})
			}
			return err
		})
		if err = errors.Join(err, failed); failed == nil && n > 0 {
			purged = append(purged, Purged{t.ID(), n})
		}
	}
	return purged, err
}

// emptyBin removes some records of one business, and tells how many.
func (e *Engine) emptyBin(tx *store.Tx, now time.Time) (n int, err error) {
	business, err := tx.Own(Business)
	if err != nil {
		return 0, err
	}
	days := business.Get(ownBusiness.BinDays)
	if !days.Set {
		return 0, nil
	}
	who, _, err := e.inform(tx, systemPrincipal(tx.Tenant, schema.UUID{}))
	if err != nil {
		return 0, err
	}
	before := now.AddDate(0, 0, -int(days.N))
	done := 0
	for _, k := range slices.DeleteFunc(slices.Clone(kinds), kept) {
		res := who.Resource(k)
		for spent(tx, done) < mostWork {
			overdue, err := tx.Deleted(res, before, someWork)
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

// purge removes a record for good, and empties its log and what was sent of it. What refers to it goes on to do so, as it did while it was in the bin.
func purge(tx *store.Tx, res *schema.Resource, rec *schema.Record) error {
	if err := tx.Remove(res, rec, Purge, "{}"); err != nil {
		return err
	}
	if err := tx.BlankMerges(res, rec.ID()); err != nil {
		return err
	}
	place, err := tx.EmptyLog(res.Name, rec.ID(), Erase, "", muchWork)
	if err != nil {
		return err
	}
	delivered, err := tx.ForgetDelivered(rec.ID(), farewells(res.Name), "", muchWork)
	if err != nil || place == "" && delivered == "" {
		return err
	}
	return tx.AddErasure(store.Erasure{Resource: res.Name, ID: rec.ID(), Of: rec.ID(), Chore: purging, Place: place})
}
