package store

import (
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// AddRows adds rows to a table of the business.
func (tx *Tx) AddRows(rows room.Rows) error {
	return tx.insertRows(rows.Table, func() []string { return rows.Columns }, rows.N, rows.Fill)
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
	in.sql = s.insertSQL(table, in.columns, s.engine.TenantMark(1))
	s.inserts.Store(table, in)
	return in
}

// insertSQL is the statement that adds a row; first is the placeholder of its first value.
func (s *Store) insertSQL(table string, columns []string, first string) string {
	marks := []string{first}
	for i := 1; i < len(columns); i++ {
		marks = append(marks, s.engine.Mark(i+1))
	}
	if number := s.engine.RowNumber(table, marks); number != "" {
		columns, marks = append(slices.Clone(columns), "rid"), append(marks, number)
	}
	return "INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES (" + strings.Join(marks, ", ") + ")"
}
