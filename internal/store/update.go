package store

import (
	"fmt"
	"strings"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/layout"
)

// Update writes what differs between two states of a record, under an action's name for the log. deleted_at moves it to the bin and back.
func (tx *Tx) Update(res *schema.Resource, old, rec *schema.Record, action string) error {
	if err := layout.FoldDocument(old, rec); err != nil {
		return err
	}
	b := tx.builder()
	var sets []string
	for i, l := range layout.OwnLeaves(rec.Shape) {
		if old.Values[i] == rec.Values[i] {
			continue
		}
		sets = append(sets, l.Column.Name+" = "+b.Arg(rec.Values[i]))
		if l.Key != "" {
			sets = append(sets, l.Key+" = "+b.Arg(layout.KeyOf(l, rec.Values[i])))
		}
	}
	if len(sets) == 0 {
		return nil
	}
	if old.Get(res.Common.CreatedAt) != rec.Get(res.Common.CreatedAt) { // rows lie where it says
		return fmt.Errorf("update %s: created_at cannot change", res.Name)
	}
	tx.forget(res, old, rec)
	tx.Weight += writeWeight + rec.Weight()
	before, after := layout.SearchDocument(old), layout.SearchDocument(rec)
	if before != after {
		sets = append(sets, "search_doc = "+b.Arg(schema.Value{Kind: schema.Text, Set: true, S: after}))
	}
	sql := "UPDATE " + res.Plural + " SET " + strings.Join(sets, ", ") +
		" WHERE business_id = " + b.TenantMark() + " AND id = " + b.Arg(schema.IDValue(rec.ID()))
	if err := tx.updateOne(res, rec.ID(), sql, b.Values); err != nil {
		return err
	}
	wasLive, isLive := old.Live(), rec.Live()
	if wasLive != isLive || isLive && before != after {
		if err := tx.s.search.Planner.Text().Change(&tx.texts, res, rec.ID(), wasLive, isLive, after); err != nil {
			return err
		}
	}
	switch {
	case wasLive && !isLive:
		tx.tallies[layout.TallyName(res, false)]--
		tx.tallies[layout.TallyName(res, true)]++
	case !wasLive && isLive:
		tx.tallies[layout.TallyName(res, false)]++
		tx.tallies[layout.TallyName(res, true)]--
	}
	if wasLive {
		tx.figure(res, old.Get, -1)
	}
	if isLive {
		tx.figure(res, rec.Get, 1)
	}
	if err := tx.follow(res, old, rec, (*Tx).writeListItems, (*Tx).writeEnds, (*Tx).rewriteMatches, (*Tx).refileCustomEntries,
		(*Tx).rewriteAddedReferences); err != nil {
		return err
	}
	return tx.log(res, old, rec, action)
}

// following writes one kind of rows that follow from a record, where they are others than before. old is nil for a new record.
type following func(tx *Tx, res *schema.Resource, old, rec *schema.Record) error

func (tx *Tx) follow(res *schema.Resource, old, rec *schema.Record, all ...following) error {
	for _, write := range all {
		if err := write(tx, res, old, rec); err != nil {
			return err
		}
	}
	return nil
}

// updateOne runs the update of one record. Only where the transaction has read the record it is certain to be there.
func (tx *Tx) updateOne(res *schema.Resource, id schema.UUID, sql string, args []schema.Value) error {
	if tx.read[id] {
		return tx.c.Change(tx.ctx, sql, args)
	}
	n, err := tx.c.Exec(tx.ctx, sql, args)
	if err == nil && n == 0 {
		err = fmt.Errorf("update %s: the record is gone", res.Name)
	}
	return err
}
