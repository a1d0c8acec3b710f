package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
	"github.com/kith-crm/kith/internal/store/layout"
	"github.com/kith-crm/kith/internal/store/search"
)

// At lets what the transaction writes from here on count as made at a time and by an actor of its own. It is for records that had a
// life before they came here: such times do not rise in the order of commits.
func (tx *Tx) At(now time.Time, actor Actor) {
	tx.Now, tx.Actor = now.UTC().Truncate(time.Microsecond), actor
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
		if err := tx.writeListItems(res, nil, rec); err != nil {
			return err
		}
		if err := tx.writeEnds(res, nil, rec); err != nil {
			return err
		}
		if err := tx.rewriteAddedReferences(res, nil, rec); err != nil {
			return err
		}
		tx.figure(res, rec.Get, 1)
		if err := tx.log(res, nil, rec, action); err != nil {
			return err
		}
	}
	tx.tallies[search.TallyName(res, false)] += int64(len(recs))
	if err := tx.fileCustomEntries(recs); err != nil {
		return err
	}
	return tx.writeMatches(res, recs)
}

// insertRows adds n rows of the tenant to a table. fill appends the values of the i-th row, in the order of the columns, to row.
func (tx *Tx) insertRows(table string, columns func() []string, n int, fill func(i int, row []schema.Value) []schema.Value) error {
	in := tx.s.insertion(table, columns)
	row := make([]schema.Value, 1, len(in.columns))
	row[0] = tx.key
	return tx.c.Insert(tx.ctx, engine.Rows{
		Table: table, Columns: in.columns, SQL: in.sql, N: n,
		At: func(i int) []schema.Value { return fill(i, row) },
	})
}

// insertion is how a row is added to a table.
type insertion struct {
	columns []string
	sql     string
}

// insertion is how rows are added to a table. They always have the same columns, so it is found out once.
func (s *Store) insertion(table string, columns func() []string) insertion {
	if known, ok := s.inserts.Load(table); ok {
		return known.(insertion)
	}
	in := insertion{columns: append([]string{"business_id"}, columns()...)}
	marks := []string{s.engine.TenantMark(1)}
	for i := range in.columns[1:] {
		marks = append(marks, s.engine.Mark(i+2))
	}
	named := in.columns
	if number := s.engine.RowNumber(table, marks); number != "" {
		named, marks = append(slices.Clone(named), "rid"), append(marks, number)
	}
	in.sql = "INSERT INTO " + table + " (" + strings.Join(named, ", ") + ") VALUES (" + strings.Join(marks, ", ") + ")"
	s.inserts.Store(table, in)
	return in
}

// Count gives the maintained number of live records of a resource.
func (t Tenant) Count(ctx context.Context, res *schema.Resource) (n int64, err error) {
	err = t.read(ctx, func(c engine.Conn) (err error) {
		n, err = t.searched().Tally(ctx, c, search.TallyName(res, false))
		return err
	})
	return n, err
}

// Claim keeps a value for the whole database under a name that is free, and tells whether it was: of two transactions that claim the
// same name, one does.
func (o Outside) Claim(name string, value []byte) (bool, error) {
	n, err := o.Exec(room.SQL("INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
		room.Text(name), schema.Value{Kind: room.Bytes, Set: true, S: string(value)}))
	return n > 0, err
}

// Claimed gives the value that is kept under a name, or ErrNotFound.
func (s *Store) Claimed(ctx context.Context, name string) (value []byte, err error) {
	err = s.engine.Read(ctx, engine.Share{}, func(c engine.Conn) error {
		return c.Query(ctx, "SELECT value FROM setting WHERE name = "+s.engine.Mark(1),
			[]schema.Value{schema.TextValue(schema.Text, name)}, func(r engine.Row) error {
				value = slices.Clone([]byte(r.Value(0, engine.KindBytes).S))
				return nil
			})
	})
	if err == nil && value == nil {
		err = ErrNotFound
	}
	return value, err
}
