package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"kith/internal/schema"
)

// By lets what the transaction writes from here on count as made by an actor.
func (tx *Tx) By(actor Actor) { tx.actor = actor }

// At lets what the transaction writes from here on count as made at a time and by an actor of its own. It is for records that had a
// life before they came here: such times do not rise in the order of commits.
func (tx *Tx) At(now time.Time, actor Actor) {
	tx.Now, tx.actor = now.UTC().Truncate(time.Microsecond), actor
}

// InsertMany adds records of one resource that are complete, under an action's name for the log. Everything that follows from a record
// (folded keys, the search document, the count, its log entry) is the same for one record as for many.
func (tx *Tx) InsertMany(res *schema.Resource, recs []*schema.Record, action string) error {
	if len(recs) == 0 {
		return nil
	}
	recs = byCreation(recs)
	sqlite := tx.s.engine.name() == "sqlite"
	columns := recordColumns(res)
	docs := make([]string, len(recs))
	var first, shelf int64
	if !sqlite {
		last, err := tx.shelf(res)
		if err != nil {
			return err
		}
		shelf = last.start
		for _, rec := range recs {
			tx.placed[res.Name] = append(tx.placed[res.Name], placed{rec.ID(), rec.Get(res.Common.CreatedAt).N})
		}
		columns = append(columns, "shelf")
	} else {
		var err error
		if first, err = tx.nextRows(res, recs); err != nil {
			return err
		}
		columns = append(columns, "rid")
	}
	err := tx.insertRows(res.Plural, columns, len(recs), func(i int, row []schema.Value) []schema.Value {
		docs[i] = searchDocument(res, recs[i])
		for at, l := range res.Leaves {
			row = append(row, recs[i].Values[at])
			if l.Key != "" {
				row = append(row, key(l, recs[i].Values[at]))
			}
		}
		row = append(row, schema.Value{Kind: schema.Text, Set: true, S: docs[i]})
		if sqlite {
			return append(row, schema.IntValue(schema.Integer, first+int64(i)))
		}
		return append(row, schema.IntValue(schema.Integer, shelf))
	})
	if err != nil {
		return err
	}
	for i, rec := range recs {
		if sqlite {
			if err := tx.indexText(res, first+int64(i), docs[i]); err != nil {
				return err
			}
		}
		if err := tx.writeParts(res, nil, rec); err != nil {
			return err
		}
		tx.log(res, nil, rec, action)
	}
	tx.tallies[tallyName(res, false)] += int64(len(recs))
	return nil
}

// recordColumns are the columns that a record fills: its values, their folded keys, and the search document.
func recordColumns(res *schema.Resource) []string {
	var columns []string
	for _, l := range res.Leaves {
		columns = append(columns, l.Column)
		if l.Key != "" {
			columns = append(columns, l.Key)
		}
	}
	return append(columns, "search_doc")
}

// enoughToCopy is from how many rows on PostgreSQL's COPY is worth its preparation.
const enoughToCopy = 32

// insertRows adds n rows of the tenant to a table. fill appends the values of the i-th row, in the order of the columns, to row.
func (tx *Tx) insertRows(table string, columns []string, n int, fill func(i int, row []schema.Value) []schema.Value) error {
	row := make([]schema.Value, 1, len(columns)+1)
	row[0] = tx.key
	columns = append([]string{"business_id"}, columns...)
	if c, ok := tx.c.(*postgresConn); ok && n >= enoughToCopy {
		return c.copy(table, columns, n, func(i int) []schema.Value { return fill(i, row) })
	}
	sql := tx.s.insertStatement(table, columns)
	for i := range n {
		if err := tx.c.change(tx.ctx, sql, fill(i, row)); err != nil {
			return err
		}
	}
	return nil
}

// insertStatement adds a row to a table. A table's rows always have the same columns, so the statement is written once.
func (s *Store) insertStatement(table string, columns []string) string {
	if sql, ok := s.inserts.Load(table); ok {
		return sql.(string)
	}
	marks := []string{s.engine.tenantMark(1)}
	for i := range columns[1:] {
		marks = append(marks, s.engine.mark(i+2))
	}
	sql := "INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES (" + strings.Join(marks, ", ") + ")"
	s.inserts.Store(table, sql)
	return sql
}

// copy streams rows into a table. They are part of the transaction like any others.
func (c *postgresConn) copy(table string, columns []string, n int, at func(i int) []schema.Value) error {
	c.wrote = true
	if err := c.send(); err != nil {
		return err
	}
	args := make([]any, len(columns))
	source := pgx.CopyFromSlice(n, func(i int) ([]any, error) {
		for a, v := range at(i) {
			args[a] = postgresArg(v)
		}
		return args, nil
	})
	if _, err := c.c.CopyFrom(c.ctx, pgx.Identifier{table}, columns, source); err != nil {
		return fmt.Errorf("copy into %s: %w", table, err)
	}
	return nil
}

// Count gives the maintained number of live records of a resource.
func (t Tenant) Count(ctx context.Context, res *schema.Resource) (n int64, err error) {
	err = t.read(ctx, func(c conn) (err error) {
		n, err = t.tally(ctx, c, tallyName(res, false))
		return err
	})
	return n, err
}

// Claim keeps a value for the whole database under a name that is free, and tells whether it was: of two transactions that claim the
// same name, one does.
func (tx *Tx) Claim(name string, value []byte) (bool, error) {
	return claim(tx.ctx, tx.c, tx.s.engine, name, value)
}

func claim(ctx context.Context, c conn, d dialect, name string, value []byte) (bool, error) {
	args := []schema.Value{schema.TextValue(schema.Text, name), {Kind: kindBytes, Set: true, S: string(value)}}
	n, err := c.exec(ctx, "INSERT INTO setting (name, value) VALUES ("+d.mark(1)+", "+d.mark(2)+") ON CONFLICT (name) DO NOTHING", args)
	return n > 0, err
}

// Claimed gives the value that is kept under a name, or ErrNotFound.
func (s *Store) Claimed(ctx context.Context, name string) (value []byte, err error) {
	err = s.engine.read(ctx, share{}, func(c conn) error {
		return c.query(ctx, "SELECT value FROM setting WHERE name = "+s.engine.mark(1), []schema.Value{schema.TextValue(schema.Text, name)}, func(r row) error {
			value = slices.Clone([]byte(r.value(0, kindBytes).S))
			return nil
		})
	})
	if err == nil && value == nil {
		err = ErrNotFound
	}
	return value, err
}
