package store

import (
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/layout"
)

// Insert adds a record that is complete, under an action's name for the log.
func (tx *Tx) Insert(res *schema.Resource, rec *schema.Record, action string) error {
	return tx.InsertMany(res, []*schema.Record{rec}, action)
}

// InsertMany adds records of one resource that are complete, under an action's name for the log. Everything that follows from a record
// (folded keys, the search document, the count, its log entry) is the same for one record as for many.
func (tx *Tx) InsertMany(res *schema.Resource, recs []*schema.Record, action string) error {
	if len(recs) == 0 {
		return nil
	}
	for _, rec := range recs {
		if err := layout.FoldDocument(nil, rec); err != nil {
			return err
		}
		tx.forget(res, nil, rec)
		tx.Weight += writeWeight + rec.Weight()
	}
	recs = engine.ByCreation(recs)
	text := tx.s.search.Planner.Text()
	tx.texts.Know(tx.lastTurn().textRanges)
	places, err := text.Place(&tx.texts, res, recs)
	if err != nil {
		return err
	}
	columns := func() []string { return append(layout.RecordColumns(res), places.Column) }
	docs := make([]string, len(recs))
	err = tx.insertRows(res.Plural, columns, len(recs), func(i int, row []schema.Value) []schema.Value {
		docs[i] = layout.SearchDocument(recs[i])
		for at, l := range layout.OwnLeaves(recs[i].Shape) {
			row = append(row, recs[i].Values[at])
			if l.Key != "" {
				row = append(row, layout.KeyOf(l, recs[i].Values[at]))
			}
		}
		return append(row, schema.Value{Kind: schema.Text, Set: true, S: docs[i]}, schema.IntValue(schema.Integer, places.At(i)))
	})
	if err != nil {
		return err
	}
	for i, rec := range recs {
		if err := text.Add(&tx.texts, res, places.At(i), docs[i]); err != nil {
			return err
		}
		if err := tx.follow(res, nil, rec, (*Tx).writeListItems, (*Tx).writeEnds, (*Tx).rewriteAddedReferences); err != nil {
			return err
		}
		tx.figure(res, rec.Get, 1)
		if err := tx.log(res, nil, rec, action); err != nil {
			return err
		}
	}
	tx.tallies[layout.TallyName(res, false)] += int64(len(recs))
	if err := tx.fileCustomEntries(recs); err != nil {
		return err
	}
	return tx.writeMatches(res, recs)
}
