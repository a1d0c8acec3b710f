package store

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
	"github.com/kith-crm/kith/internal/store/layout"
)

// Fields that a business adds have no columns, and so no indexes of their own. Where one is to be indexed, each of its values has a
// index entry: a row of a table that all businesses share, with the field, the value as it is compared, and the record. Texts and numbers
// have a table each. There are index entries of live records alone, and they are written together with these. Which record holds a unique
// value they tell as well: writes of a business take turns, so nobody else can take it between the question and the write.

// fileCustomEntries adds the index entries of new records.
func (tx *Tx) fileCustomEntries(recs []*schema.Record) error {
	if len(recs[0].Filed()) == 0 {
		return nil
	}
	var customEntries []layout.CustomEntry
	var whose []*schema.Record
	for _, rec := range recs {
		own := layout.CustomEntries(rec)
		customEntries = append(customEntries, own...)
		for range own {
			whose = append(whose, rec)
		}
	}
	for _, table := range []string{layout.CustomTexts, layout.CustomNumbers} {
		var places []int
		for i, s := range customEntries {
			if s.Table == table {
				places = append(places, i)
			}
		}
		if len(places) == 0 {
			continue
		}
		columns := func() []string { return []string{"field", "key", "record_id", "created_at"} }
		err := tx.insertRows(table, columns, len(places), func(i int, row []schema.Value) []schema.Value {
			s, rec := customEntries[places[i]], whose[places[i]]
			return append(row, room.Integer(s.Field), s.Key, rec.Get(rec.Common.ID), rec.Get(rec.Common.CreatedAt))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// refileCustomEntries brings the index entries of a record to what it is now.
func (tx *Tx) refileCustomEntries(_ *schema.Resource, old, rec *schema.Record) error {
	if len(rec.Filed()) == 0 {
		return nil
	}
	before, after := layout.CustomEntries(old), layout.CustomEntries(rec)
	gone := slices.DeleteFunc(slices.Clone(before), func(s layout.CustomEntry) bool { return slices.Contains(after, s) })
	for len(gone) > 0 { // those of a list together
		s, keys := gone[0], []schema.Value(nil)
		for ; len(gone) > 0 && gone[0].Field == s.Field; gone = gone[1:] {
			keys = append(keys, gone[0].Key)
		}
		st := room.SQL("DELETE FROM "+s.Table+" WHERE business_id = {business} AND field = ? AND record_id = ? AND {among key}",
			room.Integer(s.Field), rec.Get(rec.Common.ID))
		st.Among = keys
		if err := tx.send(st); err != nil {
			return err
		}
	}
	for _, s := range after {
		if slices.Contains(before, s) {
			continue
		}
		if err := tx.fileCustomEntry(s, rec.Get(rec.Common.ID), rec.Get(rec.Common.CreatedAt)); err != nil {
			return err
		}
	}
	return nil
}

// fileCustomEntry adds an index entry of a record, unless it is there: an index that is being made may still have old ones.
func (tx *Tx) fileCustomEntry(s layout.CustomEntry, id, createdAt schema.Value) error {
	return tx.send(room.SQL(`
		INSERT INTO `+s.Table+` (business_id, field, key, record_id, created_at)
		VALUES ({business}, ?, ?, ?, ?)
		ON CONFLICT (business_id, field, key, record_id) DO NOTHING`, room.Integer(s.Field), s.Key, id, createdAt))
}

// holder finds the record, other than the given one, that holds a unique value of a filed leaf.
func (tx *Tx) holder(l *schema.Leaf, v schema.Value, except schema.UUID) (id schema.UUID, found bool, err error) {
	err = tx.Query(room.SQL(`
		SELECT x.record_id FROM `+layout.CustomTable(l)+` x
		WHERE x.business_id = {business} AND x.field = ? AND x.key = ? AND x.record_id <> ? LIMIT 1`,
		layout.FieldNumber(l), layout.OnCustomEntry(l, layout.KeyOf(l, v)), schema.Value{Kind: schema.ID, Set: true, S: string(except[:])}),
		room.Into(&id, room.FirstID))
	return id, id != schema.UUID{}, err
}

// prefetchFiled asks who holds unique values of a filed leaf.
func (tx *Tx) prefetchFiled(ask engine.Question, res *schema.Resource, l *schema.Leaf, values []schema.Value) error {
	keys, names := make([]schema.Value, len(values)), map[schema.Value]string{}
	for i, v := range values {
		keys[i] = layout.OnCustomEntry(l, layout.KeyOf(l, v))
		names[keys[i]] = holding(res, l, v)
		tx.memory.holders[names[keys[i]]] = schema.UUID{}
	}
	b := tx.builder()
	sql := "SELECT x.key, x.record_id FROM " + layout.CustomTable(l) + " x" +
		" WHERE x.business_id = " + b.TenantMark() + " AND x.field = " + b.Arg(layout.FieldNumber(l)) +
		" AND " + b.Dialect.Among(&b.Arguments, "x.key", keys)
	return ask(tx.ctx, sql, b.Values, func(r engine.Row) error {
		tx.memory.holders[names[r.Value(0, keys[0].Kind)]] = r.Value(1, schema.ID).UUID()
		return nil
	})
}

// Shared finds values of a filed leaf that several records have, at most so many, and gives two records for each.
func Shared(tx *Tx, l *schema.Leaf, most int) (pairs []Pair, err error) {
	of := "FROM " + layout.CustomTable(l) + " x WHERE x.business_id = {business} AND x.field = ?"
	var keys []schema.Value
	kind := layout.OnCustomEntry(l, schema.Absent(l.Kind)).Kind
	err = tx.Query(room.SQL("SELECT x.key "+of+" GROUP BY x.key HAVING count(*) > 1 ORDER BY x.key LIMIT "+strconv.Itoa(most),
		layout.FieldNumber(l)), room.Collect(&keys, room.First(kind)))
	for i := 0; i < len(keys) && err == nil; i++ {
		var pair []schema.UUID
		err = tx.Query(room.SQL("SELECT x.record_id "+of+" AND x.key = ? ORDER BY x.record_id LIMIT 2", layout.FieldNumber(l), keys[i]),
			room.Collect(&pair, room.FirstID))
		if len(pair) == 2 {
			pairs = append(pairs, Pair(pair))
		}
	}
	return pairs, err
}

// FileEntries writes the index entries of the records behind an id, at most so many, and tells the last, and whether it was the last of
// all.
func (tx *Tx) FileEntries(res *schema.Resource, l *schema.Leaf, after schema.Value, most int) (last schema.Value, all bool, err error) {
	b := tx.builder()
	where := []string{"t.business_id = " + b.TenantMark(), "t." + engine.Live}
	if after.Set {
		where = append(where, "t.id > "+b.Arg(after))
	}
	sql := "SELECT t.id, t.created_at, " + b.Column("t", l) + " FROM " + res.Plural + " t" +
		" WHERE " + strings.Join(where, " AND ") +
		" ORDER BY t.id LIMIT " + strconv.Itoa(most)
	var rows [][]schema.Value
	err = tx.c.Query(tx.ctx, sql, b.Values, func(r engine.Row) error {
		rows = append(rows, []schema.Value{r.Value(0, schema.ID), r.Value(1, schema.Time), r.Value(2, l.Kind)})
		return nil
	})
	if err != nil {
		return last, false, err
	}
	for _, values := range rows {
		last = values[0]
		for _, s := range layout.CustomEntriesOf(l, values[2]) {
			if err := tx.fileCustomEntry(s, values[0], values[1]); err != nil {
				return last, false, err
			}
		}
	}
	return last, len(rows) < most, nil
}
