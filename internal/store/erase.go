package store

import (
	"context"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/layout"
)

// Remove takes a record away for good, be it live or in the bin, under an action's name for the log. told is what the entry has as
// its changes, a JSON object.
func (tx *Tx) Remove(res *schema.Resource, rec *schema.Record, action, told string) error {
	if err := tx.c.Wipe(tx.ctx); err != nil {
		return err
	}
	wasLive := rec.Live()
	if wasLive {
		if err := tx.s.search.Planner.Text().Change(&tx.texts, res, rec.ID(), true, false, ""); err != nil {
			return err
		}
	}
	tx.forget(res, rec, rec)
	tx.Weight += writeWeight + rec.Weight()
	if err := tx.drop(res.Plural, "id", rec.ID()); err != nil {
		return err
	}
	tx.tallies[layout.TallyName(res, !wasLive)]--
	gone := rec.Clone()
	gone.Put(res.Common.DeletedAt, schema.TimeValue(tx.Now))
	if wasLive {
		tx.figure(res, rec.Get, -1)
		if err := tx.follow(res, rec, gone, (*Tx).writeListItems, (*Tx).rewriteMatches, (*Tx).refileCustomEntries); err != nil {
			return err
		}
	}
	_, added := rec.Document()
	for _, l := range added {
		gone.Put(l, schema.Absent(l.Kind))
	}
	if err := tx.rewriteAddedReferences(res, rec, gone); err != nil {
		return err
	}
	if len(res.EndLeaves) > 0 {
		if err := tx.drop(layout.EndTable(res), "link_id", rec.ID()); err != nil {
			return err
		}
	}
	if res.Life.Duplicates != nil {
		for _, side := range []string{"first_id", "second_id"} {
			if err := tx.run("DELETE FROM not_twins WHERE business_id = {business} AND resource = '"+res.Name+"' AND "+side+" = ?",
				schema.IDValue(rec.ID())); err != nil {
				return err
			}
		}
	}
	return tx.note(res, change{
		resource: res.Name, id: rec.ID(), version: rec.Version() + 1, action: action, at: tx.Now, actor: tx.Actor,
		changes: []byte(told),
	})
}

// Scour has the text index of a resource drop in time what it still holds of records that were removed.
func (tx *Tx) Scour(res *schema.Resource) error {
	return tx.s.search.Planner.Text().Scour(&tx.texts, res)
}

// drop deletes the rows of a table that have an id.
func (tx *Tx) drop(table, column string, id schema.UUID) error {
	return tx.run("DELETE FROM "+table+" WHERE business_id = {business} AND "+column+" = ?", schema.IDValue(id))
}

// Retaining lists the businesses that do not keep deleted records for ever.
func (s *Store) Retaining(ctx context.Context) ([]Tenant, error) {
	return s.businessesAcross(ctx, "t.bin_days IS NOT NULL")
}

// Scrub writes the database anew, so that its files have nothing of what is no longer in it. Meanwhile nobody can write, and in
// PostgreSQL nobody can read.
func (s *Store) Scrub(ctx context.Context) error { return s.engine.Scrub(ctx) }
